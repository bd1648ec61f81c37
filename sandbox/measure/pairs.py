"""Pairs of slot values within an axis: which a recipe allows, which some worlds have, and a set that has all of them.

Most interactions need no more than two choices to meet, so a set of worlds with every pair says nearly as much as all
of them together (pairwise testing: Cohen, Dalal, Fredman and Patton, "The AETG System", IEEE Transactions on Software
Engineering 23, 1997, whose greedy construction is followed here).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from sandbox.certify.solve import Solved
from sandbox.certify.worlds import Built, build
from sandbox.errors import CheckFailed, ConstraintError, TemplateError
from sandbox.generate.content import Content
from sandbox.generate.draw import CORE, axis_slots, choose
from sandbox.generate.edits import alternatives, choice_of, with_values
from sandbox.generate.recipe import FAMILY, Recipe, load_recipe
from sandbox.generate.templates import Slot
from sandbox.world.world import AXES, World

Pair: TypeAlias = tuple[str, str]
"""Two texts `slot=value` of one axis, sorted."""
Pairs: TypeAlias = dict[str, frozenset[Pair]]


def pairs_of(slots: Mapping[str, str]) -> set[Pair]:
    """The pairs that a world has, by the values of its slots."""
    found: set[Pair] = set()
    for axis in AXES:
        mine = sorted(f"{name}={value}" for name, value in slots.items() if name.partition("/")[0] == axis)
        found |= set(combinations(mine, 2))
    return found


def allowed(library: Content, recipe: Recipe) -> Pairs:
    """Every pair that a world of a recipe may have, by axis.

    A value that is pinned away or excluded is in none, nor are the slots of a form together with another form.
    """
    found: Pairs = {}
    for axis, slots in _slots(library, recipe).items():
        texts = [(slot, f"{slot.full}={value}") for slot in slots for value in _values(slot, recipe)]
        found[axis] = frozenset(
            (min(a, b), max(a, b)) for (s, a), (t, b) in combinations(texts, 2) if s != t and _together(s, a, t, b)
        )
    return found


def _slots(library: Content, recipe: Recipe) -> dict[str, list[Slot]]:
    left = [f for f in recipe.families if f not in recipe.exclude.get(FAMILY, ())]
    found: dict[str, list[Slot]] = {axis: [] for axis in AXES}
    for slot in axis_slots(recipe):
        found[slot.axis].append(slot)
    for sort, names in (("rules", (CORE, *left)), ("grammars", recipe.forms), ("observations", recipe.observations),
                        ("feedback", recipe.voices)):  # fmt: skip
        for name in names:
            for slot in library.template(sort, name).slots:
                found[slot.axis].append(slot)
    return found


def _values(slot: Slot, recipe: Recipe) -> list[str]:
    pinned = recipe.pin.get(slot.full)
    return [v for v in slot.values if v not in recipe.exclude.get(slot.full, ()) and pinned in (None, v)]


def _together(a: Slot, a_text: str, b: Slot, b_text: str) -> bool:
    """Whether two values can be in one world: on the rules all can, elsewhere a template has no other beside it."""
    if a.axis == "rules":
        return True
    if a.template and b.template:
        return a.template == b.template
    for slot, text in ((a, b_text), (b, a_text)):
        name, _, value = text.partition("=")
        if slot.template and name in (f"{slot.axis}/form", f"{slot.axis}/voice") and value != slot.template:
            return False
    return True


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of the allowed pairs of an axis some world has, and which are left."""

    axis: str
    allowed: int
    left: tuple[Pair, ...]

    @property
    def covered(self) -> int:
        """The allowed pairs that some world has."""
        return self.allowed - len(self.left)


def coverage(wanted: Pairs, worlds: Iterable[Mapping[str, str]]) -> tuple[Coverage, ...]:
    """How far the slots of some worlds cover the pairs of each axis."""
    found: set[Pair] = set()
    for slots in worlds:
        found |= pairs_of(slots)
    return tuple(Coverage(axis, len(pairs), tuple(sorted(pairs - found))) for axis, pairs in wanted.items())


