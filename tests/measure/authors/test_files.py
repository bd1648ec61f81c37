"""`worlds check FILE` on recipes, themes and templates of phrases: what is wrong, on which line, what to write instead."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.generate.content import Content
from sandbox.measure.authors import Report, check_file
from sandbox.paths import builtin_content

Told = Callable[..., list[str]]
Checked = Callable[..., Report]
RECIPE, THEME, VOICE = "recipes/zithers.toml", "themes/attic.toml", "feedback/mumble.feedback.j2"
LIST = "observations/list.observation.j2"

ATTIC = """\
prior = "aligned"
titles = ["The Attic"]
premises = ["One thing up here is wanted downstairs."]
rooms = ["loft", "gable", "eaves", "crawlway", "skylight", "stairhead"]
adjectives = ["old", "dusty"]

[kinds]
thing = ["moth box", "cradle", "trunk", "globe", "frame", "atlas"]
zither = ["zither", "psaltery", "hurdy-gurdy"]
"""

RECIPES = {
    "an unknown key": (("rooms = 4", "roms = 4"), 3, "unknown key 'roms'", "did you mean 'rooms'?"),
    "a family that is not there": (('"lock"', '"lok"'), 1, "unknown rule family 'lok'", "did you mean 'lock'?"),
    "a band that falls": (("steps = [4, 10]", "steps = [10, 4]"), 5, "no band from low to high", "keys:"),
    "broken TOML": (("draw = [2, 3]", "draw = [2, 3"), 1, "recipes/zithers.toml:1", "mend the TOML"),
    "a pin of no slot": (
        ('themes = ["kitchen"]', 'themes = ["kitchen"]\npin = { "rules/zither/low" = "free" }'), 13, "unknown slot 'rules/zither/low'",
        "did you mean 'rules/zither/law'?",
    ),
    "more doors than ways": (
        ("rooms = 4", "rooms = 2"), 3, "family 'lock': cannot place locked_door", "ask for more than 2 rooms",
    ),
    "plans too long": (("steps = [4, 10]", "steps = [90, 99]"), 5, "seeds cannot be built: most attempts fail on steps", "widen steps"),
}  # fmt: skip
THEMES = {
    "too few rooms": (
        [('rooms = ["loft", "gable", "eaves", "crawlway", "skylight", "stairhead"]', 'rooms = ["loft"]')], 4,
        "rooms: 3 names, and recipe 'attic' places 4", "add 1 or more nouns to rooms",
    ),
    "too few nouns of a kind": (
        [('["zither", "psaltery", "hurdy-gurdy"]', '["zither"]'), ('["old", "dusty"]', "[]")], 9, "zither: 1 names, and recipe 'attic' places 3",
        "add 2 or more nouns to zither",
    ),
    "a prior that is none": ([('prior = "aligned"', 'prior = "alined"')], 1, "prior: Input should be 'aligned', 'swapped'", "keys: about"),
    "a kind that no family has": ([("zither = [", "ziter = [")], 9, "no family has a kind 'ziter'", "did you mean 'zither'?"),
    "a noun that is a command": ([('"atlas"', '"drop"')], 8, "thing: 'drop' begins with a word of commands", "choose another noun"),
    "a noun that cannot be typed": ([('"atlas"', '"Atlas!"')], 8, "'Atlas!' cannot be typed as a name", ""),
    "an unknown key": ([("titles", "title")], 2, "unknown key 'title'", "did you mean 'titles'?"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _more(folder: Path) -> None:
    """A theme, a voice and an observation beside the family and the recipe."""
    worlds, builtin = folder / "worlds", builtin_content() / "worlds"
    (worlds / THEME).write_text(ATTIC, encoding="utf-8")
    recipe = (worlds / RECIPE).read_text(encoding="utf-8")
    (worlds / "recipes" / "attic.toml").write_text(recipe.replace('["kitchen"]', '["attic"]'), encoding="utf-8")
    shutil.copy(builtin / "feedback" / "plain.feedback.j2", worlds / VOICE)
    shutil.copy(builtin / LIST, worlds / LIST)


@pytest.mark.parametrize("name", [RECIPE, THEME, VOICE, LIST])
def test_what_is_right_is_left_alone(checked: Checked, name: str) -> None:
    """A recipe, a theme and templates that work have no problem."""
    report = checked(name, seeds=range(2))
    assert report.ok, report.why


@pytest.mark.parametrize("name", RECIPES)
def test_a_mistake_in_a_recipe(told: Told, name: str) -> None:
    """The key, its line and the next step."""
    change, line, what, instead = RECIPES[name]
    found = [one for one in told(RECIPE, change, seeds=range(1)) if one.startswith(f"{RECIPE}:{line}: ") and what in one]
    assert found, told(RECIPE)
    assert instead in found[0].partition(" → ")[2]


def test_families_of_a_recipe_that_contradict_each_other(folder: Path, told: Told) -> None:
    """Both files are named, at the line of the list."""
    (folder / "worlds" / "rules" / "oven.rules.j2").write_text('kind oven: thing called "oven", "range", "stove"\nplace oven\n')
    found = told(RECIPE, ('"station"]', '"station", "oven"]'))
    assert any(one.startswith(f"{RECIPE}:1: families 'station' and 'oven' contradict each other") for one in found)
    assert any("rules/oven.rules.j2:1" in one and "rules/station.rules.j2" in one for one in found)


@pytest.mark.parametrize("name", THEMES)
def test_a_mistake_in_a_theme(told: Told, name: str) -> None:
    """Too few names are found for the recipes that use the theme, with how many are short."""
    changes, line, what, instead = THEMES[name]
    found = [one for one in told(THEME, *changes) if one.startswith(f"{THEME}:{line}: ") and what in one]
    assert found, told(THEME)
    assert instead in found[0].partition(" → ")[2]


def test_a_phrase_that_is_no_phrase(told: Told) -> None:
    """A line of a table that cannot be read is named with what was expected."""
    (found,) = told(VOICE, ("have = ", "have: "))
    assert "expected `key = " in found


def test_a_phrase_that_is_missing_where_it_is_said(checked: Checked) -> None:
    """Worlds are built and played with the template: what they lack is told with the line to add."""
    report = checked(VOICE, ('solved = "', 'solvd = "'), seeds=range(1))
    assert report.why is not None
    assert "no phrase 'solved'" in report.why
    assert "solved = " in next(remark for remark in report.remarks if remark.problem).instead


def test_a_slot_of_a_voice_that_nothing_reads(checked: Checked, folder: Path) -> None:
    """Two values that leave the same phrases."""
    path = folder / "worlds" / VOICE
    path.write_text('{% set mood = choose("mood", ["calm", "cross"], kind="form") %}\n' + path.read_text())
    report = checked(VOICE)
    assert report.why == f"{VOICE}:1: values 'calm' and 'cross' of slot 'mood' leave the same phrases"


@pytest.mark.sweep
def test_built_in_content_has_no_problem() -> None:
    """Every theme and every template of phrases that comes along passes."""
    for sort in ("themes", "grammars", "observations", "feedback"):
        for path in sorted((builtin_content() / "worlds" / sort).iterdir()):
            report = check_file(path, Content(), range(0), lambda: True)
            assert report.ok, report.why
