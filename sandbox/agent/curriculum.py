"""What to try next: experiments, and strategies that choose among them.

An experiment is an operator with things that may fit its gaps, in circumstances in which these were not tried. Its
worth is what may be learned (nothing is known of the operator; the pair is new; the goal or a barred way is about
them) times how likely it is to work: that falls with every refusal, and rises with every feature of the circumstances
that all refusals had otherwise. Against it stands what it costs to get there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeAlias

from sandbox.agent.belief import Belief
from sandbox.agent.context import Around, Feature
from sandbox.agent.costs import Costs
from sandbox.agent.grounding import Fact
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Args, Operator, Tried
from sandbox.agent.relevance import relevance

FRESH: Final = 0.1
"""Chances from which on an experiment counts as new."""
WORTHLESS: Final = 0.004
SURE: Final = 0.6
"""A chance of fitting from which on refusals for no known reason cast little doubt."""
MISMATCH: Final = 0.1
"""How much less a pair is worth that was said not to belong together."""
UNLIKELY: Final = 0.02
"""A chance of fitting up to which a thing is not tried."""
BEST_CHANCE: Final = 0.8
"""More than anything is likely to work."""
WAYS: Final = 3
"""How much more often a way is tried than anything else: a refusal costs one command and no time."""
BATCH: Final = 6
MANY: Final = 400
"""Pairs of an operator that are weighed at most, those of likely kinds first."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An operator, what to do it to, and where each of these should be: held or here."""

    op: str
    args: Args
    spots: tuple[str, ...]
    worth: float
    cost: int
    fresh: bool = True
    """Whether something new is to be expected."""
    free: bool = False
    """Whether nothing else is to be held."""
    facts: tuple[Fact, ...] = ()
    """What is to be made true before."""
    room: str | None = None
    """Where to make it, if not just anywhere."""

    @property
    def key(self) -> tuple[str, Args, tuple[str, ...]]:
        """What it is remembered by."""
        extra = [part for fact in self.facts for part in fact]
        return self.op, self.args, (*self.spots, *extra, self.room or "", "free" if self.free else "")

    @property
    def score(self) -> float:
        """Worth per command."""
        return self.worth / (1 + self.cost)


Strategy: TypeAlias = Callable[[Mind, Callable[[int], int]], list[Experiment]]
"""From a mind and a draw below a number to experiments, best first. Later ones need no step in between."""


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
    best = max(found, key=lambda e: (e.score, e.key))
    if best.worth < WORTHLESS:
        return []
    if best.cost or best.facts:
        return [best]
    near = sorted((e for e in found if not e.cost and not e.facts and e is not best), key=lambda e: (-e.score, e.key))
    return [best, *[e for e in near if e.score >= best.score / 4][: BATCH - 1]]


def _fresh_at_start(mind: Mind) -> bool:
    """Whether something new could be tried after a restart; asked anew when something was learned."""
    known = mind.rules.version, mind.restarted
    if mind.fresh_then is None or mind.fresh_then[0] != known:
        mind.fresh_then = known, _new_at_start(mind)
    return mind.fresh_then[1]


def _new_at_start(mind: Mind) -> bool:
    now = mind.belief
    mind.belief = now.at_start()
    try:
        return any(experiment.fresh for experiment in experiments(mind))
    finally:
        mind.belief = now


def chance(mind: Mind, draw: Callable[[int], int]) -> list[Experiment]:
    """Any experiment: the ablation of the curriculum."""
    found = list(experiments(mind, narrow=False))
    return [found[draw(len(found))]] if found else []


STRATEGIES: Final[Mapping[str, Strategy]] = {"progress": progress, "random": chance}


def experiments(mind: Mind, *, narrow: bool = True) -> Iterator[Experiment]:
    """Everything that may be worth a try, with its worth and cost; `narrow` leaves out what is far from the best."""
    weighing = _Weighing(mind, narrow=narrow)
    for op in sorted(mind.rules.operators.values(), key=lambda op: -weighing.value(op)):
        if op.key in mind.rules.movers:
            yield from weighing.of_ways(op)
        elif op.arity:
            yield from weighing.of_operator(op)
        else:
            trial = op.tried.get(((), (), ()))
            if trial is None or trial.stamp != mind.stamp:
                yield Experiment(op.key, (), (), 0.4 * 0.5 ** len(op.trials), 0, fresh=False)


