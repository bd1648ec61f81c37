"""Runs skill code where it can do no harm: a Python subset in a process of its own, behind one small interface.

Skill code is written by models, by strangers and by our own planner, and none of it is trusted. It runs in
pydantic-monty, which has no files, no network and no clock, within limits of time, memory and deeds. A call
stops at each deed and waits for its answer, so that whoever plays can end it there; a deed costs one crossing,
which brings back all the facts.

What skill code can use, beside the language (docs/skills.md says it to authors):

do.NAME(*names)    a deed: an operator of the agent's rule model; whether something came of it
go_to(place)       deeds that lead there by the ways that are known to be open
see.NAME(…)        questions about the facts: held, here, at, inside, said, holds, room, room_of, things, carried,
                   ways, path, facts
require(…)         give up unless it is true, at the start; ensure(…) the same, at the end; give_up(reason)
NAME(*names)       another skill

A fact is given as its parts, as in `require("not", "word", door, "open")`, or as a question, `require(see.held(x))`.
"""

from __future__ import annotations

import atexit
import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sandbox.agent.library import Fact, Intent, Skill

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontySession

SECONDS: Final = 2.0
"""How long the code of one call may run, waiting for answers not counted."""
MEMORY: Final = 32 * 1024 * 1024
DEEDS: Final = 60
"""How many deeds one call may do."""
SHOWN: Final = 300
"""How long a reason may be."""

PRELUDE: Final = '''
_facts = set()
_stack = []
_ended = []
_count = 0

def _learn(facts):
    _facts.clear()
    for fact in facts:
        _facts.add(tuple(fact))

def _deed(name, names):
    global _count
    news = list(_ended)
    _ended.clear()
    _count += 1
    accepted, now = _act(name, list(names), list(_stack), news)
    _learn(now)
    return accepted

def _traced(name, body):
    def run(*names):
        _stack.append([name, list(names), _count])
        found = body(*names)
        _ended.append(_stack.pop() + [_count, True])
        return found
    return run

class _See:
    def holds(self, *fact):
        if fact and fact[0] == "not":
            return tuple(fact[1:]) not in _facts
        return tuple(fact) in _facts
    def held(self, thing):
        return ("held", thing) in _facts
    def here(self, thing):
        return ("here", thing) in _facts
    def at(self, place):
        return ("at", place) in _facts
    def inside(self, thing, holder):
        return ("in", thing, holder) in _facts
    def said(self, thing, word):
        return ("word", thing, word) in _facts
    def room(self):
        return self._one("at")
    def room_of(self, thing):
        if self.held(thing):
            return self.room()
        spot = thing
        for _ in range(5):
            inner = [fact[2] for fact in _facts if fact[0] == "in" and fact[1] == spot]
            if not inner:
                return spot if spot != thing else None
            spot = inner[0]
        return None
    def things(self):
        return sorted([fact[1] for fact in _facts if fact[0] == "here"])
    def carried(self):
        return sorted([fact[1] for fact in _facts if fact[0] == "held"])
    def ways(self):
        room = self.room()
        return sorted([fact[2] for fact in _facts if fact[0] == "way" and fact[1] == room])
    def path(self, place):
        ways = {}
        for fact in sorted(_facts):
            if fact[0] == "way":
                ways.setdefault(fact[1], []).append(fact[2])
        start = self.room()
        came = {start: None}
        queue = [start]
        for room in queue:
            if room == place:
                steps = []
                while room != start:
                    steps.insert(0, room)
                    room = came[room]
                return steps
            for to in ways.get(room, []):
                if to not in came:
                    came[to] = room
                    queue.append(to)
        return []
    def facts(self):
        return sorted(_facts)
    def _one(self, what):
        for fact in _facts:
            if fact[0] == what:
                return fact[1]
        return None

see = _See()

def give_up(reason="no reason given"):
    raise RuntimeError("given up: " + str(reason))

def _true(fact):
    return fact[0] if len(fact) == 1 and isinstance(fact[0], bool) else see.holds(*fact)

def _said(fact):
    return "what it asks" if len(fact) == 1 and isinstance(fact[0], bool) else " ".join([str(part) for part in fact])

def require(*fact):
    if not _true(fact):
        raise RuntimeError("given up: it needs " + _said(fact))

def ensure(*fact):
    if not _true(fact):
        raise RuntimeError("missed: " + _said(fact))

def go_to(place):
    for _ in range(40):
        if see.at(place):
            return True
        path = see.path(place)
        if not path or not _mover:
            raise RuntimeError("given up: no way is known to " + str(place))
        _deed(_mover, [path[0]])
    raise RuntimeError("given up: it did not get to " + str(place))
'''

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_OUTCOME_OF: Final = (("given up: ", "gave_up"), ("missed: ", "no_effect"))


