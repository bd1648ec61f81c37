"""An audit of a world: its certificate checked again, and both interpreters walked side by side.

Nothing that the builder keeps in memory is trusted: the world is read back from its own JSON. The walk is drawn from
a key of the world's digest: three of four commands from the admissible list, one that ought to be refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.certify.certificate import Certificate
from sandbox.certify.checker import check, player
from sandbox.world.dynamics import Intent
from sandbox.world.engine import Engine, Step, text_intent
from sandbox.world.keyed import Key, Stream
from sandbox.world.slow import Player
from sandbox.world.speech import CONFIRM, SELECT
from sandbox.world.world import World

STEPS = 30


def audit(world: World, certificate: Certificate, steps: int = STEPS) -> str | None:
    """None when the certificate holds and the interpreters agree, else what does not."""
    again = World.from_json(world.to_json())
    if again.digest != world.digest:
        return "the world read back from its JSON has another digest"
    return check(again, certificate) or disagreement(again, steps)


def disagreement(world: World, steps: int = STEPS) -> str | None:
    """Where the compiled engine and the slow interpreter differ on a keyed walk, or None."""
    engine, slow = Engine(world), player(world)
    stream = Key("audit", world.digest).stream()
    state = engine.start().state
    why = _differing_facts(engine, state, slow)
    if why:
        return f"at the start {why}"
    for number in range(1, steps + 1):
        allowed = engine.admissible(state)
        command = stream.choice(allowed) if stream.chance(75) else _refused(engine, stream, state, allowed)
        before, step, cause = state, engine.step(state, command), slow.command(command)
        state = step.state
        if (step.cause is None) != (_listed(engine, before, command, step) in allowed):
            return f"step {number} ({command!r}): the admissible list and the engine differ"
        if step.cause != cause:
            return f"step {number} ({command!r}): the engine says {step.cause}, the slow interpreter {cause}"
        if engine.solved(state) != slow.solved():
            return f"step {number} ({command!r}): only one of both has reached the goal"
        why = _differing_facts(engine, state, slow)
        if why:
            return f"after step {number} ({command!r}) {why}"
    return None


def _refused(engine: Engine, stream: Stream, state: int, allowed: Sequence[str]) -> str:
    """A canonical command that the admissible list lacks, or one from it when it lacks none that was drawn."""
    intents = every_intent(engine)
    for _ in range(20):
        intent = stream.choice(intents)
        command = engine.speech.command(*intent)
        unfocused = engine.speech.needs_selection(intent[0]) and not state & engine.dynamics.selected_mask
        if command not in allowed and not unfocused:
            return command
    return stream.choice(allowed)


def _listed(engine: Engine, state: int, command: str, step: Step) -> str:
    """How the admissible list says a command: shorter, where it names what would be implied."""
    if step.cause is not None or not engine.world.grammar.short:
        return command
    return engine.commands(text_intent(str(step.intent)), state)[0]


def every_intent(engine: Engine) -> tuple[Intent, ...]:
    """Every well-typed intent of a world, with the commands of its protocol."""
    dynamics = engine.dynamics
    selections = [(SELECT, (id_,)) for id_ in dynamics.selected] if engine.world.grammar.select else []
    confirm: list[Intent] = [(CONFIRM, ())] if engine.world.grammar.confirm else []
    return (*dynamics.intents(inform=False), *dynamics.intents(inform=True), *selections, *confirm)


def _differing_facts(engine: Engine, state: int, slow: Player) -> str | None:
    """The first function value on which the engine's state and the slow interpreter's facts differ."""
    ground = engine.dynamics.ground
    for name, args in ground.groups:
        compiled, walked = ground.value(name, args, state), slow.tree.value(name, args, slow.facts)
        if compiled != walked:
            return f"{name}({', '.join(args)}) is {compiled!r} in the engine, {walked!r} in the slow interpreter"
    if engine.world.grammar.select:
        chosen = next((i for i, bit in engine.dynamics.selected.items() if state & bit), None)
        if chosen != slow.selected:
            return f"{chosen!r} is selected in the engine, {slow.selected!r} in the slow interpreter"
    if engine.dynamics.asked(state) != slow.asked:
        return f"{engine.dynamics.asked(state)} is asked in the engine, {slow.asked} in the slow interpreter"
    return None


