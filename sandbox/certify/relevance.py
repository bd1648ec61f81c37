"""What could have a part in reaching a goal, before anything is grounded in a room: functions, intents, laws.

An intent or law is relevant if it touches a relevant function. A function is relevant if a relevant law reads it, in
its own condition or in that of a change to a relevant function, or if the goal or a relevant intent needs it to be
otherwise than it is; what is as it is needed counts if some law, or a relevant intent, can make it otherwise. In a
world of a hundred rooms most things have no part in any one goal, and are never grounded.

Nor is every relevant intent grounded in every room: moving a thing to where nothing asks for it, only to take it up
again, is a detour (`rooms`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from sandbox.world.bits import TRUE, Condition, reads
from sandbox.world.crowd import LARGE, nearest
from sandbox.world.dynamics import Dynamics, Intent
from sandbox.world.local import Grounded, Local

TAKE = "take"


class Shift(NamedTuple):
    """An intent that does nothing but give one function another value: which in each room, and from which.

    `source` is the value that it needs, 0 if it does from several; `goal` the value where it is the same everywhere.
    """

    group: int
    source: int
    goal: int
    targets: dict[str, int]


class Relevance:
    """The relevant intents and laws (by index), which only ever grow with what is asked for."""

    def __init__(self, dynamics: Dynamics) -> None:
        self._dynamics = dynamics
        self._group_at = dynamics.ground.group_at
        self.intents: set[Intent] = set()
        self.laws: set[int] = set()
        self._groups_in = 0
        self._always1 = self._always0 = -1
        self._needed1 = self._needed0 = 0
        self._read = dynamics.here_mask
        self._sets, self._clears = 0, 0
        self._by_group: dict[int, list[Intent | int]] = {}
        self._touches: dict[Intent | int, int] = {}
        self._law_reads: dict[int, int] = {}
        self._intent_reads: dict[Intent, int] = {}
        self._change_reads: dict[tuple[int, int], int] = {}
        self.ever, self.always = 0, -1
        self._asked1 = self._asked0 = 0
        self._own: dict[int, tuple[int, int]] = {}
        self._counted1 = self._counted0 = 0
        self._shifts: dict[Intent, Shift | None] = {}
        self._law_sets, self._free, self._limits = 0, False, False
        self.loose = 0
        """The bits that moves with what is left out can touch."""
        self.cut = False
        """Whether a move was left out in rooms where it might serve."""
        self._near = frozenset(nearest(dynamics.layout) if dynamics.ground.crowd else ())
        self._sought = 0
        self._homes: dict[Intent, frozenset[str]] = {}
        self._absent = dict.fromkeys(dynamics.ground.crowd)
        self._absent_intents: set[Intent] = set()
        self._index()
        self._leave_out()

    def _index(self) -> None:
        """Which functions every intent and law touches."""
        ground = self._dynamics.ground
        for intent in self._dynamics.hopeful:
            self._touch(intent, ground.touched(intent))
        laws: dict[int, int] = {}
        known: set[tuple[int, int]] = set()
        for room in self._dynamics.rooms.values():
            for law in (*room.steps, *room.events):
                self._law_reads[law.index] = self._law_reads.get(law.index, 0) | reads(law.when)
                for change in law.changes:
                    if (law.index, id(change)) in known:
                        continue
                    known.add((law.index, id(change)))
                    touched = change.clear | change.set | change.group
                    laws[law.index] = laws.get(law.index, 0) | touched
                    self._sets |= change.set | change.group
                    self._clears |= change.clear & ~change.set | change.group
                    read = reads(change.when) | change.group
                    for group in self._groups(touched) if read else ():
                        key = law.index, group
                        self._change_reads[key] = self._change_reads.get(key, 0) | read
        for index, touched in laws.items():
            self._touch(index, touched)

    def _touch(self, what: Intent | int, bits: int) -> None:
        self._touches[what] = bits
        for group in self._groups(bits):
            self._by_group.setdefault(group, []).append(what)

    def _groups(self, bits: int) -> Iterator[int]:
        left = bits & self._dynamics.fact_mask
        while left:
            group = self._group_at[(left & -left).bit_length()]
            left &= ~group
            yield group

    def touching(self, group: int) -> list[Intent | int]:
        """All intents and laws that touch a function, relevant or not."""
        return self._by_group.get(group, [])

    # --- what is left out -----------------------------------------------------------------------
    def _leave_out(self) -> None:
        """Moves with something that is left out are not looked at."""
        absent = self._absent
        self._absent_intents = {intent for intent in self._dynamics.hopeful if any(arg in absent for arg in intent[1])}
        self.loose = 0
        for intent in self._absent_intents:
            self.loose |= self._touches[intent]

    def take_in(self, goal: Sequence[Condition], state: int) -> None:
        """Leave out no longer what a goal is about, or what is not as it was at the start."""
        if not self._absent:
            return
        about = state ^ self._dynamics.start
        for condition in goal:
            about |= reads(condition)
        found = {
            arg for (_, args), group in self._dynamics.ground.groups.items() for arg in args
            if arg in self._absent and group.mask & about
        }
        if found:
            self._let_in(found)

    def _let_in(self, ids: Iterable[str]) -> None:
        for id_ in ids:
            del self._absent[id_]
        before = self._absent_intents
        self._leave_out()
        for intent in self._dynamics.hopeful:
            if intent in before and intent not in self._absent_intents and self._touches[intent] & self._groups_in:
                self._admit(intent)

    def add(self, goal: Sequence[Condition], state: int, *, limits: bool = False) -> bool:
        """Make a goal relevant, to be reached from a state; whether that added anything to be grounded.

        With `limits`, those on carrying count too.
        """
        before = self._signature()
        self._limits |= limits
        self.take_in(goal, state)
        self._always1, self._always0 = self._always1 & state, self._always0 & ~state
        self.ever, self.always = self.ever | state, self.always & state
        for condition in goal:
            self._need(condition)
            self._ask(condition, 0, 0)
            for clause in condition:
                self._sought |= clause.want
        self._spread()
        return self._signature() != before

    def add_all(self) -> bool:
        """Make everything relevant; whether that added anything."""
        before = self._signature()
        self._let_in(list(self._absent))
        self._read |= self._dynamics.fact_mask
        self.intents |= set(self._dynamics.hopeful)
        self.laws |= set(self._law_reads)
        self._groups_in = self._dynamics.fact_mask
        self._free = True
        return self._signature() != before

    def _signature(self) -> tuple[object, ...]:
        """What decides which intents are grounded in which rooms."""
        facts = self._groups_in & ~self._dynamics.here_mask
        return (
            len(self.intents), len(self.laws), self._asked1, self._asked0, self.ever & facts, self.always & facts,
            self._free, self._limits, tuple(self._own.items()),
        )

    def _spread(self) -> None:
        """From functions to what touches them, to what that needs, and so on."""
        while True:
            live1 = self._needed1 & (~self._always1 | self._clears)
            live0 = self._needed0 & (~self._always0 | self._sets)
            fresh = list(self._groups((self._read | live1 | live0) & ~self._groups_in))
            if not fresh:
                return
            for group in fresh:
                self._groups_in |= group
                for what in self._by_group.get(group, ()):
                    if what not in self.intents and what not in self.laws and what not in self._absent_intents:
                        self._admit(what)
                    if isinstance(what, int):
                        self._heed(self._change_reads.get((what, group), 0))

    def _admit(self, what: Intent | int) -> None:
        """Make an intent or a law relevant with what it needs or reads."""
        ground = self._dynamics.ground
        if isinstance(what, int):
            self.laws.add(what)
            self._heed(self._law_reads[what])
            self._law_sets |= self._touches[what]
            if ground.ticks(what):
                self._wait()
        else:
            self.intents.add(what)
            read = self._intent_reads.get(what)
            if read is None:
                read = self._intent_reads[what] = ground.read_by_changes(what)
            self._heed(read)
            shift = self._shift(what)
            if shift is None:
                self._sets, self._clears = self._sets | self._touches[what], self._clears | self._touches[what]
            else:
                self._clears |= shift.group
                for bit in set(shift.targets.values()):
                    self._sets |= bit
            own, goal = (shift.group, shift.goal) if shift and shift.goal else (0, 0)
            rooms = self._dynamics.hopeful[what]
            for need in ground.needs(what):
                for condition in _in_rooms(need.condition, rooms):
                    self._need(condition)
                    self._ask(condition, own, goal)

    def _heed(self, read: int) -> None:
        """What laws and conditional changes read matters, whichever way it is."""
        self._read |= read
        self._asked1, self._asked0 = self._asked1 | read, self._asked0 | read

    def _need(self, condition: Condition) -> None:
        """What a condition needs. Of what a limit counts, as little or as much as there is can be needed."""
        for mask, want, cards in condition:
            self._needed1 |= want
            self._needed0 |= mask & ~want
            for card in cards:
                for _, counted in card.weighed:
                    if card.at_most:
                        self._needed0 |= counted
                    else:
                        self._needed1 |= counted

    def _ask(self, condition: Condition, own: int, goal: int) -> None:
        """Literals that are asked for, those on the function that the move itself changes by where it leads."""
        for mask, want, cards in condition:
            zeros = mask & ~want
            self._asked1, self._asked0 = self._asked1 | want & ~own, self._asked0 | zeros & ~own
            if own & mask:
                ones1, ones0 = self._own.get(goal, (0, 0))
                self._own[goal] = ones1 | want & own, ones0 | zeros & own
            for card in cards:
                for _, counted in card.weighed:
                    if card.at_most:
                        self._counted0 |= counted
                    else:
                        self._counted1 |= counted

    def _shift(self, intent: Intent) -> Shift | None:
        """What an intent does if it is no more than giving one function a value."""
        if intent not in self._shifts:
            self._shifts[intent] = self._shifted(intent)
        return self._shifts[intent]

    def _shifted(self, intent: Intent) -> Shift | None:
        touched, ground = self._touches[intent], self._dynamics.ground
        if not touched or touched & ~self._dynamics.fact_mask or touched & self._dynamics.here_mask:
            return None
        group = self._group_at[(touched & -touched).bit_length()]
        if touched & ~group or group & (group - 1) == 0:
            return None
        rooms = sorted(self._dynamics.hopeful[intent])
        alike = ground.changes_alike(intent)
        targets = {}
        for room in rooms[:1] if alike else rooms:
            changes = ground.changes(intent, room)
            if not changes or any(c.when != TRUE or c.group or c.clear != group for c in changes):
                return None
            targets[room] = changes[-1].set
        source = 0
        for need in ground.needs(intent):
            common = group
            for condition in _everywhere(need.condition):
                for clause in condition:
                    common &= clause.want
            source = source or common
        goal = next(iter(targets.values())) if alike else 0
        return Shift(group, source, goal, dict.fromkeys(rooms, goal) if alike else targets)

    def rooms(self) -> Iterator[tuple[Intent, frozenset[str]]]:
        """The relevant intents with the rooms in which they have to be grounded.

        A move of one function from the value it needs to one that nothing asks for is left out, where whatever leads
        on from there leads back, and nothing wants the old value gone: what comes next, if anything, undoes it, and
        without both, whatever the plan needs still holds. Then moves are left out that need what can never be set.
        """
        hopeful = self._dynamics.hopeful
        if self._free:
            yield from ((intent, hopeful[intent]) for intent in hopeful if intent in self.intents)
            return
        self.cut = False
        kept: dict[Intent, frozenset[str]] = {}
        can = self.ever | self._law_sets | self._dynamics.here_mask | self.loose
        for intent in hopeful:
            if intent not in self.intents:
                continue
            rooms, shift = hopeful[intent], self._shift(intent)
            if shift is None:
                can |= self._touches[intent]
            else:
                rooms = self._asked_for(shift, rooms)
                for room in rooms:
                    can |= shift.targets[room]
            kept[intent] = self._at_hand(intent, rooms) if self._near else rooms
        for intent, rooms in kept.items():
            left = self._met(intent, rooms, can)
            if left:
                yield intent, left

    def _at_hand(self, intent: Intent, rooms: frozenset[str]) -> frozenset[str]:
        """Of what can be done anywhere in a large world, the rooms near the start, where the things that it takes are
        at first, and where a goal asks for what comes of it.
        """
        if len(rooms) < LARGE or not intent[1] or intent[0] == TAKE or self._touches[intent] & self._dynamics.here_mask:
            return rooms
        homes = self._homes.get(intent)
        if homes is None:
            homes = self._homes[intent] = self._near.union(self._dynamics.ground.whereabouts(id_) for id_ in intent[1])
        left = {room for room in rooms if room in homes or self._comes_of(intent, room) & self._sought}
        self.cut |= len(left) < len(rooms)
        return frozenset(left)

    def _comes_of(self, intent: Intent, room: str) -> int:
        """The bits that an intent can set in one room, but not in every one."""
        if self._dynamics.ground.changes_alike(intent):
            return 0
        sets = 0
        for change in self._dynamics.ground.changes(intent, room):
            sets |= change.set
        return sets

    def _asked_for(self, shift: Shift, rooms: frozenset[str]) -> frozenset[str]:
        """The rooms in which a move of one function is no detour."""
        if not shift.source:
            return rooms
        ones, zeros = self._asked_but(shift.source)
        return rooms if shift.source & zeros else frozenset([room for room in rooms if shift.targets[room] & ones])

    def _asked_but(self, goal: int) -> tuple[int, int]:
        """The literals that something asks for other than a move to a value of the same function."""
        ones, zeros = self._asked1, self._asked0
        if self._limits:
            ones, zeros = ones | self._counted1, zeros | self._counted0
        for to, (own1, own0) in self._own.items():
            if to != goal:
                ones, zeros = ones | own1, zeros | own0
        return ones, zeros

    def _met(self, intent: Intent, rooms: frozenset[str], can: int) -> frozenset[str]:
        """The rooms in which each need has a clause that asks for no more than can be set."""
        for need in self._dynamics.ground.needs(intent):
            grounded = need.condition
            if not isinstance(grounded, Local):
                if not _could(grounded, can):
                    return frozenset()
            elif _could(grounded.other, can):
                rooms = rooms - {room for room, here in grounded.rooms.items() if not _could(here, can)}
            else:
                rooms = rooms & {room for room, here in grounded.rooms.items() if _could(here, can)}
        return rooms

    @cached_property
    def idle(self) -> tuple[Intent, ...]:
        """The intents that change nothing and need no more than every intent does."""
        needs, hopeful = self._dynamics.ground.needs, self._dynamics.hopeful
        found = []
        for intent in hopeful:
            if not self._touches[intent]:
                asked = [need.condition for need in needs(intent)]
                if all(condition in [n.condition for n in needs(other)] for other in hopeful for condition in asked):
                    found.append(intent)
        return tuple(found)

    def _wait(self) -> None:
        """Where time matters, so does letting it pass: by doing nothing, or else by anything at all."""
        for intent in self.idle:
            if intent not in self.intents:
                self.intents.add(intent)
        if not self.idle:
            self._read |= self._dynamics.fact_mask
            self._free = True


def _everywhere(grounded: Grounded) -> Iterable[Condition]:
    return (*grounded.rooms.values(), grounded.other) if isinstance(grounded, Local) else (grounded,)


def _in_rooms(grounded: Grounded, rooms: frozenset[str]) -> Iterable[Condition]:
    """The conditions that hold in some of the rooms."""
    if not isinstance(grounded, Local):
        return (grounded,)
    found = [here for room, here in grounded.rooms.items() if room in rooms]
    return found if len(found) == len(rooms) else (*found, grounded.other)


def _could(condition: Condition, can: int) -> bool:
    return any(not clause.want & ~can for clause in condition)
