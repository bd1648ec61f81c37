"""A recipe that is wrong is refused with its file, its key and what was expected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.errors import ConstraintError, RecipeError, UnknownName, UsageError
from sandbox.generate.content import Content, content
from sandbox.generate.draw import choose
from sandbox.generate.edits import alternatives, choice_of
from sandbox.generate.recipe import load_recipe
from tests.generate.conftest import Refused
from tests.outside.worlds import drawn, variant

TINY = "recipes/tiny.toml"
END = r"\Z"


@pytest.mark.parametrize(("old", "new", "said"), [
    ("^about", "colour = 1\nabout", "recipes/tiny.toml: unknown key 'colour'"),
    ("^rooms", "room", "unknown key 'room' | did you mean 'rooms'?"),
    ("^rooms.*$", "", "key 'rooms' is missing"),
    ("^rooms.*$", "rooms = 1", "rooms: Input should be greater than or equal to 2"),
    ("^rooms.*$", "rooms = 201", "rooms: Input should be less than or equal to 200"),
    ("^things.*$", "things = -4", "things: Input should be greater than or equal to 2"),
    ("^dead_ends.*$", "dead_ends = 1.5", "dead_ends: Input should be less than or equal to 1"),
    ("^steps.*$", "steps = [8, 4]", "steps = [8, 4] is no band from low to high"),
    ("^steps.*$", "steps = [4.5, 8]", "steps.0: Input should be a valid integer"),
    ("^draw.*$", "draw = [90, 99]", "draws at least 90 families but lists"),
    ("^uses.*$", "uses = 9", "plans must use 9 families but at most 3 are drawn"),
    ("^forms.*$", "forms = []", "forms: Tuple should have at least 1 item"),
    ("^forms.*$", 'forms = ["coded", "coded"]', "forms: a name is listed twice"),
    ('"lock"', '"lock", "lock"', "families: a name is listed twice"),
    ('"lock"', '"core", "lock"', "families: the core is in every world"),
    ('"lock"', '"lok"', "unknown rule family 'lok' | did you mean 'lock'?"),
    ('"imperative"', '"imperativ"', "unknown grammar form 'imperativ' | did you mean 'imperative'?"),
    ('"kitchen"', '"kitchn"', "unknown theme 'kitchn' | did you mean 'kitchen'?"),
    ('"direct"', '"dirct"', "protocols: 'dirct' is none of direct, focus, implicit, confirm"),
    ('"sparse"', '"sparce"', "rewards: 'sparce' is none of sparse, dense"),
    ('"everything"', '"evrything"', "scopes: 'evrything' is none of room, neighbours, everything"),
    ('"states"', '"state"', "hidden: 'state' is none of nothing, states"),
    ('"delta"', '"detla"', "changes: 'detla' is none of full, delta"),
    ('"some"]', '"sum"]', "distractors: 'sum' is none of none, some"),
    ("^told = {", "told = { colour = 1,", "unknown key 'told.colour'"),
    ('grammar = "all"', 'grammar = "most"', "told.grammar: Input should be 'all', 'some' or 'none'"),
    ("^about", "= 1\nabout", "recipes/tiny.toml: Invalid statement (at line 1, column 1)"),
    (END, '[pin]\n"rules/lock/mtch" = "shape"\n', "unknown slot 'rules/lock/mtch' | did you mean 'rules/lock/match'?"),
    (END, '[pin]\n"rules/lock/match" = "shap"\n', "unknown value of rules/lock/match 'shap' | did you mean 'shape'?"),
    (END, '[pin]\n"grammar/form" = "prose"\n', "unknown value of grammar/form 'prose'"),
    (END, '[exclude]\n"rules/lock/mtch" = ["shape"]\n', "unknown slot 'rules/lock/mtch'"),
    (END, '[exclude]\n"rules/lock/match" = ["shap"]\n', "unknown value of rules/lock/match 'shap'"),
    (END, '[exclude]\nfamily = ["lok"]\n', "unknown value of family 'lok' | did you mean 'lock'?"),
    ("^families.*$", 'families = ["lock", "hands"]\nexclude = { family = ["lock"] }',
     "draws at least 2 families but exclude.family leaves 1"),
    (END, '[pin]\nfamily = "lock"\n', "pin: families are drawn, not pinned"),
    (END, '[exclude]\n"grammar/protocol" = ["direct", "focus", "implicit", "confirm"]\n', "every value of grammar/protocol is excluded"),
    (END, '[pin]\n"rules/lock/match" = "shape"\n[exclude]\n"rules/lock/match" = ["shape"]\n',
     "slot rules/lock/match is pinned to 'shape', which is excluded"),
])  # fmt: skip
def test_a_wrong_recipe_is_refused(refused: Refused, old: str, new: str, said: str) -> None:
    """Unknown and missing keys, values out of range, names that do not exist, demands that exclude each other."""
    assert said in refused(TINY, old, new)


@pytest.mark.parametrize(("old", "new", "demand"), [
    ("^steps.*$", "steps = [70, 80]", "steps"), ("^actions.*$", "actions = 30", "steps"),
    (r"^families(.|\n)*?^rooms.*$", 'families = ["lock"]\ndraw = [1, 1]\nrooms = 2', "lock/locked_door"),
])  # fmt: skip
def test_demands_that_no_world_meets_are_named(mine: Path, old: str, new: str, demand: str) -> None:
    """A recipe that cannot be met ends in one error, which names the constraint that fails most."""
    path = mine / "worlds" / TINY
    path.write_text(re.sub(old, new, path.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE), encoding="utf-8")
    with pytest.raises(ConstraintError) as caught:
        build("tiny/0", Content(mine))
    assert caught.value.constraint == demand
    assert demand in caught.value.message
    assert caught.value.hint


def test_a_recipe_in_no_encoding_is_refused(mine: Path) -> None:
    """Bytes that are not UTF-8 are no TOML."""
    (mine / "worlds" / TINY).write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"recipes/tiny\.toml"):
        build("tiny/0", Content(mine))


def test_an_unknown_recipe_is_named_with_the_nearest() -> None:
    """A reference to a recipe that does not exist says which one may have been meant."""
    with pytest.raises(UnknownName, match="tny") as caught:
        build("tny/0")
    assert caught.value.hint == "did you mean 'tiny'?"


def test_pins_and_exclusions_bind() -> None:
    """A pinned slot always has its value, an excluded value is never drawn."""
    base = load_recipe(content(), "tiny")
    recipe = base.model_copy(update={
        "families": ("lock", "switch"), "pin": {"rules/lock/match": "material"}, "exclude": {"rules/switch/law": ("toggles_neighbours",)},
    })  # fmt: skip
    for seed in range(60):
        values = choose(content(), "tiny", recipe, str(seed), 0).values
        assert values.get("rules/lock/match", "material") == "material"
        assert values.get("rules/switch/law") != "toggles_neighbours"


def test_every_recipe_is_sound() -> None:
    """The recipes that come along load, and say what they are about."""
    for name in content().recipes():
        assert load_recipe(content(), name).about.endswith(".")


def test_one_kind_of_error_for_all_of_it(mine: Path) -> None:
    """A recipe that contradicts itself is a RecipeError, which exits 2."""
    path = mine / "worlds" / TINY
    path.write_text(path.read_text(encoding="utf-8").replace("uses = 1", "uses = 9"), encoding="utf-8")
    with pytest.raises(RecipeError) as caught:
        load_recipe(Content(mine), "tiny")
    assert caught.value.exit_code == 2


def test_an_excluded_family_is_never_drawn_and_moves_no_other(tmp_path: Path) -> None:
    """The generation side of a split: worlds that did not draw the family stay as they were."""
    library, folder = content(), tmp_path / "worlds" / "recipes"
    folder.mkdir(parents=True)
    text = library.text("recipes", "tiny") + '[exclude]\nfamily = ["lock"]\n'
    (folder / "lockless.toml").write_text(text, "utf-8")
    mine = Content(tmp_path)
    whole, without = load_recipe(library, "tiny"), load_recipe(mine, "lockless")
    moved = 0
    for seed in range(60):
        before = choose(library, "tiny", whole, str(seed), 0)
        after = choose(mine, "lockless", without, str(seed), 0)
        assert "lock" not in after.families
        if "lock" in before.families:
            moved += 1
            assert set(before.families) - {"lock"} <= set(after.families)
        else:
            assert (after.families, after.values) == (before.families, before.values)
    assert moved


def test_a_world_says_something_of_success_or_of_failure() -> None:
    """Silent success and no word of failure meet only where a recipe is mute, and no edit brings them together."""
    recipe = load_recipe(content(), "small").model_copy(update={"details": ("nothing", "thing"), "successes": ("silent", "told")})
    both = ("feedback/detail", "feedback/success")
    met = set()
    for number in range(60):
        met.add(tuple(choose(content(), "small", recipe, f"mute {number}", 0).values[slot] for slot in both))
    assert met == {("nothing", "told"), ("thing", "silent"), ("thing", "told")}
    mute = recipe.model_copy(update={"mute": True})
    assert ("nothing", "silent") in {
        tuple(choose(content(), "small", mute, f"mute {number}", 0).values[slot] for slot in both) for number in range(60)
    }  # fmt: skip


def test_an_edit_to_silence_is_refused() -> None:
    """The edit that would leave a player without any word is refused with what would allow it, and is never offered."""
    world = variant(drawn("small", "silence"), {"feedback/success": "silent", "feedback/detail": "thing"})
    with pytest.raises(UsageError) as refused:
        variant(world, {"feedback/detail": "nothing"})
    assert "mute = true" in str(refused.value.hint)
    offered = {(slot.full, value) for slot, value in alternatives(choice_of(content(), world), "feedback")}
    assert ("feedback/detail", "something") in offered
    assert ("feedback/detail", "nothing") not in offered
