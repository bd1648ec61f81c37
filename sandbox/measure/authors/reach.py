"""What can never happen: placements that no map takes, goals out of reach, needs that wait for each other.

Judged on drawn layouts by what could come true if nothing were ever undone, so that "never" is certain there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Final

from sandbox.certify.goals import ground_aims
from sandbox.certify.problem import Everything
from sandbox.certify.solve import asked_actions, focused_actions
from sandbox.errors import ConstraintError, UsageError
from sandbox.generate.draw import Choice, assemble
from sandbox.measure.authors.remark import Remark, from_error
from sandbox.measure.authors.source import Source
from sandbox.measure.authors.trial import Trial
from sandbox.world import spec
from sandbox.world.bits import Condition, holds
from sandbox.world.dynamics import Dynamics, Intent
from sandbox.world.local import in_room
from sandbox.world.spec import Action, Aim, Atom, Call, Law, Rules
from sandbox.world.syntax import parse
from sandbox.world.world import World

CORE_PREDICATES: Final = ("near", "unbarred")


class Reach:
    """The bits that can ever be set (`can1`) or clear (`can0`) in a world, each rule waiting for its condition."""

    def __init__(self, everything: Everything) -> None:
        self.can1, self.can0 = everything.start, ~everything.start
        laws = [
            (room, law, parts) for (room, law), parts in zip(everything.laws, everything.law_parts, strict=True)
        ]
        self.happens: set[str] = set()
        before: object = None
        while before != (before := (self.can1, self.can0)):
            for act in everything.acts:
                if act.room & self.can1 and not act.want & ~self.can1 and not act.need0 & ~self.can0:
                    self.happens.add(act.intent[0])
                    self.can1, self.can0 = self.can1 | act.sets, self.can0 | act.clears
            for room, law, parts in laws:
                if room & self.can1 and self.met(law.when):
                    self.happens.add(law.name)
                    for part in parts:
                        self.can1, self.can0 = self.can1 | part.sets, self.can0 | part.clears

    def met(self, condition: Condition) -> bool:
        """Whether some clause of a condition can come true."""
        return any(not c.want & ~self.can1 and not (c.mask & ~c.want) & ~self.can0 for c in condition)


@dataclass(slots=True)
class Possible:
    """What the sampled worlds hold, and what of it can happen in one of them at least.

    `needs` are action and number of each need that can come true; `goals` maps the line of a goal to the number of
    worlds in which it asks for something that is out of reach, and in which it asks for something to do.
    """

    worlds: int = 0
    there: set[str] = field(default_factory=set)
    happens: set[str] = field(default_factory=set)
    needs: set[tuple[str, int]] = field(default_factory=set)
    goals: dict[int, list[bool]] = field(default_factory=dict)
    rules: list[Rules] = field(default_factory=list)


def check_reach(source: Source, trial: Trial, choices: Iterable[Choice]) -> Iterator[Remark]:
    """Everything of a family that cannot happen in any of the worlds of some choices."""
    found, failed, tried = Possible(), Counter[tuple[str, str, str]](), 0
    for choice in choices:
        tried += 1
        try:
            world = assemble(trial, choice, {})
        except ConstraintError as error:
            failed[error.constraint, error.message, error.hint or ""] += 1
            continue
        except UsageError as error:
            yield from_error(error, "broken", source.template.file)
            return
        _look(source, world, found)
    yield from _unbuilt(source, failed, tried)
    if found.worlds:
        yield from _never(source, found)


def _look(source: Source, world: World, found: Possible) -> None:
    dynamics = Dynamics(world.rules, world.layout)
    reach = Reach(Everything(dynamics, focused_actions(world), asked_actions(world)))
    found.worlds += 1
    found.rules.append(world.rules)
    found.happens |= reach.happens
    found.there |= {part.name for part in _doings(world.rules)}
    for intent in dynamics.intents(inform=False):
        if intent[0] in source.actions:
            own = _own_needs(dynamics.actions[intent[0]])
            found.needs |= {(intent[0], own[n]) for n in _met_needs(dynamics, reach, intent) if n in own}
    values = {slot.name: world.slots[slot.full] for slot in source.template.slots}
    statements = parse(source.template.render(values, world.rules.families[1:]), source.template.file)
    lines = [part.line for part in statements if isinstance(part.node, Aim)]
    aims = [aim for aim in world.rules.aims if aim.family == source.template.name]
    for line, aim in zip(lines, aims, strict=True):
        if aim.kept:
            continue  # true at the start, as it should be
        alone = copy(dynamics)
        alone.rules = replace(world.rules, aims=(aim,))
        conditions = [dynamics.ground.fact(fact) for fact, _ in ground_aims(alone)]
        fresh = [c for c in conditions if not holds(c, dynamics.start)]
        found.goals.setdefault(line, []).append(any(reach.met(c) for c in fresh))


def _own_needs(action: Action) -> dict[int, int]:
    """The numbers of an action's needs that its own family wrote → their order there; others may stand between them."""
    numbers = [number for number, need in enumerate(action.needs) if need.family == action.family]
    return {number: order for order, number in enumerate(numbers)}


