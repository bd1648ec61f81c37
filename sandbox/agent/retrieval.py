"""Which skills to show and to try for a task, and why these: every candidate with its score.

First what its status forbids is left out. Then skills whose post-condition matches the task come before those that
only read like it (BM25 over name, summary and promises, in an index that is kept in memory); among equals, the one
that has worked more often, by a lower bound on its rate of success.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from sandbox.agent.library import Fact, Known
from sandbox.agent.tasks import Task

USABLE: Final = ("active", "repaired", "candidate")
CODES: Final = 2
"""Skills whose code a prompt shows."""
SIGNATURES: Final = 8
"""Further skills of which a prompt shows name, parameters and promise."""
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate: `bound` says what its parameters stand for, as far as the task says it."""

    known: Known
    score: float
    matches: bool
    bound: Mapping[str, str]

    @property
    def args(self) -> tuple[str, ...] | None:
        """What to call it with for the task; None when the task leaves something open."""
        names = [name for name, _ in self.known.skill.params]
        return tuple(self.bound[name] for name in names) if all(name in self.bound for name in names) else None


def retrieve(skills: Sequence[Known], task: Task) -> list[Offer]:
    """All skills that may be used, the best first; suspects only where nothing else is left."""
    usable = [known for known in skills if known.status in USABLE]
    usable = usable or [known for known in skills if known.status == "suspect"]
    texts = _text_scores(usable, f"{task.told} {task.why}")
    found = []
    for known, text in zip(usable, texts, strict=True):
        bound = unified(known.skill.post, task.facts)
        score = (2.0 if bound is not None else 0.0) + text + lower_bound(known.proofs, known.calls)
        found.append(Offer(known, round(score, 4), bound is not None, bound or {}))
    return sorted(found, key=lambda offer: (-offer.score, offer.known.digest))


def by_description(skills: Sequence[Known], text: str) -> list[Known]:
    """Skills by how much their names and summaries read like a text, the likest first; nothing else counts."""
    scores = _text_scores(skills, text)
    ranked = sorted(zip(skills, scores, strict=True), key=lambda pair: (-pair[1], pair[0].digest))
    return [known for known, _ in ranked]


def unified(post: Sequence[Fact], wanted: Sequence[Fact]) -> dict[str, str] | None:
    """What the parameters of a post-condition must stand for, so that it says all of `wanted`; None if it cannot."""
    if not wanted:
        return None
    found: dict[str, str] = {}
    for fact in wanted:
        match = next((m for promise in post if (m := _matched(promise, fact, found)) is not None), None)
        if match is None:
            return None
        found |= match
    return found


def _matched(promise: Fact, fact: Fact, bound: Mapping[str, str]) -> dict[str, str] | None:
    """The parameters of one promise, so that it says one fact; a word is said as it stands."""
    if len(promise) != len(fact):
        return None
    start = 2 if fact[:1] == ("not",) else 1
    if promise[:start] != fact[:start]:
        return None
    literal = len(fact) - 1 if "word" in fact[:start] else len(fact)
    if promise[literal:] != fact[literal:]:
        return None
    found: dict[str, str] = {}
    for name, value in zip(promise[start:literal], fact[start:literal], strict=True):
        if bound.get(name, value) != value or found.get(name, value) != value:
            return None
        found[name] = value
    return found


def lower_bound(good: int, all_: int, z: float = 1.0) -> float:
    """The lower end of Wilson's interval for a rate of `good` among `all_`; 0 where nothing was seen."""
    if not all_:
        return 0.0
    rate = min(1.0, good / all_)
    centre = rate + z * z / (2 * all_)
    spread = z * sqrt(rate * (1 - rate) / all_ + z * z / (4 * all_ * all_))
    return max(0.0, (centre - spread) / (1 + z * z / all_))


def _text_scores(skills: Sequence[Known], text: str) -> list[float]:
    """How much each reads like a text, from 0 to 1: the share of the best match."""
    words = sorted({word.casefold() for word in _WORD.findall(text)})
    if not skills or not words:
        return [0.0] * len(skills)
    with sqlite3.connect(":memory:") as index:
        index.execute("CREATE VIRTUAL TABLE skills USING fts5(name, summary, post)")
        rows = [
            (k.skill.name.replace("_", " "), k.skill.summary, " ".join(" ".join(fact) for fact in k.skill.post))
            for k in skills
        ]  # fmt: skip
        index.executemany("INSERT INTO skills VALUES (?, ?, ?)", rows)
        query = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid, -bm25(skills) FROM skills WHERE skills MATCH ?"
        found = {int(row): max(0.0, float(score)) for row, score in index.execute(sql, (query,))}
    index.close()
    best = max(found.values(), default=0.0) or 1.0
    return [found.get(number, 0.0) / best for number in range(1, len(skills) + 1)]
