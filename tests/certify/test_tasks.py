"""Several tasks in one world: each another one, with a plan of its own, and as many as there are."""

from __future__ import annotations

import pytest

from sandbox.certify import Built, build, check
from sandbox.errors import ConstraintError
from sandbox.world.bits import holds
from sandbox.world.spec import Fact


def tasks(ref: str, most: int) -> list[Built]:
    """The world of a reference and its other tasks, at most so many."""
    found = [build(ref)]
    for number in range(1, most + 1):
        try:
            found.append(build(f"{ref}~task.{number}"))
        except ConstraintError as error:
            assert error.constraint == "task"
            assert f"task {number} is asked for" in error.message
            break
    return found


def brought(built: Built) -> frozenset[Fact]:
    """What a goal asks for that is not so at the start."""
    dynamics = built.solved.dynamics
    return frozenset(f for f in built.world.goal if not holds(dynamics.ground.fact(f), dynamics.start))


@pytest.mark.parametrize(("ref", "least"), [("2", 2), ("tiny/1", 0)])
def test_no_two_tasks_of_a_world_are_alike(ref: str, least: int) -> None:
    """They bring about different things, under the same rules, in the same place, each with a proof of its own."""
    found = tasks(ref, 3)
    assert len(found) > least
    goals = [brought(built) for built in found]
    assert len(set(goals)) == len(goals)
    assert all(goals)
    assert len({built.certificate.intents for built in found}) == len(found)
    for built in found:
        assert check(built.world, built.certificate) is None
        changed = {part for part in built.world.parts if built.world.parts[part] != found[0].world.parts[part]}
        assert changed <= {"task"}


def test_a_task_is_the_same_whichever_was_built_before() -> None:
    """The third task needs no other to be built first, and has its own place in a reference."""
    second = build("2~task.2")
    assert build("2~task.2").world.digest == second.world.digest
    assert build("2~task~theme~task").world.goal != build("2~task").world.goal


def test_the_next_task_shares_nothing_with_the_first_where_it_can() -> None:
    """Other things are to be brought about, not the same with a fact more."""
    apart = [ref for ref in ("0", "2") if not brought(build(ref)) & brought(build(f"{ref}~task"))]
    assert apart
