"""Libraries of skills: added to and never changed, whole after a kill, shared by two plays at once."""

import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.errors import UnknownName
from sandbox.log.kept import Kept
from sandbox.log.reader import Log
from sandbox.log.rows import EpisodeStart, StepRow
from sandbox.log.writer import Journal

SKILL = {
    "digest": "d1", "name": "fetch", "params": [["x", "thing"]], "code": "def fetch(x):\n  do('take', x)\n", "summary": "Fetch x.",
    "pre": [], "post": [["held", "x"]], "uses": ["take"], "origin": "plan", "source": {"world": "w\ud800"}, "parent": None,
    "tests": [],
}  # fmt: skip
CALL = {
    "skill": "d1", "regime": "r", "args": ["cup\x00"], "outcome": "done", "steps": 2, "before": "b", "proves": True, "why": "",
    "gained": [["held", "cup"]], "lost": [], "caller": "serve",
}  # fmt: skip
STATUS = {"skill": "d1", "regime": "r", "status": "active", "why": "twice"}
NOTE = {"kind": "word", "key": "lift", "value": {"means": ["take", 3]}}
RECORDS = [Kept("skill", SKILL), Kept("status", STATUS), Kept("evidence", CALL), Kept("note", NOTE)]


def row(n: int) -> StepRow:
    """A step that says nothing."""
    return StepRow(n, None, None, None, None, None, "text", 0.0, False, "0", beliefs=({"believes": n, "why": ["seen"]},))


def test_what_was_kept_comes_back(path: Path, start: EpisodeStart) -> None:
    """Every field of every sort of record, with the episode and the step that made it."""
    with Journal.open(path) as journal:
        assert journal.library("mine") == []
        episode = journal.begin(replace(start, library="mine"))
        journal.step(episode, row(0), "mine", RECORDS[:2])
        journal.keep(episode, "mine", RECORDS[2:])
        assert [(one.sort, one.fields) for one in journal.library("mine")] == [(one.sort, one.fields) for one in RECORDS]
    with Log.open(path) as log:
        assert [(one.episode, one.step) for one in log.library("mine")] == [(episode, 0), (episode, 0), (episode, None), (episode, None)]
        assert [(shelf.name, shelf.skills, shelf.calls, shelf.notes) for shelf in log.libraries()] == [("mine", 1, 1, 1)]
        assert log.episode(episode).library == "mine"
        assert log.beliefs(episode, 0) == [{"believes": 0, "why": ["seen"]}]
        with pytest.raises(UnknownName, match="mien") as caught:
            log.library("mien")
        assert "mine" in str(caught.value.hint)


def test_the_same_skill_is_kept_once_in_each_library(path: Path, start: EpisodeStart) -> None:
    """Two plays that find the same procedure add one version; another library has its own."""
    with Journal.open(path) as journal, Journal.open(path) as other:
        first, second = journal.begin(start), other.begin(start)
        journal.step(first, row(0), "mine", RECORDS)
        other.step(second, row(0), "mine", RECORDS)
        other.step(second, row(1), "theirs", RECORDS[:1])
        assert [one.sort for one in journal.library("mine")] == ["skill", "status", "status", "evidence", "evidence", "note", "note"]
        assert len(journal.library("theirs")) == 1


@pytest.mark.parametrize("after", range(8))
def test_a_kill_leaves_whole_steps(path: Path, after: int) -> None:
    """A kill before any statement of a step that adds to a library: either the step and its records are there, or neither."""
    code = """
        import os, sys
        from pathlib import Path
        from tests.log.test_kept import RECORDS, row
        from tests.log.conftest import START
        from sandbox.log.writer import Journal
        journal = Journal.open(Path(sys.argv[1]))
        episode = journal.begin(START)
        left = int(sys.argv[2])
        def kill(statement):
            global left
            if left == 0:
                os.kill(os.getpid(), 9)
            left -= 1
        journal._db.set_trace_callback(kill)
        journal.step(episode, row(0), "mine", RECORDS)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(path), str(after)], check=False, capture_output=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    with Log.open(path) as log:
        (episode,) = log.episodes()
        kept = [shelf.name for shelf in log.libraries()]
        steps = list(log.steps(episode.id))
        assert (kept, len(steps)) == ([], 0)
