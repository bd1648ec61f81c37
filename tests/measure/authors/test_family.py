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
BELL = "rules/bell.rules.j2"

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
    "a stage that is not there": ([('stage "three bells"', 'stage "bells"')], 2, "asks for stage 'three bells'", "add: stage"),
    "a name that does not exist": ([("near(b)", "nier(b)")], 7, "unknown fact, relation or predicate 'nier'", "did you mean 'near'?"),
    "a name under one value only": (
        [("not rung(c)", "not rang(c)")], 9, "unknown fact, relation or predicate 'rang' (when law=in_order)", "did you mean 'rung'?",
    ),
    "a stage that cannot be built": (
        [("place 3 bell", "place 3 bell where (colour(self) = red and colour(self) = blue)")], 16,
        "no bell can meet its `where` (in 12 of 12 layouts)", "ask for fewer or other objects",
    ),
    "a kind that is never placed": (
        [("fact rung", 'kind clapper: thing called "clapper", "tongue", "striker"\nfact rung')], 4, "no clapper is ever placed",
        'add: stage "…" place clapper',
    ),
    "a family that contradicts another": (
        [("fact rung", 'fact hot(b: bell) "hot"\nfact rung')], 4, "does not go with family 'station': rules/station.rules.j2",
        "copy the other file's declaration letter by letter",
    ),
    "a verb that another action has": (
        [('"strike _"', '"strike _" / "unlock _"')], 6, "action 'strike' is said 'unlock', as is 'unlock' of rules/lock.rules.j2",
        "give it a verb of its own",
    ),
    "a need that nothing can meet": (
        [("makes rung(b)", "makes rung(b)"), ("  needs near(b) else out_of_reach\n",
         "  needs near(b) else out_of_reach\n  needs tuned(b) else wrong_state\n"), ("fact rung", "fact tuned(b: bell)\nfact rung")],
        9, "action 'strike' can never be done (in 12 layouts): `needs tuned(b) else wrong_state` never comes true",
        "nothing makes or unmakes 'tuned'",
    ),
    "needs that wait for each other": (
        [("goal rung", """action tune(b: bell) "tune _"
  needs near(b) else out_of_reach
  needs rung(b) else wrong_state
  makes tuned(b)
goal rung"""), ("  needs near(b) else out_of_reach\n{%", "  needs near(b) else out_of_reach\n  needs tuned(b) else wrong_state\n{%"),
         ("fact rung", "fact tuned(b: bell)\nfact rung")],
        9, "action 'strike' can never be done", "each waits for the next: strike → tune → strike",
    ),
    "a goal that is true at the start": (
        [("goal rung", "goal not rung")], 14, "the goal is never to be reached", "or it is true at the start",
    ),
    "an event that can never fire": (
        [("hint strike", "event falls for b: bell when (rung(b) and in(b, here) and carried(b)) makes not rung(b)\nhint strike")],
        13, "'falls' can never fire", "let an action or event make it true",
    ),
}  # fmt: skip
ADVICE = {
    "a cause misspelt": (("else out_of_reach", "else out_of_raech"), 7, "cause 'out_of_raech'", "did you mean 'out_of_reach'?"),
    "few nouns": ((', "gong", "chime"', ""), 3, "fewer than 3 nouns", "name three or more"),
    "no hint": (("hint strike\n", ""), 1, "nothing may be told", "add: hint strike"),
    "a hint told twice": (("goal rung", "hint strike\ngoal rung"), 14, "'strike' is hinted at twice", "line 13 does it"),
    "no goal": (("goal rung(b) for b: bell\n", ""), 1, "no goal asks for anything", "add: goal rung(x)"),
    "a fact that nothing asks for": (
        ("fact rung", 'fact loud(b: bell) "loud"\nfact rung'), 4, "nothing depends on the fact 'loud'", "or take it out",
    ),
    "no structure": (('kind="structure"', 'kind="value"'), 2, "no slot is of kind structure", "kept or spent"),
}  # fmt: skip


def test_a_family_that_is_right_is_left_alone(checked: Checked) -> None:
    """Nothing is said of a good family; its slot is measured in worlds, and found live in most of them."""
    report = checked(BELL, seeds=range(8))
    assert report.ok
    assert report.remarks == ()
    assert report.lively is not None
    (figures,) = report.lively.slots.values()
    assert figures.worlds == report.lively.worlds == 8
    assert figures.live >= 6
    assert report.lively.used >= 4


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_a_problem(told: Told, name: str) -> None:
    """File and line, what is wrong, and what to write instead."""
    changes, line, what, instead = MISTAKES[name]
    found = [one for one in told(BELL, *changes) if one.startswith(f"{BELL}:{line}: ") and what in one]
    assert found, told(BELL)
    assert instead in found[0].partition(" → ")[2]


@pytest.mark.parametrize("name", ADVICE)
def test_a_weakness_is_advice(checked: Checked, name: str) -> None:
    """It is told, and yet the family passes."""
    change, line, what, instead = ADVICE[name]
    report = checked(BELL, change)
    (found,) = (one for one in report.remarks if what in one.what)
    assert report.ok
    assert found.line == line
    assert instead in found.instead


def test_a_slot_that_nothing_reachable_feels_is_dead(checked: Checked) -> None:
    """A slot is read, and yet both its values come to the same in every world: measured, not guessed."""
    report = checked(
        BELL, ("  needs no c: bell where (number(c) = number(b-1) and not rung(c)) else too_early\n",
               "  needs no c: bell where (number(c) = 7 and not rung(c)) else too_early\n"),
        seeds=range(8),
    )  # fmt: skip
    assert report.why is not None
    assert report.why.startswith(f"{BELL}:2: slot 'law' changes nothing that can be reached (in 8 worlds)")
    assert "stage 'three bells' does not make it bite at all" in next(r for r in report.remarks if r.problem).instead


def test_a_family_that_no_recipe_lists_is_in_no_world(folder: Path) -> None:
    """It is said with the key to write; the family is measured all the same, with those it goes with."""
    (folder / "worlds" / "recipes" / "bells.toml").unlink()
    report = check_file(folder / "worlds" / BELL, Content(folder), range(2), lambda: False)
    (found,) = report.remarks
    assert "no recipe lists it" in found.what
    assert 'families = ["bell", …]' in found.instead
    assert report.lively is not None
    assert report.lively.worlds == 2


def test_a_file_outside_any_content_is_checked_as_well(folder: Path, tmp_path: Path) -> None:
    """Its name says what it is; everything else comes from the built-in content."""
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "bell.rules.j2").write_text((folder / "worlds" / BELL).read_text())
    assert check_file(alone / "bell.rules.j2", content(), range(1), lambda: False).ok


def test_measuring_stops_when_the_time_is_spent(folder: Path) -> None:
    """No world is begun after that; what was read off the text is said all the same."""
    left = iter([False, False, True])
    report = check_file(folder / "worlds" / BELL, Content(folder), range(99), lambda: next(left))
    assert report.lively is not None
    assert report.lively.worlds == 2


@pytest.mark.parametrize("name", ["notes.txt", "missing.rules.j2"])
def test_what_is_no_content_is_the_askers_mistake(tmp_path: Path, name: str) -> None:
    """A file of no known sort, or none at all, is refused with what would do."""
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(UsageError) as caught:
        check_file(tmp_path / name, content(), range(1), lambda: False)
    assert caught.value.hint
