"""`worlds check FILE` on a family: each mistake of an author is named, on its line, with what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.errors import UsageError
from sandbox.generate.content import Content, content
from sandbox.measure.authors import Report, check_file

Told = Callable[..., list[str]]
Checked = Callable[..., Report]
ZITHER = "rules/zither.rules.j2"

MISTAKES = {
    "a slot with one value": (
        [(', "in_order"]', "]")], 2, "needs two or more different texts", "",
    ),
    "a slot that nothing reads": (
        [('law == "in_order"', "false")], 2, "changes nothing: no line reads 'law'", 'law == "in_order"',
    ),
    "a value that leaves the same rules": (
        [('"in_order"]', '"in_order", "in_a_row"]')], 2, "'free' and 'in_a_row' of slot 'law' leave the same rules", "take it out",
    ),
    "a stage that is not there": ([('stage "three zithers"', 'stage "zithers"')], 2, "asks for stage 'three zithers'", "add: stage"),
    "a name that does not exist": ([("near(b)", "nier(b)")], 7, "unknown fact, relation or predicate 'nier'", "did you mean 'near'?"),
    "a name under one value only": (
        [("not plucked(c)", "not pluckt(c)")], 9, "unknown fact, relation or predicate 'pluckt' (when law=in_order)", "did you mean 'plucked'?",
    ),
    "a stage that cannot be built": (
        [("place 3 zither", "place 3 zither where (colour(self) = red and colour(self) = blue)")], 16,
        "no zither can meet its `where` (in 12 of 12 layouts)", "ask for fewer or other objects",
    ),
    "a kind that is never placed": (
        [("fact plucked", 'kind clapper: thing called "clapper", "tongue", "pluckr"\nfact plucked')], 4, "no clapper is ever placed",
        'add: stage "…" place clapper',
    ),
    "a family that contradicts another": (
        [("fact plucked", 'fact hot(b: zither) "hot"\nfact plucked')], 4, "does not go with family 'station': rules/station.rules.j2",
        "copy the other file's declaration letter by letter",
    ),
    "a verb that another action has": (
        [('"pluck _"', '"unlock _"')], 6, "action 'pluck' is said 'unlock', as is 'unlock' of rules/lock.rules.j2",
        "give it a verb of its own",
    ),
    "a spelling that another action has": (
        [('"pluck _"', '"pluck _" / "put down _"')], 6, "action 'pluck' is said 'put down _', as is 'drop' of rules/core.rules.j2",
        "give it a verb of its own",
    ),
    "a need that nothing can meet": (
        [("makes plucked(b)", "makes plucked(b)"), ("  needs near(b) else out_of_reach\n",
         "  needs near(b) else out_of_reach\n  needs tuned(b) else wrong_state\n"), ("fact plucked", "fact tuned(b: zither)\nfact plucked")],
        9, "action 'pluck' can never be done (in 12 layouts): `needs tuned(b) else wrong_state` never comes true",
        "nothing makes or unmakes 'tuned'",
    ),
    "needs that wait for each other": (
        [("goal plucked", """action tune(b: zither) "tune _"
  needs near(b) else out_of_reach
  needs plucked(b) else wrong_state
  makes tuned(b)
