"""Any text whatever is one command with one outcome."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.generate.content import content
from sandbox.generate.speak import PROTOCOLS
from sandbox.world.engine import Engine, Step
from sandbox.world.keyed import Key
from tests.outside.pair import UNREAD
from tests.outside.worlds import drawn, variant

FORMS = tuple(content().names("grammars"))
HOSTILE = {
    "nothing": "", "blanks": " \t\r\n ", "a megabyte": "x" * 1_000_000, "a megabyte of blanks": " " * 1_000_000,
    "a megabyte of words": "look " * 200_000, "several lines": "look\nlook\r\nlook", "NUL": "\x00", "NUL inside": "lo\x00ok",
    "ANSI": "\x1b[31mlook\x1b[0m", "right to left": "\u202ekool", "a lone surrogate": "\ud800", "surrogates": "\udfff\ud800 \udc00",
    "emoji": "🗝️ 👩‍👩‍👧", "a fence": "```\nlook\n```", "quotes": '"look"', "a typographic quote": "“look”", "a format": "%s {0} {} %(name)s <name>",
    "a combining accent": "lo\u0301ok", "a full-width word": "ｌｏｏｋ", "a sharp s": "ß" * 399, "a dotted I": "İ" * 400,
    "a zero-width blank": "lo\u200bok", "JSON": '{"command": "look"}', "a prompt": "> look", "a path": "../../etc/passwd",
    "rich markup": "[bold]look[/bold]", "a byte-order mark": "\ufefflook", "a placeholder": "{0} {1}", "underscores": "_ _",
}  # fmt: skip


@functools.cache
def engine(form: str, protocol: str, detail: str = "thing") -> Engine:
    """A world that speaks in a form, under a protocol."""
    world = drawn("small", "any text")
    return Engine(variant(world, {"grammar/form": form, "grammar/protocol": protocol, "feedback/detail": detail}))


def outcome(game: Engine, state: int, text: str) -> Step:
    """The step that a text makes, after checking what holds of every step."""
    step = game.step(state, text)
    assert isinstance(step.text, str)
    assert step == game.step(state, text), "the same text, another outcome"
    hash(step.state)
    if step.cause is not None:
        assert (step.state, step.reward, step.done) == (state, 0.0, False)
        assert step.cause.isidentifier()
    else:
        assert step.intent is not None
    return step


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("form", FORMS)
def test_hostile_texts_are_refused(form: str, protocol: str) -> None:
    """Empty, huge, many-lined, invisible, foreign and forged texts: a cause, never an exception, nothing changed."""
    details = ("thing", "requirement", "something")
    game = engine(form, protocol, details[(FORMS.index(form) + PROTOCOLS.index(protocol)) % 3])
    for name, text in HOSTILE.items():
        step = outcome(game, game.start().state, text)
        assert step.cause in UNREAD, name


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u00a0\u2003", "\x1c\x1f"])
def test_what_holds_no_word_is_empty(text: str) -> None:
    """Blanks of any sort are no command, and the cause says so."""
    game = engine("imperative", "direct")
    assert outcome(game, game.start().state, text).cause == "empty"


@settings(max_examples=300)
@given(st.sampled_from(FORMS), st.sampled_from(PROTOCOLS), st.text(st.characters(), max_size=60))
def test_any_text_has_one_outcome(form: str, protocol: str, text: str) -> None:
    """Any characters at all, lone surrogates among them."""
    game = engine(form, protocol)
    outcome(game, game.start().state, text)


@settings(max_examples=300)
@given(st.sampled_from(FORMS), st.sampled_from(PROTOCOLS), st.data())
def test_any_words_that_are_known_have_one_outcome(form: str, protocol: str, data: st.DataObject) -> None:
    """Words of the vocabulary in any number and order: a parse or a cause."""
    game = engine(form, protocol)
    words = data.draw(st.lists(st.sampled_from(game.vocabulary), max_size=8))
    outcome(game, game.start().state, " ".join(words))


@settings(max_examples=100)
@given(st.sampled_from(FORMS), st.integers(0, 1 << 20), st.sampled_from([" ", "\n", "\t", "\r\n", "  \u00a0 "]))
def test_case_and_blanks_do_not_matter(form: str, pick: int, blank: str) -> None:
    """Before it is read, a text is stripped and case-folded and its runs of blanks become one; nothing else."""
    game = engine(form, "direct")
    state = game.start().state
    command = Key("blanks", pick).best(game.admissible(state))
    loud = blank + blank.join(command.upper().split(" ")) + blank
    assert outcome(game, state, loud)[:4] == outcome(game, state, command)[:4]
    assert outcome(game, state, loud).cause is None


def test_letters_that_fold_to_the_same_ones_do_not_matter() -> None:
    """Case is folded as Unicode says: the long s is an s, the Kelvin sign a k."""
    game = engine("imperative", "direct")
    assert outcome(game, game.start().state, "reſtart").intent == "restart()"
    assert outcome(game, game.start().state, "LOO\u212a").intent == "look()"


def test_a_command_in_a_sea_of_blanks_is_read() -> None:
    """Length alone refuses nothing: what is stripped does not count."""
    game = engine("imperative", "direct")
    assert outcome(game, game.start().state, " " * 500_000 + "look" + "\n" * 500_000).cause is None
