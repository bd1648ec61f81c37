"""What is recorded of an episode: how it began, its steps, how it ended.

Plain values without behaviour: the writer stores them, the reader gives equal ones back, and no
field depends on how SQLite keeps it. Step 0 is the first observation; it has no command.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

OUTCOMES: Final = (
    "solved",
    "lost",
    "step_limit",
    "invalid_limit",
    "token_limit",
    "cost_limit",
    "time_limit",
    "agent_error",
    "provider_error",
    "cancelled",
)
"""How an episode can end. Told by the runner, never inferred from a reward."""

OPEN: Final = "open"
"""The tier of an open play: its optimum is the length of a tour that reaches every milestone."""

UNFINISHED: Final = "unfinished"
"""What an episode without an end is called where people read it. It is no outcome."""


@dataclass(frozen=True, slots=True)
class EpisodeStart:
    """Everything known before the first command: enough to play the same episode again."""

    ref: str
    world_digest: str
    world_json: str
    parts: Mapping[str, str]
    slots: Mapping[str, str]
    agent: str
    options: Mapping[str, str]
    access: int
    agent_seed: int
    max_steps: int
    optimum: int
    tier: str
    generator: str
    package: str
    goal: str
    continued_from: str | None = None
    library: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class CallRow:
    """One attempt at a call of a model, made for the command of step `n`.

    `messages` are (role, content) as they were sent; `settings` what else was asked for. An attempt that failed
    has a `trouble` and an `error` in place of an `answer`; an unknown `cost` is None, which is not 0.
    """

    n: int
    role: str
    attempt: int
    model: str
    messages: tuple[tuple[str, str], ...]
    settings: Mapping[str, object]
    latency_ms: float
    waited_ms: float
    served: str | None = None
    answer: str | None = None
    finish: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cached: int | None = None
    estimated: bool | None = None
    cost: float | None = None
    trouble: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What a role of an agent used in an episode: calls that were answered, tokens, and what they cost.

    `cost` is None as soon as one call's price is not known; `failed` counts attempts without an answer.
    """

    role: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class StepRow:
    """One command and everything that was shown for it; step 0 has no command.

    `raw` is the agent's whole reply, `command` what was read from it and `executed` what the world
    was given: the same text, kept apart so that a difference would show. `cause` is None when the
    command was accepted. `assist` names what a person asked for since the step before, in order
    and separated by blanks (":hint :undo").
    """

    n: int
    raw: str | None
    command: str | None
    executed: str | None
    intent: str | None
    cause: str | None
    observation: str
    reward: float
    done: bool
    state_digest: str
    latency_ms: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    assist: str | None = None
    skills_offered: tuple[str, ...] | None = None
    skills_used: tuple[str, ...] | None = None
    library_digest: str | None = None
    beliefs: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeEnd:
    """How it ended. `score` is None after an infrastructure error and for an assisted play."""

    outcome: str
    solved: bool
    score: float | None
    steps: int
    progress: float
    assisted: bool = False
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """A recorded episode without its steps and its world, which are read when they are needed.

    `commands` counts the steps on record so far (step 0 is none); `end` is None while the episode
    runs and for ever when it was cut off.
    """

    id: str
    run: str
    started_at: str
    ended_at: str | None
    ref: str
    world_digest: str
    parts: Mapping[str, str]
    slots: Mapping[str, str]
    agent: str
    options: Mapping[str, str]
    access: int
    agent_seed: int
    max_steps: int
    optimum: int
    tier: str
    generator: str
    package: str
    goal: str
    continued_from: str | None
    library: str | None
    model: str | None
    commands: int
    end: EpisodeEnd | None

    @property
    def outcome(self) -> str:
        """The outcome, or "unfinished" for an episode without an end."""
        return self.end.outcome if self.end else UNFINISHED
