"""Every other provider, through litellm: an extra, imported when the first call needs it and never before."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

from sandbox.errors import UsageError
from sandbox.models.api import Answer, Request, Trouble
from sandbox.models.openai_sdk import of_status, read

_UNREAD = ("invalid response from LLM endpoint", "Received response")
"""What litellm says of a reply that it cannot read, which it takes for an error of the server's."""
_INSTALL = 'install it: pip install "ruleshift[providers]"'


class LiteLLMModel:
    """`provider/NAME`, as litellm knows it."""

    def __init__(self, name: str, *, base_url: str | None, key: str | None) -> None:
        self.name, self._base_url, self._key = name, base_url, key
        if find_spec("litellm") is None:
            raise UsageError(f"model {name!r} needs litellm, which is not installed", _INSTALL)

    def complete(self, request: Request, timeout: float) -> Answer:
        """The answer. Parameters that the provider does not take are dropped by litellm."""
        litellm = _litellm()
        arguments: dict[str, Any] = {
            "model": self.name, "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "max_tokens": request.max_tokens, "temperature": request.temperature, "timeout": timeout, "max_retries": 0,
            "api_key": self._key, "base_url": self._base_url, "drop_params": True,
        }
        if request.seed is not None:
            arguments["seed"] = request.seed
        if request.schema is not None:
            schema = {"name": "answer", "schema": dict(request.schema), "strict": True}
            arguments["response_format"] = {"type": "json_schema", "json_schema": schema}
        try:
            raw = litellm.completion(**arguments)
        except Exception as error:  # noqa: BLE001 - litellm raises what it likes; all of it is the provider's trouble
            raise _trouble(error, timeout) from None
        answer = read(raw.model_dump(), request, None)
        hidden = getattr(raw, "_hidden_params", None) or {}
        return Answer(answer.text, answer.finish, answer.usage, hidden.get("response_cost"), answer.model)

    def window(self) -> int | None:
        """What litellm's own list says of the model."""
        try:
            found = _litellm().get_model_info(self.name).get("max_input_tokens")
        except Exception:  # noqa: BLE001 - it raises what it likes for a model that is not in its list
            return None
        return int(found) if found else None

    def close(self) -> None:
        """Nothing of ours is open."""


def _litellm() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no price list is fetched from anywhere
    import litellm  # noqa: PLC0415 - 4 s and 400 MB that only its models should cost

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm


def _trouble(error: Exception, timeout: float) -> Trouble:
    """What went wrong, by the class that litellm raises and the status that it gives."""
    name, text = type(error).__name__, str(error)
    if name == "ContextWindowExceededError":
        return Trouble("context", text)
    if name == "ContentPolicyViolationError":
        return Trouble("refused", text)
    if name == "Timeout":
        return Trouble("timeout", f"no answer within {timeout:g} s")
    if "onnection" in name or "onnect" in text[:200]:
        return Trouble("unreachable", text[:500])
    if any(mark in text for mark in _UNREAD):
        return Trouble("bad_reply", text[:500])
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        headers = getattr(error, "litellm_response_headers", None) or {}
        return of_status(status, text, dict(headers))
    return Trouble("bad_reply", f"{name}: {text[:500]}")
