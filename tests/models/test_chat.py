"""Retries, limits, counts and records: the same for every model."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from sandbox.models.api import Answer, Message, Request, Trouble, Usage
from sandbox.models.chat import ATTEMPTS, UNREACHABLE, Attempt, Chat, LimitReached, Limits, ProviderFailed, Tools
from sandbox.models.keys import HIDDEN, Redactor

HELLO = [Message("user", "hello")]


@dataclass
class Scripted:
    """A model that gives what it was given: answers, or troubles to raise."""

    given: list[object]
    name: str = "scripted"
    asked: list[Request] = field(default_factory=list)
    timeouts: list[float] = field(default_factory=list)
    clock: Clock | None = None

    def complete(self, request: Request, timeout: float) -> Answer:
        """The next of what it was given, the last again and again."""
        self.asked.append(request)
        self.timeouts.append(timeout)
        if self.clock:
            self.clock.now += 1.0
        one = self.given.pop(0) if len(self.given) > 1 else self.given[0]
        if isinstance(one, Trouble):
            raise one
        assert isinstance(one, Answer)
        return one

    def close(self) -> None:
        """Nothing was opened."""


@dataclass
class Clock:
    """A clock that only sleeping and calls move."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        """Sleep at once."""
        self.slept.append(seconds)
        self.now += seconds

    @property
    def tools(self) -> Tools:
        """The clock as a chat takes it."""
        return Tools(lambda: self.now, self.sleep)


@dataclass
class Kept:
    """A recorder."""

    attempts: list[Attempt] = field(default_factory=list)

    def attempted(self, attempt: Attempt) -> None:
        """Keep it."""
        self.attempts.append(attempt)


def answer(text: str = "ok", tokens: int = 5, cost: float | None = 0.01) -> Answer:
    """An answer of so many tokens in and out each."""
    return Answer(text, "stop", Usage(tokens, tokens), cost)


def ask_until_it_stops(chat: Chat) -> None:
    """Nine different questions in a row."""
    for n in range(9):
        chat.ask("actor", [Message("user", str(n))])


def test_what_passes_is_tried_again_and_all_of_it_is_recorded() -> None:
    """Two failures, then an answer: three attempts, with their delays; waiting is not play."""
    clock, kept = Clock(), Kept()
    model = Scripted([Trouble("server", "busy"), Trouble("rate_limit", "slow", retry_after=7.0), answer()])
    chat = Chat(model, kept, tools=clock.tools)
    assert chat.ask("actor", HELLO).text == "ok"
    assert [(a.number, a.trouble and a.trouble.kind) for a in kept.attempts] == [(1, "server"), (2, "rate_limit"), (3, None)]
    assert clock.slept[1] == 7.0
    assert 1.0 <= clock.slept[0] <= 1.25
    assert [a.waited_ms for a in kept.attempts] == [0.0, clock.slept[0] * 1000, 7000.0]
    assert chat.spent.waited == sum(clock.slept)
    assert (chat.spent.calls, chat.spent.tokens, chat.spent.cost, chat.spent.roles) == (1, 10, 0.01, {"actor": 10})


@pytest.mark.parametrize("kind", ["auth", "payment", "not_found", "context", "parameter", "refused"])
def test_what_does_not_pass_is_not_tried_again(kind: str) -> None:
    """The same request would fail the same way."""
    model = Scripted([Trouble(kind, "no")])  # type: ignore[arg-type]  # one of the kinds
    with pytest.raises(ProviderFailed) as caught:
        Chat(model, tools=Clock().tools).ask("actor", HELLO)
    assert (caught.value.attempts, len(model.asked)) == (1, 1)


@pytest.mark.parametrize(("kind", "most"), [("server", ATTEMPTS), ("unreachable", UNREACHABLE)])
def test_an_end_is_made_of_it(kind: str, most: int) -> None:
    """A server that nobody reaches is given up sooner: three attempts within ten seconds."""
    clock, model = Clock(), Scripted([Trouble(kind, "no")])  # type: ignore[arg-type]
    with pytest.raises(ProviderFailed):
        Chat(model, tools=clock.tools).ask("actor", HELLO)
    assert len(model.asked) == most
    if kind == "unreachable":
        assert sum(clock.slept) <= 10


def test_a_limit_on_tokens_is_never_overstepped_by_a_prompt() -> None:
    """The room for an answer shrinks with what is left; a prompt that leaves none is not sent."""
    model = Scripted([answer(tokens=30)])
    chat = Chat(model, limits=Limits(tokens=100), tools=Clock().tools)
    chat.ask("actor", HELLO, max_tokens=1000)
    assert model.asked[0].max_tokens <= 100
    with pytest.raises(LimitReached) as caught:
        ask_until_it_stops(chat)
    assert caught.value.outcome == "token_limit"
    assert len(model.asked) <= 2


@pytest.mark.parametrize(("limits", "given", "outcome", "calls"), [
    (Limits(cost=0.02), answer(), "cost_limit", 2),
    (Limits(cost=1.0), answer(cost=None), "cost_limit", 1),
    (Limits(seconds=2.5), answer(), "time_limit", 3),
])  # fmt: skip
def test_limits_stop_where_they_say(limits: Limits, given: Answer, outcome: str, calls: int) -> None:
    """Before the call that would overstep them; a cost that is not known cannot be limited."""
    clock = Clock()
    model = Scripted([given], clock=clock)
    chat = Chat(model, limits=limits, tools=clock.tools)
    with pytest.raises(LimitReached) as caught:
        ask_until_it_stops(chat)
    assert (caught.value.outcome, len(model.asked)) == (outcome, calls)


def test_the_time_left_is_the_deadline_of_a_call() -> None:
    """Waiting for a retry is not counted as play."""
    clock = Clock()
    model = Scripted([Trouble("server", "busy"), answer()], clock=clock)
    Chat(model, limits=Limits(seconds=10), tools=clock.tools).ask("actor", HELLO)
    assert model.timeouts == [10.0, 9.0]


def test_time_that_ends_in_a_retry_is_a_limit_and_no_failure_of_the_provider() -> None:
    """The calls that are left no time are not made."""
    clock = Clock()
    model = Scripted([Trouble("timeout", "too late")], clock=clock)
    with pytest.raises(LimitReached) as caught:
        Chat(model, limits=Limits(seconds=2), tools=clock.tools).ask("actor", HELLO)
    assert (caught.value.outcome, len(model.asked)) == ("time_limit", 2)


def test_the_same_question_is_not_asked_twice_in_a_row() -> None:
    """At temperature 0 the answer would be the same: it is asked warmer."""
    model = Scripted([answer()])
    chat = Chat(model, tools=Clock().tools)
    for messages in (HELLO, HELLO, HELLO, [Message("user", "other")], HELLO):
        chat.ask("actor", messages)
    assert [request.temperature for request in model.asked] == [0.0, 0.7, 0.7, 0.0, 0.0]
    assert model.asked[1].seed != model.asked[2].seed


def test_a_key_is_hidden_wherever_it_comes_back() -> None:
    """In an answer, in an error, with and without escapes."""
    kept, key = Kept(), 'sk-"quoted"-1234'
    said = f"{key} and {key!r} and " + 'sk-\\"quoted\\"-1234'
    model = Scripted([Trouble("server", f"bad {key}"), answer(said)])
    text = Chat(model, kept, redact=Redactor([key]), tools=Clock().tools).ask("actor", HELLO).text
    assert text == f"{HIDDEN} and '{HIDDEN}' and {HIDDEN}"
    assert key not in repr(kept.attempts)
    with pytest.raises(ProviderFailed) as caught:
        Chat(Scripted([Trouble("auth", key)]), redact=Redactor([key])).ask("actor", HELLO)
    assert key not in str(caught.value)
