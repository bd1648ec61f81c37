"""How long it takes to find everything that a plan needs.

A thing is *shown* in a state when the view of the player's room shows it: within reach, or, with a scope of more than
the room, lying or standing in a room that is in view. Only the place where a thing starts counts: what one has moved
oneself has been seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.certify.search import successors
from sandbox.certify.solve import Solved
from sandbox.measure.transcript import Transcript
from sandbox.world import spec
from sandbox.world.bits import TRUE, Clause, Condition, both, either, holds
from sandbox.world.dynamics import Dynamics
from sandbox.world.ground import Group
from sandbox.world.spec import Atom, Value, Var
from sandbox.world.world import World

LIMIT = 10_000
"""Pairs of state and things shown that are explored before the plan's own finding is taken."""


def needed_things(world: World, dynamics: Dynamics, played: Transcript) -> tuple[str, ...]:
    """The objects that some command of a plan names, in order of appearance; what is yet to be made is left out."""
    found = dict.fromkeys(arg for line in played.lines for arg in line.intent[1] if arg not in world.layout.rooms)
    ground = dynamics.ground
    return tuple(i for i in found if ground.value(spec.PLACE, (i,), dynamics.start) != spec.GONE)


def fewest_to_find(solved: Solved, played: Transcript) -> int:
    """The fewest steps after which every thing that the plan needs has been shown at some time.

    Where the search takes more than LIMIT pairs of state and things shown, the number of commands after which the
    plan itself has shown them all, which is never fewer.
    """
    world, dynamics = solved.world, solved.dynamics
    conditions = [shown(world, dynamics, id_) for id_ in needed_things(world, dynamics, played)]
    hidden = [c for c in conditions if not holds(c, dynamics.start)]
    if not hidden:
        return 0
    found = _search(solved, hidden)
    return found if found is not None else _by_plan(played, hidden)


def shown(world: World, dynamics: Dynamics, id_: str) -> Condition:
    """The condition that the view shows an object where it starts, for every room the player can be in."""
    ground = dynamics.ground
    near = ground.tester(Atom("near", (Var("x"),)))
    start = ground.value(spec.PLACE, (id_,), dynamics.start)
    placed = ground.groups.get((spec.PLACE, (id_,)))
    parts: list[Condition] = []
    for room in world.layout.rooms:
        here = ground.here.test(room)
        near_here = near({"x": id_}, room)
        parts.append(both(here, near_here if placed is None else tuple(c for c in near_here if _at(c, placed, start))))
        if start in _in_view(world, room) and not world.rules.kind_of(ground.kinds[id_], "door"):
            parts.append(both(here, TRUE if placed is None else placed.test(start)))
    return either(parts)


def _in_view(world: World, room: str) -> set[str]:
    """The other rooms of which something is seen from a room."""
    if world.observation.scope == "everything":
        return set(world.layout.rooms)
    if world.observation.scope == "room":
        return set()
    return {args[1] for name, args in world.layout.relations if name == "exit" and args[0] == room}


def _at(clause: Clause, placed: Group, start: Value) -> bool:
    """Whether a clause asks for the object nowhere else than where it starts."""
    return not clause.want & placed.mask & ~placed.code(start)


def _search(solved: Solved, hidden: Sequence[Condition]) -> int | None:
    """Dijkstra's search over pairs (state of the pruned problem, conditions that have held)."""
    problem = solved.everything.problem(list(hidden))
    every = (1 << len(hidden)) - 1
    layers: dict[int, list[tuple[int, int]]] = {0: [(solved.dynamics.start & problem.keep, 0)]}
    done: set[tuple[int, int]] = set()
    while layers and len(done) <= LIMIT:
        steps = min(layers)
        for state, found in layers.pop(steps):
            if found == every:
                return steps
            if (state, found) in done:
                continue
            done.add((state, found))
            for _, new, cost in successors(problem, state):
                now = found | _holding(hidden, new)
                if (new, now) not in done:
                    layers.setdefault(steps + cost, []).append((new, now))
    return None


def _by_plan(played: Transcript, hidden: Sequence[Condition]) -> int:
    found, every = 0, (1 << len(hidden)) - 1
    for number, line in enumerate(played.lines, 1):
        found |= _holding(hidden, line.after)
        if found == every:
            return number
    return len(played.lines)


def _holding(conditions: Sequence[Condition], state: int) -> int:
    """One bit for each condition that holds."""
    return sum(1 << n for n, condition in enumerate(conditions) if holds(condition, state))