class _Weighing:
    """Weighs experiments against what is believed now."""

    def __init__(self, mind: Mind, *, narrow: bool) -> None:
        self.mind, self.rules, self.belief = mind, mind.rules, mind.belief
        self.costs = Costs(mind)
        self.around = Around(mind.belief, mind.rules.kind_said)
        self.near = relevance(mind)
        self.names = [name for name in mind.belief.first if name in mind.belief.place]
        self.leaves = set(mind.rules.kind_said.values())
        self.generic = mind.rules.generic()
        self.loose = {name for name in mind.belief.first if mind.rules.can_carry(name, mind.belief)}
        self.facts = list(self._facts())
        self._narrow, self._best = narrow, 0.0
        self.shared = mind.rules.shared
        self.wanting = {fact[1] for fact in mind.goal if len(fact) > 1 and not _true(fact, mind.belief)}
        self.takers = mind.rules.takers()
        self.handy = {op.kinds[0] for op in self.takers if op.kinds[0] != "?"}
        self._fits: dict[tuple[str, str, bool], float] = {}

    def of_operator(self, op: Operator) -> Iterator[Experiment]:
        """The experiments with one operator."""
        gaps = [
            [(name, chance_) for name in self.names if (chance_ := self._fit(op, gap, name)) > UNLIKELY]
            for gap in range(op.arity)
        ]  # fmt: skip
        combos = [combo for combo in product(*gaps) if len({name for name, _ in combo}) == len(combo)]
        if len(combos) > MANY:
            combos.sort(key=lambda combo: -min(chance_ for _, chance_ in combo))
            del combos[MANY:]
        value, telling = self.value(op), self.rules.telling(op)
        found = []
        for combo in combos:
            args = tuple(name for name, _ in combo)
            if args not in op.never:
                worth = self._worth(op, args, value, telling=telling)
                for _, chance_ in combo:
                    worth *= chance_
                if worth > WORTHLESS:
                    found.append((worth, args))
        found.sort(key=lambda row: (-row[0], row[1]))
        for worth, args in found:
            if self._narrow and worth * BEST_CHANCE < self._best / 4:
                break
            yield from self._in_circumstances(op, args, worth)

    def _worth(self, op: Operator, args: Args, value: float, *, telling: bool) -> float:
        """What is learned if it works."""
        if op.reveals and not op.good:
            return 0.0 if args[0] in self.belief.traits else 6.0
        near = max(self.near.get(arg, 1.0) for arg in args)
        if telling and args not in op.good:
            return 0.0 if args in op.tried_in else 0.2 * near
        worth = value * near * float(0.2 ** op.fatal.get(args, 0))
        if len(args) == 2:
            worth *= self._together(args) * (MISMATCH if args in op.mismatched else 1.0)
        return worth * 0.1 if args in op.good and not self._unfinished(op, args) else worth

    def _unfinished(self, op: Operator, args: Args) -> bool:
        """Whether it changed a thing that the goal is about, and was not done to it as it is now: that may go on."""
        for gap, arg in enumerate(args):
            now = self.belief.words.get(arg, frozenset())
            if arg in self.wanting and not any(t.args == args and t.words[gap] == now for t in op.trials):
                return True
        return False

    def of_ways(self, op: Operator) -> Iterator[Experiment]:
        """Ways that were refused, in other circumstances."""
        for room, to in self.rules.shut:
            tried = op.tried_in.get((to,))
            found = self.costs.of((), (), room)
            if tried is None or found is None:
                continue
            worth = 10.0 if to not in self.belief.visited else 0.3
            spots = ("place",)
            yield from self._one(op, (to,), spots, worth, found[0], room, tried, at=room)
            if load := self.belief.held():
                yield from self._one(op, (to,), spots, worth, found[0] + len(load), room, tried, at=room, free=True)
            yield from self._after_change(op, (to,), spots, worth, found[0], room, tried, at=room)

    # --- circumstances --------------------------------------------------------------------------
    def _in_circumstances(self, op: Operator, args: Args, worth: float) -> Iterator[Experiment]:
        """The same things as they are, and otherwise: in other spots, elsewhere, after a change, with empty hands."""
        tried = op.tried_in.get(args)
        for spots in self._spots(op, args):
            if spots.count("held") > self.rules.capacity:
                continue
            found = self.costs.of(args, spots)
            if found is None:
                continue
            cost, room = found
            cost += op.implicit and self.mind.selected != args[0]
            if self._narrow and worth * BEST_CHANCE / (1 + cost) < self._best / 4:
                continue
            yield from self._one(op, args, spots, worth, cost, room, tried)
            if tried is None or self.rules.telling(op):
                continue
            load = [name for name in self.belief.held() if name not in args]
            if load:
                yield from self._one(op, args, spots, worth, cost + len(load), room, tried, free=True)
            if all(spot == "held" for spot in spots) and args not in op.good:
                yield from self._elsewhere(op, args, spots, worth, room, tried)
            if args not in op.good or op.hidden:
                yield from self._after_change(op, args, spots, worth, cost, room, tried)

    def _elsewhere(
        self, op: Operator, args: Args, spots: tuple[str, ...], worth: float, room: str, tried: Tried
    ) -> Iterator[Experiment]:
        for other in self.belief.ways:
            if other != room and (there := self.costs.of(args, spots, other)) is not None:
                yield from self._one(op, args, spots, worth, there[0], other, tried, at=other)

    def _after_change(  # noqa: PLR0913, PLR0917 - all that is known of one experiment
        self, op: Operator, args: Args, spots: tuple[str, ...], worth: float, cost: int, room: str, tried: Tried,
        *, at: str | None = None,
    ) -> Iterator[Experiment]:  # fmt: skip
        for fact, name, feature, holds in self.facts:
            wanted: Feature
            if name in args:
                wanted = ("arg", str(args.index(name)), feature[-1])
            elif fact[0] == "held" or name in self.around.things(room):
                wanted = feature
            else:
                continue
            if self.mind.unreached.get(fact) == self.rules.version:
                continue
            if _is_new(wanted, tried, holds=holds):
                first = _is_new(wanted, op.overall, holds=holds)
                chance_ = _likely(wanted, self.rules.changing) * (1.0 if first else 0.3 * 0.7**tried.failed)
                yield from self._made(op, args, spots, worth * chance_, cost + 4, facts=(fact,), room=at)

    def _one(  # noqa: PLR0913, PLR0917 - all that is known of one experiment
        self, op: Operator, args: Args, spots: tuple[str, ...], worth: float, cost: int, room: str,
        tried: Tried | None, *, free: bool = False, at: str | None = None,
    ) -> Iterator[Experiment]:  # fmt: skip
        if not free and op in self.takers and self._laden(op, args):
            return
        chance_ = 0.5
        if tried is not None:
            now = self.around.situation(args, spots, room, drop=free)
            chance_ = self._chance(op, now, tried)
            if chance_ <= 0:
                return
        yield from self._made(op, args, spots, worth * chance_, cost, fresh=chance_ >= FRESH, free=free, room=at)

    def _laden(self, op: Operator, args: Args) -> bool:
        """Whether the hands hold as much now as when a thing could not be taken."""
        load = len([name for name in self.belief.held() if name not in args])
        return load >= self.rules.capacity or any(load >= len(one) for one in self.rules.loads.get((op.key, args), ()))

    def _made(  # noqa: PLR0913 - all that is known of one experiment
        self, op: Operator, args: Args, spots: tuple[str, ...], worth: float, cost: int,
        *, fresh: bool = True, free: bool = False, facts: tuple[Fact, ...] = (), room: str | None = None,
    ) -> Iterator[Experiment]:  # fmt: skip
        made = Experiment(op.key, args, spots, worth, cost, fresh, free, facts, room)
        if self.mind.unready.get(made.key) in (self.mind.stamp, -1):
            return
        made_before = self.mind.made.get(made.key, 0)
        times = made_before // (WAYS if op.key in self.rules.movers else 1) + self.mind.hard.get(args, 0)
        if times:
            made = Experiment(op.key, args, spots, worth * 0.5**times, cost, fresh and times < 2, free, facts, room)
        if made.worth > WORTHLESS:
            if made.fresh:
                self._best = max(self._best, made.score)
            yield made

    def _chance(self, op: Operator, now: frozenset[Feature], tried: Tried) -> float:
        """How likely something works now that did not so far: most for what is new to the operator altogether."""
        fresh = 0.0
        again = 0.0
        for feature in (now - tried.any) | ((tried.all or set()) - now):
            likely = _likely(feature, self.rules.changing)
            if likely and _is_new(feature, op.overall, holds=feature in now):
                fresh += likely
            else:
                again += likely
        return min(fresh, 0.6) + 0.3 * min(again, 0.6) * float(0.7 ** max(0, tried.tries - 1))

    def _facts(self) -> Iterator[tuple[Fact, str, Feature, bool]]:
        """What could be made so: the fact, the thing it is about, its feature, and whether that is to hold."""
        seen = set()
        for name, word, holds in self.rules.makeable():
            if name in self.belief.words and (word in self.belief.words[name]) != holds:
                fact = ("word" if holds else "not", name, word)
                if fact not in seen:
                    seen.add(fact)
                    yield fact, name, ("near", self.around.kind(name), word), holds
        for name in self.names:
            if name in self.loose and self.belief.where(name) != "held":
                yield ("held", name), name, ("with", self.around.kind(name)), True

    def _spots(self, op: Operator, args: Args) -> list[tuple[str, ...]]:
        """Where the things may have to be: as in earlier successes, else held if they can be, else here."""
        known = self.rules.needs(op).spots
        choices = []
        for gap, arg in enumerate(args):
            loose = arg in self.loose
            ways = known[gap] & {"held", "here"} if known else set()
            if ways:
                choices.append(["held"] if "held" in ways and loose else ["here"] if "here" in ways else [])
            elif gap in op.must_hold:
                choices.append(["held"] if loose else [])
            else:
                choices.append(["held", "here"] if loose else ["here"])
        found = [tuple(spots) for spots in product(*choices)]
        if op.informs or op.tells or op.reveals:
            now = tuple(self.belief.where(arg) for arg in args)
            return [now] if now in found else found[:1]
        return found if len(args) == 1 else [s for s in found if s.count("here") < 2 or len(found) < 3]

    # --- worth ----------------------------------------------------------------------------------
    def value(self, op: Operator) -> float:
        """What there is to learn of an operator."""
        if not op.good:
            if op.hidden:
                return 1.5
            if op.tells:
                return 2.0
            return 0.2 if op.informs else 3.0
        if op.arity == 2 and self.rules.pairwise(op):
            return 1.5
        if op.recalled:
            return 1.0
        if op in self.takers:
            return 0.3
        made = any(isinstance(change.of, str) for changes in op.effects_seen for change in changes)
        return 1.0 if made else 0.5

    def _fit(self, op: Operator, gap: int, name: str) -> float:
        """How likely a thing is of the kind that goes into a gap."""
        fits = self.rules.fits(op, gap, name)
        if fits is not None:
            return 1.0 if fits else 0.0
        kind, said = self.rules.kind_of(op, gap), self.rules.kind_said.get(name)
        key = kind, said or name, name in self.loose
        found = self._fits.get(key)
        if found is None:
            found = self._fits[key] = self._guess(*key, known=said is not None, name=name)
        doubts = min(self.rules.doubts.get((op.key, gap, said or name), 0.0), 8 if found < SURE else 2)
        return found * float(0.5**doubts)

    def _guess(self, kind: str, said: str, loose: bool, *, known: bool, name: str) -> float:
        members = self.rules.is_kind.get(kind, set())
        if any(self.rules.said(one) == said for one in members):
            return 0.8
        barred = any(self.rules.said(one) == said for one in self.rules.no_kind.get(kind, ()))
        if kind in self.handy:
            return 0.6 if loose and not barred else UNLIKELY
        if known and kind in self.leaves and kind not in self.generic:
            return UNLIKELY  # the world calls it otherwise, and calls others so
        if barred:
            return 0.05
        if members:
            frames = {self.belief.frame.get(one) for one in members}
            return 0.5 if self.belief.frame.get(name) in frames else 0.1
        return 0.3 if not known or kind in self.shared else 0.08

    def _together(self, args: Args) -> float:
        pair = set(args)
        if any(pair <= hint for hint in self.mind.hints):
            return 6.0
        if self.near.get(args[0], 1) > 2 and self.near.get(args[1], 1) > 2:
            return 4.0
        words = [self.belief.words.get(arg, frozenset()) - self.rules.changing for arg in args]
        return 1.0 + 0.5 * len(words[0] & words[1])


def _true(fact: Fact, belief: Belief) -> bool:
    """Whether a fact that the goal asks for is true as believed; one of an unknown sort is not."""
    match fact:
        case ("word", name, word):
            return word in belief.words.get(name, ())
        case ("not", name, word):
            return word not in belief.words.get(name, ())
        case ("held", name):
            return belief.where(name) == "held"
        case ("in", name, where):
            return belief.place.get(name) == where
        case _:
            return False


def _is_new(feature: Feature, tried: Tried, *, holds: bool) -> bool:
    """Whether a feature was never so in what was tried, or always when it is not to hold."""
    return feature not in tried.any if holds else tried.all is not None and feature in tried.all


def _likely(feature: Feature, changing: set[str]) -> float:
    """How likely it is that something works because of a feature that was otherwise before."""
    match feature:
        case ("spot", *_):
            return 0.4
        case ("arg", _, word):
            return 0.3 if word in changing else 0.0
        case ("near", _, word):
            return 0.15 if word in changing else 0.0
        case ("empty",) | ("own", _):
            return 0.2
        case ("near" | "with", _):
            return 0.06
        case _:
            return 0.0
