"""Answers that are kept are not asked for twice; what cannot be kept is asked for."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sandbox.cli.main import main
from sandbox.errors import UsageError
from sandbox.models.api import Answer, Message, Request, Trouble, Usage
from sandbox.models.kept import KEPT, KeptModel
from sandbox.models.mock import Mock
from sandbox.models.names import Source, open_model


class Counting:
    """A model that counts its calls, and fails when it is told to."""

    name = "mock/counting"

    def __init__(self) -> None:
        self.calls, self.fails = 0, False

    def complete(self, request: Request, timeout: float) -> Answer:
        """Another text each time."""
        del timeout
        self.calls += 1
        if self.fails:
            raise Trouble("server", "down")
        return Answer(f"{self.calls}: {request.messages[-1].content}", "stop", Usage(7, 3), 0.25, "counting-1")

    def close(self) -> None:
        """Nothing is held."""


def asked(text: str, temperature: float = 0.0) -> Request:
    """A request with one message."""
    return Request((Message("user", text),), temperature=temperature)


def test_the_same_request_is_answered_once_and_counted_alike(tmp_path: Path) -> None:
    """The second answer is the first, with its tokens, for nothing, and marked; another model object finds it, too."""
    model = Counting()
    first = KeptModel(model, tmp_path / "kept.db").complete(asked("go"), 1.0)
    again = KeptModel(model, tmp_path / "kept.db").complete(asked("go"), 1.0)
    assert model.calls == 1
    assert (again.text, again.usage, again.finish) == (first.text, first.usage, first.finish)
    assert (first.cost, again.cost) == (0.25, 0.0)
    assert again.model == KEPT + "counting-1"


def test_what_differs_is_asked_for(tmp_path: Path) -> None:
    """Another text, another bound, another server; and whatever is asked above temperature 0."""
    model, path = Counting(), tmp_path / "kept.db"
    kept = KeptModel(model, path)
    kept.complete(asked("go"), 1.0)
    kept.complete(asked("come"), 1.0)
    kept.complete(Request((Message("user", "go"),), max_tokens=5), 1.0)
    KeptModel(model, path, "http://127.0.0.1:1").complete(asked("go"), 1.0)
    assert model.calls == 4
    kept.complete(asked("go", 0.7), 1.0)
    kept.complete(asked("go", 0.7), 1.0)
    assert model.calls == 6


def test_a_failure_is_not_kept_and_nonsense_is_asked_for_again(tmp_path: Path) -> None:
    """A call that failed is made again; so is one whose kept answer cannot be read."""
    model, path = Counting(), tmp_path / "kept.db"
    kept = KeptModel(model, path)
    model.fails = True
    with pytest.raises(Trouble):
        kept.complete(asked("go"), 1.0)
    model.fails = False
    kept.complete(asked("go"), 1.0)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE answers SET answer = ?", (json.dumps(["no", "answer"]),))
    assert kept.complete(asked("go"), 1.0).text == "3: go"


def test_a_file_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    """The error names the file and the next step."""
    path = tmp_path / "notes.txt"
    path.write_text("dear diary " * 100)
    with pytest.raises(UsageError, match="notes.txt"):
        KeptModel(Counting(), path)


def test_nothing_is_kept_unless_a_file_is_named(tmp_path: Path) -> None:
    """Without the option the model itself answers."""
    assert isinstance(open_model(Source("mock/echo")), Mock)
    assert isinstance(open_model(Source("mock/echo", keep=tmp_path / "kept.db")), KeptModel)


def test_a_second_play_asks_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two plays of one world: the second is the first, though its script has run out."""
    script = tmp_path / "script.txt"
    script.write_text("Command: look\n---\nCommand: wait\n---\nCommand: inventory")
    words = ["--db", str(tmp_path / "s.db"), "play", "--world", "tiny/3~grammar/words=english", "--agent", "react"]
    words += ["--agent-seed", "1", "--max-steps", "3", "--json", "--keep-answers", str(tmp_path / "kept.db")]
    words += ["--model", f"mock/script:{script}"]
    main(words)
    first = capsys.readouterr().out
    script.write_text("Command: help")
    main(words)
    said = [
        [line["command"] for line in map(json.loads, out.splitlines()) if line.get("command")]
        for out in (first, capsys.readouterr().out)
    ]
    assert said[0] == said[1] == ["look", "wait", "inventory"]


def test_keeping_answers_belongs_to_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a model it is an error that says what to add."""
    assert main(["play", "--world", "tiny/3", "--keep-answers", str(tmp_path / "kept.db")]) == 2
    assert "--model" in capsys.readouterr().err
