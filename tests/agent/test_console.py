"""A person's lines: where one ends, and where the prompt goes."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from sandbox.agent.api import Left
from sandbox.agent.console import read_line

READ = "from sandbox.agent.console import read_line\nfor _ in range(3): print(ascii(read_line('> ')))"


def lines(monkeypatch: pytest.MonkeyPatch, data: bytes) -> list[str]:
    """All lines that are read from a pipe which holds `data`."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "ascii"))
    return list(_all_lines())


def _all_lines() -> Iterator[str]:
    while True:
        try:
            line = read_line("> ")
        except Left:
            return
        yield line


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", []),
        (b"look\n", ["look"]),
        (b"look\r\ngo\n", ["look", "go"]),
        (b"no end", ["no end"]),
        (b"\n\n", ["", ""]),
        (b" two  blanks \t\n", [" two  blanks \t"]),
        ("a\u2028b\u0085c\x0bd\x0ce\x1cf\rg\n".encode(), ["a\u2028b\u0085c\x0bd\x0ce\x1cf\rg"]),
        (b"a\r\r\n", ["a\r"]),
        (b"\xff\x00\xc3\n", ["\udcff\x00\udcc3"]),
        ("größe 👋 שלום\n".encode(), ["größe 👋 שלום"]),
        (b"x" * 1_000_000 + b"\n", ["x" * 1_000_000]),
    ],
)
def test_a_line_ends_at_a_line_feed_only(monkeypatch: pytest.MonkeyPatch, data: bytes, found: list[str]) -> None:
    """LF and CRLF end a line, nothing else does; a last line needs no end, and no byte is lost."""
    assert lines(monkeypatch, data) == found


def test_prompts_and_echoes_stay_off_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe's lines are shown after their prompts on standard error, made harmless; standard output stays empty."""
    lines(monkeypatch, b"take key\n\x1b[2J" + b"x" * 500 + b"\n")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("> take key\n> ·[2J")
    assert "\x1b" not in err
    assert "…" in err


def test_no_standard_input_is_the_end_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program started without standard input has no more lines."""
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(Left):
        read_line("> ")


def test_a_terminal_has_history_and_a_clean_standard_output() -> None:
    """On a terminal the arrow up brings the last line back, and only the game is written to standard output."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    child = subprocess.Popen(
        [sys.executable, "-c", READ], stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, env=environment
    )
    os.close(theirs)
    shown = b""
    for typed in (b"take key\n", b"\x1b[A\n", b"gr\xc3\xb6\xc3\x9fe\n"):
        shown += _until(ours, b"> ")
        os.write(ours, typed)
    written, _ = child.communicate(timeout=10)
    os.close(ours)
    assert written.decode().split("\n") == ["'take key'", "'take key'", "'gr\\xf6\\xdfe'", ""]
    assert shown.count(b"> ") == 3


def _until(terminal: int, mark: bytes) -> bytes:
    """What a terminal shows until `mark` appears."""
    shown, deadline = b"", time.monotonic() + 10
    while not shown.endswith(mark):
        assert time.monotonic() < deadline, shown
        shown += os.read(terminal, 1)
    return shown
