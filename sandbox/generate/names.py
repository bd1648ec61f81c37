"""Themes: what rooms and things are called. Verbs and other fixed words belong to the grammar."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from sandbox.errors import ThemeError, UsageError
from sandbox.generate.content import Content
from sandbox.generate.problems import first_problem
from sandbox.world.keyed import Key
from sandbox.world.spec import Layout, Rules, Theme

_MARKS = frozenset('{}<>[]()"\\`|=,;:')
_ONSETS = (
    *"bdfgklmnprstvz", "br", "dr", "gl", "kr", "pl", "sk", "st", "tr",
)
_VOWELS = tuple("aeiou")
_LETTERS = tuple("bcdfghjkmnpqrstuvwxyz")
_CODAS = ("", "", "", "l", "m", "n", "r", "s", "x")


class ThemeFile(BaseModel):
    """One file under worlds/themes/. `kinds` maps a kind to nouns; an invented or coded theme has none.

    A swapped theme has those of the theme that it is `like`, each kind under the nouns of another one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    about: str = ""
    prior: Literal["aligned", "swapped", "invented", "coded"]
    like: str = ""
    titles: tuple[str, ...]
    premises: tuple[str, ...]
    rooms: tuple[str, ...] = ()
    room_adjectives: tuple[str, ...] = ()
    adjectives: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    kinds: dict[str, tuple[str, ...]] = {}

    @model_validator(mode="after")
    def _typable(self) -> ThemeFile:
        if not self.titles or not self.premises:
            raise ValueError("a theme needs a title and a premise at least")
        if (self.prior == "swapped") != bool(self.like):
            raise ValueError("like: the theme whose nouns are swapped, for a theme whose prior is swapped and no other")
        lists = {"rooms": self.rooms, "room_adjectives": self.room_adjectives, "adjectives": self.adjectives}
        for key, names in {**lists, **self.kinds}.items():
            for name in names:
                if not is_typable(name):
                    raise ValueError(f"{key}: {name!r} cannot be typed as a name; write {typable(name)!r}")
        return self


def typable(name: str) -> str:
    """The name as a parser sees it: case-folded, single blanks, nothing that a text uses for something else."""
    plain = "".join(c for c in unicodedata.normalize("NFC", name) if c not in _MARKS and not _control(c))
    return " ".join(plain.casefold().split()) or "thing"


def is_typable(name: str) -> bool:
    """Whether a name is what a parser makes of it."""
    return name == typable(name)


def _control(character: str) -> bool:
    return unicodedata.category(character).startswith("C")


def load_theme(content: Content, name: str) -> ThemeFile:
    """The theme of a name, a swapped one with the nouns of its model. Raises UsageError with the key that is wrong."""
    file = _parse(content.text("themes", name), content.path("themes", name).name)
    if not file.like:
        return file
    model = _parse(content.text("themes", file.like), content.path("themes", file.like).name)
    if model.prior != "aligned":
        raise UsageError(f"themes/{name}.toml: like: {file.like!r} is {model.prior}", "name a theme that is aligned")
    return model.model_copy(update={
        "about": file.about, "prior": file.prior, "like": file.like, "titles": file.titles, "premises": file.premises,
    })


@lru_cache(maxsize=64)
def _parse(text: str, file: str) -> ThemeFile:
    try:
        return ThemeFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"themes/{file}: {error}", "mend the TOML") from None
    except ValidationError as error:
        problem, hint = first_problem(error, ThemeFile.model_fields)
        raise UsageError(f"themes/{file}: {problem}", hint) from None


def invented_word(key: Key, syllables: int = 2) -> str:
    """A pronounceable word of no language."""
    stream = key.stream()
    parts = [stream.choice(_ONSETS) + stream.choice(_VOWELS) for _ in range(syllables)]
    return "".join(parts) + stream.choice(_CODAS)


class Draw(NamedTuple):
    """The key of which names are drawn, and how often the theme was drawn before: other nouns come first then."""

    key: Key
    number: int = 0


def name_all(
    theme: str, file: ThemeFile, rules: Rules, layout: Layout, draw: Draw, taken: Iterable[str]
) -> Theme:
    """Names for all rooms and objects: unique, none the beginning of another, none a fixed word.

    Raises ThemeError when the theme has too few names for the layout.
    """
    used, key = _Taken(taken), draw.key.child(draw.number)
    if file.prior == "invented":
        names, labels = _invented(rules, layout, key, used)
    elif file.prior == "coded":
        names, labels = _coded(rules, layout, key, used)
    else:
        names, labels = _from_nouns(theme, file, rules, layout, draw, used)
    title = key.child("title").best(file.titles)
    premise = key.child("premise").best(file.premises)
    return Theme(theme, file.prior, (*names, *labels), title, premise)


Pairs: TypeAlias = list[tuple[str, str]]
"""Ids with their names, or `kind:KIND` with what the kind is called."""


def _invented(rules: Rules, layout: Layout, key: Key, used: _Taken) -> tuple[Pairs, Pairs]:
    """Words of no language."""
    ids = (*layout.rooms, *(o.id for o in layout.objects))
    names = [(id_, _fresh(key.child(id_), used)) for id_ in ids]
    kinds = [*(k.name for k in rules.kinds), "object"]
    return names, [(f"kind:{kind}", _fresh(key.child("kind", kind), used)) for kind in kinds]


