"""`build(ref)` is total: a certified world, or one typed error that says what to do next."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.certify import build, check
from sandbox.errors import UsageError
from sandbox.generate.content import content
from sandbox.generate.recipe import load_recipe
from sandbox.world.world import World
from tests.outside.worlds import built

UNKNOWN = [
    ("tny/7", "did you mean 'tiny'?"), ("7~rule", "did you mean 'rules'?"), ("tiny/7~gramar", "did you mean 'grammar'?"),
    ("tiny/7~grammar/wods=invented", "did you mean 'grammar/words'?"), ("tiny/7~grammar/words=inventd", "did you mean 'invented'?"),
    ("tiny/", "a reference is"), ("", "a reference is"), ("/7", "a reference is"), ("a/b/7", "a reference is"), ("tiny/7~", "axes: "),
    ("tiny/7~rules.2", "write ~rules"), ("tiny/7~layout.all", "write ~layout"), ("tiny/7~task.0", ""), ("tiny/7~rules/lock/match=", "AXIS/TEMPLATE/SLOT=VALUE"),
    ("tiny/a\nb", "a reference is"), ("tiny/\ud800", "a reference is"), ("nowhere.json", "check the path"), ("tiny/7~colour=red", ""),
]  # fmt: skip


@pytest.mark.parametrize(("ref", "hint"), UNKNOWN)
def test_a_wrong_reference_is_refused_with_the_nearest(ref: str, hint: str) -> None:
    """What cannot be parsed, and what does not exist, exits 2 with what was meant or how it should look."""
    with pytest.raises(UsageError) as caught:
        build(ref)
    assert caught.value.exit_code == 2
    assert caught.value.hint
    assert hint in caught.value.hint


BIG = ("large", "huge")
"""Recipes of which a world takes seconds."""


@pytest.mark.parametrize("recipe", [name for name in content().recipes() if name not in BIG])
def test_every_recipe_meets_its_demands(recipe: str) -> None:
    """Worlds lie in the bands of their recipe: steps, distinct actions, families drawn and used, dead ends."""
    check_demands(recipe, range(12 if recipe == "tiny" else 4))


@pytest.mark.sweep
@pytest.mark.parametrize("recipe", BIG)
def test_big_recipes_meet_their_demands(recipe: str) -> None:
    """The same with forty rooms and with a hundred."""
    check_demands(recipe, range(2))


def check_demands(recipe: str, seeds: Iterable[int]) -> None:
    """Assert that worlds of a recipe are what it asks for."""
    asked = load_recipe(content(), recipe)
    for seed in seeds:
        one = built(f"{recipe}/{seed}")
        proof = one.certificate
        assert check(one.world, proof) is None
        if proof.tier == "exact" and not one.world.grammar.select:
            assert asked.steps[0] <= proof.steps <= asked.steps[1]
        assert proof.actions >= asked.actions
        assert len(proof.families) >= asked.uses
        assert asked.draw[0] <= len(one.world.rules.families) - 1 <= asked.draw[1]
        assert proof.dead_ends is not None
        assert proof.dead_ends <= asked.dead_ends
        assert len(one.world.layout.rooms) == asked.rooms


def test_the_reference_of_a_world_is_canonical() -> None:
    """A built world names itself in one way: the default recipe is left out, edits in order."""
    assert built("default/0").ref == "0"
    assert built("tiny/3~layout~theme").ref == "tiny/3~layout~theme"
    assert build("tiny/3~layout.1").ref == "tiny/3~layout"


def test_an_exported_world_is_built_from_its_file(tmp_path: Path) -> None:
    """`path/to/world.json` is the same world with the same proof, and can be edited on."""
    one = built("tiny/2")
    path = tmp_path / "world.json"
    path.write_text(one.world.to_json(), encoding="utf-8")
    again = build(str(path))
    assert (again.world, again.certificate) == (one.world, one.certificate)
    edited = build(f"{path}~grammar")
    assert edited.world.digest == build("tiny/2~grammar").world.digest


@settings(max_examples=150)
@given(st.data())
def test_a_damaged_file_is_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever part of an exported world is taken out or exchanged, the file builds or is refused as a file."""
    whole = json.loads(built("tiny/2").world.to_json())
    *path, key = data.draw(st.sampled_from(spots(whole)))
    inner = whole
    for step in path:
        inner = inner[step]
    if data.draw(st.booleans()):
        inner.pop(key)
    else:
        inner[key] = data.draw(st.sampled_from([None, 7, "x", "r9", [], {}, [["a", "b"]], True, -1]))
    path_ = tmp_path_factory.mktemp("damaged") / "world.json"
    path_.write_text(json.dumps(whole), encoding="utf-8")
    try:
        one = build(str(path_))
    except UsageError as error:
        assert error.hint
    else:
        assert isinstance(one.world, World)
        assert check(one.world, one.certificate) is None


def spots(node: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where something can be taken out: keys and indices, three levels deep."""
    found: list[tuple[str | int, ...]] = []
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, inner in items:
        found.append((*path, key))
        if len(path) < 3:
            found += spots(inner, (*path, key))
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("recipe", [name for name in content().recipes() if name not in BIG])
def test_seeds_of_any_sort_build_or_say_why(recipe: str) -> None:
    """Three hundred seeds of every recipe: a world whose certificate holds, or an error with a constraint and a hint."""
    for number in range(300):
        one = build(f"{recipe}/any {number}")
        assert check(one.world, one.certificate) is None
