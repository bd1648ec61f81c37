"""What commands do: operators with version spaces of preconditions, exact effects, and laws of their own.

An operator is a word pattern with the kinds of things it takes; nothing is known of it but what was seen.
Every try is kept as a `Trial`. From these follow, for each gap: the kinds of things that go there, where a
thing has to be (held, here), which words have to be said of it. A precondition is *necessary* when some
failure can only be explained by it, *possible* as long as every success had it and some failure lacked
it, *excluded* otherwise. Effects are what changed, with the arguments lifted out; a change that is not always
there is conditional on the words that tell the two cases apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from sandbox.agent.belief import GONE, HELD, Belief, Snapshot
from sandbox.agent.interface import Pattern

HERE: Final = "*here"
INFORMS: Final = 6
"""Different answers without any change, after which an operator is held to tell something."""
Args: TypeAlias = tuple[str, ...]
Slot: TypeAlias = int | str
"""A gap of the pattern, or the name of a thing that is no argument."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change: `what` is `place`, `word`, `unword` or `at`; `value` a place, a gap, or the word."""

    what: str
    of: Slot
    value: Slot


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


Extras: TypeAlias = dict[str, list[tuple[frozenset[str], frozenset[Change]]]]


@dataclass(slots=True)
class Needs:
    """The version space of an operator's preconditions, for each gap."""

    spots: list[set[str]]
    words: list[set[str]]
    unwords: list[set[str]]
    necessary: set[tuple[int, str, bool]]
    free: bool = False
    """Whether it seems to need empty hands."""


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
    _needs: tuple[tuple[int, int], Needs] | None = None

    @property
    def arity(self) -> int:
        """How many things it takes, an implicit first one included."""
        return len(self.kinds)

    @property
    def informs(self) -> bool:
        """Whether it only tells something, as far as was seen: many answers, no change."""
        return not self.good and (len(self.shapes) >= INFORMS or self.silent >= 2) and not self.hidden

    def wins(self) -> list[Trial]:
        """The tries that changed something."""
        return [trial for trial in self.trials if trial.outcome == "changed"]


