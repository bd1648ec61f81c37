"""What a text teaches of the rules: sentences about a command, or about what happens by itself, as typed values.

Such a text comes from a help page or from something that can be read in the world. A `Lesson` keeps what is said to
be needed and what is said to follow, each as a `Claim` about a noun: a name, or a kind ("the first thing"). A lesson
is evidence and no more: what is seen outweighs it. Reading them is a prior of English, which can be switched off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sandbox.agent.interface import Pattern
from sandbox.agent.refusals import need_of

ARTICLES: Final = frozenset({"the", "a", "an", "any", "every", "no", "that", "another", "some"})
_HOLD = re.compile(r"^you (do not hold|hold) (.+)$")
_REACH = re.compile(r"^(.+) is (within|out of) reach$")
_COUNT = re.compile(r"^the (.+) of (.+?) (grows? by|shrinks? by|becomes?) (-?\d+)$")
_BE = re.compile(r"^(.+?) (is|are|lies) (not )?(.+)$")
_LAW = re.compile(r"\b(whenever|with every step)\b,? ?(.*)$", re.IGNORECASE | re.DOTALL)
_COMPARED = ("of the ", "less than ", "more than ", "at least ", "at most ", "the ", "a ", "an ", "made from ")


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that is said to be so: `what` of the noun `of`, with a `value`, and whether it `holds`.

    `what` is held · in (the value is a noun) · here (where the agent is) · reach · gone · at (the agent is in the
    noun `value`) · word (the value is said of it; of '' it is said of the agent) · count (the value is the name of
    a number, and how it changes) · other (not understood). `some` is the article: "no" and "any" are not about one
    thing that is named.
    """

    what: str
    of: str = ""
    value: str = ""
    holds: bool = True
    some: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """What is said to follow, and under which conditions (none: always)."""

    claim: Claim
    when: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a sentence says of a command (`pattern` is its text with gaps) or of a law (`pattern` is '').

    `nouns` are what the sentence calls the things in the gaps, in their order.
    """

    pattern: str
    nouns: tuple[str, ...]
    needs: tuple[Claim, ...]
    effects: tuple[Effect, ...]
    each_step: bool = False
    text: str = ""

    def gap(self, noun: str) -> int | None:
        """The gap that a noun of this lesson stands for."""
        return self.nouns.index(noun) if noun in self.nouns else None


def lessons(text: str, patterns: Iterable[Pattern]) -> list[Lesson]:
    """What the lines of a text teach, as far as they can be read."""
    shown = {said: pattern for pattern in patterns for said in [_shown(pattern)]}
    found = []
    for line in text.split("\n"):
        made = _of_command(line, shown) or _of_law(line)
        if made is not None:
            found.append(made)
    return found


def needed(refusal: str) -> list[Claim]:
    """What a refusal says is needed, about the things by their names; nothing where it does not say."""
    need = need_of(refusal)
    return claims(need) if need else []


def nouns_of(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """What a sentence calls things of some kinds: two of one kind are the first and the second."""
    if len(kinds) == 2 and kinds[0] == kinds[1]:
        return f"first {kinds[0]}", f"second {kinds[1]}"
    return kinds


def _shown(pattern: Pattern) -> str:
    return pattern.fill([kind.upper() for kind in pattern.kinds]) + ": "


def _of_command(line: str, shown: Mapping[str, Pattern]) -> Lesson | None:
    best = max((said for said in shown if said in line), key=len, default=None)
    if best is None:
        return None
    pattern = shown[best]
    rest = line[line.index(best) + len(best) :].strip()
    needs: tuple[Claim, ...] = ()
    if rest.casefold().startswith("only if "):
        told, _, rest = rest[len("only if ") :].partition(". ")
        needs = tuple(claim for part in told.split("; ") for claim in claims(part))
    effects: tuple[Effect, ...] = ()
    if rest.casefold().startswith("then "):
        effects = tuple(_effects(rest[len("then ") :]))
    if not needs and not effects:
        return None
    return Lesson(pattern.text, nouns_of(pattern.kinds), needs, effects, text=line.strip())


def _of_law(line: str) -> Lesson | None:
    match = _LAW.search(line)
    if match is None:
        return None
    rest = match[2].removeprefix("while ")
    each = match[1].casefold() != "whenever"
    when, comma, done = rest.partition(", ")
    if not comma:
        when, done = "", rest
    needs = tuple(claims(when)) if when and not when.startswith("anything") else ()
    return Lesson("", (), needs, tuple(_effects(done)), each, line.strip())


def _effects(text: str) -> Iterator[Effect]:
    for part in text.strip().rstrip(".").split("; "):
        done, _, when = part.partition(", if ")
        for claim in claims(done):
            yield Effect(claim, tuple(claims(when)) if when else ())


def claims(text: str) -> list[Claim]:
    """The claims of a clause: one for each part that "and" joins, or one that is not understood."""
    text = text.strip().rstrip(".").casefold()
    if " or " in text or text.startswith("either ") or " either " in text:
        return [Claim("other", text=text)]
    parts = text.split(" and ")
    if len(parts) == 1:
        return [claim_of(text)]
    found: list[Claim] = []
    subject = ""
    for part in parts:
        whole = f"{subject} {part}" if subject and part.startswith(("is ", "are ")) else part
        claim = claim_of(whole)
        if claim.what == "other":
            return [Claim("other", text=text)]
        subject = whole.split(" is ")[0] if " is " in whole else subject
        found.append(claim)
    return found


def claim_of(text: str) -> Claim:  # noqa: C901 - one case after the other
    """What one clause says."""
    text = text.strip().rstrip(".").casefold()
    if match := _HOLD.match(text):
        some, noun = _noun(match[2])
        if noun.split()[0].isdigit() or noun.startswith("at "):
            return Claim("other", text=text)
        return Claim("held", noun, holds=match[1] == "hold", some=some, text=text)
    if match := _REACH.match(text):
        some, noun = _noun(match[1])
        return Claim("reach", noun, holds=match[2] == "within", some=some, text=text)
    if match := _COUNT.match(text):
        some, noun = _noun(match[2])
        return Claim("count", noun, f"{match[1]} {match[3]} {match[4]}", some=some, text=text)
    match = _BE.match(text)
    if match is None or (" of " in match[1] and match[1].startswith("the ")):
        return Claim("other", text=text)
    some, noun = _noun(match[1])
    said, holds = match[4], match[3] is None
    if noun == "you" and not said.startswith("in "):
        return Claim("word", "", said, holds, text=text)
    if noun == "you":
        return Claim("at", "", _noun(said[3:])[1], holds, text=text)
    if said in ("gone", "nowhere", "somewhere"):
        return Claim("gone", noun, holds=holds == (said != "somewhere"), some=some, text=text)
    if said in ("where you are", "here"):
        return Claim("here", noun, holds=holds, some=some, text=text)
    if said.startswith("in ") and said.split()[1] in ARTICLES:
        other, where = _noun(said[3:])
        return Claim("in", noun, where, holds == (other != "no"), some, text)
    if said.startswith(_COMPARED) or " that " in text or noun in ("place", "number") or match[1].startswith("its "):
        return Claim("other", text=text)
    return Claim("word", noun, said, holds, some, text)


def _noun(text: str) -> tuple[str, str]:
    """The article and the rest of a noun phrase."""
    first, _, rest = text.strip().partition(" ")
    return (first, rest) if first in ARTICLES and rest else ("", text.strip())
