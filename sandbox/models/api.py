"""What is said to a model and what comes back, the same for every provider.

A `Model` answers one request at a time and raises `Trouble` when it cannot; it neither retries nor counts.
Retries, limits and records are made once, for all of them, by `Chat`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol, runtime_checkable

Kind = Literal[
    "auth", "payment", "not_found", "rate_limit", "server", "timeout", "unreachable", "bad_reply", "context",
    "parameter", "refused", "unrecorded",
]  # fmt: skip
"""Why a call failed. `parameter`: the request was not acceptable; `refused`: the provider filtered it;
`unrecorded`: a recording holds no answer to it."""

RETRYABLE: Final[frozenset[Kind]] = frozenset({"rate_limit", "server", "timeout", "unreachable", "bad_reply"})


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """A conversation to be continued.

    `schema` is a JSON schema that the answer should meet; a server that cannot hold a model to it is asked in
    words all the same. `max_tokens` bounds the answer, thinking included.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, object] | None = None
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, counted in one way for all providers.

    `tokens_in` is the whole prompt, what was read from a cache included (`cached` of them); `tokens_out` the whole
    answer, hidden thinking included. `estimated` marks a count of ours, by length, where the provider gave none.
    """

    tokens_in: int
    tokens_out: int
    cached: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said. `finish` is `stop`, `length` (cut off at the limit) or another word of the provider.

    `cost` in US dollars; None when the price is not known, which is not 0.
    """

    text: str
    finish: str
    usage: Usage
    cost: float | None = None
    model: str = ""


class Trouble(Exception):
    """A call failed. `retry_after` are the seconds that the provider asks to wait."""

    def __init__(
        self, kind: Kind, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message, self.status, self.retry_after = message, status, retry_after

    @property
    def retryable(self) -> bool:
        """Whether the same request may do better later."""
        return self.kind in RETRYABLE


class Model(Protocol):
    """Something that continues conversations. `name` is what to type after --model to get it again."""

    name: str

    def complete(self, request: Request, timeout: float) -> Answer:
        """The answer, within `timeout` seconds. Raises Trouble."""

    def close(self) -> None:
        """Let go of what it holds."""


@runtime_checkable
class Windowed(Protocol):
    """A model that can say how much it reads."""

    def window(self) -> int | None:
        """Tokens that prompt and answer may have together; None when nobody says."""


def estimated(request: Request, text: str) -> Usage:
    """A count by length, for providers that give none: four characters a token, and four tokens a message."""
    asked = sum(len(message.content) // 4 + 5 for message in request.messages)
    return Usage(asked, len(text) // 4 + 1, estimated=True)
