"""How to speak, from a help page; what an answer tells of a thing."""

from __future__ import annotations

import pytest

from sandbox.agent.interface import Pattern, description, filled, patterns_of, samples_of, signs_of

WORDS = ["pick", "turn", "look", "cup", "hall", "to", "do", "with"]


@pytest.mark.parametrize("between", [", then ", ", next command ", "; after that "])
def test_a_line_may_show_two_commands(between: str) -> None:
    """What stands between is known by its words, which no command has."""
    ((before, made),) = patterns_of(f"How:\n  pick THING{between}turn", WORDS)
    assert before is not None
    assert (before.text, before.kinds, made.text) == ("pick {0}", ("thing",), "turn")


def test_a_second_command_may_begin_with_a_word_of_the_world() -> None:
    """What parts the two are the words between them that the parser does not know, and no more."""
    ((before, made),) = patterns_of("How:\n  please pick THING, next command please turn", [*WORDS, "please"])
    assert (before and before.text, made.text) == ("please pick {0}", "please turn")


def test_marks_of_a_command_part_nothing() -> None:
    """A command with marks of its own is one command."""
    ((before, made),) = patterns_of('How:\n  {"do": "turn", "with": "THING"}   (turn it)', WORDS)
    assert before is None
    assert (made.text, made.gloss) == ('{"do": "turn", "with": "{0}"}', "turn it")


@pytest.mark.parametrize(
    "answer",
    [
        "The cup (VESSEL): wet, of clay.",
        "Cup, VESSEL: wet, of clay.",
        "cup/VESSEL: wet, of clay",
        "You look long at the cup, one of the VESSEL sort: wet, of clay.",
    ],
)
def test_a_close_look_tells_kind_and_words(answer: str) -> None:
    """Whatever the voice: the name, a kind in capitals, and words after a colon."""
    assert description(answer, "cup") == ("vessel", ("wet", "of clay"))


@pytest.mark.parametrize(
    "answer", ["The cup is not a VESSEL.", "Not with cup.", "The cup: wet.", "You have the cup.", "E needs: you hold the cup", "The cup is wet. OH: no."]
)
def test_other_answers_are_no_close_look(answer: str) -> None:
    """Without a kind in capitals, or without words after a colon, nothing is described."""
    assert description(answer, "cup") is None


def test_signs_are_explained_on_the_help_page() -> None:
    """A sign, and the words that it stands for."""
    assert signs_of("What you see:\n  place | ways   ! closed  ~ open  # shut for good") == {
        "!": "closed", "~": "open", "#": "shut for good",
    }  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "Say it like this:   look (see)   pick cup, next command turn   go to hall",
        "say: look   pick cup, then turn   go to hall",
        "say   | look   pick cup, then turn   go to hall",
        "say   look   pick cup, then turn   go to hall",
    ],
)
def test_a_first_screen_shows_commands(line: str) -> None:
    """Wide blanks part them, in any form."""
    known = {"look", "pick", "cup", "turn", "go", "to", "hall"}
    found = samples_of(f"TITLE\nPremise.\nWanted: a cup.\n{line}", known)
    assert found[-4:] == ["look", "pick cup", "turn", "go to hall"]


def test_what_fills_the_gaps() -> None:
    """A command of a pattern, and one that is none of it."""
    pattern = Pattern('{"do": "pick", "what": "{0}"}', ("thing",))
    assert filled(pattern, '{"do": "pick", "what": "tin Cup"}') == ("tin cup",)
    assert filled(pattern, "pick cup") is None
