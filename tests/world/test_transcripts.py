"""The engine, told as plays of small worlds: every file in `transcripts/` is a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.world.world import World
from tests.outside.pair import Pair
from tests.world.transcript import FOLDER, engine_of, render, split

FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_play_reads_as_written(path: Path) -> None:
    """Every reply, cause and reward is the one in the file (`python -m tests.golden.refresh` writes them anew)."""
    text = path.read_text(encoding="utf-8")
    assert render(text) == text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_slow_interpreter_plays_it_too(path: Path) -> None:
    """The same commands have the same outcome by the interpreter that walks the tree."""
    head, play = split(path.read_text(encoding="utf-8"))
    pair = Pair(engine_of(head).world)
    for line in play.splitlines():
        if line.startswith(">"):
            pair.say(line[1:].strip())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_world_written_by_hand_can_be_exported(path: Path) -> None:
    """A world is data: written out and read back it is the same one."""
    world = engine_of(split(path.read_text(encoding="utf-8"))[0]).world
    again = World.from_json(world.to_json())
    assert (again, again.digest) == (world, world.digest)
