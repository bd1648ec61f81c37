"""Voyager: skills that a model writes are kept when they were seen to work, and only then."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.agent.load import load
from sandbox.agent.prompts import Prompts
from sandbox.certify import build
from sandbox.generate.content import Content
from sandbox.log.kept import Kept
from sandbox.log.reader import Log
from sandbox.log.rows import CallRow, StepRow
from sandbox.log.writer import Journal
from sandbox.models.api import Answer, Model, Request, estimated
from sandbox.models.names import Source
from sandbox.run.episode import Match, Played, play
from sandbox.run.game import Game, built
from sandbox.run.score import default_limit
from sandbox.run.talk import Talk, opened
from tests.agent.knowing import Knowing
from tests.run.conftest import Seen

WORLDS = ("tiny/3", "small/2", "9")
CONTENT = Content()


@dataclass
class Result:
    """An episode and all that was recorded of it."""

    played: Played
    model: Model
    rows: list[StepRow]
    calls: list[CallRow]
    kept: list[Kept]
    beliefs: list[dict[str, object]]

    @property
    def skills(self) -> list[Kept]:
        """The skills in the library afterwards."""
        return [one for one in self.kept if one.sort == "skill"]


Playing = Callable[..., Result]


@functools.cache
def game_of(ref: str) -> Game:
    """A world with its proof, built once."""
    return built(build(ref, CONTENT))


@pytest.fixture
def voyage(tmp_path: Path) -> Playing:
    """Play an episode in a database of this test."""
    db = tmp_path / "sandbox.db"

    def run(ref: str, spec: str = "voyager", model: Model | None = None, steps: int | None = None, bad: int = 0, library: str | None = "voyager") -> Result:
        game, player = game_of(ref), load(spec, CONTENT.agents())
        knowing = Knowing(game.world, player.agent, bad)
        seen = Seen(on_step=lambda row: knowing.stepped(row.command))
        limit = steps or default_limit(game.optimum, learns=True)
        prompts = Prompts(folder / "prompts" for folder in CONTENT.folders)
        with Journal.open(db) as journal:
            played = play(Match(game, player, 1, 7, limit, None, library, Talk(model or knowing), prompts), journal, seen)
        with Log.open(db) as log:
            kept = log.library(library) if library and any(s.name == library for s in log.libraries()) else []
            rows = list(log.steps(played.episode))
            beliefs = [dict(belief) for row in rows for belief in log.beliefs(played.episode, row.n)]
            return Result(played, model or knowing, rows, list(log.calls(played.episode)), kept, beliefs)

    return run


class Says:
    """A model that says the same to everybody, or what the role is given."""

    name = "mock/says"

    def __init__(self, text: str | dict[str, str], finish: str = "stop") -> None:
        self.text, self.finish = text, finish
        self.asked: list[Request] = []

    def complete(self, request: Request, timeout: float) -> Answer:
        """What it was given."""
        del timeout
        self.asked.append(request)
        role = self.role(request.messages[0].content)
        text = (self.text if isinstance(self.text, str) else self.text[role]).replace("NUMBER", str(len(self.asked)))
        return Answer(text, self.finish, estimated(request, text), 0.0, self.name)

    def role(self, system: str) -> str:
        """Whom a prompt is for."""
        return "curriculum" if "next task" in system[:60] else "critic" if "judge" in system[:60] else "writer"

    def close(self) -> None:
        """Nothing was opened."""


def proven(result: Result) -> set[str]:
    """The digests of skills of which a proving call is on record."""
    return {str(one.fields["skill"]) for one in result.kept if one.sort == "evidence" and one.fields["proves"]}


@pytest.mark.parametrize("ref", WORLDS)
def test_a_model_that_knows_the_answers_solves_it_with_skills_that_were_seen_to_work(ref: str, voyage: Playing) -> None:
    """Every skill that is kept has a call on record with its promise false before and true after."""
    result = voyage(ref)
    assert result.played.end.outcome == "solved"
    assert result.skills
    assert {str(skill.fields["digest"]) for skill in result.skills} <= proven(result)
    assert {skill.fields["origin"] for skill in result.skills} == {"llm"}
    assert {skill.fields["source"]["model"] for skill in result.skills} == {"mock/knowing"}  # type: ignore[index]


@pytest.mark.parametrize("bad", [2, 3])
def test_bad_skills_are_not_kept(bad: int, voyage: Playing) -> None:
    """Loops, escapes, unknown deeds, memory, nonsense, and what changes nothing: the world is solved without them."""
    result = voyage("small/2", bad=bad)
    assert isinstance(result.model, Knowing)
    assert result.model.wrong
    assert result.played.end.outcome == "solved"
    kept = {str(skill.fields["code"]).rstrip() for skill in result.skills}
    assert not kept & set(result.model.wrong)
    assert {str(skill.fields["digest"]) for skill in result.skills} <= proven(result)


def test_what_was_learned_is_used_again(voyage: Playing) -> None:
    """The second play of a world begins with the skills of the first, and a skill that works again becomes active."""
    voyage("tiny/3")
    result = voyage("tiny/3")
    assert any(row.skills_used for row in result.rows)
    assert any(row.skills_offered for row in result.rows)
    assert any(one.sort == "status" and one.fields["status"] == "active" for one in result.kept)


def test_every_decision_is_on_record(voyage: Playing) -> None:
    """Tasks, candidates with their scores, verdicts; tokens by role."""
    voyage("tiny/3")
    result = voyage("tiny/3")
    events = {str(belief.get("event")) for belief in result.beliefs}
    assert {"retrieval", "verdict"} <= events
    (candidates, *_) = [belief["candidates"] for belief in result.beliefs if belief.get("candidates")]
    assert all(len(candidate) == 4 for candidate in candidates)  # type: ignore[attr-defined]
    assert {call.role for call in result.calls} <= {"curriculum", "writer", "critic"}
    assert sum(row.tokens_in or 0 for row in result.rows) == sum(call.tokens_in or 0 for call in result.calls)


def test_a_recorded_episode_gives_the_same_commands(voyage: Playing, tmp_path: Path) -> None:
    """Played again from its own answers."""
    first = voyage("tiny/3", library=None)
    again = voyage("tiny/3", model=opened(Source(f"replay/{first.played.episode}"), tmp_path / "sandbox.db"), library=None)
    assert [row.command for row in again.rows] == [row.command for row in first.rows]
    assert again.played.end.outcome == "solved"


@pytest.mark.parametrize("spec", [
    "voyager:skills=off", "voyager:curriculum=off", "voyager:curriculum=random", "voyager:critic=off", "voyager:verification=off",
    "voyager:retirement=off", "voyager:interface=off",
])  # fmt: skip
def test_every_part_can_be_switched_off(spec: str, voyage: Playing) -> None:
    """It plays on without it, and ends like any other episode."""
    result = voyage("tiny/3", spec, steps=40)
    assert result.played.end.outcome in {"solved", "step_limit", "invalid_limit"}
    if spec.endswith("skills=off"):
        assert not result.skills


@pytest.mark.parametrize(("text", "finish", "said"), [
    ("", "stop", "empty"), ("{", "stop", "not one JSON object"), ("{}", "length", "cut off"), ("[1]", "stop", "not one JSON object"),
    ('{"why": "", "task": [], "words": ""}', "stop", "at least one fact"), ("\u2028\x00\ud800", "stop", "not one JSON object"),
    ('{"why": "", "task": [{"fact": "held", "thing": "unicorn", "value": ""}], "words": ""}', "stop", "'unicorn'"),
    ("x" * 1_000_000, "stop", "not one JSON object"),
])  # fmt: skip
def test_replies_without_use_are_told_so_and_end_it_after_thirty(text: str, finish: str, said: str, voyage: Playing) -> None:
    """Each in its own words; nothing that was said is taken for a command."""
    model = Says(text, finish)
    result = voyage("tiny/3", model=model)
    assert result.played.end.outcome == "invalid_limit"
    assert len(model.asked) == 30
    assert any(said in request.messages[-1].content for request in model.asked)


def test_prompts_do_not_grow_with_the_episode(voyage: Playing, tmp_path: Path) -> None:
    """A model that gets nowhere for 100 steps: the last prompts are not much longer than the early ones; 1.5 MB."""
    code = 'def look_about(x):\n    """Look."""\n    "NUMBER"\n    for _ in range(3):\n        do.look()\n    see.held(x)\n'
    task = json.dumps({"why": "", "task": [], "words": "look again NUMBER"})
    skill = json.dumps({"plan": "", "code": code, "args": ["spyglass"]})
    model = Says({"curriculum": task, "writer": skill, "critic": '{"reason": "", "success": false}'})
    result = voyage("tiny/3", "voyager", model, steps=100)
    assert result.played.end.outcome == "step_limit"
    sizes = [sum(len(content) for _, content in call.messages) for call in result.calls]
    assert max(sizes[12:]) < 1.5 * max(sizes[:12])
    assert max(sizes) < 4 * 6000
    assert (tmp_path / "sandbox.db").stat().st_size < 1_500_000


def held(thing: str) -> str:
    """A proposal: to hold a thing."""
    return json.dumps({"why": "", "task": [{"fact": "held", "thing": thing, "value": ""}], "words": ""})


def skill(body: str, thing: str) -> str:
    """A skill for it, of one parameter."""
    return json.dumps({"plan": "", "code": f'def grab(x):\n    """Take it."""\n{body}', "args": [thing]})


class Mends(Says):
    """Writes a skill that works where the thing is, and mends it when it is asked for one that is elsewhere."""

    def __init__(self) -> None:
        super().__init__("")
        self.tasks = [held("sextant"), held("spyglass")]

    def complete(self, request: Request, timeout: float) -> Answer:
        """The next task; the first skill, or the mended one."""
        system = request.messages[0].content
        deed = next(iter(re.findall(r"do\.take\w*", request.messages[1].content)), "do.take")
        mended = f"    go_to(see.room_of(x))\n    {deed}(x)\n"
        if "next task" in system[:60]:
            self.text = self.tasks.pop(0) if self.tasks else "no more"
        else:
            first = f"    require(see.here(x))\n    {deed}(x)\n"
            self.text = skill(mended, "spyglass") if "mend" in system[:20] else skill(first, "sextant")
        return super().complete(request, timeout)


def test_a_skill_that_fails_is_mended_as_a_new_version(voyage: Playing) -> None:
    """The writer sees its code, how it ended and in which line; the old version stays on record."""
    result = voyage("tiny/3", model=Mends(), steps=40)
    assert [one.fields["name"] for one in result.skills] == ["grab", "grab"]
    old, new = (one.fields for one in result.skills)
    assert (old["parent"], new["parent"]) == (None, old["digest"])
    assert [one.fields["status"] for one in result.kept if one.sort == "status"] == ["repaired"]
    asked = next(call.messages[-1][1] for call in result.calls if call.messages[0][1].startswith("You mend"))
    assert "require(see.here(x))" in asked
    assert "gave_up" in asked
    assert "(line 3)" in asked


@pytest.mark.sweep
@pytest.mark.parametrize("bad", [0, 3])
def test_twenty_default_worlds_are_solved_and_nothing_bad_is_kept(bad: int, voyage: Playing) -> None:
    """The long version: every one of the first twenty, with one library that grows from world to world."""
    for seed in range(20):
        result = voyage(str(seed), bad=bad)
        assert isinstance(result.model, Knowing)
        assert (seed, result.played.end.outcome) == (seed, "solved")
        kept = {str(skill.fields["digest"]): str(skill.fields["code"]).rstrip() for skill in result.skills}
        assert set(kept) <= proven(result)
        assert not set(kept.values()) & set(result.model.wrong)