# --- a set that has all of them -------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Picked:
    """A world of a covering set, how many pairs it was the first to have, and how many are left behind it."""

    ref: str
    world: World
    new: int
    left: int


PATIENCE = 1_000
"""States explored for an edit before it is left out."""
AHEAD = 24
"""Seeds that are looked at, without building them, for each world."""


def cover(library: Content, recipe_name: str, most: int) -> Iterator[Picked]:
    """Worlds that together have every allowed pair, as far as `most` of them can; each has all that could be added.

    For each, the seed whose families promise the most is built; then one slot after another is edited to the value that
    adds the most, as long as the world stays certified.
    """
    recipe = load_recipe(library, recipe_name)
    left = {pair for pairs in allowed(library, recipe).values() for pair in pairs}
    seed, count, waiting = 0, 0, list[tuple[str, frozenset[str]]]()
    while left and count < most and seed < AHEAD * most:
        while len(waiting) < AHEAD:
            families = choose(library, recipe_name, recipe, str(seed), 0).families
            waiting.append((f"{recipe_name}/{seed}" if recipe_name != "default" else str(seed), frozenset(families)))
            seed += 1
        best = max(waiting, key=lambda one: _promise(one[1], left))
        waiting.remove(best)
        try:
            built = _filled(build(best[0], library), library, left)
        except (ConstraintError, CheckFailed):
            continue
        has = pairs_of(built.world.slots) & left
        if has:
            left -= has
            count += 1
            yield Picked(built.ref, built.world, len(has), len(left))


def _promise(families: frozenset[str], left: set[Pair]) -> int:
    """How many missing pairs of the rules a world with these families could have."""
    ours = families | {CORE}
    return sum(a.startswith("rules/") and a.split("/")[1] in ours and b.split("/")[1] in ours for a, b in left)


def _filled(built: Built, library: Content, left: set[Pair]) -> Built:
    """The world with its slots edited, one after the other, as long as that adds pairs and leaves it solvable.

    Edits of grammar, observation and feedback leave every plan as it is. Raises CheckFailed.
    """
    found = built
    for axes in (tuple(axis for axis in AXES if axis != "rules"), ("rules",)):
        refused: set[tuple[str, str]] = set()
        while (edit := _best(found.world, library, left, axes, refused)) is not None:
            edited = _edited(found, library, *edit, solve=axes == ("rules",))
            if edited is None:
                refused.add(edit)
            else:
                found = edited
    found = Built(found.ref, found.world, Solved(found.world, PATIENCE, like=built.solved))
    found.certificate  # noqa: B018 - proves and checks
    return found


def _best(
    world: World, library: Content, left: set[Pair], axes: tuple[str, ...], refused: set[tuple[str, str]]
) -> tuple[str, str] | None:
    """The edit of a slot of some axes that adds the most pairs, or None where none adds any."""
    choice, slots = choice_of(library, world), dict(world.slots)
    best, most = None, 0
    for axis in axes:
        mine = {name: value for name, value in slots.items() if name.partition("/")[0] == axis}
        now = len(pairs_of(mine) & left)
        for slot, value in alternatives(choice, axis):
            gain = len(pairs_of({**mine, slot.full: value}) & left) - now
            if gain > most and (slot.full, value) not in refused:
                best, most = (slot.full, value), gain
    return best


def _edited(built: Built, library: Content, name: str, value: str, *, solve: bool) -> Built | None:
    """The world with one slot edited, or None where it cannot be rendered, or its optimum is not proven soon."""
    try:
        world = with_values(library, built.world, choice_of(library, built.world), {name: value})
        solved = Solved(world, PATIENCE, like=built.solved) if solve else built.solved
        proven = not solve or solved.result.steps is not None
    except (ConstraintError, TemplateError):
        return None
    return Built(f"{built.ref}~{name}={value}", world, solved) if proven else None


__all__ = ["Coverage", "Pair", "Picked", "allowed", "cover", "coverage", "pairs_of"]
