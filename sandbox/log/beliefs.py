"""What an agent believed at a step: the entries that it told up to there, folded.

`sandbox.agent.journal` says what an entry is. The newest belief of a topic and key counts; evidence of the same topic
and key stands with it, also where nothing was concluded from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

Entry = Mapping[str, object]
FIXED: Final = frozenset({"belief", "evidence", "event", "phase", "key", "says", "minor", "gone", "step"})


@dataclass(slots=True)
class Held:
    """A belief: what it says (None where there is evidence only), after which step it was told, and its evidence."""

    topic: str
    key: str
    says: str | None = None
    since: int | None = None
    minor: bool = False
    more: Entry = field(default_factory=dict)
    evidence: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Account:
    """All that was held at a step, in the order in which it was first told; what the agent was about; its events."""

    step: int
    phase: str = ""
    held: list[Held] = field(default_factory=list)
    events: list[tuple[int, str, str]] = field(default_factory=list)


def believed(entries: Iterable[tuple[int, Entry]], step: int) -> Account:
    """What was held after `step` was seen. `entries` come with the number of the command they were told with."""
    found = Account(step)
    known: dict[tuple[str, str], Held] = {}
    for n, entry in entries:
        if n > step + 1:
            break
        topic = entry.get("belief", entry.get("evidence"))
        if topic is not None:
            key = str(topic), str(entry.get("key", ""))
            _hold(known.setdefault(key, Held(*key)), n - 1, entry)
        elif "event" in entry:
            found.events.append((n - 1, str(entry["event"]), str(entry.get("says", ""))))
        else:
            found.phase = str(entry.get("phase", ""))
    found.held = [held for held in known.values() if held.says is not None or held.evidence]
    return found


def _hold(held: Held, since: int, entry: Entry) -> None:
    more = {name: value for name, value in entry.items() if name not in FIXED}
    if "evidence" in entry:
        held.evidence.append({"step": entry.get("step"), **more})
        return
    gone = bool(entry.get("gone"))
    held.says, held.since = (None, None) if gone else (str(entry.get("says", "")), since)
    held.minor, held.more = bool(entry.get("minor")), {} if gone else more
