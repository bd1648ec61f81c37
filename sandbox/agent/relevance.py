"""What matters for the goal: things it names, what a text puts together with these, and doors that bar the way."""

from __future__ import annotations

from sandbox.agent.mind import Mind


def relevance(mind: Mind) -> dict[str, float]:
    """How much more an experiment with a thing is worth; 1 for what is missing."""
    found: dict[str, float] = {}
    for fact in mind.goal:
        for name in fact[1:2] if fact[0] != "in" else fact[1:]:
            found[name] = 4.0
    for _ in range(2):
        for hint in mind.hints:
            if any(found.get(name, 0) > 2 for name in hint):
                for name in hint:
                    found[name] = max(found.get(name, 0), 3.0)
    _barring(mind, found)
    return found


def _barring(mind: Mind, found: dict[str, float]) -> None:
    blocking = mind.rules.blocking()
    for ways in mind.belief.ways.values():
        for to, door in ways.items():
            barred = door is not None and to not in mind.belief.visited
            if door is not None and barred and mind.belief.words.get(door, frozenset()) & blocking:
                found[door] = max(found.get(door, 0), 3.0)
