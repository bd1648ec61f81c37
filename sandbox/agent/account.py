"""The explorer's account of what it believes: after each command, what is new in its mind is put into words.

Beliefs are told by topic: `speech` (patterns that were recognised by what they answer), `goal`, `operator` (what a
command does), `needs` (what it takes, with what may still be needed), `kind` (which things fit where), `reply`, `law`
(what changes by itself), `place` (ways) and `thing` (where something is, and what is said of it). Every try of an
operator is evidence for it. Only differences are told, so that the account of a step is short.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sandbox.agent.belief import GONE, HELD
from sandbox.agent.effects import HERE, Change
from sandbox.agent.grounding import Fact
from sandbox.agent.journal import Entry, Journal
from sandbox.agent.mind import Mind
from sandbox.agent.needs import Reason
from sandbox.agent.operators import Operator, Trial

ROLES: Final = {
    "look": "shows the place", "inventory": "shows what is held", "help": "shows the help page",
    "restart": "begins again", "wait": "lets time pass",
}  # fmt: skip
NO_LIMIT: Final = 99
"""The capacity of hands that were never full."""
FIRM: Final = 2
"""Different things done to, from which on what an operator needs is worth telling."""
WORDS: Final = 2
"""Words that one deed adds; more of them were there before, and are only told."""
SIDE_EFFECTS: Final = 2
"""Changes of other things that are named one by one."""


class Account:
    """Compares a mind with what was told of it, and tells the difference to its journal."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._versions: dict[str, tuple[int, int]] = {}
        self._fit: set[tuple[str, str, bool]] = set()
        self._things: dict[str, tuple[str | None, frozenset[str]]] = {}
        self._ways: dict[str, dict[str, str | None]] = {}
        self._replies: dict[str, str] = {}
        self._laws: dict[str, int] = {}
        self._shown = -1

    def news(self) -> tuple[Entry, ...]:
        """Everything told since the last time, by the mind itself and by this comparison."""
        mind, journal = self._mind, self._mind.journal
        self._speech(mind, journal)
        for op in list(mind.rules.operators.values()):
            told = self._versions.get(op.key, (0, 0))
            if told != (op.version, len(op.trials)):
                self._versions[op.key] = op.version, len(op.trials)
                self._operator(op, op.trials[told[1] :] if told[1] <= len(op.trials) else op.trials)
        self._kinds()
        self._laws_and_replies()
        self._things_and_places()
        return journal.drain()

    def _speech(self, mind: Mind, journal: Journal) -> None:
        for role, does in ROLES.items():
            pattern = getattr(mind.roles, role)
            if pattern is not None:
                journal.believe("speech", role, f"{pattern} {does}", minor=role in ("help", "wait"))
        if mind.selector is not None:
            shown = shape(mind.selector)
            journal.believe("speech", "select", f"{shown} says what the next commands are about")
        if mind.confirm is not None:
            journal.believe("speech", "confirm", f"{mind.confirm} confirms what is asked back")
        if mind.goal:
            journal.believe("goal", "goal", "wanted: " + ", ".join(map(fact_told, mind.goal)))

    def _operator(self, op: Operator, trials: Iterable[Trial]) -> None:
        mind, journal = self._mind, self._mind.journal
        for trial in trials:
            if trial.why != "carried":
                came = trial.outcome if trial.outcome != "refused" else f"refused ({trial.why})"
                journal.evidence("operator", op.key, mind.tried_at, of=list(trial.args), came=came)
        if not op.good:
            if op.reveals:
                journal.believe("operator", op.key, f"{shape(op)} → tells what {gaps(op)[-1]} is like")
            return
        does = effects_told(mind, op)
        if does:
            carried = {"carried": True} if op.recalled else {}
            journal.believe("operator", op.key, f"{shape(op)} → {does}", minor=op.recalled, **carried)
        needs = mind.rules.needs(op)
        names = gaps(op)
        spots = [
            f"{names[gap]} {'in hand' if ways == {'held'} else 'here'}"
            for gap, ways in enumerate(needs.spots) if len(ways & {"held", "here"}) == 1
        ]  # fmt: skip
        sure = [f"{names[gap]} {'' if must else 'not '}{word}" for gap, word, must in sorted(needs.necessary)]
        sure += ["empty hands"] if needs.free else []
        sure += sorted(reason_told(reason) for reason in needs.around)
        perhaps = sorted(
            f"{names[gap]} {no}{word}"
            for no, sides in (("", needs.words), ("not ", needs.unwords)) for gap, words in enumerate(sides)
            for word in words if (gap, word, not no) not in needs.necessary
        )  # fmt: skip
        if spots or sure or perhaps:
            held = journal.held("needs", op.key)
            said = f"{shape(op)} needs {', '.join(sure + spots) or 'something more'}"
            minor = not 0 < len(sure) <= WORDS or len(op.good) < FIRM or (held is not None and held.get("sure") == sure)
            more = {"perhaps": perhaps} if perhaps else {}
            journal.believe("needs", op.key, said, minor=minor, sure=sure, **more)

    def _kinds(self) -> None:
        rules, journal = self._mind.rules, self._mind.journal
        shown = sum(map(len, rules.is_kind.values())) + sum(map(len, rules.no_kind.values()))
        if shown == self._shown:
            return
        self._shown = shown
        for fits, sides in ((True, rules.is_kind), (False, rules.no_kind)):
            for kind, members in sides.items():
                for name in sorted(members):
                    if (kind, name, fits) not in self._fit:
                        self._fit.add((kind, name, fits))
                        self._fit.discard((kind, name, not fits))
                        said = kind.removeprefix("?").upper() if not kind.startswith("?") else f"for {kind[1:]}"
                        says = f"{name} is {'' if fits else 'no '}{said}"
                        journal.believe("kind", f"{kind} {name}", says, minor=True, fits=fits)

    def _laws_and_replies(self) -> None:
        mind, journal, rules = self._mind, self._mind.journal, self._mind.rules
        for name, steps in rules.laws.items():
            if self._laws.get(name) != len(steps):
                self._laws[name] = len(steps)
                before, after = steps[-1]
                traits = mind.belief.traits.get(name, frozenset())
                changed = [f"is {word}" for word in sorted(after - before - traits)]
                changed += [f"is no longer {word}" for word in sorted(before - after - traits)]
                if changed:
                    journal.believe("law", name, f"by itself, {name} at times {' and '.join(changed)}")
        if rules.capacity < NO_LIMIT:
            journal.believe("law", "*hands", f"hands hold at most {rules.capacity}")
        for signature, seen in mind.replies.seen.items():
            if seen.changed + seen.unchanged > 1:
                meaning = mind.replies.meaning(signature)
                if self._replies.get(signature) != meaning:
                    self._replies[signature] = meaning
                    journal.believe("reply", signature, f"{signature!r} means {meaning}", minor=True)

    def _things_and_places(self) -> None:
        belief, journal = self._mind.belief, self._mind.journal
        for room, ways in belief.ways.items():
            if self._ways.get(room) != ways:
                self._ways[room] = dict(ways)
                to = ", ".join(f"{other} by {door}" if door else other for other, door in ways.items())
                journal.believe("place", room, f"{room}: ways to {to or 'nowhere'}", minor=True)
        for name, words in belief.words.items():
            now = belief.place.get(name), words
            if self._things.get(name) != now:
                self._things[name] = now
                says = f"{name}: {where_told(now[0])}{''.join(', ' + word for word in sorted(words))}"
                journal.believe("thing", name, says, minor=True)


