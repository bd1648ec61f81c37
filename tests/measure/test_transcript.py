"""A plan as it reads when it is played."""

import pytest

from sandbox.certify import Built
from sandbox.measure.transcript import last_named, named, transcribe
from sandbox.world.engine import Engine


def test_a_plan_is_transcribed_to_its_end(built: Built) -> None:
    """Every command of the plan has a line, with the text the engine shows, and the last one reaches the goal."""
    engine = Engine(built.world)
    played = transcribe(engine, built.certificate.plan)
    assert [line.command for line in played.lines] == list(built.certificate.plan)
    assert played.texts[0] == engine.start().text
    for line in played.lines:
        assert engine.step(line.before, line.command).text == line.text
    assert not engine.solved(played.lines[-1].before)
    assert engine.solved(played.lines[-1].after)


def test_a_text_that_is_no_command_is_refused(built: Built) -> None:
    """A plan that the world cannot read is an error, never a silent gap."""
    with pytest.raises(ValueError, match="no command"):
        transcribe(Engine(built.world), ["no such words at all"])


def test_names_are_found_as_wholes() -> None:
    """A name is found whatever its case and what stands beside it, but not within another word."""
    assert named("oak door", 'On it: "Oak door", shut.')
    assert not named("oak", "a cloak hangs here")
    assert last_named("lamp", ["a lamp", "", "the lamp!", "clamp"]) == 2
    assert last_named("lamp", ["clamp"]) is None
