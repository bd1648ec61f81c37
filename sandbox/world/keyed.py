"""A small keyed, splittable generator: every draw has a name, so no draw moves another.

A `Key` is a path of labels hashed with blake2b. `key.child("layout", 3)` is an independent key;
`key.stream()` draws a sequence from it. Nothing here depends on Python's `random`, on hash order or
on the platform, so equal labels give equal draws everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final, TypeVar

T = TypeVar("T")
_SPAN: Final = 1 << 64


class Key:
    """An immutable name for a draw. Labels are joined unambiguously, so ("ab","c") != ("a","bc")."""

    __slots__ = ("_state",)

    def __init__(self, *labels: str | int, _state: bytes = b"") -> None:
        self._state = _fold(_state, labels)

    def child(self, *labels: str | int) -> Key:
        """The independent key below this one under `labels`."""
        return Key(*labels, _state=self._state)

    def number(self) -> int:
        """The key's own 64-bit number: the keyed hash by which values and families are ranked."""
        return int.from_bytes(self._state[:8], "big")

    def below(self, n: int) -> int:
        """A whole number in [0, n), drawn from this key alone."""
        if n < 1:
            raise ValueError(f"below({n}): nothing to draw from")
        return self.number() * n // _SPAN

    def best(self, values: Sequence[str]) -> str:
        """The value with the highest keyed hash: a new value moves only the draws it wins."""
        if not values:
            raise ValueError("best() of no values")
        return max(values, key=lambda value: (self.child(value).number(), value))

    def ranked(self, values: Sequence[str]) -> list[str]:
        """All values, the highest keyed hash first."""
        return sorted(values, key=lambda value: (self.child(value).number(), value), reverse=True)

    def stream(self) -> Stream:
        """A sequence of draws that begins at this key."""
        return Stream(self)


class Stream:
    """A mutable sequence of draws from one key. Use one per purpose; never share one."""

    __slots__ = ("_buffer", "_count", "_key")

    def __init__(self, key: Key) -> None:
        self._key, self._count, self._buffer = key, 0, b""

    def _word(self) -> int:
        if not self._buffer:
            block = blake2b(self._key._state + self._count.to_bytes(8, "big"), digest_size=64)
            self._buffer, self._count = block.digest(), self._count + 1
        word, self._buffer = self._buffer[:8], self._buffer[8:]
        return int.from_bytes(word, "big")

    def below(self, n: int) -> int:
        """The next whole number in [0, n)."""
        if n < 1:
            raise ValueError(f"below({n}): nothing to draw from")
        return self._word() * n // _SPAN

    def between(self, low: int, high: int) -> int:
        """The next whole number in [low, high], both included."""
        return low + self.below(high - low + 1)

    def choice(self, values: Sequence[T]) -> T:
        """The next value drawn evenly from `values`."""
        return values[self.below(len(values))]

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """A new list of `values` in drawn order (Fisher-Yates)."""
        out = list(values)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    def chance(self, per_cent: int) -> bool:
        """True with the given probability in per cent."""
        return self.below(100) < per_cent

    def __iter__(self) -> Iterator[int]:
        while True:
            yield self._word()


def _fold(state: bytes, labels: Sequence[str | int]) -> bytes:
    for label in labels:
        kind = b"i" if isinstance(label, int) else b"s"
        text = str(label).encode("utf-8", "surrogatepass")
        size = len(text).to_bytes(4, "big")
        state = blake2b(state + kind + size + text, digest_size=32).digest()
    return state


def digest(data: bytes, size: int = 16) -> str:
    """A hexadecimal blake2b digest of `size` bytes: the identity of worlds, states and templates."""
    return blake2b(data, digest_size=size).hexdigest()
