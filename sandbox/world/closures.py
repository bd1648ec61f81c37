"""The closures that formulas and terms become: each takes the objects bound to variables.

What a part comes to is worked out for all rooms at once (`local`). A part that never changes is TRUE or
FALSE itself, so that most of a formula is decided by comparing identities.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from typing import TypeAlias

from sandbox.world.bits import FALSE, TRUE, Condition, both, either
from sandbox.world.local import Grounded, every, some
from sandbox.world.spec import Value
from sandbox.world.values import Env, Group

Tester: TypeAlias = Callable[[Env], Grounded]
Meaning: TypeAlias = Value | Group
Reader: TypeAlias = Callable[[Env], Meaning]


# --- formulas -------------------------------------------------------------------------------------
def conjunction(parts: Sequence[Tester]) -> Tester:
    """Where every part holds; parts after one that never holds are not looked at."""

    def tester(env: Env) -> Grounded:
        found = []
        for part in parts:
            one = part(env)
            if not one:
                return FALSE
            if one is not TRUE:
                found.append(one)
        return every(found)

    return tester


def disjunction(parts: Sequence[Tester]) -> Tester:
    """Where some part holds; parts after one that always holds are not looked at."""

    def tester(env: Env) -> Grounded:
        found = []
        for part in parts:
            one = part(env)
            if one is TRUE:
                return TRUE
            if one:
                found.append(one)
        return some(found)

    return tester


def remembered(ground: Tester, names: Collection[str]) -> Tester:
    """What depends on one object at most, grounded once for each."""
    if len(names) > 1:
        return ground
    name, memo = next(iter(names), None), dict[str | None, Grounded]()

    def tester(env: Env) -> Grounded:
        key = name and env[name]
        found = memo.get(key)
        if found is None:
            found = memo[key] = ground(env)
        return found

    return tester


# --- terms and facts ------------------------------------------------------------------------------
def variable(name: str) -> Reader:
    """What is bound to a variable."""
    return lambda env: env[name]


def constant(value: Value) -> Reader:
    """A value."""
    return lambda _: value


def same(left: str, right: str, positive: bool) -> Tester:
    """Whether two variables are bound to the same object, or are not."""
    return lambda env: TRUE if (env[left] == env[right]) == positive else FALSE


def equal(left: Reader, right: Reader, positive: bool) -> Callable[[Env], Condition]:
    """Whether two terms have the same value, or have not."""

    def ground(env: Env) -> Condition:
        a, b = left(env), right(env)
        if isinstance(a, Group):
            if isinstance(b, Group):
                return either(both(a.test(x), b.test(y)) for x in a.values for y in b.values if (x == y) == positive)
            return a.test(b, positive)
        if isinstance(b, Group):
            return b.test(a, positive)
        return TRUE if (a == b) == positive else FALSE

    return ground


def relation(
    name: str, names: Sequence[str], relations: Container[tuple[str, tuple[str, ...]]], want: bool
) -> Callable[[Env], Condition]:
    """A relation of bound objects, which is read far more often than any other fact."""
    if len(names) == 2:
        a, b = names
        return lambda env: TRUE if ((name, (env[a], env[b])) in relations) == want else FALSE
    return lambda env: TRUE if ((name, tuple([env[n] for n in names])) in relations) == want else FALSE
