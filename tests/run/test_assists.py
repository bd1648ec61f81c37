"""What a person says to the runner: no steps, logged, and without a score where it helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sandbox.agent.api import Turn
from sandbox.log.reader import Log
from sandbox.run.assists import FREE, WORDS, Assists
from sandbox.run.course import Course
from sandbox.run.episode import Played
from sandbox.run.game import Game, Guide
from sandbox.run.replay import replay
from sandbox.world.engine import Engine
from sandbox.world.lesson import sequence

if TYPE_CHECKING:
    from tests.run.conftest import Scripted, Seen

Playing = Callable[..., Played]


@pytest.fixture
def person(playing: Playing, scripted: type[Scripted]) -> Callable[..., Played]:
    """Play as a person who types these lines."""
    return lambda *lines: playing(scripted(*lines), meta=True)


Person = Callable[..., Played]


def test_free_words_cost_nothing(person: Person, seen: Seen, game: Game) -> None:
    """`:help` and `:goal` are no steps and no assists; they tell what an agent at L1 is told."""
    end = person(":help", ":goal", *game.plan).end
    assert (end.outcome, end.score, end.steps, end.assisted) == ("solved", 1.0, game.optimum, False)
    assert Engine(game.world).goal_text in seen.said[1]
    assert all(word in seen.said[0] for word in WORDS)
    assert all(row.assist is None for row in seen.rows)


@pytest.mark.parametrize("word", sorted(set(WORDS) - FREE - {":undo"}))
def test_assists_leave_no_score(person: Person, seen: Seen, log: Log, game: Game, word: str) -> None:
    """`:hint`, `:map` and `:rules` are answered, logged with the next step, and make the score null."""
    first, *rest = game.plan
    played = person(first, word, *rest)
    end = played.end
    assert (end.outcome, end.solved, end.score, end.steps, end.assisted) == ("solved", True, None, game.optimum, True)
    assert [row.assist for row in log.steps(played.episode)] == [None, None, word, *[None] * (game.optimum - 2)]
    assert seen.said[0]


def test_a_hint_is_the_next_command(person: Person, seen: Seen, game: Game) -> None:
    """Following every hint solves the world in the optimum."""

    def obey(_: Turn) -> str:
        return seen.said[-1].removeprefix("Try: ")

    end = person(*[":hint", obey] * game.optimum).end
    assert (end.outcome, end.steps, end.score) == ("solved", game.optimum, None)


def test_the_last_assist_counts_too(person: Person) -> None:
    """An assist after the last step leaves its mark on the episode."""
    end = person("look", ":map", ":quit").end
    assert (end.outcome, end.assisted, end.score) == ("cancelled", True, None)


def test_undo_takes_one_step_back(person: Person, seen: Seen, log: Log, game: Game) -> None:
    """After `:undo` the world is as it was one command before; the commands taken still count."""
    first, second, *_ = game.plan
    played = person(first, second, ":undo", second, ":quit")
    rows = list(log.steps(played.episode))
    assert [row.n for row in rows] == [0, 1, 2, 3]
    assert rows[2].state_digest == rows[3].state_digest
    assert rows[3].assist == ":undo"
    assert seen.said[0].startswith("Taken back.")
    assert (played.end.steps, played.end.score, played.end.assisted) == (3, None, True)
    replay(log, log.episode(played.episode))


def test_undo_goes_back_to_the_start_and_no_further(person: Person, seen: Seen, log: Log, game: Game) -> None:
    """Each `:undo` is one step more; at the start there is nothing to take back, and that is no assist."""
    first, second, *_ = game.plan
    played = person(":undo", first, second, ":undo", ":hint", ":undo", ":undo", first, ":quit")
    rows = list(log.steps(played.episode))
    assert [row.assist for row in rows] == [None, None, None, ":undo :hint :undo"]
    assert rows[3].state_digest == rows[1].state_digest
    assert seen.said[0] == seen.said[-1] == "There is nothing to take back."
    assert seen.said[2] == f"Try: {second}"
    replay(log, log.episode(played.episode))


def test_nothing_undone_is_no_assist(person: Person) -> None:
    """An `:undo` that could do nothing leaves the score alone."""
    assert person(":undo", "look", ":quit").end.assisted is False


def test_the_turn_after_undo_is_the_earlier_one(playing: Playing, scripted: type[Scripted], game: Game) -> None:
    """A player that takes a step back sees what was shown there."""
    agent = scripted(*game.plan[:2], ":undo", ":quit")
    playing(agent, meta=True)
    assert agent.turns[3].text == agent.turns[1].text
    assert [turn.n for turn in agent.turns] == [0, 1, 2, 2]


@pytest.mark.parametrize("line", [":help ", " :help", ":HELP", ":h", ":", "help", ":hint me", ":quit\r", ":undo\n"])
def test_a_line_is_a_word_only_if_it_is_exactly_that(person: Person, seen: Seen, line: str) -> None:
    """Anything else goes to the world as it was typed, and is a step."""
    end = person(line, ":quit").end
    assert (end.steps, end.assisted) == (1, False)
    assert seen.rows[1].executed == line


def test_two_colons_say_one(person: Person, seen: Seen) -> None:
    """`::x` says `:x` to the world; what was typed is kept beside what was meant."""
    end = person("::quit", ":::x", "::", ":quit").end
    assert (end.outcome, end.steps) == ("cancelled", 3)
    assert [(row.raw, row.command, row.executed) for row in seen.rows[1:]] == [
        ("::quit", ":quit", ":quit"),
        (":::x", "::x", "::x"),
        ("::", ":", ":"),
    ]


def test_words_are_a_persons_alone(playing: Playing, seen: Seen, scripted: type[Scripted]) -> None:
    """From any other agent `:hint` is a command like any text: no agent gets help this way."""
    end = playing(scripted(":hint", "::x", ":quit")).end
    assert (end.steps, end.assisted, seen.said) == (3, False, [])
    assert [row.executed for row in seen.rows[1:]] == [":hint", "::x", ":quit"]


def test_why_says_the_requirement_that_failed(playing: Playing, scripted: type[Scripted], seen: Seen) -> None:
    """`:why` tells a refusal in full, even where the world tells nothing of it; an undone command is forgotten."""
    playing(scripted(":why", "drop nothing at all", ":why", "look", ":why", ":undo", ":why", ":quit"), meta=True)
    none, unread, fine, _, again = seen.said
    assert none == "Nothing was said to the world yet."
    assert "nothing" in unread.casefold()
    assert fine == "The last command was carried out."
    assert again == unread


def test_why_needs_no_detail_of_the_world(game: Game) -> None:
    """A world that is silent about refusals and one that tells them in full give one answer to `:why`."""
    answers, told = set(), ""
    for detail in ("nothing", "something", "thing", "requirement"):
        world = replace(game.world, feedback=replace(game.world.feedback, detail=detail))
        engine = Engine(world)
        dynamics = engine.dynamics
        move = dynamics.room(dynamics.start).move
        barred = next(i for i in dynamics.intents(inform=False) if not move(i).ready(dynamics.start))
        course = Course(engine)
        step = course.take(engine.speech.command(*barred))
        assert step.cause
        told = step.text
        answers.add(Assists(course, Guide(game, course)).answer(":why"))
    assert answers == {told}


def test_why_about_nothing_is_no_assist(person: Person) -> None:
    """Asked before anything was said, `:why` leaves the score alone."""
    assert person(":why", "look", ":quit").end.assisted is False


def test_a_word_mistyped_is_a_step_and_is_told_of(person: Person, seen: Seen) -> None:
    """A line with one colon that is no word goes to the world, and the person hears which word was near."""
    end = person(":hnt", ":zzzzzz", "::hint", ":quit").end
    assert end.steps == 3
    assert [said.rpartition(": ")[2] for said in seen.said] == ["did you mean :hint?", ":help lists them."]


def test_why_tells_what_was_done_in_silence(game: Game) -> None:
    """What a world does without a word is told when it is asked about; what was shown already is not told twice."""
    said = {}
    for success in ("told", "silent"):
        world = replace(game.world, feedback=replace(game.world.feedback, success=success))
        course = Course(Engine(world))
        for command in game.plan:
            if (course.now.intent or "").startswith("take("):
                break
            course.take(command)
        said[success] = course.now.text, Assists(course, Guide(game, course)).answer(":why")
    assert said["told"][1] == "The last command was carried out."
    assert said["silent"][1] == f"The last command was carried out.\n{said['told'][0]}"


def test_why_says_which_sort_a_command_wants(game: Game) -> None:
    """A thing of the wrong sort is answered with the form that the help page has."""
    course = Course(Engine(game.world))
    course.take(course.engine.speech.command("go", (game.world.layout.objects[0].id,)))
    assert course.now.cause == "wrong_kind"
    form = sequence(course.engine, "go")[-1]
    assert Assists(course, Guide(game, course)).answer(":why").endswith(f"\nIt is said so: {form}")
    assert f"  {form}\n" in course.engine.help_text


def test_why_gives_no_help_page_away(game: Game) -> None:
    """At L0, where the help page tells the goal only, asking why tells no more of it."""
    course = Course(Engine(game.world, 0))
    course.take(course.engine.speech.command("help", ()))
    assert Assists(course, Guide(game, course)).answer(":why") == "The last command was carried out."
