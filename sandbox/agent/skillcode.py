"""Skill code is read before it is run: what it may say, what it rests on, and what is wrong with it, by line.

The code is one function over intents. It is never executed here: Python's parser reads it, and the tree is walked.
What is refused makes a skill useless to others (names baked in, quantities in its name, nothing promised) or cannot
be bounded by reading (`while`, recursion); what the code does when it runs is the interpreter's business.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sandbox.agent.library import Skill

LONGEST: Final = 20_000
DEEDS_WRITTEN: Final = 12
"""How many deeds the code may name before it has to call other skills."""
QUESTIONS: Final = (
    "at", "carried", "facts", "held", "here", "holds", "inside", "path", "room", "room_of", "said", "things", "ways",
)  # fmt: skip
TOOLS: Final = ("require", "ensure", "give_up", "go_to")
BUILTINS: Final = (
    "abs", "all", "any", "bool", "dict", "enumerate", "int", "len", "list", "max", "min", "range", "reversed", "set",
    "sorted", "str", "sum", "tuple", "zip",
)  # fmt: skip
QUANTITIES: Final = frozenset([
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "dozen", "hundred",
    "twice", "thrice",
])  # fmt: skip
NAME: Final = re.compile(r"[a-z][a-z0-9_]*\Z")
FACTS: Final[Mapping[str, int]] = {"at": 2, "held": 2, "here": 2, "gone": 2, "in": 3, "word": 3, "way": 3}
"""Facts that code and conditions may speak of, each with how many parts it has."""
NO_PROMISE: Final = "it promises nothing: say in post what is true when it has worked"
_ALLOWED: Final = (
    ast.arguments, ast.arg, ast.Expr, ast.Assign, ast.AugAssign, ast.If, ast.For, ast.Return, ast.Pass, ast.Break,
    ast.Continue, ast.Call, ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp,
    ast.List, ast.Tuple, ast.Set, ast.Subscript, ast.Slice, ast.IfExp, ast.ListComp, ast.SetComp, ast.GeneratorExp,
    ast.comprehension, ast.JoinedStr, ast.FormattedValue, ast.Starred, ast.Load, ast.Store,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.alias, ast.withitem, ast.keyword, ast.ExceptHandler,
)  # fmt: skip
_WHY: Final[Mapping[type[ast.AST], str]] = {
    ast.While: "while has no end that can be read: write for _ in range(5)",
    ast.Try: "nothing is raised that could be caught: ask with if whether a deed worked",
    ast.Import: "nothing can be imported",
    ast.ImportFrom: "nothing can be imported",
    ast.FunctionDef: "a skill is one function: make the inner one a skill of its own",
    ast.Lambda: "a skill is one function: lambda is not part of it",
    ast.ClassDef: "a skill is one function: class is not part of it",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a skill, and in which line of its code; 0 for what is not in the code."""

    line: int
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}" if self.line else self.why


def faults(skill: Skill, intents: Collection[str] | None = None, skills: Collection[str] = ()) -> list[Fault]:
    """What is wrong with a skill as it is written; nothing where it may be tried.

    `intents` are the deeds that are known (None: any may be named), `skills` the names of other skills.
    """
    found = [*_of_name(skill), *_of_conditions(skill)]
    function = _function(skill)
    if isinstance(function, Fault):
        return [*found, function]
    found += _of_signature(skill, function)
    found += _of_body(skill, function, intents, skills)
    return sorted(set(found), key=lambda fault: (fault.line, fault.why))


