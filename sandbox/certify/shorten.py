"""A plan that was found greedily made shorter: without the acts that it can do without, and its acts in a better order.

First each act is left out that is not missed (action elimination: Nakhost and Müller, "Action Elimination and Plan
Neighborhood Graph Search", ICAPS 2010). Then a shortest plan is sought among those of the same acts and any walking.
"""

from __future__ import annotations

from sandbox.certify.landmarks import Landmarks
from sandbox.certify.pruned import Act, Problem
from sandbox.certify.search import Result, reached, search, successors

ORDERS = 600
"""States explored for a better order."""


def shortened(problem: Problem, start: int, plan: Result) -> Result:
    """A plan of the same problem that is no longer, with the rest of what the search found as it was."""
    acts, steps = plan.acts, plan.steps
    if steps is None:
        return plan
    number = len(acts)
    while number:
        number -= 1
        fewer = _steps(problem, start, rest := acts[:number] + acts[number + 1:])
        if fewer is not None and fewer < steps:
            acts, steps, number = rest, fewer, min(number, len(rest))
    own = _of(problem, acts)
    best = search(own, start, ORDERS, Landmarks(own).estimate, every=False, longest=steps - 1)
    if best.steps is not None:
        acts, steps = best.acts, best.steps
    return plan._replace(acts=acts, steps=steps, explored=plan.explored + best.explored,
                         generated=plan.generated + best.generated)


def _steps(problem: Problem, start: int, acts: tuple[Act, ...]) -> int | None:
    """The commands that a plan takes; None if it does not work."""
    state, steps = start & problem.keep, 0
    for act in acts:
        made = next(((new, cost) for one, new, cost in successors(problem, state) if one.intent == act.intent), None)
        if made is None:
            return None
        state, steps = made[0], steps + made[1]
    return steps if reached(problem.goal, state) else None


def _of(problem: Problem, acts: tuple[Act, ...]) -> Problem:
    """The problem with some acts only, in any room, and those that lead to another room."""
    intents = {act.intent for act in acts}
    rooms = {}
    for bit, rules in problem.rooms.items():
        rows = tuple(row for row in rules.rows if row[-1].intent in intents or row[-1].sets & problem.here)
        rooms[bit] = rules._replace(rows=rows)
    return problem._replace(rooms=rooms)
