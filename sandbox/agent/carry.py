"""What carries over from one episode to the next: how to speak, how replies read, what operators do.

Everything that was kept is a guess in a new world. The guesses about speech are taken as one: if the word for
looking around shows the place as it was just shown, the others are believed as well; if not, all are dropped. What
replies mean and what operators do is believed until it turns out otherwise, as anything learned here is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sandbox.agent.library import Library, Note
from sandbox.agent.mind import Mind
from sandbox.agent.reading import Meaning
from sandbox.agent.rules import Change, Operator, Trial

EXAMPLES: Final = 3
"""Successes kept of an operator."""
STAND_INS: Final = ("~0", "~1")
"""Names of things of another world, in what is remembered of them."""


def keep(mind: Mind, library: Library) -> None:  # noqa: C901 - one list of what is kept
    """Add to a library what was learned and is not in it yet."""
    for role in ("look", "inventory", "help", "restart", "wait"):
        pattern = getattr(mind.roles, role)
        if pattern is not None:
            _note(library, "role", pattern, role)
    for mover in sorted(mind.rules.movers):
        _note(library, "role", mover, "move")
    for signature in sorted(mind.replies.kind):
        _note(library, "signature", signature, "kind")
    for signature in sorted(mind.replies.silent):
        _note(library, "signature", signature, "silent")
    for frame in sorted({mind.belief.frame.get(name, "") for name in mind.rules.carried} - {""}):
        _note(library, "frame", frame, "carried")
    for skeleton, meaning in sorted(mind.replying.meanings.items()):
        if meaning.trusted:
            _note(library, "reply", "\t".join(skeleton), _told(meaning))
    for op in mind.rules.operators.values():
        examples = _examples(mind, op)
        if examples:
            _note(library, "operator", op.key, examples)


def recall(mind: Mind, library: Library) -> None:
    """Take what a library holds for a first guess."""
    mind.carried_roles = {
        role: pattern for pattern, role in library.notes("role").items()
        if isinstance(role, str) and pattern in mind.rules.operators
    }  # fmt: skip
    signatures = library.notes("signature")
    mind.replies.kind |= {one for one, meaning in signatures.items() if meaning == "kind"}
    mind.rules.frames |= set(library.notes("frame"))
    for key, told in library.notes("reply").items():
        meaning = _meaning(told)
        if meaning is not None:
            mind.replying.meanings.setdefault(tuple(key.split("\t")), meaning)
    for key, examples in library.notes("operator").items():
        op = mind.rules.operators.get(key)
        if op is not None and isinstance(examples, list):
            for example in examples:
                _recall_trial(mind, op, example)


def _note(library: Library, kind: str, key: str, value: object) -> None:
    if library.notes(kind).get(key) != value:
        library.append(Note(kind, key, value))


def _told(meaning: Meaning) -> object:
    return [meaning.place, list(meaning.polarity), sorted(meaning.gains), sorted(meaning.losses)]


def _meaning(told: object) -> Meaning | None:
    """A meaning as it was kept; nonsense from a library is no meaning."""
    if not (isinstance(told, list | tuple) and len(told) == 4):
        return None
    place, polarity, gains, losses = told
    lists = all(isinstance(part, list | tuple) for part in (polarity, gains, losses))
    if not isinstance(place, str) or not lists:
        return None
    return Meaning(place, tuple(bool(one) for one in polarity), frozenset(map(str, gains)), frozenset(map(str, losses)))


def _examples(mind: Mind, op: Operator) -> list[object]:
    """A few successes, each with another effect, without the names of this world."""
    found: list[object] = []
    seen = set()
    for trial in op.wins():
        changes = sorted(
            [change.what, change.of, change.value] for change in trial.changes
            if isinstance(change.of, int) and (isinstance(change.value, int) or not _is_name(mind, change.value))
        )  # fmt: skip
        if changes and repr(changes) not in seen and len(found) < EXAMPLES:
            seen.add(repr(changes))
            words = [sorted(one & mind.rules.changing) for one in trial.words]
            found.append({"spots": list(trial.spots), "words": words, "changes": changes})
    return found


def _is_name(mind: Mind, value: str) -> bool:
    return value in mind.belief.first or value in mind.belief.rooms


def _recall_trial(mind: Mind, op: Operator, example: object) -> None:
    if not isinstance(example, Mapping):
        return
    try:
        changes = frozenset(Change(str(what), int(of), value) for what, of, value in example["changes"])
        spots = tuple(map(str, example["spots"]))
        words = tuple(frozenset(map(str, one)) for one in example["words"])
    except (KeyError, TypeError, ValueError):
        return
    if len(spots) != op.arity or len(words) != op.arity or any(change.of >= op.arity for change in changes):  # type: ignore[operator]  # a gap
        return
    args = STAND_INS[: op.arity]
    mind.rules.changing |= {str(c.value) for c in changes if c.what in ("word", "unword")}
    trial = Trial(args, spots, words, frozenset(), "", "changed", "carried", None, changes)
    op.trials.append(trial)
    op.effects_seen.add(changes)
    op.good.add(args)
    op.version += 1
    op.recalled = True
