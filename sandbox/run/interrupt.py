"""Ctrl-C between steps, never within one.

While a step is taken, recorded and announced, an interruption waits; everywhere else it is a
KeyboardInterrupt at once. Whoever presses twice is not kept waiting: the second one goes through.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interruptions:
    """Takes over SIGINT for the time of one episode; in other threads than the first it does nothing."""

    def __init__(self) -> None:
        self._held = self._waiting = False

    @contextmanager
    def watched(self) -> Iterator[Interruptions]:
        """Take over SIGINT, and give it back at the end."""
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        before = signal.signal(signal.SIGINT, self._pressed)
        try:
            yield self
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let an interruption wait until the end of this block."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._waiting:
            self._waiting = False
            raise KeyboardInterrupt

    def _pressed(self, _signal: int, _frame: FrameType | None) -> None:
        if self._held and not self._waiting:
            self._waiting = True
        else:
            raise KeyboardInterrupt
