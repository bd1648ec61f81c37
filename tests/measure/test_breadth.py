"""How broad a set of worlds is: figures over worlds that were made up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sandbox.generate.content import content
from sandbox.measure.breadth import Breadth, broad
from sandbox.measure.kinds import KINDS
from sandbox.measure.pack import Asked, pack
from sandbox.measure.packfile import Pack
from sandbox.measure.survey import Surveyed, survey_world

LOCK = Breadth(
    ("lock", "hands"), ("lock",), {"rules/lock/match": "shape", "rules/hands/limit": "weight"},
    ("rules/lock/match",), ("rules/hands/limit",), 0, ("irreversible", "shared"), "a", 6, 10,
)  # fmt: skip
REST = replace(
    LOCK, slots={"rules/lock/match": "colour", "rules/hands/limit": "weight"}, live_structure=4,
    live=("rules/lock/match", "rules/hands/limit"), dead=(), kinds=KINDS[2:], skeleton="b", errands=0,
)  # fmt: skip
PAIR = ("rules/hands/limit=weight", "rules/lock/match=shape")
OTHER = ("rules/hands/limit=weight", "rules/lock/match=lighter")


def test_the_figures_of_two_worlds() -> None:
    """Shares are over all slots and commands together; pairs count once however often they are met."""
    found = broad([LOCK, REST, REST], {"rules": frozenset({PAIR, OTHER}), "grammar": frozenset()})
    assert found["worlds"] == 3
    assert found["live_slots"] == round(5 / 6, 4)
    assert found["live_structure"] == {"mean": 2.667, "enough": round(2 / 3, 4)}
    assert found["families"] == {
        "hands": {"drawn": 3, "used": 0, "live": round(2 / 3, 4)}, "lock": {"drawn": 3, "used": 3, "live": 1.0},
    }  # fmt: skip
    assert found["skeletons"] == {
        "worlds": 3, "different": 2, "commonest": 0.6667, "first": {"worlds": 3, "different": 2, "commonest": 0.6667},
    }  # fmt: skip
    assert found["errands"] == 0.2
    assert found["pairs"] == {
        "rules": {"covered": 1, "allowed": 2}, "grammar": {"covered": 0, "allowed": 0},
    }  # fmt: skip


def test_pairs_of_kinds_are_counted_until_all_are_met() -> None:
    """`within` is the number of worlds after which none was missing."""
    few = broad([LOCK, REST], {})["kinds"]
    assert isinstance(few, dict)
    assert (few["pairs"], few["of"], few["within"]) == (7, 15, None)
    assert "irreversible + ordered" in few["missing"]
    every = broad([LOCK, replace(LOCK, kinds=KINDS), REST], {})["kinds"]
    assert isinstance(every, dict)
    assert (every["pairs"], every["within"], every["missing"]) == (15, 2, [])


def test_no_world_has_no_figures() -> None:
    """Nothing is divided by nothing."""
    assert broad([], {}) == {"worlds": 0}


def test_a_pack_tells_what_a_survey_measures(tmp_path: Path) -> None:
    """The breadth of a world is the same from a row as measured anew."""
    path = tmp_path / "some.pack"
    list(pack(Asked(("tiny/0", "tiny/4")), path, content(), None, 1))
    with Pack.open(path) as found:
        for row in found.rows():
            surveyed = survey_world(row.ref)
            assert isinstance(surveyed, Surveyed)
            assert Breadth.of_row(row.record) == surveyed.breadth
