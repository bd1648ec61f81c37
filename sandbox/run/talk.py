"""An episode's conversation with a language model: every attempt on record, limits kept, failures told as outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sandbox.errors import ProviderError
from sandbox.log.rows import CallRow
from sandbox.models.api import Model, Request
from sandbox.models.chat import Attempt, Limits, ProviderFailed
from sandbox.models.keys import Redactor

_NEXT: Final = {
    "auth": "check the key: sandbox keys list",
    "payment": "the provider wants to be paid first",
    "not_found": "check the model's name: sandbox models check MODEL",
    "unreachable": "check the address, and that the server runs",
    "context": "the prompt is longer than the model can read: let it remember less",
}


@dataclass(frozen=True, slots=True)
class Talk:
    """The model of an episode, what it may use, and what is hidden from every record."""

    model: Model
    limits: Limits = field(default_factory=Limits)
    redact: Redactor = field(default_factory=Redactor)


def call_row(attempt: Attempt, n: int, model: str) -> CallRow:
    """An attempt as the log keeps it; `n` is the step that it was made for."""
    request, answer, trouble = attempt.request, attempt.answer, attempt.trouble
    row = CallRow(
        n, attempt.role, attempt.number, model, tuple((m.role, m.content) for m in request.messages),
        _settings(request), attempt.latency_ms, attempt.waited_ms,
        trouble=trouble.kind if trouble else None, error=trouble.message if trouble else None,
    )
    if answer is None:
        return row
    usage = answer.usage
    return CallRow(
        row.n, row.role, row.attempt, row.model, row.messages, row.settings, row.latency_ms, row.waited_ms,
        answer.model or None, answer.text, answer.finish, usage.tokens_in, usage.tokens_out, usage.cached,
        usage.estimated, answer.cost,
    )


def provider_error(failed: ProviderFailed) -> ProviderError:
    """What is told to the person who waits."""
    trouble = failed.trouble
    tries = "1 attempt" if failed.attempts == 1 else f"{failed.attempts} attempts"
    return ProviderError(f"{trouble.kind} after {tries}: {trouble.message}", _NEXT.get(trouble.kind))


def _settings(request: Request) -> dict[str, object]:
    settings: dict[str, object] = {
        "max_tokens": request.max_tokens, "temperature": request.temperature, "seed": request.seed,
    }
    return settings | ({"schema": request.schema} if request.schema is not None else {})