@dataclass(frozen=True, slots=True)
class Scope:
    """What skill code may name: the intents (each a word), the one among them that moves, and other skills."""

    intents: tuple[str, ...] = ()
    mover: str = ""
    skills: tuple[Skill, ...] = ()


@dataclass(frozen=True, slots=True)
class Inner:
    """A skill that was called by another: with what, and between which deeds of the whole call, counted from 0."""

    name: str
    args: tuple[str, ...]
    first: int
    end: int
    ok: bool


class MontyInterpreter:
    """Skill code in pydantic-monty. Its worker process starts with the first call and ends with the program."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY, deeds: int = DEEDS) -> None:
        self._seconds, self._memory, self._deeds = seconds, memory, deeds
        self._pool: Monty | None = None

    def call(
        self, skill: Skill, args: Sequence[str], facts: frozenset[Fact], scope: Scope | None = None
    ) -> MontyCall:
        """Begin a call. Bad code does not raise: the call has ended with outcome `fault`."""
        return MontyCall(self._session(), skill, tuple(args), facts, self._deeds, scope or Scope())

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

    `why` says in a line what went wrong, with the line of the code where there is one. `stack` names the skills
    that are running, the outermost first; `inner` tells of those that ended inside.
    """

    def __init__(
        self, session: MontySession, skill: Skill, args: tuple[str, ...], facts: frozenset[Fact], deeds: int,
        scope: Scope,
    ) -> None:  # fmt: skip
        self._session, self._skill, self._args = session, skill, args
        self._deeds = self._left = deeds
        self._facts, self._refused, self._scope = facts, "", scope
        self._snapshot: Any = None
        self._running: list[Any] = []
        self.intent: Intent | None = None
        self.outcome: str | None = None
        self.why = ""
        self.stack: tuple[str, ...] = (skill.name,)
        self.inner: list[Inner] = []
        self._open = True
        session.__enter__()
        self._begin()

    def answer(self, *, done: bool, facts: frozenset[Fact]) -> None:
        """Tell whether the deed was accepted, and the facts after it; runs on to the next deed or the end."""
        if self.intent is None:
            raise ValueError("the call does not wait for an answer")
        self._refused = "" if done else f"do.{self.intent.operator} came to nothing{self._waiting_line()}"
        self._facts, self.intent = facts, None
        self._advance(lambda: self._snapshot.resume({"return_value": [done, _plain(facts)]}))

    def fault(self, why: str) -> None:
        """End the call at a deed that cannot be: an unknown thing, the wrong number of things."""
        self._end("fault", why + self._waiting_line())

    def close(self) -> None:
        """Let go of it, ended or not."""
        if self.outcome is None:
            self._end("stopped", "")
        self._release()

    # --- the run ----------------------------------------------------------------------------
    def _begin(self) -> None:
        skill = self._skill
        names = [skill.name, *(other.name for other in self._scope.skills), *self._scope.intents]
        wrong = [name for name in names if not _IDENTIFIER.match(name)]
        if wrong:
            self._end("fault", f"{wrong[0]!r} is no name for a function")
            return
        if len(self._args) != len(skill.params):
            self._end("fault", f"{skill.name} takes {len(skill.params)} things, not {len(self._args)}")
            return

        def start() -> Any:
            self._feed(PRELUDE + prelude_of(self._scope))
            for other in self._scope.skills:
                self._feed(other.code)
                self._feed(f"{other.name} = _traced({other.name!r}, {other.name})")
            self._feed(skill.code)
            return self._session.feed_start(
                f"_learn(_given)\n{skill.name}(*_args)\n_ended", print_callback=_unheard,
                inputs={"_given": _plain(self._facts), "_args": list(self._args)},
            )

        self._advance(start)

    def _feed(self, code: str) -> None:
        self._session.feed_run(code, print_callback=_unheard)

    def _advance(self, move: Callable[[], Any]) -> None:
        """Run to the next deed or to the end, whatever the code does."""
        from pydantic_monty import FunctionSnapshot, MontyComplete, MontyError  # noqa: PLC0415 - see `_session`

        try:
            self._snapshot = move()
            while True:
                if isinstance(self._snapshot, MontyComplete):
                    self._running = []
                    self._take(self._snapshot.output)
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

    def _propose(self, given: Sequence[Any]) -> None:
        if self._left == 0:
            self._end("limit", "too many deeds in one call")
            return
        self._left -= 1
        operator, names, stack, ended = (*given, None, None, None, None)[:4]
        good = isinstance(operator, str) and isinstance(names, list) and all(isinstance(name, str) for name in names)
        if not good:
            self._end("fault", "a deed takes names, all of them texts")
            return
        if operator not in self._scope.intents:
            self._end("fault", f"{operator!r} is no deed that is known")
            return
        self._take(ended)
        self._running = stack if isinstance(stack, list) else []
        calls = [one[0] for one in self._running if isinstance(one, list) and one and isinstance(one[0], str)]
        self.stack = (self._skill.name, *calls)
        self.intent = Intent(operator, tuple(names))

    def _take(self, ended: object) -> None:
        """Note the skills that ended inside; nonsense, from code that meddles with its own trace, is left out."""
        for one in ended if isinstance(ended, list) else ():
            name, args, first, end, ok = (*one, None, None, None, None, None)[:5] if isinstance(one, list) else (0,) * 5
            if isinstance(name, str) and isinstance(args, list) and isinstance(first, int) and isinstance(end, int):
                self.inner.append(Inner(name, tuple(map(str, args)), first, end, ok is True))

    def _finish(self) -> None:
        bound = dict(zip((name for name, _ in self._skill.params), self._args, strict=True))
        missed = [fact for fact in self._skill.post if not true_of(fact, bound, self._facts)]
        if not missed:
            self._end("done", "")
        else:
            why = f"not true in the end: {' '.join(missed[0])}"
            self._end("refused" if self._refused else "no_effect", "; ".join(filter(None, (why, self._refused))))

    def _fail(self, error: Any) -> None:
        inner = error.exception() if hasattr(error, "exception") else error
        said = str(error.display("type-msg")) if hasattr(error, "traceback") else str(error)
        if isinstance(inner, TimeoutError | MemoryError) or "suspension" in said or getattr(error, "timed_out", False):
            self._end("limit", said)
            return
        for mark, outcome in _OUTCOME_OF:
            if mark in said:
                self._end(outcome, said.partition(mark)[2] + self._line(error))
                return
        self._end("fault", said + self._line(error))

    def _line(self, error: Any) -> str:
        """The innermost line of the skills' own code at which it failed."""
        frames = error.traceback() if hasattr(error, "traceback") else []
        for frame in reversed(frames):
            number = re.fullmatch(r"<python-input-(\d+)>", frame.filename)
            place = int(number[1]) if number else 0
            if 0 < place < 2 * len(self._scope.skills) and place % 2:
                return f" ({self._scope.skills[place // 2].name}, line {frame.line})"
            if place == 2 * len(self._scope.skills) + 1:
                return f" (line {frame.line})"
        return ""

    def _waiting_line(self) -> str:
        """The line that waits for an answer, as near as it is known: the one that names the deed."""
        if self.intent is None:
            return ""
        lines = self._skill.code.split("\n")
        found = [n for n, text in enumerate(lines, 1) if re.search(rf"\bdo\.{self.intent.operator}\b", text)]
        return f" (line {found[0]})" if len(found) == 1 else ""

    def _end(self, outcome: str, why: str) -> None:
        self.outcome, self.why, self.intent = outcome, why[:SHOWN], None
        cut = [[*one[:3], self._deeds - self._left, False] for one in reversed(self._running) if isinstance(one, list)]
        self._take(cut)
        self._running = []
        self._release()

    def _release(self) -> None:
        if self._open:
            self._open = False
            self._session.__exit__(None, None, None)


def prelude_of(scope: Scope) -> str:
    """The part of the prelude that depends on what may be named."""
    deeds = [
        f"    def {name}(self, *names):\n        return _deed({name!r}, names)" for name in scope.intents
    ] or ["    pass"]  # fmt: skip
    return "\n".join(["", "class _Do:", *deeds, "", "do = _Do()", f"_mover = {scope.mover!r}", ""])


def true_of(fact: Fact, bound: dict[str, str], facts: frozenset[Fact]) -> bool:
    """Whether a condition of a skill holds, its parameters standing for what they are bound to."""
    want = fact[:1] != ("not",)
    parts = fact if want else fact[1:]
    return (parts[:1] + tuple(bound.get(part, part) for part in parts[1:]) in facts) == want


def _plain(facts: frozenset[Fact]) -> list[list[str]]:
    return [list(fact) for fact in sorted(facts)]


def _unheard(_stream: str, _text: str) -> None:
    """What skill code prints goes nowhere."""
