"""`sandbox play`: parses what was asked for, has it played, shows it as it happens."""

from __future__ import annotations

import math
import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from sandbox.cli.context import Settings, command_options
from sandbox.cli.output import say, warn
from sandbox.cli.show import Both, Lines, Manner, Transcript, result
from sandbox.errors import UsageError
from sandbox.log.rows import OPEN

if TYPE_CHECKING:
    from sandbox.agent.load import Player
    from sandbox.generate.content import Content
    from sandbox.log.rows import EpisodeEnd, EpisodeStart
    from sandbox.models.chat import Limits
    from sandbox.models.names import Source
    from sandbox.run.arrange import Wishes
    from sandbox.run.episode import Match, Played, Watcher


class Level(click.ParamType[int]):
    """An access level: 0 to 4, also written L0 to L4."""

    name = "level"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The level as a number."""
        digit = str(value).upper().removeprefix("L")
        if digit not in {"0", "1", "2", "3", "4"}:
            self.fail(f"{value!r} is no access level: type 0, 1, 2, 3 or 4", param, ctx)
        return int(digit)


def _number(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse what is no number of seconds: NaN lies in every range."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is no number of seconds", ctx=context, param=parameter)
    return value


@click.command()
@click.option("--world", metavar="REF", help="World to play, [RECIPE/]SEED[~EDIT]… [default: a fresh seed].")
@click.option("--agent", metavar="A", help="Player, NAME[:option=value,…] or exec:CMD [default: explorer].")
@click.option("--model", metavar="M", help="Language model of an agent that uses one, e.g. openai/NAME, mock/echo.")
@click.option("--base-url", metavar="URL", help="Server of the model, if it speaks the OpenAI protocol.")
@click.option("--key", metavar="K", help="API key [default: PROVIDER_API_KEY, or what sandbox keys holds].")
@click.option(
    "--keep-answers", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Keep what the model answers at temperature 0, and do not ask twice. Not for evaluation.",
)
@click.option("--max-tokens", type=click.IntRange(1), metavar="N", help="Most tokens, in and out, of the model.")
@click.option("--max-cost", type=click.FloatRange(0), callback=_number, metavar="USD", help="Most that it may cost.")
@click.option("--max-time", type=click.FloatRange(0), callback=_number, metavar="S", help="Most seconds of play.")
@click.option("--library", metavar="NAME", help="Library of an agent that learns, or none [default: its own].")
@click.option("--episodes", type=click.IntRange(1, 10_000), metavar="N", help="Play N times in a row with one library.")
@click.option("--vary", metavar="PARTS", help="With --episodes: draw these anew each time: layout, task, theme.")
@click.option("--agent-seed", type=int, metavar="N", help="Seed of the agent's own draws [default: fresh].")
@click.option(
    "--max-steps", type=click.IntRange(1, 10**9), metavar="N",
    help="Most commands [default: 10 × optimum + 40; 100 × for an agent that learns].",
)
@click.option("--access", type=Level(), metavar="L", help="Access level 0-4 [default: the least the agent needs].")
@click.option(
    "--continue", "episode", metavar="EPISODE", help="Go on, as a new episode, with one that was cut off or ran out."
)
@click.option("--open", "open_", is_flag=True, help="No goal: every kind of change counts the first time.")
@click.option("--quiet", is_flag=True, help="Show only how it ended.")
@click.option("--verbose", is_flag=True, help="Show every step of a long play.")
@click.option(
    "--delay", type=click.FloatRange(0, 3600), callback=_number, metavar="S", help="Wait S seconds before each command."
)
@command_options
def play(  # noqa: PLR0913, PLR0917 - one argument for each option
    settings: Settings,
    world: str | None,
    agent: str | None,
    model: str | None,
    base_url: str | None,
    key: str | None,
    keep_answers: Path | None,
    max_tokens: int | None,
    max_cost: float | None,
    max_time: float | None,
    library: str | None,
    episodes: int | None,
    vary: str | None,
    agent_seed: int | None,
    max_steps: int | None,
    access: int | None,
    episode: str | None,
    open_: bool,
    quiet: bool,
    verbose: bool,
    delay: float | None,
) -> None:
    """Play a world: watch an agent, or play it yourself with --agent human.

    Every play is recorded. Without --agent the explorer plays: it arrives knowing nothing but what it kept of earlier
    plays, and learns. --agent oracle plays the plan of the proof.
    """
    _refuse_contradictions(world, episode, quiet=quiet, verbose=verbose, delay=delay)
    if open_ and episode is not None:
        raise UsageError("an episode goes on as it began, with its goal or open", "leave --open out")
    from sandbox.cli.series import refuse
    from sandbox.generate.content import Content
    from sandbox.run.arrange import Wishes, fresh_seed, go_on

    content = Content(settings.content)
    drawn = world is None and episode is None
    own_seed = fresh_seed() if agent_seed is None else agent_seed
    source, limits = _model(model, base_url, key, keep_answers, Limited(max_tokens, max_cost, max_time))
    seed = str(fresh_seed()) if drawn else world
    wishes = Wishes(seed, agent, own_seed, max_steps, access, episode, open_, source, limits, library, settings.db)
    manner = Manner(quiet, verbose, delay=delay or 0.0)
    if episode is not None:
        refuse(episodes=episodes, vary=vary, continued=True)
        _to_the_end(settings, go_on(wishes, content, settings.db), manner)
    else:
        _begin(settings, wishes, content, manner, Plays(episodes, vary, drawn))


@dataclass(frozen=True, slots=True)
class Plays:
    """How many plays in a row were asked for (None: one), what varies, and whether the seed was drawn."""

    episodes: int | None
    vary: str | None
    drawn: bool


def _begin(settings: Settings, wishes: Wishes, content: Content, manner: Manner, plays: Plays) -> None:
    """Play a world anew, once or several times."""
    from sandbox.cli.series import Series, play_series, refuse
    from sandbox.run.arrange import arrange, choose
    from sandbox.run.series import variation

    player = choose(wishes, content)
    refuse(episodes=plays.episodes, vary=plays.vary, person=player.kind.meta)
    parts = variation(plays.vary)
    if plays.drawn:
        say(f"No world was named: seed {wishes.world} was drawn.")
    if not manner.quiet:
        _announce(settings, wishes, player, plays.episodes)
    if plays.episodes is None:
        return _to_the_end(settings, arrange(wishes, player, content), manner)
    more = _more(settings, wishes, player, plays.episodes, parts)
    return play_series(settings, Series(wishes, content, plays.episodes, parts, manner, player.spec, more))


def _to_the_end(settings: Settings, match: Match, manner: Manner) -> None:
    """Have one episode played and shown. Raises what an agent's code raised."""
    manner = replace(manner, person=match.player.kind.meta)
    try:
        played = _play(settings, match, _watcher(settings, match, manner))
    finally:
        if match.talk is not None:
            match.talk.model.close()
    if played.fault is not None:
        raise played.fault


