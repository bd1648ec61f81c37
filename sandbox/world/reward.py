"""What a step is worth, and what is said of it.

* sparse: 1 for the step that solves, nothing before;
* dense: the change in the share of the goal's conditions that hold; how many hold is told when it changes;
* at_end: 1 for solving, -1 for losing all, nothing before and nothing for starting again;
* lower_is_better: the change in the share of conditions that are still open, so that what helps is negative; how many
  are left is told when it changes.

A refused command, and one that only asks or prepares, is worth nothing. Reward is told by feedback and is no part of
the transition system.
"""

from __future__ import annotations

from collections.abc import Mapping

REWARDS = ("sparse", "dense", "at_end", "lower_is_better")


class Reward:
    """The rewards of one world; `total` is the number of its goal's conditions."""

    def __init__(self, kind: str, total: int) -> None:
        self.kind, self._total = kind, total
        self.counts = kind in ("dense", "lower_is_better")
        self._sign = -1 if kind == "lower_is_better" else 1

    def step(self, before: int, now: int, *, lost: bool) -> float:
        """The reward of an act by which so many conditions hold after as many as before; `lost` when it lost all."""
        if self.counts:
            return self._sign * (now - before) / self._total if now != before else 0.0
        if now == self._total:
            return 1.0
        return -1.0 if lost and self.kind == "at_end" else 0.0

    def again(self, before: int, now: int) -> float:
        """The reward of starting again."""
        return self.step(before, now, lost=False) if self.counts else 0.0

    def told(self, now: int) -> tuple[str, Mapping[str, int]]:
        """The phrase that tells how far the goal is reached, and what fills it."""
        if self._sign < 0:
            return "left", {"left": self._total - now, "all": self._total}
        return "done", {"done": now, "all": self._total}
