"""`sandbox play --episodes N`: plays in a row with one library, a line each, and the curve at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from sandbox.cli.output import emit, say, warn
from sandbox.cli.show import Lines, Manner, Transcript, result
from sandbox.errors import AgentError, ProviderError, UsageError
from sandbox.measure.learning import Point, Tally, curve
from sandbox.run.series import REFUSALS, references

if TYPE_CHECKING:
    from sandbox.cli.context import Settings
    from sandbox.generate.content import Content
    from sandbox.log.rows import EpisodeEnd, EpisodeStart, StepRow
    from sandbox.log.writer import Journal
    from sandbox.run.arrange import Wishes
    from sandbox.run.episode import Match, Watcher

HEADS: Final = "   n  commands  enough   times  solved  in skills  probes  episode       world"
PATIENCE: Final = 0.5
CLEAR: Final = "\r\x1b[K"


@dataclass(frozen=True, slots=True)
class Series:
    """What is played: how many episodes, what varies, and how much of each is shown."""

    wishes: Wishes
    content: Content
    episodes: int
    vary: tuple[str, ...]
    manner: Manner
    agent: str
    more: tuple[str, ...] = ()
    """Commands to copy at the end."""


@dataclass(slots=True)
class Done:
    """What came of a series so far."""

    points: list[Point] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    fault: AgentError | ProviderError | None = None


def play_series(settings: Settings, series: Series) -> None:
    """Play the episodes one after another. What was played stays, and is shown, when the series is interrupted.

    Raises what an agent's code raised first, after the last episode;
    a model that cannot be asked ends the series.
    """
    from sandbox.log.writer import Journal

    wishes = series.wishes
    asked: dict[str, object] = {
        "command": "play", "agent": series.agent, "episodes": series.episodes, "vary": list(series.vary),
    }  # fmt: skip
    if wishes.model is not None:
        asked |= {"model": wishes.model.name, "limits": asdict(wishes.limits)}
    done = Done()
    with Journal.open(settings.db, settings={**asked, "max_steps": wishes.max_steps}) as journal:
        if journal.created:
            warn(f"Plays are recorded in {settings.db}, a new file.")
        try:
            for match in islice(_matches(series, done), series.episodes):
                with closing(match.talk.model) if match.talk else nullcontext():
                    _one(settings, series, match, journal, done)
                if isinstance(done.fault, ProviderError):
                    break
        finally:
            _close(settings, series, done)
    if done.fault is not None:
        raise done.fault


def _matches(series: Series, done: Done) -> Iterator[Match]:
    """A match for each world that can be made; one that cannot is told, and the next number is taken."""
    from sandbox.run.arrange import arrange, choose

    wishes, refused = series.wishes, 0
    for number, ref in enumerate(references(wishes.world or "", series.vary)):
        mine = replace(wishes, world=ref, agent_seed=(wishes.agent_seed or 0) + number)
        try:
            match = arrange(mine, choose(mine, series.content), series.content)
        except UsageError as error:
            if number == 0 or not series.vary:
                raise
            refused += 1
            done.skipped.append((ref, error.message))
            _clear()
            warn(f"      skipped {ref}: {error.message}")
            if refused == REFUSALS:
                were = "1 was" if len(done.points) == 1 else f"{len(done.points)} were"
                said = f"{refused} worlds in a row could not be made; {were} played"
                raise UsageError(said, "let something else vary, e.g. --vary layout") from error
            continue
        refused = 0
        yield match


def _one(settings: Settings, series: Series, match: Match, journal: Journal, done: Done) -> None:
    """Play one episode and add it to what is done, also when it was interrupted."""
    from sandbox.run.episode import play

    shown: list[Watcher] = []
    if settings.json:
        shown.append(Lines(match.player.spec))
    if series.manner.verbose or series.manner.delay:
        shown.append(Transcript(series.manner, lambda _, start, end: [result(start, end)]))
    watcher = Counting(len(done.points) + 1, series.episodes, shown, quiet=series.manner.quiet)
    try:
        played = play(match, journal, watcher)
        done.fault = done.fault or played.fault
    finally:
        point = watcher.point()
        if point is not None:
            done.points.append(point)
            if not series.manner.quiet:
                say(_line(point))


class Counting:
    """A watcher that counts, lets others watch, and shows a terminal that a long play goes on.

    Before the first play of a series it shows what the agent starts from, and the heads of the lines.
    """

    def __init__(self, n: int, of: int, others: list[Watcher], *, quiet: bool) -> None:
        self._n, self._of, self._others = n, of, others
        self._first = n == 1 and not quiet
        self._tally = Tally()
        self._shown = time.monotonic()
        self._episode = ""
        self._start: EpisodeStart | None = None
        self._end: EpisodeEnd | None = None

    def started(self, episode: str, start: EpisodeStart, past: int) -> None:
        """Remember which episode it is."""
        self._episode, self._start = episode, start
        for other in self._others:
            other.started(episode, start, past)

    def stepped(self, row: StepRow) -> None:
        """Count a command."""
        if self._first and row.command is None:
            say(HEADS, bold=True)
        if row.command is not None:
            self._tally.count(row.intent, row.cause, row.skills_used)
        for other in self._others:
            other.stepped(row)
        now = time.monotonic()
        if now - self._shown > PATIENCE and _live():
            self._shown = now
            sys.stderr.write(f"{CLEAR}  … play {self._n} of {self._of}: {row.n} commands\r")
            sys.stderr.flush()

    def told(self, text: str) -> None:
        """What the agent starts from is told once, before the first play."""
        if self._first:
            say(text, fg="cyan")

    def pace(self) -> None:
        """For whoever looks on."""
        for other in self._others:
            other.pace()

    def ended(self, end: EpisodeEnd) -> None:
        """Remember how it ended."""
        self._end = end
        _clear()
        for other in reversed(self._others):
            other.ended(end)

    def point(self) -> Point | None:
        """The episode as a point of the curve; None when it never began."""
        if self._start is None or self._end is None:
            return None
        tally, end = self._tally, self._end
        share = tally.in_skills / tally.commands if tally.commands else 0.0
        return Point(
            self._n, self._start.ref, self._episode, end.outcome, end.solved, end.steps, self._start.optimum, share,
            tally.probes,
        )  # fmt: skip


def _live() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _clear() -> None:
    if _live():
        sys.stderr.write(CLEAR)
        sys.stderr.flush()


def _line(point: Point) -> str:
    solved = "yes" if point.solved else "no"
    return (
        f"{point.n:4}  {point.commands:8}  {point.optimum:6}  {point.times:6.1f}  {solved:6}  {point.skills:9.0%}  "
        f"{point.probes:6}  {point.episode}  {point.world}"
    )


def _close(settings: Settings, series: Series, done: Done) -> None:
    """The curve, and what to type next."""
    if settings.json:
        emit({
            "event": "curve", "agent": series.agent, "asked": series.episodes, "vary": list(series.vary),
            "points": [{**asdict(point), "times": point.times} for point in done.points],
            "skipped": [{"world": ref, "why": why} for ref, why in done.skipped],
        })  # fmt: skip
    if not done.points:
        return
    solved = [point for point in done.points if point.solved]
    if not series.manner.quiet:
        say()
        for line in curve(done.points, plain=not _draws()):
            say(line)
        say()
    say(f"Solved {len(solved)} of {len(done.points)}{_trend(solved)}", bold=True)
    if not series.manner.quiet:
        say(f"Saved in {settings.db}.")
        for command in series.more:
            say(f"  {command}")


def _trend(solved: list[Point]) -> str:
    """How the later half of the solved plays compares with the first, where there are enough."""
    if len(solved) < 2:
        return "."
    half = len(solved) // 2
    first = sum(point.times for point in solved[:half]) / half
    last = sum(point.times for point in solved[-half:]) / half
    which = ("the first", "the last") if half == 1 else (f"the first {half}", f"the last {half}")
    return f". Times what is enough: {first:.1f} in {which[0]}, {last:.1f} in {which[1]}."


def _draws() -> bool:
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return encoding.lower().replace("-", "") == "utf8"


def refuse(*, episodes: int | None, vary: str | None, person: bool = False, continued: bool = False) -> None:
    """Refuse what a series cannot be, before anything is done."""
    if vary is not None and episodes is None:
        raise UsageError("--vary is about several plays", "add --episodes 5")
    if episodes is not None and continued:
        raise UsageError("--continue goes on with one episode", "leave --episodes out")
    if episodes is not None and person:
        raise UsageError("a person plays one world at a time", "leave --episodes out")
