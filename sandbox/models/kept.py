"""Answers that are kept and not asked for twice: off unless a file for them is named, and never meant for evaluation.

What is asked at temperature 0 is kept under a digest of everything that the answer depends on: the model and where it
is served, the messages, the schema, the bounds. A kept answer counts its tokens as it did at first, so that limits hold
alike; it costs 0, and the record says that it was kept. One that could not be read is asked for again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from sandbox.errors import UsageError
from sandbox.models.api import Answer, Model, Request, Usage

KEPT: Final = "kept: "
"""What stands before the name of the model that answered, where the answer was kept."""
_TABLE: Final = "CREATE TABLE IF NOT EXISTS answers (request TEXT PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"


class KeptModel:
    """A model whose answers at temperature 0 are kept in a file. `at` says where it is served."""

    def __init__(self, model: Model, path: Path, at: str = "") -> None:
        self.name = model.name
        self._model, self._path, self._at = model, path, at
        try:
            with closing(self._open()) as db, db:
                db.execute(_TABLE)
        except sqlite3.Error as error:
            raise UsageError(f"answers cannot be kept in {str(path)!r}: {error}", "name another file") from None

    def complete(self, request: Request, timeout: float) -> Answer:
        """The kept answer, or a new one, which is kept. Raises Trouble, which is not kept."""
        if request.temperature:
            return self._model.complete(request, timeout)
        key = self._key(request)
        with closing(self._open()) as db:
            row = db.execute("SELECT answer FROM answers WHERE request = ?", (key,)).fetchone()
        if row is not None and (kept := _read(row[0])) is not None:
            return kept
        answer = self._model.complete(request, timeout)
        with closing(self._open()) as db, db:
            db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, json.dumps(asdict(answer))))
        return answer

    def window(self) -> int | None:
        """As the model says."""
        window = getattr(self._model, "window", None)
        return window() if callable(window) else None

    def close(self) -> None:
        """Close the model; the file stays."""
        self._model.close()

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=10)

    def _key(self, request: Request) -> str:
        said = json.dumps([self.name, self._at, asdict(request)], sort_keys=True)
        return blake2b(said.encode(), digest_size=16).hexdigest()


def _read(text: str) -> Answer | None:
    """An answer as it was kept; None for what is none."""
    try:
        told = json.loads(text)
        answer = Answer(**{**told, "usage": Usage(**told["usage"]), "cost": 0.0})
    except (ValueError, TypeError, KeyError):
        return None
    return replace(answer, model=f"{KEPT}{answer.model}") if isinstance(told, Mapping) else None


__all__ = ["KEPT", "KeptModel"]
