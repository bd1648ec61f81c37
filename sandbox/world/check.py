"""Merged rules are refused where they say what no world could carry out; names were looked up before, in `merge`.

The compiler, the engine and the search take for granted what is held here: values of the right sort and range,
counts over one fact of each object, effects and goals whose values are fixed, `here` set by walking alone, and
reach among the needs of every action. What breaks it is a mistake in a template: each refusal names file and
line, what is wrong and what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from sandbox.errors import TemplateError, nearest
from sandbox.world import spec
from sandbox.world.spec import (
    Action, Add, Aim, And, Assign, Atom, Call, Compare, Const, Effect, Exists, Formula, Function, Kind, Law, Not,
    Or, Ordinal, Place, Rules, Start, Term, Total, Value, Var,
)

Scope: TypeAlias = Mapping[str, str]
"""Variable → kind."""

ROOTS: Final = ("room", "thing", "fixture")
WALK: Final = "go"
"""The one action that moves the player: proofs take the laws of another room after it, and after no other."""

_FACT = (False, True)


@dataclass(frozen=True, slots=True)
class Site:
    """Where a statement stands, for messages: its file and line, and the lines of its needs and effects."""

    file: str
    line: int
    needs: tuple[int, ...] = ()
    makes: tuple[int, ...] = ()

    def need(self, number: int) -> Site:
        """The place of one of its needs."""
        return replace(self, line=self.needs[number])

    def effect(self, number: int) -> Site:
        """The place of one of its effects."""
        return replace(self, line=self.makes[number])

    def error(self, message: str, hint: str | None = None) -> TemplateError:
        """The error for something wrong here."""
        return TemplateError(f"{self.file}:{self.line}: {message}", hint)

    def unknown(self, what: str, name: str, known: Iterable[str]) -> TemplateError:
        """The error for a name that does not exist, with the nearest one that does."""
        names = sorted(known)
        meant = nearest(name, names)
        hint = f"did you mean {meant!r}?" if meant else f"known: {', '.join(names[:12])}"
        return self.error(f"unknown {what} {name!r}", hint)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a statement that has names in it: where it stands, the variables in scope, and whose it is."""

    site: Site
    scope: Scope
    node: Formula | Effect | Start | Aim | Place
    owner: Action | Law | None = None


Sites: TypeAlias = Mapping[tuple[str, str], Site]
"""Sort and name of a declaration → where it stands."""


def check(rules: Rules, clauses: Iterable[Clause], sites: Sites) -> None:
    """Raise TemplateError for the first thing in a rule set that makes no sense."""
    kinds = _Kinds(rules)
    for kind in rules.kinds:
        _check_kind(kind, sites["kind", kind.name], rules)
    for function in rules.functions:
        if function.values:
            _check_function(function, sites["fact or attribute", function.name], kinds)
    _check_recursion(rules, sites)
    sense = _Sense(rules, kinds)
    for clause in clauses:
        sense.check(clause)
    for action in rules.actions:
        _check_action(action, sites["action", action.name], kinds)


class _Kinds:
    """What can be of which kind."""

    def __init__(self, rules: Rules) -> None:
        self._lines = rules.ancestry

    def meet(self, a: str, b: str) -> bool:
        """Whether an object can be of both kinds."""
        return a == b or any(a in line and b in line for line in self._lines.values())

    def within(self, kind: str, *classes: str) -> bool:
        """Whether whatever is of a kind is of one of some others."""
        lines = [line for line in self._lines.values() if kind in line]
        return kind in classes or (bool(lines) and all(line & set(classes) for line in lines))


# --- declarations --------------------------------------------------------------------------------
def _check_kind(kind: Kind, site: Site, rules: Rules) -> None:
    known = {*ROOTS, *rules.ancestry}
    if kind.parent not in known:
        raise site.unknown("parent kind", kind.parent, known)
    if not rules.ancestry[kind.name] & set(ROOTS):
        raise site.error(f"kind {kind.name!r} is below itself", "let its parents end at thing or fixture")
    drawn = [f for f in rules.functions if f.drawn]
    fitting = [f.name for f in drawn if len(f.params) == 1 and rules.kind_of(kind.name, f.params[0][1])]
    for name in kind.shows:
        if name not in fitting:
            raise site.unknown(f"drawn attribute of a {kind.name}, to be shown,", name, fitting)


