"""The measured effect of an edit is the one that its definition gives, by search over everything."""

from __future__ import annotations

import pytest

from sandbox.certify import build
from sandbox.certify.effects import MATTERS, effect
from sandbox.certify.solve import Solved
from sandbox.certify.worlds import edit_effect, transcript
from sandbox.generate.content import content
from sandbox.generate.edits import alternatives, choice_of
from sandbox.world.world import AXES, World
from tests.outside.audit import Twin
from tests.outside.effects import effect as defined
from tests.outside.space import Space
from tests.outside.tally import Tally
from tests.outside.worlds import built, variant


def direct(number: int) -> World:
    """A tiny world in which a command is an intent."""
    return variant(built(f"tiny/{number}").world, {"grammar/protocol": "direct"})


def edits(world: World) -> list[tuple[str, World]]:
    """Every one-slot edit of the rules."""
    return [
        (f"~{slot.full}={value}", variant(world, {slot.full: value}))
        for slot, value in alternatives(choice_of(content(), world), "rules")
    ]


def compare(number: int, tally: Tally) -> None:
    """Every effect is the defined one; `dead` is a neutral edit in which nothing within reach differs."""
    world = direct(number)
    old, space = Solved(world), Space(world)
    for name, edited in edits(world):
        with tally.case():
            said, true = effect(old, Solved(edited)), defined(space, Space(edited), 20_000)
            if said == "dead":
                difference = Twin(world, old.steps, 1_500).differs(edited.rules)
                true = "dead" if true == "neutral" and difference is None else f"{true}, {difference}"
            assert said == true, f"tiny/{number}{name}"


@pytest.mark.parametrize("number", range(8))
def test_every_effect_is_the_defined_one(number: int) -> None:
    """Barrier, shortcut, trap, neutral, unsolvable, dead: each edit of the rules against all old optimal plans."""
    tally = Tally()
    compare(number, tally)
    tally.check(0.2)


@pytest.mark.parametrize("number", range(8))
def test_every_axis_has_an_edit_that_matters(number: int) -> None:
    """`~rules` is a barrier, trap or shortcut; the other axes change what the optimal plan's transcript says."""
    old = built(f"tiny/{number}")
    for axis in AXES:
        new = build(f"tiny/{number}~{axis}")
        if axis == "rules":
            assert edit_effect(old, new, axis) in MATTERS
        else:
            assert transcript(old.world, old.solved.intents) != transcript(new.world, old.solved.intents)


@pytest.mark.parametrize("part", ["layout", "task"])
def test_layout_and_task_have_no_effect(part: str) -> None:
    """An effect belongs to a rule change; for another map or goal there is none."""
    assert edit_effect(built("tiny/1"), build(f"tiny/1~{part}"), part) is None


@pytest.mark.sweep
@pytest.mark.parametrize("ten", range(20))
def test_every_effect_is_the_defined_one_in_two_hundred_worlds(ten: int) -> None:
    """The same for two hundred worlds."""
    tally = Tally()
    for number in range(10 * ten, 10 * ten + 10):
        compare(number, tally)
    tally.check(0.35)
