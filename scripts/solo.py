"""Episodes without a journal, for figures: a world, an agent, a library in memory, and what came of it."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.library import Memory, Record
from sandbox.agent.load import load
from sandbox.generate.content import content
from sandbox.measure.learning import Tally
from sandbox.paths import builtin_content
from sandbox.world.engine import Engine
from sandbox.world.world import World

MOST = 100
"""Commands that an episode may take, as a multiple of the optimum."""


@dataclass(frozen=True, slots=True)
class Row:
    """One episode. `cell` and `arm` say what it is for, `ref` where it was, `code` which agent it was.

    `seconds` is the processor time of the agent, loading left out; `millis` its median for one command.
    """

    cell: str
    ref: str
    arm: str
    agent: str
    code: str
    solved: bool
    steps: int
    optimum: int
    probes: int
    in_skills: int
    seconds: float
    millis: float

    @property
    def times(self) -> float:
        """Commands as a multiple of the optimum; an unsolved play counts as all that it was given."""
        return self.restricted / self.optimum

    @property
    def restricted(self) -> int:
        """Commands, for the restricted mean."""
        return self.steps if self.solved else MOST * self.optimum

    def within(self, multiple: int) -> bool:
        """Whether it was solved within so many times the optimum."""
        return self.solved and self.steps <= multiple * self.optimum


def code_of(agent: str) -> str:
    """A digest of everything that an agent is made of: its figures stand for this code alone."""
    root = builtin_content()
    files = [root / "agents" / f"{agent.partition(':')[0]}.py"]
    if agent.startswith("explorer"):
        files += sorted((Path(__file__).parents[1] / "sandbox" / "agent").glob("*.py"))
    return blake2b(b"".join(file.read_bytes() for file in files), digest_size=6).hexdigest()


@dataclass(frozen=True, slots=True)
class Solo:
    """A play to be made: an agent at a level, for a cell and arm of the report."""

    cell: str
    arm: str
    agent: str
    access: int = 1

    def play(
        self, ref: str, world: World, optimum: int, records: tuple[Record, ...] | None = None
    ) -> tuple[Row, list[Record]]:
        """The episode, and what the agent added to its library; None for `records` gives it no library."""
        engine, limit = Engine(world, access=self.access), MOST * optimum
        library = None if records is None else Memory("report", records)
        agent = load(self.agent, content().agents()).agent
        tally, spent = Tally(), list[float]()
        began = time.process_time()
        told = engine.goal_text, self.access, engine.help_text, engine.vocabulary
        agent.begin(Briefing(*told, 0, limit, None, library))
        other, step = time.process_time() - began, engine.start()
        while not step.done and tally.commands < limit:
            admissible = engine.admissible(step.state) if self.access >= 2 else None
            began = time.process_time()
            said = agent.act(Turn(tally.commands, step.text, step.reward, step.done, admissible, None))
            spent.append(time.process_time() - began)
            command, used = (said, None) if isinstance(said, str) else (said.command, said.used)
            step = engine.step(step.state, command)
            tally.count(step.intent, step.cause, used)
        began = time.process_time()
        agent.end(Turn(tally.commands, step.text, step.reward, step.done, None, None))
        other += time.process_time() - began
        row = Row(
            self.cell, ref, self.arm, self.agent, code_of(self.agent), step.done, tally.commands, optimum, tally.probes,
            tally.in_skills, round(other + sum(spent), 3), round(1000 * statistics.median(spent), 3) if spent else 0.0,
        )  # fmt: skip
        return row, [*(records or ()), *(library.drain() if library is not None else ())]
