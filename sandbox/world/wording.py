"""One object → how it is written: its name, and the words for its state.

A word is written as it is, or as the sign that the form of the observation has for it among its `marks`. What is
written depends on some bits of the state only, so each piece of text is a `Memo` of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TypeAlias

from sandbox.world import spec
from sandbox.world.bits import Memo, Memos, Table
from sandbox.world.english import article
from sandbox.world.ground import Ground
from sandbox.world.phrases import Phrases
from sandbox.world.values import Group
from sandbox.world.world import World

Text: TypeAlias = Memo[str]
"""A piece of text as a function of the state."""

Look: TypeAlias = tuple[int, Mapping[int, str]]
"""The bits of a value that has words, and the word for each setting of them."""


_FEW = 16
"""Texts of an object up to which all of them are written beforehand."""


@dataclass(frozen=True, slots=True)
class Item:
    """One object: its name, what can be seen of it, and where it can be.

    `drawn` are the words for all its drawn attributes, `shown` those that stand in every text about it. `looks` are
    its changeable values that have words. `mask` is all of their bits. `hidden` is the bit that must be set for any
    of these words to be shown, 0 where they are shown at once.
    """

    id: str
    name: str
    drawn: tuple[str, ...]
    shown: tuple[str, ...]
    looks: tuple[Look, ...]
    mask: int
    hidden: int
    place: Group | None

    def words(self, state: int) -> list[str]:
        """The words that say the object's state, the drawn attributes that it shows first."""
        return [*self.shown, *[word for mask, words in self.looks if (word := words[state & mask])]]

    def settings(self) -> list[tuple[int, ...]]:
        """For each of its values that its text depends on, the bits of every setting."""
        return [*[tuple(words) for _, words in self.looks], *([(0, self.hidden)] if self.hidden else [])]

    @property
    def few(self) -> bool:
        """Whether its text is one of a few."""
        return prod(len(settings) for settings in self.settings()) <= _FEW

    def tells(self, state: int) -> bool:
        """Whether its text has any words but its name."""
        return bool((not self.hidden or state & self.hidden) and self.words(state))


class Wording:
    """Writes the objects of one world in the form of its observation. `seen` is the bit for each examined object."""

    def __init__(self, world: World, ground: Ground, seen: Mapping[str, int], phrases: Phrases, memos: Memos) -> None:
        self._ground, self._phrases, self._memos = ground, phrases, memos
        self._functions = {f.name: f for f in world.rules.functions}
        self._kinds = {k.name: k for k in world.rules.kinds}
        words = [w for f in world.rules.functions for w in f.words if w]
        self._marks = marks(words, phrases.texts.get("marks", ""))
        self._words = {word: phrases.say("word", word=word, mark=mark) for word, mark in self._marks.items()}
        self._between = phrases.say("words")
        seen = seen if world.observation.hidden == "states" else {}
        self.items = {o.id: self._item(world.names[o.id], o, seen.get(o.id, 0)) for o in world.layout.objects}

    def _item(self, name: str, object_: spec.Object, hidden: int) -> Item:
        ground, functions = self._ground, self._functions
        drawn = {n: functions[n].words[functions[n].values.index(v)] for n, v in object_.attributes}
        looks = self.looks(object_.id)
        return Item(
            object_.id, name, tuple([word for word in drawn.values() if word]),
            tuple([drawn[name] for name in self._shows(object_.kind) if drawn.get(name)]), looks,
            sum(mask for mask, _ in looks), hidden, ground.groups.get((spec.PLACE, (object_.id,))),
        )

    def looks(self, *args: str) -> tuple[Look, ...]:
        """What can be seen of an object, or without one of the player's own state."""
        return tuple(look for function in self._functions.values() for look in self._looks(function, args))

    def _looks(self, function: spec.Function, args: tuple[str, ...]) -> Iterator[Look]:
        group = self._ground.groups.get((function.name, args))
        if group is not None and any(function.words):
            settings = (0, group.mask) if len(group.bits) == 1 else group.bits
            yield group.mask, dict(zip(settings, function.words, strict=True))

    def _shows(self, kind: str) -> tuple[str, ...]:
        """The attributes that stand in every text about an object of a kind: its own, or those of the next above."""
        kinds, at = self._kinds, kind
        while at in kinds:
            if kinds[at].shows or kinds[at].parent == at:
                return kinds[at].shows
            at = kinds[at].parent
        return ()

    # --- text ---------------------------------------------------------------------------------
    def say(self, words: Iterable[str]) -> list[str]:
        """Words as they are written."""
        return [self._words[word] for word in words]

    def sign(self, name: str, value: spec.Value) -> str:
        """How the form of the observation writes that the function `name` has a value, or '' where no word says it."""
        function = self._functions[name]
        word = function.words[function.values.index(value)]
        return self._marks[word] if word else ""

    def legend(self) -> str:
        """Every sign that is not its own word, with the word."""
        return "  ".join(f"{mark} {word}" for word, mark in self._marks.items() if mark != word)

    def from_afar(self, item: Item, key: str) -> Text:
        """An object's name with what can be told of it from next door: no drawn attributes."""
        return self.named(replace(item, shown=()), key)

    def named(self, item: Item, key: str) -> Text:
        """An object's name with the words for its state, under the phrases `key` and `key_words`."""
        names = {"name": item.name, "a_name": article(item.name)}
        plain, around = self._phrases.say(key, **names), self._phrases.around(key + "_words", "words", **names)

        def write(state: int) -> str:
            words = item.words(state)
            return self._between.join([self._words[word] for word in words]).join(around) if words else plain

        mask, hidden = item.mask | item.hidden, item.hidden
        make = (lambda state: write(state) if state & hidden else plain) if hidden else write
        settings = [sum(bits) for bits in product(*item.settings())] if item.few else []
        return Table(mask, settings, make) if settings else self._memos.new(mask, make)


def marks(words: Sequence[str], given: str) -> dict[str, str]:
    """The sign for each word, where one is given ("open=~ closed=!"); the others stand for themselves."""
    signs = dict(pair.split("=", 1) for pair in given.split())
    return {word: signs.get(word, word) for word in dict.fromkeys(words)}
