"""A lower bound on the steps to a goal from what every plan must bring about on the way: its landmarks.

A literal that the goal asks for and that is false has to be achieved; what all moves and laws that could achieve it
first have in common has to hold before, and so on (fact landmarks by backchaining: Hoffmann, Porteous and Sebastia,
"Ordered Landmarks in Planning", Journal of Artificial Intelligence Research 22, 2004). A move is made in one room, so
the landmarks also say which rooms have to be visited and in what order. The bound is the number of commands for
landmarks of which no two can be had by the same one, plus the shortest walk through their rooms in a possible order.
What bars every way to such a room makes its opening a landmark too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sandbox.certify.pruned import Act, Problem, bits
from sandbox.certify.search import FAR
from sandbox.certify.walks import Stops, Walks
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
    """A landmark, false while its function has a given value: what holds before, where, and the commands that do it.

    `number` is a bit of its own. Without `intents`, it may come by itself or by walking; `few` is how many there are.
    `ticks` is the number of steps that counting takes.
    """

    literal: int
    number: int
    needs: tuple[int, ...]
    room: int
    intents: int
    few: int
    cost: int
    select: int
    ticks: int


class _Ahead(NamedTuple):
    """What is ahead of a state, wherever in a region the player is: commands, steps at least, selections, and rooms."""

    cost: int
    least: int
    selects: int
    stops: Stops


class Landmarks:
    """The landmarks of a pruned problem: an admissible estimate of the steps that are left."""

    def __init__(self, problem: Problem, about: int = -1) -> None:
        """Nothing is asked of functions that it is not `about`."""
        self._problem, self._here, self._about = problem, problem.here, about & ~problem.here
        self._walks = Walks(problem, about)
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
        self._goal = tuple(literal for condition in problem.goal for literal in self._literals(*_common(condition)))
        self._infos: dict[int, tuple[int, dict[int, _Info | None]]] = {}
        self._known = 0
        self._reach: dict[tuple[int, int], frozenset[int]] = {}
        self._places: dict[tuple[int, int], tuple[int, int, Stops]] = {}
        self._made: dict[tuple[int, int], _Ahead | None] = {}

    def estimate(self, state: int) -> int:
        """A number of steps that no plan from a state can fall below; FAR if there is none."""
        state &= self._problem.keep
        here = state & self._here
        barring = self._walks.barring(here)
        key = state ^ here, id(barring)
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._look_ahead(key[0], barring)
        cost, least, stops = found
        if stops:
            cost += self._walks.through(here, stops)
        return min(FAR, max(cost, least))

    def beyond(self, state: int, known: int) -> int:
        """The functions, of others than are known, of which something is needed on every way to the goal."""
        barred = self._walks.barring(state & self._here)
        found, seen, todo = 0, set[int](), list(self._goal)
        while todo:
            literal = todo.pop()
            if literal in seen or (state & literal if literal > 0 else not state & -literal):
                continue
            seen.add(literal)
            if not abs(literal) & known:
                found |= abs(literal)
                continue
            one = self._info(literal, state)
            if one is not None:
                todo += (*one.needs, *barred.get(one.room, ()))
        return found

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
                group = groups[(left & -left).bit_length()]
                left &= ~group
                own = need1 & group
                source = own or (0 if need0 & group == group else _ANY)
                way = _Way(source, change.set & group & keep, need1, need0, act, counts=False)
                self._ways.setdefault(group, []).append(way)

    def _info(self, literal: int, state: int) -> _Info | None:
        """A literal that is false in a state; None if nothing can achieve it."""
        known = self._infos.get(literal)
        if known is None:
            bit = abs(literal)
            known = self._infos[literal] = self._problem.groups[bit.bit_length()], {}
        value = state & known[0]
        if value not in known[1]:
            known[1][value] = self._common_needs(literal, value)
        return known[1][value]

    def _literals(self, ones: int, zeros: int) -> tuple[int, ...]:
        """The literals of masks, the player's room left out."""
        return (*bits(ones & self._about), *(-bit for bit in bits(zeros & self._about)))

    def _common_needs(self, literal: int, value: int) -> _Info | None:
        bit = abs(literal)
        group = self._problem.groups[bit.bit_length()]
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
        number, self._known = 1 << self._known, self._known + 1
        return _Info(
            literal, number, self._literals(ones, zeros), ones & self._here if self._walks.known else 0,
            intents, intents.bit_count(), cost, select, ticks,
        )

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
    def _look_ahead(self, rest: int, barring: Mapping[int, tuple[int, ...]]) -> tuple[int, int, Stops]:
        """The commands that the landmarks of a state take, without walking, the steps at least, and their rooms."""
        nodes: list[_Info] = []
        found, todo = 0, [self._goal]
        info, barred = self._info, barring.get
        while todo:
            for literal in todo.pop():
                if rest & literal if literal > 0 else not rest & -literal:
                    continue
                one = info(literal, rest)
                if one is None:
                    return FAR, FAR, ()
                if not found & one.number:
                    found |= one.number
                    nodes.append(one)
                    todo.append(one.needs)
                    if one.room:
                        todo.append(barred(one.room, ()))
        key = found, id(barring)
        if key not in self._made:
            self._made[key] = _together(nodes, barring)
        ahead = self._made[key]
        if ahead is None:
            return FAR, FAR, ()
        return ahead.cost + (ahead.selects & ~rest).bit_count(), ahead.least, ahead.stops


def _together(nodes: Sequence[_Info], barring: Mapping[int, tuple[int, ...]]) -> _Ahead | None:
    """What landmarks take together; None if some come before each other, which nothing can bring about."""
    places = {info.literal: place for place, info in enumerate(nodes)}
    first = [0] * len(nodes)
    for place, info in enumerate(nodes):
        for literal in (*info.needs, *barring.get(info.room, ())):
            if literal in places:
                first[place] |= 1 << places[literal]
    before = _all_before(first)
    if before is None:
        return None
    cost = used = selects = 0
    counted: list[int] = []
    for place in sorted(range(len(nodes)), key=lambda n: nodes[n].few):
        info = nodes[place]
        selects |= info.select
        if info.intents and not info.intents & used:
            used |= info.intents
            cost += info.cost
            counted.append(place)
    least = 0
    for place, info in enumerate(nodes):
        if info.ticks:
            after = sum(nodes[n].cost for n in counted if before[n] >> place & 1)
            least = max(least, info.ticks + after)
    return _Ahead(cost, least, selects, _stops(nodes, before))


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
