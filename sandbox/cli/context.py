"""What every command knows before it begins: the options that are accepted everywhere.

`@command_options` gives a command `--db`, `--content`, `--debug` and `--json`, and hands it one `Settings` as its
first argument. Groups take the first three too; what stands nearer to the command wins, and the environment
(`SANDBOX_DB`) gives way to both. `@click.group(cls=Noun)` makes a group whose bare name lists.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, overload

import click

P = ParamSpec("P")
R = TypeVar("R")

DEFAULT_DB: Final = "sandbox.db"
PROJECT_FILE: Final = "sandbox.toml"


def _default_db() -> Path:
    return Path(os.environ.get("SANDBOX_DB") or DEFAULT_DB)


def _default_content() -> Path | None:
    return Path() if Path(PROJECT_FILE).is_file() else None


@dataclass(slots=True)
class Settings:
    """The options accepted everywhere, filled in while the command line is read."""

    db: Path = field(default_factory=_default_db)
    """The episode database; it need not exist yet."""
    content: Path | None = field(default_factory=_default_content)
    """A folder of the user's own worlds, prompts and agents that comes before the built-in one."""
    debug: bool = False
    json: bool = False
    """JSON lines on standard output, everything human on standard error."""


def current_settings() -> Settings:
    """The settings of the command that is running; the defaults outside of any command."""
    context = click.get_current_context(silent=True)
    return Settings() if context is None else context.ensure_object(Settings)


def _keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Store an option that was typed; what was not typed leaves an outer level's value alone."""
    if value is None or value is False or context.resilient_parsing:
        return
    if value == "":
        raise click.BadParameter("an empty path", ctx=context, param=parameter)
    name = str(parameter.name)
    chosen = Path(value) if isinstance(value, str) else value
    setattr(context.ensure_object(Settings), name, chosen)


_DB = click.option(
    "--db",
    type=click.Path(dir_okay=False),
    expose_value=False,
    callback=_keep,
    help=f"Episode database [default: $SANDBOX_DB or ./{DEFAULT_DB}].",
)
_CONTENT = click.option(
    "--content",
    type=click.Path(exists=True, file_okay=False),
    expose_value=False,
    callback=_keep,
    help=f"Folder with your own worlds, prompts, agents [default: here, if it holds {PROJECT_FILE}].",
)
_DEBUG = click.option(
    "--debug", is_flag=True, expose_value=False, callback=_keep, help="Show where an error comes from."
)
_JSON = click.option(
    "--json", is_flag=True, expose_value=False, callback=_keep, help="JSON lines instead of text."
)


def _everywhere(function: Callable[P, R]) -> Callable[P, R]:
    for option in (_DEBUG, _CONTENT, _DB):
        function = option(function)
    return function


@overload
def command_options(function: Callable[Concatenate[Settings, P], R], /) -> Callable[P, R]: ...
@overload
def command_options(
    *, json: bool
) -> Callable[[Callable[Concatenate[Settings, P], R]], Callable[P, R]]: ...
def command_options(
    function: Callable[Concatenate[Settings, P], R] | None = None, /, *, json: bool = True
) -> Callable[P, R] | Callable[[Callable[Concatenate[Settings, P], R]], Callable[P, R]]:
    """The options accepted everywhere, for a command: it gets `Settings` as its first argument.

    Stands below `@click.command()` and the command's own options. `json=False` is for a command that has no
    JSON to print: an option is refused rather than ignored.
    """

    def decorate(inner: Callable[Concatenate[Settings, P], R]) -> Callable[P, R]:
        @functools.wraps(inner)
        def command(*args: P.args, **kwargs: P.kwargs) -> R:
            return inner(current_settings(), *args, **kwargs)

        wrapped: Callable[P, R] = _everywhere(command)
        return _JSON(wrapped) if json else wrapped

    return decorate if function is None else decorate(function)


@click.command()
@_everywhere
def _options_of_a_group() -> None:
    """Hold the options that a group takes on behalf of its commands."""


class CommonGroup(click.Group):
    """A group that takes `--db`, `--content` and `--debug`: its commands see what was typed there."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params.extend(_options_of_a_group.params)


class Noun(CommonGroup):
    """A group of commands about one noun, whose bare name lists: `sandbox worlds` is `sandbox worlds list`."""

    bare = "list"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the group's arguments, with the bare command's name put before them where none stands."""
        if not self._names_a_command(ctx, args):
            args = [self.bare, *args]
        return super().parse_args(ctx, args)

    def _names_a_command(self, ctx: click.Context, args: Sequence[str]) -> bool:
        """Whether what follows the group's own options is a command (or a cry for help), not another option."""
        own = {name: option for option in self.get_params(ctx) for name in option.opts}
        waiting = iter(args)
        for arg in waiting:
            option = own.get(arg.partition("=")[0])
            if arg in ctx.help_option_names:
                return True
            if not isinstance(option, click.Option):
                return not arg.startswith("-")
            if not option.is_flag and "=" not in arg:
                next(waiting, None)
        return False
