"""Statements of several files → one checked `Rules`: names resolved, equal declarations merged.

Families add to the core and to each other: equal declarations merge, unequal ones are an error that
names both files. Every name is looked up here once, so that nothing after this meets an unknown one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from sandbox.errors import TemplateError, nearest
from sandbox.world import spec
from sandbox.world.spec import (
    Action, Add, Aim, And, Assign, Atom, Call, Compare, Const, Derive, Effect, Exists, Formula,
    Function, Kind, Law, Need, Not, Or, Ordinal, Place, Relation, Rules, Start, Term, Total, Var,
)
from sandbox.world.syntax import Also, Located

Scope: TypeAlias = Mapping[str, str]
Named = TypeVar("Named", Kind, Function, Relation, Derive, Action, Law)

_ROOTS = ("room", "thing", "fixture")
_CLASSES = ("object", "holder")


@dataclass(slots=True)
class _Site:
    """Where a statement stands, for messages."""

    file: str
    line: int

    def error(self, message: str, hint: str | None = None) -> TemplateError:
        return TemplateError(f"{self.file}:{self.line}: {message}", hint)

    def unknown(self, what: str, name: str, known: Iterable[str]) -> TemplateError:
        names = sorted(known)
        meant = nearest(name, names)
        hint = f"did you mean {meant!r}?" if meant else f"known: {', '.join(names[:12])}"
        return self.error(f"unknown {what} {name!r}", hint)


@dataclass(slots=True)
class _Table:
    """All declarations by sort and name, with the site of each."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    derives: dict[str, Derive] = field(default_factory=dict)
    actions: dict[str, Action] = field(default_factory=dict)
    laws: dict[str, Law] = field(default_factory=dict)
    sites: dict[tuple[str, str], _Site] = field(default_factory=dict)


def merge(files: Sequence[tuple[str, Sequence[Located]]]) -> Rules:
    """One rule set from (file name, statements) in recipe order, the core first.

    Raises TemplateError for an unknown name (with the nearest), a wrong number of arguments, an
    unbound variable, or declarations that contradict each other.
    """
    table = _Table()
    located = [(_Site(file, part.line), part.node) for file, parts in files for part in parts]
    for site, node in located:
        _declare(table, site, node)
    for site, node in located:
        if isinstance(node, Also):
            _extend(table, site, node)
    resolver = _Resolver(table)
    loose: dict[type, list[object]] = {Aim: [], Place: [], Start: []}
    hints: list[str] = []
    for site, node in located:
        resolver.site = site
        if isinstance(node, Aim | Place | Start):
            loose[type(node)].append(resolver.loose(node))
        elif isinstance(node, tuple):
            hints.extend(resolver.hint(name) for name in node)
    return Rules(
        kinds=tuple(table.kinds.values()),
        functions=tuple(_builtin() + [resolver.function(f) for f in table.functions.values()]),
        relations=tuple(table.relations.values()),
        derives=tuple(resolver.derive(d) for d in table.derives.values()),
        actions=tuple(resolver.action(a) for a in table.actions.values()),
        laws=tuple(resolver.law(law) for law in table.laws.values()),
        aims=tuple(loose[Aim]),  # type: ignore[arg-type]  # filled by type just above
        places=tuple(loose[Place]),  # type: ignore[arg-type]
        starts=tuple(loose[Start]),  # type: ignore[arg-type]
        hints=tuple(hints),
        families=tuple(file.rsplit("/", 1)[-1].split(".")[0] for file, _ in files),
    )


def _builtin() -> list[Function]:
    """`place` and `here`, whose ranges depend on the layout and stay open in the tree."""
    place = Function(spec.PLACE, (("x", "object"),), (), ())
    return [place, Function(spec.HERE, (), (), ())]


def _declare(table: _Table, site: _Site, node: object) -> None:
    if isinstance(node, Kind):
        _add(table, site, "kind", table.kinds, node)
    elif isinstance(node, Function):
        _add(table, site, "fact or attribute", table.functions, node)
    elif isinstance(node, Relation):
        _add(table, site, "relation", table.relations, node)
    elif isinstance(node, Derive):
        _add(table, site, "predicate", table.derives, node)
    elif isinstance(node, Action):
        _add(table, site, "action", table.actions, node)
    elif isinstance(node, Law):
        _add(table, site, "law", table.laws, node)


