"""The tables of the log, as a list of forward migrations.

A migration is a numbered function whose docstring says why the tables change; a released one is
never edited, a later one is added at the end. `PRAGMA user_version` counts those a file has seen, so
that opening a current file costs one read, and the table `migrations` keeps their names and dates.
They are written with sqlite-utils, which only a pending migration imports (it loads numpy where that
is installed). Inside the one transaction that `migrate` opens, sqlite-utils uses savepoints and
commits nothing; that is so from version 4 on.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sandbox.errors import DatabaseError
from sandbox.log.file import ELSEWHERE

if TYPE_CHECKING:
    from sqlite_utils import Database

Migration = Callable[["Database"], None]

APPLICATION_ID: Final = 0x53425831
"""Marks the file as ours ("SBX1"), so that no other program's database is ever written to."""


def m001_runs_worlds_episodes_steps(db: Database) -> None:
    """A play is recorded as it happens, and replayed without the generator that made its world."""
    db.table("runs").create(
        {"id": str, "started_at": str, "ended_at": str, "settings": str, "python": str, "platform": str},
        pk="id",
        not_null={"started_at", "settings", "python", "platform"},
    )
    db.table("worlds").create(
        {"digest": str, "parts": str, "slots": str, "goal": str, "world": str},
        pk="digest",
        not_null={"parts", "slots", "goal", "world"},
    )
    episodes = {
        "id": str,
        "run": str,
        "started_at": str,
        "ended_at": str,
        "ref": str,
        "world": str,
        "agent": str,
        "options": str,
        "access": int,
        "agent_seed": str,
        "max_steps": int,
        "optimum": int,
        "tier": str,
        "generator": str,
        "package": str,
        "continued_from": str,
        "outcome": str,
        "solved": bool,
        "score": float,
        "steps": int,
        "progress": float,
        "assisted": bool,
        "error": str,
    }
    optional = {"ended_at", "continued_from", "outcome", "solved", "score", "steps", "progress", "assisted", "error"}
    db.table("episodes").create(
        episodes,
        pk="id",
        not_null=episodes.keys() - optional - {"id"},
        foreign_keys=[("run", "runs", "id"), ("world", "worlds", "digest"), ("continued_from", "episodes", "id")],
    )
    # An ordinary rowid table: rows are appended, and long observations stay out of the index.
    db.table("steps").create(
        {
            "episode": str,
            "n": int,
            "raw": str,
            "command": str,
            "executed": str,
            "intent": str,
            "cause": str,
            "observation": str,
            "reward": float,
            "done": bool,
            "state_digest": str,
            "latency_ms": float,
            "tokens_in": int,
            "tokens_out": int,
            "cost": float,
            "assist": str,
            "skills_offered": str,
            "skills_used": str,
            "library_digest": str,
        },
        pk=("episode", "n"),
        not_null={"episode", "n", "observation", "reward", "done", "state_digest"},
        foreign_keys=[("episode", "episodes", "id")],
    )


def m002_libraries_and_beliefs(db: Database) -> None:
    """What an agent learned outlives the episode, and what it believed can be looked up step by step."""
    db.table("libraries").create({"name": str, "created_at": str}, pk="name", not_null={"created_at"})
    made: dict[str, type] = {"library": str, "episode": str, "step": int, "at": str}
    keys = [("library", "libraries", "name"), ("episode", "episodes", "id")]
    tables: dict[str, dict[str, type]] = {
        "skills": {
            "digest": str, "name": str, "params": str, "code": str, "summary": str, "pre": str, "post": str,
            "uses": str, "origin": str, "source": str, "parent": str, "tests": str,
        },
        "skill_status": {"skill": str, "regime": str, "status": str, "why": str},
        "skill_calls": {
            "skill": str, "regime": str, "args": str, "outcome": str, "steps": int, "before": str, "proves": bool,
        },
        "notes": {"kind": str, "key": str, "value": str},
    }  # fmt: skip
    for name, columns in tables.items():
        table = db.table(name)
        needed = {*columns, "library", "at"} - {"parent"}
        table.create({"id": int, **columns, **made}, pk="id", not_null=needed, foreign_keys=keys)
        table.create_index(["library"])
    db.table("skills").create_index(["library", "digest"], unique=True)
    db.table("beliefs").create(
        {"episode": str, "n": int, "place": int, "belief": str},
        pk=("episode", "n", "place"),
        not_null={"belief"},
        foreign_keys=[("episode", "episodes", "id")],
    )
    db.table("episodes").add_column("library", str)


def m003_calls_and_messages(db: Database) -> None:
    """Every attempt at a call of a model is on record, with exactly what was sent; no message is stored twice."""
    db.table("messages").create(
        {"digest": str, "role": str, "content": str}, pk="digest", not_null={"role", "content"}
    )
    columns: dict[str, type] = {
        "id": int, "episode": str, "n": int, "role": str, "attempt": int, "model": str, "served": str, "messages": str,
        "settings": str, "answer": str, "finish": str, "tokens_in": int, "tokens_out": int, "cached": int,
        "estimated": bool, "cost": float, "latency_ms": float, "waited_ms": float, "trouble": str, "error": str,
        "at": str,
    }  # fmt: skip
    needed = {"episode", "n", "role", "attempt", "model", "messages", "settings", "latency_ms", "waited_ms", "at"}
    calls = db.table("calls")
    calls.create(columns, pk="id", not_null=needed, foreign_keys=[("episode", "episodes", "id")])
    calls.create_index(["episode", "n"])
    db.table("episodes").add_column("model", str)


def m004_what_a_skill_did(db: Database) -> None:
    """A call of a skill tells why it ended as it did, which facts it changed, and which skill called it."""
    calls = db.table("skill_calls")
    for column in ("why", "gained", "lost", "caller"):
        calls.add_column(column, str)


MIGRATIONS: Final[tuple[Migration, ...]] = (
    m001_runs_worlds_episodes_steps, m002_libraries_and_beliefs, m003_calls_and_messages, m004_what_a_skill_did,
)  # fmt: skip


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
    # Imported before the transaction, so that no other program waits for it; no plugins and no
    # recursive triggers, so that the connection stays as it was.
    from sqlite_utils import Database  # noqa: PLC0415 - opening a current file never needs it

    tables = Database(db, recursive_triggers=False, execute_plugins=False)
    _write_ahead(db)
    db.execute("BEGIN IMMEDIATE")
    try:
        before = version(db, path, migrations)
        tables.table("migrations").create(
            {"name": str, "applied_at": str}, pk="name", not_null={"applied_at"}, if_not_exists=True
        )
        for migration in migrations[before:]:
            migration(tables)
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
