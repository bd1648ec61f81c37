"""From what a model wrote to a skill: one function, the things to call it with, and what both must come to.

Name, parameters with their kinds, summary and preconditions are read off the function itself; its post-condition is
the task, with the things that it is called with lifted out. So a writer says how, and never what counts as success.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sandbox.agent.asking import Rejected
from sandbox.agent.library import Fact, Skill
from sandbox.agent.skillcode import FACTS, NO_PROMISE, faults, listed, named
from sandbox.agent.tasks import Task, things_of

CHOICES: Final = 400
"""Names that a schema lists; where there are more, any text may be given, and is checked afterwards."""
KIND: Final = "thing"
"""The kind of a parameter that has no annotation."""


def schema(names: Collection[str]) -> dict[str, object]:
    """The JSON schema of a reply: the code, and the things that it is to be called with now."""
    name: dict[str, object] = {"type": "string"}
    if 0 < len(names) <= CHOICES:
        name["enum"] = sorted(names)
    fields = {"plan": {"type": "string"}, "code": {"type": "string"}, "args": {"type": "array", "items": name}}
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def read_skill(
    data: Mapping[str, Any], task: Task, source: Mapping[str, str], intents: Collection[str],
    skills: Mapping[str, Skill],
) -> tuple[Skill, tuple[str, ...]]:  # fmt: skip
    """The skill in a reply and what it is to be called with. Raises Rejected with what is wrong, by line."""
    code, args = data.get("code"), data.get("args")
    if not isinstance(code, str) or not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise Rejected("code must be a text and args a list of names")
    code = _plain(code)
    function = _function(code)
    params = tuple((arg.arg, _kind(arg.annotation)) for arg in function.args.args)
    if len(params) != len(args):
        raise Rejected(f"{function.name} takes {len(params)} things, and args has {len(args)}")
    skill = Skill(
        name=function.name, params=params, code=code, summary=_summary(function, task), pre=_pre(function),
        post=lifted(task.facts, dict(zip(args, (name for name, _ in params), strict=True))),
        uses=named(code)[0], origin="llm", source=dict(source),
    )  # fmt: skip
    found = faults(skill, intents, skills)
    if not task.facts:  # a task in words: a critic judges it, and its skill is not kept
        found = [fault for fault in found if fault.why != NO_PROMISE]
    if found:
        raise Rejected(listed(found)[:600])
    same = skills.get(skill.name)
    if same is not None and (same.post, len(same.params)) != (skill.post, len(params)):
        raise Rejected(f"{skill.name} is a skill already, and promises something else: choose another name")
    return skill, tuple(args)


def lifted(facts: Sequence[Fact], names: Mapping[str, str]) -> tuple[Fact, ...]:
    """Facts with things replaced by the parameters that stand for them. Raises Rejected for one without any."""
    found = []
    for fact in facts:
        start = 2 if fact[:1] == ("not",) else 1
        end = start + len(things_of(fact))
        for name in fact[start:end]:
            if name not in names:
                raise Rejected(f"the task speaks of {name!r}: make it a parameter, and name it in args")
        found.append((*fact[:start], *(names[name] for name in fact[start:end]), *fact[end:]))
    return tuple(found)


def _plain(code: str) -> str:
    """The code without the fence that some models put around it even inside JSON."""
    lines = code.strip("\n").split("\n")
    if lines and lines[0].startswith("```"):
        lines = lines[1:-1] if lines[-1].startswith("```") else lines[1:]
    return "\n".join(lines).rstrip() + "\n"


def _function(code: str) -> ast.FunctionDef:
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        raise Rejected(f"line {error.lineno or 0}: the code cannot be read: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError):
        raise Rejected("the code cannot be read") from None
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        raise Rejected("the code must be one function, def NAME(…), and nothing else")
    return tree.body[0]


def _kind(annotation: ast.expr | None) -> str:
    return annotation.id.casefold()[:40] if isinstance(annotation, ast.Name) else KIND


def _summary(function: ast.FunctionDef, task: Task) -> str:
    return ((ast.get_docstring(function) or task.told).strip().split("\n")[0])[:200]


def _pre(function: ast.FunctionDef) -> tuple[Fact, ...]:
    """What the function requires before it does anything, where that is said as a fact about its parameters."""
    params = {arg.arg for arg in function.args.args}
    found = []
    for statement in function.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        fact = _required(statement)
        if fact is None:
            break
        bare = fact[1:] if fact[0] == "not" else fact
        named_ = bare[1:2] if bare[0] == "word" else bare[1:]
        if len(bare) == FACTS.get(bare[0]) and all(name in params for name in named_):
            found.append(fact)
    return tuple(dict.fromkeys(found))


def _required(statement: ast.stmt) -> Fact | None:
    """The fact of a statement `require(…)`, given as its parts or as a question; None for anything else."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    call = statement.value
    if not isinstance(call.func, ast.Name) or call.func.id != "require":
        return None
    if len(call.args) == 1 and isinstance(call.args[0], ast.Call) and isinstance(call.args[0].func, ast.Attribute):
        asked = {"inside": "in", "said": "word"}.get(call.args[0].func.attr, call.args[0].func.attr)
        return (asked, *_parts(call.args[0].args))
    parts = _parts(call.args)
    return tuple(parts) or None


def _parts(args: Sequence[ast.expr]) -> list[str]:
    """Names and texts as they stand."""
    return [_part(arg) for arg in args]


def _part(arg: ast.expr) -> str:
    return str(arg.value) if isinstance(arg, ast.Constant) else arg.id if isinstance(arg, ast.Name) else ""
