"""What tests of content share: a copy of it that they may write into, and what is said when it is wrong."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.certify import build
from sandbox.errors import UsageError
from sandbox.generate.content import Content
from sandbox.paths import builtin_content

Refused = Callable[..., str]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A copy of the content that a test may change."""
    folder = tmp_path / "content"
    shutil.copytree(builtin_content() / "worlds", folder / "worlds")
    return folder


@pytest.fixture
def refused(mine: Path) -> Refused:
    """Change one content file by a pattern, build a world of it, and return the refusal with its next step."""

    def run(name: str, old: str, new: str, ref: str = "tiny/0") -> str:
        path = mine / "worlds" / name
        text = path.read_text(encoding="utf-8")
        changed = re.sub(old, lambda _: new, text, count=1, flags=re.MULTILINE)
        assert changed != text, f"{name} has nothing like {old!r}"
        path.write_text(changed, encoding="utf-8")
        with pytest.raises(UsageError) as caught:
            build(ref, Content(mine))
        assert caught.value.hint, "a refusal says what to do next"
        return f"{caught.value.message} | {caught.value.hint}"

    return run
