"""Goals by forward search: facts that can be reached, put together until the plan is long and varied enough.

Candidates come from the families' own goal patterns. Each is first searched for alone, which tells how far it
is and which deeds it takes; then facts of different families are joined and the joint optimum is proven.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sandbox.certify.problem import WALK, Everything, Problem
from sandbox.certify.search import Part, Result, heuristic, search
from sandbox.generate.recipe import Recipe
from sandbox.world import spec
from sandbox.world.bits import holds
from sandbox.world.dynamics import Dynamics
from sandbox.world.keyed import Stream
from sandbox.world.spec import Aim, Fact

MOST_FACTS = 4
SINGLE = 2_500
"""States up to which a single goal fact is explored while goals are sought."""


class Candidate(NamedTuple):
    """A goal fact with the family it comes from, its distance and the deeds of its plan."""

    fact: Fact
    family: str
    steps: int
    deeds: frozenset[str]
    part: Part


class Found(NamedTuple):
    """A goal with its pruned problem and the result of the search."""

    goal: tuple[Fact, ...]
    problem: Problem
    result: Result
    parts: list[Part]


def ground_aims(dynamics: Dynamics) -> Iterator[tuple[Fact, str]]:
    """Every fact that a goal pattern of the rules names, with its family."""
    ground = dynamics.ground
    for aim in dynamics.rules.aims:
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


def find_goals(
    everything: Everything, recipe: Recipe, stream: Stream, limit: int, tries: int = 5
) -> Iterator[Found]:
    """Goals whose proven optimum and plan meet the recipe, best first; none when there are none."""
    pool = _Pool(everything, stream)
    low, high = recipe.steps
    for number in range(tries):
        chosen: list[Candidate] = []
        for candidate in pool.varied(number):
            if candidate.steps > high or _clash(chosen, candidate):
                continue
            chosen.append(candidate)
            guess = _guess(chosen)
            if guess > high + 1:
                chosen.pop()
                continue
            deeds = frozenset().union(*(c.deeds for c in chosen)) | {WALK}
            if guess < low or len(deeds) < recipe.actions - 1:
                if len(chosen) == MOST_FACTS:
                    chosen.pop(0)
                continue
            found = _prove(everything, chosen, limit)
            if found.result.steps is not None and found.result.steps <= high:
                yield found
                if found.result.steps >= low:
                    break
            chosen.pop()


def _guess(chosen: list[Candidate]) -> int:
    """About how long the joint plan is: the longest alone, and three quarters of every other one."""
    steps = sorted((c.steps for c in chosen), reverse=True)
    return steps[0] + sum(n * 3 // 4 for n in steps[1:])


def _clash(chosen: list[Candidate], candidate: Candidate) -> bool:
    return any(c.fact.name == candidate.fact.name and c.fact.args == candidate.fact.args for c in chosen)


def _prove(everything: Everything, chosen: list[Candidate], limit: int) -> Found:
    goal = tuple(sorted((c.fact for c in chosen), key=lambda f: (f.name, f.args, str(f.value))))
    problem = everything.problem(everything.dynamics.goal(goal))
    parts = [c.part for c in chosen]
    return Found(goal, problem, search(problem, everything.start, limit, heuristic(parts)), parts)


class _Pool:
    """Candidate facts in drawn order, searched for alone when they are first asked for."""

    def __init__(self, everything: Everything, stream: Stream) -> None:
        self._everything = everything
        dynamics = everything.dynamics
        by_family: dict[str, list[Fact]] = {}
        for fact, family in ground_aims(dynamics):
            condition = dynamics.ground.fact(fact)
            if not holds(condition, everything.start) and everything.reachable(condition):
                by_family.setdefault(family, []).append(fact)
        self._facts = {f: stream.shuffled(facts) for f, facts in sorted(by_family.items())}
        self._order = stream.shuffled([f for f in self._facts if f != "core"])
        self._known: dict[Fact, Candidate | None] = {}

    def varied(self, number: int) -> Iterator[Candidate]:
        """Candidates that alternate between families, another family first each time; bringing things last."""
        order = self._order[number % max(1, len(self._order)):] + self._order[: number % max(1, len(self._order))]
        for depth in range(2):
            for family in order:
                facts = self._facts[family]
                at = (number // max(1, len(order)) + depth + number) % len(facts)
                found = self._candidate(facts[at], family)
                if found is not None:
                    yield found
        for fact in self._facts.get("core", [])[number: number + 2]:
            found = self._candidate(fact, "core")
            if found is not None:
                yield found

    def _candidate(self, fact: Fact, family: str) -> Candidate | None:
        if fact not in self._known:
            self._known[fact] = self._search(fact, family)
        return self._known[fact]

    def _search(self, fact: Fact, family: str) -> Candidate | None:
        everything = self._everything
        condition = everything.dynamics.ground.fact(fact)
        part = Part(everything, condition, SINGLE)
        steps = part.full.get(everything.start & part.problem.keep)
        if steps is None or not part.complete:
            return None
        deeds = frozenset(name for name, _ in part.deeds)
        return Candidate(fact, family, steps, deeds, part)
