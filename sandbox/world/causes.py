"""What a feedback voice has to say: the phrases of its template, and the causes of refusals that it tells apart.

Every voice has the same phrases with the same gaps, so that all of them tell the same apart: a voice is form, and no
player learns more from one than from another. A cause that is not in this list is told as `other`: `wrong_state` is,
and any that an author makes up.
"""

from __future__ import annotations

from functools import lru_cache

from sandbox.errors import TemplateError, nearest
from sandbox.world.phrases import gaps

CAUSES = {
    "empty": "", "unknown_word": "name", "bad_syntax": "", "wrong_kind": "name", "wrong_thing": "name",
    "out_of_reach": "name", "not_carried": "name", "already": "name", "hands_full": "name", "hands_not_empty": "",
    "no_room": "name", "barred": "name", "one_way": "name", "wrong_place": "", "too_dark": "",
    "too_narrow": "name", "too_weak": "", "no_leave": "", "no_way": "name", "guarded": "", "stuck": "name",
    "already_done": "name", "too_heavy": "", "too_early": "name", "spent": "name",
    "too_light": "", "no_word": "",
    "nothing_selected": "", "nothing_at_hand": "", "nothing_asked": "", "lost": "", "other": "name",
}  # fmt: skip
"""Causes that are told apart from detail `thing` on, with what their phrase names."""

PHRASES = {
    "have": "name", "gone": "name", "lies": "name place", "is": "name word", "you": "word", "no_longer": "word",
    "contents": "name items", "and": "", "also": "", "accepted": "items", "nothing": "", "silence": "",
    "examined": "name kind words", "number": "number", "read": "text", "read_none": "name", "restart": "",
    "selected": "name", "turned": "name", "taken": "name text", "ask": "command confirm", "asked": "command",
    "done": "done all", "left": "left all", "solved": "", "lost": "again", "something": "", "requirement": "need",
    **{f"thing.{cause}": named for cause, named in CAUSES.items()},
}  # fmt: skip
"""Every phrase of a voice with its gaps; a capital in a gap is a capital in the text, `a_` before it an article."""


@lru_cache(maxsize=64)
def check_voice(phrases: tuple[tuple[str, str], ...], voice: str) -> None:
    """Raises TemplateError for a voice that lacks a phrase, has one too many, or tells more or less with one."""
    found = dict(phrases)
    for key in found:
        if key not in PHRASES and key != "legend":
            meant = nearest(key, PHRASES)
            raise TemplateError(
                f"feedback {voice!r}: no voice has a phrase {key!r}",
                f"did you mean {meant!r}?" if meant else "the phrases of a voice are those of plain.feedback.j2",
            )
    for key, named in PHRASES.items():
        if key not in found:
            raise TemplateError(f"feedback {voice!r}: no phrase {key!r}", f'add a line: {key} = "…"')
        if {gap.lower().removeprefix("a_") for gap in gaps(found[key])} != set(named.split()):
            wanted = " ".join(f"<{gap}>" for gap in named.split()) or "no gap at all"
            raise TemplateError(
                f"feedback {voice!r}: {key} must have {wanted}", "every voice says the same, each in its own way"
            )
