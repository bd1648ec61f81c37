"""A rule set + a layout → bits, conditions and changes, for one room of the player at a time.

The tree is turned into closures once; a closure takes the objects bound to variables and the player's
room and yields a condition or changes with everything static already decided. What never changes (a
colour, an exit, where a fixture stands) costs nothing afterwards.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeAlias

from sandbox.world import spec
from sandbox.world.bits import FALSE, TRUE, Card, Change, Clause, Condition, bit_is, both, either
from sandbox.world.spec import (
    Action, Add, And, Assign, Atom, Call, Compare, Const, Effect, Exists, Formula, Layout, Not, Or,
    Ordinal, Rules, Term, Total, Value, Var,
)

Env: TypeAlias = dict[str, str]
Tester: TypeAlias = Callable[[Env, str], Condition]
Fluent: TypeAlias = "Group"
Meaning: TypeAlias = "Value | Group"
Reader: TypeAlias = Callable[[Env, str], Meaning]

_ORDER: Mapping[str, Callable[[int, int], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}


class Group(NamedTuple):
    """The bits of one changeable function value: `bits[i]` is set when it has `values[i]`.

    A yes-or-no fact has a single bit, for true.
    """

    name: str
    args: tuple[str, ...]
    values: tuple[Value, ...]
    bits: tuple[int, ...]
    mask: int

    def test(self, value: Value, want: bool = True) -> Condition:
        """The condition that the function has this value (or, with `want` False, has not)."""
        if self.values == (False, True):
            return bit_is(self.mask, bool(value) == want)
        try:
            bit = self.bits[self.values.index(value)]
        except ValueError:
            return FALSE if want else TRUE
        return bit_is(bit, want)

    def code(self, value: Value) -> int:
        """The bits to set so that the function has this value."""
        if self.values == (False, True):
            return self.mask if value else 0
        return self.bits[self.values.index(value)]


class Operator(NamedTuple):
    """A ground action in one room: each need with its cause, and the changes."""

    needs: tuple[tuple[str, Condition], ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class GroundLaw:
    """A ground event or each-step rule in one room."""

    index: int
    name: str
    args: tuple[str, ...]
    family: str
    when: Condition
    changes: tuple[Change, ...]


class Ground:
    """The grounding of a rule set on a layout. Pure: everything is derived from its two arguments."""

    def __init__(self, rules: Rules, layout: Layout) -> None:
        self.rules, self.layout = rules, layout
        self.kinds = {o.id: o.kind for o in layout.objects} | {r: "room" for r in layout.rooms}
        self._members: dict[str, tuple[str, ...]] = {}
        self._relations = frozenset(layout.relations)
        self._relation_names = {r.name for r in rules.relations}
        self._ordinals = self._number_objects()
        self._domains = {f.name: f.values for f in rules.functions}
        self._start = {(name, args): value for name, args, value in layout.start}
        self._attributes = {(n, (o.id,)): v for o in layout.objects for n, v in o.attributes}
        self.groups: dict[tuple[str, tuple[str, ...]], Group] = {}
        self.size = 0
        self._allocate()
        self._everywhere: dict[tuple[str, tuple[str, ...]], tuple[Condition, ...]] = {}
        self._meanings: dict[tuple[str, str], Meaning] = {}
        self._predicates: dict[tuple[str, bool], Tester] = {}
        self._derives = {d.name: d for d in rules.derives}
        self._actions = {a.name: a for a in rules.actions}

    # --- objects and values ----------------------------------------------------------------
    def members(self, kind: str) -> tuple[str, ...]:
        """The ids of rooms or objects of a kind, in the layout's order."""
        found = self._members.get(kind)
        if found is None:
            is_kind = {k: self.rules.kind_of(k, kind) for k in dict.fromkeys(self.kinds.values())}
            found = tuple(i for i, k in self.kinds.items() if is_kind[k])
            self._members[kind] = found
        return found

    def _number_objects(self) -> dict[str, int]:
        seen: dict[str, int] = {}
        numbers = {}
        for id_, kind in self.kinds.items():
            seen[kind] = seen.get(kind, 0) + 1
            numbers[id_] = seen[kind]
        return numbers

    def _changeable(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Every function value that some rule can change, in declaration order."""
        targets: dict[str, list[tuple[str, ...]]] = {}
        for params, effects in self._all_effects():
            for effect in effects:
                kinds = dict(params) | dict(effect.over)
                args = tuple(
                    kinds[arg.name] if isinstance(arg, Var) else "room" for arg in effect.change.args
                )
                targets.setdefault(effect.change.name, []).append(args)
        for function in self.rules.functions:
            found: dict[tuple[str, ...], None] = {}
            for kinds_of in targets.get(function.name, ()):
                for ids in product(*(self.members(kind) for kind in kinds_of)):
                    found[ids] = None
            for ids in sorted(found):
                yield function.name, ids

    def _all_effects(self) -> Iterator[tuple[tuple[tuple[str, str], ...], tuple[Effect, ...]]]:
        for action in self.rules.actions:
            yield action.params, action.makes
        for law in self.rules.laws:
            yield law.over, law.makes

    def _range(self, name: str) -> tuple[Value, ...]:
        if name == spec.HERE:
            return self.layout.rooms
        if name == spec.PLACE:
            return (*self.layout.rooms, *self.members("holder"), spec.CARRIED, spec.GONE)
        return self._domains[name]

    def _allocate(self) -> None:
        for name, args in [(spec.HERE, ()), *self._changeable()]:
            if (name, args) in self.groups:
                continue
            values = self._range(name)
            count = 1 if values == (False, True) else len(values)
            bits = tuple(1 << (self.size + i) for i in range(count))
            self.groups[name, args] = Group(name, args, values, bits, sum(bits))
            self.size += count
        self.here = self.groups[spec.HERE, ()]
        self.fact_mask = (1 << self.size) - 1

    def initial(self) -> int:
        """The state in which an episode starts."""
        state = 0
        for (name, args), group in self.groups.items():
            state |= group.code(self.start_value(name, args))
        return state

    def start_value(self, name: str, args: tuple[str, ...]) -> Value:
        """The value of a function at the start: the layout's, or the first of its range."""
        found = self._start.get((name, args))
        if found is None:
            found = self._attributes.get((name, args))
        return self._range(name)[0] if found is None else found

    def value(self, name: str, args: tuple[str, ...], state: int) -> Value:
        """The value of a function in a state."""
        group = self.groups.get((name, args))
        if group is None:
            return self.start_value(name, args)
        if group.values == (False, True):
            return bool(state & group.mask)
        return group.values[group.bits.index(state & group.mask)]

    def bindings(self, params: tuple[tuple[str, str], ...]) -> Iterator[Env]:
        """Every binding of the variables to distinct objects of their kinds, in order."""
        names = [var for var, _ in params]
        for ids in product(*(self.members(kind) for _, kind in params)):
            if len(ids) < 2 or len(set(ids)) == len(ids):
                yield dict(zip(names, ids, strict=True))

    # --- ground rules -----------------------------------------------------------------------
    @cached_property
    def _compiled(self) -> dict[str, tuple[list[tuple[str, Tester, bool]], list[_Changer]]]:
        return {
            a.name: (
                [(n.cause, self.tester(n.formula), self._local(n.formula)) for n in a.needs],
                [_Changer(self, e) for e in a.makes],
            )
            for a in self.rules.actions
        }

    def _local(self, node: object) -> bool:
        """Whether a formula or effect depends on the player's room."""
        return spec.HERE in _names(node, self._derives)

    def operator(self, action: str, args: tuple[str, ...], room: str) -> Operator:
        """The ground action in a room, needs in order; needs that always hold are left out."""
        needs, makes = self._compiled[action]
        env = {p[0]: a for p, a in zip(self._actions[action].params, args, strict=True)}
        shared = self._shared(action, args, env)
        kept = []
        for (cause, tester, local), known in zip(needs, shared, strict=True):
            condition = tester(env, room) if local else known
            if condition != TRUE:
                kept.append((cause, condition))
                if not condition:
                    return Operator(tuple(kept), ())
        return Operator(tuple(kept), tuple(c for make in makes for c in make.ground(env, room)))

    def _shared(self, action: str, args: tuple[str, ...], env: Env) -> tuple[Condition, ...]:
        """The needs that are the same in every room, grounded once."""
        key = action, args
        found = self._everywhere.get(key)
        if found is None:
            needs, _ = self._compiled[action]
            found = tuple(TRUE if local else tester(env, "") for _, tester, local in needs)
            self._everywhere[key] = found
        return found

    def hopeless(self, action: str, args: tuple[str, ...]) -> bool:
        """Whether a need that does not depend on the room can never hold."""
        env = {p[0]: a for p, a in zip(self._actions[action].params, args, strict=True)}
        return not all(self._shared(action, args, env))

    @cached_property
    def _law_parts(self) -> list[tuple[int, spec.Law, Env, Tester, list[_Changer]]]:
        parts: list[tuple[int, spec.Law, Env, Tester, list[_Changer]]] = []
        for law in self.rules.laws:
            tester, makes = self.tester(law.when), [_Changer(self, e) for e in law.makes]
            for env in self.bindings(law.over):
                parts.append((len(parts), law, env, tester, makes))
        return parts

    def laws(self, room: str, *, each_step: bool) -> tuple[GroundLaw, ...]:
        """The events or each-step rules that can fire while the player is in a room, in order."""
        found = []
        for index, law, env, tester, makes in self._law_parts:
            if law.each_step != each_step:
                continue
            when = tester(env, room)
            if when:
                changes = tuple(c for make in makes for c in make.ground(env, room))
                if changes:
                    found.append(GroundLaw(index, law.name, tuple(env.values()), law.family, when, changes))
        return tuple(found)

    def goal(self, facts: tuple[spec.Fact, ...]) -> tuple[Condition, ...]:
        """One condition for each goal fact."""
        return tuple(self.fact(fact) for fact in facts)

    def fact(self, fact: spec.Fact) -> Condition:
        """The condition that a ground fact holds."""
        group = self.groups.get((fact.name, fact.args))
        if group is None:
            same = self.start_value(fact.name, fact.args) == fact.value
            return TRUE if same == fact.want else FALSE
        return group.test(fact.value, fact.want)

    # --- formulas → closures ------------------------------------------------------------------
    def tester(self, formula: Formula, want: bool = True) -> Tester:
        """A closure that grounds the formula (or, with `want` False, its negation)."""
        if isinstance(formula, Not):
            return self.tester(formula.part, not want)
        if isinstance(formula, And | Or):
            parts = [self.tester(part, want) for part in formula.parts]
            return _all(parts) if isinstance(formula, And) == want else _any(parts)
        if isinstance(formula, Exists):
            return self._exists(formula, want)
        if isinstance(formula, Total):
            return self._total(formula, want)
        if isinstance(formula, Compare):
            return self._compare(formula, want)
        return self._atom(formula, want)

    def _exists(self, formula: Exists, want: bool) -> Tester:
        inner, var, ids = self.tester(formula.where, want), formula.var, self.members(formula.kind)
        if want:
            return lambda env, room: either(inner({**env, var: i}, room) for i in ids)

        def none(env: Env, room: str) -> Condition:
            found = TRUE
            for i in ids:
                found = both(found, inner({**env, var: i}, room))
                if not found:
                    break
            return found

        return none

    def _total(self, formula: Total, want: bool) -> Tester:
        inner, var, ids = self.tester(formula.where), formula.var, self.members(formula.kind)
        weigh = None if formula.weight is None else self._reader(formula.weight)
        at_most = (formula.op == "<=") == want
        bound = formula.bound if want else formula.bound + (1 if formula.op == "<=" else -1)

        local, closed = self._local(formula), not _free(formula)
        memo: dict[str, Condition] = {}

        def total(env: Env, room: str) -> Condition:
            if not closed:
                return ground(env, room)
            key = room if local else ""
            if key not in memo:
                memo[key] = ground(env, room)
            return memo[key]

        def ground(env: Env, room: str) -> Condition:
            weighed: dict[int, int] = {}
            sure = 0
            for i in ids:
                bound_env = {**env, var: i}
                weight = 1 if weigh is None else self._number(formula.weight, weigh(bound_env, room))
                condition = inner(bound_env, room)
                if condition == TRUE:
                    sure += weight
                elif condition:
                    weighed[weight] = weighed.get(weight, 0) | _single_bit(condition)
            left = bound - sure
            if at_most and sum(w * m.bit_count() for w, m in weighed.items()) <= left:
                return TRUE
            return (Clause(0, 0, (Card(tuple(sorted(weighed.items())), at_most, left),)),)

        return total

    def _number(self, term: Term | None, meaning: Meaning) -> int:
        """A word of a domain counts as its place in it, from 1; a number as itself."""
        if isinstance(meaning, Group):
            raise TypeError("a sum needs weights that do not change")
        if isinstance(meaning, int):
            return meaning
        assert isinstance(term, Call)
        return self._domains[term.name].index(meaning) + 1

    def _compare(self, formula: Compare, want: bool) -> Tester:
        left, right = self._reader(formula.left), self._reader(formula.right)
        domain = self._domain(formula.left) or self._domain(formula.right)
        rank = {value: i for i, value in enumerate(domain)} if domain else None
        test = _ORDER[formula.op]
        equality = formula.op in ("=", "!=")
        positive = (formula.op == "=") == want

        def compare(a: Value, b: Value) -> bool:
            if equality:
                return (a == b) == positive
            if rank is not None and isinstance(a, str):
                return test(rank[a], rank[b]) == want
            return test(int(a), int(b)) == want

        def tester(env: Env, room: str) -> Condition:
            a, b = left(env, room), right(env, room)
            if not isinstance(a, Group) and not isinstance(b, Group):
                return TRUE if compare(a, b) else FALSE
            if not isinstance(a, Group):
                assert isinstance(b, Group)
                return _one_side(b, lambda v: compare(a, v), equality, positive, a)
            if not isinstance(b, Group):
                return _one_side(a, lambda v: compare(v, b), equality, positive, b)
            return either(
                both(a.test(x), b.test(y)) for x in a.values for y in b.values if compare(x, y)
            )

        return tester

    def _domain(self, term: Term) -> tuple[Value, ...]:
        return self._domains.get(term.name, ()) if isinstance(term, Call) else ()

    def _atom(self, atom: Atom, want: bool) -> Tester:
        derive = self._derives.get(atom.name)
        if derive is not None:
            return self._derived(derive, atom, want)
        readers = [self._reader(arg) for arg in atom.args]
        is_relation, name = atom.name in self._relation_names, atom.name

        def known(args: tuple[str, ...]) -> Condition:
            if is_relation:
                return TRUE if ((name, args) in self._relations) == want else FALSE
            group = self.groups.get((name, args))
            if group is None:
                return TRUE if bool(self.start_value(name, args)) == want else FALSE
            return bit_is(group.mask, want)

        def tester(env: Env, room: str) -> Condition:
            meanings = [read(env, room) for read in readers]
            if not any(isinstance(m, Group) for m in meanings):
                return known(tuple(str(m) for m in meanings))
            return either(
                both(guard, known(args)) for guard, args in _spread(meanings)
            )

        return tester

    def _derived(self, derive: spec.Derive, atom: Atom, want: bool) -> Tester:
        cached = self._predicates.get((derive.name, want))
        if cached is None:
            cached = self._predicates[derive.name, want] = self.tester(derive.formula, want)
        inner = cached
        readers = [(p[0], self._reader(arg)) for p, arg in zip(derive.params, atom.args, strict=True)]

        memo: dict[tuple[str, ...], Condition] = {}

        def tester(env: Env, room: str) -> Condition:
            bound: Env = {}
            for var, read in readers:
                meaning = read(env, room)
                if isinstance(meaning, Group):
                    raise TypeError(f"{derive.name} needs an object, not {meaning.name}")
                bound[var] = str(meaning)
            key = (room, *bound.values())
            if key not in memo:
                memo[key] = inner(bound, room)
            return memo[key]

        return tester

    def _reader(self, term: Term) -> Reader:
        """A closure that yields a term's value, or the bits of the function that it reads."""
        if isinstance(term, Var):
            name = term.name
            return lambda env, room: env[name]
        if isinstance(term, Const):
            value = term.value
            return lambda env, room: value
        if isinstance(term, Ordinal):
            var, shift = term.var, term.shift
            return lambda env, room: self._ordinals[env[var]] + shift
        if term.name == spec.HERE:
            return lambda env, room: room
        name, args = term.name, [self._reader(arg) for arg in term.args]
        groups, memo = self.groups, self._meanings
        if len(term.args) == 1 and isinstance(term.args[0], Var):
            var = term.args[0].name

            def read_one(env: Env, room: str) -> Meaning:
                key = name, env[var]
                found = memo.get(key)
                if found is None:
                    ids = (env[var],)
                    group = groups.get((name, ids))
                    found = memo[key] = self.start_value(name, ids) if group is None else group
                return found

            return read_one

        def read(env: Env, room: str) -> Meaning:
            ids = tuple(str(arg(env, room)) for arg in args)
            group = groups.get((name, ids))
            return self.start_value(name, ids) if group is None else group

        return read


class _Changer:
    """An effect as a closure: what it clears and sets for each of its bindings."""

    def __init__(self, ground: Ground, effect: Effect) -> None:
        self._ground, self._effect = ground, effect
        self._when = ground.tester(effect.where)
        self._args = [ground._reader(arg) for arg in effect.change.args]
        change = effect.change
        self._value = ground._reader(change.value) if isinstance(change, Assign) else None

    def ground(self, env: Env, room: str) -> Iterator[Change]:
        """The changes under a binding, in a room."""
        if not self._effect.over and self._effect.where == spec.TRUE:
            group = self._target(env, room)
            if group is not None:
                yield self._one(group, TRUE, env, room)
            return
        for inner in self._ground.bindings(self._effect.over):
            bound = {**env, **inner}
            when = self._when(bound, room)
            if not when:
                continue
            group = self._target(bound, room)
            if group is not None:
                yield self._one(group, TRUE if when == TRUE else when, bound, room)

    def _target(self, env: Env, room: str) -> Group | None:
        """The function value that is changed, or None when nothing can change it."""
        ids = tuple([arg(env, room) for arg in self._args])
        return self._ground.groups.get((self._effect.change.name, ids))  # type: ignore[arg-type]

    def _one(self, group: Group, when: Condition, env: Env, room: str) -> Change:
        change = self._effect.change
        if isinstance(change, Add):
            return Change(when, 0, 0, group.mask, change.delta)
        assert self._value is not None
        value = self._value(env, room)
        if isinstance(value, Group):
            raise TypeError(f"{change.name} can only be set to a value that does not change")
        return Change(when, group.mask, group.code(value))


def _names(node: object, derives: Mapping[str, spec.Derive]) -> set[str]:
    """The names of all functions and predicates below a node, definitions of predicates included."""
    if isinstance(node, tuple):
        return {name for part in node for name in _names(part, derives)}
    found: set[str] = set()
    for slot in getattr(type(node), "__slots__", ()):
        found |= _names(getattr(node, slot), derives)
    if isinstance(node, Atom | Call):
        found.add(node.name)
        if node.name in derives:
            found |= _names(derives[node.name].formula, derives)
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


def _all(parts: list[Tester]) -> Tester:
    if len(parts) == 1:
        return parts[0]

    def tester(env: Env, room: str) -> Condition:
        found = TRUE
        for part in parts:
            found = both(found, part(env, room))
            if not found:
                return FALSE
        return found

    return tester


def _any(parts: list[Tester]) -> Tester:
    if len(parts) == 1:
        return parts[0]
    return lambda env, room: either(part(env, room) for part in parts)


def _one_side(
    group: Group, ok: Callable[[Value], bool], equality: bool, positive: bool, value: Value
) -> Condition:
    if equality:
        return group.test(value, positive)
    return either(group.test(v) for v in group.values if ok(v))


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
