"""What all tests share: hypothesis without a clock, none of the user's settings, and the command as a program."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
Command = Callable[..., "subprocess.CompletedProcess[str]"]

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _no_user_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("SANDBOX_", "_SANDBOX_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run `sandbox ARGS…` as a program of its own, in a new folder unless `cwd` names one."""

    def run(*args: str, stdin: str = "", cwd: Path = tmp_path, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "sandbox", *args],
            input=stdin, cwd=cwd, timeout=timeout, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip

    return run
