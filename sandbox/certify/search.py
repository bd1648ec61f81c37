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
    keep = problem.keep
    for act in rules.acts:
        if state & act.mask != act.want:
            continue
        if act.cards and not all(card.holds(state) for card in act.cards):
            continue
        new = apply(act.changes, state) if act.changes else state & ~act.clear | act.put
        cost = 1
        if act.select:
            if not state & act.select:
                cost = 2
            new = new & problem.unselect | act.select
        after = problem.rooms[new & problem.here] if act.intent[0] == WALK else rules
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
        self.full = self._distances(lambda act: True)
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
        return lambda state: 0
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
            if full - shared > lead:
                lead = full - shared
        return total + lead

    return estimate


def search(
    problem: Problem, start: int, limit: int, estimate: Heuristic, *, every: bool = True, longest: int = FAR - 1
) -> Result:
    """A* from a start; with `every`, the states of all optimal plans are explored, not only those of one.

    `graph` maps every explored state to its depth. Stops after `limit` states, or when no plan of at most
    `longest` commands is left: then the plan is None, and `bound` is the least length that a plan can have.
    """
    start &= problem.keep
    depth, first = {start: 0}, estimate(start)
    parent: dict[int, tuple[int, Act]] = {}
    buckets: dict[int, list[int]] = {first: [start]}
    closed: set[int] = set()
    best, end, generated = FAR, start, 0
    f = first
    while f < FAR and f <= best:
        if f > longest:
            return Result((), None, f, len(closed), generated, False, depth)
        bucket = buckets.pop(f, None)
        if not bucket:
            if not buckets:
                break
            f = min(buckets)
            continue
        buckets[f] = bucket
        state = bucket.pop()
        if state in closed or depth[state] + estimate(state) != f:
            continue
        closed.add(state)
        if len(closed) > limit:
            return Result((), None, min(f, best), len(closed), generated, False, depth)
        if reached(problem.goal, state):
            if depth[state] < best:
                best, end = depth[state], state
                if not every:
                    break
            continue
        for act, new, cost in successors(problem, state):
            generated += 1
            new_depth = depth[state] + cost
            if depth.get(new, FAR) > new_depth:
                guess = estimate(new)
                if guess >= FAR:
                    continue
                depth[new] = new_depth
                parent[new] = state, act
                closed.discard(new)
                buckets.setdefault(new_depth + guess, []).append(new)
    if best >= FAR:
        return Result((), None, FAR, len(closed), generated, True, depth)
    acts = []
    at = end
    while at in parent and at != start:
        at, act = parent[at]
        acts.append(act)
    return Result(tuple(reversed(acts)), best, best, len(closed), generated, True, depth)
