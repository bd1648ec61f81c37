"""A real model, small enough for two cores: behaviour is asserted, never a score. Run by `make test-llm`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox.cli.main import main
from sandbox.log.reader import Log
from sandbox.run.replay import replay
from scripts.small_model import Unavailable, fetch

pytestmark = [pytest.mark.llm, pytest.mark.timeout(900)]
STEPS = 12
SECONDS = 120
"""Of one episode: voyager asks more than it does."""


@pytest.fixture(scope="session")
def model() -> str:
    """The model, fetched once; where it cannot be fetched these tests are skipped with the reason."""
    try:
        return f"local/{fetch('0.5b')}"
    except Unavailable as error:
        pytest.skip(f"no small model: {error}")


def test_it_answers_in_the_form_asked_for(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A schema holds it to one JSON object; its tokens are counted, not estimated."""
    assert main(["models", "check", model, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["structured"]
    assert not told["estimated"]
    assert told["tokens_out"] > 0


@pytest.mark.parametrize("agent", ["react", "voyager"])
def test_an_episode_is_well_formed(agent: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It plays to an end of its own; what ran is what it said or learned; every call counts; the episode replays."""
    db = tmp_path / "sandbox.db"
    asked = ["--db", str(db), "play", "--world", "small/3~grammar/words=english", "--agent", agent, "--model", model]
    limits = ["--max-steps", str(STEPS), "--max-time", str(SECONDS), "--agent-seed", "1", "--json"]
    assert main([*asked, *limits]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[-1]["event"] == "end"
    assert events[-1]["outcome"] in {"solved", "step_limit", "invalid_limit", "time_limit"}
    with Log.open(db) as log:
        (episode,) = log.episodes()
        rows = list(log.steps(episode.id))
        calls = list(log.calls(episode.id))
        assert len(rows) - 1 == events[-1]["steps"] <= STEPS
        for row in rows[1:]:
            assert row.command == row.executed
            assert agent == "voyager" or row.command in json.loads(row.raw or "{}").values()
        answered = [call for call in calls if call.trouble != "timeout"]
        assert answered
        assert all(call.trouble is None and not call.estimated and call.tokens_in for call in answered)
        assert sum(row.tokens_in or 0 for row in rows) <= sum(call.tokens_in or 0 for call in calls)
        assert replay(log, episode).steps == len(rows) - 1