class Rules:
    """All operators of a world, kinds, words that change, and laws."""

    def __init__(self) -> None:
        self.operators: dict[str, Operator] = {}
        self.is_kind: dict[str, set[str]] = {}
        self.no_kind: dict[str, set[str]] = {}
        self.changing: set[str] = set()
        self.version = 0
        self.ambient: dict[tuple[str, Change], set[tuple[str, Args]]] = {}
        self.laws: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
        self.movers: set[str] = set()
        self.shut: dict[tuple[str, str], int] = {}
        self.door_fail: set[frozenset[str]] = set()
        self.door_pass: set[frozenset[str]] = set()
        self.loads: dict[tuple[str, Args], list[frozenset[str]]] = {}
        self.capacity = 99
        self.carried: set[str] = set()
        self._producible: tuple[int, set[tuple[str, bool]]] | None = None
        self.kind_said: dict[str, str] = {}
        """The kind that the world itself says that a thing is of."""
        self.frames: set[str] = set()
        """Lists in which things stood that could be carried."""
        self.pairs = False
        self.doubts: defaultdict[tuple[str, str], float] = defaultdict(float)
        """How often something was refused for no known reason, which may have been its kind."""
        self.weak: set[tuple[str, str]] = set()

    # --- learning -------------------------------------------------------------------------------
    def record(  # noqa: PLR0913 - all that is known of one try
        self, op: Operator, args: Args, before: Snapshot, after: Snapshot,
        *, outcome: str, why: str, named: int | None, spots: tuple[str, ...], stamp: int,
    ) -> Trial:  # fmt: skip
        """Learn from one try."""
        changes = frozenset(lifted(args, before, after)) if outcome == "changed" else frozenset[Change]()
        extras = {str(c.of) for c in changes if isinstance(c.of, str) and c.of in before.words}
        words = tuple(before.words.get(arg, frozenset()) for arg in args)
        trial = Trial(
            args, spots, words, frozenset(n for n, p in before.place.items() if p == HELD), before.at, outcome, why,
            named, changes, tuple((name, before.words[name]) for name in sorted(extras)), stamp,
        )  # fmt: skip
        for change in changes:
            if change.what in ("word", "unword"):
                self.changing.add(str(change.value))
            if isinstance(change.of, str) and change.what in ("word", "unword"):
                self._ambient(change, op, args, before, after)
        op.trials.append(trial)
        op.tried[args, spots, words] = trial
        if outcome == "changed":
            self.version += args not in op.good or changes not in op.effects_seen
            op.effects_seen.add(changes)
            op.good.add(args)
            op.recalled = False
            op.blockers.pop(args, None)
            op.never.discard(args)
        elif outcome == "silent":
            op.silent += 1
        elif why == "kind":
            op.never.add(args)
        self._kinds(op, trial)
        op.version += 1
        return trial

    def _ambient(self, change: Change, op: Operator, args: Args, before: Snapshot, after: Snapshot) -> None:
        name = str(change.of)
        causes = self.ambient.setdefault((name, change), set())
        causes.add((op.key, args))
        if len(set(causes)) >= 2 and len({key for key, _ in causes}) >= 2:
            step = before.words.get(name, frozenset()), after.words.get(name, frozenset())
            known = self.laws.setdefault(name, [])
            if step not in known:
                known.append(step)

    def _kinds(self, op: Operator, trial: Trial) -> None:  # noqa: C901 - one decision, read from top to bottom
        """What a try tells about the kinds of its arguments: every other refusal comes after the kinds were checked."""
        if trial.outcome in ("changed", "silent") or trial.why in ("reach", "held"):
            for gap, arg in enumerate(trial.args):
                kind = self.kind_of(op, gap)
                self.is_kind.setdefault(kind, set()).add(arg)
                if arg in self.no_kind.get(kind, ()):
                    self.no_kind[kind].discard(arg)
                    self._doubt()
        elif trial.why in ("state", "unread", "unknown"):
            for gap, arg in enumerate(trial.args):
                self.doubts[self.kind_of(op, gap), arg] += 1 / op.arity
        elif trial.why == "kind":
            blamed = trial.named if trial.named is not None else (0 if op.arity == 1 else None)
            if blamed is not None:
                kind, arg = self.kind_of(op, blamed), trial.args[blamed]
                if arg in self.is_kind.get(kind, ()):
                    self._doubt()
                elif op.arity == 1 or not self.pairs or sum(1 for other in op.never if other[blamed] == arg) >= 3:
                    self.no_kind.setdefault(kind, set()).add(arg)
                    if op.arity > 1:
                        self.weak.add((kind, arg))

    def kind_of(self, op: Operator, gap: int) -> str:
        """What the help calls the things of a gap; a gap that it does not show has a kind of its own."""
        return op.kinds[gap] if op.kinds[gap] != "?" else f"?{op.key}"

    def _doubt(self) -> None:
        """The reply to a thing of the wrong kind is also said of wrong pairs: it proves less than was thought."""
        if not self.pairs:
            self.pairs = True
            for kind, arg in self.weak:
                self.no_kind.get(kind, set()).discard(arg)

    # --- questions ------------------------------------------------------------------------------
    def fits(self, op: Operator, gap: int, name: str) -> bool | None:
        """Whether a thing is of the kind that goes into a gap; None when that is not known."""
        kind = self.kind_of(op, gap)
        if name in self.is_kind.get(kind, ()):
            return True
        if name in self.no_kind.get(kind, ()):
            return False
        said = self.kind_said.get(name)
        if said is None:
            return None
        if any(self.kind_said.get(other) == said for other in self.is_kind.get(kind, ())):
            return True
        if any(self.kind_said.get(other) == said for other in self.no_kind.get(kind, ())):
            return False
        return None

    def can_carry(self, name: str, belief: Belief) -> bool:
        """Whether a thing was carried before, or stands in the list in which such things stood."""
        if name in self.carried or belief.place.get(name) == HELD:
            return True
        frame = belief.frame.get(name)
        if frame in self.frames and not any((name,) in op.never for op in self.takers()):
            return True
        return frame is not None and any(belief.frame.get(other) == frame for other in self.carried) and (
            not any((name,) in op.never for op in self.takers())
        )

    def takers(self) -> list[Operator]:
        """Operators that put a thing into the hands."""
        return [op for op in self.operators.values() if op.good and self._puts(op, HELD)]

    def droppers(self) -> list[Operator]:
        """Operators that put a thing down where the agent is."""
        return [op for op in self.operators.values() if op.good and self._puts(op, HERE)]

    def _puts(self, op: Operator, where: str) -> bool:
        return op.arity == 1 and any(
            change.what == "place" and change.of == 0 and change.value == where
            for trial in op.trials for change in trial.changes
        )

    def blocking(self) -> set[str]:
        """Words of doors that were never said of one that let the agent through, and were of one that did not."""
        passed = frozenset[str]().union(*self.door_pass)
        failed = frozenset[str]().union(*self.door_fail)
        words = (failed - passed) & self.changing
        return set(words or (failed - passed if self.door_pass else ()))

    def pairwise(self, op: Operator) -> bool:
        """Whether an operator on two things was refused for a pair though each went with another."""
        if not op.good:
            return False
        firsts, seconds = {args[0] for args in op.good}, {args[1] for args in op.good}
        made = any(isinstance(c.of, str) and c.what == "place" for t in op.trials for c in t.changes)
        return made or any(args[0] in firsts and args[1] in seconds for args in op.never)

    def alike(self, op: Operator, gap: int, name: str, belief: Belief) -> bool:
        """Whether a thing is listed like one that is known to fit a gap, and had words in common with it."""
        known = self.is_kind.get(self.kind_of(op, gap), set()) or {args[gap] for args in op.good}
        frame, words = belief.frame.get(name), belief.first[name][1]
        for other in known:
            if other in belief.first and belief.frame.get(other) == frame:
                theirs = belief.first[other][1]
                if bool(words) == bool(theirs) or words & theirs:
                    return True
        return False

    def needs(self, op: Operator) -> Needs:
        """The version space of what an operator needs, from its tries."""
        stamp = op.version, len(self.changing)
        if op._needs is not None and op._needs[0] == stamp:
            return op._needs[1]
        found = self._needs(op)
        op._needs = stamp, found
        return found

    def _needs(self, op: Operator) -> Needs:
        wins = op.wins() or [trial for trial in op.trials if trial.outcome == "silent"]
        spots = [{trial.spots[i] for trial in wins} for i in range(op.arity)]
        found = Needs(spots, [set() for _ in spots], [set() for _ in spots], set())
        if not wins:
            return found
        found.free = not any(trial.load for trial in wins) and any(
            trial.load and trial.outcome == "refused" and trial.args in op.good and trial.why not in ("reach", "held")
            for trial in op.trials
        )
        able = [{args[i] for args in op.good} for i in range(op.arity)]
        for i in range(op.arity):
            had = frozenset.intersection(*(trial.words[i] for trial in wins)) & self.changing
            ever = frozenset.union(*(trial.words[i] for trial in wins))
            failed = [
                trial for trial in op.trials
                if trial.outcome == "refused" and trial.why not in ("kind", "reach", "held", "full")
                and (trial.named is None or trial.named == i) and trial.spots[i] in spots[i]
                and all(
                    arg in ok or self.fits(op, gap, arg)
                    for gap, (arg, ok) in enumerate(zip(trial.args, able, strict=True))
                )
            ]  # fmt: skip
            for trial in failed:
                lacks = [(word, True) for word in had - trial.words[i]]
                has = [(word, False) for word in (trial.words[i] & self.changing) - ever]
                for word, must in lacks + has:
                    (found.words if must else found.unwords)[i].add(word)
                if len(lacks) + len(has) == 1:
                    word, must = (lacks + has)[0]
                    found.necessary.add((i, word, must))
            for gap, word, must in op.told:
                if gap == i and (word not in ever - had if must else word not in had):
                    (found.words if must else found.unwords)[i].add(word)
                    found.necessary.add((i, word, must))
        return found

    def effects(self, op: Operator) -> list[tuple[Change, list[Trial], list[Trial]]]:
        """The lifted changes of an operator on its arguments, with the tries that showed each and those without it."""
        self._refresh(op)
        return op.effects

    def extras(self, op: Operator, args: Args) -> Extras:
        """What else these very arguments changed: for each thing its words before and the changes, laws left out."""
        self._refresh(op)
        return op.extras.get(args, {})

    def producible(self) -> set[tuple[str, bool]]:
        """Words that some operator or law was seen to bring about, and those that it was seen to take away."""
        if self._producible is None or self._producible[0] != self.version:
            found = {
                (str(change.value), change.what == "word")
                for op in self.operators.values() for changes in op.effects_seen for change in changes
                if change.what in ("word", "unword")
            }  # fmt: skip
            self._producible = self.version, found
        return self._producible[1]

    def _refresh(self, op: Operator) -> None:
        stamp = len(op.trials), len(self.laws), len(self.changing)
        if op.fresh == stamp:
            return
        op.fresh = stamp
        wins = op.wins()
        op.effects = []
        for change in dict.fromkeys(c for seen in op.effects_seen for c in seen if not isinstance(c.of, str)):
            yes = [trial for trial in wins if change in trial.changes]
            no = [trial for trial in wins if change not in trial.changes and _applies(change, trial)]
            op.effects.append((change, yes, no))
        op.effects.sort(key=lambda row: str(row[0]))
        op.extras = {}
        for trial in wins:
            befores = dict(trial.others)
            for change in trial.changes:
                if isinstance(change.of, str) and change.of not in self.laws:
                    rows = op.extras.setdefault(trial.args, {}).setdefault(change.of, [])
                    changes = frozenset(c for c in trial.changes if c.of == change.of)
                    row = befores.get(change.of, frozenset()) & self.changing, changes
                    if row not in rows:
                        rows.append(row)


