"""The words that a person says to the runner instead of to the world.

A line is one of them only if it is exactly that word; `::x` says `:x` to the world. None of them is a
step. Those that tell more than the world does are assists: they are logged and leave no score.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final

from sandbox.agent.api import Left
from sandbox.errors import nearest
from sandbox.run.course import UNDO, Course
from sandbox.run.game import Guide
from sandbox.world.engine import Engine
from sandbox.world.lesson import THEN, sequence

WORDS: Final = {
    ":help": "this page",
    ":goal": "what is to be reached",
    ":hint": "the next command of a shortest way (no score)",
    ":why": "why the last command was refused, or what it did (no score)",
    ":undo": "take the last command back (no score)",
    ":map": "how the rooms connect (no score)",
    ":rules": "all rules of this world (no score)",
    ":quit": "leave; what was played stays recorded",
}
FREE: Final = frozenset({":help", ":goal", ":quit"})
_NOTHING: Final = {UNDO: "There is nothing to take back.", ":why": "Nothing was said to the world yet."}
"""What is answered where there is nothing to help with; that is no assist."""


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
        return text or _NOTHING[word]

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
        if word == ":why":
            return self._why()
        command = self._guide.next()
        if self._guide.lost and command and engine.world.milestones:
            return f"Nothing new was found from here. Begin again with: {command}"
        if self._guide.lost and command:
            return f"The goal can no longer be reached from here. Begin again with: {command}"
        return f"Try: {command}" if command else "No way to the goal was found from here."

    def _why(self) -> str | None:
        """The requirement that the last command failed, or what it did that was not told."""
        last = self._course.last
        if last is None:
            return None
        step = self._frank.step(*last)
        if step.cause is None:
            silent = step.text == self._course.now.text
            return "The last command was carried out." + ("" if silent else f"\n{step.text}")
        phrase = self._frank.speech.parse(last[1])
        if step.cause != "wrong_kind" or isinstance(phrase, str):
            return step.text
        return f"{step.text}\nIt is said so: {THEN.join(sequence(self._frank, phrase.action))}"

    @cached_property
    def _frank(self) -> Engine:
        """The same world with refusals, and what was done, in full."""
        engine = self._course.engine
        feedback = replace(engine.world.feedback, detail="requirement", success="told")
        return Engine(replace(engine.world, feedback=feedback), engine.access)

    @property
    def reminder(self) -> str:
        """What a person who goes on is told, since the first screen is long gone: the goal, and how to look around."""
        engine, state = self._course.engine, self._course.now.state
        return f"{engine.goal_text}\nTo see where you are, say: {engine.commands(('look', ()), state)[0]}"

    def _scene(self) -> str:
        """What the player sees now, as `look` would say it."""
        engine, state = self._course.engine, self._course.now.state
        return engine.step(state, engine.commands(("look", ()), state)[0]).text


def spoken(line: str) -> str:
    """What the world hears of a line: `::x` says `:x`."""
    return line[1:] if line.startswith("::") else line


def mistaken(line: str) -> str | None:
    """What to tell a person whose line begins with one colon and is none of the words; it is a step all the same."""
    if not line.startswith(":") or line.startswith("::") or line in WORDS:
        return None
    meant = nearest(line.strip().casefold(), WORDS)
    advice = f"did you mean {meant}?" if meant else ":help lists them."
    return f"{line.strip()} is none of the words to the sandbox and was said to the world: {advice}"