def _coded(rules: Rules, layout: Layout, key: Key, used: _Taken) -> tuple[Pairs, Pairs]:
    """A letter for the kind and a number of its own: no letter and no number says anything."""
    kinds = [*(k.name for k in rules.kinds), "object"]
    letters = [*_LETTERS, *(a + b for a in _LETTERS for b in _LETTERS)][: max(len(kinds), len(_LETTERS))]
    letter = dict(zip(kinds, key.child("letters").ranked(letters), strict=False))
    ids = [*((room, "room") for room in layout.rooms), *((o.id, o.kind) for o in layout.objects)]
    most = 100 if len(ids) <= 60 else 1000
    numbers = iter(key.child("numbers").ranked([str(n) for n in range(most // 10, most)]))
    names = []
    for id_, kind in ids:
        name = next((n for number in numbers if not used.clashes(n := f"{letter[kind]}{number}")), None)
        if name is None:
            raise ThemeError(f"there are too few codes for {len(ids)} rooms and objects", "make the world smaller")
        used.add(name)
        names.append((id_, name))
    return names, [(f"kind:{kind}", letter[kind]) for kind in kinds]


def _from_nouns(
    theme: str, file: ThemeFile, rules: Rules, layout: Layout, draw: Draw, used: _Taken
) -> tuple[Pairs, Pairs]:
    """The theme's nouns, with an adjective where they run out; in a swapped theme, those of another kind."""
    key = draw.key
    source = _swapped(rules, key.child("swap", draw.number)) if file.prior == "swapped" else {}
    rooms = _Pool(theme, "room", file.rooms, file.room_adjectives or file.adjectives)
    names = _from_pool(list(layout.rooms), rooms, draw._replace(key=key.child("rooms")), used)
    for kind in dict.fromkeys(o.kind for o in layout.objects):
        ids = [o.id for o in layout.objects if o.kind == kind]
        pool = _Pool(theme, kind, _nouns(file, rules, source.get(kind, kind)), file.adjectives)
        names += _from_pool(ids, pool, draw._replace(key=key.child(kind)), used)
    labels = []
    for kind in (k.name for k in rules.kinds):
        called = source.get(kind, kind)
        labels.append((f"kind:{kind}", file.labels.get(called, called.replace("_", " "))))
    return names, [*labels, ("kind:object", "thing")]


_PLAIN = ("room", "thing", "fixture")


def _swapped(rules: Rules, key: Key) -> dict[str, str]:
    """For each kind that is more than a plain thing, another one whose nouns it takes, of another sort if it can be."""
    kinds = [k.name for k in rules.kinds if k.name not in _PLAIN]
    sorts = {kind: "door" if rules.kind_of(kind, "door") else "thing" if rules.kind_of(kind, "thing") else "fixture"
             for kind in kinds}
    ranked = sorted(key.ranked(kinds), key=lambda kind: sorts[kind])
    shift = max((list(sorts.values()).count(sort) for sort in set(sorts.values())), default=0)
    return {kind: ranked[(i + shift % len(ranked or " ")) % len(ranked)] for i, kind in enumerate(ranked)}


def _nouns(file: ThemeFile, rules: Rules, kind: str) -> tuple[str, ...]:
    """The nouns of a kind: the theme's, else the template's own, else those of its parent."""
    kinds = {k.name: k for k in rules.kinds}
    at = kind
    while True:
        found = file.kinds.get(at) or kinds[at].called
        if found or kinds[at].parent == at:
            return tuple(found)
        at = kinds[at].parent


class _Taken:
    """The names in use. A new one may neither begin with one of them nor be the beginning of one."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: set[str] = set()
        self._heads: set[str] = set()
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        self._names.add(name)
        self._heads.update(_heads(name))

    def clashes(self, name: str) -> bool:
        return name in self._names or name in self._heads or any(head in self._names for head in _heads(name))


def _heads(name: str) -> list[str]:
    words = name.split()
    return [" ".join(words[:n]) for n in range(1, len(words))]


def _fresh(key: Key, used: _Taken) -> str:
    for number in range(10_000):
        word = invented_word(key.child(number))
        if not used.clashes(word):
            used.add(word)
            return word
    raise ThemeError("the invented language has run out of words", "make the world smaller")


class _Pool(NamedTuple):
    """What a kind can be called in a theme."""

    theme: str
    kind: str
    nouns: Sequence[str]
    adjectives: Sequence[str]


def _from_pool(ids: Sequence[str], pool: _Pool, draw: Draw, used: _Taken) -> Pairs:
    """Nouns in keyed order, then nouns with an adjective; another draw begins where the last one ended."""
    key, number = draw
    ranked = key.ranked(pool.nouns)
    pairs = [f"{a} {n}" for a in key.child("adjective").ranked(pool.adjectives) for n in ranked]
    names = [*ranked, *pairs]
    begin = number * len(ids) % max(1, len(names))
    chosen: list[str] = []
    for name in (*names[begin:], *names[:begin]):
        if len(chosen) < len(ids) and not used.clashes(name):
            used.add(name)
            chosen.append(name)
    if len(chosen) < len(ids):
        raise ThemeError(
            f"theme {pool.theme!r} has {len(chosen)} names for {len(ids)} objects of kind {pool.kind!r}",
            "add nouns or adjectives to the theme, or make the world smaller",
        )
    return list(zip(ids, chosen, strict=True))
