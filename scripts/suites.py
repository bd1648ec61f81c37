"""The suites under worlds/suites/: `python -m scripts.suites [NAME…]` draws them and freezes their digests.

Run it when worlds have changed on purpose, and say so in the changelog: results on another suite are not comparable.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from sandbox.generate.content import content
from sandbox.generate.recipe import load_recipe
from sandbox.measure.jobs import each
from sandbox.measure.pack import pack_world
from sandbox.measure.packfile import rows_of
from sandbox.measure.pairs import allowed, cover, coverage
from sandbox.measure.suite import Entry, check_entry, suite_text

FOLDER: Final = Path(__file__).resolve().parent.parent / "worlds" / "suites"
BANDS: Final = ("gentle", "moderate", "hard", "severe")
CANDIDATES: Final = 120
A_BAND: Final = 15
MOST: Final = 200
PAIRS_RECIPE: Final = "wide"
Row = dict[str, Any]


def smoke() -> tuple[str, Iterator[Entry]]:
    """Ten worlds of all sizes."""
    refs = [*(f"tiny/{n}" for n in range(4)), *(f"small/{n}" for n in range(3)), "0", "1", "nonce/0"]
    return "Ten worlds of all sizes, for a first look.", _frozen(refs)


def nonce() -> tuple[str, Iterator[Entry]]:
    """Twenty worlds in invented words."""
    return "Twenty worlds in invented words throughout.", _frozen([f"nonce/{n}" for n in range(20)])


def core() -> tuple[str, Iterator[Entry]]:
    """Sixty default worlds in four bands of load."""
    rows = [row for packed in each(pack_world, map(str, range(CANDIDATES)), _jobs()) for row in rows_of(packed.members)]
    ranked = _by_load([row for row in rows if row["event"] == "row"])
    size = len(ranked) // len(BANDS)
    found = (
        Entry(ref=row["ref"], digest=row["digest"], band=band)
        for number, band in enumerate(BANDS)
        for row in _varied(ranked[number * size : (number + 1) * size], A_BAND)
    )
    return f"Sixty default worlds in four bands of load, {A_BAND} in each.", found


def pairs() -> tuple[str, Iterator[Entry]]:
    """At most MOST worlds that have the slot pairs of each axis."""
    library = content()
    recipe = load_recipe(library, PAIRS_RECIPE)
    picked = []
    for one in cover(library, PAIRS_RECIPE, MOST):
        picked.append(one)
        _say(f"{len(picked):>4} worlds, {one.left} pairs are left")
    found = coverage(allowed(library, recipe), (one.world.slots for one in picked))
    for axis in found:
        _say(f"{axis.axis}: {axis.covered} of {axis.allowed} pairs")
        for pair in axis.left[:20]:
            _say("  no world with " + " and ".join(pair))
    said = ", ".join(f"{axis.covered} of {axis.allowed} of {axis.axis}" for axis in found)
    entries = (Entry(ref=one.ref, digest=one.world.digest) for one in picked)
    return f"{len(picked)} worlds that cover the slot pairs of each axis: {said}.", entries


def _frozen(refs: Sequence[str]) -> Iterator[Entry]:
    for found in each(check_entry, [Entry(ref=ref, digest="0" * 32) for ref in refs], _jobs()):
        if found.found is None:
            raise SystemExit(f"{found.ref}: {found.why}")
        yield Entry(ref=found.ref, digest=found.found)


def _by_load(rows: list[Row]) -> list[Row]:
    """Worlds by their mean rank over the parts of the load, the lightest first."""
    parts: tuple[Callable[[Row], float], ...] = (
        lambda row: row["certificate"]["steps"],
        lambda row: row["certificate"]["load"]["plan"]["deeds"],
        *(partial(_part, name) for name in ("knowledge", "search", "memory", "trap", "interface", "noise")),
    )
    total = dict.fromkeys((row["ref"] for row in rows), 0)
    for part in parts:
        values = sorted(map(part, rows))
        for row in rows:
            total[row["ref"]] += values.index(part(row)) + len(values) - values[::-1].index(part(row))
    return sorted(rows, key=lambda row: (total[row["ref"]], int(row["ref"])))


def _part(name: str, row: Row) -> float:
    value = row["certificate"]["load"][name]
    return 0.0 if value is None else float(value)


def _varied(rows: list[Row], count: int) -> list[Row]:
    """So many of the worlds, each with as many families and values as possible that those before it lack."""
    chosen: list[Row] = []
    seen: set[str] = set()
    left = list(rows)
    while left and len(chosen) < count:
        best = max(left, key=lambda row: len(_elements(row) - seen))
        left.remove(best)
        chosen.append(best)
        seen |= _elements(best)
    return sorted(chosen, key=lambda row: int(row["ref"]))


def _elements(row: Row) -> set[str]:
    return {*row["certificate"]["families"], *(f"{name}={value}" for name, value in row["slots"].items())}


def _jobs() -> int:
    return os.cpu_count() or 1


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


SUITES: Final[dict[str, Callable[[], tuple[str, Iterator[Entry]]]]] = {
    "smoke": smoke, "core": core, "nonce": nonce, "pairs": pairs,
}  # fmt: skip


def main(names: Sequence[str]) -> None:
    """Draw and freeze the suites of these names, or all."""
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        raise SystemExit(f"no suite is called {unknown[0]!r}; there are: {', '.join(SUITES)}")
    FOLDER.mkdir(exist_ok=True)
    for name in names or SUITES:
        about, entries = SUITES[name]()
        frozen = list(entries)
        (FOLDER / f"{name}.toml").write_text(suite_text(about, frozen), encoding="utf-8")
        _say(f"{name}: {len(frozen)} worlds. {about}")


if __name__ == "__main__":
    main(sys.argv[1:])
