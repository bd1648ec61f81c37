"""From what a model wrote to the command it gives: exactly what stands there, or why there is none.

A reply is read in one way only, by its own shape; nothing is searched for in a reply that is structured already,
and nothing is mended. What cannot be read is one of three failures, each told to the model in its own words; a
fourth, a command that the world does not understand, is answered by the world.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

EMPTY: Final = "empty"
TRUNCATED: Final = "truncated"
UNPARSABLE: Final = "unparsable"

MESSAGES: Final = {
    EMPTY: "Your reply was empty. Reply with one command.",
    TRUNCATED: "Your reply was cut off before its end. Reply with less: only what was asked for.",
    UNPARSABLE: "Your reply holds no single command that can be read. {how}",
}
"""What a model is told of each failure; `how` says in which form to reply."""

_FENCE: Final = re.compile(r"^```[a-zA-Z]*[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_MARKED: Final = re.compile(r"^[ \t]*(?:command|action|>)[ \t]*:?[ \t]+(.+?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_LONG: Final = 300


@dataclass(frozen=True, slots=True)
class Extracted:
    """The command of a reply, or why there is none (`failure`). `data` is the whole object of a structured reply."""

    command: str | None
    failure: str | None = None
    data: dict[str, Any] | None = None


def extract(text: str, finish: str, field: str = "command") -> Extracted:
    """The command of a reply: the field of a JSON object, a fenced block, a line `Command: …`, or a single line."""
    stripped = text.strip()
    if finish == "length":
        return Extracted(None, TRUNCATED)
    if not stripped:
        return Extracted(None, EMPTY)
    if stripped[0] == "{":
        return _structured(stripped, field)
    fenced = _FENCE.findall(stripped)
    if fenced:
        block = fenced[0].strip()
        if len(fenced) > 1 or not block:
            return Extracted(None, UNPARSABLE)
        return _structured(block, field) if block[0] == "{" else _single(block)
    marked = _MARKED.findall(stripped)
    if marked:
        return Extracted(marked[0]) if len(marked) == 1 else Extracted(None, UNPARSABLE)
    return _single(stripped)


def read_object(text: str, finish: str, fields: Sequence[str]) -> tuple[dict[str, Any] | None, str | None]:
    """The JSON object of a reply, bare or alone in one fenced block, with all of `fields`; or the failure."""
    stripped = text.strip()
    if finish == "length":
        return None, TRUNCATED
    if not stripped:
        return None, EMPTY
    if stripped[0] != "{":
        fenced = _FENCE.findall(stripped)
        if len(fenced) != 1:
            return None, UNPARSABLE
        stripped = fenced[0].strip()
    try:
        data = json.loads(stripped)
    except (ValueError, RecursionError):
        return None, UNPARSABLE
    if not isinstance(data, dict) or any(field not in data for field in fields):
        return None, UNPARSABLE
    return data, None


def _structured(text: str, field: str) -> Extracted:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return Extracted(None, UNPARSABLE)
    command = data.get(field) if isinstance(data, dict) else None
    if not isinstance(command, str) or not command.strip():
        return Extracted(None, UNPARSABLE, data if isinstance(data, dict) else None)
    return Extracted(command.strip(), None, data)


def _single(text: str) -> Extracted:
    if len(text.splitlines()) > 1 or len(text) > _LONG:
        return Extracted(None, UNPARSABLE)
    return Extracted(text)
