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
from collections.abc import Collection
from typing import Final

from sandbox.agent.advice import advice
from sandbox.agent.belief import HELD, Belief, Snapshot
from sandbox.agent.context import Feature
from sandbox.agent.effects import HERE, Change, applies, lifted
from sandbox.agent.hints import Lesson
from sandbox.agent.needs import Needs, Reason, infer, way_needs
from sandbox.agent.operators import Args, Extras, Operator, Refused, Trial, Tried

TELLING: Final = 4
"""Things tried in vain, after which an operator with answers of its own is held to tell something."""
PATIENCE: Final = 2
"""Changes in the world after which a refused way is tried again, times the refusals."""
BALKS: Final = 4
"""Refusals for no known reason after which a thing is held to be none that can be taken."""
LONG: Final = 12
"""Commands after which a refused way is tried again, times the refusals."""


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
        self.shut: dict[tuple[str, str], Refused] = {}
        """Ways that were refused the last time."""
        self._leaves: dict[tuple[str, str, str], tuple[tuple[int, int], set[Reason] | None]] = {}
        self.door_fail: set[frozenset[str]] = set()
        self.door_pass: set[frozenset[str]] = set()
        self.loads: dict[tuple[str, Args], list[frozenset[str]]] = {}
        self.capacity = 99
        self.carried: set[str] = set()
        self.kind_said: dict[str, str] = {}
        """The kind that the world itself says that a thing is of."""
        self.frames: set[str] = set()
        """Lists in which things stood that could be carried."""
        self.precise = False
        """Whether refusals tell a thing of the wrong kind from one that will not do now."""
        self.doubts: defaultdict[tuple[str, int, str], float] = defaultdict(float)
        """How often something was refused for no known reason, which may have been its kind."""
        self._makeable: tuple[tuple[int, ...], list[tuple[str, str, bool]]] = (), []

    # --- learning -------------------------------------------------------------------------------
    def record(  # noqa: PLR0913 - all that is known of one try
        self, op: Operator, args: Args, before: Snapshot, after: Snapshot,
        *, outcome: str, why: str, named: int | None, spots: tuple[str, ...], stamp: int,
        context: frozenset[Feature] = frozenset(),
    ) -> Trial:  # fmt: skip
        """Learn from one try."""
        changes = frozenset(lifted(args, before, after)) if outcome == "changed" else frozenset[Change]()
        extras = {str(c.of) for c in changes if isinstance(c.of, str) and c.of in before.words}
        words = tuple(before.words.get(arg, frozenset()) for arg in args)
        trial = Trial(
            args, spots, words, frozenset(n for n, p in before.place.items() if p == HELD), before.at, outcome, why,
            named, changes, tuple((name, before.words[name]) for name in sorted(extras)), stamp, context,
        )  # fmt: skip
        for change in sorted(changes, key=repr):
            if change.what in ("word", "unword"):
                self.changing.add(str(change.value))
            if isinstance(change.of, str) and change.what in ("word", "unword"):
                self._ambient(change, op, args, before, after)
        if outcome in ("changed", "silent") and op.key not in self.movers:
            self._spread(op, args, before, changes)
        op.trials.append(trial)
        op.tried[args, spots, words] = trial
        for tried in (op.overall, op.tried_in.setdefault(args, Tried())):
            tried.add(context, failed=outcome != "changed")
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
        elif why == "pair":
            op.mismatched.add(args)
        self._kinds(op, trial)
        op.version += 1
        return trial

    def _spread(self, op: Operator, args: Args, before: Snapshot, changes: frozenset[Change]) -> None:
        """What a deed did to loose things that happened to be there, and to which of them it did not."""
        there = {
            name for name in self.carried - set(args) if before.place.get(name) in (before.at, HELD)
        }  # fmt: skip
        for change in changes:
            if change.of in there and change.what in ("word", "unword"):
                op.spread.setdefault((args, change.what, str(change.value)), (set(), set()))[0].add(str(change.of))
        for (others, what, word), (_, spared) in op.spread.items():
            if others == args:
                for name in there:
                    due = (word in before.words.get(name, ())) == (what == "unword")
                    if due and Change(what, name, word) not in changes:
                        spared.add(name)

    def _ambient(self, change: Change, op: Operator, args: Args, before: Snapshot, after: Snapshot) -> None:
        name = str(change.of)
        causes = self.ambient.setdefault((name, change), set())
        causes.add((op.key, args))
        if len(set(causes)) >= 2 and len({key for key, _ in causes}) >= 2:
            step = before.words.get(name, frozenset()), after.words.get(name, frozenset())
            known = self.laws.setdefault(name, [])
            if step not in known:
                known.append(step)

    def _kinds(self, op: Operator, trial: Trial) -> None:
        """What a try tells about the kinds of its arguments: every other refusal comes after the kinds were checked."""
        vague = ("state", "unread", "unknown", "kind")
        if trial.outcome in ("changed", "silent") or trial.why not in vague or (trial.why == "state" and self.precise):
            for gap, arg in enumerate(trial.args):
                op.takes.add((gap, self.said(arg)))
                op.bars.discard((gap, self.said(arg)))
                if trial.outcome == "changed":
                    kind = self.kind_of(op, gap)
                    self.is_kind.setdefault(kind, set()).add(arg)
                    self.no_kind.get(kind, set()).discard(arg)
        elif trial.why in ("state", "unread", "unknown"):
            for gap, arg in enumerate(trial.args):
                self.doubts[op.key, gap, self.said(arg)] += 1 / op.arity
        elif trial.why == "kind":
            blamed = trial.named if trial.named is not None else (0 if op.arity == 1 else None)
            if blamed is not None and (blamed, self.said(trial.args[blamed])) not in op.takes:
                op.bars.add((blamed, self.said(trial.args[blamed])))
                self.no_kind.setdefault(self.kind_of(op, blamed), set()).add(trial.args[blamed])

    def said(self, name: str) -> str:
        """What the world calls the kind of a thing, or its name."""
        return self.kind_said.get(name, name)

    def kind_of(self, op: Operator, gap: int) -> str:
        """What the help calls the things of a gap; a gap that it does not show has a kind of its own."""
        return op.kinds[gap] if op.kinds[gap] != "?" else f"?{op.key}"

    def advise(self, lesson: Lesson) -> None:
        """Take what a text says of an operator for a first guess."""
        op = self.operators.get(lesson.pattern)
        if op is None:
            return
        op.advice = advice(lesson, op.arity)
        op.told |= set(op.advice.told)
        op.version += 1
        self.version += 1
        self.changing |= {str(c.value) for c, _ in op.advice.effects if c.what in ("word", "unword")}

    # --- questions ------------------------------------------------------------------------------
    def fits(self, op: Operator, gap: int, name: str) -> bool | None:
        """Whether a thing is of the kind that goes into a gap; None when that is not known."""
        said = self.said(name)
        if (gap, said) in op.takes or (gap, name) in op.takes:
            return True
        if (gap, said) in op.bars or (gap, name) in op.bars:
            return False
        return True if said == self.kind_of(op, gap) else None

    def can_carry(self, name: str, belief: Belief) -> bool:
        """Whether a thing was carried, or seems to be one that can: of such a kind, in such a list, or in something."""
        place = belief.place.get(name)
        if name in self.carried or place == HELD:
            return True
        if any((name,) in op.never or self._balks(op, name) for op in self.takers()):
            return False
        said = self.kind_said.get(name)
        if said is not None and any(self.kind_said.get(other) == said for other in self.carried):
            return True
        frame = belief.frame.get(name)
        if frame is None:
            return place in belief.first and place != "*door"
        return frame in self.frames or any(belief.frame.get(other) == frame for other in self.carried)

    def _balks(self, op: Operator, name: str) -> bool:
        if (name,) not in op.tried_in or (name,) in op.good:
            return False
        return sum(1 for trial in op.trials if trial.args == (name,) and trial.why in ("unread", "unknown")) >= BALKS

    def takers(self) -> list[Operator]:
        """Operators that put a thing into the hands."""
        return [op for op in self.operators.values() if op.good and HELD in op.puts]

    def droppers(self) -> list[Operator]:
        """Operators that put a thing down where the agent is."""
        return [op for op in self.operators.values() if op.good and HERE in op.puts]

    def rests(self, room: str, to: str, stamp: int, belief: Belief) -> bool:
        """Whether a way is left alone for now: the longer, the more often it was refused, while its door is as then."""
        last = self.shut.get((room, to))
        if last is None:
            return False
        door = belief.ways.get(room, {}).get(to)
        if door is not None and belief.words.get(door, frozenset()) != last.words:
            return False
        return stamp - last.stamp < PATIENCE * last.tries and belief.now - last.now < LONG * last.tries

    def leave(self, room: str, to: str) -> set[Reason] | None:
        """What has to be around for a way to let the agent through, where it did at times; None where it never did."""
        found = set[Reason]()
        for key in sorted(self.movers):
            op = self.operators[key]
            stamp = op.version, len(self.changing)
            known = self._leaves.get((key, room, to))
            if known is None or known[0] != stamp:
                known = self._leaves[key, room, to] = stamp, way_needs(op, room, to, self.changing)
            if known[1] is None:
                return None
            found |= known[1]
        return found

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
        alike = {(gap, self.said(arg)) for args in op.good for gap, arg in enumerate(args)}

        def comparable(args: Args) -> bool:
            return all((gap, self.said(arg)) in alike or self.fits(op, gap, arg) for gap, arg in enumerate(args))

        strict = op.arity == 2 and (self.pairwise(op) or _one_to_one(op.good))
        found = infer(op, self.changing, lambda args: args in op.good or (not strict and comparable(args)))
        op._needs = stamp, found
        return found

    def effects(self, op: Operator) -> list[tuple[Change, list[Trial], list[Trial]]]:
        """The lifted changes of an operator on its arguments, with the tries that showed each and those without it."""
        self._refresh(op)
        return op.effects

    def extras(self, op: Operator, args: Args) -> Extras:
        """What else these very arguments changed: for each thing its words before and the changes, laws left out."""
        self._refresh(op)
        return op.extras.get(args, {})

    def telling(self, op: Operator) -> bool:
        """Whether an operator only tells something: it changed nothing, and is answered as no other is."""
        if op.good or op.hidden:
            return False
        if op.reveals or op.tells or op.informs:
            return True
        if len(op.tried_in) < TELLING or not op.shapes:
            return False
        return not any(op.shapes & other.shapes for other in self.operators.values() if other is not op)

    def generic(self) -> set[str]:
        """Kinds that hold things which the world calls otherwise."""
        return {
            kind for kind, names in self.is_kind.items()
            if any(self.kind_said.get(name, kind) != kind for name in names)
        }  # fmt: skip

    @property
    def shared(self) -> set[str]:
        """Kinds that more than one operator takes, and that no thing is called."""
        seen: dict[str, set[str]] = {}
        for op in self.operators.values():
            for kind in op.kinds:
                seen.setdefault(kind, set()).add(op.key)
        return {kind for kind, keys in seen.items() if len(keys) > 1} - set(self.kind_said.values())

    def makeable(self) -> list[tuple[str, str, bool]]:
        """What was seen to be brought about, of which thing: (name, word, whether it is said then)."""
        now = self.version, sum(len(op.trials) for op in self.operators.values()), len(self.laws), len(self.changing)
        if self._makeable[0] != now:
            self._makeable = now, self._made()
        return self._makeable[1]

    def _made(self) -> list[tuple[str, str, bool]]:
        found: dict[tuple[str, str, bool], None] = {}
        for op in self.operators.values():
            for args in sorted(op.good):
                for changes in op.effects_seen:
                    for change in changes:
                        if change.what in ("word", "unword") and isinstance(change.of, int) and change.of < len(args):
                            found[args[change.of], str(change.value), change.what == "word"] = None
                for name, cases in self.extras(op, args).items():
                    for _, changes in cases:
                        for change in changes:
                            if change.what in ("word", "unword"):
                                found[name, str(change.value), change.what == "word"] = None
        return sorted(found)

    def _refresh(self, op: Operator) -> None:
        stamp = len(op.trials), len(self.laws), len(self.changing)
        if op.fresh == stamp:
            return
        op.fresh = stamp
        wins = op.wins()
        op.effects = []
        for change in dict.fromkeys(c for seen in op.effects_seen for c in seen if not isinstance(c.of, str)):
            yes = [trial for trial in wins if change in trial.changes]
            no = [trial for trial in wins if change not in trial.changes and applies(change, trial.words)]
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


def _one_to_one(pairs: Collection[Args]) -> bool:
    """Whether everything went with one thing only, so that others may not go together at all."""
    return all(len({pair[gap] for pair in pairs}) == len(pairs) for gap in (0, 1))
