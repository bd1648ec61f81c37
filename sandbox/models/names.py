"""From what is typed after `--model` to a model: `openai/NAME`, `provider/NAME`, `local/PATH.gguf`, `mock/…`.

`replay/EPISODE` needs the log: `sandbox.run.talk` opens it.

With a base URL any name goes: it is asked of that server, and no key is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sandbox.errors import UsageError
from sandbox.models.api import Model
from sandbox.models.keys import Secret, find, variable

KEYLESS: Final = frozenset({
    "mock", "replay", "local", "ollama", "ollama_chat", "vllm", "hosted_vllm", "lm_studio", "llamafile",
})  # fmt: skip
"""Providers that run where the user does, and ask for no key."""


@dataclass(frozen=True, slots=True)
class Source:
    """What was asked for: the model's name, where it is served, the key that was given, a file to keep answers in."""

    name: str
    base_url: str | None = None
    key: str | None = None
    keep: Path | None = None

    @property
    def provider(self) -> str:
        """The part before the first slash; `openai` for a bare name at a base URL."""
        head, slash, _ = self.name.partition("/")
        return head if slash else "openai"


def secret(source: Source) -> Secret | None:
    """The key that will be used. Raises UsageError, before any call, when one is needed and there is none."""
    _check(source)
    found = find(source.provider, source.key)
    if found is None and source.base_url is None and source.provider not in KEYLESS:
        raise UsageError(
            f"model {source.name!r} needs a key",
            f"set {variable(source.provider)}, type --key KEY, or keep one: sandbox keys set {source.provider}",
        )
    return found


def _check(source: Source) -> None:
    if not source.name.strip() or (source.base_url is None and not source.name.partition("/")[2]):
        raise UsageError(
            f"{source.name!r} names no model",
            "type PROVIDER/NAME, e.g. openai/gpt-5-mini, local/model.gguf or mock/echo; with --base-url any name goes",
        )


def open_model(source: Source) -> Model:
    """The model that was asked for, ready and not yet called. Raises UsageError."""
    _check(source)
    if source.keep is not None:
        from sandbox.models.kept import KeptModel  # noqa: PLC0415 - each model costs only those who use it

        return KeptModel(open_model(replace(source, keep=None)), source.keep, source.base_url or "")
    provider, _, rest = source.name.partition("/")
    if provider == "mock":
        from sandbox.models.mock import Mock  # noqa: PLC0415

        return Mock(rest)
    if provider == "local" and source.base_url is None:
        from sandbox.models.local import LocalModel  # noqa: PLC0415

        return LocalModel(rest)
    key = secret(source)
    value = key.value if key else None
    if source.base_url is not None or provider == "openai":
        from sandbox.models.openai_sdk import OpenAIModel  # noqa: PLC0415
        from sandbox.models.prices import price_of  # noqa: PLC0415

        served = rest if provider == "openai" and rest else source.name
        price = price_of(served) if source.base_url is None else None
        return OpenAIModel(source.name, served, base_url=source.base_url, key=value, price=price)
    from sandbox.models.litellm_sdk import LiteLLMModel  # noqa: PLC0415

    return LiteLLMModel(source.name, base_url=source.base_url, key=value)


def settings(source: Source) -> Mapping[str, str]:
    """What is recorded of a source: never the key."""
    found = {"model": source.name}
    return found | ({"base_url": source.base_url} if source.base_url else {})
