"""A quick guess at how far every fact is: the additive heuristic over all moves, once for a world.

Nothing is ever undone and each need is paid for by itself (h_add: Bonet and Geffner, "Planning as Heuristic
Search", Artificial Intelligence 129, 2001). The relaxed plans that it supports tell which deeds a goal takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from sandbox.certify.problem import Everything
from sandbox.certify.pruned import WALK, Act, bits
from sandbox.certify.search import FAR
from sandbox.world.bits import Change, Clause, Condition
from sandbox.world.dynamics import Intent

_Row: TypeAlias = tuple[Act | str, int, int, int, int, int]
"""An act, or the family of a law; bits that it needs set and clear, and that it sets and clears; steps of waiting."""


class Plan(NamedTuple):
    """A relaxed plan: its deeds, all its moves with their rooms, and the families whose laws it waits for."""

    deeds: frozenset[Intent]
    moves: frozenset[tuple[int, Intent]]
    laws: frozenset[str]


class Relaxed:
    """Costs of literals from the start, with the act or law that first achieves each at that cost.

    Only what is covered of everything counts, and nothing that costs more than `most`.
    """

    def __init__(self, everything: Everything, most: int = FAR) -> None:
        self._start, self._most = everything.start, most
        self._cost: dict[int, int] = {}
        self._by: dict[int, _Row] = {}
        rows: list[_Row] = [
            (act, act.want | act.room, act.mask & ~act.want, act.sets, act.clears, 0) for act in everything.covered
        ]
        for room, law in everything.covered_laws:
            for clause in law.when:
                for change in law.changes:
                    rows += self._law_rows(room, law.family, clause, change)
        self._spread(rows)

    def _law_rows(self, room: int, family: str, when: Clause, change: Change) -> Iterator[_Row]:
        """A law's change; a counter takes a step of waiting for each value between the start's and the wanted one."""
        for clause in change.when:
            ones = when.want | clause.want | room
            zeros = (when.mask & ~when.want) | (clause.mask & ~clause.want)
            if not change.group:
                yield family, ones, zeros, change.set, change.clear & ~change.set, 0
                continue
            now = (self._start & change.group).bit_length()
            for bit in bits(change.group):
                yield family, ones, zeros, bit, 0, max(0, bit.bit_length() - now - 1)

    def _known(self, literal: int) -> int:
        holds = bool(self._start & literal) if literal > 0 else not self._start & -literal
        return 0 if holds else self._cost.get(literal, FAR)

    def _spread(self, rows: list[_Row]) -> None:
        """The cheapest literal first; a row waits for one literal that it lacks, then is looked at again."""
        start, cost, by = self._start, self._cost, self._by
        had1, had0 = start, ~start
        waiting: dict[int, list[_Row]] = {}
        best: dict[int, int] = {}
        heap: list[tuple[int, int]] = []
        todo = rows
        while True:
            for row in todo:
                _, ones, zeros, sets, clears, waits = row
                new1, new0 = sets & ~had1, clears & ~had0
                if not (new1 or new0):
                    continue
                lacks = _lowest(ones & ~had1) or -_lowest(zeros & ~had0)
                if lacks:
                    waiting.setdefault(lacks, []).append(row)
                    continue
                total = 1 + waits + sum(cost[literal] for literal in _literals(ones & ~start, zeros & start))
                for literal in _literals(new1, new0) if total <= self._most else ():
                    if total < best.get(literal, FAR):
                        best[literal], by[literal] = total, row
                        heappush(heap, (total, literal))
            while heap and heap[0][1] in cost:
                heappop(heap)
            if not heap:
                return
            total, literal = heappop(heap)
            cost[literal] = total
            had1, had0 = had1 | max(literal, 0), had0 | max(-literal, 0)
            todo = waiting.pop(literal, [])

    def cost(self, condition: Condition) -> int:
        """What a condition costs; FAR if it cannot be met."""
        return min((sum(self._known(n) for n in _literals(c.want, c.mask & ~c.want)) for c in condition), default=FAR)

    def plan(self, condition: Condition) -> Plan | None:
        """A relaxed plan for a condition, or None if it cannot be met."""
        best = min(
            condition, key=lambda c: sum(self._known(n) for n in _literals(c.want, c.mask & ~c.want)), default=None,
        )
        if best is None:
            return None
        moves: set[tuple[int, Intent]] = set()
        laws: set[str] = set()
        todo = list(_literals(best.want, best.mask & ~best.want))
        seen: set[int] = set()
        while todo:
            literal = todo.pop()
            if literal in seen or self._known(literal) == 0:
                continue
            seen.add(literal)
            if literal not in self._by:
                return None
            act, ones, zeros, _, _, waits = self._by[literal]
            todo += _literals(ones, zeros)
            moves |= {(literal, ("wait", (str(n),))) for n in range(waits)}
            if isinstance(act, Act):
                moves.add((act.room, act.intent))
            else:
                laws.add(act)
        return Plan(frozenset(i for _, i in moves if i[0] not in (WALK, "wait")), frozenset(moves), frozenset(laws))


def _lowest(mask: int) -> int:
    return mask & -mask


def _literals(ones: int, zeros: int) -> tuple[int, ...]:
    return (*bits(ones), *(-bit for bit in bits(zeros)))
