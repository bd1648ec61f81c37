"""The pages a player can ask for: opening, help, rules, map. All of them come from the typed tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.world.english import sentence
from sandbox.world.lesson import pattern, samples, speaking
from sandbox.world.spec import TRUE, Effect, Exists, Layout, Ordinal, Rules, Total

if TYPE_CHECKING:
    from sandbox.world.engine import Engine


def opening(engine: Engine) -> str:
    """The first screen: title, premise, goal, one command of each arity (from L1 up), the room."""
    world, start = engine.world, engine.dynamics.start
    lines = [world.theme.title.upper(), world.theme.premise, engine.goal_text]
    if engine.access:
        lines.append(engine.view.phrases.say("say", items="   ".join(samples(engine))))
    lines += ["", engine.view.room(start, engine.dynamics.room(start).name)]
    return "\n".join(lines)


def help_page(engine: Engine) -> str:
    """Premise, goal, how to speak as far as `told` says, and the hints."""
    world = engine.world
    lines = [world.theme.premise, engine.goal_text, "", *speaking(engine)]
    if "legend" in engine.reply.phrases and engine.reply.detail in ("thing", "requirement"):
        lines += ["", engine.reply.phrases.say("legend")]
    if answers := _answers(engine):
        lines += ["", "How it answers:", "  " + answers]
    if seen := engine.view.notes():
        lines += ["", "What you see:", *("  " + line for line in seen)]
    if world.hints:
        lines += ["", "What is known here:", *("  " + told_line(engine, name) for name in world.hints)]
    return "\n".join(lines)


def _answers(engine: Engine) -> str:
    """What a reply means that says the same of several things; '' where every reply says what it means."""
    reply = engine.reply
    if reply.detail == "nothing":
        also = "What is done" if reply.silent else "What changes nothing that can be seen"
        return f"{also} and what does not work, or is not understood, are answered alike: {reply.unseen}"
    said = [f"What is done is answered: {reply.unseen}"] if reply.silent else []
    if reply.detail == "something":
        said.append(f"What does not work, or is not understood, is answered: {reply.phrases.say('something')}")
    return "   ".join(said)


def told_line(engine: Engine, name: str) -> str:
    """The sentence of a hint: an action, a law, a predicate, a relation, or one fact `relation(a,b)` of the layout."""
    rules, names = engine.world.rules, engine.world.names
    relation, _, args = name.rstrip(")").partition("(")
    for known in rules.relations:
        if known.name == relation and args:
            return engine.english.relation(known, [f"the {names[arg]}" for arg in args.split(",")])
    patterns = dict(engine.speech.patterns())
    for action in rules.actions:
        if action.name == name:
            return engine.english.action(action, pattern(engine, name, patterns[name][0]))
    said = [engine.english.derive(derive) for derive in rules.derives if derive.name == name]
    return " ".join([*said, *(engine.english.law(law) for law in rules.laws if law.name == name)])


def rules_page(engine: Engine) -> str:
    """Every action, law and goal pattern in plain English, family by family."""
    rules = engine.world.rules
    patterns = dict(engine.speech.patterns())
    lines: list[str] = []
    for family in rules.families:
        said = [
            engine.english.action(a, pattern(engine, a.name, patterns[a.name][0]))
            for a in rules.actions if a.family == family and not a.inform
        ]
        said += [engine.english.law(law) for law in rules.laws if law.family == family]
        if family == rules.families[0]:
            said += [engine.english.derive(derive) for derive in rules.derives if derive.formula != TRUE]
        said += [engine.english.aim(aim) for aim in rules.aims if aim.family == family]
        if said:
            lines += [f"{family}:", *("  " + line for line in said)]
    related = {r.name: r for r in rules.relations if r.phrase}
    facts = [
        engine.english.relation(related[name], [f"the {engine.world.names[a]}" for a in args])
        for name, args in engine.world.layout.relations if name in related
    ]
    if facts:
        lines += ["in this place:", *("  " + fact for fact in facts)]
    return "\n".join(lines)


def map_page(engine: Engine, state: int) -> str:
    """Every room with its ways; the player's room is marked."""
    here = engine.dynamics.room(state).name
    lines = []
    for room in engine.world.layout.rooms:
        ways = []
        for to, doors in engine.view.ways(room):
            by = f" (by the {doors[0].name})" if doors else ""
            ways.append(engine.world.names[to] + by)
        mark = "*" if room == here else " "
        lines.append(f"{mark} {engine.world.names[room]}: {', '.join(ways)}")
    lines.append(sentence("* is where you are"))
    return "\n".join(lines)


def numbers(rules: Rules, layout: Layout) -> dict[str, int]:
    """The 1-based number among its kind of every object that a rule may ask the number of."""
    kinds: set[str] = set()
    for action in rules.actions:
        kinds |= _numbered((action.needs, action.makes), dict(action.params))
    for law in rules.laws:
        kinds |= _numbered((law.when, law.makes), dict(law.over))
    counts: dict[str, int] = {}
    found = {}
    for object_ in layout.objects:
        counts[object_.kind] = counts.get(object_.kind, 0) + 1
        if any(rules.kind_of(object_.kind, kind) for kind in kinds):
            found[object_.id] = counts[object_.kind]
    return {id_: n for id_, n in found.items() if counts[next(o.kind for o in layout.objects if o.id == id_)] > 1}


def _numbered(node: object, scope: dict[str, str]) -> set[str]:
    """The kinds of the variables below a node whose number is read."""
    if isinstance(node, tuple):
        return {kind for part in node for kind in _numbered(part, scope)}
    if isinstance(node, Ordinal):
        return {scope[node.var]}
    if isinstance(node, Exists | Total):
        scope = {**scope, node.var: node.kind}
    elif isinstance(node, Effect):
        scope = {**scope, **dict(node.over)}
    parts = getattr(type(node), "__slots__", ())
    return {kind for name in parts for kind in _numbered(getattr(node, name), scope)}
