"""What is wrong with a TOML file, in one sentence: the key, what was expected and, for a key, the nearest one."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import ValidationError

from sandbox.errors import nearest


def first_problem(error: ValidationError, keys: Iterable[str]) -> tuple[str, str]:
    """The first thing that a model refuses, and the next step. `keys` are those at the top of the file.

    A key that does not exist comes first: what is missing is often the same key, misspelt.
    """
    errors = error.errors()
    first = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
    where = ".".join(str(part) for part in first["loc"])
    known = list(keys)
    if first["type"] == "extra_forbidden":
        meant = nearest(where, known)
        return f"unknown key {where!r}", f"did you mean {meant!r}?" if meant else f"keys: {', '.join(known)}"
    if first["type"] == "missing":
        return f"key {where!r} is missing", f"keys: {', '.join(known)}"
    said = first["msg"].removeprefix("Value error, ")
    return f"{where}: {said}" if where else said, f"keys: {', '.join(known)}"
