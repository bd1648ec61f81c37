"""Transcripts: a small world written by hand, then commands and the replies that are expected.

The head of the file is TOML: `rules` is a template on top of the core, `slots` its values where they are not the
usual ones, `rooms` and `ways` the map, `objects` what there is, `start` and `goal` facts as rules write them. After a
line of dashes comes the play: `> command`, the reply, and a line `= …` with the cause of a refusal, a reward that is
not 0, and `done`. `render` plays the commands and writes all of it anew.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sandbox.generate.content import Content, content
from sandbox.generate.draw import answer, observe, render_phrases, render_rules
from sandbox.generate.speak import spell
from sandbox.world.engine import Engine, Step
from sandbox.world.keyed import Key
from sandbox.world.spec import CARRIED, GONE, HERE, PLACE, Fact, Layout, Object, Rules, Theme, Value
from sandbox.world.world import Origin, World

FOLDER = Path(__file__).parent / "transcripts"
RULE = "-" * 20
VOICE = {
    "grammar/form": "imperative", "grammar/protocol": "direct", "grammar/words": "english", "observation/form": "prose",
    "observation/scope": "room", "observation/hidden": "nothing", "observation/changes": "full",
    "observation/distractors": "none", "feedback/detail": "thing", "feedback/voice": "plain", "feedback/success": "told",
    "feedback/reward": "sparse",
}  # fmt: skip


def split(text: str) -> tuple[str, str]:
    """The head and the play of a transcript."""
    head, _, play = text.partition(f"\n{RULE}\n")
    return head, play


def engine_of(head: str) -> Engine:
    """The engine of the world that the head of a transcript describes."""
    return Engine(world_of(tomllib.loads(head)))


def world_of(data: Mapping[str, Any]) -> World:
    """The world of the keys of a transcript's head."""
    values = {**VOICE, **data.get("voice", {})}
    library, families = content(), tuple(data.get("families", ()))
    with TemporaryDirectory() as folder:
        if "rules" in data:
            library, families = _with_family(Path(folder), data["rules"]), (*families, "mine")
        slots = [slot for family in ("core", *families) for slot in library.template("rules", family).slots]
        values |= {slot.full: data.get("slots", {}).get(slot.name, slot.values[0]) for slot in slots}
        sources, rules = render_rules(library, families, values)
    layout, names = _layout(data, rules)
    forms = dict(render_phrases(content(), "grammars", values["grammar/form"], values))
    return World(
        sources=sources, layout=layout, goal=tuple(_fact(text) for text in data["goal"]),
        grammar=spell(rules, forms, values["grammar/form"], values["grammar/protocol"], values["grammar/words"], Key("transcript")),
        observation=observe(content(), values, layout.rooms, Key("transcript")), feedback=answer(content(), values),
        theme=Theme("mine", "aligned", names, data.get("title", "A transcript"), data.get("premise", "Try it.")),
        told=(("grammar", "all"), ("rules", "all")), cards=tuple(data.get("cards", {}).items()), hints=rules.hints,
        slot_values=tuple(values.items()), templates=(), origin=Origin("tiny", "transcript", 0),
    )  # fmt: skip


def _with_family(folder: Path, text: str) -> Content:
    (folder / "worlds/rules").mkdir(parents=True)
    (folder / "worlds/rules/mine.rules.j2").write_text(text, encoding="utf-8")
    return Content(folder)


def _layout(data: Mapping[str, Any], rules: Rules) -> tuple[Layout, tuple[tuple[str, str], ...]]:
    """The map with its objects, and what everything is called."""
    names = list(data["rooms"].items())
    relations = [("exit", pair) for a, b in data["ways"] for pair in ((a, b), (b, a))]
    start: list[tuple[str, tuple[str, ...], Value]] = [(HERE, (), data["here"])]
    objects = []
    for id_, told in data["objects"].items():
        names.append((id_, told["name"]))
        drawn = [f for f in rules.functions if f.drawn and rules.kind_of(told["kind"], f.params[0][1])]
        objects.append(Object(id_, told["kind"], tuple((f.name, told.get(f.name, f.values[0])) for f in drawn)))
        if "at" in told:
            start.append((PLACE, (id_,), told["at"]))
        relations += [("side", (id_, room)) for room in told.get("sides", ())]
        relations += [("beyond", (id_, room)) for room in told.get("sides", ())[1:]]
    relations += [(name, tuple(args)) for name, *args in data.get("relations", ())]
    start += [(fact.name, fact.args, fact.value) for fact in map(_fact, data.get("start", ()))]
    kinds = [(f"kind:{kind.name}", kind.name.replace("_", " ")) for kind in rules.kinds]
    return Layout(tuple(data["rooms"]), tuple(objects), tuple(relations), tuple(start)), (*names, *kinds, ("kind:object", "thing"))


def _fact(text: str) -> Fact:
    """`f(a)`, `not f(a)`, `f(a) = v`, `in(a, b)`, `carried(a)`, `gone(a)` as a fact."""
    found = re.fullmatch(r"(not )?(\w+)\(([\w, ]*)\)(?: = (\w+))?", text)
    assert found, f"{text!r} is no fact"
    name, value, want = found[2], found[4], found[1] is None
    args = tuple(part.strip() for part in found[3].split(",") if part.strip())
    if name == "in":
        return Fact(PLACE, args[:1], args[1], want)
    if name in (CARRIED, GONE):
        return Fact(PLACE, args, name, want)
    return Fact(name, args, True if value is None else int(value) if value.isdigit() else value, want)


def render(text: str) -> str:
    """The transcript with every reply as the engine gives it now."""
    head, play = split(text)
    engine = engine_of(head)
    step = engine.start()
    lines = [head, RULE, step.text]
    for command in re.findall(r"^> ?(.*)$", play, flags=re.MULTILINE):
        step = engine.step(step.state, command)
        lines += ["", f"> {command}", step.text, *_outcome(step)]
    return "\n".join(lines) + "\n"


def _outcome(step: Step) -> list[str]:
    parts = [f"refused: {step.cause}"] if step.cause else []
    parts += [f"reward {step.reward:+.2f}"] if step.reward else []
    parts += ["done"] if step.done else []
    return [f"= {', '.join(parts)}"] if parts else []
