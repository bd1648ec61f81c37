"""A rule set + a layout → objects by kind, and bits for every function value that some rule can change.

What no rule can change (a colour, an exit, where a fixture stands) has no bits: its value is the layout's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Final, NamedTuple, TypeAlias

from sandbox.errors import GroundingError
from sandbox.world import spec
from sandbox.world.bits import FALSE, TRUE, Condition, bit_is
from sandbox.world.crowd import crowd
from sandbox.world.spec import Effect, Layout, Rules, Value, Var

MOST_BINDINGS: Final = 50_000
"""Combinations of objects for which one action or law may be worked out."""
MOST_CHANGES: Final = 400_000
"""Combinations of objects for which one effect may be worked out, those of its action or law included."""
MOST_VALUES: Final = 25_000
"""Combinations of objects that a fact, attribute or counter may be about."""

Env: TypeAlias = dict[str, str]
"""Variables → the objects or rooms bound to them."""


class Group(NamedTuple):
    """The bits of one changeable function value: `bits[i]` is set when it has `values[i]`.

    A yes-or-no fact has a single bit, for true.
    """

    name: str
    args: tuple[str, ...]
    values: tuple[Value, ...]
    bits: tuple[int, ...]
    mask: int

    def test(self, value: Value, want: bool = True) -> Condition:
        """The condition that the function has this value (or, with `want` False, has not)."""
        if self.values == (False, True):
            return bit_is(self.mask, bool(value) == want)
        try:
            bit = self.bits[self.values.index(value)]
        except ValueError:
            return FALSE if want else TRUE
        return bit_is(bit, want)

    def code(self, value: Value) -> int:
        """The bits to set so that the function has this value."""
        if self.values == (False, True):
            return self.mask if value else 0
        return self.bits[self.values.index(value)]


class Values:
    """The objects and function values of a rule set on a layout."""

    def __init__(self, rules: Rules, layout: Layout) -> None:
        self.rules, self.layout = rules, layout
        self.kinds = {o.id: o.kind for o in layout.objects} | dict.fromkeys(layout.rooms, "room")
        self._members: dict[str, tuple[str, ...]] = {}
        self.relations = frozenset(layout.relations)
        self.ordinals = self._number_objects()
        self.domains = {f.name: f.values for f in rules.functions}
        self._start = {(name, args): value for name, args, value in layout.start}
        self._attributes: dict[tuple[str, tuple[str, ...]], Value] = {
            (name, (object_.id,)): value for object_ in layout.objects for name, value in object_.attributes
        }
        self.groups: dict[tuple[str, tuple[str, ...]], Group] = {}
        self.size = 0
        self.crowd = crowd(layout)
        self.group_at: list[int] = []
        """The bits of the function that a bit belongs to, by the bit's length."""
        self._allocate()

    # --- objects ------------------------------------------------------------------------------
    def members(self, kind: str) -> tuple[str, ...]:
        """The ids of rooms or objects of a kind, in the layout's order."""
        found = self._members.get(kind)
        if found is None:
            ancestry = self.rules.ancestry
            found = self._members[kind] = tuple([i for i, k in self.kinds.items() if kind in ancestry.get(k, ())])
        return found

    def _number_objects(self) -> dict[str, int]:
        seen: dict[str, int] = {}
        numbers = {}
        for id_, kind in self.kinds.items():
            seen[kind] = seen.get(kind, 0) + 1
            numbers[id_] = seen[kind]
        return numbers

    def _changeable(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Every function value that some rule can change, in declaration order."""
        targets: dict[str, list[tuple[str, ...]]] = {}
        for family, params, effects in self._all_effects():
            for effect in effects:
                kinds = dict(params) | dict(effect.over)
                pools = [self.members(kind) for kind in kinds.values()]
                self.bounded(f"a change of {effect.change.name}", family, pools, MOST_CHANGES)
                args = tuple(
                    kinds[arg.name] if isinstance(arg, Var) else "room" for arg in effect.change.args
                )
                pools = [self.members(kind) for kind in args]
                self.bounded(f"what {effect.change.name} is about", family, pools, MOST_VALUES)
                targets.setdefault(effect.change.name, []).append(args)
        for function in self.rules.functions:
            found: dict[tuple[str, ...], None] = {}
            for kinds_of in targets.get(function.name, ()):
                for ids in product(*(self.members(kind) for kind in kinds_of)):
                    found[ids] = None
            for ids in sorted(found):
                yield function.name, ids

    @staticmethod
    def bounded(what: str, family: str, pools: Sequence[Sequence[str]], most: int = MOST_BINDINGS) -> None:
        """Raise GroundingError where a rule of a family is about too many combinations of objects."""
        count = prod(map(len, pools))
        if count > most:
            raise GroundingError(what, family, count, most)

    def _all_effects(self) -> Iterator[tuple[str, tuple[tuple[str, str], ...], tuple[Effect, ...]]]:
        for action in self.rules.actions:
            yield action.family, action.params, action.makes
        for law in self.rules.laws:
            yield law.family, law.over, law.makes

    def _range(self, name: str) -> tuple[Value, ...]:
        if name == spec.HERE:
            return self.layout.rooms
        if name == spec.PLACE:
            return (*self.layout.rooms, *self.members("holder"), spec.CARRIED, spec.GONE)
        return self.domains[name]

    # --- values -------------------------------------------------------------------------------
    def _allocate(self) -> None:
        keys = list(dict.fromkeys([(spec.HERE, ()), *self._changeable()]))
        last = {id_: place for place, id_ in enumerate(self.crowd, 1)}
        made = {}
        for name, args in sorted(keys, key=lambda key: max((last.get(arg, 0) for arg in key[1]), default=0)):
            values = self._range(name)
            count = 1 if values == (False, True) else len(values)
            bits = tuple(1 << (self.size + i) for i in range(count))
            made[name, args] = Group(name, args, values, bits, sum(bits))
            self.size += count
        self.groups = {key: made[key] for key in keys}
        self.group_at = [0, *(group.mask for group in made.values() for _ in group.bits)]
        self.here = self.groups[spec.HERE, ()]
        self.fact_mask = (1 << self.size) - 1

    def initial(self) -> int:
        """The state in which an episode starts."""
        state = 0
        for (name, args), group in self.groups.items():
            state |= group.code(self.start_value(name, args))
        return state

    def start_value(self, name: str, args: tuple[str, ...]) -> Value:
        """The value of a function at the start: the layout's, or the first of its range."""
        found = self._start.get((name, args))
        if found is None:
            found = self._attributes.get((name, args))
        return self._range(name)[0] if found is None else found

    def whereabouts(self, id_: str) -> str:
        """The room in which something is at the start, on its own or in what holds it; else what `place` says."""
        place = str(self.start_value(spec.PLACE, (id_,)))
        return self.whereabouts(place) if place in self.kinds and self.kinds[place] != "room" else place

    def value(self, name: str, args: tuple[str, ...], state: int) -> Value:
        """The value of a function in a state."""
        group = self.groups.get((name, args))
        if group is None:
            return self.start_value(name, args)
        if group.values == (False, True):
            return bool(state & group.mask)
        return group.values[group.bits.index(state & group.mask)]

    def bindings(self, params: tuple[tuple[str, str], ...]) -> Iterator[Env]:
        """Every binding of the variables to distinct objects of their kinds, in order."""
        names = [var for var, _ in params]
        for ids in product(*(self.members(kind) for _, kind in params)):
            if len(ids) < 2 or len(set(ids)) == len(ids):
                yield dict(zip(names, ids, strict=True))

    def fact(self, fact: spec.Fact) -> Condition:
        """The condition that a ground fact holds."""
        group = self.groups.get((fact.name, fact.args))
        if group is None:
            same = self.start_value(fact.name, fact.args) == fact.value
            return TRUE if same == fact.want else FALSE
        return group.test(fact.value, fact.want)
