"""What the loader refuses in rules: each mistake with its file and line, what is wrong and what to write instead.

And what it lets through: whatever is accepted here compiles on a layout, and every slot of the content is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.certify.goals import ground_aims
from sandbox.errors import TemplateError
from sandbox.generate.content import content
from sandbox.generate.layout import draw_layout
from sandbox.generate.templates import load_template
from sandbox.world.dynamics import Dynamics
from sandbox.world.english import English
from sandbox.world.keyed import Key
from sandbox.world.merge import merge
from sandbox.world.spec import Rules
from sandbox.world.syntax import parse

FILE = "rules/odd.rules.j2"
LAMPS = """
kind lamp: fixture called "lamp"
kind box: fixture holds called "box"
fact lit(l: lamp) "lit"
attribute mood(x: object) in calm, wild
attribute taste(x: object) drawn in calm, sweet
attribute grade(x: object) drawn in low, high
counter heat(l: lamp) in 0 .. 3
counter chill(l: lamp) in 0 .. 9
relation wired(a: lamp, b: lamp)
"""
"""Declarations that the cases below talk of; they begin on line 2 of their file."""

FIRST = LAMPS.count("\n") + 1
"""The line on which a case begins."""


def merged(text: str) -> Rules:
    """The core, the declarations above and a case as one rule set."""
    core = content().template("rules", "core")
    return merge([(core.file, parse(core.render({}), core.file)), (FILE, parse(LAMPS + text, FILE))])


def refusal(text: str) -> TemplateError:
    """The refusal of a case."""
    with pytest.raises(TemplateError) as caught:
        merged(text)
    return caught.value


def compiled(rules: Rules) -> Dynamics:
    """The rule set on a layout of its own: every room grounded, every goal found, every rule said in English."""
    dynamics = Dynamics(rules, draw_layout(rules, 4, 6, Key("refusals")))
    for room in dynamics.rooms.values():
        assert room.moves
        assert all(law.changes for law in (*room.steps, *room.events))
    assert list(ground_aims(dynamics))
    english = English(rules, lambda kind: kind)
    said = [english.action(action, action.name) for action in rules.actions]
    assert all([*said, *map(english.law, rules.laws), *map(english.aim, rules.aims)])
    return dynamics


ACTION = 'action use(l: lamp) "use _"\n  needs near(l) else out_of_reach\n'

# Each case: the text, the line of the mistake within it (None: in the core), and parts of the message and of the hint.
WALKING = [
    (f"{ACTION}  makes here = r for r: room", 3, "only the action 'go' may set `here`", "also go"),
    ("event pulled for r: room when exit(here, r)\n  makes here = r", 2, "only the action 'go' may set `here`", ""),
    ("each step drifts for r: room when exit(here, r)\n  makes here = r", 2, "only the action 'go' may set `here`", ""),
    ("also go(r: room)\n  makes here = s for s: room where exit(r, s)", 2, "set `here` in any case", "need"),
    ("also go(r: room)\n  makes here = r", None, "'go' has to set `here` once", "makes here = r"),
]
KINDS = [
    ("kind sconce: fixtre", 1, "unknown parent kind 'fixtre'", "did you mean 'fixture'?"),
    ("kind a: b\nkind b: a", 1, "kind 'a' is below itself", "thing or fixture"),
    ("kind wick: thing shows colur", 1, "unknown drawn attribute of a wick 'colur'", "did you mean 'colour'?"),
    ("kind wick: thing shows mood", 1, "unknown drawn attribute of a wick 'mood'", "known: "),
    ("relation under(a: lamp, b: bx)", 1, "unknown kind 'bx'", "did you mean 'box'?"),
    ('relation under(a: lamp, b: box) "_ is below"', 1, "needs 2 places marked _", "one _ for each"),
    ("place room", 1, "a room cannot be placed", "thing or fixture"),
    ("place box in lamp", 1, "nothing can be placed in a lamp", "`holds`"),
    ("place box in room", 1, "nothing can be placed in a room", "`in rooms`"),
    ('stage "two boxes"\n  place box\n  place box in lamp', 3, "nothing can be placed in a lamp", "`holds`"),
    ("place box on exits", 1, "a box is no door", "in rooms"),
    ("place lamp with wired(self, box)", 1, "'wired' is about a lamp, not a box", "name a lamp"),
]
COUNTS = [
    (f"{ACTION}  needs at most 1 y: thing where near(y) else full",
     3, "a count needs a condition on one changing fact", "near"),
    (f"{ACTION}  needs at most 1 y: thing where not carried(y) else full", 3, "a count needs", "not by"),
    (f"{ACTION}  makes lit(l)\naction rest() \"rest\"\n  needs at least 1 m: lamp where not lit(m) else full",
     5, "a count needs", ""),
    (f"{ACTION}  needs at most 1 y: thing where (carried(y) or in(y, here)) else full", 3, "a count needs", ""),
    (f"{ACTION}  makes heat(l) + 1\n  needs at most 1 m: lamp where heat(m) >= 2 else full", 4, "a count needs", ""),
    (f"{ACTION}  makes lit(l)\n  needs at least 2 b: box where lit(l) else full", 4, "a count needs", ""),
    ("goal lit(l) for l: lamp where at most 1 y: thing where near(y)", 1, "a count needs", ""),
    (f"{ACTION}  makes heat(l) + 1\n  needs sum heat at most 3 m: lamp where wired(l, m) else full",
     4, "never change", "drawn"),
    (f"{ACTION}  needs sum lit at most 3 m: lamp where wired(l, m) else full", 3, "not lit(m)", "drawn"),
]  # fmt: skip
EFFECTS = [
    (f"{ACTION}  makes mood(l) = mood(m) for m: lamp",
     3, "cannot set mood(m), a value that changes", "mood(l) = VALUE for"),
    (f"{ACTION}  makes in(x, place(y)) for x: thing, y: thing",
     3, "cannot set place(y), a value that changes", "in(x, y) for"),
    (f"{ACTION}  makes mood(place(l)) = calm", 3, "names its object, not place(l)", "mood(y) … for"),
    (f"{ACTION}  makes heat(l) = 9", 3, "9 is no value of 'heat'", "from 0 to 3"),
    (f"{ACTION}  makes heat(l) = number(l)", 3, "number(l) is no value of 'heat'", "from 0 to 3"),
    (f"{ACTION}  makes mood(l) = taste(l)", 3, "taste(l) is no value of 'mood'", "calm, wild"),
    (f"{ACTION}  makes mood(l) = 2", 3, "2 is no value of 'mood'", "calm, wild"),
    (f"{ACTION}  makes mood(l) = l", 3, "l is no value of 'mood'", "calm, wild"),
    (f"{ACTION}  makes mood(l) = wld", 3, "unknown value of mood 'wld'", "did you mean 'wild'?"),
    (f"{ACTION}  makes heat(l)", 3, "'heat' is no yes-or-no fact", "heat(l) = 0"),
    (f"{ACTION}  makes lit(l) = 1", 3, "'lit' is a yes-or-no fact", "not lit(l)"),
    (f"{ACTION}  makes mood(l) + 1", 3, "only a counter can be added to", "mood(l) = …"),
    (f"{ACTION}  makes in(x, m) for x: thing, m: lamp", 3, "m is a lamp, and nothing can be in it", "`holds`"),
    (f"{ACTION}  makes in(x, f) for x: thing, f: fixture", 3, "f is a fixture, and nothing can be in it", "`holds`"),
    (f"{ACTION}  makes in(l)", 3, "'in' takes 2 things, not 1", ""),
    ("start heat(l) + 1 for l: lamp", 1, "a start sets a value", "start heat(…) = VALUE"),
    ("start heat(l) = 4 for l: lamp", 1, "4 is no value of 'heat'", "from 0 to 3"),
    ("start in(x, l) for x: thing, l: lamp", 1, "l is a lamp, and nothing can be in it", "`holds`"),
]  # fmt: skip
INFORM = [
    ('inform gaze(x: object) "gaze at _"\n  needs near(x) else out_of_reach\n  makes mood(x) = wild',
     3, "'gaze' only informs", "action"),
    ("also look()\n  makes mood(x) = wild for x: object", 2, "'look' only informs", "leave `makes` out"),
]  # fmt: skip
VALUES = [
    ("goal lit(l) for l: lamp where weight(l) < grade(l)",
     1, "weight(l) and grade(l) do not have the same values", "compare"),
    ("goal lit(l) for l: lamp where weight(l) = grade(l)",
     1, "weight(l) and grade(l) do not have the same values", "compare"),
    ("goal lit(l) for l: lamp where colour(l) = 3", 1, "3 is no value of 'colour'", "red, green, blue, yellow"),
    ("goal lit(l) for l: lamp where colour(l) = here", 1, "here is an object or a place", "one sort"),
    ("goal lit(l) for l: lamp where heat(l) = 7", 1, "7 is no value of 'heat'", "from 0 to 3"),
    ("goal lit(l) for l: lamp where heat(l) > grade(l)", 1, "heat(l) is a number and grade(l) is a word", "one sort"),
    ("goal lit(l) for l: lamp where lit(l) = yes", 1, "'lit' is a yes-or-no fact", "not lit(…)"),
    ("goal lit(l) for l: lamp where number(l) = place(l)",
     1, "number(l) is a number and place(l) is an object", "one sort"),
    ("goal lit(l) for l: lamp where place(l) < here", 1, "place(l) has no order", "= or !="),
    ("goal lit(l) for l: lamp where any m: lamp where l < m", 1, "l has no order", "= or !="),
    ("goal lit(l) for l: lamp where any x: thing where in(x, l)",
     1, "l is a lamp, and nothing can be in it", "`holds`"),
    ("goal lit(l) for l: lamp where any x: thing where lit(x)",
     1, "'lit' is about a lamp, and x is a thing", "name a lamp"),
    ("goal lit(l) for l: lamp where any r: room where near(r)",
     1, "'near' is about an object, and r is a room", "name an object"),
    ("goal lit(l) for l: lamp where wired(l, 3)", 1, "'wired' is about objects, not 3", "variable"),
    ("goal lit(l) for l: lamp where carried(l) = l", 1, "'carried' is a test of a place", "place(x)"),
    ("place lamp where weight(self) < grade(self)", 1, "do not have the same values", "compare"),
    ("start lit(l) for l: lamp where colour(l) = 3", 1, "3 is no value of 'colour'", "red"),
]  # fmt: skip
PREDICATES = [
    ("derive up(l: lamp) when lit(l) or up(l)", 1, "predicate 'up' uses itself", "facts"),
    ("derive up(l: lamp) when any m: lamp where down(m)\nderive down(l: lamp) when not up(l)",
     1, "'up' uses itself", ""),
    (f"{ACTION}  needs any y: thing where near(place(y)) else odd", 3, "'near' cannot be asked of place(y)", "bind it"),
    (f"{ACTION}  needs any y: thing where mood(place(y)) = calm else odd",
     3, "'mood' cannot be asked of place(y)", "bind it"),
]  # fmt: skip
GOALS = [
    ("goal in(x, here) for x: thing", 1, "bound by `for`", "goal in(x, r)"),
    ("goal heat(l) >= 2 for l: lamp", 1, "compared by =", "f(x) = VALUE"),
    ("goal mood(l) != wild for l: lamp", 1, "compared by =", "not f(x)"),
    ("goal not (lit(l) and carried(l)) for l: lamp", 1, "a goal is one fact", ""),
    ("goal near(x) for x: thing", 1, "a goal is one fact", ""),
    ("goal wired(l, m) for l: lamp, m: lamp", 1, "a goal is one fact", ""),
    ("goal here = r for r: room", 1, "bound by `for`", ""),
    ("goal mood(l) = taste(l) for l: lamp", 1, "bound by `for`", ""),
    ("also sigt() when any l: lamp where lit(l)", 1, "unknown predicate 'sigt'", "did you mean 'sight'?"),
    ("also near(y: object) when carried(y)", 1, "other parameters than the predicate", "write also near(x: object)"),
    ("fact lost()", 1, "'lost' is built in", ""),
    ("lose take when any l: lamp where lit(l)\nlose take when any l: lamp where not lit(l)", 2, "differs", ""),
    ("goal 2 = heat(l) for l: lamp", 1, "a goal is one fact", ""),
]
DECLARATIONS = [
    ('fact dusty(r: room) "dusty"', 1, "'dusty' is about rooms and has texts", "leave its texts out"),
    ("attribute air(r: room) in fresh, stale", 1, "'air' is about rooms and has texts", 'fresh "", …'),
    ('counter damp(r: room) in 0 .. 2 "", "damp"', 1, "'damp' is about rooms and has texts", "leave its texts out"),
    ("counter turns(l: lamp) in 0 .. 1", 1, "the two values 0 and 1 only", "fact"),
    ("counter turns(l: lamp) in 3 .. 1", 1, "'turns' has no values", "lower end first"),
    ('counter turns(l: lamp) in 0 .. 2 "a", "b", "c", "d"', 1, "4 texts for 3 values", ""),
    ("attribute hue(l: lamp) in warm, cold, warm", 1, "'hue' has a value twice", "once"),
    ("attribute hue(l: lamp, m: lamp) drawn in warm, cold", 1, "is drawn and takes 2 things", "one thing"),
    ("fact carried(x: thing)", 1, "'carried' is built in", "another name"),
]
REACH = [
    ('action use(l: lamp) "use _"\n  makes lit(l)',
     1, "'use' acts on a lamp that may be out of reach", "needs near(l) else out_of_reach"),
    ('action use(l: lamp) "use _"\n  needs near(l) or lit(l) else odd', 1, "may be out of reach", "near(l)"),
    ('action use(l: lamp, x: thing) "use _ on _"\n  needs near(x) else out_of_reach',
     1, "acts on a lamp that may be", "near(l)"),
    ('action use(l: lamp) "use _"\n  needs not near(l) else odd', 1, "may be out of reach", "near(l)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "wrong", "instead"),
    [*WALKING, *KINDS, *COUNTS, *EFFECTS, *INFORM, *VALUES, *PREDICATES, *GOALS, *DECLARATIONS, *REACH],
)
def test_a_mistake_is_refused_with_its_line_and_what_to_write(
    text: str, line: int | None, wrong: str, instead: str
) -> None:
    """The message names file and line of the statement or clause and what is wrong; the hint says what to write."""
    error = refusal(text)
    place, _, message = error.message.partition(": ")
    file, _, number = place.partition(":")
    if line is None:  # what an `also` makes wrong in an action of the core is said of the action
        assert file == "rules/core.rules.j2"
        assert int(number) > 0
    else:
        assert (file, int(number)) == (FILE, FIRST + line - 1)
    assert wrong in message
    assert error.hint
    assert instead in error.hint


ACCEPTED = [
    f"{ACTION}  needs at most 1 y: thing where carried(y) else full",
    f"{ACTION}  needs sum weight at most 3 y: thing where carried(y) else full",
    f"{ACTION}  needs no b: box where at least 1 y: thing where in(y, b) else full",
    f"{ACTION}  needs at most 0 y: thing where (in(y, here) and colour(y) = colour(l) and weight(y) < heavy) else full",
    f"{ACTION}  makes lit(l)\n  needs at most 2 m: lamp where (m != l and lit(m)) else full",
    f"{ACTION}  makes heat(l) + 1\n  needs at most 2 m: lamp where heat(m) = 3 else full",
    f"{ACTION}  needs at most 2 m: lamp where not lit(m) else full",  # nothing ever lights one
    f"{ACTION}  needs at most 1 f: lamp where not in(f, here) else full",  # fixtures stay where they are
    f"{ACTION}  makes mood(l) = calm, heat(l) = 3, lit(l)\n  makes in(x, here) for x: thing where carried(x)",
    f"{ACTION}  makes heat(l) - 1 for m: lamp where heat(m) < chill(m)",
    f"{ACTION}  makes in(x, place(l)) for x: thing where carried(x)",  # a lamp stays where it is
    f"{ACTION}  makes in(x, b) for x: thing, b: box where (place(x) = place(b) and number(x) = number(b+1))",
    f"{ACTION}  needs any b: box where open(place(l)) or lit(l) else odd",
    "derive held(x: thing) when carried(x)\naction rest() \"rest\"\n  needs at most 1 y: thing where held(y) else full",
    'action use(l: lamp) "use _"\n  needs near(l) and not lit(l) else odd',
    'action use(l: lamp) "use _"\nalso use(l: lamp)\n  needs near(l) else out_of_reach',
    'action call(r: room, x: thing) "call _ to _"\n  needs exit(here, r) else odd',
    ("also go(r: room)\n  needs at most 2 y: thing where carried(y) else full\n"
     "  makes mood(x) = wild for x: thing where in(x, r)"),
    ('fact dusty(r: room)\nattribute air(r: room) in fresh "", stale ""\n'
     "also go(r: room) makes dusty(here), air(r) = stale"),
    ("goal not lit(l) for l: lamp where colour(l) != red\ngoal mood(x) = wild for x: thing\n"
     "goal in(x, b) for x: thing, b: box"),
    "start heat(l) = 3 for l: lamp sometimes\nstart in(x, b) for x: thing, b: box where number(x) = number(b)",
    "counter noon() in 0 .. 5 \"late\"\neach step ticks makes noon() + 1\ngoal noon() = 5",
    "fact over() \"over\"\nlose ends when over()\ngoal over()\ngoal not lit(l) for l: lamp kept",
    "derive calm_now()\nalso sight() when any l: lamp where (lit(l) and in(l, here))\nalso reach() when sight()",
    "place box where at most 1 l: lamp where not lit(l)\nplace lamp\nplace lamp with wired(self, lamp)",
]  # fmt: skip


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_is_accepted_compiles(text: str) -> None:
    """Counts, values, effects and goals that the loader lets through are grounded and said without a fault."""
    compiled(merged(f"{text}\nplace lamp\nplace 2 lamp\nplace box"))


def variants() -> Iterator[tuple[str, dict[str, str]]]:
    """Every family with every value of each of its slots, the others being usual."""
    for family in content().names("rules"):
        slots = content().template("rules", family).slots
        usual = {slot.name: slot.values[0] for slot in slots}
        yield family, usual
        yield from ((family, {**usual, slot.name: value}) for slot in slots for value in slot.values[1:])


@pytest.mark.parametrize(("family", "values"), list(variants()))
def test_every_slot_value_of_the_content_is_accepted(family: str, values: dict[str, str]) -> None:
    """Each family loads beside the core under each value of each slot, and compiles."""
    names = dict.fromkeys(["core", family])
    files = []
    for name in names:
        template = content().template("rules", name)
        files.append((template.file, parse(template.render(values if name == family else {}, names), template.file)))
    compiled(merge(files))


def test_the_line_is_that_of_the_clause_in_the_template(tmp_path: Path) -> None:
    """Through branches, loops and comments, a refusal names the line of the very clause in the template."""
    path = tmp_path / "odd.rules.j2"
    source = [
        '{% set law = choose("law", ["one", "two"], kind="structure") %}',
        LAMPS.replace("\n", " "),
        'action use(l: lamp) "use _"',
        "{# a comment",
        "   of two lines #}",
        "  needs near(l) else out_of_reach",
        '{% if law == "one" %}',
        "  needs not lit(l) else wrong_state",
        "{% endif %}",
        '{% for other in ["red", "blue"] %}',
        "  needs colour(l) != {{ other }} else wrong_thing",
        "{% endfor %}",
        "  makes lit(l),",
        "    heat(l) = 7",
    ]
    path.write_text("\n".join(source), encoding="utf-8")
    template = load_template(path, "rules", "odd")
    core = content().template("rules", "core")
    with pytest.raises(TemplateError, match=r"^rules/odd\.rules\.j2:14: 7 is no value of 'heat'"):
        merge([(t.file, parse(t.render({"law": "one"}), t.file)) for t in (core, template)])


def test_a_clause_that_is_added_is_refused_where_it_is_written() -> None:
    """A mistake in an `also` names the file of the family that adds it, not that of the action."""
    error = refusal("also take(x: thing)\n  needs not carried(x) else already\n  needs lit(x) else dark")
    assert error.message.startswith(f"{FILE}:{FIRST + 2}: ")
