"""Migrations: forward only, all or nothing, and never in another program's database."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sandbox.errors import DatabaseError
from sandbox.log import schema
from sandbox.log.reader import Log
from sandbox.log.rows import EpisodeStart
from sandbox.log.writer import Journal


def m002_notes(db: sqlite3.Connection) -> None:
    """A later issue stores notes."""
    db.execute("CREATE TABLE notes (text TEXT)")


def m002_broken(db: sqlite3.Connection) -> None:
    """A migration that fails half-way."""
    db.execute("CREATE TABLE notes (text TEXT)")
    db.execute("CREATE TABLE notes (text TEXT)")


def connect(path: Path) -> sqlite3.Connection:
    """A plain connection, as another program would open one."""
    return sqlite3.connect(path, isolation_level=None)


def tables(path: Path) -> set[str]:
    """The names of the tables in the file."""
    with closing(connect(path)) as db:
        return {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def test_a_new_file_holds_the_tables_of_the_log_and_no_others(path: Path) -> None:
    """Only what something writes to is created."""
    Journal.open(path).close()
    assert tables(path) == {"migrations", "runs", "worlds", "episodes", "steps"}


def test_migrations_are_numbered_in_order_and_say_why() -> None:
    """Names run m001, m002, … and each migration has a sentence that tells its reason."""
    for number, migration in enumerate(schema.MIGRATIONS, 1):
        assert re.match(rf"m{number:03}_[a-z_]+$", migration.__name__)
        assert (migration.__doc__ or "").strip()


def test_steps_is_an_ordinary_rowid_table(path: Path) -> None:
    """Long observations stay out of the index, so appending stays fast."""
    Journal.open(path).close()
    with closing(connect(path)) as db:
        assert db.execute("SELECT rowid FROM steps").fetchall() == []


def test_a_later_migration_keeps_what_an_older_version_wrote(path: Path, start: EpisodeStart) -> None:
    """A file of version 1 becomes one of version 2 with its episodes in it, and the migration is named."""
    with Journal.open(path) as journal:
        episode = journal.begin(start)
    db = connect(path)
    assert schema.migrate(db, path, (*schema.MIGRATIONS, m002_notes)) == 1
    assert db.execute("SELECT id FROM episodes").fetchall() == [(episode,)]
    names = [name for (name,) in db.execute("SELECT name FROM migrations ORDER BY rowid")]
    assert names == ["m001_runs_worlds_episodes_steps", "m002_notes"]
    db.close()


def test_an_older_file_is_brought_up_when_it_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading needs no play first: `Log.open` migrates."""
    Journal.open(path).close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, m002_notes))
    monkeypatch.setattr(schema.migrate, "__defaults__", (schema.MIGRATIONS,))
    monkeypatch.setattr(schema.version, "__defaults__", (schema.MIGRATIONS,))
    with Log.open(path) as log:
        assert log.contents().version == 2
    assert "notes" in tables(path)


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    """The old version, without the half that had been done."""
    Journal.open(path).close()
    db = connect(path)
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(db, path, (*schema.MIGRATIONS, m002_broken))
    assert schema.version(db, path) == 1
    assert "notes" not in tables(path)
    db.close()


def test_a_file_from_a_newer_version_is_refused_unchanged(path: Path) -> None:
    """The message names both versions; nothing is written."""
    Journal.open(path).close()
    with closing(connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    for opened in (Journal.open, Log.open):
        with pytest.raises(DatabaseError, match=r"newer sandbox \(schema 99; this one knows 1\)") as caught:
            opened(path)
        assert "upgrade" in str(caught.value.hint)
    assert path.read_bytes() == before


def test_the_database_of_another_program_is_refused_unchanged(path: Path) -> None:
    """A file with somebody else's tables is never written to."""
    with closing(connect(path)) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    for opened in (Journal.open, Log.open):
        with pytest.raises(DatabaseError, match="another program"):
            opened(path)
    assert path.read_bytes() == before


def test_an_empty_file_is_taken_as_a_new_database(path: Path) -> None:
    """As left by a crash during creation, or by `touch`."""
    path.touch()
    with Journal.open(path) as journal:
        assert journal.created