def _add(table: _Table, site: _Site, sort: str, known: dict[str, Named], node: Named) -> None:
    old = known.get(node.name)
    if old is None:
        for key, other in table.sites.items():
            clash = key[1] == node.name and {key[0], sort} <= _TESTABLE
            if clash:
                where = f"{other.file}:{other.line}"
                raise site.error(f"{node.name!r} is already a {key[0]}, declared in {where}")
        known[node.name] = node
        table.sites[sort, node.name] = site
    elif old != node:
        other = table.sites[sort, node.name]
        raise site.error(
            f"{sort} {node.name!r} differs from its declaration in {other.file}:{other.line}",
            "make both equal, or give one another name",
        )


_TESTABLE = {"fact or attribute", "relation", "predicate"}


def _extend(table: _Table, site: _Site, also: Also) -> None:
    """Add a family's clauses to an action, its parameters renamed to the action's own."""
    action = table.actions.get(also.name)
    if action is None:
        raise site.unknown("action", also.name, table.actions)
    if len(also.params) != len(action.params):
        raise site.error(f"action {also.name!r} takes {len(action.params)} things, not {len(also.params)}")
    if also.params != action.params:
        said = ", ".join(f"{v}: {k}" for v, k in action.params)
        raise site.error(f"write `also {also.name}({said})`, with the parameters of the action itself")
    table.actions[also.name] = replace(
        action, needs=action.needs + also.needs, makes=action.makes + also.makes
    )


