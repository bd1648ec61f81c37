"""Jinja2 templates with slots: loading, checking and rendering.

`choose(name, values, kind=…, stage=…)` is a slot. It stands at the top of a template as
`{% set x = choose("name", ["usual", "other"], kind="value") %}` with literal arguments; anything else is
refused when the template is loaded. Templates are content from strangers: the environment is Jinja's
immutable sandbox, without loader, attributes or most filters, with bounds on size, loops and calls.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, Undefined, nodes
from jinja2 import Template as JinjaTemplate
from jinja2 import TemplateError as JinjaError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sandbox.errors import TemplateError, UsageError, why
from sandbox.world.keyed import digest

MAX_SOURCE, MAX_RENDERED, MAX_CALLS, MAX_LOOP = 64_000, 256_000, 2_000, 64
KINDS = ("structure", "information", "protocol", "value", "form")
_FILTERS = ("lower", "upper", "join", "length", "first", "last", "title", "capitalize")
_AXIS = {"rules": "rules", "grammars": "grammar", "observations": "observation", "feedback": "feedback"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A named choice. `values[0]` is the usual one; `stage` is what the layout needs for it to bite."""

    axis: str
    template: str
    name: str
    values: tuple[str, ...]
    kind: str
    stage: str = ""

    @property
    def full(self) -> str:
        """The slot's name in references: axis/template/name, or axis/name of the axis itself."""
        return f"{self.axis}/{self.template}/{self.name}" if self.template else f"{self.axis}/{self.name}"


class _Spent(threading.local):
    """What the rendering that runs in this thread has used up."""

    calls = 0
    written = 0


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's immutable sandbox with nothing in it that rules need not have."""

    intercepted_binops = frozenset({"+", "*", "**", "%", "//", "/"})

    def __init__(self) -> None:
        super().__init__(
            undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True, finalize=self._write
        )
        self.filters = {name: self.filters[name] for name in _FILTERS} | {"join": _join}
        self.globals.clear()
        self._spent = _Spent()

    def begin(self) -> None:
        """Start to count for another rendering."""
        self._spent.calls = self._spent.written = 0

    def _write(self, value: Any) -> Any:
        """Every value on its way into the text: what is set from a text is counted as often as it is written."""
        if isinstance(value, str):
            self._spent.written += len(value)
            if self._spent.written > MAX_RENDERED:
                raise JinjaError(f"more than {MAX_RENDERED} characters are written")
        elif not isinstance(value, int | Undefined):
            raise JinjaError(f"a {type(value).__name__} cannot be written")
        return value

    def is_safe_attribute(self, *_: Any) -> bool:
        return False

    def wrap_str_format(self, _value: Any) -> None:
        """`"…".format` is an attribute like any other."""

    def call_binop(self, _context: Any, operator: str, *_: Any) -> Any:
        raise JinjaError(f"operator {operator!r} is not part of the template language")

    def call(self, context: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:
        self._spent.calls += 1
        if self._spent.calls > MAX_CALLS:
            raise JinjaError(f"more than {MAX_CALLS} calls in one rendering")
        return super().call(context, obj, *args, **kwargs)


@lru_cache(maxsize=1)
def _environment() -> _Sandbox:
    return _Sandbox()


def _join(values: Iterable[object], between: str = "") -> str:
    """Jinja's `join`, for lists of texts: joining the letters of a text would multiply it."""
    if not isinstance(values, list | tuple):
        raise JinjaError("join puts the texts of a list together")
    return between.join(map(str, values))


def _line_of(error: BaseException) -> int:
    """The line of the template on which a rendering failed."""
    line, at = 1, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == "<template>":
            line = at.tb_lineno
        at = at.tb_next
    return line


@dataclass(frozen=True, slots=True)
class Template:
    """A loaded template: its slots in order, its digest, and the compiled Jinja template."""

    file: str
    sort: str
    name: str
    slots: tuple[Slot, ...]
    digest: str
    stages: frozenset[str]
    _compiled: JinjaTemplate

    def render(self, values: Mapping[str, str], families: Iterable[str] = ()) -> str:
        """The text under slot values (by short name), each line marked with its template line."""
        drawn = set(families)

        def choose(name: str, *_: Any, **__: Any) -> str:
            return values[name]

        def family(name: str) -> bool:
            return name in drawn

        _environment().begin()
        try:
            text = self._compiled.render(choose=choose, family=family)
        except (JinjaError, TypeError, ValueError, RecursionError, MemoryError, KeyError) as error:
            at = f"{self.file}:{_line_of(error)}"
            raise TemplateError(f"{at}: cannot be rendered: {error}", "see docs/rule-language.md") from None
        if len(text) > MAX_RENDERED:
            raise TemplateError(f"{self.file}:1: renders to more than {MAX_RENDERED} characters")
        return text


def load_template(path: Path, sort: str, name: str) -> Template:
    """Read, check and compile a template. Raises TemplateError with file and line."""
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path.name}: {why(error)}", "check the file") from None
    file = f"{sort}/{path.name}"
    if len(source) > MAX_SOURCE:
        raise TemplateError(f"{file}:1: longer than {MAX_SOURCE} characters")
    for number, line in enumerate(source.split("\n"), 1):
        if re.search(r"\{[%{#]-|-[%}#]\}", line):
            raise TemplateError(f"{file}:{number}: whitespace control is not needed here", "write {% … %}")
    environment = _environment()
    try:
        tree = environment.parse(source)
        slots = _find_slots(tree, file, _AXIS[sort], name)
        compiled = environment.from_string(_marked(source))
    except TemplateSyntaxError as error:
        raise TemplateError(f"{file}:{error.lineno}: {error.message}", "see docs/rule-language.md") from None
    except (RecursionError, SyntaxError):
        raise TemplateError(f"{file}:1: nested too deeply", "write it flatter") from None
    stages = frozenset(_stages(source))
    for slot in slots:
        if slot.stage and sort == "rules" and slot.stage not in stages:
            at = next(n for n, text in enumerate(source.split("\n"), 1) if slot.stage in text)
            raise TemplateError(
                f"{file}:{at}: slot {slot.name!r} asks for stage {slot.stage!r}, which the template lacks",
                f'add: stage "{slot.stage}" place …',
            )
    return Template(file, sort, name, slots, digest(source.encode()), stages, compiled)


