"""What a refusal says in English: a first guess at its class, which evidence overrides, and which can be switched off.

The classes: kind (such things never do) · reach · held (it has to be held) · free (hands have to be empty) · full
(hands, or what is carried, are too much) · room (what it is put into is full) · pair (these two do not belong
together) · way (no way leads there now) · dark · early · spent · done (it is so already) · weak · lost (all is) ·
leave (somebody does not let it) · unread · state (anything else).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PHRASES: Final = (
    ("lost", "all is lost", "all lost", "all over", "begun anew", "start again", "starting again"),
    ("unread", "means nothing", "do not know the word '", "unknown word", "unknown:", "wrong order", "bad order",
     "words are known", "each of your words", "not understood", "do not understand", "nothing said", "say nothing"),
    ("dark", "too dark", "the dark", "cannot see"),
    ("free", "hands are not empty", "hands not empty", "hands are too busy"),
    ("full", "hands full", "hands are full", "in your hands.", "hands will not take", "too narrow", "too heavy",
     "weight is too much", "carry too much", "cannot carry", "all that you hold"),
    ("done", "already", "as it is.", "in your hands as"),
    ("held", "do not hold", "not held", "not holding", "do not have", "hands without", "not carrying"),
    ("reach", "out of reach", "not here", "no such", "too far", "not there", "grasp air", "cannot reach", "do not see"),
    ("kind", "cannot be done with", "not with", "was not made for", "wrong sort", "wrong kind", "makes no sense"),
    ("pair", "not the right", "not the one", "not that one", "does not fit", "do not belong"),
    ("early", "too early", "more time", "not yet"),
    ("spent", "used up", "nothing left", "nothing is left", "is empty"),
    ("room", "no room", "not fit in", "is full"),
    ("weak", "too weak", "no strength", "arms will not"),
    ("leave", "no leave", "without leave", "leave for that", "guarded", "does not let you", "watches you"),
    ("way", "barred", "bars the way", "no way", "way to", "one way"),
)  # fmt: skip
"""Phrases by class; the first that stands in a refusal decides."""
_CODE = re.compile(r"\b([A-Z]+\d+) ([a-z][a-z ]*[a-z])(?=  |\n|$)")
_NEED = re.compile(r"(?:needs?:|only works when|only if|works only when) (.+)$", re.DOTALL)
_HOLD = re.compile(r"^you hold (?!no |at )")


def legend(help_text: str) -> dict[str, str]:
    """What codes stand for, where a help page lists them."""
    return {match[1].casefold(): match[2] for match in _CODE.finditer(help_text)}


def class_of(refusal: str, codes: dict[str, str]) -> str:
    """The class of a refusal, or '' where nothing in it is known."""
    text = refusal.casefold().strip()
    code = text.partition(" ")[0].rstrip(".:")
    if code in codes:
        text = codes[code] + text[len(code) :]
    need = need_of(text)
    if need:
        return _of_need(need)
    return next((row[0] for row in _PHRASES if any(phrase in text for phrase in row[1:])), "")


def need_of(refusal: str) -> str:
    """The clause in which a refusal tells what is needed, or ''."""
    need = _NEED.search(refusal.casefold().strip())
    return "" if need is None else need[1].rstrip(".")


@dataclass(frozen=True, slots=True)
class Answers:
    """How a world answers, where its help page says so, '' where not.

    `done` is said of what is done and shows nothing, `failed` of what does not work, `void` of what does not work
    and of what changes nothing that can be seen.
    """

    done: str = ""
    failed: str = ""
    void: str = ""


def answers(help_text: str) -> Answers:
    """What a help page says of how the world answers."""
    done = failed = void = ""
    for line in help_text.split("\n"):
        for told in line.strip().split("   "):
            head, _, reply = told.replace("answered alike: ", "alike answered: ").partition(" answered: ")
            if "alike" in head:
                void = reply if "changes nothing" in head else ""
            elif not reply:
                continue
            elif "not work" in head or "not understood" in head:
                failed = reply
            elif "done" in head:
                done = reply
    return Answers(done, failed, void)


def _of_need(need: str) -> str:
    """The class of a refusal that tells what is needed."""
    if need.startswith("you hold no "):
        return "free"
    if _HOLD.match(need):
        return "held"
    if need.startswith("you do not hold"):
        return "done"
    if need.endswith("within reach"):
        return "reach"
    if "hold at most" in need:
        return "full"
    if "light" in need or need.endswith("lit up"):
        return "dark"
    if need.startswith(("a way leads", "the way to", "no way")) or "leads to" in need:
        return "way"
    return "state"


__all__ = ["Answers", "answers", "class_of", "legend", "need_of"]
