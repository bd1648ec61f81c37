"""How play gets shorter: one line an episode, and the curve of several with one library.

**Probes** are the commands that went into finding out how to speak: those said before the first accepted command that
is about something (whose intent has arguments: going somewhere, taking a thing), and every later one that was refused
for its words alone (nothing said, a word that the world does not know, words in no order that it knows). They are
counted from the log, in the same way for every agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WORDING: Final = frozenset({"empty", "unknown_word", "bad_syntax"})
"""Causes that are about how a command was said, and about nothing else."""
BAR: Final = 50


@dataclass(slots=True)
class Tally:
    """Counts the commands of one episode as they come."""

    commands: int = 0
    probes: int = 0
    in_skills: int = 0
    _spoken: bool = False

    def count(self, intent: str | None, cause: str | None, used: Sequence[str] | None = None) -> None:
        """One more command: what it meant, why it was refused (None when accepted), the skills that it comes from."""
        self.commands += 1
        self.in_skills += bool(used)
        if cause is None and intent is not None and not intent.endswith("()"):
            self._spoken = True
        self.probes += cause in WORDING or not self._spoken


@dataclass(frozen=True, slots=True)
class Point:
    """One episode of a curve. `skills` is the share of commands that came from inside skills."""

    n: int
    world: str
    episode: str
    outcome: str
    solved: bool
    commands: int
    optimum: int
    skills: float
    probes: int

    @property
    def times(self) -> float:
        """Commands taken over commands that are known to be enough."""
        return self.commands / self.optimum


def curve(points: Sequence[Point], *, plain: bool = False) -> list[str]:
    """A chart of commands against the optimum, one bar an episode; `plain` uses ASCII only.

    Bars of solved episodes are drawn to one scale. An episode that was not solved has no length: it is dotted.
    """
    solid, dot = ("#", ".") if plain else ("█", "·")
    most = max((point.times for point in points if point.solved), default=1.0)
    lines = ["commands taken, as a multiple of what is enough"]
    for point in points:
        if point.solved:
            bar = solid * max(1, round(BAR * point.times / most))
            lines.append(f"{point.n:4}  {bar} {point.times:.1f}")
        else:
            lines.append(f"{point.n:4}  {dot * BAR} not solved in {point.times:.0f}")
    return lines
