"""An episode's conversation with a language model: every attempt on record, limits kept, failures told as outcomes."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sandbox.errors import ProviderError, UsageError
from sandbox.log.reader import Log
from sandbox.log.rows import CallRow, Episode
from sandbox.models.api import Answer, Message, Model, Request, Usage
from sandbox.models.chat import Attempt, Limits, ProviderFailed
from sandbox.models.gate import Gate
from sandbox.models.keys import Redactor
from sandbox.models.names import Source, open_model
from sandbox.models.replay import Exchange, ReplayModel

REPLAY: Final = "replay"
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
    gate: Gate = field(default_factory=Gate)


def opened(source: Source, db: Path | None) -> Model:
    """The model that was asked for, not yet called; a recording is read from the database `db`."""
    if source.provider != REPLAY:
        return open_model(source)
    if db is None:
        raise UsageError(f"{source.name!r} is read from a database, and none is at hand", "type --db FILE")
    with Log.open(db) as log:
        episode = log.episode(source.name.partition("/")[2])
        exchanges = [
            Exchange(tuple(Message(*part) for part in call.messages), _answer(call))
            for call in log.calls(episode.id) if call.answer is not None
        ]  # fmt: skip
    if not exchanges:
        raise UsageError(f"episode {episode.id} was played without a model", "list others: sandbox episodes")
    return ReplayModel(episode.id, exchanges, _again(episode))


def _answer(call: CallRow) -> Answer:
    usage = Usage(call.tokens_in or 0, call.tokens_out or 0, call.cached or 0, bool(call.estimated))
    return Answer(call.answer or "", call.finish or "stop", usage, call.cost, call.served or "")


def _again(episode: Episode) -> str:
    """The command that plays a recorded episode with its own answers."""
    options = ",".join(f"{key}={value}" for key, value in sorted(episode.options.items()))
    words = ["--world", episode.ref, "--agent", f"{episode.agent}:{options}" if options else episode.agent]
    words += ["--agent-seed", str(episode.agent_seed), "--max-steps", str(episode.max_steps)]
    return shlex.join(["sandbox", "play", *words, "--model", f"{REPLAY}/{episode.id}"])


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
