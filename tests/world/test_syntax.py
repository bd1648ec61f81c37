"""Rule text that cannot be read, and names that do not exist: file, line, what was expected, the nearest name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.errors import TemplateError
from sandbox.generate.content import content
from sandbox.world.merge import merge
from sandbox.world.spec import Rules
from sandbox.world.syntax import parse

MINE = "rules/mine.rules.j2"
READ = [
    ("acton x()", 1, "found 'acton'", "did you mean 'action'?"),
    ('action x(a: thing "x _"', 1, "found '\"x _\"', expected ')'", ""),
    ("\n\nkind 9", 3, "found '9', expected a name", ""),
    ("action x()", 1, "found the end of the file, expected a text in quotes", ""),
    ('action x() "x"\n  needs near(a)', 2, "found the end of the file, expected 'else'", ""),
    ('kind a called "abc', 1, "expected a text in quotes", ""),
    ("counter c(x: thing) in -1 .. 3", 1, "found '-1', expected a number", ""),
    ("kind a\nkind \x00", 2, "found '\\x00', expected a name", ""),
    ("kind a # a remark\n}", 2, "found '}'", ""),
    ("fact f(x thing)", 1, "found 'thing', expected ':'", ""),
]
KNOWN = [
    ("kind a: thin", 1, "unknown parent kind 'thin'", "did you mean 'thing'?"),
    ('action x(a: thing) "x _"\n  needs neer(a) else out_of_reach', 2, "unknown fact, relation or predicate 'neer'", "did you mean 'near'?"),
    ('action x(a: thng) "x _"', 1, "unknown kind 'thng'", "did you mean 'thing'?"),
    ('action x(a: thing) "x _"\n  needs near(a) else o\n  needs colou(a) = red else o', 3, "unknown attribute or counter 'colou'", "did you mean 'colour'?"),
    ('action x(a: thing) "x _"\n  needs near(a) else o\n  needs colour(a) = rde else o', 3, "unknown value of colour 'rde'", "did you mean 'red'?"),
    ('action x(a: thing) "x _"\n  needs near(b) else o', 2, "unknown variable 'b'", "known: a"),
    ("goal opn(x) for x: thing", 1, "unknown fact, relation or predicate 'opn'", "did you mean 'open'?"),
    ("hint tak", 1, "unknown action, law, relation or predicate 'tak'", "did you mean 'take'?"),
    ("also tke(x: thing)\n  makes carried(x)", 1, "unknown action 'tke'", "did you mean 'take'?"),
    ("place thing with sidee(self, door)", 1, "unknown relation 'sidee'", "did you mean 'side'?"),
    ("place 2 thng", 1, "unknown kind 'thng'", "did you mean 'thing'?"),
    ("start opn(x) for x: thing", 1, "unknown fact, attribute or counter 'opn'", "did you mean 'open'?"),
]  # fmt: skip
UNEQUAL = [
    ('fact open(x: object) "ajar"', "fact or attribute 'open' differs from its declaration in rules/core.rules.j2:"),
    ('action take(x: thing) "grab _"\n  needs near(x) else o', "action 'take' differs from its declaration in rules/core.rules.j2:"),
    ("fact near(x: object)", "'near' is already a predicate, declared in rules/core.rules.j2:"),
    ("attribute colour(x: object) drawn in red, green", "'colour' differs from its declaration in rules/core.rules.j2:"),
]  # fmt: skip


def merged(text: str) -> Rules:
    """The core and a text as one rule set."""
    core = content().template("rules", "core")
    usual = {slot.name: slot.values[0] for slot in core.slots}
    return merge([(core.file, parse(core.render(usual), core.file)), (MINE, parse(text, MINE))])


@pytest.mark.parametrize(("text", "line", "said", "hint"), [*READ, *KNOWN])
def test_a_mistake_is_told_with_its_place(text: str, line: int, said: str, hint: str) -> None:
    """The message begins with file and line; it names what was found and expected, or the name; the hint helps on."""
    with pytest.raises(TemplateError) as caught:
        merged(text)
    assert caught.value.message.startswith(f"{MINE}:{line}: ")
    assert said in caught.value.message
    assert hint in str(caught.value.hint)


@pytest.mark.parametrize(("text", "said"), UNEQUAL)
def test_unequal_declarations_name_both_files(text: str, said: str) -> None:
    """Families add to each other; what contradicts is told with the place of both."""
    with pytest.raises(TemplateError) as caught:
        merged(text)
    assert caught.value.message.startswith(f"{MINE}:1: ")
    assert said in caught.value.message


def test_equal_declarations_merge() -> None:
    """Two families may declare the same thing in the same words; it is there once."""
    text = 'attribute colour(x: object) drawn in red, green, blue, yellow\nfact open(x: object) "open" else "closed"'
    assert merged(text).functions == merged("").functions


def test_deep_nesting_is_told_with_its_line_in_the_file() -> None:
    """Also in a text without line marks, as an exported world carries it."""
    with pytest.raises(TemplateError, match=rf"^{MINE}:3: nested too deeply"):
        parse("kind a\nkind b\nderive odd(x: a) when " + "not " * 300 + "near(x)", MINE)


@settings(max_examples=200)
@given(st.lists(st.sampled_from([
    "kind", "a", "b", "thing", ":", "fact", "(", ")", "x", ",", '"w"', "action", "needs", "else", "makes", "not", "and", "or", "any",
    "where", "for", "=", "<", "3", "+", "..", "in", "event", "when", "each", "step", "goal", "open", "carried", "place", "per", "\n",
]), max_size=24))  # fmt: skip
def test_any_words_are_rules_or_refused(words: list[str]) -> None:
    """No sequence of words of the language ends in anything but a rule set or a TemplateError with file and line."""
    try:
        merged(" ".join(words))
    except TemplateError as error:
        assert error.message.split(":")[0] in (MINE, "rules/core.rules.j2")
        assert error.message.split(":")[1].isdigit()
        assert error.hint


@settings(max_examples=150)
@given(st.text(st.characters(), max_size=30))
def test_any_text_is_rules_or_refused(text: str) -> None:
    """Nor does any text at all."""
    try:
        merged(text)
    except TemplateError as error:
        assert error.message.startswith(MINE)
