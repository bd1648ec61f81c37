"""All optimal plans of a world as one layered graph, and the paths of a plan through it."""

from __future__ import annotations

from typing import NamedTuple

from sandbox.certify.problem import Act, Problem
from sandbox.certify.search import Result, reached, successors
from sandbox.world.dynamics import Dynamics, Intent


class Layer(NamedTuple):
    """The states of optimal plans after a number of steps, with the optimal moves out of each."""

    moves: dict[int, tuple[tuple[Intent, int], ...]]


def optimal_layers(problem: Problem, start: int, result: Result) -> tuple[Layer, ...]:
    """Layer k holds every state that some optimal plan visits after k steps (pruned states)."""
    assert result.steps is not None
    depth = result.graph
    start &= problem.keep
    edges: list[dict[int, list[tuple[Act, int]]]] = []
    front = {start}
    for k in range(result.steps):
        layer: dict[int, list[tuple[Act, int]]] = {}
        for state in sorted(front):
            layer[state] = [
                (act, new) for act, new in successors(problem, state)
                if depth.get(new) == k + 1
            ]
        edges.append(layer)
        front = {new for out in layer.values() for _, new in out}
    good = {state for state in front if reached(problem.goal, state)}
    layers: list[Layer] = []
    for layer in reversed(edges):
        moves = {}
        for state, out in layer.items():
            kept = tuple((act.intent, new) for act, new in out if new in good)
            if kept:
                moves[state] = kept
        layers.append(Layer(moves))
        good = set(moves)
    return tuple(reversed(layers))


def carry_out(dynamics: Dynamics, intent: Intent, state: int) -> tuple[int, bool]:
    """The state after an intent in the whole world, and whether it was accepted."""
    name, args = intent
    if name == "select":
        return state & ~dynamics.selected_mask | dynamics.selected[args[0]], True
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
