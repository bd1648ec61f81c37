"""Exhaustive search over the whole transition system of a world, without any pruning.

It runs on the compiled rules or on the slow interpreter and knows nothing of `sandbox.certify`. A step is a
command: where the grammar wants things selected, selecting is a step of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sandbox.world.bits import Condition, holds
from sandbox.world.dynamics import Intent
from sandbox.world.engine import Engine
from sandbox.world.slow import Facts, Player
from sandbox.world.spec import Atom, Var
from sandbox.world.speech import ASK, SELECT
from sandbox.world.world import World
from tests.outside.pair import all_keys, frozen
from tests.outside.tally import TooLarge


class Reached(NamedTuple):
    """The states found, in the order in which they were found, with depth; whether there are no others."""

    depths: dict[int, int]
    complete: bool


class Space:
    """The transitions of a world on compiled rules: all but the information actions, which change no fact."""

    def __init__(self, world: World, engine: Engine | None = None) -> None:
        self.engine = engine or Engine(world)
        self.dynamics = self.engine.dynamics
        self.goal = self.dynamics.goal(world.goal)
        self.start = self.dynamics.start
        self.focused = frozenset(
            action.name for action in world.rules.actions if self.engine.speech.needs_selection(action.name)
        )
        self.asks = world.rules.lasting if world.grammar.confirm else frozenset()
        self._reach: dict[str, tuple[tuple[Intent, Condition, int], ...]] = {}
        self._selects = bool(world.grammar.select)

    def moves(self, state: int) -> Iterator[tuple[Intent, int]]:
        """Every intent that can be carried out now by one command, and the state after it."""
        dynamics = self.dynamics
        room = dynamics.room(state)
        for move in room.moves:
            if move.intent[0] in self.focused and not state & dynamics.selected[move.intent[1][0]]:
                continue
            if move.ready(state):
                if move.intent[0] in self.asks and dynamics.asked(state) != move.intent:
                    yield (ASK, move.intent[1]), state & dynamics.unasked | dynamics.asking(move.intent)
                else:
                    yield move.intent, dynamics.after(state & dynamics.unasked, move)
        if self._selects:
            for intent, near, bit in self._near(room.name):
                if holds(near, state):
                    yield intent, state & ~dynamics.selected_mask | bit

    def _near(self, room: str) -> tuple[tuple[Intent, Condition, int], ...]:
        if room not in self._reach:
            near = self.dynamics.ground.tester(Atom("near", (Var("x"),)))
            self._reach[room] = tuple(
                ((SELECT, (id_,)), near({"x": id_}, room), bit) for id_, bit in self.dynamics.selected.items()
            )
        return self._reach[room]

    def solved(self, state: int) -> bool:
        """Whether the goal holds."""
        return all(holds(condition, state) for condition in self.goal)

    def shortest(self, limit: int = 2_000_000) -> int | None:
        """The least number of commands to the goal, or None when every state was seen and there is none.

        Raises TooLarge after `limit` states.
        """
        if self.solved(self.start):
            return 0
        seen, layer, depth = {self.start}, [self.start], 0
        while layer:
            depth += 1
            later: list[int] = []
            for state in layer:
                for _, new in self.moves(state):
                    if new not in seen:
                        if self.solved(new):
                            return depth
                        seen.add(new)
                        later.append(new)
                if len(seen) > limit:
                    raise TooLarge(limit)
            layer = later
        return None

    def reached(self, most: int, deepest: int = 1 << 30) -> Reached:
        """States in breadth-first order, up to a number and a depth."""
        depths = {self.start: 0}
        queue = [self.start]
        for state in queue:
            if depths[state] >= deepest:
                return Reached(depths, complete=False)
            for _, new in self.moves(state):
                if new not in depths:
                    if len(depths) >= most:
                        return Reached(depths, complete=False)
                    depths[new] = depths[state] + 1
                    queue.append(new)
        return Reached(depths, complete=True)


def slow_shortest(world: World, deepest: int) -> int | None:
    """The least number of commands to the goal by the slow interpreter alone, or None up to a depth."""
    slow = Player(world.rules, world.layout, world.grammar, world.names, world.goal)
    tree, keys = slow.tree, all_keys(world)
    start: tuple[Facts, str | None] = tree.settle(tree.initial()), None
    seen, layer = {(frozen(tree, keys, start[0]), start[1])}, [start]
    for depth in range(deepest + 1):
        later: list[tuple[Facts, str | None]] = []
        for facts, selected in layer:
            if all(tree.holds(fact, facts) for fact in world.goal):
                return depth
            for new in _slow_moves(slow, facts, selected):
                key = frozen(tree, keys, new[0]), new[1]
                if key not in seen:
                    seen.add(key)
                    later.append(new)
        layer = later
    return None


def _slow_moves(slow: Player, facts: Facts, selected: str | None) -> Iterator[tuple[Facts, str | None]]:
    tree = slow.tree
    for action in slow.actions.values():
        if action.inform:
            continue
        focused = bool(action.params) and is_focused(slow, action.name)
        for env in tree.bindings(action.params):
            args = tuple(env.values())
            if focused and args[0] != selected:
                continue
            new, cause = tree.act(action, args, facts)
            if cause is None:
                yield new, selected
    if slow.grammar.select:
        for object_ in tree.layout.objects:
            if tree.test(Atom("near", (Var("x"),)), {"x": object_.id}, facts):
                yield facts, object_.id


def is_focused(slow: Player, action: str) -> bool:
    """Whether the grammar leaves out the first argument of an action, by its canonical pattern."""
    pattern = dict(slow.grammar.spellings)[action][0]
    return "{0}" not in pattern
