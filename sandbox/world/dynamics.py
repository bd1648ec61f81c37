"""The compiled transition system: ground actions as masks, laws, goals; no text.

`Dynamics` is what both the engine (which adds text) and the search (which needs none) run on. A state is
one integer: the facts, then one bit per object that was examined, then one that is selected. The order of
a step: the action's changes, each-step rules once, then events round by round until nothing changes,
each ground event at most once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeAlias

from sandbox.world.bits import TRUE, Change, Condition, Memo, all_hold, apply, holds, reads
from sandbox.world.ground import Ground, GroundLaw
from sandbox.world.spec import Fact, Layout, Rules

Intent: TypeAlias = tuple[str, tuple[str, ...]]


class Move(NamedTuple):
    """A ground action in one room. `state & mask == want` and `rest` are what it needs.

    `needs` are the same, in order, with their causes. With no `changes`, it clears and sets bits only.
    """

    intent: Intent
    mask: int
    want: int
    rest: tuple[Condition, ...]
    needs: tuple[tuple[str, Condition], ...]
    clear: int
    put: int
    changes: tuple[Change, ...]

    def ready(self, state: int) -> bool:
        """Whether every need holds."""
        return state & self.mask == self.want and all_hold(self.rest, state)

    @property
    def possible(self) -> bool:
        """Whether some state could meet the needs, as far as the layout alone decides."""
        return all(condition for _, condition in self.needs)


class Room:
    """The rules as they are while the player is in one room."""

    def __init__(self, dynamics: Dynamics, name: str) -> None:
        self._dynamics, self.name = dynamics, name
        self.bit = dynamics.ground.here.code(name)
        self._moves: dict[Intent, Move] = {}

    def move(self, intent: Intent) -> Move:
        """The ground action of an intent here."""
        found = self._moves.get(intent)
        if found is None:
            shared = self._dynamics.shared(intent[0])
            found = shared.rooms[self.bit].move(intent) if shared else self._dynamics.compile(intent, self.name)
            self._moves[intent] = found
        return found

    @cached_property
    def steps(self) -> tuple[GroundLaw, ...]:
        """The each-step rules that can fire here."""
        alike = self._dynamics.alike
        if alike is not None and alike.rules.laws == self._dynamics.rules.laws:
            return alike.rooms[self.bit].steps
        return self._dynamics.ground.laws(self.name, each_step=True)

    @cached_property
    def events(self) -> tuple[GroundLaw, ...]:
        """The events that can fire here."""
        alike = self._dynamics.alike
        if alike is not None and alike.rules.laws == self._dynamics.rules.laws:
            return alike.rooms[self.bit].events
        return self._dynamics.ground.laws(self.name, each_step=False)

    @cached_property
    def laws(self) -> Memo[int] | None:
        """The bits that its laws touch, after they ran; None in a room without laws."""
        mask = 0
        for law in (*self.steps, *self.events):
            mask |= reads(law.when)
            for change in law.changes:
                mask |= reads(change.when) | change.clear | change.set | change.group
        if not mask:
            return None
        here = self._dynamics.here_mask
        # A law that moves the player hands over to the laws of another room, which may touch anything.
        mask = -1 if mask & here else mask | here
        memo = Memo(mask, lambda state: self._dynamics.run_laws(self, state) & mask)
        self._dynamics.memos.append(memo)
        return memo

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Every ground action that some state could permit here, information actions left out."""
        found = (self.move(intent) for intent in self._dynamics.hopeful)
        return tuple(move for move in found if move.possible)


