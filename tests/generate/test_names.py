"""Names: what things are called can be typed, means one thing, and is never a word of the grammar."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.errors import ThemeError
from sandbox.generate.content import Content, content
from sandbox.generate.draw import render_phrases
from sandbox.generate.edits import choice_of
from sandbox.generate.names import Draw, is_typable, load_theme, name_all, typable
from sandbox.generate.recipe import load_recipe
from sandbox.generate.speak import WORDS, fixed_words
from sandbox.world.engine import Engine, speech_of
from sandbox.world.keyed import Key
from sandbox.world.world import World
from tests.generate.conftest import Refused
from tests.outside.worlds import drawn, undressed, variant

KITCHEN = "themes/kitchen.toml"
RECIPES = ("tiny", "small", "nonce", "default")


def begins(one: str, other: str) -> bool:
    """Whether a name's words begin with all the words of another."""
    return one.split()[: len(other.split())] == other.split()


def fixed_in(world: World) -> set[str]:
    """Every fixed word in the patterns of a world's grammar."""
    speech = speech_of(world)
    return {word for _, patterns in speech.patterns() for pattern in patterns for word in speech.parts(pattern)[0]}


@pytest.mark.parametrize("recipe", RECIPES)
def test_no_name_begins_another_or_is_a_word_of_the_grammar(recipe: str) -> None:
    """Names and fixed words form a prefix-free set, under every grammar, so that a text splits in one way."""
    for number in range(15):
        world = drawn(recipe, f"names {number}")
        for form, words in zip(load_recipe(content(), recipe).forms, WORDS * 6, strict=False):
            other = variant(world, {"grammar/form": form, "grammar/words": words, "grammar/protocol": "focus"})
            fixed = fixed_in(other)
            names = [name for id_, name in world.names.items() if ":" not in id_]
            assert len(set(names)) == len(names)
            everything = [*names, *fixed]
            for name in names:
                assert is_typable(name)
                assert not any(begins(other, name) or begins(name, other) for other in everything if other != name)


def test_no_grammar_of_a_world_has_other_words() -> None:
    """The words that names keep clear of are those of every form and list, also of forms that another edit would draw."""
    world = drawn("default", "words")
    key = choice_of(content(), world).key.child("words")
    forms = load_recipe(content(), "default").forms
    kept = fixed_words(world.rules, [dict(render_phrases(content(), "grammars", form, {})) for form in forms], key)
    for form in forms:
        for words in WORDS:
            for protocol in ("focus", "confirm"):
                values = {"grammar/form": form, "grammar/words": words, "grammar/protocol": protocol}
                said = {word.lstrip("-") for word in fixed_in(variant(world, values))}
                assert said <= kept, f"{form}, {words}: {said - kept}"


@pytest.mark.parametrize("name", content().names("themes"))
def test_every_theme_is_large_enough_for_two_draws(name: str) -> None:
    """`~theme` never runs out of nouns: a default world is named twice from one theme, differently."""
    recipe = load_recipe(content(), "default").model_copy(update={"themes": (name,)})
    world = undressed(content(), "default", recipe, f"theme {name}")
    assert load_theme(content(), name).prior == world.theme.prior
    Engine(world)


@pytest.mark.parametrize(("room", "said"), [
    ("Great Hall", "'great hall'"), ("stra\u00dfe", "'strasse'"), ("hall ", "'hall'"), ("hall  two", "'hall two'"),
    ("hall (old)", "'hall old'"), ("{0}", "'0'"), ("", "'thing'"), ("a=b", "'ab'"), ("hall\\tx", "'hallx'"),
    ("ha\u0301ll", "'h\u00e1ll'"), ("<b>", "'b'"),
])  # fmt: skip
def test_a_name_that_cannot_be_typed_is_refused(refused: Refused, room: str, said: str) -> None:
    """Capitals, outer and double blanks, brackets, quotes and decomposed accents: the refusal says how to write it."""
    message = refused(KITCHEN, r"^rooms = \[", f'rooms = ["{room}", ')
    assert message.startswith("themes/kitchen.toml: rooms: ")
    assert said in message


@pytest.mark.parametrize("name", ["salle \u00e0 manger", "\u043a\u0443\u0445\u043d\u044f", "\u53a8\u623f", "\u0645\u0637\u0628\u062e", "\u0930\u0938\u094b\u0908", "jack-o'-lantern"])
def test_a_name_of_any_script_can_be_typed(mine: Path, name: str) -> None:
    """Whatever is its own case-folded form is a name, and commands with it are read."""
    path = mine / "worlds" / KITCHEN
    text = path.read_text(encoding="utf-8").replace("rooms = [", f'rooms = ["{name}", ', 1)
    path.write_text(text, encoding="utf-8")
    recipe = load_recipe(Content(mine), "default").model_copy(update={"themes": ("kitchen",), "rooms": 20})
    found = (undressed(Content(mine), "default", recipe, str(seed)) for seed in range(20))
    world = next(world for world in found if name in world.names.values())
    engine = Engine(world)
    room = next(id_ for id_, known in world.names.items() if known == name)
    assert engine.parse(engine.speech.command("go", (room,)), engine.start().state)[0] == f"go({room})"
    assert engine.parse(engine.speech.command("go", (room,)).upper(), engine.start().state)[0] == f"go({room})"


def test_what_can_be_typed_stays_as_it_is() -> None:
    """Making a name typable twice changes nothing the second time."""
    for name in ("Great  Hall", "İSTANBUL", "ΣΊΣΥΦΟΣ", "ǅ", "ﬁne", "\u1e9e"):
        assert is_typable(typable(name))


def test_a_theme_key_that_does_not_exist_is_named(refused: Refused) -> None:
    """An unknown key of a theme is an error with the nearest one, never ignored."""
    said = refused(KITCHEN, "^rooms = ", "room = ")
    assert said == "themes/kitchen.toml: unknown key 'room' | did you mean 'rooms'?"


def test_a_theme_with_too_few_names_is_named() -> None:
    """A theme that cannot name a layout says which kind, how many names it has and how many are needed."""
    file = load_theme(content(), "kitchen").model_copy(update={"rooms": ("hall", "attic"), "room_adjectives": ("old",)})
    world = drawn("default", "too few")
    with pytest.raises(ThemeError, match="theme 'kitchen' has 4 names for 8 objects of kind 'room'") as caught:
        name_all("kitchen", file, world.rules, world.layout, Draw(Key("few")), ())
    assert caught.value.hint == "add nouns or adjectives to the theme, or make the world smaller"
