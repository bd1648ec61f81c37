"""The proof attached to a world: what it claims, and what is measured beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sandbox import GENERATOR_VERSION


@dataclass(frozen=True, slots=True)
class Certificate:
    """`plan` solves the world in `steps` commands; no plan is shorter than `lower_bound`.

    `tier` is `exact` when the two are equal. `states` were explored for the proof, `branching` is the mean
    number of relevant moves in them, `dead_ends` the share of sampled states near the plan from which the
    goal is lost (`sampled` of them), None where too much was left out of the search to tell. `trace` are the digests
    of the facts after each command of the plan.
    """

    tier: str
    steps: int
    lower_bound: int
    plan: tuple[str, ...]
    intents: tuple[str, ...]
    states: int
    branching: float
    dead_ends: float | None
    sampled: int
    actions: int
    families: tuple[str, ...]
    trace: tuple[str, ...]
    world: str
    parts: Mapping[str, str]
    generator: str = GENERATOR_VERSION

    @property
    def cruelty(self) -> str | None:
        """How unforgiving the world is, from its dead ends (after Zarf's scale of interactive fiction)."""
        if self.dead_ends is None:
            return None
        for bound, word in ((0.0, "merciful"), (0.1, "polite"), (0.3, "tough"), (0.6, "nasty")):
            if self.dead_ends <= bound:
                return word
        return "cruel"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        data = asdict(self)
        data["parts"] = dict(self.parts)
        data["cruelty"] = self.cruelty
        return data
