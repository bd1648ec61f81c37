"""From the sentence of a goal to wanted facts: the goal speaks the language of the room."""

from __future__ import annotations

import re
from typing import Final

from sandbox.agent.grounding import Fact
from sandbox.agent.text import ARTICLES, Reader

NEGATIONS: Final = frozenset({"not", "no", "longer", "never", "without"})
LINKS: Final = frozenset({"is", "are", "be", "must", "has", "been", "should", "in", "on", "again"})


def wanted(sentence: str, reader: Reader) -> list[Fact]:
    """The facts that a goal asks for, as far as it can be read.

    Two names: the first in the second. One name at the end of its clause: to be held. One name and then a
    word: that word said of it, or not.
    """
    text = sentence
    head, colon, rest = sentence.partition(":")
    if colon and not reader.mentioned(head):
        text = rest
    facts: list[Fact] = []
    for part in re.split(r";|&|\||\n|,\s+and\s|,|\.(?:\s|$)", text.strip()):
        fact = _fact(part, reader)
        if fact is not None and fact not in facts:
            facts.append(fact)
    return facts


def _fact(part: str, reader: Reader) -> Fact | None:
    clauses = reader.clauses(part)
    if not clauses:
        return None
    clause = [(text, name) for text, name in clauses[0] if text not in ARTICLES]
    names = [text for text, name in clause if name]
    if not names:
        return None
    mark = part.strip().partition(":")[2].strip()
    if len(names) == 1 and mark and " " not in mark:
        return ("gone", names[0]) if mark == "x" else ("word", names[0], reader.signs.get(mark, mark.casefold()))
    if len(names) >= 2:
        return "in", names[0], names[1]
    after = [text for text, name in clause[[name for _, name in clause].index(True) + 1 :] if text.isalnum()]
    words = [text for text in after if text not in LINKS and text not in NEGATIONS]
    if not words:
        return "held", names[0]
    if words == ["gone"]:
        return "gone", names[0]
    if any(text in NEGATIONS for text in after):
        return "not", names[0], " ".join(words)
    return "word", names[0], " ".join(words)
