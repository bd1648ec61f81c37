"""What an edit does: measured against all old optimal plans, never guessed.

The first that holds is named: `unsolvable` (no plan is left), `dead` (nothing reachable differs), `shortcut`
(a shorter plan exists now), `neutral` (an old optimal plan still works and the optimum is equal), `trap` (no old plan
works and one ends where the goal is lost), `barrier` (no old plan works).
"""

from __future__ import annotations

from collections.abc import Iterator

from sandbox.certify.plans import carry_out, path
from sandbox.certify.solve import Solved
from sandbox.world.bits import holds
from sandbox.world.dynamics import Dynamics, Intent, Move, Room

MATTERS = ("barrier", "shortcut", "trap")
BLOCKED = 150
"""States in which an edited world must show a plan to count as blocked but solvable."""
_PAIRS = 3_000
_COMPARED = 250
_STATES, _FEWER = 3_000, 300
"""States near a plan that are compared; fewer in a large world, where each has hundreds of moves."""


def replayed(old: Solved, new: Solved) -> tuple[bool, list[int]]:
    """Whether some old optimal plan reaches the goal in the new world, and where the plans end in it."""
    goal = new.dynamics.goal(new.world.goal)
    graph = old.optimal
    if graph is None:
        return _replay_one(old, new)
    layers: dict[int, set[tuple[int, int]]] = {0: {(graph.start, new.dynamics.start)}}
    ends: set[int] = set()
    for depth in range(old.steps + 1):
        for before, state in sorted(layers.pop(depth, ())):
            moves = graph.moves.get(before, ())
            if not moves:
                ends.add(state)
            for intent, after in moves:
                reached = carry_out(new.dynamics, intent, state)[0]
                if all(holds(condition, reached) for condition in goal):
                    return True, []
                later = layers.setdefault(graph.depth[after], set())
                if len(later) < _PAIRS:
                    later.add((after, reached))
    return False, sorted(ends)


def _replay_one(old: Solved, new: Solved) -> tuple[bool, list[int]]:
    """The same for the one plan that is known of a world whose optimum is not proven."""
    goal, state = new.dynamics.goal(new.world.goal), new.dynamics.start
    for intent in old.intents:
        state = carry_out(new.dynamics, intent, state)[0]
        if all(holds(condition, state) for condition in goal):
            return True, []
    return False, [state]


def effect(old: Solved, new: Solved) -> str:
    """The effect of an edit of the rules."""
    if not new.solvable:
        return "unsolvable"
    if not differs(old.dynamics, new.dynamics, old.intents):
        return "dead"
    if new.steps < old.steps:
        return "shortcut"
    works, ends = replayed(old, new)
    if works and new.steps == old.steps:
        return "neutral"
    if not works and any(not new.alive(state) for state in ends[:8]):
        return "trap"
    return "barrier"


def matters(old: Solved, new: Solved) -> bool:
    """Whether an edit of the rules is a barrier, a trap or a shortcut (without naming which)."""
    works, _ = replayed(old, new)
    return new.solvable and (not works or new.steps < old.steps)


def blocks(old: Solved, new: Solved) -> bool:
    """Whether no old optimal plan works in the new world, but another plan does. One old plan tells mostly."""
    if _replay_one(old, new)[0] or replayed(old, new)[0]:
        return False
    return new.find(new.dynamics.start, BLOCKED, sure=False).steps is not None


class Walk:
    """States near a plan, breadth first from the start and from the states of the plan, and where each move leads.

    They are explored as they are asked for, and kept: several comparisons with one world share its walk.
    """

    def __init__(self, dynamics: Dynamics, plan: tuple[Intent, ...]) -> None:
        self.dynamics, self.plan = dynamics, plan
        self._queue = list(dict.fromkeys(path(dynamics, plan)))
        self._seen = set(self._queue)
        self._most = _FEWER if dynamics.ground.crowd else _STATES
        self._done: list[tuple[int, Room, tuple[tuple[Move, int], ...]]] = []

    def __iter__(self) -> Iterator[tuple[int, Room, tuple[tuple[Move, int], ...]]]:
        for number, state in enumerate(self._queue):
            if number == len(self._done):
                self._done.append(self._explore(state))
            yield self._done[number]

    def _explore(self, state: int) -> tuple[int, Room, tuple[tuple[Move, int], ...]]:
        room = self.dynamics.room(state)
        moves = tuple((move, self.dynamics.after(state, move)) for move in room.moves if move.ready(state))
        for _, after in moves:
            if after not in self._seen and len(self._seen) < self._most:
                self._seen.add(after)
                self._queue.append(after)
        return state, room, moves


