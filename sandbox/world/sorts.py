"""What terms and formulas come down to: their sort and range, whether rules can change them, what can be counted.

An analysis of one merged rule set, without a layout: what it calls fixed is fixed in every world of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from sandbox.world import spec
from sandbox.world.spec import (
    And,
    Atom,
    Call,
    Compare,
    Const,
    Effect,
    Exists,
    Formula,
    Not,
    Or,
    Ordinal,
    Rules,
    Term,
    Total,
    Value,
    Var,
)

Scope: TypeAlias = Mapping[str, str]
"""Variable → kind."""
Sort: TypeAlias = Literal["object", "number", "word", "fact"]

FACT: Final = (False, True)


class Sorts:
    """The sorts, ranges and changes of everything in a rule set."""

    def __init__(self, rules: Rules) -> None:
        self._lines = [*rules.ancestry.values(), frozenset({"object", "holder"})]  # there may be no holder yet
        self._met: dict[tuple[str, str], bool] = {}
        self.functions = {f.name: f for f in rules.functions}
        self.derives = {d.name: d for d in rules.derives}
        self.params = {f.name: f.params for f in rules.functions}
        self.params |= {r.name: r.params for r in rules.relations} | {d.name: d.params for d in rules.derives}
        self._targets: dict[str, set[tuple[str, ...]]] = {}
        for action in rules.actions:
            self._note(dict(action.params), action.makes)
        for law in rules.laws:
            self._note(dict(law.over), law.makes)

    def _note(self, scope: Scope, effects: tuple[Effect, ...]) -> None:
        """Remember which functions of which kinds the effects change."""
        for effect in effects:
            inner = {**scope, **dict(effect.over)}
            kinds = tuple(self.kind_of(arg, inner) or "object" for arg in effect.change.args)
            self._targets.setdefault(effect.change.name, set()).add(kinds)

    # --- kinds
    def meet(self, a: str, b: str) -> bool:
        """Whether an object can be of both kinds."""
        found = self._met.get((a, b))
        if found is None:
            found = self._met[a, b] = a == b or any(a in line and b in line for line in self._lines)
        return found

    def within(self, kind: str, *classes: str) -> bool:
        """Whether whatever is of a kind is of one of some others."""
        lines = [line for line in self._lines[:-1] if kind in line]
        return kind in classes or (bool(lines) and all(line & set(classes) for line in lines))

    def kind_of(self, term: Term, scope: Scope) -> str | None:
        """The kind of a term's object, or None when only the state knows it."""
        if isinstance(term, Var):
            return scope[term.name]
        return "room" if is_here(term) else None

    # --- values
    def of(self, term: Term) -> tuple[Sort, tuple[Value, ...]]:
        """The sort of a term and, for words, facts, counters and constants, the values that it can have."""
        if isinstance(term, Var) or is_here(term) or is_place(term):
            return "object", ()
        if isinstance(term, Ordinal):
            return "number", ()
        values = (term.value,) if isinstance(term, Const) else self.functions[term.name].values
        if isinstance(values[0], bool):
            return "fact", FACT
        return "number" if isinstance(values[0], int) else "word", values

    # --- what changes
    def changes(self, term: Term, scope: Scope) -> bool:
        """Whether some rule can change a term's value. The player's room is fixed: rules are compiled for each."""
        if not isinstance(term, Call) or is_here(term):
            return False
        kinds = [self.kind_of(arg, scope) for arg in term.args]
        return any(self.changes(arg, scope) for arg in term.args) or any(
            all(mine is None or self.meet(mine, theirs) for mine, theirs in zip(kinds, target, strict=True))
            for target in self._targets.get(term.name, ())
        )

    def countable(self, node: Formula, scope: Scope, var: str) -> bool:
        """Whether a condition comes down to one fact or value of each `var` that is to be there, or never changes."""
        if self._decided(node, scope):
            return True
        if isinstance(node, And | Or):
            left = [part for part in node.parts if not self._decided(part, scope)]
            return len(left) == 1 and self.countable(left[0], scope, var)
        if isinstance(node, Compare):
            one = self.changes(node.left, scope) != self.changes(node.right, scope)
            value, fixed = (node.left, node.right) if self.changes(node.left, scope) else (node.right, node.left)
            its_own = isinstance(value, Call) and Var(var) in (*value.args, fixed)
            return one and its_own and node.op == "=" and self.of(value)[0] != "fact"
        if isinstance(node, Atom) and Var(var) in node.args:
            if node.name in self.derives:
                inner, (name, _) = self._inside(node, scope), self.params[node.name][node.args.index(Var(var))]
                return self.countable(self.derives[node.name].formula, inner, name)
            return not any(self.changes(arg, scope) for arg in node.args)
        return False

    def _decided(self, node: Formula, scope: Scope) -> bool:
        """Whether the layout decides a formula once and for all."""
        if isinstance(node, And | Or):
            return all(self._decided(part, scope) for part in node.parts)
        if isinstance(node, Not):
            return self._decided(node.part, scope)
        if isinstance(node, Exists):
            return self._decided(node.where, {**scope, node.var: node.kind})
        if isinstance(node, Compare):
            return not self.changes(node.left, scope) and not self.changes(node.right, scope)
        if isinstance(node, Total):
            return False  # it may be, but is compiled as a test of the state
        if node.name in self.derives:
            return self._decided(self.derives[node.name].formula, self._inside(node, scope))
        return not self.changes(Call(node.name, node.args), scope)

    def _inside(self, atom: Atom, scope: Scope) -> Scope:
        """The scope of a predicate's formula, with the kinds of its arguments where it is used."""
        params = self.params[atom.name]
        return {var: self.kind_of(arg, scope) or kind for arg, (var, kind) in zip(atom.args, params, strict=True)}


def is_here(term: Term) -> bool:
    """Whether a term is the player's room."""
    return isinstance(term, Call) and term.name == spec.HERE


def is_place(term: Term) -> bool:
    """Whether a term is the place of an object."""
    return isinstance(term, Call) and term.name == spec.PLACE


def among(value: Value, values: tuple[Value, ...]) -> bool:
    """Whether a value is one of some, of the same type: 1 is not true."""
    return any(v == value and type(v) is type(value) for v in values)


def show(term: Term) -> str:
    """A term as it is written in rules."""
    if isinstance(term, Var):
        return term.name
    if isinstance(term, Const):
        return str(term.value)
    if isinstance(term, Ordinal):
        return f"number({term.var}{term.shift:+d})" if term.shift else f"number({term.var})"
    return "here" if is_here(term) else f"{term.name}({', '.join(map(show, term.args))})"
