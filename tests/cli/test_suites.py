"""`sandbox suites` and `sandbox worlds split`: what people and programs read, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.certify import build
from sandbox.cli.main import main
from sandbox.measure.suite import Entry, suite_text


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("own") / "worlds" / "suites"
    folder.mkdir(parents=True)
    good = [Entry(ref=ref, digest=build(ref).world.digest, band="easy") for ref in ("tiny/0", "tiny/1~theme")]
    (folder / "good.toml").write_text(suite_text("Two worlds.", good), "utf-8")
    (folder / "stale.toml").write_text(suite_text("One has changed.", [good[0], Entry(ref="tiny/2", digest="0" * 32)]), "utf-8")
    (folder / "torn.toml").write_text("about =", "utf-8")


def lines(text: str) -> list[dict[str, Any]]:
    """The JSON lines in `text`, all of them."""
    return [json.loads(line) for line in text.splitlines()]


def test_the_bare_noun_lists_suites(capsys: pytest.CaptureFixture[str]) -> None:
    """Each with its number of worlds and its line; a broken one says so and hides no other."""
    assert main(["--content", "own", "suites"]) == 0
    out = capsys.readouterr().out
    assert any(line.startswith("good ") and line.endswith("2       Two worlds.") for line in out.splitlines())
    assert "broken: suites/torn.toml" in out
    assert main(["--content", "own", "suites", "list", "--json"]) == 0
    found = {line["suite"]: line for line in lines(capsys.readouterr().out)}
    assert (found["good"]["worlds"], found["good"]["bands"]) == (2, {"easy": 2})
    assert "error" in found["torn"]


def test_a_suite_shows_its_worlds(capsys: pytest.CaptureFixture[str]) -> None:
    """References, bands and digests, for people and programs."""
    assert main(["--content", "own", "suites", "show", "good"]) == 0
    assert "tiny/1~theme" in capsys.readouterr().out
    assert main(["--content", "own", "suites", "show", "good", "--json"]) == 0
    assert [(line["ref"], line["band"]) for line in lines(capsys.readouterr().out)] == [
        ("tiny/0", "easy"), ("tiny/1~theme", "easy"),
    ]  # fmt: skip


def test_checking_builds_the_worlds_again(capsys: pytest.CaptureFixture[str]) -> None:
    """0 when every digest is the frozen one, 4 when one differs; each world is a line of JSON."""
    assert main(["--content", "own", "suites", "check", "good"]) == 0
    assert "2 of 2 worlds of good are the frozen ones" in capsys.readouterr().out
    assert main(["--content", "own", "suites", "check", "stale", "--json"]) == 4
    first, second, summary = lines(capsys.readouterr().out)
    assert (first["ok"], second["ok"]) == (True, False)
    assert (summary["ok"], summary["failed"]) == (1, 1)
    assert main(["--content", "own", "suites", "check", "stale"]) == 4
    assert "not comparable" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["suites", "show", "goood"], "did you mean 'good'?"),
        (["suites", "check", "torn"], "suites/torn.toml"),
        (["suites", "show", "none.toml"], "cannot read the suite 'none.toml': No such file or directory\n"),
        (["suites", "show"], "Missing argument"),
        (["worlds", "split", "--pack", "none.pack", "--hold-out", "family=lock"], "cannot read the pack"),
        (["worlds", "split", "--pack", "none.pack", "--hold-out", "lock"], "'lock' is no rule of a split"),
        (["worlds", "split", "--pack", "none.pack"], "Missing option '--hold-out'"),
        (["worlds", "survey", "--pack", "none.pack", "--range", "0-3"], "a pack says itself which worlds it holds"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, the fact, and what to type next."""
    assert main(["--content", "own", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_pack_is_split_into_two_suites(capsys: pytest.CaptureFixture[str]) -> None:
    """The sides are suites that check; what proves that they do not overlap is printed."""
    assert main(["worlds", "pack", "--recipe", "tiny", "--range", "0-7", "--out", "some.pack", "--quick"]) == 0
    capsys.readouterr()
    assert main(["worlds", "list", "--pack", "some.pack", "--json"]) == 0
    drawn = [set(line["families"]) for line in lines(capsys.readouterr().out)]
    family = next(f for f in sorted(set.union(*drawn)) if not all(f in each for each in drawn))
    Path("sides").mkdir()
    asked = ["worlds", "split", "--pack", "some.pack", "--hold-out", f"family={family}", "--out", "sides"]
    assert main([*asked, "--json"]) == 0
    (line,) = lines(capsys.readouterr().out)
    assert (line["overlap"], line["leaked"], line["misplaced"], line["clean"]) == (0, 0, 0, True)
    assert line["train"] + line["test"] == 8
    assert main(asked) == 0
    assert "overlap: 0 worlds" in capsys.readouterr().out
    assert main(["suites", "check", str(Path("sides") / "test.toml")]) == 0
