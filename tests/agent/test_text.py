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


@pytest.mark.parametrize("text", ["", "\x00", "{", "[[[", '{"a": 1}', "|||", "( [ {", "a" * 10_000, "\ud800", "🙂 (🙂)"])
def test_any_text_can_be_read(text: str) -> None:
    """Whatever a world shows is read without an error."""
    assert isinstance(reader().sections(text), tuple)
    assert isinstance(reader().clauses(text), list)


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        ("Wanted: the lamp is lit, and you hold the red key.", [("word", "lamp", "lit"), ("held", "red key")]),
        ("goal: the cup is in the chest; the oak door is not open", [("in", "cup", "chest"), ("not", "oak door", "open")]),
        ("goal  lamp:+  &  ^ cup", [("word", "lamp", "+"), ("held", "cup")]),
    ],
)
def test_goals_speak_the_language_of_the_room(sentence: str, facts: list[tuple[str, ...]]) -> None:
    """A goal is read into the facts that views tell."""
    assert wanted(sentence, reader()) == facts
