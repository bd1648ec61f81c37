"""Getting ready in a new world: how to speak, what tells something without being asked of a thing, how to move.

The patterns without a gap are said once each and recognised by what they answer; then commands about the ways are
tried until the place changes. In a world of selections, how to select is found out, too.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import product
from typing import Final

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.goals import wanted
from sandbox.agent.guess import BARE, guess
from sandbox.agent.interface import Pattern, filled, kinds_told, pattern_from_sample, samples_of
from sandbox.agent.learner import Play
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Operator
from sandbox.agent.refusals import Answers, answers, legend

NONSENSE: Final = ("xyzzy", "qwrtz", "zzyzx")


def orient(mind: Mind, briefing: Briefing, turn: Turn) -> Play:
    """Find out how to speak: the patterns without gaps, the protocol, and how to move."""
    mind.journal.phase("finding out how to speak")
    _open(mind, briefing, turn)
    told = bool(mind.rules.operators)
    yield from _sweep(mind, turn.text)
    if not told:
        yield from guess(mind)
    yield from find_move(mind)


def _open(mind: Mind, briefing: Briefing, turn: Turn) -> None:
    blocks = turn.text.split("\n\n")
    mind.goal_text, mind.help_text = briefing.goal, briefing.help or ""
    mind.replies.english, mind.replies.codes = mind.english, legend(mind.help_text)
    told = answers(mind.help_text) if mind.english else Answers()
    mind.replies.silent |= {mind.reader.masked(told.done)} - {""}
    mind.replies.unread |= {mind.reader.masked(told.failed), mind.reader.masked(told.void)} - {""}
    mind.replies.void |= {mind.reader.masked(told.void)} - {""}
    mind.learn_from(mind.help_text)
    for name, kind in kinds_told(mind.help_text):
        mind.reader.learn(name)
        mind.rules.kind_said[name] = kind
        mind.rules.is_kind.setdefault(kind, set()).add(name)
    mind.belief.see(blocks[-1])
    mind.goal = wanted(briefing.goal, mind.reader)
    mind.samples = samples_of(blocks[0], mind.reader.known) if mind.reader.known else []
    known = {op.pattern for op in mind.rules.operators.values()}
    for sample in mind.samples:
        if not known and not any(char.isupper() for char in sample):
            mind.add(pattern_from_sample(sample, mind.reader))


def _sweep(mind: Mind, opening: str) -> Play:  # noqa: C901, PLR0912 - one decision, read from top to bottom
    """Say every pattern without a gap once, and recognise those that tell something."""
    view = opening.rsplit("\n\n", maxsplit=1)[-1].strip()
    if (yield from _as_before(mind, view)):
        return
    word = next(word for word in NONSENSE if word not in mind.reader.known)
    unread = yield from mind.say(word)
    mind.replies.unread.add(mind.reader.masked(unread.replace(word, "?")))
    for verb in BARE if mind.english and not mind.rules.operators else ():
        mind.add(Pattern(verb, ()))
    answers: dict[str, str] = {}
    for op in [op for op in mind.rules.operators.values() if not op.kinds]:
        text = yield from mind.say(op.pattern.text)
        if text.strip() == view or (mind.roles.look is None and _is_view(mind, text)):
            mind.roles.look = op.key
        elif text.strip() in {mind.help_text.strip(), mind.goal_text.strip()} - {""}:
            mind.roles.help = op.key
        elif text.rstrip().endswith(view):
            mind.roles.restart = op.key
            mind.belief.restart()
        elif _part_of(text.strip(), view):
            mind.roles.inventory = op.key
            for section in mind.reader.sections(text):
                mind.belief.roles[section.frame] = "held"
        else:
            answers[op.key] = text
            _notice(mind, text)
    shared = [text for text in answers.values() if list(answers.values()).count(text) >= 3]
    mind.focus = bool(shared)
    for key, text in answers.items():
        op = mind.rules.operators[key]
        if text in shared:
            op.implicit, op.kinds = True, ("?", *op.kinds)
        else:
            signature = mind.reader.masked(text)
            if signature not in mind.replies.void:
                mind.replies.silent.add(signature)
            mind.roles.wait = mind.roles.wait or key
    if shared:
        mind.replies.count(mind.reader.masked(shared[0]), changed=False, where=None)
    for role in (mind.roles.look, mind.roles.inventory, mind.roles.help, mind.roles.restart):
        if role is not None:
            mind.rules.operators.pop(role, None)


def _is_view(mind: Mind, text: str) -> bool:
    """Whether a text is a view of the place and nothing else, though something may be otherwise than at first."""
    lines, view = mind.belief.split(text)
    return not lines and bool(view)


def _as_before(mind: Mind, view: str) -> Generator[str, Turn, bool]:
    """Whether the word for looking around is that of an earlier world. Then the others are taken over, too."""
    look = mind.carried_roles.get("look")
    if look is None:
        return False
    text = yield from mind.say(look)
    if text.strip() != view and not _is_view(mind, text):
        mind.carried_roles = {}
        return False
    mind.note("this world is spoken to like an earlier one")
    for role, pattern in sorted(mind.carried_roles.items()):
        if role != "move":
            setattr(mind.roles, role, pattern)
            if role != "wait":
                mind.rules.operators.pop(pattern, None)
    return True


def _notice(mind: Mind, text: str) -> None:
    """Take over a view that came with an answer: the sweep may have changed something."""
    _, view = mind.belief.split(text)
    if view:
        mind.belief.see(view)


def find_move(mind: Mind) -> Play:
    """Try commands about the ways until the place changes; in a world of selections, find how to select."""
    mind.journal.phase("finding out how to move")
    mind.stuck = mind.stamp
    yield from _try_ways(mind)
    for key in mind.rules.movers:
        for room in mind.belief.rooms:
            mind.rules.is_kind.setdefault(mind.rules.operators[key].kinds[0], set()).add(room)
    if mind.focus and mind.selector is None:
        yield from _find_selector(mind)
    if not mind.replies.kind and mind.rules.movers and not mind.carried_roles:
        yield from _probe_kinds(mind)


def _try_ways(mind: Mind) -> Play:
    """Try commands about the ways, those without a door first: the one that is known to move, or all."""
    ways = mind.belief.ways.get(mind.belief.at, {})
    free = [to for to, door in ways.items() if door is None] + [to for to, door in ways.items() if door is not None]
    names = free or list(mind.belief.first)
    sure = _mover(mind)
    singles = [op for op in mind.rules.operators.values() if len(op.pattern.kinds) == 1 and not op.implicit]
    for name, op in product(names[:3], singles if sure is None else [sure]):
        if mind.rules.movers:
            return
        if (name,) not in op.never:
            yield from mind.attempt(op, (name,))
    if sure is not None:
        mind.rules.movers.add(sure.key)


def _mover(mind: Mind) -> Operator | None:
    """The operator on a place: a sample of the first screen shows it with a way, or its gap is called a room."""
    singles = [op for op in mind.rules.operators.values() if len(op.pattern.kinds) == 1 and not op.implicit]
    carried = [op for op in singles if op.key == mind.carried_roles.get("move")]
    for op in carried or singles:
        args = [filled(op.pattern, sample) for sample in mind.samples]
        if any(arg and arg[0] in mind.belief.rooms for arg in args):
            return op
    return next((op for op in singles if mind.english and op.kinds[0] == "room"), None)


def _probe_kinds(mind: Mind) -> Play:
    """Say a deed of a place: what is answered is answered to whatever a deed can never be done to."""
    room = mind.belief.at
    if mind.selector is not None:
        yield from _probe(mind, mind.selector.pattern.fill((room,)))
        return
    singles = [
        op for op in mind.rules.operators.values()
        if op.arity == 1 and not op.implicit and op.key not in mind.rules.movers
    ]  # fmt: skip
    for op in singles[:2]:
        yield from _probe(mind, op.pattern.fill((room,)))


def _probe(mind: Mind, command: str) -> Play:
    text = yield from mind.say(command)
    signature = mind.reader.masked(text)
    if signature not in mind.replies.unread:
        mind.replies.kind.add(signature)
        mind.replies.count(signature, changed=False, where="place")
        mind.replying.learn(text, mind.belief.snapshot(), mind.belief.snapshot(), mind.belief.known_words)


def _find_selector(mind: Mind) -> Play:
    """The command that says of what the next deeds are done: after it, they answer otherwise.

    A pattern that answers without a selection as the bare deeds do takes its first thing from there, too.
    """
    bare = [op for op in mind.rules.operators.values() if op.implicit and not op.pattern.kinds][:2]
    singles = [
        op for op in mind.rules.operators.values()
        if len(op.pattern.kinds) == 1 and not op.implicit and op.key not in mind.rules.movers
    ]  # fmt: skip
    if not bare:
        return
    refusal = yield from mind.say(bare[0].pattern.text)
    for _ in range(4):
        for op, thing in product(list(singles), _one_of_each_frame(mind)):
            if op.implicit:
                continue
            text = yield from mind.say(op.pattern.fill((thing,)))
            if text == refusal and not op.shapes:
                _make_implicit(op)
                continue
            op.shapes.add(text)
            if (yield from _selects(mind, op, thing, bare, refusal)):
                yield from mind.look()
                return
        fresh = {to for ways in mind.belief.ways.values() for to in ways} - mind.belief.visited
        if not (yield from mind.go(fresh)):
            return


def _make_implicit(op: Operator) -> None:
    op.implicit, op.kinds, op.version = True, ("?", *op.kinds), op.version + 1
    op.trials.clear()
    op.tried.clear()
    op.never.clear()


def _selects(mind: Mind, op: Operator, thing: str, bare: list[Operator], refusal: str) -> Generator[str, Turn, bool]:
    """Whether the bare deeds answer otherwise after an operator. Then it is how to select."""
    for deed in bare:
        text = yield from mind.say(deed.pattern.text)
        if text != refusal:
            mind.selector, mind.selected = op, thing
            mind.rules.operators.pop(op.key, None)
            for other in mind.rules.operators.values():
                unsure = len(other.pattern.kinds) == 1 and not other.implicit and not other.shapes
                if unsure and other.key not in mind.rules.movers:
                    _make_implicit(other)
            return True
    return False


def _one_of_each_frame(mind: Mind) -> list[str]:
    """A thing from each list of what is here, the later lists first."""
    found: dict[str, str] = {}
    for name in mind.belief.here():
        found.setdefault(mind.belief.frame.get(name, ""), name)
    return list(found.values())[::-1]


def _part_of(text: str, view: str) -> bool:
    """Whether a text is part of a view, brackets and ends left aside; a short one has to be its end."""
    core = text.strip("{}[]. \n")
    return len(core) > 1 and len(core) < len(view) and (core in view if len(core) > 3 else view.endswith(text))
