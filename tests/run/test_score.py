"""What an outcome is worth."""

from __future__ import annotations

import pytest

from sandbox.log.rows import OUTCOMES
from sandbox.run.score import ERRORS, Outcome, default_limit, score


def test_every_outcome_can_be_recorded() -> None:
    """The runner and the log know the same outcomes."""
    assert {outcome.value for outcome in Outcome} == set(OUTCOMES)


@pytest.mark.parametrize(
    ("outcome", "steps", "worth"),
    [
        (Outcome.SOLVED, 10, 1.0),
        (Outcome.SOLVED, 20, 0.5),
        (Outcome.SOLVED, 7, 1.0),
        (Outcome.LOST, 10, 0.0),
        (Outcome.STEP_LIMIT, 140, 0.0),
        (Outcome.CANCELLED, 0, 0.0),
        (Outcome.AGENT_ERROR, 10, None),
        (Outcome.PROVIDER_ERROR, 0, None),
    ],
)
def test_the_score_is_the_optimum_over_the_commands(outcome: Outcome, steps: int, worth: float | None) -> None:
    """Solved worlds score the optimum over the commands taken, never above 1; errors have no score at all."""
    assert score(outcome, 10, steps, assisted=False) == worth


@pytest.mark.parametrize("outcome", list(Outcome))
def test_help_leaves_no_score(outcome: Outcome) -> None:
    """An assisted play has no score, whatever its outcome."""
    assert score(outcome, 10, 10, assisted=True) is None


def test_only_errors_are_errors() -> None:
    """The outcomes that say nothing about the player's skill are the two errors."""
    assert {outcome.value for outcome in ERRORS} == {"agent_error", "provider_error"}


def test_who_learns_gets_more_steps() -> None:
    """The default limit is ten times the optimum and forty, for learning agents a hundred times."""
    assert (default_limit(11, learns=False), default_limit(11, learns=True)) == (150, 1100)
