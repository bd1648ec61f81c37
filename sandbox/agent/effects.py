"""What a deed changed, with its things lifted out, and what tells tries with a change from those without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from sandbox.agent.belief import GONE, HELD, Snapshot

if TYPE_CHECKING:
    from sandbox.agent.operators import Trial

HERE: Final = "*here"
Slot: TypeAlias = int | str
"""A gap of the pattern, or the name of a thing that is no argument."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change: `what` is `place`, `word`, `unword` or `at`; `value` a place, a gap, or the word."""

    what: str
    of: Slot
    value: Slot


def lifted(args: tuple[str, ...], before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """What differs between two snapshots, with the arguments as gaps."""
    gaps = {name: number for number, name in enumerate(args)}

    def lift(name: str) -> Slot:
        return gaps.get(name, name)

    if after.at != before.at:
        yield Change("at", lift(after.at), "")
    for name in after.words.keys() | before.words.keys():
        old, new = before.place.get(name), after.place.get(name)
        if old != new and (old is not None or new is not None) and (after.at == before.at or HELD in (new, old)):
            if new is None:
                yield Change("place", lift(name), GONE)
            elif new == before.at:
                yield Change("place", lift(name), HERE)
            else:
                yield Change("place", lift(name), lift(new))
        if name in before.words and name in after.words and before.words[name] != after.words[name]:
            for word in after.words[name] - before.words[name]:
                yield Change("word", lift(name), word)
            for word in before.words[name] - after.words[name]:
                yield Change("unword", lift(name), word)


def applies(change: Change, words: Sequence[frozenset[str]]) -> bool:
    """Whether a change would have been one in a try."""
    if not isinstance(change.of, int) or change.of >= len(words):
        return False
    if change.what == "word":
        return change.value not in words[change.of]
    if change.what == "unword":
        return change.value in words[change.of]
    return True


def tell_apart(
    yes: list[Trial], no: list[Trial], changing: set[str]
) -> tuple[list[tuple[int, str]], list[tuple[int, str]]] | None:
    """Words (gap, word) that all of `yes` and none of `no` had, and the reverse; None when nothing tells them apart."""
    arity = len(yes[0].args)
    must: list[tuple[int, str]] = []
    must_not: list[tuple[int, str]] = []
    for i in range(arity):
        had = frozenset.intersection(*(trial.words[i] for trial in yes))
        other = frozenset.union(*(trial.words[i] for trial in no))
        must += [(i, word) for word in sorted(had - other)]
        lacked = frozenset.intersection(*(trial.words[i] for trial in no))
        ever = frozenset.union(*(trial.words[i] for trial in yes))
        must_not += [(i, word) for word in sorted(lacked - ever)]
    dynamic = [pair for pair in must if pair[1] in changing], [pair for pair in must_not if pair[1] in changing]
    if dynamic[0] or dynamic[1]:
        return dynamic
    return (must, must_not) if must or must_not else None
