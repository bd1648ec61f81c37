"""What an agent keeps from one episode to the next: skills, what was seen of them, and notes.

The runner loads a `Library` and hands it over; the agent reads it, appends to it, and holds no connection.
Whatever was appended is taken by the runner (`drain`) and stored. Nothing is ever changed or removed: a
better skill is a new version with a parent, a skill that broke gets another `Status`, a belief that no
longer holds is a newer `Note`. Every record is a frozen value of plain data that JSON can hold.

Skills speak intents. An intent is the name of an *operator* of the agent's own rule model and names of
things; which command that is in the world at hand is the interface model's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, Protocol, TypeAlias

Fact: TypeAlias = tuple[str, ...]
"""A fact that the agent holds true, e.g. ("held", "red key") or ("word", "oak door", "open").

In a skill's conditions, arguments may be parameters of the skill; a first element "not" negates:
("not", "held", "x").
"""

STATUSES: Final = ("candidate", "active", "suspect", "broken", "repaired", "retired")
OUTCOMES: Final = ("done", "refused", "no_effect", "gave_up", "fault", "limit", "stopped")
"""How one call of a skill ended. `refused`: an act was refused; `no_effect`: the post-condition is not true."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A deed: an operator of the agent's rule model with the names of the things it is done to."""

    operator: str
    args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skill:
    """One version of a procedure over intents.

    `code` defines one function called `name` whose parameters are those of `params` (name, kind); what it may
    call, `sandbox.agent.interpreter` says. `uses` names the operators and
    words it rests on. `key` is what versions of the same procedure have in common; `parent` is the digest of
    the version that this one replaces. `origin` says who made it (plan, llm, human, import, repair) and
    `source` where: model, episode, step.
    """

    name: str
    params: tuple[tuple[str, str], ...]
    code: str
    summary: str
    pre: tuple[Fact, ...]
    post: tuple[Fact, ...]
    uses: tuple[str, ...] = ()
    origin: str = "plan"
    source: Mapping[str, str] = field(default_factory=dict)
    parent: str | None = None
    tests: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """What a regime (what the agent believes to be one rule set) holds of a skill from now on, and why."""

    skill: str
    regime: str
    status: str
    why: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One call of a skill: with what, how it ended and why, and what it changed.

    `proves` says that its post-condition was false before and true after. `gained` and `lost` are the facts that
    became true and false; `caller` is the skill that called it, '' for the agent itself.
    """

    skill: str
    regime: str
    args: tuple[str, ...]
    outcome: str
    steps: int
    before: str
    """A digest of the facts before: two calls count as from different states when these differ."""
    proves: bool
    why: str = ""
    gained: tuple[Fact, ...] = ()
    lost: tuple[Fact, ...] = ()
    caller: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something learned that is no skill: a word, a pattern, an operator. The newest of a (`kind`, `key`) counts."""

    kind: str
    key: str
    value: object


Record: TypeAlias = Skill | Status | Evidence | Note


@dataclass(frozen=True, slots=True)
class Known:
    """A skill as a library holds it: the version, its digest, its status in a regime and what was seen of it there."""

    digest: str
    skill: Skill
    status: str = "candidate"
    calls: int = 0
    proofs: int = 0
    """Proving calls from different states."""
    failed: int = 0
    """Calls in a row, up to the last one, that did not do what it promises."""
    steps: float = 0.0
    """Commands of a call that worked, on average."""


class Library(Protocol):
    """A named collection of skills and notes, as an agent sees it."""

    @property
    def name(self) -> str:
        """What it is called."""

    def skills(self, regime: str = "") -> Sequence[Known]:
        """The newest versions, in the order in which they were added, with what `regime` holds of them."""

    def notes(self, kind: str) -> Mapping[str, object]:
        """What is noted of a kind, by key."""

    def append(self, record: Record) -> str:
        """Add a record. Gives the digest of a skill (the old one when it is already there), else ''."""

    def digest(self) -> str:
        """A digest of everything in it: what a step was taken with."""


