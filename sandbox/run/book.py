"""A library as people look at it: its skills with their versions, what each regime holds of them, and who made them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sandbox.agent.library import Evidence, Known, Memory, Note, Skill, Status
from sandbox.errors import UnknownName, UsageError
from sandbox.log.kept import Kept
from sandbox.log.reader import Log
from sandbox.run.library import records_of


@dataclass(frozen=True, slots=True)
class Made:
    """Where and when a record was made; an import has no episode."""

    episode: str | None
    step: int | None
    at: str


@dataclass(slots=True)
class Version:
    """One version of a skill, with all that happened to it. `newest` says that no other replaces it."""

    digest: str
    skill: Skill
    made: Made
    newest: bool = True
    statuses: list[tuple[Status, Made]] = field(default_factory=list)
    calls: list[tuple[Evidence, Made]] = field(default_factory=list)

    @property
    def regimes(self) -> tuple[str, ...]:
        """The regimes that it was used in, in the order in which they came."""
        return tuple(dict.fromkeys([*(one.regime for one, _ in self.calls), *(one.regime for one, _ in self.statuses)]))


@dataclass(slots=True)
class Book:
    """A library: its versions in the order in which they were added, and its notes."""

    name: str
    versions: list[Version]
    notes: list[Note]
    memory: Memory

    def newest(self) -> list[Version]:
        """The versions that nothing replaces."""
        return [version for version in self.versions if version.newest]

    def known(self, version: Version, regime: str) -> Known | None:
        """What a regime holds of a version; None where another replaced it."""
        return next((one for one in self.memory.skills(regime) if one.digest == version.digest), None)

    def find(self, wanted: str) -> Version:
        """The newest version that a name, or the beginning of a name or digest, means."""
        found = self._called(self.newest(), wanted) or self._called(self.versions, wanted)
        names = {version.skill.name for version in found}
        if len(names) > 1:
            raise UsageError(f"{wanted!r} may be {' or '.join(sorted(names))}", "type more of the name")
        if not found:
            raise UnknownName("skill", wanted, [version.skill.name for version in self.newest()])
        return found[-1]

    def history(self, version: Version) -> list[Version]:
        """All versions of the name of one, and those that they replaced."""
        return [one for one in self.versions if one.skill.name == version.skill.name]

    @staticmethod
    def _called(versions: Iterable[Version], wanted: str) -> list[Version]:
        versions = list(versions)
        named = [(one, (one.skill.name, one.digest)) for one in versions]
        exact = [one for one, names in named if wanted in names]
        return exact or [one for one, names in named if wanted and any(name.startswith(wanted) for name in names)]


def book_of(name: str, kept: Iterable[Kept]) -> Book:
    """A library from what the log holds of it."""
    versions: dict[str, Version] = {}
    notes: dict[tuple[str, str], Note] = {}
    memory = Memory(name)
    for record, one in records_of(kept):
        made = Made(one.episode, one.step, one.at or "")
        digest = memory.append(record)
        if isinstance(record, Skill):
            versions.setdefault(digest, Version(digest, record, made))
        elif isinstance(record, Note):
            notes[record.kind, record.key] = record
        elif record.skill in versions:
            version = versions[record.skill]
            if isinstance(record, Status):
                version.statuses.append((record, made))
            else:
                version.calls.append((record, made))
    replaced = {version.skill.parent for version in versions.values()}
    for version in versions.values():
        version.newest = version.digest not in replaced
    return Book(name, list(versions.values()), list(notes.values()), memory)


def open_book(log: Log, name: str | None) -> Book:
    """The library of a name; without one, the only one, or the explorer's."""
    names = [shelf.name for shelf in log.libraries()]
    if name is None and len(names) != 1 and "explorer" not in names:
        if not names:
            raise UsageError("there is no library yet", "sandbox play --world seed --agent explorer begins one")
        raise UsageError(f"there are {len(names)} libraries: {', '.join(names)}", "add --library NAME")
    chosen = name if name is not None else (names[0] if len(names) == 1 else "explorer")
    return book_of(chosen, log.library(chosen))
