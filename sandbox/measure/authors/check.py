"""A file of content under examination: what sort it is, what there is to say of it, and what was measured."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox.errors import UsageError, why
from sandbox.generate.content import SORTS, Content, content
from sandbox.measure.authors.family import check_family
from sandbox.measure.authors.lively import Lively
from sandbox.measure.authors.phrases import check_phrases
from sandbox.measure.authors.recipe import check_recipe
from sandbox.measure.authors.remark import Remark
from sandbox.measure.authors.theme import check_theme
from sandbox.measure.authors.trial import Trial
from sandbox.paths import builtin_content

_ONE: Final = {
    "rules": "family", "grammars": "grammar", "observations": "observation", "feedback": "feedback",
    "themes": "theme", "recipes": "recipe",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Report:
    """What is said of a file: problems first, then advice, each in the order of the lines."""

    path: str
    sort: str
    remarks: tuple[Remark, ...]
    lively: Lively | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing has to be mended."""
        return not any(remark.problem for remark in self.remarks)

    @property
    def why(self) -> str | None:
        """The first problem."""
        return next((str(remark) for remark in self.remarks if remark.problem), None)


def is_content(name: str) -> bool:
    """Whether an argument names a file of content rather than a world."""
    return name.endswith((".j2", ".toml"))


def home(path: Path, folder: Path | None) -> Content:
    """The content that a file belongs to: the folder that was named, else the one that the file lies in."""
    sort = path.absolute().parent
    if folder is None and sort.parent.name == "worlds" and sort.parent.parent.resolve() != builtin_content().resolve():
        folder = sort.parent.parent
    return content(folder)


def check_file(path: Path, base: Content, seeds: range, spent: Callable[[], bool]) -> Report:
    """Everything there is to say of a file. `spent` says when enough time was taken for measuring.

    Raises UsageError where the file cannot be read, or is of no sort that content has.
    """
    sort, name = _sort_of(path)
    trial = Trial(base, sort, name, path)
    lively = None
    if sort == "rules":
        remarks, lively = check_family(trial, name, seeds, spent)
    elif sort == "recipes":
        remarks = check_recipe(trial, name, seeds, spent)
    elif sort == "themes":
        remarks = check_theme(trial, name)
    else:
        remarks = check_phrases(trial, sort, name, seeds)
    return Report(str(path), _ONE[sort], tuple(sorted(dict.fromkeys(remarks), key=_order)), lively)


def _order(remark: Remark) -> tuple[bool, str, int]:
    return not remark.problem, remark.file, remark.line


def _sort_of(path: Path) -> tuple[str, str]:
    """The sort of a file and the name that it has there."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {str(path)!r}: {why(error)}", "check the path") from None
    for sort, suffix in SORTS.items():
        if suffix != ".toml" and path.name.endswith(suffix):
            return sort, path.name.removesuffix(suffix)
    if path.suffix == ".toml" and path.parent.name in ("recipes", "themes"):
        return path.parent.name, path.stem
    if path.suffix == ".toml":
        return _toml_sort(text), path.stem
    known = ", ".join(f"NAME{suffix}" for suffix in dict.fromkeys(SORTS.values()))
    raise UsageError(f"{path.name!r} is no file of content", f"name it {known}, or name a world")


def _toml_sort(text: str) -> str:
    """Recipe or theme, by its keys."""
    try:
        keys = tomllib.loads(text).keys()
    except tomllib.TOMLDecodeError:
        return "recipes"
    return "themes" if {"prior", "premises", "titles"} & keys else "recipes"
