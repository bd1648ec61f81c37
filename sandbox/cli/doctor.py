"""`sandbox doctor`: is this machine ready? Each check says what it found and, where it fails, what to do.

A check that fails and is essential makes the command exit 4; the others are advice. Nothing is created or changed:
the one file that is written, to try SQLite where the database will lie, is removed again.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

import click

from sandbox.cli.context import Settings, command_options
from sandbox.cli.output import emit, say
from sandbox.errors import CheckFailed
from sandbox.paths import CONTENT_FOLDERS, builtin_content

DISTRIBUTION: Final = "ruleshift"
OLDEST_PYTHON: Final = (3, 11)
FULL_DISK, LOW_DISK = 50 * 2**20, 2**30
_HEADER: Final = b"SQLite format 3\0"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA: Final = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


@dataclass(frozen=True, slots=True)
class Check:
    """What one look at the machine found. `hint` is the next step where `ok` is false."""

    check: str
    ok: bool
    detail: str
    hint: str | None = None
    essential: bool = True


@click.command()
@command_options
def doctor(settings: Settings) -> None:
    """Check that this machine is ready: Python, packages, SQLite, terminal, content, database and disk.

    Exits 4 when something fails that playing needs.
    """
    failed = 0
    for check in examine(settings):
        failed += check.essential and not check.ok
        if settings.json:
            emit(asdict(check) | {"hint": None if check.ok else check.hint})
        else:
            _show(check)
    if settings.json:
        emit({"event": "summary", "ok": not failed, "failed": failed})
    if failed:
        raise CheckFailed(f"this machine is not ready: {failed} of the checks above failed", "each says what to do")


def _show(check: Check) -> None:
    mark, colour = ("ok", "green") if check.ok else ("FAILED", "red") if check.essential else ("note", "yellow")
    say(f"{mark:<7} {check.check:<10} {check.detail}", fg=colour)
    if check.hint and not check.ok:
        say(f"{'':<18} {check.hint}")


def examine(settings: Settings) -> Iterator[Check]:
    """Every check in turn."""
    yield _python()
    yield _packages()
    yield _sqlite()
    yield _terminal()
    yield _content("content", builtin_content(), CONTENT_FOLDERS)
    if settings.content is not None:
        yield _content("--content", settings.content, ())
    yield _database(settings.db)
    yield _disk(settings.db)
    yield from _extras()


def _python() -> Check:
    found = f"Python {platform.python_version()} ({platform.python_implementation()}, {sys.executable})"
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Check("python", sys.version_info >= OLDEST_PYTHON, found, f"Python {oldest} or newer is needed")


def _packages() -> Check:
    wanted = [name for name, extra in _requirements() if extra is None]
    if not wanted:
        return Check("packages", ok=True, detail="run from a checkout that is not installed: not checked")
    missing = [name for name in wanted if _version(name) is None]
    found = ", ".join(f"{name} {_version(name)}" for name in wanted if name not in missing)
    detail = f"missing: {', '.join(missing)}" if missing else found
    return Check("packages", not missing, detail, f"install again: {_install_line(None)}")


def _sqlite() -> Check:
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("create virtual table words using fts5(text)")
            text_search = True
        except sqlite3.OperationalError:
            text_search = False
    detail = f"SQLite {sqlite3.sqlite_version}, full-text search {'there' if text_search else 'missing'}"
    return Check("sqlite", text_search, detail, "this Python's SQLite was built without FTS5: use another Python")


def _terminal() -> Check:
    encoding = (getattr(sys.stdout, "encoding", None) or "none").lower()
    size = shutil.get_terminal_size()
    shape = f"{size.columns}×{size.lines}" if sys.stdout is not None and sys.stdout.isatty() else "not a terminal"
    readable = encoding.replace("-", "") == "utf8"
    detail = f"{shape}, {encoding}, TERM={os.environ.get('TERM', '')}"
    return Check("terminal", readable, detail, "set PYTHONUTF8=1 to see every character", essential=False)


def _content(name: str, folder: Path, needed: tuple[str, ...]) -> Check:
    counts = {part: _readable_files(folder / part) for part in CONTENT_FOLDERS}
    detail = f"{folder.absolute()}: " + ", ".join(f"{part} {count}" for part, count in counts.items())
    missing = [part for part in needed if not counts[part]]
    if missing:
        return Check(name, ok=False, detail=detail, hint=f"no file to read in {', '.join(missing)}: {_restore_line()}")
    return Check(name, any(counts.values()), detail, f"none of {', '.join(CONTENT_FOLDERS)} in it", bool(needed))


def _readable_files(folder: Path) -> int:
    """How many files below `folder` can be read."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sum(os.access(path, os.R_OK) for path in files)


