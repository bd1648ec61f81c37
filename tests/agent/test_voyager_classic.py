"""Voyager as it was published: what the critic approves is kept under its name, whatever it does."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from sandbox.agent.asking import Rejected
from sandbox.agent.programs import described, read_program, read_task
from tests.agent.test_voyager import Playing, Says, voyage

__all__ = ["voyage"]
TASK = json.dumps({"reasoning": "", "task": "look around"})


def model(code: str, *, success: bool) -> Says:
    """A model that always writes the same program, and always says the same of it."""
    program = json.dumps({"explain": "", "plan": "", "code": code})
    critic = json.dumps({"reasoning": "", "success": success, "critique": "look harder"})
    said = {"curriculum": TASK, "writer": program, "critic": critic, "other": '{"questions": ["What is there?"]}'}
    return Classic(said)


class Classic(Says):
    """As `Says`, for the prompts of the published agent."""

    def role(self, system: str) -> str:
        """Whom a prompt is for."""
        if "Name the next task" in system:
            return "curriculum"
        return "writer" if system.startswith("You write programs") else "critic" if "judge" in system[:60] else "other"


def test_what_the_critic_approves_is_kept_and_overwritten(voyage: Playing) -> None:
    """One skill, however often it is approved; no promise, no proof."""
    result = voyage("tiny/3", "voyager-classic", model('def look():\n    do.say("look NUMBER")\n', success=True), steps=6)
    assert result.played.end.outcome == "step_limit"
    assert len(result.skills) > 1
    assert {skill.fields["name"] for skill in result.skills} == {"look"}
    parents = [skill.fields["parent"] for skill in result.skills]
    assert parents[1:] == [skill.fields["digest"] for skill in result.skills][:-1]
    assert not any(skill.fields["post"] for skill in result.skills)
    assert not [one for one in result.kept if one.sort == "evidence"]


def test_what_it_does_not_approve_is_tried_four_times_and_forgotten(voyage: Playing) -> None:
    """With its critique in the next prompt."""
    result = voyage("tiny/3", "voyager-classic", model('def look():\n    do.say("look")\n', success=False), steps=9)
    assert not result.skills
    assert any("look harder" in call.messages[-1][1] for call in result.calls if call.role == "writer")
    assert {row.command for row in result.rows[1:]} == {"look"}


@pytest.mark.parametrize("code", [
    "def f():\n    open('/etc/passwd')\n", "def f():\n    do.fly('x')\n",
    "def f():\n    do.say(1)\n", "def f():\n    do.say('a', 'b')\n", "def f():\n    f()\n", "def f(): raise RuntimeError('x')\n",
])  # fmt: skip
def test_programs_that_do_harm_do_none(code: str, voyage: Playing) -> None:
    """They end with an error that is shown to the writer; nothing is said to the world but commands."""
    result = voyage("tiny/3", "voyager-classic", model(code, success=True), steps=4)
    assert result.played.end.outcome in {"invalid_limit", "step_limit"}
    assert not result.skills


@pytest.mark.parametrize("data", [
    {"code": 1}, {"code": "x = 1"}, {"code": "def f(x): pass"}, {"code": "def f("}, {"code": ""}, {"code": "import os\ndef f(): pass"},
])  # fmt: skip
def test_what_is_no_program_is_refused(data: Mapping[str, object]) -> None:
    """The last function counts, and takes nothing."""
    with pytest.raises(Rejected):
        read_program(data, {})
    with pytest.raises(Rejected):
        read_task({"task": "  "})


def test_the_last_function_is_the_program() -> None:
    """Those before it go along; its description is the first line of what the model says."""
    skill = read_program({"code": "def a():\n    pass\ndef b():\n    a()\n"}, {"model": "m"})
    assert (skill.name, skill.params, skill.post) == ("b", (), ())
    assert described(skill, "It looks.\nAnd more.", "abc").summary == "It looks."
