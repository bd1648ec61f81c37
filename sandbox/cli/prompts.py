"""`sandbox prompts`: what agents say to language models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from sandbox.cli.context import Noun, Settings, command_options
from sandbox.cli.output import emit, say, table
from sandbox.errors import UsageError

if TYPE_CHECKING:
    from sandbox.agent.prompts import Prompt, Prompts


@click.group(cls=Noun)
def prompts() -> None:
    """List and show what agents say to models. One file each; a file of the same name in --content comes first."""


def _prompts(settings: Settings) -> Prompts:
    from sandbox.agent.prompts import Prompts
    from sandbox.generate.content import Content

    return Prompts(folder / "prompts" for folder in Content(settings.content).folders)


@prompts.command("list")
@command_options
def list_(settings: Settings) -> None:
    """List the prompts with their versions and variables."""
    found = _prompts(settings)
    each = [found.get(name) for name in found.names()]
    if settings.json:
        for prompt in each:
            emit(_record(prompt))
        return
    table(("prompt", "version", "digest", "what for"), [(p.name, p.version, p.digest, p.about) for p in each])


@prompts.command()
@click.argument("name")
@command_options
def show(settings: Settings, name: str) -> None:
    """Show a prompt as its file has it."""
    prompt = _prompts(settings).get(name)
    text = prompt.path.read_text(encoding="utf-8")
    if settings.json:
        emit({**_record(prompt), "text": text})
    else:
        say(text.rstrip("\n"))


@prompts.command()
@click.argument("name")
@click.option("--set", "values", multiple=True, metavar="NAME=VALUE", help="A variable: text, or JSON.")
@command_options
def render(settings: Settings, name: str, values: tuple[str, ...]) -> None:
    """Show the exact messages of a prompt; variables that are not set stand as their names in angle brackets."""
    prompt = _prompts(settings).get(name)
    given: dict[str, object] = {variable: _Unset(f"<{variable}>") for variable in prompt.variables}
    for pair in values:
        key, equals, value = pair.partition("=")
        if not equals or key not in prompt.variables:
            raise UsageError(f"{pair!r} sets no variable of {name}", f"its variables: {', '.join(prompt.variables)}")
        try:
            given[key] = json.loads(value)
        except ValueError:
            given[key] = value
    for role, content in prompt.render(**given):
        if settings.json:
            emit({"role": role, "content": content})
        else:
            say(f"[{role}]", bold=True)
            say(content)


class _Unset(str):
    """A variable that is not set: where a prompt goes through a list, it stands there once, not letter by letter."""

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        yield str(self)


def _record(prompt: Prompt) -> dict[str, object]:
    return {
        "name": prompt.name, "version": prompt.version, "digest": prompt.digest, "about": prompt.about,
        "variables": list(prompt.variables), "file": str(prompt.path),
    }  # fmt: skip
