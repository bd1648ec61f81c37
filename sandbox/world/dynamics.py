"""The compiled transition system: ground actions as masks, laws, goals; no text.

`Dynamics` is what both the engine (which adds text) and the search (which needs none) run on. A state is
one integer: the facts, then one bit per object that was examined, then one that is selected, then the number of the
intent that was asked back, if one was. The order of
a step: the action's changes, each-step rules once, then events round by round until nothing changes,
each ground event at most once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple, Protocol, TypeAlias

from sandbox.world.bits import TRUE, Change, Condition, Memo, Memos, all_hold, apply, holds, reads
from sandbox.world.ground import Ground, GroundLaw, Intent
from sandbox.world.possible import Possible
from sandbox.world.spec import Atom, Fact, Layout, Rules, Var
from sandbox.world.values import Env

Effect: TypeAlias = tuple[int, int, tuple[Change, ...]]
"""The bits that an action clears and sets, or its changes where these are not as plain."""
_NOTHING: Effect = (0, 0, ())


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

    def failing(self, state: int) -> int | None:
        """The number of the first need that fails, or None."""
        for number, (_, condition) in enumerate(self.needs):
            if not holds(condition, state):
                return number
        return None

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
        dynamics = self._dynamics
        here = dynamics.here_mask
        mask = touched((*self.steps, *self.events), here)
        if not mask:
            return None
        return dynamics.memos.new(mask, lambda state: run_laws(self.steps, dynamics.rooms, here, state) & mask)

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Every ground action that some state could permit here, information actions left out."""
        return tuple([self.move(intent) for intent, rooms in self._dynamics.hopeful.items() if self.name in rooms])


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
        self._above = size + 2 * len(ids)
        self.unasked = (1 << self._above) - 1
        self._named = [*layout.rooms, *ids]
        self._named_actions = list(self.actions)
        self._near: dict[tuple[str, str], Condition] = {}
        self.memos = Memos()
        self._effects: dict[Intent, Effect] = {}
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
        return run_laws((), self.rooms, self.here_mask, self.ground.initial())

    def room(self, state: int) -> Room:
        """The room in which the player is."""
        return self.rooms[state & self.here_mask]

    def asking(self, intent: Intent) -> int:
        """The bits of a state in which an intent was asked back and waits to be confirmed."""
        action, args = intent
        number, base = self._named_actions.index(action), len(self._named) + 1
        for place in range(2):
            number = number * base + (self._named.index(args[place]) + 1 if place < len(args) else 0)
        return (number + 1) << self._above

    @property
    def width(self) -> int:
        """How many bits to keep for a state, with room for any intent that can be asked back."""
        return self._above + ((len(self._named_actions) + 1) * (len(self._named) + 1) ** 2).bit_length()

    def asked(self, state: int) -> Intent | None:
        """The intent that was asked back, or None."""
        number = state >> self._above
        if not number:
            return None
        number, base = number - 1, len(self._named) + 1
        number, second = divmod(number, base)
        action, first = divmod(number, base)
        return self._named_actions[action], tuple([self._named[at - 1] for at in (first, second) if at])

    def near(self, id_: str, room: str) -> Condition:
        """The condition that an object is within the player's reach in a room: the core's `near`."""
        found = self._near.get((id_, room))
        if found is None:
            found = self._near[id_, room] = self._within_reach({"x": id_}, room)
        return found

    @cached_property
    def _within_reach(self) -> Callable[[Env, str], Condition]:
        return self.ground.tester(Atom("near", (Var("x"),)))

    def intents(self, *, inform: bool) -> Iterator[Intent]:
        """Every well-typed intent, in the order of rules and layout; `inform` ones only, or the others."""
        for action in self.rules.actions:
            if action.inform == inform:
                pools = [self.ground.members(kind) for _, kind in action.params]
                for args in product(*pools):
                    if len(args) < 2 or args[0] != args[1]:
                        yield action.name, args

    @cached_property
    def hopeful(self) -> dict[Intent, frozenset[str]]:
        """The intents, information ones left out, with the rooms in which no static need rules them out."""
        if self.alike is not None and self.alike.rules.actions == self.rules.actions:
            return self.alike.hopeful
        found = {}
        for intent in self._likely():
            shared = self.shared(intent[0])
            rooms = shared.hopeful.get(intent) if shared else self.ground.rooms(intent)
            if rooms:
                found[intent] = rooms
        return found

    def _likely(self) -> Iterator[Intent]:
        """The intents, information ones left out, that no argument rules out by itself."""
        possible = Possible(self.ground)
        for action in self.rules.actions:
            if not action.inform:
                pools = possible.pools(action)
                self.ground.bounded(f"action {action.name}", action.family, pools)
                for args in product(*pools):
                    if len(args) < 2 or args[0] != args[1]:
                        yield action.name, args

    def compile(self, intent: Intent, room: str) -> Move:
        """An intent's masks in a room."""
        needs = self.ground.needs_in(intent, room)
        mask, want, rest = _merged(needs)
        hopeless = bool(needs) and not needs[-1][1]
        clear, put, changes = _NOTHING if hopeless else self._effect(intent, room)
        return Move(intent, mask, want, rest, needs, clear, put, changes)

    def _effect(self, intent: Intent, room: str) -> Effect:
        found = self._effects.get(intent)
        if found is None:
            found = _cleared(self.ground.changes(intent, room))
            if self.ground.changes_alike(intent):
                self._effects[intent] = found
        return found

    # --- transitions --------------------------------------------------------------------------
    def after(self, state: int, move: Move) -> int:
        """The state after an action whose needs hold: its changes, each-step rules, events."""
        new = apply(move.changes, state) if move.changes else state & ~move.clear | move.put
        laws = self.rooms[new & self.here_mask].laws
        return new if laws is None else new & ~laws.mask | laws.at(new)

    def refusal(self, state: int, move: Move) -> str | None:
        """The cause of the first need that fails, or None."""
        failed = move.failing(state)
        return None if failed is None else move.needs[failed][0]

    def goal(self, facts: tuple[Fact, ...]) -> tuple[Condition, ...]:
        """One condition a goal fact."""
        return self.ground.goal(facts)


