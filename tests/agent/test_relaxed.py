"""How far a goal is when nothing is ever undone."""

from sandbox.agent.relaxed import Relaxed

ROWS = [(0b0001, 0b0010, 0), (0b0011, 0b0100, 1), (0b0001, 0b1000, 2), (0b1000, 0b0100, 3)]
COSTS = [1, 5, 2, 1]


def test_costs_of_needed_deeds_are_added_up() -> None:
    """The first deed that reaches a bit counts, with what it needs, each deed once."""
    assert Relaxed(ROWS, 0b0100, COSTS).distance(0b0001) == (6, {0, 1})
    assert Relaxed(ROWS, 0b1100, COSTS).distance(0b0001) == (8, {0, 1, 2})


def test_a_goal_that_holds_is_at_no_distance() -> None:
    """Nothing has to be done for what is so."""
    assert Relaxed(ROWS, 0b0101, COSTS).distance(0b0111) == (0, set())


def test_a_goal_that_no_deed_brings_about_is_out_of_reach() -> None:
    """None says that not even a plan in which nothing is undone reaches it."""
    assert Relaxed(ROWS, 0b0100, COSTS).distance(0b0000) is None
    assert Relaxed(ROWS, 0b10000, COSTS).distance(0b0001) is None
