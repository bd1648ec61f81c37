"""One remark on a file: where, what is wrong, what to write instead.

A *problem* has to be mended: the file cannot be used, or a part of it does nothing. *Advice* can be left alone.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Final

from sandbox.errors import UsageError

_PLACED: Final = re.compile(r"(?P<file>\S+?):(?P<line>\d+): (?P<what>.*)", re.DOTALL)
_NAMED: Final = re.compile(r"(?P<file>[\w-]+/[\w.-]+): (?P<what>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to say about a line. `code` names the sort of remark; `instead` is the next step.

    `about` is the slot, action or law that it is about, if it is about one.
    """

    file: str
    line: int
    code: str
    what: str
    instead: str
    problem: bool = True
    about: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"

    def to_dict(self) -> dict[str, object]:
        """Plain JSON data."""
        return asdict(self)


def from_error(error: UsageError, code: str, file: str, line: int = 1) -> Remark:
    """An error of ours as a remark, at the place that its message begins with, else at the one given."""
    found = _PLACED.match(error.message) or _NAMED.match(error.message)
    what, instead = error.message, error.hint or "see docs/authoring.md"
    if found is None:
        return Remark(file, line, code, what, instead)
    named = found.groupdict()
    at = int(named["line"]) if "line" in named else line if named["file"] == file else 1
    return Remark(named["file"], at, code, named["what"], instead)


def line_with(text: str, *words: str) -> int:
    """The first line of a text that holds all the words; 1 where there is none."""
    lines = enumerate(text.split("\n"), 1)
    return next((number for number, line in lines if all(word in line for word in words)), 1)
