"""Worlds to measure, built once: measures must not depend on what was built before."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from sandbox.certify import Built, build
from sandbox.generate.content import Content, content

Build = Callable[[str], Built]
REFS = ("tiny/0", "tiny/1", "tiny/2", "small/1")

IMPOSSIBLE = """\
about = "One room away at most, and yet forty steps: there is no such world."
families = ["switch"]
draw = [1, 1]
rooms = 2
things = 2
steps = [40, 41]
actions = 1
uses = 1
dead_ends = 0.0
forms = ["imperative"]
observations = ["prose"]
voices = ["plain"]
themes = ["kitchen"]
"""


@pytest.fixture(scope="session")
def world() -> Build:
    """Build a reference, or take it from what was built already."""
    return cache(build)


@pytest.fixture(scope="session")
def library() -> Content:
    """The built-in content."""
    return content()


@pytest.fixture(params=REFS)
def built(request: pytest.FixtureRequest, world: Build) -> Built:
    """A few worlds of different size, grammar and families."""
    return world(str(request.param))


@pytest.fixture
def impossible(tmp_path: Path) -> Path:
    """A content folder with the recipe `impossible`, which no seed can meet."""
    folder = tmp_path / "worlds" / "recipes"
    folder.mkdir(parents=True)
    (folder / "impossible.toml").write_text(IMPOSSIBLE, "utf-8")
    return tmp_path