def _check_function(function: Function, site: Site, kinds: _Kinds) -> None:
    name, values, params = function.name, function.values, function.params
    if len(set(values)) < len(values):
        raise site.error(f"{name!r} has a value twice", "name each value once")
    if values == (0, 1) and not _is_fact(function):
        raise site.error(f"counter {name!r} has two values only", "declare a fact, or count to 2")
    if len(function.words) > len(values):
        raise site.error(f"{name!r} has {len(function.words)} texts for {len(values)} values", "give one text a value")
    if function.drawn and len(params) != 1:
        raise site.error(f"{name!r} is drawn and takes {len(params)} things", "an attribute that is drawn takes one")
    if len(params) == 1 and any(function.words) and kinds.within(params[0][1], "room"):
        hint = "leave the texts out, and show it on a thing or fixture there"
        if not _is_fact(function) and isinstance(values[0], str):
            hint = f'write an empty text behind each value (… in {values[0]} "", …), and show it on a thing or fixture'
        raise site.error(f"{name!r} is about rooms and has texts, but no observation says what a room is like", hint)


def _check_recursion(rules: Rules, sites: Sites) -> None:
    uses = {d.name: {atom.name for atom in _atoms(d.formula)} for d in rules.derives}
    for name, direct in uses.items():
        met, left = set(direct), list(direct)
        while left:
            more = uses.get(left.pop(), set()) - met
            met |= more
            left += more
        if name in met:
            raise sites["predicate", name].error(
                f"predicate {name!r} uses itself", "say it with facts, attributes and other predicates"
            )


def _atoms(node: Formula) -> Iterator[Atom]:
    if isinstance(node, Atom):
        yield node
    elif isinstance(node, And | Or):
        for part in node.parts:
            yield from _atoms(part)
    elif isinstance(node, Not):
        yield from _atoms(node.part)
    elif isinstance(node, Exists | Total):
        yield from _atoms(node.where)


def _check_action(action: Action, site: Site, kinds: _Kinds) -> None:
    if action.name == WALK and sum(effect.change.name == spec.HERE for effect in action.makes) != 1:
        raise site.error(f"{WALK!r} has to set `here` once", "write: makes here = r")
    if action.inform or not action.params or kinds.within(action.params[0][1], "room"):
        return
    var, kind = action.params[0]
    if not any(_reaches(need.formula, var) for need in action.needs):
        raise site.error(
            f"{action.name!r} acts on a {kind} that may be out of reach, where it could not be selected",
            f"add: needs near({var}) else out_of_reach (or: needs carried({var}) else not_carried)",
        )


def _reaches(need: Formula, var: str) -> bool:
    """Whether a need implies that a variable's object is within reach."""
    if isinstance(need, And):
        return any(_reaches(part, var) for part in need.parts)
    held = Compare("=", Call(spec.PLACE, (Var(var),)), Const(spec.CARRIED))
    return need in (Atom("near", (Var(var),)), held)


def _is_fact(function: Function) -> bool:
    return function.values == _FACT and isinstance(function.values[0], bool)


