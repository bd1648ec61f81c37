"""A condition for all rooms of the player at once.

Most conditions are the same wherever the player is, and a thing that does not move is out of reach in all
rooms but one or two. So what a formula comes to is one condition, or a `Local` that lists the rooms in
which it is another than elsewhere: what holds of few rooms costs as much in a world of a hundred rooms as
in one of three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sandbox.world.bits import FALSE, TRUE, Condition, both, either


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A condition that depends on the player's room: the one in each of `rooms`, `other` everywhere else."""

    rooms: Mapping[str, Condition]
    other: Condition


Grounded: TypeAlias = Condition | Local
"""What a formula on given objects comes to."""


def in_room(found: Grounded, room: str) -> Condition:
    """What a formula comes to while the player is in a room."""
    return found.rooms.get(room, found.other) if isinstance(found, Local) else found


def by_room(rooms: Mapping[str, Condition], other: Condition) -> Grounded:
    """A condition that is `other` in all but some rooms; the same everywhere if there is none of these."""
    return Local(rooms, other) if rooms else other


def every(parts: Sequence[Grounded]) -> Grounded:
    """The conjunction of what formulas come to."""
    kept = [part for part in parts if part != TRUE]
    return joined(kept, _all_of) if len(kept) > 1 else kept[0] if kept else TRUE


def some(parts: Sequence[Grounded]) -> Grounded:
    """The disjunction of what formulas come to."""
    kept = [part for part in parts if part]
    return joined(kept, either) if len(kept) > 1 else kept[0] if kept else FALSE


def joined(parts: Sequence[Grounded], join: Callable[[list[Condition]], Condition]) -> Grounded:
    """What formulas come to as one, joined in each room where one of them differs."""
    other = join([part.other if isinstance(part, Local) else part for part in parts])
    rooms = dict.fromkeys([room for part in parts if isinstance(part, Local) for room in part.rooms])
    here = {room: join([in_room(part, room) for part in parts]) for room in rooms}
    return by_room({room: condition for room, condition in here.items() if condition != other}, other)


def _all_of(conditions: Iterable[Condition]) -> Condition:
    found = TRUE
    for condition in conditions:
        found = both(found, condition)
    return found
