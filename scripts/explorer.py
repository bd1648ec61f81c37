"""The figures of the explorer: worlds solved within 3, 10, 30 and 100 times the optimum, cell by cell.

Run `python scripts/explorer.py --worlds 20` (more with `--worlds 100`). Seeds begin at 10,000 and were never used while
the agent was written. Random over the admissible list plays the same worlds beside it; the oracle needs none.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.load import load
from sandbox.certify import build
from sandbox.generate.content import content
from sandbox.world.engine import Engine

FIRST = 10_000
WITHIN = (3, 10, 30, 100)
STRUCTURED = frozenset({"list", "json"})
SPECIFIC = frozenset({"thing", "requirement"})
HELD_FAMILIES = frozenset({"creature", "light", "sign", "ritual", "body"})
HELD_FORMS = frozenset({"postfix", "case_marked", "shell_flags"})


@dataclass(frozen=True, slots=True)
class Played:
    """One episode: how many commands against the optimum, whether solved, and the CPU seconds of the agent."""

    solved: bool
    steps: int
    optimum: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Cell:
    """A row of the table: worlds of a recipe whose slots are as `fits` asks."""

    name: str
    recipe: str
    fits: Callable[[dict[str, str], set[str]], bool]


def held_out(slots: dict[str, str], families: set[str]) -> bool:
    """Whether a world has content that was not looked at while the agent was written."""
    return slots["grammar/form"] in HELD_FORMS or bool(families & HELD_FAMILIES)


def anything(slots: dict[str, str], families: set[str]) -> bool:
    """Every world, as drawn."""
    return bool(slots) or bool(families)


CELLS = (
    Cell("nonce, structured, thing or more", "nonce", lambda s, f: _is(s, STRUCTURED, SPECIFIC) and not held_out(s, f)),
    Cell("nonce, prose, thing or more", "nonce", lambda s, f: _is(s, {"prose"}, SPECIFIC) and not held_out(s, f)),
    Cell("nonce, something failed", "nonce", lambda s, f: s["feedback/detail"] == "something" and not held_out(s, f)),
    Cell("default, as drawn", "default", anything),
    Cell("medium, as drawn", "medium", anything),
    Cell("nonce, held-out content", "nonce", held_out),
)


def _is(slots: dict[str, str], forms: frozenset[str] | set[str], details: frozenset[str]) -> bool:
    return slots["observation/form"] in forms and slots["feedback/detail"] in details


def worlds(cell: Cell, count: int) -> Iterator[tuple[Engine, Engine, int]]:
    """The first `count` worlds of a cell: an engine at level 1, one at level 2, and the optimum."""
    seed, found = FIRST, 0
    while found < count and seed < FIRST + 200 * count:
        built = build(f"{cell.recipe}/{seed}")
        seed += 1
        slots = dict(built.world.slots)
        families = {name.split("/")[1] for name in slots if name.startswith("rules/")}
        if cell.fits(slots, families):
            found += 1
            yield Engine(built.world, access=1), Engine(built.world, access=2), built.certificate.steps


def play(engine: Engine, spec: str, optimum: int, access: int) -> Played:
    """One episode, without a journal."""
    agent = load(spec, content().agents()).agent
    limit = WITHIN[-1] * optimum
    began = time.process_time()
    agent.begin(Briefing(engine.goal_text, access, engine.help_text, engine.vocabulary, 0, limit, None))
    step, n, spent = engine.start(), 0, time.process_time() - began
    while not step.done and n < limit:
        admissible = engine.admissible(step.state) if access >= 2 else None
        began = time.process_time()
        said = agent.act(Turn(n, step.text, step.reward, step.done, admissible, None))
        command = said if isinstance(said, str) else said.command
        spent += time.process_time() - began
        step, n = engine.step(step.state, command), n + 1
    return Played(step.done, n, optimum, spent)


def interval(hits: int, of: int) -> str:
    """A share with its 95 % Wilson interval, in per cent."""
    if not of:
        return "-"
    share, z = hits / of, 1.96
    centre = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return f"{100 * share:3.0f} [{100 * (centre - half):.0f}-{100 * (centre + half):.0f}]"


def row(name: str, who: str, played: list[Played]) -> str:
    """A line of the table."""
    shares = [
        interval(sum(p.solved and p.steps <= within * p.optimum for p in played), len(played)) for within in WITHIN
    ]  # fmt: skip
    mean = sum(p.steps if p.solved else WITHIN[-1] * p.optimum for p in played) / max(1, len(played))
    seconds = sum(p.seconds for p in played) / max(1, len(played))
    return f"| {name} | {who} | {len(played)} | {' | '.join(shares)} | {mean:.0f} | {seconds:.2f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=20, help="worlds a cell")
    parser.add_argument("--agent", default="explorer")
    parser.add_argument("--cell", type=int, action="append", help="number of a cell, from 0; all by default")
    wishes = parser.parse_args()
    print("| worlds | agent | n | " + " | ".join(f"within {k}x" for k in WITHIN) + " | mean steps | s |")  # noqa: T201
    print("|" + "---|" * (len(WITHIN) + 5))  # noqa: T201
    for number, cell in enumerate(CELLS):
        if wishes.cell and number not in wishes.cell:
            continue
        ours, chance = [], []
        for told, listed, optimum in worlds(cell, wishes.worlds):
            ours.append(play(told, wishes.agent, optimum, 1))
            chance.append(play(listed, "random", optimum, 2))
        print(row(cell.name, wishes.agent, ours), flush=True)  # noqa: T201
        print(row(cell.name, "random, with the list", chance), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
