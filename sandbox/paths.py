"""Where the content that comes with the sandbox lies: beside the code in a wheel, at the top of a checkout."""

from __future__ import annotations

from pathlib import Path

CONTENT_FOLDERS = ("worlds", "prompts", "agents")
"""The folders that hold content, built in or the user's own."""


def builtin_content() -> Path:
    """The folder that holds `worlds/`, `prompts/` and `agents/`; `sandbox doctor` says when it is incomplete."""
    package = Path(__file__).resolve().parent
    installed = package / "content"
    return installed if installed.is_dir() else package.parent
