"""Reading views in any form: sections, items with their words, what hangs on what, goals."""

from __future__ import annotations

import pytest

from sandbox.agent.goals import wanted
from sandbox.agent.text import Item, Reader

WORDS = ["hall", "cellar", "lamp", "cup", "red", "key", "oak", "door", "chest", "egg", "take", "put", "in", "with"]
PROSE = (
    "Hall. Here: a lamp (dark), a chest (open) with an egg (wet) in it. On the floor: a cup. "
    "Ways: cellar by the oak door (closed, locked). You hold a red key."
)
FORMS = {
    "prose": PROSE,
    "list": "at: hall\nfixed: lamp [dark]; chest [open] { egg [wet] }\nloose: cup\n"
    "ways: cellar via oak door [closed, locked]\nheld: red key",
    "json": '{"at": "hall",\n "fixed": {"lamp": ["dark"], "chest": ["open", {"egg": ["wet"]}]},\n'
    ' "loose": {"cup": []},\n "ways": {"cellar": {"oak door": ["closed", "locked"]}}, "held": {"red key": []}}',
    "signs": "hall | lamp:dark, chest:open {egg:wet} | cup | > cellar / oak door:closed.locked | ^ red key",
    "table": "at    | hall\nfixed | lamp           | dark\n      | chest { egg (wet) } | open\nloose | cup\n"
    "ways  | cellar         | oak door: closed, locked\nheld  | red key",
}


def reader() -> Reader:
    """A reader that knows the words of the parser, and which of them are no names."""
    return Reader(WORDS, ("take", "put", "in", "with"))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_the_same(form: str) -> None:
    """Names, the words said of them, and what lies in or stands before what, whatever the form."""
    found: dict[str, tuple[frozenset[str], str]] = {}

    def walk(item: Item, above: str) -> None:
        found[item.name] = frozenset(item.words), above
        for below in item.items:
            walk(below, item.name)

    for section in reader().sections(FORMS[form]):
        for item in section.items:
            walk(item, "")
    assert found == {
        "hall": (frozenset(), ""), "lamp": (frozenset({"dark"}), ""), "chest": (frozenset({"open"}), ""),
        "egg": (frozenset({"wet"}), "chest"), "cup": (frozenset(), ""), "cellar": (frozenset(), ""),
        "oak door": (frozenset({"closed", "locked"}), "cellar"), "red key": (frozenset(), ""),
    }  # fmt: skip


def words_in(reader: Reader, text: str) -> dict[str, tuple[str, ...]]:
    """Each thing that a view names at its top level, with the words said of it."""
    return {item.name: item.words for section in reader.sections(text) for item in section.items}


def test_names_may_hold_verbs_and_apostrophes() -> None:
    """A name goes on over a word that is a verb elsewhere, and a word of the vocabulary stays whole."""
    reader = Reader(["press", "take", "wine", "smith's", "bell", "hall", "maids'", "door"], ("press", "take"))
    assert [item.name for section in reader.sections("here: wine press; smith's bell [still]; maids' door") for item in section.items] == [
        "wine press", "smith's bell", "maids' door",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("Here: a chest with an egg and a cup, a lamp.", ["egg", "cup"]),
        ("Here: a chest (open) with an egg (wet), a lamp.", ["egg"]),
        ("Here: a chest with an egg, a cup in it, a lamp.", ["egg", "cup"]),
        ("Here: a chest, a lamp and an egg.", []),
    ],
)
def test_what_lies_in_a_thing_ends_somewhere(text: str, inside: list[str]) -> None:
    """In a sentence, "and" goes on with what lies in a thing, and a comma ends it."""
    chest = reader().sections(text)[0].items[0]
    assert (chest.name, [item.name for item in chest.items]) == ("chest", inside)


def test_what_stands_beside_the_place_is_no_part_of_its_name() -> None:
    """Ornaments in the first cell of a line of signs are left aside."""
    sections = Reader(["hall", "cup", "yard"]).sections("hall '_ | - | cup | > yard | ^ -")
    assert sections[0].items == (Item("hall"),)
    assert sections[3].frame == "| >"


def test_a_row_with_words_and_content() -> None:
    """A cell of words may end in what lies in the thing."""
    reader = Reader(["hall", "chest", "cup", "egg"])
    (section,) = reader.sections("fixed | chest        | open, painted { cup; egg }")
    assert section.items == (Item("chest", ("open", "painted"), (Item("cup", link="{"), Item("egg", link="{"))),)


def test_a_word_of_state_is_no_name() -> None:
    """A word that begins a longer name, or is said of things, is no name by itself."""
    reader = Reader(["high", "shelf", "ladder"])
    reader.learn("high shelf")
    assert words_in(reader, "fixed | ladder    | high") == {"ladder": ("high",)}


def test_signs_are_read_as_the_words_they_stand_for() -> None:
    """Where the help page says what a sign means, a view and a sentence say the same."""
    reader = Reader(["gate", "hall"])
    reader.signs = {"~": "open"}
    assert words_in(reader, "hall | gate:~ | - | - | ^ -")["gate"] == ("open",)
    assert wanted("goal  gate:~", reader) == [("word", "gate", "open")]


def test_what_is_listed_and_no_name_is_kept_apart() -> None:
    """A remark is no thing, in any form."""
    reader = Reader(["hall", "cup"])
    for view in (
        '{"at": "hall", "also": "fresh paint"}',
        "at: hall\nalso: fresh paint",
        "at | hall\nalso | fresh paint",
    ):
        sections = reader.sections(view)
        assert [item.name for section in sections for item in section.items] == ["hall"]
        assert sections[1].said == ("fresh paint",)


@pytest.mark.parametrize(
    "text", ["", "\x00", "{", "[[[", '{"a": 1}', "|||", "( [ {", "a" * 10_000, "\ud800", "🙂 (🙂)"]
)
def test_any_text_can_be_read(text: str) -> None:
    """Whatever a world shows is read without an error."""
    assert isinstance(reader().sections(text), tuple)
    assert isinstance(reader().clauses(text), list)


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        ("Wanted: the lamp is lit, and you hold the red key.", [("word", "lamp", "lit"), ("held", "red key")]),
        (
            "goal: the cup is in the chest; the oak door is not open",
            [("in", "cup", "chest"), ("not", "oak door", "open")],
        ),
        ("Wanted: the chest is closed again.", [("word", "chest", "closed")]),
        ("goal  lamp:+  &  ^ cup", [("word", "lamp", "+"), ("held", "cup")]),
    ],
)
def test_goals_speak_the_language_of_the_room(sentence: str, facts: list[tuple[str, ...]]) -> None:
    """A goal is read into the facts that views tell."""
    assert wanted(sentence, reader()) == facts
