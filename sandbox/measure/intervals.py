"""Intervals of 95 per cent: of a share, of a difference of two shares, and of any statistic of a sample.

`wilson`: Wilson, JASA 22 (1927). `newcombe`: method 10 of Newcombe, Statistics in Medicine 17 (1998), 873-890.
`bootstrap`: percentiles of resampled statistics, Efron (1979); the draws are keyed, so that they are always the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from sandbox.world.keyed import Key

T = TypeVar("T")
Z: Final = 1.959964
ROUNDS: Final = 1000


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The interval of a share; of none it is 0 to 1."""
    if not of:
        return 0.0, 1.0
    share = hits / of
    centre = (share + Z * Z / (2 * of)) / (1 + Z * Z / of)
    half = Z * math.sqrt(share * (1 - share) / of + Z * Z / (4 * of * of)) / (1 + Z * Z / of)
    return max(0.0, centre - half), min(1.0, centre + half)


def newcombe(hits: int, of: int, other_hits: int, other_of: int) -> tuple[float, float]:
    """The interval of the difference of two shares of independent samples, the first less the other."""
    low, high = wilson(hits, of)
    other_low, other_high = wilson(other_hits, other_of)
    share, other = (hits / of if of else 0.5), (other_hits / other_of if other_of else 0.5)
    difference = share - other
    return (
        difference - math.hypot(share - low, other_high - other),
        difference + math.hypot(high - share, other - other_low),
    )


def bootstrap(
    sample: Sequence[T], statistic: Callable[[Sequence[T]], float], rounds: int = ROUNDS
) -> tuple[float, float]:
    """The interval of a statistic; whatever belongs together (a pair) is one item of the sample. Needs two items."""
    stream, size = Key("bootstrap", len(sample)).stream(), len(sample)
    found = sorted(statistic([sample[stream.below(size)] for _ in range(size)]) for _ in range(rounds))
    return found[int(0.025 * rounds)], found[int(0.975 * rounds) - 1]


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
