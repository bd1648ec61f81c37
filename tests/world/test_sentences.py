"""What is told of the rules is made from the rules: change a node, and its sentence changes."""

from __future__ import annotations

import dataclasses
import functools

import pytest

from sandbox.generate.content import content
from sandbox.world import spec
from sandbox.world.dynamics import Dynamics
from sandbox.world.engine import Engine
from sandbox.world.english import English, article
from sandbox.world.lesson import noun
from sandbox.world.merge import merge
from sandbox.world.spec import Aim, And, Assign, Call, Compare, Effect, Need, Not, Rules, Var
from sandbox.world.syntax import parse
from sandbox.world.world import World
from tests.outside.mutate import Mutant, Mutator
from tests.outside.worlds import drawn, with_rules

SAID = ("action", "law")
"""Causes of refusals and the order of reach (`near`) are told by the replies, not by the rules page."""


@functools.cache
def mutants(world: World) -> tuple[Mutant, ...]:
    """The mutants of what the rules page tells: actions that do something, and laws."""
    asking = {action.name for action in world.rules.actions if action.inform}
    return tuple(
        mutant for mutant in Mutator(world.rules).all()
        if mutant.sort in SAID and mutant.name not in asking and "another cause" not in mutant.what
        and _untold(mutant.rules) == _untold(world.rules)
    )


def _untold(rules: Rules) -> list[tuple[int, Need]]:
    """The needs that where all is lost nothing can be done: no sentence repeats them for every action."""
    needs = [pair for action in rules.actions for pair in enumerate(action.needs)]
    return [(number, need) for number, need in needs if need.cause == spec.LOST]


def page(world: World, rules: Rules) -> list[str]:
    """Every action and law as a sentence."""
    english = English(rules, lambda kind: world.names.get(f"kind:{kind}", kind))
    said = [english.action(action, action.name) for action in rules.actions if not action.inform]
    return said + [english.law(law) for law in rules.laws]


def grounded(world: World, rules: Rules) -> list[object]:
    """The ground moves and laws of every room."""
    dynamics = Dynamics(rules, world.layout)
    return [(room.moves, room.steps, room.events) for room in dynamics.rooms.values()]


@pytest.mark.parametrize("number", range(10))
def test_a_mutated_rule_changes_its_sentence(number: int) -> None:
    """Any one node of an action or a law that is changed changes the rules page, or changes no transition."""
    world = drawn("default", f"sentences {number}")
    before = page(world, world.rules)
    for mutant in mutants(world):
        if page(world, mutant.rules) == before:
            assert grounded(world, mutant.rules) == grounded(world, world.rules), str(mutant)


@pytest.mark.parametrize("number", range(3))
def test_the_help_page_tells_the_same_sentences(number: int) -> None:
    """A hint on the help page, or on a card, is the sentence of its rule: mutate the rule, and the hint follows."""
    world = drawn("tiny", f"hints {number}")
    named = world.hints or tuple(name for _, told in world.cards for name in told.split(";"))
    world = world.with_(hints=named, cards=())
    before, changed = Engine(world).help_text, 0
    for mutant in mutants(world):
        if mutant.name in named and page(world, mutant.rules) != page(world, world.rules):
            assert Engine(with_rules(world, mutant.rules)).help_text != before, str(mutant)
            changed += 1
    assert changed > 5


@pytest.mark.parametrize("number", range(3))
def test_the_rules_page_holds_every_rule_that_can_be_met(number: int) -> None:
    """Every action and law of the drawn families has its line, under its family."""
    world = drawn("small", f"page {number}")
    text = Engine(world).rules_text()
    english = Engine(world).english
    for law in world.rules.laws:
        assert english.law(law) in text
    for family in {action.family for action in world.rules.actions if not action.inform}:
        assert f"{family}:" in text


COUNTS = 'counter oil(l: lamp) in 0 .. 3\ncounter sparks(l: lamp) in 0 .. 3\n'


def _said(when: str) -> str:
    """How a predicate over a lamp is told on the rules page."""
    core = content().template("rules", "core")
    text = f'kind lamp: thing called "lamp"\nfact lit(l: lamp) "lit"\nfact wet(l: lamp) "wet"\n{COUNTS}derive good(l: lamp) when {when}'
    rules = merge([(core.file, parse(core.render({}), core.file)), ("odd.rules.j2", parse(text, "odd.rules.j2"))])
    english = English(rules, lambda kind: kind)
    return next(english.derive(derive) for derive in rules.derives if derive.name == "good")


