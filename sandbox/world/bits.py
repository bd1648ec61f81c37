"""Conditions and changes on a state held as one integer.

Every changeable function value owns bits: one for a yes-or-no fact, one per value otherwise (exactly one
of them is set). A *clause* is a conjunction of bit tests; a *condition* is a disjunction of clauses, so
`()` is false and `(ALWAYS,)` true. A *change* clears and sets bits or moves a counter. What depends on some
bits only is worked out once for each of their values: a `Memo`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Generic, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
MOST_CLAUSES = 20_000
_FULL = 1_000
"""Values after which a memo is emptied: a world can be played for ever, its memory is finite."""


class Card(NamedTuple):
    """A cardinality test: the summed weight of set bits compared with a bound."""

    weighed: tuple[tuple[int, int], ...]
    at_most: bool
    bound: int

    def holds(self, state: int) -> bool:
        """Whether the sum keeps to the bound."""
        total = 0
        for weight, mask in self.weighed:
            total += weight * (state & mask).bit_count()
        return total <= self.bound if self.at_most else total >= self.bound


class Clause(NamedTuple):
    """`state & mask == want`, and every cardinality test."""

    mask: int
    want: int
    cards: tuple[Card, ...] = ()


Condition: TypeAlias = tuple[Clause, ...]
ALWAYS = Clause(0, 0)
FALSE: Condition = ()
TRUE: Condition = (ALWAYS,)


class Change(NamedTuple):
    """Where `when` holds before the rule: clear, then set bits; or move the counter in `group`."""

    when: Condition
    clear: int
    set: int
    group: int = 0
    delta: int = 0


def holds(condition: Condition, state: int) -> bool:
    """Whether the condition is true in the state."""
    for mask, want, cards in condition:
        if state & mask == want:
            if not cards:
                return True
            if all(card.holds(state) for card in cards):
                return True
    return False


def all_hold(conditions: Iterable[Condition], state: int) -> bool:
    """Whether every condition is true in the state."""
    for condition in conditions:  # noqa: SIM110  # a generator costs more than the tests: this runs in every step
        if not holds(condition, state):
            return False
    return True


def reads(condition: Condition) -> int:
    """The bits that a condition depends on."""
    bits = 0
    for mask, _, cards in condition:
        bits |= mask
        for card in cards:
            for _, weighed in card.weighed:
                bits |= weighed
    return bits


class TooManyClauses(Exception):
    """A conjunction that would have more clauses than MOST_CLAUSES; `count` is how many."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} clauses")
        self.count = count


def both(left: Condition, right: Condition) -> Condition:
    """The conjunction of two conditions; contradictory clauses are dropped. Raises TooManyClauses."""
    if not left or not right:
        return FALSE
    if left == TRUE:
        return right
    if right == TRUE:
        return left
    if len(left) * len(right) > MOST_CLAUSES:
        raise TooManyClauses(len(left) * len(right))
    return tuple(dict.fromkeys([
        Clause(a_mask | b_mask, a_want | b_want, a_cards + b_cards)
        for a_mask, a_want, a_cards in left
        for b_mask, b_want, b_cards in right
        if not (a_mask & b_mask) & (a_want ^ b_want)
    ]))


def either(parts: Iterable[Condition]) -> Condition:
    """The disjunction of conditions, without repeats."""
    found = dict.fromkeys(chain.from_iterable(parts))
    return TRUE if ALWAYS in found else tuple(found)


def bit_is(bit: int, value: bool) -> Condition:
    """The test of a single bit."""
    return (Clause(bit, bit if value else 0),)


def apply(changes: Iterable[Change], state: int) -> int:
    """The state after all changes; every condition and counter is read from the state before."""
    new = state
    for when, clear, put, group, delta in changes:
        if when is not TRUE and not holds(when, state):
            continue
        new = new & ~group | moved(state & group, group, delta) if group else new & ~clear | put
    return new


def moved(value: int, group: int, delta: int) -> int:
    """A counter's one set bit moved within its group, stopping at the ends."""
    low = group & -group
    top = 1 << (group.bit_length() - 1)
    shifted = value << delta if delta >= 0 else value >> -delta
    if shifted & group:
        return shifted & group
    return top if delta >= 0 else low


class Memo(Generic[T]):
    """A pure function of the state that depends on the bits of `mask` only, remembered for each of their values."""

    __slots__ = ("_found", "_make", "mask")

    def __init__(self, mask: int, make: Callable[[int], T]) -> None:
        self.mask, self._make = mask, make
        self._found: dict[int, T] = {}

    def at(self, state: int) -> T:
        """Its value in a state."""
        key = state & self.mask
        found = self._found.get(key)
        if found is None:
            if len(self._found) > _FULL:
                self._found.clear()
            found = self._found[key] = self._make(state)
        return found

    def clear(self) -> None:
        """Forget every value."""
        self._found.clear()


class Table(Memo[T]):
    """A function of the state whose values were all worked out beforehand: nothing is forgotten."""

    __slots__ = ()

    def __init__(self, mask: int, settings: Iterable[int], make: Callable[[int], T]) -> None:
        super().__init__(mask, make)
        self._found = {setting: make(setting) for setting in settings}

    def at(self, state: int) -> T:
        """Its value in a state."""
        return self._found[state & self.mask]

    def clear(self) -> None:
        """Nothing is forgotten."""


class Memos:
    """The memos of one owner, forgotten together."""

    def __init__(self) -> None:
        self._clears: list[Callable[[], None]] = []

    def new(self, mask: int, make: Callable[[int], T]) -> Memo[T]:
        """A memo of a function of the bits of `mask`."""
        memo = Memo(mask, make)
        self._clears.append(memo.clear)
        return memo

    def clear(self) -> None:
        """Forget every value of every memo."""
        for clear in self._clears:
            clear()
