"""Families and pairs of them: they build, their plans use them, and their slots make a difference.

The fast part is about moving bridges, rituals, delays, reactions, essences and creatures. The sweep is about all
pairs of all families that the content holds.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from sandbox.certify import build, check
from sandbox.certify.worlds import Built
from sandbox.generate.content import Content, content
from sandbox.generate.edits import choice_of
from sandbox.measure.live import live_slots

PARTNERS = {
    "tide": "station", "ritual": "lock", "delay": "growth", "reaction": "station", "essence": "container",
    "creature": "lock", "hands": "tide",
}
"""Each family with the one that it is built beside."""
SEEDS = 3
SWEEP = 20
PAIRS = tuple(combinations([name for name in content().names("rules") if name != "core"], 2))
RECIPE = """
families = ["{}", "{}"]
draw = [2, 2]
rooms = {rooms}
things = 6
steps = [4, 20]
actions = 3
uses = {uses}
dead_ends = 0.5
forms = ["imperative"]
observations = ["prose"]
voices = ["plain"]
details = ["requirement"]
themes = ["kitchen", "nonce"]
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """Content with a recipe for each family and its partner, and one for each pair of families."""
    folder: Path = tmp_path_factory.mktemp("content")
    recipes = folder / "worlds" / "recipes"
    recipes.mkdir(parents=True)
    for pair in PARTNERS.items():
        (recipes / f"{pair[0]}.toml").write_text(RECIPE.format(*pair, rooms=5, uses=2), encoding="utf-8")
    for pair in PAIRS:
        text = RECIPE.format(*pair, rooms=6, uses=1)
        (recipes / f"{pair[0]}_and_{pair[1]}.toml").write_text(text, encoding="utf-8")
    return Content(folder)


@pytest.mark.parametrize("family", PARTNERS)
def test_plans_use_the_family_and_its_slots_are_live(family: str, library: Content) -> None:
    """Every plan uses the family (the recipe asks for it); every slot about more than texts is live in some world."""
    worlds = [build(f"{family}/{seed}", library) for seed in range(SEEDS)]
    assert all(family in world.certificate.families for world in worlds)
    live = _live(worlds, library)
    own = [name for name in _slots(worlds[0], library) if name.startswith(f"rules/{family}/")]
    assert own
    assert [name for name in own if not live[name]] == []


@pytest.mark.sweep
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_any_two_families_make_worlds(pair: tuple[str, str], library: Content) -> None:
    """Twenty seeds of every pair of families are certified; both have slots that are live."""
    worlds = [build(f"{pair[0]}_and_{pair[1]}/{seed}", library) for seed in range(SWEEP)]
    assert all(check(world.world, world.certificate) is None for world in worlds)
    live = _live(worlds, library)
    for family in pair:
        assert any(count and name.startswith(f"rules/{family}/") for name, count in live.items()), live


def _slots(world: Built, library: Content) -> list[str]:
    """The slots of the rules of a world that are about more than what the texts show."""
    slots = choice_of(library, world.world).slots
    return [slot.full for slot in slots if slot.axis == "rules" and slot.kind != "information"]


def _live(worlds: list[Built], library: Content) -> Counter[str]:
    """In how many worlds each slot is live."""
    live: Counter[str] = Counter()
    for world in worlds:
        live.update(name for name, yes in live_slots(world, library).items() if yes)
    return live
