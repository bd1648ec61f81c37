"""Several plays in a row with one library: which worlds they are, and what each may still use.

The first play is the world that was named. Each further one draws anew what is to vary, by its number, under rules
that stay: layout, task and theme are no part of them. A layout has few other tasks, so that where both vary, each new
layout comes with its first other task. With nothing to vary the same world is played again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

from sandbox.errors import UnknownName, UsageError
from sandbox.generate.reference import REDRAWN, parse_reference

REFUSALS: Final = 3
"""Worlds in a row that cannot be made, after which no more are tried."""


def variation(text: str | None) -> tuple[str, ...]:
    """What is to vary, e.g. "layout,task", in the order in which it is drawn. Raises UsageError for anything else."""
    if text is None:
        return ()
    wanted = [part.strip() for part in text.split(",")]
    for part in wanted:
        if not part:
            raise UsageError(f"--vary {text!r} names nothing between its commas", "type --vary layout,task")
        if part not in REDRAWN:
            raise UnknownName("part of a world that can be drawn anew:", part, REDRAWN)
    return tuple(part for part in ("theme", "layout", "task") if part in wanted)


def references(ref: str, vary: Sequence[str]) -> Iterator[str]:
    """The worlds of a series, without end: the named one first. Raises ReferenceError_ for what cannot be read."""
    base = str(parse_reference(ref))
    yield base
    for number in count(1):
        edits = [part if part == "task" and "layout" in vary else f"{part}.{number}" for part in vary]
        yield str(parse_reference("~".join([base, *edits])))
