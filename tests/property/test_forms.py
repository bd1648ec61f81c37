"""Form slots of grammar and feedback change nothing of what the texts tell apart; content slots change it.

Exactly, over every state of tiny worlds up to a bound, and over sampled states of larger ones.
"""

from __future__ import annotations

import functools
import itertools

import pytest

from sandbox.certify.solve import Solved
from sandbox.certify.worlds import typed
from sandbox.generate.content import content
from sandbox.generate.recipe import load_recipe
from sandbox.generate.speak import PROTOCOLS, WORDS
from sandbox.world.causes import CAUSES
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.world import World
from tests.outside.space import Space
from tests.outside.worlds import built, drawn, undressed, variant
from tests.property.partition import Asked, difference, reachable, replies, walked

FORMS = tuple(content().names("grammars"))
VOICES = tuple(content().names("feedback"))
DETAILS = ("nothing", "something", "thing", "requirement")
FAMILIES = ("lock", "container", "switch", "station", "growth", "hands", "recipe")
PLAIN = {
    "grammar/form": "imperative", "grammar/words": "english", "grammar/protocol": "direct", "feedback/detail": "thing",
    "feedback/voice": "plain", "feedback/success": "told", "feedback/reward": "dense",
    "observation/hidden": "nothing", "observation/changes": "full",
}
MOST = 40
"""States of a tiny world in which everything is tried."""


@functools.cache
def tiny(family: str) -> World:
    """A world of one family of rules, small enough for every intent in every state, told in the plainest way."""
    things = 6 if family == "recipe" else 2
    sizes = {"rooms": 3, "things": things, "draw": (1, 1), "families": (family,)}
    return variant(undressed(content(), "tiny", load_recipe(content(), "tiny").model_copy(update=sizes), "forms"), PLAIN)


def states_of(engine: Engine, number: int) -> list[int]:
    """The first states from the start, and those of a drawn walk."""
    return list(dict.fromkeys([*reachable(engine, MOST), *walked(engine, Key("forms", number).stream(), 25)]))


def asked(world: World, **values: str) -> dict[Asked, object]:
    """What a world answers to everything in the same states, with some of its slots changed (`axis__slot`)."""
    changed = {name.replace("__", "/"): value for name, value in values.items()}
    states = states_of(Engine(variant(world, {k: v for k, v in changed.items() if k == "grammar/protocol"})), 0)
    return dict(replies(Engine(variant(world, changed)), states))


# --- form ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("family", FAMILIES)
def test_no_form_of_grammar_and_no_voice_tells_more_or_less(family: str) -> None:
    """Every form, word list and voice answers the same questions alike and apart, in every state up to the bound."""
    plain = asked(tiny(family))
    for number, form in enumerate(FORMS):
        other = asked(tiny(family), grammar__form=form, grammar__words=WORDS[number % 2])
        assert difference(plain, other) is None, form
    for voice in VOICES:
        assert difference(plain, asked(tiny(family), feedback__voice=voice)) is None, voice


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_voices_are_alike_under_every_detail_and_protocol(detail: str, protocol: str) -> None:
    """However much is told, and whatever is left out or asked back, the voices say the same."""
    world, success = tiny("lock"), "told" if detail == "nothing" else "silent"
    slots = {"feedback__detail": detail, "grammar__protocol": protocol, "feedback__success": success}
    plain = asked(world, **slots)
    for voice in VOICES:
        assert difference(plain, asked(world, **slots, feedback__voice=voice)) is None, voice
    for form in ("json", "case_marked", "polite"):
        assert difference(plain, asked(world, **slots, grammar__form=form, grammar__words="invented")) is None, form


@pytest.mark.parametrize("number", range(4))
def test_forms_are_alike_in_sampled_states_of_larger_worlds(number: int) -> None:
    """Along drawn walks through larger worlds, some form and every voice tell the same apart."""
    world = variant(drawn("small", f"forms {number}"), {"observation/hidden": "nothing", "observation/changes": "full"})
    engine = Engine(world)
    states = walked(engine, Key("larger", number).stream(), 60)[::6]
    plain = replies(engine, states)
    for voice in VOICES:
        assert difference(plain, replies(Engine(variant(world, {"feedback/voice": voice})), states)) is None, voice
    for form in FORMS[number::4]:
        for words in WORDS:
            values = {"grammar/form": form, "grammar/words": words}
            assert difference(plain, replies(Engine(variant(world, values)), states)) is None, (form, words)


