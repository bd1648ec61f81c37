r"""Models without a model, for tests, demonstrations and the measuring of overhead; documented, and first-class.

mock/echo                 repeats the last line of the last message
mock/script:FILE          answers with the paragraphs of a file in turn; the last one again and again.
Paragraphs are separated by a line of three dashes; \f in one stands for no answer
mock/flaky?rate=0.3       as echo, but so many of its calls fail, by a keyed draw (&seed=N, &kind=rate_limit)
mock/slow?seconds=2       as echo, after so many seconds
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import get_args
from urllib.parse import parse_qsl

from sandbox.errors import UnknownName, UsageError, why
from sandbox.models.api import Answer, Kind, Request, Trouble, estimated
from sandbox.world.keyed import Key

SORTS = ("echo", "script", "flaky", "slow")


class Mock:
    """One of the models above. `cost` is 0: nobody is paid."""

    def __init__(self, name: str) -> None:
        self.name = f"mock/{name}"
        sort, _, asked = name.partition("?")
        self._sort, _, self._file = sort.partition(":")
        self._options = _options(asked, {"flaky": ("rate", "seed", "kind"), "slow": ("seconds",)}.get(self._sort, ()))
        self._calls = 0
        if self._sort not in SORTS:
            raise UnknownName("mock model", self._sort, SORTS)
        self._script = _paragraphs(self._file) if self._sort == "script" else []
        self._rate = _number(self._options, "rate", 0.3)
        self._seconds = _number(self._options, "seconds", 1.0)
        self._kind = self._options.get("kind", "server")
        if self._kind not in get_args(Kind):
            raise UnknownName("kind of failure", self._kind, get_args(Kind))

    def complete(self, request: Request, timeout: float) -> Answer:
        """What the sort of mock answers."""
        self._calls += 1
        if self._sort == "slow":
            time.sleep(min(self._seconds, timeout))
            if self._seconds > timeout:
                raise Trouble("timeout", f"no answer within {timeout:g} s")
        if self._sort == "flaky":
            draw = Key("flaky", self._options.get("seed", "0"), self._calls).stream()
            if draw.below(10_000) < 10_000 * self._rate:
                raise Trouble(self._kind, "mock/flaky failed, as it was asked to")  # type: ignore[arg-type]  # one of Kind
        text = self._said() if self._sort == "script" else _last_line(request)
        cut = text[: 4 * request.max_tokens]
        return Answer(cut, "stop" if cut == text else "length", estimated(request, cut), 0.0, self.name)

    def _said(self) -> str:
        return self._script[min(self._calls, len(self._script)) - 1].replace("\\f", "")

    def close(self) -> None:
        """Nothing was opened."""


def _last_line(request: Request) -> str:
    lines = request.messages[-1].content.strip().splitlines() if request.messages else []
    return lines[-1] if lines else ""


def _paragraphs(file: str) -> list[str]:
    if not file:
        raise UsageError("mock/script needs a file", "type mock/script:FILE")
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the script {file!r}: {why(error)}", "check the path") from None
    return [part.strip("\n") for part in ("\n" + text).split("\n---")]


def _options(asked: str, known: tuple[str, ...]) -> Mapping[str, str]:
    found = dict(parse_qsl(asked, keep_blank_values=True))
    for name in found:
        if name not in known:
            raise UnknownName("option of this mock model:", name, known)
    return found


def _number(options: Mapping[str, str], name: str, usual: float) -> float:
    text = options.get(name)
    if text is None:
        return usual
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{name}={text!r} is no number", f"type {name}={usual}") from None
