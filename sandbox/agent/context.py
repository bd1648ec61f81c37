"""What is around a deed that is none of its things: what else is there, what is held besides, the agent itself.

A `Feature` is a tuple: ("near", kind) something else of a kind is within reach; ("near", kind, word) and the word is
said of it; ("with", kind) it is held; ("empty",) nothing is held besides the things of the deed; ("own", word) the
word is said of the agent; ("spot", gap, where) and ("arg", gap, word) where the thing in a gap is, and what is said
of it. Kinds are those that the world names; a thing of no known kind is a kind of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from sandbox.agent.belief import HELD, Belief

Feature: TypeAlias = tuple[str, ...]


class Around:
    """The features of every room as believed now; made anew whenever something changed."""

    def __init__(self, belief: Belief, kinds: Mapping[str, str]) -> None:
        self._belief, self._kinds = belief, kinds
        self._rooms: dict[str, dict[Feature, set[str]]] = {}
        self._things: dict[str, list[str]] = {}
        self._held = [name for name, where in belief.place.items() if where == HELD]
        self._own = [("own", word) for word in sorted(belief.own)]

    def kind(self, name: str) -> str:
        """The kind of a thing, or its name."""
        return self._kinds.get(name, name)

    def things(self, room: str) -> list[str]:
        """What is in a room, doors and what lies in open things included."""
        if room in self._things:
            return self._things[room]
        belief = self._belief
        found = [door for door in belief.ways.get(room, {}).values() if door is not None]
        for name, where in belief.place.items():
            if where == room or (where in belief.first and not belief.hidden(name) and belief.place.get(where) == room):
                found.append(name)
        self._things[room] = found
        return found

    def features(self, args: Iterable[str], room: str | None = None, *, drop: bool = False) -> frozenset[Feature]:
        """What would be around a deed with `args` in a room, here by default; with `drop`, with nothing else held."""
        at = self._belief.at if room is None else room
        rows = self._rooms.get(at)
        if rows is None:
            rows = self._rooms[at] = self._rows(self.things(at))
        own = set(args)
        found = {feature for feature, names in rows.items() if not names <= own}
        load = [] if drop else [name for name in self._held if name not in own]
        for name in load:
            found |= self._rows([name]).keys()
            found.add(("with", self.kind(name)))
        if not load:
            found.add(("empty",))
        found.update(self._own)
        return frozenset(found)

    def situation(
        self, args: Sequence[str], spots: Sequence[str], room: str | None = None, *, drop: bool = False
    ) -> frozenset[Feature]:
        """All features of a deed: those around it, and those of its things."""
        own = {("spot", str(i), spot) for i, spot in enumerate(spots)}
        own |= {("arg", str(i), word) for i, arg in enumerate(args) for word in self._belief.words.get(arg, ())}
        return self.features(args, room, drop=drop) | own

    def _rows(self, names: Iterable[str]) -> dict[Feature, set[str]]:
        rows: dict[Feature, set[str]] = {}
        for name in names:
            kind = self.kind(name)
            rows.setdefault(("near", kind), set()).add(name)
            for word in self._belief.words.get(name, ()):
                rows.setdefault(("near", kind, word), set()).add(name)
        return rows
