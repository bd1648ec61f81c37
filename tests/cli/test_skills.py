"""`sandbox skills`: listed, shown, out to folders and back; whatever stands in a folder is checked and never run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.agent.library import Evidence, Note, Record, Skill, Status, content_digest
from sandbox.cli.main import main
from sandbox.log.writer import Journal
from sandbox.run.library import kept_of

CODE = "def grab(x):\n    go_to(see.room_of(x))\n    do.take(x)\n    ensure('held', x)\n"
GRAB = Skill("grab", (("x", "thing"),), CODE, "Hold x.", (), (("held", "x"),), ("take: 0 held",), source={"agent": "explorer"})
SERVE = Skill(
    "serve", (("x", "thing"), ("to", "place")), "def serve(x, to):\n    grab(x)\n    go_to(to)\n    do.drop(x)\n", "Bring x.", (),
    (("in", "x", "to"),),
)  # fmt: skip
DIGEST = content_digest(GRAB)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    records: list[Record] = [
        GRAB, SERVE, Note("role", "look", "look"), Evidence(DIGEST, "r", ("cup",), "done", 2, "a", proves=True),
        Evidence(DIGEST, "r", ("cup",), "gave_up", 0, "b", proves=False, why="no way is known to None (line 2)"),
        Status(DIGEST, "r", "active", "2 proving calls from different states"),
    ]  # fmt: skip
    with Journal.open(Path("sandbox.db")) as journal:
        journal.shelve("mine", [kept_of(record) for record in records])


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Type a command: its exit code, standard output and standard error."""

    def typed(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["skills", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return typed


Run = Callable[..., tuple[int, str, str]]


def lines(text: str) -> list[dict[str, Any]]:
    """The JSON lines in `text`, all of them."""
    return [json.loads(line) for line in text.splitlines()]


def test_the_bare_noun_lists(run: Run) -> None:
    """Status, calls and proofs; for programs with all that is known."""
    code, out, _ = run()
    assert code == 0
    assert "mine     grab   active     2      1       Hold x." in out
    _, out, _ = run("list", "--json")
    grab, serve = lines(out)
    assert (grab["skill"], grab["status"], grab["regimes"]["r"]["failed_in_a_row"]) == ("grab", "active", 1)
    assert (serve["status"], serve["regimes"], serve["episode"]) == ("candidate", {}, None)


def test_a_skill_is_shown_and_told(run: Run) -> None:
    """By name, by the beginning of it, by the digest of a version; its history holds every call with its reason."""
    for name in ("grab", "gr", DIGEST[:5]):
        _, out, _ = run("show", name)
        assert CODE.rstrip("\n") in out
        assert "status    active: 2 proving calls from different states" in out
    _, out, _ = run("history", "grab")
    assert [line.split()[2] for line in out.splitlines()] == ["made", "called", "called", "status"]
    assert "with cup: gave_up: no way is known to None (line 2)" in out
    assert lines(run("show", "serve", "--json")[1])[0]["code"] == SERVE.code


@pytest.mark.parametrize(("words", "said"), [
    (("show", "grasp"), "did you mean 'grab'"),
    (("show", ""), "unknown skill"),
    (("show", "grab", "--library", "mien"), "did you mean 'mine'"),
    (("export", "."), "is not empty"),
    (("import", "nowhere"), "is no folder"),
    (("import", "."), "no SKILL.md"),
    (("import", "out", "--library", " "), "no name of a library"),
    (("list", "--frob"), "frob"),
])  # fmt: skip
def test_mistakes_are_told(run: Run, words: tuple[str, ...], said: str) -> None:
    """Exit 2 and what to type instead."""
    code, _, err = run(*words)
    assert (code, said in err) == (2, True), err


def test_there_and_back(run: Run) -> None:
    """What was exported comes in as the same versions, and a second time as nothing new."""
    assert run("export", "out")[0] == 0
    assert {path.name for path in Path("out").iterdir()} == {"grab", "serve", "notes.json"}
    _, out, _ = run("import", "out", "--library", "theirs", "--json")
    assert [(line["new"], line["edited"]) for line in lines(out)] == [(True, False)] * 2
    assert [line["new"] for line in lines(run("import", "out", "--library", "theirs", "--json")[1])] == [False] * 2
    versions = [[line["version"] for line in lines(run("list", "--library", name, "--json")[1])] for name in ("mine", "theirs")]
    assert versions[0] == versions[1]
    run("export", "again", "--library", "theirs")
    for file in ("grab/skill.py", "grab/tests.json", "serve/skill.py", "notes.json"):
        assert Path("out", file).read_bytes() == Path("again", file).read_bytes()


def test_an_edited_skill_is_a_new_version_and_a_candidate(run: Run) -> None:
    """Its parent is the one that was edited, which stays."""
    run("export", "out")
    path = Path("out/grab/skill.py")
    path.write_text(path.read_text().replace("    do.take(x)\n", "    if not see.held(x):\n        do.take(x)\n"))
    assert "a new version" in run("import", "out", "--library", "mine")[1]
    (grab,) = [line for line in lines(run("list", "--json")[1]) if line["skill"] == "grab"]
    assert (grab["parent"], grab["origin"], grab["status"]) == (DIGEST, "import", "candidate")
    assert run("show", DIGEST)[0] == 0
    assert [line["event"] for line in lines(run("history", "grab", "--json")[1])].count("made") == 2


@pytest.mark.parametrize(("file", "text", "said"), [
    ("skill.py", "def grab(x):\n    import os\n    do.take(x)\n", "skill.py: line 2: nothing can be imported"),
    ("skill.py", "open('owned', 'w').write('x')\n", "one function"),
    ("skill.py", "def grab(x", "cannot be read"),
    ("skill.py", "def grab(x):\n    while do.take(x): pass\n", "while has no end"),
    ("skill.py", "\x00", "cannot be read"),
    ("skill.py", "#" * 2_000_000, "more than"),
    ("SKILL.md", "hello", "no head"),
    ("SKILL.md", "---\nname: \"grab\"\n---\n", "no line parameters"),
    ("SKILL.md", "---\nname: grab\n---\n", "line 2: no JSON"),
    ("SKILL.md", "---\nrun: \"rm\"\n---\n", "line 2: 'run: \"rm\"' is none of"),
    ("tests.json", "{}", "no list"),
    ("tests.json", "[[[", "no JSON"),
])  # fmt: skip
def test_a_bad_folder_brings_nothing_in(run: Run, file: str, text: str, said: str) -> None:
    """The first fault is told with its file and line; no skill of the folder comes in, and nothing was run."""
    run("export", "out")
    Path("out/grab", file).write_text(text)
    code, _, err = run("import", "out", "--library", "theirs")
    assert (code, said in err) == (2, True), err
    assert run("list", "--library", "theirs")[0] == 2
    assert not Path("owned").exists()


def test_bytes_that_are_no_text(run: Run) -> None:
    """Refused like any other bad file."""
    run("export", "out")
    Path("out/grab/skill.py").write_bytes(b"\xff\xfe")
    code, _, err = run("import", "out", "--library", "theirs")
    assert (code, "cannot be read" in err) == (2, True)


def test_without_a_database_or_skills(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No database is exit 2; a database without libraries says so."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert run()[0] == 2
    Journal.open(Path("sandbox.db")).close()
    assert run()[1] == "No skills yet.\n"
    assert run("show", "grab")[0] == 2
