"""`sandbox episodes`: what was played, as a list, as a transcript or page, and played again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sandbox.cli.context import Noun, Settings, command_options
from sandbox.cli.output import emit, say, table, warn
from sandbox.cli.show import milestones, tracer
from sandbox.errors import CheckFailed, UsageError
from sandbox.log.rows import OPEN, OUTCOMES, UNFINISHED

if TYPE_CHECKING:
    from sandbox.log.reader import Filter, Log
    from sandbox.log.rows import Episode, StepRow
    from sandbox.run.tracer import Tracer

_COLUMNS: Final = ("episode", "played (UTC)", "world", "agent", "outcome", "steps", "score")
_PAGE: Final = 30
_EPISODE = click.argument("episode", metavar="ID")


@click.group(cls=Noun)
def episodes() -> None:
    """List, show and replay what was played.

    An ID may be shortened as long as it is unique.
    """


@episodes.command("list")
@click.option("--world", metavar="REF", help="A world's reference, or six or more digits of its digest.")
@click.option("--agent", metavar="NAME", help="Who played.")
@click.option("--outcome", type=click.Choice((*OUTCOMES, UNFINISHED)), help="How it ended.")
@click.option("--cause", metavar="CODE", help="A cause for which some command did nothing.")
@click.option("--text", metavar="TEXT", help="A text in some command or observation (a-z in either case).")
@click.option("--limit", type=click.IntRange(min=0), help=f"How many, 0 for all [default: {_PAGE}; all with --json].")
@command_options
def list_(settings: Settings, /, limit: int | None, world: str | None, **wanted: str | None) -> None:
    """List episodes, the newest first."""
    from sandbox.generate.reference import parse_reference
    from sandbox.log.reader import Filter, Log

    chosen = Filter(world=None if world is None else str(parse_reference(world)), **wanted)
    if limit is None:
        limit = 0 if settings.json else _PAGE
    with Log.open(settings.db) as log:
        found = log.episodes(chosen, limit or None)
        if settings.json:
            for episode in found:
                emit(_summary(episode))
        elif found:
            table(_COLUMNS, map(_line, found))
        left = log.count(chosen) - len(found)
        if not found:
            _say_nothing_found(log, chosen)
        elif left:
            warn(f"{left} older not shown: --limit 0 shows all")


@episodes.command("show")
@_EPISODE
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write one self-contained page.")
@click.option("--beliefs", is_flag=True, help="Show what the agent believed, and on what evidence.")
@click.option("--step", type=click.IntRange(0), metavar="N", help="With --beliefs: after step N [default: the last].")
@command_options
def show(settings: Settings, episode: str, html: Path | None, beliefs: bool, step: int | None) -> None:
    """Show an episode: every command, what it did and what was shown."""
    from sandbox.log.reader import Log

    if step is not None and not beliefs:
        raise UsageError("--step belongs to --beliefs", f"sandbox episodes show {episode} --beliefs --step {step}")
    if beliefs and html is not None:
        raise UsageError("--beliefs and --html are two views", "choose one of them")
    with Log.open(settings.db) as log:
        found = log.episode(episode)
        if beliefs:
            from sandbox.cli.beliefs import show_beliefs

            return show_beliefs(log, found, step, json=settings.json)
        if html is not None:
            _write_page(log, found, html)
            say(f"wrote {html}")
        if settings.json:
            _emit_all(log, found)
        elif html is None:
            _transcribe(log, found)
    return None


@episodes.command("replay")
@_EPISODE
@command_options
def replay_(settings: Settings, episode: str) -> None:
    """Play an episode again in its stored world and compare every step; exit 4 at the first difference."""
    from sandbox.log.reader import Log
    from sandbox.run.replay import replay

    with Log.open(settings.db) as log:
        found = log.episode(episode)
        try:
            done = replay(log, found)
        except CheckFailed as error:
            if settings.json:
                emit({"episode": found.id, "ok": False, "why": error.message})
            raise
    if settings.json:
        emit({"episode": done.episode, "ok": True, "steps": done.steps, "unfinished": done.unfinished, "why": None})
    steps = f"{done.steps} step{'' if done.steps == 1 else 's'} verified"
    say(f"{done.episode}: {steps}{' (unfinished: it was cut off there)' if done.unfinished else ''}")


def _say_nothing_found(log: Log, chosen: Filter) -> None:
    for column, wanted in (("agent", chosen.agent), ("cause", chosen.cause)):
        known = log.names(column)
        if wanted is not None and wanted not in known:
            return warn(f"no episode with {column} {wanted!r}; on record: {', '.join(known) or 'none'}")
    return warn("no episode matches" if log.count() else "no episode was played yet: sandbox play --world 7")


def _write_page(log: Log, episode: Episode, path: Path) -> None:
    from sandbox.log.page import write_page

    if not path.parent.is_dir():
        raise UsageError(f"the folder {str(path.parent)!r} does not exist", f"mkdir -p {path.parent}")
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            write_page(file, episode, log.steps(episode.id))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}", "name another file: --html FILE") from error


def _emit_all(log: Log, episode: Episode) -> None:
    """The whole episode as JSON lines; of an open one, what each step reached."""
    traced = _tracer(log, episode)
    emit({"event": "start", **_start(episode)})
    for step in log.steps(episode.id):
        reached = {"milestones": traced.step(step)} if traced else {}
        emit({"event": "step", **_step(step), **reached})
    for used in log.usage(episode.id):
        emit({"event": "usage", **asdict(used)})
    if episode.end:
        emit({"event": "end", **_end(episode), **(milestones(traced) if traced else {})})


def _tracer(log: Log, episode: Episode) -> Tracer | None:
    return tracer(episode.tier, log.world_json(episode.world_digest), episode.access) if episode.tier == OPEN else None


def _transcribe(log: Log, episode: Episode) -> None:
    traced = _tracer(log, episode)
    say(f"{_ref(episode)} · {_player(episode)} · L{episode.access} · {episode.id}", bold=True)
    if traced:
        say(f"open play: {traced.of} kinds of change can be reached; {episode.optimum} commands are known to be enough")
        say(f"at most {episode.max_steps} steps allowed")
    else:
        say(f"certified optimum {episode.optimum} ({episode.tier}), at most {episode.max_steps} steps allowed")
    for step in log.steps(episode.id):
        say()
        for word in (step.assist or "").split():
            say(f"> {word}", fg="yellow")
        if step.command is not None:
            reached = f"new: {', '.join(new)}" if traced and (new := traced.step(step)) else None
            notes = [step.cause, f"reward {step.reward:+.4g}" if step.reward else None, reached]
            say(f"> {step.command}{''.join(f'   [{note}]' for note in notes if note)}", bold=True)
        say(step.observation)
    say()
    for used in log.usage(episode.id):
        cost = "price not known" if used.cost is None else f"${used.cost:.4f}"
        failed = f", {used.failed} failed" if used.failed else ""
        calls = f"{used.calls} call{'' if used.calls == 1 else 's'}{failed}"
        say(f"{used.role}: {calls}, {used.tokens_in} tokens in, {used.tokens_out} out, {cost}")
    if traced:
        say(f"reached {len(traced.reached)} of {traced.of}; missing: {', '.join(traced.missing) or 'nothing'}")
    if episode.end is None:
        say(f"{UNFINISHED}: recorded up to step {episode.commands}")
        return
    end = episode.end
    score = "no score" if end.score is None else f"score {end.score:.3g}"
    say(f"{end.outcome} after {end.steps} steps · {score}{' · assisted' if end.assisted else ''}")
    if end.error:
        say(end.error)


def _line(episode: Episode) -> tuple[object, ...]:
    end = episode.end
    score = None if end is None or end.score is None else f"{end.score:.2f}"
    played = episode.started_at[:16].replace("T", " ")
    outcome = episode.outcome + (" (assisted)" if end and end.assisted else "")
    world, player = _cut(_ref(episode), 60), _cut(_player(episode), 30)
    return episode.id, played, world, player, outcome, episode.commands, score


def _ref(episode: Episode) -> str:
    return f"{episode.ref} (open)" if episode.tier == OPEN else episode.ref


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _player(episode: Episode) -> str:
    options = ",".join(f"{name}={value}" for name, value in episode.options.items())
    return f"{episode.agent}:{options}" if options else episode.agent


def _summary(episode: Episode) -> dict[str, object]:
    end = _end(episode) if episode.end else dict.fromkeys(("outcome", "solved", "score", "progress"))
    return {**_start(episode), **end, "steps": episode.commands, "unfinished": episode.end is None}


def _start(episode: Episode) -> dict[str, object]:
    return {
        "episode": episode.id,
        "world": episode.ref,
        "digest": episode.world_digest,
        "agent": episode.agent,
        "options": dict(episode.options),
        "access": episode.access,
        "agent_seed": episode.agent_seed,
        "max_steps": episode.max_steps,
        "optimum": episode.optimum,
        "tier": episode.tier,
        "run": episode.run,
        "started_at": episode.started_at,
        "continued_from": episode.continued_from,
    }


def _step(row: StepRow) -> Mapping[str, object]:
    return asdict(row)


def _end(episode: Episode) -> dict[str, object]:
    assert episode.end is not None, "asked for the end of an episode that has one"
    return {**asdict(episode.end), "ended_at": episode.ended_at}
