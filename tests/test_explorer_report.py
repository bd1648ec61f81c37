"""The explorer's report: what was played is kept and not played again, and the tables say what the rows say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.generate.content import Content, content
from sandbox.generate.recipe import load_recipe
from scripts.explorer import CELLS, Cell, Report, Task, run
from scripts.solo import Row, Solo, code_of
from scripts.tables import tables

ROW = Row("structured", "nonce/1", "scratch", "explorer", "c", solved=True, steps=50, optimum=10, probes=6, in_skills=0,
          seconds=0.5, millis=0.2)  # fmt: skip


def test_an_episode_is_played_and_what_was_kept_carries_over() -> None:
    """The second play of a world with what the first one kept takes fewer probes."""
    built = build("tiny/9")
    first, kept = Solo("x", "first", "explorer").play(built.ref, built.world, built.certificate.steps, ())
    assert first.solved
    again, _ = Solo("x", "carried", "explorer").play(built.ref, built.world, built.certificate.steps, tuple(kept))
    assert again.probes < first.probes
    chance, none = Solo("x", "random", "random", 2).play(built.ref, built.world, built.certificate.steps)
    assert (chance.code, none) == (code_of("random"), [])
    assert first.code != chance.code


def test_a_world_that_no_cell_takes_gives_nothing() -> None:
    """Nor does one that cannot be made: the report goes on."""
    assert run(Task("holdout", -1, ("structured",), "explorer"))[1] == []


def test_what_was_played_is_not_played_again(tmp_path: Path) -> None:
    """Every world is one line; a line cut off by a crash is dropped; rows of other code do not count."""
    path = tmp_path / "r.jsonl"
    row = replace(ROW, code=code_of("explorer"))
    report = Report(path, "explorer")
    report.add("nonce/1", ("structured", "prose"), [row])
    report.add("nonce/2", ("structured",), [])
    with path.open("a") as file:
        file.write('{"ref": "nonce/3", "age')
    for _ in range(2):
        report = Report(path, "explorer")
        assert report.rows == [row]
        assert report.seen("nonce/1", "prose")
        assert report.seen("nonce/2", "structured")
        assert not report.seen("nonce/2", "prose")
        assert not report.seen("nonce/3", "structured")
        assert report.worlds("structured", "nonce") == 1
    assert len(path.read_text().splitlines()) == 2
    path.write_text(path.read_text().replace(row.code, "other"))
    assert Report(path, "explorer").rows == []
    assert json.loads(path.read_text().splitlines()[0])["ref"] == "nonce/1"


def test_the_tables_say_what_the_rows_say() -> None:
    """Shares within each multiple, restricted means, paired differences, and what carrying over brings."""
    rows = []
    for n in range(10):
        world = f"nonce/{n}"
        rows += [
            replace(ROW, ref=world, steps=40 if n < 5 else 900, solved=n < 8),
            replace(ROW, ref=world, arm="random", agent="random", steps=600, solved=n < 6),
            replace(ROW, ref=world, cell="same grammar", arm="scratch", probes=12, steps=100),
            replace(ROW, ref=world, cell="same grammar", arm="carried", probes=2, steps=50),
            replace(ROW, ref=world, cell="second of two", arm="scratch", steps=100),
            replace(ROW, ref=world, cell="second of two", arm="carried", steps=50, in_skills=20),
            replace(ROW, ref=world, cell="second of two", arm="skills off", steps=75),
        ]
    lines = list(tables(rows, {cell.key: 100 for cell in CELLS}))
    text = "\n".join(lines)
    assert "| structured | 10 | explorer | 0 [0-28] | 50 [24-76] | 50 [24-76] | 80 [49-94] | 490 | 0.50 | 0.20 |" in lines
    assert "| structured | 10 | oracle | 100 | 100 | 100 | 100 | 10 | | |" in lines
    assert "| structured | +20 [+0 to +50] |" in text
    assert "| same grammar | 10 | 12 → 2 probes (medians) | 6.00 [6.00 to 6.00] times fewer probes in all | ≥ 5 |" in lines
    assert "| second of two | 10 | | 0.40 [0.40 to 0.40] of the commands come from inside skills | ≥ 0.30 |" in lines
    assert "| second of two | 10 | skills off | 1.50 [1.50 to 1.50] times the commands | ≥ 1.20 |" in lines
    few = list(tables(rows, {"structured": 4}))
    assert few[2].startswith("| structured | 4 | explorer | 0 [0-49] | 100 [51-100] |")


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.key)
def test_every_recipe_of_a_cell_exists(cell: Cell) -> None:
    """The recipes are content, in the folder that the cell names."""
    for recipe in cell.recipes:
        load_recipe(Content(cell.folder) if cell.folder else content(), recipe)
