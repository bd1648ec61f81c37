"""A replay reproduces every observation and digest, or names the first difference."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.cli.main import main
from sandbox.errors import CheckFailed
from sandbox.log.reader import Log
from sandbox.log.rows import EpisodeEnd, EpisodeStart, StepRow
from sandbox.log.writer import Journal
from sandbox.run.course import UNDO, Course
from sandbox.run.replay import Replay, replay
from sandbox.world.engine import Engine, Step

BUILT = build("tiny/7")
PLAN = BUILT.certificate.plan
HOSTILE = ("", "\x00", "\ud800 \x1b[31m", "x" * 100_000, "take\nall", "\u202etfel", "🗝️", *PLAN)


def row(engine: Engine, n: int, step: Step, command: str | None, assist: str | None = None) -> StepRow:
    """The row of a step, as the runner records it."""
    digest = engine.state_digest(step.state)
    return StepRow(
        n, command, command, command, step.intent, step.cause, step.text, step.reward, step.done, digest, assist=assist
    )


def record(path: Path, commands: Sequence[str], ends: bool = True) -> str:
    """Play `commands` and record them; `:undo` takes one back. Returns the episode's id."""
    proof, world = BUILT.certificate, BUILT.world
    course = Course(Engine(world))
    start = EpisodeStart(
        BUILT.ref, world.digest, world.to_json(), world.parts, world.slots, "human", {}, 1, 0, 99,
        proof.steps, proof.tier, "1", "0", course.engine.goal_text,
    )  # fmt: skip
    with Journal.open(path) as journal:
        episode = journal.begin(start)
        journal.step(episode, row(course.engine, 0, course.now, None))
        n, taken_back = 0, 0
        for command in commands:
            if command == UNDO:
                taken_back += course.undo()
                continue
            n, assist = n + 1, " ".join([":hint", *[UNDO] * taken_back]) if taken_back else None
            journal.step(episode, row(course.engine, n, course.take(command), command, assist))
            taken_back = 0
        if ends:
            solved = course.now.done
            journal.end(episode, EpisodeEnd("solved" if solved else "cancelled", solved, None, n, 0.0))
    return episode


def replayed(path: Path, episode: str) -> Replay:
    """Replay one episode of the file."""
    with Log.open(path) as log:
        return replay(log, log.episode(episode))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database may be made."""
    return tmp_path / "sandbox.db"


@pytest.mark.parametrize("ends", [True, False])
def test_a_recorded_episode_replays_to_its_end(path: Path, ends: bool) -> None:
    """Every step is compared; without an end it replays as far as it goes."""
    episode = record(path, PLAN, ends)
    assert replayed(path, episode) == Replay(episode, len(PLAN), unfinished=not ends)


def test_any_text_that_was_typed_replays(path: Path) -> None:
    """NUL, lone surrogates, escape codes and 100 kB of nonsense come out of the log as they went in."""
    episode = record(path, HOSTILE)
    assert replayed(path, episode).steps == len(HOSTILE)


def test_commands_that_were_taken_back_are_taken_back_again(path: Path) -> None:
    """`:undo` is no step and has no row of its own, but it is followed."""
    first, *rest = PLAN
    episode = record(path, [first, UNDO, UNDO, first, rest[0], UNDO, UNDO, *PLAN])
    assert replayed(path, episode).steps == 3 + len(PLAN)


def test_an_episode_of_which_only_the_start_was_recorded_replays_to_nothing(path: Path) -> None:
    """As after a kill before the first step."""
    episode = record(path, [], ends=False)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM steps")
    assert replayed(path, episode) == Replay(episode, 0, unfinished=True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("observation = observation || '!'", "the observation differs"),
        ("state_digest = 'ff'", "the state digest differs"),
        ("reward = reward + 1", "the reward differs"),
        ("done = 1", "the end of the episode differs"),
        ("cause = 'wrong_thing'", "the cause differs"),
        ("intent = 'fly()'", "the intent differs"),
        ("executed = 'qqqq'", "differs"),
    ],
)
def test_the_first_difference_is_named(path: Path, change: str, said: str) -> None:
    """Any field of any step that was changed afterwards is found, with the step's number and both values."""
    episode = record(path, PLAN)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"UPDATE steps SET {change} WHERE n >= 2 AND n < {len(PLAN)}")
    with pytest.raises(CheckFailed, match=rf"step 2: .*{said}\n  recorded: .+\n  replayed: .+"):
        replayed(path, episode)


def test_a_missing_step_is_found(path: Path) -> None:
    """Not even one that changed nothing may be lost."""
    episode = record(path, ["", *PLAN])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM steps WHERE n = 1")
    with pytest.raises(CheckFailed, match="step 1: the number of the row differs"):
        replayed(path, episode)


@pytest.mark.parametrize(
    ("change", "said"), [("steps = steps + 1", "number of steps"), ("solved = 1", "whether it was solved")]
)
def test_an_end_that_does_not_follow_from_the_steps_is_found(path: Path, change: str, said: str) -> None:
    """An episode that stopped short cannot be recorded as longer, or as solved."""
    episode = record(path, PLAN[:-1])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"UPDATE episodes SET {change}")
    with pytest.raises(CheckFailed, match=said):
        replayed(path, episode)


def test_another_world_under_the_same_digest_is_found(path: Path) -> None:
    """The stored world is checked against the digest that the episode was recorded with."""
    episode = record(path, PLAN)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE worlds SET world = ?", (build("tiny/8").world.to_json(),))
    with pytest.raises(CheckFailed, match="stored world"):
        replayed(path, episode)


def test_the_command_prints_how_many_steps_were_verified(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For people and as JSON; exit 4 and the difference when there is one."""
    episode = record(path, PLAN)
    ask = ["episodes", "replay", episode, "--db", str(path)]
    assert main(ask) == 0
    assert capsys.readouterr().out == f"{episode}: {len(PLAN)} steps verified\n"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE steps SET observation = 'no' WHERE n = 1")
    assert main([*ask, "--json"]) == 4
    out, err = capsys.readouterr()
    assert json.loads(out)["ok"] is False
    assert "step 1: the observation differs" in err
    assert "recorded: 'no'" in err
