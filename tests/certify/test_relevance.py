"""What is grounded only where it can matter: the shortest plans stay as short as when everything is grounded."""

from __future__ import annotations

import pytest

from sandbox.certify.landmarks import Landmarks
from sandbox.certify.problem import Everything
from sandbox.certify.search import search
from sandbox.certify.solve import asked_actions, focused_actions
from sandbox.certify.worlds import build
from sandbox.world.dynamics import Dynamics
from sandbox.world.world import World

REFS = ("small/0", "small/3", "default/1", "default/2", "default/5", "default/8")


def _optimum(world: World, start_after: int, *, everywhere: bool) -> tuple[int | None, int]:
    """The proven optimum from a state that some moves lead to, and how many moves were grounded for it."""
    everything = Everything(Dynamics(world.rules, world.layout), focused_actions(world), asked_actions(world))
    dynamics = everything.dynamics
    if everywhere:
        assert everything.acts
    state = dynamics.start
    for number in range(start_after):
        moves = [m for m in dynamics.room(state).moves if m.ready(state)]
        state = dynamics.after(state, moves[(7 * number + 3) % len(moves)])
    problem = everything.problem(dynamics.goal(world.goal), start=state)
    result = search(problem, state, 6_000, Landmarks(problem).estimate, every=False)
    assert result.exact
    return result.steps, len(everything.covered)


@pytest.mark.parametrize("ref", REFS)
@pytest.mark.parametrize("strayed", [0, 6])
def test_the_optimum_is_that_of_everything(ref: str, strayed: int) -> None:
    """From the start, and from a state that other moves lead to, with things dropped where no plan would drop them."""
    world = build(ref).world
    narrow, few = _optimum(world, strayed, everywhere=False)
    wide, many = _optimum(world, strayed, everywhere=True)
    assert narrow == wide
    assert few < many
