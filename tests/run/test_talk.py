"""Language models in an episode: every prompt, attempt, token and price on record; failures are outcomes, never scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.agent.load import load
from sandbox.agent.prompts import Prompts
from sandbox.cli.main import main
from sandbox.errors import ProviderError, UsageError
from sandbox.generate.content import Content
from sandbox.log.reader import Log
from sandbox.log.rows import Usage
from sandbox.log.writer import Journal
from sandbox.models.chat import Limits
from sandbox.models.keys import Redactor
from sandbox.models.names import Source
from sandbox.models.openai_sdk import OpenAIModel
from sandbox.run.episode import Match, Played, play
from sandbox.run.game import Game
from sandbox.run.replay import replay
from sandbox.run.talk import Talk, opened
from tests.models.stub import Stub, echoes_the_key, fails, is_cut, replies, says, serving
from tests.run.conftest import Seen

KEY = "sk-sentinel-0123456789"
Playing = Callable[..., Played]


@pytest.fixture
def stub() -> Iterator[Stub]:
    """A server of the OpenAI protocol."""
    with serving() as running:
        yield running


@pytest.fixture
def talking(game: Game, journal: Journal, stub: Stub, seen: Seen) -> Playing:
    """Play an episode with a model behind the stub server."""

    def run(agent: str = "react", limits: Limits | None = None, steps: int = 6, price: tuple[float, float] | None = (1, 1)) -> Played:
        content = Content()
        model = OpenAIModel("openai/stub-1", "stub-1", base_url=stub.url, key=KEY, price=price)
        talk = Talk(model, limits or Limits(), Redactor([KEY]))
        prompts = Prompts(folder / "prompts" for folder in content.folders)
        match = Match(game, load(agent, content.agents()), 1, 7, steps, talk=talk, prompts=prompts)
        try:
            return play(match, journal, seen)
        finally:
            model.close()

    return run


def test_what_was_sent_and_said_is_what_is_recorded(talking: Playing, stub: Stub, log: Log) -> None:
    """Messages as the server got them, each stored once; tokens and cost add up to the steps'; it replays."""
    stub.then(says('{"thought": "hm", "command": "look"}'))
    played = talking(steps=5)
    calls = list(log.calls(played.episode))
    assert [[{"role": r, "content": c} for r, c in call.messages] for call in calls] == [asked["messages"] for asked in stub.asked]
    assert [(call.n, call.attempt, call.role) for call in calls] == [(n, 1, "actor") for n in range(1, 6)]
    rows = list(log.steps(played.episode))[1:]
    assert [row.command for row in rows] == ["look"] * 5
    assert [row.raw for row in rows] == ['{"thought": "hm", "command": "look"}'] * 5
    assert sum(row.tokens_in or 0 for row in rows) == sum(call.tokens_in or 0 for call in calls) == 50
    assert sum(row.cost or 0 for row in rows) == pytest.approx(13 * 5 / 1e6)
    episode = log.episode(played.episode)
    assert (episode.model, played.end.outcome) == ("openai/stub-1", "step_limit")
    assert replay(log, episode).steps == 5


def test_an_unknown_price_is_unknown(talking: Playing, log: Log) -> None:
    """None, never 0."""
    played = talking(price=None, steps=2)
    assert [row.cost for row in log.steps(played.episode)][1:] == [None, None]


@pytest.mark.parametrize(("agent", "replies_"), [("zeroshot", "look"), ("react", '{"command": "look"}'), ("reflexion:trials=2", '{"command": "look"}')])
def test_every_agent_plays_on_whatever_the_world_says(agent: str, replies_: str, talking: Playing, stub: Stub) -> None:
    """To the limit of steps, exactly."""
    stub.then(says(replies_))
    played = talking(agent, steps=9)
    assert (played.end.outcome, played.end.steps) == ("step_limit", 9)


def test_reflexion_thinks_between_its_tries(talking: Playing, stub: Stub, log: Log) -> None:
    """And carries the advice on into the next."""
    stub.then(*[says('{"thought": "t", "command": "look"}')] * 3, says("Next time, wait."), says("restart"), says('{"command": "wait"}'))
    played = talking("reflexion:trials=2", steps=8)
    calls = list(log.calls(played.episode))
    assert [call.role for call in calls][:5] == ["actor", "actor", "actor", "critic", "actor"]
    assert "Next time, wait." in calls[5].messages[0][1]


def test_a_failure_in_the_middle_ends_it_without_a_score(talking: Playing, stub: Stub, log: Log) -> None:
    """401 after a good answer: two calls on record, one step, no score, and the key nowhere."""
    stub.then(says('{"command": "look"}'), echoes_the_key())
    played = talking()
    assert (played.end.outcome, played.end.score, played.end.steps) == ("provider_error", None, 1)
    assert isinstance(played.fault, ProviderError)
    assert played.fault.exit_code == 3
    assert [call.trouble for call in log.calls(played.episode)] == [None, "auth"]
    everything = log.path.read_bytes() + Path(f"{log.path}-wal").read_bytes()
    assert KEY.encode() not in everything
    assert KEY not in str(played.fault)


