"""What an edit does: measured against all old optimal plans, never guessed.

The first that holds is named: `unsolvable` (no plan is left), `dead` (nothing reachable differs), `shortcut`
(a shorter plan exists now), `neutral` (an old optimal plan still works and the optimum is equal), `trap` (no old plan
works and one ends where the goal is lost), `barrier` (no old plan works).
"""

from __future__ import annotations

from sandbox.certify.plans import carry_out
from sandbox.certify.solve import Solved
from sandbox.world.bits import holds
from sandbox.world.dynamics import Dynamics, Intent

MATTERS = ("barrier", "shortcut", "trap")
BLOCKED = 600
"""States in which an edited world must show a plan to count as blocked but solvable."""
_PAIRS = 3_000
_COMPARED = 250


def replayed(old: Solved, new: Solved) -> tuple[bool, list[int]]:
    """Whether some old optimal plan reaches the goal in the new world, and where the plans end in it."""
    goal = new.dynamics.goal(new.world.goal)
    graph = old.optimal
    if graph is None:
        return _replay_one(old, new)
    layers: dict[int, set[tuple[int, int]]] = {0: {(graph.start, new.dynamics.start)}}
    ends: set[int] = set()
    for depth in range(old.steps + 1):
        for before, state in sorted(layers.pop(depth, ())):
            moves = graph.moves.get(before, ())
            if not moves:
                ends.add(state)
            for intent, after in moves:
                reached = carry_out(new.dynamics, intent, state)[0]
                if all(holds(condition, reached) for condition in goal):
                    return True, []
                later = layers.setdefault(graph.depth[after], set())
                if len(later) < _PAIRS:
                    later.add((after, reached))
    return False, sorted(ends)


def _replay_one(old: Solved, new: Solved) -> tuple[bool, list[int]]:
    """The same for the one plan that is known of a world whose optimum is not proven."""
    goal, state = new.dynamics.goal(new.world.goal), new.dynamics.start
    for intent in old.intents:
        state = carry_out(new.dynamics, intent, state)[0]
        if all(holds(condition, state) for condition in goal):
            return True, []
    return False, [state]


def effect(old: Solved, new: Solved) -> str:
    """The effect of an edit of the rules."""
    if not new.solvable:
        return "unsolvable"
    if not differs(old.dynamics, new.dynamics, old.intents):
        return "dead"
    if new.steps < old.steps:
        return "shortcut"
    works, ends = replayed(old, new)
    if works and new.steps == old.steps:
        return "neutral"
    if not works and any(not new.alive(state) for state in ends[:8]):
        return "trap"
    return "barrier"


def matters(old: Solved, new: Solved) -> bool:
    """Whether an edit of the rules is a barrier, a trap or a shortcut (without naming which)."""
    works, _ = replayed(old, new)
    return new.solvable and (not works or new.steps < old.steps)


def blocks(old: Solved, new: Solved) -> bool:
    """Whether no old optimal plan works in the new world, but another plan does."""
    names = {name for name, _ in old.intents}
    before, after = old.dynamics, new.dynamics
    if before.rules.laws == after.rules.laws and all(before.actions[n] == after.actions[n] for n in names):
        return False
    works, _ = replayed(old, new)
    if works:
        return False
    guide = old.estimate if list(old.dynamics.ground.groups) == list(new.dynamics.ground.groups) else None
    return new.find(new.dynamics.start, BLOCKED, guide).steps is not None


def differs(old: Dynamics, new: Dynamics, plan: tuple[Intent, ...]) -> bool:
    """Whether some reachable state has a move that is accepted, or leads elsewhere, in only one of both.

    Walks both worlds in step, breadth first from the start and from the states of the plan, over at most
    a few hundred pairs of states.
    """
    same_bits = list(old.ground.groups) == list(new.ground.groups)
    if same_bits and old.start == new.start and not _unequal(old, new):
        return False
    queue = [(old.start, new.start)]
    a, b = old.start, new.start
    for intent in plan:
        a, b = carry_out(old, intent, a)[0], carry_out(new, intent, b)[0]
        queue.append((a, b))
    seen = set(queue)
    for a, b in queue:
        if not _alike(old, new, a, b, same_bits=same_bits):
            return True
        for intent in sorted({m.intent for m in (*old.room(a).moves, *new.room(b).moves)}):
            x, accepted = carry_out(old, intent, a)
            y, also = carry_out(new, intent, b)
            if accepted != also:
                return True
            if accepted and (x, y) not in seen:
                if not _alike(old, new, x, y, same_bits=same_bits):
                    return True
                if len(seen) < _COMPARED:
                    seen.add((x, y))
                    queue.append((x, y))
    return False


def _unequal(old: Dynamics, new: Dynamics) -> bool:
    """Whether any ground move or law of the two worlds is written differently."""
    for bit, room in old.rooms.items():
        other = new.rooms[bit]
        if room.moves != other.moves or room.steps != other.steps or room.events != other.events:
            return True
    return False


def _alike(old: Dynamics, new: Dynamics, a: int, b: int, *, same_bits: bool) -> bool:
    """Whether two states say the same about every function that both worlds can change."""
    if same_bits:
        return (a ^ b) & old.fact_mask == 0
    common = old.ground.groups.keys() & new.ground.groups.keys()
    return all(old.ground.value(*key, a) == new.ground.value(*key, b) for key in common)
