"""`build(ref)`: the only way to a world. Draws, proves, redraws under the next attempt; applies edits.

Total: every reference builds, or raises one typed error that names the demand that could not be met.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from sandbox.certify.certificate import Certificate
from sandbox.certify.checker import check_plan, state_digest
from sandbox.certify.effects import MATTERS, blocks, effect, matters
from sandbox.certify.goals import CARRYING, Found, find_goals
from sandbox.certify.plans import carry_out, path
from sandbox.certify.problem import Everything
from sandbox.certify.pruned import WALK
from sandbox.certify.search import FAR
from sandbox.certify.solve import SAMPLES, Solved, asked_actions, focused_actions
from sandbox.errors import CheckFailed, ConstraintError, UsageError, WorldFileError, why
from sandbox.generate.content import Content, content
from sandbox.generate.draw import Choice, assemble, choose
from sandbox.generate.edits import (
    alternatives,
    choice_of,
    redraw_axis,
    redrawn_layout,
    redrawn_names,
    rewritten,
    slot_of,
    usual_twin,
    with_value,
    with_values,
)
from sandbox.generate.recipe import Recipe, load_recipe
from sandbox.generate.reference import Edit, Reference, parse_reference
from sandbox.world.bits import holds
from sandbox.world.dynamics import Dynamics
from sandbox.world.engine import Engine, intent_text, speech_of
from sandbox.world.keyed import Key
from sandbox.world.protocol import Protocol
from sandbox.world.spec import Action, Derive, Fact, Law
from sandbox.world.syntax import Also, AlsoWhen, Lose, Statement
from sandbox.world.world import World

ATTEMPTS = 80
"""Attempts after which a recipe is held to be impossible for a seed."""
SEARCH = 200
"""States explored for the proof of a drawn world; costlier goals are passed over for cheaper ones."""
TRIES = 3
"""Attempts for each other task, the last of which may share facts with those before."""
PATIENCE = 20
"""Attempts more than these before the other tasks of a world are held to be all."""
Goal: TypeAlias = tuple[Fact, ...]


@dataclass(frozen=True)
class Built:
    """A certified world with its reference and the solved search that proves it."""

    ref: str
    world: World
    solved: Solved

    @cached_property
    def certificate(self) -> Certificate:
        """The proof, checked by the slow interpreter."""
        made = certify(self.solved)
        why = check_plan(self.world, made)
        if why is not None:
            raise CheckFailed(f"{self.ref}: {why}", "this is a defect of the generator: please report it")
        return made

    @cached_property
    def told(self) -> str:
        """The transcript of the plan."""
        return transcript(self.world, self.solved.intents, self.solved.dynamics)


def build(ref: str | Reference, library: Content | None = None) -> Built:
    """The certified world of a reference. Raises UsageError (a name, a constraint, a file) or CheckFailed."""
    with _uncollected():
        return _build(ref, library)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for garbage in cycles: nearly all that a build makes lives as long as the build does, and
    going through it again and again would take a quarter of the time.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _build(ref: str | Reference, library: Content | None) -> Built:
    reference = parse_reference(ref) if isinstance(ref, str) else ref
    library = library or content()
    built = _from_file(reference) if reference.path else _drawn(reference, library)
    for number, edit in enumerate(reference.edits, 1):
        source = built
        so_far = Reference(reference.recipe, reference.seed, reference.edits[:number], reference.path)
        built = Built(str(so_far), _edited(source, edit, library), source.solved)
        same = built.world.digest == source.world.digest
        solved = source.solved if same else Solved(built.world, like=source.solved)
        built = Built(str(so_far), built.world, solved)
        if not solved.solvable:
            raise ConstraintError(
                f"edit {str(edit)!r} of {source.ref}: no plan is left", "solvable",
                f"see what can be edited: sandbox worlds edits {source.ref}",
            )
    built.certificate  # noqa: B018  # proves and checks; nothing uncertified leaves
    return built


# --- drawing --------------------------------------------------------------------------------------
def _drawn(reference: Reference, library: Content) -> Built:
    recipe = load_recipe(library, reference.recipe)
    failed: Counter[str] = Counter()
    for attempt in range(ATTEMPTS):
        choice = choose(library, reference.recipe, recipe, reference.seed, attempt)
        found = _attempt(library, choice, failed)
        if found is not None:
            return Built(str(reference.base()), found.world, found)
    demand = failed.most_common(1)[0][0] if failed else "attempts"
    raise ConstraintError(
        f"no world of recipe {reference.recipe!r} for seed {reference.seed!r} in {ATTEMPTS} attempts: "
        f"most fail on {demand}", demand, f"loosen the recipe's demand on {demand}, or try another seed",
    )


def _attempt(library: Content, choice: Choice, failed: Counter[str]) -> Solved | None:
    """The first goal of one attempt that meets the recipe, or None with the demand that failed counted."""
    if not any(slot.kind == "structure" and slot.axis == "rules" for slot in choice.unusual()):
        failed["an unusual structure slot"] += 1
        return None
    try:
        world = assemble(library, choice, {})
    except ConstraintError as error:
        failed[error.constraint] += 1
        return None
    return _with_goal(library, choice, world, choice.key.child("task", 0), failed)


def _with_goal(
    library: Content, choice: Choice, world: World, key: Key, failed: Counter[str],
    allowed: Callable[[Dynamics, Goal], bool] = lambda *_: True,
) -> Solved | None:
    """The first goal that is `allowed` and meets the recipe, or None with the demands that failed counted."""
    everything = Everything(Dynamics(world.rules, world.layout), focused_actions(world), asked_actions(world))
    for found in find_goals(everything, choice.recipe, key.stream(), SEARCH):
        if not allowed(everything.dynamics, found.goal):
            failed["another goal"] += 1
            continue
        misfit = _unfit(everything.dynamics, found, choice.recipe)
        if misfit is not None:
            failed[misfit] += 1
            continue
        solved = _solved(world.with_(goal=found.goal), everything, found)
        if _common_sense_works(library, solved):
            failed["unlike common sense"] += 1
            continue
        if (solved.dead_share or 0.0) > choice.recipe.dead_ends:
            failed["dead_ends"] += 1
            continue
        if not _has_mattering_edit(library, solved):
            failed["a rules edit that matters"] += 1
            continue
        return solved
    failed["steps"] += 1
    return None


def _solved(world: World, everything: Everything, found: Found) -> Solved:
    solved = Solved(world, SEARCH, everything)
    solved.__dict__.update(problem=found.problem, estimate=found.estimate, result=found.result)
    return solved


def _unfit(dynamics: Dynamics, found: Found, recipe: Recipe) -> str | None:
    """The demand of the recipe that a goal's plan does not meet, or None."""
    steps = found.result.steps
    if steps is None or not recipe.steps[0] <= steps <= recipe.steps[1]:
        return "steps"
    intents = [act.intent for act in found.result.acts]
    if len({name for name, _ in intents}) < recipe.actions:
        return "actions"
    if len(used_families(dynamics, intents)) < recipe.uses:
        return "uses"
    return None


