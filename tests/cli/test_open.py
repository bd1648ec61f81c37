"""`sandbox play --open`: played, recorded, shown, replayed, gone on with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.cli.main import main


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lines(text: str) -> list[dict[str, Any]]:
    """The JSON lines in `text`, all of them."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def played(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The oracle's open play of a tiny world."""
    assert main(["play", "--agent", "oracle", "--open", "--world", "tiny/0", "--json"]) == 0
    return lines(capsys.readouterr().out)


def test_the_oracle_reaches_everything(played: list[dict[str, Any]]) -> None:
    """The start says how many milestones there are, each step which it reached, the end all of them."""
    start, *steps, end = played
    assert (start["open"], start["world"]) == (True, "tiny/0")
    reached = [name for step in steps for name in step["milestones"]]
    assert len(reached) == len(set(reached)) == start["milestones"]
    assert end["milestones"] == {"reached": reached, "missing": [], "of": start["milestones"]}
    assert (end["outcome"], end["solved"], end["score"], end["progress"]) == ("solved", True, 1.0, 1.0)


def test_a_play_with_a_goal_is_not_open(capsys: pytest.CaptureFixture[str]) -> None:
    """And has other digests: no table mixes them up by accident."""
    assert main(["play", "--agent", "oracle", "--world", "tiny/0", "--json"]) == 0
    start, *steps, _ = lines(capsys.readouterr().out)
    assert start["open"] is False
    assert "milestones" not in start
    assert all("milestones" not in step for step in steps)
    assert main(["play", "--agent", "oracle", "--open", "--world", "tiny/0", "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["digest"] != start["digest"]


def test_an_open_play_is_on_record(played: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    """It is listed as open, shown with what each step reached, as text, JSON and page, and replays."""
    episode, count = played[0]["episode"], played[0]["milestones"]
    assert main(["episodes"]) == 0
    assert "tiny/0 (open)" in capsys.readouterr().out
    assert main(["episodes", "show", episode]) == 0
    out = capsys.readouterr().out
    assert f"open play: {count} kinds of change can be reached" in out
    assert f"reached {count} of {count}; missing: nothing" in out
    assert "new: " in out
    assert main(["episodes", "show", episode, "--json"]) == 0
    shown = lines(capsys.readouterr().out)
    assert [step["milestones"] for step in shown[1:-1]] == [step["milestones"] for step in played[1:-1]]
    assert shown[-1]["milestones"] == played[-1]["milestones"]
    assert shown[0]["tier"] == "open"
    assert main(["episodes", "show", episode, "--html", "page.html"]) == 0
    assert main(["episodes", "replay", episode]) == 0


def test_the_score_is_the_share_that_was_reached(capsys: pytest.CaptureFixture[str]) -> None:
    """However it ended; and a play that was cut short goes on as an open one."""
    assert main(["play", "--agent", "oracle", "--open", "--world", "tiny/0", "--max-steps", "8", "--json"]) == 0
    start, *steps, end = lines(capsys.readouterr().out)
    reached = [name for step in steps for name in step["milestones"]]
    assert reached
    assert end["outcome"] == "step_limit"
    assert end["score"] == end["progress"] == pytest.approx(len(reached) / start["milestones"])
    assert len(end["milestones"]["missing"]) == start["milestones"] - len(reached)
    assert main(["play", "--continue", start["episode"], "--max-steps", "300", "--json"]) == 0
    again, *_, last = lines(capsys.readouterr().out)
    assert (again["open"], again["past"]) == (True, 8)
    assert (last["solved"], last["score"]) == (True, 1.0)


def test_a_person_is_told_what_counts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`:goal` says it, `:hint` names the next command, and a helped play has no score."""
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b":goal\n:hint\n:quit\n")))
    assert main(["play", "--open", "--world", "tiny/0", "--agent", "human"]) == 0
    out = capsys.readouterr().out
    assert out.count("can be reached") >= 2
    assert "Try: " in out
    assert "No score: the play was assisted" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--open", "--continue", "abc"], "an episode goes on as it began"),
        (["--open", "--world", "tiny/0~nothing"], "unknown axis 'nothing'"),
        (["--opne"], "did you mean --open?"),
        (["--open", "7"], "unexpected extra argument"),
    ],
)
def test_what_cannot_be_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 and the reason."""
    assert main(["play", *words]) == 2
    assert said in capsys.readouterr().err.lower()