# --- clauses -------------------------------------------------------------------------------------
class _Sense:
    """Checks formulas, effects, goals and placements; `_site` is the place of the one at hand.

    What only the layout reads (`place`, `start`) is not compiled and may count and nest as it likes.
    """

    def __init__(self, rules: Rules, kinds: _Kinds) -> None:
        self._rules, self._kinds = rules, kinds
        self._functions = {f.name: f for f in rules.functions}
        self._relations = {r.name: r for r in rules.relations}
        self._derives = {d.name: d for d in rules.derives}
        self._params = {d.name: d.params for d in (*rules.functions, *rules.relations, *rules.derives)}
        self._site, self._compiled = Site("?", 0), True
        self._changed: dict[str, set[tuple[str, ...]]] = {}
        for params, effects in [*((a.params, a.makes) for a in rules.actions), *((w.over, w.makes) for w in rules.laws)]:
            for effect in effects:
                scope, change = dict(params) | dict(effect.over), effect.change
                kinds_of = tuple(self._kind_of(arg, scope) or "object" for arg in change.args)
                self._changed.setdefault(change.name, set()).add(kinds_of)

    def check(self, clause: Clause) -> None:
        """Raise TemplateError if the clause makes no sense."""
        node, self._site = clause.node, clause.site
        self._compiled = not isinstance(node, Place | Start)
        if isinstance(node, Effect):
            self._effect(node, clause)
        elif isinstance(node, Start):
            self._change(node.change, clause.scope)
            self._formula(node.where, clause.scope)
        elif isinstance(node, Aim):
            self._aim(node, clause.scope)
        elif isinstance(node, Place):
            self._place(node, clause.scope)
        else:
            self._formula(node, clause.scope)

    # --- formulas
    def _formula(self, node: Formula, scope: Scope) -> None:
        if isinstance(node, And | Or):
            for part in node.parts:
                self._formula(part, scope)
        elif isinstance(node, Not):
            self._formula(node.part, scope)
        elif isinstance(node, Exists | Total):
            inner = {**scope, node.var: node.kind}
            self._formula(node.where, inner)
            if isinstance(node, Total):
                self._total(node, inner)
        elif isinstance(node, Compare):
            self._compare(node, scope)
        else:
            self._arguments(node, scope)

    def _total(self, node: Total, scope: Scope) -> None:
        if node.weight is not None:
            self._term(node.weight, scope)
            if self._sort(node.weight)[0] not in ("number", "word") or self._changes(node.weight, scope):
                raise self._site.error(
                    f"a sum adds up what never changes, not {_show(node.weight)}",
                    "sum a drawn attribute: sum weight at most 3 …",
                )
        if self._compiled and not self._countable(node.where, scope):
            var = node.var
            raise self._site.error(
                f"a count needs a condition on one changing fact of each {node.kind}, which is true of what is counted",
                f"count by carried({var}), in({var}, …), one fact or one value; what never changes may be added with `and`",
            )

    def _compare(self, node: Compare, scope: Scope) -> None:
        left, right = node.left, node.right
        ordered = node.op not in ("=", "!=")
        self._term(left, scope)
        self._term(right, scope)
        for constant, other in ((left, right), (right, left)):
            if isinstance(constant, Const) and not isinstance(other, Const):
                return self._constant(constant.value, other, ordered=ordered)
        (sort, values), (other_sort, others) = self._sort(left), self._sort(right)
        if sort != other_sort:
            raise self._unlike(left, right)
        if ordered and sort not in ("number", "word"):
            raise self._site.error(f"{_show(left)} and {_show(right)} have no order", "compare them by = or !=")
        if sort == "word" and (values != others if ordered else not set(values) & set(others)):
            raise self._site.error(
                f"{_show(left)} and {_show(right)} have different values", "compare attributes of the same values"
            )
        if sort == "object":
            self._same_place(left, right, scope)
            self._same_place(right, left, scope)
        return None

    def _constant(self, value: Value, other: Term, *, ordered: bool) -> None:
        """A value beside a term: it has to be one that the term can have."""
        sort, values = self._sort(other)
        if sort == "object":
            if not _is_place(other) or value not in (spec.CARRIED, spec.GONE):
                raise self._unlike(other, Const(value))
        elif sort == "number" and ordered and _typed(value, (0,)):
            return
        elif (values or sort != "number") and not _among(value, values):
            raise self._no_value(other, value)
        if ordered and sort in ("object", "fact"):
            raise self._site.error(f"{_show(other)} has no order", "compare it by = or !=")

    def _same_place(self, where: Term, term: Term, scope: Scope) -> None:
        """A place beside a variable: the variable stands for something that can be that place."""
        if not isinstance(term, Var):
            return
        kind = scope[term.name]
        if isinstance(where, Var):
            meets = self._kinds.meet(kind, scope[where.name])
        else:
            meets = any(self._kinds.meet(kind, c) for c in (("room",) if _is_here(where) else ("room", "holder")))
        if not meets:
            hint = f"write `kind {kind} … holds`" if _is_place(where) else None
            raise self._site.error(f"{_show(where)} is never {_show(term)}, a {kind}", hint)

    def _unlike(self, left: Term, right: Term) -> TemplateError:
        said = [f"{_show(term)} is {_SORTS[self._sort(term)[0]]}" for term in (left, right)]
        return self._site.error(f"{said[0]} and {said[1]}", "compare values of one sort")

    def _no_value(self, term: Term, value: Value) -> TemplateError:
        """The error for a value that a function cannot have."""
        assert isinstance(term, Call | Ordinal)
        sort, values = self._sort(term)
        if isinstance(term, Ordinal):
            return self._site.error(f"{value} is no number", "numbers begin with 1")
        if sort == "fact":
            return self._site.error(f"{term.name!r} is a yes-or-no fact", f"write {_show(term)} or not {_show(term)}")
        if isinstance(value, bool):
            return self._site.error(f"{term.name!r} is no yes-or-no fact", f"write {_show(term)} = {values[0]}")
        hint = f"it goes from {values[0]} to {values[-1]}" if sort == "number" else f"its values: {', '.join(map(str, values))}"
        return self._site.error(f"{value} is no value of {term.name!r}", hint)

    # --- terms
    def _arguments(self, node: Atom | Call, scope: Scope) -> None:
        """The arguments of a fact, relation, predicate or value: objects of kinds that it can be about."""
        for arg, (_, kind) in zip(node.args, self._params[node.name], strict=True):
            if self._sort(arg)[0] != "object":
                raise self._site.error(f"{node.name!r} is about objects, not {_show(arg)}", "name a variable or `here`")
            self._term(arg, scope)
            own = self._kind_of(arg, scope)
            if own is not None and not self._kinds.meet(own, kind):
                raise self._site.error(f"{node.name!r} is about a {kind}, and {_show(arg)} is a {own}", f"name a {kind}")
            fixed = isinstance(node, Call) or node.name in self._derives
            if self._compiled and fixed and self._changes(arg, scope):
                raise self._site.error(
                    f"{node.name!r} cannot be asked of {_show(arg)}, which changes",
                    f"bind it: any y: holder where ({_show(arg)} = y and …)",
                )

    def _term(self, term: Term, scope: Scope) -> None:
        if isinstance(term, Call) and not _is_here(term):
            self._arguments(term, scope)

    def _sort(self, term: Term) -> tuple[str, tuple[Value, ...]]:
        """Whether a term is an object, a number, a word or a fact, with the values that it can have, if known."""
        if isinstance(term, Var) or _is_here(term) or _is_place(term):
            return "object", ()
        if isinstance(term, Ordinal):
            return "number", ()
        values = (term.value,) if isinstance(term, Const) else self._functions[term.name].values
        if isinstance(values[0], bool):
            return "fact", _FACT
        return "number" if isinstance(values[0], int) else "word", values

    def _kind_of(self, term: Term, scope: Scope) -> str | None:
        """The kind of a term's object, or None when it is not known."""
        if isinstance(term, Var):
            return scope[term.name]
        return "room" if _is_here(term) else None

    # --- what changes
    def _changes(self, term: Term, scope: Scope) -> bool:
        """Whether some rule can change a term's value."""
        if not isinstance(term, Call) or _is_here(term):
            return False
        mine = [self._kind_of(arg, scope) for arg in term.args]
        return any(self._changes(arg, scope) for arg in term.args) or any(
            all(a is None or self._kinds.meet(a, b) for a, b in zip(mine, theirs, strict=True))
            for theirs in self._changed.get(term.name, ())
        )

    def _decided(self, node: Formula, scope: Scope) -> bool:
        """Whether the layout decides a formula once and for all."""
        if isinstance(node, And | Or):
            return all(self._decided(part, scope) for part in node.parts)
        if isinstance(node, Not):
            return self._decided(node.part, scope)
        if isinstance(node, Exists):
            return self._decided(node.where, {**scope, node.var: node.kind})
        if isinstance(node, Compare):
            return not self._changes(node.left, scope) and not self._changes(node.right, scope)
        if isinstance(node, Total):
            return False
        derive = self._derives.get(node.name)
        if derive is not None:
            return self._decided(derive.formula, self._inside(node, scope))
        return not self._changes(Call(node.name, node.args), scope)

    def _countable(self, node: Formula, scope: Scope) -> bool:
        """Whether a condition comes down to one bit that is set, or to nothing that changes."""
        if self._decided(node, scope):
            return True
        if isinstance(node, And | Or):
            left = [part for part in node.parts if not self._decided(part, scope)]
            return len(left) == 1 and self._countable(left[0], scope)
        if isinstance(node, Compare):
            one = self._changes(node.left, scope) != self._changes(node.right, scope)
            return one and node.op == "=" and self._sort(node.left)[0] != "fact"
        if isinstance(node, Atom):
            derive = self._derives.get(node.name)
            if derive is not None:
                return self._countable(derive.formula, self._inside(node, scope))
            return not any(self._changes(arg, scope) for arg in node.args)
        return False

    def _inside(self, atom: Atom, scope: Scope) -> Scope:
        """The scope of a predicate's formula, with the kinds of its arguments where it is used."""
        params = self._params[atom.name]
        return {var: self._kind_of(arg, scope) or kind for arg, (var, kind) in zip(atom.args, params, strict=True)}
