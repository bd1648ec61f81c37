"""Nothing that an agent is handed leads to the world: whatever can be reached from it is walked."""

from __future__ import annotations

import types
from collections.abc import Iterator

import pytest

from sandbox.agent.api import Briefing, Reply, Turn
from sandbox.log.writer import Journal
from sandbox.run.episode import Match, play
from sandbox.run.game import Game
from tests.run.conftest import Cast, Scripted, Seen

SECRET = ("sandbox.world", "sandbox.generate", "sandbox.certify", "sandbox.log", "sqlite3")


def reachable(root: object) -> Iterator[object]:
    """Everything that attributes, containers, closures and bound objects lead to; types and modules are no secrets."""
    seen: set[int] = set()
    queue = [root]
    while queue:
        one = queue.pop()
        if id(one) in seen or isinstance(one, type | types.ModuleType | types.BuiltinFunctionType):
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, dict):
            queue += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            queue += one
        elif isinstance(one, types.FunctionType):
            queue += [cell.cell_contents for cell in one.__closure__ or ()]
            queue += [*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values()]
        elif isinstance(one, types.MethodType):
            queue += [one.__self__, one.__func__]
        elif not isinstance(one, str | bytes | int | float | None):
            queue += [value for name in slots(one) if (value := getattr(one, name, None)) is not None]


def slots(one: object) -> list[str]:
    """The names of what an object holds."""
    names = list(getattr(one, "__dict__", ()))
    for kind in type(one).__mro__:
        own = kind.__dict__.get("__slots__", ())
        names += [own] if isinstance(own, str) else list(own)
    return names


class Spy(Scripted):
    """Plays a script and keeps what it was handed."""

    def __init__(self, *script: str) -> None:
        super().__init__(*script)
        self.handed: list[object] = []

    def begin(self, briefing: Briefing) -> None:
        """Keep the briefing."""
        self.handed.append(briefing)
        super().begin(briefing)

    def act(self, turn: Turn) -> str | Reply:
        """Keep the turn."""
        self.handed.append(turn)
        return super().act(turn)


@pytest.mark.parametrize("access", [0, 1, 2])
def test_nothing_handed_over_leads_to_the_world(access: int, game: Game, cast: Cast, journal: Journal) -> None:
    """Neither the world, its reference or digest, nor solver or database, at any level below 3."""
    agent = Spy("wait", "look")
    play(Match(game, cast(agent), access, 7, 3, library="mine"), journal, Seen())
    assert len(agent.handed) >= 2
    for root in agent.handed:
        for one in reachable(root):
            assert not type(one).__module__.startswith(SECRET), type(one)
            if isinstance(one, str):
                assert game.world.digest not in one
                assert one != game.ref


def test_the_walk_would_find_it(game: Game, cast: Cast, journal: Journal) -> None:
    """At level 4 the oracle is handed over, and the walk comes to the world through it."""
    agent = Spy("wait")
    play(Match(game, cast(agent), 4, 7, 1), journal, Seen())
    assert any(type(one).__module__.startswith(SECRET) for one in reachable(agent.handed[0]))
