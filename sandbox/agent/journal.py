"""What an agent tells of itself while it plays: what it is about, what it came to believe, and on what evidence.

An agent hands what it wrote since its last reply to the runner (`Reply.beliefs`), which records it with the step. An
entry is plain data that JSON can hold. Its first key tells its sort:

    {"phase": TEXT}                               what it is about from now on, e.g. "making experiments"
    {"belief": TOPIC, "key": KEY, "says": TEXT}   what it holds true from now on: the newest of a topic and key counts
    {"evidence": TOPIC, "key": KEY, "step": N}    what was seen at step N that bears on that belief
    {"event": SORT, "says": TEXT}                 anything else worth telling: a surprise, a note

More fields may follow, and a program may read them. `"minor": true` keeps an entry off a screen with little room,
`"gone": true` takes a belief back. Any agent may write such entries; what shows them knows no agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Entry: TypeAlias = Mapping[str, object]


class Journal:
    """Entries in the order in which they were written, each belief only when it is another than before."""

    def __init__(self) -> None:
        self._fresh: list[Entry] = []
        self._held: dict[tuple[str, str], Entry] = {}
        self._phase = ""

    def phase(self, text: str) -> None:
        """Say what the agent is about from now on."""
        if text != self._phase:
            self._phase = text
            self._fresh.append({"phase": text})

    def believe(self, topic: str, key: str, says: str, *, minor: bool = False, **more: object) -> None:
        """Hold something true from now on; what is held already is not said again."""
        entry = {"belief": topic, "key": key, "says": says, **more}
        if self._held.get((topic, key)) == entry:
            return
        self._held[topic, key] = entry
        self._fresh.append({**entry, "minor": True} if minor else entry)

    def held(self, topic: str, key: str) -> Entry | None:
        """What is held true of a topic and key; None for nothing."""
        return self._held.get((topic, key))

    def evidence(self, topic: str, key: str, step: int, **more: object) -> None:
        """Say what was seen at a step that bears on a belief."""
        self._fresh.append({"evidence": topic, "key": key, "step": step, **more})

    def event(self, sort: str, says: str, *, minor: bool = False, **more: object) -> None:
        """Tell something that is no belief."""
        entry = {"event": sort, "says": says, **more}
        self._fresh.append({**entry, "minor": True} if minor else entry)

    def drain(self) -> tuple[Entry, ...]:
        """What was written since the last time."""
        fresh, self._fresh = tuple(self._fresh), []
        return fresh
