"""`sandbox worlds pack`, listing a pack, and taking worlds out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.cli.main import main
from sandbox.measure.packfile import Pack
from sandbox.measure.where import COLUMNS

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six tiny worlds."""
    path = tmp_path_factory.mktemp("packs") / "six.pack"
    assert main(["worlds", "pack", "--recipe", "tiny", "--range", "0-5", "--out", str(path), "--jobs", "1"]) == 0
    return path


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lines(text: str) -> list[dict[str, Any]]:
    """The JSON lines in `text`, all of them."""
    return [json.loads(line) for line in text.splitlines()]


def test_packing_says_what_it_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for people and one for programs; a complete pack is left alone."""
    asked = ["worlds", "pack", "tiny/0", "tiny/moss", "--out", "two.pack", "--jobs", "1"]
    assert main([*asked, "--json"]) == 0
    (line,) = lines(capsys.readouterr().out)
    assert (line["event"], line["worlds"], line["built"], line["failed"]) == ("summary", 2, 2, 0)
    before = Path("two.pack").read_bytes()
    assert line["bytes"] == len(before)
    assert main([*asked, "--json"]) == 0
    out, err = capsys.readouterr()
    assert lines(out) == [{**line, "built": 0}]
    assert "two.pack is complete" in err
    assert Path("two.pack").read_bytes() == before


def test_a_pack_is_listed_by_what_its_worlds_are_like(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the expression chooses is what the rows say; --limit cuts the list, not the count."""
    assert main(["worlds", "list", "--pack", str(packed), "--json"]) == 0
    every = lines(capsys.readouterr().out)
    assert [line["ref"] for line in every] == [f"tiny/{n}" for n in range(6)]
    assert main(["worlds", "list", "--pack", str(packed), "--where", "steps > 5", "--json"]) == 0
    chosen = lines(capsys.readouterr().out)
    assert chosen == [line for line in every if line["certificate"]["steps"] > 5]
    assert main(["worlds", "list", "--pack", str(packed), "--limit", "2"]) == 0
    out = capsys.readouterr().out
    assert "6 of 6 worlds; 4 not shown" in out
    assert "tiny/1 " in out
    assert "tiny/2 " not in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "--where", "steps > 3"], "--where and --limit choose from the worlds of a pack"),
        (["list", "--pack", "no.pack"], "cannot read the pack 'no.pack'"),
        (["list", "--pack", "PACK", "--where", "stepz > 3"], "did you mean steps?"),
        (["list", "--pack", "PACK", "--where", "rules/lok/match = shape"], "did you mean rules/"),
        (["export", "tiny/77", "--pack", "PACK"], "unknown world of the pack six.pack 'tiny/77'"),
        (["pack", "--range", "0-3", "--out", "no/folder.pack"], "no pack can be written"),
        (["pack", "--range", "0-3", "--out", "."], "no pack can be written"),
        (["pack", "--out", "x.pack"], "no world was named"),
        (["pack", "--range", "0-3"], "Missing option '--out'"),
        (["pack", "tiny/0", "--out", "PACK"], "is a pack of other worlds: it was made by sandbox worlds pack --recipe tiny"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(packed: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, the fact, and what to type next."""
    assert main(["worlds", *(str(packed) if word == "PACK" else word for word in words)]) == 2
    assert said in capsys.readouterr().err


def test_a_quick_pack_is_listed_too(capsys: pytest.CaptureFixture[str]) -> None:
    """What is not known is empty, meets no test, and cannot be surveyed."""
    assert main(["worlds", "pack", "tiny/0", "--out", "quick.pack", "--quick", "--jobs", "1"]) == 0
    assert main(["worlds", "list", "--pack", "quick.pack", "--where", "steps > 1"]) == 0
    assert "1 of 1 worlds" in capsys.readouterr().out
    assert main(["worlds", "list", "--pack", "quick.pack", "--where", "live >= 0"]) == 0
    assert "0 of 1 worlds" in capsys.readouterr().out
    assert main(["worlds", "survey", "--pack", "quick.pack"]) == 2
    assert "was packed with --quick" in capsys.readouterr().err


def test_a_pack_is_surveyed_at_once(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Live slots, plans, kinds of structure and pairs of slots, as JSON and as a table."""
    assert main(["worlds", "survey", "--pack", str(packed), "--json"]) == 0
    (line,) = lines(capsys.readouterr().out)
    assert (line["worlds"], line["failed"]) == (6, 0)
    assert line["skeletons"]["worlds"] == 6
    assert main(["worlds", "survey", "--pack", str(packed)]) == 0
    out = capsys.readouterr().out
    assert "pairs of structural kinds" in out
    assert "slot pairs of rules" in out


def test_a_cut_off_pack_says_how_to_go_on(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused with the number of whole worlds; the command that it names finishes it."""
    data = packed.read_bytes()
    Path("cut.pack").write_bytes(data[: len(data) // 2])
    assert main(["worlds", "list", "--pack", "cut.pack"]) == 2
    error = capsys.readouterr().err
    assert "of 6 worlds are whole" in error
    command = error.split("go on where it was: sandbox ")[1].split()
    assert main(command) == 0
    assert "are in cut.pack already: going on" in capsys.readouterr().err
    assert Path("cut.pack").read_bytes() == data


def test_a_packed_world_is_exported_as_it_is(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What comes out of a pack is what would be built, and it plays."""
    assert main(["worlds", "export", "tiny/3", "--pack", str(packed), "-o", "three.json"]) == 0
    assert main(["worlds", "export", "tiny/3", "-o", "built.json"]) == 0
    assert Path("three.json").read_bytes() == Path("built.json").read_bytes()
    capsys.readouterr()
    assert main(["play", "--world", "three.json", "--quiet", "--agent", "oracle"]) == 0
    with Pack.open(packed) as pack:
        steps = pack.row("tiny/3").record["certificate"]["steps"]
    assert f"Solved in {steps} commands" in capsys.readouterr().out


def test_the_docs_name_every_column() -> None:
    """docs/worlds.md lists what a pack can be searched by, each column with what it says."""
    page = (ROOT / "docs" / "worlds.md").read_text("utf-8")
    assert [name for name, column in COLUMNS.items() if f"| `{name}` | {column.says} |" not in page] == []
