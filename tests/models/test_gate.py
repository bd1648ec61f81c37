"""The gate of a provider: wider while all goes well, half as wide after a refusal, shut for as long as it is told."""

from __future__ import annotations

import threading

from sandbox.models.api import Answer, Request, Trouble
from sandbox.models.chat import Chat
from sandbox.models.gate import WIDEST, Gate, gate_of
from tests.models.test_chat import HELLO, Clock, Scripted, answer


def test_it_widens_by_ones_and_narrows_by_half() -> None:
    """Additive increase, multiplicative decrease; never shut for good, never wider than the widest."""
    gate = Gate(start=4)
    for _ in range(5):
        gate.enter()
        gate.leave(None)
    assert 5.0 <= gate.limit < 6.0
    for trouble, limit in ((Trouble("rate_limit", "x", status=429), 2.5), (Trouble("server", "x", status=503), 1.25)):
        gate.limit, gate.running = limit * 2, 1
        gate.leave(trouble)
        assert gate.limit == limit
    gate.running = 1
    gate.leave(Trouble("rate_limit", "x"))
    assert gate.limit == 1.0
    gate.limit, gate.running = float(WIDEST), 1
    gate.leave(None)
    assert gate.limit == WIDEST


def test_a_wrong_key_is_no_overload() -> None:
    """Only what says that there were too many calls narrows it."""
    gate = Gate(start=4)
    gate.enter()
    gate.leave(Trouble("auth", "x", status=401))
    assert gate.limit == 4.0


def test_no_more_calls_run_than_it_lets_in() -> None:
    """Six threads, two places: two calls at once at the most, and all of them are made."""
    gate, most, now = Gate(start=2), [0], [0]
    lock = threading.Lock()

    class Slow:
        name = "slow"

        def complete(self, request: Request, timeout: float) -> Answer:
            """Count who is here."""
            del request, timeout
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            threading.Event().wait(0.005)
            with lock:
                now[0] -= 1
            raise Trouble("auth", "x")

        def close(self) -> None:
            """Nothing was opened."""

    def call() -> None:
        try:
            Chat(Slow(), gate=gate).ask("actor", HELLO)
        except Exception:  # noqa: BLE001 - it always fails
            done.append(1)

    done: list[int] = []
    threads = [threading.Thread(target=call) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(done), most[0]) == (6, 2)


def test_whoever_shares_it_waits_for_what_one_was_told() -> None:
    """Retry-After holds for all."""
    gate = Gate()
    gate.enter()
    gate.leave(Trouble("rate_limit", "x", retry_after=0.05))
    assert 0.03 <= gate.enter() < 5


def test_who_calls_the_same_server_shares_a_gate() -> None:
    """A provider, or an address of its own."""
    assert gate_of("openai", None) is gate_of("openai", None)
    assert gate_of("openai", None) is not gate_of("openai", "http://127.0.0.1:1")


def test_one_call_at_a_time_never_meets_it() -> None:
    """A chat of its own has a gate of its own."""
    chat = Chat(Scripted([answer()]), tools=Clock().tools)
    chat.ask("actor", HELLO)
    assert chat.spent.waited == 0.0
