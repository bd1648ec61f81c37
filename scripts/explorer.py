"""The figures of the explorer, cell by cell, beside random over the admissible list and the oracle on the same worlds.

    python -m scripts.explorer --out explorer.jsonl                 plays what is missing, then prints the tables
    python -m scripts.explorer --out explorer.jsonl --table         prints the tables of what was played

Every episode is a JSON line of --out, written when it ended; what stands there is not played again, as long as the
agent's code is the same. Seeds begin at 10,000: they were never looked at while the agent was written (--first 0 is for
trying this script). A cell takes the first worlds that fit, in the order of the seeds. The oracle plays the certified
plan, so that its commands are the optimum.

*Restricted mean*: the mean number of commands, an unsolved play counted as 100 times the optimum. *Probes* are counted
as `sandbox.measure.learning` says: commands before the first accepted one that is about something, and later ones that
were refused for their words alone. All intervals are of 95 per cent (`sandbox.measure.intervals`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from sandbox.agent.load import read
from sandbox.certify import Built, build
from sandbox.errors import UsageError
from sandbox.generate.content import Content, content
from sandbox.measure.jobs import each
from scripts.solo import Row, Solo, code_of
from scripts.tables import tables

FIRST = 10_000
ELSEWHERE = 500_000
"""How far away the seed lies of a world in which everything is new."""
STRUCTURED = frozenset({"list", "json"})
SPECIFIC = frozenset({"thing", "requirement"})
HOLDOUT = Path(__file__).parents[1] / "tests" / "holdout"
TOLD = Path(__file__).parent / "content"


@dataclass(frozen=True, slots=True)
class Cell:
    """A row of the report: `count` worlds of each recipe that fit; `pair` is the edit of the second of two worlds."""

    key: str
    recipes: tuple[str, ...]
    count: int
    fits: Callable[[dict[str, str]], bool] = bool
    folder: Path | None = None
    pair: str | None = None


def _is(slots: dict[str, str], forms: frozenset[str], details: frozenset[str]) -> bool:
    return slots["observation/form"] in forms and slots["feedback/detail"] in details


CELLS = (
    Cell("structured", ("nonce", "small"), 50, lambda slots: _is(slots, STRUCTURED, SPECIFIC)),
    Cell("prose", ("nonce", "small"), 50, lambda slots: _is(slots, frozenset({"prose"}), SPECIFIC)),
    Cell("something", ("nonce", "small"), 50, lambda slots: slots["feedback/detail"] == "something"),
    Cell("default", ("default",), 100),
    Cell("medium", ("medium",), 30),
    Cell("held-out", ("holdout",), 300, folder=HOLDOUT),
    Cell("held-out, mixed", ("holdout-mixed",), 100, folder=HOLDOUT),
    Cell("same grammar", ("nonce",), 60, pair="theme~layout"),
    Cell("everything new", ("nonce",), 60, pair=""),
    Cell("worked examples", ("told",), 60, folder=TOLD, pair="layout~theme"),
    Cell("second of two", ("nonce", "small"), 40, pair="layout~task"),
)


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker does: the arms of the `cells` that still need worlds, on one world of a recipe."""

    recipe: str
    seed: int
    cells: tuple[str, ...]
    agent: str

    @property
    def ref(self) -> str:
        """The world."""
        return str(self.seed) if self.recipe == "default" else f"{self.recipe}/{self.seed}"


def run(task: Task) -> tuple[Task, list[Row]]:
    """Every episode that a world gives; none when no cell takes it, or when it cannot be made."""
    cells = [cell for cell in CELLS if cell.key in task.cells]
    place = content() if cells[0].folder is None else Content(cells[0].folder)
    rows: list[Row] = []
    try:
        built = build(task.ref, place)
        for cell in cells:
            if cell.fits(dict(built.world.slots)):
                play = _alone if cell.pair is None else partial(_carried, place=place)
                rows += play(cell, built, task.agent)
    except UsageError as error:
        print(f"{task.ref}: {error.message}", file=sys.stderr)  # noqa: T201 - a script
    return task, rows


def _alone(cell: Cell, built: Built, agent: str) -> list[Row]:
    optimum = built.certificate.steps
    ours, _ = Solo(cell.key, "scratch", agent).play(built.ref, built.world, optimum)
    chance, _ = Solo(cell.key, "random", "random", 2).play(built.ref, built.world, optimum)
    return [ours, chance]


