"""The play of an agent that tells what it thinks, folded: what it was about, what it concluded, and the last commands.

Consecutive commands of one or several pursuits make a *stretch*. A stretch takes one line, and under it stands each
conclusion with the number of commands after which it was drawn. Nothing here knows an agent: it shows what
`sandbox.agent.journal` describes, whoever wrote it.
"""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sandbox.cli.output import say, visible
from sandbox.log.rows import StepRow

PATH: Final = 14
"""Commands shown at the end, one a line."""
TAIL: Final = 8
"""Lines held back for the end of a story that is too long."""
NAMED: Final = 3
"""Skills named at the end, the most used first."""
LEAST: Final = 6
"""Commands shown at the end, however short the last pursuit was."""
PATIENCE: Final = 0.5
SHORTEST: Final = 24
PURSUIT, EVENT, BELIEF = range(3)
"""What goes first where there is not enough room: what the agent was about, then events, then beliefs."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the story: after how many commands, and its weight: PURSUIT, EVENT or BELIEF."""

    n: int
    text: str
    weight: int


def loud(entries: Iterable[Mapping[str, object]]) -> list[str]:
    """What of an agent's entries is told on a screen, sentence by sentence."""
    said = [entry.get("says", entry.get("phase")) for entry in entries if not entry.get("minor")]
    return [text for text in said if isinstance(text, str)]


class Narrator:
    """Tells the story of a play in at most `room` lines, and then the way it ended. `width` is the terminal's."""

    def __init__(self, room: int, width: int) -> None:
        self._room, self._width = max(room, TAIL + 4), width
        self._told: set[str] = set()
        self._known: set[tuple[str, str]] = set()
        self._pursuits: list[str] = []
        self._begun, self._printed = 1, False
        self._skills: tuple[str, ...] = ()
        self._used: Counter[str] = Counter()
        self._held: list[Line] = []
        self._path: deque[StepRow] = deque(maxlen=PATH)
        self._since = 1
        self._counted, self._counting = time.monotonic(), False

    def take(self, row: StepRow) -> None:
        """One command, with what the agent told before it."""
        phases = [phase for entry in row.beliefs if isinstance(phase := entry.get("phase"), str)]
        if not self._pursuits:
            self._pursue(row.n, *phases[:1])
        for entry in row.beliefs:  # drawn from the answer before, whatever is begun now
            for text in loud([entry]) if "phase" not in entry and self._first(entry) else ():
                self._conclude(Line(row.n - 1, text, BELIEF if "belief" in entry else EVENT))
        self._pursue(row.n, *phases)
        used = row.skills_used or ()
        if used and used != self._skills:
            self._conclude(Line(row.n, f"uses skill {used[0]}", EVENT))
        self._skills = used
        self._used.update(used[:1])
        self._path.append(row)
        self._count(row.n)

    def _first(self, entry: Mapping[str, object]) -> bool:
        """Whether a belief is told for the first time: what is only said more exactly later takes no line."""
        if "belief" not in entry:
            return True
        key = str(entry["belief"]), str(entry.get("key"))
        known = key in self._known
        self._known.add(key)
        return not known

    def _pursue(self, n: int, *phases: str) -> None:
        for phase in phases:
            self._since = n
            if phase in self._pursuits:
                continue
            if self._printed or not self._pursuits:
                self._pursuits, self._begun, self._printed = [], n, False
            self._pursuits.append(phase)

    def _conclude(self, line: Line) -> None:
        if line.text in self._told:
            return
        self._told.add(line.text)
        self._stretch()
        self._line(line)

    def _stretch(self) -> None:
        if not self._printed and self._pursuits:
            self._line(Line(self._begun, ", ".join(self._pursuits), PURSUIT))
        self._printed = True

    def _line(self, line: Line) -> None:
        height = self._height(line)
        if self._held or self._room - height < TAIL:
            self._held.append(line)
            return
        self._room -= height
        self._print(line)

    def _text(self, line: Line) -> str:
        """A line of the story; of an event only its beginning."""
        text = f"{line.n:5}  {'  ' if line.weight else ''}{visible(line.text)}"
        return text if line.weight == BELIEF or len(text) <= self._width else f"{text[: self._width - 1]}…"

    def _height(self, line: Line) -> int:
        return max(1, -(-len(self._text(line)) // self._width))

    def _print(self, line: Line) -> None:
        self._clear()
        say(self._text(line), fg=None if line.weight else "cyan")

    def _count(self, n: int) -> None:
        """Let a terminal see that a long play goes on: the number of commands, once in a while."""
        now = time.monotonic()
        if now - self._counted > PATIENCE and sys.stderr is not None and sys.stderr.isatty():
            self._counted, self._counting = now, True
            sys.stderr.write(f"  … {n} commands\r")
            sys.stderr.flush()

    def _clear(self) -> None:
        if self._counting:
            self._counting = False
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def close(self, *, episode: str) -> None:
        """Tell the rest, as far as there is room, and show the last commands."""
        self._stretch()
        path = self._last_commands()
        room, lines = self._room + PATH - len(path), self._held
        for weight in (EVENT, BELIEF):
            if sum(map(self._height, lines)) > room:
                lines = [line for line in lines if line.weight >= weight]
        shown: list[Line] = []
        for line in reversed(lines):
            room -= self._height(line)
            if room < 1 and len(shown) < len(lines):
                break
            shown.insert(0, line)
        cut = len(lines) - len(shown)
        if cut:
            self._clear()
            more = f"{cut} more conclusion{'s' * (cut > 1)}"
            say(f"       … {more}: sandbox episodes show {episode} --beliefs", fg="yellow")
        for line in shown:
            self._print(line)
        self._clear()
        self._tell_skills()
        if path:
            say()
        if path and path[0].n > 1:
            say(f"The last {len(path)} commands:", fg="cyan")
        for row in path:
            say(self._command(row))

    def _tell_skills(self) -> None:
        if self._used:
            names = ", ".join(name for name, _ in self._used.most_common(NAMED))
            more = f" and {len(self._used) - NAMED} more" if len(self._used) > NAMED else ""
            say(f"{self._used.total()} of {self._path[-1].n} commands came from skills: {names}{more}", fg="cyan")

    def _last_commands(self) -> list[StepRow]:
        """The commands of the last pursuit, or a few more."""
        since = sum(row.n >= self._since for row in self._path)
        return list(self._path)[-max(since if self._path[-1].done else 0, LEAST) :] if self._path else []

    def _command(self, row: StepRow) -> str:
        """A command and the beginning of its answer, on one line."""
        command = visible(row.command or "").replace("\n", "\\n")
        reply = next((line for line in visible(row.observation).split("\n") if line.strip()), "")
        line, room = f"> {command}   {reply}".rstrip(), max(self._width, SHORTEST)
        return line if len(line) <= room else f"{line[: room - 1]}…"