class _Resolver:
    """Looks every name up, with the variables in scope, and rewrites bare names to what they mean."""

    def __init__(self, table: _Table) -> None:
        self._table = table
        self.site = _Site("?", 0)

    # --- declarations
    def function(self, function: Function) -> Function:
        self._at("fact or attribute", function.name)
        self._scope(function.params)
        if not function.values:
            raise self.site.error(f"{function.name!r} has no values")
        return function

    def derive(self, derive: Derive) -> Derive:
        self._at("predicate", derive.name)
        return replace(derive, formula=self.formula(derive.formula, self._scope(derive.params)))

    def action(self, action: Action) -> Action:
        self._at("action", action.name)
        scope = self._scope(action.params)
        if len(action.params) > 2:
            raise self.site.error(f"action {action.name!r} takes more than two things")
        for text in action.spellings:
            if text.count("_") != len(action.params):
                raise self.site.error(f"spelling {text!r} needs {len(action.params)} places marked _")
        needs = tuple(replace(n, formula=self.formula(n.formula, scope)) for n in action.needs)
        return replace(action, needs=needs, makes=self._effects(action.makes, scope))

    def law(self, law: Law) -> Law:
        self._at("law", law.name)
        scope = self._scope(law.over)
        return replace(law, when=self.formula(law.when, scope), makes=self._effects(law.makes, scope))

    def loose(self, node: Aim | Place | Start) -> Aim | Place | Start:
        if isinstance(node, Aim):
            scope = self._scope(node.over)
            return replace(node, formula=self.formula(node.formula, scope))
        if isinstance(node, Start):
            scope = self._scope(node.over)
            change = self._change(node.change, scope)
            assert isinstance(change, Assign)
            return replace(node, change=change, where=self.formula(node.where, scope))
        return self._place(node)

    def _place(self, node: Place) -> Place:
        self._kind(node.kind)
        scope = dict(self._scope((node.per,) if node.per else ())) | {node.var: node.kind}
        if node.at not in ("rooms", "exits", "elsewhere", "outside", spec.CARRIED, spec.GONE):
            self._kind(node.at)
        for name, left, right in node.links:
            if name not in self._table.relations:
                raise self.site.unknown("relation", name, self._table.relations)
            for end in (left, right):
                if end not in scope:
                    self._kind(end)
        return replace(node, where=self.formula(node.where, scope))

    def hint(self, name: str) -> str:
        known = {*self._table.actions, *self._table.laws, *self._table.relations}
        if name not in known:
            raise self.site.unknown("action, law or relation", name, known)
        return name

    # --- formulas
    def formula(self, node: Formula, scope: Scope) -> Formula:
        if isinstance(node, And | Or):
            return type(node)(tuple(self.formula(part, scope) for part in node.parts))
        if isinstance(node, Not):
            return Not(self.formula(node.part, scope))
        if isinstance(node, Exists):
            return replace(node, where=self.formula(node.where, self._inner(node.var, node.kind, scope)))
        if isinstance(node, Total):
            inner = self._inner(node.var, node.kind, scope)
            weight = None if node.weight is None else self._term(node.weight, inner)
            return replace(node, weight=weight, where=self.formula(node.where, inner))
        if isinstance(node, Compare):
            return self._compare(node, scope)
        return self._atom(node, scope)

    def _atom(self, atom: Atom, scope: Scope) -> Formula:
        table = self._table
        declared = (
            table.functions.get(atom.name) or table.relations.get(atom.name) or table.derives.get(atom.name)
        )
        if declared is None:
            known = {*table.functions, *table.relations, *table.derives, "in", "carried", "gone"}
            raise self.site.unknown("fact, relation or predicate", atom.name, known)
        if isinstance(declared, Function) and declared.values != (False, True):
            raise self.site.error(f"{atom.name!r} is no yes-or-no fact; compare it: {atom.name}(…) = …")
        self._arity(atom.name, len(declared.params), len(atom.args))
        return replace(atom, args=tuple(self._term(arg, scope) for arg in atom.args))

    def _compare(self, node: Compare, scope: Scope) -> Formula:
        left, right = (self._term(t, scope, loose=True) for t in (node.left, node.right))
        return replace(node, left=self._meant(left, right), right=self._meant(right, left))

    def _meant(self, term: Term, other: Term) -> Term:
        """A bare unbound name beside an attribute is one of that attribute's values."""
        if not isinstance(term, Var) or not term.name.startswith("?"):
            return term
        name = term.name[1:]
        function = self._table.functions.get(other.name) if isinstance(other, Call) else None
        if function is None:
            raise self.site.error(f"unbound variable {name!r}")
        if name not in function.values:
            raise self.site.unknown(f"value of {function.name}", name, map(str, function.values))
        return Const(name)

    def _term(self, term: Term, scope: Scope, *, loose: bool = False) -> Term:
        if isinstance(term, Var):
            if term.name in scope:
                return term
            if term.name == spec.HERE:
                return Call(spec.HERE, ())
            if loose:
                return Var("?" + term.name)
            raise self.site.unknown("variable", term.name, [*scope, spec.HERE])
        if isinstance(term, Ordinal):
            if term.var not in scope:
                raise self.site.unknown("variable", term.var, scope)
            return term
        if isinstance(term, Call):
            return self._call(term, scope)
        return term

    def _call(self, call: Call, scope: Scope) -> Term:
        if call.name not in (spec.PLACE, spec.HERE):
            function = self._table.functions.get(call.name)
            if function is None:
                raise self.site.unknown("attribute or counter", call.name, self._table.functions)
            self._arity(call.name, len(function.params), len(call.args))
        return Call(call.name, tuple(self._term(arg, scope) for arg in call.args))

    # --- effects
    def _effects(self, effects: Iterable[Effect], scope: Scope) -> tuple[Effect, ...]:
        done = []
        for effect in effects:
            inner = dict(scope)
            for var, kind in effect.over:
                inner = dict(self._inner(var, kind, inner))
            done.append(Effect(
                self._change(effect.change, inner), effect.over, self.formula(effect.where, inner)
            ))
        return tuple(done)

    def _change(self, change: Assign | Add, scope: Scope) -> Assign | Add:
        if change.name not in (spec.PLACE, spec.HERE):
            function = self._table.functions.get(change.name)
            if function is None:
                raise self.site.unknown("fact, attribute or counter", change.name, self._table.functions)
            if function.drawn:
                raise self.site.error(f"{change.name!r} is drawn with the layout and cannot change")
            self._arity(change.name, len(function.params), len(change.args))
        args = tuple(self._term(arg, scope) for arg in change.args)
        if isinstance(change, Add):
            return replace(change, args=args)
        value = self._term(change.value, scope, loose=True)
        return Assign(change.name, args, self._meant(value, Call(change.name, args)))

    # --- names
    def _at(self, sort: str, name: str) -> None:
        self.site = self._table.sites.get((sort, name), self.site)

    def _inner(self, var: str, kind: str, scope: Scope) -> Scope:
        self._kind(kind)
        if var in scope:
            raise self.site.error(f"variable {var!r} is bound twice")
        return {**scope, var: kind}

    def _scope(self, params: Iterable[tuple[str, str]]) -> Scope:
        scope: Scope = {}
        for var, kind in params:
            scope = self._inner(var, kind, scope)
        return scope

    def _kind(self, name: str) -> None:
        if name not in self._table.kinds and name not in _CLASSES and name not in _ROOTS:
            raise self.site.unknown("kind", name, [*self._table.kinds, *_CLASSES])

    def _arity(self, name: str, want: int, got: int) -> None:
        if want != got:
            raise self.site.error(f"{name!r} takes {want} things, not {got}")
