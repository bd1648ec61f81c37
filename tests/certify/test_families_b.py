"""Every family here builds with another one, its plans use it, and each of its slots makes a difference somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.certify.worlds import Built
from sandbox.generate.content import Content, content
from sandbox.generate.draw import render_rules
from sandbox.generate.templates import Slot
from sandbox.measure.live import live_slots, slot_edits
from sandbox.world.bits import holds
from sandbox.world.engine import Engine

PARTNERS = {
    "tool": "container", "sample": "station", "sign": "container", "passage": "station",
    "permission": "container", "light": "station", "body": "container", "contract": "container",
    "twin": "container", "hazard": "station",
}
"""Each family with the one that it is built beside."""
SEEDS = 3
RECIPE = """
families = ["{family}", "{partner}"]
draw = [2, 2]
rooms = 5
things = 6
steps = [5, 16]
actions = 4
uses = 2
dead_ends = 0.5
forms = ["imperative"]
observations = ["prose"]
voices = ["plain"]
details = ["requirement"]
themes = ["kitchen", "nonce"]
told = {{ grammar = "all", rules = "all" }}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """Content with a recipe for each family and its partner."""
    folder: Path = tmp_path_factory.mktemp("content")
    recipes = folder / "worlds" / "recipes"
    recipes.mkdir(parents=True)
    for family, partner in PARTNERS.items():
        (recipes / f"{family}.toml").write_text(RECIPE.format(family=family, partner=partner), encoding="utf-8")
    return Content(folder)


@pytest.mark.parametrize("family", PARTNERS)
def test_plans_use_the_family_and_its_slots_are_live(family: str, library: Content) -> None:
    """Every plan uses both families of the pair (the recipe asks for it); every slot is live in some world."""
    worlds = [build(f"{family}/{seed}", library) for seed in range(SEEDS)]
    assert all(family in world.certificate.families for world in worlds)
    slots = {edit.slot.full: edit.slot for edit in slot_edits(worlds[0], library, "rules")}
    own = [slot for name, slot in slots.items() if name.startswith(f"rules/{family}/")]
    assert own
    assert [slot.full for slot in own if not _live_somewhere(worlds, library, slot)] == []


def _live_somewhere(worlds: list[Built], library: Content, slot: Slot) -> bool:
    return any(live_slots(world, library, [slot.full])[slot.full] for world in worlds)


def test_a_contract_is_part_of_a_goal_whose_plan_would_break_it(library: Content) -> None:
    """What is `kept` and was opened on the way is asked for, said last, and true again in the end."""
    for seed in range(SEEDS):
        built = build(f"contract/{seed}", library)
        ground, start = built.solved.dynamics.ground, built.solved.dynamics.start
        again = [holds(ground.fact(fact), start) for fact in built.world.goal]
        assert again == sorted(again)
        assert not again[0]
        if any(again):
            return
    pytest.fail("no plan opens anything that is to be shut again")


def test_a_chute_can_be_walked_around(library: Content) -> None:
    """A door `on loops` stands in a way without which every room can still be reached."""
    for seed in range(SEEDS):
        layout = build(f"passage/{seed}", library).world.layout
        sides = {args[1] for name, args in layout.relations if name == "side" and args[0] == "chute1"}
        ways = {args for name, args in layout.relations if name == "exit" and set(args) != sides}
        seen, queue = {layout.rooms[0]}, [layout.rooms[0]]
        for at in queue:
            found = [to for start, to in ways if start == at and to not in seen]
            seen.update(found)
            queue += found
        assert seen == set(layout.rooms)


def test_a_predicate_can_be_told(library: Content) -> None:
    """What makes a room light is a predicate of its family; its sentence stands on the help page."""
    assert "It is lit up when no " in Engine(build("light/0", library).world).help_text


@pytest.mark.parametrize("which", [0, 1, -1])
def test_all_families_merge(which: int) -> None:
    """No two families declare one name differently, or an action that would be typed like another's."""
    library = content()
    families = tuple(name for name in library.names("rules") if name != "core")
    slots = [slot for family in families for slot in library.template("rules", family).slots]
    _, rules = render_rules(library, families, {slot.full: slot.values[which] for slot in slots})
    assert rules.families == ("core", *families)
