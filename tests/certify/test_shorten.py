"""Plans made shorter: they still work, and are no shorter than the shortest."""

from __future__ import annotations

import pytest

from sandbox.certify.plans import path
from sandbox.certify.search import FAR, search
from sandbox.certify.shorten import shortened
from sandbox.certify.worlds import build
from sandbox.world.bits import holds


@pytest.mark.parametrize("ref", ["small/1", "default/2", "default/5", "default/9"])
def test_a_plan_made_shorter_works(ref: str) -> None:
    """From a plan that was found in haste."""
    solved = build(ref).solved
    problem, start = solved.problem, solved.dynamics.start
    hasty = search(problem, start, 20_000, lambda state: min(FAR, 20 * solved.estimate(state)), every=False)
    better = shortened(problem, start, hasty)
    assert hasty.steps is not None
    assert better.steps is not None
    assert solved.steps <= better.steps <= hasty.steps
    end = path(solved.dynamics, tuple(act.intent for act in better.acts))[-1]
    assert all(holds(condition, end) for condition in problem.goal)


def test_what_is_not_missed_is_left_out() -> None:
    """With the last act made twice, the shortest plan is found again."""
    solved = build("default/2").solved
    plan = solved.result
    assert plan.steps is not None
    long = plan._replace(acts=(*plan.acts, plan.acts[-1]), steps=plan.steps + 1)
    assert shortened(solved.problem, solved.dynamics.start, long).steps == plan.steps
