"""The common-sense twin."""

from sandbox.certify import Built
from sandbox.certify.solve import Solved
from sandbox.generate.content import Content
from sandbox.generate.edits import choice_of, usual_twin
from sandbox.measure.live import live_slots
from sandbox.measure.twin import common_sense
from sandbox.world.engine import Engine


def test_surprises_are_unusual_and_live(built: Built, library: Content) -> None:
    """A surprise is a slot of the rules with an unusual value that makes a difference; every world has one."""
    choice, live = choice_of(library, built.world), live_slots(built, library)
    expected = tuple(
        slot.full
        for slot in choice.slots
        if slot.axis == "rules"
        and choice.values[slot.full] != slot.values[0]
        and live[slot.full]
    )  # fmt: skip
    assert common_sense(built, library).surprises == expected
    assert expected


def test_common_sense_solves_its_own_world(built: Built, library: Content) -> None:
    """In the twin itself nothing surprises, and its plan wins."""
    world = usual_twin(library, built.world)
    solved = Solved(world)
    if not solved.solvable:
        assert not common_sense(built, library).prior_solvable
        return
    found = common_sense(Built("twin", world, solved), library)
    assert (found.surprises, found.wins, found.some_wins, found.steps) == ((), True, True, solved.steps)


def test_prior_solvable_is_what_the_engine_says(built: Built, library: Content) -> None:
    """The twin's plan, typed into the real world, reaches the goal exactly when the world is prior-solvable."""
    twin = Solved(usual_twin(library, built.world))
    engine = Engine(built.world)
    state = engine.start().state
    reached = False
    for intent in twin.intents if twin.solvable else ():
        for command in engine.commands(intent, state):
            state = engine.step(state, command).state
            reached = reached or engine.solved(state)
    found = common_sense(built, library)
    assert found.prior_solvable == reached
    assert found.some_wins or not found.wins
