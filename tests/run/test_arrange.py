"""From wishes to a match, and going on with an episode that was cut off or ran out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandbox.errors import CheckFailed, UnknownName, UsageError
from sandbox.generate.content import Content
from sandbox.log.reader import Log
from sandbox.log.rows import StepRow
from sandbox.log.writer import Journal
from sandbox.run.arrange import Wishes, arrange, choose, go_on
from sandbox.run.episode import Match, Played, play
from sandbox.run.game import Game
from sandbox.run.replay import replay

if TYPE_CHECKING:
    from tests.run.conftest import Scripted, Seen

Playing = Callable[..., Played]
CONTENT = Content()


def match_of(**wishes: object) -> Match:
    """The match of a new play."""
    asked = Wishes(**{"world": "tiny/quokka", **wishes})  # type: ignore[arg-type]
    return arrange(asked, choose(asked, CONTENT), CONTENT)


def test_what_is_left_open_is_filled_in(game: Game) -> None:
    """The explorer plays by default, at its own level, for a hundred times the optimum, with a fresh seed."""
    match, other = match_of(), match_of()
    assert (match.player.name, match.access, match.max_steps, match.past) == ("explorer", 1, 100 * game.optimum, None)
    assert match.game == game
    assert match.agent_seed != other.agent_seed
    assert match_of(agent="random").max_steps == 10 * game.optimum + 40


def test_what_is_asked_for_is_taken() -> None:
    """Agent, seed, limit and a higher access level are those that were asked for."""
    match = match_of(agent="random", agent_seed=-3, max_steps=5, access=3)
    assert (match.player.name, match.agent_seed, match.max_steps, match.access) == ("random", -3, 5, 3)


@pytest.mark.parametrize(
    ("agent", "asked", "library"),
    [
        ("explorer", None, "explorer"), ("explorer:english=off", None, "explorer"), ("explorer", "mine", "mine"),
        ("explorer", "none", None), ("random", None, None),
    ],
)  # fmt: skip
def test_who_learns_has_a_library(agent: str, asked: str | None, library: str | None) -> None:
    """It is named after the agent unless another, or none, is asked for."""
    assert match_of(agent=agent, library=asked).library == library


@pytest.mark.parametrize(("agent", "asked"), [("random", "mine"), ("oracle", "none"), ("explorer", " ")])
def test_a_library_that_cannot_be_is_refused(agent: str, asked: str) -> None:
    """One for an agent that does not learn, and one without a name, before anything is built."""
    with pytest.raises(UsageError, match="library|learn"):
        choose(Wishes("tiny/quokka", agent, library=asked), CONTENT)


@pytest.mark.parametrize(("began", "goes_on"), [("none", None), ("mine", "mine")])
def test_an_episode_goes_on_with_its_library(
    journal: Journal, log: Log, db: Path, seen: Seen, began: str, goes_on: str | None
) -> None:
    """What began with none goes on with none; another agent, or an option, decides anew."""
    play(match_of(agent="explorer", library=began, max_steps=2), journal, seen)
    episode = log.episodes()[0].id
    assert go_on(Wishes(episode=episode), CONTENT, db).library == goes_on
    assert go_on(Wishes(episode=episode, agent="explorer"), CONTENT, db).library == "explorer"
    assert go_on(Wishes(episode=episode, library="other"), CONTENT, db).library == "other"
    assert go_on(Wishes(episode=episode, agent="oracle"), CONTENT, db).library is None


@pytest.mark.parametrize(("agent", "access"), [("random", 1), ("oracle", 3), ("human", 0)])
def test_less_access_than_needed_is_refused(agent: str, access: int) -> None:
    """An agent that needs more than `--access` allows does not play, and says what it needs."""
    with pytest.raises(UsageError, match="needs access level"):
        match_of(agent=agent, access=access)


def recorded(db: Path) -> tuple[Match, str]:
    """The match that continues the newest episode, and that episode's id."""
    with Log.open(db) as log:
        episode = log.episodes()[0].id
    return go_on(Wishes(episode=episode), CONTENT, db), episode


def test_an_episode_goes_on_where_it_ran_out(
    playing: Playing, journal: Journal, log: Log, db: Path, seen: Seen, game: Game
) -> None:
    """What was played becomes the beginning of a new episode; the old one stays as it was; the new one replays."""
    before = playing("random", max_steps=12)
    old = list(log.steps(before.episode))
    match, episode = recorded(db)
    assert match.player.name == "random"
    assert (match.access, match.max_steps) == (2, 10 * game.optimum + 40)
    after = play(match, journal, seen)
    rows = list(log.steps(after.episode))
    assert rows[: len(old)] == old == list(log.steps(before.episode))
    assert len(rows) > len(old)
    assert (seen.past, log.episode(after.episode).continued_from) == (12, episode)
    replay(log, log.episode(after.episode))


