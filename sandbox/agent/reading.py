"""Reading replies: from the words of a reply to what changed, learned from looking.

A statement's *skeleton* is its words with names and words of state masked. What a skeleton means is learned the
first time by comparing the views before and after; from then on it is read, which saves a look.
A skeleton that once turned out wrong is not trusted again until it was right more often than wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sandbox.agent.belief import GONE, HELD, Belief, Snapshot
from sandbox.agent.text import ARTICLES, Reader

Clause: TypeAlias = list[tuple[str, bool]]


@dataclass(slots=True)
class Meaning:
    """What a skeleton says of its first name: where it is ('' nothing, '@1' in the second name), and of each word."""

    place: str
    polarity: tuple[bool, ...]
    gains: frozenset[str] = frozenset()
    losses: frozenset[str] = frozenset()
    """Words of the views that come and go with it, where the reply has others for them."""
    right: int = 1
    wrong: int = 0

    @property
    def trusted(self) -> bool:
        """Whether it was right more often than wrong, and more than once where it says that something changed."""
        return self.right > 2 * self.wrong and (self.right > 1 or not (self.place or self.polarity or self.gains))


@dataclass(slots=True)
class Replying:
    """The skeletons met so far."""

    reader: Reader
    meanings: dict[tuple[str, ...], Meaning] = field(default_factory=dict)
    swaps: dict[str, set[str]] = field(default_factory=dict)

    def parse(self, text: str, words: set[str]) -> list[tuple[tuple[str, ...], list[str], list[str]]]:
        """Each statement of a reply: its skeleton, its names and its words of state."""
        return [_skeleton(clause, words) for clause in self.reader.clauses(text)]

    def apply(self, text: str, belief: Belief) -> bool:  # noqa: C901 - one decision, read from top to bottom
        """Take over what a reply says. False when some statement is not understood (nothing is changed then)."""
        parsed = self.parse(text, belief.known_words)
        for skeleton, _, _ in parsed:
            meaning = self.meanings.get(skeleton)
            if meaning is None or not meaning.trusted:
                return False
        for skeleton, names, said in parsed:
            meaning = self.meanings[skeleton]
            if not names:
                continue
            name = names[0]
            for word in meaning.losses:
                belief.say(name, word, holds=False)
            for word in meaning.gains:
                belief.say(name, word, holds=True)
            if not meaning.polarity and not meaning.place:
                continue
            for word, holds in zip(said, _spread(meaning.polarity, len(said)), strict=True):
                belief.say(name, word, holds=holds)
                for other in self.swaps.get(word, ()) if holds else ():
                    belief.say(name, other, holds=False)
            if meaning.place:
                belief.move_thing(name, names[1] if meaning.place == "@1" and len(names) > 1 else meaning.place)
        return True

    def learn(self, text: str, before: Snapshot, after: Snapshot, words: set[str]) -> None:
        """Compare what a reply said with what was seen before and after."""
        self._more_words(text, words)
        self._swaps(before, after)
        for skeleton, names, said in self.parse(text, words):
            made = self._meaning(names, said, before, after)
            if made is None:
                continue
            known = self.meanings.get(skeleton)
            if known is None:
                self.meanings[skeleton] = made
            elif (known.place, known.polarity, known.gains) == (made.place, made.polarity, made.gains):
                known.right += 1
            else:
                known.wrong += 1
                if not known.trusted:
                    self.meanings[skeleton] = made

    def _swaps(self, before: Snapshot, after: Snapshot) -> None:
        """Words of which one goes when the other comes, as open and closed."""
        for name, now in after.words.items():
            old = before.words.get(name)
            if old is None or old == now:
                continue
            for word in now - old:
                self.swaps.setdefault(word, set()).update(old - now)
            if len(now - old) == len(old - now) == 1:
                (word,) = old - now
                self.swaps.setdefault(word, set()).update(now - old)
        for now in after.words.values():
            for word in now & self.swaps.keys():
                self.swaps[word] -= now

    def _more_words(self, text: str, words: set[str]) -> None:
        """What stands between commas beside a word of state is one, too."""
        for clause in self.reader.clauses(text):
            parts: list[list[tuple[str, bool]]] = [[]]
            for token in clause:
                if token[0] in (",", ":"):
                    parts.append([])
                else:
                    parts[-1].append(token)
            single = [part[0][0] for part in parts[1:] if len(part) == 1 and not part[0][1] and part[0][0].isalpha()]
            if any(word in words for word in single) or len(single) >= 3:
                words.update(single)

    def _meaning(self, names: Sequence[str], said: Sequence[str], before: Snapshot, after: Snapshot) -> Meaning | None:  # noqa: C901 - one decision, read from top to bottom
        if not names:
            return Meaning("", ())
        name = names[0]
        if name not in before.words and name not in after.words:
            return None
        now = after.words.get(name, frozenset())
        polarity = tuple(word in now for word in said)
        if before.words.get(name) == now and before.place.get(name) == after.place.get(name):
            return Meaning("", ())
        old, new = before.place.get(name), after.place.get(name)
        place = ""
        if old != new:
            if new is None and len(names) > 1:
                return None  # it may well be there where it cannot be seen
            if new is None:
                place = GONE
            elif new == HELD:
                place = HELD
            elif len(names) > 1 and new == names[1]:
                place = "@1"
            elif len(names) > 1:
                return None
        if new is None and said:
            return None
        was = before.words.get(name, now)
        if said or place:
            return Meaning(place, polarity)
        return Meaning(place, polarity, now - was, was - now)


def _spread(polarity: tuple[bool, ...], count: int) -> tuple[bool, ...]:
    """The polarity of each of `count` words: a list longer than the one learned goes on like its end."""
    if len(polarity) >= count:
        return polarity[:count]
    return polarity + (polarity[-1:] or (True,)) * (count - len(polarity))


def _skeleton(clause: Clause, words: set[str]) -> tuple[tuple[str, ...], list[str], list[str]]:
    out: list[str] = []
    names: list[str] = []
    said: list[str] = []
    i = 0
    while i < len(clause):
        text, is_name = clause[i]
        if is_name and not (text in words and names):
            names.append(text)
            out.append("@")
        elif (two := f"{text} {clause[i + 1][0]}" if i + 1 < len(clause) else "") in words:
            said.append(two)
            out.append("#")
            i += 1
        elif text in words:
            said.append(text)
            out.append("#")
        elif text.isdigit():
            out.append("9")
        elif text not in ARTICLES:
            out.append(text)
        i += 1
    return tuple(_folded(out)), names, said


def _folded(skeleton: list[str]) -> list[str]:
    """A skeleton with lists of words of state as one mark."""
    out: list[str] = []
    for mark in skeleton:
        if mark == "#" and out[-2:] == ["#", ","]:
            out.pop()
        else:
            out.append(mark)
    return out