@pytest.mark.parametrize(("when", "said"), [
    ("lit(l) and (wet(l) or carried(l))", "The lamp is lit and either the lamp is wet or you hold the lamp."),
    ("wet(l) or (lit(l) and carried(l))", "The lamp is wet, or the lamp is lit and you hold the lamp."),
    ("any m: lamp where (wet(m) and (lit(m) or (carried(m) and lit(l))))",
     "A lamp is wet and either is lit, or you hold it and the lamp is lit."),
    ("any m: lamp where (lit(m) and any r: room where (in(l, r) and in(m, r)))",
     "A lamp is lit and the lamp is in a room and the lamp is in it."),
    ("any m: lamp where (m != l and lit(m))", "Another lamp is lit."),
    ("no m: lamp where (m != l and lit(m) and number(m) = number(l-1))",
     "No other lamp is lit and has the number before that of the lamp."),
    ("no m: lamp where (lit(m) and number(m) = 1)", "No lamp is lit and has number 1."),
    ("any m: lamp where (lit(m) and number(m) != number(l))", "A lamp is lit and does not have the same number as the lamp."),
    ("any m: lamp where m = l", "The lamp is a lamp."), ("no m: lamp where l = m", "The lamp is not a lamp."),
    ("no m: lamp where (lit(m) and wet(m)) or carried(l)", "No lamp is lit and is wet, or you hold the lamp."),
    ("any m: lamp where (lit(m) and (carried(m) or place(m) = here))", "A lamp is lit and either you hold it or it is where you are."),
    ("any m: lamp where ((wet(l) and lit(m)) or (lit(l) and wet(m)))", "The lamp is wet and a lamp is lit, or the lamp is lit and the lamp is wet."),
    ("any m: lamp where (wet(m) and place(m) = place(l))", "A lamp is wet and is where the lamp is."),
    ("any m: lamp where (wet(m) and not (lit(m) and carried(m)))", "A lamp is wet and either is not lit, or you do not hold it."),
    ("no m: lamp where not lit(m)", "Every lamp is lit."),
    ("no m: lamp where (m != l and not lit(m))", "Every other lamp is lit."),
    ("no m: lamp where not (lit(m) or wet(m))", "Every lamp either is lit, or is wet."),
    ("lit(l) and not wet(l) and carried(l)", "The lamp is lit and is not wet and you hold the lamp."),
    ("any m: lamp where (not lit(m) and weight(m) > weight(l))", "Another lamp is not lit and its weight is more than that of the lamp."),
    ("no m: lamp where (lit(m) and weight(m) <= weight(l))", "No lamp is lit and its weight is at most that of the lamp."),
    ("oil(l) > 0 and sparks(l) < 2", "The oil of the lamp is more than 0 and the sparks of the lamp are less than 2."),
    ("any m: lamp where (lit(m) and sparks(m) > sparks(l))", "Another lamp is lit and its sparks are more than those of the lamp."),
    ("at least 2 m: lamp where lit(m)", "At least 2 lamps are lit."), ("at most 1 m: lamp where lit(m)", "At most 1 lamp is lit."),
    ("at most 0 m: lamp where lit(m)", "No lamp is lit."), ("at least 2 m: lamp where carried(m)", "You hold at least 2 lamps."),
    ("at least 2 m: lamp where (lit(m) or carried(m))", "At least 2 lamps either are lit, or you hold them."),
    ("at most 2 m: lamp where (lit(m) and not wet(m))", "At most 2 lamps are lit and are not wet."),
    ("at least 2 m: lamp where (carried(m) and number(m) = number(l-1))",
     "You hold at least 2 lamps that have the number before that of the lamp."),
])  # fmt: skip
def test_choices_and_conditions_cannot_be_mistaken_for_each_other(when: str, said: str) -> None:
    """What is one of several begins with "either" among what must all hold, and stands behind commas if it is long."""
    assert _said(when) == f"The lamp is good when {said[0].lower()}{said[1:]}"


