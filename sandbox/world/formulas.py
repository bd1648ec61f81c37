"""A formula of the tree → a closure that grounds it on the objects bound to its variables.

A formula is grounded for all rooms of the player at once (`local`), with everything static already decided.
What depends on one object at most is grounded once for each.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from sandbox.world import spec
from sandbox.world.bits import (
    FALSE,
    TRUE,
    Card,
    Clause,
    Condition,
    bit_is,
    both,
    either,
)
from sandbox.world.closures import (
    Meaning,
    Reader,
    Tester,
    conjunction,
    constant,
    disjunction,
    equal,
    relation,
    remembered,
    same,
    variable,
)
from sandbox.world.local import Grounded, Local, by_room, every, in_room, joined, some
from sandbox.world.spec import (
    And,
    Atom,
    Call,
    Compare,
    Const,
    Exists,
    Formula,
    Not,
    Ordinal,
    Term,
    Total,
    Value,
    Var,
)
from sandbox.world.values import Env, Group, Values

ROOM = "@room"
"""What `here` is bound to while a term that mentions it is grounded in each room; no variable can be called so."""

_HERE = Call(spec.HERE, ())

_ORDER: Mapping[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def mentions_here(terms: Sequence[Term]) -> bool:
    """Whether one of the terms is the player's room, or is read from it."""
    return any(isinstance(term, Call) and (term.name == spec.HERE or mentions_here(term.args)) for term in terms)


