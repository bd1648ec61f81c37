"""How a play is shown: as a transcript for people, as JSON lines for programs.

A transcript fits on about one screen and a half. Of an agent that tells what it thinks, the story is told
(`sandbox.cli.narrate`); of another, the beginning and the end of a long play are shown, and what lies between is
counted. `--verbose` shows all of it, as the log does. A person who plays sees every reply. What the world says is
printed as it is.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sandbox.cli.narrate import PATH, Narrator, loud
from sandbox.cli.output import emit, say, visible
from sandbox.log.rows import OPEN, EpisodeEnd, EpisodeStart, StepRow

if TYPE_CHECKING:
    from sandbox.run.tracer import Tracer

LINES: Final = 60
CLOSING: Final = 10
LAST: Final = 14
LEAST: Final = 8
REPLY: Final = 6
PATIENCE: Final = 0.5
COMMAND_SHOWN: Final = 200

ENDINGS: Final = {
    "solved": "Solved",
    "lost": "Lost",
    "step_limit": "Not solved: the limit was reached",
    "invalid_limit": "Not solved: too many replies without a command",
    "token_limit": "Not solved: the limit on tokens was reached",
    "cost_limit": "Not solved: the limit on cost was reached",
    "time_limit": "Not solved: the time was up",
    "agent_error": "The agent failed",
    "provider_error": "The model could not be asked",
    "cancelled": "Left",
}


@dataclass(frozen=True, slots=True)
class Manner:
    """How much is shown. `person`: somebody plays here and types; `delay`: seconds between steps."""

    quiet: bool = False
    verbose: bool = False
    person: bool = False
    delay: float = 0.0

    @property
    def folded(self) -> bool:
        """Whether a long play is cut in the middle."""
        return not (self.verbose or self.person or self.delay)


class Transcript:
    """Shows a play to people. `closing` gives the last lines, once the episode and its end are known."""

    def __init__(self, manner: Manner, closing: Callable[[str, EpisodeStart, EpisodeEnd], list[str]]) -> None:
        self._manner, self._closing = manner, closing
        self._room = LINES - CLOSING - LAST
        self._kept: deque[tuple[StepRow, list[str]]] = deque()
        self._cut: list[StepRow] = []
        self._past = 0
        self._counted, self._counting = time.monotonic(), False
        self._episode = ""
        self._start: EpisodeStart | None = None
        self._story: Narrator | None = None

    def started(self, episode: str, start: EpisodeStart, past: int) -> None:
        """Remember what is needed at the end; say where a continued episode stands."""
        self._episode, self._start, self._past = episode, start, past
        if past and not self._manner.quiet:
            say(f"Going on after {past} commands of episode {start.continued_from}.")

    def stepped(self, row: StepRow) -> None:
        """Show a step, or keep it until it is known how long the play is."""
        if self._manner.quiet and not self._manner.person:
            return
        if row.n < self._past and not self._manner.verbose:
            return
        if self._manner.folded and row.beliefs and self._story is None:
            self._unfold()
            self._story = Narrator(self._room + LAST - PATH - 2, _width())
        if self._story is not None:
            self._story.take(row)
            return
        block = self._block(row)
        height = sum(_height(line) for line in block)
        opening = row.command is None
        if not self._manner.folded or opening or (not self._kept and height <= self._room):
            self._room = max(self._room - height, LEAST) if opening else self._room - height
            self._print(block)
            return
        self._keep(row, block)

    def told(self, text: str) -> None:
        """Show what the runner says."""
        if self._manner.quiet and not self._manner.person:
            return
        say(f"{text}\n", fg="cyan")

    def pace(self) -> None:
        """Wait for the eye."""
        if self._manner.delay:
            time.sleep(self._manner.delay)

    def ended(self, end: EpisodeEnd) -> None:
        """Show the end of the play and what to do next."""
        if self._story is not None:
            self._story.close(episode=self._episode)
        self._unfold()
        assert self._start is not None, "an episode starts before it ends"
        first, *others = self._closing(self._episode, self._start, end)
        if not self._manner.quiet:
            say()
        say(first, bold=True)
        for line in () if self._manner.quiet else others:
            say(line)

    def _block(self, row: StepRow) -> list[str]:
        typed = self._manner.person and row.n > self._past
        said = [f"· {text}" for text in loud(row.beliefs)]
        said += [] if row.command is None or typed else [f"> {_short(row.command)}"]
        shown = row.observation.rstrip("\n").split("\n")
        if row.command is not None and self._manner.folded:
            shown = _clipped(shown)
        space = [""] if self._manner.person or row.command is None else []
        return [*said, *shown, *space]

    def _keep(self, row: StepRow, block: list[str]) -> None:
        """Keep the last lines of a play that is too long to be shown whole."""
        self._kept.append((row, block))
        while len(self._kept) > 1 and sum(_height(line) for _, lines in self._kept for line in lines) > LAST:
            self._cut.append(self._kept.popleft()[0])
        self._show_count(row.n)

    def _show_count(self, n: int) -> None:
        """Let a terminal see that a long play goes on: the number of commands, once in a while."""
        now = time.monotonic()
        if now - self._counted > PATIENCE and sys.stderr is not None and sys.stderr.isatty():
            self._counted, self._counting = now, True
            sys.stderr.write(f"  … {n} commands\r")
            sys.stderr.flush()

    def _unfold(self) -> None:
        if self._counting:
            sys.stderr.write("\x1b[K")
            sys.stderr.flush()
        if self._cut:
            first, last = self._cut[0].n, self._cut[-1].n
            refused = sum(row.cause is not None for row in self._cut)
            say(f"… commands {first} to {last} are not shown: {len(self._cut) - refused} accepted, {refused} refused")
        for _, block in self._kept:
            self._print(block)
        self._kept.clear()
        self._cut.clear()

    def _print(self, block: list[str]) -> None:
        for line in block:
            say(line, bold=line.startswith("> "))


class Lines:
    """Emits the events of a play as JSON lines, the evaluator's view. `agent` is what was asked for.

    Of an open play it tells which milestones each step reached.
    """

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._tracer: Tracer | None = None

    def started(self, episode: str, start: EpisodeStart, past: int) -> None:
        """The first line."""
        self._tracer = tracer(start.tier, start.world_json, start.access)
        emit(
            {
                "event": "start",
                "episode": episode,
                "world": start.ref,
                "digest": start.world_digest,
                "agent": self._agent,
                "access": start.access,
                "agent_seed": start.agent_seed,
                "max_steps": start.max_steps,
                "library": start.library,
                "continued_from": start.continued_from,
                "past": past,
                "open": self._tracer is not None,
                **({"milestones": self._tracer.of} if self._tracer else {}),
            }
        )

    def stepped(self, row: StepRow) -> None:
        """One line a step, step 0 first."""
        emit(
            {
                "event": "step",
                "n": row.n,
                "command": row.command,
                "cause": row.cause,
                "observation": row.observation,
                "reward": row.reward,
                "done": row.done,
                **({"milestones": self._tracer.step(row)} if self._tracer else {}),
            }
        )

    def told(self, text: str) -> None:
        """What the runner says to a person is no event; the start names the library."""

    def pace(self) -> None:
        """Programs need no rest."""

    def ended(self, end: EpisodeEnd) -> None:
        """The last line."""
        emit(
            {
                "event": "end",
                "outcome": end.outcome,
                "solved": end.solved,
                "score": end.score,
                "steps": end.steps,
                "progress": end.progress,
                "assisted": end.assisted,
                "error": end.error,
                **(milestones(self._tracer) if self._tracer else {}),
            }
        )


def tracer(tier: str, world_json: str, access: int) -> Tracer | None:
    """What follows an open play; None for a play with a goal."""
    if tier != OPEN:
        return None
    from sandbox.run.tracer import Tracer
    from sandbox.world.world import World

    return Tracer(World.from_json(world_json), access)


def milestones(found: Tracer) -> dict[str, object]:
    """What an open play has reached so far, as JSON data."""
    return {"milestones": {"reached": found.reached, "missing": found.missing, "of": found.of}}


class Both:
    """Lines for a program on standard output, the transcript for a person on standard error."""

    def __init__(self, lines: Lines, transcript: Transcript) -> None:
        self._lines, self._transcript = lines, transcript

    def started(self, episode: str, start: EpisodeStart, past: int) -> None:
        """To both."""
        self._lines.started(episode, start, past)
        self._transcript.started(episode, start, past)

    def stepped(self, row: StepRow) -> None:
        """To both."""
        self._lines.stepped(row)
        self._transcript.stepped(row)

    def told(self, text: str) -> None:
        """To the person."""
        self._transcript.told(text)

    def pace(self) -> None:
        """For the person."""
        self._transcript.pace()

    def ended(self, end: EpisodeEnd) -> None:
        """To the person first: the event stays the last line."""
        self._transcript.ended(end)
        self._lines.ended(end)


def result(start: EpisodeStart, end: EpisodeEnd) -> str:
    """One sentence: how it ended, in how many commands, against how many are enough."""
    if start.tier == OPEN:
        return _open_result(end)
    verb = "is" if start.optimum == 1 else "are"
    enough = f"{start.optimum} {verb} enough" if start.tier == "exact" else f"{start.optimum} {verb} known to be enough"
    said = ENDINGS.get(end.outcome, end.outcome)
    head = f"{said} in {_commands(end.steps)}; {enough}." if end.solved else f"{said} after {_commands(end.steps)}."
    if end.score is not None:
        worth = f"Score {end.score:.2f}"
    else:
        worth = "No score: the play was assisted" if end.assisted else "No score"
    return f"{head} {worth}." if end.solved else f"{head} {worth}, goal reached to {end.progress:.0%}."


def _open_result(end: EpisodeEnd) -> str:
    said = "Everything reached" if end.solved else ENDINGS.get(end.outcome, end.outcome).replace("Not solved", "Ended")
    head = f"{said} after {_commands(end.steps)}."
    if end.score is None:
        worth = "No score: the play was assisted" if end.assisted else "No score"
        return f"{head} {worth}, {end.progress:.0%} of what can be reached."
    return f"{head} Score {end.score:.2f}: the share of what can be reached."


def _commands(number: int) -> str:
    return "1 command" if number == 1 else f"{number} commands"


def _short(command: str) -> str:
    """A command on one line, however long it is."""
    line = visible(command).replace("\n", "\\n")
    if len(line) <= COMMAND_SHOWN:
        return line
    return f"{line[:COMMAND_SHOWN]}… ({len(command)} characters)"


def _clipped(lines: list[str]) -> list[str]:
    """The beginning of a long reply."""
    shown: list[str] = []
    room = REPLY
    for line in lines:
        if _height(line) > room:
            return [*shown, f"{line[: max(0, room - 1) * _width()]}…"]
        shown.append(line)
        room -= _height(line)
    return shown


def _height(line: str) -> int:
    """How many lines of the terminal a line takes."""
    return max(1, -(-len(line) // _width()))


def _width() -> int:
    return max(shutil.get_terminal_size((100, 24)).columns, 20)
