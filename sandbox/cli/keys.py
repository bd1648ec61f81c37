"""`sandbox keys`: API keys in a file that only its owner can read."""

from __future__ import annotations

import sys

import click

from sandbox.cli.context import Noun, Settings, command_options
from sandbox.cli.output import emit, say, table
from sandbox.errors import UnknownName, UsageError


@click.group(cls=Noun)
def keys() -> None:
    """Keep API keys where only you can read them. The environment (PROVIDER_API_KEY) comes first."""


@keys.command("list")
@command_options
def list_(settings: Settings) -> None:
    """List for which providers a key is kept; never the key."""
    from sandbox.models.keys import key_file, read

    kept = sorted(read())
    if settings.json:
        for provider in kept:
            emit({"provider": provider, "file": str(key_file())})
        return
    table(("provider",), [(provider,) for provider in kept])
    say(f"Kept in {key_file()}.")


@keys.command("set")
@click.argument("provider")
@command_options(json=False)
def set_(_settings: Settings, provider: str) -> None:
    """Keep the key of a provider: it is asked for, or read from a pipe, so that no shell remembers it."""
    from sandbox.models.keys import checked, read, write

    name = _named(provider)
    if not name or not name.replace("_", "").replace("-", "").isalnum():
        raise UsageError(f"{provider!r} is no provider", "type its name, e.g. openai")
    hidden = sys.stdin is not None and sys.stdin.isatty()
    value = click.prompt(f"Key for {name}", hide_input=True) if hidden else sys.stdin.readline()
    path = write({**read(), name: checked(value)})
    say(f"The key for {name} is kept in {path}.")


@keys.command()
@click.argument("provider")
@command_options(json=False)
def rm(_settings: Settings, provider: str) -> None:
    """Forget the key of a provider."""
    from sandbox.models.keys import read, write

    kept, name = read(), _named(provider)
    if name not in kept:
        raise UnknownName("provider", name, kept)
    del kept[name]
    write(kept)
    say(f"The key for {name} is forgotten.")


def _named(provider: str) -> str:
    """A provider as keys are kept under it, however it was typed."""
    return provider.strip().lower()
