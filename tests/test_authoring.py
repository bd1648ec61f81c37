"""docs/authoring.md: its families are right, certified and measured; its short reference leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.generate.content import Content
from sandbox.generate.layout import draw_layout
from sandbox.measure.authors import check_file
from sandbox.world.keyed import Key
from sandbox.world.merge import merge
from sandbox.world.syntax import parse
from scripts.docs import ROOT, blocks

PAGE = (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8")
FILES = {block.file: block.text for block in blocks(PAGE) if block.file is not None}
FAMILIES = [name for name in FILES if name.startswith("mine/worlds/rules/")]
REFERENCE = next(block.text for block in blocks(PAGE) if block.text.startswith("A family is ONE text file"))
ALLOWED = {"slot", "goal", "clash", "verb"}
"""Sorts of advice that a family which teaches one thing may be given: names of a family that comes later may be the same,
as long as no recipe lists both."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that the page writes, in one folder."""
    place = tmp_path_factory.mktemp("page")
    for name, text in FILES.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return place


def test_there_are_ten_families_and_more() -> None:
    """Each of them is one file of the page."""
    assert len(FAMILIES) >= 10


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_of_the_guide_is_right(folder: Path, name: str) -> None:
    """It parses and merges under every value, meets every other family, is laid out, and everything in it can happen."""
    report = check_file(folder / name, Content(folder / "mine"), range(0), lambda: True)
    assert report.ok, report.why
    assert {remark.code for remark in report.remarks} <= ALLOWED, report.remarks


def test_worlds_of_the_guide_are_certified(folder: Path) -> None:
    """Its recipe makes worlds of the page's families alone, each of which is in some of them and used by some plan."""
    built = [build(f"mine/{seed}", Content(folder / "mine")) for seed in range(24)]
    drawn = {family for one in built for family in one.world.rules.families[1:]}
    assert {f"mine/worlds/rules/{family}.rules.j2" for family in drawn} == {*FAMILIES}
    assert len({family for one in built for family in one.certificate.families}) >= 8


def test_the_second_family_decides_as_the_page_says(folder: Path) -> None:
    """With two crates and bars of either weight, plans fail when another bar is the right one."""
    report = check_file(folder / "mine/worlds/rules/crate.rules.j2", Content(folder / "mine"), range(6), lambda: False)
    assert report.lively is not None
    assert report.lively.slots["rules/crate/fits"].effects["barrier"] >= 2


def test_the_first_family_is_weak_as_the_page_says(folder: Path) -> None:
    """What `worlds check` says of it is advice, and about its slot."""
    report = check_file(folder / "first/worlds/rules/crate.rules.j2", Content(folder / "first"), range(6), lambda: False)
    assert report.ok
    assert any("never decides a plan" in remark.what for remark in report.remarks)


def keywords() -> list[str]:
    """The words of the rule language, from its grammar."""
    source = (ROOT / "sandbox" / "world" / "rules.lark").read_text(encoding="utf-8")
    return sorted(set(re.findall(r'"([a-z]{2,})"', source)) - {"inform"})


@pytest.mark.parametrize("word", keywords())
def test_the_short_reference_has_every_word_of_the_language(word: str) -> None:
    """Whoever writes from it alone lacks no statement and no form."""
    assert re.search(rf"\b{word}\b", REFERENCE)


def test_the_short_reference_has_everything_that_the_core_gives() -> None:
    """Kinds, attributes, relations, predicates and actions of the core are named."""
    core = (ROOT / "worlds" / "rules" / "core.rules.j2").read_text(encoding="utf-8")
    names = re.findall(r"^(?:kind|attribute|fact|relation|derive|action) (\w+)", core, flags=re.MULTILINE)
    assert len(names) > 15
    assert [name for name in names if not re.search(rf"\b{name}\b", REFERENCE)] == []


SNIPPETS = [block.text for block in blocks(PAGE) if block.language == "rules"]


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_a_snippet_of_the_guide_is_right(number: int) -> None:
    """What the page shows without a file around it merges with the core and can be laid out."""
    core = Content().template("rules", "core")
    rules = merge([(core.file, parse(core.render({}), core.file)), ("page", parse(SNIPPETS[number], "page"))])
    layout = draw_layout(rules, 5, 6, Key("guide"))
    placed = {object_.kind for object_ in layout.objects}
    assert {place.kind for place in rules.places} <= placed


def test_a_peg_is_placed_as_the_page_says() -> None:
    """One for each dial, of its colour, related to it, each in the tray that holds least."""
    core = Content().template("rules", "core")
    text = next(snippet for snippet in SNIPPETS if "per d: dial" in snippet)
    layout = draw_layout(
        merge([(core.file, parse(core.render({}), core.file)), ("page", parse(text, "page"))]), 5, 6, Key("pegs")
    )
    colours = {object_.id: dict(object_.attributes).get("colour") for object_ in layout.objects}
    suits = [args for name, args in layout.relations if name == "suits"]
    where = {args[0]: value for name, args, value in layout.start if name == "place"}
    assert sorted(dial for _, dial in suits) == ["dial1", "dial2"]
    assert all(colours[peg] == colours[dial] for peg, dial in suits)
    assert sorted(str(where[peg]) for peg, _ in suits) == ["tray1", "tray2"]
