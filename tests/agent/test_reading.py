"""What a reply says of a thing is taken over, and what it can no longer be is taken back."""

from __future__ import annotations

from sandbox.agent.belief import Snapshot
from sandbox.agent.reading import Replying
from sandbox.agent.text import Reader

STILL, RINGING = frozenset({"still"}), frozenset({"ringing"})


def test_two_words_that_change_places_exclude_each_other_both_ways() -> None:
    """A bell that was seen to go from still to ringing is not ringing when it is said to be still."""
    replying = Replying(Reader((), set()))
    before = Snapshot("hall", {"bell": "hall"}, {"bell": STILL})
    replying.learn("", before, Snapshot("hall", {"bell": "hall"}, {"bell": RINGING}), {"still", "ringing"})
    assert replying.swaps == {"ringing": {"still"}, "still": {"ringing"}}
