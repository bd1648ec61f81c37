"""What a text says of a deed is put in the terms of the rules, and believed until the deed was seen to work."""

from __future__ import annotations

from sandbox.agent.advice import advice
from sandbox.agent.effects import HERE, Change
from sandbox.agent.hints import lessons
from sandbox.agent.interface import Pattern

HEAT = Pattern("heat {0} on {1}", ("thing", "stove"))
LINE = "heat THING on STOVE: only if you hold the thing; the stove is lit. Then the thing is hot; the stove is not lit."


def test_needs_and_effects_of_a_lesson() -> None:
    """Where things go, which words are needed, and what follows."""
    (lesson,) = lessons(LINE, [HEAT])
    found = advice(lesson, 2)
    assert found.needs.spots == [{"held"}, set()]
    assert found.needs.words == [set(), {"lit"}]
    assert found.told == ((1, "lit", True),)
    assert (Change("word", 0, "hot"), ()) in found.effects
    assert (Change("unword", 1, "lit"), ()) in found.effects
    assert HERE not in {change.value for change, _ in found.effects}
