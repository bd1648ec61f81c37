"""Skill code is read before it is tried, and what is wrong with it is named by line."""

from __future__ import annotations

import pytest

from sandbox.agent.library import Fact, Skill
from sandbox.agent.skillcode import LONGEST, faults, listed, named, needed

DEEDS = ("take", "drop", "open")
GOOD = """def serve(x, to):
    \"\"\"Bring x to a place.\"\"\"
    require(see.here(x) or see.held(x))
    for _ in range(3):
        if not see.held(x):
            do.take(x)
    go_to(to)
    if not do.drop(x):
        give_up("it sticks to the hand")
    ensure("in", x, to)
"""


def skill(code: str, name: str = "f", post: tuple[Fact, ...] = (("held", "x"),), params: tuple[str, ...] = ("x",)) -> Skill:
    """A skill with a body."""
    return Skill(name, tuple((param, "thing") for param in params), code, "", (), post)


def test_good_code_has_no_faults() -> None:
    """The whole language in one skill."""
    assert faults(skill(GOOD, "serve", (("in", "x", "to"),), ("x", "to")), DEEDS) == []
    assert named(GOOD) == (("take", "drop"), ())


@pytest.mark.parametrize(("code", "said"), [
    ("def f(x:", "line 1: cannot be read"),
    ("def f(x):\n    do.take(x)\nprint(1)", "one function, def f(…), and nothing else"),
    ("import os\ndef f(x):\n    do.take(x)", "nothing else"),
    ("def f(x):\n    import os\n    do.take(x)", "line 2: nothing can be imported"),
    ("def g(x):\n    do.take(x)", "line 1: the function is called g, the skill f"),
    ("def f(x, y=1):\n    do.take(x)", "without defaults"),
    ("def f(y):\n    do.take(y)", "the function takes (y), the skill (x)"),
    ("def f(x):\n    do.take(see.room())", "the parameter 'x' is not used"),
    ("def f(x):\n    while True:\n        do.take(x)", "line 2: while has no end"),
    ("def f(x):\n    f(x)", "line 2: a skill may not call itself"),
    ("def f(x):\n    grasp(x)", "line 2: grasp is neither a skill"),
    ("def f(x):\n    do.fly(x)", "line 2: do.fly is not known; known are drop, open, take"),
    ("def f(x):\n    see.weight(x)\n    do.take(x)", "line 2: see.weight is not known"),
    ("def f(x):\n    x.__class__\n    do.take(x)", "line 2: .__class__"),
    ("def f(x):\n    _act('take', [x], [], [])\n    do.take(x)", "'_act' is not for skills"),
    ("def f(x):\n    do.take('cup' or x)\n    do.take('cup')", "line 3: a text is baked in"),
    ("def f(x):\n    do = 3\n    do.take(x)", "'do' cannot be given another meaning"),
    ("def f(x):\n    take = lambda: do.take(x)\n    take()", "lambda is not part"),
    ("def f(x):\n    def g(): pass\n    do.take(x)", "the inner one a skill of its own"),
    ("def f(x):\n    require(see.held(x))", "it does nothing"),
    ("def f(x):\n" + "    do.take(x)\n" * 13, "13 deeds in one skill"),
    ("def f(x):\n    do.take(thing=x)", "by place, not by name"),
    ("@f\ndef f(x):\n    do.take(x)", "decorators"),
    ("async def f(x):\n    do.take(x)", "one function"),
    ("def f(x):\n    try:\n        do.take(x)\n    except Exception: pass", "line 2: nothing is raised"),
    ("def f(x):\n    yield do.take(x)", "yield is not part"),
    ("def f(x):\n    with x: do.take(x)", "with is not part"),
    ("def f(x):\n    do.take(x)" + "#" * LONGEST, "longer than"),
    ("def f(x):\n    do.take(" + "(" * 3000 + "x" + ")" * 3000 + ")", "cannot be read"),
    ("def f(x):\n    do.take(x)\x00", "cannot be read"),
])  # fmt: skip
def test_what_is_wrong_is_told(code: str, said: str) -> None:
    """In plain words, with the line."""
    assert said in listed(faults(skill(code), DEEDS))


@pytest.mark.parametrize(("name", "said"), [
    ("take_two", "quantity"), ("take3", "quantity"), ("Take", "no name"), ("class", "no name"), ("require", "taken"), ("", "no name"),
])  # fmt: skip
def test_names(name: str, said: str) -> None:
    """No quantity, no name of the language."""
    assert said in listed(faults(skill(f"def {name or 'f'}(x):\n    do.take(x)", name), DEEDS))


@pytest.mark.parametrize(("post", "said"), [
    ((), "promises nothing"), ((("held", "cup"),), "'cup', which is no parameter"), ((("shiny", "x"),), "no fact"),
    ((("held",),), "no fact"), ((("not",),), "no fact"), (((),), "no fact"),
])  # fmt: skip
def test_conditions(post: tuple[Fact, ...], said: str) -> None:
    """A skill promises facts about its parameters."""
    assert said in listed(faults(skill("def f(x):\n    do.take(x)", post=post), DEEDS))


def test_what_a_skill_needs_comes_first() -> None:
    """Callees before callers, and circles are told."""
    chain = {
        name: skill(f"def {name}(x):\n    {body}", name)
        for name, body in {"a": "b(x); c(x)", "b": "c(x)", "c": "do.take(x)", "d": "e(x)", "e": "d(x)"}.items()
    }
    found = needed(chain["a"], chain)
    assert isinstance(found, tuple)
    assert [one.name for one in found] == ["c", "b"]
    assert needed(chain["d"], chain) == "d calls e calls d: a skill may not come back to itself"
