"""What a family does in worlds built to try it: which slots are live, which edits decide, whether plans use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from sandbox.certify.worlds import Built, build, transcript
from sandbox.errors import CheckFailed, ConstraintError
from sandbox.generate.edits import choice_of, with_values
from sandbox.generate.templates import Slot
from sandbox.measure.authors.remark import Remark
from sandbox.measure.authors.source import Source
from sandbox.measure.authors.trial import Trial
from sandbox.measure.live import REFUSED, SlotEdit, measure, slot_edits
from sandbox.world.spec import Action

DEAD = "dead"
TOLD = ("information", "protocol", "form")
"""Kinds of slots that may change nothing but what is told."""
WEAK = 1 / 3
"""The share of worlds below which a live slot is called weak."""
FEW = 6
"""Worlds from which on a slot that is never live is called dead."""


@dataclass(slots=True)
class SlotFigures:
    """What the edits of one slot did: `worlds` that have it, those in which it was live, edits by effect.

    `values` maps each value to the edits from or to it that changed something, and all of them.
    """

    slot: Slot
    worlds: int = 0
    live: int = 0
    effects: Counter[str] = field(default_factory=Counter)
    values: dict[str, list[bool]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Plain JSON data."""
        values = {value: {"edits": len(seen), "live": sum(seen)} for value, seen in self.values.items()}
        return {
            "name": self.slot.full, "kind": self.slot.kind, "stage": self.slot.stage, "worlds": self.worlds,
            "live": self.live, "effects": dict(self.effects), "values": values,
        }  # fmt: skip


@dataclass(slots=True)
class Lively:
    """What was measured: worlds built, those whose plan uses the family, actions that plans take, and the slots."""

    slots: dict[str, SlotFigures]
    worlds: int = 0
    used: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    failed: dict[str, str] = field(default_factory=dict)
    """Demand that could not be met → the error of the first reference that met it."""


def measure_family(source: Source, trial: Trial, refs: Iterable[str], spent: Callable[[], bool]) -> Lively:
    """Build worlds and measure every one-slot edit of the family in them, until `spent` says that it is enough."""
    found = Lively({slot.full: SlotFigures(slot) for slot in source.template.slots})
    for ref in refs:
        if spent() or len(found.failed) > 2:
            break
        try:
            _measure_world(source, trial, ref, found)
        except ConstraintError as error:
            found.failed.setdefault(error.constraint, error.message)
        except CheckFailed as error:
            found.failed.setdefault(error.message, error.message)
    return found


def _measure_world(source: Source, trial: Trial, ref: str, found: Lively) -> None:
    built = build(ref, trial)
    found.worlds += 1
    found.used += source.template.name in built.certificate.families
    found.actions.update({name for name, _ in built.solved.intents} & set(source.actions))
    live: dict[str, bool] = {}
    for edit in slot_edits(built, trial, "rules"):
        figures = found.slots.get(edit.slot.full)
        if figures is None:
            continue
        effect = measure(built, trial, edit, certified=False).effect or REFUSED
        changes = effect != DEAD or (edit.slot.kind in TOLD and _told_differently(trial, built, edit))
        live[edit.slot.full] = live.get(edit.slot.full, False) or changes
        figures.effects[effect] += 1
        for value in (edit.old, edit.new):
            figures.values.setdefault(value, []).append(changes)
    for name, any_ in live.items():
        found.slots[name].worlds += 1
        found.slots[name].live += any_


def _told_differently(trial: Trial, built: Built, edit: SlotEdit) -> bool:
    """Whether a plan's play reads differently: a slot that changes what is told need change no state."""
    choice = choice_of(trial, built.world)
    edited = with_values(trial, built.world, choice, {edit.slot.full: edit.new})
    return transcript(edited, built.solved.intents) != transcript(built.world, built.solved.intents)


# --- what to say ----------------------------------------------------------------------------------
def check_lively(source: Source, found: Lively) -> Iterator[Remark]:
    """Dead and weak slots, values that never matter, a family that no plan uses, recipes that cannot be met."""
    file, seen = source.template.file, f"in {found.worlds} worlds"
    for demand, message in found.failed.items():
        family, named, _ = demand.partition("/")
        if found.worlds and named and family != source.template.name:
            continue  # another family's objects, whose author is told
        yield Remark(
            file, 1, "unbuilt", message.replace("of recipe 'trial", "of trial recipe '"), _mend(demand),
            problem=not found.worlds,
        )
    for figures in found.slots.values():
        yield from _slot(source, figures)
    if found.worlds >= FEW and not found.used and (source.actions or source.laws):
        yield Remark(
            file, source.aims[0][0] if source.aims else 1, "unused", f"no plan uses the family ({seen})",
            "give it a goal that needs its actions, or put something that plans need behind them", about="plans",
        )
    if found.worlds >= 2 * FEW:
        for name in sorted(set(source.actions) - set(found.actions)):
            yield Remark(
                file, source.line(Action, name), "unused", f"no plan takes action {name!r} ({seen})",
                "let a goal, or a need of something that plans do, ask for what it makes", problem=False, about=name,
            )


def _mend(demand: str) -> str:
    known = {
        "steps": "no goal has a plan of the asked length: give the family goals that take several deeds",
        "actions": "plans take too few different actions: let goals need more than one deed",
        "uses": "plans use too few families: let a goal need what this one makes",
        "a rules edit that matters": "no edit of a slot blocks the plan: see docs/authoring.md#what-makes-a-slot-live",
        "an unusual structure slot": "give it a slot of kind structure",
    }
    return known.get(demand, "place less, or demand less of what is placed")


def _slot(source: Source, figures: SlotFigures) -> Iterator[Remark]:
    slot, worlds, live = figures.slot, figures.worlds, figures.live
    file, line, short = source.template.file, source.slot_line(figures.slot), figures.slot.name
    if not worlds:
        return
    if not live:
        yield Remark(
            file, line, "slot", f"slot {short!r} changes nothing that can be reached (in {worlds} worlds)",
            _stage(slot, live=False), problem=worlds >= FEW, about=slot.full,
        )
        return
    if live < WEAK * worlds:
        yield Remark(
            file, line, "slot", f"slot {short!r} is live in {live} of {worlds} worlds only", _stage(slot, live=True),
            problem=False, about=slot.full,
        )
    if worlds >= FEW and slot.kind not in TOLD and set(figures.effects) <= {"neutral", DEAD}:
        yield Remark(
            file, line, "slot", f"slot {short!r} never decides a plan: its edits are neutral (in {worlds} worlds)",
            "put something that plans need behind it: a goal, or a need of an action that plans take"
            + ("" if slot.stage else "; give it a stage: objects between which its values differ"), problem=False,
        )
    for value, seen in figures.values.items():
        if len(seen) >= FEW and not any(seen):
            yield Remark(
                file, line, "value", f"value {value!r} of slot {short!r} never matters (in {len(seen)} edits)",
                "let it change what can be reached, or take it out", problem=False,
            )


def _stage(slot: Slot, *, live: bool) -> str:
    if not slot.stage:
        return (
            'give it a stage that makes it bite: choose(…, stage="two doors") and stage "two doors" place …: '
            "objects between which its values differ"
        )
    more = "more often" if live else "at all"
    return f"stage {slot.stage!r} does not make it bite {more}: place objects between which its values differ"
