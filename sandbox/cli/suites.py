"""`sandbox suites`: sets of worlds with frozen digests, as a list, world by world, and built again."""

from __future__ import annotations

from collections import Counter

import click

from sandbox.cli.context import Noun, Settings, command_options
from sandbox.cli.output import emit, progress, say, table
from sandbox.errors import CheckFailed, UsageError

_NAME = click.argument("name", metavar="NAME")


@click.group(cls=Noun)
def suites() -> None:
    """List, show and check sets of worlds with frozen digests.

    NAME is a suite of the list, or a FILE.toml such as `sandbox worlds split` writes.
    """


@suites.command("list")
@command_options
def list_(settings: Settings) -> None:
    """List the suites."""
    from sandbox.generate.content import content
    from sandbox.measure.suite import load_suite

    library = content(settings.content)
    rows = []
    for name in library.names("suites"):
        try:
            suite = load_suite(library, name)
        except UsageError as error:
            rows.append((name, "", f"broken: {error.message}"))
            if settings.json:
                emit({"suite": name, "error": error.message})
            continue
        rows.append((name, str(len(suite.worlds)), suite.about))
        if settings.json:
            bands = Counter(entry.band for entry in suite.worlds if entry.band is not None)
            emit({"suite": name, "about": suite.about, "worlds": len(suite.worlds), "bands": dict(bands),
                  "generator": suite.generator})  # fmt: skip
    if not settings.json:
        table(("suite", "worlds", "about"), rows)
        say()
        say("  sandbox suites show smoke")
        say("  sandbox suites check smoke")


@suites.command("show")
@_NAME
@command_options
def show(settings: Settings, name: str) -> None:
    """Show the worlds of a suite."""
    from sandbox.generate.content import content
    from sandbox.measure.suite import load_suite

    suite = load_suite(content(settings.content), name)
    if settings.json:
        for entry in suite.worlds:
            emit({"ref": entry.ref, "digest": entry.digest, "band": entry.band})
        return
    say(suite.about)
    say(f"{len(suite.worlds)} worlds, frozen under generator {suite.generator}")
    say()
    banded = any(entry.band for entry in suite.worlds)
    columns = ("world", "band", "digest") if banded else ("world", "digest")
    table(columns, [(e.ref, e.band, e.digest) if banded else (e.ref, e.digest) for e in suite.worlds])


@suites.command("check")
@_NAME
@click.option("--jobs", type=click.IntRange(1, 256), default=1, metavar="N", help="Processes [default: 1].")
@command_options
def check(settings: Settings, name: str, jobs: int) -> int:
    """Build the worlds of a suite again and compare their digests; exit 4 if one differs."""
    from functools import partial

    from sandbox.generate.content import content
    from sandbox.measure.jobs import each
    from sandbox.measure.suite import check_entry, load_suite

    suite = load_suite(content(settings.content), name)
    differ = 0
    run = partial(check_entry, folder=settings.content)
    for found in progress(each(run, suite.worlds, jobs), len(suite.worlds), "checking"):
        differ += not found.ok
        if settings.json:
            emit(found.to_dict())
        elif not found.ok:
            say(f"{found.ref}: {found.why}", fg="red")
    worlds = len(suite.worlds)
    if settings.json:
        emit({"event": "summary", "suite": name, "worlds": worlds, "ok": worlds - differ, "failed": differ})
    else:
        say(f"{worlds - differ} of {worlds} worlds of {name} are the frozen ones")
        if differ:
            say("what built them has changed: results on this suite are not comparable with earlier ones")
    return CheckFailed.exit_code if differ else 0
