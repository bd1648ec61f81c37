"""The journal: what it was given is on disk when it returns, whatever happens next."""

import json
import multiprocessing
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.errors import DatabaseError, UsageError
from sandbox.log.reader import Log
from sandbox.log.rows import OUTCOMES, EpisodeEnd, EpisodeStart, StepRow
from sandbox.log.writer import Journal

Row = Callable[..., StepRow]


def test_only_the_first_opening_says_that_it_created_the_file(path: Path) -> None:
    """So that its path is told once."""
    with Journal.open(path) as journal:
        assert journal.created
    with Journal.open(path) as journal:
        assert not journal.created


def test_an_episode_comes_back_field_by_field(path: Path, start: EpisodeStart, row: Row, solved: EpisodeEnd) -> None:
    """Everything that was recorded is read again, equal: numbers beyond 64 bits and odd texts included."""
    rows = [
        row(0),
        row(1, raw="\ud800 I think\x00", intent="take(k1)", latency_ms=1.5, tokens_in=7, tokens_out=9, cost=0.25),
        row(2, cause="wrong_thing", observation="\x1b[1m<b>no</b>\r\n\x1a", reward=-0.5, done=True, assist=":hint"),
        row(3, skills_offered=("a", "b"), skills_used=(), library_digest="ff"),
    ]
    with Journal.open(path) as journal:
        episode = journal.begin(start)
        for step in rows:
            journal.step(episode, step)
        journal.end(episode, solved)
    with Log.open(path) as log:
        read = log.episode(episode)
        assert list(log.steps(episode)) == rows
        assert log.world_json(start.world_digest) == start.world_json
    for field in EpisodeStart.__dataclass_fields__:
        if field != "world_json":
            assert getattr(read, field) == getattr(start, field), field
    assert (read.id, read.end, read.commands, read.outcome) == (episode, solved, 3, "solved")


def test_a_step_is_seen_by_others_before_the_next_one(path: Path, start: EpisodeStart, row: Row) -> None:
    """Each step is committed on its own: a reader beside the writer sees it at once."""
    with Journal.open(path) as journal:
        episode = journal.begin(start)
        for n in range(3):
            journal.step(episode, row(n))
            with Log.open(path) as log:
                assert [step.n for step in log.steps(episode)] == list(range(n + 1))


def test_a_world_is_stored_once(path: Path, start: EpisodeStart) -> None:
    """Episodes of equal worlds share one row."""
    with Journal.open(path) as journal:
        for _ in range(3):
            journal.begin(start)
        journal.begin(replace(start, world_digest="other"))
    with Log.open(path) as log:
        contents = log.contents()
    assert (contents.episodes, contents.worlds) == (4, 2)


def test_the_episodes_of_one_journal_are_one_run_with_its_settings(path: Path, start: EpisodeStart) -> None:
    """A run is what one command played; opening alone makes none."""
    Journal.open(path).close()
    with Journal.open(path, settings={"episodes": 2, "path": Path("x")}) as journal:
        journal.begin(start)
        journal.begin(start)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        ((settings, ended_at),) = db.execute("SELECT settings, ended_at FROM runs")
    assert json.loads(settings) == {"episodes": 2, "path": repr(Path("x"))}
    assert ended_at is not None
    with Log.open(path) as log:
        assert len({episode.run for episode in log.episodes()}) == 1


def test_ids_sort_by_time_even_when_the_clock_stands_still(path: Path, start: EpisodeStart) -> None:
    """Twelve plain characters; the later episode has the greater id."""
    with Journal.open(path, clock=lambda: 1_800_000_000.0) as journal:
        ids = [journal.begin(start) for _ in range(200)]
    assert ids == sorted(set(ids))
    assert {len(name) for name in ids} == {12}
    assert set("".join(ids)) <= set("0123456789abcdefghjkmnpqrstvwxyz")


def test_an_episode_ends_once(path: Path, start: EpisodeStart, solved: EpisodeEnd) -> None:
    """A second end, an end of nothing and an unknown outcome are refused."""
    with Journal.open(path) as journal:
        episode = journal.begin(start)
        with pytest.raises(ValueError, match="no outcome"):
            journal.end(episode, replace(solved, outcome="won"))
        journal.end(episode, solved)
        with pytest.raises(ValueError, match="ended already"):
            journal.end(episode, solved)
        with pytest.raises(ValueError, match="not begun"):
            journal.end("nothing", solved)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_can_be_recorded(path: Path, start: EpisodeStart, outcome: str) -> None:
    """With no score, as after an infrastructure error."""
    end = EpisodeEnd(outcome, solved=False, score=None, steps=0, progress=0.0, assisted=True, error="\udcff died")
    with Journal.open(path) as journal:
        episode = journal.begin(start)
        journal.end(episode, end)
    with Log.open(path) as log:
        assert log.episode(episode).end == end


def test_a_number_too_large_for_the_file_is_a_usage_error(path: Path, start: EpisodeStart) -> None:
    """And leaves no half of an episode behind."""
    with Journal.open(path) as journal:
        with pytest.raises(UsageError, match="too large"):
            journal.begin(replace(start, max_steps=2**63))
        journal.begin(start)
    with Log.open(path) as log:
        assert log.contents().episodes == 1


