"""Themes: each holds enough nouns for two draws at every size, and its texts want something."""

from __future__ import annotations

import re

import pytest

from sandbox.generate.content import content
from sandbox.generate.draw import render_phrases
from sandbox.generate.names import Draw, load_theme, name_all
from sandbox.generate.recipe import load_recipe
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key
from sandbox.world.spec import Layout, Object, Rules
from tests.generate.conftest import Refused
from tests.outside.worlds import drawn, undressed

THEMES = content().names("themes")
NOUNS = [name for name in THEMES if load_theme(content(), name).prior == "aligned"]
WORDS = re.compile(r"[a-z']+")


def huge(rules: Rules) -> Layout:
    """The rooms and objects of a layout of the largest size: half of the objects plain things, the others of all kinds."""
    kinds = [k.name for k in rules.kinds if k.name not in ("room", "thing", "fixture")]
    objects = [Object(f"thing{n}", "thing") for n in range(100)]
    objects += [Object(f"other{n}", kinds[n % len(kinds)]) for n in range(100)]
    return Layout(tuple(f"r{n}" for n in range(100)), tuple(objects), (), ())


def test_eight_themes_stand_in_four_prior_classes() -> None:
    """Aligned, swapped, invented, coded: each class can be drawn, and `~theme` stays within it."""
    priors = [load_theme(content(), name).prior for name in THEMES]
    assert len(THEMES) >= 8
    assert {prior: priors.count(prior) for prior in ("aligned", "swapped", "invented", "coded")}.items() >= {
        "aligned": 4, "swapped": 2, "invented": 1, "coded": 1}.items()  # fmt: skip


@pytest.mark.parametrize("name", THEMES)
def test_a_theme_names_the_largest_world_twice(name: str) -> None:
    """100 rooms and 200 objects get names that no other one has; drawn anew, the rooms have other names."""
    rules = drawn("default", "huge").rules
    layout, file = huge(rules), load_theme(content(), name)
    draws = [dict(name_all(name, file, rules, layout, Draw(Key("huge"), number), ()).names) for number in (0, 1)]
    for names in draws:
        assert len({name for id_, name in names.items() if ":" not in id_}) == 300
    same = [id_ for id_, called in draws[0].items() if ":" not in id_ and called in draws[1].values()]
    assert len(same) < 60, "another draw gives other names as far as there are any"


@pytest.mark.parametrize("name", NOUNS)
def test_every_kind_has_nouns_of_its_own(name: str) -> None:
    """Five nouns a kind at least, none in two kinds, none that reads as many or hides a word of the grammar."""
    file = load_theme(content(), name)
    seen: dict[str, str] = {}
    for kind, nouns in file.kinds.items():
        assert len(set(nouns)) >= 5, kind
        for noun in nouns:
            assert noun not in file.rooms, noun
            assert seen.setdefault(noun, kind) == kind, f"{noun} is a {kind} and a {seen[noun]}"
            assert not noun.endswith("s") or noun.endswith(("ss", "us", "is", "lens")), f"{noun} reads as many"
            assert not {"a", "an", "the", "and", "in", "with", "on", "from", "to"} & set(noun.split()), noun
    assert len(file.kinds["thing"]) >= 30


@pytest.mark.parametrize("name", THEMES)
def test_a_premise_wants_something_in_two_sentences(name: str) -> None:
    """One or two short sentences; titles of a few words."""
    file = load_theme(content(), name)
    for premise in file.premises:
        assert 1 <= len(re.findall(r"[.!?](?: |$)", premise)) <= 2, premise
        assert len(premise.split()) <= 32, premise
    assert all(len(title.split()) <= 5 for title in file.titles)
    assert len(file.premises) >= 3


def test_a_swapped_kind_has_the_nouns_of_another() -> None:
    """No object of a swapped world but a plain thing is called what its model would call it, nor is its kind."""
    for number in range(6):
        recipe = load_recipe(content(), "default").model_copy(update={"themes": ("mislabelled",)})
        world = undressed(content(), "default", recipe, f"swapped {number}")
        file = load_theme(content(), "mislabelled")
        called = dict(world.theme.names)
        labels = {}
        for object_ in world.layout.objects:
            own = file.kinds.get(object_.kind, ())
            if object_.kind not in ("thing", "fixture") and own:
                name = called[object_.id]
                assert name not in own, f"{object_.kind} is called {name}"
                labels[object_.kind] = called[f"kind:{object_.kind}"]
        assert len(labels) > 3
        assert all(label != file.labels.get(kind, kind.replace("_", " ")) for kind, label in labels.items())


def test_codes_say_nothing() -> None:
    """A coded name is a letter or two and a number; the numbers of a kind do not count it."""
    recipe = load_recipe(content(), "default").model_copy(update={"themes": ("coded",)})
    world = undressed(content(), "default", recipe, "codes")
    names = [name for id_, name in world.theme.names if ":" not in id_]
    assert all(re.fullmatch(r"[a-z]{1,2}\d{2,3}", name) for name in names)
    assert len({re.sub(r"\D", "", name) for name in names}) == len(names), "no number is used twice"
    assert " a " + names[0] not in Engine(world).start().text


def test_a_theme_that_is_too_small_is_named_at_once(refused: Refused) -> None:
    """The size of a recipe and the names of its theme: the error names theme, kind and both numbers."""
    said = refused("themes/nonce.toml", 'prior = "invented"', 'prior = "aligned"\nrooms = ["hall"]', "nonce/0")
    assert said.startswith("theme 'nonce' has 1 names for 5 objects of kind 'room' | add nouns or adjectives")


def test_a_swapped_theme_names_its_model(refused: Refused) -> None:
    """Without a model, or with one that is no plain theme, a swapped theme is refused."""
    assert "like: the theme whose nouns are swapped" in refused("themes/nonce.toml", '"invented"', '"swapped"', "nonce/0")


def test_a_distractor_names_nothing() -> None:
    """No word of a distractor is a noun of a theme, a word for a state, or a verb: it is about nothing that is."""
    files = [load_theme(content(), name) for name in NOUNS]
    nouns = {noun for file in files for nouns in (*file.kinds.values(), file.rooms) for noun in nouns}
    said: set[str] = set()
    for number in range(12):
        rules = drawn("default", f"distractors {number}").rules
        said |= {word for f in rules.functions for text in f.words for word in text.lower().split()}
        said |= {action.spellings[0].split()[0] for action in rules.actions}
    for form in content().names("observations"):
        moods = [t for key, t in render_phrases(content(), "observations", form, {}) if key.startswith("distractor.")]
        assert len(moods) >= 12
        for mood in moods:
            words = set(WORDS.findall(mood.lower())) - {"a", "of", "in", "the", "is", "it", "are", "low", "lies"}
            assert not words & (nouns | said), f"{form}: {mood!r}: {words & (nouns | said)}"
