"""The effect of an edit by its definition: search over everything, and every optimal plan of the old world replayed."""

from __future__ import annotations

from sandbox.world.dynamics import Intent
from tests.outside.space import Space
from tests.outside.tally import TooLarge


def optimal_moves(space: Space, limit: int) -> dict[int, list[tuple[Intent, int]]]:
    """For every state on some shortest plan, the moves that lie on one."""
    depths, layers = {space.start: 0}, [[space.start]]
    edges: list[dict[int, list[tuple[Intent, int]]]] = []
    while not any(space.solved(state) for state in layers[-1]):
        edges.append({})
        later: list[int] = []
        for state in layers[-1]:
            for intent, new in space.moves(state):
                if new not in depths:
                    depths[new] = len(layers)
                    later.append(new)
                if depths[new] == len(layers):
                    edges[-1].setdefault(state, []).append((intent, new))
        if len(depths) > limit or not later:
            raise TooLarge(limit)
        layers.append(later)
    good = {state for state in layers[-1] if space.solved(state)}
    moves: dict[int, list[tuple[Intent, int]]] = {}
    for layer in reversed(edges):
        kept = {state: [(i, new) for i, new in out if new in good] for state, out in layer.items()}
        kept = {state: out for state, out in kept.items() if out}
        moves |= kept
        good = set(kept)
    return moves


def replayed(old: Space, new: Space, limit: int) -> tuple[bool, set[int]]:
    """Whether some shortest plan of the old world reaches the goal in the new one, and where the others end in it.

    A command that is refused changes nothing, and the plan goes on.
    """
    moves = optimal_moves(old, limit)
    pairs, ends = {(old.start, new.start)}, set[int]()
    while pairs:
        later: set[tuple[int, int]] = set()
        for before, state in pairs:
            if before not in moves:
                ends.add(state)
            for intent, after in moves.get(before, ()):
                move = new.dynamics.room(state).move(intent)
                reached = new.dynamics.after(state, move) if move.ready(state) else state
                if new.solved(reached):
                    return True, set()
                later.add((after, reached))
        if len(later) > limit:
            raise TooLarge(limit)
        pairs = later
    return False, ends


def lost(space: Space, state: int, limit: int) -> bool:
    """Whether the goal is out of reach from a state."""
    seen, queue = {state}, [state]
    for at in queue:
        if space.solved(at):
            return False
        for _, new in space.moves(at):
            if new not in seen:
                seen.add(new)
                queue.append(new)
        if len(seen) > limit:
            raise TooLarge(limit)
    return True


def effect(old: Space, new: Space, limit: int = 60_000) -> str:
    """`unsolvable`, `shortcut`, `neutral`, `trap` or `barrier`, the first that holds (`dead` is told apart elsewhere)."""
    before, after = old.shortest(limit), new.shortest(limit)
    assert before is not None
    if after is None:
        return "unsolvable"
    if after < before:
        return "shortcut"
    works, ends = replayed(old, new, limit)
    if works:
        return "neutral" if after == before else "barrier"
    return "trap" if any(lost(new, end, limit) for end in ends) else "barrier"