def gaps(op: Operator) -> list[str]:
    """What the gaps of an operator are called."""
    names = [kind.upper() if kind != "?" else "SOMETHING" for kind in op.kinds]
    return [
        f"{name} {names[: gap + 1].count(name)}" if names.count(name) > 1 else name for gap, name in enumerate(names)
    ]  # fmt: skip


def shape(op: Operator) -> str:
    """The command of an operator, with the names of its gaps."""
    names = gaps(op)
    said = op.pattern.fill(names[1:] if op.implicit else names)
    return f"{said} (with {names[0]} selected)" if op.implicit else said


def reason_told(reason: Reason) -> str:
    """Something that has to be so around a deed, or must not, in words."""
    (sort, what, *more), must = reason
    no = "" if must else "no "
    if sort == "own":
        return f"{'' if must else 'not '}to be {what}"
    return f"{no}{' '.join((what, *more))} {'in hand' if sort == 'with' else 'near'}"


def effects_told(mind: Mind, op: Operator) -> str:
    """What an operator does, in words; empty when nothing is known."""
    if op.key in mind.rules.movers:
        return "moves me there"
    names, found = gaps(op), [row for row in mind.rules.effects(op) if row[1] and not retold(mind, row[0])]
    if (op.reveals or len(found) > WORDS) and all(change.what == "word" for change, _, _ in found):
        return f"tells what {names[-1]} is like" if names else "tells something"
    parts = _becomes(found, names)
    parts += [
        change_told(change, names) + (" at times" if no else "") for change, _, no in found
        if parts == [] or change.what not in ("word", "unword")
    ]  # fmt: skip
    others = sorted({
        change_told(change, names) for seen in op.effects_seen for change in seen
        if isinstance(change.of, str) and change.of not in mind.rules.laws and not retold(mind, change)
    })  # fmt: skip
    if len(others) > SIDE_EFFECTS:
        more = len(others) - SIDE_EFFECTS
        others = [*others[:SIDE_EFFECTS], f"and {more} more change{'s' * (more > 1)}"]
    return "; ".join(dict.fromkeys(parts + others))


