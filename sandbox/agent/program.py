"""A program that plays: one JSON line out for each turn, one JSON line back for each command.

It may hang, die, flood either stream, close its pipes or answer nonsense. Whatever it does, we wait at
most `timeout` seconds, keep a bounded amount of what it wrote, and leave no process of its group
behind; each of these raises AgentError. One loop serves all three pipes, so a program that does not
read while we write cannot hold us up.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Final

from sandbox.errors import AgentError, UsageError

TIMEOUT: Final = 60.0
FAREWELL: Final = 1.0
LINE_LIMIT: Final = 8 << 20
CHUNK: Final = 1 << 16
NOTES_KEPT: Final = 2000
EXPECTED: Final = (
    'a program answers each line with one line {"command": "…"} on standard output and flushes it; '
    "notes go to standard error"
)


class Program:
    """A program at the other end of three pipes. `start` it, `ask` it once a turn, `finish` it."""

    def __init__(self, words: Sequence[str], timeout: float = TIMEOUT) -> None:
        if not words or shutil.which(words[0]) is None:
            raise UsageError(
                f"cannot run {words[0] if words else ''!r}: no such program", "check its path and its x bit"
            )
        self._words, self._timeout = list(words), timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._unsent, self._received, self._notes = b"", bytearray(), b""
        self._ended = self._failed = False

    def start(self) -> None:
        """Start the program, in a process group of its own and without our settings."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SANDBOX_")}
        environment.setdefault("PYTHONUNBUFFERED", "1")  # the commonest hang is a print without flush
        try:
            process = subprocess.Popen(  # noqa: S603 - the user asked for this very program
                self._words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env=environment,
            )
        except OSError as error:
            raise AgentError(f"{self._words[0]!r} did not start: {error.strerror}", EXPECTED) from error
        self._process, self._selector = process, selectors.DefaultSelector()
        os.set_blocking(_pipe(process.stdin).fileno(), False)
        self._serve_pipe(process.stdout, selectors.EVENT_READ, self._receive)
        self._serve_pipe(process.stderr, selectors.EVENT_READ, self._note)

    def ask(self, message: Mapping[str, object]) -> tuple[str, str]:
        """Send one line; the line that came back and the command in it. Raises AgentError."""
        self._failed = True  # unless it succeeds: an interruption leaves half a line in the pipe, too
        answer = self._exchange(message)
        self._failed = False
        return answer

    def finish(self, message: Mapping[str, object]) -> None:
        """Send the last line, close the pipes, wait a moment, then end the whole group."""
        process = self._process
        if process is None:
            return
        try:
            if not self._failed:
                with suppress(AgentError):
                    self._farewell(process, message)
        finally:
            self._process = None
            _end_group(process)
            self._selector.close()
            for pipe in (process.stdin, process.stdout, process.stderr):
                _pipe(pipe).close()

    def _exchange(self, message: Mapping[str, object]) -> tuple[str, str]:
        self._serve(0)
        self._refuse_unasked()
        self._send(message)
        deadline = time.monotonic() + self._timeout
        while self._unsent or b"\n" not in self._received:
            if self._ended:
                raise self._death()
            left = deadline - time.monotonic()
            if left <= 0:
                raise AgentError(f"{self._words[0]!r} gave no answer within {self._timeout:g} s", EXPECTED)
            self._serve(left)
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest.lstrip())
        self._refuse_unasked()
        return _command(line)

    def _farewell(self, process: subprocess.Popen[bytes], message: Mapping[str, object]) -> None:
        self._send(message)
        deadline = time.monotonic() + FAREWELL
        while not self._ended and (left := deadline - time.monotonic()) > 0:
            if not self._unsent:
                _pipe(process.stdin).close()
            self._serve(left)
            self._received.clear()

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process is not None, "a program is started before it is asked"
        self._unsent = json.dumps(message).encode() + b"\n"
        self._serve_pipe(self._process.stdin, selectors.EVENT_WRITE, self._write)

    def _serve_pipe(self, pipe: IO[bytes] | None, event: int, serve: Callable[[IO[bytes]], None]) -> None:
        self._selector.register(_pipe(pipe), event, serve)

    def _serve(self, seconds: float) -> None:
        """Wait until a pipe is ready, and read or write what it takes."""
        for key, _ in self._selector.select(seconds):
            key.data(key.fileobj)

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            self._unsent = self._unsent[os.write(pipe.fileno(), self._unsent[:CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # it closed its input; whether it answers is seen at its output
            self._unsent = b""
        if not self._unsent:
            self._selector.unregister(pipe)

    def _receive(self, pipe: IO[bytes]) -> None:
        chunk = os.read(pipe.fileno(), CHUNK)
        if not chunk:
            self._ended = True
            self._selector.unregister(pipe)
        self._received += chunk
        if self._received[:1].isspace():  # blank lines are no answers
            self._received = self._received.lstrip()
        if len(self._received) > LINE_LIMIT:
            raise AgentError(f"{self._words[0]!r} flooded its output: more than {LINE_LIMIT} bytes", EXPECTED)

    def _note(self, pipe: IO[bytes]) -> None:
        chunk = os.read(pipe.fileno(), CHUNK)
        if not chunk:
            self._selector.unregister(pipe)
        self._notes = (self._notes + chunk)[-NOTES_KEPT:]

    def _refuse_unasked(self) -> None:
        if self._received:
            shown = bytes(self._received[:80])
            raise AgentError(f"{self._words[0]!r} wrote more than one line for a turn: {shown!r}", EXPECTED)

    def _death(self) -> AgentError:
        """What is known of a program that closed its output: how it ended, and its last words."""
        self._serve(0.2)
        how = _how_it_ended(self._process) if self._process else "ended"
        notes = self._notes.decode("utf-8", "replace").strip()
        words = f"; it said: {notes[-500:]}" if notes else ""
        return AgentError(f"{self._words[0]!r} {how} before it answered{words}", EXPECTED)


def _command(line: bytes) -> tuple[str, str]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    command = answer.get("command") if isinstance(answer, dict) else None
    if not isinstance(command, str):
        raise AgentError(f"expected a line of JSON with a command, found {line[:80]!r}", EXPECTED)
    return line.decode("utf-8", "surrogateescape"), command


def _how_it_ended(process: subprocess.Popen[bytes]) -> str:
    try:
        code = process.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        return "closed its output"
    return f"ended with exit code {code}" if code >= 0 else f"was killed by signal {-code}"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the program and of whatever it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(FAREWELL)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, "every pipe of a program is ours"
    return pipe
