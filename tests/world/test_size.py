"""A rule that would blow up is refused at once, by its name, with the count: no template can hang or swallow the machine."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.errors import UsageError
from sandbox.generate.content import Content

FAMILY = """\
{% set way = choose("way", ["bare", "laden"], kind="structure") %}
kind zither: fixture called "zither", "psaltery", "hurdy-gurdy"
fact plucked(b: zither) "plucked"
action pluck(b: zither) "pluck _"
  needs near(b) else out_of_reach
{% if way == "laden" %}
  needs any x: thing where carried(x) else wrong_state
{% endif %}
  makes plucked(b)
goal plucked(b) for b: zither
place 2 zither
"""
RECIPE = """\
families = ["zither", "lock"]
draw = [2, 2]
rooms = 4
things = 8
steps = [3, 10]
actions = 2
uses = 1
dead_ends = 0.3
forms = ["imperative"]
observations = ["prose"]
voices = ["plain"]
themes = ["kitchen"]
"""
MOO = 'action moo(b: zither) "moo _" needs near(b) else no '
FOUR = 'action moo(x: thing) "moo _" needs near(x) else no makes odd(a, c, d, e) for a: object, c: object, d: object, e: object'
CHAIN = "derive q0() when any b: zither where plucked(b)\n" + "".join(f"derive q{i}() when q{i - 1}()\n" for i in range(1, 300))

BLOWN_UP = {
    "an event over many things": (
        "event boo for x: thing, y: thing, z: thing, v: thing, w: object when carried(x) makes not plucked(b) for b: zither",
        "family 'zither': ", "cases in a world of this size", "narrower kinds",
    ),
    "an effect over many things": (
        "fact odd(a: object)\n" + MOO + "makes odd(a) for a: object, c: object, d: object, e: object, f: object",
        "family 'zither': a change of odd has", "cases in a world of this size", "narrower kinds",
    ),
    "a fact about four things": (
        "fact odd(a: object, c: object, d: object, e: object)\n" + FOUR,
        "family 'zither': what odd is about has", "cases in a world of this size", "narrower kinds",
    ),
    "every in every": (
        "derive odd() when every a: thing where carried(a) has (every c: thing where carried(c) has "
        "(any d: thing where (carried(d) or in(d, here))))\n" + MOO + "needs odd() else no makes plucked(b)",
        "family 'zither': need 2 of action moo has", "cases in a world of this size", "split its formula",
    ),
    "a counter without end": ("counter odd(b: zither) in 0 .. 1000000000000\n" + MOO + "makes odd(b) + 1", "rules/zither.rules.j2:12", "more than 100 values", "larger steps"),
    "objects without end": ("place 1000000000 thing", "family 'zither': placing thing has 1,000,0", "more than 1,000", "fewer objects"),
    "objects for each of many objects": (
        "kind q0: fixture\nplace 90 q0\n" + "".join(f"kind q{i}: fixture\nplace 90 q{i} per v: q{i - 1}\n" for i in range(1, 6)),
        "family 'zither': placing q1 has 8,2", "more than 1,000", "fewer objects",
    ),
    "deep nesting": ("derive odd(b: zither) when " + "not " * 3000 + "plucked(b)", "rules/zither.rules.j2:12", "nested too deeply", "derive NAME"),
    "predicates on predicates": (CHAIN, "rules/zither.rules.j2:", "rests on more than 20 others", "fewer steps"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A content folder with one family and its recipe."""
    for name, text in (("rules/zither.rules.j2", FAMILY), ("recipes/zithers.toml", RECIPE)):
        path = tmp_path / "worlds" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_the_family_itself_is_fine(folder: Path) -> None:
    """Without what is added below it plays."""
    assert build("zithers/1", Content(folder)).certificate.steps >= 3


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", BLOWN_UP)
def test_what_would_blow_up_is_refused(folder: Path, name: str) -> None:
    """One typed error that names the rule and the count and says what to write instead, in little memory."""
    added, place, what, instead = BLOWN_UP[name]
    (folder / "worlds" / "rules" / "zither.rules.j2").write_text(FAMILY + added + "\n", encoding="utf-8")
    tracemalloc.start()
    try:
        with pytest.raises(UsageError) as caught:
            build("zithers/1", Content(folder))
        assert tracemalloc.get_traced_memory()[1] < 100_000_000, "took more than 100 MB to refuse"
    finally:
        tracemalloc.stop()
    assert place in caught.value.message
    assert what in caught.value.message
    assert instead in str(caught.value.hint)
