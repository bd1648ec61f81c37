"""Suites: frozen digests, and files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.errors import SuiteError, UnknownName
from sandbox.generate.content import Content, content
from sandbox.measure.suite import Entry, check_entry, load_suite, suite_text

DIGEST = "0" * 32


def test_a_written_suite_is_read_back(tmp_path: Path) -> None:
    """References with quotes and other signs survive, and bands are optional."""
    entries = (Entry(ref='tiny/a"b', digest=DIGEST, band="hard"), Entry(ref="7~rules", digest=DIGEST))
    path = tmp_path / "mine.toml"
    path.write_text(suite_text('Say "yes".', entries), "utf-8")
    suite = load_suite(content(), str(path))
    assert (suite.about, suite.worlds) == ('Say "yes".', entries)


def test_a_suite_of_ones_own_folder_is_found_by_name(tmp_path: Path) -> None:
    """As every other content."""
    folder = tmp_path / "worlds" / "suites"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(suite_text("Mine.", [Entry(ref="tiny/0", digest=DIGEST)]), "utf-8")
    assert load_suite(Content(tmp_path), "mine").about == "Mine."
    with pytest.raises(UnknownName) as caught:
        load_suite(Content(tmp_path), "mime")
    assert caught.value.hint == "did you mean 'mine'?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("about = 3", "about: Input should be a valid string"),
        ('generator = "1"\nworlds = []', "worlds: Tuple should have at least 1 item"),
        ('generator = "1"', "key 'worlds' is missing"),
        (suite_text("", [Entry(ref="tiny/0", digest=DIGEST)] * 2), "worlds: 'tiny/0' is listed twice"),
        (suite_text("", [Entry(ref="tiny/", digest=DIGEST)]), "the world reference 'tiny/' has no seed"),
        (suite_text("", [Entry(ref="tiny/0", digest=DIGEST)]).replace("digest", "digset"), "digset"),
        (suite_text("", [Entry(ref="tiny/0", digest=DIGEST)]).replace(DIGEST, "xyz"), "digest"),
        ("about = ", "Invalid value"),
    ],
)  # fmt: skip
def test_a_wrong_suite_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """With the file, the key and what was expected."""
    path = tmp_path / "wrong.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(SuiteError) as caught:
        load_suite(content(), str(path))
    assert "wrong.toml" in caught.value.message
    assert said in caught.value.message
    with pytest.raises(SuiteError, match="cannot read the suite"):
        load_suite(content(), str(tmp_path / "none.toml"))


def test_a_world_is_compared_with_its_frozen_digest() -> None:
    """The same, another one, or none at all: each says which."""
    now = build("tiny/0").world.digest
    assert check_entry(Entry(ref="tiny/0", digest=now)).ok
    other = check_entry(Entry(ref="tiny/0", digest=DIGEST))
    assert (other.ok, other.why) == (False, f"its digest is {now}, frozen is {DIGEST}")
    none = check_entry(Entry(ref="tiny/0~rules/none/such=thing", digest=DIGEST))
    assert (none.ok, none.found) == (False, None)
    assert "unknown slot of this world" in str(none.why)


@pytest.mark.parametrize("name", content().names("suites"))
def test_the_suites_that_come_along_can_be_read(name: str) -> None:
    """Every built-in suite has a line about it."""
    assert load_suite(content(), name).about
