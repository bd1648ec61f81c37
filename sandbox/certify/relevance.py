"""What could have a part in reaching a goal, before anything is grounded in a room: functions, intents, laws.

An intent or law is relevant if it touches a relevant function. A function is relevant if a relevant law reads it, or
if the goal or a relevant intent needs it to be otherwise than it is; what is as it is needed counts if some law, or a
relevant intent, touches it. In a world of a hundred rooms most things have no part in any one goal, and are never
grounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from sandbox.world.bits import Change, Condition, reads
from sandbox.world.dynamics import Dynamics, Intent
from sandbox.world.local import Grounded, Local


class Relevance:
    """The relevant intents and laws (by index), which only ever grow with what is asked for."""

    def __init__(self, dynamics: Dynamics) -> None:
        self._dynamics = dynamics
        self._group_of = {bit: group.mask for group in dynamics.ground.groups.values() for bit in group.bits}
        self.intents: set[Intent] = set()
        self.laws: set[int] = set()
        self._groups_in = 0
        self._always1 = self._always0 = -1
        self._needed1 = self._needed0 = 0
        self._read, self._touched = dynamics.here_mask, 0
        self._by_group: dict[int, list[Intent | int]] = {}
        self._touches: dict[Intent | int, int] = {}
        self._law_reads: dict[int, int] = {}
        self._index()

    def _index(self) -> None:
        """Which functions every intent and law touches."""
        ground = self._dynamics.ground
        for intent in self._dynamics.hopeful:
            self._touch(intent, ground.touched(intent))
        laws: dict[int, int] = {}
        for room in self._dynamics.rooms.values():
            for law in (*room.steps, *room.events):
                laws[law.index] = laws.get(law.index, 0) | _bits_of(law.changes)
                read = reads(law.when)
                for change in law.changes:
                    read |= reads(change.when) | change.group
                self._law_reads[law.index] = self._law_reads.get(law.index, 0) | read
        for index, touched in laws.items():
            self._touch(index, touched)
            self._touched |= touched  # a law needs nobody to carry it out

    def _touch(self, what: Intent | int, bits: int) -> None:
        self._touches[what] = bits
        for group in self._groups(bits):
            self._by_group.setdefault(group, []).append(what)

    def _groups(self, bits: int) -> Iterator[int]:
        left = bits & self._dynamics.fact_mask
        while left:
            group = self._group_of[left & -left]
            left &= ~group
            yield group

    def add(self, goal: Sequence[Condition], state: int) -> bool:
        """Make a goal relevant, to be reached from a state; whether that added an intent or a law."""
        before = len(self.intents), len(self.laws)
        self._always1, self._always0 = self._always1 & state, self._always0 & ~state
        for condition in goal:
            self._need(condition)
        self._spread()
        return (len(self.intents), len(self.laws)) != before

    def add_all(self) -> bool:
        """Make everything relevant; whether that added anything."""
        before = len(self.intents), len(self.laws)
        self._read |= self._dynamics.fact_mask
        self.intents |= set(self._dynamics.hopeful)
        self.laws |= set(self._law_reads)
        self._groups_in = self._dynamics.fact_mask
        return (len(self.intents), len(self.laws)) != before

    def _spread(self) -> None:
        """From functions to what touches them, to what that needs, and so on."""
        while True:
            needed = self._needed1 | self._needed0
            wanted = self._read | self._needed1 & ~self._always1 | self._needed0 & ~self._always0
            fresh = list(self._groups((wanted | needed & self._touched) & ~self._groups_in))
            if not fresh:
                return
            for group in fresh:
                self._groups_in |= group
                for what in self._by_group.get(group, ()):
                    if what not in self.intents and what not in self.laws:
                        self._admit(what)

    def _admit(self, what: Intent | int) -> None:
        """Make an intent or a law relevant with what it needs or reads."""
        self._touched |= self._touches[what]
        ground = self._dynamics.ground
        if isinstance(what, int):
            self.laws.add(what)
            self._read |= self._law_reads[what]
            if ground.ticks(what):
                self._wait()
        else:
            self.intents.add(what)
            self._read |= ground.read_by_changes(what)
            for need in ground.needs(what):
                for condition in _everywhere(need.condition):
                    self._need(condition)

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


def _everywhere(grounded: Grounded) -> Iterable[Condition]:
    return (*grounded.rooms.values(), grounded.other) if isinstance(grounded, Local) else (grounded,)


def _bits_of(changes: Iterable[Change]) -> int:
    found = 0
    for change in changes:
        found |= change.clear | change.set | change.group
    return found
