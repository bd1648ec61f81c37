"""Runs skill code where it can do no harm: a Python subset in a process of its own, behind one small interface.

Skill code is written by models, by strangers and by our own planner, and none of it is trusted. It runs in
pydantic-monty, which has no files, no network and no clock, within limits of time, memory and deeds. A call
stops at each deed and waits for its answer, so that whoever plays can end it there; a deed costs one crossing,
which brings back all the facts.

What skill code can use, beside the language: `do(operator, *names)` (whether it was accepted), `holds(*fact)`,
`facts()`, `require(*fact)` and `ensure(*fact)` (give up unless it holds, before and after), `give_up(reason)`.
A fact is given as its parts: `holds("held", x)`, `holds("not", "word", door, "open")`.
"""

from __future__ import annotations

import atexit
import datetime as dt
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sandbox.agent.library import Fact, Intent, Skill

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontySession

SECONDS: Final = 2.0
"""How long the code of one call may run, waiting for answers not counted."""
MEMORY: Final = 32 * 1024 * 1024
DEEDS: Final = 60
"""How many deeds one call may do."""

PRELUDE: Final = '''
_facts = set()

def _learn(facts):
    _facts.clear()
    for fact in facts:
        _facts.add(tuple(fact))

def facts():
    return sorted(_facts)

def holds(*fact):
    if fact and fact[0] == "not":
        return tuple(fact[1:]) not in _facts
    return tuple(fact) in _facts

def do(operator, *names):
    done, now = _act(operator, list(names))
    _learn(now)
    return done

def give_up(reason="no reason given"):
    raise RuntimeError("given up: " + str(reason))

def require(*fact):
    if not holds(*fact):
        raise RuntimeError("given up: it needs " + " ".join(fact))

def ensure(*fact):
    if not holds(*fact):
        raise RuntimeError("missed: " + " ".join(fact))
'''

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_OUTCOME_OF: Final = (("given up: ", "gave_up"), ("missed: ", "no_effect"))


