"""Which slots of a world are live, and what each of its one-slot edits does.

A slot is *live* when some other value of it makes something reachable differ: an edit whose effect is not `dead`
(`sandbox.certify.effects`). An edit *matters*, on the rules, when it is a barrier, a shortcut or a trap; on the other
axes, when the text of the optimal plan's transcript changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sandbox.certify.effects import MATTERS, Walk, differs
from sandbox.certify.worlds import Built, edit_effect
from sandbox.errors import CheckFailed, ConstraintError, TemplateError, UnknownName
from sandbox.generate.content import Content
from sandbox.generate.draw import Choice
from sandbox.generate.edits import alternatives, choice_of, with_values
from sandbox.generate.templates import Slot
from sandbox.world.dynamics import Dynamics
from sandbox.world.world import AXES

REFUSED = "unsolvable"


@dataclass(frozen=True, slots=True)
class SlotEdit:
    """A world that differs from a built one in one slot value, not yet measured."""

    ref: str
    slot: Slot
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Measured:
    """An edit with its effect, its optimum in commands, whether it matters, and why it is refused (else None).

    A refused edit has no optimum; its effect is `unsolvable`, or None when it could not be rendered or certified.
    """

    edit: SlotEdit
    effect: str | None
    steps: int | None
    matters: bool
    why: str | None = None


def slot_edits(built: Built, library: Content, axis: str | None = None) -> tuple[SlotEdit, ...]:
    """Every one-slot edit of a world, or of one axis, in slot order. Raises UnknownName for an axis that is none."""
    if axis is not None and axis not in AXES:
        raise UnknownName("axis", axis, AXES)
    choice = choice_of(library, built.world)
    return tuple(
        SlotEdit(f"{built.ref}~{slot.full}={value}", slot, choice.values[slot.full], value)
        for name in AXES
        if axis in (None, name)
        for slot, value in alternatives(choice, name)
    )


def measure(built: Built, library: Content, edit: SlotEdit, *, certified: bool = True) -> Measured:
    """The measured effect of an edit; with `certified`, its certificate is made and checked too."""
    try:
        choice = choice_of(library, built.world)
        world = with_values(library, built.world, choice, {edit.slot.full: edit.new})
        new = Built(edit.ref, world, built.solved.under(world))
        effect = edit_effect(built, new, edit.slot.axis)
        if effect == REFUSED or not new.solved.solvable:
            return Measured(edit, REFUSED, None, matters=False, why="no plan is left")
        steps = new.certificate.steps if certified else new.solved.steps
    except (ConstraintError, TemplateError, CheckFailed) as error:
        return Measured(edit, None, None, matters=False, why=error.message)
    matters = effect in MATTERS if edit.slot.axis == "rules" else effect != "dead"
    return Measured(edit, effect, steps, matters)


def unusual(choice: Choice) -> tuple[Slot, ...]:
    """The slots of the rules whose value is not the usual one."""
    return tuple(slot for slot in choice.unusual() if slot.axis == "rules")


def live_slots(built: Built, library: Content, names: Iterable[str] | None = None) -> dict[str, bool]:
    """Each slot of the rules that has another value to take, and whether it is live; or only the slots of `names`.

    One walk through the world's states serves all comparisons.
    """
    wanted = None if names is None else set(names)
    choice = choice_of(library, built.world)
    walk = Walk(built.solved.dynamics, built.solved.intents)
    found = dict.fromkeys(wanted or (), False)
    for slot, value in alternatives(choice, "rules"):
        if wanted is not None and slot.full not in wanted:
            continue
        found[slot.full] = found.get(slot.full, False) or _bites(built, library, choice, {slot.full: value}, walk)
    return found


def _bites(built: Built, library: Content, choice: Choice, changed: Mapping[str, str], walk: Walk) -> bool:
    """Whether the world with some slots changed can be rendered and has something reachable that differs."""
    try:
        world = with_values(library, built.world, choice, changed)
        dynamics = Dynamics(world.rules, world.layout, built.solved.dynamics)
    except (ConstraintError, TemplateError):
        return False
    return differs(built.solved.dynamics, dynamics, built.solved.intents, walk)
