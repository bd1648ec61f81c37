"""The independent checker: it confirms every certificate, and refuses one that was tampered with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sandbox.certify import Certificate, check
from sandbox.certify.checker import check_plan, facts_digest, player
from sandbox.world.engine import Engine
from sandbox.world.world import World
from tests.outside.pair import commands
from tests.outside.worlds import built

SAMPLE = (
    *(f"tiny/{n}" for n in range(12)), *(f"small/{n}" for n in range(4)), "nonce/0", "nonce/1", "default/0",
    "tiny/1~rules", "tiny/2~grammar", "tiny/3~layout", "tiny/4~task", "tiny/5~theme", "tiny/6~rules~observation",
)  # fmt: skip


@pytest.mark.parametrize("ref", SAMPLE)
def test_every_certificate_holds(ref: str) -> None:
    """The slow interpreter confirms the plan, and so does the engine that players meet."""
    one = built(ref)
    assert check(one.world, one.certificate) is None
    engine = Engine(one.world)
    state = engine.start().state
    done: list[str] = []
    for number, command in enumerate(one.certificate.plan, 1):
        step = engine.step(state, command)
        assert step.cause is None
        assert step.intent is not None
        assert step.done == (number == one.certificate.steps)
        done += [] if step.intent.startswith(("select(", "ask(")) else [step.intent]
        state = step.state
    assert tuple(done) == one.certificate.intents


def test_a_certificate_belongs_to_one_world() -> None:
    """The certificate of another world is refused, whatever its plan would do."""
    one, other = built("tiny/0"), built("tiny/1")
    assert check(one.world, other.certificate) == "the certificate belongs to another world"
    assert check(one.world, replace(one.certificate, parts=other.certificate.parts)) is not None


def tampered_plans(world: World, plan: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Plans with one command dropped, doubled, exchanged with the next one, or replaced."""
    others = commands(world)
    for i, command in enumerate(plan):
        yield f"{command!r} dropped", plan[:i] + plan[i + 1:]
        yield f"{command!r} doubled", plan[: i + 1] + plan[i:]
        if plan[i + 1: i + 2] not in ((), (command,)):
            yield f"{command!r} after the next one", (*plan[:i], plan[i + 1], command, *plan[i + 2:])
        for text in ("", "nonsense", *others[i:: 1 + len(others) // 12]):
            if text != command:
                yield f"{text!r} for {command!r}", (*plan[:i], text, *plan[i + 1:])


@pytest.mark.parametrize("ref", SAMPLE[::2])
def test_a_tampered_plan_is_refused(ref: str) -> None:
    """No plan with a command dropped, doubled, moved or replaced passes under the recorded trace, whatever its length claims."""
    one = built(ref)
    certificate = one.certificate
    for what, plan in tampered_plans(one.world, certificate.plan):
        bent = replace(certificate, plan=plan)
        assert check(one.world, bent) is not None, what
        fitted = replace(bent, steps=len(plan), lower_bound=len(plan))
        assert check(one.world, fitted) is not None, what


@pytest.mark.parametrize("ref", SAMPLE[::4])
def test_a_tampered_plan_with_a_fitting_trace_is_no_proof(ref: str) -> None:
    """With a trace of its own, a changed plan passes only if it is a plan: accepted throughout, the goal at its end."""
    one = built(ref)
    certificate = one.certificate
    for what, plan in tampered_plans(one.world, certificate.plan):
        bent = replace(certificate, plan=plan, steps=len(plan), lower_bound=len(plan), trace=trace(one.world, plan))
        if check_plan(one.world, bent) is None:
            assert really_solves(one.world, plan), what
            assert len(plan) >= certificate.steps, f"{what}: shorter than what was proven least"


def trace(world: World, plan: tuple[str, ...]) -> tuple[str, ...]:
    """The digests of the facts after each command, whether it is accepted or not."""
    slow, found = player(world), []
    for command in plan:
        slow.command(command)
        found.append(facts_digest(slow.tree, slow.facts))
    return tuple(found)


def really_solves(world: World, plan: tuple[str, ...]) -> bool:
    """Whether the engine accepts every command and ends the episode at the last one."""
    engine = Engine(world)
    step = engine.start()
    for command in plan:
        if step.done:
            return False
        step = engine.step(step.state, command)
        if step.cause is not None:
            return False
    return step.done


def bent_claims(proof: Certificate) -> Iterator[tuple[str, Certificate]]:
    """Certificates with one claim changed."""
    n, tail = proof.steps, proof.trace[1:]
    yield "steps one more", replace(proof, steps=n + 1)
    yield "steps one less", replace(proof, steps=n - 1)
    yield "steps and bound one less", replace(proof, steps=n - 1, lower_bound=n - 1)
    yield "bound above the steps", replace(proof, lower_bound=n + 1)
    yield "exact without a bound", replace(proof, lower_bound=n - 1)
    yield "witness with a tight bound", replace(proof, tier="witness")
    yield "an unknown tier", replace(proof, tier="certain")
    yield "an empty plan", replace(proof, plan=(), steps=0, lower_bound=0)
    yield "a trace too short", replace(proof, trace=proof.trace[:-1])
    yield "no trace", replace(proof, trace=())
    yield "a trace too long", replace(proof, trace=(*proof.trace, proof.trace[-1]))
    yield "another digest in the trace", replace(proof, trace=("0" * 16, *tail))
    yield "another first intent", replace(proof, intents=("wait()", *proof.intents[1:]))
    yield "intents too few", replace(proof, intents=proof.intents[:-1])


@pytest.mark.parametrize("ref", SAMPLE[:6])
def test_a_bent_claim_is_refused(ref: str) -> None:
    """Steps, bounds, tier, trace and intents must fit the plan and one another; the refusal says what does not."""
    one = built(ref)
    for what, proof in bent_claims(one.certificate):
        why = check(one.world, proof)
        assert why, what
