"""The bound of a world without a proof: no plan falls below it, whatever the search leaves out."""

from __future__ import annotations

import pytest

from sandbox.certify import bound
from sandbox.certify.bound import least
from sandbox.certify.problem import Everything
from sandbox.certify.solve import asked_actions, focused_actions
from sandbox.certify.worlds import build
from sandbox.world import crowd
from sandbox.world.dynamics import Dynamics
from sandbox.world.world import World

REFS = (*(f"small/{n}" for n in range(8)), *(f"default/{n}" for n in range(14)))


def _least(world: World) -> int:
    everything = Everything(Dynamics(world.rules, world.layout), focused_actions(world), asked_actions(world))
    goal = everything.dynamics.goal(world.goal)
    everything.problem(goal)
    return least(everything, goal)


@pytest.mark.parametrize("ref", REFS)
def test_no_plan_is_shorter_than_the_bound(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With everything left out of the search that can be, and with few moves or all of them looked at for the bound."""
    built = build(ref)
    optimum = built.certificate.steps
    assert built.certificate.tier == "exact"
    monkeypatch.setattr(crowd, "LARGE", 1)
    monkeypatch.setattr(crowd, "NEAREST", 0)
    monkeypatch.setattr(crowd, "NEAR_ROOMS", 1)
    assert 2 < _least(built.world) <= optimum
    monkeypatch.setattr(bound, "MOST", 60)
    assert _least(built.world) <= optimum
