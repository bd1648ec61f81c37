"""The command of a reply is exactly what stands there, or there is none, with its reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.agent.extract import EMPTY, TRUNCATED, UNPARSABLE, extract


@pytest.mark.parametrize(("text", "command"), [
    ("look", "look"),
    ("  go to  hall \n", "go to  hall"),
    ('{"thought": "hm", "command": "take cup"}', "take cup"),
    ('```json\n{"command": "look"}\n```', "look"),
    ("I will look.\n```\nlook around\n```\nThen see.", "look around"),
    ("Thought: it is dark.\nCommand: light lamp", "light lamp"),
    ("I think so.\n> take cup", "take cup"),
    ('{"do":"open"}x', None),
    ('open("door")', 'open("door")'),
    ("a\u2028b", None),
])  # fmt: skip
def test_one_way_to_read_each_shape(text: str, command: str | None) -> None:
    """A structured reply is read as such, a marked line or fence as it is marked, a single line as it stands."""
    found = extract(text, "stop")
    assert found.command == command
    assert (found.failure is None) == (command is not None)


@pytest.mark.parametrize(("text", "finish", "failure"), [
    ("", "stop", EMPTY), (" \n\t", "stop", EMPTY), ("look", "length", TRUNCATED), ("", "length", TRUNCATED),
    ("two\nlines", "stop", UNPARSABLE), ('{"command": "lo', "stop", UNPARSABLE), ('{"thought": "x"}', "stop", UNPARSABLE),
    ('{"command": ["look"]}', "stop", UNPARSABLE), ('{"command": ""}', "stop", UNPARSABLE), ("x" * 400, "stop", UNPARSABLE),
    ("```\na\n```\n```\nb\n```", "stop", UNPARSABLE), ("> a\n> b", "stop", UNPARSABLE), ("```\n\n```", "stop", UNPARSABLE),
    ('{"command": "look"} and then "wait"', "stop", UNPARSABLE), ("[" * 100_000, "stop", UNPARSABLE),
    ("{" + '"a":{' * 50_000, "stop", UNPARSABLE),
], ids=range(16))  # fmt: skip
def test_why_there_is_none(text: str, finish: str, failure: str) -> None:
    """Nothing is searched for in a structured reply that cannot be read, and nothing is mended."""
    found = extract(text, finish)
    assert (found.command, found.failure) == (None, failure)


@given(st.text(), st.sampled_from(["stop", "length", "tool_calls"]))
def test_any_text_is_read(text: str, finish: str) -> None:
    """A command is a part of the reply, byte for byte, or there is a failure."""
    found = extract(text, finish)
    if found.command is None:
        assert found.failure in {EMPTY, TRUNCATED, UNPARSABLE}
    else:
        assert found.data is not None or found.command in text
        assert found.command.strip()
