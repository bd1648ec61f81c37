"""How long it takes to find everything that a plan needs.

A thing is *shown* in a state when the view of the player's room shows it: within reach, or, with scope `neighbours`,
lying or standing next door. Only the place where a thing starts counts: what one has moved oneself has been seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.certify.plans import path
from sandbox.certify.search import successors
from sandbox.certify.solve import Solved
from sandbox.world import spec
from sandbox.world.bits import Clause, Condition, both, either, holds
from sandbox.world.dynamics import Dynamics
from sandbox.world.spec import Atom, Var
from sandbox.world.world import World

LIMIT = 10_000
"""Pairs of state and things shown that are explored before the plan's own finding is taken."""


def needed_things(world: World, dynamics: Dynamics, intents: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """The objects that some command of a plan names, in order of appearance; what is yet to be made is left out."""
    found = dict.fromkeys(arg for _, args in intents for arg in args if arg not in world.layout.rooms)
    ground = dynamics.ground
    return tuple(i for i in found if ground.value(spec.PLACE, (i,), dynamics.start) != spec.GONE)


def fewest_to_find(solved: Solved) -> int:
    """The fewest steps after which every thing that the plan needs has been shown at some time.

    Found by breadth-first search over pairs of (state, things shown); where that takes more than LIMIT pairs, the
    number of steps after which the plan itself has shown them all, which is never fewer.
    """
    world, dynamics = solved.world, solved.dynamics
    conditions = [shown(world, dynamics, id_) for id_ in needed_things(world, dynamics, solved.intents)]
    hidden = [c for c in conditions if not holds(c, dynamics.start)]
    if not hidden:
        return 0
    found = _search(solved, hidden)
    return found if found is not None else _by_plan(solved, hidden)


def shown(world: World, dynamics: Dynamics, id_: str) -> Condition:
    """The condition that the view shows an object where it starts, for every room the player can be in."""
    ground = dynamics.ground
    near = ground.tester(Atom("near", (Var("x"),)))
    start = ground.value(spec.PLACE, (id_,), dynamics.start)
    placed = ground.groups.get((spec.PLACE, (id_,)))
    parts: list[Condition] = []
    for room in world.layout.rooms:
        here = ground.here.test(room)
        at_start = (c for c in near({"x": id_}, room) if placed is None or not _elsewhere(c, placed.code(start), placed.mask))
        parts.append(both(here, tuple(at_start)))
        next_door = ("exit", (room, str(start))) in world.layout.relations and not _is_door(world, ground.kinds[id_])
        if world.observation.scope == "neighbours" and next_door:
            lies = placed.test(start) if placed is not None else ((0, 0, ()),)
            parts.append(both(here, lies))
    return either(parts)


def _is_door(world: World, kind: str) -> bool:
    return world.rules.kind_of(kind, "door")


def _elsewhere(clause: Clause, start: int, places: int) -> bool:
    """Whether a clause asks for the object at another place than its start."""
    return bool(clause.want & places & ~start)


def _search(solved: Solved, hidden: Sequence[Condition]) -> int | None:
    problem = solved.everything.problem(list(hidden))
    every = (1 << len(hidden)) - 1
    first = solved.dynamics.start & problem.keep, 0
    seen, front, steps = {first}, [first], 0
    while front and len(seen) <= LIMIT:
        steps += 1
        later = []
        for state, found in front:
            for _, new in successors(problem, state):
                now = found | _holding(hidden, new)
                if now == every:
                    return steps
                if (new, now) not in seen:
                    seen.add((new, now))
                    later.append((new, now))
        front = later
    return None


def _by_plan(solved: Solved, hidden: Sequence[Condition]) -> int:
    found, every = 0, (1 << len(hidden)) - 1
    for steps, state in enumerate(path(solved.dynamics, solved.intents)):
        found |= _holding(hidden, state)
        if found == every:
            return steps
    return solved.steps


def _holding(conditions: Sequence[Condition], state: int) -> int:
    """One bit for each condition that holds."""
    return sum(1 << n for n, condition in enumerate(conditions) if holds(condition, state))
