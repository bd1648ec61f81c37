"""Mutants of a rule set and of a grammar, made mechanically: at least one for every node that can be wrong.

A formula is negated and its parts dropped; `and` and `or` change places; arguments are swapped, variables
replaced by others in scope; bounds, shifts and steps of counters move by one; values become other values of the
same range; needs, effects, laws are dropped or moved. Each mutant differs from the tree in one place only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sandbox.world.spec import (
    CARRIED,
    GONE,
    HERE,
    PLACE,
    Action,
    Add,
    And,
    Assign,
    Call,
    Compare,
    Const,
    Derive,
    Effect,
    Exists,
    Formula,
    Function,
    Grammar,
    Law,
    Need,
    Not,
    Or,
    Ordinal,
    Rules,
    Term,
    Total,
    Value,
    Var,
)

Node = TypeVar("Node")
Scope = Mapping[str, str]
"""Variable → kind."""

_OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "!=", "!=": "="}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A rule set with one change: in which action, law or definition, and what was done."""

    sort: str
    name: str
    what: str
    rules: Rules

    def __str__(self) -> str:
        return f"{self.sort} {self.name}: {self.what}"


Named = tuple[str, Node]


class Mutator:
    """Makes the mutants of one rule set."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._functions = {f.name: f for f in rules.functions}

    def all(self) -> Iterator[Mutant]:
        """Every mutant of the rules that run: functions, definitions, actions, laws, in this order."""
        for sort, name, variants in (
            ("function", "functions", self._function), ("derive", "derives", self._derive),
            ("action", "actions", self._action), ("law", "laws", self._law),
        ):
            nodes: tuple[Any, ...] = getattr(self.rules, name)
            for i, node in enumerate(nodes):
                for what, new in variants(node):
                    changed = (*nodes[:i], *([] if new is None else [new]), *nodes[i + 1:])
                    yield Mutant(sort, node.name, what, replace(self.rules, **{name: changed}))

    # --- declarations -------------------------------------------------------------------------
    def _function(self, node: Function) -> Iterator[Named[Function]]:
        """A counter whose range ends one earlier or later."""
        if node.values and type(node.values[-1]) is int:
            yield "range one shorter", replace(node, values=node.values[:-1], words=node.words[:-1])
            yield "range one longer", replace(node, values=(*node.values, node.values[-1] + 1), words=(*node.words, ""))

    def _derive(self, node: Derive) -> Iterator[Named[Derive]]:
        for what, formula in self.formula(node.formula, dict(node.params)):
            yield what, replace(node, formula=formula)

    def _action(self, node: Action) -> Iterator[Named[Action]]:
        if node.name == "restart":
            return
        scope = dict(node.params)
        for what, needs in _listed("need", node.needs, lambda need: self._need(need, scope)):
            yield what, replace(node, needs=needs)
        for i in range(len(node.needs) - 1):
            a, b = node.needs[i: i + 2]
            if a.cause != b.cause:
                yield f"needs {i} and {i + 1} change places", replace(node, needs=(*node.needs[:i], b, a, *node.needs[i + 2:]))
        for what, makes in _listed("effect", node.makes, lambda effect: self._effect(effect, scope)):
            yield what, replace(node, makes=makes)

    def _need(self, need: Need, scope: Scope) -> Iterator[Named[Need]]:
        yield "another cause", replace(need, cause="too_late" if need.cause != "too_late" else "wrong_state")
        for what, formula in self.formula(need.formula, scope):
            yield what, replace(need, formula=formula)

    def _law(self, node: Law) -> Iterator[Named[Law | None]]:
        scope = dict(node.over)
        yield "dropped", None
        yield "an event becomes an each-step rule, or the reverse", replace(node, each_step=not node.each_step)
        for what, formula in self.formula(node.when, scope):
            yield f"when: {what}", replace(node, when=formula)
        for what, makes in _listed("effect", node.makes, lambda effect: self._effect(effect, scope)):
            yield what, replace(node, makes=makes)

    # --- effects ------------------------------------------------------------------------------
    def _effect(self, effect: Effect, scope: Scope) -> Iterator[Named[Effect]]:
        inner = {**scope, **dict(effect.over)}
        for what, formula in self.formula(effect.where, inner):
            yield f"where: {what}", replace(effect, where=formula)
        change = effect.change
        for what, args in self._args(change.args, inner):
            yield what, replace(effect, change=replace(change, args=args))
        if isinstance(change, Add):
            yield "the other way", replace(effect, change=replace(change, delta=-change.delta))
            yield "one more", replace(effect, change=replace(change, delta=change.delta + 1))
            return
        for what, value in self.term(change.value, inner, self._range(change.name)):
            yield f"value: {what}", replace(effect, change=Assign(change.name, change.args, value))

    def _range(self, name: str) -> tuple[Value, ...]:
        """The values that a function can be set to, without rooms and holders."""
        if name == PLACE:
            return (CARRIED, GONE)
        return () if name == HERE else self._functions[name].values

    # --- formulas -----------------------------------------------------------------------------
    def formula(self, node: Formula, scope: Scope) -> Iterator[Named[Formula]]:
        """Every mutant of a formula: itself negated, and each part mutated."""
        if node == And(()):
            yield "false", Or(())
            return
        yield "negated", node.part if isinstance(node, Not) else Not(node)
        if isinstance(node, Not):
            mutants = self.formula(node.part, scope)
            yield from ((f"not: {what}", Not(part)) for what, part in mutants if what != "negated")
        elif isinstance(node, And | Or):
            yield from self._parts(node, scope)
        elif isinstance(node, Exists | Total):
            inner = {**scope, node.var: node.kind}
            for what, where in self.formula(node.where, inner):
                yield f"{node.var}: {what}", replace(node, where=where)
            if isinstance(node, Total):
                yield "bound one more", replace(node, bound=node.bound + 1)
                yield "bound one less", replace(node, bound=node.bound - 1)
                yield "at most and at least", replace(node, op=">=" if node.op == "<=" else "<=")
        elif isinstance(node, Compare):
            yield from self._compare(node, scope)
        else:
            for what, args in self._args(node.args, scope):
                yield f"{node.name}: {what}", replace(node, args=args)

    def _parts(self, node: And | Or, scope: Scope) -> Iterator[Named[Formula]]:
        word, other = ("and", Or) if isinstance(node, And) else ("or", And)
        if len(node.parts) > 1:
            yield f"{word}: the other connective", other(node.parts)
            for i in range(len(node.parts)):
                yield f"{word}: part {i} dropped", type(node)(node.parts[:i] + node.parts[i + 1:])
        for i, part in enumerate(node.parts):
            for what, new in self.formula(part, scope):
                yield f"{word} {i}: {what}", type(node)((*node.parts[:i], new, *node.parts[i + 1:]))

    def _compare(self, node: Compare, scope: Scope) -> Iterator[Named[Formula]]:
        if node.op not in ("=", "!="):
            yield f"{_OTHER[node.op]} for {node.op}", replace(node, op=_OTHER[node.op])
            yield "sides swapped", replace(node, left=node.right, right=node.left)
        if isinstance(node.left, Call) and isinstance(node.right, Call) and node.left.name == node.right.name:
            for name in self._similar(node.left.name):
                left, right = replace(node.left, name=name), replace(node.right, name=name)
                yield f"{name} for {node.left.name}", replace(node, left=left, right=right)
        for what, term in self.term(node.left, scope, self._values(node.right)):
            yield f"left: {what}", replace(node, left=term)
        for what, term in self.term(node.right, scope, self._values(node.left)):
            yield f"right: {what}", replace(node, right=term)

    def _values(self, term: Term) -> tuple[Value, ...]:
        """The values that may stand beside a term."""
        return self._range(term.name) if isinstance(term, Call) else ()

    def _similar(self, name: str) -> list[str]:
        """Other attributes of the same things."""
        mine = self._functions[name]
        return [f.name for f in self.rules.functions if f.drawn and f.params == mine.params and f.name != name]

    # --- terms --------------------------------------------------------------------------------
    def term(self, node: Term, scope: Scope, values: tuple[Value, ...] = ()) -> Iterator[Named[Term]]:
        """Every mutant of a term; `values` are those that may stand in the place of a constant."""
        if isinstance(node, Var):
            for var, kind in scope.items():
                if var != node.name and self._alike(kind, scope[node.name]):
                    yield f"{var} for {node.name}", Var(var)
        elif isinstance(node, Const):
            others = [value for value in values if value != node.value]
            yield from ((f"{value} for {node.value}", Const(value)) for value in others[:2])
        elif isinstance(node, Ordinal):
            yield "number one more", replace(node, shift=node.shift + 1)
            for var in scope:
                if var != node.var:
                    yield f"number of {var}", replace(node, var=var)
        else:
            for what, args in self._args(node.args, scope):
                yield f"{node.name}: {what}", replace(node, args=args)

    def _args(self, args: tuple[Term, ...], scope: Scope) -> Iterator[Named[tuple[Term, ...]]]:
        if len(args) == 2 and args[0] != args[1]:
            yield "arguments swapped", (args[1], args[0])
        for i, arg in enumerate(args):
            for what, new in self.term(arg, scope):
                yield what, (*args[:i], new, *args[i + 1:])

    def _alike(self, a: str, b: str) -> bool:
        """Whether a variable of one kind can stand for one of another: never a room for an object."""
        return self.rules.kind_of(a, "room") == self.rules.kind_of(b, "room")


def _listed(
    word: str, nodes: tuple[Node, ...], variants: Callable[[Node], Iterator[Named[Node]]]
) -> Iterator[Named[tuple[Node, ...]]]:
    """Every list with one entry dropped, and with one entry mutated."""
    for i, node in enumerate(nodes):
        before, after = nodes[:i], nodes[i + 1:]
        yield f"{word} {i} dropped", before + after
        for what, new in variants(node):
            yield f"{word} {i}: {what}", (*before, new, *after)


def grammars(grammar: Grammar) -> Iterator[tuple[str, Grammar]]:
    """Every grammar with one pattern changed: a word dropped, doubled or another, two tokens swapped."""
    rows = [*grammar.spellings, *([("select", (grammar.select,))] if grammar.select else [])]
    for row, (action, patterns) in enumerate(rows):
        for number, pattern in enumerate(patterns):
            for what, text in _patterns(pattern):
                new = (*patterns[:number], text, *patterns[number + 1:])
                changed = [*rows[:row], (action, new), *rows[row + 1:]]
                select = text if action == "select" else grammar.select
                spellings = tuple(changed[: len(grammar.spellings)])
                yield f"{action}, {pattern!r}: {what}", replace(grammar, spellings=spellings, select=select)


def _patterns(pattern: str) -> Iterator[tuple[str, str]]:
    tokens = pattern.split()
    for i, token in enumerate(tokens):
        others = tokens[:i] + tokens[i + 1:]
        if not token.startswith("{"):
            if others:
                yield f"{token} dropped", " ".join(others)
            yield f"{token} changed", " ".join([*tokens[:i], token + "x", *tokens[i + 1:]])
        yield f"{token} doubled", " ".join([*tokens[:i], token, *tokens[i:]])
    if "{0}" in pattern and "{1}" in pattern:
        yield "arguments swapped", pattern.replace("{0}", "{2}").replace("{1}", "{0}").replace("{2}", "{1}")
    for i in range(len(tokens) - 1):
        if tokens[i] != tokens[i + 1]:
            yield f"{tokens[i]} and {tokens[i + 1]} change places", " ".join(
                [*tokens[:i], tokens[i + 1], tokens[i], *tokens[i + 2:]]
            )
