"""`react`: a language model that thinks aloud before every command and sees what came of it.

After Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models", ICLR 2023.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.agent.api import Briefing, Reply, Turn
from sandbox.agent.dialogue import THINKING, THINKING_HOW, Dialogue


class Agent:
    """A language model that thinks before every command and remembers what came of it."""

    access = 1
    model = True

    def __init__(self, options: Mapping[str, str]) -> None:
        """It has no options."""

    def begin(self, briefing: Briefing) -> None:
        """A conversation begins with the first turn."""
        self._briefing = briefing
        self._dialogue: Dialogue | None = None
        self._said = ""

    def act(self, turn: Turn) -> Reply:
        """Think, then act."""
        if self._dialogue is None:
            self._dialogue = self._opened(turn)
        else:
            self._dialogue.saw(self._said, turn.text)
        reply = self._dialogue.command()
        self._said = reply.raw
        return reply

    def _opened(self, turn: Turn) -> Dialogue:
        briefing = self._briefing
        assert briefing.prompts is not None, "an agent with a model has prompts"
        head = briefing.prompts.render(
            "react", goal=briefing.goal, help=briefing.help or "", observation=turn.text, max_steps=briefing.max_steps
        )
        return Dialogue(briefing.chat, head, THINKING_HOW, schema=THINKING)

    def end(self, turn: Turn) -> None:
        """Nothing was opened."""
