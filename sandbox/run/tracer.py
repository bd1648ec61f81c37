"""Which milestones an open play reached, step by step: they follow from the world and the commands on record."""

from __future__ import annotations

from sandbox.log.rows import StepRow
from sandbox.run.course import Course
from sandbox.world.open import OpenEngine, told
from sandbox.world.world import World


class Tracer:
    """Follows the rows of an open play. What was taken back with `:undo` is reached no longer."""

    def __init__(self, world: World, access: int) -> None:
        self._engine = OpenEngine(world, access)
        self._course = Course(self._engine)
        self._reached: list[str] = []

    @property
    def of(self) -> int:
        """How many milestones the world has."""
        return len(self._engine.world.milestones)

    @property
    def reached(self) -> list[str]:
        """What is reached by now, in the order in which it was."""
        return list(self._reached)

    @property
    def missing(self) -> list[str]:
        """What is not."""
        return [name for name in told(self._engine.world.milestones) if name not in self._reached]

    def step(self, row: StepRow) -> list[str]:
        """The milestones that a row reached for the first time."""
        for _ in self._course.follow((row,)):
            pass
        now = told(self._engine.reached(self._course.now.state))
        new = [name for name in now if name not in self._reached]
        self._reached = [name for name in self._reached if name in now] + new
        return new
