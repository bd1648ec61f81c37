"""Intervals, against published values and by coverage."""

from __future__ import annotations

import pytest

from sandbox.measure.intervals import bootstrap, mean, newcombe, wilson
from sandbox.world.keyed import Key


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"), [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)]
)
def test_wilson_gives_published_values(hits: int, of: int, low: float, high: float) -> None:
    """Method 3 in table I of Newcombe, Statistics in Medicine 17, 857-872 (1998)."""
    assert wilson(hits, of) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("pair", "low", "high"),
    [((56, 70, 48, 80), 0.0524, 0.3339), ((9, 10, 3, 10), 0.1705, 0.8090), ((10, 10, 0, 10), 0.6075, 1.0)],
)
def test_newcombe_gives_published_values(pair: tuple[int, int, int, int], low: float, high: float) -> None:
    """Method 10 in table II of Newcombe, Statistics in Medicine 17, 873-890 (1998)."""
    assert newcombe(*pair) == pytest.approx((low, high), abs=1e-4)


def test_a_bootstrap_covers_the_mean() -> None:
    """Of samples of forty with a known mean, about 95 in 100 intervals hold it; equal samples give equal intervals."""
    hits = 0
    for number in range(60):
        stream = Key("sample", number).stream()
        sample = [float(stream.below(1001)) for _ in range(40)]
        low, high = bootstrap(sample, mean, 200)
        hits += low <= 500 <= high
        assert (low, high) == bootstrap(sample, mean, 200)
    assert 51 <= hits < 60


def test_nothing_is_known_of_nothing() -> None:
    """No tries, no knowledge."""
    assert wilson(0, 0) == (0, 1)
    assert mean([]) == 0
