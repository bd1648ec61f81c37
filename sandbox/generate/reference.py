"""World references: `[RECIPE/]SEED[~EDIT]…`, parsed and written back in one canonical form."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from sandbox.errors import ReferenceError_, nearest
from sandbox.world.world import AXES

REDRAWN = ("layout", "task", "theme")
_HELP = "a reference is [RECIPE/]SEED[~EDIT]…, e.g. 7, tiny/7, 7~rules, 7~rules/lock/match=shape, 7~task.3"


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: a slot with its value, an axis (first that matters, or `all`), or a part drawn anew."""

    target: str
    value: str | None = None
    number: int = 1
    all: bool = False

    def __str__(self) -> str:
        if self.value is not None:
            return f"{self.target}={self.value}"
        if self.all:
            return f"{self.target}.all"
        return self.target if self.number == 1 else f"{self.target}.{self.number}"


@dataclass(frozen=True, slots=True)
class Reference:
    """A parsed reference. `path` is set instead of recipe and seed for an exported world."""

    recipe: str
    seed: str
    edits: tuple[Edit, ...] = ()
    path: str | None = None

    def __str__(self) -> str:
        base = self.path or (self.seed if self.recipe == "default" else f"{self.recipe}/{self.seed}")
        return "~".join([base, *map(str, self.edits)])

    def base(self) -> Reference:
        """The reference without its edits."""
        return Reference(self.recipe, self.seed, (), self.path)


def parse_reference(text: str) -> Reference:
    """The parts of a reference. Raises ReferenceError_ that names what is wrong and how it should look."""
    base, *edits = text.split("~")
    parsed = tuple(_edit(edit, text) for edit in edits)
    if base.endswith(".json"):
        return Reference("", "", parsed, base)
    recipe, slash, seed = base.rpartition("/")
    if slash and (not recipe or "/" in recipe):
        raise ReferenceError_(f"cannot read the world reference {text!r}: {base!r} is no RECIPE/SEED", _HELP)
    seed = unicodedata.normalize("NFC", seed)
    if not seed:
        raise ReferenceError_(f"the world reference {text!r} has no seed", _HELP)
    bad = next((c for c in seed if unicodedata.category(c) in ("Cc", "Cs")), None)
    if bad is not None:
        raise ReferenceError_(f"the seed in {text!r} holds the control character U+{ord(bad):04X}", _HELP)
    return Reference(recipe or "default", seed, parsed)


def _edit(text: str, whole: str) -> Edit:
    name, equals, value = text.partition("=")
    axis = name.partition("/")[0]
    if equals:
        if not value or not re.fullmatch(r"[a-z_]+(/\w+){1,2}", name):
            raise ReferenceError_(f"{text!r} in {whole!r} is no slot edit", "write AXIS/TEMPLATE/SLOT=VALUE")
        if axis not in AXES:
            raise _unknown(axis, whole)
        return Edit(name, value)
    found = re.fullmatch(r"([a-z]+)(?:\.(all|[1-9][0-9]{0,5}))?", text)
    if not found or found[1] not in (*AXES, *REDRAWN):
        raise _unknown(text.partition(".")[0].partition("/")[0], whole)
    target, number = found[1], found[2]
    if number == "all":
        if target in REDRAWN:
            raise ReferenceError_(f"{text!r} in {whole!r}: only an axis has .all", f"write ~{target} or ~{target}.2")
        return Edit(target, all=True)
    if number and target in AXES:
        raise ReferenceError_(f"{text!r} in {whole!r}: only layout, task and theme take a number", f"write ~{target}")
    return Edit(target, number=int(number or 1))


def _unknown(name: str, whole: str) -> ReferenceError_:
    known = (*AXES, *REDRAWN)
    meant = nearest(name, known)
    hint = f"did you mean {meant!r}?" if meant else f"axes: {', '.join(AXES)}; or {', '.join(REDRAWN)}"
    return ReferenceError_(f"unknown axis {name!r} in {whole!r}", hint)
