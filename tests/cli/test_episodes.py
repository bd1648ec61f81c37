"""`sandbox episodes`: what people and programs read about what was played."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.cli.main import main
from sandbox.log.rows import EpisodeEnd, EpisodeStart, StepRow
from sandbox.log.writer import Journal

Run = Callable[..., tuple[int, str, str]]


def start(ref: str, agent: str, options: dict[str, str] | None = None) -> EpisodeStart:
    """How an episode of `agent` in `ref` begins."""
    return EpisodeStart(
        ref, "ab" * 16, "{}", {}, {}, agent, options or {}, 1, 0, 80, 4, "exact", "1", "0", "Open the red door."
    )


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database with a solved episode and a later one that was cut off."""
    path = tmp_path / "sandbox.db"
    with Journal.open(path) as journal:
        solved = journal.begin(start("7", "oracle"))
        journal.step(solved, StepRow(0, None, None, None, None, None, "A [red] door.", 0.0, False, "s0"))
        journal.step(solved, StepRow(1, "x", "x", "x", None, "unknown_word", "\x1b[31mNo.", -0.5, False, "s0"))
        journal.step(solved, StepRow(2, "go", "go", "go", "go(e)", None, "Done.", 1.0, True, "s1", assist=":hint"))
        journal.end(solved, EpisodeEnd("solved", True, None, 2, 1.0, assisted=True))
        cut = journal.begin(start("tiny/moss", "exec", {"cmd": "./a.py"}))
        journal.step(cut, StepRow(0, None, None, None, None, None, "A blue door.", 0.0, False, "s0"))
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], db: Path) -> Run:
    """Run `sandbox episodes ARGS…` on that database: exit code, standard output, standard error."""

    def called(*args: str) -> tuple[int, str, str]:
        code = main(["episodes", *args, "--db", str(db)])
        out, err = capsys.readouterr()
        return code, out, err

    return called


@pytest.fixture
def ids(run: Run) -> list[str]:
    """The ids of both episodes, the solved one last."""
    return [line["episode"] for line in lines(run("--json")[1])]


def lines(text: str) -> list[dict[str, Any]]:
    """The JSON lines in `text`."""
    return [json.loads(line) for line in text.splitlines()]


def test_the_bare_noun_lists_the_newest_first(run: Run) -> None:
    """One line an episode: who played what, how it ended, in how many steps."""
    code, out, err = run()
    rows = [line.split() for line in out.splitlines()]
    assert (code, err, len(rows)) == (0, "", 3)
    assert rows[1][3:] == ["tiny/moss", "exec:cmd=./a.py", "unfinished", "0"]
    assert rows[2][3:] == ["7", "oracle", "solved", "(assisted)", "2"]
    assert run("list")[1] == out


def test_listing_as_json_holds_the_same(run: Run) -> None:
    """One object a line; an episode without an end has no outcome and says that it is unfinished."""
    cut, solved = lines(run("--json")[1])
    assert (cut["world"], cut["outcome"], cut["unfinished"], cut["steps"]) == ("tiny/moss", None, True, 0)
    assert (solved["world"], solved["outcome"], solved["solved"], solved["score"]) == ("7", "solved", True, None)
    assert (solved["agent"], solved["access"], solved["optimum"], solved["assisted"]) == ("oracle", 1, 4, True)


@pytest.mark.parametrize(
    ("options", "worlds"),
    [
        (["--world", "7"], ["7"]),
        (["--world", "default/7"], ["7"]),
        (["--world", "abababab"], ["tiny/moss", "7"]),
        (["--agent", "exec"], ["tiny/moss"]),
        (["--outcome", "solved"], ["7"]),
        (["--outcome", "unfinished"], ["tiny/moss"]),
        (["--cause", "unknown_word"], ["7"]),
        (["--text", "DOOR"], ["tiny/moss", "7"]),
        (["--text", "[red]"], ["7"]),
        (["--limit", "1"], ["tiny/moss"]),
        (["--limit", "0"], ["tiny/moss", "7"]),
    ],
)
def test_filters_narrow_the_list(run: Run, options: list[str], worlds: list[str]) -> None:
    """Each filter alone, behind the bare noun and behind `list`."""
    for words in (options, ["list", *options]):
        code, out, _ = run(*words, "--json")
        assert (code, [line["world"] for line in lines(out)]) == (0, worlds)


def test_what_a_limit_leaves_out_is_told(run: Run) -> None:
    """On standard error, with the way to see it."""
    assert "1 older not shown: --limit 0 shows all" in run("--limit", "1")[2]


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--agent", "bob"], "exec, oracle"), (["--cause", "odd"], "unknown_word"), (["--world", "8"], "matches")],
)
def test_a_filter_that_finds_nothing_says_so(run: Run, options: list[str], said: str) -> None:
    """Nothing on standard output, the names on record on standard error."""
    code, out, err = run(*options)
    assert (code, out) == (0, "")
    assert said in err


def test_a_reference_that_cannot_be_read_is_refused(run: Run) -> None:
    """As everywhere: exit 2, with the axis that was meant."""
    code, _, err = run("--world", "7~ruels")
    assert (code, "did you mean 'rules'?" in err) == (2, True)


def test_an_unknown_outcome_is_refused(run: Run) -> None:
    """The outcomes are a closed list."""
    code, _, err = run("--outcome", "won")
    assert code == 2
    assert "'solved'" in err


