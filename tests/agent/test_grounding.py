"""Which deeds are planned: what an operator needs around it may be a door."""

from __future__ import annotations

from sandbox.agent.belief import Belief, Snapshot
from sandbox.agent.grounding import Grounding
from sandbox.agent.interface import Pattern
from sandbox.agent.operators import Operator
from sandbox.agent.rules import Rules
from sandbox.agent.text import Reader

STILL, RINGING = frozenset({"still"}), frozenset({"ringing"})


def bell_by_a_door() -> tuple[Rules, Belief]:
    """A bell that was struck in vain while the gate was closed, and rang while it was open."""
    rules = Rules()
    rules.changing |= {"open", "closed"}
    op = rules.operators["strike {0}"] = Operator("strike {0}", Pattern("strike {0}", ("bell",)), ("bell",))
    place = {"bell": "hall", "gate": "*door"}
    for word in ("closed", "open"):
        before = Snapshot("hall", place, {"bell": STILL, "gate": frozenset({word})})
        after = Snapshot("hall", place, {**before.words, "bell": RINGING}) if word == "open" else before
        rules.record(
            op, ("bell",), before, after, outcome="changed" if word == "open" else "refused",
            why="accepted" if word == "open" else "state", named=None, spots=("here",), stamp=0,
            context=frozenset({("near", "gate", word)}),
        )  # fmt: skip
    belief = Belief(Reader(("hall", "bell", "gate", "yard"), set()))
    belief.at = belief.start = "hall"
    belief.rooms = {"hall": None, "yard": None}
    belief.ways = {"hall": {"yard": "gate"}, "yard": {"hall": "gate"}}
    belief.place = place
    belief.words = {"bell": STILL, "gate": frozenset({"open"})}
    belief.first = {name: (place[name], belief.words[name]) for name in place}
    return rules, belief


def test_a_door_may_be_what_has_to_be_near() -> None:
    """The gate, which is a way and no thing in a list, serves as what the bell needs."""
    rules, belief = bell_by_a_door()
    grounding = Grounding(rules)
    grounding.ground(belief, 1)
    sure = [deed for deed in grounding.deeds if deed.op == "strike {0}" and deed.cost == 1]
    assert [deed.args for deed in sure] == [("bell",)]


def test_what_is_only_guessed_to_be_needed_can_be_done_without() -> None:
    """The bell may be struck away from the gate, too, but as a dearer deed: planned when nothing else is left."""
    rules, belief = bell_by_a_door()
    grounding = Grounding(rules)
    grounding.ground(belief, 1)
    doubtful = [deed for deed in grounding.deeds if deed.op == "strike {0}" and deed.args == ("bell",) and deed.cost > 1]
    assert len(doubtful) == 1
    assert doubtful[0].cost > min(deed.cost for deed in grounding.deeds)