class Formulas:
    """Makes closures of the formulas and terms of one rule set on one layout."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._relation_names = {r.name for r in values.rules.relations}
        self._derives = {d.name: d for d in values.rules.derives}
        self._predicates: dict[tuple[str, bool], Callable[[tuple[str, ...]], Grounded]] = {}
        self._meanings: dict[str, dict[str, Meaning]] = {}

    def tester(self, formula: Formula, want: bool = True) -> Tester:
        """A closure that grounds the formula (or, with `want` False, its negation)."""
        if isinstance(formula, Compare):
            return self._compare(formula, want)
        if isinstance(formula, Atom):
            derive = self._derives.get(formula.name)
            return self._atom(formula, want) if derive is None else self._derived(derive, formula, want)
        if isinstance(formula, Not):
            return self.tester(formula.part, not want)
        if isinstance(formula, Exists):
            return remembered(self._exists(formula, want), _free(formula))
        if isinstance(formula, Total):
            return remembered(self._total(formula, want), _free(formula))
        parts = [self.tester(part, want) for part in formula.parts]
        if len(parts) == 1:
            return parts[0]
        return conjunction(parts) if isinstance(formula, And) == want else disjunction(parts)

    # --- many objects -------------------------------------------------------------------------
    def _exists(self, formula: Exists, want: bool) -> Tester:
        inner, var, ids = self.tester(formula.where, want), formula.var, self._values.members(formula.kind)
        end, join = (TRUE, some) if want else (FALSE, every)

        def tester(env: Env) -> Grounded:
            bound, found = env.copy(), []
            for id_ in ids:
                bound[var] = id_
                one = inner(bound)
                if one == end:
                    return end
                if one:
                    found.append(one)
            return join(found)

        return tester

    def _total(self, formula: Total, want: bool) -> Tester:
        inner, var, ids = self.tester(formula.where), formula.var, self._values.members(formula.kind)
        weigh = None if formula.weight is None else self.reader(formula.weight)
        at_most = (formula.op == "<=") == want
        bound = formula.bound if want else formula.bound + (1 if formula.op == "<=" else -1)

        def total(env: Env) -> Grounded:
            inside, weights, conditions = env.copy(), list[int](), list[Grounded]()
            for id_ in ids:
                inside[var] = id_
                weights.append(1 if weigh is None else self._number(formula.weight, weigh(inside)))
                conditions.append(inner(inside))
            return joined(conditions, lambda found: _card(weights, found, at_most, bound))

        if formula.weight is not None and mentions_here((formula.weight,)):
            return self._in_each_room(lambda env: in_room(total(env), env[ROOM]))
        return total

    def _number(self, term: Term | None, meaning: Meaning) -> int:
        """A word of a domain counts as its place in it, from 1; a number as itself."""
        if isinstance(meaning, Group):
            raise TypeError("a sum needs weights that do not change")
        if isinstance(meaning, int):
            return meaning
        assert isinstance(term, Call)
        return self._values.domains[term.name].index(meaning) + 1

    # --- single facts -------------------------------------------------------------------------
    def _compare(self, formula: Compare, want: bool) -> Tester:
        left, right = formula.left, formula.right
        if formula.op not in ("=", "!="):
            return self._leaf((left, right), self._ordered(formula, want))
        positive = (formula.op == "=") == want
        if isinstance(left, Var) and isinstance(right, Var):
            return same(left.name, right.name, positive)
        if right == _HERE and not mentions_here((left,)):
            return remembered(self._is_here(left, positive), _variables((left,)))
        return self._leaf((left, right), equal(self.reader(left), self.reader(right), positive))

    def _ordered(self, formula: Compare, want: bool) -> Callable[[Env], Condition]:
        """Whether one value comes before another: numbers by size, words by their place in their domain."""
        left, right, test = self.reader(formula.left), self.reader(formula.right), _ORDER[formula.op]
        domain = self._domain(formula.left) or self._domain(formula.right)
        rank = {value: i for i, value in enumerate(domain)} if domain else None

        def compare(a: Value, b: Value) -> bool:
            if rank is not None and isinstance(a, str):
                return test(rank[a], rank[b]) == want
            return test(int(a), int(b)) == want

        def ground(env: Env) -> Condition:
            a, b = left(env), right(env)
            if isinstance(a, Group):
                if isinstance(b, Group):
                    return either(both(a.test(x), b.test(y)) for x in a.values for y in b.values if compare(x, y))
                return either(a.test(v) for v in a.values if compare(v, b))
            if isinstance(b, Group):
                return either(b.test(v) for v in b.values if compare(a, v))
            return TRUE if compare(a, b) else FALSE

        return ground

    def _is_here(self, term: Term, positive: bool) -> Tester:
        """Whether a term is the player's room, or is not."""
        read, rooms = self.reader(term), self._values.layout.rooms
        here, other = (TRUE, FALSE) if positive else (FALSE, TRUE)

        def tester(env: Env) -> Grounded:
            found = read(env)
            if isinstance(found, Group):
                return Local({room: found.test(room, positive) for room in rooms}, other)
            return by_room({room: here for room in rooms if room == found}, other)

        return tester

    def _leaf(self, terms: Sequence[Term], ground: Callable[[Env], Condition]) -> Tester:
        """A test of terms: in each room where they depend on it, once for an object where they name only one."""
        tester: Tester = self._in_each_room(ground) if mentions_here(terms) else ground
        return remembered(tester, _variables(terms))

    def _in_each_room(self, ground: Callable[[Env], Condition]) -> Tester:
        rooms = self._values.layout.rooms

        def tester(env: Env) -> Grounded:
            bound = env.copy()
            found = {}
            for room in rooms:
                bound[ROOM] = room
                found[room] = ground(bound)
            values = list(found.values())
            other = TRUE if values.count(TRUE) > values.count(FALSE) else FALSE
            return by_room({room: condition for room, condition in found.items() if condition != other}, other)

        return tester

    def _domain(self, term: Term) -> tuple[Value, ...]:
        return self._values.domains.get(term.name, ()) if isinstance(term, Call) else ()

    def _atom(self, atom: Atom, want: bool) -> Tester:
        is_relation = atom.name in self._relation_names
        names = [ROOM if arg == _HERE else arg.name for arg in atom.args if isinstance(arg, Var) or arg == _HERE]
        if is_relation and len(names) == len(atom.args):
            return self._leaf(atom.args, relation(atom.name, names, self._values.relations, want))
        known = self._relation(atom.name, want) if is_relation else self._fact(atom.name, want)
        readers = [self.reader(arg) for arg in atom.args]

        def ground(env: Env) -> Condition:
            meanings = [read(env) for read in readers]
            for meaning in meanings:
                if isinstance(meaning, Group):
                    return either(both(guard, known(args)) for guard, args in _spread(meanings))
            return known(tuple([str(meaning) for meaning in meanings]))

        return self._leaf(atom.args, ground)

    def _relation(self, name: str, want: bool) -> Callable[[tuple[str, ...]], Condition]:
        relations = self._values.relations
        return lambda args: TRUE if ((name, args) in relations) == want else FALSE

    def _fact(self, name: str, want: bool) -> Callable[[tuple[str, ...]], Condition]:
        def known(args: tuple[str, ...]) -> Condition:
            group = self._values.groups.get((name, args))
            if group is None:
                return TRUE if bool(self._values.start_value(name, args)) == want else FALSE
            return bit_is(group.mask, want)

        return known

    def _derived(self, derive: spec.Derive, atom: Atom, want: bool) -> Tester:
        known = self._predicate(derive, want)
        readers = [self.reader(arg) for arg in atom.args]

        def ground(env: Env) -> Grounded:
            meanings = [read(env) for read in readers]
            for meaning in meanings:
                if isinstance(meaning, Group):
                    raise TypeError(f"{derive.name} needs an object, not {meaning.name}")
            return known(tuple([str(meaning) for meaning in meanings]))

        if mentions_here(atom.args):
            return self._in_each_room(lambda env: in_room(ground(env), env[ROOM]))
        return ground

    def _predicate(self, derive: spec.Derive, want: bool) -> Callable[[tuple[str, ...]], Grounded]:
        """A predicate as a function of its arguments, grounded once for each of them."""
        found = self._predicates.get((derive.name, want))
        if found is None:
            inner, names = self.tester(derive.formula, want), [name for name, _ in derive.params]
            memo: dict[tuple[str, ...], Grounded] = {}

            def known(args: tuple[str, ...]) -> Grounded:
                value = memo.get(args)
                if value is None:
                    value = memo[args] = inner(dict(zip(names, args, strict=True)))
                return value

            found = self._predicates[derive.name, want] = known
        return found

    # --- terms --------------------------------------------------------------------------------
    def reader(self, term: Term) -> Reader:
        """A closure that yields a term's value, or the bits of the function that it reads."""
        if isinstance(term, Var):
            return variable(term.name)
        if isinstance(term, Const):
            return constant(term.value)
        if isinstance(term, Ordinal):
            return self._numbered(term)
        if term.name == spec.HERE:
            return variable(ROOM)
        if len(term.args) == 1 and isinstance(term.args[0], Var):
            return self._read_one(term.name, term.args[0].name)
        return self._read(term)

    def _numbered(self, term: Ordinal) -> Reader:
        ordinals = self._values.ordinals
        return lambda env: ordinals[env[term.var]] + term.shift

    def _read(self, call: Call) -> Reader:
        args = [self.reader(arg) for arg in call.args]
        return lambda env: self._meaning(call.name, tuple([str(arg(env)) for arg in args]))

    def _read_one(self, name: str, var: str) -> Reader:
        memo = self._meanings.setdefault(name, {})

        def read(env: Env) -> Meaning:
            id_ = env[var]
            found = memo.get(id_)
            if found is None:
                found = memo[id_] = self._meaning(name, (id_,))
            return found

        return read

    def _meaning(self, name: str, ids: tuple[str, ...]) -> Meaning:
        group = self._values.groups.get((name, ids))
        return self._values.start_value(name, ids) if group is None else group


