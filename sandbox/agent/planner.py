"""Plans over learned operators: from what is believed to what is wanted.

Search is best-first with the length of a relaxed plan (what hinders left out) as its guide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Final

from sandbox.agent.belief import HELD, Belief
from sandbox.agent.grounding import Deed, Fact, Grounding
from sandbox.agent.relaxed import Relaxed

EXPANSIONS: Final = 250
WORK: Final = 300_000
"""Rows that all states of one search may have together: where much is known, each has thousands, and it gives up."""
PREFERRED: Final = 6
"""What it is worth that a deed is part of a relaxed plan."""


class Planner(Grounding):
    """Searches over what was ground."""

    # --- state ----------------------------------------------------------------------------------
    def state(self, belief: Belief) -> int:
        """The bits of what is believed now, as far as any deed or goal reads them."""
        state = self.bits.get(("at", belief.at), 0)
        for name, where in belief.place.items():
            state |= self.bits.get(("held", name) if where == HELD else ("in", name, where), 0)
        for (what, *rest), bit in self.bits.items():
            if what in ("word", "not"):
                said = rest[1] in belief.words.get(rest[0], frozenset())
                state |= bit if said == (what == "word") else 0
        return state

    def want(self, facts: Iterable[Fact]) -> int:
        """The bits of wanted facts."""
        wanted = 0
        for fact in facts:
            if fact[0] in ("word", "not"):
                yes, no = self._pair(fact[1], fact[2])
                wanted |= yes if fact[0] == "word" else no
            else:
                wanted |= self.bit(*fact)
        return wanted

    # --- search ---------------------------------------------------------------------------------
    def plan(self, start: int, goal: int, limit: int = EXPANSIONS) -> list[Deed] | None:
        """Deeds that lead from `start` to all bits of `goal`, as few as a greedy search finds; None without any.

        How far a state is from the goal is asked when its turn comes, not when it is met; deeds of the relaxed plan
        are followed first (preferred operators and deferred evaluation; Helmert 2006).
        """
        relaxed = Relaxed(self._rows, goal, [deed.cost for deed in self.deeds])
        queue: list[tuple[int, int, int]] = [(0, 0, start)]
        came: dict[int, tuple[int, Deed] | None] = {start: None}
        cost = {start: 0}
        deeds = [(deed.pre, i, deed) for i, deed in enumerate(self.deeds) if not deed.pre & self._impossible]
        tick, limit = 0, min(limit, WORK // max(1, len(self._rows)))
        for _ in range(limit):
            if not queue:
                return None
            _, _, state = heappop(queue)
            self.expanded += 1
            if state & goal == goal:
                return _path(came, state)
            found = relaxed.distance(state)
            if found is None:
                continue
            far, useful = found
            for pre, i, deed in deeds:
                if state & pre != pre:
                    continue
                new = self.after(state, deed)
                if new is None or new == state:
                    continue
                spent = cost[state] + deed.cost
                if new in cost and cost[new] <= spent:
                    continue
                cost[new], came[new] = spent, (state, deed)
                tick += 1
                heappush(queue, (spent + 3 * far - (PREFERRED if i in useful else 0), tick, new))
        return None

    def after(self, state: int, deed: Deed) -> int | None:
        """The state that a deed leads to; None when it is expected to be refused."""
        if deed.free and state & self._held:
            return None
        on = off = 0
        for under, set_, clear in deed.rows:
            if state & under == under:
                on, off = on | set_, off | clear
        taken = on & self._held & ~state
        if taken:
            held = state & self._held
            if held.bit_count() >= self.rules.capacity:
                return None
            if any(held & load == load for load in deed.loads):
                return None
        return (state & ~off) | on


def _path(came: dict[int, tuple[int, Deed] | None], state: int) -> list[Deed]:
    steps: list[Deed] = []
    while (step := came[state]) is not None:
        state, deed = step
        steps.append(deed)
    return steps[::-1]


def route(ways: Mapping[str, Sequence[str]], start: str, targets: set[str]) -> list[str] | None:
    """The rooms to go through from `start` to the nearest of `targets`, first those entered first; [] when there."""
    if start in targets:
        return []
    came: dict[str, str] = {start: start}
    queue = [start]
    for room in queue:
        for to in ways.get(room, ()):
            if to in came:
                continue
            came[to] = room
            if to in targets:
                path = [to]
                while came[path[-1]] != start:
                    path.append(came[path[-1]])
                return path[::-1]
            queue.append(to)
    return None
