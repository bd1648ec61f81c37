"""How many commands it takes to bring things together, from here."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Final

from sandbox.agent.belief import HELD
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Args

DOOR: Final = 5
"""Commands that it takes to have a door let one through, about."""


class Costs:
    """How many commands it takes to have things where an experiment wants them."""

    def __init__(self, mind: Mind) -> None:
        self._mind, self._ways = mind, self._weighed(mind)
        self._far: dict[str, dict[str, int]] = {}
        self._held = {name for name, where in mind.belief.place.items() if where == HELD}

    def far(self, start: str) -> dict[str, int]:
        """Steps from a room to every room that can be reached."""
        found = self._far.get(start)
        if found is None:
            found = {}
            queue = [(0, start)]
            while queue:
                steps, room = heappop(queue)
                if room not in found:
                    found[room] = steps
                    for to, more in self._ways.get(room, ()):
                        if to not in found:
                            heappush(queue, (steps + more, to))
            self._far[start] = found
        return found

    @staticmethod
    def _weighed(mind: Mind) -> dict[str, list[tuple[str, int]]]:
        """The ways out of every room, each with its commands: more where a door has to be dealt with that can be."""
        rules, belief, blocking = mind.rules, mind.belief, mind.rules.blocking()
        found = {room: [(to, 1) for to in ways] for room, ways in mind.open_ways().items()}
        makeable = set(rules.makeable())
        for room, ways in belief.ways.items():
            for to, door in ways.items():
                barring = belief.words.get(door, frozenset()) & blocking if door is not None else frozenset[str]()
                if barring and all((door, word, False) in makeable for word in barring):
                    found[room].append((to, 1 + DOOR))
        return found

    def of(self, args: Args, spots: tuple[str, ...], room: str | None = None) -> tuple[int, str] | None:
        """The commands needed before the experiment itself, and the room it is made in; None when it cannot be.

        With `room` it is to be made there, which is possible when all its things are held.
        """
        at, cost, belief = self._mind.belief.at, 0, self._mind.belief
        fixed = [room] if room else None
        for arg, spot in zip(args, spots, strict=True):
            if spot == "held":
                if arg not in self._held:
                    source = belief.room_of(arg)
                    if source is None or (steps := self.far(at).get(source)) is None:
                        return None
                    full = len(self._held) + 1 > self._mind.rules.capacity
                    cost, at = cost + steps + 1 + 3 * belief.hidden(arg) + full, source
            elif spot == "here":
                if arg in self._held:
                    cost += 1
                    continue
                rooms = self._rooms_of(arg)
                fixed = rooms if fixed is None else [one for one in fixed if one in rooms]
        if fixed is None:
            return cost, at
        options = [(steps, one) for one in fixed if (steps := self.far(at).get(one)) is not None]
        if not options:
            return None
        steps, there = min(options)
        return cost + steps, there

    def _rooms_of(self, name: str) -> list[str]:
        belief = self._mind.belief
        if belief.hidden(name):
            return []
        if belief.place.get(name) == "*door":
            return [room for room, ways in belief.ways.items() if name in ways.values()]
        room = belief.room_of(name)
        return [room] if room else []
