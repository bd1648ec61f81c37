"""Clauses that make no sense are refused: formulas, effects, goals and placements, each where it stands.

Values are compared with values of their own sort and range, counts are over one fact of each object, what effects
set and goals ask for is fixed, and `here` is set by walking alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from sandbox.errors import TemplateError, nearest
from sandbox.world import spec
from sandbox.world.english import article
from sandbox.world.sorts import Scope, Sorts, among, is_here, is_place, show
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
    Effect,
    Exists,
    Formula,
    Law,
    Not,
    Or,
    Place,
    Start,
    Term,
    Total,
    Var,
)

WALK: Final = "go"
"""The one action that moves the player: proofs take the laws of another room after it, and after no other."""

SPOTS: Final = ("rooms", "exits", "loops", "elsewhere", "outside", spec.CARRIED, spec.GONE)
_SORTS: Final = {
    "object": "an object or a place", "number": "a number", "word": "a word", "fact": "a yes-or-no fact",
}


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


class Sense:
    """Checks formulas, effects, goals and placements; `_site` is the place of the one at hand.

    What only the layout reads (`place`, `start`) is not compiled: it may count and nest as it likes.
    """

    def __init__(self, sorts: Sorts) -> None:
        self._sorts = sorts
        self._site, self._compiled = Site("?", 0), True

    def check(self, clause: Clause) -> None:
        """Raise TemplateError if the clause makes no sense."""
        node, scope = clause.node, clause.scope
        self._site, self._compiled = clause.site, not isinstance(node, Place | Start)
        if isinstance(node, Effect):
            self._effect(node, scope, clause.owner)
        elif isinstance(node, Start):
            self._change(node.change, scope)
            self._formula(node.where, scope)
        elif isinstance(node, Aim):
            self._aim(node, scope)
        elif isinstance(node, Place):
            self._place(node, scope)
        else:
            self._formula(node, scope)

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
            if self._sorts.of(node.weight)[0] not in ("number", "word") or self._sorts.changes(node.weight, scope):
                raise self._site.error(
                    f"a sum adds up numbers or words that never change, not {show(node.weight)}",
                    "sum a drawn attribute, such as weight",
                )
        if self._compiled and not self._sorts.countable(node.where, scope, node.var):
            raise self._site.error(
                f"a count needs a condition on one changing fact of each {node.kind}, true of what is counted",
                f"count by carried({node.var}), in({node.var}, …), one fact or one value, "
                "and by what never changes; not by `near`, by `not`, or by two facts",
            )

    def _compare(self, node: Compare, scope: Scope) -> None:
        left, right, ordered = node.left, node.right, node.op not in ("=", "!=")
        self._term(left, scope)
        self._term(right, scope)
        if left == right:
            raise self._site.error(f"{show(left)} is compared with itself", "compare two different terms")
        (sort, values), (other, others) = self._sorts.of(left), self._sorts.of(right)
        if isinstance(left, Const) != isinstance(right, Const):
            constant, term = (left, right) if isinstance(left, Const) else (right, left)
            assert isinstance(constant, Const)
            self._constant(constant, term, ordered=ordered)
        elif sort != other:
            raise self._unlike(left, right)
        elif ordered and sort not in ("number", "word"):
            raise self._unordered(left)
        elif sort == "word" and (values != others if ordered else not set(values) & set(others)):
            raise self._site.error(
                f"{show(left)} and {show(right)} do not have the same values", "compare attributes of the same values"
            )
        elif sort == "object":
            self._same_place(left, right, scope)
            self._same_place(right, left, scope)

    def _constant(self, constant: Const, term: Term, *, ordered: bool) -> None:
        """A value beside a term: it has to be one that the term can have."""
        sort, values = self._sorts.of(term)
        if not (is_place(term) and constant.value in (spec.CARRIED, spec.GONE)):
            free = not values or (ordered and sort == "number")
            if sort != self._sorts.of(constant)[0] or not (free or among(constant.value, values)):
                raise self._no_value(term, constant)
        if ordered and sort not in ("number", "word"):
            raise self._unordered(term)

    def _same_place(self, where: Term, term: Term, scope: Scope) -> None:
        """A place beside a variable: what the variable stands for can be that place."""
        if isinstance(where, Call) and isinstance(term, Var):
            kind = scope[term.name]
            if not any(self._sorts.meet(kind, c) for c in (["room"] if is_here(where) else ["room", "holder"])):
                raise self._no_place(term, kind)

    def _no_place(self, term: Term, kind: str) -> TemplateError:
        return self._site.error(
            f"{show(term)} is {article(kind)}, and nothing can be in it",
            f"declare its kind with `holds`: kind {kind}: … holds",
        )

    def _unlike(self, left: Term, right: Term) -> TemplateError:
        said = [f"{show(term)} is {_SORTS[self._sorts.of(term)[0]]}" for term in (left, right)]
        return self._site.error(f"{said[0]} and {said[1]}: they are never equal", "compare values of one sort")

    def _unordered(self, term: Term) -> TemplateError:
        return self._site.error(f"{show(term)} has no order", "compare it by = or !=")

    def _no_value(self, term: Term, value: Term) -> TemplateError:
        """The error for a value that a function cannot have."""
        sort, values = self._sorts.of(term)
        if not isinstance(term, Call) or not values:
            return self._unlike(term, value)
        if sort == "fact":
            return self._site.error(f"{term.name!r} is a yes-or-no fact", f"write {show(term)} or not {show(term)}")
        if isinstance(value, Const) and isinstance(value.value, bool):
            return self._site.error(f"{term.name!r} is no yes-or-no fact", f"write {show(term)} = {values[0]}")
        known = f"from {values[0]} to {values[-1]}" if sort == "number" else ", ".join(map(str, values))
        return self._site.error(f"{show(value)} is no value of {term.name!r}", f"its values: {known}")

    # --- terms
    def _term(self, term: Term, scope: Scope) -> None:
        if isinstance(term, Call):
            self._arguments(term, scope)

    def _arguments(self, node: Atom | Call, scope: Scope) -> None:
        """The arguments of a fact, relation, predicate or value: objects of kinds that it can be about."""
        said = "in" if node.name == spec.PLACE else node.name
        for arg, (_, kind) in zip(node.args, self._sorts.params[node.name], strict=True):
            own = self._sorts.kind_of(arg, scope)
            if own is not None and not self._sorts.meet(own, kind):
                raise self._site.error(
                    f"{said!r} is about {article(kind)}, and {show(arg)} is {article(own)}", f"name {article(kind)}"
                )
            if own is not None:
                continue
            if self._sorts.of(arg)[0] != "object":
                raise self._site.error(f"{said!r} is about objects, not {show(arg)}", "name a variable or `here`")
            self._term(arg, scope)
            whole = isinstance(node, Call) or node.name in self._sorts.derives
            if self._compiled and whole and self._sorts.changes(arg, scope):
                raise self._site.error(
                    f"{said!r} cannot be asked of {show(arg)}, which changes",
                    f"bind it: any y: object where ({show(arg)} = y and …)",
                )

    # --- effects and starts
    def _effect(self, effect: Effect, scope: Scope, owner: Action | Law | None) -> None:
        if isinstance(owner, Action) and owner.inform:
            raise self._site.error(
                f"{owner.name!r} only informs and cannot change anything", "leave `makes` out, or declare an `action`"
            )
        if effect.change.name == spec.HERE:
            if not isinstance(owner, Action) or owner.name != WALK:
                raise self._site.error(
                    f"only the action {WALK!r} may set `here`", f"leave it out; add to walking with `also {WALK}`"
                )
            if effect.over or effect.where != spec.TRUE:
                raise self._site.error(f"{WALK!r} has to set `here` in any case", "put the condition into a need")
        self._change(effect.change, scope)
        self._formula(effect.where, scope)

    def _change(self, change: Assign | Add, scope: Scope) -> None:
        target = Call(change.name, change.args)
        self._arguments(target, scope)
        for arg in change.args:
            if not isinstance(arg, Var) and not is_here(arg):
                raise self._site.error(
                    f"a change names its object, not {show(arg)}",
                    f"bind it: {change.name}(y) … for y: object where {show(arg)} = y",
                )
        if isinstance(change, Add):
            if self._sorts.of(target)[0] != "number":
                raise self._site.error(
                    f"only a counter can be added to, not {show(target)}", f"set it: {show(target)} = …"
                )
        elif self._sorts.of(target)[0] == "object":
            self._destination(change, scope)
        else:
            self._value(target, change.value, scope)

    def _destination(self, change: Assign, scope: Scope) -> None:
        """Where an object, or the player, is moved to."""
        to = change.value
        if change.name == spec.PLACE:
            if to in (Const(spec.CARRIED), Const(spec.GONE)):
                return
            self._fixed(to, scope, f"in({show(change.args[0])}, y)")
        if isinstance(to, Var):
            classes = ("room",) if change.name == spec.HERE else ("room", "holder")
            if not self._sorts.within(scope[to.name], *classes):
                raise self._no_place(to, scope[to.name])
        elif not is_here(to) and not (is_place(to) and change.name == spec.PLACE):
            what = "a room" if change.name == spec.HERE else "a room, `here` or a holder"
            raise self._site.error(f"nothing can be moved to {show(to)}", f"name {what}")

    def _value(self, target: Call, value: Term, scope: Scope) -> None:
        """What a fact, attribute or counter is set to: a value of its range, whatever the state."""
        self._fixed(value, scope, f"{show(target)} = VALUE")
        sort, values = self._sorts.of(target)
        other, others = self._sorts.of(value)
        if not isinstance(value, Const | Call) or sort != other or not all(among(v, values) for v in others):
            raise self._no_value(target, value)

    def _fixed(self, value: Term, scope: Scope, instead: str) -> None:
        self._term(value, scope)
        if self._compiled and self._sorts.changes(value, scope):
            raise self._site.error(
                f"an effect cannot set {show(value)}, a value that changes",
                f"write an effect for each value: {instead} for y: object where {show(value)} = …",
            )

    # --- goals and placements
    def _aim(self, aim: Aim, scope: Scope) -> None:
        self._formula(aim.formula, scope)
        literal = aim.formula.parts[0] if isinstance(aim.formula, And) else aim.formula
        if isinstance(literal, Not):
            literal = literal.part
        if isinstance(literal, Atom) and literal.name in self._sorts.functions:
            args, fixed = literal.args, True
        elif isinstance(literal, Compare) and isinstance(literal.left, Call) and literal.op == "=":
            args, fixed = literal.left.args, isinstance(literal.right, Const | Var)
        else:
            raise self._site.error(
                "a goal is one fact, or one value compared by =", "write goal f(x), not f(x), f(x) = VALUE, in(x, y), …"
            )
        moves = isinstance(literal, Compare) and is_here(literal.left)
        if not fixed or moves or not all(isinstance(arg, Var) for arg in args):
            raise self._site.error(
                "a goal is about objects that are bound by `for`", "name them: goal in(x, r) for x: thing, r: room"
            )

    def _place(self, place: Place, scope: Scope) -> None:
        self._formula(place.where, scope)
        if not self._sorts.within(place.kind, "thing", "fixture"):
            raise self._site.error(f"{article(place.kind)} cannot be placed", "place a kind of thing or fixture")
        if place.at in ("exits", "loops") and not self._sorts.within(place.kind, "door"):
            raise self._site.error(f"{article(place.kind)} is no door and cannot be on an exit", "place it in rooms")
        if place.at not in SPOTS and not self._sorts.within(place.at, "holder"):
            declare = f"declare the kind with `holds`: kind {place.at}: … holds"
            hint = "write `in rooms`" if place.at == "room" else declare
            raise self._site.error(f"nothing can be placed in {article(place.at)}", hint)
        for name, *ends in place.links:
            params = self._sorts.params[name]
            for end, (_, kind) in zip(ends, params, strict=True):
                own = scope.get(end, end)
                if not self._sorts.meet(own, kind):
                    raise self._site.error(
                        f"{name!r} is about {article(kind)}, not {article(own)}", f"name {article(kind)}"
                    )
