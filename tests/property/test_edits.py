"""What an edit promises: one thing changes, everything else is taken over as it is."""

from __future__ import annotations

import functools

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sandbox.certify import build, check
from sandbox.errors import ConstraintError, UsageError
from sandbox.generate.content import content
from sandbox.generate.edits import alternatives, choice_of
from sandbox.generate.reference import parse_reference
from sandbox.world.dynamics import Dynamics
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.world import AXES, World
from tests.outside.worlds import built, drawn, variant

SEEDS = st.integers(0, 7)
AXIS = st.sampled_from(AXES)
ONE_ONLY = {("tiny/3", "task")}
"""Worlds of so little room that there is one task only."""
SPOKEN = ("grammar", "observation", "feedback")


@functools.cache
def options(ref: str, axis: str) -> tuple[tuple[str, str], ...]:
    """Every one-slot edit of an axis of a world."""
    choice = choice_of(content(), built(ref).world)
    return tuple((slot.full, value) for slot, value in alternatives(choice, axis))


def pick(ref: str, axis: str, number: int) -> tuple[str, str]:
    """One of the one-slot edits of an axis."""
    found = options(ref, axis)
    assume(found)
    return found[number % len(found)]


def taken_over(world: World) -> tuple[object, ...]:
    """What no slot edit may touch: attempt, layout with the start, goal and names."""
    return world.origin, world.layout, world.goal, world.theme


@settings(max_examples=60)
@given(SEEDS, AXIS, st.integers(0, 999))
def test_a_slot_edit_changes_one_value(seed: int, axis: str, number: int) -> None:
    """Attempt, layout, start, goal and names stay as data; of all slots one value differs; only that axis' digest moves."""
    ref = f"tiny/{seed}"
    slot, value = pick(ref, axis, number)
    old = built(ref).world
    new = variant(old, {slot: value})
    assert taken_over(new) == taken_over(old)
    shared = old.slots.keys() & new.slots.keys()
    assert {name for name in shared if old.slots[name] != new.slots[name]} == {slot}
    assert all(name.startswith(axis) for name in old.slots.keys() ^ new.slots.keys())
    moved = {part for part in old.parts if old.parts[part] != new.parts[part]}
    assert moved <= {axis, *(("grammar",) if axis == "rules" else ())}


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
@given(SEEDS, AXIS, st.integers(0, 999))
def test_a_built_edit_is_certified_or_refused_with_its_reason(seed: int, axis: str, number: int) -> None:
    """A reference with a slot edit builds to a world whose own certificate holds, or is refused as having no plan."""
    ref = f"tiny/{seed}"
    slot, value = pick(ref, axis, number)
    try:
        one = build(f"{ref}~{slot}={value}")
    except ConstraintError as error:
        assert "no plan" in error.message
        assert axis == "rules"
        return
    assert taken_over(one.world) == taken_over(built(ref).world)
    assert check(one.world, one.certificate) is None


@settings(max_examples=40)
@given(SEEDS, st.sampled_from(SPOKEN), st.integers(0, 999), st.integers(0, 1 << 32))
def test_how_it_is_said_leaves_the_transitions_alone(seed: int, axis: str, number: int, walk: int) -> None:
    """Under another grammar, observation or feedback the same intents have the same outcome and leave the same facts."""
    ref = f"tiny/{seed}"
    slot, value = pick(ref, axis, number)
    old = built(ref).world
    new = variant(old, {slot: value})
    a, b = Dynamics(old.rules, old.layout), Dynamics(new.rules, new.layout)
    assert a.start == b.start
    stream, state = Key("said", walk).stream(), a.start
    intents = [*a.intents(inform=False)]
    assert intents == [*b.intents(inform=False)]
    for _ in range(60):
        room, other = a.room(state), b.room(state)
        assert [a.refusal(state, room.move(i)) for i in intents] == [b.refusal(state, other.move(i)) for i in intents]
        ready = [intent for intent in intents if room.move(intent).ready(state)]
        intent = stream.choice(ready)
        after = a.after(state, room.move(intent))
        assert after == b.after(state, other.move(intent))
        state = after


@settings(max_examples=30)
@given(SEEDS, st.sampled_from(SPOKEN), st.integers(0, 999), st.integers(0, 1 << 32))
def test_the_state_is_what_was_done_not_how_it_was_said(seed: int, axis: str, number: int, walk: int) -> None:
    """Played through both engines by the same intents, facts, examined things and the room agree at every step."""
    ref = f"tiny/{seed}"
    slot, value = pick(ref, axis, number)
    a, b = Engine(built(ref).world), Engine(variant(built(ref).world, {slot: value}))
    intents = [*a.dynamics.intents(inform=False), ("look", ()), ("inventory", ()), *(
        intent for intent in a.dynamics.intents(inform=True) if intent[0] == "examine"
    )]
    stream, x, y = Key("done", walk).stream(), a.start().state, b.start().state
    for _ in range(40):
        intent = stream.choice([i for i in intents if a.dynamics.room(x).move(i).ready(x)])
        for command in a.commands(intent, x):
            x = a.step(x, command).state
        for command in b.commands(intent, y):
            y = b.step(y, command).state
        assert without_selection(a, x) == without_selection(b, y)
        assert a.facts(x) == b.facts(y)


