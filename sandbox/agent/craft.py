"""How the explorer comes by skills, and what it does with them.

Whatever changed something for the first time is lifted to a skill (`lift`), a candidate until it is proven. A plan of
the planner is carried out by skills as far as they cover it. What skills rest on is kept beside them (`lore`), so that
the planner can use a skill in a new episode at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sandbox.agent.api import Turn
from sandbox.agent.grounding import Deed
from sandbox.agent.interpreter import MontyInterpreter
from sandbox.agent.library import Evidence, Fact, Known, Library, Skill, text_digest
from sandbox.agent.lift import Done, lift
from sandbox.agent.mind import Mind
from sandbox.agent.skillcode import faults, given
from sandbox.agent.skills import Bench, intents_of, state_digest

LIFTED: Final = 3
"""How often the same kind of success is lifted anew: later ones may have needed more."""
INTERPRETER: Final = MontyInterpreter()


class Craft:
    """The skills of one episode: lifted from it, and used in it."""

    def __init__(self, mind: Mind, library: Library) -> None:
        self.mind, self.library = mind, library
        self.bench = Bench(library, regime_of(mind), INTERPRETER)
        self._seen, self._trace = 0, mind.trace
        self._past: list[Done] = []
        self._lifted: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._failed: dict[tuple[str, tuple[str, ...]], int] = {}

    # --- lifting ----------------------------------------------------------------------------
    def learn(self) -> None:
        """Lift skills from what changed since the last time."""
        if self._trace is not self.mind.trace:
            self._trace, self._seen, self._past = self.mind.trace, 0, []
        trace = self._trace
        while self._seen < len(trace):
            done = Done(*trace[self._seen])
            self._seen += 1
            if done.trial.outcome != "changed" or done.op.key in self.mind.rules.movers:
                continue
            self._past.append(done)
            shape = done.op.key, tuple(sorted({str(c.what) + str(c.value) for c in done.trial.changes}))
            if self.mind.used or self._lifted[shape] >= LIFTED:
                continue
            self._lifted[shape] += 1
            self._lift()

    def _lift(self) -> None:
        names = {op.key: name for name, op in intents_of(self.mind).items()}
        found = lift(self._past, self.mind.rules, names)
        if found is None or faults(found[0], tuple(names.values())):
            return
        skill, args = found
        digest = self._add(skill, args)
        done = self._past[-1]
        before = state_digest(frozenset({("at", done.trial.at), ("to", *args), ("load", *sorted(done.trial.load))}))
        self.library.append(
            Evidence(digest, self.bench.regime, args, "done", 1, before, proves=True, why="the play it was lifted from")
        )

    def _add(self, skill: Skill, args: tuple[str, ...]) -> str:
        """Add a skill, as a new version where one of its name does less; the digest of what stands for it now."""
        there = {one.skill.name: one for one in self.library.skills(self.bench.regime)}
        skill = _named(skill, there)
        known = there.get(skill.name)
        tests: tuple[Mapping[str, object], ...] = ({"args": list(args)},)
        if known is None:
            return self.library.append(replace(skill, tests=tests))
        if known.skill.code == skill.code or not _adds(skill, known.skill):
            return known.digest
        return self.library.append(replace(skill, tests=(*known.skill.tests[:2], *tests), parent=known.digest))

    def promises(self, goal: Sequence[Fact]) -> bool:
        """Whether some skill promises something of the kind that is wanted."""
        wanted = {_kind(("not", "word", *fact[1:]) if fact[0] == "not" else fact) for fact in goal}
        return any(_kind(fact) in wanted for known in self.bench.callable().values() for fact in known.skill.post)

    # --- use --------------------------------------------------------------------------------
    def cover(self, plan: Sequence[Deed]) -> Generator[str, Turn, int]:
        """Do the beginning of a plan by a skill; how many deeds that were: 0 for none, -1 where the skill failed."""
        for known, args, count in self._covers(plan):
            n, stamp = self.mind.n, self.mind.stamp
            self.mind.offered = tuple(one.name for one in (known.skill,))
            ran = yield from self.bench.run(self.mind, known.skill, args, known.digest)
            if ran.done:
                return count
            self._failed[known.digest, args] = stamp
            if self.mind.n != n:
                return -1
        return 0

    def _covers(self, plan: Sequence[Deed]) -> list[tuple[Known, tuple[str, ...], int]]:
        """The skills that do a beginning of a plan, those that do most of it first."""
        names = {op.key: name for name, op in intents_of(self.mind).items()}
        movers, found = self.mind.rules.movers, []
        usable = list(self.bench.callable().values())
        done: set[tuple[str, ...]] = set()
        walks, belief = False, self.mind.belief
        for count, deed in enumerate(plan, 1):
            if deed.op in movers:
                walks = True
                continue
            if walks and any(belief.place.get(arg) == "*door" and belief.at_hand(arg) for arg in deed.args):
                break  # a door is at hand from both sides: a skill would not walk to the other
            step = names.get(deed.op, ""), *deed.args
            done.add(step)
            for known in usable:
                args = _bind(known.skill, step, done, self.mind.belief.at, plan[:count], movers)
                if args is None or self._failed.get((known.digest, args)) == self.mind.stamp:
                    continue
                if done <= _ground(known.skill, args):
                    found.append((known, args, count))
            if count > 12:
                break
        return sorted(found, key=lambda one: (-one[2], one[0].failed, -one[0].proofs))


def _named(skill: Skill, there: Mapping[str, Known]) -> Skill:
    """A skill under a name of its own, where another one that does something else has its name."""
    name, number = skill.name, ord("b")
    while name in there and given(there[name].skill.code)[-1:] != given(skill.code)[-1:]:
        name, number = f"{skill.name}_{chr(number)}", number + 1
    return replace(skill, name=name, code=skill.code.replace(f"def {skill.name}(", f"def {name}(", 1))


def _kind(fact: Fact) -> tuple[str, ...]:
    """What a fact says, whatever it says it of."""
    return (fact[0], *_kind(fact[1:])) if fact[0] == "not" else (fact[0], fact[-1] if fact[0] == "word" else "")


def regime_of(mind: Mind) -> str:
    """What is believed to be one rule set: what the help page shows can be done in it."""
    return text_digest("\n".join(sorted(mind.rules.operators)))


def _adds(skill: Skill, known: Skill) -> bool:
    """Whether a skill does something that a known one of its name does not."""
    if len(skill.params) != len(known.params):
        return len(skill.params) > len(known.params)
    steps, others = ({line.strip() for line in one.code.split("\n")[2:]} for one in (skill, known))
    asked = {line for line in others if line.startswith("require")}
    return steps > others or (set(skill.pre) < set(known.pre) and steps >= others - asked)


def _bind(
    skill: Skill, last: tuple[str, ...], done: set[tuple[str, ...]], at: str, plan: Sequence[Deed], movers: set[str]
) -> tuple[str, ...] | None:
    """What the parameters stand for, where the last deed of a skill is the last of a plan; None where it is not."""
    deeds = given(skill.code)
    if not deeds or deeds[-1][0] != last[0] or len(deeds[-1]) != len(last):
        return None
    bound: dict[str, str] = {}
    params = [name for name, _ in skill.params]
    if not _match(deeds[-1], last, params, bound):
        return None
    for deed in reversed(deeds[:-1]):
        for step in sorted(done):
            trial = dict(bound)
            if step[0] == deed[0] and len(step) == len(deed) and _match(deed, step, params, trial):
                bound = trial
                break
    free = [name for name in params if name not in bound]
    if len(free) == 1 and dict(skill.params)[free[0]] == "place":
        bound[free[0]] = next((step.args[0] for step in reversed(plan) if step.op in movers), at)
    return tuple(bound[name] for name in params) if len(bound) == len(params) else None


def _match(deed: Sequence[str], step: Sequence[str], params: Sequence[str], bound: dict[str, str]) -> bool:
    for name, value in zip(deed[1:], step[1:], strict=True):
        if name not in params or bound.setdefault(name, value) != value:
            return False
    return True


def _ground(skill: Skill, args: Sequence[str]) -> set[tuple[str, ...]]:
    """The deeds that a skill may do, with what its parameters stand for."""
    bound = dict(zip((name for name, _ in skill.params), args, strict=True))
    return {(deed[0], *(bound.get(name, name) for name in deed[1:])) for deed in given(skill.code)}
