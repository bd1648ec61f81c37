"""Shell completion: the script, and what it asks for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.cli.completion import SHELLS
from sandbox.cli.main import COMMANDS

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_a_script_it_can_read(command: Command, shell: str, tmp_path: Path) -> None:
    """The script names the command and, where that shell is installed, is accepted by it."""
    script = command("completion", shell)
    assert (script.returncode, script.stderr) == (0, "")
    assert f"_SANDBOX_COMPLETE={shell}_complete" in script.stdout
    if shutil.which(shell):
        (tmp_path / "script").write_text(script.stdout)
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sandbox ", [f"plain,{name}" for name in COMMANDS]),
        ("sandbox do", ["plain,doctor"]),
        ("sandbox --ver", ["plain,--version"]),
        ("sandbox doctor --js", ["plain,--json"]),
    ],
)
def test_names_are_completed(typed: str, offered: list[str], tmp_path: Path) -> None:
    """What the script asks for answers with the commands and options that begin as typed."""
    words = typed.split(" ")
    environment = os.environ | {
        "_SANDBOX_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    answer = subprocess.run(
        [sys.executable, "-m", "sandbox"], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert answer.stdout.splitlines() == offered
