"""Goals by forward search: facts that can be reached, put together until the plan is long and varied enough.

Candidates come from the families' own goal patterns. A relaxed plan for each tells about how far it is and which deeds
it takes; facts about different objects are joined, the most varied first, and the joint optimum is proven. In a world
of many rooms a plan with a lower bound will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from sandbox.certify.landmarks import Landmarks
from sandbox.certify.plans import path
from sandbox.certify.problem import Everything
from sandbox.certify.pruned import WALK, Problem
from sandbox.certify.relaxed import Relaxed
from sandbox.certify.search import FAR, Heuristic, Result, search
from sandbox.certify.shorten import shortened
from sandbox.generate.recipe import Recipe
from sandbox.world import spec
from sandbox.world.bits import holds
from sandbox.world.dynamics import Dynamics, Intent
from sandbox.world.keyed import Stream
from sandbox.world.spec import Aim, Fact

MOST_FACTS = 3
ROUNDS = 2
LOOKED, PROOFS = 12, 3
"""Sets of candidates that are looked at in each round, and joint optima that are sought."""
WITNESSED = 20
"""Rooms from which on a plan with a lower bound will do where the proof takes too long."""
SOUGHT = 1_000
"""States explored for a plan where nothing can be proven, moves being left out."""
FACTS, CORE_FACTS = 3, 2
"""Candidates of each family in a round, and of the core."""
GREED = 3
"""How much more what is left of a plan counts than what is done, where any plan will do."""
SLACK = 4
"""Steps by which the estimate of a promising goal may fall short of the recipe's band."""
CARRYING = (WALK, "take", "drop")


class Candidate(NamedTuple):
    """A goal fact with the family it comes from and the deeds and moves of a relaxed plan for it."""

    fact: Fact
    family: str
    deeds: frozenset[Intent]
    moves: frozenset[tuple[int, Intent]]
    laws: frozenset[str]


class Sketch(NamedTuple):
    """A goal that nobody has proven yet, its pruned problem and an estimate for it."""

    goal: tuple[Fact, ...]
    problem: Problem
    estimate: Heuristic


class Found(NamedTuple):
    """A goal with its pruned problem and the result of the search."""

    goal: tuple[Fact, ...]
    problem: Problem
    estimate: Heuristic
    result: Result


def ground_aims(dynamics: Dynamics, *, kept: bool = False) -> Iterator[tuple[Fact, str]]:
    """Every fact that a goal pattern of the rules names, or that a contract is about, with its family."""
    ground = dynamics.ground
    for aim in dynamics.rules.aims:
        if aim.kept != kept:
            continue
        literal, where = _split(aim)
        test = ground.tester(where)
        for env in ground.bindings(aim.over):
            if test(env, ""):
                fact = _fact(literal, env)
                if fact is not None:
                    yield fact, aim.family


def _split(aim: Aim) -> tuple[spec.Formula, spec.Formula]:
    if isinstance(aim.formula, spec.And):
        return aim.formula.parts[0], spec.And(aim.formula.parts[1:])
    return aim.formula, spec.TRUE


def _fact(formula: spec.Formula, env: dict[str, str]) -> Fact | None:
    """The ground fact of a literal: `f(x)`, `not f(x)`, `f(x) = v`, `in(x, y)`, `carried(x)`."""
    want = True
    if isinstance(formula, spec.Not):
        formula, want = formula.part, False
    if isinstance(formula, spec.Atom):
        return Fact(formula.name, tuple(_id(arg, env) for arg in formula.args), want)
    if isinstance(formula, spec.Compare) and formula.op == "=" and isinstance(formula.left, spec.Call):
        right = formula.right
        value = right.value if isinstance(right, spec.Const) else _id(right, env)
        return Fact(formula.left.name, tuple(_id(arg, env) for arg in formula.left.args), value, want)
    return None


def _id(term: spec.Term, env: dict[str, str]) -> str:
    assert isinstance(term, spec.Var)
    return env[term.name]


