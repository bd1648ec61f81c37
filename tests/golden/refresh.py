"""Write everything anew that tests compare with: `python -m tests.golden.refresh`. Read the difference before it is committed."""

from __future__ import annotations

import json
from pathlib import Path

from sandbox.certify import build
from sandbox.generate.content import content
from sandbox.world.engine import Engine
from tests.world.transcript import FOLDER, render

WORLDS = Path(__file__).parent / "worlds.json"
SEEDS = ("0", "1", "7", "07", "-1", "seed", "Übung", "ключ", "雪", "a seed with blanks")
EDITS = ("~rules", "~grammar", "~observation", "~feedback", "~rules.all", "~theme", "~layout", "~task")


SLOW = {"medium": 2, "wide": 1, "large": 0, "huge": 0}
"""Recipes whose worlds take long: how many of the seeds are kept of each."""


def references() -> list[str]:
    """The references whose worlds are kept: every recipe under a few seeds, and every sort of edit."""
    kept = [f"{name}/{seed}" for name in content().recipes() for seed in SEEDS[: SLOW.get(name, len(SEEDS))]]
    return kept + [f"tiny/7{edit}" for edit in EDITS]


def golden(ref: str) -> dict[str, object]:
    """What is kept of a world: digests of all parts, the goal and the plan."""
    one = build(ref)
    return {
        "ref": one.ref, "digest": one.world.digest, "parts": one.world.parts, "goal": Engine(one.world).goal_text,
        "tier": one.certificate.tier, "plan": list(one.certificate.plan),
    }  # fmt: skip


def main() -> None:
    """Write the worlds and the transcripts."""
    found = {ref: golden(ref) for ref in references()}
    WORLDS.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for path in sorted(FOLDER.glob("*.txt")):
        path.write_text(render(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
