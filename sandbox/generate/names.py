"""Themes: what rooms and things are called. Verbs and other fixed words belong to the grammar."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from sandbox.errors import ConstraintError, UsageError
from sandbox.generate.content import Content
from sandbox.generate.problems import first_problem
from sandbox.world.keyed import Key
from sandbox.world.spec import Layout, Rules, Theme

_MARKS = frozenset('{}<>[]()"\\`|=,;:')
_ONSETS = (
    *"bdfgklmnprstvz", "br", "dr", "gl", "kr", "pl", "sk", "st", "tr",
)
_VOWELS = tuple("aeiou")
_CODAS = ("", "", "", "l", "m", "n", "r", "s", "x")


class ThemeFile(BaseModel):
    """One file under worlds/themes/. `kinds` maps a kind to nouns; an invented theme has none."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    about: str = ""
    prior: str
    titles: tuple[str, ...]
    premises: tuple[str, ...]
    rooms: tuple[str, ...] = ()
    adjectives: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    kinds: dict[str, tuple[str, ...]] = {}

    @model_validator(mode="after")
    def _typable(self) -> ThemeFile:
        if not self.titles or not self.premises:
            raise ValueError("a theme needs a title and a premise at least")
        for key, names in {"rooms": self.rooms, "adjectives": self.adjectives, **self.kinds}.items():
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
    """The theme of a name. Raises UsageError with the key that is wrong."""
    return _parse(content.text("themes", name), content.path("themes", name).name)


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


def name_all(
    theme: str, file: ThemeFile, rules: Rules, layout: Layout, key: Key, taken: Iterable[str]
) -> Theme:
    """Names for all rooms and objects: unique, none the beginning of another, none a fixed word.

    Raises ConstraintError when the theme has too few names for the layout.
    """
    used = _Taken(taken)
    names: list[tuple[str, str]] = []
    if file.prior == "invented":
        names += [(id_, _fresh(key.child(id_), used)) for id_ in (*layout.rooms, *(o.id for o in layout.objects))]
        labels = [(f"kind:{k.name}", _fresh(key.child("kind", k.name), used)) for k in rules.kinds]
        labels.append(("kind:object", _fresh(key.child("kind", "object"), used)))
    else:
        names += _from_pool(list(layout.rooms), file.rooms, file.adjectives, key.child("rooms"), used, theme)
        for kind in dict.fromkeys(o.kind for o in layout.objects):
            ids = [o.id for o in layout.objects if o.kind == kind]
            pool = _nouns(file, rules, kind)
            names += _from_pool(ids, pool, file.adjectives, key.child(kind), used, theme)
        labels = [(f"kind:{k.name}", file.labels.get(k.name, k.name.replace("_", " "))) for k in rules.kinds]
        labels.append(("kind:object", "thing"))
    title = key.child("title").best(file.titles)
    premise = key.child("premise").best(file.premises)
    return Theme(theme, file.prior, (*names, *labels), title, premise)


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
    raise ConstraintError("the invented language has run out of words", "theme")


def _from_pool(
    ids: Sequence[str], nouns: Sequence[str], adjectives: Sequence[str], key: Key, used: _Taken, theme: str
) -> list[tuple[str, str]]:
    """Nouns in keyed order; when they run out, nouns with an adjective."""
    ranked = key.ranked(nouns)
    pairs = [f"{a} {n}" for a in key.child("adjective").ranked(adjectives) for n in ranked]
    chosen: list[str] = []
    for name in (*ranked, *pairs):
        if len(chosen) < len(ids) and not used.clashes(name):
            used.add(name)
            chosen.append(name)
    if len(chosen) < len(ids):
        raise ConstraintError(
            f"theme {theme!r} has {len(chosen)} names for {len(ids)} objects", "theme",
            "add nouns or adjectives to the theme",
        )
    return list(zip(ids, chosen, strict=True))