class Limited(NamedTuple):
    """What a model may use, as it was typed."""

    tokens: int | None
    cost: float | None
    seconds: float | None


def _model(
    model: str | None, base_url: str | None, key: str | None, keep: Path | None, limited: Limited
) -> tuple[Source | None, Limits]:
    """The model that was asked for and its limits, which nobody but a model has."""
    from sandbox.models.chat import Limits
    from sandbox.models.names import Source

    source = None if model is None else Source(model, base_url, key, keep)
    if source is None and (base_url, key, keep) != (None, None, None):
        raise UsageError("--base-url, --key and --keep-answers belong to a model", "add --model NAME")
    limits = Limits(*limited)
    if source is None and limits != Limits():
        raise UsageError("--max-tokens, --max-cost and --max-time are limits on a model", "add --model NAME")
    return source, limits


def _refuse_contradictions(
    world: str | None, episode: str | None, *, quiet: bool, verbose: bool, delay: float | None
) -> None:
    if world is not None and episode is not None:
        raise UsageError("--continue goes on in the episode's own world", "leave --world out")
    if quiet + verbose + (delay is not None) > 1:
        raise UsageError("--quiet, --verbose and --delay exclude each other", "choose one of them")


def _announce(settings: Settings, wishes: Wishes, player: Player, episodes: int | None) -> None:
    """The first line, before anything slow: who plays which world."""
    if player.kind.meta:
        say(f"World {wishes.world}. Type :help at any time, and :quit to leave.")
    else:
        by = f" with {wishes.model.name}" if wishes.model else ""
        seed = f"agent seed {wishes.agent_seed}" if episodes is None else f"agent seeds from {wishes.agent_seed}"
        times = "" if episodes is None else f", {episodes} plays in a row"
        say(f"{player.spec} plays world {wishes.world}{by}{times} ({seed}).")
        if wishes.agent is None and episodes is None:
            mine = _typed(settings, *_again(wishes.world or "", open_=wishes.open), "--agent", "human")
            say(f"To play it yourself: {mine}")