goal plucked"""), ("  needs near(b) else out_of_reach\n{%", "  needs near(b) else out_of_reach\n  needs tuned(b) else wrong_state\n{%"),
         ("fact plucked", "fact tuned(b: zither)\nfact plucked")],
        9, "action 'pluck' can never be done", "each waits for the next: pluck → tune → pluck",
    ),
    "a goal that is true at the start": (
        [("goal plucked", "goal not plucked")], 14, "the goal is never to be reached", "or it is true at the start",
    ),
    "an event that can never fire": (
        [("hint pluck", "event falls for b: zither when (plucked(b) and in(b, here) and carried(b)) makes not plucked(b)\nhint pluck")],
        13, "'falls' can never fire", "let an action or event make it true",
    ),
}  # fmt: skip
ADVICE = {
    "a cause misspelt": (("else out_of_reach", "else out_of_raech"), 7, "cause 'out_of_raech'", "did you mean 'out_of_reach'?"),
    "few nouns": ((', "psaltery", "hurdy-gurdy"', ""), 3, "fewer than 3 nouns", "name three or more"),
    "no hint": (("hint pluck\n", ""), 1, "nothing may be told", "add: hint pluck"),
    "a hint told twice": (("goal plucked", "hint pluck\ngoal plucked"), 14, "'pluck' is hinted at twice", "line 13 does it"),
    "no goal": (("goal plucked(b) for b: zither\n", ""), 1, "no goal asks for anything", "add: goal plucked(x)"),
    "a fact that nothing asks for": (
        ("fact plucked", 'fact loud(b: zither)\nfact plucked'), 4, "nothing depends on the fact 'loud'", "or take it out",
    ),
    "no structure": (('kind="structure"', 'kind="value"'), 2, "no slot is of kind structure", "kept or spent"),
}  # fmt: skip


DEAF = '{% set deaf = choose("deaf", ["no", "yes"], kind="structure", stage="three zithers") %}\n'
UNFELT = """\
{% if deaf == "yes" %}
  needs no c: zither where (number(c) = 7 and not plucked(c)) else too_early
{% endif %}
"""


def test_a_family_that_is_right_is_left_alone(checked: Checked) -> None:
    """Nothing is said of a good family; its slot is measured in worlds, and found live in most of them."""
    report = checked(ZITHER, seeds=range(6))
    assert report.ok
    assert report.remarks == ()
    assert report.lively is not None
    (figures,) = report.lively.slots.values()
    assert figures.worlds == report.lively.worlds == 6
    assert figures.live >= 4
    assert report.lively.used >= 2


def test_a_kind_below_a_kind_needs_no_nouns(checked: Checked) -> None:
    """It is called as the kind above it is."""
    below = ("fact plucked", "kind bass_zither: zither\nplace bass_zither\nfact plucked")
    assert checked(ZITHER, below).remarks == ()


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_a_problem(told: Told, name: str) -> None:
    """File and line, what is wrong, and what to write instead."""
    changes, line, what, instead = MISTAKES[name]
    found = [one for one in told(ZITHER, *changes) if one.startswith(f"{ZITHER}:{line}: ") and what in one]
    assert found, told(ZITHER)
    assert instead in found[0].partition(" → ")[2]


@pytest.mark.parametrize("name", ADVICE)
def test_a_weakness_is_advice(checked: Checked, name: str) -> None:
    """It is told, and yet the family passes."""
    change, line, what, instead = ADVICE[name]
    report = checked(ZITHER, change)
    (found,) = (one for one in report.remarks if what in one.what)
    assert report.ok
    assert found.line == line
    assert instead in found.instead


def test_a_slot_that_nothing_reachable_feels_is_dead(checked: Checked) -> None:
    """A slot is read, and yet both its values come to the same in every world: measured, not guessed."""
    report = checked(
        ZITHER, ("{% set law", DEAF + "{% set law"), ("  makes plucked(b)\n", UNFELT + "  makes plucked(b)\n"),
        seeds=range(6),
    )  # fmt: skip
    assert report.why == f"{ZITHER}:2: slot 'deaf' changes nothing that can be reached (in 6 worlds)"
    assert "stage 'three zithers' does not make it bite at all" in next(r for r in report.remarks if r.problem).instead


def test_a_family_that_no_recipe_lists_is_in_no_world(folder: Path) -> None:
    """It is said with the key to write; the family is measured all the same, with those it goes with."""
    (folder / "worlds" / "recipes" / "zithers.toml").unlink()
    report = check_file(folder / "worlds" / ZITHER, Content(folder), range(2), lambda: False)
    (found,) = report.remarks
    assert "no recipe lists it" in found.what
    assert 'families = ["zither", …]' in found.instead
    assert report.lively is not None
    assert report.lively.worlds == 2


def test_a_file_outside_any_content_is_checked_as_well(folder: Path, tmp_path: Path) -> None:
    """Its name says what it is; everything else comes from the built-in content."""
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "zither.rules.j2").write_text((folder / "worlds" / ZITHER).read_text())
    assert check_file(alone / "zither.rules.j2", content(), range(1), lambda: False).ok


def test_measuring_stops_when_the_time_is_spent(folder: Path) -> None:
    """No world is begun after that; what was read off the text is said all the same."""
    left = iter([False, False, True])
    report = check_file(folder / "worlds" / ZITHER, Content(folder), range(99), lambda: next(left))
    assert report.lively is not None
    assert report.lively.worlds == 2


@pytest.mark.parametrize("name", ["notes.txt", "missing.rules.j2"])
def test_what_is_no_content_is_the_askers_mistake(tmp_path: Path, name: str) -> None:
    """A file of no known sort, or none at all, is refused with what would do."""
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(UsageError) as caught:
        check_file(tmp_path / name, content(), range(1), lambda: False)
    assert caught.value.hint
