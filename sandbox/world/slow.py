"""The slow interpreter: walks the typed tree directly, one object at a time.

It shares nothing with the compiled engine but the types of the tree (the linter holds that), and must
agree with it on every transition: it checks certificates and is the oracle of the property tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TypeAlias

from sandbox.world.spec import (
    CARRIED,
    GONE,
    HERE,
    PLACE,
    TRUE,
    Action,
    Add,
    And,
    Atom,
    Call,
    Compare,
    Const,
    Effect,
    Exists,
    Fact,
    Formula,
    Grammar,
    Layout,
    Not,
    Or,
    Ordinal,
    Rules,
    Term,
    Total,
    Value,
    Var,
)

Env: TypeAlias = Mapping[str, str]
Facts: TypeAlias = dict[tuple[str, tuple[str, ...]], Value]


class Tree:
    """Reads formulas and effects of a rule set against a dictionary of function values."""

    def __init__(self, rules: Rules, layout: Layout) -> None:
        self.rules, self.layout = rules, layout
        self.kinds = dict.fromkeys(layout.rooms, "room") | {o.id: o.kind for o in layout.objects}
        self.relations = set(layout.relations)
        self.relation_names = {r.name for r in rules.relations}
        self.derived = {d.name: d for d in rules.derives}
        self.functions = {f.name: f for f in rules.functions}
        self._members: dict[str, list[str]] = {}

    def members(self, kind: str) -> list[str]:
        """Ids of a kind: rooms first, then objects, in the layout's order."""
        if kind not in self._members:
            found = [i for i, k in self.kinds.items() if self.rules.kind_of(k, kind)]
            self._members[kind] = found
        return self._members[kind]

    def initial(self) -> Facts:
        """The layout's start, before any event."""
        facts: Facts = {(n, (o.id,)): v for o in self.layout.objects for n, v in o.attributes}
        facts |= {(name, args): value for name, args, value in self.layout.start}
        return facts

    def value(self, name: str, args: tuple[str, ...], facts: Facts) -> Value:
        """A function's value; what was never set has the first value of its range."""
        if (name, args) in facts:
            return facts[name, args]
        if name in (PLACE, HERE):
            return self.layout.rooms[0]
        return self.functions[name].values[0]

    def bindings(self, params: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
        """Bindings of variables to distinct objects of their kinds."""
        pairs = list(params)
        for ids in product(*(self.members(kind) for _, kind in pairs)):
            if len(set(ids)) == len(ids):
                yield {var: id_ for (var, _), id_ in zip(pairs, ids, strict=True)}

    # --- terms and formulas -------------------------------------------------------------------
    def term(self, term: Term, env: Env, facts: Facts) -> Value:
        """The value of a term."""
        if isinstance(term, Var):
            return env[term.name]
        if isinstance(term, Const):
            return term.value
        if isinstance(term, Ordinal):
            mine = self.kinds[env[term.var]]
            same = [i for i, kind in self.kinds.items() if kind == mine]
            return same.index(env[term.var]) + 1 + term.shift
        args = tuple(str(self.term(arg, env, facts)) for arg in term.args)
        return self.value(term.name, args, facts)

    def test(self, formula: Formula, env: Env, facts: Facts) -> bool:
        """Whether a formula is true."""
        if isinstance(formula, Not):
            return not self.test(formula.part, env, facts)
        if isinstance(formula, And):
            return all(self.test(part, env, facts) for part in formula.parts)
        if isinstance(formula, Or):
            return any(self.test(part, env, facts) for part in formula.parts)
        if isinstance(formula, Exists):
            inner = ({**env, formula.var: i} for i in self.members(formula.kind))
            return any(self.test(formula.where, e, facts) for e in inner)
        if isinstance(formula, Total):
            return self._total(formula, env, facts)
        if isinstance(formula, Compare):
            return self._compare(formula, env, facts)
        return self._atom(formula, env, facts)

    def _total(self, formula: Total, env: Env, facts: Facts) -> bool:
        total = 0
        for id_ in self.members(formula.kind):
            inner = {**env, formula.var: id_}
            if self.test(formula.where, inner, facts):
                total += 1 if formula.weight is None else self._weight(formula.weight, inner, facts)
        return total <= formula.bound if formula.op == "<=" else total >= formula.bound

    def _weight(self, term: Term, env: Env, facts: Facts) -> int:
        value = self.term(term, env, facts)
        if isinstance(value, str) and isinstance(term, Call):
            return self.functions[term.name].values.index(value) + 1
        return int(value)

    def _compare(self, formula: Compare, env: Env, facts: Facts) -> bool:
        a, b = self.term(formula.left, env, facts), self.term(formula.right, env, facts)
        if formula.op == "=":
            return a == b
        if formula.op == "!=":
            return a != b
        for side in (formula.left, formula.right):
            if isinstance(side, Call) and side.name in self.functions and isinstance(a, str):
                values = self.functions[side.name].values
                a, b = values.index(a), values.index(b)
                break
        x, y = int(a), int(b)
        return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[formula.op]

    def _atom(self, atom: Atom, env: Env, facts: Facts) -> bool:
        args = tuple(str(self.term(arg, env, facts)) for arg in atom.args)
        if atom.name in self.relation_names:
            return (atom.name, args) in self.relations
        if atom.name in self.derived:
            derived = self.derived[atom.name]
            inner = {var: arg for (var, _), arg in zip(derived.params, args, strict=True)}
            return self.test(derived.formula, inner, facts)
        return bool(self.value(atom.name, args, facts))

    # --- effects ------------------------------------------------------------------------------
    def apply(self, effects: Iterable[Effect], env: Env, facts: Facts) -> Facts:
        """The facts after all effects; conditions and counters are read from the facts before."""
        new = dict(facts)
        for effect in effects:
            for inner in self.bindings(effect.over):
                bound = {**env, **inner}
                if not self.test(effect.where, bound, facts):
                    continue
                change = effect.change
                key = change.name, tuple(str(self.term(arg, bound, facts)) for arg in change.args)
                if isinstance(change, Add):
                    values = self.functions[change.name].values
                    at = int(self.value(*key, facts)) + change.delta
                    new[key] = min(max(at, int(values[0])), int(values[-1]))
                else:
                    new[key] = self.term(change.value, bound, facts)
        return new

    def settle(self, facts: Facts) -> Facts:
        """Events, round by round, each ground event at most once."""
        fired: set[tuple[str, tuple[str, ...]]] = set()
        again = True
        while again:
            again = False
            for law in self.rules.laws:
                if law.each_step:
                    continue
                for env in self.bindings(law.over):
                    key = law.name, tuple(env.values())
                    if key in fired or not self.test(law.when, env, facts):
                        continue
                    fired.add(key)
                    new = self.apply(law.makes, env, facts)
                    again = again or self.differs(new, facts)
                    facts = new
        return facts

    def differs(self, new: Facts, old: Facts) -> bool:
        """Whether two dictionaries say different things."""
        return any(self.value(*key, new) != self.value(*key, old) for key in {**new, **old})

    def act(self, action: Action, args: tuple[str, ...], facts: Facts) -> tuple[Facts, str | None]:
        """The facts after an intent and None, or the same facts and the cause of its refusal."""
        env = {var: arg for (var, _), arg in zip(action.params, args, strict=True)}
        for need in action.needs:
            if not self.test(need.formula, env, facts):
                return facts, need.cause
        if action.inform:
            return facts, None
        new = self.apply(action.makes, env, facts)
        for law in self.rules.laws:
            if law.each_step:
                for inner in self.bindings(law.over):
                    if self.test(law.when, inner, new):
                        new = self.apply(law.makes, inner, new)
        return self.settle(new), None

    def holds(self, fact: Fact, facts: Facts) -> bool:
        """Whether a goal fact is true."""
        return (self.value(fact.name, fact.args, facts) == fact.value) == fact.want


class Player:
    """Plays commands on the tree: a second parser, the tree, and the goal."""

    def __init__(self, rules: Rules, layout: Layout, grammar: Grammar, names: Mapping[str, str],
                 goal: tuple[Fact, ...]) -> None:
        self.tree, self.grammar, self.goal = Tree(rules, layout), grammar, goal
        self.names = {i: names[i] for i in self.tree.kinds}
        self.actions = {a.name: a for a in rules.actions}
        self.reset()

    def reset(self) -> None:
        """Back to the start."""
        self.facts = self.tree.settle(self.tree.initial())
        self.selected: str | None = None
        self.asked: tuple[str, tuple[str, ...]] | None = None
        self.done: list[tuple[str, tuple[str, ...]]] = []

    def solved(self) -> bool:
        """Whether the goal holds now."""
        return all(self.tree.holds(fact, self.facts) for fact in self.goal)

    def count(self) -> int:
        """How many goal facts hold now."""
        return sum(self.tree.holds(fact, self.facts) for fact in self.goal)

    def read(self, text: str) -> tuple[str, tuple[str, ...]] | None:
        """The one intent that a canonical or declared spelling means now, or None."""
        said = self._spaced(text.casefold())
        mentioned = [i for i, name in self.names.items() if name in said]
        found = set()
        for action, patterns in (*self.grammar.spellings, *((a, (p,)) for a, p in self.grammar.short)):
            for pattern in patterns:
                for args in self._fillings(pattern, action, mentioned):
                    if self._spaced(self._fill(pattern, args)) == said:
                        found.add((action, args))
        if self.grammar.select:
            select = self.grammar.select
            found |= {("select", (i,)) for i in mentioned if self._spaced(self._fill(select, (i,))) == said}
        if self.grammar.confirm and self._spaced(self.grammar.confirm) == said:
            found.add(("confirm", ()))
        return found.pop() if len(found) == 1 else None

    def _spaced(self, text: str) -> str:
        """A text with single blanks, and blanks around what stands alone."""
        return " ".join("".join(f" {c} " if c in self.grammar.marks else c for c in text).split())

    def _fillings(self, pattern: str, action: str, mentioned: list[str]) -> Iterator[tuple[str, ...]]:
        arity = len(self.actions[action].params)
        first = mentioned if "{0}" in pattern else ([self.selected] if self.selected else [])
        if arity < 2:
            yield from product(*[first] * arity)
        for one in first if arity == 2 else ():
            for two in mentioned if "{1}" in pattern else self._at_hand(action, one):
                yield one, two

    def _at_hand(self, action: str, first: str) -> list[str]:
        """What is meant when the second argument is left out: the first that is held, else the first in reach."""
        tree = self.tree
        ids = [i for i in tree.members(self.actions[action].params[1][1]) if i != first]
        held = [i for i in ids if tree.value(PLACE, (i,), self.facts) == CARRIED]
        near = [i for i in ids if tree.test(Atom("near", (Var("x"),)), {"x": i}, self.facts)]
        return (held or near)[:1]

    def _fill(self, pattern: str, args: tuple[str, ...]) -> str:
        for number, arg in enumerate(args):
            pattern = pattern.replace(f"{{{number}}}", self.names[arg])
        return pattern

    def command(self, text: str) -> str | None:
        """Carry out a command; None when it is accepted, the cause when it is not."""
        intent = self.read(text)
        if intent is None:
            return "unread"
        name, args = intent
        if name == "select":
            return self._select(args[0])
        if name == "confirm":
            if self.asked is None:
                return "nothing_asked"
            return self._carry_out(*self.asked)
        action = self.actions[name]
        for (_, kind), arg in zip(action.params, args, strict=True):
            if arg not in self.tree.members(kind):
                return "wrong_kind"
        if len(args) == 2 and args[0] == args[1]:
            return "wrong_thing"
        if name == "restart":
            done = self.done
            self.reset()
            self.done = done
            return None
        if self.grammar.confirm and name in self.tree.rules.lasting:
            _, cause = self.tree.act(action, args, self.facts)
            self.asked = (name, args) if cause is None else self.asked
            return cause
        return self._carry_out(name, args)

    def _carry_out(self, name: str, args: tuple[str, ...]) -> str | None:
        self.facts, cause = self.tree.act(self.actions[name], args, self.facts)
        if cause is None:
            self.done.append((name, args))
            self.asked = self.asked if self.actions[name].inform else None
        return cause

    def _select(self, id_: str) -> str | None:
        if id_ in self.tree.layout.rooms:
            return "wrong_kind"
        if not self.tree.test(Atom("near", (Var("x"),)), {"x": id_}, self.facts):
            return "out_of_reach"
        self.selected = id_
        return None


__all__ = ["CARRIED", "GONE", "TRUE", "Facts", "Player", "Tree"]
