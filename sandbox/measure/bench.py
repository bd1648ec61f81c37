"""How fast the machine is: rates per CPU-second of one process.

*Steps.* Of each of the worlds default/0 to 19, a recorded walk of 200 commands, drawn by a keyed stream: four of five
from the admissible list, one refused. Before each walk the engine's caches are emptied (`Engine.clear`); the text of
every step is produced. `steps_per_s` plays the walks, `steps_with_list_per_s` asks for the admissible list at every
step too, `parse_per_s` reads the same commands, `copy_us` copies their states.

*Worlds.* `certify_ms_median` and `certify_ms_p95` are CPU milliseconds to build and certify default/0 to 99, templates
parsed before; `worlds_per_s` is 1000 / median. `edit_ratio` is the median, over the first worlds, of the time to
build `REF~rules` (the world, then its edit) over the time to build REF.

Without `full`, building stops after BUDGET seconds of CPU: `worlds` says how many were built.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from sandbox.certify.worlds import Built, build
from sandbox.errors import ConstraintError
from sandbox.generate.content import Content
from sandbox.measure.audit import every_intent
from sandbox.measure.survey import percentile
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key

WORLDS, WALKED, COMMANDS, EDITED = 100, 20, 200, 10
PASSES = 5
BUDGET = 14.0
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Walk:
    """A world's engine with the commands of its recorded walk and the state before each."""

    engine: Engine
    commands: tuple[str, ...]
    states: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Timed:
    """A built world, and how long it took in CPU milliseconds."""

    built: Built
    ms: float


@dataclass(frozen=True, slots=True)
class Rates:
    """What a benchmark found. Rates are per CPU-second; `walks` and `worlds` say over how many."""

    steps_per_s: float
    steps_with_list_per_s: float
    copy_us: float
    parse_per_s: float
    worlds_per_s: float
    certify_ms_median: float
    certify_ms_p95: float
    edit_ratio: float | None
    walks: int
    worlds: int


def build_worlds(
    library: Content, *, full: bool = False, clock: Clock = time.process_time, recipe: str = "default"
) -> Iterator[Timed]:
    """Build and time the worlds of a benchmark, one by one, within the budget unless `full`."""
    _warm(library, recipe)
    started = clock()
    for seed in range(WORLDS):
        if seed and not full and clock() - started > BUDGET:
            return
        began = clock()
        built = build(f"{recipe}/{seed}", library)
        yield Timed(built, 1000 * (clock() - began))


def _warm(library: Content, recipe: str) -> None:
    """Parse the templates, so that no world pays for them."""
    for seed in ("warm", "up"):
        try:
            build(f"{recipe}/{seed}", library)
        except ConstraintError:
            continue


def edit_ratios(
    timed: list[Timed], library: Content, *, full: bool = False, clock: Clock = time.process_time
) -> Iterator[float]:
    """Time to build `REF~rules` over the time to build REF, for the first worlds."""
    started = clock()
    for one in timed[:EDITED]:
        if not full and clock() - started > BUDGET / 3:
            return
        began = clock()
        build(f"{one.built.ref}~rules", library)
        yield 1000 * (clock() - began) / one.ms


def record(built: Built, commands: int = COMMANDS) -> Walk:
    """A world's walk, drawn by a stream keyed by its reference; a walk that reaches the goal starts again."""
    engine = Engine(built.world)
    stream = Key("bench", built.ref).stream()
    intents = every_intent(engine)
    written, states = list[str](), list[int]()
    step = engine.start()
    for number in range(commands):
        state = engine.start().state if step.done else step.state
        allowed = engine.admissible(state)
        if number % 5 < 4:
            command = stream.choice(allowed)
        else:
            refused = [c for i in intents if (c := engine.speech.command(*i)) not in set(allowed)]
            command = stream.choice(refused or allowed)
        written.append(command)
        states.append(state)
        step = engine.step(state, command)
    return Walk(engine, tuple(written), tuple(states))


def rates(
    timed: list[Timed], ratios: list[float], walks: list[Walk], clock: Clock = time.process_time
) -> Rates:
    """The rates of walks and built worlds, each the median of PASSES passes."""
    commands = sum(len(walk.commands) for walk in walks)
    ms = [one.ms for one in timed]

    def per_second(play: Callable[[Walk, Clock], float]) -> float:
        return round(commands / median(sum(play(walk, clock) for walk in walks) for _ in range(PASSES)), 1)

    return Rates(
        steps_per_s=per_second(_play), steps_with_list_per_s=per_second(_play_with_list),
        copy_us=round(1e6 / per_second(_copy), 3), parse_per_s=per_second(_parse),
        worlds_per_s=round(1000 / median(ms), 2), certify_ms_median=round(median(ms), 2),
        certify_ms_p95=percentile(ms, 95), edit_ratio=round(median(ratios), 3) if ratios else None,
        walks=len(walks), worlds=len(timed),
    )  # fmt: skip


def _play(walk: Walk, clock: Clock) -> float:
    """CPU seconds to play a walk from empty caches."""
    engine = walk.engine
    engine.clear()
    step = engine.step
    began = clock()
    for state, command in zip(walk.states, walk.commands, strict=True):
        step(state, command)
    return clock() - began


def _play_with_list(walk: Walk, clock: Clock) -> float:
    engine = walk.engine
    engine.clear()
    step, admissible = engine.step, engine.admissible
    began = clock()
    for state, command in zip(walk.states, walk.commands, strict=True):
        admissible(step(state, command).state)
    return clock() - began


def _parse(walk: Walk, clock: Clock) -> float:
    parse = walk.engine.speech.parse
    began = clock()
    for command in walk.commands:
        parse(command)
    return clock() - began


def _copy(walk: Walk, clock: Clock) -> float:
    began = clock()
    for state in walk.states:
        copy.deepcopy(state)
    return clock() - began
