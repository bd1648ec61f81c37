"""The compiled engine and the slow interpreter side by side, taken through the same commands."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from sandbox.world.dynamics import Intent
from sandbox.world.engine import Engine, Step
from sandbox.world.keyed import Stream
from sandbox.world.slow import Facts, Player, Tree
from sandbox.world.spec import HERE, PLACE, Value
from sandbox.world.speech import CONFIRM, PREPARES, SELECT
from sandbox.world.world import World

UNREAD = frozenset({"empty", "unknown_word", "bad_syntax", "nothing_selected", "nothing_at_hand"})
"""Causes of a text that says nothing; the slow interpreter knows only that it read none."""

State = tuple[tuple[tuple[str, tuple[str, ...]], Value], ...]


class Pair:
    """One world played twice. Every method that acts returns nothing and raises at the first difference."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.engine = Engine(world)
        self.slow = Player(world.rules, world.layout, world.grammar, world.names, world.goal)
        self.keys = all_keys(world)
        self.state = self.engine.start().state
        self.said: list[str] = []
        self.compare()

    def say(self, command: str) -> Step:
        """One command to both."""
        self.said.append(command)
        step = self.engine.step(self.state, command)
        cause = self.slow.command(command)
        assert self.causes_agree(step.cause, cause), f"{self.said}: {step.cause} ≠ {cause}"
        if step.cause is not None:
            assert step.state == self.state, f"{self.said}: a refused command changed the state"
            assert step.reward == 0, f"{self.said}: a refused command was rewarded"
        self.state = step.state
        self.compare()
        if step.cause is None and step.intent is not None and not self.informs(step.intent):
            assert step.done == self.slow.solved(), f"{self.said}: solved?"
        return step

    def informs(self, intent: str) -> bool:
        """Whether an intent only asks, or selects, so that it never ends an episode."""
        name = intent.partition("(")[0]
        return name in PREPARES or self.engine.dynamics.actions[name].inform

    @staticmethod
    def causes_agree(fast: str | None, slow: str | None) -> bool:
        """Whether both accept, both refuse with one cause, or both cannot read."""
        return fast in UNREAD if slow == "unread" else fast == slow

    def compare(self) -> None:
        """Every function of every object has the same value in both, and the same thing is selected or asked."""
        ground, tree = self.engine.dynamics.ground, self.slow.tree
        for name, args in self.keys:
            fast, slow = ground.value(name, args, self.state), tree.value(name, args, self.slow.facts)
            assert fast == slow, f"{self.said}: {name}{args} is {fast!r}, and {slow!r} by the slow interpreter"
        bits = self.state & self.engine.dynamics.selected_mask
        chosen = next((i for i, bit in self.engine.dynamics.selected.items() if bit == bits), None)
        assert chosen == self.slow.selected, f"{self.said}: selected {chosen} ≠ {self.slow.selected}"
        asked = self.engine.dynamics.asked(self.state)
        assert asked == self.slow.asked, f"{self.said}: asked {asked} ≠ {self.slow.asked}"
        assert self.engine.solved(self.state) == self.slow.solved()

    def choices(self, number: int) -> str:
        """A command picked by a number: three of four from the admissible list, the others from all there are."""
        kind, at = number % 4, number // 4
        pool: Sequence[str] = commands(self.world) if kind == 0 else self.engine.admissible(self.state)
        return pool[at % len(pool)]

    def walk(self, stream: Stream, length: int) -> None:
        """A drawn walk."""
        for _ in range(length):
            self.say(self.choices(stream.below(1 << 30)))


@functools.lru_cache(maxsize=64)
def commands(world: World) -> tuple[str, ...]:
    """The canonical commands of every intent, of well-typed and ill-typed ones alike, each once."""
    speech = Engine(world).speech
    texts = [text for intent in all_intents(world) for text in (speech.command(*intent), speech.short(*intent)) if text]
    return tuple(dict.fromkeys(texts))


def all_intents(world: World) -> Iterator[Intent]:
    """Every action with every choice of rooms and objects; `select` of every object where the grammar has it."""
    ids = [*world.layout.rooms, *(o.id for o in world.layout.objects)]
    for action in world.rules.actions:
        if len(action.params) == 2:
            yield from ((action.name, (a, b)) for a in ids for b in ids)
        elif action.params:
            yield from ((action.name, (a,)) for a in ids)
        else:
            yield action.name, ()
    if world.grammar.select:
        yield from ((SELECT, (id_,)) for id_ in ids)
    if world.grammar.confirm:
        yield CONFIRM, ()


def all_keys(world: World) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every function applied to every choice of objects of its kinds."""
    tree = Tree(world.rules, world.layout)
    found: list[tuple[str, tuple[str, ...]]] = [(HERE, ())]
    for function in world.rules.functions:
        if function.name == PLACE:
            found += [(PLACE, (o.id,)) for o in world.layout.objects if has_place(world, o.id)]
        elif function.name != HERE:
            found += [(function.name, tuple(env.values())) for env in tree.bindings(function.params)]
    return tuple(found)


def has_place(world: World, id_: str) -> bool:
    """Whether the layout says where an object is (a door is in no room)."""
    return any(name == PLACE and args == (id_,) for name, args, _ in world.layout.start)


def frozen(tree: Tree, keys: Sequence[tuple[str, tuple[str, ...]]], facts: Facts) -> State:
    """The facts as a value that can be compared and hashed."""
    return tuple((key, tree.value(*key, facts)) for key in keys)