def _met_needs(dynamics: Dynamics, reach: Reach, intent: Intent) -> Iterator[int]:
    """The numbers of the needs of an intent that can come true, each by itself."""
    needs = {need.number: need.condition for need in dynamics.ground.needs(intent)}
    for number in range(len(dynamics.actions[intent[0]].needs)):
        if number not in needs:
            yield number
            continue
        conditions = [in_room(needs[number], room) for room in dynamics.layout.rooms]
        if any(map(reach.met, conditions)):
            yield number
        if not any(conditions):
            return  # what stands behind a need that is never met was not looked at


# --- what to say ----------------------------------------------------------------------------------
def _unbuilt(source: Source, failed: Counter[tuple[str, str, str]], tried: int) -> Iterator[Remark]:
    """Placements that fail, each with how often."""
    file = source.template.file
    for (constraint, message, hint), count in failed.most_common(3):
        family, _, kind = constraint.rpartition("/")
        if family != source.template.name:
            continue  # another family's, whose author is told
        line = next((line for line, place in source.places if place.kind == kind), 1)
        instead = "ask for fewer or other objects: " + (hint or "see docs/authoring.md#stages")
        said = message.removeprefix(f"family {source.template.name!r}: ")
        yield Remark(
            file, line, "stage", f"{said} (in {count} of {tried} layouts)", instead, problem=count == tried,
        )


def _never(source: Source, found: Possible) -> Iterator[Remark]:
    file, seen = source.template.file, f"in {found.worlds} layouts"
    for name in source.actions:
        if name in found.there - found.happens:
            number = next((n for n in range(99) if (name, n) not in found.needs), 0)
            line = source.need_line(name, number)
            yield Remark(
                file, line, "never",
                f"action {name!r} can never be done ({seen}): `{source.said(line)}` never comes true",
                _why(found, name), about=name,
            )
    for name in source.laws:
        if name in found.there - found.happens:
            line = source.line(Law, name)
            yield Remark(
                file, line, "never", f"{name!r} can never fire ({seen}): its condition never comes true",
                _why(found, name), about=name,
            )
    lost = not any(map(any, found.goals.values()))
    for line, reached in sorted(found.goals.items()):
        if not any(reached):
            yield Remark(
                file, line, "goal", f"the goal is never to be reached ({seen}): `{source.said(line)}`",
                "no action or law makes it true, or what makes it true can never happen, or it is true at the start; "
                "let something reachable make it true", about="plans" if lost else "",
            )


def _why(found: Possible, name: str) -> str:
    """What the conditions of an action or law wait for: the circle that they form, else what nothing makes true."""
    circle = _circle(found, name, (name,))
    if circle:
        return f"each waits for the next: {' → '.join(circle)}; let one of them be possible at the start"
    for rules in found.rules:
        node = _named(rules, name)
        if node is None:
            continue
        for fact in _asks(found, rules, node):
            if fact not in (spec.PLACE, spec.HERE) and not _makers(rules, fact) and not _static(rules, fact):
                return f"nothing makes or unmakes {fact!r}: let an action or event do it, or write a start for it"
    return "let an action or event make it true, place what it asks for, or write a start for it"


def _circle(found: Possible, name: str, path: tuple[str, ...]) -> tuple[str, ...]:
    """Names of actions and laws that can never happen, each asking for a fact that only the next one makes."""
    for rules in found.rules:
        node = _named(rules, name)
        for fact in () if node is None else _asks(found, rules, node):
            makers = _makers(rules, fact)
            if not makers or fact in (spec.PLACE, spec.HERE) or makers & found.happens:
                continue
            for maker in sorted(makers):
                if maker == path[0]:
                    return (*path, maker)
                if maker not in path and (longer := _circle(found, maker, (*path, maker))):
                    return longer
    return ()


def _doings(rules: Rules) -> tuple[Action | Law, ...]:
    """Everything that changes something."""
    return (*rules.actions, *rules.laws)


def _named(rules: Rules, name: str) -> Action | Law | None:
    return next((part for part in _doings(rules) if part.name == name), None)


def _asks(found: Possible, rules: Rules, node: Action | Law) -> tuple[str, ...]:
    """The facts that the condition of a law, or the first need of an action that never comes true, tests."""
    if isinstance(node, Law):
        formulas = [node.when]
    else:
        never = [n for n, order in _own_needs(node).items() if (node.name, order) not in found.needs]
        formulas = [node.needs[number].formula for number in never[:1] or range(len(node.needs))]
    derived = {derive.name: derive.formula for derive in rules.derives}
    names, left = dict[str, None](), [name for formula in formulas for name in _walk(formula)]
    while left:
        name = left.pop(0)
        if name not in names:
            names[name] = None
            left += _walk(derived[name]) if name in derived and name not in CORE_PREDICATES else ()
    return tuple(name for name in names if name not in derived)


def _walk(node: object) -> Iterator[str]:
    if isinstance(node, Atom | Call):
        yield node.name
    for name in getattr(node, "__slots__", ()):
        inner = getattr(node, name)
        for part in inner if isinstance(inner, tuple) else (inner,):
            if hasattr(part, "__slots__"):
                yield from _walk(part)


def _makers(rules: Rules, fact: str) -> set[str]:
    """The actions and laws that change a fact."""
    return {part.name for part in _doings(rules) if any(e.change.name == fact for e in part.makes)}


def _static(rules: Rules, fact: str) -> bool:
    """Whether a name is a relation or drawn: the layout makes it true."""
    return any(r.name == fact for r in rules.relations) or any(f.name == fact and f.drawn for f in rules.functions)
