"""One episode: a player, a world, and a journal in which every step stands before it is announced.

The runner hands over what the access level allows and nothing else. It never looks at a command: what
the agent said is what the world is given and what the log keeps. Whatever an agent's code does ends the
episode as data; only a journal that cannot write, or a fault of ours, ends the program.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from sandbox import __version__
from sandbox.agent.api import Briefing, Left, Reply, Turn, Unreadable
from sandbox.agent.load import Player, line_of
from sandbox.agent.prompts import Prompts
from sandbox.errors import AgentError, ProviderError
from sandbox.log.kept import Kept
from sandbox.log.rows import EpisodeEnd, EpisodeStart, StepRow
from sandbox.log.writer import Journal
from sandbox.models.chat import Attempt, Chat, LimitReached, ProviderFailed
from sandbox.run.assists import WORDS, Assists, mistaken, spoken
from sandbox.run.course import Course
from sandbox.run.game import Game, Guide, Past
from sandbox.run.interrupt import Interruptions
from sandbox.run.library import lend
from sandbox.run.score import ERRORS, Outcome, score
from sandbox.run.talk import Talk, call_row, provider_error
from sandbox.world.engine import Step
from sandbox.world.open import engine_of

_ENDINGS = (AgentError, Left, Unreadable, LimitReached, ProviderFailed)
"""What may come out of an agent's code; all of it ends an episode."""


@dataclass(frozen=True, slots=True)
class Match:
    """Who plays what, and what was agreed on before the first command.

    `max_steps` counts all commands of the episode, those of a `past` that is continued included. `library` names
    what the agent starts from and adds to; None for an agent that keeps nothing.
    """

    game: Game
    player: Player
    access: int
    agent_seed: int
    max_steps: int
    past: Past | None = None
    library: str | None = None
    talk: Talk | None = None
    prompts: Prompts | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """An episode that ended. `fault` is what an agent's code raised, None when it raised nothing."""

    episode: str
    end: EpisodeEnd
    fault: AgentError | ProviderError | None


class Watcher(Protocol):
    """Whoever shows an episode. Everything that it is told has been recorded."""

    def started(self, episode: str, start: EpisodeStart, past: int) -> None:
        """An episode began; `past` commands of the one it continues follow as steps."""

    def stepped(self, row: StepRow) -> None:
        """A step was taken, step 0 first."""

    def told(self, text: str) -> None:
        """The runner answers a person, or says what an agent starts from."""

    def pace(self) -> None:
        """Before each command: may wait for the eye. An interruption ends the wait."""

    def ended(self, end: EpisodeEnd) -> None:
        """The episode ended."""


def play(match: Match, journal: Journal, watcher: Watcher, clock: Callable[[], float] = time.perf_counter) -> Played:
    """Play one episode to its end. `clock` counts seconds, for latencies.

    Raises DatabaseError when the journal cannot write, and passes KeyboardInterrupt and BrokenPipeError
    on after the episode was recorded as cancelled.
    """
    with Interruptions().watched() as interruptions:
        return _Episode(match, journal, watcher, clock, interruptions).run()


