"""What an operator needs is told from its tries: the fewest reasons that explain its refusals, refuted by successes."""

from __future__ import annotations

from sandbox.agent.belief import Snapshot
from sandbox.agent.context import Feature
from sandbox.agent.interface import Pattern
from sandbox.agent.operators import Operator
from sandbox.agent.rules import Rules

LAMP: Feature = ("near", "lamp", "lit")
BENCH: Feature = ("near", "bench")
EMPTY: Feature = ("empty",)


def rules_of(*tries: tuple[bool, set[Feature]]) -> tuple[Rules, Operator]:
    """Rules with one operator that was tried on a cup, each time with some features around; True where it worked."""
    rules = Rules()
    op = rules.operators["shut {0}"] = Operator("shut {0}", Pattern("shut {0}", ("thing",)), ("thing",))
    rules.changing |= {"lit"}
    for worked, around in tries:
        before = Snapshot("hall", {"cup": "hall"}, {"cup": frozenset()})
        after = Snapshot("hall", {"cup": "hall"}, {"cup": frozenset({"shut"})}) if worked else before
        outcome, why = ("changed", "accepted") if worked else ("refused", "state")
        rules.record(
            op, ("cup",), before, after, outcome=outcome, why=why, named=None, spots=("here",), stamp=0,
            context=frozenset(around),
        )  # fmt: skip
    return rules, op


def test_what_every_success_had_and_a_failure_lacked_is_needed() -> None:
    """A lamp that was lit in every success, and not in the failure, is what it needs."""
    rules, op = rules_of((False, {BENCH}), (True, {BENCH, LAMP}))
    assert rules.needs(op).around == {(LAMP, True)}


def test_what_only_failures_had_must_not_be() -> None:
    """A lamp that was lit in the failure only is what hinders."""
    rules, op = rules_of((False, {BENCH, LAMP}), (True, {BENCH}))
    assert rules.needs(op).around == {(LAMP, False)}


def test_empty_hands_are_a_need_of_their_own() -> None:
    """What worked with empty hands, and was refused with full ones, needs empty hands."""
    rules, op = rules_of((False, set()), (True, {EMPTY}))
    assert rules.needs(op).free
    assert not rules.needs(op).around


def test_the_fewest_reasons_explain_all_failures() -> None:
    """One reason that explains both failures is taken before two that explain one each."""
    other: Feature = ("near", "bell")
    rules, op = rules_of((False, {BENCH}), (False, {other}), (True, {BENCH, other, LAMP}))
    assert rules.needs(op).around == {(LAMP, True)}


def test_a_success_refutes_a_false_reason() -> None:
    """A bench that was thought to be needed is not, once it worked without one."""
    rules, op = rules_of((False, set()), (True, {BENCH}))
    assert rules.needs(op).around == {(BENCH, True)}
    rules, op = rules_of((False, set()), (True, {BENCH}), (True, set()))
    assert not rules.needs(op).around


def test_what_a_deed_did_to_things_nearby_is_kept_with_what_it_spared() -> None:
    """Of the loose things in the room, those that changed and those that did not are told apart."""
    rules = Rules()
    rules.carried |= {"cup", "jug", "pan"}
    op = Operator("turn {0}", Pattern("turn {0}", ("tap",)), ("tap",))
    place = {"tap": "hall", "cup": "hall", "jug": "hall", "pan": "yard"}
    dry = Snapshot("hall", place, {name: frozenset() for name in place})
    wet = Snapshot("hall", place, {**dry.words, "cup": frozenset({"wet"})})
    rules.record(op, ("tap",), dry, wet, outcome="changed", why="accepted", named=None, spots=("here",), stamp=0)
    assert op.spread == {(("tap",), "word", "wet"): ({"cup"}, {"jug"})}


def test_a_way_is_understood_by_what_was_around_when_it_let_the_agent_through() -> None:
    """A way that was barred but while the guard looked away takes that; one that never opened is not understood."""
    away: Feature = ("near", "guard", "looking away")
    rules = Rules()
    op = rules.operators["go {0}"] = Operator("go {0}", Pattern("go {0}", ("room",)), ("room",))
    rules.movers.add("go {0}")
    rules.changing.add("looking away")
    for to, through, around in (
        ("yard", False, {BENCH}), ("yard", True, {BENCH, away}), ("yard", False, {LAMP}), ("loft", False, {BENCH}),
    ):
        before = Snapshot("hall", {}, {})
        after = Snapshot(to, {}, {}) if through else before
        outcome, why = ("changed", "accepted") if through else ("refused", "leave")
        rules.record(
            op, (to,), before, after, outcome=outcome, why=why, named=None, spots=("place",), stamp=0,
            context=frozenset(around),
        )  # fmt: skip
    assert rules.leave("hall", "yard") == {(away, True)}
    assert rules.leave("hall", "loft") is None
    assert rules.leave("yard", "hall") is None
