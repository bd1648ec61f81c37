"""`zeroshot`: a language model that is told the goal, the help page and what it sees, and nothing of what it did."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.agent.api import Briefing, Reply, Turn
from sandbox.agent.dialogue import Dialogue

HOW = "Reply with the command alone, on one line."


class Agent:
    """A language model that sees the present only: the least that a model can be given."""

    access = 1
    model = True

    def __init__(self, options: Mapping[str, str]) -> None:
        """It has no options."""

    def begin(self, briefing: Briefing) -> None:
        """Keep what every prompt begins with."""
        self._briefing = briefing

    def act(self, turn: Turn) -> Reply:
        """Ask for a command, once with every turn, from the present alone."""
        briefing = self._briefing
        assert briefing.prompts is not None, "an agent with a model has prompts"
        head = briefing.prompts.render(
            "zeroshot", goal=briefing.goal, help=briefing.help or "", observation=turn.text,
            admissible=turn.admissible or (),
        )
        return Dialogue(briefing.chat, head, HOW, window=0).command()

    def end(self, turn: Turn) -> None:
        """Nothing was opened."""
