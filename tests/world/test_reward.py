"""Rewards: what each kind pays for the same play, and that the sums are what the goal is worth."""

from __future__ import annotations

import pytest

from sandbox.world.reward import REWARDS, Reward

PLAY = (0, 1, 1, 0, 2, 3)
"""How many of three conditions hold after each act."""


def paid(kind: str, *, lost: bool = False) -> list[float]:
    """The rewards of the acts of the play; with `lost`, the third one loses all."""
    reward = Reward(kind, 3)
    return [
        round(reward.step(before, now, lost=lost and number == 2), 2)
        for number, (before, now) in enumerate(zip((0, *PLAY), PLAY, strict=False))
    ]


@pytest.mark.parametrize(("kind", "rewards"), [
    ("sparse", [0, 0, 0, 0, 0, 1]), ("at_end", [0, 0, 0, 0, 0, 1]),
    ("dense", [0, 0.33, 0, -0.33, 0.67, 0.33]), ("lower_is_better", [0, -0.33, 0, 0.33, -0.67, -0.33]),
])  # fmt: skip
def test_what_a_play_pays(kind: str, rewards: list[float]) -> None:
    """Each kind pays at its own steps."""
    assert paid(kind) == rewards


def test_losing_costs_only_at_the_end() -> None:
    """Only the kind that pays at the end has a price for losing all."""
    assert {kind: paid(kind, lost=True)[2] for kind in REWARDS} == {
        "sparse": 0, "dense": 0, "at_end": -1, "lower_is_better": 0,
    }  # fmt: skip


@pytest.mark.parametrize("kind", REWARDS)
def test_starting_again_gives_back_what_counting_had_paid(kind: str) -> None:
    """Starting again earns nothing: where conditions are counted, what was earned is taken back."""
    reward = Reward(kind, 2)
    assert reward.step(0, 1, lost=False) + reward.again(1, 0) == 0


def test_what_is_told_counts_up_or_down() -> None:
    """With falling rewards, what is left is told; else what is done."""
    assert Reward("dense", 3).told(1) == ("done", {"done": 1, "all": 3})
    assert Reward("lower_is_better", 3).told(1) == ("left", {"left": 2, "all": 3})
