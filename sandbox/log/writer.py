"""Recording episodes as they happen.

What `step` was given is on disk when it returns: one step is one transaction, and what is
announced afterwards can be found again after a kill. `begin` stores the world, the run and the
episode together or not at all.
"""

from __future__ import annotations

import json
import platform
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sandbox.errors import UsageError
from sandbox.log.file import connect_writer, translated
from sandbox.log.kept import Kept, add, read
from sandbox.log.rows import OUTCOMES, CallRow, EpisodeEnd, EpisodeStart, StepRow
from sandbox.log.schema import migrate
from sandbox.log.text import escape

_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_WAIT: Final = 5.0
_TRIES: Final = 20

_ADD_RUN: Final = "INSERT INTO runs (id, started_at, settings, python, platform) VALUES (?, ?, ?, ?, ?)"
_ADD_WORLD: Final = (
    "INSERT INTO worlds (digest, parts, slots, goal, world) VALUES (?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING"
)
_ADD_EPISODE: Final = (
    "INSERT INTO episodes (id, run, started_at, ref, world, agent, options, access, agent_seed, max_steps,"
    " optimum, tier, generator, package, continued_from, library, model)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_STEP: Final = (
    "INSERT INTO steps (episode, n, raw, command, executed, intent, cause, observation, reward, done, state_digest,"
    " latency_ms, tokens_in, tokens_out, cost, assist, skills_offered, skills_used, library_digest)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_MESSAGE: Final = "INSERT OR IGNORE INTO messages (digest, role, content) VALUES (?, ?, ?)"
_ADD_CALL: Final = (
    "INSERT INTO calls (episode, n, role, attempt, model, served, messages, settings, answer, finish, tokens_in,"
    " tokens_out, cached, estimated, cost, latency_ms, waited_ms, trouble, error, at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_BELIEF: Final = "INSERT INTO beliefs (episode, n, place, belief) VALUES (?, ?, ?, ?)"
_END_EPISODE: Final = (
    "UPDATE episodes SET ended_at = ?, outcome = ?, solved = ?, score = ?, steps = ?, progress = ?,"
    " assisted = ?, error = ? WHERE id = ? AND outcome IS NULL"
)


class Journal:
    """An open database that episodes are written to. Use it in one thread, as a context manager.

    `created` tells whether this opening made the database, so that its path can be told. Every
    method raises DatabaseError when the file cannot take what it was given; nothing committed
    before is lost.
    """

    def __init__(
        self,
        path: Path,
        db: sqlite3.Connection,
        created: bool,
        settings: Mapping[str, object],
        clock: Callable[[], float],
    ) -> None:
        self.path = path
        self.created = created
        self._db = db
        self._settings = settings
        self._clock = clock
        self._run: str | None = None
        self._tick = 0
        self._stored: set[str] = set()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        settings: Mapping[str, object] | None = None,
        clock: Callable[[], float] = time.time,
        wait: float = _WAIT,
    ) -> Self:
        """Open `path`, creating it when its folder exists.

        `settings` is what the run was asked to do, recorded with its first episode. `wait` is how
        many seconds another program may hold the file before it counts as locked.
        """
        db = connect_writer(path, wait)
        try:
            with translated(path):
                before = migrate(db, path)
        except BaseException:
            db.close()
            raise
        return cls(path, db, before == 0, settings or {}, clock)

    def begin(self, start: EpisodeStart) -> str:
        """Record a new episode and its world; returns its id.

        Ids sort by the time they were given out; they hold no letter that is easily misread.
        """
        with translated(self.path), self._transaction():
            run = self._run or self._add_run()
            self._db.execute(
                _ADD_WORLD,
                (
                    start.world_digest,
                    _json(start.parts),
                    _json(start.slots),
                    escape(start.goal),
                    escape(start.world_json),
                ),
            )
            episode = self._add_episode(start, run)
        self._run = run
        return episode

    def step(self, episode: str, row: StepRow, library: str = "", kept: Sequence[Kept] = ()) -> None:
        """Record one step of `episode`, and what was added to a library with it: committed when this returns."""
        values = (
            episode,
            row.n,
            _text(row.raw),
            _text(row.command),
            _text(row.executed),
            _text(row.intent),
            row.cause,
            escape(row.observation),
            row.reward,
            row.done,
            row.state_digest,
            row.latency_ms,
            row.tokens_in,
            row.tokens_out,
            row.cost,
            row.assist,
            _list(row.skills_offered),
            _list(row.skills_used),
            row.library_digest,
        )
        if not (row.beliefs or kept):
            with translated(self.path):
                self._db.execute(_ADD_STEP, values)
            return
        with translated(self.path), self._transaction():
            self._db.execute(_ADD_STEP, values)
            if row.beliefs:
                rows = [(episode, row.n, place, _json(belief)) for place, belief in enumerate(row.beliefs)]
                self._db.executemany(_ADD_BELIEF, rows)
            if kept:
                records = [replace(record, episode=episode, step=row.n) for record in kept]
                add(self._db, library, records, _moment(self._clock()))

    def end(self, episode: str, end: EpisodeEnd) -> None:
        """Record how `episode` ended; an episode ends once."""
        if end.outcome not in OUTCOMES:
            raise ValueError(f"{end.outcome!r} is no outcome")
        values = (
            _moment(self._clock()),
            end.outcome,
            end.solved,
            end.score,
            end.steps,
            end.progress,
            end.assisted,
            _text(end.error),
            episode,
        )
        with translated(self.path):
            changed = self._db.execute(_END_EPISODE, values).rowcount
        if changed != 1:
            raise ValueError(f"episode {episode!r} has not begun, or has ended already")

    def call(self, episode: str, row: CallRow) -> None:
        """Record one attempt at a call of a model, and the messages that are new: committed when this returns."""
        digests = [_digest(role, content) for role, content in row.messages]
        values = (
            episode, row.n, row.role, row.attempt, escape(row.model), _text(row.served), json.dumps(digests),
            _json(row.settings), _text(row.answer), _text(row.finish), row.tokens_in, row.tokens_out, row.cached,
            row.estimated, row.cost, row.latency_ms, row.waited_ms, row.trouble, _text(row.error),
            _moment(self._clock()),
        )  # fmt: skip
        with translated(self.path), self._transaction():
            new = [digest for digest in digests if digest not in self._stored]
            for digest, (role, content) in zip(digests, row.messages, strict=True):
                if digest in new:
                    self._db.execute(_ADD_MESSAGE, (digest, role, escape(content)))
            self._db.execute(_ADD_CALL, values)
        self._stored.update(new)

    def keep(self, episode: str, library: str, kept: Sequence[Kept]) -> None:
        """Record what was added to a library after the last step of `episode`."""
        with translated(self.path), self._transaction():
            add(self._db, library, [replace(record, episode=episode) for record in kept], _moment(self._clock()))

    def shelve(self, library: str, kept: Sequence[Kept]) -> None:
        """Add to a library what no episode made: all of it or nothing."""
        with translated(self.path), self._transaction():
            add(self._db, library, kept, _moment(self._clock()))

    def library(self, name: str) -> list[Kept]:
        """Everything that a library holds; nothing when there is none of that name."""
        with translated(self.path):
            return list(read(self._db, name))

    def close(self) -> None:
        """Close the file. A run whose end cannot be noted any more is one that was cut off."""
        with suppress(sqlite3.Error):
            if self._run is not None:
                ended = _moment(self._clock())
                self._db.execute("UPDATE runs SET ended_at = ? WHERE id = ?", (ended, self._run))
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _add_run(self) -> str:
        run = self._new_id()
        begun, machine = _moment(self._clock()), (platform.python_version(), platform.platform())
        self._db.execute(_ADD_RUN, (run, begun, _json(self._settings), *machine))
        return run

    def _add_episode(self, start: EpisodeStart, run: str) -> str:
        values = (
            run,
            _moment(self._clock()),
            escape(start.ref),
            start.world_digest,
            escape(start.agent),
            _json(start.options),
            start.access,
            str(start.agent_seed),
            _whole(start.max_steps, "max steps"),
            start.optimum,
            start.tier,
            start.generator,
            start.package,
            start.continued_from,
            _text(start.library),
            _text(start.model),
        )
        for _ in range(_TRIES):
            episode = self._new_id()
            taken = self._db.execute("SELECT 1 FROM episodes WHERE id = ?", (episode,)).fetchone()
            if not taken:
                self._db.execute(_ADD_EPISODE, (episode, *values))
                return episode
        raise RuntimeError("no free episode id")

    def _new_id(self) -> str:
        # Milliseconds, never the same twice from one journal, then fifteen random bits against
        # other programs that write to the same file.
        self._tick = max(self._tick + 1, int(self._clock() * 1000))
        number = self._tick << 15 | secrets.randbits(15)
        return "".join(_DIGITS[number >> shift & 31] for shift in range(55, -1, -5))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise


def _text(value: str | None) -> str | None:
    return None if value is None else escape(value)


def _json(value: Mapping[str, object]) -> str:
    # Whatever an agent was given as an option is recorded; what JSON does not know, by its repr.
    return json.dumps(dict(value), sort_keys=True, default=repr)


def _list(names: tuple[str, ...] | None) -> str | None:
    return None if names is None else json.dumps(names)


def _digest(role: str, content: str) -> str:
    return blake2b(f"{role}\n{content}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _whole(number: int, what: str) -> int:
    if not -(2**63) <= number < 2**63:
        raise UsageError(f"{what} {number} is too large to be recorded", "use a smaller number")
    return number
