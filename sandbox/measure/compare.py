"""What differs between two worlds, and what kind of change that is.

The regime of a change: `same` (nothing differs), `cosmetic` (only the theme), `task` (layout or task, under the same
rule set), `environment` (the rule set: grammar, rules, observation or feedback).
"""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.certify.worlds import Built, edit_effect
from sandbox.world.world import AXES, PARTS, World


@dataclass(frozen=True, slots=True)
class SlotChange:
    """A slot with its value in either world, None where the world has no such slot."""

    name: str
    old: str | None
    new: str | None

    @property
    def axis(self) -> str:
        """The axis the slot belongs to."""
        return self.name.split("/")[0]


@dataclass(frozen=True, slots=True)
class Difference:
    """The parts that differ, the slots that differ, the regime, and the effect where it can be measured.

    The effect is None where the worlds are the same, or where layout or task differ: old plans mean nothing there.
    """

    axes: tuple[str, ...]
    slots: tuple[SlotChange, ...]
    regime: str
    effect: str | None


def compare(old: Built, new: Built) -> Difference:
    """The difference from one world to another."""
    axes = tuple(part for part in PARTS if old.world.parts[part] != new.world.parts[part])
    return Difference(axes, _slots(old.world, new.world), _regime(axes), _effect(old, new, axes))


def _slots(old: World, new: World) -> tuple[SlotChange, ...]:
    names = dict.fromkeys((*old.slots, *new.slots))
    return tuple(
        SlotChange(name, old.slots.get(name), new.slots.get(name))
        for name in names
        if old.slots.get(name) != new.slots.get(name)
    )


def _regime(axes: tuple[str, ...]) -> str:
    if not axes:
        return "same"
    if any(axis in axes for axis in AXES):
        return "environment"
    return "cosmetic" if axes == ("theme",) else "task"


def _effect(old: Built, new: Built, axes: tuple[str, ...]) -> str | None:
    if not axes or {"layout", "task"} & set(axes):
        return None
    axis = "rules" if "rules" in axes else axes[0]
    return edit_effect(old, new, axis)
