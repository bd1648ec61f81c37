"""A person's lines: from a terminal with history and editing, or from a pipe as they are.

Prompts go to standard error, so that standard output holds the game alone. A line ends at LF or CRLF
and nowhere else: U+0085, U+2028 or a lone CR inside a line are part of the command. Bytes that are
not UTF-8 arrive as lone surrogates, which the log keeps.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

from sandbox.agent.api import Left

ECHOED: Final = 200


def read_line(prompt: str) -> str:
    """The next line without its end. Raises Left at the end of the input."""
    if sys.stdout is not None:
        sys.stdout.flush()
    if _is_terminal(sys.stdin) and _is_terminal(sys.stderr):
        return _from_terminal(prompt)
    _tell(prompt)
    data = sys.stdin.buffer.readline() if sys.stdin is not None else b""
    if not data:
        _tell("\n")
        raise Left("end of input")
    line = data.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "surrogateescape")
    _tell(_echo(line))
    return line


def _echo(line: str) -> str:
    """What a terminal would have shown of a line, without what would act on one."""
    shown = "".join(char if char.isprintable() else "·" for char in line[:ECHOED])
    return f"{shown}{'…' if len(line) > ECHOED else ''}\n"


def _from_terminal(prompt: str) -> str:
    with suppress(ImportError):  # some Pythons are built without readline; input() works without it
        import readline  # noqa: F401, PLC0415 - it gives input() history and editing; slow, and not always there
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        with _drawn_on_standard_error():
            return input(prompt)
    except EOFError as error:
        _tell("\n")
        raise Left("end of input") from error


@contextmanager
def _drawn_on_standard_error() -> Iterator[None]:
    """GNU readline draws on descriptor 1; while a line is read, let that be standard error."""
    sys.stderr.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _tell(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()
