"""The independent checker: replays a certificate's commands with the slow interpreter.

It shares no code with the engine that found the plan: a second parser reads the commands, the tree is
walked directly, the goal is tested on plain facts. What it cannot confirm, it names.
"""

from __future__ import annotations

from collections.abc import Iterable

from sandbox.certify.certificate import Certificate
from sandbox.world.ground import Ground
from sandbox.world.keyed import digest
from sandbox.world.slow import Facts, Player, Tree
from sandbox.world.world import World, canonical


def facts_digest(tree: Tree, facts: Facts) -> str:
    """A digest of what is true: every function value that differs from the layout's start."""
    start = tree.initial()
    return _digest(
        [name, list(args), tree.value(name, args, facts)]
        for name, args in {**facts, **start}
        if tree.value(name, args, facts) != tree.value(name, args, start)
    )


def state_digest(ground: Ground, state: int) -> str:
    """The same digest of a state of the compiled engine."""
    changed = (ground.initial() ^ state) & ground.fact_mask
    return _digest(
        [name, list(args), ground.value(name, args, state)]
        for (name, args), group in ground.groups.items() if group.mask & changed
    )


def _digest(rows: Iterable[list[object]]) -> str:
    return digest(canonical(sorted(rows, key=str)).encode(), 8)


def player(world: World) -> Player:
    """The slow interpreter, ready to play the world's commands."""
    return Player(world.rules, world.layout, world.grammar, world.names, world.goal)


def check(world: World, certificate: Certificate) -> str | None:
    """None when the certificate holds, else what does not."""
    if certificate.world != world.digest:
        return "the certificate belongs to another world"
    if dict(certificate.parts) != world.parts:
        return "the certificate names other parts of the world"
    return check_plan(world, certificate)


def check_plan(world: World, certificate: Certificate) -> str | None:
    """Replay the plan: every command accepted, every state as recorded, the goal reached by the last one only."""
    why = _misfit(world, certificate)
    if why is not None:
        return why
    slow = player(world)
    if certificate.intents != _intents(slow, certificate.plan):
        return "the intents are not those of the commands"
    for number, command in enumerate(certificate.plan, 1):
        if slow.solved():
            return f"the goal holds before command {number}"
        cause = slow.command(command)
        if cause is not None:
            return f"command {number} ({command!r}) is refused: {cause}"
        if facts_digest(slow.tree, slow.facts) != certificate.trace[number - 1]:
            return f"the facts after command {number} ({command!r}) are not the recorded ones"
    return None if slow.solved() else "the plan does not reach the goal"


def _misfit(world: World, certificate: Certificate) -> str | None:
    """What in a certificate contradicts itself, before anything is played."""
    if not world.goal:
        return "the world has no goal"
    if len(certificate.plan) != certificate.steps or certificate.lower_bound > certificate.steps:
        return "the plan is not as long as the certificate says"
    if certificate.tier not in ("exact", "witness"):
        return f"unknown tier {certificate.tier!r}"
    if (certificate.tier == "exact") != (certificate.lower_bound == certificate.steps):
        return f"tier {certificate.tier} does not fit the bounds"
    if len(certificate.trace) != certificate.steps:
        return "the trace is not as long as the plan"
    return None


def _intents(slow: Player, plan: tuple[str, ...]) -> tuple[str, ...]:
    """The intents that the commands of a plan carry out; what only prepares one is none of its own."""
    for command in plan:
        slow.command(command)
    found = tuple(f"{name}({','.join(args)})" for name, args in slow.done)
    slow.reset()
    return found
