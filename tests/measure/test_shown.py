"""Shown before used."""

from dataclasses import replace

from sandbox.certify import Built
from sandbox.measure.shown import shown_before_used
from sandbox.measure.transcript import Transcript, named, transcribe
from sandbox.world.engine import Engine


def test_every_word_of_a_plan_counts(built: Built) -> None:
    """Each fixed word, affix and name of each command is looked for: at least one a command."""
    engine = Engine(built.world)
    played = transcribe(engine, built.certificate.plan)
    assert shown_before_used(engine, played).words >= len(played.lines)


def silent(played: Transcript) -> Transcript:
    """The same commands, with nothing shown."""
    return replace(played, opening="", lines=tuple(replace(line, text="") for line in played.lines))


def test_what_no_screen_showed_is_missing(built: Built) -> None:
    """Where nothing is shown, every name that the help page lacks is missing at every command that uses it."""
    engine = Engine(built.world)
    played = silent(transcribe(engine, built.certificate.plan))
    hidden = {
        (number, built.world.names[arg])
        for number, line in enumerate(played.lines, 1)
        for arg in line.typed
        if not named(built.world.names[arg], engine.help_text)
    }
    assert hidden
    assert hidden <= set(shown_before_used(engine, played).missing)


def test_an_answer_shows_for_later_commands_only(built: Built) -> None:
    """A name in the answer to a command counts as shown from the next command on, not for the command itself."""
    engine = Engine(built.world)
    played = silent(transcribe(engine, built.certificate.plan))
    number, name = next(
        (number, built.world.names[arg])
        for number, line in enumerate(played.lines, 1)
        for arg in line.typed
        if not named(built.world.names[arg], engine.help_text)
    )
    lines = list(played.lines)
    lines[number - 1] = replace(lines[number - 1], text=f"Behold the {name}.")
    missing = shown_before_used(engine, replace(played, lines=tuple(lines))).missing
    assert [at for at, word in missing if word == name] == [number]
