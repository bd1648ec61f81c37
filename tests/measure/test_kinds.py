"""Structural kinds, read off small rule sets."""

from __future__ import annotations

import pytest

from sandbox.generate.content import content
from sandbox.generate.draw import CORE, render_rules
from sandbox.measure.kinds import structural_kinds
from sandbox.world.world import merged


def kinds(rules: str) -> tuple[str, ...]:
    """The kinds of the core with these rules added."""
    core, _ = render_rules(content(), (), {})
    return structural_kinds(merged((*core, ("rules/tried.rules.j2", rules))))


LAMP = 'kind lamp: fixture called "lamp", "lantern", "beacon"\nfact lit(l: lamp) "lit" else "dark"\n'
LIGHT = LAMP + 'action light(l: lamp) "light _"\n  needs near(l) else out_of_reach\n  makes lit(l)\n'


def test_the_core_has_no_kind() -> None:
    """Going, taking and dropping can be undone, in any order, here and now."""
    assert kinds("") == ()
    assert content().template("rules", CORE).slots == ()


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        (LIGHT, ()),
        (LIGHT + 'action use(l: lamp) "use _"\n  needs near(l) else out_of_reach\n  needs not lit(l) else wrong_state\n', ("irreversible",)),
        (LAMP + 'action eat(x: thing) "eat _"\n  needs carried(x) else not_carried\n  makes gone(x)\n', ("irreversible",)),
        (LIGHT + "each step fades for l: lamp when lit(l)\n  makes not lit(l)\n", ("ticking",)),
        (LAMP + 'action flick(x: thing) "flick _"\n  needs carried(x) else not_carried\n'
         "  makes lit(l) for l: lamp where number(l) = number(x)\n", ("distant",)),
        (LAMP + 'action flick(x: thing) "flick _"\n  needs carried(x) else not_carried\n'
         "  makes lit(l) for l: lamp where (near(l) and number(l) = number(x))\n", ()),
        ("also take(x: thing)\n  needs at most 2 y: thing where carried(y) else hands_full\n", ("shared",)),
        (LAMP + "fact warm(l: lamp)\n" + 'action warm(l: lamp) "warm _"\n  needs near(l) else out_of_reach\n'
         "  makes warm(l)\n", ("hidden",)),
        (LAMP + 'action light(l: lamp) "light _"\n  needs near(l) else out_of_reach\n'
         "  needs no m: lamp where (number(m) = number(l-1) and not lit(m)) else wrong_state\n  makes lit(l)\n", ("ordered",)),
    ],
)  # fmt: skip
def test_what_gives_a_rule_set_its_kind(rules: str, found: tuple[str, ...]) -> None:
    """One rule, one kind."""
    assert kinds(rules) == found


def test_an_order_of_two_things_matters_when_exchanging_them_does() -> None:
    """A recipe that takes the first, then the second, is ordered; one that takes them as they come is not."""
    values = {slot.full: slot.values[0] for slot in content().template("rules", "recipe").slots}
    _, free = render_rules(content(), ("recipe",), values)
    _, strict = render_rules(content(), ("recipe",), values | {"rules/recipe/order": "first_then_second"})
    assert "ordered" not in structural_kinds(free)
    assert "ordered" in structural_kinds(strict)
