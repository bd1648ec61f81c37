"""The page of an episode: complete, harmless, and true to every character."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.log.page import shown, write_page
from sandbox.log.rows import Episode, EpisodeEnd, EpisodeStart, StepRow

Row = Callable[..., StepRow]
ANY = st.text(st.characters(categories=None, exclude_categories=())) | st.text("<>&\"'\x00\x1b\r\n\t \u202e\ud800␛x")
VOID = {"meta", "link", "br", "img"}


class Reader(HTMLParser):
    """Collects tags, and the texts of elements by class, reading signs back as the characters they stand for."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A sign counts as the character that its title names."""
        self.tags.append(tag)
        values = dict(attrs)
        kind = str(values.get("class") or tag)
        if kind == "u":
            self._add(chr(int(str(values["title"]).split()[0].removeprefix("U+"), 16)))
        if tag not in VOID:
            self.texts.setdefault(kind, []).append("")
            self._open.append(kind)

    def handle_endtag(self, _tag: str) -> None:
        """Elements close in the order in which they opened."""
        self._open.pop()

    def handle_data(self, data: str) -> None:
        """What a sign looks like is not part of the text."""
        if self._open and self._open[-1] != "u":
            self._add(data)

    def told(self) -> dict[str, str]:
        """Every name in the header and the tables, with what stands beside it."""
        cells = self.texts["td"]
        return dict(zip(self.texts["dt"] + cells[::2], self.texts["dd"] + cells[1::2], strict=True))

    def _add(self, text: str) -> None:
        for kind in set(self._open):
            self.texts[kind][-1] += text


def read(page: str) -> Reader:
    """The page as a program for the web reads it."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@pytest.fixture
def episode(start: EpisodeStart, solved: EpisodeEnd) -> Episode:
    """A solved episode, as the log gives it back."""
    fields = {name: getattr(start, name) for name in EpisodeStart.__dataclass_fields__ if name != "world_json"}
    moment = "2026-11-30T14:57:40.939Z"
    return Episode(
        id="1m8pfcbjbcjr", run="1m8pfcbjbcjq", started_at=moment, ended_at=moment, commands=2, end=solved, **fields
    )


def page(episode: Episode, *steps: StepRow) -> str:
    """The page of `episode` as one text."""
    out = io.StringIO()
    write_page(out, episode, steps)
    return out.getvalue()


@given(ANY)
def test_every_character_can_be_read_back_from_the_page(text: str) -> None:
    """Markup is text, nothing is dropped, and what cannot be seen is a sign with its code."""
    reader = read(f'<div class="text">{shown(text)}</div>')
    assert reader.texts["text"] == [text]
    assert set(reader.tags) <= {"div", "span"}


@given(ANY)
def test_nothing_on_the_page_acts_on_its_reader(text: str) -> None:
    """No control character but tab and line feed, no change of direction, and valid UTF-8."""
    html = str(shown(text))
    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html) is None
    html.encode("utf-8")


def test_texts_are_shown_as_they_were(episode: Episode, row: Row) -> None:
    """Leading line feeds and blanks, markup, ANSI codes and box drawing come back exactly."""
    text = "\n  <b>bold</b> [bold]x[/bold] &amp; `code`\r\n\x1b[31mred\t┌─┐  "
    reader = read(page(episode, row(0, observation=text), row(1, command="<script>\x00", raw="I say\n<script>\x00")))
    assert reader.texts["text"] == [text, "You see 1.", "I say\n<script>\x00"]
    assert reader.texts["said"] == ["<script>\x00"]


def test_the_page_needs_and_runs_nothing(episode: Episode, row: Row) -> None:
    """No script, no address, no element that loads; its own policy forbids all but its own style."""
    html = page(replace(episode, ref="<img src=x>", agent="<script>"), row(0, observation="<iframe>"))
    assert not {"script", "link", "img", "iframe", "base", "form"} & set(read(html).tags)
    assert "default-src 'none'; style-src 'unsafe-inline'" in html
    style = html[html.index("<style>") : html.index("</style>")]
    assert not re.search(r"url\(|@import|@font-face", style)
    assert not re.search(r'\s(src|href|srcset|style|on\w+)="(?!#step-)', html)


def test_the_page_is_dark_where_the_reader_likes_it_dark(episode: Episode) -> None:
    """Both ways are told to the browser."""
    assert "prefers-color-scheme: dark" in page(episode)
    assert '<meta name="color-scheme" content="light dark">' in page(episode)


def test_the_header_tells_the_world_the_proof_and_the_end(episode: Episode) -> None:
    """Reference, player, slots, optimum and tier, digests, outcome and score."""
    reader = read(page(episode))
    told = reader.told()
    assert reader.texts["h1"] == ["7~rules/lock/match=same_shape"]
    assert reader.texts["sub"] == ["played by exec:./player:speed=3 · 2026-11-30 14:57 UTC"]
    assert reader.texts["goal"] == ["Open the red door."]
    assert (told["outcome"], told["score"], told["steps"]) == ("solved", "1", "2 of at most 80")
    assert (told["certified optimum"], told["rules/lock/match"]) == ("4 (exact)", "same_shape")
    assert (told["world"], told["rules"]) == (episode.world_digest, "bb")
    assert reader.texts["last"] == ["solved after 2 steps · 2026-11-30 14:57 UTC"]


def test_a_step_shows_what_it_was_worth(episode: Episode, row: Row) -> None:
    """Cause, reward, intent and help stand beside the command; an accepted one without reward has none of them."""
    noted = row(1, cause="wrong_thing", reward=-0.5, intent="take(k1)", assist=":hint :undo", done=True)
    reader = read(page(episode, row(0), noted, row(2, reward=0.25)))
    assert reader.texts["tag bad"] == ["wrong_thing", "reward -0.5"]
    assert reader.texts["tag good"] == ["reward +0.25"]
    assert reader.texts["tag open"] == [":hint", ":undo"]
    assert reader.texts["meta"] == ["take(k1)"]
    assert reader.texts["tag"] == ["end"]


def test_an_episode_that_was_cut_off_says_so(episode: Episode, row: Row) -> None:
    """No end is invented."""
    reader = read(page(replace(episode, end=None, ended_at=None), row(0)))
    assert reader.told()["outcome"] == "unfinished"
    assert reader.texts["last"] == ["unfinished: no end was recorded"]


def test_what_went_wrong_is_told(episode: Episode) -> None:
    """An error of the agent is on the page, and there is no score."""
    end = EpisodeEnd("agent_error", solved=False, score=None, steps=1, progress=0.0, error="died <at> line 3")
    reader = read(page(replace(episode, end=end)))
    assert reader.texts["text"] == ["died <at> line 3"]
    assert reader.told()["score"] == "none"
