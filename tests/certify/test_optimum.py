"""The certified number of steps is the least one: two searches that share no line with ours say the same."""

from __future__ import annotations

import pytest

from sandbox.certify.solve import Solved
from sandbox.generate.content import content
from sandbox.generate.edits import alternatives, choice_of
from sandbox.world.keyed import Key
from sandbox.world.spec import CARRIED, PLACE, Fact
from sandbox.world.world import World
from tests.outside.answer_sets import Outside
from tests.outside.space import Space, slow_shortest
from tests.outside.tally import Tally
from tests.outside.worlds import built, drawn, other_values, variant

LIMIT = 60_000


def agrees(world: World) -> bool:
    """Whether the pruned search proves what breadth-first search over everything finds.

    Raises TooLarge where that is too much.
    """
    return proven(world) == Space(world).shortest(LIMIT)


def proven(world: World) -> int | None:
    """The optimum that the pruned search claims to have proven; None that there is no plan."""
    result = Solved(world).result
    assert result.exact, "given up"
    return result.steps


@pytest.mark.parametrize("number", range(40))
def test_exhaustive_search_agrees(number: int) -> None:
    """Breadth-first search over all commands, nothing pruned, finds a plan as long as the certificate says."""
    one = built(f"tiny/{number}")
    assert one.certificate.tier == "exact"
    assert Space(one.world).shortest() == one.certificate.steps


@pytest.mark.parametrize("number", range(3))
def test_the_slow_interpreter_agrees_by_itself(number: int) -> None:
    """The same with nothing but the tree and its interpreter, in worlds with short plans."""
    ones = (built(f"tiny/{n}") for n in range(40))
    one = [one for one in ones if one.certificate.steps <= 6][number]
    assert slow_shortest(one.world, one.certificate.steps) == one.certificate.steps


@pytest.mark.parametrize(("recipe", "numbers", "share"), [
    ("tiny", range(40, 47), 0.5), ("tiny", range(47, 54), 0.5), ("small", range(6), 0.7),
])  # fmt: skip
def test_an_answer_set_solver_agrees(recipe: str, numbers: range, share: float) -> None:
    """Clingo finds a plan of the certified length and proves that there is no shorter one."""
    tally = Tally()
    for number in numbers:
        one = built(f"{recipe}/{number}")
        assert one.certificate.tier == "exact", one.ref
        with tally.case():
            outside = Outside(one.world, one.certificate.steps)
            assert outside.solvable_within(one.certificate.steps), one.ref
            assert not outside.solvable_within(one.certificate.steps - 1), one.ref
    tally.check(share)


@pytest.mark.parametrize("number", range(8))
def test_the_proof_holds_for_every_edit_of_the_rules(number: int) -> None:
    """Whatever one slot is set to, the search finds the least number of steps, or that there is no plan."""
    world = built(f"tiny/{number}").world
    tally = Tally()
    for slot, value in alternatives(choice_of(content(), world), "rules"):
        with tally.case():
            assert agrees(variant(world, {slot.full: value})), f"~{slot.full}={value}"
    tally.check(0.2)


@pytest.mark.parametrize("number", range(8, 20))
def test_the_proof_holds_for_slots_drawn_together(number: int) -> None:
    """The same with all slots of rules and grammar drawn anew under an old layout and goal, which nobody made to fit."""
    world = built(f"tiny/{number}").world
    tally = Tally()
    for draw in range(3):
        other = variant(world, other_values(world, Key("optimum", number, draw), ("rules", "grammar")))
        with tally.case():
            assert agrees(other), other.slots
    tally.check(0.35)


@pytest.mark.parametrize("ticks", ["always", "when_you_are_there", "when_you_are_away"])
def test_the_proof_holds_where_time_has_to_pass(ticks: str) -> None:
    """Where things grow by their own clock, a shortest plan may have to wait, and the search knows it."""
    worlds = [world for n in range(36, 86) if "growth" in (world := drawn("tiny", f"g{n}")).rules.families]
    tally = Tally()
    for world in worlds:
        goal = (Fact(PLACE, ("fruit1",), CARRIED),)
        slots = {"rules/growth/ticks": ticks, "grammar/protocol": "direct"}
        with tally.case():
            assert agrees(variant(world, slots).with_(goal=goal)), world.origin
    tally.check(0.7)


@pytest.mark.sweep
@pytest.mark.parametrize("hundred", range(10))
def test_exhaustive_search_agrees_on_a_thousand_worlds(hundred: int) -> None:
    """Tiny worlds 0 to 999."""
    for number in range(100 * hundred, 100 * hundred + 100):
        one = built.__wrapped__(f"tiny/{number}")
        if one.certificate.tier == "exact":
            assert Space(one.world).shortest() == one.certificate.steps, one.ref


@pytest.mark.sweep
@pytest.mark.parametrize("ten", range(30))
def test_an_answer_set_solver_agrees_on_three_hundred_worlds(ten: int) -> None:
    """Half of them tiny, half small or nonce."""
    recipes = ("tiny", "small", "tiny", "nonce")
    tally = Tally()
    for number in range(10 * ten, 10 * ten + 10):
        one = built.__wrapped__(f"{recipes[number % 4]}/clingo {number}")
        with tally.case():
            outside = Outside(one.world, one.certificate.steps)
            assert outside.solvable_within(one.certificate.steps), one.ref
            if one.certificate.tier == "exact":
                assert not outside.solvable_within(one.certificate.steps - 1), one.ref
    tally.check(0.8)
