"""Refusals in English: a first guess at what stands in the way."""

from __future__ import annotations

import pytest

from sandbox.agent.interface import Replies
from sandbox.agent.refusals import Answers, answers, class_of, legend

HELP = "How to speak:\n  pull THING\n\nE1 unknown word   E5 out of reach\nE12 not held   E13 wrong sort   E30 shut"


@pytest.mark.parametrize(
    ("refusal", "meaning"),
    [
        ("The @ is out of reach.", "reach"),
        ("You are not holding the @.", "held"),
        ("That cannot be done with the @.", "kind"),
        ("Your hands are full.", "full"),
        ("It is too dark for that.", "dark"),
        ("The @ is not the right one.", "pair"),
        ("You cannot do that yet: it only works when you hold the @.", "held"),
        ("Needs: you hold no tool.", "free"),
        ("Needs: you do not hold the @.", "done"),
        ("Needs: the @ is within reach.", "reach"),
        ("That only works when the @ is open.", "state"),
        ("E5 @", "reach"),
        ("E12 @", "held"),
        ("E30 @", ""),
        ("Grumpf.", ""),
    ],
)
def test_classes(refusal: str, meaning: str) -> None:
    """The words of a refusal, or what the help page says that its code stands for."""
    assert class_of(refusal, legend(HELP)) == meaning


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("  What is done is answered: ok", Answers("ok")),
        ("  What is done is answered: ok   What does not work, or is not understood, is answered: no", Answers("ok", "no")),
        ("  What is done and what does not work are answered alike: hm", Answers()),
        ("  What changes nothing and what does not work are answered alike: hm", Answers(void="hm")),
        ("  You are answered: never", Answers()),
    ],
)
def test_a_help_page_may_say_how_the_world_answers(said: str, told: Answers) -> None:
    """One answer for what is done, one for what is not, or none that tells."""
    assert answers("How it answers:\n" + said) == told


def test_evidence_overrides_english() -> None:
    """What is said to be out of reach and is here, again and again, means something else."""
    replies = Replies()
    replies.english = True
    assert replies.meaning("The @ is out of reach.") == "reach"
    for _ in range(3):
        replies.count("The @ is out of reach.", changed=False, where="here")
    assert replies.meaning("The @ is out of reach.") != "reach"


def test_without_english_only_evidence_counts() -> None:
    """The prior can be left out."""
    assert Replies().meaning("You do not hold the @.") == "unknown"
