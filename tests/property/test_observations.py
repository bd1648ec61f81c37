"""What is seen: a form says the same in other words, a content slot says more or less, a distractor says nothing."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import pytest

from sandbox.generate.content import content
from sandbox.generate.recipe import load_recipe
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.world import World
from tests.outside.worlds import drawn, undressed, variant
from tests.property.partition import difference, reachable, replies, views, walked

FORMS = ("prose", "list", "table", "json", "symbolic")
PLAIN = {
    "observation/form": "prose", "observation/scope": "room", "observation/hidden": "nothing",
    "observation/changes": "full", "observation/distractors": "none", "grammar/protocol": "direct",
}  # fmt: skip
CONTENTS: tuple[dict[str, str], ...] = (
    {}, {"scope": "neighbours"}, {"scope": "everything"}, {"hidden": "states"}, {"changes": "delta"},
    {"scope": "everything", "hidden": "states", "changes": "delta", "distractors": "some"},
    {"scope": "neighbours", "changes": "delta", "distractors": "some"},
)  # fmt: skip
FAMILIES = (("lock", 3), ("container", 2), ("switch", 3), ("growth", 2), ("sign", 2), ("light", 3))
"""Families whose texts differ in shape: doors with marks, things in things, lamps, counters, words, darkness."""
WHOLE = ("lock", "container", "switch", "growth")
"""Families whose micro worlds have fewer than MOST states: these are gone through to the last one."""
MOST, SOME = 5_000, 400


@functools.cache
def micro(family: str, rooms: int, number: int = 0) -> World:
    """A world of one family, as small as it can be drawn."""
    sizes = {"rooms": rooms, "things": 2, "draw": (1, 1), "families": (family,), "uses": 1}
    recipe = load_recipe(content(), "tiny").model_copy(update=sizes)
    return undressed(content(), "tiny", recipe, f"seen {family} {number}")


def whole(family: str, rooms: int) -> tuple[World, list[int]]:
    """A micro world that has fewer than MOST states, and all of them."""
    for number in range(20):
        world = micro(family, rooms, number)
        states = reachable(engine(world), MOST)
        if len(states) < MOST:
            return world, states
    raise AssertionError(f"no micro world of {family} can be gone through")


def engine(world: World, **values: str) -> Engine:
    """The engine of a world under observation slots, the others plain."""
    slots: Mapping[str, str] = {**PLAIN, **{f"observation/{name}": value for name, value in values.items()}}
    return Engine(variant(world, {name: value for name, value in slots.items() if name in world.slots}))


@pytest.mark.parametrize(("family", "rooms"), [f for f in FAMILIES if f[0] in WHOLE])
def test_every_form_shows_every_state_of_a_micro_world_alike(family: str, rooms: int) -> None:
    """Exactly: two states that one form shows alike, every form shows alike, whatever is in view."""
    world, states = whole(family, rooms)
    for scope in ("room", "neighbours", "everything"):
        prose = views(engine(world, scope=scope), states)
        for form in FORMS[1:]:
            assert difference(prose, views(engine(world, scope=scope, form=form), states)) is None, (form, scope)


@pytest.mark.parametrize(("family", "rooms"), FAMILIES)
def test_a_form_tells_apart_what_every_other_form_tells_apart(family: str, rooms: int) -> None:
    """Over the states of a micro world and all that can be tried in them, five forms answer alike or unlike alike."""
    world = micro(family, rooms)
    states = reachable(engine(world), SOME, inform=True)[::7]
    for number, values in enumerate(CONTENTS):
        prose = replies(engine(world, **values), states)
        for form in FORMS[1:] if number == 0 else (FORMS[1 + number % 4], FORMS[1 + (number + 2) % 4]):
            other = replies(engine(world, **values, form=form), states)
            assert difference(prose, other) is None, f"{form} under {values}"


@pytest.mark.parametrize("number", range(2))
def test_a_form_tells_apart_the_same_in_larger_worlds(number: int) -> None:
    """The same of states sampled along a walk through a default world."""
    world = drawn("default", f"seen {number}")
    content_ = CONTENTS[-1 - number]
    plain = engine(world, **content_)
    states = walked(plain, Key("seen", number).stream(), 60)[::6]
    for form in FORMS[1:]:
        other = replies(engine(world, **content_, form=form), states)
        assert difference(replies(plain, states), other) is None, form


@pytest.mark.parametrize(("slot", "less", "more"), [
    ("scope", "room", "neighbours"), ("scope", "neighbours", "everything"), ("scope", "room", "everything"),
    ("hidden", "states", "nothing"), ("changes", "delta", "full"),
])  # fmt: skip
def test_a_content_slot_changes_what_is_told_apart(slot: str, less: str, more: str) -> None:
    """With more in view, or told again, the texts tell apart some answers that were one before, in every form."""
    world = drawn("small", "seen content")
    plain = engine(world)
    states = walked(plain, Key("seen", slot).stream(), 500)
    moves = [("look", ()), *(("go", (room,)) for room in world.layout.rooms)]
    for form in FORMS:
        some = replies(engine(world, **{slot: less}, form=form), states, moves)
        all_ = replies(engine(world, **{slot: more}, form=form), states, moves)
        assert difference(some, all_) is not None, form


def test_a_distractor_tells_nothing_apart() -> None:
    """With distractors, every text is another and no two states are told apart that were not before."""
    world = drawn("tiny", "seen distractors")
    for form in FORMS:
        without, with_ = engine(world, form=form), engine(world, form=form, distractors="some")
        states = walked(without, Key("seen").stream(), 80)
        assert difference(replies(without, states), replies(with_, states)) is None
        rooms = [(e.view.room(s, e.dynamics.room(s).name)) for e in (without, with_) for s in states]
        assert not set(rooms[: len(states)]) & set(rooms[len(states):]), form
