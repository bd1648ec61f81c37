"""What an agent is handed at each access level, and that nothing more can be reached from it."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sandbox.agent.api import Briefing, Turn
from sandbox.log.reader import Log
from sandbox.log.writer import Journal
from sandbox.run.course import Course
from sandbox.run.episode import Match, Played, play
from sandbox.run.game import Game, Guide
from sandbox.world.engine import Engine
from sandbox.world.world import World

if TYPE_CHECKING:
    from tests.run.conftest import Cast, Scripted, Seen

Playing = Callable[..., Played]
SECRET_TYPES = (World, Engine, Game, Course, Guide, Journal, Log, Match)
PLAIN = (str, bytes, int, float, bool, type(None))


def reachable(root: object) -> Iterator[object]:
    """Everything that code holding `root` can get at: attributes, slots, containers, closures, bound objects."""
    waiting, known = [root], set[int]()
    while waiting:
        found = waiting.pop()
        if id(found) in known or isinstance(found, types.ModuleType):
            continue
        known.add(id(found))
        yield found
        if not isinstance(found, PLAIN):
            waiting += _parts(found)


def _parts(found: Any) -> list[object]:
    if isinstance(found, types.MappingProxyType | dict):
        return [*found.keys(), *found.values()]
    if isinstance(found, list | tuple | set | frozenset):
        return list(found)
    if isinstance(found, types.MethodType):
        return [found.__self__, found.__func__]
    if isinstance(found, types.FunctionType):
        cells = [cell.cell_contents for cell in found.__closure__ or ()]
        return [*cells, *(found.__defaults__ or ()), *(found.__kwdefaults__ or {}).values(), found.__dict__]
    if isinstance(found, type):
        return list(vars(found).values()) if found.__module__.startswith(("sandbox", "tests", "conftest")) else []
    slots = [name for kind in type(found).__mro__ for name in getattr(kind, "__slots__", ())]
    held = [getattr(found, name, None) for name in slots if isinstance(name, str)]
    return [*held, getattr(found, "__dict__", {}), type(found)]


def secrets(game: Game, log: Log, episode: str) -> set[str]:
    """Every text that would tell an agent which world this is."""
    states = {row.state_digest for row in log.steps(episode)}
    return {"quokka", "tiny/", game.world.digest, episode, *game.world.parts.values(), *states}


def test_the_walk_finds_what_is_hidden(game: Game) -> None:
    """The walk that the next test relies on reaches through closures, slots, defaults, bound methods and containers."""
    engine = Engine(game.world)

    class Slots:
        __slots__ = ("inner",)

    slotted = Slots()
    slotted.inner = {"a": [engine]}  # type: ignore[attr-defined]
    hidden: list[object] = [lambda: engine, lambda x=engine: x, engine.step, slotted, ({"k": frozenset([engine])},)]
    for holder in hidden:
        assert any(found is engine for found in reachable(holder)), holder


@pytest.mark.parametrize("access", [0, 1, 2, 3])
def test_no_world_is_in_reach(
    *, game: Game, journal: Journal, log: Log, cast: Cast, seen: Seen, scripted: type[Scripted], access: int
) -> None:
    """Below L4 no reference, seed, digest or world can be reached from the agent, its briefing or its turns."""
    commands = ["look", "nonsense", *game.plan[:3]]
    agent = scripted(*commands)
    play(Match(game, cast(agent, access), access, 1, len(commands)), journal, seen)
    found = list(reachable([agent, agent.briefing, agent.turns, agent.ends]))
    assert any(isinstance(thing, Briefing) for thing in found)
    assert sum(isinstance(thing, Turn) for thing in found) >= len(commands)
    assert not [thing for thing in found if isinstance(thing, SECRET_TYPES)]
    told = [thing for thing in found if isinstance(thing, str)]
    assert not {secret for secret in secrets(game, log, seen.episode) for text in told if secret in text}


@pytest.mark.parametrize("name", ["random", "exec:cat"])
def test_built_in_agents_hold_no_world(
    game: Game, journal: Journal, log: Log, cast: Cast, seen: Seen, name: str
) -> None:
    """Nothing that a built-in agent kept during a play leads to the world or tells which one it was."""
    player = cast(name)
    play(Match(game, player, 2, 1, 20), journal, seen)
    found = list(reachable(player.agent))
    assert not [thing for thing in found if isinstance(thing, SECRET_TYPES)]
    told = [thing for thing in found if isinstance(thing, str)]
    assert not {secret for secret in secrets(game, log, seen.episode) for text in told if secret in text}


def test_each_level_adds_what_it_says(
    game: Game, journal: Journal, cast: Cast, seen: Seen, scripted: type[Scripted]
) -> None:
    """L0 goal and texts; L1 + help and vocabulary; L2 + admissible; L3 + facts; L4 + solver."""
    for access in range(5):
        agent = scripted("look")
        play(Match(game, cast(agent, access), access, 7, 9), journal, seen)
        briefing, turn = agent.briefing, agent.turns[0]
        assert briefing
        assert (briefing.goal, briefing.access, briefing.seed, briefing.max_steps) == (
            Engine(game.world).goal_text,
            access,
            7,
            9,
        )
        given = [briefing.help, briefing.vocabulary, turn.admissible, turn.facts, briefing.oracle]
        assert [thing is not None for thing in given] == [access >= level for level in (1, 1, 2, 3, 4)]


def test_vocabulary_and_admissible_are_plain_lists(
    game: Game, journal: Journal, cast: Cast, seen: Seen, scripted: type[Scripted]
) -> None:
    """The vocabulary is one flat sorted list of words; the admissible list changes with the state."""
    agent = scripted(*game.plan[:2])
    play(Match(game, cast(agent, 2), 2, 7, 9), journal, seen)
    assert agent.briefing
    words = agent.briefing.vocabulary
    assert words == tuple(sorted(set(words or ())))
    assert all(word.split() == [word] for word in words or ())
    assert agent.turns[0].admissible != agent.turns[1].admissible
    assert game.plan[0] in (agent.turns[0].admissible or ())


def test_the_log_keeps_the_level(playing: Playing, log: Log, scripted: type[Scripted]) -> None:
    """More access than an agent needs is allowed, and recorded."""
    played = playing(scripted("look"), access=3)
    assert log.episode(played.episode).access == 3


def test_the_agents_folder_knows_no_runner() -> None:
    """The parts of agents import neither the runner nor the log, so what is not handed over is not at hand."""
    import sandbox.agent

    for path in Path(next(iter(sandbox.agent.__path__))).glob("*.py"):
        source = path.read_text("utf-8")
        assert not [layer for layer in ("run", "log", "certify", "generate", "cli") if f"sandbox.{layer}" in source]
