"""Asking for one JSON object: four ways to fail, each told in its own words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.agent.api import Unreadable
from sandbox.agent.asking import Asker, Rejected
from sandbox.agent.extract import EMPTY, TRUNCATED, UNPARSABLE, read_object
from sandbox.agent.prompts import Prompts
from sandbox.models.api import Answer, Message, Usage
from sandbox.models.chat import Chat
from tests.models.test_chat import Clock, Scripted

FORM: dict[str, object] = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.mark.parametrize(("text", "finish", "data", "failure"), [
    ('{"a": 1}', "stop", {"a": 1}, None), ('```json\n{"a": 1, "b": 2}\n```', "stop", {"a": 1, "b": 2}, None),
    ('Here:\n```\n{"a": 1}\n```\nDone.', "stop", {"a": 1}, None), ("", "stop", None, EMPTY), ('{"a": 1}', "length", None, TRUNCATED),
    ('{"b": 1}', "stop", None, UNPARSABLE), ("[1]", "stop", None, UNPARSABLE), ('{"a": 1', "stop", None, UNPARSABLE),
    ('a {"a": 1}', "stop", None, UNPARSABLE), ('{"a": 1} {"a": 2}', "stop", None, UNPARSABLE), ("{" * 100_000, "stop", None, UNPARSABLE),
])  # fmt: skip
def test_one_object_or_why_there_is_none(text: str, finish: str, data: object, failure: str | None) -> None:
    """Bare, or alone in one fence; nothing is searched for, and nothing mended."""
    assert read_object(text, finish, ["a"]) == (data, failure)


@pytest.fixture
def asker(tmp_path: Path) -> Any:
    """An asker whose model gives the answers that it is made with."""
    (tmp_path / "q.prompt.j2").write_text("{#\nname: q\nversion: 1\nvariables: x\n#}\n[user]\n{{ x }}\n", encoding="utf-8")

    def made(*answers: tuple[str, str]) -> tuple[Asker, Scripted]:
        model = Scripted([Answer(text, finish, Usage(1, 1), 0.0) for text, finish in answers])
        return Asker(Chat(model, tools=Clock().tools), Prompts([tmp_path])), model

    return made


def small(data: dict[str, Any]) -> int:
    """A check."""
    if data["a"] > 9:
        raise Rejected("that is too much")
    return int(data["a"])


@pytest.mark.parametrize(("bad", "told"), [
    (("", "stop"), "empty"), (('{"a"', "length"), "cut off"), (("one", "stop"), "Its fields: a"), (('{"a": 10}', "stop"), "that is too much"),
])  # fmt: skip
def test_each_failure_is_told_in_its_own_words(bad: tuple[str, str], told: str, asker: Any) -> None:
    """And asked again; the next question knows nothing of it."""
    asking, model = asker(bad, ('{"a": 3}', "stop"))
    assert asking.ask("r", "q", {"x": "how many?"}, FORM, small) == 3
    assert [len(request.messages) for request in model.asked] == [1, 3]
    assert told in model.asked[1].messages[-1].content
    asking.ask("r", "q", {"x": "again"}, FORM, small)
    assert model.asked[2].messages == (Message("user", "again"),)


def test_three_replies_are_enough_and_thirty_the_end(asker: Any) -> None:
    """However readable they are: what is counted is that nothing is done."""
    asking, model = asker(('{"a": 99}', "stop"))
    assert asking.ask("r", "q", {"x": "?"}, FORM, small) is None
    assert len(model.asked) == 3
    assert "too much" in asking.why
    asking.acted()
    for _ in range(10):
        asking.ask("r", "q", {"x": "?"}, FORM, small)
    with pytest.raises(Unreadable):
        asking.ask("r", "q", {"x": "?"}, FORM, small)
    assert len(model.asked) == 33
