"""Protocols: what is left to the world, and what is asked back."""

from __future__ import annotations

import pytest

from sandbox.generate.content import content
from sandbox.generate.speak import PROTOCOLS
from sandbox.world.dynamics import Dynamics
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.lesson import samples
from sandbox.world.world import World
from tests.outside.pair import Pair
from tests.outside.worlds import drawn, variant

FORMS = tuple(content().names("grammars"))


def spoken(seed: str, protocol: str, form: str = "imperative", words: str = "english") -> World:
    """A small world that speaks under a protocol."""
    values = {"grammar/protocol": protocol, "grammar/form": form, "grammar/words": words}
    return variant(drawn("small", seed), values)


def test_an_intent_that_was_asked_back_is_remembered_in_the_state() -> None:
    """Every intent has a number of its own above the facts, and is read back from it."""
    world = spoken("asked", "confirm")
    dynamics = Dynamics(world.rules, world.layout)
    intents = [*dynamics.intents(inform=False), *dynamics.intents(inform=True)]
    codes = {dynamics.asking(intent): intent for intent in intents}
    assert len(codes) == len(intents)
    for code, intent in codes.items():
        assert not code & dynamics.unasked
        assert dynamics.asked(dynamics.start | code) == intent
    assert dynamics.asked(dynamics.start) is None


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_protocol_changes_no_state(protocol: str) -> None:
    """Bits and start are those of every other protocol: the transition system is the same."""
    direct, other = (Engine(spoken("bits", p)).dynamics for p in ("direct", protocol))
    assert (direct.start, direct.unasked, direct.selected_mask) == (other.start, other.unasked, other.selected_mask)


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("protocol", ["implicit", "confirm"])
def test_the_slow_interpreter_speaks_it_too(protocol: str, number: int) -> None:
    """Along drawn walks, both take the same for granted, and have been asked the same."""
    pair = Pair(spoken(f"both {number}", protocol, FORMS[number], "invented" if number % 2 else "english"))
    pair.walk(Key("protocol", protocol, number).stream(), 150)


def test_what_is_left_out_is_held_or_at_hand() -> None:
    """Of two things the second may be left out: one that is held goes before one that only lies there."""
    engine = Engine(spoken("hands", "implicit"))
    stream = Key("hands").stream()
    state, taken = engine.start().state, 0
    for _ in range(300):
        for action, _ in engine.world.grammar.short:
            for first in engine.dynamics.selected:
                second = engine.protocol.implied(action, first, state)
                if second is not None:
                    place = engine.dynamics.ground.value("place", (second,), state)
                    others = [engine.dynamics.ground.value("place", (i,), state)
                              for i in engine.dynamics.ground.members(engine.dynamics.actions[action].params[1][1]) if i != first]
                    assert place == "carried" or "carried" not in others
                    assert engine.view.in_reach(second, state, engine.dynamics.room(state).name)
                    taken += 1
        state = engine.step(state, stream.choice(engine.admissible(state))).state
    assert taken


def test_the_first_screen_shows_how_the_protocol_goes() -> None:
    """A new player sees how to ask for help, and each step that an act takes."""
    focus, confirm = (Engine(spoken("screen", protocol)) for protocol in ("focus", "confirm"))
    assert samples(focus)[0] == "help"
    assert any(sample.startswith("select ") and ", next command " in sample for sample in samples(focus))
    assert any(sample.endswith(", next command yes") for sample in samples(confirm))
    assert "select THING" in focus.help_text
    assert "To have it done, say: yes" in confirm.help_text
