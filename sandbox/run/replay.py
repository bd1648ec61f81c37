"""Playing a recorded episode again: the stored world, the stored commands, and every observation compared.

The world comes from the log, so a replay never needs the generator or the templates that made it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sandbox.errors import CheckFailed, WorldFileError
from sandbox.log.reader import Log
from sandbox.log.rows import Episode, EpisodeEnd, StepRow
from sandbox.run.course import Course
from sandbox.world.engine import Engine, Step
from sandbox.world.open import engine_of
from sandbox.world.world import World

_AROUND: Final = 30


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay in which everything was as recorded. `steps` counts commands; step 0 was compared as well."""

    episode: str
    steps: int
    unfinished: bool


def replay(log: Log, episode: Episode) -> Replay:
    """Play `episode` again, as far as it was recorded.

    Compares text, state digest, reward, end, cause and intent of every step, then the recorded end.
    Raises CheckFailed at the first difference, and names it.
    """
    steps, last = 0, None
    for steps, (row, step) in enumerate(_followed(log, episode)):
        if row.n != steps:
            raise _differs(episode, steps, "the number of the row", steps, row.n)
        last = step
    if episode.end is not None:
        _check_end(episode, episode.end, steps, last)
    return Replay(episode.id, steps, unfinished=episode.end is None)


def _followed(log: Log, episode: Episode) -> Iterator[tuple[StepRow, Step]]:
    try:
        world = World.from_json(log.world_json(episode.world_digest))
    except WorldFileError as error:
        raise CheckFailed(f"episode {episode.id}: its stored world cannot be read: {error.message}") from error
    if world.digest != episode.world_digest:
        raise CheckFailed(
            f"episode {episode.id}: the stored world has digest {world.digest}, recorded is {episode.world_digest}"
        )
    engine = engine_of(world, access=episode.access)
    for row, step in Course(engine).follow(log.steps(episode.id)):
        _compare(episode, row, step, engine)
        yield row, step


def _compare(episode: Episode, row: StepRow, step: Step, engine: Engine) -> None:
    digest = engine.state_digest(step.state)
    if row.executed is not None or row.n == 0:
        for what, now, then in (
            ("the observation", step.text, row.observation),
            ("the reward", step.reward, row.reward),
            ("the end of the episode", step.done, row.done),
            ("the cause", step.cause, row.cause),
            ("the intent", step.intent, row.intent),
        ):
            if now != then:
                raise _differs(episode, row.n, what, then, now)
    if digest != row.state_digest:
        raise _differs(episode, row.n, "the state digest", row.state_digest, digest)


def _check_end(episode: Episode, end: EpisodeEnd, steps: int, last: Step | None) -> None:
    if end.steps != steps:
        raise _differs(episode, steps, "the number of steps", end.steps, steps)
    if end.solved and not (last and last.done):
        raise _differs(episode, steps, "whether it was solved", then=True, now=False)


def _differs(episode: Episode, n: int, what: str, then: object, now: object) -> CheckFailed:
    recorded, played = _around_difference(then, now)
    return CheckFailed(
        f"episode {episode.id}, step {n}: {what} differs\n  recorded: {recorded}\n  replayed: {played}",
        f"see the whole step: sandbox episodes show {episode.id}",
    )


def _around_difference(then: object, now: object) -> tuple[str, str]:
    """Both values, long texts cut down to where they part."""
    if not isinstance(then, str) or not isinstance(now, str):
        return repr(then), repr(now)
    alike = next((i for i, (a, b) in enumerate(zip(then, now, strict=False)) if a != b), min(len(then), len(now)))
    begin = max(0, alike - _AROUND)
    return _cut(then, begin, alike + _AROUND), _cut(now, begin, alike + _AROUND)


def _cut(text: str, begin: int, end: int) -> str:
    return f"{'…' if begin else ''}{text[begin:end]!r}{'…' if end < len(text) else ''}"
