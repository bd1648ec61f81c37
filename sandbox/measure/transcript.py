"""A plan as it reads when it is played: the text that measures of words, memory and skeletons are taken from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sandbox.world.dynamics import Intent
from sandbox.world.engine import Engine, text_intent


@dataclass(frozen=True, slots=True)
class Line:
    """One command of a plan: what it means, the states around it, and the text that answered it.

    `typed` are the ids whose names the command holds: with a focus protocol, the thing that is selected is left out.
    """

    command: str
    intent: Intent
    typed: tuple[str, ...]
    before: int
    after: int
    text: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """The first screen and every command with its answer."""

    opening: str
    lines: tuple[Line, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything shown, the first screen at 0 and the answer to command n at n."""
        return (self.opening, *(line.text for line in self.lines))


def transcribe(engine: Engine, plan: Iterable[str]) -> Transcript:
    """Play the commands of a plan from the start. Raises ValueError for one that is no intent."""
    step = engine.start()
    opening, lines = step.text, list[Line]()
    for command in plan:
        before = step.state
        step = engine.step(before, command)
        if step.intent is None:
            raise ValueError(f"{command!r} is no command of this world")
        intent = text_intent(step.intent)
        typed = tuple(arg for arg in intent[1] if named(engine.world.names[arg], command))
        lines.append(Line(command, intent, typed, before, step.state, step.text))
    return Transcript(opening, tuple(lines))


def named(name: str, text: str) -> bool:
    """Whether a text holds a name or word as a whole (case does not matter)."""
    return re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text.casefold()) is not None


def last_named(name: str, texts: Sequence[str]) -> int | None:
    """The index of the last text that holds a name, or None."""
    return next((n for n in range(len(texts) - 1, -1, -1) if named(name, texts[n])), None)
