"""A folder of content with one family that is as it should be, and what is said of it after a change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.generate.content import Content
from sandbox.measure.authors import Report, check_file

FAMILY = Path(__file__).with_name("zither.rules.j2").read_text(encoding="utf-8")
RECIPE = '''\
families = ["zither", "lock", "station"]
draw = [2, 3]
rooms = 4
things = 5
steps = [4, 10]
actions = 3
uses = 1
dead_ends = 0.3
forms = ["imperative"]
observations = ["prose"]
voices = ["plain"]
themes = ["kitchen"]
'''
Checked = Callable[..., Report]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A content folder with a family that is right and a recipe that lists it."""
    for sort in ("rules", "recipes", "themes", "feedback", "observations", "grammars"):
        (tmp_path / "worlds" / sort).mkdir(parents=True)
    (tmp_path / "worlds" / "rules" / "zither.rules.j2").write_text(FAMILY, encoding="utf-8")
    (tmp_path / "worlds" / "recipes" / "zithers.toml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def checked(folder: Path) -> Checked:
    """Check a file of the folder after replacing some of its text; by default few worlds are built."""

    def run(name: str, *changes: tuple[str, str], seeds: range = range(0)) -> Report:
        path = folder / "worlds" / name
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, f"{name} has no {old!r}"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        return check_file(path, Content(folder), seeds, lambda: False)

    return run


@pytest.fixture
def told(checked: Checked) -> Callable[..., list[str]]:
    """What is said of a file after a change, each with its place, and the next step behind the arrow."""

    def run(name: str, *changes: tuple[str, str], seeds: range = range(0)) -> list[str]:
        return [f"{remark} → {remark.instead}" for remark in checked(name, *changes, seeds=seeds).remarks]

    return run
