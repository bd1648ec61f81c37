"""Statements of several files → one checked `Rules`: names resolved, equal declarations merged.

Families add to the core and to each other: equal declarations merge, unequal ones are an error that
names both files. Every name is looked up here once, so that nothing after this meets an unknown one;
whether what the names say makes sense is for `check`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from sandbox.world import spec
from sandbox.world.check import ROOTS, check
from sandbox.world.sense import SPOTS, Clause, Site
from sandbox.world.sorts import Scope
from sandbox.world.spec import (
    Action,
    Add,
    Aim,
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
    Kind,
    Law,
    Need,
    Not,
    Or,
    Ordinal,
    Place,
    Relation,
    Rules,
    Start,
    Term,
    Total,
    Var,
)
from sandbox.world.syntax import Also, AlsoWhen, Located, Lose

Named = TypeVar("Named", Kind, Function, Relation, Derive, Action, Law)
Noted = TypeVar("Noted", bound=Formula | Effect | Aim | Place | Start)
Added: TypeAlias = tuple[tuple[Need, ...], tuple[Effect, ...]]

_CLASSES = ("object", "holder")
_PLACES = ("in", spec.CARRIED, spec.GONE)
"""How the one function `place` is written."""


@dataclass(slots=True)
class _Table:
    """All declarations by sort and name, with the site of each."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    derives: dict[str, Derive] = field(default_factory=dict)
    actions: dict[str, Action] = field(default_factory=dict)
    laws: dict[str, Law] = field(default_factory=dict)
    sites: dict[tuple[str, str], Site] = field(default_factory=dict)


def merge(files: Sequence[tuple[str, Sequence[Located]]]) -> Rules:
    """One rule set from (file name, statements) in recipe order, the core first.

    Raises TemplateError for an unknown name (with the nearest), a wrong number of arguments, an
    unbound variable, declarations that contradict each other, or what `check` refuses.
    """
    table = _Table()
    located = [
        (Site(file, part.line, part.needs, part.makes), part.node) for file, parts in files for part in parts
    ]
    for site, node in located:
        _declare(table, site, node)
    resolver = _Resolver(table)
    loose: dict[type, list[object]] = {Aim: [], Place: [], Start: []}
    hints: list[str] = []
    for site, node in located:
        resolver.site = site
        if isinstance(node, Aim | Place | Start):
            loose[type(node)].append(resolver.loose(node))
        elif isinstance(node, tuple):
            hints.extend(resolver.hint(name) for name in node)
        elif isinstance(node, Also):
            resolver.also(node)
        elif isinstance(node, AlsoWhen):
            resolver.also_when(node)
    actions = [resolver.action(a) for a in table.actions.values()]
    if spec.LOST in table.functions:
        actions = [a if a.inform else replace(a, needs=(_UNLOST, *a.needs)) for a in actions]
    rules = Rules(
        kinds=tuple(table.kinds.values()),
        functions=tuple(_builtin() + [resolver.function(f) for f in table.functions.values()]),
        relations=tuple(resolver.relation(r) for r in table.relations.values()),
        derives=tuple(resolver.derive(d) for d in table.derives.values()),
        actions=tuple(actions),
        laws=tuple(resolver.law(law) for law in table.laws.values()),
        aims=tuple(loose[Aim]),  # type: ignore[arg-type]  # filled by type just above
        places=tuple(loose[Place]),  # type: ignore[arg-type]
        starts=tuple(loose[Start]),  # type: ignore[arg-type]
        hints=tuple(hints),
        families=tuple(file.rsplit("/", 1)[-1].split(".")[0] for file, _ in files),
    )
    check(rules, resolver.clauses, table.sites)
    return rules


def _builtin() -> list[Function]:
    """`place` and `here`, whose ranges depend on the layout and stay open in the tree."""
    place = Function(spec.PLACE, (("x", "object"),), (), ())
    return [place, Function(spec.HERE, (), (), ())]


_UNLOST = Need(Not(Atom(spec.LOST, ())), spec.LOST, "core")
"""What every act needs where all can be lost: from then on, only starting again helps."""


def _lose(table: _Table, site: Site, lose: Lose) -> None:
    """A `lose` statement is an event that sets the fact that all is lost."""
    table.functions.setdefault(spec.LOST, Function(spec.LOST, (), (False, True), ("", "done for")))
    table.sites.setdefault(("fact or attribute", spec.LOST), site)
    effect = Effect(Assign(spec.LOST, (), Const(True)))
    site = replace(site, makes=(site.line,))
    _add(table, site, "law", table.laws, Law(lose.name, (), lose.when, (effect,), lose.family, each_step=False))


def _declare(table: _Table, site: Site, node: object) -> None:
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
    elif isinstance(node, Lose):
        _lose(table, site, node)


