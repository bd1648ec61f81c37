"""The compiled engine and the slow interpreter agree on every transition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.generate.templates import Slot
from sandbox.world.keyed import Key
from tests.outside.pair import Pair
from tests.outside.worlds import drawn, other_values, rules_slots, variant, world_with

RECIPES = ("tiny", "small", "nonce", "default")


@settings(max_examples=60)
@given(st.sampled_from(RECIPES), st.integers(0, 9_999), st.lists(st.integers(0, 1 << 16), max_size=120))
def test_they_agree_on_any_walk(recipe: str, seed: int, picks: list[int]) -> None:
    """Accepted or refused with one cause, and the same facts after every command, in any drawn world."""
    pair = Pair(drawn(recipe, str(seed)))
    for pick in picks:
        pair.say(pair.choices(pick))


@pytest.mark.parametrize(("slot", "value"), rules_slots(), ids=lambda part: part.full if isinstance(part, Slot) else part)
def test_they_agree_on_every_value_of_every_slot(slot: Slot, value: str) -> None:
    """No value of a slot of the rules means two things to the two of them."""
    world = variant(world_with(slot.template, "small"), {slot.full: value})
    Pair(world).walk(Key("agreement", slot.full, value).stream(), 200)


@settings(max_examples=40)
@given(st.sampled_from(RECIPES), st.integers(0, 99), st.integers(0, 1 << 32))
def test_they_agree_on_values_drawn_together(recipe: str, seed: int, draw: int) -> None:
    """Slots of rules and grammar in combinations that the recipe may never have drawn."""
    world = drawn(recipe, str(seed))
    other = variant(world, other_values(world, Key("together", draw), ("rules", "grammar")))
    Pair(other).walk(Key("walk", draw).stream(), 120)


@pytest.mark.sweep
@pytest.mark.parametrize("hundred", range(20))
def test_they_agree_in_thousands_of_worlds(hundred: int) -> None:
    """A keyed walk through two thousand worlds, half of them with every slot of rules and grammar drawn anew."""
    for number in range(100 * hundred, 100 * hundred + 100):
        world = drawn(RECIPES[number % 4], f"sweep {number}")
        if number % 8 >= 4:
            world = variant(world, other_values(world, Key("sweep", number), ("rules", "grammar")))
        Pair(world).walk(Key("sweep walk", number).stream(), 150)
