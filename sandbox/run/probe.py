"""One tiny call of a model: does it answer, how fast, at what price, and in the form asked for?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sandbox.agent.extract import extract
from sandbox.errors import UsageError
from sandbox.models.api import Message, Request, Trouble, Usage, Windowed
from sandbox.models.chat import ProviderFailed
from sandbox.models.keys import Redactor
from sandbox.models.names import Source, open_model, secret
from sandbox.run.talk import REPLAY, provider_error

_ASK = 'Reply with this JSON object and nothing else: {"command": "look"}'
_FORM = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
_TOKENS, _TIMEOUT = 200, 60.0


@dataclass(frozen=True, slots=True)
class Probe:
    """What a model made of one call. `cost` is None where the price is not known; `key` says where its key was found,
    `window` how many tokens it can look back on, where that can be found out.

    `structured` says whether the answer had the form asked for, `playable` whether a command could be read from it.
    """

    served: str
    text: str
    seconds: float
    usage: Usage
    cost: float | None
    structured: bool
    playable: bool
    key: str | None
    window: int | None


def probe(source: Source, clock: Callable[[], float] = time.perf_counter) -> Probe:
    """Call a model once. Raises UsageError for a model that cannot be called, ProviderError for one that fails."""
    if source.provider == REPLAY:
        raise UsageError(f"{source.name!r} answers the prompts of its own episode only", "play with it")
    key = secret(source)
    model, redact = open_model(source), Redactor([key.value] if key else [])
    began = clock()
    try:
        answer = model.complete(Request((Message("user", _ASK),), _FORM, _TOKENS), _TIMEOUT)
        seconds = clock() - began
        window = model.window() if isinstance(model, Windowed) else None
    except Trouble as trouble:
        raise provider_error(ProviderFailed(Trouble(trouble.kind, redact(trouble.message)), 1)) from None
    finally:
        model.close()
    read = extract(answer.text, answer.finish)
    return Probe(
        answer.model, redact(answer.text), seconds, answer.usage, answer.cost,
        read.data is not None, bool(read.command), key.source if key else None, window,
    )  # fmt: skip
