"""The load vector, each part against a slow and obvious way to count it."""

from collections.abc import Callable

import pytest

from sandbox.certify import Built
from sandbox.generate.content import Content
from sandbox.generate.edits import choice_of
from sandbox.measure.finding import needed_things
from sandbox.measure.load import told_lines, untold_slots
from sandbox.measure.profile import profile
from sandbox.measure.transcript import named
from sandbox.world.engine import Engine
from sandbox.world.speech import PREPARES
from sandbox.world.world import World

Build = Callable[[str], Built]


def test_measures_are_deterministic(built: Built, library: Content) -> None:
    """A world read back from its export has the same certificate and measures as the world itself."""
    again = Built(built.ref, World.from_json(built.world.to_json()), built.solved)
    assert profile(again, library).certificate() == profile(built, library).certificate()


def test_the_plan_is_counted(built: Built, library: Content) -> None:
    """Steps are the certificate's; deeds leave walking out; selecting is no action of its own."""
    load = profile(built, library).load
    names = [text.partition("(")[0] for text in built.certificate.intents]
    assert load.plan.steps == built.certificate.steps
    assert load.plan.deeds == built.certificate.steps - names.count("go")
    assert load.plan.actions == len(set(names) - {"select"})


@pytest.mark.parametrize("ref", ["tiny/0", "tiny/1", "tiny/2", "tiny/3", "tiny/4", "tiny/5"])
def test_search_is_the_shortest_exploration(ref: str, world: Build, library: Content) -> None:
    """No shorter sequence of commands shows every needed thing: all of them are tried, and the texts are read."""
    built = world(ref)
    found = profile(built, library)
    engine = Engine(built.world)
    needed = [engine.world.names[i] for i in needed_things(built.world, engine.dynamics, found.played)]
    assert exhaustive(engine, needed) == found.load.search


def exhaustive(engine: Engine, needed: list[str]) -> int:
    """The fewest commands after which every name has stood in the view of a room, by trying everything."""

    def shown(state: int) -> frozenset[str]:
        text = engine.view.room(state, engine.dynamics.room(state).name)
        return frozenset(name for name in needed if named(name, text))

    start = engine.start().state
    front, steps = {(start, shown(start))}, 0
    seen = set(front)
    while all(len(found) < len(needed) for _, found in front):
        steps += 1
        later = set()
        for state, found in front:
            for command in engine.admissible(state):
                new = engine.step(state, command).state
                later.add((new, found | shown(new)))
        front = later - seen
        seen |= front
    return steps


def test_memory_is_the_longest_wait_between_text_and_use(built: Built, library: Content) -> None:
    """For every name of every command, the texts since it last stood in one are counted."""
    found = profile(built, library)
    waits = []
    for number, line in enumerate(found.played.lines):
        for arg in line.typed:
            waits.append(0)
            for text in reversed(found.played.texts[: number + 1]):
                if named(built.world.names[arg], text):
                    break
                waits[-1] += 1
    assert found.load.memory == max(waits)


def test_noise_is_what_neither_plan_nor_goal_names(built: Built, library: Content) -> None:
    """The share of objects that could be taken away without the plan or the goal losing a name."""
    found = profile(built, library)
    said = " ".join([*found.played.texts[0].split("\n")[2:3], *built.certificate.plan])
    ids = [o.id for o in built.world.layout.objects]
    unused = [i for i in ids if not named(built.world.names[i], said)]
    assert found.load.noise == round(len(unused) / len(ids), 3)


def test_interface_counts_what_help_withholds(built: Built, library: Content) -> None:
    """Where help tells all forms nothing is withheld; where it tells none, only the samples are given."""
    assert profile(built, library).load.interface == 0.0
    told = tuple((axis, "none" if axis == "grammar" else level) for axis, level in built.world.told)
    silent = Built(built.ref, built.world.with_(told=told), built.solved)
    names = {line.intent[0] for line in profile(silent, library).played.lines} - PREPARES
    withheld = profile(silent, library).load.interface
    assert 0 < withheld < 1
    assert withheld * len(names) == pytest.approx(round(withheld * len(names)), abs=0.01)


def test_a_surprise_is_told_when_a_line_says_it(built: Built, library: Content) -> None:
    """With no line on the help page or a card every surprise is untold; with a line for each rule, fewer are."""
    choice = choice_of(library, built.world)
    slots = tuple(s for s in choice.slots if s.axis == "rules" and choice.values[s.full] != s.values[0])
    mute = built.world.with_(hints=(), cards=())
    assert told_lines(mute) == ()
    assert untold_slots(mute, library, slots) == tuple(slot.full for slot in slots)
    rules = built.world.rules
    everything = (*(a.name for a in rules.actions if not a.inform), *(law.name for law in rules.laws))
    assert len(untold_slots(mute.with_(hints=everything), library, slots)) < len(slots)