class MontyInterpreter:
    """Skill code in pydantic-monty. Its worker process starts with the first call and ends with the program."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY, deeds: int = DEEDS) -> None:
        self._seconds, self._memory, self._deeds = seconds, memory, deeds
        self._pool: Monty | None = None

    def call(self, skill: Skill, args: Sequence[str], facts: frozenset[Fact]) -> MontyCall:
        """Begin a call. Bad code does not raise: the call has ended with outcome `fault`."""
        return MontyCall(self._session(), skill, tuple(args), facts, self._deeds)

    def _session(self) -> MontySession:
        if self._pool is None:
            from pydantic_monty import Monty  # noqa: PLC0415 - only a program that runs skills starts a worker

            pool = Monty(max_processes=4, request_timeout=self._seconds + 5)
            self._pool = pool.__enter__()
            atexit.register(pool.__exit__, None, None, None)
        return self._pool.checkout(
            script_name="skill.py",
            limits={
                "max_feed_duration_secs": self._seconds, "max_memory": self._memory, "max_recursion_depth": 100,
                "max_suspensions": 2 * self._deeds + 20,
            },
            os_policy={
                "datetime": dt.datetime(2000, 1, 1, tzinfo=dt.UTC), "sleep": "zero",
                "random_start": {"seed": 0},
            },
        )  # fmt: skip


class MontyCall:
    """One running call of a skill. It waits at `intent`, which the agent carries out and answers.

    `why` says in a line what went wrong, with the line of the code where there is one.
    """

    def __init__(
        self, session: MontySession, skill: Skill, args: tuple[str, ...], facts: frozenset[Fact], deeds: int
    ) -> None:
        self._session, self._skill, self._args, self._left = session, skill, args, deeds
        self._facts, self._refused = facts, False
        self._snapshot: Any = None
        self.intent: Intent | None = None
        self.outcome: str | None = None
        self.why = ""
        self._open = True
        session.__enter__()
        self._begin()

    def answer(self, *, done: bool, facts: frozenset[Fact]) -> None:
        """Tell whether the deed was accepted, and the facts after it; runs on to the next deed or the end."""
        if self.intent is None:
            raise ValueError("the call does not wait for an answer")
        self._facts, self._refused, self.intent = facts, not done, None
        self._advance(lambda: self._snapshot.resume({"return_value": [done, _plain(facts)]}))

    def close(self) -> None:
        """Let go of it, ended or not."""
        if self.outcome is None:
            self._end("stopped", "")
        self._release()

    # --- the run ----------------------------------------------------------------------------
    def _begin(self) -> None:
        skill = self._skill
        if not _IDENTIFIER.match(skill.name):
            self._end("fault", f"{skill.name!r} is no name for a function")
            return
        if len(self._args) != len(skill.params):
            self._end("fault", f"{skill.name} takes {len(skill.params)} things, not {len(self._args)}")
            return

        def start() -> Any:
            self._session.feed_run(PRELUDE + skill.code, print_callback=_unheard)
            return self._session.feed_start(
                f"_learn(_given)\n{skill.name}(*_args)", print_callback=_unheard,
                inputs={"_given": _plain(self._facts), "_args": list(self._args)},
            )

        self._advance(start)

    def _advance(self, move: Any) -> None:
        """Run to the next deed or to the end, whatever the code does."""
        from pydantic_monty import FunctionSnapshot, MontyComplete, MontyError  # noqa: PLC0415 - see `_session`

        try:
            self._snapshot = move()
            while True:
                if isinstance(self._snapshot, MontyComplete):
                    self._finish()
                    return
                if isinstance(self._snapshot, FunctionSnapshot) and self._snapshot.function_name == "_act":
                    self._propose(self._snapshot.args)
                    return
                self._snapshot = self._snapshot.resume_auto()  # nothing else is answered: a NameError inside
        except MontyError as error:
            self._fail(error)
        except (TypeError, ValueError, RuntimeError) as error:  # what the worker cannot hand over
            self._end("fault", f"{type(error).__name__}: {error}")

    def _propose(self, args: Sequence[Any]) -> None:
        if self._left == 0:
            self._end("limit", "too many deeds in one call")
            return
        self._left -= 1
        operator, names = (*args, None, None)[:2]
        good = isinstance(operator, str) and isinstance(names, list) and all(isinstance(name, str) for name in names)
        if not good:
            self._end("fault", "do() takes an operator and names, all of them texts")
            return
        self.intent = Intent(operator, tuple(names))

    def _finish(self) -> None:
        bound = dict(zip((name for name, _ in self._skill.params), self._args, strict=True))
        missed = [fact for fact in self._skill.post if not true_of(fact, bound, self._facts)]
        if not missed:
            self._end("done", "")
        else:
            self._end("refused" if self._refused else "no_effect", f"not true in the end: {' '.join(missed[0])}")

    def _fail(self, error: Any) -> None:
        inner = error.exception() if hasattr(error, "exception") else error
        said = str(error.display("type-msg")) if hasattr(error, "traceback") else str(error)
        if isinstance(inner, TimeoutError | MemoryError) or "suspension" in said or getattr(error, "timed_out", False):
            self._end("limit", said)
            return
        for mark, outcome in _OUTCOME_OF:
            if mark in said:
                self._end(outcome, said.partition(mark)[2])
                return
        self._end("fault", said + self._line(error))

    def _line(self, error: Any) -> str:
        """The line of the skill's own code at which it failed."""
        frames = error.traceback() if hasattr(error, "traceback") else []
        before = PRELUDE.count("\n")
        own = [frame.line - before for frame in frames if 0 < frame.line - before <= self._skill.code.count("\n") + 1]
        return f" (line {own[-1]})" if own else ""

    def _end(self, outcome: str, why: str) -> None:
        self.outcome, self.why, self.intent = outcome, why, None
        self._release()

    def _release(self) -> None:
        if self._open:
            self._open = False
            self._session.__exit__(None, None, None)


def true_of(fact: Fact, bound: dict[str, str], facts: frozenset[Fact]) -> bool:
    """Whether a condition of a skill holds, its parameters standing for what they are bound to."""
    want = fact[:1] != ("not",)
    parts = fact if want else fact[1:]
    return (parts[:1] + tuple(bound.get(part, part) for part in parts[1:]) in facts) == want


def _plain(facts: frozenset[Fact]) -> list[list[str]]:
    return [list(fact) for fact in sorted(facts)]


def _unheard(_stream: str, _text: str) -> None:
    """What skill code prints goes nowhere."""