@pytest.mark.parametrize(("makes", "said"), [
    ("lit(m) for m: lamp", "Then every lamp is lit."),
    ("lit(m) for m: lamp where wet(l)", "Then every lamp is lit, if the lamp is wet."),
    ("lit(m) for m: lamp where wet(m)", "Then any lamp is lit, if that lamp is wet."),
    ("opened(b) for b: jar", "Then every jar is opened."),
    ("opened(b) for b: jar where not opened(b)", "Then a jar is opened, if the jar is not opened."),
])  # fmt: skip
def test_what_befalls_all_of_a_kind_is_told_of_every_one(makes: str, said: str) -> None:
    """A change without a condition on what it changes is told of all of them, not of one."""
    core = content().template("rules", "core")
    text = (
        'kind lamp: thing called "lamp"\nkind jar: thing called "jar"\nfact lit(l: lamp) "lit"\nfact wet(l: lamp) "wet"\n'
        f'fact opened(b: jar) "opened"\naction rub(l: lamp) "rub _"\n  needs near(l) else out_of_reach\n  makes {makes}'
    )
    rules = merge([(core.file, parse(core.render({}), core.file)), ("odd.rules.j2", parse(text, "odd.rules.j2"))])
    rub = next(action for action in rules.actions if action.name == "rub")
    assert English(rules, lambda kind: kind).action(rub, "rub LAMP").endswith(said)


def test_a_code_for_a_class_is_told_as_it_is_typed() -> None:
    """In a sentence a code stands in capitals, as in the command above it, and a noun does not."""
    names = {"kind:plot": "h", "kind:seed": "vq", "kind:lamp": "oil lamp"}
    assert [noun(names, kind) for kind in ("plot", "seed", "lamp", "jar")] == ["H", "VQ", "oil lamp", "jar"]


def test_who_goes_leaves_behind_what_was_there() -> None:
    """The changes of going come at once: what is told of the place is told of the one that is left."""
    world = drawn("default", "sentences 0")
    going = next(action for action in world.rules.actions if action.name == "go")
    shut = Effect(Assign(spec.PLACE, (Var("x"),), Call(spec.HERE, ())), (("x", "thing"),), spec.TRUE)
    english = English(world.rules, lambda kind: kind)
    said = english.action(dataclasses.replace(going, makes=(*going.makes, shut)), "go ROOM")
    assert "Then you are in the room" in said
    assert said.endswith("every thing lies where you were.")


def test_what_is_counted_in_the_plural_grows_in_the_plural() -> None:
    """The verb goes with the name of the count."""
    core = content().template("rules", "core")
    text = f'kind lamp: thing called "lamp"\n{COUNTS}each step burns for l: lamp makes oil(l) - 1, sparks(l) - 1, sparks(l) + 2'
    rules = merge([(core.file, parse(core.render({}), core.file)), ("odd.rules.j2", parse(text, "odd.rules.j2"))])
    said = English(rules, lambda kind: kind).law(next(law for law in rules.laws if law.name == "burns"))
    assert said == (
        "With every step, the oil of a lamp shrinks by 1; the sparks of a lamp shrink by 1; the sparks of a lamp grow by 2."
    )


def test_what_was_named_is_not_named_anew() -> None:
    """What a sentence tells of one thing twice is "the" thing the second time, in goals as in laws."""
    rules = drawn("tiny", "aims").rules
    english = English(rules, lambda kind: {"thing": "car", "fixture": "cart"}.get(kind, kind))
    car, cart, here = Var("x"), Var("y"), Call(spec.HERE, ())
    where = And((Compare("=", Call(spec.PLACE, (cart,)), here), Compare("=", Call(spec.PLACE, (car,)), here)))
    over = ("x", "thing"), ("y", "fixture")
    assert english.aim(Aim(And((where, Not(where))), over, "core")) == (
        "A goal can be that a cart is where you are and a car is where you are "
        "and either the cart is not where you are or the car is not where you are."
    )


@pytest.mark.parametrize(("name", "said"), [
    ("ewer", "a ewer"), ("eulox", "a eulox"), ("unit", "a unit"), ("urn", "an urn"), ("uranium rod", "a uranium rod"),
    ("utensil", "a utensil"), ("undercroft", "an undercroft"), ("uninvited guest", "an uninvited guest"), ("eel pie", "an eel pie"),
    ("hourglass", "an hourglass"), ("house key", "a house key"), ("one-way door", "a one-way door"), ("x41", "x41"),
    ("H", "an H"), ("U", "a U"), ("XB", "an XB"),
])  # fmt: skip
def test_an_article_goes_by_the_sound(name: str, said: str) -> None:
    """"A" stands before a consonant that is heard, whatever letter is written; a code has none."""
    assert article(name) == said
