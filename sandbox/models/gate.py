"""How many calls of one provider may run at once: one more after a while without trouble, half after a refusal.

The rule is TCP's (additive increase, multiplicative decrease; Chiu and Jain 1989). A provider that names a time
holds up everyone who shares the gate until then. One episode calls one at a time and never meets the limit;
the episodes of one process share the gate of their server (`gate_of`), one after the other or side by side.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Final

from sandbox.models.api import Trouble

LONGEST_WAIT: Final = 60.0
WIDEST: Final = 32
START: Final = 4
OVERLOADED: Final = frozenset({429, 503})


class Gate:
    """`enter` waits for a place and tells for how many seconds it did; `leave` says what came of the call."""

    def __init__(self, start: int = START, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit, self.running = float(start), 0
        self._clock, self._free, self._closed_until = clock, threading.Condition(), 0.0

    def enter(self) -> float:
        """Wait until there is a place and nobody was told to wait; the seconds that it took."""
        began = self._clock()
        with self._free:
            while (wait := self._closed_until - self._clock()) > 0 or self.running >= int(self.limit):
                self._free.wait(wait if wait > 0 else None)
            self.running += 1
        return self._clock() - began

    def leave(self, trouble: Trouble | None) -> None:
        """Give the place back: after an answer the gate widens by a share, after too much it halves."""
        with self._free:
            self.running -= 1
            if trouble is None:
                self.limit = min(WIDEST, self.limit + 1 / self.limit)
            elif trouble.status in OVERLOADED or trouble.kind == "rate_limit":
                self.limit = max(1.0, self.limit / 2)
                held = min(trouble.retry_after or 0.0, LONGEST_WAIT)
                self._closed_until = max(self._closed_until, self._clock() + held)
            self._free.notify_all()


@cache
def gate_of(provider: str, base_url: str | None) -> Gate:
    """The gate of a server, the same for everyone in this process who calls it."""
    del provider, base_url  # the keys under which it is remembered
    return Gate()