def find_goals(everything: Everything, recipe: Recipe, stream: Stream, limit: int) -> Iterator[Found]:
    """Goals whose proven optimum is in the recipe's band and whose plan looks varied enough, as they are found."""
    witnessed = recipe.rooms >= WITNESSED
    pool = _Pool(everything, stream, 2 * recipe.steps[1])
    dynamics = everything.dynamics
    kept = [f for f, _ in ground_aims(dynamics, kept=True) if holds(dynamics.ground.fact(f), everything.start)]
    low, high = recipe.steps
    highest = high - (high - low) // 4 if witnessed else high
    for _ in range(ROUNDS):
        candidates = pool.varied()
        promising = [chosen for chosen in _subsets(candidates) if _fits(everything, chosen, recipe)]
        drawn = stream.shuffled(promising)
        drawn.sort(key=lambda chosen: _dullness(everything, chosen, (low + high) // 2))
        proofs = 0
        for chosen in drawn[:LOOKED]:
            sketch = _sketch(everything, [c.fact for c in chosen])
            if not low - SLACK <= sketch.estimate(everything.start) <= highest:
                continue
            found = _unbroken(everything, _prove(everything, sketch, limit, high), kept, limit, high)
            if found.result.steps is None and witnessed and found.problem.whole:
                found = _witness(everything, found, 2 * limit)
            steps = found.result.steps
            if steps is not None and low <= steps <= high:
                yield found
            proofs += 1
            if proofs == PROOFS:
                break


def _dullness(everything: Everything, chosen: tuple[Candidate, ...], middle: int) -> int:
    """How much of the likely plan is walking and carrying, in tenths; each family in it makes up for one, and each
    step beyond the middle of the band counts like one.
    """
    deeds = {deed for c in chosen for deed in c.deeds if deed[0] not in CARRYING}
    likely = _guess(everything, chosen)
    dull = round(10 * (1 - len(deeds) / likely)) - len(_families(everything, chosen))
    return dull + max(0, likely - middle)


def _subsets(candidates: list[Candidate]) -> Iterator[tuple[Candidate, ...]]:
    """Every set of one to MOST_FACTS candidates that are about different objects."""
    for size in range(1, MOST_FACTS + 1):
        for chosen in combinations(candidates, size):
            if len({c.fact.args or c.fact.name for c in chosen}) == size:
                yield chosen


def _fits(everything: Everything, chosen: tuple[Candidate, ...], recipe: Recipe) -> bool:
    """Whether the joint plan is likely to meet the recipe, judged by the relaxed plans of its facts."""
    deeds = {name for c in chosen for name, _ in c.deeds}
    if len(deeds) + 1 < recipe.actions or len(_families(everything, chosen)) < recipe.uses:
        return False
    return recipe.steps[0] <= _guess(everything, chosen) <= recipe.steps[1]


def _families(everything: Everything, chosen: Sequence[Candidate]) -> set[str]:
    """The drawn families whose deeds the relaxed plans take, or whose laws they wait for."""
    actions = everything.dynamics.actions
    deeds = {actions[name].family for c in chosen for name, _ in c.deeds}
    return (deeds | {family for c in chosen for family in c.laws}) - {"core"}


def _guess(everything: Everything, chosen: Sequence[Candidate]) -> int:
    """About how long the joint plan is: the relaxed plans together, selections, and some walking back."""
    moves = {move for c in chosen for move in c.moves}
    selected = {args[0] for _, (name, args) in moves if name in everything.focused}
    return len(moves) + len(selected) + 2 * (len(chosen) - 1)


def _unbroken(everything: Everything, found: Found, kept: Sequence[Fact], limit: int, longest: int) -> Found:
    """The goal with every contract that its plan would break, proven anew."""
    dynamics = everything.dynamics
    while found.result.steps is not None:
        end = path(dynamics, tuple([act.intent for act in found.result.acts]))[-1]
        asked = {(fact.name, fact.args) for fact in found.goal}
        broken = [
            fact for fact in kept
            if (fact.name, fact.args) not in asked and not holds(dynamics.ground.fact(fact), end)
        ]
        if not broken:
            break
        found = _prove(everything, _sketch(everything, (*found.goal, *broken)), limit, longest)
    return found


def _sketch(everything: Everything, facts: Sequence[Fact]) -> Sketch:
    """The joint problem of some facts. What is so already is said last."""
    start, fact = everything.start, everything.dynamics.ground.fact
    goal = tuple(sorted(facts, key=lambda f: (holds(fact(f), start), f.name, f.args, str(f.value))))
    problem = everything.problem(everything.dynamics.goal(goal))
    return Sketch(goal, problem, Landmarks(problem).estimate)


def _prove(everything: Everything, sketch: Sketch, limit: int, longest: int) -> Found:
    """The joint optimum, if it can be proven soon; a plan that works where moves were left out."""
    if not sketch.problem.whole:
        unproven = Result((), None, 1, 0, 0, exact=False, graph={})
        return _witness(everything, Found(*sketch, unproven), SOUGHT)
    result = search(sketch.problem, everything.start, limit, sketch.estimate, every=False, longest=longest)
    return Found(*sketch, result)


def _witness(everything: Everything, found: Found, limit: int) -> Found:
    """A plan that works, found greedily and made shorter, with the bound that the search for a proof came to.

    What was found stays as it was where there is none.
    """
    if found.result.exact:
        return found
    estimate = found.estimate

    def greedy(state: int) -> int:
        return min(FAR, GREED * estimate(state))

    plan = search(found.problem, everything.start, limit, greedy, every=False)
    plan = shortened(found.problem, everything.start, plan)
    bound = found.result.bound
    return found if plan.steps is None else found._replace(
        result=plan._replace(bound=min(bound, plan.steps), exact=bound >= plan.steps)
    )


class _Pool:
    """Candidate facts in drawn order, looked at when they are first asked for."""

    def __init__(self, everything: Everything, stream: Stream, most: int) -> None:
        self._everything, self._most = everything, most
        dynamics = everything.dynamics
        by_family: dict[str, list[Fact]] = {}
        crowd = set(dynamics.ground.crowd)
        for fact, family in ground_aims(dynamics):
            if crowd.isdisjoint(fact.args) and not holds(dynamics.ground.fact(fact), everything.start):
                by_family.setdefault(family, []).append(fact)
        self._facts = {f: iter(stream.shuffled(facts)) for f, facts in sorted(by_family.items())}
        self._order = stream.shuffled([f for f in self._facts if f != "core"])

    def varied(self) -> list[Candidate]:
        """A few facts of every family and one or two of bringing a thing somewhere, none too far, others each time."""
        drawn = [
            (fact, family, self._everything.dynamics.ground.fact(fact))
            for family in (*self._order, "core")
            for fact in islice(self._facts.get(family, ()), CORE_FACTS if family == "core" else FACTS)
        ]
        self._everything.cover([condition for _, _, condition in drawn])
        relaxed = Relaxed(self._everything, self._most)
        found = []
        for fact, family, condition in drawn:
            plan = relaxed.plan(condition) if relaxed.cost(condition) <= self._most else None
            if plan is not None and len(plan.moves) <= self._most:
                found.append(Candidate(fact, family, *plan))
        return found
