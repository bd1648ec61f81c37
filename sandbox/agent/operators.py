"""An operator, a word pattern with the kinds of things it takes, and everything that was seen of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from sandbox.agent.advice import Advice
from sandbox.agent.context import Feature
from sandbox.agent.effects import Change, Slot
from sandbox.agent.interface import Pattern
from sandbox.agent.needs import Needs

INFORMS: Final = 6
"""Different answers without any change, after which an operator is held to tell something."""
Args: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One try of an operator: where the arguments were, what was said of them, and what came of it.

    `outcome` is changed, silent or refused; `why` the meaning of the reply; `named` the gap whose thing it named.
    """

    args: Args
    spots: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    load: frozenset[str]
    at: str
    outcome: str
    why: str
    named: int | None
    changes: frozenset[Change]
    others: tuple[tuple[str, frozenset[str]], ...] = ()
    """Words before of the things that changed without being arguments."""
    stamp: int = 0
    context: frozenset[Feature] = frozenset()
    """What else was around, where the things were, and what was said of them."""


Extras: TypeAlias = dict[str, list[tuple[frozenset[str], frozenset[Change]]]]


@dataclass(frozen=True, slots=True)
class Refused:
    """A way that was refused: how often, when last (stamp and command), and what was said of its door then."""

    tries: int
    stamp: int
    now: int
    words: frozenset[str]


@dataclass(slots=True)
class Tried:
    """The contexts in which something was tried: what was so in any, what in all, and how many came to nothing."""

    any: set[Feature] = field(default_factory=set)
    all: set[Feature] | None = None
    tries: int = 0
    failed: int = 0

    def add(self, context: frozenset[Feature], *, failed: bool) -> None:
        """One more try."""
        self.any |= context
        self.all = set(context) if self.all is None else self.all & context
        self.tries += 1
        self.failed += failed


@dataclass(slots=True)
class Operator:
    """A pattern and everything that was seen of it."""

    key: str
    pattern: Pattern
    kinds: tuple[str, ...]
    implicit: bool = False
    trials: list[Trial] = field(default_factory=list)
    tried: dict[tuple[Args, tuple[str, ...], tuple[frozenset[str], ...]], Trial] = field(default_factory=dict)
    never: set[Args] = field(default_factory=set)
    good: set[Args] = field(default_factory=set)
    shapes: set[str] = field(default_factory=set)
    takes: set[tuple[int, str]] = field(default_factory=set)
    """What went into a gap: kinds as the world calls them, or names."""
    bars: set[tuple[int, str]] = field(default_factory=set)
    must_hold: set[int] = field(default_factory=set)
    told: set[tuple[int, str, bool]] = field(default_factory=set)
    """Words that a refusal said must be true of a gap, or must not."""
    selects: Pattern | None = None
    """The command that says of what it is done, where the help page shows it."""
    effects_seen: set[frozenset[Change]] = field(default_factory=set)
    effects: list[tuple[Change, list[Trial], list[Trial]]] = field(default_factory=list)
    extras: dict[Args, Extras] = field(default_factory=dict)
    fresh: tuple[int, int, int] = (-1, 0, 0)
    blockers: dict[Args, dict[str, frozenset[str]]] = field(default_factory=dict)
    """Other things that a refusal was about, with what was said of them then."""
    spread: dict[tuple[Args, str, str], tuple[set[str], set[str]]] = field(default_factory=dict)
    """For things and a change of a word: the loose things nearby to which it happened, and those to which not."""
    mismatched: set[Args] = field(default_factory=set)
    """Pairs that were said not to belong together."""
    fatal: dict[Args, int] = field(default_factory=dict)
    """Things with which it was the last to change anything, and how often."""
    advice: Advice | None = None
    """What a text says of it."""
    recalled: bool = False
    """Whether what it does is remembered from another world, and was not seen in this one yet."""
    reveals: int = 0
    """How many kinds its answers told."""
    silent: int = 0
    tells: int = 0
    """How often its answer put names together that were not asked about."""
    calm: int = 0
    hidden: int = 0
    """How often it was accepted and nothing was seen to change."""
    version: int = 0
    tried_in: dict[Args, Tried] = field(default_factory=dict)
    """For each tuple of things, the features of all its tries, and of those that came to nothing."""
    overall: Tried = field(default_factory=Tried)
    """The same of all its tries together."""
    _needs: tuple[tuple[int, int], Needs] | None = None
    _puts: tuple[int, frozenset[Slot]] = (0, frozenset())

    @property
    def arity(self) -> int:
        """How many things it takes, an implicit first one included."""
        return len(self.kinds)

    @property
    def informs(self) -> bool:
        """Whether it only tells something, as far as was seen: many answers, no change."""
        return not self.good and (len(self.shapes) >= INFORMS or self.silent >= 2) and not self.hidden

    @property
    def puts(self) -> frozenset[Slot]:
        """Where it was seen to put the one thing that it takes."""
        if self._puts[0] != len(self.effects_seen):
            ends = (c.value for seen in self.effects_seen for c in seen if (c.what, c.of) == ("place", 0))
            self._puts = len(self.effects_seen), frozenset(ends if self.arity == 1 else ())
        return self._puts[1]

    def wins(self) -> list[Trial]:
        """The tries that changed something."""
        return [trial for trial in self.trials if trial.outcome == "changed"]
