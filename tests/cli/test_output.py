"""How the command line speaks: JSON lines, visible text, tables and progress."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.cli.context import Settings
from sandbox.cli.output import emit, progress, say, table, visible, warn

Captured = pytest.CaptureFixture[str]
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_visible_text_cannot_act_on_a_terminal(text: str) -> None:
    """No control character but tab and line feed, no direction mark and no half character is left."""
    shown = visible(text)
    assert all(char in "\t\n" or ord(char) >= 32 for char in shown)
    assert not set(shown) & set("\x7f\x9b\u202e\u2066\u2028\ufeff")
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("two\r\nlines\tand a tab", "two\\r\nlines\tand a tab"),
        ("a\u202eb", "a\\u202eb"),
        ("\udc80", "\\udc80"),
        ("[bold]ключ[/bold] :smile: 👩\u200d🚀", "[bold]ключ[/bold] :smile: 👩\u200d🚀"),
    ],
)
def test_text_is_shown_as_it_is(text: str, shown: str, capsys: Captured) -> None:
    """Controls become escapes; markup, emoji and any script stay what they are."""
    say(text)
    assert capsys.readouterr().out == shown + "\n"


@given(st.dictionaries(ANY_TEXT, st.none() | st.booleans() | st.integers() | ANY_TEXT))
def test_a_record_is_one_line_that_reads_back(record: dict[str, object]) -> None:
    """Whatever a record holds, it is one line of ASCII that parses to the same values."""
    with pytest.MonkeyPatch.context() as patch:
        lines: list[str] = []
        patch.setattr(sys, "stdout", Lines(lines))
        emit(record)
    assert len(lines) == 1
    assert lines[0].isascii()
    assert lines[0].splitlines(keepends=True) == [lines[0]]
    assert json.loads(lines[0]) == record


class Lines:
    """A stream that keeps what is written, one entry a write."""

    def __init__(self, kept: list[str]) -> None:
        self.write = kept.append

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        """Nobody looks."""
        return False


def test_a_number_that_json_lacks_is_a_fault() -> None:
    """NaN is refused: it would make a line that no JSON parser has to accept."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        emit({"score": float("nan")})


@pytest.mark.parametrize(("as_json", "where"), [(False, "out"), (True, "err")])
def test_people_are_spoken_to_beside_the_json(as_json: bool, where: str, capsys: Captured) -> None:
    """With --json, what people read goes to standard error; what warns always does."""
    with click.Context(click.Command("probe"), obj=Settings(json=as_json)):
        say("for people")
        warn("for their attention")
    assert "for people\n" in getattr(capsys.readouterr(), where)


def test_a_closed_descriptor_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process started without standard output runs all the same."""
    monkeypatch.setattr(sys, "stdout", None)
    say("into the void")
    emit({"into": "the void"})
    assert sys.stdout is None


def test_a_table_is_aligned_by_what_the_eye_sees(capsys: Captured) -> None:
    """Columns line up with wide characters in them; None is empty, control characters are visible."""
    table(["seed", "n"], [["種子", 1], ["7", None], ["\x1b", 22]])
    assert capsys.readouterr().out == "seed  n\n種子  1\n7\n\\x1b  22\n"


def test_progress_is_silent_without_a_terminal(capsys: Captured) -> None:
    """The items pass through, and nothing is printed."""
    assert list(progress(range(5), label="counting")) == [0, 1, 2, 3, 4]
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
def test_progress_on_a_terminal_leaves_the_output_alone() -> None:
    """The bar is drawn on standard error; JSON lines printed meanwhile reach standard output whole."""
    code = (
        "import click\n"
        "from sandbox.cli.output import emit, progress\n"
        "with click.Context(click.Command('probe')):\n"
        "    for n in progress(range(3), label='counting [all]'):\n"
        "        emit({'n': n})\n"
    )
    ours, theirs = os.openpty()
    try:
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
        ended = subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs, env=environment, check=True, text=True
        )
    finally:
        os.close(theirs)
    bar = os.read(ours, 10_000).decode()
    os.close(ours)
    assert ended.stdout == '{"n":0}\n{"n":1}\n{"n":2}\n'
    assert "counting [all]" in bar
    assert "3/3" in bar
