"""Counts of what no hand holds: the search heeds them as the interpreters do."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.generate.content import Content

FAMILY = """
kind stack: fixture holds called "stack", "plinth", "ledge"
kind book: thing called "book", "tome", "folio"
kind porter: fixture called "porter", "warder", "usher"
fact shelved(x: book)
fact content(p: porter) "content"
start open(c) for c: stack
event shelves for x: book, c: stack when (in(x, c) and not shelved(x)) makes shelved(x)
event unshelves for x: book when (shelved(x) and no c: stack where in(x, c)) makes not shelved(x)
action lodge(x: book, c: stack) "lodge _ on _"
  needs carried(x) else not_carried
  needs near(c) else out_of_reach
  makes in(x, c)
action hail(p: porter) "hail _"
  needs near(p) else out_of_reach
  needs at least 2 x: book where shelved(x) else too_few
  makes content(p)
goal content(p) for p: porter
place 2 stack
place porter
place 3 book
"""
RECIPE = """
families = ["porter", "station"]
draw = [2, 2]
rooms = 3
things = 5
steps = [5, 14]
actions = 3
uses = 1
dead_ends = 0.3
forms = ["imperative"]
observations = ["prose"]
voices = ["plain"]
themes = ["kitchen"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Content:
    """A content folder with a porter who counts."""
    for name, text in {"rules/porter.rules.j2": FAMILY, "recipes/porter.toml": RECIPE}.items():
        path = tmp_path / "worlds" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Content(tmp_path)


def test_a_plan_waits_until_enough_are_counted(folder: Content) -> None:
    """Two books lie on stacks before the porter is hailed: an event counts them, and the need asks for two."""
    hailed = 0
    for seed in range(6):
        intents = build(f"porter/{seed}", folder).certificate.intents
        names = [intent.partition("(")[0] for intent in intents]
        if "hail" in names:
            hailed += 1
            assert names[: names.index("hail")].count("lodge") >= 2
    assert hailed
