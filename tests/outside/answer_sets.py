"""A world as a planning problem for clingo, an answer-set solver that shares no line of code with ours.

The tree of the rules is written as a logic program; nothing is taken from the compiled engine or the search.
Time is a row of *stages*: the start and its events, then for each step the action, each ground each-step rule
and each ground event once a round, in the order in which the language runs them. As many rounds are written
out as there are ground events, since every round but the last one fires one that has not fired before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

import clingo

from sandbox.world.spec import (
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
    Formula,
    Law,
    Not,
    Or,
    Ordinal,
    Term,
    Total,
    Value,
    Var,
)
from sandbox.world.world import World
from tests.outside.tally import TooLong

Scope = Mapping[str, str]
"""Variable of the rules → variable of the program, in the order in which they were bound."""

PRELUDE = """
% what is set at a stage holds at the next one; of several, the last one counts; the rest stays as it is
worse(F,I,S) :- set(F,_,I,S), set(F,_,J,S), J > I.
v(F,V,S+1) :- set(F,V,I,S), not worse(F,I,S).
kept(F,S) :- set(F,_,_,S).
v(F,V,S+1) :- v(F,V,S), not kept(F,S), last(L), S < L.

% one command a step, or none, which leaves everything as it is
{ do(A,S) : command(A) } 1 :- astage(S,_).
active(T) :- do(A,S), astage(S,T), not selecting(A).
active(0).
fire(L,B,S) :- lstage(L,B,S,T), active(T), when(L,B,S), not spent(L,B,S).
spent(L,B,S) :- lstage(L,B,S,T), lstage(L,B,R,T), fire(L,B,R), R < S.

