"""Edits of a world: the same data with one slot changed, or one part drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sandbox.errors import UnknownName, UsageError, WorldFileError
from sandbox.generate.content import Content
from sandbox.generate.draw import (
    CORE,
    Choice,
    answer,
    assemble,
    audible,
    draw_theme,
    is_mute,
    observe,
    render_rules,
    rendered,
    slots_of,
    speak,
    unmark,
    used_templates,
)
from sandbox.generate.recipe import Recipe, load_recipe
from sandbox.generate.templates import Slot
from sandbox.world.keyed import Key
from sandbox.world.syntax import Statement, differing
from sandbox.world.world import AXES, Origin, World


def choice_of(content: Content, world: World) -> Choice:
    """The choice that a world came from, read back from its data.

    Raises UsageError when the templates have changed since an exported world was made.
    """
    recipe = load_recipe(content, world.origin.recipe)
    families = world.rules.families[1:]
    try:
        slots = slots_of(content, recipe, families, world.slots)
    except KeyError as error:
        raise WorldFileError(f"the world lacks a value for slot {error}", "export it again") from None
    stale = [
        file for file, digest in used_templates(content, families, world.slots)
        if dict(world.templates).get(file) != digest
    ]
    if stale:
        raise UsageError(
            f"the template {stale[0]} is not the one this world was made from", "edits need the same templates"
        )
    return Choice(world.origin.recipe, recipe, world.origin.seed, world.origin.attempt, families, slots, world.slots)


def slot_of(choice: Choice, name: str) -> Slot:
    """The slot of a name in this world. Raises UnknownName with the nearest."""
    known = {slot.full: slot for slot in choice.slots}
    if name not in known:
        raise UnknownName("slot of this world", name, known)
    return known[name]


def with_value(content: Content, world: World, name: str, value: str) -> World:
    """The world with one slot changed; layout, start, goal and names are taken over as they are."""
    choice = choice_of(content, world)
    slot = slot_of(choice, name)
    if value not in slot.values:
        raise UnknownName(f"value of {name}", value, slot.values)
    return with_values(content, world, choice, {name: value})


def with_values(content: Content, world: World, choice: Choice, changed: Mapping[str, str]) -> World:
    """The world with slots changed."""
    values = {**world.slots, **changed}
    slots = slots_of(content, choice.recipe, choice.families, values)
    values = {slot.full: values.get(slot.full, slot.values[0]) for slot in slots}
    if is_mute(choice.recipe, values) and any(name.startswith("feedback/") for name in changed):
        raise UsageError("neither success nor failure would be told", "that needs a recipe with: mute = true")
    axes = {name.split("/")[0] for name in changed}
    changes: dict[str, object] = {
        "slot_values": tuple((slot.full, values[slot.full]) for slot in slots),
        "templates": used_templates(content, choice.families, values),
    }
    rules = world.rules
    if "rules" in axes:
        changes["sources"], rules = render_rules(content, choice.families, values)
    if "rules" in axes or "grammar" in axes:
        changes["grammar"] = speak(content, rules, values, choice.key)
    if "observation" in axes:
        changes["observation"] = observe(content, values, world.layout.rooms, choice.key.child("distractors"))
    if "feedback" in axes:
        changes["feedback"] = answer(content, values)
    return world.with_(**changes)


def rewritten(content: Content, world: World, choice: Choice, slot: Slot, value: str) -> tuple[Statement, ...]:
    """The statements that an edit of one slot of the rules takes away or adds."""
    template = content.template("rules", slot.template)
    values = {one.name: choice.values[one.full] for one in template.slots} | {slot.name: value}
    old, new = dict(world.sources)[template.file], rendered(template, tuple(values.items()), choice.families)
    return differing(old, unmark(new), template.file)


def alternatives(choice: Choice, axis: str) -> Iterator[tuple[Slot, str]]:
    """Every one-slot edit of an axis, in slot order, the values in the order of their list.

    Values that the recipe pins away or excludes are left out, as they are never drawn.
    """
    for slot in choice.slots:
        if slot.axis != axis or slot.full in choice.recipe.pin:
            continue
        for value in slot.values:
            if value == choice.values[slot.full] or value in choice.recipe.exclude.get(slot.full, ()):
                continue
            if not is_mute(choice.recipe, {**choice.values, slot.full: value}):
                yield slot, value


def redraw_axis(content: Content, world: World) -> dict[str, dict[str, str]]:
    """For each axis, its slots drawn anew (every slot takes its second-best value)."""
    choice = choice_of(content, world)
    drawn: dict[str, dict[str, str]] = {axis: {} for axis in AXES}
    for slot in choice.slots:
        left = [v for v in slot.values if v not in choice.recipe.exclude.get(slot.full, ())]
        if slot.full in choice.recipe.pin or len(left) < 2:
            continue
        key: Key = choice.key.child(slot.axis, slot.template, slot.name, "all")
        drawn[slot.axis][slot.full] = key.best(left)
    told = audible(choice.recipe, {**choice.values, **drawn["feedback"]})
    drawn["feedback"] = {name: told[name] for name in drawn["feedback"]}
    return drawn


def redrawn_names(content: Content, world: World, number: int) -> World:
    """The world under other nouns of the same prior class (the Nth time)."""
    choice = choice_of(content, world)
    draws = dict(world.origin.draws)
    draws["theme"] = draws.get("theme", 0) + number
    theme = draw_theme(content, choice, world.rules, world.layout, draws["theme"])
    return world.with_(theme=theme, origin=_origin(world, draws))


def redrawn_layout(content: Content, world: World, number: int, attempt: int) -> World:
    """The same rule set on another map with other objects; its goal is still empty."""
    choice = choice_of(content, world)
    draws = dict(world.origin.draws)
    draws["layout"] = draws.get("layout", 0) + number * 1000 + attempt
    fresh = assemble(content, choice, draws)
    return fresh.with_(
        sources=world.sources, grammar=world.grammar, observation=world.observation, feedback=world.feedback,
        slot_values=world.slot_values, templates=world.templates,
    )


def _origin(world: World, draws: Mapping[str, int]) -> Origin:
    return replace(world.origin, draws=tuple(sorted(draws.items())))


def usual_twin(content: Content, world: World) -> World:
    """The common-sense twin: the same world with every slot of its rules at the usual value."""
    choice = choice_of(content, world)
    usual = {slot.full: slot.values[0] for slot in choice.slots if slot.axis == "rules"}
    return with_values(content, world, choice, usual)


__all__ = ["CORE", "Recipe", "alternatives", "choice_of", "redraw_axis", "usual_twin", "with_value"]
