"""The certificate of an open world: which milestones can be reached, each proven by a plan that reaches it.

`open_world` looks for one tour that brings about every kind of change. From where it stands, it goes on to the nearest
milestone that is missing (breadth first, keeping only states in which some fact, then some pair of facts, holds for the
first time: iterated width, Lipovetzky and Geffner, "Width and Serialization of Classical Planning Problems", ECAI
2012); where nothing new is found it starts again; what is still missing then is sought fact by fact with the solver.
What is found counts. What is not, and could come true if nothing were ever undone, is told as `bound`: no more than
these can be reached. What walking and waiting alone bring about is left out of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sandbox.certify.problem import Everything
from sandbox.certify.pruned import WALK, bits
from sandbox.certify.relaxed import Relaxed
from sandbox.certify.solve import Solved, asked_actions, focused_actions
from sandbox.errors import CheckFailed, ConstraintError
from sandbox.world import spec
from sandbox.world.dynamics import Dynamics, Intent
from sandbox.world.engine import Engine
from sandbox.world.open import HOLDER, ROOM, Mark, OpenEngine, marks, of
from sandbox.world.slow import Facts, Player, Tree
from sandbox.world.spec import Fact, Milestone
from sandbox.world.world import World

RESTART: Intent = ("restart", ())
WAIT = "wait"
IDLE = 600
"""States that walking and waiting are followed through."""
WIDE = 3_000
"""States looked at for the next milestone."""
FACTS = 4
"""Facts of a missing milestone, the nearest first, for which a plan is sought."""
SOUGHT = 1_500
"""States in which a plan for one of them is sought."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An open world with the tour that proves it: commands after which every milestone was reached, and when each was.

    `bound` is the number of milestones that could be reached at most.
    """

    world: World
    plan: tuple[str, ...]
    first: tuple[tuple[Milestone, int], ...]
    bound: int


def open_world(world: World, ref: str) -> Opened:
    """The open world of a certified one. Raises ConstraintError where there is nothing to reach, and CheckFailed."""
    explorer = Explorer(world)
    tour, reached = explorer.tour()
    if not reached:
        raise ConstraintError(f"{ref}: nothing can be brought about in this world but walking", "milestones",
                              "play it with its goal, or choose another world")  # fmt: skip
    opened = world.with_(goal=(), milestones=tuple(reached))
    plan = tuple(_typed(opened, tour))
    first = _confirmed(opened, plan)
    missing = [str(m) for m in reached if m not in dict(first)]
    if missing:
        raise CheckFailed(f"{ref}: the slow interpreter does not confirm {', '.join(missing)}",
                          "this is a defect of the generator: please report it")  # fmt: skip
    return Opened(opened, plan, tuple(first), explorer.bound)


class Explorer:
    """Finds milestones from any state of a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.dynamics = Dynamics(world.rules, world.layout)
        self._everything = Everything(self.dynamics, focused_actions(world), asked_actions(world))
        idle, (ones, zeros) = self._idle(), self._possible()
        self._marks = [
            m for m in marks(self.dynamics.ground) if m.milestone not in idle and (m.on & ones or m.off & zeros)
        ]

    @property
    def bound(self) -> int:
        """How many milestones could come true if nothing were ever undone."""
        return len(self._marks)

    def _idle(self) -> set[Milestone]:
        """What walking and waiting alone bring about."""
        dynamics = self.dynamics
        found: set[Milestone] = set()
        every = marks(dynamics.ground)
        queue, seen = [dynamics.start], {dynamics.start}
        for state in queue:
            for move in dynamics.room(state).moves:
                if move.intent[0] in (WALK, WAIT) and move.ready(state):
                    new = dynamics.after(state, move)
                    found |= {mark.milestone for mark in every if mark.reached(state, new)}
                    if new not in seen and len(seen) < IDLE:
                        seen.add(new)
                        queue.append(new)
        return found

    def _possible(self) -> tuple[int, int]:
        """The bits that something can set, and those that something can clear, if nothing is ever undone."""
        ones = zeros = 0
        for act in self._everything.acts:
            ones, zeros = ones | act.sets, zeros | act.clears
        for parts in self._everything.law_parts:
            for part in parts:
                ones, zeros = ones | part.sets, zeros | part.clears
        return ones & self._everything.can1, zeros & self._everything.can1

    def tour(self) -> tuple[list[Intent], list[Milestone]]:
        """Intents, starting again among them, and the milestones that they reach, in order."""
        tour: list[Intent] = []
        reached: list[Milestone] = []
        state, start = self.dynamics.start, self.dynamics.start
        while len(reached) < len(self._marks):
            found = self.next(state, reached)
            if found is None and state != start:
                tour.append(RESTART)
                state = start
                found = self.next(state, reached)
            if found is None:
                found = self.sought(reached)
            if found is None:
                break
            for intent in found:
                before, state = state, self._after(state, intent)
                reached += [m.milestone for m in self._left(reached) if m.reached(before, state)]
            tour += found
        while tour and tour[-1] == RESTART:
            tour.pop()
        return tour, reached

    def _left(self, reached: list[Milestone]) -> list[Mark]:
        return [mark for mark in self._marks if mark.milestone not in reached]

    def _after(self, state: int, intent: Intent) -> int:
        return self.dynamics.after(state, self.dynamics.room(state).move(intent))

    def next(self, state: int, reached: list[Milestone]) -> list[Intent] | None:
        """A short way to a change of a kind that is not among those reached, or None where none was found."""
        left = self._left(reached)
        narrow = self._search(state, left, _Facts(state, self.dynamics.fact_mask))
        return narrow or self._search(state, left, _Pairs(state, self.dynamics.fact_mask))

    def _search(self, state: int, left: list[Mark], known: _Facts | _Pairs) -> list[Intent] | None:
        """Breadth first, through states in which something is new."""
        queue: list[tuple[int, int, Intent | None]] = [(state, -1, None)]
        for number, (at, _, _) in enumerate(queue):
            if number > WIDE:
                break
            for move in self.dynamics.room(at).moves:
                if not move.ready(at):
                    continue
                new = self.dynamics.after(at, move)
                if any(mark.reached(at, new) for mark in left):
                    return [*_way(queue, number), move.intent]
                if known.new(at, new):
                    queue.append((new, number, move.intent))
        return None

    def sought(self, reached: list[Milestone]) -> list[Intent] | None:
        """A plan of the solver, from the start, for some fact of a milestone that is missing."""
        relaxed = Relaxed(self._everything)
        for mark in self._left(reached):
            near: list[tuple[int, int, Fact]] = []
            for fact in self._facts(mark.milestone):
                guess = relaxed.plan(self.dynamics.ground.fact(fact))
                if guess is not None:
                    near.append((len(guess[1]), len(near), fact))
            for _, _, fact in sorted(near)[:FACTS]:
                plan = self._plan(fact)
                if plan is not None and self._reaches(plan, mark):
                    return plan
        return None

    def _facts(self, milestone: Milestone) -> Iterator[Fact]:
        """The facts that are not true at the start and that a milestone stands for."""
        ground, start = self.dynamics.ground, self.dynamics.start
        for (name, args), group in ground.groups.items():
            if name != milestone.name or of(ground.rules, ground.kinds, name, args) != milestone.of:
                continue
            for value in _values(milestone, group.values, ground.kinds):
                if ground.value(name, args, start) != value:
                    yield Fact(name, args, value)

    def _plan(self, fact: Fact) -> list[Intent] | None:
        solved = Solved(replace(self._world, goal=(fact,), milestones=()), SOUGHT, self._everything)
        result = solved.find(self.dynamics.start, SOUGHT)
        return None if result.steps is None else [act.intent for act in result.acts]

    def _reaches(self, plan: list[Intent], mark: Mark) -> bool:
        state = self.dynamics.start
        for intent in plan:
            before, state = state, self._after(state, intent)
            if mark.reached(before, state):
                return True
        return False


