"""Opening the episode database, and saying what is wrong when that fails.

A writer creates the file when its folder exists; a reader never creates or changes anything that a
person can see. Every SQLite error becomes one `DatabaseError` that says what to do next.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sandbox.errors import DatabaseError

ELSEWHERE: Final = "choose another file with --db FILE"
PLAY_FIRST: Final = "play a world first: sandbox play --world 7"

_SAVED: Final = "what was committed before is safe"
_MEANINGS: Final = {
    sqlite3.SQLITE_BUSY: ("is locked by another program", f"close that program, or {ELSEWHERE}"),
    sqlite3.SQLITE_LOCKED: ("is locked by another program", f"close that program, or {ELSEWHERE}"),
    sqlite3.SQLITE_READONLY: ("cannot be written", f"make it writable, or {ELSEWHERE}"),
    sqlite3.SQLITE_PERM: ("cannot be written", f"make it writable, or {ELSEWHERE}"),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", f"free some space ({_SAVED}), or {ELSEWHERE}"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", f"check the disk ({_SAVED}), or {ELSEWHERE}"),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened",
        f"check that its folder exists and can be written, or {ELSEWHERE}",
    ),
    sqlite3.SQLITE_NOTADB: ("is not a database", ELSEWHERE),
    sqlite3.SQLITE_CORRUPT: ("is damaged", f"restore a copy, or {ELSEWHERE}"),
    sqlite3.SQLITE_TOOBIG: ("cannot hold a text this long", "shorten the text"),
}


def connect_writer(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection that may create `path`; waits up to `timeout` seconds for another writer."""
    _refuse_folders(path)
    if path.exists() and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        # Root may write such a file all the same; whoever marked it did not mean that.
        raise DatabaseError(f"{str(path)!r} is read-only", f"chmod u+w {path}, or {ELSEWHERE}")
    with translated(path):
        # NORMAL in WAL mode: a commit survives a killed process, not a power cut.
        return _connect(path, "mode=rwc", timeout, "PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON")


def connect_reader(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection to the existing file `path` that changes no row."""
    _refuse_folders(path)
    if not path.exists():
        raise DatabaseError(f"there is no episode database at {str(path)!r}", f"{PLAY_FIRST}; or {ELSEWHERE}")
    only_read = ("SELECT count(*) FROM sqlite_schema", "PRAGMA query_only = ON")
    with translated(path):
        try:
            # Not mode=ro: that would leave the -wal and -shm files behind whenever it reads.
            return _connect(path, "mode=rw", timeout, *only_read)
        except sqlite3.OperationalError as error:
            if not _cannot_share(error) or _unmerged(path):
                raise
            # A read-only folder or disk: without a -wal file nothing else can be writing.
            return _connect(path, "mode=ro&immutable=1", timeout, *only_read)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn every SQLite error raised inside into a `DatabaseError` about `path`."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.Error as error:
        raise explained(error, path) from error


def explained(error: sqlite3.Error, path: Path) -> DatabaseError:
    """The `DatabaseError` that says what `error` means for whoever gave `path`."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    meaning, hint = _MEANINGS.get(code, ("cannot be used", ELSEWHERE))
    return DatabaseError(f"{str(path)!r} {meaning} ({error})", hint)


def _connect(path: Path, mode: str, timeout: float, *first: str) -> sqlite3.Connection:
    # A quoted address, because a path may hold ?, # and % or bytes that are no UTF-8. Autocommit:
    # a statement outside a transaction is one, and transactions are opened where they are meant.
    address = f"file:{quote(os.fsencode(path.absolute()))}?{mode}"
    db = sqlite3.connect(address, timeout=timeout, isolation_level=None, uri=True)
    try:
        for statement in first:
            db.execute(statement).fetchall()
    except BaseException:
        db.close()
        raise
    return db


def _refuse_folders(path: Path) -> None:
    if path.is_dir():
        raise DatabaseError(f"{str(path)!r} is a folder", f"name a file: --db {path / 'sandbox.db'}")
    if not path.parent.is_dir():
        raise DatabaseError(
            f"the folder {str(path.parent)!r} does not exist", f"mkdir -p {path.parent}, or {ELSEWHERE}"
        )


def _cannot_share(error: sqlite3.Error) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def _unmerged(path: Path) -> bool:
    wal = path.with_name(path.name + "-wal")
    return wal.exists() and wal.stat().st_size > 0
