"""README.md, CHANGELOG.md and docs/: what they show runs, what comes from the code is current, links lead somewhere.

`python -m scripts.docs` refreshes the pages.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from sandbox.certify import build
from sandbox.cli.main import app
from sandbox.errors import UsageError
from sandbox.generate.content import content
from sandbox.generate.layout import draw_layout
from sandbox.generate.names import ThemeFile
from sandbox.generate.recipe import Recipe
from sandbox.generate.templates import Template, load_template
from sandbox.run.score import Outcome
from sandbox.world.dynamics import Dynamics
from sandbox.world.english import English
from sandbox.world.keyed import Key
from sandbox.world.merge import merge
from sandbox.world.spec import Rules
from sandbox.world.syntax import parse
from scripts.docs import PAGES, ROOT, blocks, reads_well, refreshed, world_shown

LANGUAGE = ROOT / "docs" / "rule-language.md"
WORLDS = ROOT / "docs" / "worlds.md"
EVERY = [*PAGES, ROOT / "CHANGELOG.md"]
REFRESH = "run: python -m scripts.docs"
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")


def text(path: Path) -> str:
    """The text of a page."""
    return path.read_text(encoding="utf-8")


def prose(page: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


def merged(rules: str) -> Rules:
    """The core and one family, written here, as one rule set."""
    core = content().template("rules", "core")
    files = [(core.file, core.render({})), ("rules/page.rules.j2", rules)]
    return merge([(file, parse(source, file)) for file, source in files])


def compiled(rules: Rules) -> Dynamics:
    """The rule set on a layout of its own, every room grounded and every rule said in English."""
    dynamics = Dynamics(rules, draw_layout(rules, 4, 6, Key("docs")))
    for room in dynamics.rooms.values():
        assert room.moves  # grounds all actions; laws are grounded where they can fire
        assert {law.each_step for law in rules.laws} <= {True, False}
    english = English(rules, lambda kind: kind)
    said = [english.action(action, action.name) for action in rules.actions]
    said += [*map(english.law, rules.laws), *map(english.aim, rules.aims)]
    assert all(said)
    return dynamics


# --- what is shown ----------------------------------------------------------------------------------
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_command_shown_runs_and_prints_what_is_shown(path: Path) -> None:
    """Every `$ command` of a page ends with exit 0 (or the code noted), offline, and prints what stands below it.

    What a page takes from the code (help pages, schema, grammar) is what the code says now.
    """
    assert refreshed(text(path)) == text(path), REFRESH


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.name)
def test_every_command_mentioned_exists(path: Path) -> None:
    """Every `sandbox …` in a sentence is a command line that can be read, except for its names in capitals."""
    wrong = [span for span in _SPAN.findall(prose(text(path))) if span.startswith("sandbox ") and not readable(span)]
    assert wrong == []


def readable(line: str) -> bool:
    """Whether a command line names commands and options that exist. Ellipses stand for anything."""
    if "…" in line:
        return True
    command: click.Command = app
    words = shlex.split(line)[1:]
    if words == ["--version"]:
        return True
    context = click.Context(command, info_name="sandbox")
    while isinstance(command, click.Group) and words:
        found = command.get_command(context, words[0])
        if found is None:
            return False
        context, command, words = click.Context(found, context, info_name=words[0]), found, words[1:]
    known = {name for parameter in command.get_params(context) for name in parameter.opts}
    return all(word in known for word in words if word.startswith("--") and word != "--")


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.name)
def test_relative_links_lead_somewhere(path: Path) -> None:
    """Every relative link of a page names a file of the repository, and its anchor a heading there."""
    for target in _LINK.findall(prose(text(path))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        page = (path.parent / name).resolve() if name else path
        assert page.exists(), f"{path.name}: {target}"
        assert not anchor or anchor in anchors(text(page)), f"{path.name}: {target}"


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as they are derived where the pages are shown."""
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# --- the rule language ------------------------------------------------------------------------------
def test_the_examples_of_the_rule_language_are_one_family_that_compiles() -> None:
    """Every `rules` block of the reference parses; together and with the core they are a rule set that runs."""
    examples = [block.text for block in blocks(text(LANGUAGE)) if block.language == "rules"]
    for example in examples:
        assert parse(example, "rules/page.rules.j2")
    dynamics = compiled(merged("\n".join(examples)))
    assert {"light", "douse"} <= {move.intent[0] for room in dynamics.rooms.values() for move in room.moves}