class Call(Protocol):
    """One running call of a skill. It waits at `intent`, which the agent carries out and answers."""

    @property
    def intent(self) -> Intent | None:
        """The deed it waits for; None when it ended."""

    @property
    def outcome(self) -> str | None:
        """How it ended, one of OUTCOMES; None while it runs."""

    def answer(self, *, done: bool, facts: frozenset[Fact]) -> None:
        """Tell whether the deed was accepted, and the facts after it; runs on to the next deed or the end."""

    def close(self) -> None:
        """Let go of it, ended or not."""


class Interpreter(Protocol):
    """Runs skill code where it can do no harm."""

    def call(self, skill: Skill, args: Sequence[str], facts: frozenset[Fact]) -> Call:
        """Begin a call. Bad code does not raise: the call has ended with outcome `fault`."""


class Memory:
    """A library that is kept in memory only: for tests, and where none was asked for.

    `digest_of` names a skill version; the default reads its whole content.
    """

    def __init__(
        self, name: str = "none", records: Iterable[Record] = (), digest_of: Callable[[Skill], str] | None = None
    ) -> None:
        self._name, self._digest_of = name, digest_of or content_digest
        self._skills: dict[str, Skill] = {}
        self._status: dict[tuple[str, str], str] = {}
        self._seen: dict[tuple[str, str], list[Evidence]] = {}
        self._notes: dict[str, dict[str, object]] = {}
        self._fresh: list[Record] = []
        for record in records:
            self._take(record)

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    def skills(self, regime: str = "") -> Sequence[Known]:
        """The newest versions, in the order in which they were added."""
        replaced = {skill.parent for skill in self._skills.values()}
        found = []
        for digest, skill in self._skills.items():
            if digest in replaced:
                continue
            seen = self._seen.get((digest, regime), [])
            proofs = len({one.before for one in seen if one.proves})
            status = self._status.get((digest, regime), "active" if proofs >= 2 else "candidate")
            found.append(Known(digest, skill, status, len(seen), proofs, *_record_of(seen)))
        return found

    def notes(self, kind: str) -> Mapping[str, object]:
        """What is noted of a kind, by key."""
        return self._notes.get(kind, {})

    def append(self, record: Record) -> str:
        """Add a record; the runner finds it in the next `drain`."""
        if isinstance(record, Skill) and (digest := self._digest_of(record)) in self._skills:
            return digest
        self._fresh.append(record)
        return self._take(record)

    def drain(self) -> tuple[Record, ...]:
        """What was appended since the last time, in order. For the runner."""
        fresh, self._fresh = self._fresh, []
        return tuple(fresh)

    def counts(self) -> tuple[int, int]:
        """How many skills and how many notes it holds, the newest only."""
        return len(self.skills()), sum(map(len, self._notes.values()))

    def digest(self) -> str:
        """A digest of everything in it."""
        parts = sorted(self._skills), sorted(self._status.items()), sorted(self._notes.items(), key=repr)
        return text_digest(repr(parts))

    def _take(self, record: Record) -> str:
        if isinstance(record, Skill):
            digest = self._digest_of(record)
            self._skills.setdefault(digest, record)
            return digest
        if isinstance(record, Status):
            self._status[record.skill, record.regime] = record.status
        elif isinstance(record, Evidence):
            self._seen.setdefault((record.skill, record.regime), []).append(record)
        else:
            self._notes.setdefault(record.kind, {})[record.key] = record.value
        return ""


def _record_of(seen: Sequence[Evidence]) -> tuple[int, float]:
    """Failures in a row at the end, and the commands of a call that worked."""
    failed = next((n for n, one in enumerate(reversed(seen)) if one.outcome == "done"), len(seen))
    worked = [one.steps for one in seen if one.outcome == "done"]
    return failed, sum(worked) / len(worked) if worked else 0.0


def content_digest(skill: Skill) -> str:
    """A digest of what a skill version does: equal content is one version, whoever made it."""
    return text_digest(repr((skill.name, skill.params, skill.code, skill.pre, skill.post)))


def text_digest(text: str) -> str:
    """A short digest of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


__all__ = [
    "OUTCOMES", "STATUSES", "Call", "Evidence", "Fact", "Intent", "Interpreter", "Known", "Library", "Memory", "Note",
    "Record", "Skill", "Status", "content_digest", "text_digest",
]  # fmt: skip
