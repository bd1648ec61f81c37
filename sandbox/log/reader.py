"""Reading what was recorded: episodes by filter or by the beginning of their id, steps, worlds.

Rows are read as they are asked for, so an episode of any length takes little memory, and one that is
still being played or was cut off reads as far as it goes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from sandbox.errors import DatabaseError, UnknownName, UsageError, nearest
from sandbox.log import schema
from sandbox.log.file import PLAY_FIRST, connect_reader, connect_writer, translated
from sandbox.log.kept import Kept, Shelf, read, shelves
from sandbox.log.rows import UNFINISHED, CallRow, Episode, EpisodeEnd, StepRow, Usage
from sandbox.log.text import escape, unescape

_WAIT: Final = 5.0
_SHOWN: Final = 5
_NOTHING: Final[Mapping[str, str]] = {}

_EPISODE: Final = (
    "SELECT e.id, e.run, e.started_at, e.ended_at, e.ref, e.world, w.parts, w.slots, e.agent, e.options,"
    " e.access, e.agent_seed, e.max_steps, e.optimum, e.tier, e.generator, e.package, w.goal, e.continued_from,"
    " e.library, e.model,"
    " (SELECT coalesce(max(n), 0) FROM steps WHERE episode = e.id),"
    " e.outcome, e.solved, e.score, e.steps, e.progress, e.assisted, e.error"
    " FROM episodes e JOIN worlds w ON w.digest = e.world"
)
_STEPS: Final = (
    "SELECT n, raw, command, executed, intent, cause, observation, reward, done, state_digest, latency_ms,"
    " tokens_in, tokens_out, cost, assist, skills_offered, skills_used, library_digest"
    " FROM steps WHERE episode = ? ORDER BY n"
)
_CALLS: Final = (
    "SELECT messages, settings, n, role, attempt, model, latency_ms, waited_ms, served, answer, finish, tokens_in,"
    " tokens_out, cached, estimated, cost, trouble, error FROM calls"
)
_USAGE: Final = (
    "SELECT role, count(answer), count(trouble), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0),"
    " CASE WHEN count(cost) = count(answer) THEN coalesce(sum(cost), 0.0) END"
    " FROM calls WHERE episode = ? GROUP BY role ORDER BY min(id)"
)
_MESSAGE: Final = "SELECT role, content FROM messages WHERE digest = ?"
_A_STEP_WITH: Final = "EXISTS (SELECT 1 FROM steps s WHERE s.episode = e.id AND {})"
_CONDITIONS: Final = {
    "world": "(e.ref = :world OR length(:world) >= 6 AND substr(e.world, 1, length(:world)) = :world)",
    "agent": "e.agent = :agent",
    "outcome": "e.outcome = :outcome",
    "cause": _A_STEP_WITH.format("s.cause = :cause"),
    "text": _A_STEP_WITH.format("(s.observation LIKE :text ESCAPE '\\' OR s.command LIKE :text ESCAPE '\\')"),
}
_NAMES: Final = {
    "agent": "SELECT DISTINCT agent FROM episodes ORDER BY 1",
    "cause": "SELECT DISTINCT cause FROM steps WHERE cause IS NOT NULL ORDER BY 1",
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Which episodes: every field that is not None must hold.

    `world` is a reference or at least six digits of a digest; `outcome` may be "unfinished"; `cause`
    and `text` ask for at least one step with that cause, or with that text in what was typed or
    shown (upper and lower case of a-z are the same).
    """

    world: str | None = None
    agent: str | None = None
    outcome: str | None = None
    cause: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """How much a database holds. `version` counts the migrations it has seen."""

    version: int
    migrations: tuple[str, ...]
    runs: int
    episodes: int
    unfinished: int
    steps: int
    worlds: int


