"""Equal references give equal worlds, whatever the process, the Python, the hash seed or the company."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.certify import build
from tests.outside.worlds import built

ROOT = Path(__file__).resolve().parents[2]
REFS = ("tiny/0", "tiny/1~rules", "small/2", "nonce/ключ", "tiny/3~layout~theme", "tiny/雪~grammar.all", "default/0")
MINORS = (11, 12, 13)
LIBRARIES = [path for path in sys.path if path.endswith("site-packages")]


def interpreter(minor: int) -> tuple[str, bool]:
    """A Python of a version that is installed here, one that has what the sandbox needs if there is one, and whether it has.

    Skips the test if there is none.
    """
    options = [sys.executable, shutil.which(f"python3.{minor}"), *Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python")]
    ask = "import sys; print(*sys.version_info[:2])"
    able = "import jinja2, lark, pydantic; print('yes')"
    same = [str(option) for option in options if option and _says(str(option), ask) == f"3 {minor}"]
    found = [(option, _says(option, able) == "yes") for option in same]
    if not found:
        pytest.skip(f"Python 3.{minor} is not installed here")
    return max(found, key=lambda pair: pair[1])


def _says(python: str, program: str) -> str:
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=False).stdout.strip()


def run(*args: str, python: str = sys.executable, hash_seed: str = "0", libraries: bool = False) -> dict[str, Any]:
    """What a process of its own prints."""
    paths = [str(ROOT), *(LIBRARIES if libraries else ())]
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [python, "-m", "tests.outside.digests", *args], env=env, cwd=ROOT, capture_output=True, text=True, check=False,
        timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="session")
def alone() -> dict[str, Any]:
    """What each world is in a process that builds nothing else before, under one hash seed."""
    return run(*REFS)


def test_the_hash_seed_does_not_matter(alone: dict[str, Any]) -> None:
    """Two processes under two hash seeds build the same worlds, proofs and texts."""
    assert run(*REFS, hash_seed="4242") == alone


def test_what_was_built_before_does_not_matter(alone: dict[str, Any]) -> None:
    """Other worlds first, and the same ones in reverse."""
    assert run(*REFS[::-1], "--first", "small/9", "tiny/8~rules.all", "nonce/1") == alone


def test_eight_threads_do_not_matter(alone: dict[str, Any]) -> None:
    """Eight threads in one process, all starting with empty caches, build what one builds."""
    assert run(*REFS, "--threads", "8") == alone


def test_this_process_builds_the_same(alone: dict[str, Any]) -> None:
    """So does this process, after everything that other tests have built in it."""
    for ref in REFS:
        assert built(ref).world.digest == alone[ref]["world"]


def test_the_global_generator_is_untouched(alone: dict[str, Any]) -> None:
    """Neither building nor playing draws from Python's own generator, or seeds it."""
    assert alone["untouched"]
    before = random.getstate()
    build("tiny/untouched")
    assert random.getstate() == before


@pytest.mark.parametrize("minor", MINORS)
def test_every_python_builds_the_same(minor: int, alone: dict[str, Any]) -> None:
    """Every Python installed here that has what the sandbox needs builds the same worlds."""
    python, equipped = interpreter(minor)
    if not equipped:
        pytest.skip("this Python lacks jinja2, lark or pydantic")
    assert run(*REFS, python=python) == alone


@pytest.mark.parametrize("minor", MINORS)
def test_every_python_plays_an_exported_world_the_same(minor: int, tmp_path: Path) -> None:
    """Every Python installed here, with the libraries of this one, gives the same replies to the same commands."""
    python, _ = interpreter(minor)
    file = tmp_path / "world.json"
    file.write_text(built("small/2").world.to_json(), encoding="utf-8")
    imported = subprocess.run(
        [python, "-c", "import lark"], capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(LIBRARIES)},
    )  # fmt: skip
    if imported.returncode:
        pytest.skip("this Python cannot import lark from here")
    assert run("--play", str(file), python=python, libraries=True) == run("--play", str(file))
