"""Programs over commands: what `voyager-classic` writes in place of skills over deeds.

A program is one function without parameters that says commands, `do.say("take key")`, and calls other programs. It
runs where skills run, and nothing of it is checked before: an error ends it and is shown to the writer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sandbox.agent.asking import Rejected
from sandbox.agent.library import Skill

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,60}\Z")


def _form(**fields: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


_TEXT: Final[dict[str, object]] = {"type": "string"}
QUESTIONS: Final = _form(questions={"type": "array", "items": _TEXT})
TASK: Final = _form(reasoning=_TEXT, task=_TEXT)
PROGRAM: Final = _form(explain=_TEXT, plan=_TEXT, code=_TEXT)
CRITIC: Final = _form(reasoning=_TEXT, success={"type": "boolean"}, critique=_TEXT)


def read_task(data: Mapping[str, Any]) -> str:
    """The task of a proposal. Raises Rejected when there is none."""
    task = data["task"]
    if not isinstance(task, str) or not task.strip():
        raise Rejected("task must say what to do")
    return task.strip()[:200]


def read_program(data: Mapping[str, Any], source: Mapping[str, str]) -> Skill:
    """The program of a reply: its last function, the others with it. Raises Rejected when there is none."""
    code = data["code"]
    if not isinstance(code, str):
        raise Rejected("code must be a text")
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Rejected(f"the code cannot be read: {error}") from None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions or len(functions) != len(tree.body):
        raise Rejected("the code must be functions and nothing else")
    main = functions[-1]
    if main.args.args or main.args.vararg or main.args.kwonlyargs or not _NAME.match(main.name):
        raise Rejected("the last function must have a plain name and no parameters")
    return Skill(main.name, (), code.rstrip() + "\n", main.name.replace("_", " "), (), (), origin="llm", source=source)


def described(skill: Skill, text: str, old: str | None) -> Skill:
    """A program with its description, as the version that follows `old`."""
    first = (text.strip().split("\n")[0] or skill.summary)[:200]
    return replace(skill, summary=first, parent=old)
