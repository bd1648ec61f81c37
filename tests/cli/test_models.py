"""`sandbox models`, `sandbox keys` and `sandbox prompts`: what is printed, and the exit codes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from sandbox.cli.main import main


@pytest.fixture(autouse=True)
def _own_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SANDBOX_KEYS", str(tmp_path / "keys.json"))


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize(("answer", "code"), [("look", 0), ("{", 4)])
def test_checking_a_model_tells_whether_a_command_can_be_read(
    answer: str, code: int, form: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 4 if not, for people and for programs, after what was found."""
    Path("answer.txt").write_text(answer)
    assert main(["models", "check", "mock/script:answer.txt", *form]) == code
    out, err = capsys.readouterr()
    assert "mock/script:answer.txt" in out
    assert ("no command could be read" in err) == bool(code)
    if form:
        assert json.loads(out)["structured"] is False


def test_a_model_that_cannot_be_reached_is_told_with_the_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 3, with the advice that an episode ends with."""
    assert main(["models", "check", "x", "--base-url", "http://127.0.0.1:9"]) == 3
    assert "check the address" in capsys.readouterr().err


def test_a_key_is_forgotten_under_the_name_that_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the provider is typed."""
    monkeypatch.setattr("sys.stdin", io.StringIO("abcdefgh\n"))
    assert main(["keys", "set", "OpenAI"]) == 0
    assert main(["keys", "rm", "OpenAI"]) == 0
    assert main(["keys", "rm", "OpenAI"]) == 2


def test_a_list_that_is_not_set_stands_once_in_a_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    """A variable that a prompt goes through is shown by its name, like any other."""
    assert main(["prompts", "render", "zeroshot"]) == 0
    assert "accepted now:\n<admissible>\n" in capsys.readouterr().out
