"""How a world, its edits and its differences from another one are shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from sandbox.cli.context import Settings
from sandbox.cli.output import emit, say, table
from sandbox.world.world import PARTS

if TYPE_CHECKING:
    from sandbox.certify import Built, Certificate
    from sandbox.generate.templates import Slot
    from sandbox.measure.compare import Difference
    from sandbox.measure.live import Measured
    from sandbox.measure.load import Load
    from sandbox.measure.profile import Profile

_PLAIN: Final = re.compile(r"[\w@%+=:,./-][\w@%+=:,./~-]*", re.ASCII)


# --- to copy --------------------------------------------------------------------------------------
def to_copy(settings: Settings, *words: str) -> str:
    """A command line to copy, with the content folder of this one; a word that begins with - stands behind --."""
    usual = Settings()
    options = ["--content", str(settings.content)] if settings.content not in (None, usual.content) else []
    *front, last = words
    if last.startswith("-") and not front[-1].startswith("--"):
        front.append("--")
    return " ".join(quoted(word) for word in ("sandbox", *options, *front, last))


def quoted(word: str) -> str:
    """A word as a shell takes it; the ~ within a reference needs no quotes."""
    return word if _PLAIN.fullmatch(word) else shlex.quote(word)


# --- one world ------------------------------------------------------------------------------------
def record(found: Profile) -> dict[str, object]:
    """Everything about a world as JSON data: the evaluator's view, its plan included."""
    world = found.built.world
    return {
        "ref": found.built.ref,
        "digest": world.digest,
        "axes": {part: world.parts[part] for part in PARTS},
        "slots": dict(world.slots),
        "goal": world_goal(found.built),
        "certificate": found.certificate(),
        "title": world.theme.title,
        "premise": world.theme.premise,
        "recipe": world.origin.recipe,
        "seed": world.origin.seed,
        "attempt": world.origin.attempt,
        "families": list(world.rules.families[1:]),
        "rooms": len(world.layout.rooms),
        "objects": len(world.layout.objects),
        "slot_details": [_slot_record(found, slot) for slot in _slots(found)],
    }


def world_goal(built: Built) -> str:
    """The goal sentence in the world's own language."""
    from sandbox.world.engine import Engine

    return Engine(built.world).goal_text


def _slots(found: Profile) -> tuple[Slot, ...]:
    return () if found.choice is None else found.choice.slots


def _slot_record(found: Profile, slot: Slot) -> dict[str, object]:
    value = found.built.world.slots[slot.full]
    unusual = value != slot.values[0]
    surprising = found.twin is not None and slot.full in found.twin.surprises
    return {
        "name": slot.full,
        "value": value,
        "usual": slot.values[0],
        "unusual": unusual,
        "kind": slot.kind,
        "stage": slot.stage,
        "live": surprising if unusual and slot.axis == "rules" else None,
    }


def describe(settings: Settings, found: Profile, *, plan: bool) -> None:
    """Print everything about a world for a person; its plan only if asked."""
    from sandbox.world.engine import Engine
    from sandbox.world.lesson import samples

    world = found.built.world
    say(f"{found.built.ref} · {world.theme.title}", bold=True)
    say(world.theme.premise)
    say(world_goal(found.built))
    say()
    origin = f"recipe {world.origin.recipe}, seed {world.origin.seed}" if world.origin.recipe else "exported"
    say(f"{origin} · {len(world.layout.rooms)} rooms, {len(world.layout.objects)} objects · digest {world.digest}")
    told = ", ".join(f"{level} of the {axis}" for axis, level in world.told)
    say(f"families: {', '.join(world.rules.families[1:])} · told: {told}")
    say(f"spoken like this: {'   '.join(samples(Engine(world)))}")
    _describe_proof(found, plan=plan)
    _describe_slots(found)
    _describe_load(found)
    say()
    say("To copy:", bold=True)
    ref = found.built.ref
    for words in (
        ("play", "--world", ref, "--agent", "human"), ("worlds", "rules", ref), ("worlds", "edits", ref),
        ("worlds", "export", ref),
    ):  # fmt: skip
        say("  " + to_copy(settings, *words))


def _describe_proof(found: Profile, *, plan: bool) -> None:
    proof = found.built.certificate
    say()
    say("Proof", bold=True)
    say(f"  {_claim(proof)} ({proof.states} states explored, {proof.branching:.1f} moves in each)")
    say(f"  {proof.actions} distinct actions; uses {', '.join(proof.families)}")
    if proof.dead_ends is None:
        say("  dead ends near the plan: unknown, the world is too large to tell")
    else:
        say(f"  {proof.dead_ends:.0%} dead ends among {proof.sampled} states near the plan: {proof.cruelty}")
    if not plan:
        say("  the plan is not shown here: --plan shows it")
        return
    for number, command in enumerate(proof.plan, 1):
        say(f"  {number:>3}  {command}")


