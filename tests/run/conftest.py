"""What tests of episodes share: a real world, players of few lines, and a place to record."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from sandbox.agent.api import Briefing, Left, Reply, Turn
from sandbox.agent.load import Kind, Player, load
from sandbox.certify import build
from sandbox.generate.content import Content
from sandbox.log.reader import Log
from sandbox.log.rows import EpisodeEnd, EpisodeStart, StepRow
from sandbox.log.writer import Journal
from sandbox.run.episode import Match, Played, play
from sandbox.run.game import Game, built

WORLD = "tiny/quokka"


class Scripted:
    """A player that says what it was given, one after the other, and leaves when there is no more."""

    def __init__(self, *said: object) -> None:
        self.said, self.turns, self.ends = list(said), list[Turn](), list[Turn]()
        self.briefing: Briefing | None = None

    def begin(self, briefing: Briefing) -> None:
        """Keep what was told."""
        self.briefing = briefing

    def act(self, turn: Turn) -> str | Reply:
        """The next of what it was given; an exception is raised, a function is called."""
        self.turns.append(turn)
        if not self.said:
            raise Left
        said = self.said.pop(0)
        if isinstance(said, BaseException):
            raise said
        return said(turn) if callable(said) else said  # type: ignore[return-value]

    def end(self, turn: Turn) -> None:
        """Keep the last turn."""
        self.ends.append(turn)


@dataclass
class Seen:
    """A watcher that keeps what it is told."""

    episode: str = ""
    start: EpisodeStart | None = None
    past: int = 0
    rows: list[StepRow] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    end: EpisodeEnd | None = None
    on_step: Callable[[StepRow], None] | None = None

    def started(self, episode: str, start: EpisodeStart, past: int) -> None:
        """Keep the start, and forget the episode before."""
        self.episode, self.start, self.past = episode, start, past
        self.rows.clear()

    def stepped(self, row: StepRow) -> None:
        """Keep the row, and do what the test wants done at it."""
        self.rows.append(row)
        if self.on_step:
            self.on_step(row)

    def told(self, text: str) -> None:
        """Keep the answer."""
        self.said.append(text)

    def pace(self) -> None:
        """Go on."""

    def ended(self, end: EpisodeEnd) -> None:
        """Keep the end."""
        self.end = end


@functools.cache
def _game(ref: str) -> Game:
    return built(build(ref))


@pytest.fixture
def game() -> Game:
    """A small world with its proof."""
    return _game(WORLD)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Where episodes are recorded."""
    return tmp_path / "sandbox.db"


@pytest.fixture
def journal(db: Path) -> Iterator[Journal]:
    """An open journal; another writer that holds it for a moment is an error at once."""
    with Journal.open(db, wait=0.05) as opened:
        yield opened


@pytest.fixture
def log(journal: Journal, db: Path) -> Iterator[Log]:
    """What the journal has recorded, read through a connection of its own."""
    del journal
    with Log.open(db) as opened:
        yield opened


@pytest.fixture
def scripted() -> type[Scripted]:
    """A player that says what it was given."""
    return Scripted


@pytest.fixture
def seen() -> Seen:
    """A watcher that keeps what it is told."""
    return Seen()


Cast = Callable[..., Player]


@pytest.fixture
def cast() -> Cast:
    """Makes a player: of a built-in agent by its name, or of an object in a test."""
    files = Content().agents()

    def made(agent: object, access: int = 1, *, meta: bool = False, learns: bool = False) -> Player:
        if isinstance(agent, str):
            return load(agent, files)
        kind = load("human", files).kind
        kind = replace(kind, name="scripted", access=access, meta=meta, learns=learns, path=Path(__file__))
        assert isinstance(kind, Kind)
        return Player(kind, {}, agent)  # type: ignore[arg-type]

    return made


@pytest.fixture
def playing(game: Game, journal: Journal, cast: Cast, seen: Seen) -> Callable[..., Played]:
    """Play one episode, shown to `seen`; how it ended."""

    def run(agent: object, access: int | None = None, max_steps: int = 100, seed: int = 1, **kind: bool) -> Played:
        player = cast(agent, 1 if access is None else access, **kind)
        level = player.kind.access if access is None else access
        return play(Match(game, player, level, seed, max_steps), journal, seen)

    return run