class Lawful(Protocol):
    """A room with the events that can fire in it."""

    @property
    def events(self) -> tuple[GroundLaw, ...]:
        """In the order in which they are looked at."""


def touched(laws: Iterable[GroundLaw], here: int) -> int:
    """The bits that the laws of a room depend on or change, and those that say where the player is; 0 without laws."""
    mask = 0
    for law in laws:
        mask |= reads(law.when)
        for change in law.changes:
            mask |= reads(change.when) | change.clear | change.set | change.group
    # A law that moves the player hands over to the laws of another room, which may touch anything.
    return -1 if mask & here else mask and mask | here


def run_laws(steps: Iterable[GroundLaw], rooms: Mapping[int, Lawful], here: int, state: int) -> int:
    """The state after each-step rules, then events, round by round, each ground event at most once."""
    for law in steps:
        if holds(law.when, state):
            state = apply(law.changes, state)
    events = rooms[state & here].events
    fired: set[int] = set()
    again = bool(events)
    while again:
        again = False
        for event in events:
            if event.index not in fired and holds(event.when, state):
                fired.add(event.index)
                new = apply(event.changes, state)
                again, state = again or new != state, new
    return state


def _merged(needs: Sequence[tuple[str, Condition]]) -> tuple[int, int, tuple[Condition, ...]]:
    """The needs as `state & mask == want`, and those that are no plain test of bits."""
    mask = want = 0
    rest = []
    for _, condition in needs:
        if len(condition) == 1:
            bits, values, cards = condition[0]
            if not cards and not mask & bits & (want ^ values):
                mask, want = mask | bits, want | values
                continue
        rest.append(condition)
    return mask, want, tuple(rest)


def _cleared(changes: tuple[Change, ...]) -> Effect:
    """Changes as bits to clear and to set; as they are, where one has a condition or moves a counter."""
    clear = put = 0
    for when, cleared, set_, group, _ in changes:
        if group or when != TRUE:
            return 0, 0, changes
        clear, put = clear | cleared, put & ~cleared | set_
    return clear, put, ()


__all__ = ["Dynamics", "Intent", "Move", "Room", "run_laws", "touched"]
