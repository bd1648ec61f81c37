"""The benchmark: what is timed, by a clock of the test's own."""

from collections.abc import Callable
from itertools import count, islice

from sandbox.certify import Built
from sandbox.generate.content import Content
from sandbox.measure.bench import Timed, build_worlds, edit_ratios, rates, record

Build = Callable[[str], Built]


def ticking(step: float) -> Callable[[], float]:
    """A clock that moves on by `step` seconds whenever it is read."""
    ticks = count(start=1.0, step=step)
    return lambda: next(ticks)


def test_a_walk_is_four_parts_accepted_and_one_refused(built: Built) -> None:
    """Of every five recorded commands, four are admissible where they are typed and the fifth is refused."""
    walk = record(built, 60)
    causes = [walk.engine.step(s, c).cause for s, c in zip(walk.states, walk.commands, strict=True)]
    assert [n for n, cause in enumerate(causes) if cause is not None] == list(range(4, 60, 5))


def test_a_walk_is_one_way_through_the_world(built: Built) -> None:
    """Each state is where the command before it led, or the start after the goal was reached; it is keyed."""
    walk = record(built, 60)
    engine = walk.engine
    assert walk.states[0] == engine.start().state
    for n in range(59):
        step = engine.step(walk.states[n], walk.commands[n])
        assert walk.states[n + 1] == (engine.start().state if step.done else step.state)
    assert record(built, 60).commands == walk.commands


def test_rates_are_per_second_of_the_clock(built: Built) -> None:
    """With a clock on which each walk takes half a second, a hundred commands of it make two hundred a second."""
    walk = record(built, 100)
    timed = [Timed(built, ms) for ms in (20.0, 40.0, 90.0)]
    found = rates(timed, [1.5, 1.1, 1.3], [walk, walk], ticking(0.5))
    assert found.steps_per_s == found.steps_with_list_per_s == found.parse_per_s == 200.0
    assert found.copy_us == 5000.0
    assert (found.certify_ms_median, found.certify_ms_p95, found.worlds_per_s) == (40.0, 90.0, 25.0)
    assert (found.edit_ratio, found.walks, found.worlds) == (1.3, 2, 3)


def test_building_stops_when_time_is_up(library: Content) -> None:
    """Past the budget no further world is begun, unless all are asked for; the first is always built."""
    slow = list(build_worlds(library, recipe="tiny", clock=ticking(6.0)))
    assert [one.built.ref for one in slow] == ["tiny/0"]
    assert slow[0].ms == 6000.0
    assert len(list(islice(build_worlds(library, recipe="tiny", full=True, clock=ticking(6.0)), 3))) == 3


def test_an_edit_is_compared_with_its_world(world: Build, library: Content) -> None:
    """The ratio is the time to build REF~rules over the time that REF took."""
    timed = [Timed(world("tiny/0"), 100.0), Timed(world("tiny/1"), 50.0)]
    assert [round(r, 6) for r in edit_ratios(timed, library, full=True, clock=ticking(0.1))] == [1.0, 2.0]
