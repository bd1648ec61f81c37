"""New content moves only the worlds that pick it: a family, a slot value, a grammar, a theme that others draw leaves a world as it is."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.errors import ConstraintError
from sandbox.generate.content import Content, content
from sandbox.generate.draw import assemble, choose
from sandbox.generate.recipe import load_recipe
from sandbox.world.world import World

FAMILY = """\
{# Horns that blare. #}
{% set loud = choose("loud", ["yes", "no"], kind="value") %}
kind horn: fixture called "horn", "siren"
fact blown(b: horn) "blaring"
action blow(b: horn) "blow _"
  needs near(b) else out_of_reach
  needs {{ "not " if loud == "yes" }}blown(b) else wrong_state
  makes blown(b)
hint blow
goal blown(b) for b: horn
stage "a horn"
  place 2 horn
"""
SEEDS = [str(n) for n in range(60)]
RECIPE = "tiny"


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that the file must hold."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} has no {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def attempts(library: Content, count: int = 2) -> Iterator[tuple[tuple[str, int], World]]:
    """The first attempts of every seed, as far as they can be drawn, before any goal is sought."""
    recipe = load_recipe(library, RECIPE)
    for seed in SEEDS:
        for number in range(count):
            try:
                yield (seed, number), assemble(library, choose(library, RECIPE, recipe, seed, number), {})
            except ConstraintError:
                continue


def test_a_copy_changes_nothing(mine: Path) -> None:
    """The same templates in another folder give the same worlds, digests of templates included."""
    for ref in ("tiny/0", "tiny/1~rules", "small/1"):
        assert build(ref, Content(mine)).world.digest == build(ref).world.digest


def test_a_file_that_no_recipe_lists_changes_no_world(mine: Path) -> None:
    """A family, grammar or theme that is merely there is never drawn."""
    (mine / "worlds/rules/horns.rules.j2").write_text(FAMILY, encoding="utf-8")
    shutil.copy(mine / "worlds/themes/kitchen.toml", mine / "worlds/themes/annex.toml")
    shutil.copy(mine / "worlds/grammars/imperative.grammar.j2", mine / "worlds/grammars/other.grammar.j2")
    new, old = dict(attempts(Content(mine))), dict(attempts(content()))
    assert {at: world.digest for at, world in new.items()} == {at: world.digest for at, world in old.items()}


def test_a_new_family_moves_only_the_worlds_that_pick_it(mine: Path) -> None:
    """A family added to the recipe's list: who does not draw it keeps every byte."""
    (mine / "worlds/rules/horns.rules.j2").write_text(FAMILY, encoding="utf-8")
    edit(mine / "worlds/recipes/tiny.toml", 'families = ["', 'families = ["horns", "')
    old = dict(attempts(content()))
    picked = kept = 0
    for at, world in attempts(Content(mine)):
        if "horns" in world.rules.families:
            picked += 1
        else:
            kept += 1
            assert world.to_json() == old[at].to_json(), at
            assert world.digest == old[at].digest, at
    assert picked > 10
    assert kept > 10


def test_built_worlds_do_not_move_either(mine: Path) -> None:
    """A certified world none of whose attempts drew the new family is the same world with the same proof."""
    (mine / "worlds/rules/horns.rules.j2").write_text(FAMILY, encoding="utf-8")
    edit(mine / "worlds/recipes/tiny.toml", 'families = ["', 'families = ["horns", "')
    library, recipe = Content(mine), load_recipe(Content(mine), RECIPE)
    same = 0
    for seed in SEEDS[:12]:
        old = build(f"{RECIPE}/{seed}")
        tried = [choose(library, RECIPE, recipe, seed, n).families for n in range(old.world.origin.attempt + 1)]
        if not any("horns" in families for families in tried):
            new = build(f"{RECIPE}/{seed}", library)
            assert (new.world.digest, new.certificate) == (old.world.digest, old.certificate)
            same += 1
    assert same >= 2


def test_a_world_with_the_new_family_can_be_built(mine: Path) -> None:
    """What a user drops in works as what was there: one file and one name in a recipe."""
    (mine / "worlds/rules/horns.rules.j2").write_text(FAMILY, encoding="utf-8")
    edit(mine / "worlds/recipes/tiny.toml", 'families = ["', 'families = ["horns", "')
    library = Content(mine)
    worlds = (build(f"{RECIPE}/{seed}", library).world for seed in SEEDS)
    assert any("horns" in world.rules.families for world in worlds)


def test_a_new_slot_value_moves_only_the_worlds_that_pick_it(mine: Path) -> None:
    """A value added to a slot: who draws another keeps all seven parts; only the template's own digest differs."""
    recipe = mine / "worlds/recipes/tiny.toml"
    few = re.sub(r"(?m)^families = .*$", 'families = ["lock", "container", "light", "sign"]', recipe.read_text(encoding="utf-8"))
    recipe.write_text(few, encoding="utf-8")
    old = dict(attempts(Content(mine)))
    edit(mine / "worlds/rules/lock.rules.j2", '["kept", "spent", "falls"', '["kept", "spent", "falls", "stays"')
    picked = kept = 0
    for at, world in attempts(Content(mine)):
        if world.slots.get("rules/lock/key_after") == "stays":
            picked += 1
            continue
        kept += 1
        assert world.parts == old[at].parts, at
        if "lock" not in world.rules.families:
            assert world.digest == old[at].digest, at
    assert picked > 5
    assert kept > 10


@pytest.mark.parametrize(("list_", "slot"), [("forms", "grammar/form"), ("themes", "theme"), ("voices", "feedback/voice")])
def test_a_new_name_in_a_list_moves_only_the_worlds_that_pick_it(mine: Path, list_: str, slot: str) -> None:
    """A grammar, a theme or a voice added to a recipe: who draws another is the same world."""
    sort, suffix = {"forms": ("grammars", "grammar.j2"), "themes": ("themes", "toml"), "voices": ("feedback", "feedback.j2")}[list_]
    first = {"forms": "imperative", "themes": "kitchen", "voices": "plain"}[list_]
    shutil.copy(mine / f"worlds/{sort}/{first}.{suffix}", mine / f"worlds/{sort}/another.{suffix}")
    edit(mine / "worlds/recipes/tiny.toml", f'{list_} = ["', f'{list_} = ["another", "')
    old = dict(attempts(content(), 1))
    picked = kept = 0
    for at, world in attempts(Content(mine), 1):
        if (world.slots.get(slot) or world.theme.name) == "another":
            picked += 1
        else:
            kept += 1
            assert world.digest == old[at].digest, at
    assert picked > 3
    assert kept > 10
