"""The log as it is read: filters, ids by their beginning, files that nobody may write."""

import re
import shutil
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.errors import DatabaseError, UnknownName, UsageError
from sandbox.log.reader import Filter, Log
from sandbox.log.rows import EpisodeEnd, EpisodeStart, StepRow
from sandbox.log.writer import Journal

Row = Callable[..., StepRow]


@pytest.fixture
def filled(path: Path, start: EpisodeStart, row: Row, solved: EpisodeEnd) -> dict[str, str]:
    """A file with three episodes of different kinds, by name."""
    with Journal.open(path) as journal:
        won = journal.begin(replace(start, ref="7", agent="oracle"))
        journal.step(won, row(0))
        journal.step(won, row(1, observation="100% of the DOOR_s are open."))
        journal.end(won, solved)
        lost = journal.begin(replace(start, ref="tiny/7", agent="random", world_digest="abcdef99"))
        journal.step(lost, row(0))
        journal.step(lost, row(1, cause="wrong_thing", command="eat the \x00 door"))
        journal.end(lost, EpisodeEnd("lost", solved=False, score=0.0, steps=1, progress=0.5))
        cut = journal.begin(replace(start, ref="7", agent="human"))
        journal.step(cut, row(0))
    return {"won": won, "lost": lost, "cut": cut}


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (Filter(), ["cut", "lost", "won"]),
        (Filter(world="7"), ["cut", "won"]),
        (Filter(world="abcdef"), ["lost"]),
        (Filter(world="abcde"), []),
        (Filter(agent="random"), ["lost"]),
        (Filter(outcome="solved"), ["won"]),
        (Filter(outcome="unfinished"), ["cut"]),
        (Filter(cause="wrong_thing"), ["lost"]),
        (Filter(text="door"), ["lost", "won"]),
        (Filter(text="100%"), ["won"]),
        (Filter(text="R_s a"), ["won"]),
        (Filter(text="R%a"), []),
        (Filter(text="the \x00 d"), ["lost"]),
        (Filter(world="7", agent="oracle", outcome="solved", text="you see"), ["won"]),
        (Filter(world="7", agent="random"), []),
    ],
)
def test_filters_choose_the_episodes_they_describe(
    path: Path, filled: dict[str, str], chosen: Filter, names: list[str]
) -> None:
    """Newest first; every given field must hold, and text is searched literally."""
    with Log.open(path) as log:
        assert [episode.id for episode in log.episodes(chosen)] == [filled[name] for name in names]
        assert log.count(chosen) == len(names)


def test_a_limit_keeps_the_newest(path: Path, filled: dict[str, str]) -> None:
    """And zero is none."""
    with Log.open(path) as log:
        assert [episode.id for episode in log.episodes(limit=1)] == [filled["cut"]]
        assert log.episodes(limit=0) == []


def test_an_id_may_be_shortened_while_it_is_unique(path: Path, filled: dict[str, str]) -> None:
    """In either case of letters; what begins several episodes is refused with their ids."""
    first, second = filled["won"], filled["lost"]
    unique = next(first[:n] for n in range(1, 13) if not second.startswith(first[:n]))
    with Log.open(path) as log:
        assert log.episode(unique.upper()).id == first
        with pytest.raises(UsageError, match="several episodes begin with") as caught:
            log.episode(first[:2])
        assert first in caught.value.message
        assert second in caught.value.message


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("wanted", ["", " ", "%", "_", "nothing", "\ud800", "0 OR 1", "é"])
def test_an_unknown_id_says_how_to_find_one(path: Path, wanted: str) -> None:
    """Whatever was typed, it is a name and never a pattern."""
    with Log.open(path) as log, pytest.raises(UnknownName) as caught:
        log.episode(wanted)
    assert "sandbox episodes" in str(caught.value.hint)


def test_a_mistyped_id_is_answered_with_the_nearest(path: Path, filled: dict[str, str]) -> None:
    """One wrong character finds the one that was meant."""
    with Log.open(path) as log, pytest.raises(UnknownName) as caught:
        log.episode(filled["won"][:-1] + "u")
    assert re.search(r"did you mean '\w{12}'", str(caught.value.hint))


@pytest.mark.parametrize("empty", [False, True])
def test_no_database_yet_is_an_error_that_tells_to_play(path: Path, empty: bool) -> None:
    """A missing file and an empty one; neither is created or filled by reading."""
    if empty:
        path.touch()
    with pytest.raises(DatabaseError) as caught:
        Log.open(path)
    assert "sandbox play" in str(caught.value.hint)
    assert path.exists() == empty
    assert not empty or path.stat().st_size == 0


@pytest.mark.usefixtures("filled")
def test_reading_leaves_no_files_behind_and_cannot_write(path: Path) -> None:
    """Neither a -wal nor a -shm file stays; the connection refuses to change a row."""
    with Log.open(path) as log:
        log.episodes()
        with pytest.raises(Exception, match="readonly"):
            log._db.execute("DELETE FROM episodes")
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_copy_taken_while_a_play_goes_on_can_be_read(path: Path, start: EpisodeStart, row: Row) -> None:
    """The main file and its -wal together are a whole database."""
    copy = path.with_name("copy.db")
    with Journal.open(path) as journal:
        episode = journal.begin(start)
        journal.step(episode, row(0))
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", f"{copy}{end}")
    with Log.open(copy) as log:
        assert log.episode(episode).outcome == "unfinished"


def test_damage_is_found_and_told(path: Path, start: EpisodeStart, row: Row) -> None:
    """A page overwritten with noise is reported by the check, never a crash."""
    with Journal.open(path) as journal:
        episode = journal.begin(start)
        for n in range(200):
            journal.step(episode, row(n, observation="long " * 100))
    with Log.open(path) as log:
        assert log.damage() == ()
    data = bytearray(path.read_bytes())
    data[-8192:-4096] = b"\xff" * 4096
    path.write_bytes(data)
    with Log.open(path) as log:
        assert log.damage() != ()


def test_a_long_episode_opens_quickly_and_in_little_memory(path: Path, start: EpisodeStart, row: Row) -> None:
    """10,000 steps of 10 kB each: listed and found within two seconds, read in bounded memory."""
    with Journal.open(path) as journal:
        episode = journal.begin(start)
        journal._db.execute("BEGIN")
        for n in range(10_000):
            journal.step(episode, row(n, observation="0123456789" * 1000))
        journal._db.execute("COMMIT")
    begun = time.perf_counter()
    tracemalloc.start()
    with Log.open(path) as log:
        assert log.episodes()[0].commands == 9_999
        assert sum(len(step.observation) for step in log.steps(episode)) == 100_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.perf_counter() - begun < 2
    assert peak < 5_000_000
