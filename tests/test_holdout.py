"""tests/holdout: content for testing learning agents, which shares no name with anything that agents are tuned on."""

from __future__ import annotations

import re

import pytest

from sandbox.certify import build
from sandbox.generate.content import Content, content
from sandbox.generate.recipe import load_recipe
from scripts.docs import ROOT

FOLDER = ROOT / "tests" / "holdout"
DECLARED = re.compile(r"^\s*(?:kind|fact|attribute|counter|relation|derive|action|event|each step|lose)\s+(\w+)", re.MULTILINE)
VERB = re.compile(r'^\s*action .*?"(\w+)', re.MULTILINE)


@pytest.fixture(scope="module")
def held_out() -> Content:
    """The built-in content with that of the folder before it."""
    return Content(FOLDER)


@pytest.fixture(scope="module")
def families(held_out: Content) -> set[str]:
    """The families of the folder."""
    return {*held_out.names("rules")} - {*content().names("rules")}


def declared(place: Content, family: str) -> set[str]:
    """The names of what a family declares under any slot value, and its verbs, read off its text."""
    text = place.text("rules", family)
    return {*DECLARED.findall(text), *VERB.findall(text)}


def test_everything_in_it_is_new(held_out: Content, families: set[str]) -> None:
    """No family, grammar, kind, fact, action, law or verb of it is also a built-in one."""
    for sort in ("rules", "grammars", "recipes"):
        new = {path.name.split(".")[0] for path in (FOLDER / "worlds" / sort).iterdir()}
        assert new
        assert new.isdisjoint(content().names(sort))
    built_in = {name for family in content().names("rules") for name in declared(content(), family)}
    for family in families:
        assert len(declared(held_out, family)) >= 5
        assert declared(held_out, family).isdisjoint(built_in), family


@pytest.mark.parametrize("recipe", ["holdout", "holdout-mixed"])
def test_its_worlds_are_certified(held_out: Content, families: set[str], recipe: str) -> None:
    """Each recipe makes worlds, and plans use the families of the folder."""
    certificate = build(f"{recipe}/0", held_out).certificate
    assert certificate.tier == "exact"
    assert families & {*certificate.families}


def test_nothing_built_in_is_in_the_strict_recipe(held_out: Content) -> None:
    """Its families and grammars are the folder's, its words are invented."""
    recipe = load_recipe(held_out, "holdout")
    assert {*recipe.families}.isdisjoint(content().names("rules"))
    assert {*recipe.forms}.isdisjoint(content().names("grammars"))
    assert recipe.words == ("invented",)
