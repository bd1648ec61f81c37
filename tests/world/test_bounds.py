"""A rule that would blow up grounding is refused by name, with the count."""

from __future__ import annotations

import pytest

from sandbox.errors import GroundingError
from sandbox.world import spec
from sandbox.world.dynamics import Dynamics
from sandbox.world.spec import Layout, Object
from sandbox.world.values import MOST_BINDINGS
from sandbox.world.world import merged

CORE = """
kind room: room
kind thing: thing
fact wet(x: thing)
relation exit(a: room, b: room)
derive near(x: thing) when carried(x) or in(x, here)
action go(r: room) "go to _"
  needs exit(here, r) else out_of_reach
  makes here = r
action take(x: thing) "take _"
  needs near(x) else out_of_reach
  makes carried(x)
"""


def layout(things: int) -> Layout:
    """One room with things in it."""
    objects = tuple(Object(f"t{n}", "thing") for n in range(things))
    start = ((spec.HERE, (), "r1"), *((spec.PLACE, (o.id,), "r1") for o in objects))
    return Layout(("r1",), objects, (), start)


def test_a_law_over_too_many_combinations_is_named_with_their_number() -> None:
    """Four variables over things: the fourth power of their number."""
    law = """
event soak for a: thing, b: thing, c: thing, d: thing when wet(a) and wet(b) and wet(c)
  makes wet(d)
"""
    rules = merged((("rules/core.rules.j2", CORE), ("rules/flood.rules.j2", law)))
    with pytest.raises(GroundingError, match=r"family 'flood': law soak has 160,000 cases") as caught:
        _ = Dynamics(rules, layout(20)).start
    assert caught.value.count == 20**4 > MOST_BINDINGS


def test_a_need_with_too_many_clauses_is_named_with_their_number() -> None:
    """A conjunction of disjunctions, whose clauses multiply."""
    some = "any y: thing where wet(y)"
    need = f"also take(x: thing)\n  needs ({some}) and ({some.replace('wet(y)', 'carried(y)')})"
    need += " and (any z: thing where (wet(z) or carried(z))) else wrong_state\n  makes wet(x)\n"
    rules = merged((("rules/core.rules.j2", CORE), ("rules/flood.rules.j2", need)))
    with pytest.raises(GroundingError, match=r"family 'flood': need 2 of action take has [0-9,]+ cases") as caught:
        _ = Dynamics(rules, layout(40)).hopeful
    assert caught.value.family == "flood"