def _carried(cell: Cell, built: Built, agent: str, place: Content) -> list[Row]:
    """First the world itself, then its pair: from nothing, with what was kept, and with what was kept but no skills."""
    recipe, _, seed = built.ref.rpartition("/")
    other = f"{built.ref}~{cell.pair}" if cell.pair else f"{recipe}/{int(seed) + ELSEWHERE}"
    pair = build(other, place)
    first, kept = Solo(cell.key, "first", agent).play(built.ref, built.world, built.certificate.steps, ())
    arms: list[tuple[str, str, bool]] = [("scratch", agent, False), ("carried", agent, True)]
    if cell.key == "second of two" and "skills" in read(agent.partition(":")[0], content().agents()).options:
        arms.append(("skills off", f"{agent}{',' if ':' in agent else ':'}skills=off", True))
    rows = [first]
    for arm, who, carries in arms:
        row, _ = Solo(cell.key, arm, who).play(
            built.ref, pair.world, pair.certificate.steps, tuple(kept) if carries else None
        )
        rows.append(row)
    return rows


class Report:
    """The file of what was played: rows by cell, and which worlds no cell took."""

    def __init__(self, path: Path, agent: str) -> None:
        self._path, self._code = path, code_of(agent)
        self.agent = agent
        self.rows: list[Row] = []
        self._seen: dict[str, set[str]] = defaultdict(set)
        if path.is_file():
            whole, _, cut_off = path.read_text("utf-8").rpartition("\n")
            for line in whole.splitlines():
                self._take(json.loads(line))
            if cut_off:
                path.write_text(whole + "\n" if whole else "", "utf-8")

    def _take(self, record: dict[str, object]) -> None:
        ref, cells, rows = record["ref"], record["cells"], record["rows"]
        if record["agent"] == self.agent and record["code"] == self._code:
            self._seen[str(ref)] |= set(cells)  # type: ignore[call-overload]  # a list of texts, as written below
            self.rows += [Row(**row) for row in rows]  # type: ignore[attr-defined]  # a list of rows, as written below

    def add(self, ref: str, cells: tuple[str, ...], rows: list[Row]) -> None:
        """Keep what a world gave, in one line: one that was cut off is the last, and is played again."""
        record = {
            "ref": ref, "agent": self.agent, "code": self._code, "cells": cells, "rows": [asdict(row) for row in rows],
        }  # fmt: skip
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        self._take(json.loads(json.dumps(record)))

    def seen(self, ref: str, cell: str) -> bool:
        """Whether a world was tried for a cell."""
        return cell in self._seen[ref]

    def worlds(self, cell: str, recipe: str) -> int:
        """How many worlds of a recipe a cell has by now."""
        return len({row.ref for row in self.rows if row.cell == cell and _recipe(row.ref) == recipe})


def _recipe(ref: str) -> str:
    return ref.partition("/")[0] if "/" in ref else "default"


def tasks(
    report: Report, cells: list[Cell], recipe: str, folder: Path | None, wishes: argparse.Namespace
) -> Iterator[Task]:
    """What is to be played in worlds of a recipe, for as long as a cell needs more of them."""
    mine = [cell for cell in cells if recipe in cell.recipes and cell.folder == folder]
    for seed in range(wishes.first, wishes.first + 100 * max(cell.count for cell in mine)):
        needed = [cell for cell in mine if report.worlds(cell.key, recipe) < (wishes.worlds or cell.count)]
        if not needed:
            return
        task = Task(recipe, seed, tuple(cell.key for cell in needed), wishes.agent)
        left = tuple(key for key in task.cells if not report.seen(task.ref, key))
        if left:
            yield replace(task, cells=left)


def main() -> None:
    """Play what is missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("explorer.jsonl"), help="what was played, as JSON lines")
    parser.add_argument("--first", type=int, default=FIRST, help="first seed")
    parser.add_argument("--worlds", type=int, help="worlds of each recipe in a cell, in place of the cell's own number")
    parser.add_argument("--agent", default="explorer")
    parser.add_argument("--cell", action="append", choices=[cell.key for cell in CELLS], help="all by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", action="store_true", help="play nothing")
    wishes = parser.parse_args()
    cells = [cell for cell in CELLS if not wishes.cell or cell.key in wishes.cell]
    report = Report(wishes.out, wishes.agent)
    for recipe, folder in dict.fromkeys((recipe, cell.folder) for cell in cells for recipe in cell.recipes):
        if wishes.table or (folder is not None and not folder.is_dir()):
            continue
        todo = tasks(report, cells, recipe, folder, wishes)
        for task, rows in each(run, todo, wishes.jobs):
            report.add(task.ref, task.cells, rows)
            told = ", ".join(f"{row.arm} {'solved' if row.solved else 'no'} {row.times:.0f}x" for row in rows)
            print(f"{task.ref}: {told or '-'}", file=sys.stderr, flush=True)  # noqa: T201 - a script
    for line in tables(report.rows, {cell.key: cell.count * len(cell.recipes) for cell in cells}):
        print(line)  # noqa: T201 - a script


if __name__ == "__main__":
    main()
