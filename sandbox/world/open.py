"""Open play: no goal, but milestones, each a kind of change that counts the first time it is brought about.

A milestone is *lifted*: a function taking a value, whatever the object: a lamp is lit, a thing is baked, a door is
locked again. What walking and waiting alone bring about counts nothing, nor does what no text shows. What was reached
stays reached, also after starting again, so that it belongs to the state: the bits above those of the world are one
for each milestone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from sandbox.world import spec
from sandbox.world.dynamics import Intent
from sandbox.world.engine import Engine, Step, text_intent
from sandbox.world.ground import Ground
from sandbox.world.spec import Milestone, Rules, Value
from sandbox.world.values import Group
from sandbox.world.world import World

ROOM: Final = "room"
HOLDER: Final = "holder"


class Mark(NamedTuple):
    """What tells that a milestone is reached: a bit of `on` that a command sets, or one of `off` that it clears."""

    milestone: Milestone
    on: int
    off: int

    def reached(self, before: int, after: int) -> bool:
        """Whether the change from one state to the next is of this kind."""
        return bool(after & ~before & self.on or before & ~after & self.off)


def sort_of(ground: Ground, name: str, value: Value) -> Value:
    """The value as a milestone has it: of places, only the sort."""
    if name != spec.PLACE or value in (spec.CARRIED, spec.GONE):
        return value
    return ROOM if ground.kinds[str(value)] == "room" else HOLDER


def marks(ground: Ground) -> tuple[Mark, ...]:
    """Every kind of change that the rules know and some text shows, in the order of the rules."""
    words = {f.name: dict(zip(f.values, f.words, strict=False)) for f in ground.rules.functions}
    found: dict[Milestone, list[int]] = {}
    for group, value, on, off in _bits(ground):
        name = group.name
        if name in (spec.HERE, spec.LOST) or not _shown(words.get(name, {}), name, value):
            continue
        milestone = Milestone(name, sort_of(ground, name, value), of(ground.rules, ground.kinds, name, group.args))
        mark = found.setdefault(milestone, [0, 0])
        mark[0], mark[1] = mark[0] | on, mark[1] | off
    return tuple(Mark(milestone, on, off) for milestone, (on, off) in found.items())


def of(rules: Rules, kinds: Mapping[str, str], name: str, args: tuple[str, ...]) -> str:
    """What has a function that everything has: door, fixture or thing; '' for a function of its own kind."""
    params = next((f.params for f in rules.functions if f.name == name), ())
    if name == spec.PLACE or not params or params[0][1] != "object":
        return ""
    return next((kind for kind in ("door", "fixture", "thing") if rules.kind_of(kinds[args[0]], kind)), "")


def _bits(ground: Ground) -> Iterator[tuple[Group, Value, int, int]]:
    """(function value, value, the bit whose setting gives it, the bit whose clearing does)."""
    for group in ground.groups.values():
        if group.values == (False, True):
            yield group, True, group.mask, 0
            yield group, False, 0, group.mask
        else:
            for value, bit in zip(group.values, group.bits, strict=True):
                yield group, value, bit, 0


def _shown(words: Mapping[Value, str], name: str, value: Value) -> bool:
    """Whether a player can be told of a value: a fact's end is, where its word is taken away."""
    if name == spec.PLACE:
        return True
    return bool(words.get(value)) or (value is False and bool(words.get(True)))


class OpenEngine(Engine):
    """An open world, ready to be played. Its states hold the milestones that were reached, above the world's bits."""

    def __init__(self, world: World, access: int = 1) -> None:
        super().__init__(world, access)
        self._goal = ((),)  # what never holds: an open world is not solved by facts
        dynamics = self.dynamics
        self._shift = dynamics.width
        self._low = (1 << self._shift) - 1
        wanted = {milestone: number for number, milestone in enumerate(world.milestones)}
        self._marks = [(wanted[m.milestone], m) for m in marks(dynamics.ground) if m.milestone in wanted]
        self._deeds_by_name = frozenset(action.name for action in world.rules.actions if not action.inform)

    def step(self, state: int, command: str) -> Step:
        """The outcome of any text; a milestone is told with how many there are now, and rewarded by its share."""
        before, got = state & self._low, state >> self._shift
        step = super().step(before, command)
        new = [] if step.cause is not None else self._new(before, got, step)
        for number in new:
            got |= 1 << number
        after = step.state | got << self._shift
        if not new:
            return step._replace(state=after, reward=0.0, done=False)
        every, say = len(self.world.milestones), self.reply.phrases.say
        done = got.bit_count() == every
        text = f"{step.text}\n{say('done', done=got.bit_count(), all=every)}"
        if done:
            text += f"\n{say('solved')}"
        return Step(after, text, len(new) / every, done, None, step.intent)

    def _new(self, before: int, got: int, step: Step) -> list[int]:
        """The milestones that a command reached for the first time."""
        if step.intent is None or text_intent(step.intent)[0] not in self._deeds_by_name:
            return []
        return [n for n, mark in self._marks if not got >> n & 1 and mark.reached(before, step.state)]

    def reached(self, state: int) -> tuple[Milestone, ...]:
        """The milestones that were reached on the way to a state."""
        return tuple(m for n, m in enumerate(self.world.milestones) if state >> self._shift >> n & 1)

    def bare(self, state: int) -> int:
        """The state of the world alone."""
        return state & self._low

    def solved(self, state: int) -> bool:
        """Whether every milestone was reached."""
        return len(self.reached(state)) == len(self.world.milestones)

    def progress(self, state: int) -> float:
        """The share of the milestones that were reached."""
        return len(self.reached(state)) / len(self.world.milestones)

    @cached_property
    def goal_text(self) -> str:
        """What counts, in place of a goal."""
        text = (
            "bring about as many different kinds of change as you can, each for the first time; "
            f"walking and waiting do not count; {len(self.world.milestones)} can be reached"
        )
        return self.view.phrases.say("goal", items=text, Items=text[:1].upper() + text[1:])

    # --- the same of the world alone --------------------------------------------------------------
    def admissible(self, state: int) -> tuple[str, ...]:
        """Exactly the canonical commands that `step` accepts in this state."""
        return super().admissible(state & self._low)

    def commands(self, intent: Intent, state: int) -> tuple[str, ...]:
        """The canonical commands that carry out an intent from a state."""
        return super().commands(intent, state & self._low)

    def lost(self, state: int) -> bool:
        """Whether only starting again helps."""
        return super().lost(state & self._low)

    def map_text(self, state: int) -> str:
        """Rooms and ways, and where the player is."""
        return super().map_text(state & self._low)

    def facts(self, state: int) -> Mapping[str, Any]:
        """The whole state as plain data, with what was reached."""
        return {**super().facts(state & self._low), "reached": told(self.reached(state))}


def engine_of(world: World, access: int = 1) -> Engine:
    """The engine that plays a world: an open one if it has milestones."""
    return OpenEngine(world, access) if world.milestones else Engine(world, access)


def told(milestones: Sequence[Milestone]) -> list[str]:
    """Milestones as they are logged, e.g. `lit`, `not open`, `growth=3`, `place=carried`."""
    return [str(milestone) for milestone in milestones]
