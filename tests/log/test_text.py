"""Every text can be stored and comes back as it was."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.log.text import escape, unescape

ANY = st.text(st.characters(categories=None, exclude_categories=())) | st.text("\x00\x1a\ud800\udfff0aD", max_size=8)


@given(ANY)
def test_every_text_comes_back_as_it_was(text: str) -> None:
    """Escaping is undone exactly, whatever the text, even one that looks escaped already."""
    assert unescape(escape(text)) == text


@given(ANY)
def test_an_escaped_text_is_utf8_without_nul(text: str) -> None:
    """What is stored can be encoded as UTF-8 and read to its end by programs that stop at NUL."""
    assert b"\x00" not in escape(text).encode("utf-8")


@given(ANY)
def test_sqlite_gives_back_what_was_escaped(text: str) -> None:
    """The detour through a real SQLite value changes nothing."""
    with closing(sqlite3.connect(":memory:")) as db:
        (stored,) = db.execute("SELECT ? || ''", (escape(text),)).fetchone()
    assert unescape(stored) == text


@pytest.mark.parametrize("text", ["", "You see a key.", "été 钥匙 🗝️", "\x1b[31m\r\t\x07", "&lt;b&gt;"])
def test_what_utf8_can_hold_is_stored_as_it_is(text: str) -> None:
    """Only NUL, lone surrogates and the mark itself are escaped: everything else stays readable and searchable."""
    assert escape(text) == text