def test_a_killed_writer_loses_nothing_that_was_committed(path: Path) -> None:
    """After kill -9 between steps the file opens, holds every step, and the episode has no end."""
    code = """
        import os, sys
        from pathlib import Path
        from sandbox.log.rows import EpisodeStart, StepRow
        from sandbox.log.writer import Journal
        journal = Journal.open(Path(sys.argv[1]))
        start = EpisodeStart("7", "d", "{}", {}, {}, "random", {}, 2, 0, 9, 4, "exact", "1", "0", "goal")
        episode = journal.begin(start)
        for n in range(50):
            journal.step(episode, StepRow(n, "x", "x", "x", None, None, "text", 0.0, False, "s"))
        print(episode, flush=True)
        os.kill(os.getpid(), 9)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == -9, done.stderr
    with Log.open(path) as log:
        episode = log.episode(done.stdout.strip())
        assert (episode.outcome, episode.commands) == ("unfinished", 49)
        assert [step.n for step in log.steps(episode.id)] == list(range(50))


def _play_ten(path: Path, start: EpisodeStart) -> None:
    with Journal.open(path) as journal:
        for _ in range(10):
            episode = journal.begin(start)
            step = StepRow(0, None, None, None, None, None, "text", 0.0, False, "s")
            journal.step(episode, step)
            journal.end(episode, EpisodeEnd("cancelled", solved=False, score=0.0, steps=0, progress=0.0))


def test_programs_that_start_together_share_one_new_file(path: Path, start: EpisodeStart) -> None:
    """Six processes create and fill the same database at once; nothing is lost and no id is given twice."""
    spawn = multiprocessing.get_context("spawn")
    players = [spawn.Process(target=_play_ten, args=(path, start)) for _ in range(6)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    assert [player.exitcode for player in players] == [0] * 6
    with Log.open(path) as log:
        contents = log.contents()
        assert (contents.runs, contents.episodes, contents.unfinished, contents.steps) == (6, 60, 0, 60)
        assert log.damage() == ()


def test_a_full_disk_stops_the_play_and_keeps_what_was_committed(path: Path, start: EpisodeStart, row: Row) -> None:
    """SQLite refuses to grow; the error says so and every step before is there afterwards."""
    journal = Journal.open(path)
    episode = journal.begin(start)
    (pages,) = journal._db.execute("PRAGMA page_count").fetchone()
    journal._db.execute(f"PRAGMA max_page_count = {pages + 4}")
    steps = (row(n, observation="long " * 400) for n in range(1000))
    with pytest.raises(DatabaseError, match="disk is full") as caught:  # noqa: PT012 - at one of them
        for step in steps:
            journal.step(episode, step)
    recorded = next(steps).n - 1
    assert "free some space" in str(caught.value.hint)
    journal.close()
    with Log.open(path) as log:
        assert len(list(log.steps(episode))) == recorded > 0


def test_a_locked_database_is_an_error_after_a_short_wait(path: Path, start: EpisodeStart, row: Row) -> None:
    """Another program that holds the file is named as the reason; once it lets go, writing goes on."""
    other = sqlite3.connect(path, isolation_level=None)
    with Journal.open(path, wait=0.05) as journal:
        episode = journal.begin(start)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseError, match="locked by another program") as caught:
            journal.step(episode, row(0))
        assert "--db" in str(caught.value.hint)
        other.execute("COMMIT")
        journal.step(episode, row(0))
    other.close()


def test_a_file_marked_read_only_is_not_written_to(path: Path, start: EpisodeStart) -> None:
    """Not even by root, who could."""
    with Journal.open(path) as journal:
        journal.begin(start)
    path.chmod(0o444)
    with pytest.raises(DatabaseError, match="read-only") as caught:
        Journal.open(path)
    assert "chmod" in str(caught.value.hint)
    with Log.open(path) as log:
        assert log.contents().episodes == 1


@pytest.mark.parametrize(
    ("name", "what", "hint"),
    [
        ("nowhere/sandbox.db", "does not exist", "mkdir -p"),
        ("folder", "is a folder", "sandbox.db"),
        ("text.db", "is not a database", "--db"),
    ],
)
def test_what_cannot_be_a_database_is_told_with_the_next_step(tmp_path: Path, name: str, what: str, hint: str) -> None:
    """A missing folder, a folder and a text file each have their own message; nothing is created or changed."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("not a database, but long enough to be read as one\n" * 20)
    before = sorted(tmp_path.iterdir())
    for opened in (Journal.open, Log.open):
        with pytest.raises(DatabaseError, match=what) as caught:
            opened(tmp_path / name)
        assert hint in str(caught.value.hint)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["a?b#c%20.db", "été 🗝.db", ":memory:", "-x.db"])
def test_any_file_name_is_a_file_name(
    tmp_path: Path, name: str, start: EpisodeStart, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No character of the path means anything to SQLite, and relative paths work."""
    monkeypatch.chdir(tmp_path)
    with Journal.open(Path(name)) as journal:
        journal.begin(start)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    with Log.open(Path(name)) as log:
        assert log.contents().episodes == 1
