"""A library on loan: what an agent adds is on record with its step, and in the hands of the next play."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sandbox.agent.api import Reply, Turn
from sandbox.agent.library import Evidence, Memory, Note, Skill, Status
from sandbox.errors import AgentError
from sandbox.log.reader import Log
from sandbox.log.writer import Journal
from sandbox.run.episode import Match, play
from sandbox.run.game import Game
from sandbox.run.library import kept_of, lend, record_of
from tests.run.conftest import Cast, Scripted, Seen
from tests.world.transcript import FOLDER, engine_of, split

SKILL = Skill("fetch", (("x", "thing"),), "def fetch(x):\n  do('take', x)\n", "Fetch x.", (), (("held", "x"),), ("take",))
RECORDS = [SKILL, Status("d", "r", "active", "twice"), Evidence("d", "r", ("cup",), "done", 2, "b", proves=True), Note("word", "lift", [1, {"a": None}])]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_is_the_same_after_it_was_kept(record: Skill | Status | Evidence | Note) -> None:
    """Tuples come back as tuples, and nothing is lost."""
    assert record_of(kept_of(record)) == record


@pytest.mark.parametrize("bad", [Note("word", "x", {1, 2}), Note("word", "x", float("nan")), Note("word", "x", object()), "text"])
def test_what_no_database_can_hold_is_the_agents_fault(bad: object) -> None:
    """It ends the episode as an agent's error."""
    with pytest.raises(AgentError):
        kept_of(bad)  # type: ignore[arg-type]  # an agent file is not type-checked


def test_skills_outlive_the_episode(game: Game, cast: Cast, journal: Journal, log: Log) -> None:
    """Added with a step, stored with it; the next play finds them, and both are told apart by the library's digest."""

    def learn(_: Turn) -> Reply:
        assert agent.briefing
        assert agent.briefing.library
        agent.briefing.library.append(SKILL)
        return Reply("look", "look", offered=("fetch",), used=("fetch",), beliefs=({"word": "look"},))

    agent = Scripted(learn, "wait")
    played = play(Match(game, cast(agent), 1, 7, 30, library="mine"), journal, Seen())
    rows = list(log.steps(played.episode))
    assert (rows[1].skills_offered, rows[1].skills_used) == (("fetch",), ("fetch",))
    assert [one.step for one in log.library("mine")] == [1]
    assert log.beliefs(played.episode, 1) == [{"word": "look"}]
    assert [known.skill for known in lend(journal, "mine").library.skills()] == [SKILL]
    assert isinstance(rows[0].library_digest, str)
    assert rows[1].library_digest != rows[0].library_digest


def test_what_a_play_starts_from_is_told(game: Game, cast: Cast, journal: Journal) -> None:
    """Before the first step: nothing at first, then how much the library holds, the newest of each note counted."""
    def learn(*notes: Note) -> Scripted:
        def act(_: Turn) -> str:
            assert agent.briefing
            assert agent.briefing.library
            for note in notes:
                agent.briefing.library.append(note)
            return "look"

        agent = Scripted(act)
        return agent

    told = []
    for notes in ([Note("word", "lift", 1)], [Note("word", "lift", 2), Note("word", "drop", 1)], []):
        seen = Seen()
        play(Match(game, cast(learn(*notes)), 1, 7, 30, library="mine"), journal, seen)
        told += seen.said
    assert told == [f"scripted {what}." for what in ("starts from nothing", "knows 1 note from 1 episode", "knows 2 notes from 2 episodes")]


def test_without_a_library_nothing_is_kept(game: Game, cast: Cast, journal: Journal, log: Log) -> None:
    """An agent that is given none finds None."""
    agent = Scripted("look")
    played = play(Match(game, cast(agent), 1, 7, 30), journal, Seen())
    assert agent.briefing is not None
    assert agent.briefing.library is None
    assert (log.episode(played.episode).library, log.libraries()) == (None, [])
    assert Memory().name == "none"


def test_beliefs_that_cannot_be_recorded_are_the_agents_fault(game: Game, cast: Cast, journal: Journal) -> None:
    """The episode ends as an agent's error, and is on record."""
    agent = Scripted(Reply("look", "look", beliefs=({"odd": object()},)))
    played = play(Match(game, cast(agent), 1, 7, 30), journal, Seen())
    assert played.end.outcome == "agent_error"


def test_who_ends_in_a_world_where_all_is_lost_has_lost(cast: Cast, journal: Journal) -> None:
    """The outcome is `lost`, not a limit; starting again in time undoes it."""
    head, _ = split((FOLDER / "night.txt").read_text(encoding="utf-8"))
    game = Game("night", engine_of(head).world, 3, "exact", (), "test")
    for last, outcome in (("look", "lost"), ("restart", "step_limit")):
        played = play(Match(game, cast(Scripted(*["wait"] * 5, last)), 1, 7, 6), journal, Seen())
        assert (played.end.outcome, played.end.score) == (outcome, 0.0)


def test_a_spoiled_record_spoils_no_other(journal: Journal) -> None:
    """Rows that another version or program left are passed over; the library stays loadable."""
    journal.shelve("mine", [kept_of(SKILL), kept_of(Note("word", "lift", 1))])
    rows = [
        ("skills", "pre", "{"), ("skills", "params", "[[1, 2]]"), ("skills", "post", '["held"]'), ("skills", "code", b"\xff"),
        ("notes", "value", "nonsense"),
    ]  # fmt: skip
    for number, (table, column, value) in enumerate(rows):
        journal.shelve("mine", [kept_of(replace(SKILL, code=f"# {number}")), kept_of(Note("word", f"n{number}", 1))])
        journal._db.execute(f"UPDATE {table} SET {column} = ? WHERE id = (SELECT max(id) FROM {table})", (value,))
    library = lend(journal, "mine").library
    assert [known.skill.code for known in library.skills()] == [SKILL.code, "# 4"]
    assert list(library.notes("word")) == ["lift", "n0", "n1", "n2", "n3"]
