"""What differs between two worlds."""

from collections.abc import Callable

import pytest

from sandbox.certify import Built, build
from sandbox.generate.content import Content
from sandbox.measure.compare import compare
from sandbox.measure.live import measure, slot_edits

Build = Callable[[str], Built]


def test_a_world_is_the_same_as_itself(built: Built) -> None:
    """Built twice, nothing differs, and there is no effect to speak of."""
    found = compare(built, build(built.ref))
    assert (found.axes, found.slots, found.regime, found.effect) == ((), (), "same", None)


@pytest.mark.parametrize(
    ("edit", "regime"),
    [("theme", "cosmetic"), ("task", "task"), ("layout", "task"), ("layout~theme", "task"), ("rules", "environment"),
     ("grammar", "environment"), ("observation", "environment"), ("feedback", "environment"),
     ("theme~rules", "environment")],
)  # fmt: skip
def test_the_regime_is_what_changed_most(edit: str, regime: str, world: Build) -> None:
    """Names alone are cosmetic, layout or goal is another task, anything executable another environment."""
    one, other = world("tiny/1"), world(f"tiny/1~{edit}")
    found = compare(one, other)
    assert found.regime == regime
    changed = {part for part, digest in one.world.parts.items() if other.world.parts[part] != digest}
    assert set(found.axes) == changed
    assert (found.effect is None) == bool({"layout", "task"} & changed)


def test_an_edit_is_one_slot_with_its_measured_effect(built: Built, library: Content) -> None:
    """A one-slot edit differs in that slot, from the old value to the new, with the effect that `edits` lists."""
    edits = (measure(built, library, edit, certified=False) for edit in slot_edits(built, library)[::5])
    for one in [one for one in edits if one.why is None]:
        found = compare(built, build(one.edit.ref))
        assert [(s.name, s.axis, s.old, s.new) for s in found.slots] == [
            (one.edit.slot.full, one.edit.slot.axis, one.edit.old, one.edit.new)
        ]
        if not found.axes:  # beside the values of the other slots, this one changes no line
            assert (found.regime, one.effect) == ("same", "dead")
            continue
        assert found.axes == (one.edit.slot.axis,)
        assert found.effect == one.effect


def test_slots_that_one_world_lacks_have_no_value_there(world: Build) -> None:
    """Worlds of other families are compared over all their slots."""
    found = compare(world("tiny/0"), world("tiny/1"))
    one, other = world("tiny/0").world.slots, world("tiny/1").world.slots
    differing = {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    expected = {name: (one.get(name), other.get(name)) for name in differing}
    assert {s.name: (s.old, s.new) for s in found.slots} == expected