def _stages(source: str) -> Iterable[str]:
    for line in source.split("\n"):
        parts = line.strip().split('"')
        if parts[0].strip() == "stage" and len(parts) >= 3:
            yield parts[1]


def _marked(source: str) -> str:
    """The source with `#@LINE` at the end of every line that does not end inside a Jinja tag."""
    lines, depth = [], 0
    for number, line in enumerate(source.split("\n"), 1):
        for opening, closing in (("{%", "%}"), ("{{", "}}"), ("{#", "#}")):
            depth += line.count(opening) - line.count(closing)
        bare = not line.strip() or line.lstrip().startswith(("{%", "{#"))
        lines.append(line if depth or bare else f"{line} #@{number}")
    return "\n".join(lines)


# --- slots ---------------------------------------------------------------------------------------
def _find_slots(tree: nodes.Template, file: str, axis: str, name: str) -> tuple[Slot, ...]:
    _check_loops(tree, file)
    top = [node for node in tree.body if isinstance(node, nodes.Assign)]
    calls = [node for node in tree.find_all(nodes.Call) if _is_choose(node)]
    allowed = {id(node.node) for node in top}
    slots: list[Slot] = []
    for call in calls:
        if id(call) not in allowed:
            raise TemplateError(
                f"{file}:{call.lineno}: choose() stands at the top of a template, outside branches and loops",
                '{% set x = choose("x", ["usual", "other"], kind="value") %}',
            )
        slots.append(_slot(call, file, axis, name))
    names = [slot.name for slot in slots]
    for number, call in enumerate(calls):
        if names[number] in names[:number]:
            raise TemplateError(f"{file}:{call.lineno}: two slots are called {names[number]!r}")
    return tuple(slots)


def _is_choose(node: nodes.Call) -> bool:
    return isinstance(node.node, nodes.Name) and node.node.name == "choose"


def _slot(call: nodes.Call, file: str, axis: str, template: str) -> Slot:
    where = f"{file}:{call.lineno}"
    try:
        args = [arg.as_const() for arg in call.args]
        options = {pair.key: pair.value.as_const() for pair in call.kwargs}
    except nodes.Impossible:
        raise TemplateError(f"{where}: choose() takes literal names and lists only") from None
    if len(args) != 2 or not isinstance(args[0], str) or not isinstance(args[1], list):
        raise TemplateError(f"{where}: choose() takes a name and a list of values")
    values = tuple(args[1])
    if len(values) < 2 or len(set(values)) != len(values) or not all(isinstance(v, str) for v in values):
        raise TemplateError(f"{where}: slot {args[0]!r} needs two or more different texts as values")
    for word in (args[0], *values):
        if not word.isidentifier():
            raise TemplateError(f"{where}: {word!r} is no name (letters, digits and _)")
    unknown = set(options) - {"kind", "stage"}
    if unknown or options.get("kind") not in KINDS:
        raise TemplateError(f"{where}: choose() needs kind=, one of {', '.join(KINDS)}; and may have stage=")
    return Slot(axis, template, args[0], values, options["kind"], str(options.get("stage", "")))


def _check_loops(tree: nodes.Template, file: str) -> None:
    """Loops run over short literal lists only, so that every rendering ends soon."""
    for node in (*tree.find_all(nodes.Include), *tree.find_all(nodes.Import), *tree.find_all(nodes.FromImport),
                 *tree.find_all(nodes.Extends)):
        raise TemplateError(f"{file}:{node.lineno}: templates stand alone; copy what you need")
    for part in tree.find_all((nodes.List, nodes.Tuple, nodes.Dict, nodes.Concat)):
        if isinstance(part, nodes.Concat) or (getattr(part, "ctx", "load") == "load" and not _literal(part)):
            raise TemplateError(
                f"{file}:{part.lineno}: lists are literal and texts are not put together with ~",
                "write one value after the other: {{ a }}{{ b }}",
            )
    loops = list(tree.find_all(nodes.For))
    for loop in loops:
        if not isinstance(loop.iter, nodes.List | nodes.Tuple) or len(loop.iter.items) > MAX_LOOP:
            raise TemplateError(f"{file}:{loop.lineno}: a loop runs over a literal list of at most {MAX_LOOP}")
        if loop.recursive or any(True for _ in loop.find_all(nodes.For)):
            raise TemplateError(f"{file}:{loop.lineno}: loops are not nested")
    if len(loops) > MAX_LOOP:
        raise TemplateError(f"{file}:1: more than {MAX_LOOP} loops")


def _literal(node: nodes.Expr) -> bool:
    try:
        node.as_const()
    except nodes.Impossible:
        return False
    return True
