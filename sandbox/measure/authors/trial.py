"""Content with one file under examination in it, wherever that file lies, and with recipes made to try it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from sandbox.errors import UsageError
from sandbox.generate.content import Content
from sandbox.generate.recipe import Recipe, load_recipe
from sandbox.generate.templates import Template, load_template


class Trial(Content):
    """The given content, with a file in the place that its name has there, and recipes that lie nowhere."""

    def __init__(self, base: Content, sort: str, name: str, path: Path) -> None:
        super().__init__(base.extra)
        self._given = {(sort, name): path}
        self._made: dict[str, str] = {}

    def names(self, sort: str) -> tuple[str, ...]:
        """The names of all files of a sort, the one under examination included."""
        return tuple(sorted({*super().names(sort), *(n for s, n in self._given if s == sort)}))

    def path(self, sort: str, name: str) -> Path:
        """The file of a name; for a recipe that was made, a path that names it."""
        if sort == "recipes" and name in self._made:
            return Path(f"{name}.toml")
        return self._given.get((sort, name)) or super().path(sort, name)

    def text(self, sort: str, name: str) -> str:
        """The text of a file."""
        if sort == "recipes" and name in self._made:
            return self._made[name]
        return super().text(sort, name)

    def template(self, sort: str, name: str) -> Template:
        """A loaded template."""
        if (sort, name) not in self._given:
            return super().template(sort, name)
        key = sort, name
        if key not in self._templates:
            self._templates[key] = load_template(self._given[key], sort, name)
        return self._templates[key]

    def make(self, name: str, recipe: Recipe) -> str:
        """Add a recipe under a name, and return the name."""
        self._made[name] = as_toml(recipe)
        return name


def as_toml(recipe: Recipe) -> str:
    """A recipe as the text of a file."""
    return "".join(f"{key} = {_toml(value)}\n" for key, value in recipe.model_dump(mode="json").items())


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    return json.dumps(value)


def listing(content: Content, family: str) -> Iterable[str]:
    """The names of the recipes that list a family; what cannot be read lists nothing."""
    for name in content.recipes():
        try:
            if family in load_recipe(content, name).families:
                yield name
        except UsageError:
            continue
