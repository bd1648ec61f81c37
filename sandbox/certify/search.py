"""Optimal search on a pruned problem: A* with an admissible estimate of the steps that are left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from sandbox.certify.pruned import Act, Problem
from sandbox.world.bits import Condition, apply, holds

Heuristic: TypeAlias = Callable[[int], int]
FAR = 1_000_000
"""More steps than any plan has: the goal is out of reach."""


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
        cost = act.cost
        if plain:
            new = state & stays | put
        else:
            if act.cards and not all(card.holds(state) for card in act.cards):
                continue
            new = apply(act.changes, state) if act.changes else state & stays | put
            if act.select:
                cost += not state & act.select
                new = new & problem.unselect | act.select
        laws = rooms[new & here].laws
        if laws is not None:
            new = new & ~laws.mask | laws.at(new)
        yield act, new & keep, cost


def reached(goal: Sequence[Condition], state: int) -> bool:
    """Whether every goal condition holds."""
    return all(holds(condition, state) for condition in goal)


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
        if not self._problem.whole:
            bound, exact = min(bound, 1), False
        return Result(tuple(reversed(acts)), steps, bound, len(self._closed), self._generated, exact, self._depth)
