"""A lower bound on the plans of a world that is too large for a proof, from everything that can achieve what they need.

The search leaves moves out there, and what it lacks proves nothing. Here every move and law, those of the crowd too,
that touches some few functions counts: those of the goal, then those of which every way to the goal needs something,
and so on, as far as MOST moves go. Nothing is asked of any other function. The landmarks of what is then left to do
(`landmarks`) are landmarks of the whole world.
"""

from __future__ import annotations

from sandbox.certify.landmarks import Landmarks
from sandbox.certify.problem import Everything
from sandbox.certify.pruned import Problem, RoomRules
from sandbox.world.bits import Condition, reads

MOST = 5_000
"""Moves, each in one room, that are looked at."""


def least(everything: Everything, goal: tuple[Condition, ...]) -> int:
    """A number of commands from the start that no plan falls below; FAR if there is no plan."""
    start, here = everything.start, everything.dynamics.here_mask
    asked = 0
    for condition in goal:
        asked |= reads(condition)
    known, fresh, left = 0, everything.whole(asked) | here, MOST
    landmarks = None
    while fresh:
        before = known
        for group in everything.groups_of(fresh):
            size = everything.size_of(group)
            if size <= left or group == here:
                known, left = known | group, left - size
        if known == before:
            break
        landmarks = Landmarks(_about(everything, goal, known))
        fresh = landmarks.beyond(start, known)
    return 0 if landmarks is None else Landmarks(_about(everything, goal, known), known).estimate(start)


def _about(everything: Everything, goal: tuple[Condition, ...], known: int) -> Problem:
    """The moves and laws that touch some functions, with nothing left out."""
    dynamics = everything.dynamics
    rooms = {}
    for bit, acts, laws in everything.touching(known):
        rows = tuple((act.mask, act.want, ~act.clear, act.put, False, act) for act in acts)
        rooms[bit] = RoomRules(rows, laws, (), None)
    return Problem(
        rooms, dynamics.unasked, dynamics.here_mask, goal, dynamics.ground.group_at, ~dynamics.selected_mask, whole=True
    )

