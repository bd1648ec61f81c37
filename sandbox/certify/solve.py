"""Solving a world: the proof of its optimum, plans from any state, dead ends."""

from __future__ import annotations

from functools import cached_property

from sandbox.certify.bound import least
from sandbox.certify.landmarks import Landmarks
from sandbox.certify.plans import Graph, carry_out, optimal_graph, path
from sandbox.certify.problem import Everything
from sandbox.certify.pruned import Problem
from sandbox.certify.search import FAR, Heuristic, Result, search, successors
from sandbox.certify.shorten import shortened
from sandbox.world.bits import holds
from sandbox.world.dynamics import Dynamics, Intent
from sandbox.world.engine import Engine
from sandbox.world.keyed import Key, Stream
from sandbox.world.world import World

PROOF_LIMIT = 30_000
"""States explored before a proof is given up and the tier becomes `witness`."""
SAMPLES = 8
"""States near the plan from which it is sought whether the goal is lost."""
FIND_LIMIT = 4_000
"""States explored for a plan that need not be shortest."""
TRIED = 200
"""States explored for a shortest plan where moves were left out and nothing can be proven."""
NEAR = 12
"""Pruned states tried for a way back to the plan before a plan is sought."""
GREEDY, HASTY = 4, 16
"""How much more than the steps made the steps left count where a plan is sought, and where any will do."""
SOON = 100
"""States explored for a plan before the problem is made anew from where it is sought."""


def focused_actions(world: World) -> frozenset[str]:
    """The actions whose first argument the grammar wants selected before."""
    if not world.grammar.select:
        return frozenset()
    rules = world.rules
    return frozenset(
        a.name for a in rules.actions
        if a.params and not a.inform and not rules.kind_of(a.params[0][1], "room")
    )


def asked_actions(world: World) -> frozenset[str]:
    """The actions that the grammar asks back before they are carried out."""
    return world.rules.lasting if world.grammar.confirm else frozenset()


def _solved_of(world: World) -> tuple[object, ...]:
    """All of a world that its plans depend on."""
    return world.rules, world.layout, world.goal, focused_actions(world), asked_actions(world)


