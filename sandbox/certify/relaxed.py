"""A quick guess at how far every fact is: the additive heuristic over all moves, once for a world.

Nothing is ever undone and each need is paid for by itself (h_add: Bonet and Geffner, "Planning as Heuristic
Search", Artificial Intelligence 129, 2001). The relaxed plans that it supports tell which deeds a goal takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from sandbox.certify.problem import WALK, Act, Everything
from sandbox.certify.search import FAR
from sandbox.world.bits import Change, Clause, Condition
from sandbox.world.dynamics import Intent

_PASSES = 12
_Row: TypeAlias = tuple[Act | str, tuple[int, ...], tuple[int, ...], int]
"""An act, or the family of a law; what it needs and achieves; the steps that it takes to wait."""


class Plan(NamedTuple):
    """A relaxed plan: its deeds, all its moves with their rooms, and the families whose laws it waits for."""

    deeds: frozenset[Intent]
    moves: frozenset[tuple[int, Intent]]
    laws: frozenset[str]


class Relaxed:
    """Costs of literals from the start, with the act or law that first achieves each at that cost."""

    def __init__(self, everything: Everything) -> None:
        self._start = everything.start
        self._cost: dict[int, int] = {}
        self._by: dict[int, tuple[Act | str, tuple[int, ...], int]] = {}
        rows: list[_Row] = [
            (act, _literals(act.want | act.room, act.need0), _literals(act.sets, act.clears), 0)
            for act in everything.acts
        ]
        for room, law in everything.laws:
            for clause in law.when:
                for change in law.changes:
                    rows += self._law_rows(room, law.family, clause, change)
        self._spread(rows)

    def _law_rows(self, room: int, family: str, when: Clause, change: Change) -> Iterator[_Row]:
        """A law's change; a counter takes a step of waiting for each value between the start's and the wanted one."""
        for clause in change.when:
            needs = _literals(when.want | clause.want | room, (when.mask & ~when.want) | (clause.mask & ~clause.want))
            if not change.group:
                yield family, needs, _literals(change.set, change.clear & ~change.set), 0
                continue
            now = (self._start & change.group).bit_length()
            for bit in _split(change.group):
                yield family, needs, (bit,), max(0, bit.bit_length() - now - 1)

    def _known(self, literal: int) -> int:
        holds = bool(self._start & literal) if literal > 0 else not self._start & -literal
        return 0 if holds else self._cost.get(literal, FAR)

    def _spread(self, rows: list[_Row]) -> None:
        known, cost, by = self._known, self._cost, self._by
        for _ in range(_PASSES):
            changed = False
            for act, needs, results, waits in rows:
                total = 1 + waits
                for need in needs:
                    total += known(need)
                if total >= FAR:
                    continue
                for result in results:
                    if known(result) > total:
                        cost[result], by[result] = total, (act, needs, waits)
                        changed = True
            if not changed:
                break

    def plan(self, condition: Condition) -> Plan | None:
        """A relaxed plan for a condition, or None if it cannot be met."""
        best = min(
            (clause for clause in condition),
            key=lambda c: sum(self._known(n) for n in _literals(c.want, c.mask & ~c.want)), default=None,
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
            act, needs, waits = self._by[literal]
            todo += needs
            moves |= {(literal, ("wait", (str(n),))) for n in range(waits)}
            if isinstance(act, Act):
                moves.add((act.room, act.intent))
            else:
                laws.add(act)
        return Plan(frozenset(i for _, i in moves if i[0] not in (WALK, "wait")), frozenset(moves), frozenset(laws))


def _literals(ones: int, zeros: int) -> tuple[int, ...]:
    return (*_split(ones), *(-bit for bit in _split(zeros)))


def _split(mask: int) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low
        mask ^= low
