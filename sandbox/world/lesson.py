"""How to speak in one world: the samples of the first screen and the first part of the help page.

Classes of things stand in capitals. Where the words are not English, or codes stand for them, what only asks or
belongs to the protocol is explained beside them, since a player has to find the help page before anything else; what
the other words do is left to be found out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from sandbox.world.dynamics import Intent
from sandbox.world.spec import Action
from sandbox.world.speech import CONFIRM, SELECT

if TYPE_CHECKING:
    from sandbox.world.engine import Engine

THEN = ", next command "
"""Between two commands of which the second wants the first; it must not read like a part of either."""
SORTS = ("room", "one", "two")
"""What the commands of the samples are about: a room, a thing, two things."""
_CODE = 2
"""Letters that a code for a class has at most; nouns have more."""
_EXPLAINED = {SELECT: "turn to something", CONFIRM: "yes"}


def samples(engine: Engine) -> list[str]:
    """The command for help, then one command of each sort: to a room, with a thing, with two things.

    A sample with names is one that the world accepts when it is typed at the start; the one with two things, when it is
    typed after the one with a thing. None of them brings the goal nearer. Where there is no such command, the sample is
    in classes.
    """
    found = [engine.speech.command("help", ()) + gloss(engine, "help", " ")]
    worked = _worked(engine)
    for wanted in SORTS:
        options = [a.name for a in engine.world.rules.actions if _sort(engine, a) == wanted]
        if wanted in worked:
            found.append(THEN.join(engine.commands(*worked[wanted])))
        elif options:
            found.append(THEN.join(sequence(engine, options[0])))
    asked = [action.name for action in engine.world.rules.actions if action.name in engine.protocol.asks]
    if asked and not any(engine.speech.command(CONFIRM, ()) in sample for sample in found):
        found.append(THEN.join(sequence(engine, asked[0])))
    return found


def _sort(engine: Engine, action: Action) -> str:
    kinds = [kind for _, kind in action.params]
    if action.inform or not kinds:
        return ""
    if engine.world.rules.kind_of(kinds[0], "room"):
        return "room"
    return "one" if len(kinds) == 1 else "two"


def _worked(engine: Engine) -> dict[str, tuple[Intent, int]]:
    """A command of each sort that can be carried out with what is seen at the start, and the state in which it can."""
    dynamics, start = engine.dynamics, engine.dynamics.start
    room = dynamics.room(start)
    told = {*visible(engine, start), *engine.world.layout.rooms}
    sorts = {action.name: _sort(engine, action) for action in engine.world.rules.actions}
    intents = [i for i in dynamics.intents(inform=False) if sorts[i[0]] and set(i[1]) <= told]

    def ready(sort: str, state: int) -> Iterator[tuple[Intent, int]]:
        """What can be carried out in a state of this room without coming nearer to the goal, and the state after it."""
        for intent in intents:
            move = room.move(intent)
            if sorts[intent[0]] == sort and move.ready(state):
                after = dynamics.after(state, move)
                if engine.progress(after) <= engine.progress(start):
                    yield intent, after

    found = {sort: (intent, start) for sort in SORTS for intent, _ in islice(ready(sort, start), 1)}
    for one, after in [] if "two" in found else ready("one", start):
        for two, _ in islice(ready("two", after), 1 if dynamics.room(after) is room else 0):
            return found | {"one": (one, start), "two": (two, after)}
    return found


def sequence(engine: Engine, action: str) -> list[str]:
    """The patterns by which an action is carried out, in class words: what the protocol wants first, or after it."""
    patterns = {name: forms[0] for name, forms in engine.speech.patterns()}
    said = [pattern(engine, action, patterns[action])]
    if engine.speech.needs_selection(action):
        label = _label(engine, engine.dynamics.actions[action].params[0][1])
        said.insert(0, patterns[SELECT].replace("{0}", label))
    if action in engine.protocol.asks:
        said.append(patterns[CONFIRM])
    return said


def visible(engine: Engine, state: int) -> list[str]:
    """The objects within reach in a state."""
    room = engine.dynamics.room(state).name
    return [id_ for id_ in engine.view.items if engine.view.in_reach(id_, state, room)]


# --- the help page ------------------------------------------------------------------------------------------
def speaking(engine: Engine) -> list[str]:
    """How to speak, as far as `told` says."""
    lines = ["How to speak:"]
    patterns = {name: forms[0] for name, forms in engine.speech.patterns()}
    if dict(engine.world.told).get("grammar") == "all":
        lines += [_told(engine, action, form) for action, form in patterns.items()]
    else:
        lines += [_told(engine, action, patterns[action]) for action in (SELECT, CONFIRM) if action in patterns]
        lines += ["  " + text for text in samples(engine)]
        lines.append("  Words: " + " ".join(sorted(engine.speech.known)))
    lines.append("A word in capitals stands for any room or thing of that class.")
    if "[" in engine.world.grammar.marks:
        lines.append("Square brackets are typed as they stand.")
    lines += _protocol(engine, patterns)
    again = engine.speech.command("restart", ())
    lines.append(f"Where nothing leads on any more, {again} takes you back to the start.")
    near = [f"{engine.world.names[id_]} ({class_of(engine, id_)})" for id_ in visible(engine, engine.dynamics.start)]
    if near:
        lines.append(f"At hand at the start: {', '.join(near)}.")
    return lines


def _told(engine: Engine, action: str, form: str) -> str:
    said = sequence(engine, action) if engine.speech.needs_selection(action) else [pattern(engine, action, form)]
    return "  " + THEN.join(said) + gloss(engine, action, "   ")


def _protocol(engine: Engine, patterns: dict[str, str]) -> list[str]:
    """What the protocol wants, in a sentence."""
    if SELECT in patterns:
        said = pattern(engine, SELECT, patterns[SELECT])
        return [f"First turn to a thing ({said}); what to do with it is a command of its own. You stay turned to it."]
    short = engine.world.grammar.short
    if short:
        example = pattern(engine, *short[0])
        return [
            f"The second of two things may be left out ({example}).",
            "Then the first that fits is taken, of those that you hold, or else of those at hand; name any other.",
        ]
    if CONFIRM in patterns:
        return [f"What does more than look, move and carry is asked back. To have it done, say: {patterns[CONFIRM]}"]
    return []


def pattern(engine: Engine, action: str, form: str) -> str:
    """A form with the classes of things it takes, in capitals."""
    if action in (SELECT, CONFIRM):
        return form.replace("{0}", _label(engine, "object"))
    for number, (_, kind) in enumerate(engine.dynamics.actions[action].params):
        form = form.replace(f"{{{number}}}", _label(engine, kind))
    return form


def class_of(engine: Engine, id_: str) -> str:
    """The class of an object, as the help page has it."""
    return _label(engine, engine.dynamics.ground.kinds[id_])


def noun(names: Mapping[str, str], kind: str) -> str:
    """The noun for a kind in a sentence; a code for it is written in capitals, as on the help page."""
    name = names.get(f"kind:{kind}", kind)
    return name.upper() if len(name) <= _CODE else name


def _label(engine: Engine, kind: str) -> str:
    return noun(engine.world.names, kind).upper()


def gloss(engine: Engine, action: str, before: str) -> str:
    """What a code stands for, or what an invented word asks, in brackets; '' where the word says it itself."""
    grammar = engine.world.grammar
    if action in engine.dynamics.actions:
        known = engine.dynamics.actions[action]
        verb = known.spellings[0].split()[0]
        explained = verb if known.inform or grammar.words == "english" else ""
    else:
        verb = {SELECT: "select", CONFIRM: "yes"}[action]
        explained = _EXPLAINED[action]
    words, _ = engine.speech.parts(dict(engine.speech.patterns())[action][0])
    return f"{before}({explained})" if explained and verb not in words else ""


__all__ = ["class_of", "gloss", "noun", "pattern", "samples", "sequence", "speaking", "visible"]
