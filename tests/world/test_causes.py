"""Feedback voices: every one says the same, and one that does not is refused by name."""

from __future__ import annotations

import re

import pytest

from sandbox.errors import TemplateError
from sandbox.generate.content import content
from sandbox.generate.draw import render_phrases
from sandbox.world.causes import CAUSES, check_voice
from sandbox.world.engine import Engine
from sandbox.world.spec import Not
from tests.outside.worlds import drawn, variant

VOICES = tuple(content().names("feedback"))
FAMILIES = tuple(content().names("rules"))
CAUSE = re.compile(r" else ([a-z]\w*)$", re.MULTILINE)
"""The cause at the end of a need in a rule file, in whatever branch it stands."""


@pytest.mark.parametrize("voice", VOICES)
def test_every_voice_has_every_phrase(voice: str) -> None:
    """The templates of the voices have the same phrases with the same gaps."""
    check_voice(render_phrases(content(), "feedback", voice, {}), voice)


@pytest.mark.parametrize(("key", "text", "why"), [
    ("thing.barred", None, "no phrase 'thing.barred'"), ("have", "You have it.", "have must have <name>"),
    ("thing.empty", "Not <name>.", "thing.empty must have no gap at all"), ("thing.bared", "x", "did you mean 'thing.barred'"),
    ("silence", None, "no phrase 'silence'"), ("lies", "The <name> lies there.", "lies must have <name> <place>"),
])  # fmt: skip
def test_a_voice_that_says_more_or_less_is_refused(key: str, text: str | None, why: str) -> None:
    """A phrase that is missing, misspelt, or tells more or less than in other voices is named."""
    phrases = dict(render_phrases(content(), "feedback", "plain", {}))
    phrases.pop(key, None)
    if text is not None:
        phrases[key] = text
    with pytest.raises(TemplateError) as refused:
        check_voice(tuple(phrases.items()), "plain")
    assert why in f"{refused.value} {refused.value.hint}"


def test_codes_are_one_a_cause_and_have_a_legend() -> None:
    """The coded voice numbers the causes, and its legend explains each number."""
    phrases = dict(render_phrases(content(), "feedback", "coded", {}))
    codes = [phrases[f"thing.{cause}"].split()[0] for cause in CAUSES]
    assert set(codes) == {f"E{number}" for number in range(len(CAUSES))}
    assert sorted(word for word in phrases["legend"].split() if word in codes) == sorted(codes)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_cause_of_a_family_has_words(family: str) -> None:
    """What a built-in family refuses is said in words of its own; only a state that may yet change is said as such."""
    used = set(CAUSE.findall(content().path("rules", family).read_text(encoding="utf-8")))
    assert used <= CAUSES.keys() | {"wrong_state"}
    assert "already" not in used or family == "core", "that one is said of what is held"


def test_families_use_every_cause_that_rules_can_have() -> None:
    """A phrase that nothing is refused with would be dead: the rest are causes of the parser and the protocol."""
    texts = [content().path("rules", family).read_text(encoding="utf-8") for family in FAMILIES]
    used = {cause for text in texts for cause in CAUSE.findall(text)}
    engine = {"empty", "unknown_word", "bad_syntax", "wrong_kind", "nothing_selected", "nothing_at_hand", "nothing_asked",
              "lost", "other"}  # fmt: skip
    assert CAUSES.keys() - engine == used - {"wrong_state"}


@pytest.mark.parametrize("number", range(8))
def test_the_same_words_are_not_said_of_different_things(number: int) -> None:
    """"You already have it" is said of what is held, "hands full" of what is taken, "no way" of rooms."""
    for action in drawn("default", f"causes {number}").rules.actions:
        kinds = [kind for _, kind in action.params]
        for need in action.needs:
            if need.cause == "already":
                assert (action.name, isinstance(need.formula, Not)) == ("take", True)
            if need.cause == "hands_full":
                assert action.name == "take"
            if need.cause == "no_way":
                assert kinds == ["room"]


@pytest.mark.parametrize(("slots", "told"), [
    ({"feedback/detail": "nothing", "feedback/success": "told"}, "What changes nothing that can be seen and what does not work"),
    ({"feedback/detail": "something", "feedback/success": "silent"}, "What is done is answered: ...   What does not work"),
    ({"feedback/detail": "thing", "feedback/success": "told"}, ""),
])  # fmt: skip
def test_help_says_how_silence_is_to_be_read(slots: dict[str, str], told: str) -> None:
    """Where one reply stands for several things, the help page says so, with that reply; elsewhere it does not."""
    engine = Engine(variant(drawn("small", "causes"), slots | {"feedback/voice": "plain"}))
    assert told in engine.help_text
    assert ("How it answers:" in engine.help_text) == bool(told)
