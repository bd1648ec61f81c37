"""The shortest walk through rooms that have to be visited, some of them before others.

What walking needs is left out of the distances; what bars every way to a room is told apart: `behind`.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from sandbox.certify.pruned import Problem, bits
from sandbox.certify.search import FAR

Stops: TypeAlias = tuple[tuple[int, int], ...]
"""Rooms to be visited, each with the set (as bits of places in the tuple) of those that come before it."""


class Way(NamedTuple):
    """A move from one room to another with the literals that it needs."""

    to: int
    ones: int
    zeros: int


class Walks:
    """The rooms of a pruned problem and the moves between them."""

    def __init__(self, problem: Problem, about: int = -1) -> None:
        here = problem.here
        self._ways: dict[int, list[Way]] = {room: [] for room in problem.rooms}
        drift = False
        for room, rules in problem.rooms.items():
            for act in rules.acts:
                for to in bits(act.sets & here & ~room):
                    self._ways[room].append(Way(to, act.want & ~here, act.mask & ~act.want & ~here))
            for law in (*rules.steps, *rules.events):
                drift = drift or any((c.clear | c.set | c.group) & here for c in law.changes)
        self.known = not drift
        """Whether only moves change the player's room: else nothing can be said about walks."""
        ones = zeros = 0
        for way in (way for ways in self._ways.values() for way in ways):
            ones, zeros = ones | way.ones, zeros | way.zeros
        self.gates = (*bits(ones & about), *(-bit for bit in bits(zeros & about))) if self.known else ()
        """The literals that some move between rooms needs, of the functions that all this is about."""
        self._far: dict[int, dict[int, int]] = {}
        self._barring: dict[int, dict[int, tuple[int, ...]]] = {}
        self._alike: dict[tuple[tuple[int, tuple[int, ...]], ...], dict[int, tuple[int, ...]]] = {}
        self._plans: dict[Stops, dict[tuple[int, int], int]] = {}

    def distances(self, room: int) -> dict[int, int]:
        """Moves from a room to every other one."""
        found = self._far.get(room)
        if found is None:
            found = {room: 0}
            queue = [room]
            for at in queue:
                for way in self._ways[at]:
                    if way.to not in found:
                        found[way.to] = found[at] + 1
                        queue.append(way.to)
            self._far[room] = found
        return found

    def barring(self, room: int) -> dict[int, tuple[int, ...]]:
        """For each room the gates without which it cannot be reached from a room; none for the others."""
        found = self._barring.get(room)
        if found is None:
            gates: dict[int, list[int]] = {}
            for gate in self.gates:
                for barred in self._ways.keys() - self._without(gate, room):
                    gates.setdefault(barred, []).append(gate)
            found = {barred: tuple(some) for barred, some in gates.items()}
            found = self._barring[room] = self._alike.setdefault(tuple(sorted(found.items())), found)
        return found

    def _without(self, gate: int, room: int) -> set[int]:
        """The rooms that can be reached from a room by moves that do not need a literal."""
        seen, queue = {room}, [room]
        for at in queue:
            for to, ones, zeros in self._ways[at]:
                if to not in seen and not (ones & gate if gate > 0 else zeros & -gate):
                    seen.add(to)
                    queue.append(to)
        return seen

    def through(self, room: int, stops: Stops) -> int:
        """The length of a shortest walk from a room through all stops."""
        plan = self._plans.get(stops)
        if plan is None:
            plan = self._plans[stops] = {}
        return self._through(plan, stops, room, (1 << len(stops)) - 1)

    def _through(self, plan: dict[tuple[int, int], int], stops: Stops, here: int, left: int) -> int:
        found = plan.get((here, left))
        if found is not None:
            return found
        now, before = left, 0
        while now != before:
            before = now
            for number, (room, first) in enumerate(stops):
                if room == here and now >> number & 1 and not first & now:
                    now ^= 1 << number
        best = 0
        if now:
            best, far = FAR, self.distances(here)
            for room in {room for n, (room, first) in enumerate(stops) if now >> n & 1 and not first & now}:
                length = far.get(room, FAR)
                if length < best:
                    best = min(best, length + self._through(plan, stops, room, now))
        plan[here, left] = best
        return best