class _Episode:
    def __init__(
        self,
        match: Match,
        journal: Journal,
        watcher: Watcher,
        clock: Callable[[], float],
        interruptions: Interruptions,
    ) -> None:
        self._match, self._journal, self._watcher, self._clock = match, journal, watcher, clock
        self._interruptions = interruptions
        self._engine = engine_of(match.game.world, access=match.access)
        self._course = Course(self._engine)
        self._guide = Guide(match.game, self._course)
        self._assists = Assists(self._course, self._guide)
        self._assists.ever = bool(match.past and match.past.assisted)
        self._agent, self._present = match.player.agent, False
        self._shelf = lend(journal, match.library) if match.library else None
        talk = match.talk
        self._chat = Chat(talk.model, self, talk.limits, talk.redact, gate=talk.gate) if talk else None
        self._counted = 0, 0, 0.0
        self._id: str | None = None
        self._taken = 0

    def run(self) -> Played:
        """The whole episode. The agent is dismissed whatever happens."""
        try:
            try:
                outcome, fault = self._until_it_ends()
            except (KeyboardInterrupt, BrokenPipeError):
                self._close(Outcome.CANCELLED, None)
                raise
            return self._close(outcome, fault)
        finally:
            self._dismiss()

    def attempted(self, attempt: Attempt) -> None:
        """Record an attempt at a call of the model."""
        assert self._chat is not None, "there is a model that was called"
        assert self._id is not None, "a model is called after the start"
        with self._interruptions.held():
            self._journal.call(self._id, call_row(attempt, self._taken + 1, self._chat.name))

    def _until_it_ends(self) -> tuple[Outcome, AgentError | ProviderError | None]:
        try:
            with self._interruptions.held():
                self._open()
            self._present = True
            with _code_of(self._match.player):
                self._agent.begin(self._briefing())
            while (outcome := self._over()) is None:
                self._watcher.pace()
                self._step()
        except Left:
            return Outcome.CANCELLED, None
        except Unreadable as error:
            return Outcome.INVALID_LIMIT, AgentError(str(error))
        except LimitReached as limit:
            return Outcome(limit.outcome), AgentError(limit.message)
        except ProviderFailed as failed:
            return Outcome.PROVIDER_ERROR, provider_error(failed)
        except AgentError as fault:
            return Outcome.AGENT_ERROR, fault
        return outcome, None

    def _open(self) -> None:
        """Record the start and all that is already known: step 0, or the past that is continued."""
        match = self._match
        start = _start(match, self._engine.goal_text)
        self._id = self._journal.begin(start)
        past = match.past.rows if match.past else (self._row(self._course.now, 0),)
        self._watcher.started(self._id, start, len(past) - 1)
        if self._shelf:
            held = self._shelf.told()
            self._watcher.told(f"{match.player.name} {f'knows {held}' if held else 'starts from nothing'}.")
        for row, _ in self._course.follow(past):
            self._record(row)
        if match.past and match.player.kind.meta:
            self._watcher.told(self._assists.reminder)

    def _step(self) -> None:
        turn = self._turn()
        began = self._clock()
        reply = self._listen(turn)
        latency = (self._clock() - began) * 1000
        with self._interruptions.held():
            step = self._course.take(reply.command)
            kept = self._shelf.fresh() if self._shelf else ()
            self._record(self._row(step, self._taken + 1, reply, latency), kept)

    def _record(self, row: StepRow, kept: Sequence[Kept] = ()) -> None:
        assert self._id is not None, "steps are recorded after the start"
        self._journal.step(self._id, row, self._shelf.name if self._shelf else "", kept)
        self._taken = row.n
        self._watcher.stepped(row)

    def _row(self, step: Step, n: int, reply: Reply | None = None, latency: float | None = None) -> StepRow:
        command = reply.command if reply else None
        return StepRow(
            n=n,
            raw=reply.raw if reply else None,
            command=command,
            executed=command,
            intent=step.intent,
            cause=step.cause,
            observation=step.text,
            reward=step.reward,
            done=step.done,
            state_digest=self._engine.state_digest(step.state),
            latency_ms=latency,
            assist=self._assists.take_used(),
            skills_offered=reply.offered if reply else None,
            skills_used=reply.used if reply else None,
            library_digest=self._shelf.digest if self._shelf else None,
            beliefs=reply.beliefs if reply else (),
            **self._used(),
        )

    def _used(self) -> dict[str, Any]:
        """Tokens and cost of the calls since the step before."""
        if self._chat is None:
            return {}
        spent, before = self._chat.spent, self._counted
        self._counted = spent.tokens_in, spent.tokens_out, spent.cost or 0.0
        cost = None if spent.cost is None else spent.cost - before[2]
        return {"tokens_in": spent.tokens_in - before[0], "tokens_out": spent.tokens_out - before[1], "cost": cost}

    def _listen(self, turn: Turn) -> Reply:
        """What the agent says to the world; what a person says to the runner is answered on the way."""
        while True:
            with _code_of(self._match.player):
                reply = _reply(self._agent.act(turn))
            if not self._match.player.kind.meta:
                return reply
            if reply.command not in WORDS:
                note = mistaken(reply.command)
                if note is not None:
                    with self._interruptions.held():
                        self._watcher.told(note)
                return Reply(spoken(reply.command), reply.raw)
            with self._interruptions.held():
                self._watcher.told(self._assists.answer(reply.command))
            turn = self._turn()

    def _turn(self) -> Turn:
        step, access = self._course.now, self._match.access
        return Turn(
            n=self._taken,
            text=step.text,
            reward=step.reward,
            done=step.done,
            admissible=self._engine.admissible(step.state) if access >= 2 else None,
            facts=self._engine.facts(step.state) if access >= 3 else None,
        )

    def _briefing(self) -> Briefing:
        match, engine = self._match, self._engine
        return Briefing(
            goal=engine.goal_text,
            access=match.access,
            help=engine.help_text if match.access >= 1 else None,
            vocabulary=engine.vocabulary if match.access >= 1 else None,
            seed=match.agent_seed,
            max_steps=match.max_steps,
            oracle=self._guide.next if match.access >= 4 else None,
            library=self._shelf.library if self._shelf else None,
            chat=self._chat,
            prompts=match.prompts,
        )

    def _over(self) -> Outcome | None:
        if self._course.now.done:
            return Outcome.SOLVED
        if self._taken < self._match.max_steps:
            return None
        return Outcome.LOST if self._engine.lost(self._course.now.state) else Outcome.STEP_LIMIT

    def _dismiss(self) -> AgentError | None:
        """Let the agent go, once. What it raises then comes too late to change the outcome."""
        present, self._present = self._present, False
        try:
            if present:
                with _code_of(self._match.player):
                    self._agent.end(self._turn())
        except _ENDINGS as error:
            return AgentError(f"after the end: {error}")
        return None

    def _close(self, outcome: Outcome, fault: AgentError | ProviderError | None) -> Played:
        with self._interruptions.held():
            late = None
            try:
                late = self._dismiss()
            finally:
                end = self._end(outcome, fault or late)
                if self._id is not None:
                    if self._shelf and (kept := self._shelf.fresh()):
                        self._journal.keep(self._id, self._shelf.name, kept)
                    self._journal.end(self._id, end)
            self._watcher.ended(end)
        return Played(self._id or "", end, fault if outcome in ERRORS else None)

    def _end(self, outcome: Outcome, error: AgentError | ProviderError | None) -> EpisodeEnd:
        assisted, game = self._assists.ever, self._match.game
        progress = self._engine.progress(self._course.now.state)
        reached = progress if game.world.milestones else None
        return EpisodeEnd(
            outcome=outcome.value,
            solved=outcome is Outcome.SOLVED,
            score=score(outcome, game.optimum, self._taken, assisted=assisted, reached=reached),
            steps=self._taken,
            progress=progress,
            assisted=assisted,
            error=error.message if error else None,
        )


