"""The report of a survey: each measure beside the aim it is held against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from sandbox.cli.output import say, table

if TYPE_CHECKING:
    from sandbox.measure.survey import Failed

_SHOWN: Final = 10
Row = tuple[str, str, str]


def report(figures: Mapping[str, Any], failed: Sequence[Failed]) -> None:
    """Print the figures of a survey as a table, and the seeds that failed."""
    say(f"{figures['worlds']} worlds surveyed, {figures['failed']} could not be built")
    for one in failed[:_SHOWN]:
        say(f"  {one.ref}: {one.why}")
    if len(failed) > _SHOWN:
        say(f"  … and {len(failed) - _SHOWN} more")
    if figures["worlds"]:
        say()
        table(("measure", "found", "aim"), list(rows(figures)))


def rows(figures: Mapping[str, Any]) -> Iterator[Row]:
    """One row a measure: its name, what was found, what is aimed at (empty where nothing is)."""
    yield from _edits(figures)
    yield from _plans(figures)
    yield from breadth_rows(figures["breadth"])
    for name, value in figures["load"].items():
        yield f"load: {name} (median)", "unknown" if value is None else f"{value:g}", ""
    yield from _proofs(figures)


def _edits(figures: Mapping[str, Any]) -> Iterator[Row]:
    effects = figures["effects"]
    total = sum(effects.values()) or 1
    yield "live slots of the rules", _share(figures["live_slots"]), "≥ 60 %"
    yield "live structure slots a world", f"{figures['live_structure']:.1f}", "≥ 3"
    for effect, count in effects.items():
        yield f"edits of the rules: {effect}", f"{count} ({count / total:.0%})", ""
    yield "mattering edits of the rules a world", f"{figures['mattering_rules_edits']:.1f}", "≥ 3"
    for axis, share in figures["mattering_axes"].items():
        yield f"worlds with a mattering edit of {axis}", _share(share), "100 %"


def _plans(figures: Mapping[str, Any]) -> Iterator[Row]:
    for key, name in (("skeletons", "plan skeletons"), ("skeletons_threaded", "plan skeletons, things told apart")):
        found = figures[key]
        wide = key == "skeletons"
        yield f"{name}: different", str(found["different"]), "≥ 300 of 1,000" if wide else ""
        yield f"{name}: the commonest", _share(found["commonest"]), "≤ 2 %" if wide else ""
    yield "go, take and drop in plans", _share(figures["errands"]), "≤ 50 %"
    yield "surprises a world", f"{figures['surprises']['mean']:.1f}", "≥ 1 in each"
    yield "worlds without a surprise", str(figures["surprises"]["none"]), "0"
    yield "solved by the plan of common sense", _share(figures["prior_solvable"]), "≤ 20 %"
    yield "solved by some optimal plan of common sense", _share(figures["prior_might_solve"]), ""
    yield "shown before used", _share(figures["shown_before_used"]), "100 %"
    yield "luck: random within 10 × the optimum", _share(figures["luck"]["within_10"]), "≤ 3 %"
    yield "luck: random within 30 × the optimum", _share(figures["luck"]["within_30"]), "≤ 10 %"


def breadth_rows(figures: Mapping[str, Any]) -> Iterator[Row]:
    """The rows of how broad a set of worlds is."""
    kinds = figures["kinds"]
    yield "worlds with three live structure slots or more", _share(figures["live_structure"]["enough"]), ""
    for kind, count in kinds["worlds"].items():
        yield f"worlds that are {kind}", _share(count / figures["worlds"]), ""
    yield "pairs of structural kinds", f"{kinds['pairs']} of {kinds['of']}", "all"
    within = "not yet" if kinds["within"] is None else f"{kinds['within']} worlds"
    yield "pairs of structural kinds: all within", within, "500 worlds"
    for axis, found in figures["pairs"].items():
        share = _share(found["covered"] / found["allowed"]) if found["allowed"] else "none"
        yield f"slot pairs of {axis}", f"{found['covered']} of {found['allowed']} ({share})", ""
    for family, found in figures["families"].items():
        said = f"drawn {found['drawn']}, used {found['used']}, slots live {_share(found['live'])}"
        yield f"family {family}", said, ""


def pack_rows(figures: Mapping[str, Any]) -> Iterator[Row]:
    """The rows that a pack tells, in the order of a survey."""
    yield "live slots of the rules", _share(figures["live_slots"]), "≥ 60 %"
    yield "live structure slots a world", f"{figures['live_structure']['mean']:.1f}", "≥ 3"
    first = figures["skeletons"]["first"]
    yield f"plan skeletons: different in {first['worlds']}", str(first["different"]), "≥ 300 of 1,000"
    yield "plan skeletons: different in all", str(figures["skeletons"]["different"]), ""
    yield "plan skeletons: the commonest", _share(figures["skeletons"]["commonest"]), "≤ 2 %"
    yield "go, take and drop in plans", _share(figures["errands"]), "≤ 50 %"
    yield from breadth_rows(figures)


def _proofs(figures: Mapping[str, Any]) -> Iterator[Row]:
    times, dead = figures["build_ms"], figures["dead_ends"]
    yield "optimum proven", _share(figures["exact"]), "≥ 80 %"
    yield "optimum proven where it is at most 15", _share(figures["exact_up_to_15"]), "≥ 95 %"
    yield "optimum (median; most)", f"{figures['optimum']['median']:g}; {figures['optimum']['most']}", ""
    yield "build and certify (median; p95)", f"{times['median']:.0f} ms; {times['p95']:.0f} ms", "≤ 30 ms; ≤ 250 ms"
    if dead["mean"] is not None:
        yield "dead ends near the plan (mean; most)", f"{dead['mean']:.1%}; {dead['most']:.0%}", ""


def _share(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.1f} %"
