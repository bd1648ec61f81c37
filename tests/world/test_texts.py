"""Texts over many worlds: one screen, in fixed order, nothing unfilled, articles right, every sentence with a fact."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator

import pytest

from sandbox.world.engine import Engine
from sandbox.world.english import article
from sandbox.world.keyed import Key
from tests.outside.worlds import drawn, variant

ROOM, REPLY = 60, 25
"""Words of a room and of a reply, at most."""
WORD = re.compile(r"[\w'-]+")
UNFILLED = re.compile(r"<\w+(?::\d+)?>|%\(|\{\d\}|\bNone\b|\bkind:|  \.| [.,;](?: |$)|(?<!\.)\.\.(?!\.)")
DOUBLE = re.compile(r"\b(?:a|an|the) (?:a|an|the)\b|\bthe (?:the|a)\b", re.IGNORECASE)
ARTICLE = re.compile(r"\b(an?) ([a-z][\w'-]*(?: [a-z]+)*)")
ORDERS = {
    "prose": ("Here: ", "On the floor: ", "Ways: ", r"You hold |Your hands", r"You are ", "\n"),
    "list": ("\nfixed: ", "\nloose: ", "\nways: ", "\nheld: ", "\nyou: ", "\n(?:next|far): "),
    "table": ("\nfixed ", "\nloose ", "\nways ", "\nheld ", "\nyou ", "\n(?:next|far) "),
    "json": ('"at"', '"fixed"', '"loose"', '"ways"', '"held"', '"you"', '"next"'),
}
PROSE = re.compile(
    r"(?:[A-Z][\w' -]*|Here: .+|On the floor: .+|Ways: .+|There is no way out|You hold .+|Your hands are empty|You are .+"
    r"|It is too dark to see what is here|Next door, in the .+: .+|In the .+: .+)\.", re.DOTALL,
)  # fmt: skip
SCREEN = ("look", "go", "help", "read", "restart")


@functools.cache
def engines(form: str) -> tuple[Engine, ...]:
    """Worlds of every kind of recipe under an observation form, in the plain voice."""
    found = []
    for number in range(10):
        world = drawn(("default", "small", "tiny", "nonce", "default")[number % 5], f"texts {number}")
        slots = {"observation/form": form, "observation/scope": "room", "feedback/voice": "plain"}
        found.append(Engine(variant(world, slots)))
    return tuple(found)


def walks(form: str, length: int = 60) -> Iterator[tuple[Engine, int, str, str]]:
    """(engine, state, action, text shown) along a drawn walk through each world."""
    for number, engine in enumerate(engines(form)):
        stream, state = Key("texts", form, number).stream(), engine.start().state
        for _ in range(length):
            step = engine.step(state, stream.choice(engine.admissible(state)))
            state = step.state
            yield engine, state, (step.intent or "").partition("(")[0], step.text


def view(engine: Engine, state: int) -> str:
    """The room as the player in it sees it."""
    return engine.view.room(state, engine.dynamics.room(state).name)


@pytest.mark.parametrize("form", ["prose", "list", "table", "symbolic"])
def test_everything_is_one_screen(form: str) -> None:
    """A room has at most 60 words, a reply at most 25, whatever has gathered in the room."""
    for engine, state, action, text in walks(form):
        room = view(engine, state)
        assert len(WORD.findall(room)) <= ROOM, room
        if action not in SCREEN:
            assert len(WORD.findall(text)) <= REPLY, text


@pytest.mark.parametrize("form", sorted(ORDERS))
def test_a_room_is_told_in_fixed_order(form: str) -> None:
    """Place, fixed things, loose things, ways, what is held, what is so of the player, other rooms."""
    for engine, state, _, _ in walks(form, 20):
        text = view(engine, state)
        places = [found.start() for mark in ORDERS[form] if (found := re.search(mark, text))]
        assert places == sorted(places), text


def test_json_is_one_value_a_view() -> None:
    """A view in JSON can be read as such, and names each thing once."""
    for engine, state, _, _ in walks("json", 20):
        read = json.loads(view(engine, state))
        assert next(iter(read)) == "at"
        assert isinstance(read["fixed"] if "fixed" in read else read["dark"], dict | bool)
        names = json.loads(view(engine, state), object_pairs_hook=list)
        assert len(names) == len(read)


def everything(engine: Engine) -> Iterator[str]:
    """All pages of a world: first screen, help, rules, cards."""
    yield from (engine.start().text, engine.help_text, engine.rules_text())
    yield from (engine.card_text(id_) for id_, _ in engine.world.cards)


@pytest.mark.parametrize("form", ["prose", "list", "table", "json", "symbolic"])
def test_nothing_is_unfilled(form: str) -> None:
    """No gap, format or id is left in any text, and no article stands twice or before the wrong letter."""
    texts = [text for _, _, _, text in walks(form, 30)]
    texts += [text for engine in engines(form) for text in everything(engine)]
    for text in texts:
        assert not UNFILLED.search(text), text
        assert not DOUBLE.search(text), text


def test_articles_are_right() -> None:
    """"an oven", "a unicorn", "an hourglass"; a name with a number has none."""
    for name, said in (
        ("oven", "an oven"), ("key", "a key"), ("unicorn", "a unicorn"), ("urn", "an urn"), ("hourglass", "an hourglass"),
        ("eye", "an eye"), ("eyewash", "an eyewash"), ("m3", "m3"), ("umbrella", "an umbrella"),
    ):  # fmt: skip
        assert article(name) == said
    for engine, state, _, _ in walks("prose", 20):
        for found, name in ARTICLE.findall(view(engine, state).replace("Wanted", "")):
            assert f"{found} {name}" == article(name), name


def test_every_sentence_carries_a_fact_or_is_a_distractor() -> None:
    """What stands in a room beside the known sentences is the distractor that was drawn for it, and it stands once."""
    for engine, state, _, _ in walks("prose", 20):
        text, room = view(engine, state), engine.dynamics.room(state).name
        mood = engine.view.phrases.texts.get(f"mood.{room}", "").strip()
        assert (engine.world.observation.distractors == "some") == bool(mood)
        if mood and "too dark" not in text:
            assert text.count(mood) == 1
            text = text.replace(" " + mood, "", 1)
        for sentence in re.split(r"(?<=\.)\s", text):
            assert PROSE.fullmatch(sentence), sentence


def test_the_goal_speaks_the_language_of_the_room() -> None:
    """The names of the goal are those of the room, and its words are those by which the room says states."""
    for engine in engines("prose"):
        text = engine.goal_text
        for fact in engine.world.goal:
            if fact.args:
                assert engine.world.names[fact.args[0]] in text
            function = next((f for f in engine.world.rules.functions if f.name == fact.name and any(f.words)), None)
            if function is not None and fact.want:
                word = function.words[function.values.index(fact.value)]
                assert word in text or (not word and function.words[1] in text), text
