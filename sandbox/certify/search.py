"""Optimal search on a pruned problem: A* with a partition of costs over the goal's facts.

For each goal fact alone, the problem is small enough to explore whole; its exact distances bound the joint
problem from below. One fact may count every step, each other one only the deeds that serve no fact counted
before it (walking costs nothing there), so the sum is admissible. (Cost partitioning of projections:
Katz and Domshlak, "Optimal Additive Composition of Abstraction-based Admissible Heuristics", ICAPS 2008.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from sandbox.certify.problem import WALK, Act, Everything, Problem
from sandbox.world.bits import Condition, apply, holds

Heuristic: TypeAlias = Callable[[int], int]
FAR = 1_000_000
SMALL = 600
"""States up to which the problem of a single goal fact is explored whole."""


class Result(NamedTuple):
    """What a search found: the plan's states and acts, its length or None, and whether it is proven least."""

    acts: tuple[Act, ...]
    steps: int | None
    bound: int
    explored: int
    generated: int
    exact: bool
    graph: dict[int, int]


def successors(problem: Problem, state: int) -> Iterator[tuple[Act, int, int]]:
    """The moves that can be made in a state of the pruned problem, where they lead, and their commands."""
    rules = problem.rooms[state & problem.here]
    keep, rooms, here = problem.keep, problem.rooms, problem.here
    for mask, want, stays, put, plain, act in rules.rows:
        if state & mask != want:
            continue
        cost = 1
        if plain:
            new = state & stays | put
        else:
            if act.cards and not all(card.holds(state) for card in act.cards):
                continue
            new = apply(act.changes, state) if act.changes else state & stays | put
            if act.select:
                cost = 1 if state & act.select else 2
                new = new & problem.unselect | act.select
        after = rooms[new & here]
        if after.steps:
            for law in after.steps:
                if holds(law.when, new):
                    new = apply(law.changes, new)
        if after.events:
            new = settle(problem, new)
        yield act, new & keep, cost


def settle(problem: Problem, state: int) -> int:
    """Events on a pruned state, as `Dynamics.settle` runs them."""
    events = problem.rooms[state & problem.here].events
    fired: set[int] = set()
    again = True
    while again:
        again = False
        for event in events:
            if event.index not in fired and holds(event.when, state):
                fired.add(event.index)
                new = apply(event.changes, state)
                again, state = again or new != state, new
    return state


def reached(goal: Sequence[Condition], state: int) -> bool:
    """Whether every goal condition holds."""
    return all(holds(condition, state) for condition in goal)


class Part:
    """The problem of one goal fact, relaxed and explored whole, with exact distances to the fact.

    Limits and needs of absence are left out; if it is still too large, walking needs nothing either.
    """

    def __init__(self, everything: Everything, goal: Condition, limit: int) -> None:
        self._goal = goal
        for self.free in (False, True):
            self.problem = everything.problem([goal], relaxed=True, free=self.free)
            self.edges: dict[int, list[tuple[int, Act, int]]] = {}
            self.complete = self._explore(everything.start & self.problem.keep, limit)
            if self.complete:
                break
        self.deeds = {a.intent for r in self.problem.rooms.values() for a in r.acts if a.intent[0] != WALK}
        self.full = self._distances(lambda _: True)
        self.shared: dict[int, int] = {}

    def key(self, state: int) -> int:
        """The relaxed state of a state: what lies where the relaxed problem never lays it counts as taken."""
        key = state & self.problem.keep
        if key not in self.edges:
            for group, stands in self.problem.detours:
                if not key & group:
                    key |= stands
        return key

    def _explore(self, start: int, limit: int) -> bool:
        back = self.edges
        queue = [start]
        back[start] = []
        for state in queue:
            for act, new, cost in successors(self.problem, state):
                if new not in back:
                    if len(back) >= limit:
                        return False
                    queue.append(new)
                    back[new] = []
                back[new].append((state, act, cost))
        return True

    def _distances(self, counts: Callable[[Act], bool]) -> dict[int, int]:
        """Commands to the goal from every explored state, only those of acts that count (Dijkstra, backwards)."""
        far = {state: 0 for state in self.edges if holds(self._goal, state)}
        layers: dict[int, list[int]] = {0: list(far)}
        depth = 0
        while layers:
            for state in (layer := layers.pop(depth, [])):
                if far[state] != depth:
                    continue
                for before, act, cost in self.edges[state]:
                    total = depth + cost if counts(act) else depth
                    if far.get(before, FAR) > total:
                        far[before] = total
                        (layer if total == depth else layers.setdefault(total, [])).append(before)
            depth += 1
        return far

    def deeds_from(self, state: int) -> list[tuple[str, tuple[str, ...]]]:
        """The deeds of one shortest relaxed plan from a state."""
        found, at = [], state & self.problem.keep
        left = self.full.get(at, FAR)
        while 0 < left < FAR:
            act, at, cost = next(
                (act, new, cost) for act, new, cost in successors(self.problem, at)
                if self.full.get(new, FAR) == left - cost
            )
            left -= cost
            if act.intent[0] != WALK:
                found.append(act.intent)
        return found

    def share(self, others: set[tuple[str, tuple[str, ...]]]) -> None:
        """Distances that count only deeds that serve no other fact."""
        mine = self.deeds - others
        self.shared = self._distances(lambda act: act.intent in mine)