class Solved:
    """A world with its optimum: everything that effects, loads and certificates are computed from."""

    def __init__(self, world: World, limit: int = PROOF_LIMIT, everything: Everything | None = None,
                 like: Solved | None = None) -> None:
        self.world = world
        similar = like.dynamics if like else None
        self.dynamics: Dynamics = everything.dynamics if everything else Dynamics(world.rules, world.layout, similar)
        self._everything = everything
        self._limit = limit

    def under(self, world: World) -> Solved:
        """A world as it is solved beside this one: with the same plan where it differs in nothing that is solved."""
        new, old = Solved(world, like=self), self.world
        proven = self.result.steps is not None and (self.result.exact or not self.problem.whole)
        if proven and _solved_of(world) == _solved_of(old):
            new.dynamics, new._everything = self.dynamics, self.everything
            new.__dict__.update(problem=self.problem, estimate=self.estimate, result=self.result)
        return new

    @cached_property
    def everything(self) -> Everything:
        """All moves and laws, analysed when they are first needed."""
        return self._everything or Everything(
            self.dynamics, focused_actions(self.world), asked_actions(self.world)
        )

    @cached_property
    def problem(self) -> Problem:
        """The pruned problem from the start."""
        return self.everything.problem(self.dynamics.goal(self.world.goal))

    @cached_property
    def estimate(self) -> Heuristic:
        """The admissible heuristic of the problem."""
        return Landmarks(self.problem).estimate

    @cached_property
    def result(self) -> Result:
        """The proof: an optimal plan, or that there is none, or how far it got."""
        limit = self._limit if self.problem.whole else min(self._limit, TRIED)
        return search(self.problem, self.dynamics.start, limit, self.estimate, every=False)

    @cached_property
    def witness(self) -> Result:
        """A plan found quickly, for worlds whose optimum could not be proven."""
        start = self.dynamics.start
        found = self.find(start, 10 * FIND_LIMIT if self.problem.whole else FIND_LIMIT // 2)
        return shortened(self.problem, start, found) if self.dynamics.ground.crowd else found

    @cached_property
    def bound(self) -> int:
        """A number of commands that no plan falls below, known without a proof."""
        bound = self.result.bound
        if not self.result.exact and self.dynamics.ground.crowd:
            found = least(self.everything, self.dynamics.goal(self.world.goal))
            bound = max(bound, found) if found < FAR else bound
        return bound

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
    def optimal(self) -> Graph | None:
        """All optimal plans; None when the optimum is not proven, or when they pass too many states."""
        if self.result.steps is None or not self.result.exact:
            return None
        start = self.dynamics.start
        every = search(self.problem, start, PROOF_LIMIT, self.estimate, every=True, longest=self.result.steps)
        return optimal_graph(self.problem, start, every) if every.exact else None

    # --- from anywhere ----------------------------------------------------------------------
    def find(self, state: int, limit: int = FIND_LIMIT, *, sure: bool = True) -> Result:
        """A plan from any reachable state, greedily; `exact` without steps means that there is none.

        To be `sure`, twice as many states are explored without a guess where that finds none.
        """
        problem = self.everything.problem(self.dynamics.goal(self.world.goal), start=state)
        estimate = Landmarks(problem).estimate
        result = search(problem, state, limit, _greedy(estimate, GREEDY if sure else HASTY), every=False)
        if sure and problem.whole and result.steps is None and not result.exact:
            result = search(problem, state, 2 * limit, lambda _: 0, every=False)
        return result

    def shortest(self, state: int) -> Result:
        """A shortest plan from any reachable state if it can be proven soon, else one found greedily."""
        problem = self.everything.problem(self.dynamics.goal(self.world.goal), start=state)
        result = search(problem, state, FIND_LIMIT, Landmarks(problem).estimate, every=False)
        return result if result.exact else self.find(state, 10 * FIND_LIMIT)

    @cached_property
    def dead_share(self) -> float | None:
        """The share of dead ends among SAMPLES states near the plan; None where it is not known."""
        key = Key("dead ends", self.world.origin.seed, self.world.origin.attempt)
        return self.sampled_dead_ends(key.stream(), path(self.dynamics, self.intents), SAMPLES)

    @cached_property
    def _on_plan(self) -> frozenset[int]:
        """The pruned states that the plan passes: what agrees with one in all that can matter is alive."""
        return frozenset(s & self.problem.keep for s in path(self.dynamics, self.intents))

    def alive(self, state: int) -> bool:
        """Whether the goal can still be reached from a state without starting again.

        It is lost only if that is proven: where the searches give up, nobody can tell.
        """
        return self._lives(state) is not False

    def _lives(self, state: int) -> bool | None:
        """The same; None where moves are left out and no plan was found soon."""
        keep = self.problem.keep
        near = [state & keep]
        for at in near:
            if at in self._on_plan:
                return True
            if len(near) < NEAR:
                near += [new for _, new, _ in successors(self.problem, at) if new not in near]
        if self._found_soon(state & keep):
            return True
        if not self.problem.whole:
            return None
        found = self.find(state)
        return found.steps is not None or not found.exact

    def _found_soon(self, state: int) -> bool:
        """Whether a plan made of what can matter from the start is found soon: then no other problem has to be made."""
        if self.estimate(state) >= FAR:
            return False
        return search(self.problem, state, SOON, _greedy(self.estimate, HASTY), every=False).steps is not None

    def sampled_dead_ends(self, stream: Stream, states: list[int], count: int) -> float | None:
        """The share of states one or two drawn moves off the plan from which the goal is lost.

        None where moves are left out of the search, and some state is neither known to be alive nor to be lost.
        """
        dead = 0
        known: dict[int, bool] = {}
        for _ in range(count):
            state = states[stream.below(max(1, len(states) - 1))]
            for _ in range(1 + stream.below(2)):
                moves = [m for m in self.dynamics.room(state).moves if m.ready(state)]
                state = carry_out(self.dynamics, stream.choice(moves).intent, state)[0] if moves else state
            if state not in known:
                alive = self._lives(state)
                if alive is None:
                    return None
                known[state] = alive
            dead += not known[state]
        return round(dead / count, 3)


def _greedy(estimate: Heuristic, weight: int) -> Heuristic:
    """An estimate that counts more than the steps that were made."""

    def guess(state: int) -> int:
        steps = estimate(state)
        return steps if steps >= FAR else weight * steps

    return guess


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
            result = solved.shortest(state)
            if result.steps is None:
                return None
            intents = tuple(act.intent for act in result.acts)
        return self._commands(intents, state)

    def _commands(self, intents: tuple[Intent, ...], state: int) -> tuple[str, ...]:
        commands: list[str] = []
        for intent in intents:
            for command in self._engine.commands(intent, state):
                commands.append(command)
                state = self._engine.step(state, command).state
        return tuple(commands)
