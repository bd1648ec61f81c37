"""Looking closely at things, and reading what can be read: once each, as soon as they are at hand.

A close look tells of what kind a thing is, which decides to which commands it belongs, and what it is like, which
views may hold back until then. What is written on things is searched for lessons (`hints`).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

from sandbox.agent.api import Turn
from sandbox.agent.goals import wanted
from sandbox.agent.interface import PIECE, description
from sandbox.agent.learner import Play
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Operator

CLOSELY: Final = frozenset({"examine", "inspect", "x"})
CALMING: Final = 10
"""Looks without a change for which a reading stands: reading is not looked after."""
READING: Final = frozenset({"read", "peruse"})
"""English words for what these commands do, where the help page has one: a prior, which can be switched off."""


def study(mind: Mind) -> Generator[str, Turn, bool]:
    """Look closely at what is at hand and was never looked at, and read it; whether there was anything."""
    if not mind.reader.known:
        mind.goal = wanted(mind.goal_text, mind.reader)  # names that were met since may stand in it
    inspect = _teller(mind, CLOSELY)
    if inspect is None:
        return False
    fresh = [name for name in mind.belief.here() if name not in mind.belief.traits and name not in mind.unseen]
    for name in fresh:
        yield from _look_closely(mind, inspect, name)
    read = _teller(mind, READING)
    told = False
    if read is not None:
        for name in list(mind.belief.here()):
            if name not in mind.was_read and _may_say(mind, name):
                told = True
                yield from _read(mind, read, name)
    return bool(fresh) or told


def _teller(mind: Mind, words: frozenset[str]) -> Operator | None:
    """The operator on one thing that has one of some words, or that a gloss explains by one."""
    if not mind.english:
        return next((op for op in mind.rules.operators.values() if op.reveals), None) if words is CLOSELY else None
    for op in mind.rules.operators.values():
        said = PIECE.findall(op.pattern.gloss) or PIECE.findall(op.pattern.text.casefold())
        if op.arity == 1 and not op.implicit and words.intersection(said) and not op.good:
            return op
    return None


def _look_closely(mind: Mind, op: Operator, name: str) -> Play:
    mind.journal.phase("looking closely at things")
    text = yield from mind.say(op.pattern.fill((name,)))
    told = description(text, name)
    if told is None:
        mind.unseen[name] = mind.stamp
        return
    mind.described(op, name, *told)


def _may_say(mind: Mind, name: str) -> bool:
    """Whether something may be written on a thing: none of its kind was read yet, or one that was told something."""
    kind = mind.rules.kind_said.get(name)
    if kind is None:
        return False
    others = [other for other in mind.was_read if mind.rules.kind_said.get(other) == kind]
    return not others or any(mind.was_read[other] for other in others)


def _read(mind: Mind, op: Operator, name: str) -> Play:
    mind.journal.phase("reading what is written")
    text = yield from mind.say(op.pattern.fill((name,)))
    mind.was_read[name] = mind.learn_from(text, (name,))
    op.silent += 1
    op.calm += CALMING


__all__ = ["study"]