class _Facts:
    """Which facts have held, and which have not, since a search began (width 1)."""

    def __init__(self, state: int, facts: int) -> None:
        self._ones, self._zeros, self._facts = state & facts, ~state & facts, facts

    def new(self, _: int, after: int) -> bool:
        """Whether something holds, or does not, for the first time."""
        ones, zeros = after & self._facts, ~after & self._facts
        found = bool(ones & ~self._ones or zeros & ~self._zeros)
        self._ones, self._zeros = self._ones | ones, self._zeros | zeros
        return found


class _Pairs:
    """Which facts have held together since a search began (width 2)."""

    def __init__(self, state: int, facts: int) -> None:
        self._facts, self._size = facts, facts.bit_length()
        self._with: dict[int, int] = {}
        all_ = self._literals(state)
        for literal in bits(all_):
            self._with[literal] = all_

    def _literals(self, state: int) -> int:
        """What holds, and above it what does not."""
        return state & self._facts | (~state & self._facts) << self._size

    def new(self, before: int, after: int) -> bool:
        """Whether something that has just changed goes together with something else for the first time."""
        now, found = self._literals(after), False
        for literal in bits(now & ~self._literals(before)):
            seen = self._with.get(literal, 0)
            if now & ~seen:
                found, self._with[literal] = True, seen | now
        return found


