"""The crowd of a large world: plain things that lie about in its rooms, farther from the start than a few others.

A hundred rooms hold two hundred things, nearly all of which have no part in any one task. Their bits come last in a
state, so that what is about the rest stays short, and the search for a plan leaves them alone as long as it may.
"""

from __future__ import annotations

from sandbox.world import spec
from sandbox.world.spec import Layout

PLAIN = "thing"
LARGE = 20
"""Rooms from which on a world has a crowd."""
NEAREST = 6
"""Plain things, the nearest to the start, that do not belong to it."""

NEAR_ROOMS = 8
"""Rooms, the nearest to the start, where anything may be put down to have it out of the way."""


def crowd(layout: Layout) -> tuple[str, ...]:
    """The things of the crowd, the nearest to the start first."""
    if len(layout.rooms) < LARGE:
        return ()
    start = {args: str(value) for name, args, value in layout.start if name in (spec.PLACE, spec.HERE)}
    far = distances(layout, start.get((), layout.rooms[0]))
    plain = [o.id for o in layout.objects if o.kind == PLAIN and start.get((o.id,)) in far]
    return tuple(sorted(plain, key=lambda id_: far[start[id_,]])[NEAREST:])


def nearest(layout: Layout) -> tuple[str, ...]:
    """The rooms nearest to the start, where things that are in the way are put down."""
    start = next((str(value) for name, _, value in layout.start if name == spec.HERE), layout.rooms[0])
    far = distances(layout, start)
    return tuple(sorted(far, key=lambda room: far[room])[:NEAR_ROOMS])


def distances(layout: Layout, room: str) -> dict[str, int]:
    """The number of ways from a room to every other one, whatever bars them."""
    ways: dict[str, list[str]] = {}
    for name, args in layout.relations:
        if name == "exit":
            ways.setdefault(args[0], []).append(args[1])
    far, queue = {room: 0}, [room]
    for at in queue:
        for to in ways.get(at, ()):
            if to not in far:
                far[to] = far[at] + 1
                queue.append(to)
    return far
