"""The `sandbox` command: finds the command that was named, runs it, and turns whatever happens into an exit code.

Commands are named in a table and imported when they are called, so that `sandbox --help` loads none of them. A
command returns None or its exit code. What it raises ends here: an error of ours is its message, its hint and its
exit code; a wrong command line is exit 2 with the nearest name; Ctrl-C is 130; a reader who closed the pipe wanted no
more, which is no error. Only `--debug` shows a traceback.
"""

from __future__ import annotations

import errno
import io
import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from sandbox import GENERATOR_VERSION, __version__
from sandbox.cli.context import CommonGroup, Settings
from sandbox.cli.output import say, warn
from sandbox.errors import SandboxError, nearest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMPLETE_VARIABLE: Final = "_SANDBOX_COMPLETE"
INTERRUPTED: Final = 130
_FULL: Final = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}  # no quotas on Windows

INTRODUCTION: Final = """\
sandbox: text worlds that nobody wrote by hand.

A seed becomes a world with commands, rules and a voice of its own, proven solvable before anyone enters it.
A player sees only text. Change one rule, and see what still works.

Four commands to copy:

  sandbox play --world seed                 watch an agent that knows nothing learn a world
  sandbox play --world 7 --agent human      play one yourself (:help, :hint and :quit help you)
  sandbox worlds show 7                     everything about a world, its proof included
  sandbox worlds diff 7 7~rules             the same world with one rule changed

A world is named [RECIPE/]SEED[~EDIT]…, and any text is a seed: 7, tiny/moss, 7~rules, 7~layout~grammar.
Equal names give equal worlds, on every machine.

Every play is recorded. `sandbox episodes` lists them; `sandbox episodes replay ID` plays one again.

  sandbox --help      all commands (each has its own --help)
  sandbox doctor      is this machine ready?
"""


class Entry(NamedTuple):
    """Where a command is defined, and what the list of commands says about it."""

    target: str
    help: str


COMMANDS: Final = {
    "play": Entry("sandbox.cli.play:play", "Play a world: watch an agent, or play it yourself."),
    "worlds": Entry("sandbox.cli.worlds:worlds", "List, show, check, edit, compare, export and pack worlds."),
    "suites": Entry("sandbox.cli.suites:suites", "List, show and check sets of worlds with frozen digests."),
    "episodes": Entry("sandbox.cli.episodes:episodes", "List, show and replay what was played."),
    "skills": Entry("sandbox.cli.skills:skills", "List, show, export and import what agents learned to do."),
    "agents": Entry("sandbox.cli.agents:agents", "List the players and what each may see."),
    "models": Entry("sandbox.cli.models:models", "List the language models that can play; try one."),
    "keys": Entry("sandbox.cli.keys:keys", "Keep API keys where only you can read them."),
    "prompts": Entry("sandbox.cli.prompts:prompts", "List and show what agents say to models."),
    "bench": Entry("sandbox.cli.bench:bench", "Measure how fast worlds are built and stepped here."),
    "doctor": Entry("sandbox.cli.doctor:doctor", "Check that this machine is ready."),
    "db": Entry("sandbox.cli.db:db", "Look after the episode database."),
    "completion": Entry("sandbox.cli.completion:completion", "Print the completion script of a shell."),
}


class LazyGroup(CommonGroup):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None when the table has no such name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{entry.target} is no command: {command!r}")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names of commands without importing them, and the group's own options."""
        from click.shell_completion import CompletionItem

        known = [CompletionItem(n, help=e.help) for n, e in COMMANDS.items() if n.startswith(incomplete)]
        return known + click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(
    f"{__version__} (generator {GENERATOR_VERSION}, Python {platform.python_version()})",
    prog_name="sandbox",
    message="%(prog)s %(version)s",
)
@click.pass_context
def app(context: click.Context) -> None:
    """Text worlds whose rules change: a seed becomes a certified world that anyone can play.

    Without a command: an introduction with commands to copy.
    """
    if context.invoked_subcommand is None:
        say(INTRODUCTION.rstrip("\n"))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code: 0, 1 internal, 2 usage, 3, 4, 5, or 130 interrupted."""
    args = sys.argv[1:] if argv is None else list(argv)
    settings = Settings()
    _write_anything()
    try:
        code = _run(args, settings)
        _flush()
    except BrokenPipeError:
        code = 0
    except (KeyboardInterrupt, click.Abort):
        code = _told("interrupted", None, INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last stop: nothing of ours is shown as a traceback unasked
        code = _failed(error, args, debug=settings.debug or "--debug" in args)
    _discard_unwritable()
    return code


def _run(args: list[str], settings: Settings) -> int:
    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(app, {}, "sandbox", COMPLETE_VARIABLE, instruction)
    try:
        with app.make_context("sandbox", args, obj=settings) as context:
            result = app.invoke(context)
    except click.exceptions.Exit as left:
        return left.exit_code
    return result if isinstance(result, int) else 0


def _failed(error: Exception, args: list[str], *, debug: bool) -> int:
    """Say what happened and what to type next; the exit code that belongs to it."""
    if debug:
        import traceback

        with suppress(OSError):
            warn("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, SandboxError):
        return _told(error.message, error.hint, error.exit_code)
    if isinstance(error, click.UsageError):
        return _told(*_usage(error, args), 2)
    if isinstance(error, click.ClickException):
        return _told(error.format_message(), None, 2)
    if isinstance(error, OSError) and (error.filename or error.errno in _FULL):
        where = f"{error.filename}: " if error.filename else ""
        return _told(f"{where}{error.strerror}", "free some space, or name another place" if not where else None, 2)
    hint = None if debug else "this is a fault of the sandbox: run again with --debug to see where"
    return _told(f"{type(error).__name__}: {error}", hint, 1)


def _told(message: str, hint: str | None, code: int) -> int:
    with suppress(OSError):  # nobody may be reading
        warn(f"error: {message}" if code != INTERRUPTED else message)
        if hint:
            warn(f"  {hint}")
    return code


def _usage(error: click.UsageError, args: list[str]) -> tuple[str, str]:
    """Message and hint for a command line that cannot be read: the nearest name, else where to look."""
    context = error.ctx
    if context is None:  # an option without its value: click does not say of which command
        path = " ".join(["sandbox", *[arg for arg in args if arg in COMMANDS][:1]])
        return error.format_message(), f"{path} --help says what it takes"
    path, command = context.command_path, context.command
    more = f"{path} --help says what it takes"
    if isinstance(error, click.NoSuchCommand) and isinstance(command, click.Group):
        known = command.list_commands(context)
        return f"no such command: {path} {error.command_name}", _meant(error.command_name, known) or more
    if isinstance(error, click.NoSuchOption):
        if re.match(r"-\d", error.option_name):
            more = f"what begins with '-' goes behind --, for example: {path} -- {error.option_name}"
            return f"no such option: {error.option_name}", more
        known = [name for parameter in command.get_params(context) for name in parameter.opts]
        return f"no such option: {error.option_name}", _meant(error.option_name, known) or more
    return error.format_message(), more


def _meant(name: str, known: Iterable[str]) -> str | None:
    bare = {candidate.lstrip("-"): candidate for candidate in known}
    found = nearest(name.lstrip("-"), bare)
    return None if found is None else f"did you mean {bare[found]}?"


def _write_anything() -> None:
    """Let no character end a command: what a stream's encoding lacks is written as its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _discard_unwritable() -> None:
    """Point a stream that can no longer be written to nowhere, so that Python does not complain when it leaves."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            with suppress(OSError):  # a stream without a descriptor does not matter to Python's exit
                os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
