"""How to speak: command patterns, the protocol, and what kinds of replies there are.

Patterns are read from the help page (a line whose words the parser knows, with kinds in capitals where things
go) or lifted from sample commands by leaving out the names. What a pattern *does* is not decided here. A
reply is known by its *signature*, the text with names masked; whether a signature means that something was
accepted, or which thing stood in the way and how, is counted from what was observed (`Replies`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Final

from sandbox.agent.refusals import class_of
from sandbox.agent.text import ARTICLES, Reader

SLOT: Final = re.compile(r"(?<![^\W_])[A-Z][A-Z0-9]*(?![^\W_])")
KIND: Final = re.compile(r" \(([A-Z][A-Z0-9]*)\)")
PIECE: Final = re.compile(r"\w+")
WIDE: Final = re.compile(r" {3,}\|? ?")
GLOSS: Final = re.compile(r" \([a-z ]+\)$")
SIGN: Final = re.compile(r"(?<=  )([^\w\s]) (\w+(?: \w+)*)(?=  |$)")
BETWEEN: Final = re.compile(r"[,;.] [^\W\d_A-Z]+(?: [^\W\d_A-Z]+)* ")
"""What may stand between two commands: a mark, and words in small letters."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A command with gaps: `text` has {0} and {1} where names go, `kinds` says what the help calls these.

    `gloss` is how the help explains it, where it does.
    """

    text: str
    kinds: tuple[str, ...]
    gloss: str = ""

    def fill(self, args: Sequence[str]) -> str:
        """The command about `args`."""
        text = self.text
        for number, arg in enumerate(args):
            text = text.replace(f"{{{number}}}", arg)
        return text


def patterns_of(help_text: str, vocabulary: Iterable[str]) -> list[tuple[Pattern | None, Pattern]]:
    """The patterns that a help page shows, in its order, each with the one that has to be said before it."""
    known = {piece.casefold() for word in vocabulary for piece in PIECE.findall(word)}
    found: list[tuple[Pattern | None, Pattern]] = []
    for line in help_text.split("\n"):
        if not line.startswith("  "):
            continue
        said, _, gloss = line.strip().partition("   ")
        parts = [pattern_of(part, known) for part in parts_of(said.strip(), known)]
        made, before = parts[-1], parts[-2] if len(parts) > 1 else None
        if made is not None and gloss.strip():
            made = replace(made, gloss=gloss.strip(" ()").casefold())
        if made is not None and (before is not None or len(parts) == 1) and (before, made) not in found:
            found.append((before, made))
    return found


def parts_of(line: str, known: set[str]) -> list[str]:
    """The commands in a line that shows several, parted by a mark and words that the parser does not know."""
    found, start = [], 0
    for match in BETWEEN.finditer(line):
        strange = list(takewhile(lambda word: word.casefold() not in known, match[0][2:].split()))
        if strange:
            found.append(line[start : match.start()].strip())
            start = match.start() + 2 + len(" ".join(strange))
    return [*found, line[start:].strip()]


def description(text: str, name: str) -> tuple[str, tuple[str, ...]] | None:
    """The kind and the words that an answer tells of a thing; None for any other answer.

    Such an answer names the thing, then its kind in capitals, then after a colon the words, with commas between.
    """
    at = text.casefold().find(name)
    if at < 0 or "\n" in text.strip():
        return None
    head, colon, rest = text[at + len(name) :].partition(":")
    kind = next((match[0].casefold() for match in SLOT.finditer(head)), None)
    if not colon or kind is None or any(char in head for char in ".;!?"):
        return None
    words = tuple(word.strip() for word in rest.strip().rstrip(".").casefold().split(","))
    return kind, tuple(word for word in words if word)


def confirmation(help_text: str, patterns: Iterable[Pattern]) -> Pattern | None:
    """The pattern that a sentence of the help page says to say: one without gaps, at its end."""
    bare = {pattern.text: pattern for pattern in patterns if not pattern.kinds}
    for line in help_text.split("\n"):
        told = line.rpartition(": ")[2].strip().rstrip(".")
        if not line.startswith("  ") and told in bare:
            return bare[told]
    return None


def kinds_told(text: str) -> list[tuple[str, str]]:
    """Names with the kind that stands in capitals after them, as in `oak door (DOOR)`."""
    found = []
    for match in KIND.finditer(text):
        chunk = re.split(r"[,:;.\n]", text[: match.start()])[-1].strip()
        words = [word.casefold() for word in chunk.split()]
        while words and words[0] in ARTICLES:
            words.pop(0)
        if words:
            found.append((" ".join(words), match[1].casefold()))
    return found


def signs_of(help_text: str) -> dict[str, str]:
    """What signs stand for, where a line of the help page lists signs, each with its words, blanks between them."""
    found: dict[str, str] = {}
    for line in help_text.split("\n"):
        found |= {match[1]: match[2].casefold() for match in SIGN.finditer(line)}
    return found


def pattern_of(text: str, known: set[str]) -> Pattern | None:
    """The pattern that a line of help shows; None when it is no command."""
    kinds: list[str] = []

    def gap(match: re.Match[str]) -> str:
        kinds.append(match[0].casefold())
        return f"{{{len(kinds) - 1}}}"

    shape = SLOT.sub(gap, text)
    rest = PIECE.findall(re.sub(r"\{\d\}", " ", shape))
    if not rest or not all(piece in known for piece in rest) or len(kinds) > 2:
        return None
    return Pattern(shape, tuple(kinds))


def pattern_from_sample(text: str, reader: Reader) -> Pattern:
    """A sample command with its names left out."""
    names = list(dict.fromkeys(reader.mentioned(text)))[:2]
    shape = text
    for number, name in enumerate(names):
        shape = shape.replace(name, f"{{{number}}}", 1)
    return Pattern(shape, ("?",) * len(names))


def filled(pattern: Pattern, command: str) -> tuple[str, ...] | None:
    """What fills the gaps of a pattern in a command; None when it is none of the pattern."""
    parts = re.split(r"\{\d\}", pattern.text)
    match = re.fullmatch("(.+)".join(re.escape(part) for part in parts), command)
    return None if match is None else tuple(part.casefold() for part in match.groups())


def samples_of(screen: str, known: set[str]) -> list[str]:
    """The commands that a first screen shows: in a line, wide blanks between them."""
    pieces = {piece for word in known for piece in PIECE.findall(word)}
    found: list[str] = []
    for line in screen.split("\n"):
        first, *rest = WIDE.split(line)
        if rest:
            parts = [re.split(r"[:|] ", first)[-1], *rest]
            found += [one for part in parts for one in parts_of(GLOSS.sub("", part).strip(), pieces) if one]
    return found


CONTRADICTS: Final = {"held": "held", "reach": "here"}
"""Where a thing cannot be if a refusal of some class is about it."""
DOUBTED: Final = 2


@dataclass(slots=True)
class Seen:
    """What was observed with one signature. `where` counts, for the named thing, where it was then."""

    changed: int = 0
    unchanged: int = 0
    where: Counter[str] = field(default_factory=Counter)


class Replies:
    """What signatures mean, by evidence.

    `accepted` a change was seen with it · `silent` accepted, nothing to be seen · `kind` said of things that can
    never do · `reach` said only of what is elsewhere · `held` said only of what is not held · `state` any other
    refusal · `unread` said of nonsense, too · and the other classes of `refusals`, as far as English tells them
    """

    def __init__(self) -> None:
        self.english = False
        self.codes: dict[str, str] = {}
        self._english: dict[str, str] = {}
        self.seen: dict[str, Seen] = {}
        self.unread: set[str] = set()
        self.silent: set[str] = set()
        self.void: set[str] = set()
        """Said only where nothing that can be seen has changed."""
        self.kind: set[str] = set()

    def count(self, signature: str, *, changed: bool, where: str | None) -> None:
        """One more observation of a signature."""
        seen = self.seen.setdefault(signature, Seen())
        if changed:
            seen.changed += 1
        else:
            seen.unchanged += 1
        if where is not None:
            seen.where[where] += 1

    def meaning(self, signature: str) -> str:
        """The class of a signature."""
        if signature in self.unread:
            return "unread"
        if signature in self.silent:
            return "silent"
        seen = self.seen.get(signature, Seen())
        if seen.changed * 4 > seen.unchanged:
            return "accepted"
        said = self.said(signature)
        if said and seen.where[CONTRADICTS.get(said, "")] < DOUBTED:
            return said
        if signature not in self.seen:
            return "unknown"
        if signature in self.kind or seen.where["place"]:
            return "kind"
        if "@" not in signature:
            return "state"
        if seen.where["away"] and not (seen.where["here"] or seen.where["held"]):
            return "reach"
        if seen.where["here"] and not seen.where["held"] and seen.where["here"] + seen.where["away"] >= DOUBTED:
            return "held"
        return "state"

    def said(self, signature: str) -> str:
        """The class of a signature as English tells it, '' where it does not."""
        if not self.english:
            return ""
        found = self._english.get(signature)
        if found is None:
            found = self._english[signature] = class_of(signature, self.codes)
        return found
