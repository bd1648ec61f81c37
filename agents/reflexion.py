"""`reflexion`: several tries at one world, and between them a few sentences about what went wrong.

After Shinn et al., "Reflexion: Language Agents with Verbal Reinforcement Learning", NeurIPS 2023. A try that has
used its share of the steps ends with the world's own word for starting again, which costs a step like any other.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.agent.api import Briefing, Reply, Turn
from sandbox.agent.dialogue import THINKING, THINKING_HOW, Dialogue
from sandbox.models.api import Message

KEPT = 3
"""How many reflections are carried on."""


class Agent:
    """A language model that starts again after a failed try, with its own advice at hand."""

    access = 1
    model = True
    options = {"trials": ("2", "3", "4", "5")}  # noqa: RUF012 - declared once, never changed

    def __init__(self, options: Mapping[str, str]) -> None:
        self._trials = int(options.get("trials", "3"))

    def begin(self, briefing: Briefing) -> None:
        """Share the steps out among the tries."""
        self._briefing = briefing
        self._share = max(4, briefing.max_steps // self._trials)
        self._dialogue: Dialogue | None = None
        self._reflections: list[str] = []
        self._said, self._left = "", self._share

    def act(self, turn: Turn) -> Reply:
        """Go on with the try, or reflect and start again."""
        if self._dialogue is None:
            self._dialogue = Dialogue(self._briefing.chat, self._head(turn), THINKING_HOW, schema=THINKING)
        elif self._said:
            self._dialogue.saw(self._said, turn.text)
        else:
            self._dialogue.forget(self._head(turn))
        self._left -= 1
        if self._left == 0:
            self._left, self._said = self._share, ""
            self._reflections.append(self._reflect())
            return self._again()
        reply = self._dialogue.command()
        self._said = reply.raw
        return reply

    def _head(self, turn: Turn) -> tuple[tuple[str, str], ...]:
        briefing = self._briefing
        assert briefing.prompts is not None, "an agent with a model has prompts"
        return briefing.prompts.render(
            "reflexion", goal=briefing.goal, help=briefing.help or "", observation=turn.text,
            reflections=tuple(self._reflections[-KEPT:]), share=self._share,
        )

    def _reflect(self) -> str:
        """A few sentences about the try that ends."""
        briefing = self._briefing
        assert briefing.prompts is not None, "an agent with a model has prompts"
        assert self._dialogue is not None, "a try was begun"
        asked = briefing.prompts.render(
            "reflect", goal=briefing.goal, steps=tuple(self._dialogue.past[-20:]),
            reflections=tuple(self._reflections[-KEPT:]),
        )
        answer = briefing.chat.ask("critic", [Message(*part) for part in asked], max_tokens=300)
        return str(answer.text).strip()[:1200] or "(nothing came to mind)"

    def _again(self) -> Reply:
        """The word for starting again: asked for, since every world has its own."""
        briefing = self._briefing
        assert briefing.prompts is not None, "an agent with a model has prompts"
        head = briefing.prompts.render("start_again", help=briefing.help or "")
        return Dialogue(briefing.chat, head, "Reply with the command alone.", window=0).command()

    def end(self, turn: Turn) -> None:
        """Nothing was opened."""
