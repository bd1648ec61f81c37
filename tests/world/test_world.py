"""A world is one immutable value: equal data, equal bytes, equal digests; damaged files are refused."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError, fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.errors import WorldFileError
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.world import AXES, PARTS, World
from tests.outside.worlds import built, drawn, other_values, variant


@settings(max_examples=25)
@given(st.sampled_from(["tiny", "small", "default"]), st.integers(0, 40))
def test_an_exported_world_is_the_same_world(recipe: str, seed: int) -> None:
    """Out and in again: the same value, bytes, digests of all parts, and the same play."""
    world = drawn(recipe, str(seed))
    again = World.from_json(world.to_json())
    assert again == world
    assert again.to_json() == world.to_json()
    assert (again.digest, again.parts) == (world.digest, world.parts)
    one, other = Engine(world), Engine(again)
    step, same, stream = one.start(), other.start(), Key("export", seed).stream()
    for _ in range(25):
        assert step == same
        command = stream.choice(one.admissible(step.state))
        step, same = one.step(step.state, command), other.step(same.state, command)


def test_json_is_canonical() -> None:
    """Sorted keys, no blanks, no escapes where UTF-8 will do: there is one way to write a world."""
    text = built("tiny/0").world.to_json()
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def test_each_axis_has_its_own_digest() -> None:
    """Changing one axis moves its digest and the world's, and leaves the other parts."""
    world = drawn("small", "parts")
    assert tuple(world.parts) == PARTS
    for axis in AXES:
        for number in range(20):
            other = variant(world, other_values(world, Key("parts", axis, number), (axis,)))
            moved = {part for part in PARTS if world.parts[part] != other.parts[part]}
            assert moved <= {axis, *(("grammar",) if axis == "rules" else ())}
            assert (world.digest == other.digest) == (world.to_json() == other.to_json())


def test_a_world_cannot_be_changed() -> None:
    """Every field is frozen, and a copy with another part is another world."""
    world = drawn("tiny", "frozen")
    for field in fields(World):
        with pytest.raises(FrozenInstanceError):
            setattr(world, field.name, None)
    assert world.with_(goal=()).digest != world.digest


def test_states_and_steps_can_be_kept() -> None:
    """A state hashes, compares and pickles, and steps are values."""
    engine = Engine(drawn("default", "kept"))
    step = engine.step(engine.start().state, engine.admissible(engine.start().state)[0])
    assert pickle.loads(pickle.dumps(step)) == step
    assert {step.state: 1}[step.state] == 1
    assert engine.state_digest(step.state) != engine.state_digest(engine.start().state)


@pytest.mark.parametrize(("text", "said"), [
    ("", "not JSON"), ("{", "not JSON"), ("[]", "not an exported world"), ("null", "not an exported world"), ("{}", "not an exported world"),
    ('{"sources": []}', "world format None"), ('{"sources": [], "format": 99}', "world format 99"),
    ('{"sources": [], "format": 2}', "damaged"), ("9" * 5_000, "not"), ("[" * 100_000, "not JSON"),
])  # fmt: skip
def test_what_is_no_exported_world_is_refused(text: str, said: str) -> None:
    """A file that is no JSON, no world, or from another version: what it is and what to type next."""
    with pytest.raises(WorldFileError, match=said) as caught:
        World.from_json(text)
    assert caught.value.hint


@settings(max_examples=60)
@given(st.data())
def test_a_world_with_a_part_missing_or_of_another_sort_is_refused(data: st.DataObject) -> None:
    """Whatever key is taken out or filled with something else, the file is refused as damaged, or is still that world."""
    whole = json.loads(built("tiny/1").world.to_json())
    key = data.draw(st.sampled_from(sorted(whole)))
    inner = whole[key] if isinstance(whole[key], dict) and data.draw(st.booleans()) else whole
    at = key if inner is whole else data.draw(st.sampled_from(sorted(inner)))
    junk = data.draw(st.sampled_from([None, 7, "x", [], [[1]], {"a": 1}, [["a"]], True]))
    if data.draw(st.booleans()):
        del inner[at]
    else:
        inner[at] = junk
    try:
        world = World.from_json(json.dumps(whole))
        world.to_json()
    except WorldFileError as error:
        assert error.hint
