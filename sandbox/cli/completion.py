"""`sandbox completion SHELL`: the script that makes a shell complete the names of commands and options."""

from __future__ import annotations

from typing import Final

import click

from sandbox.cli.context import Settings, command_options
from sandbox.errors import UnknownName

SHELLS: Final = {
    "bash": 'in ~/.bashrc:  eval "$(sandbox completion bash)"',
    "zsh": 'in ~/.zshrc:   eval "$(sandbox completion zsh)"',
    "fish": "in ~/.config/fish/config.fish:  sandbox completion fish | source",
}


@click.command(epilog="\b\n" + "\n".join(SHELLS.values()))
@click.argument("shell")
@command_options(json=False)
def completion(_: Settings, shell: str) -> None:
    """Print the completion script of SHELL: bash, zsh or fish."""
    if shell not in SHELLS:
        raise UnknownName("shell", shell, SHELLS)
    from click.shell_completion import get_completion_class

    from sandbox.cli.main import COMPLETE_VARIABLE, app

    script = get_completion_class(shell)
    if script is None:
        raise LookupError(f"click has no completion for {shell}")
    click.echo(script(app, {}, "sandbox", COMPLETE_VARIABLE).source())
