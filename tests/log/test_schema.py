"""Migrations: forward only, all or nothing, and never in another program's database."""

import re
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from sandbox.errors import DatabaseError
from sandbox.log import schema
from sandbox.log.reader import Log
from sandbox.log.rows import EpisodeStart
from sandbox.log.writer import Journal


def m999_later(db: Database) -> None:
    """A later issue stores more."""
    db.table("later").create({"text": str})


def m999_broken(db: Database) -> None:
    """A migration that fails half-way."""
    db.table("later").create({"text": str})
    db.table("later").create({"text": str})


NOW = len(schema.MIGRATIONS)
TABLES = {
    "migrations", "runs", "worlds", "episodes", "steps", "libraries", "skills", "skill_status", "skill_calls", "notes", "beliefs",
    "calls", "messages",
}  # fmt: skip


def connect(path: Path) -> sqlite3.Connection:
    """A plain connection, as another program would open one."""
    return sqlite3.connect(path, isolation_level=None)


def python(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run `code` in another process, with `path` as its argument and the schema and both openings imported."""
    imports = """
        import os, sys
        from pathlib import Path
        from sandbox.log import schema
        from sandbox.log.file import connect_writer
        from sandbox.log.reader import Log
        from sandbox.log.writer import Journal
        path = Path(sys.argv[1])
    """
    command = [sys.executable, "-c", textwrap.dedent(imports) + textwrap.dedent(code), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def tables(path: Path) -> set[str]:
    """The names of the tables in the file."""
    with closing(connect(path)) as db:
        return {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def test_a_new_file_holds_the_tables_of_the_log_and_no_others(path: Path) -> None:
    """Only what something writes to is created."""
    Journal.open(path).close()
    assert tables(path) == TABLES


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


def test_the_tables_refer_to_each_other_and_say_what_must_be_there(path: Path) -> None:
    """Foreign keys, primary keys, types and NOT NULL are those that version 1 was released with."""
    Journal.open(path).close()
    with closing(connect(path)) as db:

        def asked(sql: str) -> set[tuple[object, ...]]:
            names = ("runs", "worlds", "episodes", "steps")
            return {(name, *row) for name in names for row in db.execute(sql, (name,))}

        assert asked('SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)') == {
            ("episodes", "run", "runs", "id"),
            ("episodes", "world", "worlds", "digest"),
            ("episodes", "continued_from", "episodes", "id"),
            ("steps", "episode", "episodes", "id"),
        }
        assert asked("SELECT name, pk FROM pragma_table_info(?) WHERE pk") == {
            ("runs", "id", 1),
            ("worlds", "digest", 1),
            ("episodes", "id", 1),
            ("steps", "episode", 1),
            ("steps", "n", 2),
        }
        # Only the primary keys have an index, and every column has a type that SQLite knows.
        assert {origin for _, origin in asked("SELECT origin FROM pragma_index_list(?)")} == {"pk"}
        assert {kind for _, kind in asked("SELECT type FROM pragma_table_info(?)")} == {"TEXT", "INTEGER", "REAL"}
        optional = asked('SELECT name FROM pragma_table_info(?) WHERE NOT "notnull" AND NOT pk')
        assert {name for table, name in optional if table == "episodes"} == {
            "ended_at", "continued_from", "outcome", "solved", "score", "steps", "progress", "assisted", "error",
            "library", "model",
        }  # fmt: skip


def test_what_version_one_wrote_is_read_by_this_one(path: Path) -> None:
    """An episode of the first released version is listed, without a library, after the file was brought up."""
    db = connect(path)
    schema.migrate(db, path, schema.MIGRATIONS[:1])
    db.execute("INSERT INTO runs (id, started_at, settings, python, platform) VALUES ('r', 't', '{}', '3', 'x')")
    db.execute("INSERT INTO worlds VALUES ('d', '{}', '{}', 'goal', '{}')")
    db.execute(
        "INSERT INTO episodes (id, run, started_at, ref, world, agent, options, access, agent_seed, max_steps, optimum, tier,"
        " generator, package) VALUES ('e', 'r', 't', '7', 'd', 'random', '{}', 2, '1', 9, 3, 'exact', 'g', 'p')"
    )
    db.close()
    with Log.open(path) as log:
        assert [(episode.id, episode.library) for episode in log.episodes()] == [("e", None)]
        assert log.libraries() == []


def test_a_new_file_is_made_in_one_transaction(path: Path) -> None:
    """The migrations commit nothing by themselves, whatever sqlite-utils does inside them."""
    statements: list[str] = []
    with closing(connect(path)) as db:
        db.set_trace_callback(statements.append)
        schema.migrate(db, path)
    assert [each for each in statements if re.match("BEGIN|COMMIT|END|ROLLBACK", each)] == ["BEGIN IMMEDIATE", "COMMIT"]
    begin, commit = statements.index("BEGIN IMMEDIATE"), statements.index("COMMIT")
    writes = [at for at, each in enumerate(statements) if re.match("CREATE|INSERT|PRAGMA user_version =", each)]
    assert writes
    assert begin < min(writes)
    assert max(writes) < commit


def test_migrating_leaves_the_connection_as_it_was(path: Path) -> None:
    """No setting of the connection is changed by the toolkit that writes the tables."""
    with closing(connect(path)) as db:
        settings = ("recursive_triggers", "foreign_keys", "synchronous")
        before = [db.execute(f"PRAGMA {name}").fetchone() for name in settings]
        schema.migrate(db, path)
        assert [db.execute(f"PRAGMA {name}").fetchone() for name in settings] == before
        assert db.isolation_level is None


def test_a_process_killed_while_it_migrates_leaves_the_file_as_it_was(path: Path) -> None:
    """A kill -9 in the last migration: the first ones are not there either; the next opening makes them."""
    code = """
        def m999_killed(db):
            db.table("later").create({"text": str})
            os.kill(os.getpid(), 9)
        schema.migrate(connect_writer(path, 1), path, (*schema.MIGRATIONS, m999_killed))
    """
    done = python(code, path)
    assert done.returncode == -9, done.stderr
    assert tables(path) == set()
    with Journal.open(path) as journal:
        assert journal.created
    assert "steps" in tables(path)


def test_a_current_file_is_opened_without_sqlite_utils(path: Path) -> None:
    """The toolkit costs time and memory, and only a pending migration needs it."""
    Journal.open(path).close()
    code = """
        sys.modules["sqlite_utils"] = None
        Journal.open(path).close()
        Log.open(path).close()
        del sys.modules["sqlite_utils"]
        sys.exit(" ".join(name for name in sys.modules if name.partition(".")[0] in {"sqlite_utils", "numpy"}))
    """
    done = python(code, path)
    assert (done.returncode, done.stderr.strip()) == (1, "")


def test_a_new_file_is_made_without_numpy(path: Path) -> None:
    """sqlite-utils loads numpy and pandas where they are installed; nothing of ours needs them for it."""
    code = """
        sys.modules["numpy"] = sys.modules["pandas"] = None
        with Journal.open(path) as journal:
            assert journal.created
        assert "sqlite_utils" in sys.modules
    """
    done = python(code, path)
    assert done.returncode == 0, done.stderr
    assert tables(path) == TABLES


def test_a_later_migration_keeps_what_an_older_version_wrote(path: Path, start: EpisodeStart) -> None:
    """A file of an older version becomes one of a later with its episodes in it, and the migration is named."""
    with Journal.open(path) as journal:
        episode = journal.begin(start)
    db = connect(path)
    assert schema.migrate(db, path, (*schema.MIGRATIONS, m999_later)) == NOW
    assert db.execute("SELECT id FROM episodes").fetchall() == [(episode,)]
    names = [name for (name,) in db.execute("SELECT name FROM migrations ORDER BY rowid")]
    assert names == [*(each.__name__ for each in schema.MIGRATIONS), "m999_later"]
    db.close()


def test_an_older_file_is_brought_up_when_it_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading needs no play first: `Log.open` migrates."""
    Journal.open(path).close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, m999_later))
    monkeypatch.setattr(schema.migrate, "__defaults__", (schema.MIGRATIONS,))
    monkeypatch.setattr(schema.version, "__defaults__", (schema.MIGRATIONS,))
    with Log.open(path) as log:
        assert log.contents().version == NOW + 1
    assert "later" in tables(path)


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    """The old version, without the half that had been done."""
    Journal.open(path).close()
    db = connect(path)
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(db, path, (*schema.MIGRATIONS, m999_broken))
    assert schema.version(db, path) == NOW
    assert "later" not in tables(path)
    db.close()


def test_a_file_from_a_newer_version_is_refused_unchanged(path: Path) -> None:
    """The message names both versions; nothing is written."""
    Journal.open(path).close()
    with closing(connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    for opened in (Journal.open, Log.open):
        with pytest.raises(DatabaseError, match=rf"newer sandbox \(schema 99; this one knows {NOW}\)") as caught:
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
