"""Prompts: one Jinja2 file each, read by path, strict about its variables, and named in the log by its digest.

A file begins with a comment that holds `name:`, `version:` and `variables:` (their names, separated by blanks). Then
come its messages, each after a line `[system]`, `[user]` or `[assistant]`. The messages are templates of their own:
what a variable holds can never begin a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sandbox.errors import TemplateError, UnknownName, why

SUFFIX: Final = ".prompt.j2"
_ROLE: Final = re.compile(r"^\[(system|user|assistant)\][ \t]*$", re.MULTILINE)
_HEAD: Final = re.compile(r"\A\{#(.*?)#\}", re.DOTALL)
_ENVIRONMENT: Final = ImmutableSandboxedEnvironment(
    undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file. `digest` is that of its text."""

    name: str
    version: str
    about: str
    variables: tuple[str, ...]
    digest: str
    path: Path
    parts: tuple[tuple[str, jinja2.Template], ...]

    def render(self, **values: object) -> tuple[tuple[str, str], ...]:
        """The messages as (role, content). Raises TemplateError for variables that are missing or too many."""
        if odd := sorted(set(values) ^ set(self.variables)):
            raise TemplateError(f"{self.path.name}: variables {', '.join(odd)} are missing or not declared")
        try:
            return tuple((role, part.render(values).strip()) for role, part in self.parts)
        except jinja2.TemplateError as error:
            raise TemplateError(f"{self.path.name}: {error}") from None


class Prompts:
    """The prompt files of some folders, the first folder's before the others'."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._read: dict[str, Prompt] = {}

    def names(self) -> tuple[str, ...]:
        """The names of all prompts, sorted."""
        found = {path.name.removesuffix(SUFFIX) for folder in self._folders for path in folder.glob(f"*{SUFFIX}")}
        return tuple(sorted(found))

    def get(self, name: str) -> Prompt:
        """The prompt of a name. Raises UnknownName, or TemplateError for a file that is none."""
        if name not in self._read:
            path = next((f / (name + SUFFIX) for f in self._folders if (f / (name + SUFFIX)).is_file()), None)
            if path is None or "/" in name:
                raise UnknownName("prompt", name, self.names())
            self._read[name] = parse(name, path)
        return self._read[name]

    def render(self, prompt: str, /, **values: object) -> tuple[tuple[str, str], ...]:
        """The messages of a prompt, its variables filled in."""
        return self.get(prompt).render(**values)


def parse(name: str, path: Path) -> Prompt:
    """The prompt in a file. Raises TemplateError with what is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateError(f"cannot read the prompt {path.name}: {why(error)}", "check the file") from None
    head = _HEAD.match(text)
    fields = _fields(head[1]) if head else {}
    if missing := [key for key in ("name", "version", "variables") if key not in fields]:
        raise TemplateError(
            f"{path.name}: its first comment says nothing of {', '.join(missing)}",
            "begin with {# name: … / version: … / variables: … #}, each on a line of its own",
        )
    if fields["name"] != name:
        raise TemplateError(f"{path.name}: it calls itself {fields['name']!r}", f"write name: {name}")
    pieces = _ROLE.split(text)
    if len(pieces) < 3:
        raise TemplateError(f"{path.name}: it has no message", "write a line [system] or [user], then the message")
    try:
        bodies = [_ENVIRONMENT.from_string(body) for body in pieces[2::2]]
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(f"{path.name}: {error.message}") from None
    digest = blake2b(text.encode(), digest_size=8).hexdigest()
    variables = tuple(fields["variables"].split())
    parts = tuple(zip(pieces[1::2], bodies, strict=True))
    return Prompt(name, fields["version"], fields.get("about", ""), variables, digest, path, parts)


def _fields(head: str) -> Mapping[str, str]:
    pairs = (line.partition(":") for line in head.splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}