def differs(old: Dynamics, new: Dynamics, plan: tuple[Intent, ...], walk: Walk | None = None) -> bool:
    """Whether some reachable state has an intent that comes out differently: refused for another cause, accepted in
    only one of both, or leading elsewhere.

    Goes through thousands of states, those of the old world's `walk` along the plan. Where both worlds keep the same
    bits, only the moves that are written differently need a look in each of them.
    """
    if old.ground.groups != new.ground.groups:
        return _differ_in_step(old, new, plan)
    if old.start != new.start:
        return True
    laws = any(
        room.steps != new.rooms[bit].steps or room.events != new.rooms[bit].events for bit, room in old.rooms.items()
    )
    changed = _Changed(old, new, plan)
    if not laws and not changed.any:
        return False
    for state, room, moves in walk or Walk(old, plan):
        other = new.room(state)
        if any(_outcome(old, room.move(i), state) != _outcome(new, other.move(i), state) for i in changed.at(room)):
            return True
        if laws and any(after != new.after(state, other.move(move.intent)) for move, after in moves):
            return True
    return False


class _Changed:
    """The intents that are written differently in both worlds, room by room, as they are asked for.

    In a large world, those with things that are not in the plan count only in the room where these are at the start.
    """

    def __init__(self, old: Dynamics, new: Dynamics, plan: tuple[Intent, ...]) -> None:
        same = {a.name for a in old.rules.actions if new.actions.get(a.name) == a} if old.rules.derives == (
            new.rules.derives) and old.rules.kinds == new.rules.kinds else set()
        self._new, homes = new, _homes(old, plan) if old.ground.crowd else {}
        self._intents: dict[str | None, list[Intent]] = {}
        for intent in (i for inform in (False, True) for i in old.intents(inform=inform) if i[0] not in same):
            rooms = {homes[arg] for arg in intent[1] if arg in homes}
            if len(rooms) < 2:
                self._intents.setdefault(rooms.pop() if rooms else None, []).append(intent)
        self._found: dict[int, list[Intent]] = {}
        self.any = bool(self._intents) and (
            bool(old.ground.crowd) or any(self.at(room) for room in old.rooms.values())
        )

    def at(self, room: Room) -> list[Intent]:
        """Those of one room."""
        found = self._found.get(room.bit)
        if found is None:
            other = self._new.rooms[room.bit]
            intents = (*self._intents.get(None, ()), *self._intents.get(room.name, ()))
            found = self._found[room.bit] = [i for i in intents if room.move(i) != other.move(i)]
        return found


def _homes(dynamics: Dynamics, plan: tuple[Intent, ...]) -> dict[str, str]:
    """The room in which each thing is at the start, those of the plan and those that are in none left out."""
    used = {arg for _, args in plan for arg in args}
    found = {o.id: dynamics.ground.whereabouts(o.id) for o in dynamics.layout.objects if o.id not in used}
    return {id_: room for id_, room in found.items() if room in dynamics.layout.rooms}


def _outcome(dynamics: Dynamics, move: Move, state: int) -> str | int | None:
    """The cause of a refusal, or the state after a move."""
    cause = dynamics.refusal(state, move)
    return cause if cause or dynamics.actions[move.intent[0]].inform else dynamics.after(state, move)


def _differ_in_step(old: Dynamics, new: Dynamics, plan: tuple[Intent, ...]) -> bool:
    """The same for worlds whose states are not written alike: both are taken through the same intents."""
    queue = list(dict.fromkeys(zip(path(old, plan), path(new, plan), strict=True)))
    seen = set(queue)
    for a, b in queue:
        if not _alike(old, new, a, b):
            return True
        for intent in sorted({m.intent for m in (*old.room(a).moves, *new.room(b).moves)}):
            x, accepted = carry_out(old, intent, a)
            y, also = carry_out(new, intent, b)
            if accepted != also:
                return True
            if accepted and (x, y) not in seen:
                if not _alike(old, new, x, y):
                    return True
                if len(seen) < _COMPARED:
                    seen.add((x, y))
                    queue.append((x, y))
    return False


def _alike(old: Dynamics, new: Dynamics, a: int, b: int) -> bool:
    """Whether two states say the same about every function that both worlds know and one of them can change."""
    known = {f.name for f in old.rules.functions} & {f.name for f in new.rules.functions}
    keys = (key for key in old.ground.groups.keys() | new.ground.groups.keys() if key[0] in known)
    return all(old.ground.value(*key, a) == new.ground.value(*key, b) for key in keys)
