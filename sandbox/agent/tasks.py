"""Tasks: what a curriculum asks for, as facts that can be looked up before and after, or in words where none can.

A proposal is turned down, with the reason, when it speaks of things that nobody has seen, of a fact that is true
already, or repeats what failed while nothing new was learned. The cause of a failure is kept with its task.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.agent.asking import Rejected
from sandbox.agent.library import Fact
from sandbox.errors import nearest

KINDS: Final = ("at", "held", "in", "word", "not_held", "not_in", "not_word")
"""What a proposal can ask for; its prompt says what each means."""
MOST: Final = 4
"""Facts of one task."""
SHOWN: Final = 6
"""Tasks of the past that a prompt shows."""


@dataclass(frozen=True, slots=True)
class Task:
    """Facts to make true, none of which need be false; or `words`, where no fact says it. `why` is the proposer's."""

    facts: tuple[Fact, ...] = ()
    words: str = ""
    why: str = ""

    @property
    def told(self) -> str:
        """The task in a line."""
        return "; ".join(map(told, self.facts)) or self.words

    @property
    def names(self) -> tuple[str, ...]:
        """The things and rooms that it speaks of."""
        return tuple(dict.fromkeys(name for fact in self.facts for name in things_of(fact)))

    def done(self, facts: frozenset[Fact]) -> bool:
        """Whether it is achieved; a task in words never is, by this."""
        return bool(self.facts) and all(true(fact, facts) for fact in self.facts)


@dataclass(slots=True)
class Tried:
    """What came of the tasks so far. `version` is that of what was known when a task failed."""

    achieved: list[Task] = field(default_factory=list)
    failed: dict[str, tuple[str, Hashable]] = field(default_factory=dict)

    def achieve(self, task: Task) -> None:
        """It is done."""
        self.failed.pop(task.told, None)
        self.achieved.append(task)

    def fail(self, task: Task, cause: str, version: Hashable) -> None:
        """It is not, and why."""
        self.failed[task.told] = cause, version

    def shown(self) -> tuple[list[str], list[str]]:
        """The latest that were achieved, and those that failed with their causes."""
        lost = [f"{task}: {cause[:160]}" for task, (cause, _) in self.failed.items()]
        return [task.told for task in self.achieved[-SHOWN:]], lost[-SHOWN:]


def told(fact: Fact) -> str:
    """A fact as a reader sees it."""
    negated = fact[:1] == ("not",)
    what, *names = fact[1:] if negated else fact
    no = "not " if negated else ""
    if what == "word":
        return f"{names[0]} is {no}{names[1]}"
    if what == "in":
        return f"{names[0]} is {no}in {names[1]}"
    return f"you are {no}at {names[0]}" if what == "at" else f"you {'do not hold' if negated else 'hold'} {names[0]}"


def things_of(fact: Fact) -> tuple[str, ...]:
    """The things and rooms that a fact speaks of."""
    bare = fact[1:] if fact[:1] == ("not",) else fact
    return bare[1:2] if bare[0] == "word" else bare[1:]


def true(fact: Fact, facts: frozenset[Fact]) -> bool:
    """Whether a fact holds among all that are believed."""
    return fact[1:] not in facts if fact[:1] == ("not",) else fact in facts


def schema(names: Sequence[str], words: Iterable[str], here: str, *, free: bool) -> dict[str, object]:
    """The JSON schema of a proposal; `here` is where it is no task to go, and `free` allows a task in words."""
    one = {
        "type": "object",
        "properties": {
            "fact": {"type": "string", "enum": list(KINDS)},
            "thing": {"type": "string", "enum": sorted(set(names) - {here}) or [""]},
            "value": {"type": "string", "enum": ["", *sorted({*names, *words} - {""})]},
        },
        "required": ["fact", "thing", "value"], "additionalProperties": False,
    }  # fmt: skip
    properties: dict[str, object] = {"why": {"type": "string"}, "task": {"type": "array", "items": one}}
    if free:
        properties["words"] = {"type": "string"}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def read_task(
    data: Mapping[str, Any], facts: frozenset[Fact], names: Sequence[str], tried: Tried, version: Hashable
) -> Task:
    """The task that a proposal asks for. Raises Rejected with what is wrong with it."""
    asked = data.get("task")
    if not isinstance(asked, list) or len(asked) > MOST:
        raise Rejected(f"task must be a list of at most {MOST} facts")
    found = tuple(dict.fromkeys(_fact(one, names) for one in asked))
    words = str(data.get("words") or "").strip()[:200]
    if not found and not words:
        raise Rejected("a task needs at least one fact")
    task = Task(found, "" if found else words, str(data.get("why") or "")[:200])
    if task.done(facts):
        raise Rejected(f"it is true already: {task.told}")
    cause, then = tried.failed.get(task.told, ("", None))
    if then == version:
        raise Rejected(f"that was tried and failed ({cause[:200]}), and nothing was learned since")
    if not found and any(task.words == old.words for old in tried.achieved):
        raise Rejected("that was done already")
    return task


def _fact(one: object, names: Sequence[str]) -> Fact:
    if not isinstance(one, dict) or one.get("fact") not in KINDS:
        raise Rejected(f'a fact is {{"fact": …, "thing": …, "value": …}} with fact one of {", ".join(KINDS)}')
    kind, thing, value = (str(one.get(key) or "").strip() for key in ("fact", "thing", "value"))
    negated, what = kind.startswith("not_"), kind.removeprefix("not_")
    for name in [thing, value][: 1 + (what == "in")]:
        if name not in names:
            near = nearest(name, names)
            raise Rejected(f"nothing is known that is called {name!r}" + (f"; did you mean {near!r}?" if near else ""))
    if what == "word" and not value:
        raise Rejected("word and not_word need a value: the word")
    fact = (what, thing, value) if what in ("in", "word") else (what, thing)
    return ("not", *fact) if negated else fact


def of_goal(goal: Iterable[Fact]) -> Task:
    """The goal as a task, as far as it was read and can be looked up."""
    found = [("not", "word", *fact[1:]) if fact[0] == "not" else fact for fact in goal]
    return Task(tuple(fact for fact in found if fact[0] != "gone"), why="the goal")


def at_random(facts: frozenset[Fact], names: Sequence[str], rooms: Iterable[str], draw: Callable[[int], int]) -> Task:
    """A task that is drawn: to be in a known room, to hold a known thing, or to put one elsewhere."""
    places = sorted(rooms)
    things = sorted(set(names) - set(places))
    options: list[Fact] = [*(("at", room) for room in places), *(("held", thing) for thing in things)]
    options += [("in", thing, places[draw(len(places))]) for thing in things if places]
    open_ = [fact for fact in options if fact not in facts] or [("not", "at", next(iter(places), ""))]
    return Task((open_[draw(len(open_))],), why="drawn")
