"""A conversation about one episode: what was said and answered, within a budget, and a command out of every reply.

A reply that holds no command is told so, in the words for its failure, and asked for again; the world is not
bothered with it. Once there is a command, those failures are forgotten: what a model is shown of the past is
what happened in the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sandbox.agent.api import Reply, Unreadable
from sandbox.agent.extract import MESSAGES, extract
from sandbox.models.api import Message

UNREADABLE: Final = 30
"""Replies without a command, in a row, after which an episode ends."""
BUDGET: Final = 6000
"""Tokens of a prompt, at four characters each."""
LEFT_OUT: Final = "({count} earlier steps are left out.)"
THINKING: Final[dict[str, object]] = {
    "type": "object",
    "properties": {"thought": {"type": "string"}, "command": {"type": "string"}},
    "required": ["thought", "command"],
    "additionalProperties": False,
}
"""The schema of a reply that thinks before it acts; THINKING_HOW says it in words."""
THINKING_HOW: Final = 'Reply with one JSON object: {"thought": "…", "command": "…"}.'


class Dialogue:
    """Asks a model (a `sandbox.models.chat.Chat`) for one command after the other.

    `head` are the messages that begin every prompt; `how` is told to a model whose reply cannot be read; `schema`
    is the JSON schema of a structured reply. `window` is how many steps of the past are shown at most, None for as
    many as the budget has room for.
    """

    def __init__(
        self, chat: Any, head: Sequence[tuple[str, str]], how: str, *, schema: dict[str, object] | None = None,
        window: int | None = None, budget: int = BUDGET,
    ) -> None:
        self._chat, self._head, self._how, self._schema = chat, tuple(Message(*part) for part in head), how, schema
        self._window, self._budget = window, budget
        self._past: list[tuple[str, str]] = []
        self._unreadable = 0

    @property
    def past(self) -> Sequence[tuple[str, str]]:
        """(reply, observation after it) of every step so far."""
        return self._past

    def forget(self, head: Sequence[tuple[str, str]]) -> None:
        """Begin again with other first messages."""
        self._head, self._past = tuple(Message(*part) for part in head), []

    def command(self) -> Reply:
        """The next command. Raises Unreadable when there is none for too long."""
        failures: list[Message] = []
        while True:
            answer = self._chat.ask("actor", [*self._messages(), *failures], schema=self._schema)
            found = extract(answer.text, answer.finish)
            if found.command is not None:
                self._unreadable = 0
                return Reply(found.command, answer.text)
            self._unreadable += 1
            if self._unreadable >= UNREADABLE:
                raise Unreadable(f"{UNREADABLE} replies in a row held no command (the last was {found.failure})")
            told = MESSAGES[str(found.failure)].format(how=self._how)
            said = answer.text if answer.text.strip() else "(nothing)"
            failures = [*failures[-4:], Message("assistant", said[:2000]), Message("user", told)]

    def saw(self, reply: str, observation: str) -> None:
        """Note what a reply led to."""
        self._past.append((reply, observation))

    def _messages(self) -> list[Message]:
        """The head, then the past from its end backwards as far as window and budget allow."""
        left = self._budget - sum(_size(message.content) for message in self._head)
        kept: list[tuple[str, str]] = []
        shown = self._past if self._window is None else self._past[max(0, len(self._past) - self._window) :]
        for said, seen in reversed(shown):
            left -= _size(said) + _size(seen)
            if left < 0 and kept:
                break
            kept.append((said, seen))
        messages = list(self._head)
        gone = len(self._past) - len(kept)
        for number, (said, seen) in enumerate(reversed(kept)):
            note = LEFT_OUT.format(count=gone) + "\n" if gone and not number else ""
            messages += [Message("assistant", said), Message("user", note + seen)]
        return messages


def _size(text: str) -> int:
    return len(text) // 4 + 5
