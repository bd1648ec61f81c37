"""What the texts of a world tell apart: partitions of states, or of states and intents, by the text that is shown.

A *form* slot leaves such a partition as it is, a *content* slot changes it. Slots of grammar, observation and feedback
leave the transition system alone, so that the states of one world are the states of its edit, number by number, and the
same questions can be put to both.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from sandbox.world.dynamics import Intent
from sandbox.world.engine import Engine
from sandbox.world.keyed import Stream

K = TypeVar("K", bound=Hashable)
Answers: TypeAlias = Mapping[K, Hashable]
"""Question → what is shown for it."""
Asked: TypeAlias = tuple[int, str, tuple[str, ...]]
"""A state and what is tried in it: an action and its arguments."""

UNREAD = ("empty", "unknown_word", "bad_syntax")
"""Texts that say nothing, one of each cause; they stand among the intents as questions of their own."""


# --- states -------------------------------------------------------------------------------------------------
def reachable(engine: Engine, most: int, *, inform: bool = False) -> list[int]:
    """States in breadth-first order from the start, at most so many; with `inform`, what looking leaves behind counts."""
    found = [engine.start().state]
    known = set(found)
    for state in found:
        for command in engine.admissible(state):
            step = engine.step(state, command)
            if step.state in known or (not inform and informs(engine, step.intent)):
                continue
            if len(found) >= most:
                return found
            known.add(step.state)
            found.append(step.state)
    return found


def walked(engine: Engine, stream: Stream, length: int) -> list[int]:
    """The states of a drawn walk, each once."""
    state, found = engine.start().state, [engine.start().state]
    for _ in range(length):
        state = engine.step(state, stream.choice(engine.admissible(state))).state
        found.append(state)
    return list(dict.fromkeys(found))


def informs(engine: Engine, intent: str | None) -> bool:
    """Whether an intent, as it is logged, is an information action."""
    action = engine.dynamics.actions.get((intent or "").partition("(")[0])
    return action is not None and action.inform


# --- what is shown ------------------------------------------------------------------------------------------
def replies(engine: Engine, states: Iterable[int], intents: Sequence[Intent] | None = None) -> dict[Asked, Hashable]:
    """(state, action, arguments) → the texts of the commands that express it there, whatever comes of them.

    Without `intents`, every well-typed intent is asked, information ones too, and one text of each of UNREAD.
    """
    dynamics = engine.dynamics
    asked = intents if intents is not None else [*dynamics.intents(inform=False), *dynamics.intents(inform=True)]
    found: dict[Asked, Hashable] = {}
    for state in states:
        for action, args in asked:
            at, texts = state, []
            for command in engine.commands((action, args), state):
                step = engine.step(at, command)
                at = step.state
                texts.append(step.text)
            found[state, action, args] = tuple(texts)
        if intents is None:
            for cause, text in zip(UNREAD, unread(engine), strict=True):
                found[state, cause, ()] = (engine.step(state, text).text,)
    return found


def unread(engine: Engine) -> tuple[str, str, str]:
    """A text that is empty, one with a word that is unknown, and one whose words stand in no order."""
    command = engine.admissible(engine.start().state)[0]
    return "", "qqqq", f"{command} {command}"


def views(engine: Engine, states: Iterable[int]) -> dict[int, Hashable]:
    """State → the text of the room as the player in it sees it."""
    return {state: engine.view.room(state, engine.dynamics.room(state).name) for state in states}


# --- partitions ---------------------------------------------------------------------------------------------
def classes(answers: Answers[K]) -> dict[K, int]:
    """Each question with the number of its class, classes numbered as they first appear: equal for equal partitions."""
    numbers: dict[Hashable, int] = {}
    return {question: numbers.setdefault(text, len(numbers)) for question, text in answers.items()}


def difference(one: Answers[K], other: Answers[K]) -> str | None:
    """Two questions that one world answers alike and the other does not, with the answers; None where there are none."""
    for left, right in ((one, other), (other, one)):
        first: dict[Hashable, K] = {}
        for question, text in left.items():
            same = first.setdefault(text, question)
            if right[same] != right[question]:
                return f"{text!r} for both {same} and {question}, but {right[same]!r} and {right[question]!r}"
    return None