def _values(milestone: Milestone, known: tuple[spec.Value, ...], kinds: dict[str, str]) -> tuple[spec.Value, ...]:
    """The values of a function that a milestone stands for."""
    if milestone.name != spec.PLACE or milestone.value in (spec.CARRIED, spec.GONE):
        return tuple(value for value in known if value == milestone.value and type(value) is type(milestone.value))
    places = [value for value in known if value not in (spec.CARRIED, spec.GONE)]
    return tuple(p for p in places if (kinds[str(p)] == "room") == (milestone.value == ROOM))


def _way(queue: list[tuple[int, int, Intent | None]], number: int) -> list[Intent]:
    """The intents that lead to an entry of the queue."""
    way = []
    while number >= 0:
        _, number, intent = queue[number]
        if intent is not None:
            way.append(intent)
    return way[::-1]


def _typed(world: World, tour: list[Intent]) -> Iterator[str]:
    """The tour as canonical commands, selections included."""
    engine = OpenEngine(world)
    state = engine.start().state
    for intent in tour:
        for command in engine.commands(intent, state):
            yield command
            state = engine.step(state, command).state


# --- confirmed by what did not find it ------------------------------------------------------------
def _confirmed(world: World, plan: tuple[str, ...]) -> list[tuple[Milestone, int]]:
    """The milestones that the slow interpreter sees the commands reach, each with the number of the command."""
    slow = Player(world.rules, world.layout, world.grammar, world.names, ())
    restart = Engine(world).speech.command("restart", ())
    found: dict[Milestone, int] = {}
    for number, command in enumerate(plan, 1):
        before = dict(slow.facts)
        if slow.command(command) is not None:
            return []
        if command != restart:
            for milestone in world.milestones:
                if milestone not in found and _changed(slow.tree, before, slow.facts, milestone):
                    found[milestone] = number
    return sorted(found.items(), key=lambda item: item[1])


def _changed(tree: Tree, before: Facts, after: Facts, milestone: Milestone) -> bool:
    """Whether a function of some object has come to the value of a milestone, walked fact by fact."""
    for name, args in {**before, **after}:
        if name == milestone.name and of(tree.rules, tree.kinds, name, args) == milestone.of:
            old, new = tree.value(name, args, before), tree.value(name, args, after)
            if old != new and _meant(tree, milestone, new):
                return True
    return False


def _meant(tree: Tree, milestone: Milestone, value: spec.Value) -> bool:
    if milestone.name == spec.PLACE and milestone.value in (ROOM, HOLDER):
        rooms = tree.layout.rooms
        return value not in (spec.CARRIED, spec.GONE) and (value in rooms) == (milestone.value == ROOM)
    return value == milestone.value


class OpenSolver:
    """Commands to the nearest milestone that is missing, from any state of an open world, for hints and the oracle."""

    def __init__(self, world: World) -> None:
        self._engine = OpenEngine(world)
        self._explorer = Explorer(world)
        self._kept: dict[tuple[Milestone, ...], list[Intent] | None] = {}

    def plan(self, state: int) -> tuple[str, ...] | None:
        """Canonical commands to the next milestone, or None: then only starting again may help."""
        engine = self._engine
        reached = [*engine.reached(state)]
        if engine.solved(state):
            return ()
        bare = engine.bare(state)
        intents = self._explorer.next(bare, self._counted(reached))
        if intents is None and not (bare ^ engine.dynamics.start) & engine.dynamics.fact_mask:
            intents = self._explorer.sought(self._counted(reached))
        if intents is None:
            return None
        commands = []
        for intent in intents:
            for command in engine.commands(intent, state):
                commands.append(command)
                state = engine.step(state, command).state
        return tuple(commands)

    def _counted(self, reached: list[Milestone]) -> list[Milestone]:
        """What need not be sought: what was reached, and what does not count in this world."""
        counted = set(self._engine.world.milestones)
        return reached + [m.milestone for m in marks(self._engine.dynamics.ground) if m.milestone not in counted]


__all__ = ["Explorer", "OpenSolver", "Opened", "open_world"]
