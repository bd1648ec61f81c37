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
_PAIRS = 3_000
_COMPARED = 250


def replayed(old: Solved, new: Solved) -> tuple[bool, list[int]]:
    """Whether some old optimal plan reaches the goal in the new world, and where the plans end in it."""
    goal = new.dynamics.goal(new.world.goal)
    pairs = {(old.dynamics.start & old.problem.keep, new.dynamics.start)}
    for layer in old.layers:
        later: set[tuple[int, int]] = set()
        for before, state in sorted(pairs):
            for intent, after in layer.moves.get(before, ()):
                reached = carry_out(new.dynamics, intent, state)[0]
                if all(holds(condition, reached) for condition in goal):
                    return True, []
                if len(later) < _PAIRS:
                    later.add((after, reached))
        pairs = later
    return False, sorted({state for _, state in pairs})


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
    if blocks(old, new):
        return True
    return new.solvable and new.steps < old.steps


def blocks(old: Solved, new: Solved) -> bool:
    """Whether no old optimal plan works in the new world, but another plan does."""
    works, _ = replayed(old, new)
    return not works and new.find(new.dynamics.start).steps is not None


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
