"""All optimal plans of a world as one graph, and the path of a plan through the world."""

from __future__ import annotations

from typing import NamedTuple

from sandbox.certify.pruned import Problem
from sandbox.certify.search import Result, reached, successors
from sandbox.world.dynamics import Dynamics, Intent


class Graph(NamedTuple):
    """Optimal plans as a graph of pruned states: the moves out of each state, and its depth in commands."""

    start: int
    moves: dict[int, tuple[tuple[Intent, int], ...]]
    depth: dict[int, int]


def optimal_graph(problem: Problem, start: int, result: Result) -> Graph:
    """Every state and move of every optimal plan."""
    assert result.steps is not None
    depth = result.graph
    start &= problem.keep
    out: dict[int, list[tuple[Intent, int]]] = {}
    order = [start]
    for state in order:
        if state in out:
            continue
        out[state] = []
        for act, new, cost in successors(problem, state):
            if depth.get(new) == depth[state] + cost <= result.steps:
                out[state].append((act.intent, new))
                order.append(new)
    good = {s for s in out if depth[s] == result.steps and reached(problem.goal, s)}
    moves = {}
    for state in sorted(out, key=lambda s: -depth[s]):
        kept = tuple((intent, new) for intent, new in out[state] if new in good)
        if kept:
            moves[state] = kept
            good.add(state)
    return Graph(start, moves, {state: depth[state] for state in good})


def carry_out(dynamics: Dynamics, intent: Intent, state: int) -> tuple[int, bool]:
    """The state after an intent in the whole world, and whether it was accepted."""
    move = dynamics.room(state).move(intent)
    if not move.ready(state):
        return state, False
    return dynamics.after(state, move), True


def path(dynamics: Dynamics, intents: tuple[Intent, ...]) -> list[int]:
    """The whole states along a plan, the start first."""
    states = [dynamics.start]
    for intent in intents:
        states.append(carry_out(dynamics, intent, states[-1])[0])
    return states