def test_a_transcript_reads_like_a_play(run: Run, ids: list[str]) -> None:
    """Commands behind `>`, causes, rewards and help beside them, texts with control characters made visible."""
    code, out, _ = run("show", ids[1])
    assert code == 0
    assert out.splitlines() == [
        f"7 · oracle · L1 · {ids[1]}",
        "certified optimum 4 (exact), at most 80 steps allowed",
        "",
        "A [red] door.",
        "",
        "> x   [unknown_word]   [reward -0.5]",
        "\\x1b[31mNo.",
        "",
        "> :hint",
        "> go   [reward +1]",
        "Done.",
        "",
        "solved after 2 steps · no score · assisted",
    ]


def test_an_unfinished_episode_shows_as_far_as_it_went(run: Run, ids: list[str]) -> None:
    """And says that it has no end."""
    assert run("show", ids[0])[1].splitlines()[-1] == "unfinished: recorded up to step 0"
    assert [line["event"] for line in lines(run("show", ids[0], "--json")[1])] == ["start", "step"]


def test_showing_as_json_has_the_lines_of_a_play(run: Run, ids: list[str]) -> None:
    """The fields that `play --json` promises, in the same events, and more."""
    begin, first, refused, last, end = lines(run("show", ids[1], "--json")[1])
    assert {"event", "episode", "world", "digest", "agent", "access"} <= begin.keys()
    assert (first["n"], first["command"], first["cause"], first["observation"]) == (0, None, None, "A [red] door.")
    assert (refused["command"], refused["cause"], refused["observation"]) == ("x", "unknown_word", "\x1b[31mNo.")
    assert (last["reward"], last["done"], last["intent"]) == (1.0, True, "go(e)")
    assert (end["event"], end["outcome"], end["steps"], end["score"]) == ("end", "solved", 2, None)


def test_a_page_is_written_where_it_was_asked(run: Run, ids: list[str], tmp_path: Path) -> None:
    """One file, named in the answer."""
    page = tmp_path / "page.html"
    code, out, _ = run("show", ids[1], "--html", str(page))
    assert (code, out) == (0, f"wrote {page}\n")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")


@pytest.mark.parametrize(("name", "said"), [("nowhere/page.html", "mkdir -p"), ("", "another file")])
def test_a_page_that_cannot_be_written_is_a_usage_error(
    run: Run, ids: list[str], tmp_path: Path, name: str, said: str
) -> None:
    """A missing folder and a folder instead of a file, each with the next step."""
    code, out, err = run("show", ids[1], "--html", f"{tmp_path}/{name}")
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("word", ["show", "replay"])
def test_an_unknown_or_ambiguous_id_is_exit_2(run: Run, ids: list[str], word: str) -> None:
    """With the way to find the right one."""
    code, _, err = run(word, "nothing")
    assert (code, "sandbox episodes" in err) == (2, True)
    code, _, err = run(word, ids[0][:3])
    assert (code, all(name in err for name in ids)) == (2, True)


@pytest.mark.parametrize("args", [[], ["list"], ["show", "1"], ["replay", "1"]])
def test_without_a_database_every_command_says_what_to_do(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, args: list[str]
) -> None:
    """Exit 2, the path that was looked at, and nothing created."""
    path = tmp_path / "none.db"
    assert main(["episodes", *args, "--db", str(path)]) == 2
    err = capsys.readouterr().err
    assert str(path) in err
    assert "sandbox play" in err
    assert not path.exists()


def test_a_stored_world_that_cannot_be_read_fails_the_replay(run: Run, ids: list[str]) -> None:
    """Exit 4: the log does not hold what it should."""
    code, out, err = run("replay", ids[1], "--json")
    assert code == 4
    assert lines(out)[0]["ok"] is False
    assert "stored world" in err


def test_beliefs_are_shown_with_their_evidence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What the agent believed after a step, and on the evidence of which steps; later steps tell more."""
    db = ["--db", str(tmp_path / "b.db")]
    assert main([*db, "play", "--world", "tiny/9", "--agent-seed", "1", "--json"]) == 0
    start, *_, end = map(json.loads, capsys.readouterr().out.splitlines())
    show = [*db, "episodes", "show", start["episode"], "--beliefs"]
    assert main(show) == 0
    text = capsys.readouterr().out
    assert "→ moves me there   (since step " in text
    assert "changed: " in text
    counts = []
    for step in (0, 5, end["steps"]):
        assert main([*show, "--step", str(step), "--json"]) == 0
        head, *lines = map(json.loads, capsys.readouterr().out.splitlines())
        assert (head["event"], head["step"]) == ("beliefs", step)
        beliefs = [line for line in lines if line["event"] == "belief"]
        counts.append(len(beliefs))
        steps = [entry["step"] for line in beliefs for entry in line["evidence"]]
        assert all(0 < n <= step for n in steps)
        assert all(line["since"] is None or line["since"] <= step for line in beliefs)
    assert counts[0] < counts[1] < counts[2]
    said = [([*show, "--step", "9999"], "has no step 9999"), ([*show[:-1], "--step", "1"], "belongs to --beliefs")]
    assert main([*db, "play", "--world", "tiny/9", "--agent", "oracle", "--json"]) == 0
    other = json.loads(capsys.readouterr().out.splitlines()[0])["episode"]
    said += [([*show[:-2], other, "--beliefs"], "told nothing"), ([*show, "--html", "x.html"], "two views")]
    for words, why in said:
        assert main(words) == 2
        assert why in capsys.readouterr().err
