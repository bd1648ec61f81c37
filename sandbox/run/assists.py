"""The words that a person says to the runner instead of to the world.

A line is one of them only if it is exactly that word; `::x` says `:x` to the world. None of them is a
step. Those that tell more than the world does are assists: they are logged and leave no score.
"""

from __future__ import annotations

from typing import Final

from sandbox.agent.api import Left
from sandbox.run.course import UNDO, Course
from sandbox.run.game import Guide

WORDS: Final = {
    ":help": "this page",
    ":goal": "what is to be reached",
    ":hint": "the next command of a shortest way (no score)",
    ":undo": "take the last command back (no score)",
    ":map": "how the rooms connect (no score)",
    ":rules": "all rules of this world (no score)",
    ":quit": "leave; what was played stays recorded",
}
FREE: Final = frozenset({":help", ":goal", ":quit"})


class Assists:
    """Answers a person's words. `used` are the assists since the last step, `ever` whether any was used."""

    def __init__(self, course: Course, guide: Guide) -> None:
        self._course, self._guide = course, guide
        self.used: list[str] = []
        self.ever = False

    def take_used(self) -> str | None:
        """The assists to log with the next step, and a clean slate for the one after."""
        used, self.used = self.used, []
        return " ".join(used) or None

    def answer(self, word: str) -> str:
        """What `word` is answered with. Raises Left for `:quit`."""
        if word == ":quit":
            raise Left(word)
        text = self._text(word)
        if word not in FREE and text is not None:
            self.used.append(word)
            self.ever = True
        return text or "There is nothing to take back."

    def _text(self, word: str) -> str | None:
        engine, now = self._course.engine, self._course.now
        if word == ":help":
            listing = "\n".join(f"  {name:7} {what}" for name, what in WORDS.items())
            return f"{engine.help_text}\n\nTo the sandbox, not to the world (no step):\n{listing}\n  ::x     say :x"
        if word == ":goal":
            return engine.goal_text
        if word == ":map":
            return engine.map_text(now.state)
        if word == ":rules":
            return engine.rules_text()
        if word == UNDO:
            return f"Taken back.\n{self._scene()}" if self._course.undo() else None
        command = self._guide.next()
        if self._guide.lost and command and engine.world.milestones:
            return f"Nothing new was found from here. Begin again with: {command}"
        if self._guide.lost and command:
            return f"The goal can no longer be reached from here. Begin again with: {command}"
        return f"Try: {command}" if command else "No way to the goal was found from here."

    def _scene(self) -> str:
        """What the player sees now, as `look` would say it."""
        engine, state = self._course.engine, self._course.now.state
        return engine.step(state, engine.commands(("look", ()), state)[0]).text


def spoken(line: str) -> str:
    """What the world hears of a line: `::x` says `:x`."""
    return line[1:] if line.startswith("::") else line
