"""How many commands it takes to bring things together, from here."""

from __future__ import annotations

from sandbox.agent.belief import HELD
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Args


class Costs:
    """How many commands it takes to have things where an experiment wants them."""

    def __init__(self, mind: Mind) -> None:
        self._mind, self._ways = mind, mind.open_ways()
        self._far: dict[str, dict[str, int]] = {}
        self._held = {name for name, where in mind.belief.place.items() if where == HELD}

    def far(self, start: str) -> dict[str, int]:
        """Steps from a room to every room that can be reached."""
        found = self._far.get(start)
        if found is None:
            found = {start: 0}
            queue = [start]
            for room in queue:
                for to in self._ways.get(room, ()):
                    if to not in found:
                        found[to] = found[room] + 1
                        queue.append(to)
            self._far[start] = found
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
