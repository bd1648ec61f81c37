"""A lower bound on the steps to a goal from what every plan must bring about on the way: its landmarks.

A literal that the goal asks for and that is false has to be achieved; what all moves and laws that could achieve it
first have in common has to hold before, and so on (fact landmarks by backchaining: Hoffmann, Porteous and Sebastia,
"Ordered Landmarks in Planning", Journal of Artificial Intelligence Research 22, 2004). A move is made in one room, so
the landmarks also say which rooms have to be visited and in what order. The bound is the number of commands for
landmarks of which no two can be had by the same one, plus the shortest walk through their rooms in a possible order.
What bars every way to such a room makes its opening a landmark too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sandbox.certify.problem import Act, Problem
from sandbox.certify.search import FAR
from sandbox.certify.walks import Stops, Walks, bits
from sandbox.world.bits import TRUE, Change, Condition, moved

_ANY = -1
_STOPS = 9
"""Stops that a walk is planned through; more are left out of it."""


class _Way(NamedTuple):
    """A change of one function: from which value (`_ANY`) to which, what it needs, by which move if not by a law."""

    source: int
    target: int
    ones: int
    zeros: int
    act: Act | None
    counts: bool


class _Info(NamedTuple):
    """A landmark while its function has a given value: what holds before, where, and the commands that can do it.

    Without `intents`, it may come by itself or by walking. `ticks` is the number of steps that counting takes.
    """

    ones: int
    zeros: int
    room: int
    intents: int
    cost: int
    select: int
    ticks: int


class _Ahead(NamedTuple):
    """What is ahead of a state, wherever in a region the player is: commands, steps at least, and rooms."""

    cost: int
    least: int
    stops: Stops


class Landmarks:
    """The landmarks of a pruned problem: an admissible estimate of the steps that are left."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._here = problem, problem.here
        self._walks = Walks(problem)
        self._ways: dict[int, list[_Way]] = {}
        self._intents: dict[object, int] = {}
        self._paces: dict[int, set[tuple[int, int]]] = {}
        for room, rules in problem.rooms.items():
            for act in rules.acts:
                self._intents.setdefault(act.intent, 1 << len(self._intents))
                ones, zeros = act.want | room, act.mask & ~act.want
                changes = act.changes or (Change(TRUE, act.clear & ~act.put, act.put),)
                self._add(changes, ones, zeros, act, -1)
            for law in (*rules.steps, *rules.events):
                ones, zeros = _common(law.when)
                self._add(law.changes, ones | room, zeros, None, law.index)
        self._goal = [
            (ones & ~self._here, zeros & ~self._here) for ones, zeros in map(_common, problem.goal)
        ]
        self._info: dict[tuple[int, int], _Info | None] = {}
        self._reach: dict[tuple[int, int], frozenset[int]] = {}
        self._ahead: dict[tuple[int, int], _Ahead | None] = {}

    def estimate(self, state: int) -> int:
        """A number of steps that no plan from a state can fall below; FAR if there is none."""
        state &= self._problem.keep
        here = state & self._here
        key = state ^ here, self._walks.region(here)
        try:
            ahead = self._ahead[key]
        except KeyError:
            ahead = self._ahead[key] = self._look_ahead(key[0], here)
        if ahead is None:
            return FAR
        walk = self._walks.through(here, ahead.stops) if ahead.stops else 0
        return min(FAR, max(ahead.cost + walk, ahead.least))

    # --- what achieves what ---------------------------------------------------------------------
    def _add(self, changes: Iterable[Change], ones: int, zeros: int, act: Act | None, index: int) -> None:
        """The ways to change functions that an act or a law offers."""
        groups, keep = self._problem.groups, self._problem.keep & ~self._here
        for place, change in enumerate(changes):
            more1, more0 = (0, 0) if change.when is TRUE else _common(change.when)
            need1, need0 = ones | more1, zeros | more0
            if change.group:
                self._paces.setdefault(change.group, set()).add((index, place))
                for bit in bits(change.group):
                    to = moved(bit, change.group, change.delta)
                    if to != bit:
                        way = _Way(bit, to, need1 | bit, need0, act, counts=True)
                        self._ways.setdefault(change.group, []).append(way)
                continue
            left = (change.clear | change.set) & keep
            while left:
                group = groups.get(left & -left, left & -left)
                left &= ~group
                own = need1 & group
                source = own or (0 if need0 & group == group else _ANY)
                way = _Way(source, change.set & group & keep, need1, need0, act, counts=False)
                self._ways.setdefault(group, []).append(way)

    def info(self, literal: int, state: int) -> _Info | None:
        """A literal that is false in a state; None if nothing can achieve it."""
        bit = abs(literal)
        value = state & self._problem.groups.get(bit, bit)
        key = literal, value
        if key not in self._info:
            self._info[key] = self._common_needs(literal, value)
        return self._info[key]

    def _common_needs(self, literal: int, value: int) -> _Info | None:
        bit = abs(literal)
        group = self._problem.groups.get(bit, bit)
        ways = self._ways.get(group, ())
        if literal > 0:
            sources = self._sources(group, value, bit)
            ways = [way for way in ways if way.target == bit and (way.source == _ANY or way.source in sources)]
        else:
            ways = [way for way in ways if way.target != bit and way.source in (_ANY, bit)]
        if not ways:
            return None
        ones = zeros = -1
        for way in ways:
            ones, zeros = ones & way.ones, zeros & way.zeros
        acts = [way.act for way in ways if way.act is not None]
        intents = cost = select = 0
        if len(acts) == len(ways) and not any((act.sets | act.clears) & self._here for act in acts):
            cost, select = min(act.cost for act in acts), acts[0].select
            for act in acts:
                intents |= self._intents[act.intent]
                select &= act.select
        ticks = self._ticks(group, value, bit) if literal > 0 and group in self._paces else 0
        room = ones & self._here
        return _Info(ones & ~self._here, zeros & ~self._here, room, intents, cost, select, ticks)

    def _sources(self, group: int, value: int, avoided: int) -> frozenset[int]:
        """The values that a function can have before it has one for the first time."""
        key = value, avoided
        found = self._reach.get(key)
        if found is None:
            seen, queue, ways = {value}, [value], self._ways.get(group, ())
            for at in queue:
                for way in ways:
                    if way.source in (_ANY, at) and way.target != avoided and way.target not in seen:
                        seen.add(way.target)
                        queue.append(way.target)
            found = self._reach[key] = frozenset(seen)
        return found

    def _ticks(self, group: int, value: int, wanted: int) -> int:
        """The steps that counting from one value to another takes at least; being set takes none."""
        far, layer, depth = {value: 0}, [value], 0
        while layer and wanted not in far:
            for at in layer:
                layer += self._new(far, group, at, depth, counts=False)
            depth += 1
            layer = [to for at in layer for to in self._new(far, group, at, depth, counts=True)]
        return -(-far.get(wanted, 0) // len(self._paces[group]))

    def _new(self, far: dict[int, int], group: int, at: int, depth: int, *, counts: bool) -> list[int]:
        """The values that one change leads to and that were not reached before."""
        found = []
        for way in self._ways[group]:
            if way.counts == counts and way.source in (_ANY, at) and way.target not in far:
                far[way.target] = depth
                found.append(way.target)
        return found

    # --- what is ahead --------------------------------------------------------------------------
    def _look_ahead(self, rest: int, here: int) -> _Ahead | None:
        """The landmarks of a state; None if there is one that nothing can bring about."""
        needed = _Needed(self, rest)
        if not needed.collect(self._goal, self._walks, here):
            return None
        nodes, before = needed.infos, _all_before(needed.first)
        if before is None:
            return None
        cost = used = selected = 0
        counted: list[int] = []
        for number in sorted(range(len(nodes)), key=lambda n: nodes[n].intents.bit_count()):
            info = nodes[number]
            selected |= info.select & ~rest
            if info.intents and not info.intents & used:
                used |= info.intents
                cost += info.cost
                counted.append(number)
        least = 0
        for number, info in enumerate(nodes):
            if info.ticks:
                after = sum(nodes[n].cost for n in counted if before[n] >> number & 1)
                least = max(least, info.ticks + after)
        return _Ahead(cost + selected.bit_count(), least, _stops(nodes, before) if self._walks.known else ())


class _Needed:
    """The landmarks ahead of a state: `infos`, and for each the numbers (as bits) of those right `first` before it."""

    def __init__(self, landmarks: Landmarks, rest: int) -> None:
        self._landmarks, self._rest = landmarks, rest
        self._numbers: dict[int, int] = {}
        self._todo: list[tuple[int, int, int]] = []
        self.infos: list[_Info] = []
        self.first: list[int] = []

    def collect(self, goal: Sequence[tuple[int, int]], walks: Walks, here: int) -> bool:
        """All that the goal needs, with what opens the way to it; False if something can never be had."""
        rest, infos = self._rest, self.infos
        self._todo += [(ones, zeros, -1) for ones, zeros in goal]
        barred = [gate for gate in walks.gates if (not rest & gate if gate > 0 else rest & -gate)]
        looked = 0
        while self._follow():
            if looked == len(infos) or not barred:
                return True
            for number in range(looked, len(infos)):
                room = infos[number].room
                for gate in barred if room else ():
                    if room not in walks.without(gate, here) and not self._add(gate, number):
                        return False
                looked = number + 1
        return False

    def _follow(self) -> bool:
        """Add what the landmarks found so far need, and so on."""
        rest, todo, add = self._rest, self._todo, self._add
        while todo:
            ones, zeros, later = todo.pop()
            for bit in bits(ones & ~rest):
                if not add(bit, later):
                    return False
            for bit in bits(zeros & rest):
                if not add(-bit, later):
                    return False
        return True

    def _add(self, literal: int, later: int) -> bool:
        number = self._numbers.get(literal)
        if number is None:
            info = self._landmarks.info(literal, self._rest)
            if info is None:
                return False
            number = self._numbers[literal] = len(self.infos)
            self.infos.append(info)
            self.first.append(0)
            self._todo.append((info.ones, info.zeros, number))
        if later >= 0:
            self.first[later] |= 1 << number
        return True


def _all_before(first: Sequence[int]) -> list[int] | None:
    """Everything that comes before each number; None if some come before each other."""
    before = list(first)
    placed, left = 0, list(range(len(first)))
    while left:
        ready = [number for number in left if not first[number] & ~placed]
        if not ready:
            return None
        for number in ready:
            for other in bits(first[number]):
                before[number] |= before[other.bit_length() - 1]
        for number in ready:
            placed |= 1 << number
        left = [number for number in left if not placed >> number & 1]
    return before


def _stops(nodes: Sequence[_Info], before: Sequence[int]) -> Stops:
    """The rooms of landmarks with what comes before them, equal ones once."""
    kept: dict[tuple[int, int], int] = {}
    mask = 0
    for number, info in enumerate(nodes):
        if info.room:
            mask |= 1 << number
    for number, info in enumerate(nodes):
        if info.room and len(kept) < _STOPS:
            kept.setdefault((info.room, before[number] & mask), number)
    places = {number: place for place, number in enumerate(kept.values())}
    return tuple(
        (room, sum(1 << places[n] for n in places if came >> n & 1)) for room, came in kept
    )


def _common(condition: Condition) -> tuple[int, int]:
    """The literals that every clause of a condition has."""
    ones = zeros = -1
    for mask, want, _ in condition:
        ones, zeros = ones & want, zeros & mask & ~want
    return (ones, zeros) if condition else (0, 0)
