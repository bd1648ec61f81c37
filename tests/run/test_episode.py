"""One episode: what is handed to the player, what is recorded when, and how it ends."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sandbox.agent.api import Left, Reply, Turn
from sandbox.errors import AgentError, DatabaseError
from sandbox.log.reader import Log
from sandbox.log.rows import StepRow
from sandbox.log.writer import Journal
from sandbox.run.episode import Match, Played, play
from sandbox.run.game import Game
from sandbox.run.replay import replay

if TYPE_CHECKING:
    from tests.run.conftest import Cast, Scripted, Seen

Playing = Callable[..., Played]
ODD = ["", "\x00", "\ud800 \x1b[31m", "x" * 100_000, "take\nall", "\u202etfel", "🗝️", "```\nlook\n```", '{"a": 1}']


def test_the_oracle_scores_one(playing: Playing, seen: Seen, game: Game) -> None:
    """The plan of the certificate, played through the runner, solves in the certified steps and scores 1."""
    end = playing("oracle").end
    assert (end.outcome, end.solved, end.score, end.steps, end.progress) == ("solved", True, 1.0, game.optimum, 1.0)
    assert [row.command for row in seen.rows] == [None, *game.plan]
    assert [row.n for row in seen.rows] == list(range(game.optimum + 1))
    assert [row.done for row in seen.rows] == [False] * game.optimum + [True]
    assert all(row.cause is None for row in seen.rows)


def test_a_longer_way_scores_less(playing: Playing, scripted: type[Scripted], game: Game) -> None:
    """The score is the optimum over the commands taken, refused ones included."""
    end = playing(scripted("nonsense", "", *game.plan)).end
    assert end.solved
    assert end.score == game.optimum / (game.optimum + 2)


def test_what_is_shown_is_what_is_recorded(playing: Playing, seen: Seen, log: Log) -> None:
    """Start, rows and end, as announced, are those that the log keeps; no field is left empty by accident."""
    played = playing("random", max_steps=30)
    episode, rows = log.episode(played.episode), list(log.steps(played.episode))
    assert rows == seen.rows
    assert episode.end == seen.end == played.end
    assert episode.agent == "random"
    assert (episode.access, episode.agent_seed, episode.max_steps, episode.continued_from) == (2, 1, 30, None)
    assert seen.start
    assert {episode.ref, episode.world_digest, episode.goal} == {
        seen.start.ref,
        seen.start.world_digest,
        seen.start.goal,
    }
    assert all(row.raw == row.command == row.executed is not None for row in rows[1:])
    assert all(row.latency_ms is not None and row.latency_ms >= 0 for row in rows[1:])
    assert all(row.intent and row.state_digest and row.observation for row in rows[1:])
    replay(log, episode)


def test_a_step_is_on_disk_before_it_is_announced(playing: Playing, seen: Seen, db: Path) -> None:
    """At the moment a step is announced, another connection reads it from the file."""
    found = []

    def look(row: StepRow) -> None:
        with Log.open(db) as other:
            found.append(list(other.steps(seen.episode))[-1] == row)

    seen.on_step = look
    playing("oracle")
    assert found
    assert all(found)


@pytest.mark.parametrize("limit", [1, 7, 40])
def test_a_limit_of_n_is_n_commands(playing: Playing, seen: Seen, scripted: type[Scripted], limit: int) -> None:
    """At the limit the episode ends, after exactly so many commands, with a score of 0 and its own outcome."""
    agent = scripted(*["no such word"] * 50)
    end = playing(agent, max_steps=limit).end
    assert (end.outcome, end.solved, end.score, end.steps) == ("step_limit", False, 0.0, limit)
    assert len(seen.rows) == limit + 1
    assert [turn.n for turn in agent.turns] == list(range(limit))
    assert [turn.n for turn in agent.ends] == [limit]


def test_solving_at_the_limit_is_solving(playing: Playing, game: Game) -> None:
    """The last command that a limit allows may solve the world."""
    assert playing("oracle", max_steps=game.optimum).end.outcome == "solved"


def test_any_text_is_a_command_and_stays_as_it_is(
    playing: Playing, seen: Seen, scripted: type[Scripted], log: Log
) -> None:
    """What the agent said is what the world was given and what the log keeps, character for character."""
    end = playing(scripted(*ODD)).end
    assert (end.outcome, end.steps) == ("cancelled", len(ODD))
    assert [row.executed for row in log.steps(seen.episode)] == [None, *ODD]
    assert all(row.cause for row in seen.rows[1:])


def test_a_reply_keeps_its_raw_text(playing: Playing, seen: Seen, scripted: type[Scripted]) -> None:
    """Raw text and the command extracted from it are recorded apart; the command is what is executed."""
    playing(scripted(Reply("look", "I think I look.")))
    row = seen.rows[1]
    assert (row.raw, row.command, row.executed) == ("I think I look.", "look", "look")


def _fail(turn: Turn) -> str:
    raise ValueError(f"no idea at {turn.n}")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (_fail, "ValueError: no idea at 1"),
        (None, "act() must return a command, returned None"),
        (7, "act() must return a command, returned 7"),
        (b"look", "act() must return a command"),
        (Reply("look", None), "act() must return a command"),  # type: ignore[arg-type]
        (SystemExit(3), "SystemExit: 3"),
        (RecursionError("deep"), "RecursionError: deep"),
        (EOFError(), "EOFError"),
        (AgentError("no answer within 60 s"), "no answer within 60 s"),
    ],
)
def test_whatever_an_agent_does_is_data(
    playing: Playing, log: Log, scripted: type[Scripted], said: object, told: str
) -> None:
    """An agent that raises or returns no command ends the episode as agent_error, without a score."""
    agent = scripted("first", said)
    played = playing(agent)
    end = played.end
    assert (end.outcome, end.solved, end.score, end.steps) == ("agent_error", False, None, 1)
    assert told in (end.error or "")
    assert isinstance(played.fault, AgentError)
    assert log.episode(played.episode).end == end
    assert len(agent.ends) == 1


def test_an_agents_error_names_its_line(playing: Playing, scripted: type[Scripted]) -> None:
    """The error of an agent's code names file and line in the agent's own file."""
    error = playing(scripted(_fail)).end.error or ""
    assert f"{Path(__file__).parent / 'conftest.py'}:" in error


def test_an_agent_that_cannot_begin_is_dismissed(playing: Playing, log: Log, scripted: type[Scripted]) -> None:
    """A failure before the first command is an agent_error of no steps, with step 0 on record."""

    class Late(scripted):  # type: ignore[valid-type, misc]
        def begin(self, _: object) -> None:
            raise OSError("no such model")

    agent = Late()
    played = playing(agent)
    assert (played.end.outcome, played.end.steps, played.end.score) == ("agent_error", 0, None)
    assert [row.n for row in log.steps(played.episode)] == [0]
    assert len(agent.ends) == 1


def test_a_failure_after_the_end_changes_nothing(playing: Playing, game: Game, scripted: type[Scripted]) -> None:
    """What an agent raises when it is dismissed is noted; the episode is solved all the same."""

    class Rude(scripted):  # type: ignore[valid-type, misc]
        def end(self, _: object) -> None:
            raise OSError("slams the door")

    played = playing(Rude(*game.plan))
    assert (played.end.outcome, played.end.score, played.fault) == ("solved", 1.0, None)
    assert "slams the door" in (played.end.error or "")


def test_leaving_is_a_cancelled_episode(playing: Playing, scripted: type[Scripted]) -> None:
    """A player that leaves ends the episode as cancelled; that is no error."""
    played = playing(scripted("look", Left()))
    assert (played.end.outcome, played.end.steps, played.end.error, played.fault) == ("cancelled", 1, None, None)


def test_an_interruption_while_the_agent_thinks(
    playing: Playing, seen: Seen, log: Log, scripted: type[Scripted]
) -> None:
    """Ctrl-C at the agent's turn ends the episode as cancelled at once, and goes on up."""
    agent = scripted("a", lambda _: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        playing(agent)
    end = log.episode(seen.episode).end
    assert end is not None
    assert (end.outcome, end.steps) == ("cancelled", 1)
    assert len(agent.ends) == 1


def test_an_interruption_within_a_step_waits(playing: Playing, seen: Seen, log: Log, scripted: type[Scripted]) -> None:
    """Ctrl-C while a step is announced: the step is complete, on record and shown, before the episode is cancelled."""
    shown = []

    def press(row: StepRow) -> None:
        if row.n == 2:
            os.kill(os.getpid(), signal.SIGINT)
        shown.append(row.n)

    seen.on_step = press
    with pytest.raises(KeyboardInterrupt):
        playing(scripted(*"abcdef"))
    assert shown == [0, 1, 2]
    assert [row.n for row in log.steps(seen.episode)] == [0, 1, 2]
    end = log.episode(seen.episode).end
    assert end is not None
    assert (end.outcome, end.steps) == ("cancelled", 2)
    replay(log, log.episode(seen.episode))


def test_the_second_interruption_does_not_wait(playing: Playing, seen: Seen, scripted: type[Scripted]) -> None:
    """Whoever presses Ctrl-C twice within a step is not kept waiting."""
    went_on = []

    def press(row: StepRow) -> None:
        if row.n == 1:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            went_on.append(row.n)

    seen.on_step = press
    with pytest.raises(KeyboardInterrupt):
        playing(scripted("a", "b"))
    assert not went_on


def test_interruptions_are_given_back(playing: Playing, scripted: type[Scripted]) -> None:
    """After an episode Ctrl-C is whatever it was before."""
    before = signal.getsignal(signal.SIGINT)
    playing(scripted("a"))
    assert signal.getsignal(signal.SIGINT) is before


def test_a_closed_pipe_is_a_cancelled_episode(playing: Playing, seen: Seen, log: Log) -> None:
    """When nobody reads any more, what was played is on record and the episode is cancelled."""

    def close(row: StepRow) -> None:
        if row.n == 2:
            raise BrokenPipeError

    seen.on_step = close
    with pytest.raises(BrokenPipeError):
        playing("random")
    end = log.episode(seen.episode).end
    assert end is not None
    assert (end.outcome, end.steps) == ("cancelled", 2)


def test_a_journal_that_cannot_write_ends_the_play(
    playing: Playing, seen: Seen, log: Log, db: Path, scripted: type[Scripted]
) -> None:
    """A locked file is an error of the file and not of the agent; what was committed stays, unfinished."""
    other = sqlite3.connect(db, isolation_level=None)

    def lock(_: Turn) -> str:
        other.execute("BEGIN IMMEDIATE")
        return "b"

    agent = scripted("a", lock)
    with pytest.raises(DatabaseError, match="locked"):
        playing(agent)
    other.close()
    assert log.episode(seen.episode).end is None
    assert [row.n for row in log.steps(seen.episode)] == [0, 1]
    assert len(agent.ends) == 1


def test_latency_is_the_agents_time(game: Game, journal: Journal, cast: Cast, seen: Seen, scripted: Any) -> None:
    """Latency counts from the turn to the command, by the clock that is passed in."""
    now = [0.0]

    def think(seconds: float) -> Callable[[Turn], str]:
        def said(_: Turn) -> str:
            now[0] += seconds
            return "look"

        return said

    match = Match(game, cast(scripted(think(0.25), think(2.0))), 1, 1, 9)
    play(match, journal, seen, clock=lambda: now[0])
    assert [row.latency_ms for row in seen.rows] == [None, 250.0, 2000.0]


def test_equal_seeds_play_equally(playing: Playing, seen: Seen) -> None:
    """The random agent draws from its own seed alone: equal seeds, equal plays; other seeds, other plays."""
    plays = []
    for seed in (1, 1, 2, 0, -1, 2**63):
        playing("random", max_steps=25, seed=seed)
        plays.append(tuple(row.command for row in seen.rows))
    assert plays[0] == plays[1]
    assert len(set(plays)) == 5


def test_the_random_agent_is_never_refused(playing: Playing, seen: Seen) -> None:
    """What is admissible is accepted."""
    playing("random", max_steps=100)
    assert [row.cause for row in seen.rows if row.cause] == []


@pytest.mark.parametrize("way", [["nonsense", ""], "wander"])
def test_the_oracle_finds_back(game: Game, journal: Journal, cast: Cast, seen: Seen, scripted: Any, way: Any) -> None:
    """From wherever the play was left, the oracle's next command lies on a shortest way to the goal."""
    agent = scripted()

    def wander(turn: Turn) -> str:
        return (turn.admissible or ("",))[turn.n % len(turn.admissible or ("",))]

    def follow(_: Turn) -> str:
        assert agent.briefing
        assert agent.briefing.oracle
        return str(agent.briefing.oracle())

    agent.said = ([wander] * 12 if way == "wander" else way) + [follow] * 60
    end = play(Match(game, cast(agent, 4), 4, 1, 100), journal, seen).end
    assert end.solved
    assert end.steps <= 12 + 3 * game.optimum + 5
