"""Skills at work: a skill runs inside an agent's own play, deed by deed, and is judged by what it changed.

Skill code speaks intents; the mind's operators turn them into commands, so that a changed grammar is learned once
for all skills. Every deed goes through `Mind`, which learns from it as from any other. Whatever the code does, the
call ends with one of OUTCOMES and a reason, and the episode goes on; when the episode ends first, the call is closed
with what was true by then. A call *proves* its skill when the post-condition was false before and true after.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.agent.api import Turn
from sandbox.agent.belief import HELD
from sandbox.agent.interpreter import Inner, MontyCall, MontyInterpreter, Scope, true_of
from sandbox.agent.library import Evidence, Fact, Intent, Known, Library, Skill, Status, content_digest, text_digest
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Operator
from sandbox.agent.skillcode import needed

PROOFS: Final = 2
"""Proving calls from different states that make a candidate active."""
BUDGET: Final = 3
"""Failures in a row after which a broken skill is retired in a regime."""
COMMON: Final = 4
"""In how many patterns a word is no part of what one of them is called."""
_FREE: Final = ("look", "wait")
"""Intents without an operator, that the mind knows by what they answered."""
_PIECE = re.compile(r"[a-z][a-z0-9]*")


@dataclass(frozen=True, slots=True)
class Ran:
    """How a call of a skill went: what it was given, how it ended and why, and what it changed.

    `steps` counts commands. `before` and `after` are the facts, as far as the agent believed them.
    """

    digest: str
    name: str
    args: tuple[str, ...]
    outcome: str
    why: str
    steps: int
    before: frozenset[Fact]
    after: frozenset[Fact]
    proves: bool
    caller: str = ""

    @property
    def done(self) -> bool:
        """Whether its post-condition is true now."""
        return self.outcome == "done"


class Bench:
    """Where skills are run and judged: a library, what may be called from it, and one interpreter.

    `regime` is what the agent believes to be one rule set; status and statistics are kept for it. With `retires` off a
    skill never loses its status, whatever happens to it.
    """

    def __init__(
        self, library: Library, regime: str, interpreter: MontyInterpreter | None = None, *, retires: bool = True
    ) -> None:
        self.library, self.regime, self.retires = library, regime, retires
        self.interpreter = interpreter or MontyInterpreter()
        self.ran: list[Ran] = []

    def callable(self) -> dict[str, Known]:
        """The skills that may be called by name, the newest version of each; none that is broken or retired."""
        found = {}
        for known in self.library.skills(self.regime):
            if known.status not in ("broken", "retired"):
                found[known.skill.name] = known
        return found

    def run(
        self, mind: Mind, skill: Skill, args: Sequence[str], digest: str | None = None
    ) -> Generator[str, Turn, Ran]:
        """Run a skill: say what its deeds come to, tell it what came of them, and record how it went."""
        digest = digest or content_digest(skill)
        before, n = facts_of(mind), mind.n
        history, counts = [before], [n]
        others = self.callable()
        inner = needed(skill, {name: known.skill for name, known in others.items()})
        intents = intents_of(mind)
        scope = self._scope(mind, intents, inner if isinstance(inner, tuple) else ())
        call = self.interpreter.call(skill, args, before, scope)
        if isinstance(inner, str):
            call.fault(inner)
        try:
            while call.intent is not None:
                mind.used = call.stack
                wrong = self._wrong(mind, intents, call.intent)
                if wrong:
                    call.fault(wrong)
                    break
                done = yield from self._perform(mind, intents, call.intent)
                history.append(facts_of(mind))
                counts.append(mind.n)
                call.answer(done=done, facts=history[-1])
        finally:
            mind.used = ()
            call.close()
            history.append(facts_of(mind))
            counts.append(mind.n)
            ran = self._judge(call, skill, digest, tuple(args), history, counts)
            for one in call.inner:
                self._judge_inner(one, others, history, counts, skill.name)
        return ran

    # --- what a deed is: `sandbox.agent.commands` has another ------------------------------------
    def _scope(self, mind: Mind, intents: dict[str, Operator], inner: tuple[Skill, ...]) -> Scope:
        return Scope((*intents, *_FREE), mover_of(mind, intents), inner)

    def _wrong(self, mind: Mind, intents: dict[str, Operator], intent: Intent) -> str:
        return _impossible(mind, intents, intent)

    def _perform(self, mind: Mind, intents: dict[str, Operator], intent: Intent) -> Generator[str, Turn, bool]:
        return perform(mind, intents, intent)

    # --- judging ----------------------------------------------------------------------------
    def _judge(
        self, call: MontyCall, skill: Skill, digest: str, args: tuple[str, ...], history: list[frozenset[Fact]],
        counts: list[int],
    ) -> Ran:  # fmt: skip
        before, after = history[0], history[-1]
        outcome = call.outcome or "stopped"
        true = holds(skill, args, after)
        if outcome == "stopped" and true:
            outcome = "done"
        proves = outcome == "done" and true and not holds(skill, args, before)
        ran = Ran(digest, skill.name, args, outcome, call.why, counts[-1] - counts[0], before, after, proves)
        self._record(skill, ran)
        return ran

    def _judge_inner(
        self, inner: Inner, others: dict[str, Known], history: list[frozenset[Fact]], counts: list[int], caller: str
    ) -> None:
        known = others.get(inner.name)
        last = len(history) - 1
        if known is None or len(inner.args) != len(known.skill.params) or not 0 <= inner.first <= inner.end <= last:
            return
        before, after = history[inner.first], history[inner.end]
        true = holds(known.skill, inner.args, after)
        outcome = "done" if true and inner.ok else ("no_effect" if inner.ok else "gave_up")
        proves = outcome == "done" and not holds(known.skill, inner.args, before)
        steps = counts[inner.end] - counts[inner.first]
        ran = Ran(known.digest, inner.name, inner.args, outcome, "", steps, before, after, proves, caller)
        self._record(known.skill, ran)

    def _record(self, skill: Skill, ran: Ran) -> None:
        """Write down a call, and what follows from it for the status of the skill."""
        self.ran.append(ran)
        kept = {known.digest: known for known in self.library.skills(self.regime)}
        if ran.digest not in kept:
            return
        gained, lost = ran.after - ran.before, ran.before - ran.after
        self.library.append(
            Evidence(
                ran.digest, self.regime, ran.args, ran.outcome, ran.steps, state_digest(ran.before), ran.proves,
                ran.why, tuple(sorted(gained)), tuple(sorted(lost)), ran.caller,
            )
        )  # fmt: skip
        new = next(known for known in self.library.skills(self.regime) if known.digest == ran.digest)
        status = status_after(kept[ran.digest], new, ran, skill)
        if status is not None and (self.retires or status[0] == "active"):
            self.library.append(Status(ran.digest, self.regime, *status))


def status_after(old: Known, new: Known, ran: Ran, skill: Skill) -> tuple[str, str] | None:
    """The status that a call brings about, and why; None where it stays as it was."""
    if ran.proves:
        if old.status == "candidate" and new.proofs >= PROOFS:
            return "active", f"{new.proofs} proving calls from different states"
        if old.status in ("suspect", "broken"):
            return "active", "it worked again"
        return None
    if ran.outcome == "done" or not _blames(ran, skill):
        return None
    why = f"{ran.outcome} with {', '.join(ran.args) or 'nothing'}: {ran.why}"
    worse = {"active": "suspect", "repaired": "suspect", "suspect": "broken"}.get(old.status)
    if worse is not None:
        return worse, why
    if old.status in ("candidate", "broken") and new.failed >= BUDGET:
        return "retired", f"{new.failed} failures in a row; the last: {why}"
    return None


def _blames(ran: Ran, skill: Skill) -> bool:
    """Whether a call that did not work tells something of the skill: what it needs was there."""
    if ran.outcome in ("fault", "limit"):
        return True
    return ran.outcome in ("refused", "no_effect") and all(
        true_of(fact, bound(skill, ran.args), ran.before) for fact in skill.pre
    )


# --- between facts and the mind ---------------------------------------------------------------
def facts_of(mind: Mind) -> frozenset[Fact]:
    """What the agent holds true, as skills see it."""
    belief = mind.belief
    found: set[Fact] = {("at", belief.at)}
    for name, where in belief.place.items():
        if where == HELD:
            found.add(("held", name))
        elif where != "*door":
            found.add(("in", name, where))
        if belief.where(name) == "here":
            found.add(("here", name))
    for name, words in belief.words.items():
        found.update(("word", name, word) for word in words)
    for room, ways in mind.open_ways().items():
        found.update(("way", room, to) for to in ways)
    return frozenset(found)


def intents_of(mind: Mind) -> dict[str, Operator]:
    """The operators by the names that skills know them by: the words of their patterns that are their own."""
    operators = [op for op in mind.rules.operators.values() if op.arity]
    words = {op.key: _PIECE.findall(re.sub(r"\{\d\}", " ", op.pattern.text.casefold())) for op in operators}
    shared = Counter(word for some in words.values() for word in set(some))
    found: dict[str, Operator] = {}
    for op in operators:
        own = [word for word in words[op.key] if shared[word] < COMMON] or words[op.key] or ["deed"]
        name = stem = "_".join(dict.fromkeys(own))
        number = ord("b")
        while name in found or name in _FREE:
            name, number = f"{stem}_{chr(number)}", number + 1
        found[name] = op
    return found


def mover_of(mind: Mind, intents: dict[str, Operator]) -> str:
    """The intent that moves the agent; '' while none is known."""
    return next((name for name, op in intents.items() if op.key in mind.rules.movers), "")


def perform(mind: Mind, intents: dict[str, Operator], intent: Intent) -> Generator[str, Turn, bool]:
    """Carry out an intent; whether something came of it."""
    if intent.operator == "look":
        yield from mind.look()
        return True
    if intent.operator == "wait":
        if mind.roles.wait is None:
            return False
        yield from mind.say(mind.roles.wait)
        yield from mind.look()
        return True
    op = intents[intent.operator]
    if op.key in mind.rules.movers:
        return (yield from mind.walk(op, intent.args[0]))
    trial = yield from mind.attempt(op, intent.args)
    return trial.outcome == "changed"


def _impossible(mind: Mind, intents: dict[str, Operator], intent: Intent) -> str:
    """What is wrong with an intent before anything is said; '' for nothing."""
    arity = 0 if intent.operator in _FREE else intents[intent.operator].arity
    if len(intent.args) != arity:
        return f"do.{intent.operator} takes {arity} thing{'s' * (arity != 1)}, not {len(intent.args)}"
    belief = mind.belief
    odd = next(
        (name for name in intent.args
         if name not in belief.first and name not in belief.rooms and name not in mind.reader.names), None
    )  # fmt: skip
    return "" if odd is None else f"nothing is known that is called {odd!r}"


def bound(skill: Skill, args: Sequence[str]) -> dict[str, str]:
    """What the parameters of a skill stand for in a call."""
    return dict(zip((name for name, _ in skill.params), args, strict=False))


def holds(skill: Skill, args: Sequence[str], facts: frozenset[Fact]) -> bool:
    """Whether all that a skill promises is true."""
    return all(true_of(fact, bound(skill, args), facts) for fact in skill.post)


def state_digest(facts: frozenset[Fact]) -> str:
    """A digest of facts: two calls are from different states when these differ."""
    return text_digest(repr(sorted(facts)))
