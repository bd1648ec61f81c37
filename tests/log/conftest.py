"""Hand-made rows: a log needs no world to be tested."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.log.rows import EpisodeEnd, EpisodeStart, StepRow

START = EpisodeStart(
    ref="7~rules/lock/match=same_shape",
    world_digest="5f2c9a" + "0" * 26,
    world_json='{"format":2}',
    parts={"grammar": "aa", "rules": "bb"},
    slots={"rules/lock/match": "same_shape"},
    agent="exec:./player",
    options={"speed": "3"},
    access=1,
    agent_seed=2**64,
    max_steps=80,
    optimum=4,
    tier="exact",
    generator="1",
    package="0.1.0",
    goal="Open the red door.",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database may be made."""
    return tmp_path / "sandbox.db"


@pytest.fixture
def start() -> EpisodeStart:
    """How a sample episode begins."""
    return START


@pytest.fixture
def row() -> Callable[..., StepRow]:
    """Makes a step: `row(n)` is accepted, everything else is told by keyword."""

    def made(n: int, **fields: object) -> StepRow:
        command = None if n == 0 else f"take {n}"
        base = StepRow(n, command, command, command, None, None, f"You see {n}.", 0.0, False, f"{n:032x}")
        return replace(base, **fields)  # type: ignore[arg-type]

    return made


@pytest.fixture
def solved() -> EpisodeEnd:
    """The end of an episode that was solved in two steps."""
    return EpisodeEnd("solved", solved=True, score=1.0, steps=2, progress=1.0)
