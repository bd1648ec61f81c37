"""Live slots, and what one-slot edits do."""

import pytest

from sandbox.certify import Built, build
from sandbox.certify.effects import MATTERS
from sandbox.errors import ConstraintError, UnknownName
from sandbox.generate.content import Content
from sandbox.generate.draw import is_mute
from sandbox.generate.edits import choice_of
from sandbox.measure.live import REFUSED, live_slots, measure, slot_edits
from sandbox.world.world import AXES


def test_every_other_value_of_every_slot_is_an_edit(built: Built, library: Content) -> None:
    """The edits of a world are all other values of all its slots but one that would leave a player without any word."""
    edits = slot_edits(built, library)
    choice = choice_of(library, built.world)
    expected = [
        f"{built.ref}~{slot.full}={value}"
        for axis in AXES
        for slot in choice.slots
        if slot.axis == axis
        for value in slot.values
        if value != built.world.slots[slot.full] and not is_mute(choice.recipe, {**choice.values, slot.full: value})
    ]
    assert [edit.ref for edit in edits] == expected
    assert all(edit.old == built.world.slots[edit.slot.full] for edit in edits)


def test_one_axis_can_be_asked_for(built: Built, library: Content) -> None:
    """With an axis, its edits only; a name that is no axis is an error with the nearest one."""
    assert {edit.slot.axis for edit in slot_edits(built, library, "feedback")} == {"feedback"}
    with pytest.raises(UnknownName) as caught:
        slot_edits(built, library, "rule")
    assert caught.value.hint == "did you mean 'rules'?"


def test_a_listed_edit_builds_as_it_was_measured(built: Built, library: Content) -> None:
    """What is listed with an optimum builds with that optimum; what is refused cannot be built."""
    for edit in slot_edits(built, library, "rules")[::3]:
        found = measure(built, library, edit)
        if found.effect == REFUSED:
            assert found.steps is None
            assert found.why
            with pytest.raises(ConstraintError):
                build(edit.ref)
        else:
            assert build(edit.ref).certificate.steps == found.steps
            assert found.matters == (found.effect in MATTERS)


def test_measuring_without_a_certificate_finds_the_same(built: Built, library: Content) -> None:
    """A survey may leave the certificates out: effect and optimum are the same."""
    for edit in slot_edits(built, library):
        assert measure(built, library, edit, certified=False) == measure(built, library, edit)


def test_a_slot_is_live_when_some_edit_of_it_is_not_dead(built: Built, library: Content) -> None:
    """Liveness agrees with the measured effects of the slot's edits."""
    found: dict[str, bool] = {}
    for edit in slot_edits(built, library, "rules"):
        name = edit.slot.full
        found[name] = found.get(name, False) or measure(built, library, edit, certified=False).effect != "dead"
    assert found == live_slots(built, library)
    some = list(found)[::2]
    assert live_slots(built, library, some) == {name: found[name] for name in some}
