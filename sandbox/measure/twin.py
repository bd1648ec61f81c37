"""The common-sense twin: the same world with every slot of its rules at the usual value.

`surprises` are the live slots whose value is not the usual one; a world is `prior_solvable` when the twin's plan wins
in the real world, that is when common sense is enough. Aims: at least one surprise, at most 20 % prior-solvable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.certify.effects import replayed
from sandbox.certify.plans import carry_out
from sandbox.certify.solve import Solved
from sandbox.certify.worlds import Built
from sandbox.errors import ConstraintError, TemplateError
from sandbox.generate.content import Content
from sandbox.generate.edits import choice_of, usual_twin
from sandbox.measure.live import live_slots, unusual
from sandbox.world.bits import holds
from sandbox.world.dynamics import Intent


@dataclass(frozen=True, slots=True)
class Twin:
    """What common sense expects of a world. `steps` is the optimum of the twin, None when the twin has no plan.

    `wins` says whether the twin's plan reaches the goal in the real world (commands that are refused there do
    nothing), `some_wins` whether any of the twin's optimal plans does.
    """

    surprises: tuple[str, ...]
    steps: int | None
    wins: bool
    some_wins: bool

    @property
    def prior_solvable(self) -> bool:
        """Whether the plan of common sense is enough."""
        return self.wins


def common_sense(built: Built, library: Content, live: Mapping[str, bool] | None = None) -> Twin:
    """Compare a world with its common-sense twin. `live` are its live slots, where these are known already."""
    names = [slot.full for slot in unusual(choice_of(library, built.world))]
    known = live_slots(built, library, names) if live is None else live
    surprises = tuple(name for name in names if known.get(name, False))
    try:
        twin = Solved(usual_twin(library, built.world), like=built.solved)
    except (ConstraintError, TemplateError):
        return Twin(surprises, None, wins=False, some_wins=False)
    if not twin.solvable:
        return Twin(surprises, None, wins=False, some_wins=False)
    wins = _wins(built, twin.intents)
    shared = twin.dynamics.actions.keys() <= built.solved.dynamics.actions.keys()
    some = wins or (shared and replayed(twin, built.solved)[0])
    return Twin(surprises, twin.steps, wins=wins, some_wins=some)


def _wins(built: Built, plan: tuple[Intent, ...]) -> bool:
    """Whether a plan made elsewhere reaches the goal here at some point."""
    dynamics = built.solved.dynamics
    goal, state = dynamics.goal(built.world.goal), dynamics.start
    for intent in plan:
        if intent[0] in dynamics.actions:
            state = carry_out(dynamics, intent, state)[0]
        if all(holds(condition, state) for condition in goal):
            return True
    return False
