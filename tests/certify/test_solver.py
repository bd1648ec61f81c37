"""The solver that hints and the oracle ask: from wherever one stands, commands that lead to the goal."""

from __future__ import annotations

import pytest

from sandbox.certify import Solver
from sandbox.certify.solve import Solved
from sandbox.generate.content import content
from sandbox.generate.edits import alternatives, choice_of
from sandbox.world.dynamics import Dynamics
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.world import World
from tests.outside.effects import lost
from tests.outside.space import Space
from tests.outside.tally import Tally
from tests.outside.worlds import built, variant


def leads_to_the_goal(world: World, state: int, plan: tuple[str, ...]) -> bool:
    """Whether every command is accepted and the last one, and no other, reaches the goal."""
    engine = Engine(world)
    for command in plan:
        if engine.solved(state):
            return False
        step = engine.step(state, command)
        if step.cause is not None:
            return False
        state = step.state
    return engine.solved(state)


@pytest.mark.parametrize("ref", [*(f"tiny/{n}" for n in range(8)), "small/0", "small/1", "nonce/0", "default/0"])
def test_it_leads_to_the_goal_from_anywhere(ref: str) -> None:
    """Along a drawn walk: the plan from each state works; there is none only where the goal is out of reach."""
    world = built(ref).world
    engine, solver, stream = Engine(world), Solver(world), Key("solver", ref).stream()
    state, tally = engine.start().state, Tally()
    for _ in range(12):
        plan = solver.plan(state)
        with tally.case():
            if plan is None:
                assert lost(Space(world, engine), state, 40_000), f"{state:x}"
            else:
                assert leads_to_the_goal(world, state, plan), plan
        for _ in range(3):
            state = engine.step(state, stream.choice(engine.admissible(state))).state
    tally.check(0.0)


@pytest.mark.parametrize("number", range(6))
def test_its_plan_from_the_start_is_the_certified_one(number: int) -> None:
    """At the start the solver says what the certificate says; at the goal it has nothing to say."""
    one = built(f"tiny/{number}")
    solver, engine = Solver(one.world), Engine(one.world)
    state = engine.start().state
    found = solver.plan(state)
    assert found is not None
    assert len(found) == one.certificate.steps
    for command in found:
        state = engine.step(state, command).state
    assert solver.plan(state) == ()


@pytest.mark.parametrize("number", range(6))
def test_what_is_grounded_with_the_help_of_another_world_is_the_same(number: int) -> None:
    """An edited world compiled beside its source has the moves, laws, start and optimum of one compiled alone."""
    world = built(f"tiny/{number}").world
    source = Solved(world)
    for slot, value in alternatives(choice_of(content(), world), "rules"):
        edited = variant(world, {slot.full: value})
        alone, beside = Dynamics(edited.rules, edited.layout), Solved(edited, like=source)
        assert beside.dynamics.start == alone.start
        assert beside.result.steps == Solved(edited).result.steps
        for bit, room in alone.rooms.items():
            other = beside.dynamics.rooms[bit]
            assert (other.moves, other.steps, other.events) == (room.moves, room.steps, room.events), slot.full
        for state in list(Space(edited).reached(200).depths):
            for move in alone.room(state).moves:
                if move.ready(state):
                    assert beside.dynamics.after(state, move) == alone.after(state, move)