def _add(table: _Table, site: Site, sort: str, known: dict[str, Named], node: Named) -> None:
    old = known.get(node.name)
    if sort in _TESTABLE and node.name in (*_PLACES, spec.PLACE, spec.HERE, spec.LOST):
        raise site.error(f"{node.name!r} is built in", "give it another name")
    if old is None:
        for key, other in table.sites.items():
            clash = key[1] == node.name and {key[0], sort} <= _TESTABLE
            if clash:
                where = f"{other.file}:{other.line}"
                raise site.error(f"{node.name!r} is already a {key[0]}, declared in {where}", "give it another name")
        known[node.name] = node
        table.sites[sort, node.name] = site
    elif old != node:
        other = table.sites[sort, node.name]
        raise site.error(
            f"{sort} {node.name!r} differs from its declaration in {other.file}:{other.line}",
            "make both equal, or give one another name",
        )


_TESTABLE = {"fact or attribute", "relation", "predicate"}


def _gaps(what: str, text: str, params: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The message and hint for a text with too few or too many gaps."""
    return f"{what} {text!r} needs {len(params)} places marked _", "one _ for each thing, in order"


class _Resolver:
    """Looks every name up, with the variables in scope, and rewrites bare names to what they mean."""

    def __init__(self, table: _Table) -> None:
        self._table = table
        self.site = Site("?", 0)
        self.clauses: list[Clause] = []
        self._added: dict[str, list[Added]] = {}
        self._narrowed: dict[str, list[Formula]] = {}

    # --- declarations
    def function(self, function: Function) -> Function:
        self._at("fact or attribute", function.name)
        self._scope(function.params)
        if not function.values:
            raise self.site.error(f"{function.name!r} has no values", "write the lower end first: in 0 .. 3")
        return function

    def relation(self, relation: Relation) -> Relation:
        self._at("relation", relation.name)
        self._scope(relation.params)
        if relation.phrase and relation.phrase.count("_") != len(relation.params):
            raise self.site.error(*_gaps("text", relation.phrase, relation.params))
        return relation

    def derive(self, derive: Derive) -> Derive:
        self._at("predicate", derive.name)
        scope = self._scope(derive.params)
        formula = self._noted(self.formula(derive.formula, scope), scope)
        added = self._narrowed.get(derive.name, [])
        parts = tuple(part for part in (formula, *added) if part != spec.TRUE)
        return replace(derive, formula=parts[0] if len(parts) == 1 else And(parts))

    def also_when(self, also: AlsoWhen) -> None:
        derive = self._table.derives.get(also.name)
        if derive is None:
            raise self.site.unknown("predicate", also.name, self._table.derives)
        self._same_params(also, derive, "predicate")
        scope = self._scope(also.params)
        formula = self._noted(self.formula(also.formula, scope), scope)
        self._narrowed.setdefault(also.name, []).append(formula)

    def action(self, action: Action) -> Action:
        self._at("action", action.name)
        scope = self._scope(action.params)
        if len(action.params) > 2:
            raise self.site.error(f"action {action.name!r} takes more than two things", "leave some out, or split it")
        for text in action.spellings:
            if text.count("_") != len(action.params):
                raise self.site.error(*_gaps("spelling", text, action.params))
        needs, makes = self._needs(action.needs, scope), self._effects(action.makes, scope, action)
        for more, further in self._added.get(action.name, ()):
            needs, makes = needs + more, makes + further
        return replace(action, needs=needs, makes=makes)

    def also(self, also: Also) -> None:
        """Resolve a family's clauses for an action declared elsewhere, and keep them for it."""
        action = self._table.actions.get(also.name)
        if action is None:
            raise self.site.unknown("action", also.name, self._table.actions)
        self._same_params(also, action, "action")
        scope = self._scope(also.params)
        added = self._needs(also.needs, scope), self._effects(also.makes, scope, action)
        self._added.setdefault(also.name, []).append(added)

    def _same_params(self, also: Also | AlsoWhen, of: Action | Derive, sort: str) -> None:
        """Refuse additions whose parameters are not, letter by letter, those of what they add to."""
        self._arity(also.name, len(of.params), len(also.params))
        if also.params != of.params:
            said = ", ".join(f"{v}: {k}" for v, k in of.params)
            raise self.site.error(
                f"`also {also.name}` has other parameters than the {sort}", f"write also {also.name}({said})"
            )

    def law(self, law: Law) -> Law:
        self._at("law", law.name)
        scope = self._scope(law.over)
        when = self._noted(self.formula(law.when, scope), scope)
        return replace(law, when=when, makes=self._effects(law.makes, scope, law))

    def loose(self, node: Aim | Place | Start) -> Aim | Place | Start:
        if isinstance(node, Place):
            return self._place(node)
        scope = self._scope(node.over)
        if isinstance(node, Aim):
            return self._noted(replace(node, formula=self.formula(node.formula, scope)), scope)
        change = self._change(node.change, scope)
        if not isinstance(change, Assign):
            raise self.site.error("a start sets a value and adds nothing", f"write start {change.name}(…) = VALUE")
        return self._noted(replace(node, change=change, where=self.formula(node.where, scope)), scope)

    def _place(self, node: Place) -> Place:
        self._kind(node.kind)
        scope = dict(self._scope((node.per,) if node.per else ())) | {node.var: node.kind}
        if node.at not in SPOTS:
            self._kind(node.at)
        for name, left, right in node.links:
            relation = self._table.relations.get(name)
            if relation is None:
                raise self.site.unknown("relation", name, self._table.relations)
            self._arity(name, len(relation.params), 2)
            for end in (left, right):
                if end not in scope:
                    self._kind(end)
        return self._noted(replace(node, where=self.formula(node.where, scope)), scope)

    def hint(self, name: str) -> str:
        known = {*self._table.actions, *self._table.laws, *self._table.relations, *self._table.derives}
        if name not in known:
            raise self.site.unknown("action, law, relation or predicate", name, known)
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
            self._no_place(atom)
            known = {*table.functions, *table.relations, *table.derives, *_PLACES}
            raise self.site.unknown("fact, relation or predicate", atom.name, known)
        if isinstance(declared, Function) and declared.values != (False, True):
            raise self.site.error(f"{atom.name!r} is no yes-or-no fact", f"compare it: {atom.name}(…) = VALUE")
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
            raise self.site.error(f"unbound variable {name!r}", "bind it, as a parameter or by `for`, `any`, …")
        if function.values == (False, True):
            said = f"{function.name}(…)"
            raise self.site.error(f"{function.name!r} is a yes-or-no fact", f"write {said} or not {said}")
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
        self._function(call, "attribute or counter")
        return Call(call.name, tuple(self._term(arg, scope) for arg in call.args))

    def _function(self, node: Call | Assign | Add, what: str) -> Function | None:
        """The declaration of what is read or changed; None for what is built in."""
        function = self._table.functions.get(node.name)
        if function is None and node.name not in (spec.PLACE, spec.HERE):
            self._no_place(node)
            raise self.site.unknown(what, node.name, {*self._table.functions, *_PLACES})
        params = len(function.params) if function else int(node.name == spec.PLACE)
        self._arity(node.name, params, len(node.args))
        return function

    def _no_place(self, node: Atom | Call | Assign | Add) -> None:
        """Refuse `in`, `carried` and `gone` where they are no test and no move of one object."""
        if node.name in _PLACES:
            self._arity(node.name, 2 if node.name == "in" else 1, len(node.args))
            raise self.site.error(f"{node.name!r} is a test of a place and has no value", "compare place(x)")

    # --- clauses
    def _needs(self, needs: Iterable[Need], scope: Scope) -> tuple[Need, ...]:
        done, site = [], self.site
        for number, need in enumerate(needs):
            self.site = site.need(number)
            done.append(replace(need, formula=self._noted(self.formula(need.formula, scope), scope)))
        self.site = site
        return tuple(done)

    def _effects(self, effects: Iterable[Effect], scope: Scope, owner: Action | Law) -> tuple[Effect, ...]:
        done, site = [], self.site
        for number, effect in enumerate(effects):
            self.site = site.effect(number)
            inner = dict(scope)
            for var, kind in effect.over:
                inner = dict(self._inner(var, kind, inner))
            change, where = self._change(effect.change, inner), self.formula(effect.where, inner)
            done.append(self._noted(Effect(change, effect.over, where), inner, owner))
        self.site = site
        return tuple(done)

    def _change(self, change: Assign | Add, scope: Scope) -> Assign | Add:
        function = self._function(change, "fact, attribute or counter")
        if function is not None and function.drawn:
            raise self.site.error(
                f"{change.name!r} is drawn with the layout and cannot change", "declare it without `drawn`"
            )
        args = tuple(self._term(arg, scope) for arg in change.args)
        if isinstance(change, Add):
            return replace(change, args=args)
        value = self._term(change.value, scope, loose=True)
        return Assign(change.name, args, self._meant(value, Call(change.name, args)))

    def _noted(self, node: Noted, scope: Scope, owner: Action | Law | None = None) -> Noted:
        """Keep a clause whose names are resolved, to be checked when the rule set is whole."""
        self.clauses.append(Clause(self.site, scope, node, owner))
        return node

    # --- names
    def _at(self, sort: str, name: str) -> None:
        self.site = self._table.sites.get((sort, name), self.site)

    def _inner(self, var: str, kind: str, scope: Scope) -> Scope:
        self._kind(kind)
        if var in scope:
            raise self.site.error(f"variable {var!r} is bound twice", "give one of them another name")
        return {**scope, var: kind}

    def _scope(self, params: Iterable[tuple[str, str]]) -> Scope:
        scope: Scope = {}
        for var, kind in params:
            scope = self._inner(var, kind, scope)
        return scope

    def _kind(self, name: str) -> None:
        if name not in self._table.kinds and name not in _CLASSES and name not in ROOTS:
            raise self.site.unknown("kind", name, [*self._table.kinds, *_CLASSES])

    def _arity(self, name: str, want: int, got: int) -> None:
        if want != got:
            raise self.site.error(f"{name!r} takes {want} things, not {got}", "name as many as its declaration")
