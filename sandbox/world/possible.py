"""Which objects an action could ever take, judged one argument at a time by what never changes.

Grounding an action of two things tries every pair. Most pairs are ruled out by relations of the layout that one of both
has no part in (what is neither made of anything nor makes anything is never joined), so each argument is looked at by
itself first, the other left open. What is open, or can change, counts as possible: nothing is left out that is not
ruled out for good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandbox.world import spec
from sandbox.world.spec import And, Atom, Exists, Formula, Not, Or, Term, Var
from sandbox.world.values import Values

Bound = Mapping[str, str]


class Possible:
    """The relations of a layout, asked with some arguments left open."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._derives = {derive.name: derive for derive in values.rules.derives}
        self._relations: dict[str, list[tuple[str, ...]]] = {r.name: [] for r in values.rules.relations}
        for name, args in values.layout.relations:
            self._relations.setdefault(name, []).append(args)
        self._known: dict[tuple[str, tuple[str | None, ...]], bool] = {}

    def pools(self, action: spec.Action) -> list[tuple[str, ...]]:
        """For each parameter the objects of its kind that some need does not rule out by themselves."""
        pools = [self._values.members(kind) for _, kind in action.params]
        if len(pools) < 2:
            return pools
        return [
            tuple([id_ for id_ in pool if all(self.maybe(need.formula, {var: id_}) for need in action.needs)])
            for (var, _), pool in zip(action.params, pools, strict=True)
        ]

    def maybe(self, formula: Formula, bound: Bound, want: bool = True) -> bool:
        """Whether a formula could be true (or false), whatever is bound to the other variables."""
        if isinstance(formula, Not):
            return self.maybe(formula.part, bound, not want)
        if isinstance(formula, And | Or):
            parts = (self.maybe(part, bound, want) for part in formula.parts)
            return all(parts) if isinstance(formula, And) == want else any(parts)
        if isinstance(formula, Exists) and want:
            return self.maybe(formula.where, {v: i for v, i in bound.items() if v != formula.var})
        if isinstance(formula, Atom):
            return self._atom(formula, bound, want)
        return True

    def _atom(self, atom: Atom, bound: Bound, want: bool) -> bool:
        derive = self._derives.get(atom.name)
        args = [self._id(arg, bound) for arg in atom.args]
        if derive is not None:
            inner = {var: arg for (var, _), arg in zip(derive.params, args, strict=True) if arg is not None}
            return self.maybe(derive.formula, inner, want)
        if not want or atom.name not in self._relations:
            return True
        key = atom.name, tuple(args)
        if key not in self._known:
            self._known[key] = any(_matches(args, fact) for fact in self._relations[atom.name])
        return self._known[key]

    @staticmethod
    def _id(term: Term, bound: Bound) -> str | None:
        return bound.get(term.name) if isinstance(term, Var) else None


def _matches(args: Sequence[str | None], fact: Sequence[str]) -> bool:
    return all(arg is None or arg == id_ for arg, id_ in zip(args, fact, strict=True))
