"""`sandbox agents`: the players, what each may see, and how each plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sandbox.cli.context import Settings, command_options
from sandbox.cli.output import emit, say, table

if TYPE_CHECKING:
    from sandbox.agent.load import Entry


@click.command()
@command_options
def agents(settings: Settings) -> None:
    """List the players, with the least access level each needs.

    Each is one file; a new file in the folder agents/ of --content is a new player.
    """
    from sandbox.agent.load import roll
    from sandbox.generate.content import Content

    found = roll(Content(settings.content).agents())
    if settings.json:
        for entry in found:
            emit(_record(entry))
        return
    table(("agent", "level", "how it plays"), [_row(entry) for entry in found])
    say()
    say("Levels: 0 goal and texts, 1 also help and vocabulary, 2 what is admissible, 3 the state, 4 the solver.")
    say("Play with one: sandbox play --world 7 --agent random")


def _row(entry: Entry) -> tuple[str, str, str]:
    kind = entry.kind
    if kind is None:
        return entry.name, "-", f"broken: {entry.broken}"
    return (f"{kind.name}:{kind.rest.upper()}" if kind.rest else kind.name), f"L{kind.access}", kind.about


def _record(entry: Entry) -> dict[str, object]:
    kind = entry.kind
    if kind is None:
        return {"name": entry.name, "file": str(entry.path), "error": entry.broken}
    options = {name: list(values) for name, values in kind.options.items()}
    return {
        "name": kind.name,
        "access": kind.access,
        "about": kind.about,
        "learns": kind.learns,
        "options": options,
        "file": str(entry.path),
    }
