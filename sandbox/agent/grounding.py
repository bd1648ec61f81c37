"""Learned operators over what is believed: facts as bits of one integer, and every deed that may be done.

Every learned operator is ground over the things that may fill its gaps. What was refused in just this state of its
things is not planned again, what was never refused is hoped for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, product
from typing import Final, TypeAlias

from sandbox.agent.advice import Words
from sandbox.agent.belief import GONE, HELD, Belief
from sandbox.agent.effects import HERE, Change, tell_apart
from sandbox.agent.needs import Needs, Reason
from sandbox.agent.operators import Operator, Trial
from sandbox.agent.rules import Rules

Fact: TypeAlias = tuple[str, ...]
WAIT: Final = "*wait"
PAIRS: Final = 4000
PATIENCE: Final = 4
"""Refusals after which something is not planned again with its things in this state."""
DOUBTFUL: Final = 6
"""What it costs to try something without that around it which it seems to take."""
SERVING: Final = 3
"""Things of a kind that are weighed where one has to be near."""


@dataclass(frozen=True, slots=True)
class Deed:
    """A ground operator: what to do, what it needs, and what is expected of it."""

    op: str
    args: tuple[str, ...]
    pre: int
    rows: tuple[tuple[int, int, int], ...]
    """What it changes: (bits under which, bits set, bits cleared)."""
    cost: int = 1
    loads: tuple[int, ...] = ()
    """Sets of held things with which it was refused."""
    free: bool = False
    """Whether it needs empty hands."""


class Case:
    """A change, with the tries that showed it, those without it, and the words under which it is said to follow."""

    def __init__(self, change: Change, yes: list[Trial], no: list[Trial], words: Words, changing: set[str]) -> None:
        self.change, self.words = change, words
        self.yes, self.no = {trial.args for trial in yes}, {trial.args for trial in no}
        self.told = tell_apart(yes, no, changing) if yes and no else None
        self.rare = len(no) >= len(yes)
        """Whether it was left out as often as it came."""


class Grounding:
    """Grounds the rules over what is believed."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.bits: dict[Fact, int] = {}
        self.deeds: list[Deed] = []
        self.expanded = 0
        self._held = self._impossible = self._stamp = 0
        self._rows: list[tuple[int, int, int]] = []
        self._known: tuple[Belief, tuple[int, ...], int] | None = None
        self._lying: dict[tuple[str, str], int | None] = {}
        self._fitting: dict[tuple[str, ...], list[tuple[str, int]]] = {}

    def bit(self, *fact: str) -> int:
        """The bit of a fact."""
        found = self.bits.get(fact)
        if found is None:
            found = self.bits[fact] = 1 << len(self.bits)
        return found

    # --- grounding ------------------------------------------------------------------------------
    def ground(self, belief: Belief, stamp: int) -> None:
        """Take over what is believed and what the rules say; nothing is done where neither changed."""
        now = self._now(belief, stamp)
        if self._known is not None and self._known[0] is belief and self._known[1] == now:
            self.bits = dict(islice(self.bits.items(), self._known[2]))
            return
        self.bits, self.deeds, self._impossible = {}, [], 0
        self._lying, self._fitting = {}, {}
        self._belief, self._stamp = belief, stamp
        self._things = [name for name in belief.place if belief.place[name] != "*door"]
        self._loose = {name for name in belief.first if self.rules.can_carry(name, belief)}
        for mover in sorted(self.rules.movers):
            self._ways(mover)
        for op in self.rules.operators.values():
            if op.key not in self.rules.movers and (op.good or op.advice is not None):
                self._operator(op)
        self._laws()
        self._held = 0
        for name in self._things:
            self._held |= self.bits.get(("held", name), 0)
        rows: dict[tuple[int, int], int] = {}
        for i, deed in enumerate(self.deeds):
            for under, on, _ in deed.rows:
                if on and not (deed.pre | under) & self._impossible:
                    rows.setdefault((deed.pre | under, on), i)
        self._rows = [(pre, on, i) for (pre, on), i in rows.items()]
        self._known = belief, now, len(self.bits)

    def _now(self, belief: Belief, stamp: int) -> tuple[int, ...]:
        """What changes whenever something is heard or learned."""
        ops = self.rules.operators.values()
        return stamp, self.rules.version, belief.now, sum(op.version for op in ops), sum(len(op.trials) for op in ops)

    def loose(self, name: str) -> bool:
        """Whether a thing can be carried: it was, or it is listed as those that were."""
        return name in self._loose

    def _ways(self, mover: str) -> None:
        belief = self._belief
        for room, ways in belief.ways.items():
            for to, door in ways.items():
                pre = self.bit("at", room)
                if door is not None:
                    words = belief.words.get(door, frozenset())
                    for word in self.rules.blocking():
                        pre |= self._word(door, word, holds=False)
                    if words & self.rules.blocking():
                        self.deeds.append(Deed(mover, (to,), pre, ((0, self.bit("at", to), self.bit("at", room)),)))
                        continue
                leave = self.rules.leave(room, to)
                if leave:
                    row = 0, self.bit("at", to), self.bit("at", room)
                    free = (("empty",), True) in leave
                    for near in self._near(leave - {(("empty",), True)}, (), room):
                        self.deeds.append(Deed(mover, (to,), pre | near, (row,), free=free))
                if self.rules.rests(room, to, self._stamp, belief):
                    continue
                cost = DOUBTFUL if leave else 1
                self.deeds.append(Deed(mover, (to,), pre, ((0, self.bit("at", to), self.bit("at", room)),), cost))

    def _operator(self, op: Operator) -> None:
        if op.advice is not None and not op.good:
            needs = op.advice.needs
            effects = [Case(change, [], [], words, self.rules.changing) for change, words in op.advice.effects]
        else:
            needs = self.rules.needs(op)
            effects = [Case(*row, (), self.rules.changing) for row in self.rules.effects(op)]
        pairwise = op.arity == 2 and self.rules.pairwise(op)
        gaps = [self._candidates(op, gap) for gap in range(op.arity)]
        total = 1
        for gap in gaps:
            total *= len(gap)
        tuples: Iterable[tuple[str, ...]] = op.good if pairwise or total > PAIRS else product(*gaps)
        for args in sorted(tuples):
            if len(set(args)) < len(args) or args in op.never or any(arg not in self._belief.first for arg in args):
                continue
            for spots in product(*[self._ways_of(arg, s) for arg, s in zip(args, needs.spots, strict=True)]):
                self._with_spots(op, args, spots, needs, effects)

    def _ways_of(self, arg: str, known: set[str]) -> list[str]:
        """Where a thing may have to be: where it was in successes; held if it can be, where nothing is known."""
        if known:
            return sorted(known & {"held", "here"})
        return ["held"] if self.loose(arg) else ["here"]

    def _candidates(self, op: Operator, gap: int) -> list[str]:
        found = []
        for name in self._belief.first:
            fits = self.rules.fits(op, gap, name)
            if fits or (fits is None and self.rules.alike(op, gap, name, self._belief)):
                found.append(name)
        return found

    def _with_spots(  # noqa: C901 - one decision, read from top to bottom
        self, op: Operator, args: tuple[str, ...], spots: tuple[str, ...],
        needs: Needs, effects: list[Case],
    ) -> None:  # fmt: skip
        fails = self._fails(op, args, spots)
        if fails is None:
            return
        pre, blockers = 0, op.blockers.get(args, {})
        for i, arg in enumerate(args):
            for word in sorted(needs.words[i]):
                pre |= self._word(arg, word, holds=True)
            for word in sorted(needs.unwords[i]):
                pre |= self._word(arg, word, holds=False)
            for name, said in blockers.items():
                for word in sorted(said & self.rules.changing):
                    pre |= self._word(name, word, holds=False)
            if spots[i] == "held":
                if not self.loose(arg):
                    return
                pre |= self.bit("held", arg)
        loads = self.rules.loads.get((op.key, args), ())
        cost = 1 + 4 * fails + 20 * op.fatal.get(args, 0)
        masks = tuple(sum(self.bit("held", name) for name in load) for load in loads)
        somewhere = any(reason[0][0] == "near" for reason in needs.around)
        changes = self._changes(args, effects)
        for room, more in self._rooms(args, spots, effects, somewhere=somewhere):
            rows = self._rows_of(op, args, room, spots, changes)
            for near in self._near(needs.around, args, room) if rows else ():
                self.deeds.append(Deed(op.key, args, pre | more | near, tuple(rows), cost, masks, needs.free))
            if rows and (needs.around or needs.free):
                self.deeds.append(Deed(op.key, args, pre | more, tuple(rows), cost + DOUBTFUL, masks))

    def _near(self, reasons: set[Reason], args: tuple[str, ...], room: str) -> list[int]:
        """The bits under which what is around is right in a room, one for each thing that may serve."""
        options = [0]
        if not reasons:
            return options
        for (sort, what, *more), must in sorted(reasons):
            names = [
                name for name in self._belief.place if name not in args and self.rules.kind_said.get(name, name) == what
            ]
            if must and sort != "own":
                serving = [bits for name in names if (bits := self._serves(name, sort, more, room)) is not None]
                options = [option | bits for option in options for bits in serving[:SERVING]]
            elif more:
                for name in names:
                    if self._stands(name, room) and not self.loose(name):
                        bits = self._word(name, more[0], holds=False)
                        options = [option | bits for option in options]
            elif sort == "near" and any(self._stands(name, room) and not self.loose(name) for name in names):
                return []
        return options

    def _serves(self, name: str, sort: str, more: list[str], room: str) -> int | None:
        """The bits under which a thing is near or held, and what has to be said of it is; None when it cannot be."""
        if self.loose(name):
            bits = self.bit("held", name)
        elif sort == "with" or not self._stands(name, room):
            return None
        else:
            bits = 0
        return bits | (self._word(name, more[0], holds=True) if more else 0)

    def _stands(self, name: str, room: str) -> bool:
        """Whether a thing is in a room; a door is in every room from which a way leads through it."""
        if self._belief.place.get(name) == "*door":
            return name in self._belief.ways.get(room, {}).values()
        return self._belief.room_of(name) == room

    def _fails(self, op: Operator, args: tuple[str, ...], spots: tuple[str, ...]) -> int | None:
        """How often it was refused in this state of its arguments; None when nothing changed since, or too often."""
        words = tuple(self._belief.words.get(arg, frozenset()) for arg in args)
        trial = op.tried.get((args, spots, words))
        if trial is None or trial.outcome != "refused" or trial.why == "full":
            return 0
        if trial.why in ("reach", "held"):
            stamps = [t.stamp for t in op.trials if (t.args, t.spots, t.words) == (args, spots, words)]
            return None if len(stamps) >= PATIENCE or stamps.count(self._stamp) > 1 else 0
        if trial.stamp == self._stamp:
            return None
        same = 0
        for t in reversed(op.trials):
            if t.args == args and t.outcome == "changed":
                break  # what worked works again when something else is as it was then
            same += t.args == args and t.outcome == "refused"
        return None if same >= PATIENCE else same

    def _rooms(
        self, args: tuple[str, ...], spots: tuple[str, ...], effects: list[Case],
        *, somewhere: bool,
    ) -> list[tuple[str, int]]:  # fmt: skip
        """The rooms in which it can be done, each with the bits that this needs; '' for anywhere."""
        there = tuple([arg for arg, spot in zip(args, spots, strict=True) if spot == "here"])
        if not there and not somewhere and all(case.change.value != HERE for case in effects):
            return [("", 0)]
        found = self._fitting.get(there)
        if found is None:
            found = self._fitting[there] = []
            for room in self._belief.ways:
                need = self.bit("at", room)
                for arg in there:
                    more = self._lies(arg, room)
                    if more is None:
                        break
                    need |= more
                else:
                    found.append((room, need))
        return found

    def _lies(self, name: str, room: str) -> int | None:
        """The bits under which a thing lies in a room; None when it cannot."""
        key = name, room
        if key not in self._lying:
            self._lying[key] = self._lie(name, room)
        return self._lying[key]

    def _lie(self, name: str, room: str) -> int | None:
        belief = self._belief
        spot = belief.place.get(name)
        if spot == "*door":
            return 0 if name in belief.ways[room].values() else None
        if not self.loose(name):
            return 0 if belief.room_of(name) == room else None
        if spot is not None and spot in belief.first and belief.room_of(name) == room and spot not in (HELD, GONE):
            need = self.bit("in", name, spot)
            for word in sorted(belief.hiding):
                need |= self._word(spot, word, holds=False)
            return need
        return self.bit("in", name, room)

    def _changes(self, args: tuple[str, ...], effects: list[Case]) -> list[tuple[Change, int]]:
        """What is expected to change of some things, each with the bits under which it does."""
        found: list[tuple[Change, int]] = []
        for case in effects:
            own_yes, own_no = args in case.yes, args in case.no
            if own_no and not own_yes:
                continue
            under = 0
            for i, word, holds in case.words:
                under |= self._word(args[i], word, holds=holds)
            if case.no and not (own_yes and not own_no):
                if case.told is None:
                    if case.rare:
                        continue
                else:
                    for holds, words in zip((True, False), case.told, strict=True):
                        for i, word in words:
                            under |= self._word(args[i], word, holds=holds)
                    if under & self._impossible:
                        continue
            found.append((case.change, under))
        return found

    def _rows_of(
        self, op: Operator, args: tuple[str, ...], room: str, spots: tuple[str, ...],
        expected: list[tuple[Change, int]],
    ) -> list[tuple[int, int, int]]:  # fmt: skip
        rows: list[tuple[int, int, int]] = []
        for change, under in expected:
            row = self._row(change, args, room, spots)
            if row is not None:
                rows.append((under | row[0], row[1], row[2]))
        for name, cases in self.rules.extras(op, args).items():
            rows += self._extra_rows(name, cases, room)
        if room and op.spread:
            rows += self._spread_rows(op, args, room)
        return rows

    def _spread_rows(self, op: Operator, args: tuple[str, ...], room: str) -> Iterable[tuple[int, int, int]]:
        """What a deed is expected to do to other loose things that are there, from what it did to some."""
        for (others, what, word), (changed, spared) in op.spread.items():
            if others != args or len(changed) < len(spared - changed):
                continue
            for name in sorted(self._loose - set(args) - (spared - changed)):
                yes, no = self._pair(name, word)
                on, off = (yes, no) if what == "word" else (no, yes)
                yield self.bit("in", name, room), on, off
                yield self.bit("held", name), on, off

    def _row(
        self, change: Change, args: tuple[str, ...], room: str, spots: tuple[str, ...]
    ) -> tuple[int, int, int] | None:
        name = args[change.of] if isinstance(change.of, int) else change.of
        if change.what in ("word", "unword"):
            yes, no = self._pair(name, str(change.value))
            return (0, yes, no) if change.what == "word" else (0, no, yes)
        if change.what != "place":
            return None
        if isinstance(change.of, int) and spots[change.of] == "held":
            cleared = self.bit("held", name)
        else:
            spot = self._belief.place.get(name)
            inside = spot is not None and spot in self._belief.first and self._belief.room_of(name) == room
            cleared = self.bit("in", name, spot if inside and spot else room) if room else 0
        value = args[change.value] if isinstance(change.value, int) else change.value
        if value == HELD:
            return 0, self.bit("held", name), cleared
        if value == GONE:
            return 0, self.bit("gone", name), cleared
        if value == HERE:
            return 0, self.bit("in", name, room), cleared
        return 0, self.bit("in", name, value), cleared

    def _extra_rows(
        self, name: str, cases: list[tuple[frozenset[str], frozenset[Change]]], room: str
    ) -> Iterable[tuple[int, int, int]]:
        for words, changes in cases:
            under = on = off = 0
            for change in sorted(changes, key=repr):
                if change.what in ("word", "unword"):
                    yes, no = self._pair(name, str(change.value))
                    set_, clear = (yes, no) if change.what == "word" else (no, yes)
                    on, off, under = on | set_, off | clear, under | clear
                elif change.what == "place":
                    where = HELD if change.value == HELD else room if change.value == HERE else str(change.value)
                    on |= self.bit("held", name) if where == HELD else self.bit("in", name, where)
            del words
            if on:
                yield under, on, off

    def _laws(self) -> None:
        for name, steps in self.rules.laws.items():
            if name not in self._belief.words:
                continue
            for before, after in steps:
                pre = on = off = 0
                for word in sorted(before & self.rules.changing):
                    pre |= self._pair(name, word)[0]
                for word in sorted(after - before):
                    yes, no = self._pair(name, word)
                    pre, on, off = pre | no, on | yes, off | no
                for word in sorted(before - after):
                    yes, no = self._pair(name, word)
                    pre, on, off = pre | yes, on | no, off | yes
                self.deeds.append(Deed(WAIT, (name,), pre, ((0, on, off),), 3))

    def _word(self, name: str, word: str, *, holds: bool) -> int:
        """The bit that says that a word holds or not; for a word that never changes, 0 or a bit that is never set."""
        if word in self.rules.changing:
            return self._pair(name, word)[0 if holds else 1]
        true = word in self._belief.words.get(name, frozenset())
        if true == holds:
            return 0
        self._impossible = self.bit("never")
        return self._impossible

    def _pair(self, name: str, word: str) -> tuple[int, int]:
        return self.bit("word", name, word), self.bit("not", name, word)