def without_selection(engine: Engine, state: int) -> int:
    """The state but for what is selected, which only a focus protocol ever sets."""
    return state & ~engine.dynamics.selected_mask


@settings(max_examples=20)
@given(SEEDS, st.integers(1, 3))
def test_another_theme_keeps_verbs_and_rules(seed: int, number: int) -> None:
    """`~theme` gives other nouns of the same prior class; grammar, rules, layout, goal and both voices are the same."""
    ref = f"tiny/{seed}"
    old, new = built(ref).world, build(f"{ref}~theme.{number}" if number > 1 else f"{ref}~theme").world
    assert new.theme.prior == old.theme.prior
    assert {p for p in old.parts if old.parts[p] != new.parts[p]} == {"theme"}
    assert (new.grammar, new.rules, new.layout, new.goal) == (old.grammar, old.rules, old.layout, old.goal)
    objects = [object_.id for object_ in old.layout.objects]
    assert [new.names[i] for i in objects] != [old.names[i] for i in objects]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("part", ["layout", "task"])
def test_another_layout_or_task_keeps_the_rule_set(seed: int, part: str) -> None:
    """`~layout` and `~task` change no axis: another map or another goal under the same rules, words and voices."""
    ref = f"tiny/{seed}"
    old = built(ref).world
    try:
        new = built(f"{ref}~{part}").world
    except ConstraintError as error:
        assert (ref, part) in ONE_ONLY
        assert f"no other {part}" in error.message
        return
    assert (ref, part) not in ONE_ONLY
    assert all(old.parts[axis] == new.parts[axis] for axis in AXES)
    assert old.parts[part] != new.parts[part]
    if part == "task":
        assert (new.layout, new.theme) == (old.layout, old.theme)


@settings(max_examples=20)
@given(SEEDS, st.lists(AXIS, min_size=2, max_size=3), st.lists(st.integers(0, 999), min_size=3, max_size=3))
def test_edits_compose_from_left_to_right(seed: int, axes: list[str], numbers: list[int]) -> None:
    """A chain of slot edits is the last edit of what the chain before it gives."""
    world, ref = built(f"tiny/{seed}").world, f"tiny/{seed}"
    for axis, number in zip(axes, numbers, strict=False):
        found = [(s.full, v) for s, v in alternatives(choice_of(content(), world), axis)]
        slot, value = found[number % len(found)]
        world, ref = variant(world, {slot: value}), f"{ref}~{slot}={value}"
    try:
        assert build(ref).world.digest == world.digest
    except ConstraintError as error:
        assert "no plan" in error.message


@pytest.mark.parametrize("axis", AXES)
def test_an_edit_and_its_reverse_are_the_source(axis: str) -> None:
    """Setting a slot to another value and back gives the world that one began with."""
    for seed in range(8):
        world = built(f"tiny/{seed}").world
        for slot, value in options(f"tiny/{seed}", axis):
            back = variant(variant(world, {slot: value}), {slot: world.slots[slot]})
            if slot not in ("grammar/form", "observation/form", "feedback/voice"):  # their templates have slots of their own
                assert back.digest == world.digest, f"{slot}={value}"


@pytest.mark.parametrize("seed", range(6))
def test_the_first_edit_of_an_axis_is_the_first_named_one(seed: int) -> None:
    """`~AXIS` is a slot edit that can be named: the first, in slot order, that builds and matters."""
    for axis in AXES:
        old, new = built(f"tiny/{seed}").world, build(f"tiny/{seed}~{axis}").world
        changed = [(s, v) for s, v in options(f"tiny/{seed}", axis) if variant(old, {s: v}).digest == new.digest]
        assert len(changed) == 1
        assert build(f"tiny/{seed}~{changed[0][0]}={changed[0][1]}").world.digest == new.digest


# --- references -----------------------------------------------------------------------------------
SEED_TEXT = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/~"), min_size=1, max_size=12
).filter(lambda text: not text.endswith(".json"))
EDITS = st.lists(st.sampled_from([
    "rules", "grammar.all", "layout", "layout.2", "task.3", "theme", "rules/lock/match=shape", "grammar/words=invented",
]), max_size=3)


@settings(max_examples=200)
@given(st.sampled_from(["", "tiny/", "small/", "default/"]), SEED_TEXT, EDITS)
def test_a_canonical_reference_reads_as_itself(recipe: str, seed: str, edits: list[str]) -> None:
    """What a reference is written back as, in any script, is read as the same reference and written the same."""
    parsed = parse_reference("~".join([recipe + seed, *edits]))
    assert parse_reference(str(parsed)) == parsed
    assert str(parse_reference(str(parsed))) == str(parsed)


@settings(max_examples=200)
@given(st.text(st.characters(), max_size=20))
def test_any_text_is_a_reference_or_a_usage_error(text: str) -> None:
    """No text makes the parser of references fail in any other way, and every refusal has a next step."""
    try:
        parse_reference(text)
    except UsageError as error:
        assert error.hint


@settings(max_examples=12)
@given(SEED_TEXT)
def test_a_seed_of_any_script_builds(seed: str) -> None:
    """Any seed text whatever is the seed of a world, drawn or certified alike."""
    world = drawn("tiny", parse_reference(f"tiny/{seed}").seed)
    assert Engine(world).start().text
    assert build(f"tiny/{seed}").certificate.steps >= 1
