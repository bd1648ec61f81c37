"""Plan skeletons."""

from sandbox.certify import Built, build
from sandbox.measure.skeleton import errands, skeleton, threaded
from sandbox.measure.transcript import Transcript, transcribe
from sandbox.world.engine import Engine
from sandbox.world.speech import PREPARES


def plan(built: Built) -> tuple[Engine, Transcript]:
    """A world's engine and its plan as it is played."""
    engine = Engine(built.world)
    return engine, transcribe(engine, built.certificate.plan)


def test_a_skeleton_leaves_walking_out(built: Built) -> None:
    """A skeleton has one part for each command that neither walks nor selects, with the family of its action."""
    engine, played = plan(built)
    actions = [line.intent[0] for line in played.lines if line.intent[0] not in {"go", *PREPARES}]
    families = [engine.dynamics.actions[action].family for action in actions]
    assert [part.partition(":")[0] for part in skeleton(engine.dynamics, played)] == families


def test_taking_is_told_from_dropping(built: Built) -> None:
    """The kind of effect tells deeds of one family apart: what is taken is carried, what is dropped lies in a room."""
    engine, played = plan(built)
    deeds = [line.intent[0] for line in played.lines if line.intent[0] not in {"go", *PREPARES}]
    by_action = dict(zip(deeds, skeleton(engine.dynamics, played), strict=True))
    assert by_action.get("take", "core: place carried") == "core: place carried"
    assert "place room" in by_action.get("drop", "place room")
    assert {"take", "drop"} & by_action.keys()


def test_renaming_changes_no_skeleton(built: Built) -> None:
    """The same world under other names has the same skeletons."""
    renamed = build(f"{built.ref}~theme")
    assert renamed.world.digest != built.world.digest
    (one, a), (other, b) = plan(built), plan(renamed)
    assert skeleton(one.dynamics, a) == skeleton(other.dynamics, b)
    assert threaded(one.dynamics, a) == threaded(other.dynamics, b)


def test_things_are_told_apart_by_their_order_of_appearance(built: Built) -> None:
    """The finer skeleton adds to each part its things, numbered from 0 as they appear."""
    engine, played = plan(built)
    seen: list[str] = []
    coarse = skeleton(engine.dynamics, played)
    fine = threaded(engine.dynamics, played)
    deeds = [line for line in played.lines if line.intent[0] not in {"go", *PREPARES}]
    for part, whole, line in zip(coarse, fine, deeds, strict=True):
        seen += [arg for arg in line.intent[1] if arg not in seen]
        assert whole == f"{part} ({' '.join(str(seen.index(arg)) for arg in line.intent[1])})"


def test_errands_count_going_taking_and_dropping(built: Built) -> None:
    """Selecting is no errand and no command of its own here: it belongs to what follows."""
    _, played = plan(built)
    names = [line.intent[0] for line in played.lines]
    done, commands = errands(played)
    assert done == names.count("go") + names.count("take") + names.count("drop")
    assert commands == len(names) - sum(name in PREPARES for name in names)
