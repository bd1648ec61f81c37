"""The structural kinds of a rule set: what shapes the plans of its worlds, read off the typed tree.

    irreversible   something that a deed needs, or that can be a goal, is changed for good: a fact that no rule makes
                   true again, a counter that only falls, a thing that is gone
    ordered        one thing must come before another: a rule reads the neighbour in a sequence (`number(s-1)`), or how
                   far deeds have come, or takes two things of one kind in an order that matters
    ticking        something changes with every step
    distant        a deed, or an event, changes something that nobody need stand beside
    shared         a limit counts several things together, or a stock is used up
    hidden         states of something are not told apart by any word

Derived, not declared: a template need not say what its values are, and a value that lost its bite loses its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Final

from sandbox.world import spec
from sandbox.world.spec import (
    Add,
    And,
    Assign,
    Atom,
    Call,
    Compare,
    Const,
    Derive,
    Effect,
    Exists,
    Formula,
    Function,
    Ordinal,
    Rules,
    Total,
    Var,
)

KINDS: Final = ("irreversible", "ordered", "ticking", "distant", "shared", "hidden")
_BESIDE: Final = frozenset({"near", "carried", "side", "in"})
_OWN: Final = frozenset({spec.PLACE, spec.HERE})


def structural_kinds(rules: Rules) -> tuple[str, ...]:
    """The kinds that a rule set has, in the order of KINDS."""
    holds = {
        "irreversible": _irreversible(rules),
        "ordered": _ordered(rules),
        "ticking": any(law.each_step and law.makes for law in rules.laws),
        "distant": _distant(rules),
        "shared": any(isinstance(node, Total) for node in _nodes(_conditions(rules))) or _used_up(rules),
        "hidden": any(_indistinct(function) for function in rules.functions if function.name not in _OWN),
    }
    return tuple(kind for kind in KINDS if holds[kind])


# --- walking the tree -----------------------------------------------------------------------------
def _nodes(node: object) -> Iterator[object]:
    """A node and everything below it."""
    if isinstance(node, tuple | list):
        for part in node:
            yield from _nodes(part)
    elif is_dataclass(node):
        yield node
        for part in fields(node):
            yield from _nodes(getattr(node, part.name))


def _effects(rules: Rules) -> Iterator[Effect]:
    """Every change that deeds and laws make."""
    for action in rules.actions:
        yield from action.makes
    for law in rules.laws:
        yield from law.makes


def _conditions(rules: Rules) -> list[object]:
    """What deeds need, and what their changes and the laws depend on."""
    found: list[object] = [need.formula for action in rules.actions for need in action.needs]
    found += [law.when for law in rules.laws]
    return found + [effect.where for effect in _effects(rules)]


# --- the kinds ------------------------------------------------------------------------------------
def _irreversible(rules: Rules) -> bool:
    changes = [effect.change for effect in _effects(rules)]
    plain = {(a.name, e.change.name) for a in rules.actions for e in a.makes if not e.over and e.where == spec.TRUE}
    assigned: dict[str, set[object]] = {}
    moved: dict[str, set[bool]] = {}
    for change in changes:
        if isinstance(change, Add):
            moved.setdefault(change.name, set()).add(change.delta > 0)
        else:
            assigned.setdefault(change.name, set()).add(change.value.value if isinstance(change.value, Const) else None)
    if spec.GONE in assigned.get(spec.PLACE, ()):
        return True
    used_up = {name for name, ways in moved.items() if ways == {False} and name not in assigned}
    if used_up & {name for _, name, _ in _wanted(rules)}:
        return True
    for name, values in assigned.items():
        if len(values) == 1 and None not in values and name not in moved and name not in _OWN:
            (value,) = values
            mine = {maker for maker, changed in plain if changed == name}
            if any(asked == name and wanted != value and by not in mine for by, asked, wanted in _wanted(rules)):
                return True
    return False


def _wanted(rules: Rules) -> Iterator[tuple[str, str, object]]:
    """(who, function, value) of every test of a function in the needs of deeds and in goals."""
    for action in rules.actions:
        for need in action.needs:
            for name, value in _asked(need.formula, True):
                yield action.name, name, value
    for aim in rules.aims:
        for name, value in _asked(aim.formula, True):
            yield "", name, value


def _asked(formula: object, value: bool) -> Iterator[tuple[str, object]]:
    """The functions that a formula asks for, with the value that it wants of them."""
    if isinstance(formula, tuple):
        for part in formula:
            yield from _asked(part, value)
    elif isinstance(formula, spec.Not):
        yield from _asked(formula.part, not value)
    elif isinstance(formula, Atom):
        yield formula.name, value
    elif isinstance(formula, Compare):
        for side, other in ((formula.left, formula.right), (formula.right, formula.left)):
            if isinstance(side, Call):
                yield side.name, other.value if isinstance(other, Const) and formula.op == "=" and value else None
    elif is_dataclass(formula):
        for part in fields(formula):
            yield from _asked(getattr(formula, part.name), value)


def _ordered(rules: Rules) -> bool:
    nodes = list(_nodes(_conditions(rules)))
    if any(isinstance(node, Ordinal) and node.shift for node in nodes):
        return True
    ticked = {e.change.name for law in rules.laws if law.each_step for e in law.makes}
    by_deeds = _moved(rules, up=True) - _moved(rules, up=False) - ticked
    if any(isinstance(n, Compare) and isinstance(n.left, Call) and n.left.name in by_deeds for n in nodes):
        return True
    return any(_matters_which_first(rules, a.params, [n.formula for n in a.needs]) for a in rules.actions)


def _moved(rules: Rules, *, up: bool) -> set[str]:
    """The counters that some deed moves up, or down."""
    changes = [effect.change for action in rules.actions for effect in action.makes]
    return {change.name for change in changes if isinstance(change, Add) and (change.delta > 0) == up}


def _matters_which_first(rules: Rules, params: tuple[tuple[str, str], ...], needs: list[Formula]) -> bool:
    """Whether a deed on two things of one kind reads differently with the things exchanged."""
    if len(params) != 2 or params[0][1] != params[1][1]:
        return False
    (first, _), (second, _) = params
    derives = {derive.name: derive for derive in rules.derives}
    opened = {_key(_opened(need, derives)) for need in needs}
    swapped = {_key(_opened(_renamed(need, {first: second, second: first}), derives)) for need in needs}
    return opened != swapped


def _opened(formula: Formula, derives: dict[str, Derive]) -> Formula:
    """The formula with predicates that are defined by the rules written out, one level deep."""
    if isinstance(formula, Exists):
        return replace(formula, where=_opened(formula.where, derives))
    if isinstance(formula, And):
        return And(tuple(_opened(part, derives) for part in formula.parts))
    if isinstance(formula, Atom) and formula.name in derives:
        derive = derives[formula.name]
        names = [arg.name for arg in formula.args if isinstance(arg, Var)]
        if len(names) == len(derive.params) > 1:
            return _renamed(derive.formula, {p: n for (p, _), n in zip(derive.params, names, strict=True)})
    return formula


def _renamed(formula: Formula, names: dict[str, str]) -> Formula:
    """The formula with its variables renamed."""
    return _rename(formula, names)  # type: ignore[return-value]  # a node keeps its type


def _rename(node: object, names: dict[str, str]) -> object:
    if isinstance(node, tuple):
        return tuple(_rename(part, names) for part in node)
    if isinstance(node, Var):
        return Var(names.get(node.name, node.name))
    if isinstance(node, Ordinal):
        return replace(node, var=names.get(node.var, node.var))
    if is_dataclass(node) and not isinstance(node, type):
        parts = {part.name: getattr(node, part.name) for part in fields(node)}
        return type(node)(**{name: _rename(part, names) for name, part in parts.items()})
    return node


def _key(node: object) -> object:
    """A node written so that the order of the parts of `and` and `or` makes no difference."""
    if isinstance(node, tuple):
        return tuple(_key(part) for part in node)
    if is_dataclass(node) and not isinstance(node, type):
        keys = {part.name: _key(getattr(node, part.name)) for part in fields(node)}
        if "parts" in keys:
            return type(node).__name__, frozenset(getattr(node, "parts", ()) and keys["parts"])  # type: ignore[arg-type]
        return type(node).__name__, tuple(sorted(keys.items(), key=lambda item: item[0]))
    return node


def _distant(rules: Rules) -> bool:
    for action in rules.actions:
        params = {name for name, _ in action.params}
        if any(_reaches_far(effect, params) for effect in action.makes):
            return True
    return any(_several(law.over, law.when) and not _beside(law.when) for law in rules.laws if not law.each_step)


def _reaches_far(effect: Effect, params: set[str]) -> bool:
    """Whether a deed changes things that are neither named nor at hand. What it puts into the hands comes near."""
    if isinstance(effect.change, Assign) and effect.change.value in (Const(spec.CARRIED), Const(spec.GONE)):
        return False
    others = {name for name, _ in effect.over}
    changed = {node.name for arg in effect.change.args for node in _nodes(arg) if isinstance(node, Var)}
    if not changed & others or _beside(effect.where):
        return False
    return not any(_same(node, changed & others, params) for node in _nodes(effect.where))


def _same(node: object, changed: set[str], params: set[str]) -> bool:
    """Whether a condition says that what is changed is what was named."""
    if not isinstance(node, Compare) or node.op != "=":
        return False
    names = {term.name for term in (node.left, node.right) if isinstance(term, Var)}
    return bool(names & changed and names & params)


def _beside(condition: Formula) -> bool:
    """Whether a condition asks that something is at hand, or in one place with something else."""
    return any(isinstance(node, Atom) and node.name in _BESIDE for node in _nodes(condition)) or any(
        isinstance(node, Call) and node.name in _OWN for node in _nodes(condition)
    )


def _several(over: Iterable[object], condition: Formula) -> bool:
    """Whether a law is about more than one thing."""
    others = sum(isinstance(node, Exists | Total) for node in _nodes(condition))
    return len(tuple(over)) + others > 1


def _used_up(rules: Rules) -> bool:
    """Whether a deed draws on a counter that belongs to no single thing."""
    own = {function.name for function in rules.functions if not function.params} - _OWN
    return any(isinstance(e.change, Add) and e.change.name in own for a in rules.actions for e in a.makes)


def _indistinct(function: Function) -> bool:
    """Whether some values of a function read alike."""
    return len(set(function.words)) < len(function.values)
