"""A pruned transition system: the moves and laws that can matter for a goal, as the search reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sandbox.world.bits import TRUE, Card, Change, Clause, Condition, Memo, reads
from sandbox.world.dynamics import Dynamics, Intent, run_laws, touched
from sandbox.world.ground import GroundLaw

WALK = "go"


class Act(NamedTuple):
    """A move as the search sees it: in one room, one conjunction of its needs, `state & mask == want`.

    `own` are the needs on functions that the move itself changes, `parts` its conditional changes. `select` is
    the selection that a focus protocol asks for first: an unselected thing costs one more command. Selecting
    right before acting loses nothing, since what is acted on is in reach by then. A `settled` move changes one
    function, always in the same way: what it asks for never depends on what else is wanted. `cost` is the number
    of commands that it takes, selecting left out.
    """

    room: int
    intent: Intent
    mask: int
    want: int
    cards: tuple[Card, ...]
    clear: int
    put: int
    changes: tuple[Change, ...]
    sets: int
    clears: int
    parts: tuple[Part, ...]
    own: int
    select: int
    settled: bool
    cost: int = 1

    @property
    def need0(self) -> int:
        """The bits that must be clear."""
        return self.mask & ~self.want


class Part(NamedTuple):
    """One conditional change: what it sets and clears, and the literals and limits of its condition."""

    sets: int
    clears: int
    when1: int
    when0: int
    cards: tuple[Card, ...]


Row: TypeAlias = tuple[int, int, int, int, bool, Act]


class RoomRules(NamedTuple):
    """What can be done and what happens by itself while the player is in a room.

    `rows` are the acts as the search reads them: mask, want, the bits that stay, the bits that are set, whether
    that is all there is to it, and the act. `laws` are the bits that steps and events touch, after they ran.
    """

    rows: tuple[Row, ...]
    steps: tuple[GroundLaw, ...]
    events: tuple[GroundLaw, ...]
    laws: Memo[int] | None

    @property
    def acts(self) -> tuple[Act, ...]:
        """The moves."""
        return tuple(row[-1] for row in self.rows)


class Problem(NamedTuple):
    """A pruned transition system: rules by room bit, the bits that are kept, and the goal.

    `groups` are the bits of the function that a bit belongs to, by the bit's length. It is `whole` unless moves were
    left out that might make a plan shorter: then nothing is proven by what it lacks.
    """

    rooms: dict[int, RoomRules]
    keep: int
    here: int
    goal: tuple[Condition, ...]
    groups: Sequence[int]
    unselect: int
    whole: bool


# --- how they are made ----------------------------------------------------------------------------
def part_of(change: Change, extra: Condition = TRUE) -> Part:
    """A change with the literals of its condition; a counter reads and writes its whole group."""
    when1 = when0 = 0
    cards: tuple[Card, ...] = ()
    for clause in (*change.when, *extra):
        when1, when0 = when1 | clause.want, when0 | clause.mask & ~clause.want
        cards += clause.cards
    group = change.group
    return Part(change.set | group, change.clear & ~change.set | group, when1 | group, when0 | group, cards)


def law_parts(law: GroundLaw) -> tuple[Part, ...]:
    """The changes of a law, each with the condition of the law."""
    return tuple(part_of(change, law.when) for change in law.changes)


def union(parts: Iterable[Part]) -> tuple[int, int]:
    """The bits that any of them sets and clears."""
    sets = clears = 0
    for part in parts:
        sets, clears = sets | part.sets, clears | part.clears
    return sets, clears


def unlimited(act: Act) -> Act:
    """The act without limits that cannot be reached."""
    if not act.cards and not any(part.cards for part in act.parts):
        return act
    changes = tuple(c for c in act.changes if not any(clause.cards for clause in c.when))
    return act._replace(cards=(), changes=changes or (Change(TRUE, 0, 0),) if act.changes else ())


def assemble(
    dynamics: Dynamics, kept: Sequence[Act], laws: Sequence[tuple[int, GroundLaw]],
    goal: tuple[Condition, ...],
) -> Problem:
    """The problem of a goal, of the acts and laws (each with the bit of its room) that are kept for it."""
    here = dynamics.here_mask
    rows: dict[int, list[Row]] = {}
    for act in kept:
        rows.setdefault(act.room, []).append(_row(act))
    ruled: dict[int, list[GroundLaw]] = {}
    for bit, law in laws:
        ruled.setdefault(bit, []).append(law)
    rooms: dict[int, RoomRules] = {}
    for bit, room in dynamics.rooms.items():
        mine = ruled.get(bit, [])
        ticking = {id(law) for law in room.steps} if mine else set()
        steps = tuple(law for law in mine if id(law) in ticking)
        events = tuple(law for law in mine if id(law) not in ticking)
        rooms[bit] = RoomRules(tuple(rows.get(bit, ())), steps, events, _remembered(rooms, here, steps, events))
    keep, unselect = _kept_bits(kept, laws, goal) | here, ~dynamics.selected_mask
    return Problem(rooms, keep, here, goal, dynamics.ground.group_at, unselect, whole=True)


def _remembered(
    rooms: Mapping[int, RoomRules], here: int, steps: tuple[GroundLaw, ...], events: tuple[GroundLaw, ...]
) -> Memo[int] | None:
    """What laws make of a state, once for each value of the bits that they touch."""
    mask = touched((*steps, *events), here)
    return Memo(mask, lambda state: run_laws(steps, rooms, here, state) & mask) if mask else None


def _kept_bits(kept: Sequence[Act], laws: Sequence[tuple[int, GroundLaw]], goal: Sequence[Condition]) -> int:
    """The bits that something kept reads."""
    found = 0
    for condition in (*goal, *(law.when for _, law in laws)):
        found |= reads(condition)
    for act in kept:
        found |= act.select | reads((Clause(act.mask, act.want, act.cards),))
    for change in (*(c for _, law in laws for c in law.changes), *(c for act in kept for c in act.changes)):
        found |= change.group | reads(change.when)
    return found


def _row(act: Act) -> Row:
    plain = not (act.cards or act.changes or act.select or act.cost > 1)
    return act.mask, act.want, ~act.clear, act.put, plain, act


def bits(mask: int) -> Iterator[int]:
    """The single bits of a mask, from the lowest."""
    while mask:
        low = mask & -mask
        yield low
        mask ^= low
