"""Skill code is hostile by default: whatever it does, the call ends with an outcome, and the next one works."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sandbox.agent.interpreter import Inner, MontyCall, MontyInterpreter, Scope, true_of
from sandbox.agent.library import Fact, Intent, Skill

HELD = frozenset({("held", "cup")})
QUICK = MontyInterpreter(seconds=0.3, deeds=10)
SCOPE = Scope(("take", "drop", "open", "look", "go"), "go")


def skill(code: str, name: str = "f") -> Skill:
    """A skill of one thing, which it promises to hold in the end."""
    return Skill(name, (("x", "thing"),), code, "Take it.", (), (("held", "x"),))


def played(call: MontyCall, *answers: tuple[bool, frozenset[Fact]]) -> list[Intent]:
    """The deeds of a call, answered in turn, the last answer again and again."""
    done: list[Intent] = []
    while call.intent is not None:
        accepted, facts = answers[min(len(done), len(answers) - 1)]
        done.append(call.intent)
        call.answer(done=accepted, facts=facts)
    return done


def run(code: str, *answers: tuple[bool, frozenset[Fact]], args: Sequence[str] = ("cup",)) -> tuple[str | None, str, list[Intent]]:
    """Outcome, reason and deeds of a call."""
    call = QUICK.call(skill(code), args, frozenset({("here", "hall")}), SCOPE)
    deeds = played(call, *(answers or ((True, HELD),)))
    return call.outcome, call.why, deeds


def test_a_skill_acts_and_sees_what_came_of_it() -> None:
    """Facts after each deed decide what it does next; its post-condition is judged outside."""
    code = """
def f(x):
    tried = 0
    while not see.holds("held", x) and tried < 3:
        do.take(x)
        tried += 1
    require("here", "hall")
    if see.holds("not", "open", "box"):
        do.open("box")
"""
    here = ("here", "hall")
    outcome, why, deeds = run(code, (False, frozenset({here})), (True, HELD | {here}))
    assert (outcome, why) == ("done", "")
    assert deeds == [Intent("take", ("cup",)), Intent("take", ("cup",)), Intent("open", ("box",))]


@pytest.mark.parametrize(("code", "outcome", "said"), [
    ("def f(x): pass", "no_effect", "held x"),
    ("def f(x): ensure('held', x)", "no_effect", "held cup"),
    ("def f(x): require('held', x)", "gave_up", "it needs held cup"),
    ("def f(x): give_up('too dark')", "gave_up", "too dark"),
    ("def f(x):\n  while True: do.look()", "limit", "too many deeds"),
    ("def f(x):\n  while True: pass", "limit", "time"),
    ("def f(x):\n  try:\n    while True: pass\n  except BaseException:\n    pass", "limit", "time"),
    ("def f(x):\n  a = 'x'\n  while True: a += a", "limit", "memory"),
    ("def f(x): return [0] * 10**9", "limit", "memory"),
    ("def f(x): return f(x)", "fault", "recursion"),
    ("def f(x):\n\n  1 / 0", "fault", "division by zero (line 3)"),
    ("def f(x): open('/etc/passwd')", "fault", "permission denied"),
    ("import os\ndef f(x): os.system('true')", "fault", "system"),
    ("import subprocess\ndef f(x): pass", "fault", "subprocess"),
    ("def f(x): return ().__class__.__base__", "fault", "__class__"),
    ("def f(x): return nothing_of_that_name", "fault", "nothing_of_that_name"),
    ("def f(x): nothing_of_that_name(x)", "fault", "nothing_of_that_name"),
    ("def f(x:", "fault", "Syntax"),
    ("def g(x): pass", "fault", "f"),
    ("_act('take', ['x'])\ndef f(x): pass", "fault", "_act"),
    ("def f(x): do.take(1, x)", "fault", "texts"),
    ("def f(x): do.take([x])", "fault", "texts"),
    ("def f(x): do.fly(x)", "fault", "fly"),
    ("def f(x): _deed('fly', [x])", "fault", "no deed"),
    ("def f(x): do(x)", "fault", "callable"),
    ("def f(x): _act()", "fault", "texts"),
    ("def f(a, b): pass", "fault", "b"),
])  # fmt: skip
def test_bad_code_ends_with_its_own_outcome(code: str, outcome: str, said: str) -> None:
    """And says in a line what was wrong; the worker, or a new one, serves the next call."""
    found, why, _ = run(code)
    assert (found, said.lower() in why.lower()) == (outcome, True), why
    assert run("def f(x): do.take(x)")[0] == "done"


def test_a_refusal_is_told_apart_from_no_effect() -> None:
    """The last deed was refused, and what was promised is not true."""
    assert run("def f(x): do.take(x)", (False, frozenset()))[0] == "refused"


def test_it_tells_no_time_and_draws_the_same_every_time() -> None:
    """No clock, no entropy: the same call does the same deeds."""
    code = "import random, time\ndef f(x):\n  time.sleep(9)\n  do.drop(str(random.random()), str(time.time()))\n  do.take(x)"
    first, second = run(code), run(code)
    assert first == second
    assert first[0] == "done"


def test_what_it_prints_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing of it reaches the terminal."""
    assert run("def f(x):\n  print('x' * 100000)\n  do.take(x)")[0] == "done"
    assert capfd.readouterr() == ("", "")