def retold(mind: Mind, change: Change) -> bool:
    """Whether a change is only that a word of a description was said again, or not said again."""
    if change.what not in ("word", "unword"):
        return False
    traits = mind.belief.traits
    if isinstance(change.of, str):
        return change.value in traits.get(change.of, ())
    made = any(
        (other.what, other.value) == ("word", change.value) and isinstance(other.of, int)
        for op in mind.rules.operators.values() for seen in op.effects_seen for other in seen
    )  # fmt: skip
    return change.what == "unword" and not made and any(change.value in words for words in traits.values())


def _becomes(found: Sequence[tuple[Change, list[Trial], list[Trial]]], names: list[str]) -> list[str]:
    """What a thing becomes where that differs from try to try: one word of several."""
    words = [change for change, _, _ in found if change.what == "word"]
    if not (len(words) > 1 and any(no for change, _, no in found if change.what == "word")):
        return []
    gaps_ = sorted({change.of for change in words}, key=str)
    return [
        f"{names[of] if isinstance(of, int) else of} becomes {_either([str(c.value) for c in words if c.of == of])}"
        for of in gaps_
    ]


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def change_told(change: Change, names: list[str]) -> str:
    """One change in words."""
    def named(slot: int | str) -> str:
        return names[slot] if isinstance(slot, int) and slot < len(names) else str(slot)

    thing, value = named(change.of), named(change.value)
    if change.what == "at":
        return f"I am in {thing}"
    if change.what == "place":
        return f"{thing} {where_told(value)}" if value in (HELD, HERE, GONE) else f"{thing} goes to {value}"
    return f"{thing} is {value}" if change.what == "word" else f"{thing} is no longer {value}"


def where_told(place: str | None) -> str:
    """A place in words."""
    return {None: "nobody knows where", HELD: "in hand", HERE: "put down here", GONE: "gone", "*door": "a door"}.get(
        place, f"at {place}"
    )


def fact_told(fact: Fact) -> str:
    """A fact in words."""
    sort, name, *more = fact
    if sort == "held":
        return f"{name} in hand"
    if sort == "in":
        return f"{name} in {more[0]}"
    if sort == "gone":
        return f"{name} gone"
    return f"{name} {'not ' if sort == 'not' else ''}{' '.join(more)}"
