"""`sandbox db`: where the episodes are, how many, and whether the file is sound."""

import json
from pathlib import Path

import pytest

from sandbox.cli.main import main
from sandbox.log.rows import EpisodeStart, StepRow
from sandbox.log.schema import MIGRATIONS
from sandbox.log.writer import Journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with one unfinished episode of 300 steps."""
    path = tmp_path / "sandbox.db"
    start = EpisodeStart("7", "d", "{}", {}, {}, "random", {}, 2, 0, 9, 4, "exact", "1", "0", "goal")
    with Journal.open(path) as journal:
        episode = journal.begin(start)
        for n in range(300):
            journal.step(episode, StepRow(n, None, None, None, None, None, "text " * 50, 0.0, False, "s"))
    return path


def test_people_read_path_version_and_counts(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line each."""
    assert main(["db", "--db", str(path)]) == 0
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert told["path"] == str(path)
    assert told["schema"].startswith(f"{len(MIGRATIONS)} ")
    assert (told["episodes"], told["steps"], told["worlds"]) == ("1 (1 unfinished)", "300", "1")
    assert told["size"].endswith("sound")


def test_programs_read_the_same(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON line."""
    assert main(["db", "--json", "--db", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["version"], told["bytes"]) == (True, len(MIGRATIONS), path.stat().st_size)
    assert (told["runs"], told["episodes"], told["unfinished"], told["steps"], told["worlds"]) == (1, 1, 1, 300, 1)


def test_a_damaged_file_fails_the_check(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 4, with what SQLite found; programs read it as JSON."""
    data = bytearray(path.read_bytes())
    data[-8192:-4096] = b"\xff" * 4096
    path.write_bytes(data)
    assert main(["db", "--json", "--db", str(path)]) == 4
    out, err = capsys.readouterr()
    assert json.loads(out)["ok"] is False
    assert "is damaged" in err


@pytest.mark.parametrize("text", ["", "no database at all, however long it may be\n" * 40])
def test_what_is_no_database_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """An empty file and a text file are left as they are."""
    path = tmp_path / "other"
    path.write_text(text)
    assert main(["db", "--db", str(path)]) == 2
    assert str(path) in capsys.readouterr().err
    assert path.read_text() == text
