"""What the source may not do: import across a border, draw from a shared generator, read a clock."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CLOCKS_AND_CHANCE = {"datetime", "numpy", "random", "secrets", "time", "uuid"}
OUTSIDE = {"asyncio", "io", "os", "pathlib", "shutil", "signal", "socket", "subprocess", "sys", "tempfile", "threading"}

NAMES_OF_FILES = {"pathlib.PurePath", "pathlib.PurePosixPath"}


def files(*folders: str) -> list[Path]:
    """Every Python file below the folders, as pytest parameters want them: sorted, relative to the root."""
    return sorted(path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """The dotted name of every module and member that a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def top(name: str) -> str:
    """The package that a dotted name belongs to."""
    return name.partition(".")[0]


def within(name: str, *modules: str) -> bool:
    """Whether a dotted name is one of the modules or lies in one."""
    return any(name == module or name.startswith(f"{module}.") for module in modules)


@pytest.mark.parametrize("path", files("sandbox", "agents"), ids=str)
def test_nothing_draws_from_the_global_generator(path: Path) -> None:
    """Every draw comes from a key of its own: no file imports `random`."""
    assert "random" not in {top(name) for name in imports(path)}


@pytest.mark.parametrize("path", files("sandbox/world", "sandbox/generate", "sandbox/certify"), ids=str)
def test_worlds_know_no_clock_and_no_chance(path: Path) -> None:
    """What makes, runs and proves a world imports no clock and no source of randomness."""
    assert not CLOCKS_AND_CHANCE & {top(name) for name in imports(path)}


@pytest.mark.parametrize("path", files("sandbox/world"), ids=str)
def test_the_world_is_pure(path: Path) -> None:
    """A world's code imports the standard library, Jinja2 and Lark, and nothing that reaches outside the process."""
    for name in imports(path):
        if top(name) == "sandbox":
            assert within(name, "sandbox.world", "sandbox.errors", "sandbox.GENERATOR_VERSION"), name
        else:
            assert top(name) in sys.stdlib_module_names | {"jinja2", "lark"}, name
            assert top(name) not in OUTSIDE or name in NAMES_OF_FILES, name


@pytest.mark.parametrize("path", files("sandbox/world"), ids=str)
def test_the_world_reads_and_prints_nothing(path: Path) -> None:
    """No function of a world opens a file, prints or asks."""
    tree = ast.parse((ROOT / path).read_text("utf-8"), str(path))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"open", "print", "input", "breakpoint"}


def test_the_slow_interpreter_knows_only_the_tree() -> None:
    """The interpreter that checks the engine shares nothing with it but the types of the rules' tree."""
    slow = [path for path in files("sandbox/world") if path.parts[2] in ("slow", "slow.py")]
    assert slow
    ours = {name for path in slow for name in imports(path) if top(name) == "sandbox"}
    assert all(within(name, "sandbox.world.spec", "sandbox.world.slow") for name in ours), ours
    tree = {name for name in imports(Path("sandbox/world/spec.py")) if top(name) == "sandbox"}
    assert all(within(name, "sandbox.errors") for name in tree), tree


@pytest.mark.parametrize("path", files("agents"), ids=str)
def test_agent_files_use_the_parts_of_agents_only(path: Path) -> None:
    """An agent file imports the standard library, `sandbox.agent` and `sandbox.models`; the oracle may look further."""
    for name in imports(path):
        allowed = within(name, "sandbox.agent", "sandbox.models") or path.stem == "oracle"
        assert allowed or top(name) in sys.stdlib_module_names - {"random"}, name
