"""Where content is found: templates, recipes, agents and prompts, the user's before the built-in.

Built-in content is nothing special: a folder given with `--content`, or the current folder if it holds
a `sandbox.toml`, is searched first and by the same rules.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from sandbox.errors import UnknownName, UsageError, why
from sandbox.generate.templates import Template, load_template
from sandbox.paths import builtin_content

SORTS = {
    "rules": ".rules.j2",
    "grammars": ".grammar.j2",
    "observations": ".observation.j2",
    "feedback": ".feedback.j2",
    "themes": ".toml",
    "recipes": ".toml",
    "suites": ".toml",
}


class Content:
    """The content folders, the user's first. Files are read once and checked when they are used."""

    def __init__(self, extra: Path | None = None) -> None:
        if extra is not None and not extra.is_dir():
            raise UsageError(f"content folder {str(extra)!r} does not exist", "give a folder to --content")
        self.folders = [f for f in (extra, builtin_content()) if f is not None]
        self.extra = extra
        self._texts: dict[tuple[str, str], str] = {}
        self._templates: dict[tuple[str, str], Template] = {}

    def names(self, sort: str) -> tuple[str, ...]:
        """The names of all files of a sort, sorted."""
        suffix = SORTS[sort]
        found = {
            path.name[: -len(suffix)]
            for folder in self.folders
            for path in (folder / "worlds" / sort).glob(f"*{suffix}")
        }
        return tuple(sorted(found))

    def path(self, sort: str, name: str) -> Path:
        """The file of a name. Raises UnknownName with the nearest one."""
        if "/" in name or "\\" in name or name.startswith("."):
            raise UnknownName(_SINGULAR[sort], name, self.names(sort))
        for folder in self.folders:
            path = folder / "worlds" / sort / (name + SORTS[sort])
            if path.is_file():
                return path
        raise UnknownName(_SINGULAR[sort], name, self.names(sort))

    def text(self, sort: str, name: str) -> str:
        """The text of a file, read once."""
        key = sort, name
        if key not in self._texts:
            path = self.path(sort, name)
            try:
                self._texts[key] = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError(f"cannot read {sort}/{path.name}: {why(error)}", "check the file") from None
        return self._texts[key]

    def template(self, sort: str, name: str) -> Template:
        """A loaded Jinja template of rules, grammars, observations or feedback."""
        key = sort, name
        if key not in self._templates:
            self._templates[key] = load_template(self.path(sort, name), sort, name)
        return self._templates[key]

    def recipes(self) -> tuple[str, ...]:
        """The names of the recipes."""
        return self.names("recipes")

    def agents(self) -> dict[str, Path]:
        """Agent name → its file; the user's folder wins. `_` in the name of a file is typed as `-`."""
        found: dict[str, Path] = {}
        for folder in reversed(self.folders):
            for path in sorted((folder / "agents").glob("*.py")):
                if not path.name.startswith("_"):
                    found[path.stem.replace("_", "-")] = path
        return found


_SINGULAR = {
    "rules": "rule family", "grammars": "grammar form", "observations": "observation form",
    "feedback": "feedback voice", "themes": "theme", "recipes": "recipe",
    "suites": "suite",
}


@lru_cache(maxsize=8)
def content(extra: Path | None = None) -> Content:
    """The content of a folder, shared by everything in a process that asks for the same one."""
    return Content(extra)
