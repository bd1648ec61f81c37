"""What a lesson says of an operator, in the terms of the rule model: where things go, what is needed, what follows.

Advice is believed for as long as the operator was never seen to work; after that, what was seen counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.agent.belief import GONE, HELD
from sandbox.agent.effects import HERE, Change
from sandbox.agent.hints import Claim, Lesson
from sandbox.agent.needs import Needs

Words = tuple[tuple[int, str, bool], ...]
"""Words of gaps, and whether they are said."""


@dataclass(slots=True)
class Advice:
    """The needs of an operator, and its effects, each with the words under which it follows."""

    needs: Needs
    effects: list[tuple[Change, Words]] = field(default_factory=list)

    @property
    def told(self) -> Words:
        """The words that are needed."""
        sides = (self.needs.words, True), (self.needs.unwords, False)
        return tuple((gap, word, must) for side, must in sides for gap, words in enumerate(side) for word in words)


def advice(lesson: Lesson, arity: int) -> Advice:
    """What a lesson says that can be put in these terms."""
    needs = Needs([set() for _ in range(arity)], [set() for _ in range(arity)], [set() for _ in range(arity)])
    found = Advice(needs)
    for claim in lesson.needs:
        gap = lesson.gap(claim.of)
        if gap is None or gap >= arity:
            if claim.what == "word" and not claim.of:
                needs.around.add((("own", claim.value), claim.holds))
            continue
        if claim.what == "held" and claim.holds:
            needs.spots[gap] = {"held"}
        elif claim.what in ("reach", "here") and claim.holds:
            needs.spots[gap] = needs.spots[gap] or {"here"}
        elif claim.what == "word":
            (needs.words if claim.holds else needs.unwords)[gap].add(claim.value)
    for effect in lesson.effects:
        change, under = _change(lesson, effect.claim), [_word(lesson, claim) for claim in effect.when]
        if change is not None and isinstance(change.of, int) and change.of < arity and None not in under:
            found.effects.append((change, tuple(word for word in under if word is not None)))
    return found


def _word(lesson: Lesson, claim: Claim) -> tuple[int, str, bool] | None:
    gap = lesson.gap(claim.of)
    return (gap, claim.value, claim.holds) if claim.what == "word" and gap is not None else None


def _change(lesson: Lesson, claim: Claim) -> Change | None:
    gap = lesson.gap(claim.of)
    if gap is None:
        return None
    if claim.what == "word":
        return Change("word" if claim.holds else "unword", gap, claim.value)
    if claim.what == "held":
        return Change("place", gap, HELD if claim.holds else HERE)
    if claim.what == "gone":
        return Change("place", gap, GONE) if claim.holds else None
    if claim.what == "here":
        return Change("place", gap, HERE)
    if claim.what == "in" and claim.holds:
        where = lesson.gap(claim.value)
        return Change("place", gap, where) if where is not None else None
    return None
