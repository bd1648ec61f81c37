"""Finding out how to speak where nothing is told: English verbs, tried alone, then with things in a few orders.

The answer to a word of nonsense tells how the world answers a word that it does not know; a verb that is answered
otherwise is known to it. The answer to a verb alone tells how it answers a known word in a wrong order; a command
that is answered otherwise is in order. All of it is a prior of English, which can be switched off.
"""

from __future__ import annotations

from typing import Final

from sandbox.agent.interface import Pattern
from sandbox.agent.learner import Play
from sandbox.agent.mind import Mind

BARE: Final = ("look", "inventory", "wait", "restart", "help")
GOING: Final = ("go to {0}", "go {0}", "walk to {0}", "enter {0}")
VERBS: Final = (
    "take", "drop", "examine", "read", "open", "close", "put", "unlock", "pull", "push", "light", "turn", "twist",
    "give", "pour", "fill", "wash", "cut", "tie", "join", "load", "bake", "grind", "sow", "water", "harvest", "feed",
    "rub", "mount", "polish", "break", "lift", "press", "hang", "burn", "dig", "lock", "insert", "show", "heat", "mix",
    "greet", "strike", "stow", "slide", "clear", "climb", "haul", "touch", "eat", "drink", "mend", "present", "use",
)  # fmt: skip
UNTOLD: Final = 12
"""Verbs that are taken for known where no answer tells."""
LINKS: Final = ("in", "with", "on", "to", "into", "at", "onto", "from")


def guess(mind: Mind) -> Play:
    """Add the patterns that the world understands."""
    if not mind.english:
        return
    things = mind.belief.here()[:2]
    yield from _go(mind)
    known = 0
    for verb in VERBS if things else ():
        alone = yield from mind.say(verb)
        if _unknown(mind, alone, verb):
            continue
        known += 1
        yield from _orders(mind, verb, alone, things)
    if not known:
        for verb in VERBS[:UNTOLD]:
            mind.add(Pattern(f"{verb} {{0}}", ("?",)))


def _go(mind: Mind) -> Play:
    """Add the pattern that moves, and no other; the first where none does now."""
    ways = mind.belief.ways.get(mind.belief.at, {})
    free = [to for to, door in ways.items() if door is None] + list(ways)
    for text in GOING:
        op = mind.add(Pattern(text, ("room",)))
        if free:
            yield from mind.attempt(op, (free[0],))
        if mind.rules.movers:
            return
        mind.rules.operators.pop(op.key)
    mind.add(Pattern(GOING[0], ("room",)))


def _orders(mind: Mind, verb: str, alone: str, things: list[str]) -> Play:
    """Add the orders in which a known verb is understood: with one thing, and with two and a word between.

    An answer that names the one thing takes the command for whole.
    """
    wrong = mind.reader.masked(alone)
    text = yield from mind.say(f"{verb} {things[0]}")
    if mind.reader.masked(text) != wrong:
        mind.add(Pattern(f"{verb} {{0}}", ("?",)))
        if "@" in mind.reader.masked(text):
            return
    for link in LINKS if len(things) > 1 else ():
        text = yield from mind.say(f"{verb} {things[0]} {link} {things[1]}")
        if mind.reader.masked(text) != wrong and not _unknown(mind, text, link):
            mind.add(Pattern(f"{verb} {{0}} {link} {{1}}", ("?", "?")))
            return


def _unknown(mind: Mind, text: str, word: str) -> bool:
    """Whether an answer is the one to words that the world does not know, about a word."""
    return mind.reader.masked(text.replace(word, "?")) in mind.replies.unread
