"""Rule text → statements: a Lark (LALR) parse and one transformer that builds the typed tree.

The grammar is `rules.lark`. Errors carry the line of the *template* they came from: the renderer ends
each line with a `#@LINE` marker, which the language reads as a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath
from typing import Any, TypeAlias

from lark import Lark, Token, Transformer, Tree, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from sandbox.errors import TemplateError, nearest
from sandbox.world import spec
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
    Start,
    Term,
    Total,
    Var,
)

MOST_NUMBERS = 100
"""How many numbers a counter may have."""
MOST_NESTED = 150
"""How deep a statement may be nested, in nodes of its parse tree."""
_MARK = re.compile(r"#@(\d+)")


@dataclass(frozen=True, slots=True)
class Also:
    """Clauses that a family adds to an action declared elsewhere."""

    name: str
    params: tuple[tuple[str, str], ...]
    needs: tuple[Need, ...]
    makes: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class AlsoWhen:
    """A condition that a family adds to a predicate declared elsewhere."""

    name: str
    params: tuple[tuple[str, str], ...]
    formula: Formula


@dataclass(frozen=True, slots=True)
class Lose:
    """A condition under which all is lost."""

    name: str
    when: Formula
    family: str


Statement: TypeAlias = (
    Kind | Function | Relation | Derive | Action | Also | AlsoWhen | Law | Lose | Aim | Place | Start | tuple[str, ...]
)


@dataclass(frozen=True, slots=True)
class Located:
    """A statement, the template line on which it begins, and those of its needs and of its effects."""

    line: int
    node: Statement
    needs: tuple[int, ...] = ()
    makes: tuple[int, ...] = ()


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return Lark.open(
        "rules.lark", rel_to=__file__, parser="lalr", propagate_positions=True, maybe_placeholders=True
    )


@lru_cache(maxsize=1024)
def parse(text: str, file: str) -> tuple[Located, ...]:
    """The statements of rendered rule text, in order. A pure function: memoised by its text.

    Raises TemplateError with file, line and what was expected.
    """
    family = PurePath(file).name.split(".")[0]
    try:
        if _MARK.search(text) is None:
            return _by_statement(text, family)
    except (UnexpectedInput, TemplateError):
        pass  # said below, with the line in the whole text and what it leads one to expect
    try:
        return _statements(text, family)
    except UnexpectedInput as error:
        raise _syntax_error(text, file, error) from None


_START = re.compile(
    r"^(?=(?:kind|fact|attribute|counter|relation|derive|action|inform|also|event|each|lose|goal|hint|place|start|stage)\b)",
    re.MULTILINE,
)


def _by_statement(text: str, family: str) -> tuple[Located, ...]:
    """The same, each statement at the start of a line by itself: texts of one template have most of them in common."""
    found: list[Located] = []
    line = 1
    for chunk in _START.split(text):
        found += [
            Located(one.line + line - 1, one.node, *(tuple(n + line - 1 for n in ns) for ns in (one.needs, one.makes)))
            for one in _statements(chunk, family)
        ]
        line += chunk.count("\n")
    return tuple(found)


def differing(old: str, new: str, file: str) -> tuple[Statement, ...]:
    """The statements that only one of two texts of a file has, both without line marks."""
    family = PurePath(file).name.split(".")[0]
    before, after = _START.split(old), _START.split(new)
    apart = [c for c in before if c not in after] + [c for c in after if c not in before]
    return tuple(one.node for chunk in apart for one in _statements(chunk, family))


@lru_cache(maxsize=8192)
def _statements(text: str, family: str) -> tuple[Located, ...]:
    statements: list[Located] = []
    for child in _parser().parse(text).children:
        assert isinstance(child, Tree)
        if _depth(child) > MOST_NESTED:
            at = f"rules/{family}.rules.j2:{template_line(text, child.meta.line)}"
            raise TemplateError(f"{at}: nested too deeply", "give a part of it a name: derive NAME(…) when …")
        node = _Build(family).transform(child)
        if isinstance(node, list):
            statements += map(Located, _lines(text, child, "place"), node)
        else:
            needs, makes = _lines(text, child, "need"), _lines(text, child, "effect")
            statements.append(Located(template_line(text, child.meta.line), node, needs, makes))
    return tuple(statements)


def _depth(statement: Tree[Token]) -> int:
    """How deep a parse tree is, found without going down into it by recursion."""
    deepest, left = 0, [(statement, 1)]
    while left:
        tree, depth = left.pop()
        deepest = max(deepest, depth)
        left += [(child, depth + 1) for child in tree.children if isinstance(child, Tree)]
    return deepest


def _lines(text: str, statement: Tree[Token], rule: str) -> tuple[int, ...]:
    """The template lines on which the clauses of a statement begin, in order."""
    return tuple(template_line(text, line) for line in sorted(c.meta.line for c in statement.find_data(rule)))


def template_line(text: str, line: int) -> int:
    """The line of the template from which line `line` of the rendered text came."""
    lines = text.split("\n")
    for later in lines[line - 1 :]:
        found = _MARK.search(later)
        if found:
            return int(found.group(1))
    return line


_TERMINALS = {
    "NAME": "a name", "STRING": "a text in quotes", "INT": "a number", "COMPARE": "a comparison",
    "LPAR": "'('", "RPAR": "')'", "EQUAL": "'='", "COLON": "':'", "COMMA": "','", "$END": "the end",
    "SLASH": "'/'", "_TO": "'..'", "PLUS": "'+'", "MINUS": "'-'", "SIGNED": "a signed number",
}


def _syntax_error(text: str, file: str, error: UnexpectedInput) -> TemplateError:
    line = template_line(text, getattr(error, "line", 1) or 1)
    names: set[str] = set()
    got = "this"
    if isinstance(error, UnexpectedToken):
        names, got = set(error.expected), repr(str(error.token))
        if error.token.type == "$END":
            got = "the end of the file"
            line = template_line(text, text.count("\n") + 1)
    elif isinstance(error, UnexpectedCharacters):
        names, got = set(error.allowed or ()), repr(error.char)
    words = sorted(_TERMINALS.get(name, repr(name.lower())) for name in names)
    shown = ", ".join(words[:8]) + (" …" if len(words) > 8 else "")
    meant = nearest(got.strip("'"), [word.strip("'") for word in words])
    hint = f"did you mean {meant!r}?" if meant else "see docs/rule-language.md for the statements"
    return TemplateError(f"{file}:{line}: found {got}, expected {shown}", hint)


Binding: TypeAlias = tuple[str, str]
Bindings: TypeAlias = tuple[Binding, ...]


@v_args(inline=True)
class _Build(Transformer[Token, Any]):
    """Lark tree → values of `spec`. One method a grammar rule; names are checked later, in merge."""

    def __init__(self, family: str) -> None:
        super().__init__()
        self._family = family

    # terms and formulas
    def NAME(self, token: Token) -> str:
        return str(token)

    def STRING(self, token: Token) -> str:
        return str(token)[1:-1]

    def INT(self, token: Token) -> int:
        return int(token)

    def COMPARE(self, token: Token) -> str:
        return str(token)

    def SIGNED(self, token: Token) -> int:
        return int(str(token).replace(" ", ""))

    def variable(self, name: str) -> Term:
        return Var(name)

    def number(self, value: int) -> Term:
        return Const(value)

    def ordinal(self, name: str, shift: int | None) -> Term:
        return Ordinal(name, shift or 0)

    def call(self, name: str, *args: Term | None) -> Call:
        return Call(name, tuple(arg for arg in args if arg is not None))

    def negation(self, part: Any) -> Formula:
        return Not(_formula(part))

    def exists(self, binding: Binding, where: Any) -> Formula:
        return Exists(*binding, _formula(where))

    def none(self, binding: Binding, where: Any) -> Formula:
        return Not(Exists(*binding, _formula(where)))

    def every(self, binding: Binding, where: Any, then: Any) -> Formula:
        return Not(Exists(*binding, And((_formula(where), Not(_formula(then))))))

    def most(self) -> str:
        return "<="

    def least(self) -> str:
        return ">="

    def count(self, op: str, bound: int, binding: Binding, where: Any) -> Formula:
        return Total(None, *binding, _formula(where), op, bound)

    def sum(self, name: str, op: str, bound: int, binding: Binding, where: Any) -> Formula:
        return Total(Call(name, (Var(binding[0]),)), *binding, _formula(where), op, bound)

    def comparison(self, left: Term, op: str, right: Term) -> Formula:
        return Compare(op, left, right)

    def equal(self, left: Term, right: Term) -> Formula:
        return Compare("=", left, right)

    def conjunction(self, *parts: Any) -> Formula:
        return And(tuple(map(_formula, parts))) if len(parts) > 1 else _formula(parts[0])

    def disjunction(self, *parts: Any) -> Formula:
        return Or(tuple(map(_formula, parts))) if len(parts) > 1 else _formula(parts[0])

    # bindings
    def binding(self, name: str, kind: str) -> Binding:
        return name, kind

    def over(self, *bindings: Binding) -> Bindings:
        return tuple(bindings)

    def params(self, *bindings: Binding | None) -> Bindings:
        return tuple(b for b in bindings if b is not None)

    # declarations
    def strings(self, *texts: str) -> tuple[str, ...]:
        return texts

    def holds(self) -> bool:
        return True

    drawn = sometimes = kept = holds

    def called(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return texts

    def shows(self, *names: str) -> tuple[str, ...]:
        return names

    def kind(self, name: str, parent: str | None, holds: bool | None, called: Any, shows: Any) -> Kind:
        return Kind(name, parent or "thing", bool(holds), called or (), shows or ())

    def fact(self, name: str, params: Bindings, yes: str | None, no: str | None) -> Function:
        return Function(name, params, (False, True), (no or "", yes or ""))

    def word_value(self, name: str, word: str | None) -> tuple[str, str]:
        return name, name if word is None else word

    def attribute(self, name: str, params: Bindings, drawn: bool | None, *values: Any) -> Function:
        return Function(
            name, params, tuple(v for v, _ in values), tuple(w for _, w in values), bool(drawn)
        )

    def counter(self, name: str, params: Bindings, low: int, high: int, words: Any) -> Function:
        numbers = tuple(range(low, min(high, low + MOST_NUMBERS) + 1))  # one too many is refused in `check`
        said = tuple(words or ())
        return Function(name, params, numbers, said + ("",) * (len(numbers) - len(said)))

    def relation(self, name: str, params: Bindings, phrase: str | None) -> Relation:
        return Relation(name, params, phrase or "")

    def derive(self, name: str, params: Bindings, formula: Any) -> Derive:
        return Derive(name, params, spec.TRUE if formula is None else _formula(formula))

    # actions and laws
    def need(self, formula: Any, cause: str) -> Need:
        return Need(_formula(formula), cause, self._family)

    def makes(self, *effects: Effect) -> tuple[Effect, ...]:
        return effects

    def spellings(self, *texts: str) -> tuple[str, ...]:
        return texts

    def _clauses(self, clauses: Sequence[Any]) -> tuple[tuple[Need, ...], tuple[Effect, ...]]:
        needs = tuple(c for c in clauses if isinstance(c, Need))
        makes = tuple(effect for c in clauses if isinstance(c, tuple) for effect in c)
        return needs, makes

    def action(self, name: str, params: Bindings, spellings: Any, *clauses: Any) -> Action:
        return Action(name, params, spellings, *self._clauses(clauses), self._family)

    def inform(self, name: str, params: Bindings, spellings: Any, *clauses: Any) -> Action:
        return replace(self.action(name, params, spellings, *clauses), inform=True)

    def also(self, name: str, params: Bindings, *clauses: Any) -> Also:
        return Also(name, params, *self._clauses(clauses))

    def also_when(self, name: str, params: Bindings, formula: Any) -> AlsoWhen:
        return AlsoWhen(name, params, _formula(formula))

    def lose(self, name: str, when: Any) -> Lose:
        return Lose(name, _formula(when), self._family)

    def event(self, name: str, over: Any, when: Any, *makes: Any) -> Law:
        effects = tuple(effect for group in makes for effect in group)
        return Law(name, over or (), _formula(when), effects, self._family, each_step=False)

    def each_step(self, name: str, over: Any, when: Any, *makes: Any) -> Law:
        effects = tuple(effect for group in makes for effect in group)
        formula = spec.TRUE if when is None else _formula(when)
        return Law(name, over or (), formula, effects, self._family, each_step=True)

    # effects
    def set_true(self, call: Call) -> Assign:
        return _assign(call, True)

    def set_false(self, call: Call) -> Assign:
        return Assign(call.name, call.args, Const(False))

    def set_here(self, name: Var, value: Term) -> Assign:
        return Assign(name.name, (), value)

    def set_value(self, call: Call, value: Term) -> Assign:
        return Assign(call.name, call.args, value)

    def add(self, call: Call, delta: int) -> Add:
        return Add(call.name, call.args, delta)

    def subtract(self, call: Call, delta: int) -> Add:
        return Add(call.name, call.args, -delta)

    def effect(self, change: Assign | Add, over: Any, where: Any) -> Effect:
        return Effect(change, over or (), spec.TRUE if where is None else _formula(where))

    # goals, hints, placement
    def goal(self, literal: Any, over: Any, where: Any, kept: bool | None) -> Aim:
        formula = _formula(literal)
        if where is not None:
            formula = And((formula, _formula(where)))
        return Aim(formula, over or (), self._family, kept=bool(kept))

    def hint(self, *names: str) -> tuple[str, ...]:
        return names

    def link(self, name: str, left: str, right: str) -> tuple[str, str, str]:
        return name, left, right

    def spot_in(self, name: str) -> str:
        return name

    def spot_exits(self) -> str:
        return "exits"

    def spot_loops(self) -> str:
        return "loops"

    def spot_carried(self) -> str:
        return spec.CARRIED

    def spot_nowhere(self) -> str:
        return spec.GONE

    def spot_elsewhere(self) -> str:
        return "elsewhere"

    def spot_outside(self) -> str:
        return "outside"

    def place(self, count: int | None, kind: str, var: str | None, per: Any, where: Any, *rest: Any) -> Place:
        links = tuple(part for part in rest[:-1] if part is not None)
        formula = spec.TRUE if where is None else _formula(where)
        return Place(
            1 if count is None else count, kind, var or "self", per, formula, links,
            rest[-1] or "rooms", "", self._family,
        )

    def start_value(self, change: Assign, over: Any, where: Any, sometimes: bool | None) -> Start:
        formula = spec.TRUE if where is None else _formula(where)
        return Start(change, over or (), formula, bool(sometimes))

    def stage(self, name: str, *places: Place) -> list[Place]:
        return [replace(place, stage=name) for place in places]


def _formula(node: Any) -> Formula:
    """A call in the place of a formula is an atom; everything else is one already."""
    if isinstance(node, Call):
        return _place_atom(node)
    formula: Formula = node
    return formula


def _place_atom(call: Call) -> Formula:
    """`in`, `carried` and `gone` are tests of the one function `place`."""
    if call.name == "in" and len(call.args) == 2:
        return Compare("=", Call(spec.PLACE, call.args[:1]), call.args[1])
    if call.name in (spec.CARRIED, spec.GONE) and len(call.args) == 1:
        return Compare("=", Call(spec.PLACE, call.args), Const(call.name))
    return Atom(call.name, call.args)


def _assign(call: Call, value: bool) -> Assign:
    if call.name == "in" and len(call.args) == 2:
        return Assign(spec.PLACE, call.args[:1], call.args[1])
    if call.name in (spec.CARRIED, spec.GONE) and len(call.args) == 1:
        return Assign(spec.PLACE, call.args, Const(call.name))
    return Assign(call.name, call.args, Const(value))