def _claim(proof: Certificate) -> str:
    if proof.tier == "exact":
        return f"{proof.steps} commands are enough, and no plan is shorter"
    return f"{proof.steps} commands are enough; no plan is shorter than {proof.lower_bound}"


def _describe_slots(found: Profile) -> None:
    say()
    if found.choice is None:
        say("Slots (the templates of this exported world are not here: kinds and usual values are unknown)", bold=True)
        for name, value in found.built.world.slots.items():
            say(f"  {name} = {value}")
        return
    say("Slots (* unusual, ! unusual and it makes a difference here)", bold=True)
    surprises = () if found.twin is None else found.twin.surprises
    rows = []
    for slot in found.choice.slots:
        value = found.choice.values[slot.full]
        unusual = value != slot.values[0]
        mark = "!" if slot.full in surprises else "*" if unusual else ""
        rows.append((mark, slot.full, value, slot.kind, slot.values[0] if unusual else ""))
    table(("", "slot", "value", "kind", "usual"), rows)


def _describe_load(found: Profile) -> None:
    say()
    say("Load", bold=True)
    for name, text in load_lines(found.load):
        say(f"  {name:<10} {text}")
    if found.twin is not None:
        say()
        verdict = "would solve it" if found.twin.prior_solvable else "would not solve it"
        say(f"Surprises: {len(found.twin.surprises)}. The plan of common sense, every rule as usual, {verdict}.")
    missing = found.shown.missing
    if not missing:
        say("Every word of the plan is shown before it is needed.")
    else:
        listed = ", ".join(f"{word!r} (command {number})" for number, word in missing)
        say(f"Not shown before they are needed: {listed}")


def load_lines(load: Load) -> Iterable[tuple[str, str]]:
    """Each part of the load with what it says."""
    yield "plan", f"{load.plan.steps} commands, {load.plan.deeds} without walking, {load.plan.actions} distinct actions"
    untold = "unknown" if load.knowledge is None else f"surprises that nothing tells: {load.knowledge}"
    yield "knowledge", untold
    yield "search", f"steps until everything needed can have been shown: {load.search}"
    yield "memory", f"most commands between a name on the screen and its use: {load.memory}"
    trap = "unknown, the world is too large to tell"
    if load.trap is not None:
        trap = f"the goal is lost in {load.trap:.0%} of the states a step or two off the plan"
    yield "trap", trap
    yield "interface", f"{load.interface:.0%} of the plan's forms are not on the help page"
    yield "noise", f"{load.noise:.0%} of the objects are not needed"


# --- edits ----------------------------------------------------------------------------------------
def list_edits(settings: Settings, built: Built, found: Iterable[Measured]) -> None:
    """Print edits as they are measured (as JSON) or as a table."""
    rows = []
    for one in found:
        if settings.json:
            emit(edit_record(built, one))
        else:
            change = "" if one.steps is None else f"{built.certificate.steps} → {one.steps}"
            matters = "yes" if one.matters else "" if one.why is None else f"refused: {one.why}"
            rows.append((quoted(one.edit.ref), one.effect, change, matters))
    if settings.json:
        return
    table(("reference", "effect", "optimum", "matters"), rows)
    say()
    say("Also: ~AXIS (its first edit that matters), ~AXIS.all, ~layout, ~task, ~theme; edits compose left to right.")
    say(to_copy(settings, "worlds", "diff", built.ref, f"{built.ref}~rules"))


def edit_record(built: Built, one: Measured) -> dict[str, object]:
    """A measured edit as JSON data."""
    slot = one.edit.slot
    return {
        "ref": one.edit.ref,
        "slot": slot.full,
        "axis": slot.axis,
        "kind": slot.kind,
        "from": one.edit.old,
        "to": one.edit.new,
        "effect": one.effect,
        "matters": one.matters,
        "steps": one.steps,
        "old_steps": built.certificate.steps,
        "ok": one.why is None,
        "why": one.why,
    }


# --- differences ----------------------------------------------------------------------------------
def show_difference(settings: Settings, old: Built, new: Built, found: Difference) -> None:
    """Print what differs between two worlds."""
    before, after = old.certificate.steps, new.certificate.steps
    if settings.json:
        emit({
            "axes": list(found.axes),
            "slots": [{"name": s.name, "axis": s.axis, "from": s.old, "to": s.new} for s in found.slots],
            "regime": found.regime,
            "effect": found.effect,
            "a": {"ref": old.ref, "digest": old.world.digest, "steps": before},
            "b": {"ref": new.ref, "digest": new.world.digest, "steps": after},
        })  # fmt: skip
        return
    effect = f", effect {found.effect}" if found.effect else ""
    say(f"{old.ref} → {new.ref}: {found.regime}{effect}", bold=True)
    if not found.axes:
        say("Nothing differs.")
        return
    say(f"changed: {', '.join(found.axes)}")
    rows = [(s.name, s.old or "-", s.new or "-") for s in found.slots]
    table(("", "from", "to"), [*rows, ("optimum", before, after)])
