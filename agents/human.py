"""`human`: a person, or whatever writes lines into a pipe."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.console import read_line


class Agent:
    """You, at the keyboard or through a pipe; type :help while you play."""

    access = 1
    meta = True

    def __init__(self, options: Mapping[str, str]) -> None:
        """It has no options."""

    def begin(self, briefing: Briefing) -> None:
        """The goal and the help page are shown by whoever shows the game."""

    def act(self, turn: Turn) -> str:
        """The next line, as it was typed."""
        del turn  # it was shown already
        return read_line("> ")

    def end(self, turn: Turn) -> None:
        """Nothing was opened."""