def named(code: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The intents that code does, and every other function that it calls, each in order of appearance."""
    try:
        tree = ast.parse(code[:LONGEST])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (), ()
    calls = [node.func for node in _ordered(tree) if isinstance(node, ast.Call)]
    deeds = [one.attr for one in calls if isinstance(one, ast.Attribute) and _base(one) == "do"]
    others = [one.id for one in calls if isinstance(one, ast.Name) and one.id not in (*TOOLS, *BUILTINS)]
    return tuple(dict.fromkeys(deeds)), tuple(dict.fromkeys(others))


def needed(skill: Skill, skills: Mapping[str, Skill]) -> tuple[Skill, ...] | str:
    """The skills that a skill calls, directly or not, each after those that it calls itself; or what is wrong."""
    done: dict[str, Skill] = {}

    def visit(one: Skill, way: tuple[str, ...]) -> str | None:
        if one.name in way:
            return f"{' calls '.join((*way[way.index(one.name):], one.name))}: a skill may not come back to itself"
        for name in named(one.code)[1]:
            if name == one.name or (name not in done and name in skills):
                wrong = visit(skills.get(name, one), (*way, one.name))
                if wrong:
                    return wrong
        if way:
            done[one.name] = one
        return None

    return visit(skill, ()) or tuple(done.values())


def _function(skill: Skill) -> ast.FunctionDef | Fault:
    if len(skill.code) > LONGEST:
        return Fault(0, f"the code is longer than {LONGEST} characters")
    try:
        tree = ast.parse(skill.code)
    except SyntaxError as error:
        return Fault(error.lineno or 0, f"cannot be read: {error.msg}")
    except (ValueError, RecursionError, MemoryError):
        return Fault(0, "the code cannot be read")
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return Fault(0, f"the code must be one function, def {skill.name}(…), and nothing else")
    return tree.body[0]


def _of_name(skill: Skill) -> Iterator[Fault]:
    if not NAME.match(skill.name) or keyword.iskeyword(skill.name):
        yield Fault(0, f"{skill.name!r} is no name: use small letters, digits and _")
    elif skill.name in (*TOOLS, *BUILTINS, "do", "see"):
        yield Fault(0, f"the name {skill.name!r} is taken")
    elif any(char.isdigit() for char in skill.name) or QUANTITIES & set(skill.name.split("_")):
        yield Fault(0, f"the name {skill.name!r} holds a quantity: quantities are no part of what a skill is")


def _of_conditions(skill: Skill) -> Iterator[Fault]:
    if not skill.post:
        yield Fault(0, NO_PROMISE)
    params = {name for name, _ in skill.params}
    for fact in (*skill.pre, *skill.post):
        bare = fact[1:] if fact[:1] == ("not",) else fact
        if not bare or len(bare) != FACTS.get(bare[0], 0):
            yield Fault(0, f"{' '.join(fact)!r} is no fact: known are {', '.join(FACTS)}")
            continue
        names = bare[1:2] if bare[0] == "word" else bare[1:]
        odd = next((name for name in names if name not in params), None)
        if odd is not None:
            yield Fault(0, f"{' '.join(fact)!r} speaks of {odd!r}, which is no parameter")


def _of_signature(skill: Skill, function: ast.FunctionDef) -> Iterator[Fault]:
    line, args = function.lineno, function.args
    if function.name != skill.name:
        yield Fault(line, f"the function is called {function.name}, the skill {skill.name}")
    if function.decorator_list:
        yield Fault(line, "decorators are not part of a skill")
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
        yield Fault(line, "parameters are plain names, without defaults and stars")
    names, params = [arg.arg for arg in args.args], [name for name, _ in skill.params]
    if names != params:
        yield Fault(line, f"the function takes ({', '.join(names)}), the skill ({', '.join(params)})")
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for name in names:
        if name not in used:
            yield Fault(line, f"the parameter {name!r} is not used")


def _of_body(
    skill: Skill, function: ast.FunctionDef, intents: Collection[str] | None, skills: Collection[str]
) -> Iterator[Fault]:
    deeds = acts = 0
    for node in _ordered(*function.body, *function.args.args):
        if not isinstance(node, _ALLOWED):
            line = getattr(node, "lineno", function.lineno)
            yield Fault(line, _WHY.get(type(node), f"{type(node).__name__.lower()} is not part of the language"))
        elif isinstance(node, ast.Attribute):
            yield from _of_attribute(node, intents)
        elif isinstance(node, ast.Name) and node.id.startswith("_") and node.id != "_":
            yield Fault(node.lineno, f"{node.id!r} is not for skills")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in (*TOOLS, "do", "see"):
            yield Fault(node.lineno, f"{node.id!r} cannot be given another meaning")
        elif isinstance(node, ast.Call):
            base = _base(node.func)
            deeds += base == "do"
            acts += base in {"do", "go_to", *skills}
            yield from _of_call(skill, node, skills)
    if deeds > DEEDS_WRITTEN:
        yield Fault(function.lineno, f"{deeds} deeds in one skill, more than {DEEDS_WRITTEN}: call other skills")
    if not acts:
        yield Fault(function.lineno, "it does nothing")


def _of_attribute(node: ast.Attribute, intents: Collection[str] | None) -> Iterator[Fault]:
    base = _base(node)
    if base == "do":
        if intents is not None and node.attr not in intents:
            yield Fault(node.lineno, f"do.{node.attr} is not known; known are {', '.join(sorted(intents)) or 'none'}")
    elif base == "see":
        if node.attr not in QUESTIONS:
            yield Fault(node.lineno, f"see.{node.attr} is not known; known are {', '.join(QUESTIONS)}")
    else:
        yield Fault(node.lineno, f".{node.attr}: only do.NAME and see.NAME may be asked for")


def _of_call(skill: Skill, node: ast.Call, skills: Collection[str]) -> Iterator[Fault]:
    base = _base(node.func)
    if node.keywords:
        yield Fault(node.lineno, "arguments are given by place, not by name")
    if isinstance(node.func, ast.Name):
        if base == skill.name:
            yield Fault(node.lineno, "a skill may not call itself")
        elif base not in (*TOOLS, *BUILTINS, *skills):
            yield Fault(node.lineno, f"{base} is neither a skill nor part of the language")
    elif base not in ("do", "see"):
        yield Fault(node.lineno, "only names, do.NAME and see.NAME can be called")
    if (base in ("do", "go_to") or base in skills) and any(isinstance(arg, ast.Constant) for arg in node.args):
        yield Fault(node.lineno, "a text is baked in: make it a parameter")


def _base(node: ast.AST) -> str:
    """The name that a call or an attribute begins with; '' for anything else."""
    if isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _ordered(*roots: ast.AST) -> Iterator[ast.AST]:
    """All nodes, from top to bottom."""
    todo: list[ast.AST] = list(roots)[::-1]
    while todo:
        node = todo.pop()
        yield node
        todo += list(ast.iter_child_nodes(node))[::-1]


def listed(found: Iterable[Fault]) -> str:
    """Faults in one line."""
    return "; ".join(map(str, found))


@lru_cache(maxsize=512)
def given(code: str) -> tuple[tuple[str, ...], ...]:
    """The deeds that code names, in order: each an intent and the names that it is given; '' for what is no name."""
    try:
        tree = ast.parse(code[:LONGEST])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    calls = [node for node in _ordered(tree) if isinstance(node, ast.Call) and _base(node.func) == "do"]
    return tuple(
        (call.func.attr, *(arg.id if isinstance(arg, ast.Name) else "" for arg in call.args))
        for call in calls if isinstance(call.func, ast.Attribute)
    )  # fmt: skip