% selecting
asked(T) :- do(ask,S), astage(S,T).
sel(X,T) :- do(select(X),S), astage(S,T).
chose(T) :- do(select(_),S), astage(S,T).
sel(X,T) :- sel(X,T-1), not chose(T), astage(_,T).
:- do(select(X),S), not d_near(X,S).
"""


LINES = 700
"""Rules of a program that clingo grounds within seconds."""


class Program:
    """The logic program of a world up to a number of steps."""

    def __init__(self, world: World, horizon: int) -> None:
        self.world, self.horizon = world, horizon
        self.rules, self.layout = world.rules, world.layout
        self._functions = {f.name: f for f in self.rules.functions}
        self._relations = {r.name for r in self.rules.relations}
        self._kinds = dict.fromkeys(self.layout.rooms, "room") | {o.id: o.kind for o in self.layout.objects}
        self._lines = [PRELUDE]
        self._fresh = 0
        self._things()
        self._start()
        self._stages()
        for derive in self.rules.derives:
            self._derive(derive.name, derive.params, derive.formula)
        for action in self.rules.actions:
            if not action.inform:
                self._action(action)
        for law in self.rules.laws:
            self._law(law)
        self._goal()

    @property
    def text(self) -> str:
        """The whole program."""
        return "\n".join(self._lines)

    def _say(self, *lines: str) -> None:
        self._lines += lines

    # --- what there is ------------------------------------------------------------------------
    def _things(self) -> None:
        for number, (id_, kind) in enumerate(self._kinds.items(), 1):
            same = [i for i, k in self._kinds.items() if k == kind]
            self._say(f"is(any,{id_}). at({id_},{number}). ordinal({id_},{same.index(id_) + 1}).")
            self._say(*(f"is({ancestor},{id_})." for ancestor in sorted(self.rules.ancestry[kind])))
        for name, args in self.layout.relations:
            self._say(f"rel({name},({','.join(args)},)).")
        for function in self.rules.functions:
            if function.name in (PLACE, HERE):
                continue
            for number, value in enumerate(function.values):
                self._say(f"rank({function.name},{_value(value)},{number}).")

    def _start(self) -> None:
        start: dict[tuple[str, tuple[str, ...]], Value] = {(HERE, ()): self.layout.rooms[0]}
        for function in self.rules.functions:
            if function.name not in (PLACE, HERE):
                for args in self._choices(function.params):
                    start[function.name, args] = function.values[0]
        start |= {(PLACE, (o.id,)): self.layout.rooms[0] for o in self.layout.objects}
        start |= {(name, (o.id,)): value for o in self.layout.objects for name, value in o.attributes}
        start |= {(name, args): value for name, args, value in self.layout.start}
        self._say(*(f"v({_function(name, args)},{_value(value)},0)." for (name, args), value in start.items()))

    def _choices(self, params: Iterable[tuple[str, str]]) -> Iterable[tuple[str, ...]]:
        """Distinct things of some kinds, in the layout's order."""
        pools = [[i for i, k in self._kinds.items() if kind in self.rules.ancestry[k]] for _, kind in params]
        return (ids for ids in product(*pools) if len(set(ids)) == len(ids))

    def _stages(self) -> None:
        """The row of stages: which is an action's, which a rule's, and to which step each belongs."""
        steps = [(law.name, b) for law in self.rules.laws if law.each_step for b in self._choices(law.over)]
        events = [(law.name, b) for law in self.rules.laws if not law.each_step for b in self._choices(law.over)]
        stage = 0
        self._say("goalstage(0,0).") if not events else None
        for step in range(self.horizon + 1):
            if step:
                self._say(f"astage({stage},{step}).")
                stage += 1
            for name, bound in (*(steps if step else ()), *(events * len(events))):
                self._say(f"lstage({name},({''.join(i + ',' for i in bound)}),{stage},{step}).")
                stage += 1
            self._say(f"goalstage({stage},{step}).")
        self._say(f"last({stage}). stage(0..{stage}).")

    # --- rules --------------------------------------------------------------------------------
    def _derive(self, name: str, params: tuple[tuple[str, str], ...], formula: Formula) -> None:
        scope = {var: f"X{i}" for i, (var, _) in enumerate(params)}
        domain = "".join(f"is(any,{x})," for x in scope.values()) + "stage(S)"
        body = self._formula(formula, scope, domain)
        self._say(f"d_{name}({','.join([*scope.values(), 'S'])}) :- {domain}, {body}.")

    def _action(self, action: Action) -> None:
        scope = {var: f"X{i}" for i, (var, _) in enumerate(action.params)}
        term = _term("a_" + action.name, scope.values())
        things = [f"is({kind},{scope[var]})" for var, kind in action.params]
        if len(things) == 2:
            things.append("X0 != X1")
        self._say(f"command({term}){' :- ' if things else ''}{', '.join(things)}.")
        domain = ", ".join([*things, "astage(S,_)"])
        for need in action.needs:
            body = self._formula(need.formula, scope, domain)
            holds = self._name()
            self._say(f"{holds}({','.join([*scope.values(), 'S'])}) :- {domain}, {body}.")
            self._say(f":- do({term},S), not {holds}({','.join([*scope.values(), 'S'])}).")
        self._effects(action.makes, scope, domain, f"do({term},S)")
        if scope and "{0}" not in dict(self.world.grammar.spellings)[action.name][0]:
            self._say(f":- do({term},S), astage(S,T), not sel(X0,T-1).")
        if self.world.grammar.confirm and action.name in self.rules.lasting:
            self._say("command(ask). selecting(ask).", f":- do({term},S), astage(S,T), not asked(T-1).")

    def _law(self, law: Law) -> None:
        scope = {var: f"X{i}" for i, (var, _) in enumerate(law.over)}
        bound = f"({''.join(x + ',' for x in scope.values())})"
        domain = f"lstage({law.name},{bound},S,_)"
        self._say(f"when({law.name},{bound},S) :- {domain}, {self._formula(law.when, scope, domain)}.")
        self._effects(law.makes, scope, domain, f"fire({law.name},{bound},S)")

    def _effects(self, effects: Iterable[Effect], scope: Scope, domain: str, cause: str) -> None:
        for number, effect in enumerate(effects):
            inner = {**scope, **{var: f"Y{i}" for i, (var, _) in enumerate(effect.over)}}
            over = [f"is({kind},{inner[var]})" for var, kind in effect.over]
            ys = [inner[var] for var, _ in effect.over]
            over += [f"{a} != {b}" for i, a in enumerate(ys) for b in ys[i + 1:]]
            wide = ", ".join([domain, *over])
            where = self._formula(effect.where, inner, wide) if effect.where != TRUE else "S = S"
            order, places = str(number), ""
            for y in ys:  # later bindings overrule earlier ones
                order, places = f"({order})*1000+N{y}", places + f", at({y},N{y})"
            target, value, extra = self._change(effect, inner)
            self._say(f"set({target},{value},{order},S) :- {cause}, {wide}, {where}{places}{extra}.")

    def _change(self, effect: Effect, scope: Scope) -> tuple[str, str, str]:
        """The function that an effect sets, the value, and what has to be looked up for both."""
        change, extra, args = effect.change, "", []
        for arg in change.args:
            text, more = self._term(arg, scope)
            args.append(text)
            extra += more
        target = _function(change.name, args)
        if isinstance(change, Add):
            values = self._functions[change.name].values
            low, high = int(values[0]), int(values[-1])
            extra += f", v({target},V,S), W0 = V+({change.delta}), W1 = #min{{ W0; {high} }}, W = #max{{ W1; {low} }}"
            return target, "W", extra
        text, more = self._term(change.value, scope)
        return target, text, extra + more

    def _goal(self) -> None:
        tests = []
        for fact in self.world.goal:
            text = f"v({_function(fact.name, fact.args)},{_value(fact.value)},S)"
            tests.append(text if fact.want else f"not {text}")
        self._say(f"done(T) :- goalstage(S,T), {', '.join(tests)}.")
        if self.world.grammar.select:
            self._say("command(select(X)) :- is(object,X). selecting(select(X)) :- is(object,X).")

    # --- formulas and terms -------------------------------------------------------------------
    def _name(self) -> str:
        self._fresh += 1
        return f"p{self._fresh}"

    def _formula(self, formula: Formula, scope: Scope, domain: str) -> str:
        """A literal that is true in the stages of `domain` when the formula is."""
        name = self._name()
        head = f"{name}({','.join([*scope.values(), 'S'])})"
        for body in self._bodies(formula, scope, domain):
            self._say(f"{head} :- {domain}, {body}.")
        self._say(f"{head} :- {domain}, 1 = 0.")  # an empty disjunction is false, and known
        return head

    def _bodies(self, formula: Formula, scope: Scope, domain: str) -> list[str]:
        """The bodies of the rules that define a formula."""
        if isinstance(formula, Not):
            return [f"not {self._formula(formula.part, scope, domain)}"]
        if isinstance(formula, And):
            return [", ".join(["S = S", *(self._formula(part, scope, domain) for part in formula.parts)])]
        if isinstance(formula, Or):
            return [self._formula(part, scope, domain) for part in formula.parts]
        if isinstance(formula, Exists | Total):
            return [self._counted(formula, scope, domain)]
        if isinstance(formula, Compare):
            return [self._compared(formula, scope)]
        return [self._atom(formula, scope)]

    def _counted(self, formula: Exists | Total, scope: Scope, domain: str) -> str:
        var = f"Z{len(scope)}"
        inner = {**scope, formula.var: var}
        each = f"is({formula.kind},{var})"
        where = self._formula(formula.where, inner, f"{domain}, {each}")
        if isinstance(formula, Exists):
            return f"{each}, {where}"
        weight, extra = "1", ""
        if formula.weight is not None:
            weight, extra = self._term(formula.weight, inner)
            if isinstance(formula.weight, Call) and isinstance(self._functions[formula.weight.name].values[0], str):
                extra += f", rank({formula.weight.name},{weight},R), R1 = R+1"
                weight = "R1"
        return f"#sum {{ {weight},{var} : {each}, {where}{extra} }} {formula.op} {formula.bound}"

    def _compared(self, formula: Compare, scope: Scope) -> str:
        (left, more), (right, extra) = self._term(formula.left, scope), self._term(formula.right, scope)
        found = f"S = S{more}{extra}"
        if formula.op in ("=", "!="):
            return f"{found}, {left} {formula.op} {right}"
        ranked = [t.name for t in (formula.left, formula.right) if isinstance(t, Call) and t.name in self._functions]
        if ranked and isinstance(self._functions[ranked[0]].values[0], str):
            found += f", rank({ranked[0]},{left},R1), rank({ranked[0]},{right},R2)"
            left, right = "R1", "R2"
        return f"{found}, {left} {formula.op} {right}"

    def _atom(self, atom: Atom, scope: Scope) -> str:
        args, extra = [], ""
        for arg in atom.args:
            text, more = self._term(arg, scope)
            args.append(text)
            extra += more
        if atom.name in self._relations:
            return f"S = S{extra}, rel({atom.name},({','.join(args)},))"
        if atom.name in self._functions:
            return f"S = S{extra}, v({_function(atom.name, args)},true,S)"
        return f"S = S{extra}, d_{atom.name}({','.join([*args, 'S'])})"

    def _term(self, term: Term, scope: Scope) -> tuple[str, str]:
        """A term, and what has to be looked up to know it."""
        if isinstance(term, Var):
            return scope[term.name], ""
        if isinstance(term, Const):
            return _value(term.value), ""
        self._fresh += 1
        name = f"T{self._fresh}"
        if isinstance(term, Ordinal):
            return f"{name}+({term.shift})", f", ordinal({scope[term.var]},{name})"
        args, extra = [], ""
        for arg in term.args:
            text, more = self._term(arg, scope)
            args.append(text)
            extra += more
        return name, f"{extra}, v({_function(term.name, args)},{name},S)"


def _function(name: str, args: Iterable[str]) -> str:
    return _term("f_" + name, args)


def _term(name: str, args: Iterable[str]) -> str:
    return f"{name}({','.join(args)})".replace("()", "")


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class Outside:
    """What clingo says of a world: whether the goal can hold after a number of commands, or fewer.

    Raises TooLong for a world whose conditions fall into too many cases.
    """

    def __init__(self, world: World, horizon: int) -> None:
        text = Program(world, horizon).text
        if text.count("\n") > LINES:
            raise TooLong(f"{text.count(chr(10))} rules")
        self._control = clingo.Control(["--warn=none"])
        self._control.add("base", [], text)
        self._control.ground([("base", [])])

    def solvable_within(self, steps: int) -> bool:
        """Whether some plan has at most `steps` commands."""
        wanted = clingo.Function("done", [clingo.Number(steps)])
        return bool(self._control.solve(assumptions=[(wanted, True)]).satisfiable)
