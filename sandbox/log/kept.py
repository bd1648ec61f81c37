"""What agents keep from one episode to the next: named libraries of skills, evidence and notes.

A library is only ever added to. A record is of one of four sorts, each with a table of its own whose columns
are the record's fields (lists and mappings as JSON); beside them stand the library, and the episode and step
at which the record was made. The newest status of a skill, and the newest note of a kind and key, count.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sandbox.log.text import escape, unescape

PLAIN: Final[Mapping[str, tuple[str, Mapping[str, type]]]] = {
    "skill": (
        "skills",
        {"digest": str, "name": str, "code": str, "summary": str, "origin": str, "parent": str},
    ),
    "status": ("skill_status", {"skill": str, "regime": str, "status": str, "why": str}),
    "evidence": (
        "skill_calls",
        {
            "skill": str, "regime": str, "outcome": str, "steps": int, "before": str, "proves": bool, "why": str,
            "caller": str,
        },
    ),
    "note": ("notes", {"kind": str, "key": str}),
}
"""Sort of record → its table and the columns that hold a field as it is."""
JSON: Final[Mapping[str, tuple[str, ...]]] = {
    "skill": ("params", "pre", "post", "uses", "source", "tests"),
    "status": (),
    "evidence": ("args", "gained", "lost"),
    "note": ("value",),
}
"""Sort of record → the columns that hold a field as JSON."""
_EMPTY: Final = ("parent",)
"""Fields that may be None."""

_BEGIN: Final = "INSERT INTO libraries (name, created_at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"


@dataclass(frozen=True, slots=True)
class Kept:
    """One record: its sort and its fields. `episode`, `step` and `at` say where it was made."""

    sort: str
    fields: Mapping[str, object]
    episode: str | None = None
    step: int | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Shelf:
    """A library at a glance: how many records of each sort it holds, and when it began."""

    name: str
    created_at: str
    skills: int
    calls: int
    notes: int


def columns(sort: str) -> tuple[str, ...]:
    """The columns of a sort's fields, in the order of its table."""
    return (*PLAIN[sort][1], *JSON[sort])


def add(db: sqlite3.Connection, library: str, records: Iterable[Kept], at: str) -> None:
    """Add records to a library, which begins with its first. The caller holds the transaction."""
    db.execute(_BEGIN, (escape(library), at))
    for record in records:
        table, plain = PLAIN[record.sort]
        names = (*plain, *JSON[record.sort], "library", "episode", "step", "at")
        values = [_text(record.fields[name]) for name in plain]
        values += [json.dumps(record.fields[name], sort_keys=True) for name in JSON[record.sort]]
        values += [escape(library), record.episode, record.step, at]
        marks = ", ".join("?" * len(names))
        db.execute(f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})", values)  # noqa: S608 - our own names


def read(db: sqlite3.Connection, library: str) -> Iterator[Kept]:
    """The records of a library: skills first, each sort in the order in which they were added."""
    for sort, (table, plain) in PLAIN.items():
        names = (*plain, *JSON[sort])
        sql = f"SELECT {', '.join(names)}, episode, step, at FROM {table} WHERE library = ? ORDER BY id"  # noqa: S608
        for row in db.execute(sql, (escape(library),)):
            *values, episode, step, at = row
            fields: dict[str, object] = {}
            for name, value in zip(names, values, strict=True):
                if value is None and name not in _EMPTY:
                    continue  # a column that came later than the row
                with suppress(ValueError, TypeError):  # what was never JSON: the record lacks the field
                    fields[name] = json.loads(value) if name in JSON[sort] else _back(value, plain[name])
            yield Kept(sort, fields, episode, step, at)


def shelves(db: sqlite3.Connection) -> list[Shelf]:
    """All libraries, by name."""
    count = "(SELECT count(*) FROM {} t WHERE t.library = l.name)"
    parts = ", ".join(count.format(table) for table in ("skills", "skill_calls", "notes"))
    rows = db.execute(f"SELECT l.name, l.created_at, {parts} FROM libraries l ORDER BY l.name")  # noqa: S608
    return [Shelf(unescape(name), *rest) for name, *rest in rows]


def _text(value: object) -> object:
    return escape(value) if isinstance(value, str) else value


def _back(value: object, sort: type) -> object:
    if isinstance(value, str):
        return unescape(value)
    return bool(value) if sort is bool else value