def _variables(terms: Sequence[Term]) -> set[str]:
    found: set[str] = set()
    for term in terms:
        if isinstance(term, Var):
            found.add(term.name)
        elif isinstance(term, Ordinal):
            found.add(term.var)
        elif isinstance(term, Call):
            found |= _variables(term.args)
    return found


def _free(node: object) -> set[str]:
    """The variables that a formula does not bind itself."""
    if isinstance(node, Var):
        return {node.name}
    if isinstance(node, Ordinal):
        return {node.var}
    if isinstance(node, tuple):
        return {name for part in node for name in _free(part)}
    found: set[str] = set()
    for slot in getattr(type(node), "__slots__", ()):
        found |= _free(getattr(node, slot))
    return found - {node.var} if isinstance(node, Exists | Total) else found


# --- conditions -----------------------------------------------------------------------------------
def _card(weights: Sequence[int], conditions: Sequence[Condition], at_most: bool, bound: int) -> Condition:
    """The test of a sum over the objects whose condition holds."""
    weighed: dict[int, int] = {}
    left = bound
    for weight, condition in zip(weights, conditions, strict=True):
        if condition == TRUE:
            left -= weight
        elif condition:
            weighed[weight] = weighed.get(weight, 0) | _single_bit(condition)
    if at_most and sum(w * m.bit_count() for w, m in weighed.items()) <= left:
        return TRUE
    return (Clause(0, 0, (Card(tuple(sorted(weighed.items())), at_most, left),)),)


def _single_bit(condition: Condition) -> int:
    if len(condition) != 1 or condition[0].mask != condition[0].want or condition[0].cards:
        raise TypeError("a count needs a condition on one fact of each object")
    if condition[0].mask.bit_count() != 1:
        raise TypeError("a count needs a condition on one fact of each object")
    return condition[0].mask


def _spread(meanings: list[Meaning]) -> Iterator[tuple[Condition, tuple[str, ...]]]:
    """Every way the arguments can come out, with the condition that they do."""
    options = [
        [(m.test(v), str(v)) for v in m.values] if isinstance(m, Group) else [(TRUE, str(m))]
        for m in meanings
    ]
    for combination in product(*options):
        guard = TRUE
        for condition, _ in combination:
            guard = both(guard, condition)
        yield guard, tuple(value for _, value in combination)