class Dynamics:
    """The transition system of a rule set on a layout.

    `like` may be that of a similar world on the same layout: what is written alike in both and acts on the
    same bits is grounded once. It changes nothing but the time that this takes.
    """

    def __init__(self, rules: Rules, layout: Layout, like: Dynamics | None = None) -> None:
        self.rules, self.layout = rules, layout
        self.ground = Ground(rules, layout)
        self.rooms = {self.ground.here.code(r): Room(self, r) for r in layout.rooms}
        self.here_mask = self.ground.here.mask
        self.actions = {a.name: a for a in rules.actions}
        ids = [o.id for o in layout.objects]
        size = self.ground.size
        self.seen = {id_: 1 << (size + i) for i, id_ in enumerate(ids)}
        self.selected = {id_: 1 << (size + len(ids) + i) for i, id_ in enumerate(ids)}
        self.selected_mask = sum(self.selected.values())
        self.fact_mask = self.ground.fact_mask
        self.memos: list[Memo[int]] = []
        self._shared: dict[str, bool] = {}
        self.alike = like if like is not None and self._same_bits(like) else None

    def _same_bits(self, other: Dynamics) -> bool:
        return (
            self.layout == other.layout and self.rules.derives == other.rules.derives
            and self.rules.kinds == other.rules.kinds
            and self.ground.groups == other.ground.groups
        )

    def shared(self, action: str) -> Dynamics | None:
        """The similar world, if this action is the same in both."""
        if self.alike is None:
            return None
        found = self._shared.get(action)
        if found is None:
            found = self._shared[action] = self.alike.actions.get(action) == self.actions[action]
        return self.alike if found else None

    @cached_property
    def start(self) -> int:
        """The state in which an episode starts: the layout's, with its events run to rest."""
        return self.settle(self.ground.initial())

    def room(self, state: int) -> Room:
        """The room in which the player is."""
        return self.rooms[state & self.here_mask]

    def intents(self, *, inform: bool) -> Iterator[Intent]:
        """Every well-typed intent, in the order of rules and layout; `inform` ones only, or the others."""
        for action in self.rules.actions:
            if action.inform == inform:
                pools = [self.ground.members(kind) for _, kind in action.params]
                for args in product(*pools):
                    if len(args) < 2 or args[0] != args[1]:
                        yield action.name, args

    @cached_property
    def hopeful(self) -> tuple[Intent, ...]:
        """The intents, information ones left out, that no static need rules out everywhere."""
        if self.alike is not None and self.alike.rules.actions == self.rules.actions:
            return self.alike.hopeful
        old = frozenset(self.alike.hopeful) if self.alike else frozenset()
        return tuple(
            i for i in self.intents(inform=False)
            if (i in old if self.shared(i[0]) else not self.ground.hopeless(*i))
        )

    def compile(self, intent: Intent, room: str) -> Move:
        """An intent's masks in a room."""
        name, args = intent
        operator = self.ground.operator(name, args, room)
        mask = want = 0
        rest = []
        for _, condition in operator.needs:
            if len(condition) == 1 and not condition[0].cards and not (
                mask & condition[0].mask & (want ^ condition[0].want)
            ):
                mask, want = mask | condition[0].mask, want | condition[0].want
            else:
                rest.append(condition)
        clear = put = 0
        simple = all(c.when == TRUE and not c.group for c in operator.changes)
        if simple:
            for change in operator.changes:
                clear, put = clear | change.clear, put & ~change.clear | change.set
        return Move(
            intent, mask, want, tuple(rest), operator.needs, clear, put, () if simple else operator.changes
        )

    # --- transitions --------------------------------------------------------------------------
    def after(self, state: int, move: Move) -> int:
        """The state after an action whose needs hold: its changes, each-step rules, events."""
        new = apply(move.changes, state) if move.changes else state & ~move.clear | move.put
        laws = self.rooms[new & self.here_mask].laws
        return new if laws is None else new & ~laws.mask | laws.at(new)

    def run_laws(self, room: Room, state: int) -> int:
        """The state after the each-step rules of a room, then the events."""
        for law in room.steps:
            if holds(law.when, state):
                state = apply(law.changes, state)
        return self.settle(state)

    def settle(self, state: int) -> int:
        """The state after its events, round by round, each ground event at most once."""
        events = self.rooms[state & self.here_mask].events
        if not events:
            return state
        fired: set[int] = set()
        again = True
        while again:
            again = False
            for event in events:
                if event.index not in fired and holds(event.when, state):
                    fired.add(event.index)
                    new = apply(event.changes, state)
                    again, state = again or new != state, new
        return state

    def clear(self) -> None:
        """Forget what laws did in played states, for measuring from a cold start."""
        for memo in self.memos:
            memo.clear()

    def refusal(self, state: int, move: Move) -> str | None:
        """The cause of the first need that fails, or None."""
        for cause, condition in move.needs:
            if not holds(condition, state):
                return cause
        return None

    def goal(self, facts: tuple[Fact, ...]) -> tuple[Condition, ...]:
        """One condition a goal fact."""
        return self.ground.goal(facts)
