"""`sandbox skills`: what agents learned to do, version by version, out to folders and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sandbox.cli.context import Noun, Settings, command_options
from sandbox.cli.output import emit, say, table, warn
from sandbox.errors import UsageError

if TYPE_CHECKING:
    from sandbox.log.reader import Log
    from sandbox.run.book import Book, Made, Version

_LIBRARY = click.option(
    "--library", metavar="NAME", help="Library [default: the only one, else explorer; list shows all]."
)
_NAME = click.argument("name", metavar="NAME")


@click.group(cls=Noun)
def skills() -> None:
    """List, show, export and import what agents learned to do.

    NAME is a skill, the beginning of its name, or of the digest of one of its versions.
    """


@skills.command("list")
@_LIBRARY
@command_options
def list_(settings: Settings, library: str | None) -> None:
    """List the skills of a library, or of all: what each does, how it stands, how often it was called and proven."""
    from sandbox.log.reader import Log
    from sandbox.run.book import book_of

    with Log.open(settings.db) as log:
        names = [shelf.name for shelf in log.libraries()] if library is None else [library]
        books = [book_of(name, log.library(name)) for name in names]
    rows = []
    for book in books:
        for version in book.newest():
            if settings.json:
                emit(_record(book, version))
            rows.append(_row(book, version))
    if settings.json:
        return
    if not rows:
        say("No skills yet." if library is None else f"No skills in library {library}.")
        return
    table(("library", "skill", "status", "calls", "proven", "what it does"), rows)
    first = next(version for book in books for version in book.newest())
    say()
    say(f"  sandbox skills show {first.skill.name}")


@skills.command()
@_NAME
@_LIBRARY
@command_options
def show(settings: Settings, name: str, library: str | None) -> None:
    """Show a skill: its code, what it needs and promises, how it stands in each regime and why."""
    with _log(settings) as log:
        book = _book(log, library)
        version = book.find(name)
        world = _world(log, version.made)
    if settings.json:
        emit({**_record(book, version), "code": version.skill.code, "world": world})
        return
    skill = version.skill
    say(f"{_signature(version)}  version {version.digest}", bold=True)
    say(skill.summary)
    say()
    say(skill.code.rstrip("\n"))
    say()
    for what, facts in (("needs", skill.pre), ("promises", skill.post)):
        say(f"{what:<9} {'; '.join(' '.join(fact) for fact in facts) or 'nothing'}")
    say(f"{'rests on':<9} {'; '.join(skill.uses) or 'nothing'}")
    say(f"{'from':<9} {_origin(version, world)}")
    for regime in version.regimes or ("",):
        known = book.known(version, regime)
        if known is None:
            say(f"{'status':<9} replaced by a newer version")
            break
        reason = next((status.why for status, _ in reversed(version.statuses) if status.regime == regime), "")
        said = f"{known.status}{f': {reason}' if reason else ''}"
        counts = f"{known.calls} calls, {known.proofs} proofs from different states, {known.steps:.1f} commands a call"
        say(f"{'status':<9} {said}{f' (regime {regime}: {counts})' if regime else ' (never called)'}")
    say()
    say(f"  sandbox skills history {skill.name}")


@skills.command()
@_NAME
@_LIBRARY
@command_options
def history(settings: Settings, name: str, library: str | None) -> None:
    """Show what happened to a skill: its versions, every call, every change of status, in order."""
    with _log(settings) as log:
        book = _book(log, library)
        events = [event for version in book.history(book.find(name)) for event in _events(version)]
    for event in sorted(events, key=lambda one: str(one["at"])):
        if settings.json:
            emit(event)
        else:
            where = f"episode {event['episode']}" if event["episode"] else "no episode"
            where += f", step {event['step']}" if event["step"] is not None else ""
            say(f"{event['at']}  {event['version']}  {event['event']:<8} {event['told']}  ({where})")


@skills.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@_LIBRARY
@command_options
def export(settings: Settings, folder: Path, library: str | None) -> None:
    """Write the skills of a library to a new folder: one folder each, with SKILL.md, skill.py and tests.json."""
    from sandbox.run.folder import export as write

    with _log(settings) as log:
        book = _book(log, library)
    written = write(book, folder)
    if settings.json:
        for place in written:
            emit({"skill": place.name, "folder": str(place)})
        return
    say(f"{len(written)} skills of library {book.name} are in {folder}.")
    say(f"  sandbox skills import {folder} --library NAME")


@skills.command("import")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--library", default="imported", metavar="NAME", help="Library to add to [default: imported].")
@command_options
def import_(settings: Settings, folder: Path, library: str) -> None:
    """Read skills from a folder into a library, checked and never run; all of them or none.

    A skill that was edited becomes a new version, and a candidate.
    """
    from sandbox.agent.library import content_digest
    from sandbox.log.writer import Journal
    from sandbox.run.book import book_of
    from sandbox.run.folder import check, read
    from sandbox.run.library import kept_of

    if not library.strip() or library == "none":
        raise UsageError(f"{library!r} is no name of a library", "type --library mine")
    found, notes = read(folder)
    with Journal.open(settings.db) as journal:
        if journal.created:
            warn(f"Skills are kept in {settings.db}, a new file.")
        book = book_of(library, journal.library(library))
    wrong = check(found, [version.skill.name for version in book.newest()])
    if wrong:
        path, fault = wrong[0]
        more = f"; and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise UsageError(f"{path}: {fault}{more}", "nothing was imported; docs/skills.md says what skills may be")
    there = {version.digest for version in book.versions}
    fresh = [one for one in found if content_digest(one.skill) not in there]
    kept = [kept_of(one.skill) for one in fresh]
    kept += [kept_of(note) for note in notes if note not in book.notes]
    with Journal.open(settings.db) as journal:
        journal.shelve(library, kept)
    for one in found:
        new = one in fresh
        if settings.json:
            emit({"skill": one.skill.name, "library": library, "new": new, "edited": one.edited})
        else:
            how = ("a new version" if one.edited else "added") if new else "there already"
            say(f"{one.skill.name}: {how}")
    if not settings.json:
        say(f"{len(fresh)} of {len(found)} skills came into library {library}.")


def _log(settings: Settings) -> Log:
    from sandbox.log.reader import Log

    return Log.open(settings.db)


def _book(log: Log, library: str | None) -> Book:
    from sandbox.run.book import open_book

    return open_book(log, library)


def _world(log: Log, made: Made) -> str | None:
    return None if made.episode is None else log.episode(made.episode).ref


def _signature(version: Version) -> str:
    return f"{version.skill.name}({', '.join(f'{name}: {kind}' for name, kind in version.skill.params)})"


def _origin(version: Version, world: str | None) -> str:
    by = version.skill.source.get("model") or version.skill.source.get("agent")
    said = [version.skill.origin, f"by {by}" if by else "", f"in world {world}" if world else ""]
    said += [f"episode {version.made.episode}" if version.made.episode else ""]
    said += [f"after version {version.skill.parent}" if version.skill.parent else ""]
    return ", ".join(part for part in said if part)


def _row(book: Book, version: Version) -> tuple[object, ...]:
    known = book.known(version, version.regimes[-1]) if version.regimes else None
    proofs = sum(call.proves for call, _ in version.calls)
    status = known.status if known else "candidate"
    return book.name, version.skill.name, status, len(version.calls), proofs, version.skill.summary


def _record(book: Book, version: Version) -> dict[str, object]:
    skill = version.skill
    regimes = {}
    for regime in version.regimes:
        known = book.known(version, regime)
        if known is not None:
            why = next((status.why for status, _ in reversed(version.statuses) if status.regime == regime), "")
            regimes[regime] = {
                "status": known.status, "why": why, "calls": known.calls, "proofs": known.proofs,
                "failed_in_a_row": known.failed, "steps": known.steps,
            }  # fmt: skip
    return {
        "library": book.name, "skill": skill.name, "version": version.digest, "parent": skill.parent,
        "parameters": [list(param) for param in skill.params], "summary": skill.summary,
        "pre": [list(fact) for fact in skill.pre], "post": [list(fact) for fact in skill.post],
        "uses": list(skill.uses), "origin": skill.origin, "source": dict(skill.source), "newest": version.newest,
        "episode": version.made.episode, "step": version.made.step, "at": version.made.at,
        "status": _row(book, version)[2], "regimes": regimes,
    }  # fmt: skip


def _events(version: Version) -> list[dict[str, object]]:
    def event(made: Made, what: str, told: str) -> dict[str, object]:
        return {
            "at": made.at, "version": version.digest, "event": what, "told": told, "episode": made.episode,
            "step": made.step,
        }  # fmt: skip

    after = f", after {version.skill.parent}" if version.skill.parent else ""
    found = [event(version.made, "made", f"{version.skill.origin}{after}")]
    for call, made in version.calls:
        proof = "; proof" if call.proves else ""
        why = f": {call.why}" if call.why else ""
        found.append(event(made, "called", f"with {', '.join(call.args)}: {call.outcome}{why}{proof}"))
    found += [event(made, "status", f"{status.status}: {status.why}") for status, made in version.statuses]
    return found
