"""A theme: its keys, whether its names last for the sizes that use it, and nouns that nobody will ever see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from sandbox.errors import ConstraintError, TemplateError, UsageError, nearest
from sandbox.generate.draw import CORE, choose, render_rules
from sandbox.generate.layout import draw_layout
from sandbox.generate.names import ThemeFile, load_theme
from sandbox.generate.recipe import Recipe, load_recipe
from sandbox.measure.authors.remark import Remark, from_error, line_with
from sandbox.measure.authors.source import as_usual
from sandbox.measure.authors.trial import Trial
from sandbox.world.keyed import Key
from sandbox.world.spec import Kind, Rules

LAYOUTS: Final = 6
USUAL: Final = ("small", "default")
"""The recipes whose sizes a theme is tried with that no recipe lists."""


def check_theme(trial: Trial, name: str) -> list[Remark]:
    """All remarks on a theme."""
    file, text = f"themes/{name}.toml", trial.text("themes", name)
    try:
        theme = load_theme(trial, name)
    except UsageError as error:
        quoted = error.message.split("'")[1] if "'" in error.message else "prior"
        return [from_error(error, "broken", file, line_with(text, quoted))]
    remarks = [*_kinds(trial, theme, file, text), *_words(trial, theme, file, text)]
    if theme.prior in ("aligned", "swapped"):
        remarks += _enough(trial, name, theme, (file, text))
    return remarks


def _families(trial: Trial) -> Iterator[tuple[str, list[Kind], set[str]]]:
    """Every family with the kinds that it declares and the words of its commands."""
    for family in (CORE, *trial.names("rules")):
        try:
            statements = as_usual(trial.template("rules", family), family)
        except TemplateError:
            continue
        kinds = [part.node for part in statements if isinstance(part.node, Kind)]
        spellings = [text for part in statements for text in getattr(part.node, "spellings", ())]
        yield family, kinds, {word for text in spellings for word in text.split() if word != "_"}


def _kinds(trial: Trial, theme: ThemeFile, file: str, text: str) -> Iterator[Remark]:
    """Kinds that no family has."""
    known = {kind.name for _, kinds, _ in _families(trial) for kind in kinds}
    for kind in {**theme.kinds, **theme.labels}:
        if kind not in known:
            meant = nearest(kind, known)
            yield Remark(
                file, line_with(text, kind), "kind", f"no family has a kind {kind!r}",
                f"did you mean {meant!r}?" if meant else "take it out", problem=False,
            )


def _words(trial: Trial, theme: ThemeFile, file: str, text: str) -> Iterator[Remark]:
    """Names that begin with a word of some command: no world can use them beside it."""
    words = {word for _, _, found in _families(trial) for word in found}
    for key, names in {"rooms": theme.rooms, **theme.kinds}.items():
        for name in names:
            if name.split()[0] in words and (name in words or " " in name):
                yield Remark(
                    file, line_with(text, f"{key} ", f'"{name}"'), "word",
                    f"{key}: {name!r} begins with a word of commands and is passed over where that command is there",
                    "choose another noun", problem=False,
                )
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            yield Remark(file, line_with(text, f"{key} "), "twice", f"{key}: {twice[0]!r} stands there twice",
                         "take one out", problem=False)


# --- enough names ---------------------------------------------------------------------------------
def _enough(trial: Trial, name: str, theme: ThemeFile, where: tuple[str, str]) -> Iterator[Remark]:
    """Rooms and kinds of which a recipe places more than the theme can name."""
    (file, text), short = where, dict[str, tuple[int, int, str]]()
    for recipe_name in _recipes(trial, name):
        recipe = load_recipe(trial, recipe_name)
        for key, have, need in _needs(trial, recipe, theme):
            if need > max(have, short.get(key, (0, 0, ""))[1]):
                short[key] = have, need, recipe_name
    for key, (have, need, recipe_name) in short.items():
        line = line_with(text, f"{key} ")
        yield Remark(
            file, line, "names", f"{key}: {have} names, and recipe {recipe_name!r} places {need}",
            f"add {need - have} or more nouns to {key}, or adjectives: each makes a name with every noun",
        )


def _recipes(trial: Trial, theme: str) -> list[str]:
    found = []
    for name in trial.recipes():
        try:
            if theme in load_recipe(trial, name).themes:
                found.append(name)
        except UsageError:
            continue
    return found or [name for name in USUAL if name in trial.recipes()]


def _needs(trial: Trial, recipe: Recipe, theme: ThemeFile) -> Iterator[tuple[str, int, int]]:
    """Rooms and kinds, with how many names there are and how many some layout of a recipe needs."""
    full = recipe.model_copy(update={"draw": (recipe.draw[1], recipe.draw[1])})
    more = 1 + len(theme.adjectives)
    yield "rooms", (1 + len(theme.room_adjectives or theme.adjectives)) * len(theme.rooms), recipe.rooms
    for seed in range(LAYOUTS):
        try:
            choice = choose(trial, "trial", full, str(seed), 0)
            _, rules = render_rules(trial, choice.families, choice.values)
            layout = draw_layout(rules, recipe.rooms, recipe.things, Key("names", seed))
        except (ConstraintError, TemplateError):
            continue
        for kind, count in Counter(o.kind for o in layout.objects).items():
            nouns, key = _nouns(theme, rules, kind)
            yield key, more * len(nouns), count


def _nouns(theme: ThemeFile, rules: Rules, kind: str) -> tuple[tuple[str, ...], str]:
    """The nouns of a kind, and the key that holds them (the kind itself where its family's own are used)."""
    kinds = {k.name: k for k in rules.kinds}
    at = kind
    while True:
        found = theme.kinds.get(at) or kinds[at].called
        if found or kinds[at].parent == at:
            return tuple(found), at if at in theme.kinds else kind
        at = kinds[at].parent