class Log:
    """An open database that is only read. Use it in one thread, as a context manager."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db

    @classmethod
    def open(cls, path: Path, *, wait: float = _WAIT) -> Self:
        """Open an existing database; one from an older version is brought to the present first.

        Raises DatabaseError when there is none yet, or when it cannot be read.
        """
        db = connect_reader(path, wait)
        try:
            with translated(path):
                seen = schema.version(db, path)
        except BaseException:
            db.close()
            raise
        if seen == len(schema.MIGRATIONS):
            return cls(path, db)
        db.close()
        if seen == 0:
            raise DatabaseError(f"{str(path)!r} holds no episodes yet", PLAY_FIRST)
        _bring_up(path, wait)
        return cls(path, connect_reader(path, wait))

    def episodes(self, chosen: Filter = Filter(), limit: int | None = None) -> list[Episode]:
        """The episodes that `chosen` describes, the newest first, at most `limit` of them."""
        where, values = _conditions(chosen)
        sql = f"{_EPISODE} WHERE {where} ORDER BY e.id DESC LIMIT :limit"
        with translated(self.path):
            rows = self._db.execute(sql, {**values, "limit": -1 if limit is None else limit})
            return [_episode(row) for row in rows]

    def beliefs(self, episode: str, n: int) -> list[Mapping[str, object]]:
        """What the agent of an episode noted to believe with one step, in its order."""
        sql = "SELECT belief FROM beliefs WHERE episode = ? AND n = ? ORDER BY place"
        with translated(self.path):
            return [json.loads(belief) for (belief,) in self._db.execute(sql, (episode, n))]

    def told(self, episode: str) -> Iterator[tuple[int, Mapping[str, object]]]:
        """Everything that the agent of an episode noted to believe, each with its step, in order."""
        sql = "SELECT n, belief FROM beliefs WHERE episode = ? ORDER BY n, place"
        with translated(self.path):
            for n, belief in self._db.execute(sql, (episode,)):
                yield n, json.loads(belief)

    def calls(self, episode: str, n: int | None = None) -> Iterator[CallRow]:
        """The attempts at calls of a model in an episode, or for one of its steps, in order."""
        sql = f"{_CALLS} WHERE episode = ? AND (? IS NULL OR n = ?) ORDER BY id"
        known: dict[str, tuple[str, str]] = {}
        with translated(self.path):
            for messages, settings, *values in self._db.execute(sql, (episode, n, n)).fetchall():
                digests: list[str] = json.loads(messages)
                for digest in digests:
                    if digest not in known:
                        role, content = self._db.execute(_MESSAGE, (digest,)).fetchone()
                        known[digest] = role, unescape(content)
                yield _call(tuple(known[digest] for digest in digests), json.loads(settings), values)

    def usage(self, episode: str) -> list[Usage]:
        """What each role used of the model, in the order of their first calls."""
        with translated(self.path):
            return [Usage(*row) for row in self._db.execute(_USAGE, (episode,))]

    def libraries(self) -> list[Shelf]:
        """The libraries of skills, by name."""
        with translated(self.path):
            return shelves(self._db)

    def library(self, name: str) -> list[Kept]:
        """Everything that a library holds. Raises UnknownName with the nearest one."""
        known = [shelf.name for shelf in self.libraries()]
        if name not in known:
            raise UnknownName("library", name, known)
        with translated(self.path):
            return list(read(self._db, name))

    def count(self, chosen: Filter = Filter()) -> int:
        """How many episodes `chosen` describes."""
        where, values = _conditions(chosen)
        with translated(self.path):
            return self._count(f"episodes e WHERE {where}", values)

    def episode(self, prefix: str) -> Episode:
        """The one episode whose id is `prefix` or begins with it.

        Raises UnknownName when there is none and UsageError when there are several.
        """
        wanted = prefix.strip().lower()
        with translated(self.path):
            found = self._beginning_with(wanted)
            if len(found) == 1:
                return _episode(self._db.execute(f"{_EPISODE} WHERE e.id = ?", found).fetchone())
            if not found:
                raise UnknownName("episode", prefix, hint=self._meant(wanted))
        shown = ", ".join(found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
        raise UsageError(f"several episodes begin with {prefix!r}: {shown}", "type more of the id")

    def steps(self, episode: str) -> Iterator[StepRow]:
        """The steps of the episode with exactly this id, step 0 first, read one by one."""
        with translated(self.path):
            for row in self._db.execute(_STEPS, (episode,)):
                yield _step(row)

    def world_json(self, digest: str) -> str:
        """The exported world that episodes of this digest were played in."""
        with translated(self.path):
            row = self._db.execute("SELECT world FROM worlds WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            raise UnknownName("world", digest)
        return unescape(row[0])

    def names(self, column: str) -> tuple[str, ...]:
        """The distinct values of `agent` or `cause` on record."""
        with translated(self.path):
            return tuple(unescape(name) for (name,) in self._db.execute(_NAMES[column]))

    def contents(self) -> Contents:
        """How many rows of each kind there are."""
        with translated(self.path):
            names = tuple(name for (name,) in self._db.execute("SELECT name FROM migrations ORDER BY rowid"))
            return Contents(
                version=schema.version(self._db, self.path),
                migrations=names,
                runs=self._count("runs"),
                episodes=self._count("episodes"),
                unfinished=self._count("episodes WHERE outcome IS NULL"),
                steps=self._count("steps"),
                worlds=self._count("worlds"),
            )

    def damage(self) -> tuple[str, ...]:
        """What SQLite finds wrong with the file, checking every page and index: nothing, if all is well."""
        try:
            found = [line for (line,) in self._db.execute("PRAGMA integrity_check(20)")]
        except sqlite3.DatabaseError as error:
            return (str(error),)
        return () if found == ["ok"] else tuple(found)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _beginning_with(self, wanted: str) -> list[str]:
        if not wanted.isascii() or not wanted.isalnum():
            return []
        sql = "SELECT id FROM episodes WHERE id >= :id AND id < :id || '~' ORDER BY id LIMIT :most"
        found = [name for (name,) in self._db.execute(sql, {"id": wanted, "most": _SHOWN + 1})]
        return [wanted] if wanted in found else found

    def _meant(self, wanted: str) -> str:
        known = [name for (name,) in self._db.execute("SELECT id FROM episodes ORDER BY id DESC LIMIT 200")]
        close = nearest(wanted, known)
        listing = "list them: sandbox episodes"
        return f"did you mean {close!r}? or {listing}" if close else listing

    def _count(self, what: str, values: Mapping[str, str] = _NOTHING) -> int:
        sql = f"SELECT count(*) FROM {what}"  # noqa: S608  # `what` is written here, values are bound
        (found,) = self._db.execute(sql, values).fetchone()
        return int(found)


def _bring_up(path: Path, wait: float) -> None:
    db = connect_writer(path, wait)
    try:
        with translated(path):
            schema.migrate(db, path)
    finally:
        db.close()


def _conditions(chosen: Filter) -> tuple[str, dict[str, str]]:
    """An SQL condition on `episodes e`, and the values of its named places."""
    parts, values = ["1"], {}
    for name, condition in _CONDITIONS.items():
        value = getattr(chosen, name)
        if value == UNFINISHED and name == "outcome":
            parts.append("e.outcome IS NULL")
        elif value is not None:
            parts.append(condition)
            values[name] = _pattern(value) if name == "text" else escape(value)
    return " AND ".join(parts), values


def _pattern(text: str) -> str:
    plain = escape(text).replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{plain}%"


def _episode(row: tuple[Any, ...]) -> Episode:
    *start, commands, outcome, solved, score, steps, progress, assisted, error = row
    (key, run, started_at, ended_at, ref, world, parts, slots, agent, options, access, seed, *rest) = start
    max_steps, optimum, tier, generator, package, goal, continued_from, library, model = rest
    end = None
    if outcome is not None:
        end = EpisodeEnd(outcome, bool(solved), score, steps, progress, bool(assisted), _text(error))
    return Episode(
        id=key,
        run=run,
        started_at=started_at,
        ended_at=ended_at,
        ref=unescape(ref),
        world_digest=world,
        parts=json.loads(parts),
        slots=json.loads(slots),
        agent=unescape(agent),
        options=json.loads(options),
        access=access,
        agent_seed=int(seed),
        max_steps=max_steps,
        optimum=optimum,
        tier=tier,
        generator=generator,
        package=package,
        goal=unescape(goal),
        continued_from=continued_from,
        library=_text(library),
        model=_text(model),
        commands=commands,
        end=end,
    )


def _call(messages: tuple[tuple[str, str], ...], settings: Mapping[str, object], values: list[Any]) -> CallRow:
    n, role, attempt, model, latency, waited, served, answer, finish, *rest = values
    tokens_in, tokens_out, cached, estimated, cost, trouble, error = rest
    return CallRow(
        n, role, attempt, unescape(model), messages, settings, latency, waited, _text(served), _text(answer),
        _text(finish), tokens_in, tokens_out, cached, None if estimated is None else bool(estimated), cost, trouble,
        _text(error),
    )


def _step(row: tuple[Any, ...]) -> StepRow:
    n, raw, command, executed, intent, cause, observation, reward, done, state_digest, *rest = row
    latency_ms, tokens_in, tokens_out, cost, assist, offered, used, library_digest = rest
    return StepRow(
        n=n,
        raw=_text(raw),
        command=_text(command),
        executed=_text(executed),
        intent=_text(intent),
        cause=cause,
        observation=unescape(observation),
        reward=reward,
        done=bool(done),
        state_digest=state_digest,
        latency_ms=latency_ms,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=cost,
        assist=assist,
        skills_offered=_names(offered),
        skills_used=_names(used),
        library_digest=library_digest,
    )


def _text(stored: str | None) -> str | None:
    return None if stored is None else unescape(stored)


def _names(stored: str | None) -> tuple[str, ...] | None:
    return None if stored is None else tuple(json.loads(stored))