@contextmanager
def _code_of(player: Player) -> Iterator[None]:
    """Turn whatever an agent's own code raises into an AgentError that says where."""
    try:
        yield
    except _ENDINGS:
        raise
    except (Exception, SystemExit) as error:
        path = player.kind.path
        what = f"{type(error).__name__}: {error} ({path}:{line_of(error, path)})"
        raise AgentError(what, "--debug shows the whole way there") from error


def _reply(said: object) -> Reply:
    """What an agent returned, as a reply. Agent files are not type-checked when they run."""
    command, raw = getattr(said, "command", said), getattr(said, "raw", said)
    if not isinstance(command, str) or not isinstance(raw, str):
        raise AgentError(f"act() must return a command, returned {said!r:.80}")
    if not isinstance(said, Reply):
        return Reply(command, raw)
    try:
        json.dumps((said.offered, said.used, said.beliefs))
    except (TypeError, ValueError) as error:
        raise AgentError(f"act() returned what cannot be recorded: {error}") from None
    return said


def _start(match: Match, goal: str) -> EpisodeStart:
    game, player = match.game, match.player
    return EpisodeStart(
        ref=game.ref,
        world_digest=game.world.digest,
        world_json=game.world.to_json(),
        parts=game.world.parts,
        slots=game.world.slots,
        agent=player.name,
        options=player.options,
        access=match.access,
        agent_seed=match.agent_seed,
        max_steps=match.max_steps,
        optimum=game.optimum,
        tier=game.tier,
        generator=game.generator,
        package=__version__,
        goal=goal,
        continued_from=match.past.episode if match.past else None,
        library=match.library,
        model=match.talk.model.name if match.talk else None,
    )
