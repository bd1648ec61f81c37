"""Everything about one world in one value: its slots, load and surprises, measured when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.certify.worlds import Built
from sandbox.errors import UsageError
from sandbox.generate.content import Content
from sandbox.generate.draw import Choice
from sandbox.generate.edits import choice_of
from sandbox.measure.load import Load, load, untold_slots
from sandbox.measure.shown import Shown, shown_before_used
from sandbox.measure.transcript import Transcript, transcribe
from sandbox.measure.twin import Twin, common_sense
from sandbox.world.engine import Engine


@dataclass(frozen=True, slots=True)
class Profile:
    """A built world with what is measured of it.

    `choice` and `twin` are None for an exported world whose templates are not at hand: what depends on other values
    of its slots cannot be known then.
    """

    built: Built
    choice: Choice | None
    played: Transcript
    load: Load
    twin: Twin | None
    shown: Shown

    @property
    def surprises(self) -> int | None:
        """The number of live slots with an unusual value."""
        return None if self.twin is None else len(self.twin.surprises)

    @property
    def prior_solvable(self) -> bool | None:
        """Whether the plan of the common-sense twin wins."""
        return None if self.twin is None else self.twin.prior_solvable

    def certificate(self) -> dict[str, object]:
        """The certificate as JSON data, with the measures beside the proof."""
        shown = [{"command": number, "word": word} for number, word in self.shown.missing]
        return {
            **self.built.certificate.to_dict(),
            "load": self.load.to_dict(),
            "surprises": self.surprises,
            "surprising": None if self.twin is None else list(self.twin.surprises),
            "prior_solvable": self.prior_solvable,
            "shown_before_used": self.shown.all,
            "not_shown": shown,
        }


def profile(
    built: Built, library: Content, live: Mapping[str, bool] | None = None, *, thorough: bool = True
) -> Profile:
    """Measure a world. Deterministic: equal worlds have equal profiles. `live` are its live slots, if known already.

    Without `thorough`, what takes long is left unknown: surprises, and the share of traps.
    """
    engine = Engine(built.world, dynamics=built.solved.dynamics)
    played = transcribe(engine, built.certificate.plan)
    choice, twin, untold = _expected(built, library, live) if thorough else (None, None, None)
    measured = load(built, engine, played, untold, thorough=thorough)
    return Profile(built, choice, played, measured, twin, shown_before_used(engine, played))


def _expected(
    built: Built, library: Content, known: Mapping[str, bool] | None
) -> tuple[Choice | None, Twin | None, int | None]:
    """The world's choice, its twin and how many surprises are not told."""
    try:
        choice = choice_of(library, built.world)
    except (UsageError, KeyError):  # templates that have changed or are not here
        return None, None, None
    twin = common_sense(built, library, known)
    live = tuple(slot for slot in choice.slots if slot.full in twin.surprises)
    return choice, twin, len(untold_slots(built.world, library, live))