@pytest.mark.parametrize("agent", ["react", "voyager", "voyager-classic"])
def test_a_key_that_comes_back_in_every_answer_is_kept_nowhere(agent: str, talking: Playing, stub: Stub, log: Log) -> None:
    """Neither in the log nor in the prompts that quote the answer."""
    stub.then(says(f'{{"command": "say {KEY}", "why": "{KEY}"}}'), says(f"the key is {KEY}"), echoes_the_key())
    played = talking(agent, steps=60)
    assert played.end.outcome == "provider_error"
    assert len(stub.asked) >= 3
    everything = log.path.read_bytes() + Path(f"{log.path}-wal").read_bytes()
    assert KEY.encode() not in everything
    assert KEY not in str(stub.asked)
    assert KEY not in str(played.fault)


@pytest.mark.parametrize("failure", [fails(402), fails(404), fails(400, "maximum context length")], ids=["402", "404", "context"])
def test_no_step_is_taken_when_the_provider_always_fails(failure: object, talking: Playing, stub: Stub) -> None:
    """Nothing is scored that was not played."""
    stub.then(failure)  # type: ignore[arg-type]
    played = talking()
    assert (played.end.outcome, played.end.score, played.end.steps) == ("provider_error", None, 0)


def test_what_passes_costs_nothing_but_time(talking: Playing, stub: Stub, log: Log) -> None:
    """429 with Retry-After, a cut reply, HTML: each is an attempt on record, and the step is taken once."""
    stub.then(fails(429, retry_after="0"), is_cut, replies(200, "<html>", "text/html"), says('{"command": "look"}'))
    played = talking(steps=1)
    calls = list(log.calls(played.episode))
    assert [call.attempt for call in calls] == [1, 2, 3, 4]
    assert calls[0].trouble == "rate_limit"
    assert played.end.steps == 1


def test_limits_and_unreadable_replies_are_outcomes(talking: Playing, stub: Stub) -> None:
    """Each with its own name; a refusal by the world never counts as unreadable."""
    stub.then(says('{"command": "nonsense of all sorts"}'))
    assert talking(steps=40).end.outcome == "step_limit"
    assert talking(limits=Limits(tokens=2000), steps=400).end.outcome == "token_limit"
    assert talking(limits=Limits(cost=20 / 1e6), steps=400).end.outcome == "cost_limit"
    stub.then(says("I would rather\nnot say."))
    played = talking(steps=400)
    assert (played.end.outcome, played.end.steps, len(stub.asked) >= 30) == ("invalid_limit", 0, True)


@pytest.mark.parametrize("agent", ["react", "reflexion:trials=2"])
def test_a_recorded_episode_is_played_again_from_its_own_answers(  # noqa: PLR0917 - fixtures
    agent: str, talking: Playing, stub: Stub, log: Log, game: Game, journal: Journal, seen: Seen
) -> None:
    """The same commands, with the tokens of then and without anybody being asked."""
    stub.then(says('{"thought": "t", "command": "look"}'), says('{"command": "inventory"}'), says('{"command": "wait"}'))
    first = talking(agent, steps=6)
    asked = len(stub.asked)
    content = Content()
    talk = Talk(opened(Source(f"replay/{first.episode}"), log.path))
    match = Match(game, load(agent, content.agents()), 1, 7, 6, talk=talk, prompts=Prompts(f / "prompts" for f in content.folders))
    again = play(match, journal, seen)
    one, two = (list(log.steps(played.episode)) for played in (first, again))
    assert [row.command for row in one] == [row.command for row in two]
    assert [row.tokens_in for row in one] == [row.tokens_in for row in two]
    assert len(stub.asked) == asked
    assert {row.cost for row in two[1:]} == {0.0}


def test_what_holds_no_recording_is_refused(talking: Playing, stub: Stub, log: Log) -> None:
    """An episode that nobody knows, one that no model answered in, and a database that is not there."""
    stub.then(fails(402))
    played = talking()
    for name, db, said in (("zzz", log.path, "unknown episode"), (played.episode, log.path, "without a model"), ("x", None, "database")):
        with pytest.raises(UsageError, match=said):
            opened(Source(f"replay/{name}"), db)


def test_what_each_role_used_is_told_apart(talking: Playing, stub: Stub, log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    """Calls, tokens, price; a failed attempt is counted by itself, and an unknown price is none."""
    stub.then(fails(429, retry_after="0"), *[says('{"command": "look"}')] * 3, says("Next time, wait."), says("restart"), says('{"command": "wait"}'))
    played = talking("reflexion:trials=2", steps=7)
    actor, critic = log.usage(played.episode)
    assert (actor.role, actor.failed) == ("actor", 1)
    assert critic == Usage("critic", 1, 0, 10, 3, (10 + 3) / 1e6)
    assert actor.tokens_in == 10 * actor.calls
    assert main(["--db", str(log.path), "episodes", "show", played.episode]) == 0
    assert "critic: 1 call, 10 tokens in, 3 out, $0.0000" in capsys.readouterr().out
    assert main(["--db", str(log.path), "episodes", "show", played.episode, "--json"]) == 0
    assert [json.loads(line).get("role") for line in capsys.readouterr().out.splitlines()][-3:] == ["actor", "critic", None]
    unknown = talking(price=None, steps=1)
    assert [used.cost for used in log.usage(unknown.episode)] == [None]
