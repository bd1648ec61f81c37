"""Shown before used: whether a plan can be typed by someone who has only read what was on the screen.

Every fixed word, affix and name of every command of the plan must stand on the help page, on the first screen or in
an earlier answer. What does not is guess-the-verb.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sandbox.measure.transcript import Transcript, named
from sandbox.world.engine import Engine


class Shown(NamedTuple):
    """How many words and names the plan's commands use; what was not shown before, with the command's number."""

    words: int
    missing: tuple[tuple[int, str], ...]

    @property
    def all(self) -> bool:
        """Whether everything was shown before it was used."""
        return not self.missing


def shown_before_used(engine: Engine, played: Transcript) -> Shown:
    """The words of a plan against the help page, the first screen and the answers before each command."""
    known = engine.help_text + "\n" + played.opening
    words, missing = 0, list[tuple[int, str]]()
    for number, line in enumerate(played.lines, 1):
        for word, is_affix in _parts(engine, line.command):
            words += 1
            if not (word in known.casefold() if is_affix else named(word, known)):
                missing.append((number, word))
        known += "\n" + line.text
    return Shown(words, tuple(missing))


def _parts(engine: Engine, command: str) -> Iterator[tuple[str, bool]]:
    """The fixed words, affixes and names of a command, as (text, whether it is an affix)."""
    said = engine.speech.pattern_of(command)
    if said is None:
        return
    pattern, named_ = said
    words, affixes = engine.speech.parts(pattern)
    yield from ((word, False) for word in words)
    yield from ((engine.world.names[arg].casefold(), False) for arg in named_)
    yield from ((affix, True) for affix in affixes)
