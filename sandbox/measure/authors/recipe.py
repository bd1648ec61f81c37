"""A recipe: its names, pins and bands; its families together; its themes; and whether its worlds can be built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from sandbox.certify.worlds import build
from sandbox.errors import CheckFailed, ConstraintError, RecipeError, TemplateError, UsageError
from sandbox.generate.draw import CORE, assemble, choose, render_rules
from sandbox.generate.recipe import Recipe, load_recipe
from sandbox.measure.authors.remark import Remark, from_error, line_with
from sandbox.measure.authors.trial import Trial

LAYOUTS, WORLDS, FEW = 12, 12, 4


def check_recipe(trial: Trial, name: str, seeds: range, spent: Callable[[], bool]) -> list[Remark]:
    """All remarks on a recipe."""
    file, text = f"recipes/{name}.toml", trial.text("recipes", name)
    try:
        recipe = load_recipe(trial, name)
        choose(trial, name, recipe, "0", 0)
    except UsageError as error:
        return [from_error(error, "broken", file, _line_of(error, text))]
    together = [*_together(trial, recipe, file, text)]
    if together:
        return together
    found = [*_placed(trial, name, recipe, file, text), *_themes(trial, name, recipe, file, text)]
    if any(remark.problem for remark in found):
        return found
    return [*found, *_worlds(trial, name, recipe, (file, text), (seeds, spent))]


def _line_of(error: UsageError, text: str) -> int:
    """The line of the key or name that an error quotes."""
    quoted = [word for word in error.message.replace("'", '"').split('"')[1::2] if word]
    for word in quoted:
        if word in text:
            return line_with(text, word)
    key = error.message.split(": ")[1].split(" ")[0].split(".")[0] if error.message.count(": ") else ""
    return line_with(text, key) if key and isinstance(error, RecipeError) else 1


def _together(trial: Trial, recipe: Recipe, file: str, text: str) -> Iterator[Remark]:
    """Families that contradict each other: each pair of them could be in one world."""
    usual: dict[str, str] = {}
    for family in (CORE, *recipe.families):
        try:
            usual |= {slot.full: slot.values[0] for slot in trial.template("rules", family).slots}
            render_rules(trial, (family,) if family != CORE else (), usual)
        except TemplateError as error:
            yield Remark(file, line_with(text, f'"{family}"'), "broken", f"family {family!r}: {error.message}",
                         error.hint or "mend the family")
            return
    for number, family in enumerate(recipe.families):
        for other in recipe.families[:number]:
            try:
                render_rules(trial, (other, family), usual)
            except TemplateError as error:
                yield Remark(
                    file, line_with(text, f'"{family}"'), "clash",
                    f"families {other!r} and {family!r} contradict each other: {error.message}",
                    f"{error.hint}; or leave one of them out",
                )


def _placed(trial: Trial, name: str, recipe: Recipe, file: str, text: str) -> Iterator[Remark]:
    """Families whose objects do not fit into a world of this size."""
    drawn, failed = Counter[str](), Counter[str]()
    why: dict[str, ConstraintError] = {}
    for seed in range(LAYOUTS):
        choice = choose(trial, name, recipe, str(seed), 0)
        drawn.update(choice.families)
        try:
            assemble(trial, choice, {})
        except ConstraintError as error:
            family = error.constraint.partition("/")[0]
            failed[family] += 1
            why.setdefault(family, error)
    for family in recipe.families:
        if 2 * failed[family] > drawn[family]:
            yield Remark(
                file, line_with(text, "rooms "), "stage",
                f"{why[family].message} (in {failed[family]} of {drawn[family]} layouts with it)",
                f"ask for more than {recipe.rooms} rooms and {recipe.things} things, or leave {family!r} out",
                problem=failed[family] >= drawn[family],
            )


def _themes(trial: Trial, name: str, recipe: Recipe, file: str, text: str) -> Iterator[Remark]:
    """Themes with too few names for the size, with as many families as a world can have."""
    for theme in recipe.themes:
        alone = recipe.model_copy(update={"themes": (theme,), "draw": (recipe.draw[1], recipe.draw[1])})
        failed: list[ConstraintError] = []
        for seed in range(LAYOUTS):
            try:
                assemble(trial, choose(trial, name, alone, str(seed), 0), {})
            except ConstraintError as error:
                failed += [error] if error.constraint == "theme" else []
            except UsageError as error:
                yield from_error(error, "theme", file, line_with(text, f'"{theme}"'))
                return
        if failed:
            short = failed[0].message
            yield Remark(
                file, line_with(text, "themes"), "theme", f"{short} (in {len(failed)} of {LAYOUTS} layouts)",
                f"{failed[0].hint}, or fewer rooms and things in the recipe: sandbox worlds check {theme}.toml",
                problem=len(failed) == LAYOUTS,
            )


def _worlds(
    trial: Trial, name: str, recipe: Recipe, where: tuple[str, str], sample: tuple[range, Callable[[], bool]]
) -> Iterator[Remark]:
    """Worlds that cannot be built, and families that plans pass by."""
    (file, text), (seeds, spent) = where, sample
    failed, drawn, used = Counter[str](), Counter[str](), Counter[str]()
    worlds = 0
    for seed in seeds[:WORLDS]:
        if spent() or len(failed.keys()) > 1 or failed.total() > 2:
            break
        worlds += 1
        try:
            built = build(f"{name}/{seed}", trial)
        except (ConstraintError, CheckFailed) as error:
            failed[getattr(error, "constraint", error.message)] += 1
            continue
        drawn.update(built.world.rules.families[1:])
        used.update(built.certificate.families)
    for demand, count in failed.most_common():
        key = demand if demand in Recipe.model_fields else "families"
        yield Remark(
            file, line_with(text, f"{key} "), "unbuilt",
            f"{count} of {worlds} seeds cannot be built: most attempts fail on {demand}",
            _loosen(recipe, demand), problem=True,
        )
    for family in recipe.families:
        if drawn[family] >= FEW and not used[family]:
            yield Remark(
                file, line_with(text, f'"{family}"'), "unused",
                f"no plan uses family {family!r} (in {drawn[family]} worlds that have it)",
                f"see what is wrong with it: sandbox worlds check {family}.rules.j2", problem=False,
            )


def _loosen(recipe: Recipe, demand: str) -> str:
    low, high = recipe.steps
    known = {
        "steps": f"widen steps = [{low}, {high}], or give the families goals of that length",
        "actions": f"lower actions = {recipe.actions}", "uses": f"lower uses = {recipe.uses}, or draw more families",
        "dead_ends": f"raise dead_ends = {recipe.dead_ends}, or pin what cannot be undone",
        "an unusual structure slot": "list a family that has a slot of kind structure, and do not pin them all",
        "a rules edit that matters": "list a family whose slots decide plans: sandbox worlds check FAMILY.rules.j2",
        "theme": "add nouns to the themes, or ask for fewer rooms and things",
    }
    return known.get(demand, "more rooms or things, or other families: sandbox worlds check FAMILY.rules.j2")
