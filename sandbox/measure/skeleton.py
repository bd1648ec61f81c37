"""Plan skeletons: what kinds of deeds a plan is made of, whatever the things are called.

The skeleton of a plan leaves walking out and keeps, for each other command, the family its action belongs to and the
kind of effect it has: which functions it changes and to what. Rooms, things and numbers are left out, so two plans
that differ only by renaming have the same skeleton. `threaded` also tells things apart by their order of appearance
(the same thing again, or another one); it is finer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sandbox.certify.pruned import WALK
from sandbox.measure.transcript import Line, Transcript
from sandbox.world import spec
from sandbox.world.bits import apply
from sandbox.world.dynamics import Dynamics
from sandbox.world.ground import Group
from sandbox.world.speech import PREPARES

Skeleton = tuple[str, ...]
ERRANDS = (WALK, "take", "drop")


def skeleton(dynamics: Dynamics, played: Transcript) -> Skeleton:
    """The skeleton of a plan: `family: effect, effect` for each command that is no walking."""
    return tuple(_deed(dynamics, line) for line in _deeds(played))


def threaded(dynamics: Dynamics, played: Transcript) -> Skeleton:
    """The skeleton with the things of each command, numbered by their first appearance in the plan."""
    numbers: dict[str, int] = {}
    found = []
    for line in _deeds(played):
        things = " ".join(str(numbers.setdefault(arg, len(numbers))) for arg in line.intent[1])
        found.append(f"{_deed(dynamics, line)} ({things})")
    return tuple(found)


def errands(played: Transcript) -> tuple[int, int]:
    """(commands that go, take or drop, all commands) of a plan; selecting counts as neither."""
    names = [line.intent[0] for line in played.lines if line.intent[0] not in PREPARES]
    return sum(name in ERRANDS for name in names), len(names)


def _deeds(played: Transcript) -> Iterable[Line]:
    return (line for line in played.lines if line.intent[0] != WALK and line.intent[0] not in PREPARES)


def _deed(dynamics: Dynamics, line: Line) -> str:
    """Family and kinds of effect of one command: its own changes, or those of the laws if it has none."""
    action = dynamics.actions[line.intent[0]]
    move = dynamics.room(line.before).move(line.intent)
    own = apply(move.changes, line.before) if move.changes else line.before & ~move.clear | move.put
    after = own if (own ^ line.before) & dynamics.fact_mask else line.after
    return f"{action.family}: {', '.join(sorted(set(_kinds(dynamics, line.before, after)))) or 'nothing'}"


def _kinds(dynamics: Dynamics, before: int, after: int) -> Iterator[str]:
    for group in dynamics.ground.groups.values():
        if (before ^ after) & group.mask:
            yield f"{group.name} {_kind(dynamics, group, before, after)}"


def _kind(dynamics: Dynamics, group: Group, before: int, after: int) -> str:
    """What a function changed to: yes or no, up or down, a word, or the sort of place."""
    new = dynamics.ground.value(group.name, group.args, after)
    if isinstance(new, bool):
        return "yes" if new else "no"
    if isinstance(new, int):
        return "up" if new > int(dynamics.ground.value(group.name, group.args, before)) else "down"
    if group.name == spec.PLACE and new not in (spec.CARRIED, spec.GONE):
        return "room" if new in dynamics.layout.rooms else "holder"
    return new
