"""The audit: what did not build a world confirms it."""

from dataclasses import replace

from sandbox.certify import Built
from sandbox.certify.checker import player
from sandbox.measure.audit import _differing_facts, audit, disagreement
from sandbox.world.engine import Engine


def test_a_certified_world_holds(built: Built) -> None:
    """Its certificate is confirmed, and both interpreters agree on a long walk."""
    assert audit(built.world, built.certificate) is None
    assert disagreement(built.world, 150) is None


def test_a_plan_that_lost_a_command_is_caught(built: Built) -> None:
    """A certificate that claims one command less is refused, whichever command it leaves out."""
    proof = built.certificate
    for n in range(proof.steps):
        plan, trace = proof.plan[:n] + proof.plan[n + 1 :], proof.trace[:n] + proof.trace[n + 1 :]
        claimed = replace(proof, plan=plan, trace=trace, steps=proof.steps - 1, lower_bound=proof.steps - 1)
        assert audit(built.world, claimed) is not None


def test_another_worlds_certificate_is_caught(built: Built) -> None:
    """A certificate names its world by digest."""
    other = built.world.with_(goal=built.world.goal[:1] * 2)
    assert audit(other, built.certificate) == "the certificate belongs to another world"


def test_a_fact_that_only_one_interpreter_knows_is_named(built: Built) -> None:
    """When one of both has gone further, the first function that differs is named with both values."""
    engine, slow = Engine(built.world), player(built.world)
    state = engine.start().state
    assert _differing_facts(engine, state, slow) is None
    for command in built.certificate.plan:
        assert slow.command(command) is None
    why = _differing_facts(engine, state, slow)
    assert why is not None
    assert "in the slow interpreter" in why
    for command in built.certificate.plan:
        state = engine.step(state, command).state
    assert _differing_facts(engine, state, slow) is None
