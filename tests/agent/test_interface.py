"""How to speak, from a help page; what an answer tells of a thing."""

from __future__ import annotations

import pytest

from sandbox.agent.interface import description, patterns_of, signs_of

WORDS = ["pick", "turn", "look", "cup", "hall", "to", "do", "with"]


@pytest.mark.parametrize("between", [", then ", ", next command ", "; after that "])
def test_a_line_may_show_two_commands(between: str) -> None:
    """What stands between is known by its words, which no command has."""
    ((before, made),) = patterns_of(f"How:\n  pick THING{between}turn", WORDS)
    assert before is not None
    assert (before.text, before.kinds, made.text) == ("pick {0}", ("thing",), "turn")


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
    assert description(answer, "cup", {"vessel"}) == ("vessel", ("wet", "of clay"))


@pytest.mark.parametrize(
    "answer", ["The cup is not a VESSEL.", "Not with cup.", "The cup (LID): wet.", "You have the cup."]
)
def test_other_answers_are_no_close_look(answer: str) -> None:
    """Without a kind that the world knows, or without words after a colon, nothing is described."""
    assert description(answer, "cup", {"vessel"}) is None


def test_signs_are_explained_on_the_help_page() -> None:
    """A sign, and the words that it stands for."""
    assert signs_of("What you see:\n  place | ways   ! closed  ~ open  # shut for good") == {
        "!": "closed", "~": "open", "#": "shut for good",
    }  # fmt: skip
