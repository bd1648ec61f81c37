"""A suite: worlds by reference with frozen digests, so that a result on it means the same everywhere and later.

A TOML file, `worlds/suites/NAME.toml` or any other:

    about = "One line."
    generator = "1"

    [[worlds]]
    ref = "tiny/3"
    digest = "…"
    band = "gentle"         # optional: which part of the suite the world belongs to
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sandbox import GENERATOR_VERSION
from sandbox.certify.worlds import build
from sandbox.errors import SandboxError, SuiteError, why
from sandbox.generate.content import Content, content
from sandbox.generate.problems import first_problem
from sandbox.generate.reference import parse_reference


class Entry(BaseModel):
    """A world of a suite."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    ref: str = Field(min_length=1)
    digest: str = Field(pattern=r"^[0-9a-f]{32}$")
    band: str | None = None


class Suite(BaseModel):
    """What a suite file holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    about: str = ""
    generator: str
    worlds: tuple[Entry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _different(self) -> Suite:
        (twice, times), *_ = Counter(str(parse_reference(entry.ref)) for entry in self.worlds).most_common(1)
        if times > 1:
            raise ValueError(f"worlds: {twice!r} is listed twice")
        return self


def load_suite(library: Content, name: str) -> Suite:
    """The suite of a name, or of a path that ends in .toml. Raises UnknownName, or SuiteError with what is wrong."""
    if name.endswith(".toml"):
        file, where = Path(name), name
        try:
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SuiteError(f"cannot read the suite {name!r}: {why(error)}", "check the path") from None
    else:
        text, where = library.text("suites", name), f"suites/{name}.toml"
    try:
        return Suite.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"{where}: {error}", "mend the TOML") from None
    except ValidationError as error:
        problem, hint = first_problem(error, Suite.model_fields)
        raise SuiteError(f"{where}: {problem}", hint) from None
    except SandboxError as error:
        raise SuiteError(f"{where}: {error.message}", error.hint) from None


def suite_text(about: str, entries: Iterable[Entry]) -> str:
    """A suite as a TOML file; equal entries give equal text."""
    lines = [f"about = {_quoted(about)}", f"generator = {_quoted(GENERATOR_VERSION)}"]
    for entry in entries:
        lines += ["", "[[worlds]]", f"ref = {_quoted(entry.ref)}", f"digest = {_quoted(entry.digest)}"]
        if entry.band is not None:
            lines.append(f"band = {_quoted(entry.band)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Frozen:
    """A world of a suite built again: whether it is the frozen one, and if not, why."""

    ref: str
    ok: bool
    frozen: str
    found: str | None
    why: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain JSON data."""
        return asdict(self)


def check_entry(entry: Entry, folder: Path | None = None) -> Frozen:
    """Build a world of a suite with the content of a folder and compare its digest."""
    try:
        found = build(entry.ref, content(folder)).world.digest
    except SandboxError as error:
        return Frozen(entry.ref, False, entry.digest, None, error.message)
    why = None if found == entry.digest else f"its digest is {found}, frozen is {entry.digest}"
    return Frozen(entry.ref, why is None, entry.digest, found, why)
