"""The keyed generator: its values are part of every world, and never change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.world.keyed import Key, digest

NUMBER = 17468445333396756363
BELOW = [64, 59, 24]
STREAM = [298, 457, 232, 279, 686, 300, 275, 332, 909, 501, 667, 722]
SHUFFLED = "hcdgbfae"
RANKED = ["kept", "falls", "spent"]
DIGEST = "191d8b3367201151a84ef8713aac37e9"
LABELS = st.lists(st.one_of(st.text(max_size=5), st.integers()), min_size=1, max_size=4)


def test_values_never_change() -> None:
    """Golden values: whoever changes one changes every world, and has to say so in the changelog."""
    key = Key("world", "7", 0)
    assert key.number() == NUMBER
    assert [key.child("layout").below(100), key.child("layout", 1).below(100), Key("").below(100)] == BELOW
    stream = key.stream()
    assert [stream.below(1000) for _ in range(12)] == STREAM
    assert key.child("x").stream().shuffled("abcdefgh") == list(SHUFFLED)
    assert key.ranked(["kept", "spent", "falls"]) == RANKED
    assert digest(b"sandbox") == DIGEST


@given(LABELS, LABELS)
def test_other_labels_are_another_key(one: list[str | int], other: list[str | int]) -> None:
    """Labels are joined without ambiguity: ("ab", "c") is not ("a", "bc"), and 1 is not "1"."""
    same = one == other and [type(part) for part in one] == [type(part) for part in other]
    assert (Key(*one).number() == Key(*other).number()) == same


@given(LABELS, st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=6, unique=True), st.text(min_size=1, max_size=6))
def test_a_new_value_moves_only_the_draws_that_it_wins(labels: list[str | int], values: list[str], new: str) -> None:
    """With one value more, the best is either the old best or the new value."""
    key = Key(*labels)
    assert key.best([*values, new]) in (key.best(values), new)
    assert [value for value in key.ranked([*values, new]) if value != new] == key.ranked([v for v in values if v != new])


@given(LABELS, st.integers(1, 1000))
def test_below_stays_below(labels: list[str | int], n: int) -> None:
    """Draws lie in range, from a key and from a stream."""
    key = Key(*labels)
    assert 0 <= key.below(n) < n
    assert 0 <= key.stream().below(n) < n
    assert 3 <= key.stream().between(3, 3 + n) <= 3 + n


def test_a_stream_draws_evenly() -> None:
    """Ten thousand draws of ten values: each comes up about a thousand times."""
    stream = Key("even").stream()
    counts = [0] * 10
    for _ in range(10_000):
        counts[stream.below(10)] += 1
    assert max(counts) - min(counts) < 250


def test_nothing_to_draw_from() -> None:
    """A draw from nothing is an error at once."""
    key = Key("x")
    for draw in (lambda: key.below(0), lambda: key.stream().below(0), lambda: key.best([])):
        with pytest.raises(ValueError, match="nothing|no values"):
            draw()
