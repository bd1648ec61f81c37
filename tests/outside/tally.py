"""How many cases of a test an outside search could decide: what it gives up on is counted, and may not be many."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class TooLarge(Exception):
    """More states than a search may visit."""


class TooLong(Exception):
    """A program that clingo would need gigabytes to ground."""


class Tally:
    """The cases of one test: those decided, and those that were too large or too long for it."""

    def __init__(self) -> None:
        self.decided = self.given_up = 0

    @contextmanager
    def case(self, *also: type[Exception]) -> Iterator[None]:
        """One case; what fails in it fails, and only giving up, or one of the errors named, is let pass and counted."""
        try:
            yield
        except Exception as error:
            if not isinstance(error, (TooLarge, TooLong, *also)):
                raise
            self.given_up += 1
        else:
            self.decided += 1

    def check(self, share: float) -> None:
        """Something was decided, and at most that share of all cases was given up."""
        total = self.decided + self.given_up
        assert self.decided, f"none of {total} cases was decided"
        assert self.given_up <= share * total, f"{self.given_up} of {total} cases were given up"
