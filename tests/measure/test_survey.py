"""The survey: worlds measured one by one, and the figures of many."""

from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path

import pytest

from sandbox.certify import Built
from sandbox.generate.content import Content
from sandbox.measure.breadth import Breadth
from sandbox.measure.live import measure, slot_edits
from sandbox.measure.profile import profile
from sandbox.measure.survey import EFFECTS, WALKS, Failed, Surveyed, luck, percentile, summarise, survey_world

Build = Callable[[str], Built]
NOTHING = dict.fromkeys(EFFECTS, 0)
BREADTH = Breadth(("lock",), ("lock",), {}, ("rules/lock/match",), (), 1, ("ticking",), "s", 6, 10)
ONE = Surveyed(
    ref="a", steps=10, tier="exact", build_ms=10.0, slots=4, live=("x", "y", "z"), live_structure=2,
    effects={**NOTHING, "barrier": 2, "trap": 1, "dead": 1}, mattering={"rules": 3, "grammar": 1},
    skeleton=("core: a",), threaded=("core: a (0)",), errands=6, commands=10, load={"search": 3, "knowledge": None},
    surprises=2, prior_solvable=False, prior_might_solve=True, shown_before_used=True, walks=5, lucky_10=0, lucky_30=1,
    dead_ends=0.0, breadth=BREADTH,
)  # fmt: skip
OTHER = replace(
    ONE, ref="b", steps=16, tier="witness", build_ms=30.0, live=("x",), live_structure=1,
    effects={**NOTHING, "shortcut": 1}, mattering={"rules": 1, "grammar": 0}, threaded=("core: a (1)",), errands=4,
    load={"search": 8, "knowledge": 1}, surprises=0, prior_solvable=True, shown_before_used=False, lucky_10=1,
    lucky_30=2, dead_ends=0.25,
)  # fmt: skip


@pytest.fixture
def figures() -> dict[str, object]:
    """The figures of the two worlds and a seed that failed."""
    worlds = [replace(one, mattering={**dict.fromkeys(("observation", "feedback"), 1), **one.mattering})
              for one in (ONE, OTHER)]  # fmt: skip
    return summarise(worlds, [Failed("c", "steps")])


def test_counts_and_shares(figures: dict[str, object]) -> None:
    """Shares are over all slots, edits, commands or worlds together, not averages of averages."""
    assert (figures["worlds"], figures["failed"]) == (2, 1)
    assert figures["live_slots"] == 0.5
    assert figures["live_structure"] == 1.5
    assert figures["effects"] == {**NOTHING, "barrier": 2, "shortcut": 1, "trap": 1, "dead": 1}
    assert figures["mattering_rules_edits"] == 2.0
    assert figures["mattering_axes"] == {"grammar": 0.5, "rules": 1.0, "observation": 1.0, "feedback": 1.0}
    assert figures["errands"] == 0.5
    assert figures["surprises"] == {"mean": 1.0, "none": 1}
    assert (figures["prior_solvable"], figures["prior_might_solve"]) == (0.5, 1.0)
    assert figures["shown_before_used"] == 0.5
    assert figures["luck"] == {"within_10": 0.1, "within_30": 0.3}


def test_plans_proofs_and_times(figures: dict[str, object]) -> None:
    """Skeletons are compared whole; proofs are counted overall and up to 15 steps; times are medians and tails."""
    assert figures["skeletons"] == {"different": 1, "commonest": 1.0}
    assert figures["skeletons_threaded"] == {"different": 2, "commonest": 0.5}
    assert (figures["exact"], figures["exact_up_to_15"]) == (0.5, 1.0)
    assert figures["optimum"] == {"median": 13.0, "most": 16}
    assert figures["build_ms"] == {"median": 20.0, "p95": 30.0}
    assert figures["dead_ends"] == {"mean": 0.125, "most": 0.25}
    assert figures["load"] == {"search": 5.5, "knowledge": 1}


def test_no_worlds_have_no_figures() -> None:
    """Where every seed failed only the counts are left."""
    assert summarise([], [Failed("c", "steps")]) == {"worlds": 0, "failed": 1}


def test_a_percentile_is_one_of_the_values() -> None:
    """Nearest rank: 95 of 100 values are no greater, and of few values it is the greatest."""
    assert percentile([float(n) for n in range(1, 101)], 95) == 95.0
    assert percentile([3.0, 1.0, 2.0], 95) == 3.0
    assert percentile([3.0, 1.0, 2.0], 1) == 1.0


def test_a_world_is_surveyed_as_it_is_measured(library: Content, world: Build) -> None:
    """The survey of a world says what its edits, plan and profile say; its time is the clock's."""
    built = world("tiny/1")
    ticks = count(start=5.0, step=0.25)
    found = survey_world("tiny/1", clock=lambda: next(ticks))
    assert isinstance(found, Surveyed)
    assert found.build_ms == 250.0
    edits = [measure(built, library, edit) for edit in slot_edits(built, library)]
    rules = [one for one in edits if one.edit.slot.axis == "rules"]
    assert found.effects == {e: sum(one.effect == e for one in rules) for e in EFFECTS}
    assert found.mattering["feedback"] == sum(one.matters for one in edits if one.edit.slot.axis == "feedback")
    assert set(found.live) == {one.edit.slot.full for one in rules if one.effect != "dead"}
    assert found.slots == len({one.edit.slot.full for one in rules})
    measured = profile(built, library)
    assert found.load["search"] == measured.load.search
    assert found.load["plan.steps"] == built.certificate.steps
    assert (found.surprises, found.prior_solvable) == (measured.surprises, measured.prior_solvable)
    assert asdict(found) == found.to_dict()


def test_a_seed_without_a_world_is_counted_not_raised(impossible: Path) -> None:
    """A survey goes on past a seed that cannot be built, and says why."""
    found = survey_world("impossible/1", impossible)
    assert isinstance(found, Failed)
    assert found.ref == "impossible/1"
    assert "impossible" in found.why


def test_luck_is_counted_within_both_limits(built: Built) -> None:
    """Who solves within 10 times the optimum has solved within 30 times; the walks are keyed, so luck is repeatable."""
    short, long = luck(built)
    assert 0 <= short <= long <= WALKS
    assert luck(built) == (short, long)
