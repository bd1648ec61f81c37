"""The one way in which agents talk to a model: retries, limits, counts and records, the same for every model.

A `Chat` belongs to one episode. Each of its calls is made for a *role* (actor, curriculum, critic, writer …), is
retried when it failed for a reason that passes, and is told to a recorder, every attempt by itself. A limit stops
an episode before the call that would overstep it, and after the one that did.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from sandbox.models.api import Answer, Message, Model, Request, Trouble, estimated
from sandbox.models.gate import LONGEST_WAIT, Gate
from sandbox.models.keys import Redactor
from sandbox.world.keyed import Key

ATTEMPTS: Final = 6
UNREACHABLE: Final = 3
"""Attempts to reach a server that refuses connections or does not exist."""
TIMEOUT: Final = 180.0
"""Seconds that one attempt may take."""
LEAST_ANSWER: Final = 16
"""Tokens without which no answer is worth asking for."""
WARMER: Final = 0.7


class LimitReached(Exception):
    """A limit on tokens, cost or time is used up: the episode ends with this outcome."""

    def __init__(self, outcome: str, message: str) -> None:
        super().__init__(message)
        self.outcome, self.message = outcome, message


class ProviderFailed(Exception):
    """The provider cannot answer: the episode ends as `provider_error`, and is not scored."""

    def __init__(self, trouble: Trouble, attempts: int) -> None:
        super().__init__(trouble.message)
        self.trouble, self.attempts = trouble, attempts


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that an episode may use; None for no limit. `seconds` counts play, waiting for a retry left out."""

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a call, as it is recorded. Times in milliseconds; `waited_ms` is the delay before it."""

    role: str
    number: int
    request: Request
    answer: Answer | None
    trouble: Trouble | None
    latency_ms: float
    waited_ms: float


@dataclass(slots=True)
class Spent:
    """What was used so far. `cost` is None as soon as one call's price is not known; `waited` in seconds."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    waited: float = 0.0
    roles: dict[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.tokens_in + self.tokens_out

    def add(self, role: str, answer: Answer) -> None:
        """Count an answer."""
        self.calls += 1
        self.tokens_in += answer.usage.tokens_in
        self.tokens_out += answer.usage.tokens_out
        self.cost = None if self.cost is None or answer.cost is None else self.cost + answer.cost
        self.roles[role] = self.roles.get(role, 0) + answer.usage.tokens_in + answer.usage.tokens_out


class Recorder(Protocol):
    """Whoever keeps every attempt."""

    def attempted(self, attempt: Attempt) -> None:
        """An attempt was made, successful or not."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Clock and sleep, in seconds: what tests replace."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Chat:
    """A model, its limits, and a memory of what was used. `redact` hides keys in whatever is recorded or raised."""

    def __init__(
        self, model: Model, recorder: Recorder | None = None, limits: Limits | None = None,
        redact: Redactor | None = None, tools: Tools | None = None, gate: Gate | None = None,
    ) -> None:  # fmt: skip
        self.model, self.spent, self.limits = model, Spent(), limits or Limits()
        self._recorder, self._redact, self._tools = recorder, redact or Redactor(), tools or Tools()
        self._gate = gate or Gate(clock=self._tools.clock)
        self._began = self._tools.clock()
        self._last: dict[str, Request] = {}

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    def ask(
        self, role: str, messages: Sequence[Message], *, schema: dict[str, object] | None = None,
        max_tokens: int = 1024, temperature: float = 0.0,
    ) -> Answer:
        """The answer to a conversation. Raises LimitReached and ProviderFailed.

        The same request at temperature 0 is not made twice in a row: a model that repeats itself is asked warmer.
        """
        request = Request(tuple(messages), schema, max_tokens, temperature, 0)
        if temperature == 0 and self._last.get(role) == request:
            warmer = replace(request, temperature=WARMER, seed=self.spent.calls)
            return self._answer(role, warmer)
        self._last[role] = request
        return self._answer(role, request)

    def check(self) -> None:
        """Raise LimitReached when a limit is used up."""
        spent, limits = self.spent, self.limits
        if limits.tokens is not None and spent.tokens >= limits.tokens:
            raise LimitReached("token_limit", f"{spent.tokens} of {limits.tokens} tokens are used")
        if limits.cost is not None:
            if spent.cost is None:
                raise LimitReached("cost_limit", f"the price of {self.name} is not known: no limit on it can be kept")
            if spent.cost >= limits.cost:
                raise LimitReached("cost_limit", f"${spent.cost:.4f} of ${limits.cost:.4f} are spent")
        self._in_time()

    def _in_time(self) -> None:
        if self.limits.seconds is not None and self._played() >= self.limits.seconds:
            raise LimitReached("time_limit", f"{self.limits.seconds:g} s are over")

    def _played(self) -> float:
        return self._tools.clock() - self._began - self.spent.waited

    def _answer(self, role: str, request: Request) -> Answer:
        self.check()
        request = self._fitted(request)
        answer = self._insist(role, request)
        self.spent.add(role, answer)
        return answer

    def _fitted(self, request: Request) -> Request:
        """The request with no more room for the answer than the limit on tokens leaves."""
        if self.limits.tokens is None:
            return request
        left = self.limits.tokens - self.spent.tokens - estimated(request, "").tokens_in
        if left < LEAST_ANSWER:
            raise LimitReached("token_limit", f"{left} tokens are left within {self.limits.tokens}: too few to answer")
        return replace(request, max_tokens=min(request.max_tokens, left))

    def _insist(self, role: str, request: Request) -> Answer:
        """One call: attempts until one succeeds, or it is clear that none will."""
        wait, number = 0.0, 0
        while True:
            number += 1
            queued = self._gate.enter()
            self.spent.waited += queued
            began = self._tools.clock()
            trouble: Trouble | None = None
            try:
                answer, trouble = self._attempt(request)
            finally:
                self._gate.leave(trouble)
            latency = (self._tools.clock() - began) * 1000
            if self._recorder is not None:
                waited = (wait + queued) * 1000
                self._recorder.attempted(Attempt(role, number, request, answer, trouble, latency, waited))
            if answer is not None:
                return answer
            assert trouble is not None, "an attempt has an answer or a trouble"
            last = UNREACHABLE if trouble.kind == "unreachable" else ATTEMPTS
            if not trouble.retryable or number >= last:
                raise ProviderFailed(trouble, number)
            self._in_time()
            wait = self._delay(trouble, number)
            self._pause(wait)

    def _attempt(self, request: Request) -> tuple[Answer | None, Trouble | None]:
        timeout = TIMEOUT
        if self.limits.seconds is not None:
            timeout = max(0.1, min(timeout, self.limits.seconds - self._played()))
        try:
            answer = self.model.complete(request, timeout)
        except Trouble as trouble:
            said = self._redact(trouble.message)
            return None, Trouble(trouble.kind, said, status=trouble.status, retry_after=trouble.retry_after)
        return replace(answer, text=self._redact(answer.text)), None

    @staticmethod
    def _delay(trouble: Trouble, number: int) -> float:
        """What the provider asks for, else twice as long each time, a little apart for everyone."""
        if trouble.retry_after is not None:
            return min(trouble.retry_after, LONGEST_WAIT)
        jitter = 1 + Key("jitter", trouble.message, number).below(250) / 1000
        return min(2.0 ** (number - 1), LONGEST_WAIT) * jitter

    def _pause(self, seconds: float) -> None:
        self.spent.waited += seconds
        self._tools.sleep(seconds)


__all__ = [
    "Attempt", "Chat", "LimitReached", "Limits", "ProviderFailed", "Recorder", "Spent", "Tools",
]  # fmt: skip
