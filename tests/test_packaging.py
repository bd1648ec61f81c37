"""What is handed to users: the wheel, the source archive, and the versions that they are tested with."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CONTENT = ("agents", "prompts", "worlds")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source archive of this tree, and the wheel that is built from that archive. No network is used."""
    place = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(place), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, cwd=place)
    (archive,), (wheel,) = place.glob("*.tar.gz"), place.glob("*.whl")
    return archive, wheel


def files(*folders: str) -> set[str]:
    """Every file of the tree below the folders that is no product of running it."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}


def test_the_wheel_holds_code_and_content_and_nothing_else(built: tuple[Path, Path]) -> None:
    """All code and content is there, content inside the package; no test, no top-level `agents`."""
    names = set(zipfile.ZipFile(built[1]).namelist())
    metadata = {name for name in names if ".dist-info/" in name}
    assert names - metadata == files("sandbox") | {f"sandbox/content/{name}" for name in files(*CONTENT)}
    assert any(name.endswith("/licenses/LICENSE") for name in metadata)


@pytest.mark.parametrize("folder", CONTENT)
def test_each_kind_of_content_is_there(built: tuple[Path, Path], folder: str) -> None:
    """No folder of content is lost on the way."""
    assert any(name.startswith(f"sandbox/content/{folder}/") for name in zipfile.ZipFile(built[1]).namelist())


def test_the_wheel_runs_on_any_machine(built: tuple[Path, Path]) -> None:
    """The wheel is pure Python, named for the distribution, with the command `sandbox`."""
    assert re.fullmatch(r"ruleshift-[0-9.]+-py3-none-any\.whl", built[1].name)
    wheel = zipfile.ZipFile(built[1])
    (entry,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    assert "sandbox = sandbox.__main__:run" in wheel.read(entry).decode()


def test_the_source_archive_holds_what_a_developer_needs(built: tuple[Path, Path]) -> None:
    """Code, content, tests and the ways to run them are in the source archive."""
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= files("sandbox", "tests", *CONTENT)
    assert names >= {"pyproject.toml", "Makefile", "constraints.txt", "README.md", "LICENSE"}


def test_the_wheel_works_from_any_folder(built: tuple[Path, Path], tmp_path: Path) -> None:
    """Unpacked far from the source, the package finds its own content and calls the machine ready."""
    installed, elsewhere = tmp_path / "installed", tmp_path / "elsewhere"
    elsewhere.mkdir()
    zipfile.ZipFile(built[1]).extractall(installed)
    ended = subprocess.run(
        [sys.executable, "-m", "sandbox", "doctor", "--json"],
        env=os.environ | {"PYTHONPATH": str(installed)},
        cwd=elsewhere, capture_output=True, text=True, check=False,
    )  # fmt: skip
    checks = {line.get("check"): line for line in map(json.loads, ended.stdout.splitlines())}
    assert ended.returncode == 0, ended.stdout
    assert str(installed / "sandbox" / "content") in checks["content"]["detail"]


def test_every_requirement_is_pinned_by_name_and_version_alone() -> None:
    """constraints.txt is `name==version` lines, one for everything that the project asks for: no address, no hash."""
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line)] == []
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    extras = [name for names in PROJECT["optional-dependencies"].values() for name in names]
    asked = {re.split(r"[<>=~!\[ ]", name)[0].lower() for name in [*PROJECT["dependencies"], *extras]}
    assert asked <= pinned


def test_the_core_needs_nothing_heavy() -> None:
    """Playing needs no compiler, no scientific stack and no model provider."""
    core = {re.split(r"[<>=~!\[ ]", name)[0].lower() for name in PROJECT["dependencies"]}
    assert not core & {"litellm", "numpy", "scipy", "starlette", "torch"}
