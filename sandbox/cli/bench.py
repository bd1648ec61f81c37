"""`sandbox bench`: how fast worlds are built and stepped on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Final

import click

from sandbox.cli.context import Settings, command_options
from sandbox.cli.output import emit, progress, say, table

if TYPE_CHECKING:
    from sandbox.generate.content import Content
    from sandbox.measure.bench import Rates

ASKED: Final = 100


@click.command()
@click.option("--full", is_flag=True, help="Build all 100 worlds of default however long it takes, and other recipes.")
@command_options
def bench(settings: Settings, *, full: bool) -> None:
    """Measure how fast worlds are built and stepped here, per CPU-second of one process, within 30 seconds."""
    from sandbox.generate.content import content
    from sandbox.measure.bench import EDITED, WALKED, WORLDS, build_worlds, edit_ratios, rates, record

    library = content(settings.content)
    timed = list(progress(build_worlds(library, full=full), WORLDS, "building worlds"))
    ratios = list(progress(edit_ratios(timed, library, full=full), min(EDITED, len(timed)), "editing worlds"))
    walked = timed[:WALKED]
    walks = [record(one.built) for one in progress(walked, len(walked), "walking")]
    found = rates(timed, ratios, walks)
    others = [(recipe, _median_ms(library, recipe)) for recipe in library.recipes() if full and recipe != "default"]
    if settings.json:
        emit({**asdict(found), "others": dict(others)})
    else:
        _report(found, others)


def _median_ms(library: Content, recipe: str) -> float:
    from sandbox.measure.bench import WALKED, build_worlds

    built = islice(build_worlds(library, full=True, recipe=recipe), WALKED)
    return median(one.ms for one in progress(built, WALKED, f"building {recipe}"))


def _report(found: Rates, others: Sequence[tuple[str, float]]) -> None:
    ratio = "none" if found.edit_ratio is None else f"{found.edit_ratio:.2f}"
    table(
        ("measure (per CPU-second of one process)", "found", "aim"),
        [
            ("steps a second, with their text", f"{found.steps_per_s:,.0f}", "≥ 150,000"),
            ("steps a second, with the admissible list", f"{found.steps_with_list_per_s:,.0f}", "≥ 50,000"),
            ("copying a state", f"{found.copy_us:.2f} µs", "≤ 2 µs"),
            ("commands read a second", f"{found.parse_per_s:,.0f}", ""),
            ("worlds built and certified a second", f"{found.worlds_per_s:,.1f}", "≥ 33"),
            ("build and certify, median", f"{found.certify_ms_median:.1f} ms", "≤ 30 ms"),
            ("build and certify, 95 of 100 within", f"{found.certify_ms_p95:.1f} ms", "≤ 250 ms"),
            ("build an edit, against its world", ratio, "≤ 1.5"),
            *((f"build and certify {recipe}, median", f"{ms:.1f} ms", "") for recipe, ms in others),
        ],
    )
    say()
    say(f"Walks in {found.walks} worlds of recipe default, {found.worlds} worlds built.")
    if found.worlds < ASKED:
        say(f"Time was up before all {ASKED} worlds were built: --full takes as long as it needs.")
