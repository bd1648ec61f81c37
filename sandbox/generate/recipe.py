"""A recipe: which templates, how many families, what size, and the bands a world must meet."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sandbox.errors import RecipeError, nearest
from sandbox.generate.content import Content
from sandbox.generate.problems import first_problem
from sandbox.generate.speak import PROTOCOLS, WORDS
from sandbox.world.reward import REWARDS

FAMILY = "family"
"""What `exclude` calls the choice of families: they are listed, and still never drawn."""
DETAILS = ("thing", "requirement", "something", "nothing")
SUCCESSES = ("told", "silent")
Band = tuple[int, int]
Level = Literal["all", "some", "none"]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class Told(BaseModel):
    """How much of an axis the help page and the cards tell."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    grammar: Level = "all"
    rules: Level = "some"


class Recipe(BaseModel):
    """One file under worlds/recipes/. Every list names what may be drawn, the usual choice first.

    Only a recipe that is `mute` has worlds that say nothing of failure and nothing of success.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    about: str = ""
    families: Names
    draw: Band
    rooms: int = Field(ge=2, le=200)
    things: int = Field(ge=2, le=400)
    steps: Band
    actions: int = Field(ge=1)
    uses: int = Field(ge=1)
    dead_ends: float = Field(ge=0.0, le=1.0)
    forms: Names
    protocols: Names = ("direct",)
    words: Names = ("english",)
    observations: Names
    scopes: Names = ("room",)
    hidden: Names = ("nothing",)
    changes: Names = ("full",)
    distractors: Names = ("none",)
    voices: Names
    details: Names = ("thing",)
    successes: Names = ("told",)
    rewards: Names = ("sparse",)
    mute: bool = False
    themes: Names
    told: Told = Told()
    pin: dict[str, str] = {}
    exclude: dict[str, tuple[str, ...]] = {}

    @model_validator(mode="after")
    def _audible(self) -> Recipe:
        if not self.mute and self.details == ("nothing",) and self.successes == ("silent",):
            raise ValueError("details 'nothing' with successes 'silent' tells a player nothing; write mute = true")
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Recipe:
        for name in ("draw", "steps"):
            low, high = getattr(self, name)
            if not 1 <= low <= high:
                raise ValueError(f"{name} = [{low}, {high}] is no band from low to high")
        if self.draw[0] > len(self.families):
            raise ValueError(f"draws at least {self.draw[0]} families but lists {len(self.families)}")
        if self.uses > self.draw[1]:
            raise ValueError(f"plans must use {self.uses} families but at most {self.draw[1]} are drawn")
        if "core" in self.families:
            raise ValueError("families: the core is in every world and is not listed")
        for name, names in self:
            if isinstance(names, tuple) and name not in ("draw", "steps") and len(set(names)) < len(names):
                raise ValueError(f"{name}: a name is listed twice")
        for slot, value in self.pin.items():
            if value in self.exclude.get(slot, ()):
                raise ValueError(f"slot {slot} is pinned to {value!r}, which is excluded")
        return self

    @model_validator(mode="after")
    def _families_left(self) -> Recipe:
        left = len(set(self.families) - set(self.exclude.get(FAMILY, ())))
        if self.draw[0] > left:
            raise ValueError(f"draws at least {self.draw[0]} families but exclude.{FAMILY} leaves {left}")
        if FAMILY in self.pin:
            raise ValueError("pin: families are drawn, not pinned; list fewer of them")
        return self


def load_recipe(content: Content, name: str) -> Recipe:
    """The recipe of a name. Raises UnknownName, or RecipeError with the key that is wrong."""
    file = content.path("recipes", name).name
    recipe = _parse(content.text("recipes", name), file)
    _check_names(content, recipe, file)
    return recipe


@lru_cache(maxsize=64)
def _parse(text: str, file: str) -> Recipe:
    try:
        return Recipe.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"recipes/{file}: {error}", "mend the TOML") from None
    except ValidationError as error:
        problem, hint = first_problem(error, Recipe.model_fields)
        raise RecipeError(f"recipes/{file}: {problem}", hint) from None


def _check_names(content: Content, recipe: Recipe, file: str) -> None:
    for sort, names in (
        ("rules", recipe.families), ("grammars", recipe.forms), ("observations", recipe.observations),
        ("feedback", recipe.voices), ("themes", recipe.themes),
    ):
        for name in names:
            content.path(sort, name)
    for field, names, known in (
        ("protocols", recipe.protocols, PROTOCOLS),
        ("words", recipe.words, WORDS),
        ("scopes", recipe.scopes, ("room", "neighbours", "everything")),
        ("hidden", recipe.hidden, ("nothing", "states")),
        ("changes", recipe.changes, ("full", "delta")),
        ("distractors", recipe.distractors, ("none", "some")),
        ("details", recipe.details, DETAILS),
        ("successes", recipe.successes, SUCCESSES),
        ("rewards", recipe.rewards, REWARDS),
    ):
        for name in names:
            if name not in known:
                meant = nearest(name, known)
                raise RecipeError(
                    f"recipes/{file}: {field}: {name!r} is none of {', '.join(known)}",
                    f"did you mean {meant!r}?" if meant else f"choose from: {', '.join(known)}",
                )
