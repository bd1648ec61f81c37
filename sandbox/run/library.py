"""A library on loan: what an agent reads and appends to, while the runner holds the database.

An agent that fills its library with nonsense spoils its own library and nothing else: a record that the
database would not take is refused to the agent's face, before anything of it is stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from sandbox.agent.library import Evidence, Memory, Note, Record, Skill, Status, content_digest
from sandbox.errors import AgentError
from sandbox.log.kept import Kept
from sandbox.log.writer import Journal

_SORTS: Mapping[str, type[Skill | Status | Evidence | Note]] = {
    "skill": Skill, "status": Status, "evidence": Evidence, "note": Note,
}  # fmt: skip


class Shelf:
    """One library on loan: `fresh` is what the agent has added since the last time, `digest` what it holds by now."""

    def __init__(self, library: Memory, episodes: int = 0) -> None:
        self.name, self.library, self._episodes = library.name, library, episodes
        self.digest = library.digest()

    def fresh(self) -> list[Kept]:
        """What was added since the last time, checked. Raises AgentError for what no database can hold."""
        added = [kept_of(record) for record in self.library.drain()]
        if added:
            self.digest = self.library.digest()
        return added

    def told(self) -> str:
        """What is in it, in words: "3 skills and 12 notes from 2 episodes"; empty for nothing."""
        parts = zip(self.library.counts(), ("skill", "note"), strict=True)
        held = " and ".join(_counted(count, what) for count, what in parts if count)
        return f"{held} from {_counted(self._episodes, 'episode')}" if held and self._episodes else held


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def lend(journal: Journal, name: str) -> Shelf:
    """The library of a name on loan, with how many episodes added to it."""
    kept = list(journal.library(name))
    episodes = {one.episode for one in kept if one.episode is not None}
    return Shelf(Memory(name, [record for record, _ in records_of(kept)]), len(episodes))


def records_of(kept: Iterable[Kept]) -> Iterator[tuple[Record, Kept]]:
    """The records that can be read; one that another program spoiled is left out, and spoils no other."""
    for one in kept:
        try:
            record = record_of(one)
        except (TypeError, ValueError, AttributeError):
            continue
        if _sound(record):
            yield record, one


def kept_of(record: Record) -> Kept:
    """A record as the log keeps it. Raises AgentError for values of another type than the record's."""
    sort = next((name for name, made in _SORTS.items() if type(record) is made), None)
    if sort is None:
        raise AgentError(f"a library takes skills, statuses, evidence and notes, not {type(record).__name__}")
    found: dict[str, Any] = {field.name: getattr(record, field.name) for field in fields(record)}
    if isinstance(record, Skill):
        found["digest"] = content_digest(record)
    try:
        json.dumps(found, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AgentError(f"a {sort} cannot be kept: {error}") from None
    return Kept(sort, found)


def record_of(kept: Kept) -> Record:
    """The record that the log kept."""
    values = dict(kept.fields)
    values.pop("digest", None)
    for name in ("pre", "post", "params", "gained", "lost"):
        if name in values:
            values[name] = tuple(map(_parts, values[name]))  # type: ignore[call-overload]  # lists, as JSON has it
    for name in ("uses", "tests", "args"):
        if name in values:
            values[name] = tuple(values[name])  # type: ignore[arg-type]
    made: Any = _SORTS[kept.sort]
    record: Record = made(**values)
    return record


def _parts(given: object) -> tuple[object, ...]:
    if not isinstance(given, list | tuple):
        raise TypeError("no list")
    return tuple(given)


def _sound(record: Record) -> bool:
    """Whether the parts of a record are of the kinds that they should be."""
    texts: list[object] = ["" if isinstance(getattr(record, "steps", 0), int) else None]
    if isinstance(record, Skill):
        facts = (*record.pre, *record.post)
        if not all(facts) or {len(param) for param in record.params} - {2}:
            return False
        texts += [record.name, record.code, record.summary, record.origin, *record.uses]
        texts += [part for group in (record.params, facts) for parts in group for part in parts]
    elif isinstance(record, Evidence):
        texts += [record.skill, record.regime, record.outcome, record.before, record.why, record.caller, *record.args]
    elif isinstance(record, Status):
        texts += [record.skill, record.regime, record.status, record.why]
    else:
        texts += [record.kind, record.key]
    return all(isinstance(text, str) for text in texts)
