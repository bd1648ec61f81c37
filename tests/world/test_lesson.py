"""The samples of the first screen: what is typed as it stands there works."""

from __future__ import annotations

import pytest

from sandbox.world.engine import Engine
from sandbox.world.lesson import THEN, samples
from tests.outside.worlds import built

REFS = [f"{recipe}/{number}" for recipe in ("tiny", "small", "nonce") for number in range(8)]


def worked(ref: str) -> tuple[Engine, list[list[str]]]:
    """The samples of a world that are no patterns in classes, each with the commands it consists of."""
    engine = Engine(built(ref).world)
    return engine, [sample.split(THEN) for sample in samples(engine)[1:] if not any(map(str.isupper, sample))]


def typed(engine: Engine, state: int, commands: list[str]) -> int | None:
    """The state after some commands; None when one is refused."""
    for command in commands:
        step = engine.step(state, command)
        if step.cause is not None:
            return None
        state = step.state
    return state


@pytest.mark.parametrize("ref", REFS)
def test_a_sample_with_names_is_accepted_when_typed(ref: str) -> None:
    """Every one at the start, or right after the sample before it; and none of them does a part of the task."""
    engine, said = worked(ref)
    before = start = engine.start().state
    for commands in said:
        after = typed(engine, start, commands) or typed(engine, before, commands)
        assert after is not None, commands
        assert engine.progress(after) <= engine.progress(start), commands
        before = after


@pytest.mark.parametrize("ref", REFS[::4])
def test_the_help_page_says_how_a_dead_end_is_left(ref: str) -> None:
    """No text says that a goal is out of reach; the way back to the start stands on every help page, and works."""
    engine = Engine(built(ref).world)
    line = next(line for line in engine.help_text.split("\n") if line.startswith("Where nothing leads on any more, "))
    again = line.removeprefix("Where nothing leads on any more, ").removesuffix(" takes you back to the start.")
    start = engine.start().state
    away = next(state for command in engine.admissible(start) if (state := engine.step(start, command).state) != start)
    assert engine.step(away, again).state == start


def test_the_help_page_says_where_brackets_are_typed() -> None:
    """Elsewhere they stand for what may be left out; where they are a part of the command, the page says so."""
    marks = {}
    for ref in REFS:
        engine = Engine(built(ref).world)
        said = "Square brackets are typed as they stand." in engine.help_text.split("\n")
        assert said == any("[" in form for _, forms in engine.speech.patterns() for form in forms), ref
        marks[said] = ref
    assert len(marks) == 2


def test_most_first_screens_have_a_sample_with_a_thing_and_some_with_two() -> None:
    """Patterns in classes are for worlds in which nothing of the kind can be done yet."""
    counts = [len(worked(ref)[1]) for ref in REFS]
    assert sum(count >= 2 for count in counts) > 0.9 * len(counts)
    assert sum(count >= 3 for count in counts) > 0.2 * len(counts)
