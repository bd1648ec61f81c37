"""What carries over from one episode to the next: how to speak, and how replies read.

Everything that was kept is a guess in a new world. The guesses about speech are taken as one: if the word for
looking around shows the place as it was just shown, the others are believed as well; if not, all are dropped. What
replies mean is believed until it turns out otherwise, as anything learned here is. What commands do is kept with the
skills that rest on them (`lore`).
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from sandbox.agent.interface import Seen
from sandbox.agent.library import Library, Note
from sandbox.agent.mind import Mind
from sandbox.agent.reading import Meaning

QUIET: Final = 2
"""Silent tries after which an operator counts as one that only tells something."""
MOST: Final = 4
"""How many observations of a reply are kept: new ones soon outweigh them."""


def keep(mind: Mind, library: Library) -> None:  # noqa: C901 - one list of what is kept
    """Add to a library what was learned and is not in it yet."""
    for role in ("look", "inventory", "help", "restart", "wait"):
        pattern = getattr(mind.roles, role)
        if pattern is not None:
            _note(library, "role", pattern, role)
    for mover in sorted(mind.rules.movers):
        _note(library, "role", mover, "move")
    for op in mind.rules.operators.values():
        if op.informs:
            _note(library, "informs", op.key, value=True)
    for signature in sorted(mind.replies.kind):
        _note(library, "signature", signature, "kind")
    for signature in sorted(mind.replies.silent):
        _note(library, "signature", signature, "silent")
    for signature in sorted(mind.replies.unread):
        _note(library, "signature", signature, "unread")
    for signature, seen in sorted(mind.replies.seen.items()):
        _note(library, "seen", signature, [min(seen.changed, MOST), min(seen.unchanged, MOST), dict(seen.where)])
    for skeleton, read in sorted(mind.replying.meanings.items()):
        if read.trusted:
            _note(library, "reply", "\t".join(skeleton), _told(read))


def recall(mind: Mind, library: Library) -> None:
    """Take what a library holds for a first guess."""
    mind.carried_roles = {
        role: pattern for pattern, role in library.notes("role").items()
        if isinstance(role, str) and pattern in mind.rules.operators
    }  # fmt: skip
    for key in library.notes("informs"):
        if key in mind.rules.operators:
            mind.rules.operators[key].silent = QUIET
    signatures = library.notes("signature")
    mind.replies.kind |= {one for one, meaning in signatures.items() if meaning == "kind"}
    mind.replies.unread |= {one for one, meaning in signatures.items() if meaning == "unread"}
    for signature, seen in library.notes("seen").items():
        match seen:
            case [int(changed), int(unchanged), dict(where)]:
                counts = {str(spot): int(n) for spot, n in where.items() if isinstance(n, int)}
                mind.replies.seen[signature] = Seen(changed, unchanged, Counter(counts))
    for key, told in library.notes("reply").items():
        meaning = _meaning(told)
        if meaning is not None:
            mind.replying.meanings.setdefault(tuple(key.split("\t")), meaning)


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
