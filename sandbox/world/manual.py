"""The pages a player can ask for: opening, help, rules, map. All of them come from the typed tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.world.english import sentence
from sandbox.world.spec import TRUE, Effect, Exists, Layout, Ordinal, Rules, Total
from sandbox.world.speech import SELECT

if TYPE_CHECKING:
    from sandbox.world.engine import Engine


def opening(engine: Engine) -> str:
    """The first screen: title, premise, goal, one command of each arity (from L1 up), the room."""
    world, start = engine.world, engine.dynamics.start
    lines = [world.theme.title.upper(), world.theme.premise, engine.goal_text]
    if engine.access:
        lines.append(engine.view.phrases.say("say", items="   ".join(samples(engine))))
    lines += ["", engine.view.room(start, engine.dynamics.room(start).name)]
    return "\n".join(line for line in lines)


def samples(engine: Engine) -> list[str]:
    """One command of each arity, with names that are at hand at the start."""
    start = engine.dynamics.start
    room = engine.dynamics.room(start)
    visible = [i for i in engine.view.items if engine.view.in_reach(i, start, room.name)]
    found = []
    if engine.world.grammar.select and visible:
        found.append(engine.speech.command(SELECT, (visible[0],)))
    for arity in (0, 1, 2):
        action = next((a for a in engine.world.rules.actions if len(a.params) == arity), None)
        if action is None:
            continue
        move = room.move
        intents = [i for i in engine.dynamics.intents(inform=False) if i[0] == action.name]
        ready = [i for i in intents if move(i).ready(start)] or [i for i in intents if set(i[1]) <= set(visible)]
        if ready or intents:
            found.append(engine.speech.command(*(ready or intents)[0]))
    return found


def help_page(engine: Engine) -> str:
    """Premise, goal, how to speak as far as `told` says, and the hints."""
    world, told = engine.world, dict(engine.world.told)
    lines = [world.theme.premise, engine.goal_text, "", "How to speak:"]
    patterns = dict(engine.speech.patterns())
    if SELECT in patterns:
        lines.append("  (first turn to a thing, then say what to do with it)")
    for action, forms in patterns.items():
        if told.get("grammar") == "all" or action == SELECT:
            lines.append("  " + pattern(engine, action, forms[0]) + gloss(engine, action, forms[0]))
    if told.get("grammar") != "all":
        lines += ["  " + text for text in samples(engine)]
        lines.append("  Words: " + " ".join(sorted(engine.speech.known)))
    if "legend" in engine.reply.phrases and engine.reply.detail != "something":
        lines += ["", engine.reply.phrases.say("legend")]
    if seen := engine.view.notes():
        lines += ["", "What you see:", *("  " + line for line in seen)]
    if world.hints:
        lines += ["", "What is known here:", *("  " + told_line(engine, name) for name in world.hints)]
    return "\n".join(lines)


def pattern(engine: Engine, action: str, form: str) -> str:
    """A form with the kinds of things it takes, in capitals."""
    if action == SELECT:
        return form.replace("{0}", engine.world.names.get("kind:object", "thing").upper())
    params = engine.dynamics.actions[action].params
    for number, (_, kind) in enumerate(params):
        form = form.replace(f"{{{number}}}", engine.world.names.get(f"kind:{kind}", kind).upper())
    return form


def gloss(engine: Engine, action: str, form: str) -> str:
    """The English verb behind a code, where the words of the world are English."""
    if engine.world.grammar.words != "english" or action not in engine.dynamics.actions:
        return ""
    verb = engine.dynamics.actions[action].spellings[0].split()[0]
    return "" if verb in form.split() else f"   ({verb})"


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
