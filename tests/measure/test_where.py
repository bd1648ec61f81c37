"""Expressions over the rows of a pack: what they choose, and how a wrong one is refused."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.errors import UnknownName, UsageError
from sandbox.measure.where import DEEPEST, LONGEST, compiled

LOAD = {"plan": {"steps": 9, "deeds": 6, "actions": 4}, "knowledge": None, "search": 5, "memory": 2, "trap": 0.25}
ROW: dict[str, Any] = {
    "ref": "small/7", "seed": "7", "recipe": "small", "families": ["lock", "hands"], "rooms": 5,
    "slots": {"rules/lock/match": "shape", "grammar/words": "english"}, "live": ["rules/lock/match"], "live_structure": 0,
    "certificate": {
        "steps": 9, "lower_bound": 9, "tier": "exact", "families": ["lock"], "load": LOAD, "surprises": 1,
        "prior_solvable": False, "shown_before_used": True, "dead_ends": 0.0, "cruelty": "merciful",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "steps > 8", "steps>8", "steps = 9.0", "live >= 1 and live_structure=0", "steps < 3 or trap = 0.25",
        "not steps < 3", "not not steps > 3", "(steps < 3 or steps > 8) and tier = exact", "lock in families",
        "station not in families", "rules/lock/match in live_slots", "rules/lock/match = shape",
        "rules/lock/match = 'shape'", "rules/station/oven != heats", "not rules/station/oven = heats",
        "shown_before_used and not prior_solvable", "prior_solvable = false", "steps = bound", "deeds < steps",
        "seed = 7", 'ref = "small/7"', "knowledge != 3", "not knowledge = 3", "uses = 1 and rooms=5",
    ],
)  # fmt: skip
def test_what_holds_of_a_world(text: str) -> None:
    """Numbers, words, lists of words, truths, slots and other columns can be asked for."""
    assert compiled(text)(ROW) is True


@pytest.mark.parametrize(
    "text",
    [
        "steps < 9", "knowledge < 3", "knowledge >= 0", "rules/station/oven = heats", "growth in families",
        "steps > 8 and trap > 0.5", "steps > 8 and (tier = witness or trap > 0.5)", "prior_solvable",
    ],
)  # fmt: skip
def test_what_does_not_hold(text: str) -> None:
    """What is not known, and a slot that the world lacks, meet no test."""
    assert compiled(text)(ROW) is False


def test_and_binds_closer_than_or() -> None:
    """As everywhere else."""
    assert compiled("steps = 9 or steps = 1 and trap > 0.9")(ROW)
    assert not compiled("(steps = 9 or steps = 1) and trap > 0.9")(ROW)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("stepz > 3", "did you mean steps?"), ("live_slot > 3", "did you mean live_slots?"),
        ("rules/lock/mach = shape", "did you mean rules/lock/match?"), ("lock in familys", "did you mean families?"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_an_error_with_the_nearest(text: str, hint: str) -> None:
    """Columns and slots are checked before any world is looked at."""
    with pytest.raises(UnknownName) as caught:
        compiled(text, {"rules/lock/match"})
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "steps", "steps >", "> 3", "steps > 3 and", "steps > 3 steps < 4", "(steps > 3", "steps > 3)", "steps ! 3",
        "steps => 3", "steps > shape", "tier > exact", "families = lock", "lock in steps", "prior_solvable = maybe",
        "3 < steps", "__import__('os')", "steps > 3; x", "steps.real > 1", "steps > 3 and or trap > 1", "not", "in in in",
        "(" * (DEEPEST + 2) + "steps > 1" + ")" * (DEEPEST + 2), "steps > 1 or " * LONGEST + "steps > 1", "lambda: 1", "a\x00b",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(text: str) -> None:
    """Never evaluated, never ignored: every other text is an error."""
    with pytest.raises(UsageError):
        compiled(text)


@pytest.mark.parametrize(("text", "hint"), [
    ("families = lock", "write: lock in families"), ("families != 'lock'", "write: WORD in families"),
    ("families =", "write: WORD in families"),
])  # fmt: skip
def test_a_list_that_is_compared_is_answered_with_what_to_write(text: str, hint: str) -> None:
    """The word that was asked for stands in the advice, ready to copy."""
    with pytest.raises(UsageError) as caught:
        compiled(text)
    assert caught.value.hint == hint
