"""Worlds for tests: certified ones, built once in a session, and drawn ones that need no proof."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from sandbox.certify import Built, build
from sandbox.errors import ConstraintError
from sandbox.generate.content import Content, content
from sandbox.generate.draw import assemble, audible, choose
from sandbox.generate.edits import choice_of, with_values
from sandbox.generate.recipe import Recipe, load_recipe
from sandbox.generate.templates import Slot
from sandbox.world.keyed import Key
from sandbox.world.slow import Tree
from sandbox.world.spec import And, Atom, Call, Compare, Fact, Not, Rules, Var
from sandbox.world.world import World


@functools.cache
def built(ref: str) -> Built:
    """The certified world of a reference, built once in a session."""
    return build(ref)


@functools.cache
def drawn(recipe: str, seed: str) -> World:
    """A world of a recipe as it is drawn: its goal is some facts that nobody has proven to be within reach."""
    return undressed(content(), recipe, load_recipe(content(), recipe), seed)


def undressed(library: Content, name: str, recipe: Recipe, seed: str) -> World:
    """The first attempt of a seed whose layout and names can be drawn."""
    for attempt in range(50):
        try:
            return with_goal(assemble(library, choose(library, name, recipe, seed, attempt), {}))
        except ConstraintError:
            continue
    raise AssertionError(f"{name}/{seed}: no layout in 50 attempts")


def with_goal(world: World, count: int = 3) -> World:
    """The world with the first facts that its goal patterns name, whether they can be reached or not."""
    return world.with_(goal=tuple(islice(possible_goals(world), count)))


def possible_goals(world: World) -> Iterator[Fact]:
    """The facts that the goal patterns of a world name and that are false at the start, by the slow tree."""
    tree = Tree(world.rules, world.layout)
    start = tree.settle(tree.initial())
    for aim in world.rules.aims:
        formula = aim.formula.parts[0] if isinstance(aim.formula, And) else aim.formula
        want = not isinstance(formula, Not)
        literal = formula.part if isinstance(formula, Not) else formula
        for env in tree.bindings(aim.over):
            if isinstance(literal, Compare) and isinstance(literal.left, Call):
                name, args, value = literal.left.name, literal.left.args, tree.term(literal.right, env, start)
            else:
                assert isinstance(literal, Atom)
                name, args, value = literal.name, literal.args, True
            fact = Fact(name, tuple(env[arg.name] for arg in args if isinstance(arg, Var)), value, want)
            if not tree.holds(fact, start):
                yield fact


@functools.cache
def world_with(family: str, recipe: str = "tiny") -> World:
    """The first drawn world of a recipe that has a family of rules."""
    worlds = (drawn(recipe, f"with {family} {number}") for number in range(200))
    return next(world for world in worlds if family in world.rules.families)


def rules_slots() -> list[tuple[Slot, str]]:
    """Every slot of the rules with every value that it offers."""
    library = content()
    slots = [slot for family in library.names("rules") for slot in library.template("rules", family).slots]
    return [(slot, value) for slot in slots for value in slot.values]


def variant(world: World, values: Mapping[str, str]) -> World:
    """The world with slots changed, everything else taken over as data."""
    return with_values(content(), world, choice_of(content(), world), values)


def other_values(world: World, key: Key, axes: Iterable[str]) -> dict[str, str]:
    """A value drawn for every slot of some axes."""
    wanted, choice = set(axes), choice_of(content(), world)
    values = {s.full: key.child(s.full).best(s.values) for s in choice.slots if s.axis in wanted}
    told = audible(choice.recipe, {**world.slots, **values})
    return {name: told[name] for name in values}


def with_rules(world: World, rules: Rules) -> World:
    """The world with another tree in the place of its own, which no text need ever have been."""
    copy = world.with_()
    copy.__dict__["rules"] = rules
    return copy
