"""What an agent believed, shown: topic by topic, each belief with its evidence and the steps that gave it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sandbox.cli.output import emit, say
from sandbox.errors import UsageError

if TYPE_CHECKING:
    from sandbox.log.beliefs import Account, Entry, Held
    from sandbox.log.reader import Log
    from sandbox.log.rows import Episode

WIDTH: Final = 110
STEPS: Final = 8
"""Steps named of one sort of evidence."""


def show_beliefs(log: Log, episode: Episode, step: int | None, *, json: bool) -> None:
    """Show what the agent of an episode believed after a step; after the last one, where none is named."""
    from sandbox.log.beliefs import believed

    last = episode.commands
    if step is not None and step > last:
        raise UsageError(f"episode {episode.id} has no step {step}: the last one is {last}", f"type --step 0 to {last}")
    entries = list(log.told(episode.id))
    if not entries:
        raise UsageError(
            f"episode {episode.id} holds no beliefs: {episode.agent} told nothing of what it thought",
            f"sandbox episodes show {episode.id}",
        )
    account = believed(entries, last if step is None else step)
    if json:
        _emit(episode, account)
    else:
        _print(episode, account)


def _emit(episode: Episode, account: Account) -> None:
    emit({
        "event": "beliefs", "episode": episode.id, "agent": episode.agent, "step": account.step, "phase": account.phase,
        "beliefs": sum(held.says is not None for held in account.held),
    })  # fmt: skip
    for held in account.held:
        emit({
            **held.more, "event": "belief", "topic": held.topic, "key": held.key, "says": held.says,
            "since": held.since, "evidence": held.evidence,
        })  # fmt: skip
    for n, sort, says in account.events:
        emit({"event": "told", "step": n, "sort": sort, "says": says})


def _print(episode: Episode, account: Account) -> None:
    say(f"{episode.ref} · {episode.agent} · {episode.id} · after step {account.step} of {episode.commands}", bold=True)
    if account.phase:
        say(f"It was then {account.phase}.")
    for topic in dict.fromkeys(held.topic for held in account.held):
        say()
        say(topic, bold=True)
        small = []
        for held in account.held:
            if held.topic != topic:
                continue
            if held.minor and not held.evidence and held.says:
                small.append(held.says)
                continue
            since = "" if held.since is None else f"   (since step {held.since})"
            say(f"  {held.says or f'{held.key}: nothing concluded'}{since}")
            for line in _grounds(held):
                say(f"      {line}")
        for line in textwrap.wrap("; ".join(small), WIDTH, break_long_words=False, break_on_hyphens=False):
            say(f"  {line}")
    if account.events:
        say()
        say("noted", bold=True)
        for n, _, says in account.events:
            say(f"  {n:5}  {says}")


def _grounds(held: Held) -> Iterator[str]:
    """The evidence by how it came out, each with its steps; then what else the belief says."""
    sorts: dict[str, list[Entry]] = {}
    for entry in held.evidence:
        sorts.setdefault(str(entry.get("came", "seen")), []).append(entry)
    for came, entries in sorts.items():
        steps = [str(entry["step"]) for entry in entries]
        more = f", … {steps[-1]}" if len(steps) > STEPS else ""
        yield f"{came}: {len(steps)} (step{'s' * (len(steps) > 1)} {', '.join(steps[:STEPS])}{more})"
    for name, value in held.more.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        if shown not in ("", True):
            yield f"{name}: {shown}"
