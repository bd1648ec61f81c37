"""Large worlds: what is left out of a search never makes a proof or a bound untrue, and they build and check."""

from __future__ import annotations

import pytest

from sandbox.certify.checker import check
from sandbox.certify.landmarks import Landmarks
from sandbox.certify.problem import Everything
from sandbox.certify.search import search
from sandbox.certify.solve import asked_actions, focused_actions
from sandbox.certify.worlds import build
from sandbox.world import crowd
from sandbox.world.dynamics import Dynamics
from sandbox.world.world import World

REFS = ("small/0", "small/3", "default/1", "default/2", "default/5", "default/8", "default/9", "default/11")


@pytest.mark.parametrize("ref", ["large/6", "huge/3"])
def test_a_world_of_many_rooms_builds_and_checks(ref: str) -> None:
    """Its plan works under the slow interpreter, and its bound is no longer than the plan."""
    built = build(ref)
    assert check(built.world, built.certificate) is None
    assert built.certificate.steps / 2 < built.certificate.lower_bound <= built.certificate.steps
    assert built.solved.dynamics.ground.crowd


def _searched(world: World) -> tuple[bool, int | None, int, bool]:
    """Whether nothing was left out, the optimum or None, its bound, and whether it is proven."""
    everything = Everything(Dynamics(world.rules, world.layout), focused_actions(world), asked_actions(world))
    start = everything.dynamics.start
    problem = everything.problem(everything.dynamics.goal(world.goal))
    estimate = Landmarks(problem).estimate
    result = search(problem, start, 6_000, estimate, every=False)
    return problem.whole, result.steps, result.bound, result.exact


@pytest.mark.parametrize("near", [1, 99])
@pytest.mark.parametrize("ref", REFS)
def test_what_is_left_out_makes_no_proof_untrue(ref: str, near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a crowd in a small world: a proof is that of everything, and without one the bound keeps below it."""
    world = build(ref).world
    _, optimum, _, proven = _searched(world)
    assert proven
    assert optimum is not None
    monkeypatch.setattr(crowd, "LARGE", 1)
    monkeypatch.setattr(crowd, "NEAREST", 0)
    monkeypatch.setattr(crowd, "NEAR_ROOMS", near)
    whole, steps, bound, exact = _searched(world)
    assert bound <= optimum
    assert whole or not exact
    assert steps is None or (steps == optimum if whole else steps >= optimum)
