"""Slot pairs: what is allowed, what is covered, and a set of worlds that covers more with each."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from sandbox.certify import build
from sandbox.generate.content import Content, content
from sandbox.generate.draw import choose
from sandbox.generate.recipe import load_recipe
from sandbox.measure.pairs import allowed, cover, coverage, pairs_of

SMALL = """\
about = "Two families, two forms."
families = ["container", "switch"]
draw = [2, 2]
rooms = 3
things = 4
steps = [3, 12]
actions = 2
uses = 1
dead_ends = 1.0
forms = ["imperative", "coded"]
words = ["english", "invented"]
observations = ["prose"]
voices = ["plain"]
themes = ["kitchen"]
[exclude]
"rules/container/capacity" = ["one"]
[pin]
"rules/switch/gate" = "opens_when_lit"
"""


def recipe(tmp_path: Path, more: str = "") -> Content:
    """A content folder with the recipe `pair`."""
    folder = tmp_path / "worlds" / "recipes"
    folder.mkdir(parents=True)
    (folder / "pair.toml").write_text(SMALL + more, "utf-8")
    return Content(tmp_path)


def test_allowed_pairs_leave_out_what_is_pinned_or_excluded(tmp_path: Path) -> None:
    """Two values of one slot are no pair, nor is what the recipe never draws."""
    library = recipe(tmp_path)
    found = allowed(library, load_recipe(library, "pair"))
    assert found["grammar"] == {
        ("grammar/form=coded", "grammar/protocol=direct"), ("grammar/form=imperative", "grammar/protocol=direct"),
        ("grammar/form=coded", "grammar/words=english"), ("grammar/form=coded", "grammar/words=invented"),
        ("grammar/form=imperative", "grammar/words=english"), ("grammar/form=imperative", "grammar/words=invented"),
        ("grammar/protocol=direct", "grammar/words=english"), ("grammar/protocol=direct", "grammar/words=invented"),
    }  # fmt: skip
    texts = {text for pair in found["rules"] for text in pair}
    assert "rules/container/capacity=many" in texts
    assert "rules/container/capacity=one" not in texts
    assert "rules/switch/gate=opens_when_dark" not in texts


def test_every_drawn_world_has_allowed_pairs_only() -> None:
    """What the generator draws is what the count allows."""
    library = content()
    for name in ("default", "nonce"):
        mine = load_recipe(library, name)
        every = {pair for pairs in allowed(library, mine).values() for pair in pairs}
        for seed in range(60):
            assert pairs_of(choose(library, name, mine, str(seed), 0).values) <= every


def test_coverage_counts_each_pair_once(tmp_path: Path) -> None:
    """And names those that are left."""
    library = recipe(tmp_path)
    wanted = allowed(library, load_recipe(library, "pair"))
    slots = {"grammar/form": "coded", "grammar/words": "english", "grammar/protocol": "direct"}
    (grammar,) = (one for one in coverage(wanted, [slots, slots]) if one.axis == "grammar")
    assert (grammar.covered, grammar.allowed) == (3, 8)
    assert ("grammar/form=coded", "grammar/words=invented") in grammar.left


def test_a_covering_set_covers_all_that_it_can(tmp_path: Path) -> None:
    """Each world adds pairs, is certified and builds again from its reference; together they have (nearly) all."""
    library = recipe(tmp_path)
    wanted = allowed(library, load_recipe(library, "pair"))
    picked = list(islice(cover(library, "pair", 40), 40))
    assert all(one.new > 0 for one in picked)
    for one in picked[:3]:
        assert build(one.ref, library).world.digest == one.world.digest
    found = {one.axis: one for one in coverage(wanted, (one.world.slots for one in picked))}
    assert found["grammar"].left == found["observation"].left == found["feedback"].left == ()
    assert found["rules"].covered >= 0.95 * found["rules"].allowed
    assert picked[-1].left == len(found["rules"].left)
