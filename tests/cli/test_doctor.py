"""The doctor: what it looks at, what it calls essential, and that it leaves no trace."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
Captured = pytest.CaptureFixture[str]
Checks = dict[str, dict[str, object]]
Command = Callable[..., "subprocess.CompletedProcess[str]"]
Examined = Callable[..., tuple[int, Checks]]


@pytest.fixture
def examined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Examined:
    """Run `sandbox doctor --json` in an empty folder: its exit code, and its lines by name."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, Checks]:
        code = main(["doctor", "--json", *args])
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return code, {line.get("check") or line["event"]: line for line in lines}

    return run


def test_this_machine_is_ready(examined: Examined, tmp_path: Path) -> None:
    """Where the tests run everything essential is there, and looking leaves nothing behind."""
    code, checks = examined()
    assert code == 0
    assert checks["summary"] == {"event": "summary", "ok": True, "failed": 0}
    assert {"python", "packages", "sqlite", "terminal", "content", "database", "disk"} <= set(checks)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("nowhere/x.db", "there is no folder"),
        ("a folder", "is a directory"),
        ("a text", "not a SQLite database"),
    ],
)
def test_a_database_that_cannot_be_used(command: Command, tmp_path: Path, place: str, problem: str) -> None:
    """A place where no database can lie is refused, by the doctor or before it, with the way out."""
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a text").write_text("dear diary")
    ended = command("doctor", "--db", place)
    assert ended.returncode in (2, 4)
    assert problem in ended.stdout + ended.stderr
    assert "--db" in ended.stdout + ended.stderr


def test_an_empty_folder_of_content_is_a_note(examined: Examined, tmp_path: Path) -> None:
    """A --content folder without content is mentioned; it stops nobody from playing."""
    (tmp_path / "mine").mkdir()
    code, checks = examined("--content", "mine")
    assert (code, checks["--content"]["ok"], checks["--content"]["essential"]) == (0, False, False)


def test_a_package_without_its_content_is_not_ready(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code that was copied without worlds, prompts and agents fails, and says which are missing."""
    shutil.copytree(ROOT / "sandbox", tmp_path / "sandbox", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ended = command("doctor")
    assert ended.returncode == 4
    assert "no file to read in worlds, prompts, agents" in ended.stdout
