"""The one interface between a runner and a player.

A runner hands an agent a `Briefing` once and a `Turn` before every command, and gets a command back.
Both hold plain values, so that what an agent can see is what its access level allows and no more:

L0 goal and texts · L1 + help page and vocabulary · L2 + admissible commands · L3 + facts · L4 + solver

An agent is a file `agents/NAME.py` with exactly one class `Agent`:

    class Agent:
        \"\"\"One line that says how it plays.\"\"\"

        access = 1                                     # the least level it can play at

        def __init__(self, options: Mapping[str, str]) -> None: ...
        def begin(self, briefing: Briefing) -> None: ...
        def act(self, turn: Turn) -> str: ...          # or a Reply; raises Left to leave the game
        def end(self, turn: Turn) -> None: ...         # always called, however the episode ended

It may also declare `learns` (it gets more steps, and a library), `options` (the options it knows, each with its
values; an empty tuple allows any), `rest` (the option that takes everything after the colon as it
stands), `meta` (its lines may be the runner's own words, such as `:help`) and `model` (it talks to a
language model).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol

from sandbox.agent.library import Library
from sandbox.agent.prompts import Prompts
from sandbox.errors import AgentError, UsageError

__all__ = ["LEVELS", "Agent", "AgentError", "Briefing", "Left", "Reply", "Turn", "Unreadable", "UsageError"]

LEVELS: Final = range(5)


class Unreadable(Exception):
    """Raised by `act` when a model's replies hold no command, too often in a row. The episode ends."""


class Left(Exception):
    """Raised by `act` when the player leaves, at the end of its input. The episode is cancelled."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """What an agent is told before its first turn. `seed` is the agent's own, never the world's.

    `help` and `vocabulary` are None below L1. `oracle` is None below L4; called at a turn it gives
    the next command of a shortest known plan from there, or None where the goal is out of reach.
    `library` is what an agent that learns may keep; None when nothing is to be kept.
    `chat` is the model of an agent that declares `model` (a `sandbox.models.chat.Chat`), and `prompts` what it
    says to it; both are None for others.
    """

    goal: str
    access: int
    help: str | None
    vocabulary: tuple[str, ...] | None
    seed: int
    max_steps: int
    oracle: Callable[[], str | None] | None
    library: Library | None = None
    chat: Any = None
    prompts: Prompts | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent sees before a command: everything shown, feedback first.

    `n` counts the commands so far. `admissible` is None below L2, `facts` below L3.
    """

    n: int
    text: str
    reward: float
    done: bool
    admissible: tuple[str, ...] | None
    facts: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A command together with the raw text it was extracted from; both are logged as they are.

    So are the skills that were `offered` for the choice, the best first, those that the command comes from
    (`used`, the outermost first), and what the agent has come to believe since its last reply (`beliefs`, plain
    data that JSON can hold: what, and on what evidence; `sandbox.agent.journal` says in which form it is shown).
    """

    command: str
    raw: str
    offered: tuple[str, ...] | None = None
    used: tuple[str, ...] | None = None
    beliefs: tuple[Mapping[str, object], ...] = ()


class Agent(Protocol):
    """A player, as the runner sees it."""

    access: ClassVar[int]

    def begin(self, briefing: Briefing) -> None:
        """Get ready for one episode."""

    def act(self, turn: Turn) -> str | Reply:
        """The next command. Any text is legal; the world answers it."""

    def end(self, turn: Turn) -> None:
        """The last turn, after which no command is asked for. Let go of what was opened."""
