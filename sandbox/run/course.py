"""The way through a world: the steps taken so far, the last of which can be taken back.

This is the one place that says what a log means. A command is stepped from the present; `:undo`
before a command, as recorded with it, goes back by one step first. Taking back is no step: it has no
row of its own, and the numbers of the rows go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sandbox.log.rows import StepRow
from sandbox.world.engine import Engine, Step

UNDO: Final = ":undo"


class Course:
    """The steps from the start of a world to where the player stands."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._steps = [engine.start()]
        self._commands: list[str] = []

    @property
    def now(self) -> Step:
        """The last step that counts: its state is the present."""
        return self._steps[-1]

    @property
    def last(self) -> tuple[int, str] | None:
        """The last command that counts, and the state in which it was said; None at the start."""
        return (self._steps[-2].state, self._commands[-1]) if self._commands else None

    def take(self, command: str) -> Step:
        """Step on from the present."""
        step = self.engine.step(self.now.state, command)
        self._steps.append(step)
        self._commands.append(command)
        return step

    def undo(self) -> bool:
        """Take the last step back. False at the start, where there is none."""
        if len(self._steps) == 1:
            return False
        self._steps.pop()
        self._commands.pop()
        return True

    def follow(self, rows: Iterable[StepRow]) -> Iterator[tuple[StepRow, Step]]:
        """Go the way that recorded `rows` tell, step 0 first, and give each row the step it led to."""
        for row in rows:
            for assist in (row.assist or "").split():
                if assist == UNDO:
                    self.undo()
            yield row, self.now if row.executed is None else self.take(row.executed)
