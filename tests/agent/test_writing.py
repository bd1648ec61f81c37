"""From a reply to a skill: what it takes is read off its code, what it promises is the task."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from sandbox.agent.asking import Rejected
from sandbox.agent.library import Skill
from sandbox.agent.tasks import Task
from sandbox.agent.writing import CHOICES, read_skill, schema

TASK = Task((("in", "red cup", "hall"), ("word", "red cup", "wet")))
CODE = '''def bring(x: thing, to: ROOM):
    """Bring a thing to a room.

    More words."""
    require(see.held(x))
    require("not", "word", x, "broken")
    go_to(to)
    do.drop(x)
'''
ARGS = ["red cup", "hall"]


def read(code: object = CODE, args: object = ARGS, skills: Mapping[str, Skill] | None = None) -> tuple[Skill, tuple[str, ...]]:
    """A reply, read."""
    return read_skill({"code": code, "args": args, "plan": ""}, TASK, {"model": "m"}, ("take", "drop"), skills or {})


def test_a_skill_is_read_off_its_code() -> None:
    """Name, parameters with kinds, summary, preconditions; the promise is the task, lifted."""
    skill, args = read()
    assert (skill.name, skill.params, args) == ("bring", (("x", "thing"), ("to", "room")), ("red cup", "hall"))
    assert skill.summary == "Bring a thing to a room."
    assert skill.pre == (("held", "x"), ("not", "word", "x", "broken"))
    assert skill.post == (("in", "x", "to"), ("word", "x", "wet"))
    assert (skill.uses, skill.origin, skill.source) == (("drop",), "llm", {"model": "m"})
    assert read(f"```python\n{CODE}```")[0] == skill


@pytest.mark.parametrize(("code", "args", "said"), [
    (CODE, ["red cup"], "takes 2 things"), (CODE, ["red cup", "yard"], "'hall': make it a parameter"), (1, ARGS, "must be a text"),
    (CODE, [1, 2], "list of names"), ("def f(:", ARGS, "line 1"), ("x = 1", ARGS, "one function"), (CODE + CODE, ARGS, "one function"),
    (CODE.replace("do.drop(x)", "do.fly(x)"), ARGS, "line 8.*fly"), (CODE.replace("do.drop(x)", "while x: do.drop(x)"), ARGS, "while"),
    (CODE.replace("do.drop(x)", 'do.drop("red cup")'), ARGS, "line 8.*baked in"), ("import os\n" + CODE, ARGS, "one function"),
    (CODE.replace("do.drop(x)", "import os"), ARGS, "imported"), (CODE.replace("do.drop(x)", "bring(x, to)"), ARGS, "call itself"),
    (CODE.replace("do.drop(x)", "().__class__"), ARGS, "__class__"), ("def f(x, y):\n" + " " * 4 + "(" * 9000, ARGS, "read"),
])  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(code: object, args: object, said: str) -> None:
    """Before anything runs."""
    with pytest.raises(Rejected, match=said):
        read(code, args)


def test_a_name_that_promises_something_else_is_taken() -> None:
    """Nothing is overwritten; a better version of the same promise is welcome."""
    skill, _ = read()
    assert read(skills={"bring": skill})[0] == skill
    other = Skill("bring", skill.params, CODE, "", (), (("held", "x"),))
    with pytest.raises(Rejected, match="choose another name"):
        read(skills={"bring": other})


def test_a_task_in_words_needs_no_promise() -> None:
    """A critic judges it."""
    skill, _ = read_skill({"code": CODE, "args": ARGS, "plan": ""}, Task(words="sing"), {}, ("drop",), {})
    assert skill.post == ()


def test_a_schema_lists_the_names_as_long_as_they_are_few() -> None:
    """A server that holds a model to it lets it name nothing that is not there."""
    assert '"enum": ["cup", "hall"]' in json.dumps(schema({"hall", "cup"}))
    assert "enum" not in json.dumps(schema({str(number) for number in range(CHOICES + 1)}))
    assert schema([])["required"] == ["plan", "code", "args"]
