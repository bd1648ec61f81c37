"""The parts of a learning agent put together: what it can do to have things as it wants them.

Everything that talks to the world is a generator: it yields a command and is sent the `Turn` that follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.belief import HELD, Belief
from sandbox.agent.context import Around
from sandbox.agent.grounding import WAIT, Deed, Fact
from sandbox.agent.interface import (
    PIECE,
    Replies,
    confirmation,
    kinds_told,
    patterns_of,
    signs_of,
)
from sandbox.agent.learner import Learner, Play
from sandbox.agent.operators import Operator, Refused
from sandbox.agent.planner import Planner, route
from sandbox.agent.reading import Replying
from sandbox.agent.rules import Rules
from sandbox.agent.text import Reader

CIRCLE: Final = 3
"""How often a room is passed on one walk."""


@dataclass(slots=True)
class Mind(Learner):
    """A learner that moves about, fetches things, and carries plans out."""

    def go(self, targets: set[str]) -> Generator[str, Turn, bool]:
        """Walk to the nearest of some rooms; whether it was reached. Who comes by a third time walks in a circle."""
        belief = self.belief
        mover = next((self.rules.operators[key] for key in sorted(self.rules.movers)), None)
        passed: Counter[str] = Counter()
        while passed[belief.at] < CIRCLE:
            if belief.at in targets:
                return True
            passed[belief.at] += 1
            path = route(self.open_ways(), belief.at, targets)
            if path is None or mover is None:
                return False
            yield from self.walk(mover, path[0])
        return False

    def go_or_open(self, room: str) -> Generator[str, Turn, bool]:
        """Walk to a room, by a plan where doors have to be dealt with on the way; whether it was reached."""
        if (yield from self.go({room})):
            return True
        return (yield from self.reach([("at", room)])) and self.belief.at == room

    def walk(self, mover: Operator, to: str) -> Generator[str, Turn, bool]:
        """One step; what stops it is remembered of the door or the way."""
        belief = self.belief
        was, door = belief.at, belief.ways.get(belief.at, {}).get(to)
        words = belief.words.get(door, frozenset()) if door else frozenset()
        trial = yield from self.attempt(mover, (to,))
        if trial.outcome == "changed" and belief.at != was:
            self.rules.shut.pop((was, to), None)
            if door:
                self.rules.door_pass.add(words)
            return True
        last = self.rules.shut.get((was, to))
        self.rules.shut[was, to] = Refused(last.tries + 1 if last else 1, self.stamp, self.n, words)
        if door:
            self.rules.door_fail.add(words)
        return False

    def open_ways(self) -> dict[str, list[str]]:
        """The ways that are not known to be barred now."""
        belief, rules = self.belief, self.rules
        blocking = rules.blocking()
        found: dict[str, list[str]] = {}
        for room, ways in belief.ways.items():
            found[room] = [
                to for to, door in ways.items()
                if not self._bars(room, to)
                and (door is None or not belief.words.get(door, frozenset()) & blocking)
            ]  # fmt: skip
        return found

    def _bars(self, room: str, to: str) -> bool:
        """Whether a way does not let the agent through now: what it seems to take is not there, and it rests."""
        leave = self.rules.leave(room, to)
        if leave:
            around = Around(self.belief, self.rules.kind_said).features((), room)
            if all((feature in around) == must for feature, must in leave):
                return False
        return self.rules.rests(room, to, self.stamp, self.belief)

    def fetch(self, name: str, keep: frozenset[str] = frozenset()) -> Generator[str, Turn, bool]:  # noqa: C901, PLR0912 - one decision
        """Get hold of a thing; whether it is held now. What is in `keep` is not put down for it."""
        belief = self.belief
        for _ in range(6):
            if belief.where(name) == "held" and belief.place.get(name) == HELD:
                return True
            room = belief.room_of(name)
            if room is None:
                return False
            if not belief.hidden(name) and (yield from self._fetched(name)):
                return True
            if belief.at != room and not belief.hidden(name) and (yield from self.go_or_open(room)):
                continue
            if belief.hidden(name) or belief.at != room:
                return (yield from self.reach([("held", name)]))
            taken = False
            for op in self.rules.takers():
                if (name,) in op.never:
                    continue
                trial = yield from self.attempt(op, (name,))
                if trial.outcome == "changed":
                    taken = True
                    break
                if trial.why == "full":
                    if not (yield from self.put_down(keep={name, *keep})):
                        return False
                    break
            else:
                return belief.where(name) == "held"
            if taken and belief.where(name) == "held":
                return True
        return False

    def _fetched(self, name: str) -> Generator[str, Turn, bool]:
        """Get hold of a thing by a skill, wherever it is; whether that went well."""
        for op in self.rules.takers() if self.by_skill is not None else ():
            if self.by_skill is not None and (name,) not in op.never:
                count = yield from self.by_skill([Deed(op.key, (name,), 0, ())])
                if count:
                    return count > 0
        return False

    def reach(self, facts: list[Fact]) -> Generator[str, Turn, bool]:
        """Make facts true by a plan over what was learned; whether it went through."""
        if any(self.unreached.get(fact) == self.rules.version for fact in facts):
            return False
        self.planner.ground(self.belief, self.stamp)
        goal = self.planner.want(facts)
        plan = self.planner.plan(self.planner.state(self.belief), goal, limit=200)
        if not plan:
            if plan is None:
                self.unreached.update(dict.fromkeys(facts, self.rules.version))
            return plan is not None
        done = yield from self.carry_out(plan)
        if not done:
            for fact in facts:
                self.missed[fact] += 1
                if self.missed[fact] % 3 == 0:
                    self.unreached[fact] = self.rules.version
        return done

    def carry_out(self, plan: list[Deed]) -> Generator[str, Turn, bool]:  # noqa: C901 - one loop, from top to bottom
        """Do what a plan says for as long as it goes as expected; whether it did to the end."""
        covered = 0
        for number, deed in enumerate(plan):
            if number < covered:
                continue
            if deed.op == WAIT:
                yield from self.wait(deed.args[0])
                return False
            if self.by_skill is not None:
                count = yield from self.by_skill(plan[number:])
                if count < 0:
                    return False
                covered = number + count
                if count:
                    continue
            op = self.rules.operators[deed.op]
            if deed.op in self.rules.movers:
                if not (yield from self.walk(op, deed.args[0])):
                    return False
                continue
            trial = yield from self.attempt(op, deed.args)
            if trial.outcome != "changed":
                self.surprise(f"{op.pattern.fill(deed.args[op.implicit :])} did not do what was expected")
                if trial.why == "full":
                    yield from self.put_down(keep=set(deed.args))
                return False
        return True

    def wait(self, name: str) -> Play:
        """Let time pass until something changes by itself."""
        before = self.belief.words.get(name)
        for _ in range(4):
            if self.roles.wait is None:
                return
            yield from self.say(self.roles.wait)
            yield from self.look()
            if self.belief.words.get(name) != before:
                self.stamp += 1
                return

    def put_down(self, keep: set[str]) -> Generator[str, Turn, bool]:
        """Put down one held thing that is not to be kept, the least wanted first."""
        wanted_names = {name for fact in self.goal for name in fact[1:]}
        held = sorted(
            (name for name in self.belief.held() if name not in keep), key=lambda name: (name in wanted_names,)
        )
        for name in held:
            for op in self.rules.droppers():
                if self.by_skill is not None and (yield from self.by_skill([Deed(op.key, (name,), 0, ())])) > 0:
                    return True
                trial = yield from self.attempt(op, (name,))
                if trial.outcome == "changed":
                    return True
        return False

    def restart(self) -> Generator[str, Turn, bool]:
        """Back to the start, if it is known how."""
        if self.roles.restart is None:
            return False
        text = yield from self.say(self.roles.restart)
        self.belief.restart()
        self.stamp += 1
        self.restarted = self.stamp
        self.trace = []
        self.anew, self.began = False, self.n
        self.selected, self.lost, self.balked = None, False, []
        _, view = self.belief.split(text)
        if view:
            self.belief.see(view)
        self.note("began again")
        return True


def new_mind(briefing: Briefing, *, english: bool = True) -> Mind:
    """A mind that knows nothing but what the briefing says."""
    vocabulary = briefing.vocabulary or ()
    patterns = patterns_of(briefing.help or "", vocabulary)
    fixed = {word for pair in patterns for pattern in pair if pattern for word in PIECE.findall(pattern.text)}
    reader = Reader(vocabulary, fixed, english=english)
    belief = Belief(reader, english)
    rules = Rules()
    mind = Mind(reader, belief, rules, Replies(), Replying(reader), Planner(rules), english)
    for before, pattern in patterns:
        op = mind.add(pattern, implicit=before is not None, first=before.kinds[0] if before and before.kinds else "?")
        if before is not None:
            mind.selector = mind.selector or Operator(before.text, before, before.kinds)
            op.selects = before
    reader.kinds |= {kind for pair in patterns for pattern in pair if pattern for kind in pattern.kinds}
    reader.kinds |= {kind for _, kind in kinds_told(briefing.help or "")}
    reader.signs = signs_of(briefing.help or "")
    selections = {op.selects.text for op in rules.operators.values() if op.selects is not None}
    for text in selections:
        rules.operators.pop(text, None)
    yes = confirmation(briefing.help or "", [pattern for _, pattern in patterns])
    if yes is not None:
        mind.confirm = yes.text
        rules.operators.pop(yes.text, None)
    return mind
