"""What skills rest on: what the operators in them do and need, and which things fit their parameters.

It is kept in the library beside the skills, and taken up with them; who plays without skills learns it anew. All of it
is believed until it turns out otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sandbox.agent.effects import Change
from sandbox.agent.library import Library, Note
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Operator, Trial

EXAMPLES: Final = 3
"""Successes kept of an operator."""
STAND_INS: Final = ("~0", "~1")
"""Names of things of another world, in what is remembered of them."""


def keep(mind: Mind, library: Library) -> None:
    """Add to a library what was learned and is not in it yet."""
    rules = mind.rules
    for op in rules.operators.values():
        if examples := _examples(mind, op):
            _note(library, "operator", op.key, examples)
            if needs := sorted(map(list, rules.needs(op).necessary)):
                _note(library, "needs", op.key, needs)
        if op.never and op.arity == 1:  # which pairs go together may hang on what they are like here
            _more(library, "never", op.key, sorted(map(list, op.never)))
    _keep_types(mind, library)


def _keep_types(mind: Mind, library: Library) -> None:
    """Which things are of which kind, and what can be carried or read."""
    rules = mind.rules
    for kind, names in sorted(rules.is_kind.items()):
        _more(library, "fits", kind, sorted(names))
    for kind, names in sorted(rules.no_kind.items()):
        _more(library, "unfit", kind, sorted(names))
    for name, told in sorted(mind.was_read.items()):
        _note(library, "read", name, told)
    for frame in sorted({mind.belief.frame.get(name, "") for name in rules.carried} - {""}):
        _note(library, "frame", frame, "carried")
    if rules.carried:
        _more(library, "carried", "", sorted(rules.carried))


def recall(mind: Mind, library: Library) -> None:
    """Take up what a library holds, for a first guess."""
    rules = mind.rules
    for key, op in rules.operators.items():
        examples, needs = library.notes("operator").get(key), library.notes("needs").get(key)
        for example in examples if isinstance(examples, list) else ():
            _recall_trial(mind, op, example)
        for one in needs if isinstance(needs, list) else ():
            match one:
                case [int(gap), str(word), bool(must)] if gap < op.arity:
                    op.told.add((gap, word, must))
                    rules.changing.add(word)
        rows = library.notes("never").get(key)
        for row in rows if isinstance(rows, list) else ():
            if len(_names(row)) == op.arity:
                op.never.add(tuple(_names(row)))
    _recall_types(mind, library)


def _recall_types(mind: Mind, library: Library) -> None:
    rules = mind.rules
    for table, kind in ((rules.is_kind, "fits"), (rules.no_kind, "unfit")):
        for key, names in library.notes(kind).items():
            table.setdefault(key, set()).update(_names(names))
    mind.was_read.update((name, False) for name, told in library.notes("read").items() if told is False)
    rules.frames |= set(library.notes("frame"))
    rules.carried |= set(_names(library.notes("carried").get("")))


def _note(library: Library, kind: str, key: str, value: object) -> None:
    if library.notes(kind).get(key) != value:
        library.append(Note(kind, key, value))


def _more(library: Library, kind: str, key: str, found: list[str] | list[list[str]]) -> None:
    old = library.notes(kind).get(key)
    _note(library, kind, key, [*old, *(one for one in found if one not in old)] if isinstance(old, list) else found)


def _names(given: object) -> list[str]:
    return [name for name in given if isinstance(name, str)] if isinstance(given, list) else []


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
