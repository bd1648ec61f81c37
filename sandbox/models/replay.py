"""`replay/EPISODE`: what a model answered in a recorded episode, in answer to the same prompts in the same order.

Nothing is asked of anybody and nothing is paid. A prompt that differs from the recorded one, or that follows the
last one, has no answer: whoever plays differs from who played then, and is told where.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from sandbox.models.api import Answer, Message, Request, Trouble

_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Exchange:
    """One prompt of a recording and its answer."""

    messages: tuple[Message, ...]
    answer: Answer


class ReplayModel:
    """The answers of an episode. `again` is the command that plays it as it was played."""

    def __init__(self, episode: str, exchanges: Sequence[Exchange], again: str) -> None:
        self.name = f"replay/{episode}"
        self._exchanges, self._again, self._next = exchanges, again, 0

    def complete(self, request: Request, timeout: float) -> Answer:
        """The recorded answer, with the tokens that it took then and at no cost."""
        del timeout  # it is there already
        if self._next == len(self._exchanges):
            raise Trouble("unrecorded", f"the recording ends after {self._next} answers; as it was: {self._again}")
        exchange = self._exchanges[self._next]
        self._next += 1
        if exchange.messages != request.messages:
            what = f"prompt {self._next} is not the recorded one: {_difference(exchange.messages, request.messages)}"
            raise Trouble("unrecorded", f"{what}; as it was: {self._again}")
        return replace(exchange.answer, cost=0.0, model=self.name)

    def close(self) -> None:
        """Nothing was opened."""


def _difference(recorded: Sequence[Message], asked: Sequence[Message]) -> str:
    """Where two different prompts part."""
    for number, (old, new) in enumerate(zip_longest(recorded, asked), 1):
        if old is None or new is None:
            return f"it has {len(asked)} messages, not {len(recorded)}"
        if old != new:
            pairs = zip(old.content, new.content, strict=False)
            at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old.content), len(new.content)))
            return f"message {number} has {_cut(new.content, at)}, not {_cut(old.content, at)}"
    raise ValueError("the prompts are equal")


def _cut(text: str, at: int) -> str:
    return repr(text[max(0, at - 10) : at + _SHOWN])