def test_an_episode_that_was_cut_off_goes_on(
    playing: Playing, journal: Journal, log: Log, db: Path, seen: Seen, game: Game
) -> None:
    """An episode without an end, as after a kill, can be finished by the oracle: the score counts all commands."""

    def vanish(row: StepRow) -> None:
        if row.n == 5:
            raise RuntimeError("the machine stops")

    seen.on_step = vanish
    with pytest.raises(RuntimeError):
        playing("random")
    assert log.episodes()[0].end is None
    seen.on_step = None
    match = go_on(Wishes(episode=log.episodes()[0].id, agent="oracle"), CONTENT, db)
    end = play(match, journal, seen).end
    assert end.solved
    assert end.score == game.optimum / end.steps
    assert end.steps > 5
    replay(log, log.episodes()[0])


def test_an_episode_without_its_first_observation_goes_on(journal: Journal, db: Path, seen: Seen) -> None:
    """An episode that was killed before step 0 was recorded begins anew."""
    match = match_of(agent="oracle")
    play(match, journal, seen)
    assert seen.start
    episode = journal.begin(seen.start)
    again = go_on(Wishes(episode=episode), CONTENT, db)
    assert again.past is None
    assert play(again, journal, seen).end.score == 1.0


def test_going_on_from_going_on(playing: Playing, journal: Journal, log: Log, db: Path, seen: Seen) -> None:
    """A continued episode can be continued; each names the one before."""
    first = playing("random", max_steps=3).episode
    chain = [first]
    for limit in (5, 8):
        match = go_on(Wishes(episode=chain[-1], max_steps=limit), CONTENT, db)
        played = play(match, journal, seen)
        assert played.end.steps == limit
        assert log.episode(played.episode).continued_from == chain[-1]
        chain.append(played.episode)
    assert len(list(log.steps(chain[-1]))) == 9


def test_undone_steps_stay_undone(
    *, playing: Playing, journal: Journal, log: Log, db: Path, seen: Seen, scripted: type[Scripted], game: Game
) -> None:
    """A past with `:undo` in it leads to the same state, and help that was used still costs the score."""
    first, second, *_ = game.plan
    playing(scripted(first, ":undo", first, second), meta=True)
    match = go_on(Wishes(episode=log.episodes()[0].id, agent="oracle"), CONTENT, db)
    end = play(match, journal, seen).end
    assert (end.solved, end.steps, end.assisted, end.score) == (True, game.optimum + 1, True, None)
    replay(log, log.episodes()[0])


def test_a_limit_counts_all_commands(playing: Playing, db: Path, game: Game) -> None:
    """A limit that is used up is refused; without one there is always room to go on."""
    room = 10 * game.optimum + 40
    playing("random", max_steps=4)
    episode = recorded(db)[1]
    with pytest.raises(UsageError, match="used up: 4 were played"):
        go_on(Wishes(episode=episode, max_steps=4), CONTENT, db)
    assert recorded(db)[0].max_steps == room


def test_what_the_world_ended_cannot_go_on(playing: Playing, log: Log, db: Path) -> None:
    """A solved episode is over."""
    playing("oracle")
    with pytest.raises(UsageError, match="cannot go on: its outcome is solved"):
        go_on(Wishes(episode=log.episodes()[0].id), CONTENT, db)


def test_an_unknown_episode_is_no_new_play(playing: Playing, db: Path, tmp_path: Path) -> None:
    """Going on with nothing is an error, never a silent new beginning."""
    playing("oracle")
    with pytest.raises(UnknownName):
        go_on(Wishes(episode="zzzz"), CONTENT, db)
    with pytest.raises(UsageError, match="no episode database"):
        go_on(Wishes(episode="zzzz"), CONTENT, tmp_path / "other.db")


def test_the_level_of_an_episode_does_not_change_under_it(playing: Playing, log: Log, db: Path) -> None:
    """An episode keeps the highest level it was played at; one played at L0 stays there."""
    playing("random", access=3, max_steps=2)
    high = log.episodes()[0].id
    assert go_on(Wishes(episode=high), CONTENT, db).access == 3
    assert go_on(Wishes(episode=high, agent="exec:cat"), CONTENT, db).access == 3
    assert go_on(Wishes(episode=high, agent="oracle"), CONTENT, db).access == 4
    with pytest.raises(UsageError, match="played at access level 3"):
        go_on(Wishes(episode=high, access=2), CONTENT, db)
    playing("exec:true", access=0, max_steps=2)
    low = log.episodes()[0].id
    assert go_on(Wishes(episode=low), CONTENT, db).access == 0
    with pytest.raises(UsageError, match="played at access level 0"):
        go_on(Wishes(episode=low, agent="random"), CONTENT, db)


def test_options_go_on(playing: Playing, log: Log, db: Path) -> None:
    """The player that goes on has the options of the one before."""
    playing("exec:true one two", max_steps=2)
    assert go_on(Wishes(episode=log.episodes()[0].id), CONTENT, db).player.spec == "exec:true one two"


def test_a_past_that_does_not_replay_is_refused(playing: Playing, log: Log, db: Path) -> None:
    """When the recorded commands no longer lead where they led, going on fails and names the first difference."""
    playing("random", max_steps=4)
    episode = log.episodes()[0].id
    with closing(sqlite3.connect(db)) as other:
        other.execute("UPDATE steps SET observation = 'Elsewhere.' WHERE n = 2 AND episode = ?", (episode,))
        other.commit()
    with pytest.raises(CheckFailed, match="step 2: the observation differs"):
        go_on(Wishes(episode=episode), CONTENT, db)
