"""The version space of what an operator needs, from its tries.

What every success had and a failure lacked may explain the failure; so may what the failure had and no success. Of
all explanations the fewest are taken that cover all failures that can be compared with a success (a greedy set cover),
words of the things themselves before what is around. The next success without one of them refutes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from sandbox.agent.context import Feature

if TYPE_CHECKING:
    from sandbox.agent.operators import Operator, Trial

RECENT: Final = 40
"""Failures that are explained, the last ones."""
ELSEWHERE: Final = frozenset({"kind", "reach", "held", "full", "pair", "done", "free"})
"""Reasons of refusals that are known, and are none of these."""
ELUSIVE: Final = frozenset({"away", "unknown"})
"""Where nothing can be done to a thing: if it seems that something was, it was somewhere else."""
Args: TypeAlias = tuple[str, ...]
Reason: TypeAlias = tuple[Feature, bool]
"""A feature, and whether it has to be so or must not."""


@dataclass(slots=True)
class Needs:
    """For each gap where its thing has to be and what must, or must not, be said of it; and what else has to be so."""

    spots: list[set[str]]
    words: list[set[str]]
    unwords: list[set[str]]
    around: set[Reason] = field(default_factory=set)
    necessary: set[tuple[int, str, bool]] = field(default_factory=set)
    """Words of gaps without which some failure has no explanation."""
    free: bool = False
    """Whether it seems to need empty hands."""


def infer(op: Operator, changing: set[str], able: Callable[[Args], bool]) -> Needs:
    """What an operator needs, as far as its tries with things that are `able` tell."""
    wins = op.wins() or [trial for trial in op.trials if trial.outcome == "silent"]
    gaps = range(op.arity)
    found = Needs([set() for _ in gaps], [set() for _ in gaps], [set() for _ in gaps])
    for i in gaps:
        spots = {trial.spots[i] for trial in wins}
        found.spots[i] = spots - ELUSIVE or spots
    if not wins:
        return found
    found.free = any(trial.why == "free" for trial in op.trials)
    seen = [trial for trial in wins if trial.why != "carried"]
    if seen:
        rows = _explanations(op, seen, changing, able)
        only = {reason for row in rows if len(row) == 1 for reason in row}
        for feature, must in _cover(rows, changing):
            if feature[0] == "arg":
                if (feature, must) in only:
                    found.necessary.add((int(feature[1]), feature[2], must))
                (found.words if must else found.unwords)[int(feature[1])].add(feature[2])
            elif feature == ("empty",):
                found.free = found.free or must
            else:
                found.around.add((feature, must))
    for gap, word, must in op.told:
        had = {word in trial.words[gap] for trial in wins}
        if had == {must}:
            (found.words if must else found.unwords)[gap].add(word)
            found.necessary.add((gap, word, must))
    return found


def way_needs(op: Operator, room: str, to: str, changing: set[str]) -> set[Reason] | None:
    """What has to be around for a way from a room to let the agent through; None where it never did, or always."""
    tries = [trial for trial in op.trials if trial.at == room and trial.args == (to,)]
    wins = [trial for trial in tries if trial.outcome == "changed"]
    if not wins or len(wins) == len(tries):
        return None
    return set(_cover(_reasons(wins, tries, changing), changing)) - {(("empty",), False)}


def _explanations(
    op: Operator, wins: list[Trial], changing: set[str], able: Callable[[Args], bool]
) -> list[set[Reason]]:
    """For each failure that can be compared, what may explain it."""
    spots = [{trial.spots[i] for trial in wins} for i in range(op.arity)]
    return _reasons(wins, [t for t in op.trials if _comparable(t, spots) and able(t.args)], changing)


def _reasons(wins: list[Trial], tries: Iterable[Trial], changing: set[str]) -> list[set[Reason]]:
    """For each of some failures, what may explain it: what every success had, or none."""
    always = frozenset.intersection(*(trial.context for trial in wins))
    ever = frozenset[Feature]().union(*(trial.context for trial in wins))
    rows = []
    for trial in tries:
        if trial.outcome == "refused":
            row = {(feature, True) for feature in always - trial.context if _weight(feature, changing)}
            row |= {(feature, False) for feature in trial.context - ever if _weight(feature, changing)}
            if trial.named is not None:
                row = {reason for reason in row if reason[0][:2] == ("arg", str(trial.named))} or row
            rows.append(row)
    return [row for row in rows[-RECENT:] if row]


def _comparable(trial: Trial, spots: list[set[str]]) -> bool:
    """Whether a try failed for no known reason, though its things were where they have to be."""
    if trial.outcome != "refused" or trial.why in ELSEWHERE:
        return False
    return all(spot in known for spot, known in zip(trial.spots, spots, strict=True))


def _cover(rows: list[set[Reason]], changing: set[str]) -> list[Reason]:
    chosen: list[Reason] = []
    while rows:
        counts = Counter(reason for row in rows for reason in row)
        best = max(counts, key=lambda reason: (counts[reason] * _weight(reason[0], changing), reason))
        chosen.append(best)
        rows = [row for row in rows if best not in row]
    return chosen


def _weight(feature: Feature, changing: set[str]) -> float:
    """How likely a kind of feature is to be needed; 0 for what is looked after elsewhere or never changes."""
    match feature:
        case ("arg", _, word):
            return 1.5 if word in changing else 0.0
        case ("near", _, word):
            return 1.2 if word in changing else 0.0
        case ("empty",) | ("own", _):
            return 1.3
        case ("near" | "with", _):
            return 1.0
        case _:
            return 0.0
