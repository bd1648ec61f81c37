"""What can be read off a family's text: slots that nothing reads, names that nothing uses, kinds that nobody places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Final

from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sandbox.measure.authors.remark import Remark
from sandbox.measure.authors.source import Source
from sandbox.world.spec import Atom, Call, Function, Kind, Relation

_NOUNS: Final = 3


def check_wording(source: Source) -> Iterator[Remark]:
    """Everything that the text alone gives away."""
    yield from _slots(source)
    yield from _names(source)
    yield from _kinds(source)
    yield from _hints(source)
    yield from _goals(source)


# --- slots ----------------------------------------------------------------------------------------
def _slots(source: Source) -> Iterator[Remark]:
    file, slots = source.template.file, source.template.slots
    read = _read_names(source.text)
    named = {call: variable for variable, call in _assigned(source.text)}
    for slot in slots:
        line, variable = source.slot_line(slot), named.get(slot.name, slot.name)
        if variable not in read:
            yield Remark(
                file, line, "slot", f"slot {slot.name!r} changes nothing: no line reads {variable!r}",
                f'let it decide something: {{% if {variable} == "{slot.values[1]}" %}} … {{% endif %}}',
                about=slot.full,
            )
            continue
        yield from _same_text(source, slot.name, slot.values, line)
    if slots and not any(slot.kind == "structure" for slot in slots):
        yield Remark(
            file, source.slot_line(slots[0]), "slot", "no slot is of kind structure: plans keep one shape",
            "let one decide whether something is kept or spent, free or in order, here or elsewhere", problem=False,
        )
    if not slots:
        yield Remark(
            file, 1, "slot", "there is no slot: every world has the same rules of this family",
            '{% set after = choose("after", ["kept", "spent"], kind="structure", stage="…") %}', problem=False,
        )


def _same_text(source: Source, name: str, values: tuple[str, ...], line: int) -> Iterator[Remark]:
    """Values that leave the same rules, whatever the other slots are."""
    for number, value in enumerate(values):
        for earlier in values[:number]:
            if all(
                source.statements({**other, name: value}) == source.statements({**other, name: earlier})
                for _, other in source.variants
            ):
                yield Remark(
                    source.template.file, line, "value",
                    f"values {earlier!r} and {value!r} of slot {name!r} leave the same rules",
                    f"let a line ask for {value!r}, or take it out",
                )
                break


def _read_names(text: str) -> set[str]:
    tree = ImmutableSandboxedEnvironment().parse(text)
    return {node.name for node in tree.find_all(nodes.Name) if node.ctx == "load"}


def _assigned(text: str) -> Iterator[tuple[str, str]]:
    """The variable of each slot and the slot's name."""
    for found in re.finditer(r'set\s+(\w+)\s*=\s*choose\(\s*"(\w+)"', text):
        yield found[1], found[2]


# --- names ----------------------------------------------------------------------------------------
def _names(source: Source) -> Iterator[Remark]:
    """Facts and relations that no condition asks for, in this family or any other."""
    asked = {name for part in source.located for name in _asked(part.node)}
    others = _other_texts(source)
    for part in source.located:
        node = part.node
        if not isinstance(node, Function | Relation) or node.name in asked:
            continue
        if re.search(rf"\b{node.name}\(", others) or (isinstance(node, Function) and any(node.words)):
            continue  # what is shown informs
        what = "relation" if isinstance(node, Relation) else "fact" if node.values == (False, True) else "value"
        yield Remark(
            source.template.file, part.line, "unused",
            f"nothing depends on the {what} {node.name!r}: no need, condition or goal asks for it",
            f"ask for it (needs {node.name}(…) else …, goal {node.name}(…)), or take it out", problem=False,
        )


def _asked(node: object) -> Iterator[str]:
    """The names that a statement tests: everything but what it sets."""
    if isinstance(node, Atom | Call):
        yield node.name
    if isinstance(node, Function | Relation | Kind):
        return
    if isinstance(node, tuple | list):
        for part in node:
            yield from _asked(part)
    elif is_dataclass(node):
        for field in fields(node):
            yield from _asked(getattr(node, field.name))


def _other_texts(source: Source) -> str:
    content, mine = source.content, source.template.name
    return "\n".join(content.path("rules", n).read_text(encoding="utf-8") for n in content.names("rules") if n != mine)


def _kinds(source: Source) -> Iterator[Remark]:
    """Kinds of which no object is ever placed, and kinds with few nouns."""
    rules, file = source.rules, source.template.file
    placed = {place.kind for _, place in source.places}
    core = source.core_kinds
    for part in source.located:
        kind = part.node
        if not isinstance(kind, Kind) or kind.name in core:
            continue
        below = {k.name for k in rules.kinds if rules.kind_of(k.name, kind.name)}
        if not below & placed:
            elsewhere = re.search(rf"\bplace\s+(\d+\s+)?{kind.name}\b", _other_texts(source))
            yield Remark(
                file, part.line, "kind", f"no {kind.name} is ever placed" + (" by this family" if elsewhere else ""),
                f'add: stage "…" place {kind.name}', problem=not elsewhere,
            )
        elif kind.name in placed and len(_nouns(source, kind)) < _NOUNS:
            yield Remark(
                file, part.line, "nouns", f"kind {kind.name!r} has fewer than {_NOUNS} nouns of its own",
                f'name three or more: kind {kind.name}: {kind.parent} called "…", "…", "…"', problem=False,
            )


def _nouns(source: Source, kind: Kind) -> tuple[str, ...]:
    """The nouns of a kind: its own, or those of the kind above it if that is not one of the core."""
    above = next((k for k in source.rules.kinds if k.name == kind.parent), kind)
    return kind.called if kind.called or above.name in source.core_kinds else _nouns(source, above)


def _hints(source: Source) -> Iterator[Remark]:
    """Hints that tell nothing new, and a family of which nothing is told."""
    seen: dict[str, int] = {}
    for part in source.located:
        for name in part.node if isinstance(part.node, tuple) else ():
            if seen.setdefault(name, part.line) != part.line:
                yield Remark(
                    source.template.file, part.line, "hint", f"{name!r} is hinted at twice",
                    f"line {seen[name]} does it", problem=False,
                )
    if not seen:
        some = [*source.actions, *source.laws]
        yield Remark(
            source.template.file, 1, "hint", "nothing may be told: there is no hint",
            f"add: hint {', '.join(some[:3]) or 'NAME'}", problem=False,
        )


def _goals(source: Source) -> Iterator[Remark]:
    if not source.aims and source.actions:
        facts = [p.node for p in source.located if isinstance(p.node, Function) and p.node.params]
        first = next((f.name for f in facts if f.values == (False, True)), "FACT")
        yield Remark(
            source.template.file, 1, "goal", "no goal asks for anything of this family: plans need it only by chance",
            f"add: goal {first}(x) for x: KIND", problem=False,
        )
