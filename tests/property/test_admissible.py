"""The admissible list holds exactly what can be done, and everything that can be done can be said."""

from __future__ import annotations

import pytest

from sandbox.generate.content import content
from sandbox.generate.recipe import load_recipe
from sandbox.generate.speak import PROTOCOLS, WORDS
from sandbox.world.engine import Engine, intent_text, text_intent
from sandbox.world.keyed import Key
from sandbox.world.world import World
from tests.outside.pair import all_intents, commands
from tests.outside.space import Space
from tests.outside.worlds import built, drawn, undressed, variant

FORMS = tuple(content().names("grammars"))
SPEECHES = [(form, protocol) for form in FORMS for protocol in PROTOCOLS]


SMALLEST = (
    ("lock", 3, "imperative", "direct"), ("container", 2, "coded", "direct"), ("container", 2, "verb_last", "focus"),
    ("switch", 3, "imperative", "focus"), ("hands", 3, "coded", "focus"), ("growth", 2, "verb_last", "direct"),
    ("station", 2, "imperative", "direct"), ("lock", 3, "json", "implicit"), ("container", 2, "polite", "implicit"),
    ("growth", 2, "case_marked", "implicit"), ("lock", 3, "function_call", "confirm"), ("switch", 3, "postfix", "confirm"),
)  # fmt: skip


def micro(family: str, rooms: int) -> World:
    """A world of one family of rules, so small that every state of it can be visited."""
    sizes = {"rooms": rooms, "things": 2, "draw": (1, 1), "families": (family,)}
    return undressed(content(), "tiny", load_recipe(content(), "tiny").model_copy(update=sizes), "micro")


def check(engine: Engine, states: list[int]) -> None:
    """In each of the states, the list is what `step` accepts, and every executable intent can be typed."""
    everything = commands(engine.world)
    intents = [*engine.dynamics.intents(inform=False), *engine.dynamics.intents(inform=True)]
    for state in states:
        listed = engine.admissible(state)
        accepted = {command for command in everything if canonical(engine, state, command)}
        assert len(set(listed)) == len(listed), "a command is listed twice"
        assert set(listed) == accepted, f"{set(listed) ^ accepted} in {state:x}"
        for intent in intents:
            move = engine.dynamics.room(state).move(intent)
            if move.ready(state):
                assert_can_be_said(engine, state, intent)


def canonical(engine: Engine, state: int, command: str) -> bool:
    """Whether a command is accepted, and is how its intent is said in this state."""
    step = engine.step(state, command)
    if step.cause is not None or not engine.world.grammar.short:
        return step.cause is None
    return command == engine.commands(text_intent(str(step.intent)), state)[0]


def assert_can_be_said(engine: Engine, state: int, intent: tuple[str, tuple[str, ...]]) -> None:
    """One command, or up to three with a protocol, carry out an executable intent; only the last one takes time."""
    said = engine.commands(intent, state)
    assert 1 <= len(said) <= (2 if engine.world.grammar.protocol in ("focus", "confirm") else 1)
    facts, at = engine.dynamics.fact_mask, state
    for command in said[:-1]:
        step = engine.step(at, command)
        assert step.cause is None
        assert step.state & facts == state & facts, "selecting changed a fact"
        at = step.state
    step = engine.step(at, said[-1])
    assert (step.cause, step.intent) == (None, intent_text(intent))
    if not engine.dynamics.actions[intent[0]].inform:
        move = engine.dynamics.room(state).move(intent)
        assert step.state & facts == engine.dynamics.after(state, move) & facts


@pytest.mark.parametrize(("family", "rooms", "form", "protocol"), SMALLEST)
def test_in_every_state_of_the_smallest_worlds(family: str, rooms: int, form: str, protocol: str) -> None:
    """Every state that can be reached at all, nothing left out."""
    space = Space(variant(micro(family, rooms), {"grammar/form": form, "grammar/protocol": protocol}))
    reached = space.reached(30_000)
    assert reached.complete
    check(space.engine, list(reached.depths))


@pytest.mark.parametrize("number", range(6))
def test_in_every_state_as_deep_as_the_plan_of_tiny_worlds(number: int) -> None:
    """Every state that a player can be in after as many commands as a shortest plan has, or the first hundreds of them."""
    built_ = built(f"tiny/{number}")
    space = Space(built_.world)
    states = list(space.reached(1 << 30, built_.certificate.steps).depths)
    check(space.engine, states[:: 1 + len(states) // 300])


@pytest.mark.parametrize("number", range(12))
def test_in_sampled_states_of_larger_worlds(number: int) -> None:
    """States along keyed walks through worlds of every size, form and protocol."""
    form, protocol = SPEECHES[(number * 7) % len(SPEECHES)]
    recipe = ("small", "nonce", "default")[number % 3]
    world = variant(drawn(recipe, f"sample {number}"), {"grammar/form": form, "grammar/protocol": protocol})
    engine, stream = Engine(world), Key("sampled", number).stream()
    state, states = engine.start().state, []
    for _ in range(90):
        state = engine.step(state, stream.choice(engine.admissible(state))).state
        states.append(state)
    check(engine, states[::15])


@pytest.mark.parametrize(("form", "protocol"), SPEECHES)
def test_a_spelling_means_one_intent(form: str, protocol: str) -> None:
    """Every declared spelling of every intent is read as that intent, and as no other."""
    words = WORDS[(FORMS.index(form) + PROTOCOLS.index(protocol)) % 2]
    world = variant(
        drawn("small", "spellings"), {"grammar/form": form, "grammar/protocol": protocol, "grammar/words": words}
    )
    engine = Engine(world)
    speech, patterns, short = engine.speech, dict(engine.speech.patterns()), dict(world.grammar.short)
    meant: dict[str, set[tuple[str, tuple[str | None, ...]]]] = {}
    for action, args in all_intents(world):
        for pattern in (*patterns[action], *filter(None, [short.get(action)])):
            said = tuple(arg if f"{{{number}}}" in pattern else None for number, arg in enumerate(args))
            meant.setdefault(speech.fill(pattern, args), set()).add((action, said))
    for text, intents in meant.items():
        assert len(intents) == 1, f"{text!r} means {intents}"
        assert speech.parse(text) == next(iter(intents))


def test_looking_closely_changes_nothing_that_can_be_done() -> None:
    """What has been examined is remembered and opens no other command."""
    engine = Engine(drawn("small", "closely"))
    state = engine.start().state
    for command in engine.admissible(state):
        step = engine.step(state, command)
        if step.intent and step.intent.startswith("examine"):
            assert step.state != state
            assert engine.admissible(step.state) == engine.admissible(state)
