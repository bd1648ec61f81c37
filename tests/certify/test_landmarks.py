"""The estimate of the search never says more steps than there are, and tells lost states only where the goal is lost."""

from __future__ import annotations

from heapq import heappop, heappush

import pytest

from sandbox.certify.pruned import Problem
from sandbox.certify.search import FAR, reached, successors
from sandbox.certify.solve import Solved
from sandbox.generate.content import content
from sandbox.generate.edits import alternatives, choice_of
from sandbox.world.keyed import Key
from sandbox.world.world import World
from tests.outside.effects import lost
from tests.outside.space import Space
from tests.outside.tally import Tally, TooLarge
from tests.outside.worlds import built, drawn, other_values, variant

LIMIT = 25_000


def distances(problem: Problem, start: int, limit: int = LIMIT) -> dict[int, int]:
    """The states of a pruned problem with the least number of commands to the goal, found backwards; FAR where it is
    lost.

    Raises TooLarge after `limit` states.
    """
    start &= problem.keep
    before: dict[int, list[tuple[int, int]]] = {start: []}
    queue = [start]
    for state in queue:
        for _, new, cost in successors(problem, state):
            if new not in before:
                before[new] = []
                queue.append(new)
            before[new].append((state, cost))
        if len(before) > limit:
            raise TooLarge(limit)
    found = dict.fromkeys(queue, FAR)
    heap = [(0, state) for state in queue if reached(problem.goal, state)]
    while heap:
        depth, state = heappop(heap)
        if depth < found[state]:
            found[state] = depth
            for earlier, cost in before[state]:
                heappush(heap, (depth + cost, earlier))
    return found


def overestimated(world: World) -> list[tuple[int, int, int]]:
    """States for which the estimate says more than the true distance, with both.

    Raises TooLarge for a world of too many states.
    """
    solved = Solved(world)
    known = distances(solved.problem, solved.dynamics.start)
    return [(state, said, left) for state, left in known.items() if (said := solved.estimate(state)) > left]


@pytest.mark.parametrize("four", range(3))
def test_the_estimate_is_a_lower_bound_in_every_state(four: int) -> None:
    """Against the distances of a search through the whole pruned problem, backwards from all goal states."""
    tally = Tally()
    for number in range(4 * four, 4 * four + 4):
        with tally.case():
            assert overestimated(built(f"tiny/{number}").world) == [], number
    tally.check(0.5)


@pytest.mark.parametrize("four", range(3))
def test_it_is_one_under_rules_and_goals_that_nobody_made_to_fit(four: int) -> None:
    """The same with all slots of rules and grammar drawn anew, and with goals that may be out of reach."""
    tally = Tally()
    for number in range(4 * four, 4 * four + 4):
        world = drawn("tiny", f"landmark {number}")
        other = variant(world, other_values(world, Key("landmarks", number), ("rules", "grammar")))
        for fact in world.goal:
            with tally.case():
                assert overestimated(other.with_(goal=(fact,))) == [], fact
    tally.check(0.5)


@pytest.mark.sweep
@pytest.mark.parametrize("ten", range(20))
def test_it_is_one_in_two_hundred_worlds_and_their_edits(ten: int) -> None:
    """Tiny worlds 0 to 199 with one edit each."""
    tally = Tally()
    for number in range(10 * ten, 10 * ten + 10):
        world = built.__wrapped__(f"tiny/{number}").world
        edits = list(alternatives(choice_of(content(), world), "rules"))
        slot, value = Key("landmark edits", number).stream().choice(edits)
        for other in (world, variant(world, {slot.full: value})):
            with tally.case():
                assert overestimated(other) == [], (number, slot.full, value)
    tally.check(0.5)


@pytest.mark.parametrize("number", range(10))
def test_a_state_is_called_lost_exactly_if_it_is(number: int) -> None:
    """25 drawn states of a world: whether the goal can still be reached, as search over everything finds."""
    world = variant(built(f"tiny/{number}").world, {"grammar/protocol": "direct"})
    space, solved = Space(world), Solved(world)
    states = list(space.reached(20_000).depths)
    tally = Tally()
    for state in Key("lost", number).stream().shuffled(states)[:25]:
        with tally.case():
            assert solved.alive(state) == (not lost(space, state, 40_000)), f"{state:x}"
    tally.check(0.35)