def lifted(args: Args, before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """What differs between two snapshots, with the arguments as gaps."""
    gaps = {name: number for number, name in enumerate(args)}

    def lift(name: str) -> Slot:
        return gaps.get(name, name)

    if after.at != before.at:
        yield Change("at", lift(after.at), "")
    for name in after.words.keys() | before.words.keys():
        old, new = before.place.get(name), after.place.get(name)
        if old != new and (old is not None or new is not None) and (after.at == before.at or HELD in (new, old)):
            if new is None:
                yield Change("place", lift(name), GONE)
            elif new == before.at:
                yield Change("place", lift(name), HERE)
            else:
                yield Change("place", lift(name), lift(new))
        if name in before.words and name in after.words and before.words[name] != after.words[name]:
            for word in after.words[name] - before.words[name]:
                yield Change("word", lift(name), word)
            for word in before.words[name] - after.words[name]:
                yield Change("unword", lift(name), word)


def _applies(change: Change, trial: Trial) -> bool:
    """Whether a change would have been one in a try."""
    if not isinstance(change.of, int) or change.of >= len(trial.words):
        return False
    if change.what == "word":
        return change.value not in trial.words[change.of]
    if change.what == "unword":
        return change.value in trial.words[change.of]
    return True


def tell_apart(
    yes: list[Trial], no: list[Trial], changing: set[str]
) -> tuple[list[tuple[int, str]], list[tuple[int, str]]] | None:
    """Words (gap, word) that all of `yes` and none of `no` had, and the reverse; None when nothing tells them apart."""
    arity = len(yes[0].args)
    must: list[tuple[int, str]] = []
    must_not: list[tuple[int, str]] = []
    for i in range(arity):
        had = frozenset.intersection(*(trial.words[i] for trial in yes))
        other = frozenset.union(*(trial.words[i] for trial in no))
        must += [(i, word) for word in sorted(had - other)]
        lacked = frozenset.intersection(*(trial.words[i] for trial in no))
        ever = frozenset.union(*(trial.words[i] for trial in yes))
        must_not += [(i, word) for word in sorted(lacked - ever)]
    dynamic = [pair for pair in must if pair[1] in changing], [pair for pair in must_not if pair[1] in changing]
    if dynamic[0] or dynamic[1]:
        return dynamic
    return (must, must_not) if must or must_not else None