def _play(settings: Settings, match: Match, watcher: Watcher) -> Played:
    from sandbox.log.writer import Journal
    from sandbox.run.episode import play as play_episode

    asked: dict[str, object] = {"command": "play", "agent": match.player.spec, "max_steps": match.max_steps}
    if match.talk is not None:
        asked |= {"model": match.talk.model.name, "limits": asdict(match.talk.limits)}
    with Journal.open(settings.db, settings=asked) as journal:
        if journal.created:
            warn(f"Plays are recorded in {settings.db}, a new file.")
        return play_episode(match, journal, watcher)


def _watcher(settings: Settings, match: Match, manner: Manner) -> Watcher:
    def closing(episode: str, start: EpisodeStart, end: EpisodeEnd) -> list[str]:
        return [
            result(start, end),
            f"Episode {episode}, saved in {settings.db}.{_kept(settings, start.library)}",
            *(f"  {command}" for command in _next(settings, episode, start, end, match.player)),
        ]

    transcript = Transcript(manner, closing)
    if not settings.json:
        return transcript
    lines = Lines(match.player.spec)
    return Both(lines, transcript) if manner.person or manner.verbose or manner.delay else lines


def _kept(settings: Settings, library: str | None) -> str:
    """What the library of a learning agent holds by now."""
    from sandbox.log.reader import Log

    if library is None:
        return ""
    with Log.open(settings.db) as log:
        skills = sum(shelf.skills for shelf in log.libraries() if shelf.name == library)
    many = f"{skills} skill{'' if skills == 1 else 's'}"
    return f" Library {library} holds {many} now: {_typed(settings, 'skills')}" if skills else ""


def _next(settings: Settings, episode: str, start: EpisodeStart, end: EpisodeEnd, player: Player) -> list[str]:
    """Three commands to copy."""
    person, learns = player.kind.meta, player.kind.learns
    if end.outcome == "cancelled" or (person and end.outcome == "step_limit"):
        first = _typed(settings, "play", "--continue", episode)
    else:
        again = _again(start.ref, open_=start.tier == OPEN)
        first = _typed(settings, *again, *(() if person else ("--agent", "human")))
    return [
        first,
        _typed(settings, "episodes", "show", episode, *(("--beliefs",) if learns else ())),
        _typed(settings, "worlds", "show", *(["--"] if start.ref.startswith("-") else []), start.ref),
    ]


def _more(settings: Settings, wishes: Wishes, player: Player, episodes: int, vary: tuple[str, ...]) -> tuple[str, ...]:
    """Commands to copy after a series: the same without what was kept, and the list."""
    again = [*_again(wishes.world or "", open_=wishes.open), *(("--agent", wishes.agent) if wishes.agent else ())]
    if wishes.model is not None:
        at = wishes.model.base_url
        again += ["--model", wishes.model.name, *(("--base-url", at) if at else ())]
    again += ["--episodes", str(episodes), *(("--vary", ",".join(vary)) if vary else ())]
    plain = [_typed(settings, *again, "--library", "none")] if player.kind.learns and wishes.library != "none" else []
    return *plain, _typed(settings, "episodes", "list")


def _again(ref: str, *, open_: bool) -> tuple[str, ...]:
    """The words that play a world again."""
    return "play", "--world", ref, *(("--open",) if open_ else ())


def _typed(settings: Settings, *words: str) -> str:
    """A command line that works from here: with the database and the content of this one."""
    usual, options = Settings(), list[str]()
    if settings.db != usual.db:
        options += ["--db", str(settings.db)]
    if settings.content != usual.content and settings.content is not None:
        options += ["--content", str(settings.content)]
    return shlex.join(["sandbox", *options, *words])
