"""Phrase tables: what Jinja leaves behind for the engine to join.

An observation or feedback template renders, when a world is built, to lines `key = "text"`. A text holds
gaps such as `<name>`, or `<name:14>` for one that fills 14 columns at least; it is compiled once to a format
that is filled with a dictionary of values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sandbox.errors import TemplateError

_LINE = re.compile(r'^([a-z_][\w.]*)\s*=\s*"(.*)"$')
_GAP = re.compile(r"<([a-z_A-Z]+)(?::(\d\d?))?>")


def read_phrases(text: str, file: str, line_of: Mapping[int, int] | None = None) -> tuple[tuple[str, str], ...]:
    """The phrases of a rendered template, sorted by key. Raises TemplateError for a malformed line."""
    found: dict[str, str] = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line = re.sub(r"\s*#@\d+$", "", raw).strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.match(line)
        if match is None:
            at = (line_of or {}).get(number, number)
            raise TemplateError(f'{file}:{at}: expected `key = "text"`, found {line!r}')
        found[match[1]] = match[2].replace("\\n", "\n").replace('\\"', '"')
    return tuple(sorted(found.items()))


class Phrases:
    """A table of compiled phrases. A missing key is a TemplateError that names it."""

    def __init__(self, pairs: Iterable[tuple[str, str]], what: str) -> None:
        self._what = what
        self.texts = dict(pairs)
        self._formats = {key: _compile(text) for key, text in self.texts.items()}
        self._pieces: dict[tuple[str, str], list[str]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._formats

    def say(self, key: str, **values: object) -> str:
        """The phrase `key` with its gaps filled."""
        found = self._formats.get(key)
        if found is None:
            raise self._missing(key)
        return found % values

    def first(self, *keys: str) -> str:
        """The first of some phrases without gaps that the table has."""
        found = next((key for key in keys if key in self.texts), keys[-1])
        return self.say(found)

    def around(self, key: str, gap: str, **values: object) -> list[str]:
        """The phrase `key` with its other gaps filled, split where `gap` stands: `value.join(…)` completes it."""
        found = self._pieces.get((key, gap))
        if found is None:
            if key not in self.texts:
                raise self._missing(key)
            found = self._pieces[key, gap] = [_compile(piece) for piece in self.texts[key].split(f"<{gap}>")]
        return [piece % values for piece in found]

    def _missing(self, key: str) -> TemplateError:
        return TemplateError(f"{self._what}: no phrase {key!r}", f"add a line: {key} = \"…\"")


def gaps(text: str) -> set[str]:
    """The names of the gaps in a phrase."""
    return {gap[1] for gap in _GAP.finditer(text)}


def _compile(text: str) -> str:
    return _GAP.sub(lambda gap: f"%({gap[1]}){'-' + gap[2] if gap[2] else ''}s", text.replace("%", "%%"))
