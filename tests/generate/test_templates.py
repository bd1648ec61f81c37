"""Templates are content from strangers: hostile Jinja is refused, with file and line, quickly and in little memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from sandbox.errors import TemplateError
from sandbox.generate.content import content
from sandbox.generate.templates import MAX_RENDERED, Template, load_template

SLOT = '{% set m = choose("m", ["a", "b"], kind="value") %}\n'
DOUBLED = '{% set a = "xxxxxxxxxx" %}'
NESTED = "".join(f"{{% macro {b}() %}}{f'{{{{ {a}() }}}}' * 60}{{% endmacro %}}" for a, b in zip("abcdefg", "bcdefgh", strict=True))

HOSTILE = {
    "include": ('{% include "core.rules.j2" %}', "templates stand alone"),
    "import": ('{% import "x" as y %}', "templates stand alone"),
    "import from": ('{% from "x" import y %}', "templates stand alone"),
    "extends": ('{% extends "core" %}', "templates stand alone"),
    "a loop in a loop": ("{% for a in [1] %}{% for b in [1] %}x{% endfor %}{% endfor %}", "loops are not nested"),
    "a recursive loop": ("{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}", "loops are not nested"),
    "a long loop": ("{% for a in [" + "1," * 100 + "] %}x{% endfor %}", "a literal list of at most 64"),
    "a computed loop": ("{% for a in range(10) %}x{% endfor %}", "a literal list of at most 64"),
    "many loops": ("{% for a in [1] %}x{% endfor %}" * 70, "more than 64 loops"),
    "repetition": ('{{ "a" * 1000000000 }}', "operator '*'"),
    "a power": ("{{ 10 ** 10000000 }}", "operator '**'"),
    "formatting": ('{{ "%0999999999d" % 1 }}', "operator '%'"),
    "str.format": ('{{ "{:>999999999}".format(1) }}', "attribute 'format'"),
    "an attribute": ('{{ "".__class__ }}', "attribute '__class__'"),
    "the globals of a function": ("{{ choose.__globals__ }}", "attribute '__globals__'"),
    "an attribute as an item": ('{{ choose["__globals__"] }}', "attribute '__globals__'"),
    "an attribute by a filter": ('{{ ""|attr("__class__") }}', "No filter named 'attr'"),
    "a method": ('{{ "a".upper() }}', "attribute 'upper'"),
    "what loops know": ("{% for i in [1] %}{{ loop.cycle(1) }}{% endfor %}", "attribute 'cycle'"),
    "recursion": ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "recursion"),
    "macros of macros": ("{% macro a() %}xxxxxxxxxx{% endmacro %}" + NESTED + "{{ h() }}", "more than 2000 calls"),
    "many calls": ("{% for i in [" + "1," * 60 + "] %}" + '{{ family("a") }}' * 50 + "{% endfor %}", "more than 2000 calls"),
    "doubling by ~": (DOUBLED + "{% set a = a ~ a %}" * 40 + "{{ a }}", "not put together with ~"),
    "doubling by +": (DOUBLED + "{% set a = a + a %}" * 40 + "{{ a }}", "operator '+'"),
    "doubling a list": ("{% set a = [1, 2] %}" + "{% set a = a + a %}" * 40 + "{{ a|length }}", "operator '+'"),
    "lists in lists": ("{% set a = [1] %}" + "{% set a = [a, a] %}" * 40 + "{{ a|upper }}", "lists are literal"),
    "doubling by join": (DOUBLED + "{% set a = a|join(a) %}" * 6 + "{{ a }}", "join puts the texts of a list together"),
    "doubling by blocks": (DOUBLED + "{% set a %}{{ a }}{{ a }}{% endset %}" * 40 + "{{ a }}", "characters are written"),
    "a huge block in a loop": (
        "{% set a %}" + "x" * 60_000 + "{% endset %}{% for i in [" + "1," * 60 + "] %}{{ a }}{% endfor %}", "characters are written",
    ),
    "huge output": ("{% for i in [" + "1," * 64 + "] %}" + "x" * 60_000 + "{% endfor %}", f"more than {MAX_RENDERED} characters"),
    "a huge source": ("kind x " * 20_000, "longer than 64000 characters"),
    "deep branches": ("{% if 1 %}" * 3_000 + "{% endif %}" * 3_000, "nested too deeply"),
    "branches as deep as Python can": ("{% if 1 %}" * 150 + "{% endif %}" * 150, "nested too deeply"),
    "deep brackets": ("{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}", "nested too deeply"),
    "a memory address": ("{{ choose }}", "a function cannot be written"),
    "itself": ("{{ self }}", "a TemplateReference cannot be written"),
    "an unknown tag": ("{% debug %}", "unknown tag 'debug'"),
    "a name from nowhere": ("{{ nothing }}", "'nothing' is undefined"),
    "a namespace": ("{% set n = namespace(a=1) %}", "'namespace' is undefined"),
    "an open tag": ("kind x\n{% if 1 %}", "Unexpected end of template"),
    "whitespace control": ("{%- if 1 %}x{% endif %}", "whitespace control is not needed here"),
}  # fmt: skip

SLOTS = {
    "in a branch": ('{% if true %}{% set x = choose("x", ["a", "b"], kind="value") %}{% endif %}', "stands at the top"),
    "in a loop": ('{% for i in [1] %}{{ choose("x", ["a", "b"], kind="value") }}{% endfor %}', "stands at the top"),
    "in a macro": ('{% macro m() %}{{ choose("x", ["a", "b"], kind="value") }}{% endmacro %}', "stands at the top"),
    "in the text": ('{{ choose("x", ["a", "b"], kind="value") }}', "stands at the top"),
    "with a computed name": ('{% set n = "x" %}{% set x = choose(n, ["a", "b"], kind="value") %}', "literal names and lists"),
    "with a computed list": ('{% set v = ["a"] %}{% set x = choose("x", v, kind="value") %}', "literal names and lists"),
    "with one value": ('{% set x = choose("x", ["a"], kind="value") %}', "two or more different texts"),
    "with a value twice": ('{% set x = choose("x", ["a", "a"], kind="value") %}', "two or more different texts"),
    "with numbers": ('{% set x = choose("x", [1, 2], kind="value") %}', "two or more different texts"),
    "with a value that is no name": ('{% set x = choose("x", ["a b", "c"], kind="value") %}', "'a b' is no name"),
    "without a kind": ('{% set x = choose("x", ["a", "b"]) %}', "choose() needs kind="),
    "of an unknown kind": ('{% set x = choose("x", ["a", "b"], kind="valu") %}', "choose() needs kind="),
    "with an unknown key": ('{% set x = choose("x", ["a", "b"], kind="value", stag="s") %}', "choose() needs kind="),
    "with keywords": ('{% set x = choose(name="x", values=["a", "b"], kind="value") %}', "a name and a list"),
    "twice": (SLOT + SLOT, "rules/mine.rules.j2:2: two slots are called 'm'"),
    "with a stage that is not there": ('\n{% set x = choose("x", ["a", "b"], kind="value", stage="gone") %}', "rules/mine.rules.j2:2: slot 'x' asks for stage"),
    "under another name": ('{% set c = choose %}{{ c("x", ["a", "b"]) }}', "cannot be rendered"),
}  # fmt: skip


def load(folder: Path, text: str) -> Template:
    """A template of rules with a text."""
    path = folder / "mine.rules.j2"
    path.write_text(text, encoding="utf-8")
    return load_template(path, "rules", "mine")


def refusal(folder: Path, text: str) -> str:
    """Why a template is refused, when it is loaded or rendered."""
    with pytest.raises(TemplateError) as caught:
        load(folder, text).render({"m": "a"}, ("mine",))
    assert caught.value.message.startswith("rules/mine.rules.j2:"), "file and line come first"
    assert caught.value.message.split(":")[1].isdigit(), "file and line come first"
    return caught.value.message


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_jinja_is_refused(tmp_path: Path, name: str) -> None:
    """Reaching outside, growing without bound, looping, recursing: one error that says what is not allowed."""
    text, said = HOSTILE[name]
    tracemalloc.start()
    try:
        assert said in refusal(tmp_path, text)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000, "took more than 60 MB to refuse"
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", SLOTS)
def test_a_slot_stands_at_the_top_and_is_literal(tmp_path: Path, name: str) -> None:
    """`choose()` anywhere else, or with anything but a literal name, list and kind, is refused."""
    text, said = SLOTS[name]
    assert said in refusal(tmp_path, text)


@pytest.mark.parametrize(("text", "line"), [
    ("kind a\nkind b\n{{ nothing }}", 3), ("\n\n{% if true %}\n{{ 2 * 3 }}\n{% endif %}", 4), ("kind a\n{% include 'x' %}", 2),
    ("{# a\nlong\nremark #}\n{% for a in [1] %}\n{% foo %}\n{% endfor %}", 5),
])  # fmt: skip
def test_the_line_is_that_of_the_template(tmp_path: Path, text: str, line: int) -> None:
    """Where Jinja fails is told in lines of the file as it was written."""
    assert refusal(tmp_path, text).startswith(f"rules/mine.rules.j2:{line}:")


def test_what_templates_need_is_allowed(tmp_path: Path) -> None:
    """Slots, branches, loops over literal lists, macros with arguments, a few filters."""
    text = (
        SLOT + '{% macro row(x) %}{% if x != m %}kind {{ x|lower }}\n{% endif %}{% endmacro %}'
        '{% for x in ["A", "b", "C"] %}{{ row(x) }}{% endfor %}{{ "kind d" if family("mine") }}'
    )
    template = load(tmp_path, text)
    assert [slot.full for slot in template.slots] == ["rules/mine/m"]
    words = template.render({"m": "b"}, ("mine",)).split()
    assert [word for word in words if not word.startswith("#@")] == ["kind", "a", "kind", "c", "kind", "d"]


def test_every_template_that_comes_along_loads() -> None:
    """All of them, of every sort, under every value of every slot."""
    library = content()
    for sort in ("rules", "grammars", "observations", "feedback"):
        for name in library.names(sort):
            template = library.template(sort, name)
            usual = {slot.name: slot.values[0] for slot in template.slots}
            for slot in template.slots:
                for value in slot.values:
                    assert template.render({**usual, slot.name: value}, library.names("rules")).strip()
