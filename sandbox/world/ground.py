"""A rule set + a layout → bits, conditions and changes, for one room of the player at a time.

The tree is turned into closures once (`formulas`); a ground action or law is worked out for all rooms at
once as far as it is the same in them. What never changes (a colour, an exit, where a fixture stands) costs
nothing afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeAlias

from sandbox.errors import GroundingError
from sandbox.world import spec
from sandbox.world.bits import MOST_CLAUSES, TRUE, Change, Condition, TooManyClauses, reads
from sandbox.world.closures import Tester
from sandbox.world.formulas import ROOM, Formulas, mentions_here
from sandbox.world.local import Grounded, Local, in_room
from sandbox.world.spec import Add, Assign, Effect, Formula, Layout, Rules
from sandbox.world.values import Env, Group, Values


@dataclass(frozen=True)
class GroundLaw:
    """A ground event or each-step rule in one room."""

    index: int
    name: str
    args: tuple[str, ...]
    family: str
    when: Condition
    changes: tuple[Change, ...]


class Need(NamedTuple):
    """A need of a ground action that does not always hold: its place in the tree, its cause, its condition."""

    number: int
    cause: str
    condition: Grounded


Made: TypeAlias = tuple[Change, ...] | Callable[[str], tuple[Change, ...]]
"""What an effect changes: the same in every room, or a function of the room."""

Intent: TypeAlias = tuple[str, tuple[str, ...]]


class Ground(Values):
    """The grounding of a rule set on a layout. Pure: everything is derived from its two arguments."""

    def __init__(self, rules: Rules, layout: Layout) -> None:
        super().__init__(rules, layout)
        self._formulas = Formulas(self)
        self._actions = {a.name: a for a in rules.actions}
        self._params = {a.name: [name for name, _ in a.params] for a in rules.actions}
        self._rooms = frozenset(layout.rooms)
        self._needs: dict[Intent, tuple[Need, ...]] = {}
        self._makes: dict[Intent, tuple[Made, ...]] = {}

    def tester(self, formula: Formula) -> Callable[[Env, str], Condition]:
        """A closure that grounds a formula in a room."""
        test = self._formulas.tester(formula)
        return lambda env, room: in_room(test(env), room)

    # --- ground actions -----------------------------------------------------------------------
    @cached_property
    def _compiled(self) -> dict[str, tuple[list[tuple[str, Tester]], list[_Changer]]]:
        tester = self._formulas.tester
        return {
            action.name: (
                [(need.cause, tester(need.formula)) for need in action.needs],
                [_Changer(self, self._formulas, effect) for effect in action.makes],
            )
            for action in self.rules.actions
        }

    def needs(self, intent: Intent) -> tuple[Need, ...]:
        """The needs of a ground action in order, up to one that can never hold."""
        found = self._needs.get(intent)
        if found is None:
            needs, _ = self._compiled[intent[0]]
            env, kept = self._env(intent), list[Need]()
            for number, (cause, test) in enumerate(needs):
                try:
                    condition = test(env)
                except TooManyClauses as error:
                    action = self._actions[intent[0]]
                    rule = f"need {number + 1} of action {action.name}"
                    family = action.needs[number].family or action.family
                    raise GroundingError(rule, family, error.count, MOST_CLAUSES) from None
                if condition != TRUE:
                    kept.append(Need(number, cause, condition))
                    if not condition:
                        break
            found = self._needs[intent] = tuple(kept)
        return found

    def makes(self, intent: Intent) -> tuple[Made, ...]:
        """What the effects of a ground action change, in order."""
        found = self._makes.get(intent)
        if found is None:
            _, makes = self._compiled[intent[0]]
            env = self._env(intent)
            found = self._makes[intent] = tuple([make.ground(env) for make in makes])
        return found

    def _env(self, intent: Intent) -> Env:
        action, args = intent
        return dict(zip(self._params[action], args, strict=True))

    def needs_in(self, intent: Intent, room: str) -> tuple[tuple[str, Condition], ...]:
        """The needs with their causes in a room, those that always hold left out, up to one that never does."""
        kept = []
        for _, cause, grounded in self.needs(intent):
            condition = in_room(grounded, room)
            if condition != TRUE:
                kept.append((cause, condition))
                if not condition:
                    break
        return tuple(kept)

    def changes(self, intent: Intent, room: str) -> tuple[Change, ...]:
        """What a ground action changes in a room."""
        return _changes(self.makes(intent), room)

    def changes_alike(self, intent: Intent) -> bool:
        """Whether a ground action changes the same in all rooms."""
        return all(isinstance(made, tuple) for made in self.makes(intent))

    def touched(self, intent: Intent) -> int:
        """The bits of every function that a ground action could change, wherever the player is."""
        _, makes = self._compiled[intent[0]]
        env, found = self._env(intent), 0
        for make in makes:
            found |= make.touched(env)
        return found

    def read_by_changes(self, intent: Intent) -> int:
        """The bits that the changes of a ground action depend on."""
        _, makes = self._compiled[intent[0]]
        env, found = self._env(intent), 0
        for make in makes:
            found |= make.read(env)
        return found

    def rooms(self, intent: Intent) -> frozenset[str]:
        """The rooms in which no need of a ground action rules it out for good."""
        needs = self.needs(intent)
        if needs and not needs[-1].condition:
            return frozenset()
        rooms = self._rooms
        for need in needs:
            condition = need.condition
            if isinstance(condition, Local):
                if condition.other:
                    rooms -= {room for room, here in condition.rooms.items() if not here}
                else:
                    rooms &= {room for room, here in condition.rooms.items() if here}
        return rooms

    def need(self, intent: Intent, room: str, number: int) -> int:
        """The place in the tree of a need of a move, which leaves out those that always hold in the room."""
        kept = (need.number for need in self.needs(intent) if in_room(need.condition, room) != TRUE)
        return next(islice(kept, number, None))

    # --- laws ---------------------------------------------------------------------------------
    def ticks(self, index: int) -> bool:
        """Whether a ground law runs once in each step."""
        return self._each_step[index]

    @cached_property
    def _each_step(self) -> dict[int, bool]:
        return {index: law.each_step for index, law, *_ in self._laws}

    @cached_property
    def _laws(self) -> list[tuple[int, spec.Law, Env, Grounded, tuple[Made, ...]]]:
        """Every binding of every law that can fire in some room."""
        found, index = [], 0
        for law in self.rules.laws:
            test = self._formulas.tester(law.when)
            makes = [_Changer(self, self._formulas, effect) for effect in law.makes]
            self.bounded(f"law {law.name}", law.family, [self.members(kind) for _, kind in law.over])
            for env in self.bindings(law.over):
                try:
                    when = test(env)
                except TooManyClauses as error:
                    raise GroundingError(f"law {law.name}", law.family, error.count, MOST_CLAUSES) from None
                if when:
                    found.append((index, law, env, when, tuple([make.ground(env) for make in makes])))
                index += 1
        return found

    def laws(self, room: str, *, each_step: bool) -> tuple[GroundLaw, ...]:
        """The events or each-step rules that can fire while the player is in a room, in order."""
        found = []
        for index, law, env, grounded, makes in self._laws:
            if law.each_step != each_step:
                continue
            when = in_room(grounded, room)
            changes = _changes(makes, room) if when else ()
            if changes:
                found.append(GroundLaw(index, law.name, tuple(env.values()), law.family, when, changes))
        return tuple(found)

    def goal(self, facts: tuple[spec.Fact, ...]) -> tuple[Condition, ...]:
        """One condition for each goal fact."""
        return tuple(self.fact(fact) for fact in facts)


class _Changer:
    """An effect as a closure: what it clears and sets for each of its bindings."""

    def __init__(self, values: Values, formulas: Formulas, effect: Effect) -> None:
        self._values, self._effect = values, effect
        self._when = None if effect.where == spec.TRUE else formulas.tester(effect.where)
        self._over = tuple(values.bindings(effect.over))
        change = effect.change
        self._args = [formulas.reader(arg) for arg in change.args]
        terms = (*change.args, change.value) if isinstance(change, Assign) else change.args
        self._value = formulas.reader(change.value) if isinstance(change, Assign) else None
        self._mentions_here = mentions_here(terms)

    def ground(self, env: Env) -> Made:
        """The changes under a binding."""
        found = list(self._met(env))
        if self._mentions_here or any(isinstance(condition, Local) for condition, _ in found):
            return lambda room: tuple(self._in_room(found, room))
        return tuple(self._in_room(found, ""))

    def _met(self, env: Env) -> Iterator[tuple[Grounded, Env]]:
        """The bindings for which the effect has a chance, with their condition."""
        when = self._when
        for inner in self._over:
            bound = {**env, **inner} if inner else env
            condition = TRUE if when is None else when(bound)
            if condition:
                yield condition, bound

    def touched(self, env: Env) -> int:
        """The bits of the functions that are changed under a binding, in one room or another."""
        rooms = self._values.layout.rooms if mentions_here(self._effect.change.args) else ("",)
        found = 0
        for _, bound in self._met(env):
            for room in rooms:
                group = self._values.groups.get((self._effect.change.name, self._target({**bound, ROOM: room})))
                found |= 0 if group is None else group.mask
        return found

    def read(self, env: Env) -> int:
        """The bits that the changes under a binding depend on."""
        found = self.touched(env) if isinstance(self._effect.change, Add) else 0
        for condition, _ in self._met(env):
            for one in (*condition.rooms.values(), condition.other) if isinstance(condition, Local) else (condition,):
                found |= reads(one)
        return found

    def _in_room(self, found: list[tuple[Grounded, Env]], room: str) -> Iterator[Change]:
        for grounded, bound in found:
            condition = in_room(grounded, room)
            if condition:
                env = {**bound, ROOM: room} if self._mentions_here else bound
                group = self._values.groups.get((self._effect.change.name, self._target(env)))
                if group is not None:
                    yield self._change(group, TRUE if condition == TRUE else condition, env)

    def _target(self, env: Env) -> tuple[str, ...]:
        """The arguments of the function value that is changed; without bits, nothing can change it."""
        return tuple([arg(env) for arg in self._args])  # type: ignore[misc]  # an argument is an object

    def _change(self, group: Group, when: Condition, env: Env) -> Change:
        change = self._effect.change
        if isinstance(change, Add):
            return Change(when, 0, 0, group.mask, change.delta)
        assert self._value is not None
        value = self._value(env)
        if isinstance(value, Group):
            raise TypeError(f"{change.name} can only be set to a value that does not change")
        return Change(when, group.mask, group.code(value))


def _changes(makes: Sequence[Made], room: str) -> tuple[Change, ...]:
    return tuple([c for made in makes for c in (made if isinstance(made, tuple) else made(room))])


__all__ = ["Ground", "GroundLaw", "Group", "Intent"]
