"""From what a user types to a player: `NAME`, `NAME:opt=value,opt=off` or `exec:CMD`.

A new file among the agents is playable at once. A file that is not an agent, or breaks while it is
read, is the user's to mend: the error names the file and the line.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sandbox.agent.api import LEVELS, Agent
from sandbox.errors import UnknownName, UsageError

METHODS = {"begin": "briefing", "act": "turn", "end": "turn"}


@dataclass(frozen=True, slots=True)
class Kind:
    """An agent file that was read and found sound: what it is called and what it declares."""

    name: str
    about: str
    access: int
    learns: bool
    meta: bool
    model: bool
    options: Mapping[str, tuple[str, ...]]
    rest: str | None
    path: Path
    make: type[Agent]


@dataclass(frozen=True, slots=True)
class Entry:
    """A file among the agents: what it declares, or what is wrong with it."""

    name: str
    path: Path
    kind: Kind | None
    broken: str | None


@dataclass(frozen=True, slots=True)
class Player:
    """An agent ready to play, with what it was asked for."""

    kind: Kind
    options: Mapping[str, str]
    agent: Agent

    @property
    def name(self) -> str:
        """The name of the agent, without its options."""
        return self.kind.name

    @property
    def spec(self) -> str:
        """What to type after `--agent` to get this player again."""
        if self.kind.rest is not None:
            return f"{self.name}:{self.options[self.kind.rest]}"
        pairs = ",".join(f"{key}={value}" for key, value in sorted(self.options.items()))
        return f"{self.name}:{pairs}" if pairs else self.name


def load(spec: str, files: Mapping[str, Path]) -> Player:
    """The player that `spec` names among `files` (name: path). Raises UsageError for anything else."""
    name, colon, tail = spec.partition(":")
    name = name if name in files else name.replace("_", "-")
    kind = read(name, files)
    options = _options(kind, tail) if colon or kind.rest else {}
    return equip(kind, options)


def equip(kind: Kind, options: Mapping[str, str]) -> Player:
    """A player of `kind`, its options checked against those that the file declares."""
    for option, value in options.items():
        if option not in kind.options:
            raise UnknownName(f"option of agent {kind.name!r}:", option, kind.options)
        allowed = kind.options[option]
        if allowed and value not in allowed:
            raise UnknownName(f"value of {kind.name}:{option}", value, allowed)
    make = cast(Any, kind.make)  # a Protocol does not state how its classes are constructed
    try:
        agent = make(options)
    except UsageError:
        raise
    except Exception as error:  # agent files are other people's code: any failure is theirs to mend
        raise _broken(kind.path, line_of(error, kind.path), f"Agent(options) failed: {error}") from error
    return Player(kind, types.MappingProxyType(dict(options)), agent)


def read(name: str, files: Mapping[str, Path]) -> Kind:
    """The agent file called `name`, executed and checked."""
    if name not in files:
        raise UnknownName("agent", name, files)
    path = files[name]
    line, about = _outline(path)
    made = _execute(name, path).__dict__["Agent"]
    return _check(name, about, path, line, made)


def roll(files: Mapping[str, Path]) -> tuple[Entry, ...]:
    """Every agent file, by name. One that is broken says so instead of hiding the others."""
    entries = []
    for name, path in sorted(files.items()):
        try:
            entries.append(Entry(name, path, read(name, files), None))
        except UsageError as error:
            entries.append(Entry(name, path, None, error.message))
    return tuple(entries)


def _options(kind: Kind, tail: str) -> dict[str, str]:
    if kind.rest is not None:
        if not tail.strip():
            raise UsageError(
                f"agent {kind.name!r} needs its {kind.rest} after a colon",
                f"type --agent '{kind.name}:{kind.rest.upper()}'",
            )
        return {kind.rest: tail}
    found: dict[str, str] = {}
    for part in tail.split(","):
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not option or not equals:
            raise UsageError(
                f"agent {kind.name!r}: expected option=value after the colon, found {part!r}",
                f"options of {kind.name}: {', '.join(sorted(kind.options)) or '(none)'}",
            )
        if option in found:
            raise UsageError(f"agent {kind.name!r}: option {option!r} is given twice", "give it once")
        found[option] = value
    return found


def _outline(path: Path) -> tuple[int, str]:
    """The line of the one class `Agent` of a file and the first line of its docstring."""
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(f"agent file {path} cannot be read: {error.strerror}", "make it a readable file") from error
    except SyntaxError as error:
        raise _broken(path, error.lineno or 1, error.msg) from error
    except (ValueError, RecursionError) as error:
        raise _broken(path, 1, str(error)) from error
    found = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Agent"]
    if len(found) != 1:
        line = found[1].lineno if found else 1
        raise _broken(path, line, f"expected exactly one class named Agent, found {len(found)}")
    doc = ast.get_docstring(found[0]) or ast.get_docstring(tree) or ""
    return found[0].lineno, doc.strip().split("\n", 1)[0]


def _execute(name: str, path: Path) -> types.ModuleType:
    """Run an agent file as a module of its own. Not an import: no cached bytecode, no search path."""
    module = types.ModuleType(f"sandbox_agent_{name}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look their module up by name
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)  # noqa: S102 - trusted code
    except (Exception, SystemExit) as error:  # whatever a file raises is the file's fault
        what = f"{type(error).__name__}: {error}"
        raise _broken(path, line_of(error, path), what) from error
    return module


def _check(name: str, about: str, path: Path, line: int, made: Any) -> Kind:
    access = getattr(made, "access", None)
    if not isinstance(access, int) or isinstance(access, bool) or access not in LEVELS:
        raise _broken(path, line, f"class Agent needs access = 0 to {LEVELS[-1]}, found {access!r}")
    for method, argument in METHODS.items():
        body = getattr(made, method, None)
        if not callable(body):
            raise _broken(path, line, f"class Agent needs a method {method}(self, {argument})")
        try:
            inspect.signature(body).bind(None, None)
        except TypeError:
            at = getattr(getattr(body, "__code__", None), "co_firstlineno", line)
            raise _broken(path, at, f"expected {method}(self, {argument})") from None
    options = getattr(made, "options", {})
    rest = getattr(made, "rest", None)
    if not isinstance(options, Mapping) or (rest is not None and rest not in options):
        raise _broken(path, line, "options of class Agent must map each name to its allowed values")
    return Kind(
        name=name,
        about=about,
        access=access,
        learns=bool(getattr(made, "learns", False)),
        meta=bool(getattr(made, "meta", False)),
        model=bool(getattr(made, "model", False)),
        options={key: tuple(values) for key, values in options.items()},
        rest=rest,
        path=path,
        make=made,
    )


def line_of(error: BaseException, path: Path) -> int:
    """The last line of `path` that `error` passed through; 1 when it passed through none."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 1
    line, trace = 1, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _broken(path: Path, line: int, what: str) -> UsageError:
    return UsageError(f"{path}:{line}: {what}", "sandbox/agent/api.py says at its top what an agent file holds")
