"""`explorer`: learns a world without a language model, from the help page, the texts and its own tries.

Orient (how to speak, how to move), then again and again: if what was learned leads to the goal, follow that
plan; if there is a room it has not seen, go there; else make the experiment that promises most per command.
Everything it does is written with the parts of `sandbox.agent`; nothing here knows what a world is made of.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from itertools import product
from typing import Final

from sandbox.agent import lore
from sandbox.agent.account import Account
from sandbox.agent.api import Briefing, Reply, Turn
from sandbox.agent.belief import Belief
from sandbox.agent.carry import keep, recall
from sandbox.agent.craft import Craft
from sandbox.agent.curriculum import STRATEGIES, Experiment
from sandbox.agent.draws import draws
from sandbox.agent.grounding import Deed
from sandbox.agent.learner import Play
from sandbox.agent.library import Memory
from sandbox.agent.mind import Mind, new_mind
from sandbox.agent.operators import Operator
from sandbox.agent.orient import find_move, orient
from sandbox.agent.study import study

SOON: Final = 6
"""How often it waits for what is too early."""
RARELY: Final = 16
"""Commands between searches for a plan that keep finding none."""
IDLE: Final = 4
"""Commands for want of better, after which experiments are weighed again."""
PATIENCE: Final = 60
"""Commands after which it begins again when nothing new is left to try."""


class Agent:
    """Arrives knowing nothing, learns to speak, learns the rules, plans to the goal; needs no model."""

    access = 1
    learns = True
    options = {  # noqa: RUF012 - declared once, never changed
        "carry": ("on", "off"),
        "curriculum": tuple(STRATEGIES),
        "english": ("on", "off"),
        "skills": ("on", "off"),
    }

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        self._play: Generator[str, Turn, None] | None = None

    def begin(self, briefing: Briefing) -> None:
        """Take in what is told, and start from what is kept."""
        self._briefing = briefing
        self._draws = draws("explorer", briefing.seed)
        self.mind = new_mind(briefing, english=self._options.get("english", "on") == "on")
        self._library = briefing.library if self._options.get("carry", "on") == "on" else None
        if self._library is not None:
            recall(self.mind, self._library)
        self._craft = None
        if self._options.get("skills", "on") == "on":
            self._craft = Craft(self.mind, self._library or Memory())
            lore.recall(self.mind, self._craft.library)
            self.mind.by_skill = self._craft.cover
        self._account = Account(self.mind)
        self._choose = STRATEGIES[self._options.get("curriculum", "progress")]

    def act(self, turn: Turn) -> Reply:
        """The next command, with what was concluded from the last answer."""
        if self._play is None:
            self._play = self._episode(turn)
            command = next(self._play)
        else:
            command = self._play.send(turn)
        if self._craft is not None:
            self._craft.learn()
        used, offered = self.mind.used or None, self.mind.offered or None
        return Reply(command, command, offered, used, self._account.news())

    def end(self, turn: Turn) -> None:
        """Let go."""
        if self._play is not None:
            self._hear(turn)
        self._play = None
        if self._library is not None:
            keep(self.mind, self._library)
        if self._craft is not None:
            self._craft.learn()
            lore.keep(self.mind, self._craft.library)

    def _hear(self, turn: Turn) -> None:
        """The last answer is learned from like any other; a skill that was running is closed with what it reached."""
        assert self._play is not None, "there is a play to end"
        with suppress(StopIteration):
            self._play.send(turn)
        self._play.close()

    # --- the algorithm ----------------------------------------------------------------------------
    def _episode(self, turn: Turn) -> Play:
        mind = self.mind
        yield from orient(mind, self._briefing, turn)
        while True:
            if not mind.rules.movers and mind.stamp != mind.stuck:
                yield from find_move(mind)
            if mind.lost and (yield from mind.restart()):
                continue
            if (yield from self._at_once(mind)):
                continue
            if (yield from study(mind)):
                continue
            plan = self._plan(mind)
            if plan:
                yield from self._follow(mind, plan)
                continue
            if self._better_anew(mind):
                yield from mind.restart()
                continue
            moved = yield from self._see_new_rooms(mind)
            if moved:
                continue
            chosen = self._choose(mind, self._draws.below)
            if not chosen:
                yield from self._idle(mind)
                continue
            mind.journal.phase("making experiments")
            yield from self._try(mind, chosen)

    def _at_once(self, mind: Mind) -> Generator[str, Turn, bool]:
        """Where skills promise what is wanted: a plan, else a room not seen yet; whether there was any."""
        if self._craft is None or not self._craft.promises(mind.goal):
            return False
        plan = self._plan(mind)
        if plan:
            yield from self._follow(mind, plan)
            return True
        return (yield from self._see_new_rooms(mind))

    _planned: tuple[int, ...] | None = None
    _vain: tuple[int, int] = 0, 0
    """How many searches in a row found no plan, and the command at which to search again unless rules are learned."""

    def _plan(self, mind: Mind) -> list[Deed] | None:
        """A plan to the goal over what was learned; asked for only when something is new, and rarely if in vain."""
        state = mind.rules.version, mind.stamp, len(mind.belief.first)
        if self._planned == state or not mind.goal:
            return None
        vain, again = self._vain
        if self._planned is None or self._planned[0] != state[0]:
            vain = 0
        elif mind.n < again:
            return None
        self._planned = state
        plan = self._search(mind, mind.belief)
        self._vain = (0, 0) if plan else (vain + 1, mind.n + min(2**vain, RARELY))
        return plan

    def _search(self, mind: Mind, belief: Belief) -> list[Deed] | None:
        planner = mind.planner
        planner.ground(belief, mind.stamp)
        goal = planner.want(mind.goal)
        return planner.plan(planner.state(belief), goal)

    _anew: int = -1

    def _better_anew(self, mind: Mind) -> bool:
        """Whether a way to the goal is known from the start, though not from here."""
        if not mind.goal or mind.roles.restart is None or mind.stamp == mind.restarted:
            return False
        if self._anew == mind.rules.version:
            return False
        self._anew = mind.rules.version
        return bool(self._search(mind, mind.belief.at_start()))

    def _follow(self, mind: Mind, plan: list[Deed]) -> Play:
        """Carry a plan out for as long as it goes as expected."""
        mind.journal.phase("following a plan to the goal")
        if not (yield from mind.carry_out(plan)):
            self._planned = None
            return
        mind.surprise("the plan went through, and the goal is not reached")

    def _see_new_rooms(self, mind: Mind) -> Generator[str, Turn, bool]:
        """Go to the nearest room that was never seen."""
        fresh = {to for ways in mind.belief.ways.values() for to in ways} - mind.belief.visited
        if not fresh:
            return False
        mind.journal.phase("going to rooms it has not seen")
        reached = yield from mind.go(fresh)
        return reached

    def _try(self, mind: Mind, chosen: list[Experiment]) -> Play:
        """Prepare an experiment, make it, and those that can be made on the spot."""
        for number, experiment in enumerate(chosen):
            op = mind.rules.operators.get(experiment.op)
            if op is None:
                return
            stamp, at = mind.stamp, mind.belief.at
            ready = yield from self._prepare(mind, experiment)
            if not ready:
                self._spoil(mind, experiment)
                return
            mind.made[experiment.key] += 1
            if op.key in mind.rules.movers:
                yield from mind.walk(op, experiment.args[0])
            else:
                trial = yield from mind.attempt(op, experiment.args)
                if trial.why == "early":
                    yield from self._await(mind, op, experiment.args)
            if number == 0:
                stamp = mind.stamp
            if mind.stamp != stamp or mind.belief.at != at:
                return

    def _await(self, mind: Mind, op: Operator, args: tuple[str, ...]) -> Play:
        """Let time pass until something is no longer too early."""
        for _ in range(SOON):
            if mind.roles.wait is None:
                return
            yield from mind.say(mind.roles.wait)
            trial = yield from mind.attempt(op, args)
            if trial.why != "early":
                return

    def _prepare(self, mind: Mind, experiment: Experiment) -> Generator[str, Turn, bool]:
        """Have the things where the experiment wants them; whether they are."""
        if experiment.facts and not (yield from mind.reach(list(experiment.facts))):
            return False
        wanted = [arg for arg, spot in zip(experiment.args, experiment.spots, strict=True) if spot == "held"]
        there = [arg for arg, spot in zip(experiment.args, experiment.spots, strict=True) if spot == "here"]
        keep = frozenset([*wanted, *(fact[1] for fact in experiment.facts if fact[0] == "held")])
        for arg in wanted:
            if not (yield from mind.fetch(arg, keep)):
                return False
        if experiment.room is not None and not (yield from mind.go_or_open(experiment.room)):
            return False
        for arg in there:
            if not (yield from self._leave(mind, arg)):
                return False
        while experiment.free and set(mind.belief.held()) - set(wanted):
            if not (yield from mind.put_down(keep=set(wanted))):
                return False
        return all(mind.belief.where(arg) == "held" for arg in wanted)

    def _leave(self, mind: Mind, arg: str) -> Generator[str, Turn, bool]:
        """Be where a thing lies, which is not to be held; whether that is so."""
        if mind.belief.where(arg) == "held" and mind.rules.can_carry(arg, mind.belief):
            yield from mind.put_down(keep=set(mind.belief.held()) - {arg})
            return mind.belief.where(arg) == "here"
        if mind.belief.where(arg) != "here":
            room = mind.belief.room_of(arg)
            return room is not None and (yield from mind.go_or_open(room))
        return True

    def _spoil(self, mind: Mind, experiment: Experiment) -> None:
        """An experiment that could not be prepared is not chosen again before something changes."""
        mind.unready[experiment.key] = mind.stamp
        mind.made[experiment.key] += 1
        mind.hard[experiment.args] = mind.hard.get(experiment.args, 0) + 1

    def _idle(self, mind: Mind) -> Play:
        """A few commands for want of better, until something is new."""
        version = mind.rules.version
        for _ in range(IDLE):
            yield from self._shake(mind)
            if mind.rules.version != version or mind.lost:
                return

    def _shake(self, mind: Mind) -> Play:
        """Nothing new is left to try here and now: begin again, or do what was accepted before, the rarest first."""
        if mind.roles.restart is not None and (mind.anew or mind.n > mind.began + PATIENCE):
            yield from mind.restart()
            return
        deeds = list(self._deeds(mind))
        if not deeds:
            yield from mind.say(mind.roles.look or "look")
            mind.began -= 1
            return
        here = mind.local()
        counts = [mind.done[op.key, args, here] for op, args in deeds]
        least = min(counts)
        rare = [deed for deed, count in zip(deeds, counts, strict=True) if count <= least]
        op, args = rare[self._draws.below(len(rare))]
        mind.done[op.key, args, here] += 1
        if op.key in mind.rules.movers:
            yield from mind.walk(op, args[0])
        else:
            yield from mind.attempt(op, args)

    def _deeds(self, mind: Mind) -> Iterator[tuple[Operator, tuple[str, ...]]]:
        """What was accepted before and could be done here, ways included; what fits and never was, while little is."""
        rules, belief = mind.rules, mind.belief
        near = belief.here()
        for op in rules.operators.values():
            if op.key in rules.movers:
                for to in mind.open_ways().get(belief.at, []):
                    yield op, (to,)
            elif op.good:
                spots = rules.needs(op).spots
                for args in sorted(op.good):
                    ready = all(belief.where(arg) in known for arg, known in zip(args, spots, strict=True))
                    if ready and not op.fatal.get(args):
                        yield op, args
            elif op.arity and not rules.telling(op):
                for args in product(*[[name for name in near if rules.fits(op, i, name)] for i in range(op.arity)]):
                    if len(set(args)) == len(args) and args not in op.never:
                        yield op, args
