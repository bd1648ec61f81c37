"""`sandbox db`: where the episodes are kept, how many there are, and whether the file is sound."""

from __future__ import annotations

from dataclasses import asdict

import click

from sandbox.cli.context import Settings, command_options
from sandbox.cli.output import emit, say
from sandbox.errors import CheckFailed


@click.command()
@command_options
def db(settings: Settings) -> None:
    """Show the episode database: path, size, contents, schema; exit 4 if it is damaged."""
    from sandbox.log.reader import Log

    path = settings.db
    with Log.open(path) as log:
        damage = log.damage()
        if damage:
            if settings.json:
                emit({"path": str(path), "ok": False, "damage": list(damage)})
            raise CheckFailed(f"{str(path)!r} is damaged: {damage[0]}", "restore a copy, or use another: --db FILE")
        held = log.contents()
    size = path.stat().st_size
    if settings.json:
        return emit({"path": str(path), "ok": True, "bytes": size, **asdict(held)})
    say(f"path      {path.absolute()}")
    say(f"size      {size / 1_000_000:.1f} MB, sound")
    say(f"schema    {held.version} ({held.migrations[-1]})")
    say(f"episodes  {held.episodes} ({held.unfinished} unfinished)")
    say(f"steps     {held.steps}")
    return say(f"worlds    {held.worlds}")
