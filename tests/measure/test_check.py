"""Checking worlds by reference."""

from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.errors import ConstraintError, UsageError
from sandbox.generate.content import content
from sandbox.measure.check import Checked, check_world
from sandbox.measure.live import REFUSED, measure, slot_edits


def test_a_world_that_holds_is_reported_by_its_canonical_reference() -> None:
    """The recipe `default` goes without saying, and a world that holds has no reason why not."""
    assert check_world("tiny/1") == Checked("tiny/1", ok=True, why=None)


def test_a_seed_without_a_world_has_failed(impossible: Path) -> None:
    """Where a recipe cannot be met, the check fails and names the demand."""
    found = check_world("impossible/1", impossible)
    assert (found.ref, found.ok) == ("impossible/1", False)
    assert found.why is not None
    assert "steps" in found.why or "attempts" in found.why


def test_a_mistake_of_the_asker_is_raised() -> None:
    """An unknown slot is no failed check but an error with the nearest name."""
    with pytest.raises(UsageError, match="unknown slot"):
        check_world("tiny/1~rules/lock/nothing=colour")


def test_an_edit_that_leaves_no_plan_is_raised() -> None:
    """An edit that is refused as unsolvable is an error with the reason, never a world that failed."""
    library = content()
    for seed in range(12):
        built = build(f"tiny/{seed}")
        for edit in slot_edits(built, library, "rules"):
            if measure(built, library, edit, certified=False).effect == REFUSED:
                with pytest.raises(ConstraintError, match="no plan"):
                    check_world(edit.ref)
                return
    pytest.fail("twelve worlds without an unsolvable edit")
