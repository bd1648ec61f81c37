"""Forms of grammar: how the same acts are typed in each, and what a form template may say."""

from __future__ import annotations

import pytest

from sandbox.errors import TemplateError
from sandbox.generate.content import content
from sandbox.generate.draw import render_phrases
from sandbox.generate.speak import PROTOCOLS, spell
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.spec import Grammar, Rules
from tests.outside.worlds import drawn, variant, world_with

FORMS = tuple(content().names("grammars"))
TYPED = {
    "imperative": ("look", "go to {0}", "unlock {0} with {1}"),
    "verb_last": ("look", "{0}-to go", "{0} {1}-with unlock"),
    "telegraphic": ("look stop", "go {0} stop", "unlock {0} {1} stop"),
    "function_call": ("look()", "go({0})", "unlock({0}, {1})"),
    "json": ('{"do": "look"}', '{"do": "go", "to": "{0}"}', '{"do": "unlock", "what": "{0}", "with": "{1}"}'),
    "shell_flags": ("look", 'go --to "{0}"', 'unlock --what "{0}" --with "{1}"'),
    "postfix": ("look", "[{0}] go", "[{0}] [{1}] unlock"),
    "coded": ("l", "g {0}", "u {0} {1}"),
    "key_value": ("do=look", "do=go; to={0}", "do=unlock; what={0}; with={1}"),
    "case_marked": ("look", "go {0}-to", "unlock {0}-it {1}-by"),
    "polite": ("please look", "please go to the {0}", "please unlock the {0} with the {1}"),
}


@pytest.fixture(scope="module")
def rules() -> Rules:
    """The core with locks."""
    return world_with("lock").rules


def spelled(rules: Rules, form: str, protocol: str = "direct", words: str = "english") -> Grammar:
    """The grammar of rules in a form of the library."""
    return spell(rules, dict(render_phrases(content(), "grammars", form, {})), form, protocol, words, Key("speak"))


@pytest.mark.parametrize("form", FORMS)
def test_what_is_typed_in_each_form(form: str, rules: Rules) -> None:
    """An act on nothing, on a room and on two things."""
    patterns = dict(spelled(rules, form).spellings)
    assert tuple(patterns[name][0] for name in ("look", "go", "unlock")) == TYPED[form]


def test_eleven_forms_and_no_two_alike(rules: Rules) -> None:
    """Every form says an act on two things in its own way."""
    assert set(TYPED) == set(FORMS)
    assert len({dict(spelled(rules, form).spellings)["unlock"][0] for form in FORMS}) == 11


@pytest.mark.parametrize("form", FORMS)
def test_invented_words_leave_no_english_one(form: str, rules: Rules) -> None:
    """Where words are invented, all of them are: verbs, prepositions, keys, the word for please."""
    english, invented = (spelled(rules, form, "confirm", words) for words in ("english", "invented"))
    said, other = (
        {word for _, patterns in grammar.spellings for p in patterns for word in letters(p)} for grammar in (english, invented)
    )
    assert not {word for word in said & other if len(word) > 2}


def letters(pattern: str) -> list[str]:
    """The words in a pattern."""
    return "".join(c if c.isalpha() else " " for c in pattern).split()


@pytest.mark.parametrize(("form", "loose", "firm"), [
    ("json", '{"do":"take","what":"NAME"}', '{"do": "take", "what": "NAME"}'),
    ("json", '{ "what" : "NAME", "do" : "take" }', '{"do": "take", "what": "NAME"}'),
    ("function_call", "take (NAME )", "take(NAME)"), ("key_value", "what = NAME;do= take", "do=take; what=NAME"),
    ("shell_flags", "take --what NAME", 'take --what "NAME"'), ("shell_flags", 'take --what="NAME"', 'take --what "NAME"'),
    ("postfix", "[ NAME ]take", "[NAME] take"), ("case_marked", "NAME-it take", "take NAME-it"),
    ("polite", "please take NAME", "please take the NAME"),
])  # fmt: skip
def test_other_spellings_mean_the_same(form: str, loose: str, firm: str) -> None:
    """Blanks around marks do not count, and parts may stand in another order where a form says so."""
    world = variant(drawn("small", "loose"), {"grammar/form": form, "grammar/protocol": "direct", "grammar/words": "english"})
    engine = Engine(world)
    thing = next(iter(engine.dynamics.ground.members("thing")))
    name = world.names[thing]
    assert engine.speech.parse(firm.replace("NAME", name)) == ("take", (thing,))
    assert engine.speech.parse(loose.replace("NAME", name.upper())) == ("take", (thing,))


def test_every_form_and_protocol_is_compiled_without_a_clash() -> None:
    """All families together, in every form, protocol and word list: no two acts are typed alike."""
    world = drawn("default", "clash")
    for form in FORMS:
        for protocol in PROTOCOLS:
            for words in ("english", "invented"):
                Engine(variant(world, {"grammar/form": form, "grammar/protocol": protocol, "grammar/words": words}))


@pytest.mark.parametrize(("phrases", "why"), [
    ({"verb0": "<verb>", "verb1": "<verb> <0>"}, "no phrase 'verb2'"),
    ({"verb0": "<verb>", "verb1": "<verb> <0>", "verb2": "<verb> <0> <1>", "marks": "-"}, "marks may only be among"),
])
def test_a_form_that_cannot_say_everything_is_refused(phrases: dict[str, str], why: str, rules: Rules) -> None:
    """A missing phrase, and a mark that could be part of a name, are named."""
    with pytest.raises(TemplateError, match=why):
        spell(rules, phrases, "mine", "direct", "english", Key("speak"))
