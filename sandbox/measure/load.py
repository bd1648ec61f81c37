"""The load of a world: seven measures of what it asks of a player, none of them a score.

| part | what it counts |
|---|---|
| `plan` | commands of the certified plan (`steps`), those that are no walking (`deeds`), distinct actions (`actions`) |
| `knowledge` | live slots of the rules with an unusual value that no line of the help page or a card tells |
| `search` | fewest steps until every thing that the plan names has been shown |
| `memory` | commands between the last showing of a name and the command of the plan that uses it, at most |
| `trap` | share of states one or two accepted moves off the plan from which the goal is lost (TRAP_DRAWS draws) |
| `interface` | share of the plan's actions whose form neither help nor the first screen gives |
| `noise` | share of the objects that neither the plan nor the goal names |
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sandbox.certify.plans import path
from sandbox.certify.pruned import WALK
from sandbox.certify.solve import Solved
from sandbox.certify.worlds import Built
from sandbox.generate.content import Content
from sandbox.generate.edits import choice_of, with_values
from sandbox.generate.templates import Slot
from sandbox.measure.finding import fewest_to_find
from sandbox.measure.transcript import Transcript, last_named
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.lesson import THEN, pattern
from sandbox.world.manual import told_line
from sandbox.world.speech import PREPARES
from sandbox.world.world import World

TRAP_DRAWS = 100


@dataclass(frozen=True, slots=True)
class PlanLoad:
    """The length of the plan: commands, commands that are no walking, distinct actions."""

    steps: int
    deeds: int
    actions: int


@dataclass(frozen=True, slots=True)
class Load:
    """The load vector. `knowledge` is None where the templates of an exported world are not at hand, `trap` where
    nobody looked, or where the world is too large to tell.
    """

    plan: PlanLoad
    knowledge: int | None
    search: int
    memory: int
    trap: float | None
    interface: float
    noise: float

    def to_dict(self) -> dict[str, object]:
        """Plain JSON data."""
        return asdict(self)


def load(built: Built, engine: Engine, played: Transcript, untold: int | None, *, thorough: bool = True) -> Load:
    """The load of a world; `untold` is the number of its surprises that are not told (`untold_slots`).

    Without `thorough`, its traps are not sought: they take the longest.
    """
    return Load(
        plan=_plan(played),
        knowledge=untold,
        search=fewest_to_find(built.solved, played),
        memory=_memory(engine, played),
        trap=_trap(built.solved) if thorough else None,
        interface=_interface(engine, played),
        noise=_noise(built.world, played),
    )


def _plan(played: Transcript) -> PlanLoad:
    names = [line.intent[0] for line in played.lines]
    return PlanLoad(len(names), sum(name != WALK for name in names), len(set(names) - PREPARES))


def _memory(engine: Engine, played: Transcript) -> int:
    """The longest time that a name has to be kept in mind: 0 when each is in the text just before it is typed."""
    longest, texts = 0, played.texts
    for number, line in enumerate(played.lines, 1):
        for arg in line.typed:
            shown = last_named(engine.world.names[arg], texts[:number])
            longest = max(longest, number - 1 - (0 if shown is None else shown))
    return longest


def _trap(solved: Solved) -> float | None:
    states = path(solved.dynamics, solved.intents)
    stream = Key("trap", solved.world.digest).stream()
    return solved.sampled_dead_ends(stream, states, TRAP_DRAWS)


def _interface(engine: Engine, played: Transcript) -> float:
    """The share of the plan's actions for which no form or example is given."""
    told = {
        said.strip()
        for line in (engine.help_text + "\n" + played.opening).split("\n")
        for part in (line.strip(), *line.strip().split("   "))
        for piece in part.split(THEN)
        for said in (piece, piece.rpartition(" (")[0])
    }
    given = {read.action for line in told if not isinstance(read := engine.speech.parse(line), str)}
    forms = dict(engine.speech.patterns())
    given |= {a for a in forms if any(pattern(engine, a, form) in told for form in forms[a])}
    used = {line.intent[0] for line in played.lines} - PREPARES
    return round(len(used - given) / len(used), 3)


def _noise(world: World, played: Transcript) -> float:
    needed = {arg for line in played.lines for arg in line.intent[1]}
    needed |= {arg for fact in world.goal for arg in (*fact.args, str(fact.value))}
    ids = [object_.id for object_ in world.layout.objects]
    return round(sum(id_ not in needed for id_ in ids) / len(ids), 3)


def untold_slots(world: World, library: Content, slots: tuple[Slot, ...]) -> tuple[str, ...]:
    """The slots of which no line of the help page or of a card tells.

    A line tells of a slot when it would read differently under the slot's usual value.
    """
    choice = choice_of(library, world)
    said = told_lines(world)
    return tuple(
        slot.full for slot in slots
        if told_lines(with_values(library, world, choice, {slot.full: slot.values[0]})) == said
    )


def told_lines(world: World) -> tuple[str, ...]:
    """What the help page and the cards tell of the rules, line by line."""
    engine = Engine(world)
    names = [*world.hints, *(name for _, line in world.cards for name in line.split(";"))]
    return tuple(told_line(engine, name) for name in names)