def _database(path: Path) -> Check:
    place = path.absolute()
    if place.exists():
        problem = _unusable(place)
        state = "exists"
    else:
        problem = None if place.parent.is_dir() else f"there is no folder {place.parent}"
        state = "will be created by the first play"
    problem = problem or _no_wal(place.parent)
    hint = "name another file with --db or SANDBOX_DB"
    return Check("database", problem is None, f"{place}: {problem or state}", hint)


def _unusable(place: Path) -> str | None:
    """Why an existing database cannot be written to, or None. `sandbox db` knows more about its schema."""
    if not place.is_file():
        return "not a file"
    if not os.access(place, os.R_OK | os.W_OK):
        return "not readable and writable"
    with place.open("rb") as file:  # opened by SQLite, it would leave files beside it
        start = file.read(len(_HEADER))
    return None if start in (b"", _HEADER) else "not a SQLite database"


def _no_wal(folder: Path) -> str | None:
    """Why a database in `folder` cannot be written as it is written here, or None."""
    try:
        with (
            tempfile.TemporaryDirectory(prefix=".sandbox-doctor-", dir=folder) as place,
            closing(sqlite3.connect(Path(place, "try.db"))) as connection,
        ):
            mode = connection.execute("pragma journal_mode=wal").fetchone()[0]
            connection.execute("create table try (n)")
    except (OSError, sqlite3.Error) as error:
        return f"cannot write there: {getattr(error, 'strerror', None) or error}"
    return None if mode == "wal" else f"no write-ahead log there (journal mode {mode}): is it a network folder?"


def _disk(path: Path) -> Check:
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    free = shutil.disk_usage(folder).free
    detail = f"{free / 2**30:.1f} GiB free at {folder}"
    return Check("disk", free >= LOW_DISK, detail, "free some space, or use --db on another disk", free < FULL_DISK)


def _extras() -> Iterator[Check]:
    """One check an optional extra that this version declares."""
    extras: dict[str, list[str]] = {}
    for name, extra in _requirements():
        if extra is not None:
            extras.setdefault(extra, []).append(name)
    for extra, names in sorted(extras.items()):
        missing = [name for name in names if _version(name) is None]
        detail = f"without {', '.join(missing)}" if missing else ", ".join(names)
        yield Check(f"[{extra}]", not missing, detail, f"to add it: {_install_line(extra)}", essential=False)


def _requirements() -> list[tuple[str, str | None]]:
    """What the installed distribution needs: names of packages, each with the extra that asks for it."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    found = []
    for line in lines:
        name, extra = _NAME.match(line), _EXTRA.search(line)
        if name:
            found.append((name[0], extra[1] if extra else None))
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _checkout() -> Path | None:
    """The folder of the source checkout that is running; None for an installed wheel."""
    content = builtin_content()
    return content if (content / "pyproject.toml").is_file() else None


def _install_line(extra: str | None) -> str:
    checkout, wanted = _checkout(), f"[{extra}]" if extra else ""
    return f"pip install '{DISTRIBUTION}{wanted}'" if checkout is None else f"pip install -e '{checkout}{wanted}'"


def _restore_line() -> str:
    checkout = _checkout()
    if checkout is None:
        return f"pip install --force-reinstall '{DISTRIBUTION}'"
    return f"git -C '{checkout}' restore {' '.join(CONTENT_FOLDERS)}"
