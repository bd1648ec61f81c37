"""A family: read, merged with the core and with every other family, laid out, built, edited and measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from sandbox.errors import ConstraintError, UsageError
from sandbox.generate.draw import CORE, Choice, choose
from sandbox.generate.recipe import Recipe, load_recipe
from sandbox.measure.authors.lively import Lively, check_lively, measure_family
from sandbox.measure.authors.meetings import check_meetings
from sandbox.measure.authors.reach import check_reach
from sandbox.measure.authors.remark import Remark, from_error
from sandbox.measure.authors.source import Source, load_source
from sandbox.measure.authors.trial import Trial, listing
from sandbox.measure.authors.wording import check_wording

LAYOUTS = 12
"""Layouts on which it is judged what can happen."""
BASE = "small"
"""The recipe whose size and speech the worlds of a trial have."""


def check_family(
    trial: Trial, name: str, seeds: range, spent: Callable[[], bool]
) -> tuple[list[Remark], Lively | None]:
    """All remarks on a family, and what was measured where that was possible."""
    try:
        source = load_source(trial, name)
    except UsageError as error:
        return [from_error(error, "broken", f"rules/{name}.rules.j2")], None
    if name == CORE:
        return [], None  # it is in every world, and is measured with every family
    remarks = [*check_wording(source), *check_meetings(source), *_recipes(source)]
    try:
        partners = partners_of(source)
        remarks += check_reach(source, trial, islice(_choices(source, trial, partners), LAYOUTS))
    except UsageError as error:
        return [*remarks, from_error(error, "broken", source.template.file)], None
    if any(remark.problem and remark.code in ("broken", "stage", "verb") for remark in remarks):
        return remarks, None
    found = measure_family(source, trial, _references(source, trial, partners, seeds), spent)
    told = {remark.about for remark in remarks if remark.about}
    return [*remarks, *(r for r in check_lively(source, found) if r.about not in told)], found


def _recipes(source: Source) -> Iterator[Remark]:
    """A family that no recipe lists is in no world."""
    name = source.template.name
    if not any(True for _ in listing(source.content, name)):
        yield Remark(
            source.template.file, 1, "recipe", "no recipe lists it: no world will have it",
            f'write a recipe, worlds/recipes/mine.toml, with families = ["{name}", …]', problem=False,
        )


def partners_of(source: Source) -> tuple[str, ...]:
    """The families that it may meet: those of the recipes that list it, then all others that go with it."""
    name, content = source.template.name, source.content
    met: dict[str, None] = {}
    for recipe in listing(content, name):
        met |= dict.fromkeys(load_recipe(content, recipe).families)
    others = [other for other in dict.fromkeys((*met, *content.names("rules"))) if other not in (name, CORE)]
    return tuple(filter(source.goes_with, others))


def _recipe(source: Source, partners: tuple[str, ...], number: int) -> Recipe:
    """The recipe of the Nth world of a trial: alone where that can be, else with one or two others, in turn."""
    base = load_recipe(source.content, BASE)
    count = 1 + number % 2
    picked = [partners[(2 * number + k) % len(partners)] for k in range(min(count, len(partners)))]
    families = (source.template.name, *dict.fromkeys(picked))
    plain = {key: values[:1] for key, values in base if isinstance(values, tuple)}
    return base.model_copy(update={
        **plain, "families": families, "draw": (len(families), len(families)), "steps": (3, 16), "actions": 2,
        "uses": 1, "dead_ends": 0.3,
    })  # fmt: skip


def _references(source: Source, trial: Trial, partners: tuple[str, ...], seeds: range) -> Iterator[str]:
    for seed in seeds:
        yield f"{trial.make(f'trial{seed}', _recipe(source, partners, seed))}/{seed}"


def _choices(source: Source, trial: Trial, partners: tuple[str, ...]) -> Iterator[Choice]:
    """Choices of families and slot values, as the worlds of a trial have them."""
    for seed in range(10 * LAYOUTS):
        recipe = _recipe(source, partners, seed)
        try:
            yield choose(trial, "trial", recipe, str(seed), 0)
        except ConstraintError:
            continue