def heuristic(parts: Sequence[Part]) -> Heuristic:
    """An admissible estimate of the steps to a goal of several facts, from their explored parts."""
    parts = [part for part in parts if part.complete]
    if not parts:
        return lambda _: 0
    for part in parts:
        others: set[tuple[str, tuple[str, ...]]] = set()
        for other in parts:
            if other is not part:
                others |= other.deeds
        part.share(others)

    def estimate(state: int) -> int:
        total = lead = 0
        for part in parts:
            key = part.key(state)
            if key not in part.edges:
                continue
            full = part.full.get(key, FAR)
            if full >= FAR:
                return FAR
            shared = part.shared[key]
            total += shared
            lead = max(lead, full - shared)
        return total + lead

    return estimate


def search(
    problem: Problem, start: int, limit: int, estimate: Heuristic, *, every: bool = True, longest: int = FAR - 1
) -> Result:
    """A* from a start; with `every`, the states of all optimal plans are explored, not only those of one.

    `graph` maps every explored state to its depth. Stops after `limit` states, or when no plan of at most
    `longest` commands is left: then the plan is None, and `bound` is the least length that a plan can have.
    """
    return _Search(problem, start & problem.keep, estimate).run(limit, every=every, longest=longest)


class _Search:
    """The open states by their estimated plan length, the depth and the way to each."""

    def __init__(self, problem: Problem, start: int, estimate: Heuristic) -> None:
        self._problem, self._start, self._estimate = problem, start, estimate
        self._depth = {start: 0}
        self._guess = {start: estimate(start)}
        self._parent: dict[int, tuple[int, Act]] = {}
        self._open: dict[int, list[int]] = {self._guess[start]: [start]}
        self._closed: set[int] = set()
        self._generated = 0

    def run(self, limit: int, *, every: bool, longest: int) -> Result:
        best, end = FAR, self._start
        while self._open:
            length = min(self._open)
            if length > best or length >= FAR:
                break
            if length > longest or len(self._closed) > limit:
                return self._result(None, min(length, best), end, exact=False)
            state = self._pop(length)
            if state is None:
                continue
            if reached(self._problem.goal, state):
                if self._depth[state] < best:
                    best, end = self._depth[state], state
                    if not every:
                        break
                continue
            self._expand(state)
        return self._result(best if best < FAR else None, best, end, exact=True)

    def _pop(self, length: int) -> int | None:
        """The next state with this estimate that is still worth expanding."""
        bucket = self._open[length]
        while bucket:
            state = bucket.pop()
            if state not in self._closed and self._depth[state] + self._guess[state] == length:
                self._closed.add(state)
                return state
        del self._open[length]
        return None

    def _expand(self, state: int) -> None:
        depth, guess, here = self._depth, self._guess, self._depth[state]
        for act, new, cost in successors(self._problem, state):
            self._generated += 1
            after = here + cost
            if depth.get(new, FAR) <= after:
                continue
            if new not in guess:
                guess[new] = self._estimate(new)
            if guess[new] >= FAR:
                continue
            depth[new] = after
            self._parent[new] = state, act
            self._closed.discard(new)
            self._open.setdefault(after + guess[new], []).append(new)

    def _result(self, steps: int | None, bound: int, end: int, *, exact: bool) -> Result:
        acts = []
        while steps is not None and end != self._start:
            end, act = self._parent[end]
            acts.append(act)
        return Result(tuple(reversed(acts)), steps, bound, len(self._closed), self._generated, exact, self._depth)
