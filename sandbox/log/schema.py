"""The tables of the log, as a list of forward migrations.

A migration is a numbered function whose docstring says why the tables change; a released one is
never edited, a later one is added at the end. `PRAGMA user_version` counts those a file has seen, so
that opening a current file costs one read, and the table `migrations` keeps their names and dates.
They speak SQL through the standard library: importing a toolkit for it would cost the first play
0.13 s and 29 MB.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from sandbox.errors import DatabaseError
from sandbox.log.file import ELSEWHERE

Migration = Callable[[sqlite3.Connection], None]

APPLICATION_ID: Final = 0x53425831
"""Marks the file as ours ("SBX1"), so that no other program's database is ever written to."""


def m001_runs_worlds_episodes_steps(db: sqlite3.Connection) -> None:
    """A play is recorded as it happens, and replayed without the generator that made its world."""
    db.execute(
        """
        CREATE TABLE runs (
            id TEXT PRIMARY KEY,
            started_at TEXT NOT NULL,
            ended_at TEXT,
            settings TEXT NOT NULL,
            python TEXT NOT NULL,
            platform TEXT NOT NULL
        )"""
    )
    db.execute(
        """
        CREATE TABLE worlds (
            digest TEXT PRIMARY KEY,
            parts TEXT NOT NULL,
            slots TEXT NOT NULL,
            goal TEXT NOT NULL,
            world TEXT NOT NULL
        )"""
    )
    db.execute(
        """
        CREATE TABLE episodes (
            id TEXT PRIMARY KEY,
            run TEXT NOT NULL REFERENCES runs(id),
            started_at TEXT NOT NULL,
            ended_at TEXT,
            ref TEXT NOT NULL,
            world TEXT NOT NULL REFERENCES worlds(digest),
            agent TEXT NOT NULL,
            options TEXT NOT NULL,
            access INTEGER NOT NULL,
            agent_seed TEXT NOT NULL,
            max_steps INTEGER NOT NULL,
            optimum INTEGER NOT NULL,
            tier TEXT NOT NULL,
            generator TEXT NOT NULL,
            package TEXT NOT NULL,
            continued_from TEXT REFERENCES episodes(id),
            outcome TEXT,
            solved INTEGER,
            score REAL,
            steps INTEGER,
            progress REAL,
            assisted INTEGER,
            error TEXT
        )"""
    )
    # An ordinary rowid table: rows are appended, and long observations stay out of the index.
    db.execute(
        """
        CREATE TABLE steps (
            episode TEXT NOT NULL REFERENCES episodes(id),
            n INTEGER NOT NULL,
            raw TEXT,
            command TEXT,
            executed TEXT,
            intent TEXT,
            cause TEXT,
            observation TEXT NOT NULL,
            reward REAL NOT NULL,
            done INTEGER NOT NULL,
            state_digest TEXT NOT NULL,
            latency_ms REAL,
            tokens_in INTEGER,
            tokens_out INTEGER,
            cost REAL,
            assist TEXT,
            skills_offered TEXT,
            skills_used TEXT,
            library_digest TEXT,
            PRIMARY KEY (episode, n)
        )"""
    )


MIGRATIONS: Final[tuple[Migration, ...]] = (m001_runs_worlds_episodes_steps,)


def version(db: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """How many migrations the file has seen: 0 for an empty one.

    Raises DatabaseError for the database of another program and for one from a newer version.
    """
    (ours,) = db.execute("PRAGMA application_id").fetchone()
    (seen,) = db.execute("PRAGMA user_version").fetchone()
    if ours != APPLICATION_ID:
        (things,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if ours or seen or things:
            raise DatabaseError(f"{str(path)!r} is the database of another program", ELSEWHERE)
    if seen > len(migrations):
        raise DatabaseError(
            f"{str(path)!r} was written by a newer sandbox (schema {seen}; this one knows {len(migrations)})",
            f"upgrade: pip install --upgrade ruleshift; or {ELSEWHERE}",
        )
    return int(seen)


def migrate(db: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring the file to the newest schema; returns the version it had before.

    All of it is one transaction: a file is at one version or another, never between, and of
    several programs that open an empty file at once, one makes the tables and the others wait.
    """
    before = version(db, path, migrations)
    if before == len(migrations):
        return before
    _write_ahead(db)
    db.execute("BEGIN IMMEDIATE")
    try:
        before = version(db, path, migrations)
        db.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)")
        for migration in migrations[before:]:
            migration(db)
            db.execute("INSERT INTO migrations VALUES (?, datetime('now'))", (migration.__name__,))
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {len(migrations)}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return before


def _write_ahead(db: sqlite3.Connection, attempts: int = 50) -> None:
    # The change of journal mode does not wait for other programs as statements do.
    for left in reversed(range(attempts)):
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or not left:
                raise
            time.sleep(0.1)
        else:
            return
