"""Mutants made mechanically: one for every node of every tree, and of every pattern of a grammar.

Three things must hold of each. The interpreters: the slow one on the mutated tree falls out with the compiled
one on the tree as it was, along the keyed walks by which they are compared, or exhaustive search shows that
the mutant is equivalent. The checker: it refuses the old certificate exactly if, by the compiled engine, the
old plan is no longer one. The proof: what the pruned search then says of the mutant is what search over
everything says.
"""

from __future__ import annotations

import functools

import pytest

from sandbox.certify.certificate import Certificate
from sandbox.certify.checker import check_plan, state_digest
from sandbox.certify.solve import Solved
from sandbox.generate.content import content
from sandbox.world.dynamics import Intent
from sandbox.world.engine import Engine, text_intent
from sandbox.world.slow import Player
from sandbox.world.world import World
from tests.outside.audit import Audit, Twin
from tests.outside.mutate import Mutant, Mutator, grammars
from tests.outside.pair import all_intents
from tests.outside.space import Space
from tests.outside.tally import Tally
from tests.outside.worlds import built, variant, with_rules

HERE = ("tiny/1", "tiny/4", "tiny/6", "tiny/2")
SWEPT = [f"tiny/mutant {number}" for number in range(50)]
ILL = (AssertionError, IndexError, KeyError, StopIteration, TypeError, ValueError)
"""What a tree that no parser would let through may do to the engine."""


@functools.cache
def mutants(ref: str) -> tuple[Mutant, ...]:
    """Every mutant of a world's rules, one for each node at least."""
    return tuple(Mutator(built(ref).world.rules).all())


def interpreters_kill(ref: str, most: int) -> None:
    """Every mutant is noticed along the walks, or is equivalent in every one of `most` states within reach."""
    one = built(ref)
    plan = tuple(text_intent(intent) for intent in one.certificate.intents)
    audit, twin = Audit(one.world, plan), Twin(one.world, one.certificate.steps, most)
    alive = [mutant for mutant in mutants(ref) if not audit.notices(mutant)]
    assert len(alive) < len(mutants(ref)) / 4, "too many mutants go unnoticed"
    for mutant in alive:
        difference = twin.differs(mutant.rules)
        assert difference is None, f"{ref}, {mutant}: nobody noticed {difference}"


def checker_decides(ref: str, every: int) -> None:
    """Of every so-manieth mutant, the checker and the proof say what the engine and a search over everything say."""
    one, wrong, tally = built(ref), [], Tally()
    direct = variant(one.world, {"grammar/protocol": "direct"})  # a mutant may act on what cannot be selected
    for mutant in mutants(ref)[::every]:
        world = with_rules(one.world, mutant.rules)
        with tally.case(*ILL):
            still = plan_holds(world, one.certificate)
            if (check_plan(world, one.certificate) is None) != still:
                wrong.append(f"{mutant}: the plan {'holds' if still else 'fails'}, and the checker thinks otherwise")
            elif still and not bound_agrees(with_rules(direct, mutant.rules)):
                wrong.append(f"{mutant}: the proof is wrong")
    assert not wrong, f"{ref}: {wrong}"
    tally.check(0.02)


def plan_holds(world: World, proof: Certificate) -> bool:
    """Whether the compiled engine accepts the plan, with the recorded facts after each command, the goal at its end."""
    engine = Engine(world)
    step, trace = engine.start(), []
    for command in proof.plan:
        if engine.solved(step.state):
            return False
        step = engine.step(step.state, command)
        if step.cause is not None:
            return False
        trace.append(state_digest(engine.dynamics.ground, step.state))
    return engine.solved(step.state) and tuple(trace) == proof.trace


def bound_agrees(world: World) -> bool:
    """Whether the pruned search finds the optimum that a search over everything finds."""
    result = Solved(world).result
    return not result.exact or result.steps == Space(world).shortest(30_000)


@pytest.mark.parametrize("ref", HERE)
def test_no_mutant_of_the_rules_survives_the_interpreters(ref: str) -> None:
    """What is wrong in any one node of a tree shows in some transition, or changes none."""
    interpreters_kill(ref, 1_000)


@pytest.mark.parametrize("ref", HERE[:3])
def test_the_checker_decides_on_every_mutant(ref: str) -> None:
    """A certificate passes on a mutated rule set if, and only if, it is true of it."""
    checker_decides(ref, 2)


@pytest.mark.parametrize("ref", HERE)
def test_no_mutant_of_a_grammar_survives(ref: str) -> None:
    """A pattern with a word dropped, changed, doubled or moved, or its arguments swapped, reads some text differently."""
    grammar_kills(built(ref).world)


@pytest.mark.parametrize("form", content().names("grammars"))
def test_no_mutant_of_any_form_survives(form: str) -> None:
    """The same for every form, one world spoken in all of them, under a protocol that leaves out and one that does not."""
    for protocol in ("implicit", "focus"):
        grammar_kills(variant(built("tiny/0").world, {"grammar/form": form, "grammar/protocol": protocol}))


def grammar_kills(world: World) -> None:
    """Every mutant of the grammar of a world reads some spelling otherwise than it is meant."""
    engine = Engine(world)
    said = spelled(engine)
    slow = Player(world.rules, world.layout, world.grammar, world.names, world.goal)
    assert all(read(engine, slow, intent, text) == intent for intent, text in said)
    alike = []
    for what, grammar in grammars(world.grammar):
        slow = Player(world.rules, world.layout, grammar, world.names, world.goal)
        touched = [(intent, text) for intent, text in said if intent[0] == what.partition(",")[0]]
        if all(read(engine, slow, intent, text) == intent for intent, text in touched):
            alike.append(what)
    assert not alike


def spelled(engine: Engine) -> list[tuple[Intent, str]]:
    """Every well-typed intent in every spelling of the world as it was."""
    kinds = {a.name: [set(engine.dynamics.ground.members(k)) for _, k in a.params] for a in engine.world.rules.actions}
    kinds |= {"select": [set(engine.dynamics.selected)], "confirm": []}
    patterns = dict(engine.speech.patterns())
    return [
        ((action, args), engine.speech.fill(pattern, args))
        for action, args in all_intents(engine.world)
        if all(arg in known for arg, known in zip(args, kinds[action], strict=True)) and len(set(args)) == len(args)
        for pattern in patterns[action]
    ]


def read(engine: Engine, slow: Player, intent: Intent, text: str) -> Intent | None:
    """What the slow interpreter reads in the spelling of an intent, its first thing selected if the world asks for that."""
    focused = intent[0] != "select" and engine.speech.needs_selection(intent[0])
    slow.selected = intent[1][0] if focused else None
    return slow.read(text)


@pytest.mark.sweep
@pytest.mark.parametrize("ref", SWEPT)
def test_no_mutant_of_fifty_trees_survives_the_interpreters(ref: str) -> None:
    """The same for fifty worlds, the equivalent ones compared in thousands of states."""
    interpreters_kill(ref, 5_000)


@pytest.mark.sweep
@pytest.mark.parametrize("ref", SWEPT)
def test_the_checker_decides_on_every_mutant_of_fifty_trees(ref: str) -> None:
    """The same for fifty worlds, and every mutant."""
    checker_decides(ref, 1)
