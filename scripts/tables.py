"""The tables of the explorer's report, as Markdown, from the episodes that were played."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence

from sandbox.measure.intervals import bootstrap, mean, newcombe, wilson
from scripts.solo import Row

WITHIN = (3, 10, 30, 100)
Pair = tuple[Row, Row]


def tables(rows: Sequence[Row], counts: Mapping[str, int]) -> Iterator[str]:
    """All tables. `counts` says how many worlds a cell takes: the first of each recipe."""
    chosen = {cell: _first(rows, cell, count) for cell, count in counts.items()}
    alone = {cell: found for cell, found in chosen.items() if any(row.arm == "random" for row in found)}
    yield f"| worlds | n | who | {' | '.join(f'within {k}×' for k in WITHIN)} | restricted mean steps | CPU s | ms |"
    yield "|" + "---|" * (len(WITHIN) + 6)
    for cell, found in alone.items():
        ours, chance = _arm(found, "scratch"), _arm(found, "random")
        yield _profile(cell, ours[0].agent, ours)
        yield _profile(cell, "random, with the list", chance)
        optimum = mean([row.optimum for row in ours])
        yield f"| {cell} | {len(ours)} | oracle | {' | '.join(['100'] * len(WITHIN))} | {optimum:.0f} | | |"
    yield ""
    yield "| explorer less random, same worlds | solved within 100×, points | restricted mean steps |"
    yield "|---|---|---|"
    for cell, found in alone.items():
        pairs = _pairs(found, "scratch", "random")
        solved = _difference(pairs, lambda row: 100 * row.within(100))
        yield f"| {cell} | {solved} | {_difference(pairs, lambda row: row.restricted)} |"
    familiar = [
        row for cell in ("structured", "prose") for row in _arm(alone.get(cell, []), "scratch") if "nonce/" in row.ref
    ]
    for cell in ("held-out", "held-out, mixed"):
        ours = _arm(alone.get(cell, []), "scratch")
        if ours and familiar:
            yield ""
            yield f"{cell} less familiar nonce worlds of the same observations and details: {_apart(ours, familiar)}"
    yield ""
    yield "| carried over | n | from scratch → carried | figure | asked |"
    yield "|---|---|---|---|---|"
    for cell, found in chosen.items():
        if _arm(found, "carried"):
            yield from _carried(cell, _pairs(found, "scratch", "carried"), _pairs(found, "skills off", "carried"))


def _first(rows: Sequence[Row], cell: str, count: int) -> list[Row]:
    """The rows of the first worlds of a cell, as many of each recipe."""
    mine = [row for row in rows if row.cell == cell]
    recipes = sorted({_recipe(row) for row in mine})
    found: list[Row] = []
    for recipe in recipes:
        refs = sorted({row.ref for row in mine if _recipe(row) == recipe}, key=_seed)[: count // max(1, len(recipes))]
        found += sorted((row for row in mine if row.ref in refs), key=lambda row: _seed(row.ref))
    return found


def _recipe(row: Row) -> str:
    return row.ref.rpartition("/")[0]


def _seed(ref: str) -> int:
    return int(ref.rpartition("/")[2])


def _arm(rows: Sequence[Row], arm: str) -> list[Row]:
    return [row for row in rows if row.arm == arm]


def _pairs(rows: Sequence[Row], one: str, other: str) -> list[Pair]:
    """The rows of two arms on the same world."""
    others = {row.ref: row for row in _arm(rows, other)}
    return [(row, others[row.ref]) for row in _arm(rows, one) if row.ref in others]


def _profile(cell: str, who: str, rows: Sequence[Row]) -> str:
    shares = []
    for multiple in WITHIN:
        hits = sum(row.within(multiple) for row in rows)
        low, high = wilson(hits, len(rows))
        shares.append(f"{100 * hits / len(rows):.0f} [{100 * low:.0f}-{100 * high:.0f}]")
    steps, seconds = mean([row.restricted for row in rows]), mean([row.seconds for row in rows])
    millis = statistics.median(row.millis for row in rows)
    return f"| {cell} | {len(rows)} | {who} | {' | '.join(shares)} | {steps:.0f} | {seconds:.2f} | {millis:.2f} |"


def _difference(pairs: Sequence[Pair], of: Callable[[Row], float]) -> str:
    """The mean difference of pairs, the first less the second, with its interval."""
    return _told([of(one) - of(other) for one, other in pairs], mean)


def _told(
    values: Sequence[float], statistic: Callable[[Sequence[float]], float], sign: str = "+", digits: int = 0
) -> str:
    if not values:
        return "-"
    found = f"{statistic(values):{sign}.{digits}f}"
    if len(values) < 2:
        return found
    low, high = bootstrap(values, statistic)
    return f"{found} [{low:{sign}.{digits}f} to {high:{sign}.{digits}f}]"


def _apart(ours: Sequence[Row], familiar: Sequence[Row]) -> str:
    hits, others = sum(row.within(100) for row in ours), sum(row.within(100) for row in familiar)
    low, high = newcombe(hits, len(ours), others, len(familiar))
    points = 100 * (hits / len(ours) - others / len(familiar))
    found = f"{points:+.0f} points [{100 * low:+.0f} to {100 * high:+.0f}]"
    return f"{found} (n {len(ours)} and {len(familiar)}; asked: lower bound > -20)"


def _carried(cell: str, pairs: Sequence[Pair], off: Sequence[Pair]) -> Iterator[str]:
    """The lines of a cell in which something is carried from a first world to a second."""
    count = f"| {cell} | {len(pairs)}"
    probes = [statistics.median(row.probes for row in side) for side in zip(*pairs, strict=True)]
    arrow = f"{probes[0]:.0f} → {probes[1]:.0f} probes (medians)"
    if cell == "same grammar":
        yield f"{count} | {arrow} | {_ratio(pairs, lambda row: row.probes)} times fewer probes in all | ≥ 5 |"
    solved = [sum(row.within(100) for row in side) for side in zip(*pairs, strict=True)]
    lost = _difference([(carried, scratch) for scratch, carried in pairs], lambda row: 100 * row.within(100))
    asked = "lower bound > -3" if cell == "everything new" else ""
    yield f"{count} | {solved[0]} → {solved[1]} solved | {lost} points solved | {asked} |"
    if cell == "everything new":
        yield f"{count} | {arrow} | {_difference([(b, a) for a, b in pairs], lambda row: row.probes)} probes | |"
    times = [statistics.median(row.times for row in side) for side in zip(*pairs, strict=True)]
    asked = "≤ 8" if cell == "worked examples" else ""
    middle = _told([carried.times for _, carried in pairs], statistics.median, "", 1)
    yield f"{count} | {times[0]:.1f} → {times[1]:.1f} × the optimum (medians) | {middle} × the optimum | {asked} |"
    yield f"{count} | | {_ratio(pairs, lambda row: row.restricted)} times fewer commands in all | |"
    if off:
        inside = _ratio([(carried, carried) for _, carried in off], lambda row: row.in_skills, lambda row: row.steps)
        yield f"| {cell} | {len(off)} | | {inside} of the commands come from inside skills | ≥ 0.30 |"
        cost = _ratio(off, lambda row: row.restricted)
        yield f"| {cell} | {len(off)} | skills off | {cost} times the commands | ≥ 1.20 |"


def _ratio(pairs: Sequence[Pair], over: Callable[[Row], float], under: Callable[[Row], float] | None = None) -> str:
    """The sum over the first of pairs divided by that over the second, with its interval."""
    below = under or over

    def ratio(sample: Sequence[Pair]) -> float:
        return sum(over(one) for one, _ in sample) / max(1, sum(below(other) for _, other in sample))

    if len(pairs) < 2:
        return f"{ratio(pairs):.2f}"
    low, high = bootstrap(pairs, ratio)
    return f"{ratio(pairs):.2f} [{low:.2f} to {high:.2f}]"