# --- content ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(DETAILS, 2)))
def test_every_detail_tells_something_else(one: str, other: str) -> None:
    """How much is told of a refusal decides what can be told apart."""
    told = [asked(tiny("container"), feedback__detail=detail) for detail in (one, other)]
    assert difference(*told) is not None


def test_more_detail_never_tells_less() -> None:
    """What is told apart with little detail is told apart with more of it."""
    world = tiny("station")
    told = [asked(world, feedback__detail=detail) for detail in ("nothing", "something", "thing")]
    for less, more in itertools.pairwise(told):
        joined = {question: (less[question], more[question]) for question in less}
        assert difference(more, joined) is None


@pytest.mark.parametrize("family", ["lock", "container", "station"])
def test_silent_success_tells_less(family: str) -> None:
    """Where success is silent, replies that told of changes are one."""
    told, silent = asked(tiny(family)), asked(tiny(family), feedback__success="silent")
    assert difference(told, silent) is not None
    joined = {question: (told[question], silent[question]) for question in told}
    assert difference(told, joined) is None


@pytest.mark.parametrize("reward", ["sparse", "at_end"])
def test_rewards_that_are_told_tell_something(reward: str) -> None:
    """How far the goal is reached is told with dense and falling rewards, and not with others."""
    world = tiny("switch")
    dense, quiet = asked(world), asked(world, feedback__reward=reward)
    assert difference(dense, quiet) is not None
    assert difference(dense, asked(world, feedback__reward="lower_is_better")) is None
    assert difference(quiet, asked(world, feedback__reward="sparse")) is None


# --- what is told -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("voice", VOICES)
def test_no_two_causes_are_said_alike(voice: str) -> None:
    """With its thing named, every cause has words of its own in every voice."""
    say = Engine(variant(tiny("lock"), {"feedback/voice": voice})).reply.phrases.say
    said = {cause: say(f"thing.{cause}", name="thing", Name="Thing") for cause in CAUSES}
    assert len(set(said.values())) == len(CAUSES)
    assert not {say("silence"), say("something"), say("nothing")} & set(said.values())
    assert len({say("silence"), say("something"), say("nothing")}) == 3


def test_the_transitions_are_the_same_under_every_slot() -> None:
    """Forms, words, protocols and feedback leave every state, cause and intent of a step where they were."""
    world = tiny("lock")
    engine = Engine(world)
    states = states_of(engine, 1)
    intents = [*engine.dynamics.intents(inform=False), *engine.dynamics.intents(inform=True)]
    for number, form in enumerate(FORMS):
        values = {
            "grammar/form": form, "grammar/words": WORDS[number % 2], "feedback/voice": VOICES[number % len(VOICES)],
            "feedback/detail": DETAILS[number % 3], "feedback/success": "told",
        }
        other = Engine(variant(world, values))
        assert other.dynamics.start == engine.dynamics.start
        for state in states[::4]:
            for intent in intents:
                one = engine.step(state, engine.commands(intent, state)[0])
                two = other.step(state, other.commands(intent, state)[0])
                assert (one.state, one.cause, one.intent, one.reward) == (two.state, two.cause, two.intent, two.reward)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_no_form_changes_the_optimum(seed: str) -> None:
    """Under every form, word list, voice and detail a shortest plan is as long; a protocol adds what it asks for."""
    world = variant(built(f"tiny/{seed}").world, {"grammar/protocol": "direct"})
    direct = Solved(world)
    for values in (
        *({"grammar/form": form} for form in FORMS[::3]), *({"grammar/words": words} for words in WORDS),
        *({"feedback/voice": voice} for voice in VOICES), {"grammar/protocol": "implicit"},
    ):  # fmt: skip
        assert Solved(variant(world, values)).steps == direct.steps
    for protocol in ("focus", "confirm"):
        asked_ = Solved(variant(world, {"grammar/protocol": protocol}))
        commands, _ = typed(asked_)
        assert asked_.steps == len(commands) >= direct.steps
        assert len(asked_.intents) >= direct.steps
        assert asked_.steps == Space(asked_.world).shortest(200_000)
