"""How an episode ends and what that is worth.

An outcome is told by the runner and never inferred from a reward. An infrastructure error has no
score at all, which is not a score of 0; neither has a play that was helped.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Outcome(StrEnum):
    """How an episode ended."""

    SOLVED = "solved"
    LOST = "lost"
    STEP_LIMIT = "step_limit"
    INVALID_LIMIT = "invalid_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - no password
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    AGENT_ERROR = "agent_error"
    PROVIDER_ERROR = "provider_error"
    CANCELLED = "cancelled"


ERRORS: Final = frozenset({Outcome.AGENT_ERROR, Outcome.PROVIDER_ERROR})
FINAL: Final = frozenset({Outcome.SOLVED, Outcome.LOST})
"""Outcomes of the world itself: such an episode cannot be continued."""


def default_limit(optimum: int, *, learns: bool) -> int:
    """How many commands an agent gets for a world whose certificate takes `optimum`."""
    return 100 * optimum if learns else 10 * optimum + 40


def score(
    outcome: Outcome, optimum: int, steps: int, *, assisted: bool, reached: float | None = None
) -> float | None:
    """`solved × optimum / max(optimum, steps)`, at most 1; None where no score can be given.

    In an open play it is the share of the milestones that were `reached`, however it ended.
    """
    if outcome in ERRORS or assisted:
        return None
    if reached is not None:
        return reached
    return optimum / max(optimum, steps) if outcome is Outcome.SOLVED else 0.0
