"""`sandbox play --episodes N`: a line each, one library, the curve, and what is refused."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.cli.main import main
from sandbox.log.reader import Log

SERIES = ["play", "--world", "tiny/9", "--agent-seed", "1", "--episodes"]
SLOW = """class Agent:
    access = 0
    def __init__(self, options): pass
    def begin(self, briefing): pass
    def act(self, turn):
        import time
        time.sleep(0.05)
        return "look"
    def end(self, turn): pass
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def events(text: str) -> list[dict[str, Any]]:
    """JSON lines, all of them."""
    return [json.loads(line) for line in text.splitlines()]


def test_a_series_has_a_line_each_and_a_curve(capsys: pytest.CaptureFixture[str]) -> None:
    """Fresh layouts and tasks with one library: speaking is learned once, and each play is recorded."""
    assert main([*SERIES, "2", "--vary", "layout,task"]) == 0
    out = capsys.readouterr().out
    rows = re.findall(r"^ +(\d)  +(\d+)  +(\d+)  +[\d.]+  (yes|no) +(\d+)%  +(\d+)  (\w{12})  (\S+)$", out, re.MULTILINE)
    assert [row[0] for row in rows] == ["1", "2"]
    assert [row[7] for row in rows] == ["tiny/9", "tiny/9~layout~task"]
    probes = [int(row[5]) for row in rows]
    assert probes[0] > 3 * max(probes[1:])
    assert out.count("starts from nothing") == 1
    assert len(re.findall(r"^   \d  [█·]+ ", out, re.MULTILINE)) == 2
    assert f"Solved {sum(row[3] == 'yes' for row in rows)} of 2." in out
    with Log.open(Path("sandbox.db")) as log:
        played = log.episodes()[::-1]
        assert [(one.id, one.ref, str(one.commands)) for one in played] == [(row[6], row[7], row[1]) for row in rows]
        assert [one.agent_seed for one in played] == [1, 2]
        assert len({one.run for one in played}) == 1
    again = shlex.split(next(line for line in out.splitlines() if "--library none" in line))
    assert again[1:] == ["play", "--world", "tiny/9", "--episodes", "2", "--vary", "layout,task", "--library", "none"]


def test_json_has_every_play_and_the_curve(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output holds the events of each play and, last, the curve; --quiet leaves people one line."""
    assert main([*SERIES, "2", "--agent", "random", "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    lines = events(out)
    assert [line["event"] for line in lines if line["event"] != "step"] == ["start", "end"] * 2 + ["curve"]
    ends = [line for line in lines if line["event"] == "end"]
    points = lines[-1]["points"]
    assert [point["commands"] for point in points] == [end["steps"] for end in ends]
    assert [(point["n"], point["world"], point["solved"]) for point in points] == [
        (n + 1, "tiny/9", end["solved"]) for n, end in enumerate(ends)
    ]
    assert re.fullmatch(r"Plays are recorded in .*\nSolved \d of 2[^\n]*\n", err)


def test_worlds_that_cannot_be_made_are_told_and_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    """The number after is taken; after many in a row it ends, with what was played."""
    argv = ["play", "--world", "tiny/3", "--agent", "oracle", "--episodes", "2", "--vary", "task", "--json"]
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert err.count("skipped tiny/3~task") == len(events(out)[-1]["skipped"]) == 3
    assert len(events(out)[-1]["points"]) == 1
    assert "3 worlds in a row could not be made; 1 was played" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--episodes", "0"], "not in the range"),
        (["--episodes", "-1"], "not in the range"),
        (["--episodes", "1000000000"], "not in the range"),
        (["--episodes", "two"], "not a valid integer"),
        (["--vary", "layout"], "add --episodes"),
        (["--episodes", "2", "--vary", "layuot"], "did you mean 'layout'"),
        (["--episodes", "2", "--vary", "rules"], "unknown part"),
        (["--episodes", "2", "--vary", ","], "names nothing"),
        (["--episodes", "2", "--agent", "human"], "one world at a time"),
        (["--episodes", "2", "--library", " "], "needs a name"),
        (["--episodes", "2", "--db", "no/such/x.db"], "does not exist"),
    ],
)
def test_what_cannot_be_a_series_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, the reason, and nothing played."""
    assert main(["play", "--world", "tiny/9", *words]) == 2
    assert said in capsys.readouterr().err.lower()
    assert not Path("sandbox.db").exists()
    assert main(["play", "--continue", "x", "--episodes", "2"]) == 2


def test_an_interrupted_series_keeps_what_was_done(tmp_path: Path) -> None:
    """Ctrl-C ends the play as cancelled; the plays before it and the curve stay."""
    (tmp_path / "mine" / "agents").mkdir(parents=True)
    (tmp_path / "mine" / "agents" / "slow.py").write_text(SLOW)
    argv = [sys.executable, "-m", "sandbox", "play", "--content", "mine", "--agent", "slow", "--world", "tiny/9"]
    argv += ["--max-steps", "30", "--episodes", "9", "--json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        seen: list[dict[str, Any]] = []
        for line in child.stdout:
            seen.append(json.loads(line))
            if len(seen) == 40:
                child.send_signal(signal.SIGINT)
        assert child.wait(20) == 130
    assert seen[-1]["event"] == "curve"
    assert [point["outcome"] for point in seen[-1]["points"]] == ["step_limit", "cancelled"]


def test_what_is_offered_again_names_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    """As it was typed."""
    argv = ["--world", "tiny/9", "--agent", "voyager", "--model", "mock/echo", "--episodes", "1"]
    assert main(["play", *argv, "--max-steps", "2"]) == 0
    again = shlex.split(next(line for line in capsys.readouterr().out.splitlines() if "--library none" in line))
    assert again[2:] == [*argv, "--library", "none"]
