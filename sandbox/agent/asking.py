"""Asking a model for one JSON object: from a prompt to checked data, or to why there is none.

A reply is read by its own shape and never mended. What cannot be read is one of three failures (empty, truncated,
unparsable); what can be read and is not acceptable is *rejected*, with the reason. Each is told to the model in its
own words, and it is asked again. Replies are counted until something is done in the world: thirty in a row end the
episode, however readable they were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from sandbox.agent.api import Unreadable
from sandbox.agent.dialogue import UNREADABLE
from sandbox.agent.extract import EMPTY, TRUNCATED, UNPARSABLE, read_object
from sandbox.agent.prompts import Prompts
from sandbox.models.api import Message

T = TypeVar("T")
TRIES: Final = 3
"""Replies to one question before it is given up."""
MESSAGES: Final[Mapping[str, str]] = {
    EMPTY: "Your reply was empty. Reply with one JSON object.",
    TRUNCATED: "Your reply was cut off before its end. Reply with less: the JSON object alone, as short as it can be.",
    UNPARSABLE: "Your reply is not one JSON object with the fields that were asked for. {how}",
    "rejected": "That will not do: {why}. Reply again, with one JSON object.",
}


class Rejected(Exception):
    """Raised by whoever checks a reply that was read and is not acceptable; the message says why."""


class Asker:
    """Asks one model, a `sandbox.models.chat.Chat`, in the words of some prompts."""

    def __init__(self, chat: Any, prompts: Prompts) -> None:
        self._chat, self._prompts = chat, prompts
        self._idle = 0
        self.why = ""
        """Why the last question was given up."""

    @property
    def model(self) -> str:
        """The name of the model."""
        return str(self._chat.name)

    def needed(self, prompt: str, values: Mapping[str, object]) -> dict[str, object]:
        """Those of some values that a prompt declares."""
        declared = self._prompts.get(prompt).variables
        return {name: value for name, value in values.items() if name in declared}

    def acted(self) -> None:
        """Something was done in the world: the count begins again."""
        self._idle = 0

    def ask(
        self, role: str, prompt: str, values: Mapping[str, object], schema: dict[str, object],
        check: Callable[[dict[str, Any]], T], max_tokens: int = 400,
    ) -> T | None:  # fmt: skip
        """What `check` makes of the reply; None when no reply would do. Raises Unreadable when that goes on."""
        messages = [Message(*part) for part in self._prompts.render(prompt, **values)]
        failures: list[Message] = []
        for _ in range(TRIES):
            self._count(role)
            answer = self._chat.ask(role, [*messages, *failures], schema=schema, max_tokens=max_tokens)
            data, failure = read_object(answer.text, answer.finish, _fields(schema))
            try:
                if data is not None:
                    return check(data)
                told = MESSAGES[str(failure)].format(how=f"Its fields: {', '.join(_fields(schema))}.")
            except Rejected as rejected:
                told = MESSAGES["rejected"].format(why=str(rejected).rstrip("."))
            self.why = told
            said = answer.text if answer.text.strip() else "(nothing)"
            failures = [Message("assistant", said[:2000]), Message("user", told)]
        return None

    def say(self, role: str, prompt: str, values: Mapping[str, object], max_tokens: int = 300) -> str:
        """A reply in free words."""
        self._count(role)
        messages = [Message(*part) for part in self._prompts.render(prompt, **values)]
        return str(self._chat.ask(role, messages, max_tokens=max_tokens).text).strip()

    def _count(self, role: str) -> None:
        self._idle += 1
        if self._idle > UNREADABLE:
            raise Unreadable(f"{UNREADABLE} replies in a row led to no command (the last was for the {role})")


def _fields(schema: Mapping[str, object]) -> tuple[str, ...]:
    found = schema["required"]
    assert isinstance(found, list), "a schema names the fields that it requires"
    return tuple(map(str, found))
