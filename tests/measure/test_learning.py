"""The curve of several plays, and how probes are counted."""

from __future__ import annotations

import pytest

from sandbox.measure.learning import BAR, Point, Tally, curve

SAID: list[tuple[str | None, str | None]] = [
    (None, "unknown_word"), ("look()", None), ("take(k)", "out_of_reach"), ("go(r2)", None), ("take(k)", "hands_full"),
    (None, "bad_syntax"), ("take(k)", None),
]  # fmt: skip


def test_probes_are_what_it_takes_to_speak() -> None:
    """Everything before the first accepted command about something, and later ones that are badly said."""
    tally = Tally()
    for intent, cause in SAID:
        tally.count(intent, cause, ("walk",) if intent == "take(k)" else None)
    assert (tally.commands, tally.probes, tally.in_skills) == (7, 4, 3)


def test_who_never_speaks_only_probes() -> None:
    """Without an accepted command about something every command is a probe."""
    tally = Tally()
    for _ in range(5):
        tally.count("wait()", None)
    assert tally.probes == tally.commands == 5


def point(n: int, commands: int, *, solved: bool = True) -> Point:
    """An episode of a world that takes 10 commands."""
    return Point(n, "7", "e", "solved" if solved else "step_limit", solved, commands, 10, 0.0, 0)


@pytest.mark.parametrize("plain", [True, False])
def test_bars_are_to_scale(plain: bool) -> None:
    """The longest solved play takes the whole width; one that was not solved is dotted."""
    solid, dot = ("#", ".") if plain else ("█", "·")
    lines = curve([point(1, 200), point(2, 50), point(3, 1000, solved=False)], plain=plain)
    assert [line.count(solid) for line in lines[1:]] == [BAR, round(BAR / 4), 0]
    assert lines[1].endswith(" 20.0")
    assert lines[3] == f"   3  {dot * BAR} not solved in 100"
