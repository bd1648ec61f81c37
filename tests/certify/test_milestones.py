"""Open worlds: every milestone that counts has a plan, confirmed by what did not find it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.certify.milestones import RESTART, Explorer, OpenSolver, open_world
from sandbox.errors import ConstraintError
from sandbox.generate.content import Content
from sandbox.world.keyed import Key
from sandbox.world.open import OpenEngine, marks
from sandbox.world.spec import Milestone
from sandbox.world.world import World

REFS = ("tiny/0", "tiny/1", "small/0", "nonce/2")


MINI = """\
about = "Two rooms and one family."
families = ["lock", "container", "switch", "station", "ritual"]
draw = [1, 1]
rooms = 2
things = 2
steps = [2, 12]
actions = 1
uses = 1
dead_ends = 1.0
forms = ["imperative"]
observations = ["prose"]
voices = ["plain"]
themes = ["kitchen"]
"""


@pytest.fixture(params=REFS, scope="module")
def world(request: pytest.FixtureRequest) -> World:
    """Worlds of different families, forms and protocols."""
    return build(str(request.param)).world


def test_the_tour_reaches_every_milestone_when_it_says(world: World) -> None:
    """Played on the engine, each milestone comes with the command that the certificate names; the last one ends it."""
    opened = open_world(world, "here")
    engine = OpenEngine(opened.world)
    step, first = engine.start(), list[tuple[Milestone, int]]()
    for number, command in enumerate(opened.plan, 1):
        before = engine.reached(step.state)
        step = engine.step(step.state, command)
        assert step.cause is None
        first += [(m, number) for m in engine.reached(step.state) if m not in before]
        assert step.done == (number == len(opened.plan))
    assert sorted(first, key=str) == sorted(opened.first, key=str)
    assert len(opened.world.milestones) <= opened.bound
    assert engine.progress(step.state) == 1.0


def test_an_open_world_is_the_same_world_with_another_task(world: World) -> None:
    """Rule set, theme and layout are as they were, and it survives its JSON."""
    opened = open_world(world, "here").world
    changed = {part for part in world.parts if world.parts[part] != opened.parts[part]}
    assert changed == {"task"}
    assert World.from_json(opened.to_json()) == opened
    assert opened == open_world(world, "again").world


def test_the_solver_finds_every_milestone_from_anywhere(world: World) -> None:
    """Whoever follows it reaches them all, starting again where nothing new is found."""
    opened = open_world(world, "here").world
    engine, solver = OpenEngine(opened), OpenSolver(opened)
    state = engine.start().state
    for _ in range(4 * len(opened.milestones)):
        plan = solver.plan(state)
        if plan == ():
            break
        for command in plan or engine.commands(RESTART, state):
            state = engine.step(state, command).state
    assert engine.solved(state)


def test_no_milestone_is_overlooked_in_a_world_that_can_be_searched_whole(tmp_path: Path) -> None:
    """In worlds of a few thousand states, what counts is exactly what some reachable change brings about."""
    folder = tmp_path / "worlds" / "recipes"
    folder.mkdir(parents=True)
    (folder / "mini.toml").write_text(MINI, "utf-8")
    library, checked = Content(tmp_path), 0
    for seed in range(8):
        world = build(f"mini/{seed}", library).world
        explorer = Explorer(world)
        every = _every_change(explorer)
        if every is None:
            continue
        checked += 1
        known = {mark.milestone for mark in explorer._marks}
        assert set(open_world(world, "here").world.milestones) == every & known
    assert checked > 2


def _every_change(explorer: Explorer, most: int = 8_000) -> set[Milestone] | None:
    """Every milestone of every reachable change; None for a world with more states than `most`."""
    dynamics = explorer.dynamics
    every = marks(dynamics.ground)
    queue, seen, found = [dynamics.start], {dynamics.start}, set[Milestone]()
    for state in queue:
        for move in dynamics.room(state).moves:
            if not move.ready(state):
                continue
            new = dynamics.after(state, move)
            found |= {mark.milestone for mark in every if mark.reached(state, new)}
            if new not in seen:
                seen.add(new)
                queue.append(new)
        if len(seen) > most:
            return None
    return found


def test_what_walking_and_waiting_bring_about_does_not_count() -> None:
    """A tide that turns by itself is nobody's doing, though it can be hauled too."""
    found = 0
    for seed in range(40):
        world = build(f"tiny/{seed}").world
        if not Explorer(world)._idle():
            continue
        opened = open_world(world, "here").world
        engine, stream = OpenEngine(opened), Key("idle", seed).stream()
        step = engine.start()
        for _ in range(60):
            idle = [m for m in engine.admissible(step.state) if _idle(engine, step.state, m)]
            step = engine.step(step.state, stream.choice(idle))
            assert not engine.reached(step.state)
        found += 1
        break
    assert found


def _idle(engine: OpenEngine, state: int, command: str) -> bool:
    return str(engine.step(state, command).intent).partition("(")[0] in ("go", "wait")


def test_a_world_in_which_nothing_happens_cannot_be_opened() -> None:
    """The error says so."""
    world = build("tiny/0").world
    with pytest.raises(ConstraintError, match="nothing can be brought about"):
        open_world(_still(world), "still")


def _still(world: World) -> World:
    """The world with only its rooms."""
    from dataclasses import replace

    layout = replace(world.layout, objects=(), relations=tuple(r for r in world.layout.relations if r[0] == "exit"),
                     start=tuple(s for s in world.layout.start if s[0] == "here"))  # fmt: skip
    return world.with_(layout=layout, cards=(), hints=())
