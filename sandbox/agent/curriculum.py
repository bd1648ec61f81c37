"""What to try next: experiments, and strategies that choose among them.

An experiment is an operator with things, in a state of these things that it was not tried in. Its worth is
what may be learned (nothing is known of the operator; the pair is new; a text puts the things together; the
goal or a barred way is about them) against what it costs to get there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeAlias

from sandbox.agent.belief import HELD
from sandbox.agent.mind import Mind
from sandbox.agent.planner import Fact
from sandbox.agent.rules import Args, Operator


@dataclass(frozen=True, slots=True)
class Experiment:
    """An operator, what to do it to, and where each of these should be: held or here. `why` in a word."""

    op: str
    args: Args
    spots: tuple[str, ...]
    worth: float
    cost: int
    fresh: bool = True
    """Whether it was never made in this state of its things."""
    free: bool = False
    """Whether it is to be made with empty hands."""
    flip: Fact | None = None
    """A fact that is to be made true before."""

    @property
    def key(self) -> tuple[str, Args, tuple[str, ...]]:
        """What it is remembered by."""
        return self.op, self.args, (*self.spots, *(self.flip or ()))

    @property
    def score(self) -> float:
        """Worth per command."""
        return self.worth / (1 + self.cost)


Strategy: TypeAlias = Callable[[Mind, Callable[[int], int]], list[Experiment]]
"""From a mind and a draw below a number to experiments, best first. Later ones need no step in between."""
BATCH: Final = 6
FRESH: Final = 0.3
WORTHLESS: Final = 0.02


def progress(mind: Mind, draw: Callable[[int], int]) -> list[Experiment]:
    """By what may be learned per command; with the best one come others that can be done on the spot.

    When nothing is left but to repeat, nothing is proposed until the agent began again and found no more there.
    """
    found = list(experiments(mind))
    if not any(e.fresh for e in found):
        if mind.stamp != mind.restarted and mind.roles.restart and _fresh_at_start(mind):
            mind.anew = True
            return []
        if draw(2):
            return []
    if not found:
        return []
    best = max(found, key=lambda e: (e.score, e.op, e.args))
    if best.worth < WORTHLESS:
        return []
    near = sorted((e for e in found if e.cost == 0 and e is not best), key=lambda e: (-e.score, e.op, e.args))
    if best.cost:
        return [best]
    return [best, *[e for e in near if e.score >= best.score / 4][: BATCH - 1]]


def _fresh_at_start(mind: Mind) -> bool:
    """Whether something new could be tried after a restart."""
    now = mind.belief
    mind.belief = now.at_start()
    try:
        return any(experiment.fresh for experiment in experiments(mind))
    finally:
        mind.belief = now


def chance(mind: Mind, draw: Callable[[int], int]) -> list[Experiment]:
    """Any experiment: the ablation of the curriculum."""
    found = list(experiments(mind))
    return [found[draw(len(found))]] if found else []


STRATEGIES: Final[Mapping[str, Strategy]] = {"progress": progress, "random": chance}


def experiments(mind: Mind) -> Iterator[Experiment]:
    """Everything that may be worth a try, with its worth and cost."""
    costs = Costs(mind)
    near = relevance(mind)
    names = [name for name in mind.belief.first if name in mind.belief.place]
    for op in mind.rules.operators.values():
        if op.key in mind.rules.movers or not op.arity:
            continue
        yield from _of_operator(mind, op, names, costs, near)
    for op in mind.rules.operators.values():
        if not op.arity:
            trial = op.tried.get(((), (), ()))
            if trial is None or trial.stamp != mind.stamp:
                tries = len(op.trials)
                yield Experiment(op.key, (), (), 0.4 * 0.5**tries, 0, fresh=False)


def _of_operator(  # noqa: C901, PLR0912, PLR0915 - one decision, read from top to bottom
    mind: Mind, op: Operator, names: list[str], costs: Costs, near: Mapping[str, float]
) -> Iterator[Experiment]:
    gaps: list[list[tuple[str, float]]] = []
    for gap in range(op.arity):
        row = []
        for name in names:
            chance_ = _fit(mind, op, gap, name)
            if chance_ > 0:
                row.append((name, chance_))
        gaps.append(row)
    novelty = _novelty(mind, op)
    named = _named_refusals(mind, op)
    for combo in product(*gaps):
        args = tuple(name for name, _ in combo)
        if (len(args) == 2 and args[0] == args[1]) or args in op.never:
            continue
        spots = _spots(mind, op, args)
        if spots is None or mind.unready.get((op.key, args, spots)) == mind.stamp:
            continue
        worth = novelty * max(near.get(arg, 1.0) for arg in args)
        if op.reveals and not op.good:
            worth = 3.0 if args[0] not in mind.belief.traits else 0.05
        if len(args) == 2:
            worth *= _together(mind, args, near)
        for _, chance_ in combo:
            worth *= chance_
        free = mind.rules.needs(op).free or _with_empty_hands(op, args, spots)
        again = 0.5 if free and not op.good else _again(mind, op, args, spots)
        if args not in named:
            worth *= again
        if worth <= 0.001:
            continue
        cost = costs.of(args, spots)
        if cost is None:
            continue
        cost += len(mind.belief.held()) if free else 0
        cost += op.implicit and mind.selected != args[0]
        for name, said in op.blockers.get(args, {}).items():
            for word in sorted(said & mind.rules.changing):
                flip = ("not", name, word)
                tries = mind.made.get((op.key, args, (*spots, *flip)), 0)
                if tries < 2 and mind.unreached.get(flip) != mind.rules.version:
                    yield Experiment(op.key, args, spots, worth * 0.5 * 0.5**tries, cost + 4, fresh=True, flip=flip)
        if args in named:
            yield from _in_another_state(mind, op, args, spots, named[args], worth, cost)
        worth *= 0.5 ** (mind.hard.get(args, 0) + mind.made.get((op.key, args, spots), 0))
        if args in named:
            worth *= again
        yield Experiment(op.key, args, spots, worth, cost, fresh=again >= FRESH, free=free)


def _named_refusals(mind: Mind, op: Operator) -> dict[Args, str]:
    """Things for which the operator never worked, with the one that the refusal was about."""
    found: dict[Args, str] = {}
    for trial in op.trials:
        if trial.outcome == "refused" and trial.why in ("state", "unknown") and trial.args not in op.good:
            gap = trial.named if trial.named is not None else len(trial.args) - 1
            if trial.args and trial.args[gap] in mind.belief.words:
                found[trial.args] = trial.args[gap]
    return found


def _in_another_state(  # noqa: PLR0913, PLR0917 - all that is known of one try
    mind: Mind, op: Operator, args: Args, spots: tuple[str, ...], about: str, worth: float, cost: int
) -> Iterator[Experiment]:
    """The same with the thing that the refusal was about in a state in which it was not tried."""
    seen = {word for t in op.trials if t.args == args for word in t.words[args.index(about)]}
    had = [t.words[args.index(about)] for t in op.trials if t.args == args]
    always = frozenset.intersection(*had) if had else frozenset[str]()
    facts: list[Fact] = [("not", about, word) for word in sorted(always & mind.rules.changing)]
    facts += [("word", about, word) for word in sorted(mind.rules.changing - seen)]
    able = mind.rules.producible()
    for fact in facts:
        if (fact[2], fact[0] == "word") not in able or mind.unreached.get(fact) == mind.rules.version:
            continue
        key = (op.key, args, (*spots, *fact))
        tries = mind.made.get(key, 0)
        if tries < 2:
            yield Experiment(op.key, args, spots, worth * 0.4 * 0.5**tries, cost + 4, fresh=True, flip=fact)


def _novelty(mind: Mind, op: Operator) -> float:
    if not op.good:
        if op.hidden:
            return 1.5
        if op.tells:
            return 2.0
        if op.informs:
            return 0.2
        return 3.0 if op.arity == 1 or mind.rules.carried else 1.0
    if op.arity == 2 and mind.rules.pairwise(op):
        return 1.5
    if op.recalled:
        return 1.0
    if op in mind.rules.takers():
        return 0.05
    made = any(isinstance(change.of, str) for changes in op.effects_seen for change in changes)
    return 1.0 if made else 0.15


def _fit(mind: Mind, op: Operator, gap: int, name: str) -> float:
    fits = mind.rules.fits(op, gap, name)
    if fits is not None:
        return 1.0 if fits else 0.0
    kind = mind.rules.kind_of(op, gap)
    if mind.rules.kind_said.get(name) and kind in mind.rules.kind_said.values():
        return 0.1  # the world calls it otherwise, and calls others so
    doubt: float = 0.6 ** min(mind.rules.doubts[kind, name], 8)
    if mind.rules.is_kind.get(kind):
        return doubt * (0.7 if mind.rules.alike(op, gap, name, mind.belief) else 0.25)
    if op.kinds[gap] == "?" and op.implicit and op.arity == 2 and mind.rules.carried:
        return doubt * (0.7 if mind.rules.can_carry(name, mind.belief) else 0.2)
    return 0.6 * doubt


def _spots(mind: Mind, op: Operator, args: Args) -> tuple[str, ...] | None:
    """Where the things should be: as in earlier successes, else held if they can be; otherwise where that failed."""
    needs = mind.rules.needs(op)
    found = []
    for gap, arg in enumerate(args):
        loose = mind.rules.can_carry(arg, mind.belief)
        known = needs.spots[gap] & {"held", "here"} if needs.spots else set()
        if known:
            spot = "held" if "held" in known and loose else "here" if "here" in known else None
            if spot is None:
                return None
            found.append(spot)
        else:
            found.append("held" if loose else "here")
    spots = tuple(found)
    if not (op.good or op.must_hold or op.informs) and "held" in spots and _tried(mind, op, args, spots):
        other = tuple("here" for _ in spots)
        if len(args) == 2:
            half = "here", spots[1]
            other = half if spots[0] == "held" and not _tried(mind, op, args, half) else other
        if not _tried(mind, op, args, other):
            return other
    return spots


def _with_empty_hands(op: Operator, args: Args, spots: tuple[str, ...]) -> bool:
    """Whether it was refused while something was held, and never tried without."""
    if op.good or "held" in spots or op.informs:
        return False
    own = [trial for trial in op.trials if trial.args == args]
    return bool(own) and all(trial.load and trial.why not in ("kind", "reach", "held") for trial in own)


def _tried(mind: Mind, op: Operator, args: Args, spots: tuple[str, ...]) -> bool:
    words = tuple(mind.belief.words.get(arg, frozenset()) for arg in args)
    return (args, spots, words) in op.tried


def _again(mind: Mind, op: Operator, args: Args, spots: tuple[str, ...]) -> float:
    """How much less a repetition is worth: nothing while the world is the same, little when it is not."""
    words = tuple(mind.belief.words.get(arg, frozenset()) for arg in args)
    trial = op.tried.get((args, spots, words))
    if trial is None:
        if args in op.good:
            return 0.5
        return 0.5 ** sum(1 for one in op.trials if one.args == args and one.spots == spots)
    if trial.outcome == "changed":
        return 0.02 if trial.stamp != mind.stamp else 0.0
    if trial.stamp == mind.stamp:
        return 0.0
    if trial.outcome == "silent" and not op.hidden:
        return 0.0
    tries = sum(1 for one in op.trials if one.args == args)
    return 0.1 * 0.5 ** (tries - 1)


def _together(mind: Mind, args: Args, near: Mapping[str, float]) -> float:
    pair = set(args)
    if any(pair <= hint for hint in mind.hints):
        return 6.0
    if near.get(args[0], 1) > 2 and near.get(args[1], 1) > 2:
        return 4.0
    words = [mind.belief.first[arg][1] - mind.rules.changing for arg in args]
    return 1.0 + 0.5 * len(words[0] & words[1])


def relevance(mind: Mind) -> dict[str, float]:  # noqa: C901 - one decision, read from top to bottom
    """Things that the goal is about, that a text puts together with these, and doors that bar a way to a new room."""
    found: dict[str, float] = {}
    for fact in mind.goal:
        for name in fact[1:2]:
            found[name] = 4.0
    for _ in range(2):
        for hint in mind.hints:
            if any(found.get(name, 0) > 2 for name in hint):
                for name in hint:
                    found[name] = max(found.get(name, 0), 3.0)
    blocking = mind.rules.blocking()
    for ways in mind.belief.ways.values():
        for to, door in ways.items():
            if door is None or to in mind.belief.visited:
                continue
            if mind.belief.words.get(door, frozenset()) & blocking:
                found[door] = max(found.get(door, 0), 3.0)
    return found


class Costs:
    """How many commands it takes to have things where an experiment wants them, from here."""

    def __init__(self, mind: Mind) -> None:
        self._mind, self._ways = mind, mind.open_ways()
        self._far: dict[str, dict[str, int]] = {}
        self._held = {name for name, where in mind.belief.place.items() if where == HELD}

    def far(self, start: str) -> dict[str, int]:
        """Steps from a room to every room that can be reached."""
        found = self._far.get(start)
        if found is None:
            found = {start: 0}
            queue = [start]
            for room in queue:
                for to in self._ways.get(room, ()):
                    if to not in found:
                        found[to] = found[room] + 1
                        queue.append(to)
            self._far[start] = found
        return found

    def of(self, args: Args, spots: tuple[str, ...]) -> int | None:  # noqa: C901 - one decision, read from top to bottom
        """The commands needed before the experiment itself; None when it cannot be prepared."""
        at, cost, belief = self._mind.belief.at, 0, self._mind.belief
        fixed: str | None = None
        for arg, spot in zip(args, spots, strict=True):
            if spot == "held" and arg not in self._held:
                room = belief.room_of(arg)
                if room is None or (steps := self.far(at).get(room)) is None:
                    return None
                full = len(self._held) + 1 > self._mind.rules.capacity
                cost, at = cost + steps + 1 + 3 * belief.hidden(arg) + full, room
            elif spot == "here":
                if arg in self._held:
                    cost += 1
                    continue
                if belief.hidden(arg):
                    return None
                if belief.place.get(arg) == "*door":
                    rooms = [room for room, ways in belief.ways.items() if arg in ways.values()]
                else:
                    rooms = [room] if (room := belief.room_of(arg)) else []
                if fixed is not None and fixed not in rooms:
                    return None
                options = [steps for room in rooms if (steps := self.far(at).get(room)) is not None]
                if not options:
                    return None
                fixed = min(rooms, key=lambda room: (self.far(at).get(room, 99), room))
        if fixed is not None:
            steps = self.far(at).get(fixed)
            if steps is None:
                return None
            cost += steps
        return cost