def _common_sense_works(library: Content, solved: Solved) -> bool:
    """Whether the plan of the common-sense twin, every rule as usual, solves the world: no world can be recited."""
    twin = Solved(usual_twin(library, solved.world), SEARCH, like=solved)
    if twin.result.steps is None:
        return False
    goal, state = solved.dynamics.goal(solved.world.goal), solved.dynamics.start
    for intent in twin.intents:
        state = carry_out(solved.dynamics, intent, state)[0]
    return all(holds(condition, state) for condition in goal)


def used_families(dynamics: Dynamics, intents: list[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """The drawn families that a plan uses: those of its actions, and of the laws that change something in it."""
    used = {dynamics.actions[name].family for name, _ in intents if name in dynamics.actions}
    states = path(dynamics, tuple(intents))
    for before, after in pairwise(states):
        room = dynamics.room(after)
        for law in (*room.steps, *room.events):
            changed = before ^ after
            if any((c.set | c.clear | c.group) & changed for c in law.changes):
                used.add(law.family)
    return tuple(sorted(used - {"core"}))


# --- edits ----------------------------------------------------------------------------------------
def _edited(built: Built, edit: Edit, library: Content) -> World:
    world = built.world
    if edit.value is not None:
        return with_value(library, world, edit.target, edit.value)
    if edit.target == "theme":
        return redrawn_names(library, world, edit.number)
    if edit.target in ("layout", "task"):
        return _redrawn(built, edit, library)
    if edit.all:
        drawn = redraw_axis(library, world)[edit.target]
        changed = {n: v for n, v in drawn.items() if world.slots.get(n) != v}
        if not changed:
            found = first_edit(library, built.solved, edit.target)
            changed = {found[0]: found[1]} if found else {}
        return with_values(library, world, choice_of(library, world), changed)
    found = first_edit(library, built.solved, edit.target)
    if found is None:
        raise ConstraintError(
            f"{built.ref} has no {edit.target} edit that is certified and matters", edit.target,
            f"see what can be edited: sandbox worlds edits {built.ref}",
        )
    return with_value(library, world, *found)


def first_edit(library: Content, solved: Solved, axis: str) -> tuple[str, str] | None:
    """The first one-slot edit of an axis, in slot order, that is certified and matters."""
    choice = choice_of(library, solved.world)
    for slot, value in alternatives(choice, axis):
        edited = with_values(library, solved.world, choice, {slot.full: value})
        if axis == "rules":
            if matters(solved, Solved(edited, like=solved)):
                return slot.full, value
        elif transcript(edited, solved.intents) != transcript(solved.world, solved.intents):
            return slot.full, value
    return None


def _has_mattering_edit(library: Content, solved: Solved) -> bool:
    """Whether some one-slot edit of the rules blocks the plans; edits of what the plan does come first."""
    choice = choice_of(library, solved.world)
    used = used_families(solved.dynamics, list(solved.intents))
    names = {name for name, _ in solved.intents}
    options = []
    for number, (slot, value) in enumerate(alternatives(choice, "rules")):
        hope = _hope(rewritten(library, solved.world, choice, slot, value), names, slot.template in used)
        if hope:
            options.append((-hope, slot.values.index(value), number, slot.full, value))
    return any(
        blocks(solved, Solved(with_values(library, solved.world, choice, {slot: value}), like=solved))
        for *_, slot, value in sorted(options)
    )


def _hope(statements: Iterable[Statement], done: set[str], used: bool) -> int:
    """How likely a change of some statements blocks a plan: most if it is about what is done in it; 0 if it cannot."""
    acts = {node.name for node in statements if isinstance(node, Action | Also)} & done
    rest = any(isinstance(node, Law | Lose | Derive | AlsoWhen) for node in statements)
    return (2 * bool(acts) + rest) * (3 if used else 1) + 10 * bool(acts.difference(CARRYING))


def transcript(
    world: World, intents: tuple[tuple[str, tuple[str, ...]], ...], dynamics: Dynamics | None = None
) -> str:
    """Commands and replies of a plan, as they read in a world."""
    engine = Engine(world, dynamics=dynamics)
    step = engine.start()
    lines = [step.text]
    for intent in intents:
        for command in engine.commands(intent, step.state):
            step = engine.step(step.state, command)
            lines += [f"> {command}", step.text]
    return "\n".join(lines)


def _redrawn(built: Built, edit: Edit, library: Content) -> World:
    """Another layout or another task under the same rules."""
    if edit.target == "task":
        return _other_task(built, edit.number, library)
    choice = choice_of(library, built.world)
    failed: Counter[str] = Counter()
    for attempt in range(ATTEMPTS):
        try:
            world = redrawn_layout(library, built.world, edit.number, attempt)
        except ConstraintError as error:
            failed[error.constraint] += 1
            continue
        key = choice.key.child("task", edit.target, edit.number, attempt)
        found = _with_goal(library, choice, world, key, failed)
        if found is not None and found.world.goal != built.world.goal:
            return found.world
    raise ConstraintError(
        f"{built.ref}: no other layout in {ATTEMPTS} attempts", "layout", "try another number, or another seed",
    )


def _other_task(built: Built, number: int, library: Content) -> World:
    """The other task of a number: no two are alike, and goals that share no fact with those before come first."""
    choice, failed = choice_of(library, built.world), Counter[str]()
    taken: list[Goal] = [built.world.goal]
    for attempt in range(min(ATTEMPTS, TRIES * number + PATIENCE)):
        key = choice.key.child("task", "other", attempt)
        found = _with_goal(
            library, choice, built.world, key, failed, partial(_unlike, taken, strict=attempt % TRIES < TRIES - 1)
        )
        if found is not None:
            taken.append(found.world.goal)
        if len(taken) > number:
            return built.world.with_(goal=taken[-1])
    count = len(taken) - 1
    said = f"{count or 'no'} other task{'' if count == 1 else 's'}"
    raise ConstraintError(
        f"{built.ref}: {said} of this world could be found, task {number} is asked for", "task",
        f"~task takes a number up to {count} here" if count else "try another seed",
    )


def _unlike(taken: list[Goal], dynamics: Dynamics, goal: Goal, *, strict: bool) -> bool:
    """Whether a goal is none of those taken; with `strict`, also whether it brings about nothing that they do."""

    def brought(facts: Goal) -> set[Fact]:
        return {fact for fact in facts if not holds(dynamics.ground.fact(fact), dynamics.start)}

    if any(brought(goal) == brought(other) for other in taken):
        return False
    return not (strict and any(brought(goal) & brought(other) for other in taken))


def edit_effect(old: Built, new: Built, axis: str) -> str | None:
    """The measured effect of an edit; None for layout and task."""
    if axis in ("layout", "task"):
        return None
    if axis == "rules":
        return effect(old.solved, new.solved)
    if new.solved.steps < old.solved.steps:
        return "shortcut"
    if new.solved.steps > old.solved.steps:
        return "barrier"
    if axis != "theme" and old.told == transcript(new.world, old.solved.intents, new.solved.dynamics):
        return "dead"
    return "neutral"


# --- certificates ---------------------------------------------------------------------------------
def certify(solved: Solved) -> Certificate:
    """The certificate of a solved world."""
    world, result, intents = solved.world, solved.result, solved.intents
    if solved.steps >= FAR:
        raise ConstraintError("no plan reaches the goal", "solvable")
    commands, states = typed(solved)
    exact = (result.steps is not None and result.exact) or solved.bound >= len(commands)
    return Certificate(
        tier="exact" if exact else "witness", steps=len(commands),
        lower_bound=len(commands) if exact else solved.bound,
        plan=tuple(commands), intents=tuple(intent_text(i) for i in intents),
        states=max(1, result.explored), branching=round(result.generated / max(1, result.explored), 3),
        dead_ends=solved.dead_share, sampled=SAMPLES,
        actions=len({name for name, _ in intents}), families=used_families(solved.dynamics, list(intents)),
        trace=tuple(state_digest(solved.dynamics.ground, state) for state in states),
        world=world.digest, parts=world.parts,
    )


def typed(solved: Solved) -> tuple[list[str], list[int]]:
    """The plan as canonical commands, those that the protocol wants first included, and the state after each."""
    protocol = Protocol(solved.dynamics, speech_of(solved.world))
    commands: list[str] = []
    states: list[int] = []
    state = solved.dynamics.start
    for intent in solved.intents:
        said = protocol.commands(intent, state)
        commands += said
        states += [state] * (len(said) - 1)
        state = carry_out(solved.dynamics, intent, protocol.prepared(intent, state))[0]
        states.append(state)
    return commands, states


def _require_plan(built: Built, file: str) -> None:
    if not built.world.goal or not built.solved.solvable:
        raise WorldFileError(f"{file}: this world cannot be solved", "export a certified one")


def _from_file(reference: Reference) -> Built:
    path_ = Path(str(reference.path))
    try:
        text = path_.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the world file {str(path_)!r}: {why(error)}", "check the path") from None
    world = World.from_json(text)
    try:
        built = Built(str(reference.base()), world, Solved(world))
        _require_plan(built, path_.name)
        Engine(world).start()
        built.certificate  # noqa: B018  # proves and checks it as a whole
    except UsageError:
        raise
    except Exception as error:  # a file is foreign data: whatever does not fit in it is its own fault
        raise WorldFileError(f"{path_.name}: this world does not fit together: {error!r}", "export it again") from error
    return built


__all__ = ["MATTERS", "WALK", "Built", "build", "slot_of"]
