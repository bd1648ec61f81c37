"""Lessons: what sentences say of commands and of laws."""

from __future__ import annotations

import pytest

from sandbox.agent.hints import Claim, Effect, claim_of, claims, lessons, needed
from sandbox.agent.interface import Pattern

BOIL = Pattern("{0} {1} boil", ("food", "pot"))


def test_a_sentence_about_a_command() -> None:
    """What is needed, what follows, and when."""
    text = (
        "It says: FOOD POT boil: only if you hold the food; the pot is within reach; the pot is not cold. "
        "Then the food is soft, if the food is wet; the pot is empty."
    )
    (lesson,) = lessons(text, [BOIL])
    assert (lesson.pattern, lesson.nouns) == (BOIL.text, ("food", "pot"))
    assert [(c.what, c.of, c.value, c.holds) for c in lesson.needs] == [
        ("held", "food", "", True), ("reach", "pot", "", True), ("word", "pot", "cold", False),
    ]  # fmt: skip
    assert lesson.effects == (
        Effect(
            Claim("word", "food", "soft", some="the", text="the food is soft"),
            (Claim("word", "food", "wet", some="the", text="the food is wet"),),
        ),
        Effect(Claim("word", "pot", "empty", some="the", text="the pot is empty")),
    )
    assert lesson.gap("pot") == 1


def test_two_things_of_one_kind_are_told_apart() -> None:
    """The first and the second are gaps of their own."""
    (lesson,) = lessons(
        "join PART PART: only if you hold the first part; you hold the second part. Then the second part is gone.",
        [Pattern("join {0} {1}", ("part", "part"))],
    )
    assert [lesson.gap(claim.of) for claim in lesson.needs] == [0, 1]
    assert lesson.effects[0].claim.what == "gone"
    assert lesson.gap(lesson.effects[0].claim.of) == 1


@pytest.mark.parametrize(
    ("text", "each", "needs", "effects"),
    [
        ("Whenever a lamp is lit, the gate is open.", False, [("word", "lamp", "lit")], [("word", "gate", "open")]),
        (
            "With every step, while a plot is in season and the plot is dry, the thirst of the plot grows by 1.", True,
            [("word", "plot", "in season"), ("word", "plot", "dry")], [("count", "plot", "thirst grows by 1")],
        ),
        (
            "With every step, while a plot is in season and is dry, the sparks of the plot shrink by 1.", True,
            [("word", "plot", "in season"), ("word", "plot", "dry")], [("count", "plot", "sparks shrink by 1")],
        ),
        ("With every step, the candle is short.", True, [], [("word", "candle", "short")]),
    ],
)  # fmt: skip
def test_laws(text: str, each: bool, needs: list[object], effects: list[object]) -> None:
    """What happens by itself, at once or with time."""
    (lesson,) = lessons(text, [BOIL])
    assert (lesson.pattern, lesson.each_step) == ("", each)
    assert [(c.what, c.of, c.value) for c in lesson.needs] == needs
    assert [(e.claim.what, e.claim.of, e.claim.value) for e in lesson.effects] == effects


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("you do not hold the cup", ("held", "cup", "", False, "the")),
        ("you hold no tool", ("held", "tool", "", True, "no")),
        ("the cup is out of reach", ("reach", "cup", "", False, "the")),
        ("no cup is in the pot", ("in", "cup", "pot", True, "no")),
        ("the cup lies where you are", ("here", "cup", "", True, "the")),
        ("you are in the hall", ("at", "", "hall", True, "")),
        ("you are tired", ("word", "", "tired", True, "")),
        ("the cup is nowhere", ("gone", "cup", "", True, "the")),
    ],
)  # fmt: skip
def test_clauses(text: str, claim: tuple[str, str, str, bool, str]) -> None:
    """The claims that are understood."""
    found = claim_of(text)
    assert (found.what, found.of, found.value, found.holds, found.some) == claim


@pytest.mark.parametrize(
    "text",
    [
        "the cup is wet or the pot is hot",
        "the weight of the cup is 3",
        "either the cup is wet",
        "the cup is of the same colour as the pot",
        "",
    ],
)
def test_what_is_not_understood_says_so(text: str) -> None:
    """A choice, a comparison and nonsense are kept as they are."""
    assert [claim.what for claim in claims(text)] == ["other"]


def test_a_subject_goes_on() -> None:
    """After "and", the verb alone speaks of the same thing."""
    assert [(claim.of, claim.value) for claim in claims("the cup is wet and is hot")] == [
        ("cup", "wet"),
        ("cup", "hot"),
    ]


@pytest.mark.parametrize(
    ("refusal", "found"),
    [
        ("That only works when you hold the tin cup.", [("held", "tin cup", "", True)]),
        ("Needs: the gate is not open.", [("word", "gate", "open", False)]),
        ("E needs: no lid is in the pot and the pot is hot", [("in", "lid", "pot", True), ("word", "pot", "hot", True)]),
        ("The pot is out of reach.", []),
    ],
)
def test_a_refusal_may_tell_what_is_needed(refusal: str, found: list[object]) -> None:
    """In the words of the rules, about things by their names."""
    assert [(claim.what, claim.of, claim.value, claim.holds) for claim in needed(refusal)] == found
