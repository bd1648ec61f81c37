"""How the mutants of a rule set are noticed, and how those that are not are shown to be equivalent.

`Audit` holds transitions of a world that the compiled engine made near the start and along keyed walks; the slow
interpreter reads a mutated tree and must fall out with one of them. `Twin` compares the compiled rules of a world and of a
mutant in every state within reach, up to a number of states and at least to the depth of the certified plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from sandbox.world.bits import holds
from sandbox.world.dynamics import Dynamics, Intent, Move
from sandbox.world.ground import GroundLaw
from sandbox.world.keyed import Key, Stream
from sandbox.world.slow import Facts, Tree
from sandbox.world.spec import HERE, PLACE, Rules
from sandbox.world.world import World
from tests.outside.mutate import Mutant
from tests.outside.pair import State, all_keys, frozen
from tests.outside.space import Space

NEAR, WALKS, LENGTH, EACH = 400, 400, 15, 24


class Seen(NamedTuple):
    """One transition: an intent in a state, and the cause of its refusal or the facts after it."""

    facts: Facts
    intent: Intent
    cause: str | None
    after: State | None


class Audit:
    """Transitions near the start and along keyed walks, a few of every intent for every way in which it can come out."""

    def __init__(self, world: World, plan: tuple[Intent, ...]) -> None:
        self.world, self.dynamics = world, Dynamics(world.rules, world.layout)
        self._keys = all_keys(world)
        self._intents = [*self.dynamics.intents(inform=False), *self.dynamics.intents(inform=True)]
        self._plan = [intent for intent in plan if intent[0] != "select"]
        groups = self.dynamics.ground.groups.values()
        self._facts = sum(group.mask for group in groups if group.name not in (PLACE, HERE))
        self._tried, self._moved = Counter[object](), Counter[object]()
        self._known: set[object] = set()
        self._fresh: list[int] = []
        self.seen: list[Seen] = []
        for state in Space(world).reached(NEAR).depths:
            for intent in self._intents:
                self._look(state, self._move(state, intent))
        for number in range(WALKS):
            self._walk(Key("audit", number).stream())

    def _walk(self, stream: Stream) -> None:
        """From somewhere on the plan, or from where something new was seen; by the moves made least often so far."""
        state = stream.choice(self._fresh) if self._fresh and stream.below(3) else self._on_plan(stream)
        for _ in range(LENGTH):
            known = len(self.seen)
            ready = [seen for intent in self._intents if (seen := self._look(state, self._move(state, intent)))]
            if len(self.seen) > known:
                self._fresh.append(state)
            if not ready:
                return  # all is lost
            picked = [stream.choice(ready) for _ in range(2)]
            sort, state = min(picked, key=lambda seen: self._moved[seen[0]])
            self._moved[sort] += 1

    def _on_plan(self, stream: Stream) -> int:
        state = self.dynamics.start
        for intent in self._plan[: stream.below(len(self._plan) + 1)]:
            state = self.dynamics.after(state, self._move(state, intent))
        return state

    def _move(self, state: int, intent: Intent) -> Move:
        return self.dynamics.room(state).move(intent)

    def _look(self, state: int, move: Move) -> tuple[object, int] | None:
        """Note how an intent comes out in a state, unless that has been seen often enough; where it leads, if at all."""
        failing = tuple(cause for cause, condition in move.needs if not holds(condition, state))
        informs = self.dynamics.actions[move.intent[0]].inform
        after = state if failing or informs else self.dynamics.after(state, move)
        sort = move.intent, failing, state ^ after
        odd = *sort, state & (self._facts | self._places(move.intent))
        if self._tried[sort] < EACH and odd not in self._known:
            self._known.add(odd)
            self._tried[sort] += 1
            cause = failing[0] if failing else None
            found = None if cause else self._values(after)
            self.seen.append(Seen(dict(self._values(state)), move.intent, cause, found))
        return None if failing or informs else (sort, after)

    def _places(self, intent: Intent) -> int:
        """The bits that say where the things of an intent are."""
        groups = self.dynamics.ground.groups
        return sum(groups[PLACE, (arg,)].mask for arg in set(intent[1]) if (PLACE, (arg,)) in groups)

    def _values(self, state: int) -> State:
        ground = self.dynamics.ground
        return tuple((key, ground.value(*key, state)) for key in self._keys)

    def concerned(self, mutant: Mutant) -> Iterator[Seen]:
        """The transitions that a mutant can touch: those of its action, or those that let time pass, or all."""
        for seen in self.seen:
            of_action = mutant.sort != "action" or seen.intent[0] == mutant.name
            passes = mutant.sort != "law" or (seen.cause is None and not self.dynamics.actions[seen.intent[0]].inform)
            if of_action and passes:
                yield seen

    def notices(self, mutant: Mutant) -> bool:
        """Whether the slow interpreter on the mutated tree falls out with some transition, or cannot run it."""
        tree = Tree(mutant.rules, self.world.layout)
        actions = {action.name: action for action in mutant.rules.actions}
        if frozen(tree, self._keys, tree.settle(tree.initial())) != self._values(self.dynamics.start):
            return True
        for seen in self.concerned(mutant):
            try:
                after, cause = tree.act(actions[seen.intent[0]], seen.intent[1], seen.facts)
                found = None if cause else frozen(tree, self._keys, after)
            except (IndexError, KeyError, TypeError, ValueError):
                return True
            if (cause, found) != (seen.cause, seen.after):
                return True
        return False


class Twin:
    """The states of a world within reach, in which mutants of its rules are compared with it."""

    def __init__(self, world: World, deep: int, most: int) -> None:
        self.world, self._deep, self._most = world, deep, most
        self.dynamics = Dynamics(world.rules, world.layout)

    @cached_property
    def states(self) -> list[int]:
        """States in breadth-first order: all of them, or many; always those within the depth of the plan."""
        space = Space(self.world)
        found = space.reached(self._most)
        if not found.complete and max(found.depths.values()) <= self._deep:
            found = space.reached(1 << 30, self._deep)
        return list(found.depths)

    def differs(self, rules: Rules) -> str | None:
        """Where a mutant comes out differently, or None when it is equivalent in every state within reach."""
        other = Dynamics(rules, self.world.layout)
        if list(other.ground.groups.items()) != list(self.dynamics.ground.groups.items()):
            return self._apart(other)
        if other.start != self.dynamics.start:
            return "the start"
        return self._compare(other)

    def _compare(self, other: Dynamics) -> str | None:
        """Both have the same bits: only the moves and laws that are written differently need a look."""
        changed = {
            bit: self._changed(bit, other) for bit in self.dynamics.rooms
        }
        here = self.dynamics.here_mask
        for state in self.states:
            for intent in changed[state & here]:
                a, b = self._outcome(self.dynamics, state, intent), self._outcome(other, state, intent)
                if a != b:
                    return f"{intent} in {state:x}: {a} ≠ {b}"
        return None

    def _changed(self, bit: int, other: Dynamics) -> list[Intent]:
        """The intents that may come out differently in a room: all that can be done, if its laws differ anywhere."""
        mine, theirs = self.dynamics.rooms[bit], other.rooms[bit]
        intents = [*self.dynamics.intents(inform=False), *self.dynamics.intents(inform=True)]
        laws = any(
            _written(getattr(room, sort)) != _written(getattr(other.rooms[at], sort))
            for at, room in self.dynamics.rooms.items() for sort in ("steps", "events")
        )
        return [i for i in intents if laws or mine.move(i) != theirs.move(i)]

    def _outcome(self, dynamics: Dynamics, state: int, intent: Intent) -> str | int | None:
        move = dynamics.room(state).move(intent)
        cause = dynamics.refusal(state, move)
        if cause or dynamics.actions[intent[0]].inform:
            return cause
        return dynamics.after(state, move)

    def _apart(self, other: Dynamics) -> str | None:
        """The bits differ: walk both in step and compare what is true, as far as the plan is deep."""
        declared = {function.name for function in other.rules.functions}
        keys = [key for key in all_keys(self.world) if key[0] in declared]

        def facts(dynamics: Dynamics, state: int) -> State:
            return tuple((key, dynamics.ground.value(*key, state)) for key in keys)

        layer, known = [(self.dynamics.start, other.start)], {(self.dynamics.start, other.start)}
        for _ in range(self._deep + 1):
            later = []
            for a, b in layer:
                if facts(self.dynamics, a) != facts(other, b):
                    return "the facts"
                for intent in self.dynamics.intents(inform=False):
                    x, y = self._outcome(self.dynamics, a, intent), self._outcome(other, b, intent)
                    if isinstance(x, int) and isinstance(y, int):
                        if (x, y) not in known:
                            known.add((x, y))
                            later.append((x, y))
                    elif x != y:
                        return f"{intent}: {x} ≠ {y}"
            layer = later
        return None


def _written(laws: tuple[GroundLaw, ...]) -> list[tuple[object, ...]]:
    return [(law.name, law.args, law.when, law.changes) for law in laws]