@pytest.mark.parametrize("number", range(2))
def test_the_templates_of_the_rule_language_load_under_every_value(tmp_path: Path, number: int) -> None:
    """The whole families of the reference load, and their rules compile under each value of each slot."""
    examples = [block.text for block in blocks(text(LANGUAGE)) if block.language == "jinja"]
    assert len(examples) == 2
    file = tmp_path / "page.rules.j2"
    file.write_text(examples[number], encoding="utf-8")
    template = load_template(file, "rules", "page")
    for values in variants(template):
        rules = merged(template.render(values))
        compiled(rules)
        assert rules.aims


def variants(template: Template) -> Iterator[dict[str, str]]:
    """The usual values of a template's slots, and every change of one of them."""
    usual = {slot.name: slot.values[0] for slot in template.slots}
    yield usual
    for slot in template.slots:
        for value in slot.values[1:]:
            yield {**usual, slot.name: value}


def test_every_statement_is_explained() -> None:
    """Each word that begins a statement of the grammar is a row of the table of statements."""
    grammar = text(ROOT / "sandbox" / "world" / "rules.lark")
    names = re.findall(r"^(\w+): \"(\w+)\"", grammar, flags=re.MULTILINE)
    begin = grammar.partition("?statement:")[2].partition("kind:")[0]
    statements = {word for rule, word in names if re.search(rf"\b{rule}\b", begin)}
    assert len(statements) >= 14
    table = text(LANGUAGE).partition("## Statements")[2].partition("### Kinds")[0]
    assert [word for word in sorted(statements) if f"`{word}" not in table] == []


def test_every_name_of_the_core_is_explained() -> None:
    """Kinds, attributes, relations, predicates and actions of the core stand in the table of the core."""
    rules = merged("")
    table = text(LANGUAGE).partition("## What the core gives")[2].partition("## Merging")[0]
    parts = (rules.kinds, rules.relations, rules.derives, rules.actions)
    names = {part.name for group in parts for part in group} | {f.name for f in rules.functions if f.name != "here"}
    assert sorted(n for n in names - {"place"} if not re.search(rf"`{n}\b", table)) == []


# --- worlds and episodes ----------------------------------------------------------------------------
@pytest.mark.parametrize("model", [Recipe, ThemeFile], ids=lambda model: model.__name__)
def test_every_key_of_a_file_is_explained(model: type[Recipe | ThemeFile]) -> None:
    """Each key of a recipe or theme stands in a table of the page on worlds."""
    assert [key for key in model.model_fields if f"| `{key}`" not in text(WORLDS)] == []


def test_every_outcome_is_explained() -> None:
    """Each outcome stands in a table of the page on the log."""
    assert [outcome for outcome in Outcome if f"| `{outcome}`" not in text(ROOT / "docs" / "log.md")] == []


def test_the_world_shown_reads_well() -> None:
    """The world of the README and the tutorial speaks plain English. If not: python -m scripts.docs --choose."""
    assert reads_well(build(world_shown()).world)


def test_the_readme_is_short() -> None:
    """The README fits in about 320 lines, three whole plays and a curve among them."""
    assert len(text(ROOT / "README.md").splitlines()) <= 325


def test_examples_of_references_can_be_read() -> None:
    """Each reference in the table of references can be parsed."""
    from sandbox.generate.reference import parse_reference

    table = text(WORLDS).partition("## References")[2].partition("\n## ")[0]
    examples = re.findall(r"^\| `([^`]+)`", table, flags=re.MULTILINE)
    assert len(examples) >= 10
    for example in examples:
        try:
            parse_reference(example)
        except UsageError as error:
            pytest.fail(f"{example}: {error.message}")
