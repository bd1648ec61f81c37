"""Experiments: what was refused is worth another try where something is otherwise, and only there."""

from __future__ import annotations

from sandbox.agent.api import Briefing
from sandbox.agent.belief import HELD, Snapshot
from sandbox.agent.context import Around
from sandbox.agent.curriculum import experiments
from sandbox.agent.interface import Pattern
from sandbox.agent.mind import Mind, new_mind

HELP = "How to speak:\n  go ROOM\n  take THING\n  open CHEST\n  look"
WORDS = ("go", "take", "open", "look", "hall", "yard", "cup", "chest", "lamp")


def mind() -> Mind:
    """A mind in a hall with a chest, a lamp and a cup, all of whose kinds it knows."""
    made = new_mind(Briefing("goal: the chest is open", 1, HELP, WORDS, 7, 100, None))
    belief = made.belief
    belief.at = belief.start = "hall"
    belief.rooms = {"hall": None, "yard": None}
    belief.visited = {"hall", "yard"}
    belief.ways = {"hall": {"yard": None}, "yard": {"hall": None}}
    for name, kind in (("cup", "thing"), ("chest", "chest"), ("lamp", "lamp")):
        belief.first[name] = "hall", frozenset()
        belief.place[name], belief.words[name] = "hall", frozenset()
        made.rules.kind_said[name] = kind
    made.rules.movers.add("go {0}")
    made.rules.changing.add("lit")
    return made


def refuse(made: Mind) -> None:
    """The chest was tried and refused, as things are now."""
    op, now = made.rules.operators["open {0}"], made.belief.snapshot()
    context = Around(made.belief, made.rules.kind_said).situation(("chest",), ("here",))
    made.rules.record(
        op, ("chest",), now, now, outcome="refused", why="state", named=None, spots=("here",), stamp=0, context=context
    )


def tries_of_the_chest(made: Mind) -> list[float]:
    """What trying the chest on the spot is worth."""
    return [e.worth for e in experiments(made, narrow=False) if e.op == "open {0}" and e.args == ("chest",) and not e.facts]


def test_only_things_of_the_kind_are_tried() -> None:
    """A gap for chests is not tried on a lamp."""
    assert {e.args for e in experiments(mind(), narrow=False) if e.op == "open {0}"} == {("chest",)}


def test_what_was_refused_is_not_tried_again_as_things_are() -> None:
    """Nothing is otherwise: no experiment."""
    made = mind()
    assert tries_of_the_chest(made)
    refuse(made)
    assert not tries_of_the_chest(made)


def test_what_was_refused_is_tried_again_when_something_near_is_otherwise() -> None:
    """The lamp was lit since: it may have been that."""
    made = mind()
    refuse(made)
    made.belief.words["lamp"] = frozenset({"lit"})
    assert tries_of_the_chest(made)


def test_what_can_be_made_otherwise_is_proposed() -> None:
    """It is known that the lamp can be lit: opening the chest after that is an experiment."""
    made = mind()
    refuse(made)
    op = made.add(Pattern("light {0}", ("lamp",)))
    before = made.belief.snapshot()
    made.belief.words["lamp"] = frozenset({"lit"})
    lit = made.belief.snapshot()
    made.belief.words["lamp"] = frozenset()
    made.rules.record(op, ("lamp",), before, lit, outcome="changed", why="accepted", named=None, spots=("here",), stamp=0)
    found = [e for e in experiments(made, narrow=False) if e.op == "open {0}" and e.args == ("chest",)]
    assert [e.facts for e in found] == [(("word", "lamp", "lit"),)]


def test_a_thing_in_a_thing_may_be_taken() -> None:
    """What lies in a chest is held to be loose, a chest is not."""
    made = mind()
    made.belief.place["cup"] = "chest"
    assert made.rules.can_carry("cup", made.belief)
    assert not made.rules.can_carry("chest", made.belief)
    made.belief.place["cup"] = HELD
    assert made.rules.can_carry("cup", made.belief)


def test_full_hands_take_nothing() -> None:
    """A thing that could not be taken with one other in hand is tried again with fewer only."""
    made = mind()
    made.belief.place["lamp"] = HELD
    op = made.rules.operators["take {0}"]
    taken = made.belief.snapshot()
    loose = Snapshot("hall", {**taken.place, "lamp": "hall"}, taken.words)
    made.rules.record(op, ("lamp",), loose, taken, outcome="changed", why="accepted", named=None, spots=("here",), stamp=0)
    made.rules.kind_said["lamp"] = "thing"

    def takes() -> list[bool]:
        return [e.free for e in experiments(made, narrow=False) if e.op == "take {0}" and e.args == ("cup",)]

    assert False in takes()
    made.rules.loads["take {0}", ("cup",)] = [frozenset({"lamp"})]
    assert False not in takes()
