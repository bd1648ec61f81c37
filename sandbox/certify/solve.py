"""Solving a world: the proof of its optimum, plans from any state, dead ends."""

from __future__ import annotations

from functools import cached_property

from sandbox.certify.plans import Layer, carry_out, optimal_layers
from sandbox.certify.problem import Everything, Problem
from sandbox.certify.search import FAR, SMALL, Heuristic, Part, Result, heuristic, search
from sandbox.world.bits import holds
from sandbox.world.dynamics import Dynamics, Intent
from sandbox.world.engine import Engine
from sandbox.world.keyed import Stream
from sandbox.world.world import World

PROOF_LIMIT = 30_000
"""States explored before a proof is given up and the tier becomes `witness`."""
FIND_LIMIT = 4_000


def focused_actions(world: World) -> frozenset[str]:
    """The actions whose first argument the grammar wants selected before."""
    if not world.grammar.select:
        return frozenset()
    rules = world.rules
    return frozenset(
        a.name for a in rules.actions
        if a.params and not a.inform and not rules.kind_of(a.params[0][1], "room")
    )


class Solved:
    """A world with its optimum: everything that effects, loads and certificates are computed from."""

    def __init__(self, world: World, limit: int = PROOF_LIMIT, everything: Everything | None = None,
                 parts: list[Part] | None = None) -> None:
        self.world = world
        self.everything = everything or Everything(
            Dynamics(world.rules, world.layout), focused_actions(world)
        )
        self.dynamics = self.everything.dynamics
        self._parts = parts
        self._limit = limit

    @cached_property
    def goal(self) -> tuple[tuple[object, ...], ...]:
        """One condition a goal fact."""
        return self.dynamics.goal(self.world.goal)

    @cached_property
    def problem(self) -> Problem:
        """The pruned problem from the start."""
        return self.everything.problem(self.dynamics.goal(self.world.goal))

    @cached_property
    def parts(self) -> list[Part]:
        """The explored problems of the single goal facts."""
        if self._parts is not None:
            return self._parts
        return [Part(self.everything, goal, SMALL) for goal in self.dynamics.goal(self.world.goal)]

    @cached_property
    def estimate(self) -> Heuristic:
        """The admissible heuristic of the joint problem."""
        return heuristic(self.parts)

    @cached_property
    def result(self) -> Result:
        """The proof: an optimal plan, or that there is none, or how far it got."""
        return search(self.problem, self.dynamics.start, self._limit, self.estimate)

    @cached_property
    def witness(self) -> Result:
        """A plan found quickly, for worlds whose optimum could not be proven."""
        return self.find(self.dynamics.start, 10 * FIND_LIMIT)

    @property
    def solvable(self) -> bool:
        """Whether there is a plan, as far as the searches could tell."""
        if self.result.steps is not None:
            return True
        return not self.result.exact and self.witness.steps is not None

    @property
    def steps(self) -> int:
        """The length of the shortest plan known; FAR when there is none."""
        best = self.result.steps if self.result.steps is not None else None
        if best is None and not self.result.exact:
            best = self.witness.steps
        return FAR if best is None else best

    @property
    def intents(self) -> tuple[Intent, ...]:
        """The plan."""
        result = self.result if self.result.steps is not None else self.witness
        return tuple(act.intent for act in result.acts)

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """All optimal plans (empty when the optimum is not proven)."""
        if self.result.steps is None:
            return ()
        return optimal_layers(self.problem, self.dynamics.start, self.result)

    # --- from anywhere ----------------------------------------------------------------------
    @cached_property
    def _anywhere(self) -> Problem:
        return self.everything.anywhere(self.dynamics.goal(self.world.goal))

    def find(self, state: int, limit: int = FIND_LIMIT) -> Result:
        """A plan from any state, greedily; `exact` without steps means that there is none."""
        def greedy(at: int) -> int:
            guess = self.estimate(at)
            return guess if guess >= FAR else 4 * guess

        return search(self._anywhere, state, limit, greedy, every=False)

    def alive(self, state: int) -> bool:
        """Whether the goal can still be reached from a state without starting again."""
        return self.find(state).steps is not None

    def sampled_dead_ends(self, stream: Stream, states: list[int], count: int) -> tuple[int, int]:
        """(dead, sampled): states one or two drawn moves off the plan from which the goal is lost."""
        dead, sampled = 0, 0
        known: dict[int, bool] = {}
        keep = self._anywhere.keep
        for _ in range(count):
            state = states[stream.below(max(1, len(states) - 1))]
            for _ in range(1 + stream.below(2)):
                moves = [m for m in self.dynamics.room(state).moves if m.ready(state)]
                state = carry_out(self.dynamics, stream.choice(moves).intent, state)[0] if moves else state
            key = state & keep
            if key not in known:
                known[key] = self.alive(state)
            sampled += 1
            dead += not known[key]
        return dead, sampled


class Solver:
    """Commands towards the goal from any state of a world, for hints and the oracle."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._engine = Engine(world)
        self._solved = Solved(world)

    def plan(self, state: int) -> tuple[str, ...] | None:
        """Canonical commands from a state to the goal, a shortest plan where it can be proven, or None."""
        solved = self._solved
        if all(holds(goal, state) for goal in solved.dynamics.goal(self._world.goal)):
            return ()
        if state & solved.dynamics.fact_mask == solved.dynamics.start & solved.dynamics.fact_mask:
            intents: tuple[Intent, ...] = solved.intents
        else:
            from_here = Everything(solved.dynamics, focused_actions(self._world), state)
            goal = solved.dynamics.goal(self._world.goal)
            parts = [Part(from_here, fact, SMALL) for fact in goal]
            result = search(from_here.problem(goal), state, FIND_LIMIT, heuristic(parts), every=False)
            if result.steps is None and not result.exact:
                result = solved.find(state, 10 * FIND_LIMIT)
            if result.steps is None:
                return None
            intents = tuple(act.intent for act in result.acts)
        return self._commands(intents, state)

    def _commands(self, intents: tuple[Intent, ...], state: int) -> tuple[str, ...]:
        commands: list[str] = []
        for intent in intents:
            if intent[0] == "select":
                commands.append(self._engine.speech.command(*intent))
                state = carry_out(self._solved.dynamics, intent, state)[0]
                continue
            for command in self._engine.commands(intent, state):
                commands.append(command)
                state = self._engine.step(state, command).state
        return tuple(commands)
