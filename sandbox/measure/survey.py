"""A survey: what a recipe's worlds are like, measured over many seeds.

`survey_world` measures one world, `summarise` puts many together. The measures are those of the gate:

* *live slots*: the share of the slots of the rules that have another value to take, of which some other value makes
  something reachable differ (`sandbox.measure.live`); *live structure slots*: how many of a world's live slots are of
  kind `structure`;
* *effects*: how many of all one-slot edits of the rules are barrier, shortcut, trap, neutral, dead, unsolvable or
  refused; *mattering edits*: barriers, shortcuts and traps a world; and for each axis the share of worlds in which
  some edit of it matters;
* *skeletons* (`sandbox.measure.skeleton`): how many are different, and the share of the commonest one; *errands*: the
  share of all commands of all plans that go, take or drop;
* *load* (`sandbox.measure.load`): the median of each part; *surprises* and *prior_solvable* (`sandbox.measure.twin`);
* *shown before used* (`sandbox.measure.shown`): the share of worlds whose whole plan can be typed from what was shown;
* *luck*: the share of random walks over the admissible list (WALKS a world, every command drawn evenly from what is
  admissible) that solve within 10 × and 30 × the optimum;
* *tiers*: the share of worlds whose optimum is proven, overall and where it is at most 15;
* *breadth* (`sandbox.measure.breadth`): families, structural kinds and slot pairs;
* *time*: CPU milliseconds to build and certify a world in one process; *dead ends*: the certificates' own share.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from sandbox.certify.effects import MATTERS
from sandbox.certify.worlds import Built, build
from sandbox.errors import ConstraintError
from sandbox.generate.content import content
from sandbox.measure.breadth import Breadth, breadth, broad
from sandbox.measure.live import Measured, measure, slot_edits
from sandbox.measure.load import Load
from sandbox.measure.pairs import Pairs
from sandbox.measure.profile import profile
from sandbox.measure.skeleton import skeleton, threaded
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.world import AXES

WALKS = 5
SHORT = 15
"""Optimum up to which nearly every proof is expected to be exact."""
EFFECTS = ("barrier", "shortcut", "trap", "neutral", "dead", "unsolvable", "refused")


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One world's measures: plain values, so that they travel between processes and print as JSON."""

    ref: str
    steps: int
    tier: str
    build_ms: float
    slots: int
    live: tuple[str, ...]
    live_structure: int
    effects: Mapping[str, int]
    mattering: Mapping[str, int]
    skeleton: tuple[str, ...]
    threaded: tuple[str, ...]
    errands: int
    commands: int
    load: Mapping[str, float | None]
    surprises: int
    prior_solvable: bool
    prior_might_solve: bool
    shown_before_used: bool
    walks: int
    lucky_10: int
    lucky_30: int
    dead_ends: float | None
    breadth: Breadth

    def to_dict(self) -> dict[str, object]:
        """Plain JSON data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Failed:
    """A seed for which no world was built, and why."""

    ref: str
    why: str

    def to_dict(self) -> dict[str, object]:
        """Plain JSON data."""
        return asdict(self)


def survey_world(
    ref: str, folder: Path | None = None, clock: Callable[[], float] = time.process_time
) -> Surveyed | Failed:
    """Build and measure one world with the content of a folder; `clock` counts CPU seconds."""
    library, began = content(folder), clock()
    try:
        built = build(ref, library)
    except ConstraintError as error:
        return Failed(ref, error.message)
    took = 1000 * (clock() - began)
    measured = [measure(built, library, edit, certified=False) for edit in slot_edits(built, library)]
    found, dynamics = profile(built, library), built.solved.dynamics
    assert found.twin is not None, "a world that was just drawn has its templates"
    live = _live(measured)
    broad_ = breadth(built.world, built.certificate.families, dynamics, found.played, live, _structure(measured))
    lucky_10, lucky_30 = luck(built)
    return Surveyed(
        ref=ref, steps=built.certificate.steps, tier=built.certificate.tier, build_ms=round(took, 1),
        slots=len(live), live=tuple(name for name, alive in live.items() if alive),
        live_structure=broad_.live_structure, effects=_effects(measured), mattering=_mattering(measured),
        skeleton=skeleton(dynamics, found.played), threaded=threaded(dynamics, found.played),
        errands=broad_.errands, commands=broad_.commands, load=_flat(found.load),
        surprises=len(found.twin.surprises), prior_solvable=found.twin.wins, prior_might_solve=found.twin.some_wins,
        shown_before_used=found.shown.all, walks=WALKS, lucky_10=lucky_10, lucky_30=lucky_30,
        dead_ends=built.certificate.dead_ends,
        breadth=broad_,
    )  # fmt: skip


def _live(measured: Sequence[Measured]) -> dict[str, bool]:
    """Each slot of the rules that has another value to take, and whether it is live."""
    found: dict[str, bool] = {}
    for one in measured:
        slot = one.edit.slot
        if slot.axis == "rules":
            found[slot.full] = found.get(slot.full, False) or one.effect not in ("dead", None)
    return found


def _structure(measured: Sequence[Measured]) -> frozenset[str]:
    return frozenset(m.edit.slot.full for m in measured if m.edit.slot.kind == "structure")


def _effects(measured: Sequence[Measured]) -> dict[str, int]:
    counted = Counter(one.effect or "refused" for one in measured if one.edit.slot.axis == "rules")
    return {effect: counted[effect] for effect in EFFECTS}


def _mattering(measured: Sequence[Measured]) -> dict[str, int]:
    counted = Counter(one.edit.slot.axis for one in measured if one.matters)
    return {axis: counted[axis] for axis in AXES}


def _flat(load: Load) -> dict[str, Any]:
    """The load vector with the parts of `plan` beside the others."""
    plan = {f"plan.{name}": number for name, number in asdict(load.plan).items()}
    others = {name: number for name, number in load.to_dict().items() if name != "plan"}
    return {**plan, **others}


def luck(built: Built, walks: int = WALKS) -> tuple[int, int]:
    """How many of some keyed random walks over the admissible list solve a world within 10 × and 30 × its optimum."""
    engine, steps = Engine(built.world), built.certificate.steps
    short = long = 0
    for number in range(walks):
        stream, state = Key("luck", built.world.digest, number).stream(), engine.start().state
        for n in range(1, 30 * steps + 1):
            state = engine.step(state, stream.choice(engine.admissible(state))).state
            if engine.solved(state):
                short += n <= 10 * steps
                long += 1
                break
    return short, long


# --- many worlds ----------------------------------------------------------------------------------
def summarise(
    worlds: Sequence[Surveyed], failed: Sequence[Failed] = (), pairs: Pairs | None = None
) -> dict[str, object]:
    """The figures of a survey as JSON data. Shares are from 0 to 1; `worlds` 0 leaves only the counts.

    `pairs` are the slot pairs that the recipe allows.
    """
    counts: dict[str, object] = {"worlds": len(worlds), "failed": len(failed)}
    if not worlds:
        return counts
    short = [w for w in worlds if w.steps <= SHORT]
    return counts | {
        "live_slots": _share(sum(len(w.live) for w in worlds), sum(w.slots for w in worlds)),
        "live_structure": _mean(w.live_structure for w in worlds),
        "effects": {effect: sum(w.effects[effect] for w in worlds) for effect in EFFECTS},
        "mattering_rules_edits": _mean(sum(w.effects[e] for e in MATTERS) for w in worlds),
        "mattering_axes": {a: _share(sum(w.mattering[a] > 0 for w in worlds), len(worlds)) for a in AXES},
        "skeletons": _different(w.skeleton for w in worlds),
        "skeletons_threaded": _different(w.threaded for w in worlds),
        "errands": _share(sum(w.errands for w in worlds), sum(w.commands for w in worlds)),
        "load": _medians([w.load for w in worlds]),
        "surprises": {"mean": _mean(w.surprises for w in worlds), "none": sum(w.surprises == 0 for w in worlds)},
        "prior_solvable": _share(sum(w.prior_solvable for w in worlds), len(worlds)),
        "prior_might_solve": _share(sum(w.prior_might_solve for w in worlds), len(worlds)),
        "shown_before_used": _share(sum(w.shown_before_used for w in worlds), len(worlds)),
        "luck": {
            "within_10": _share(sum(w.lucky_10 for w in worlds), sum(w.walks for w in worlds)),
            "within_30": _share(sum(w.lucky_30 for w in worlds), sum(w.walks for w in worlds)),
        },
        "exact": _share(sum(w.tier == "exact" for w in worlds), len(worlds)),
        f"exact_up_to_{SHORT}": _share(sum(w.tier == "exact" for w in short), len(short)),
        "optimum": {"median": median(w.steps for w in worlds), "most": max(w.steps for w in worlds)},
        "build_ms": {"median": round(median(w.build_ms for w in worlds), 1), "p95": percentile(
            [w.build_ms for w in worlds], 95
        )},
        "breadth": broad([w.breadth for w in worlds], pairs or {}),
        "dead_ends": _dead([w.dead_ends for w in worlds if w.dead_ends is not None]),
    }


def _dead(known: Sequence[float]) -> dict[str, float | None]:
    """The mean and the most of the shares that are known."""
    return {"mean": _mean(known) if known else None, "most": max(known, default=None)}


def percentile(values: Sequence[float], per_cent: int) -> float:
    """The smallest value that at least `per_cent` of a hundred of the values do not exceed (nearest rank)."""
    rank = -(-per_cent * len(values) // 100)
    return round(sorted(values)[max(0, rank - 1)], 1)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _mean(values: Iterable[float]) -> float:
    return round(mean(values), 3)


def _different(skeletons: Iterable[tuple[str, ...]]) -> dict[str, float]:
    counted = Counter(skeletons)
    return {"different": len(counted), "commonest": round(max(counted.values()) / counted.total(), 4)}


def _medians(loads: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name in loads[0]:
        known = [value for load in loads if (value := load[name]) is not None]
        found[name] = round(median(known), 3) if known else None
    return found
