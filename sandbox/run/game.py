"""What is played: a certified world, freshly built or as the log keeps it, with its goal or opened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sandbox import GENERATOR_VERSION
from sandbox.certify import Built, Solver
from sandbox.certify.milestones import OpenSolver, open_world
from sandbox.errors import UsageError
from sandbox.log.reader import Log
from sandbox.log.rows import OPEN, Episode, StepRow
from sandbox.run.course import Course
from sandbox.run.score import FINAL
from sandbox.world.world import World


@dataclass(frozen=True, slots=True)
class Game:
    """A world with its proof. `optimum` counts the commands of the plan; `plan` may be unknown (empty).

    An open world has tier OPEN: its plan reaches every milestone, and nobody says that no plan is shorter.
    """

    ref: str
    world: World
    optimum: int
    tier: str
    plan: tuple[str, ...]
    generator: str


@dataclass(frozen=True, slots=True)
class Past:
    """What was already played of an episode that goes on under a new id: its rows, step 0 first."""

    episode: str
    rows: tuple[StepRow, ...]
    access: int
    assisted: bool

    @property
    def commands(self) -> int:
        """How many commands were played."""
        return len(self.rows) - 1


def built(found: Built) -> Game:
    """The game of a world that was just built and certified."""
    proof = found.certificate
    return Game(found.ref, found.world, proof.steps, proof.tier, proof.plan, GENERATOR_VERSION)


def opened(found: Built) -> Game:
    """The game of a world that was just built, without its goal: what counts are its milestones."""
    known = open_world(found.world, found.ref)
    return Game(found.ref, known.world, len(known.plan), OPEN, known.plan, GENERATOR_VERSION)


def recorded(log: Log, episode: Episode) -> Game:
    """The game of a recorded episode: its world as it was, whatever builds worlds today."""
    world = World.from_json(log.world_json(episode.world_digest))
    return Game(episode.ref, world, episode.optimum, episode.tier, (), episode.generator)


def past(log: Log, episode: Episode) -> Past | None:
    """What was played of `episode`, for going on; None when not even its first observation was recorded.

    Raises UsageError when the world itself ended it.
    """
    if episode.end and episode.end.outcome in FINAL:
        raise UsageError(
            f"episode {episode.id} cannot go on: its outcome is {episode.end.outcome}",
            f"play its world anew: sandbox play --world {episode.ref!r}",
        )
    rows = tuple(log.steps(episode.id))
    helped = bool(episode.end and episode.end.assisted) or any(row.assist for row in rows)
    return Past(episode.id, rows, episode.access, helped) if rows else None


class Guide:
    """Knows the way: the next command of a shortest known plan from wherever the player stands.

    In an open world, that leads to the nearest milestone that is missing. Where the goal is out of reach, or nothing
    new is found, it is the command that restores the start.
    """

    def __init__(self, game: Game, course: Course) -> None:
        self._game, self._course = game, course
        self._known: dict[int, str] = {}
        self._lost: set[int] = set()
        self._learn(course.now.state, game.plan)

    @cached_property
    def _solver(self) -> Solver | OpenSolver:
        world = self._game.world
        return OpenSolver(world) if world.milestones else Solver(world)

    def next(self) -> str | None:
        """The next command from the present; None when no search found a way, here or from the start."""
        state, engine = self._course.now.state, self._course.engine
        if state not in self._known:
            plan = self._solver.plan(state)
            if plan is None:
                self._lost.add(state)
            self._learn(state, engine.commands(("restart", ()), state) if plan is None else plan)
        return self._known.get(state)

    @property
    def lost(self) -> bool:
        """Whether no way to the goal was found from the present, as far as `next` was asked there."""
        return self._course.now.state in self._lost

    def _learn(self, state: int, plan: tuple[str, ...]) -> None:
        for command in plan:
            self._known[state] = command
            state = self._course.engine.step(state, command).state
