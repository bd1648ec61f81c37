"""From wishes to a match: which world, which player, what was agreed, and what is already played."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.agent.load import Player, equip, load, read
from sandbox.agent.prompts import Prompts
from sandbox.certify import build
from sandbox.errors import UsageError
from sandbox.generate.content import Content
from sandbox.generate.reference import parse_reference
from sandbox.log.reader import Log
from sandbox.models.chat import Limits
from sandbox.models.gate import gate_of
from sandbox.models.keys import Redactor
from sandbox.models.names import Source, secret
from sandbox.run.episode import Match
from sandbox.run.game import Game, Past, built, opened, past, recorded
from sandbox.run.replay import replay
from sandbox.run.score import default_limit
from sandbox.run.talk import REPLAY, Talk
from sandbox.run.talk import opened as opened_model

DEFAULT_AGENT = "explorer"
NO_LIBRARY = "none"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was asked for; None leaves it to us. `episode` is one to continue, in place of a `world`.

    `open` plays the world without its goal, for milestones. `library` is the name of one, or NO_LIBRARY.
    `db` is where a model that replays an episode finds it.
    """

    world: str | None = None
    agent: str | None = None
    agent_seed: int | None = None
    max_steps: int | None = None
    access: int | None = None
    episode: str | None = None
    open: bool = False
    model: Source | None = None
    limits: Limits = field(default_factory=Limits)
    library: str | None = None
    db: Path | None = None


def fresh_seed() -> int:
    """A seed that nobody chose: it is told and recorded, so that the play can be repeated."""
    return secrets.randbelow(10**9)


def choose(wishes: Wishes, content: Content) -> Player:
    """The player that was asked for, checked like the name of the world before anything is done or told."""
    if wishes.world is not None:
        parse_reference(wishes.world)
    player = load(wishes.agent or DEFAULT_AGENT, content.agents())
    _level(wishes, player, None)
    _talks(wishes, player)
    _library(wishes, player)
    return player


def _talks(wishes: Wishes, player: Player) -> None:
    """Refuse a model for a player that has no use for one, and the other way round, before anything slow is done."""
    if player.kind.model and wishes.model is None:
        raise UsageError(
            f"agent {player.name!r} talks to a language model, and none was named",
            "type --model PROVIDER/NAME, e.g. --model mock/echo; sandbox models lists more",
        )
    if wishes.model is not None:
        if not player.kind.model:
            raise UsageError(f"agent {player.name!r} uses no model", "leave --model out, or type --agent react")
        secret(wishes.model)


def _talk(wishes: Wishes) -> Talk | None:
    if wishes.model is None:
        return None
    key = secret(wishes.model)
    redact = Redactor([key.value] if key else [])
    gate = gate_of(wishes.model.provider, wishes.model.base_url)
    return Talk(opened_model(wishes.model, wishes.db), wishes.limits, redact, gate)


def arrange(wishes: Wishes, player: Player, content: Content) -> Match:
    """The match of `player` in the world that was asked for. Raises UsageError for what cannot be."""
    if wishes.world is None:
        raise UsageError("no world was named", "type --world 7, or any other seed")
    found = build(wishes.world, content)
    return _agree(wishes, opened(found) if wishes.open else built(found), player, None, content)


def go_on(wishes: Wishes, content: Content, db: Path) -> Match:
    """The match that continues a recorded episode, in its recorded world.

    The same kind of player, with the same library, starts where the commands of the past lead, unless another is
    asked for.
    What was played becomes the beginning of a new episode, so that the old one stays as it was.
    Raises UsageError when it cannot go on, and CheckFailed when its past does not replay.
    """
    wishes = replace(wishes, db=db)
    with Log.open(db) as log:
        episode = log.episode(wishes.episode or "")
        files = content.agents()
        player = load(wishes.agent, files) if wishes.agent else equip(read(episode.agent, files), episode.options)
        if player.kind.learns and not wishes.agent and wishes.library is None:
            wishes = replace(wishes, library=episode.library or NO_LIBRARY)
        before = past(log, episode)
        replay(log, episode)
        _talks(wishes, player)
        return _agree(wishes, recorded(log, episode), player, before, content)


def _agree(wishes: Wishes, game: Game, player: Player, before: Past | None, content: Content) -> Match:
    seed = fresh_seed() if wishes.agent_seed is None else wishes.agent_seed
    limit = _limit(wishes, game, player, before)
    prompts = Prompts(folder / "prompts" for folder in content.folders)
    level = _level(wishes, player, before)
    library = _library(wishes, player)
    return Match(game, player, level, seed, limit, before, library, talk=_talk(wishes), prompts=prompts)


def _library(wishes: Wishes, player: Player) -> str | None:
    """The library that was asked for, else the one named after an agent that learns; None for none.

    A recording teaches nothing twice: without a name it is replayed with none.
    """
    if not player.kind.learns:
        if wishes.library is not None:
            raise UsageError(
                f"agent {player.name!r} does not learn from one play to the next",
                "leave --library out, or type --agent explorer",
            )
        return None
    if wishes.library is None:
        return None if wishes.model is not None and wishes.model.provider == REPLAY else player.name
    if not wishes.library.strip():
        raise UsageError("a library needs a name", f"type --library mine, or --library {NO_LIBRARY}")
    return None if wishes.library == NO_LIBRARY else wishes.library


def _level(wishes: Wishes, player: Player, before: Past | None) -> int:
    """The access level: what was asked for, else the least that will do."""
    least = player.kind.access
    if wishes.access is not None and wishes.access < least:
        raise UsageError(
            f"agent {player.name!r} needs access level {least}; --access {wishes.access} is less",
            f"leave --access out, or type --access {least}",
        )
    level = least if wishes.access is None else wishes.access
    if before is None or level == before.access:
        return level
    if (wishes.access is not None and level < before.access) or before.access == 0:
        raise UsageError(
            f"episode {before.episode} was played at access level {before.access}, and cannot go on at {level}",
            "leave --access out" if wishes.access is not None else "continue it with an agent of that level",
        )
    return max(level, before.access)


def _limit(wishes: Wishes, game: Game, player: Player, before: Past | None) -> int:
    done = before.commands if before else 0
    if wishes.max_steps is not None and wishes.max_steps <= done:
        raise UsageError(
            f"the limit of {wishes.max_steps} commands is used up: {done} were played",
            f"--max-steps counts all commands of an episode: type more than {done}",
        )
    room = default_limit(game.optimum, learns=player.kind.learns)
    return wishes.max_steps or (room if room > done else done + room)
