"""Merged rules are refused where they say what no world could carry out; names were looked up before, in `merge`.

The compiler, the engine and the search take for granted what is held here: values of the right sort and range,
counts over one fact of each object, effects and goals whose values are fixed, `here` set by walking alone, and
reach among the needs of every action. What breaks it is a mistake in a template: each refusal names file and
line, what is wrong and what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from sandbox.world import spec
from sandbox.world.english import article
from sandbox.world.sense import WALK, Clause, Sense, Site
from sandbox.world.sorts import FACT, Sorts
from sandbox.world.spec import (
    Action,
    And,
    Atom,
    Call,
    Compare,
    Const,
    Exists,
    Formula,
    Function,
    Not,
    Or,
    Rules,
    Total,
    Var,
)
from sandbox.world.syntax import MOST_NUMBERS

MOST_CHAINED: Final = 20
"""How many predicates may rest on each other."""
ROOTS: Final = ("room", "thing", "fixture")


Sites: TypeAlias = Mapping[tuple[str, str], Site]
"""Sort and name of a declaration → where it stands."""


def check(rules: Rules, clauses: Iterable[Clause], sites: Sites) -> None:
    """Raise TemplateError for the first thing in a rule set that makes no sense."""
    sorts = Sorts(rules)
    _check_kinds(rules, sites)
    for function in rules.functions:
        if function.name not in (spec.PLACE, spec.HERE):
            _check_function(function, sites["fact or attribute", function.name], sorts)
    _check_recursion(rules, sites)
    sense = Sense(sorts)
    for clause in clauses:
        sense.check(clause)
    for action in rules.actions:
        _check_action(action, sites["action", action.name], sorts)


# --- declarations --------------------------------------------------------------------------------
def _check_kinds(rules: Rules, sites: Sites) -> None:
    known = {*ROOTS, *rules.ancestry}
    for kind in rules.kinds:
        if kind.parent not in known:
            raise sites["kind", kind.name].unknown("parent kind", kind.parent, known)
    for kind in rules.kinds:
        if not rules.ancestry[kind.name] & set(ROOTS):
            raise sites["kind", kind.name].error(
                f"kind {kind.name!r} is below itself", "let its parents end at thing or fixture"
            )
        for name in kind.shows:
            drawn = [f for f in rules.functions if f.drawn and len(f.params) == 1]
            fitting = [f.name for f in drawn if rules.kind_of(kind.name, f.params[0][1])]
            if name not in fitting:
                raise sites["kind", kind.name].unknown(f"drawn attribute of {article(kind.name)}", name, fitting)


def _check_function(function: Function, site: Site, sorts: Sorts) -> None:
    name, values, params = function.name, function.values, function.params
    sort = sorts.of(Call(name, ()))[0]
    if len(set(values)) < len(values):
        raise site.error(f"{name!r} has a value twice", "name each value once")
    if values == FACT and sort != "fact":
        raise site.error(f"counter {name!r} has the two values 0 and 1 only", "declare a fact, or count to 2")
    if sort == "number" and len(values) > MOST_NUMBERS:
        raise site.error(f"counter {name!r} has more than {MOST_NUMBERS} values", "count in larger steps")
    if len(function.words) > len(values):
        raise site.error(f"{name!r} has {len(function.words)} texts for {len(values)} values", "leave some out")
    if function.drawn and len(params) != 1:
        raise site.error(f"{name!r} is drawn and takes {len(params)} things", "what is drawn is about one thing")
    if len(params) == 1 and any(function.words) and sorts.within(params[0][1], "room"):
        what = f'give each value an empty text ({values[0]} "", …)' if sort == "word" else "leave its texts out"
        raise site.error(
            f"{name!r} is about rooms and has texts, but nothing tells a player what a room is like",
            f"{what}; what a player is to see, say of a thing or fixture",
        )


def _check_recursion(rules: Rules, sites: Sites) -> None:
    uses = {d.name: {atom.name for atom in _atoms(d.formula)} for d in rules.derives}
    deep = {name for name in uses if uses[name] & set(uses)}
    for _ in range(MOST_CHAINED):
        deep = {name for name in deep if uses[name] & deep}
    if not deep:
        return
    path: dict[str, None] = {}
    at = next(name for name in uses if name in deep)
    while at not in path:
        path[at] = None
        further = [name for name in uses if name in uses[at] & deep]
        if not further:
            raise sites["predicate", next(iter(path))].error(
                f"predicate {next(iter(path))!r} rests on more than {MOST_CHAINED} others, one upon the other",
                "say it in fewer steps",
            )
        at = further[0]
    circle = [*path][[*path].index(at):]
    name = next(name for name in uses if name in circle)
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


def _check_action(action: Action, site: Site, sorts: Sorts) -> None:
    if action.name == WALK and sum(effect.change.name == spec.HERE for effect in action.makes) != 1:
        raise site.error(f"{WALK!r} has to set `here` once", "write: makes here = r")
    if action.inform or not action.params or sorts.within(action.params[0][1], "room"):
        return
    var, kind = action.params[0]
    if not any(_reaches(need.formula, var) for need in action.needs):
        raise site.error(
            f"{action.name!r} acts on {article(kind)} that may be out of reach, where it cannot be selected",
            f"add: needs near({var}) else out_of_reach (or: needs carried({var}) else not_carried)",
        )


def _reaches(need: Formula, var: str) -> bool:
    """Whether a need implies that a variable's object is within reach."""
    if isinstance(need, And):
        return any(_reaches(part, var) for part in need.parts)
    carried = Compare("=", Call(spec.PLACE, (Var(var),)), Const(spec.CARRIED))
    return need in (Atom("near", (Var(var),)), carried)
