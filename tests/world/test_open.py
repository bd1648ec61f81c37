"""Open play: what counts, what is told, and that the world is played as ever."""

from __future__ import annotations

import pytest

from sandbox.certify import build
from sandbox.certify.milestones import open_world
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.open import OpenEngine, engine_of
from sandbox.world.world import World


@pytest.fixture(scope="module")
def world() -> World:
    """A world with its goal."""
    return build("small/1").world


@pytest.fixture(scope="module")
def opened(world: World) -> World:
    """The same world, open."""
    return open_world(world, "small/1").world


def test_the_world_is_played_as_ever(world: World, opened: World) -> None:
    """Along a random walk, causes, intents, admissible lists and facts are those of the world with its goal."""
    plain, engine = Engine(world), OpenEngine(opened)
    stream = Key("open", 1).stream()
    mine, theirs = engine.start().state, plain.start().state
    for _ in range(150):
        assert engine.admissible(mine) == plain.admissible(theirs)
        assert engine.bare(mine) == theirs
        command = stream.choice([*plain.admissible(theirs), "no such thing"])
        one, other = engine.step(mine, command), plain.step(theirs, command)
        assert (one.cause, one.intent) == (other.cause, other.intent)
        mine, theirs = one.state, other.state


def test_a_milestone_counts_once_and_stays(opened: World) -> None:
    """The first time is told and rewarded, the second is not, and starting again takes nothing away."""
    engine = OpenEngine(opened)
    every, step, rewards = len(opened.milestones), engine.start(), 0.0
    stream = Key("open", 2).stream()
    reached: tuple[object, ...] = ()
    for number in range(300):
        command = engine.commands(("restart", ()), step.state)[0] if number % 50 == 49 else stream.choice(engine.admissible(step.state))
        step = engine.step(step.state, command)
        now = engine.reached(step.state)
        new = [m for m in now if m not in reached]
        assert set(reached) <= set(now)
        assert step.reward == pytest.approx(len(new) / every)
        said = engine.reply.phrases.say("done", done=len(now), all=every)
        assert (said in step.text) == bool(new)
        assert bool(new) <= (step.cause is None)
        rewards += step.reward
        reached = now
        if step.done:
            break
    assert reached
    assert rewards == pytest.approx(engine.progress(step.state))


def test_walking_looking_and_refusals_count_nothing(opened: World) -> None:
    """Nor does starting again, which changes a lot."""
    engine = OpenEngine(opened)
    state = engine.start().state
    for command in engine.admissible(state):
        step = engine.step(state, command)
        if str(step.intent).partition("(")[0] in ("go", "wait", "look", "inventory", "examine", "restart"):
            assert step.reward == 0.0


def test_what_counts_is_said_in_place_of_a_goal(world: World, opened: World) -> None:
    """On the first screen and the help page; the old goal is nowhere."""
    engine = OpenEngine(opened)
    assert f"{len(opened.milestones)} can be reached" in engine.goal_text
    assert engine.goal_text in engine.start().text
    assert engine.goal_text in engine.help_text
    assert Engine(world).goal_text not in engine.start().text + engine.help_text


def test_the_engine_fits_the_world(world: World, opened: World) -> None:
    """A world with milestones is played open, another is not."""
    assert isinstance(engine_of(opened), OpenEngine)
    assert type(engine_of(world)) is Engine


def test_facts_tell_what_was_reached(opened: World) -> None:
    """For those who may see the state."""
    engine = OpenEngine(opened)
    step, stream = engine.start(), Key("open", 3).stream()
    assert engine.facts(step.state)["reached"] == []
    while not engine.reached(step.state):
        step = engine.step(step.state, stream.choice(engine.admissible(step.state)))
    assert engine.facts(step.state)["reached"] == [str(milestone) for milestone in engine.reached(step.state)]
