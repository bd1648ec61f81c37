"""`sandbox worlds check FILE`: what people and programs read about a file of content, and the exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.cli.main import main

ROOT = Path(__file__).resolve().parent.parent.parent
Run = Callable[..., tuple[int, str, str]]
GOOD = (ROOT / "tests" / "measure" / "authors" / "zither.rules.j2").read_text(encoding="utf-8")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `sandbox worlds ARGS…`: exit code, standard output, standard error."""

    def called(*args: str) -> tuple[int, str, str]:
        code = main(["worlds", *args])
        out, err = capsys.readouterr()
        return code, out, err

    return called


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A family in a content folder that is not named: where it lies says where it belongs."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine" / "worlds" / "rules" / "zither.rules.j2"
    path.parent.mkdir(parents=True)
    path.write_text(GOOD)
    return Path("mine/worlds/rules/zither.rules.j2")


def lines(text: str) -> list[dict[str, Any]]:
    """The JSON lines in `text`, all of them."""
    return [json.loads(line) for line in text.splitlines()]


def test_a_family_that_is_right(run: Run, file: Path) -> None:
    """Exit 0, with what was measured: one row a slot."""
    code, out, _ = run("check", str(file), "--range", "0-1")
    assert code == 0
    assert out.startswith(f"{file}: family, 1 piece of advice\n")
    assert "in 2 worlds built to try it" in out
    assert any(line.split()[:2] == ["law", "structure"] for line in out.splitlines())


def test_a_problem_is_exit_4_with_its_place_and_the_next_step(run: Run, file: Path) -> None:
    """The line of the file, and what to write instead below it."""
    file.write_text(GOOD.replace("near(b)", "nier(b)"))
    code, out, _ = run("check", str(file))
    assert code == 4
    assert "problem  rules/zither.rules.j2:7: unknown fact, relation or predicate 'nier'" in out
    assert "→ did you mean 'near'?" in out


def test_a_file_as_json(run: Run, file: Path) -> None:
    """One line a remark, one a slot, then the line of the file as for a world, then the summary."""
    code, out, _ = run("check", str(file), "--range", "0-1", "--json")
    remark, slot, whole, summary = lines(out)
    assert code == 0
    assert (remark["event"], remark["code"], remark["line"], remark["problem"]) == ("remark", "recipe", 1, False)
    assert remark["what"]
    assert remark["instead"]
    assert (slot["event"], slot["name"], slot["worlds"]) == ("slot", "rules/zither/law", 2)
    assert {"ref": str(file), "ok": True, "why": None, "sort": "family", "worlds": 2}.items() <= whole.items()
    assert {"event": "summary", "files": 1, "ok": 1, "failed": 0}.items() <= summary.items()


def test_a_failed_file_as_json_says_why(run: Run, file: Path) -> None:
    """`why` is the first problem, as for a world that fails."""
    file.write_text(GOOD.replace("near(b)", "nier(b)"))
    code, out, _ = run("check", str(file), "--json")
    *_, whole, summary = lines(out)
    assert (code, whole["ok"], summary["failed"]) == (4, False, 1)
    assert whole["why"].startswith("rules/zither.rules.j2:7: unknown fact")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nowhere.rules.j2",), "cannot read 'nowhere.rules.j2': No such file or directory\n"),
        (("7", "{file}"), "'7' is a world"),
        (("{file}", "--recipe", "tiny"), "--recipe names worlds"),
        (("{file}", "--range", "9-3"), "falls"),
        (("notes.j2",), "is no file of content"),
    ],
)
def test_what_cannot_be_checked_is_exit_2(run: Run, file: Path, args: tuple[str, ...], said: str) -> None:
    """A file that is not there, that is no content, or that is mixed with worlds: with what to type instead."""
    Path("notes.j2").write_text("nothing")
    code, out, err = run("check", *(arg.replace("{file}", str(file)) for arg in args))
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 2
