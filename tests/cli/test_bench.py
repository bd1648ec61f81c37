"""`sandbox bench`: what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox.cli.main import main

QUICK = """\
about = "Worlds that are built in an instant, in place of the default ones."
families = ["switch"]
draw = [1, 1]
rooms = 3
things = 2
steps = [2, 6]
actions = 1
uses = 1
dead_ends = 1.0
forms = ["imperative"]
observations = ["prose"]
voices = ["plain"]
themes = ["nonce"]
"""


@pytest.fixture
def quick(tmp_path: Path) -> str:
    """A content folder whose recipe `default` costs little."""
    folder = tmp_path / "worlds" / "recipes"
    folder.mkdir(parents=True)
    (folder / "default.toml").write_text(QUICK, "utf-8")
    return str(tmp_path)


def test_the_last_line_holds_the_rates(quick: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the last line has the promised rates, all of them positive, and they fit together."""
    assert main(["bench", "--json", "--content", quick]) == 0
    out, _ = capsys.readouterr()
    found = json.loads(out.splitlines()[-1])
    assert {"steps_per_s", "worlds_per_s", "certify_ms_median", "parse_per_s"} <= found.keys()
    assert all(found[name] > 0 for name in ("steps_per_s", "worlds_per_s", "certify_ms_median", "parse_per_s"))
    assert found["worlds_per_s"] * found["certify_ms_median"] == pytest.approx(1000, rel=0.01)


def test_people_read_the_rates_beside_their_aims(quick: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each rate stands beside its aim, and the number of worlds it was measured over is told."""
    assert main(["bench", "--content", quick]) == 0
    out, _ = capsys.readouterr()
    assert next(line for line in out.splitlines() if line.startswith("steps a second, with their")).endswith("150,000")
    assert "Walks in 20 worlds" in out


def test_an_unknown_option_is_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    """What the benchmark does not know is named, with the nearest option."""
    assert main(["bench", "--ful"]) == 2
    assert "did you mean --full?" in capsys.readouterr().err
