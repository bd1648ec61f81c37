"""How far a goal is when nothing is ever undone: the guide of the search for a plan (FF, Hoffmann and Nebel 2001)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Row: TypeAlias = tuple[int, int, int, int]
"""Its number, the bits that it needs, those that it brings about, and its deed."""
Waiting: TypeAlias = dict[int, list[Row]]
"""Rows by one bit that each of them lacks: a row is looked at again only when that bit is reached."""


class Relaxed:
    """Distances to one goal, from rows of (needed bits, bits brought about, deed) and the costs of the deeds."""

    def __init__(self, rows: Iterable[tuple[int, int, int]], goal: int, costs: Sequence[int]) -> None:
        self._rows, self._goal, self._costs = _towards(goal, rows), goal, costs

    def distance(self, state: int) -> tuple[int, set[int]] | None:
        """The cost of a plan in which nothing is ever undone, and its deeds; None when that does not reach the goal."""
        came: dict[int, tuple[int, int]] = {}
        waiting: Waiting = {}
        ready = _sift([row for row in self._rows if row[2] & ~state], state, waiting)
        reached = state
        while reached & self._goal != self._goal:
            gained = _gain(ready, reached, came)
            if not gained:
                return None
            reached |= gained
            ready = []
            while gained:
                bit = gained & -gained
                gained ^= bit
                if bit in waiting:
                    ready += _sift(waiting.pop(bit), reached, waiting)
            ready.sort()
        return self._cost(came, self._goal & ~state, state)

    def _cost(self, came: dict[int, tuple[int, int]], need: int, state: int) -> tuple[int, set[int]]:
        used: set[int] = set()
        done = state
        total = 0
        while need:
            bit = need & -need
            need ^= bit
            if done & bit:
                continue
            done |= bit
            pre, i = came[bit]
            if i not in used:
                used.add(i)
                total += self._costs[i]
            need |= pre & ~done
        return total, used


def _sift(rows: list[Row], reached: int, waiting: Waiting) -> list[Row]:
    """The rows that lack nothing; the others are left waiting."""
    ready = []
    for row in rows:
        lack = row[1] & ~reached
        if not lack:
            ready.append(row)
        elif (bit := lack & -lack) in waiting:
            waiting[bit].append(row)
        else:
            waiting[bit] = [row]
    return ready


def _gain(ready: list[Row], reached: int, came: dict[int, tuple[int, int]]) -> int:
    """The new bits that some rows bring about; the first row that does is remembered for each."""
    fresh = reached
    for _, pre, on, i in ready:
        new = on & ~fresh
        fresh |= on
        while new:
            bit = new & -new
            new ^= bit
            came[bit] = pre, i
    return fresh & ~reached


def _towards(goal: int, rows: Iterable[tuple[int, int, int]]) -> list[Row]:
    """The rows that can help to reach a goal, numbered as they come."""
    wanted, rest, found = goal, [(number, *row) for number, row in enumerate(rows)], list[Row]()
    known = -1
    while len(found) > known:
        known, later = len(found), []
        for row in rest:
            if row[2] & wanted:
                wanted |= row[1]
                found.append(row)
            else:
                later.append(row)
        rest = later
    return sorted(found)
