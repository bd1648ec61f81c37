"""`random`: the floor that every other player is measured against."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.draws import draws


class Agent:
    """Draws every command evenly from those the world accepts now."""

    access = 2

    def __init__(self, options: Mapping[str, str]) -> None:
        """It has no options."""

    def begin(self, briefing: Briefing) -> None:
        """Begin the stream of draws that belongs to the seed."""
        self._draws = draws("random", briefing.seed)

    def act(self, turn: Turn) -> str:
        """One of the admissible commands."""
        return self._draws.choice(turn.admissible or ("",))

    def end(self, turn: Turn) -> None:
        """Nothing was opened."""
