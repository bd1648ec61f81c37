"""What a model is shown of what the agent believes: the present, the deeds and what came of them, what was read.

Every part has a budget of its own, and what does not fit is counted, not shown: a prompt late in an episode is not
longer than one at its beginning.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

from sandbox.agent.belief import GONE, HELD
from sandbox.agent.effects import HERE, Change
from sandbox.agent.interface import filled
from sandbox.agent.library import Known
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Operator, Trial
from sandbox.agent.retrieval import CODES, SIGNATURES, Offer

FAR: Final = 6000
"""Characters about things and rooms that are not here; DEEDS, CODE likewise about deeds and of one skill's code."""
DEEDS: Final = 6000
CODE: Final = 1500
UNSEEN: Final = 30
"""Rooms not seen yet that are named."""
EXAMPLES: Final = 2
TEXTS: Final = 6
HEARD: Final = 8
LONG: Final = 240
VIEW: Final = 1200


class Ears:
    """The last commands with their answers, and the last texts that told something without changing anything."""

    def __init__(self) -> None:
        self.heard: deque[tuple[str, str]] = deque(maxlen=HEARD)
        self.texts: deque[str] = deque(maxlen=TEXTS)
        self.view = ""

    def hear(self, mind: Mind, command: str, answer: str) -> None:
        """Keep an answer, without the view that came with it."""
        if command == mind.roles.look or mind.belief.split(answer)[1]:
            self.view = answer[:VIEW]
        said = "\n".join(mind.belief.split(answer)[0]).strip() or "(what is seen now)"
        self.heard.append((command, said[:LONG]))
        new = said[: 2 * LONG]
        if len(mind.reader.mentioned(new)) >= 2 and new not in self.texts and new.count("\n") < 8:
            self.texts.append(new)


def situation(mind: Mind, ears: Ears) -> str:
    """Where the agent is, what it holds and sees, what it remembers of elsewhere, and the last view as it was shown."""
    belief = mind.belief
    near = [name for name in belief.place if belief.where(name) == "here"]
    ways = belief.ways.get(belief.at, {})
    lines = [
        f"at: {belief.at}",
        "hold: " + (", ".join(_described(mind, name) for name in belief.held()) or "nothing"),
        "here: " + (", ".join(_described(mind, name) for name in near if name not in ways.values()) or "nothing"),
        "ways: " + (", ".join(_way(mind, to, door) for to, door in ways.items()) or "none"),
    ]  # fmt: skip
    lines += clipped(_elsewhere(mind), FAR)
    unseen = sorted({to for ways in belief.ways.values() for to in ways} - belief.visited)
    lines.append("rooms not seen yet: " + (", ".join(unseen[:UNSEEN]) or "none that is known of"))
    return "\n".join([*lines, *(["shown last:", ears.view] if ears.view else [])])


def _way(mind: Mind, to: str, door: str | None) -> str:
    return f"{to} (by {_described(mind, door)})" if door else to


def _elsewhere(mind: Mind) -> Iterable[str]:
    """Room by room what is there, as it was last seen, the ways included."""
    belief = mind.belief
    things: dict[str, list[str]] = {}
    for name, where in belief.place.items():
        if where not in (HELD, GONE, "*door"):
            things.setdefault(belief.room_of(name) or "", []).append(_described(mind, name))
    for room in belief.rooms:
        if room in belief.visited and room != belief.at:
            ways = ", ".join(belief.ways.get(room, ()))
            yield f"in {room}: {', '.join(things.get(room, ())) or 'nothing'}; ways to {ways or 'nowhere'}"


def _described(mind: Mind, name: str) -> str:
    belief = mind.belief
    words = sorted(belief.words.get(name, ()))
    holder = belief.place.get(name)
    inside = [f"in {holder}"] if holder in belief.first and holder not in belief.rooms else []
    kind = mind.rules.kind_said.get(name)
    said = ", ".join([*([kind.upper()] if kind else []), *words, *inside])
    return f"{name} ({said})" if said else name


def deeds(mind: Mind, intents: Mapping[str, Operator]) -> str:
    """Every deed, what it takes, and what came of it where it was tried."""
    lines = []
    for name, op in intents.items():
        kinds = ", ".join(kind.upper() if kind != "?" else "THING" for kind in op.kinds)
        moves = "   goes there" if op.key in mind.rules.movers else ""
        lines.append(f"do.{name}({kinds}){moves}")
        wins = {trial.changes: trial for trial in op.trials if trial.outcome == "changed"}
        if not moves:
            lines += [f"    worked: {_win(name, trial)}" for trial in list(wins.values())[-EXAMPLES:]]
        lost = {(t.args, t.why): t for t in op.trials if t.outcome in ("refused", "silent") and t.args not in op.good}
        lines += [f"    changed nothing: {_call(name, trial.args)}" for trial in list(lost.values())[-EXAMPLES:]]
    return "\n".join(clipped(lines, DEEDS))


def clipped(lines: Iterable[str], most: int) -> list[str]:
    """The first lines, as many as there is room for, and how many are left out."""
    every, kept, left = list(lines), list[str](), most
    for line in every:
        left -= len(line) + 1
        if left < 0:
            return [*kept, f"({len(every) - len(kept)} more lines are left out)"]
        kept.append(line)
    return kept


def _win(name: str, trial: Trial) -> str:
    changes = "; ".join(sorted(_change(trial, change) for change in trial.changes)) or "something changed"
    return f"{_call(name, trial.args)}: {changes}"


def _call(name: str, args: Iterable[str]) -> str:
    return f"do.{name}({', '.join(args)})"


def _change(trial: Trial, change: Change) -> str:
    def said(slot: object) -> str:
        if isinstance(slot, int):
            return trial.args[slot] if slot < len(trial.args) else "?"
        return {HELD: "your hands", GONE: "nowhere", HERE: "the room"}.get(str(slot), str(slot))

    if change.what == "at":
        return f"you are at {said(change.of)}"
    if change.what == "place":
        return f"{said(change.of)} is in {said(change.value)}"
    return f"{said(change.of)} is {'' if change.what == 'word' else 'not '}{said(change.value)}"


def heard(ears: Ears, mind: Mind, intents: Mapping[str, Operator]) -> str:
    """The last deeds and what was answered."""
    return "\n".join(f"> {deed_of(command, mind, intents)}\n{answer}" for command, answer in ears.heard)


def deed_of(command: str, mind: Mind, intents: Mapping[str, Operator]) -> str:
    """A command as the deed that it was; a command that is none, such as looking around, as it stands."""
    for name, op in intents.items():
        if op.pattern.kinds and filled(op.pattern, command) is not None:
            return f"do.{name}({', '.join(mind.reader.mentioned(command))})"
    return command


def offered(offers: Iterable[Offer]) -> list[str]:
    """Skills as a prompt shows them: the code of the first, the signature of some more, and how many others."""
    found, rest = [], 0
    for number, offer in enumerate(offers):
        skill = offer.known.skill
        if number < CODES:
            code = "\n".join(clipped(skill.code.rstrip().split("\n"), CODE))
            found.append(f"# {record(offer.known)}\n{code}")
        elif number < CODES + SIGNATURES:
            params = ", ".join(name for name, _ in skill.params)
            found.append(f"{skill.name}({params})   {skill.summary} ({record(offer.known)})")
        else:
            rest += 1
    return [*found, *([f"({rest} more skills)"] if rest else [])]


def record(known: Known) -> str:
    """What was seen of a skill, in a few words."""
    post = "; ".join(" ".join(fact) for fact in known.skill.post)
    return f"{known.status}, worked {known.proofs} of {known.calls} times; makes true: {post}"
