"""How broad a set of worlds is: what their rules are made of, what of it is live, and how different their plans are.

One `Breadth` a world, measured when it is surveyed or read back from a row of a pack; `broad` puts many together:

* `families`: for each, in how many worlds it was drawn, how many plans use it, the share of its slots that are live;
* `skeletons`: how many different plans, names and walking left out (`sandbox.measure.skeleton`), in all worlds and in
  the first THOUSAND, and the share of the commonest one; `errands`: the share of commands that go, take or drop;
* `live_structure`: live structure slots a world, and the share of worlds with at least ENOUGH;
* `kinds`: in how many worlds each structural kind is (`sandbox.measure.kinds`), and of how many pairs of them there is
  a world, all of them `within` so many worlds in the order of their seeds;
* `pairs`: the slot pairs of each axis that some world has, of those that are allowed (`sandbox.measure.pairs`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import mean
from typing import Any

from sandbox.measure.kinds import KINDS, structural_kinds
from sandbox.measure.pairs import Pairs, coverage
from sandbox.measure.skeleton import errands, skeleton
from sandbox.measure.transcript import Transcript
from sandbox.world.dynamics import Dynamics
from sandbox.world.keyed import digest
from sandbox.world.world import World

THOUSAND = 1_000
ENOUGH = 3


@dataclass(frozen=True, slots=True)
class Breadth:
    """What one world adds: plain values. `used` are the families of its plan, `skeleton` is a digest of it."""

    families: tuple[str, ...]
    used: tuple[str, ...]
    slots: Mapping[str, str]
    live: tuple[str, ...]
    dead: tuple[str, ...]
    live_structure: int
    kinds: tuple[str, ...]
    skeleton: str
    errands: int
    commands: int

    @staticmethod
    def of_row(record: Mapping[str, Any]) -> Breadth:
        """The breadth in a row of a pack."""
        return Breadth(
            tuple(record["families"]), tuple(record["certificate"]["families"]), record["slots"],
            tuple(record["live"]), tuple(record["dead"]), record["live_structure"], tuple(record["kinds"]),
            record["skeleton"], *record["errands"],
        )  # fmt: skip


def breadth(
    world: World, used: Sequence[str], dynamics: Dynamics, played: Transcript, live: Mapping[str, bool],
    structure: frozenset[str],
) -> Breadth:
    """The breadth of a world. `live` says of each slot whether it is live; `structure` are those of kind structure."""
    alive = tuple(name for name, bites in live.items() if bites)
    errand, commands = errands(played)
    return Breadth(
        families=world.rules.families[1:], used=tuple(used), slots=dict(world.slots), live=alive,
        dead=tuple(name for name in live if name not in alive),
        live_structure=sum(name in structure for name in alive), kinds=structural_kinds(world.rules),
        skeleton=digest("\n".join(skeleton(dynamics, played)).encode(), 8),
        errands=errand, commands=commands,
    )  # fmt: skip


def broad(worlds: Sequence[Breadth], pairs: Pairs) -> dict[str, object]:
    """The figures of many worlds, in the order of their seeds, as JSON data. `pairs` are those allowed."""
    if not worlds:
        return {"worlds": 0}
    alive, dead = sum(len(w.live) for w in worlds), sum(len(w.dead) for w in worlds)
    return {
        "worlds": len(worlds),
        "live_slots": _share(alive, alive + dead),
        "live_structure": {
            "mean": round(mean(w.live_structure for w in worlds), 3),
            "enough": _share(sum(w.live_structure >= ENOUGH for w in worlds), len(worlds)),
        },
        "families": _families(worlds),
        "skeletons": {**_different(worlds), "first": _different(worlds[:THOUSAND])},
        "errands": _share(sum(w.errands for w in worlds), sum(w.commands for w in worlds)),
        "kinds": _kinds(worlds),
        "pairs": {
            found.axis: {"covered": found.covered, "allowed": found.allowed}
            for found in coverage(pairs, (w.slots for w in worlds))
        },
    }


def _families(worlds: Sequence[Breadth]) -> dict[str, dict[str, object]]:
    drawn, used = Counter(f for w in worlds for f in w.families), Counter(f for w in worlds for f in w.used)
    live, all_ = Counter[str](), Counter[str]()
    for world in worlds:
        live.update(name.split("/")[1] for name in world.live)
        all_.update(name.split("/")[1] for name in (*world.live, *world.dead))
    return {
        family: {"drawn": count, "used": used[family], "live": _share(live[family], all_[family])}
        for family, count in sorted(drawn.items())
    }


def _different(worlds: Sequence[Breadth]) -> dict[str, object]:
    counted = Counter(w.skeleton for w in worlds)
    commonest = round(max(counted.values()) / len(worlds), 4)
    return {"worlds": len(worlds), "different": len(counted), "commonest": commonest}


def _kinds(worlds: Sequence[Breadth]) -> dict[str, object]:
    wanted, within = set(combinations(KINDS, 2)), None
    for number, world in enumerate(worlds, 1):
        if wanted:
            wanted -= set(combinations(world.kinds, 2))
            within = None if wanted else number
    counted = Counter(kind for w in worlds for kind in w.kinds)
    pairs = len(KINDS) * (len(KINDS) - 1) // 2
    return {
        "worlds": {kind: counted[kind] for kind in KINDS}, "pairs": pairs - len(wanted), "of": pairs,
        "within": within, "missing": [" + ".join(pair) for pair in sorted(wanted)],
    }  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