def test_any_text_crosses() -> None:
    """Names with any characters come back as they were."""
    _, _, deeds = run("def f(x): do.drop(x, '\\x00')", args=("\u202ecup\U0001f511",))
    assert deeds == [Intent("drop", ("\u202ecup\U0001f511", "\x00"))]


def test_questions_and_ways() -> None:
    """What code asks about the facts, and the way to a place, deed by deed."""
    ways = {("way", "hall", "stairs"), ("way", "stairs", "attic"), ("in", "box", "attic"), ("in", "cup", "box"), ("at", "hall")}
    code = """
def f(x):
    require(see.at("hall"))
    require(not see.held(x) and see.inside(x, "box") and see.ways() == ["stairs"])
    go_to(see.room_of(x))
    do.take(x)
"""
    facts, said = ways, list[Intent]()
    call = QUICK.call(skill(code), ["cup"], frozenset(facts), SCOPE)
    while call.intent is not None:
        said.append(call.intent)
        if call.intent.operator == "go":
            facts = {fact for fact in facts if fact[0] != "at"} | {("at", call.intent.args[0])}
        call.answer(done=True, facts=frozenset(facts | (HELD if call.intent.operator == "take" else set())))
    assert [(one.operator, *one.args) for one in said] == [("go", "stairs"), ("go", "attic"), ("take", "cup")]
    assert (call.outcome, call.why) == ("done", "")
    assert run("def f(x): go_to('moon')")[:2] == ("gave_up", "no way is known to moon (line 1)")


def test_a_skill_calls_another() -> None:
    """Who is running is known at each deed, which deeds were whose afterwards, and a fault names the skill and line."""
    inner = Skill("grab", (("x", "thing"),), "def grab(x):\n  require(see.here(x))\n  do.take(x)", "", (), (("held", "x"),))
    scope = Scope(SCOPE.intents, "go", (inner,))
    facts = frozenset({("here", "cup")})
    call = QUICK.call(skill("def f(x):\n  do.look()\n  grab(x)\n  do.open(x)"), ["cup"], facts, scope)
    stacks = []
    while call.intent is not None:
        stacks.append(call.stack)
        call.answer(done=True, facts=facts | HELD)
    assert stacks == [("f",), ("f", "grab"), ("f",)]
    assert call.inner == [Inner("grab", ("cup",), 1, 2, ok=True)]
    call = QUICK.call(skill("def f(x): grab(x)"), ["cup"], frozenset(), scope)
    assert (call.outcome, call.why) == ("gave_up", "it needs what it asks (grab, line 2)")


def test_a_call_can_be_ended_at_a_deed() -> None:
    """As when the episode is over in the middle of a skill; and several calls may wait at once."""
    calls = [QUICK.call(skill("def f(x):\n  do.take(x)\n  do.drop(x)"), ["cup"], HELD, SCOPE) for _ in range(3)]
    for call in calls:
        assert call.intent == Intent("take", ("cup",))
        call.close()
        call.close()
        assert call.outcome == "stopped"
        assert call.intent is None
    with pytest.raises(ValueError, match="does not wait"):
        calls[0].answer(done=True, facts=HELD)


def test_wrong_arguments_and_names_are_faults() -> None:
    """A skill that cannot be called at all is no exception of ours."""
    assert run("def f(x): pass", args=())[0] == "fault"
    call = QUICK.call(skill("def f(x): pass", name="f()\nimport os"), ["cup"], HELD)
    assert call.outcome == "fault"


def test_a_condition_speaks_of_parameters() -> None:
    """Parameters stand for what they are bound to, and "not" negates."""
    bound = {"x": "cup"}
    assert true_of(("held", "x"), bound, HELD)
    assert true_of(("not", "held", "y"), bound, HELD)
    assert not true_of(("not", "held", "x"), bound, HELD)
