"""A world: rule set + theme + layout + task as one immutable value with a digest.

The rules travel as the rendered text of their templates, so that an exported world can be read by
people and needs no template to be played. Its JSON is canonical: equal worlds give equal bytes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from sandbox.errors import WorldFileError
from sandbox.world.keyed import digest
from sandbox.world.merge import merge
from sandbox.world.spec import Fact, Grammar, Layout, Milestone, Object, Rules, Theme
from sandbox.world.syntax import parse

FORMAT = 2
AXES = ("grammar", "rules", "observation", "feedback")
PARTS = (*AXES, "theme", "layout", "task")

Phrases: TypeAlias = tuple[tuple[str, str], ...]
Sources: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """How a state is shown: its form, what it holds, and the phrases that the renderer joins.

    `scope`: of which rooms (room, neighbours, everything). `hidden`: what is shown of a thing only once it was examined
    (nothing, states). `changes`: whether a room that is entered is shown in full or without what is no news (delta).
    `distractors`: whether there are sentences that say nothing (none, some).
    """

    form: str
    scope: str
    phrases: Phrases
    hidden: str = "nothing"
    changes: str = "full"
    distractors: str = "none"


@dataclass(frozen=True, slots=True)
class Feedback:
    """How a step is answered: detail of refusals, voice, what success is told, reward, the phrases of the voice."""

    detail: str
    voice: str
    success: str
    reward: str
    phrases: Phrases


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a world was drawn: what an edit needs to change one slot and keep everything else."""

    recipe: str
    seed: str
    attempt: int
    draws: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class World:
    """An immutable world. `slots` maps every slot to its value, `told` an axis to all, some or none.

    `cards` are the ids of readable fixtures with the lines on them; `hints` the lines on the help page. An open world
    has `milestones` in place of a goal.
    """

    sources: Sources
    grammar: Grammar
    observation: Observation
    feedback: Feedback
    theme: Theme
    layout: Layout
    goal: tuple[Fact, ...]
    told: tuple[tuple[str, str], ...]
    cards: tuple[tuple[str, str], ...]
    hints: tuple[str, ...]
    slot_values: tuple[tuple[str, str], ...]
    templates: tuple[tuple[str, str], ...]
    origin: Origin
    milestones: tuple[Milestone, ...] = ()

    @cached_property
    def rules(self) -> Rules:
        """The typed tree of the rules."""
        return merged(self.sources)

    @cached_property
    def slots(self) -> dict[str, str]:
        """Slot name (axis/template/name or axis/name) → value."""
        return dict(self.slot_values)

    @cached_property
    def names(self) -> dict[str, str]:
        """Id of a room or object → its name."""
        return dict(self.theme.names)

    @cached_property
    def parts(self) -> dict[str, str]:
        """The digests of the seven parts."""
        data, told = self.to_dict(), dict(self.told)
        whole = {
            "grammar": [data["grammar"], told.get("grammar")],
            "rules": [data["sources"], data["hints"], told.get("rules")],
            "observation": data["observation"],
            "feedback": data["feedback"],
            "theme": data["theme"],
            "layout": [data["layout"], data["cards"]],
            "task": [data["goal"], data["milestones"]] if self.milestones else data["goal"],
        }
        return {part: _digest(whole[part]) for part in PARTS}

    @cached_property
    def digest(self) -> str:
        """The identity of the world: its parts and the templates they came from."""
        return _digest([FORMAT, self.parts, self.to_dict()["templates"]])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data, the inverse of `from_dict`."""
        data: dict[str, Any] = {name: asdict(getattr(self, name)) for name in ("observation", "feedback", "origin")}
        data |= {name: asdict(getattr(self, name)) for name in ("grammar", "theme", "layout")}
        data["goal"] = [asdict(fact) for fact in self.goal]
        for name in ("told", "slot_values", "templates", "sources"):
            data[name] = [list(pair) for pair in getattr(self, name)]
        data["cards"], data["hints"] = self.cards, self.hints
        if self.milestones:
            data["milestones"] = [[m.name, m.value, m.of] for m in self.milestones]
        data["format"] = FORMAT
        return data

    def to_json(self) -> str:
        """Canonical JSON: sorted keys, no blanks, UTF-8; equal worlds give equal text."""
        return canonical(self.to_dict())

    @staticmethod
    def from_json(text: str) -> World:
        """The world in exported JSON. Raises WorldFileError when it is not one."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise WorldFileError(f"not JSON: {error}", "export one with: sandbox worlds export 7") from None
        return World.from_dict(data)

    @staticmethod
    def from_dict(data: Any) -> World:
        """The world in plain data. Raises WorldFileError when a part is missing or malformed."""
        if not isinstance(data, dict) or "sources" not in data:
            raise WorldFileError("not an exported world", "export one with: sandbox worlds export 7")
        if data.get("format") != FORMAT:
            raise WorldFileError(
                f"world format {data.get('format')!r}, this version reads {FORMAT}",
                "export or pack it again with this version",
            )
        try:
            return _read(data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise WorldFileError(f"exported world is damaged: {error!r}", "export it again") from error

    def with_(self, **changes: Any) -> World:
        """A copy with some parts replaced (caches start afresh)."""
        return replace(self, **changes)


@lru_cache(maxsize=512)
def merged(sources: Sources) -> Rules:
    """The checked rule set of rendered sources, a pure function memoised by its text."""
    return merge([(file, parse(text, file)) for file, text in sources])


def canonical(data: Any) -> str:
    """JSON text that depends on the data alone."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _digest(data: Any) -> str:
    return digest(canonical(data).encode("utf-8", "surrogatepass"))


def _read(data: dict[str, Any]) -> World:
    grammar, theme, layout = data["grammar"], data["theme"], data["layout"]
    return World(
        sources=_tuples(data["sources"]),
        grammar=Grammar(**{
            **grammar, "spellings": tuple((n, tuple(p)) for n, p in grammar["spellings"]),
            "short": _tuples(grammar["short"]),
        }),
        observation=Observation(**{**data["observation"], "phrases": _tuples(data["observation"]["phrases"])}),
        feedback=Feedback(**{**data["feedback"], "phrases": _tuples(data["feedback"]["phrases"])}),
        theme=Theme(**{**theme, "names": _tuples(theme["names"])}),
        layout=Layout(
            rooms=tuple(layout["rooms"]),
            objects=tuple(
                Object(o["id"], o["kind"], tuple((n, v) for n, v in o["attributes"])) for o in layout["objects"]
            ),
            relations=tuple((n, tuple(args)) for n, args in layout["relations"]),
            start=tuple((n, tuple(args), value) for n, args, value in layout["start"]),
        ),
        goal=tuple(Fact(f["name"], tuple(f["args"]), f["value"], f["want"]) for f in data["goal"]),
        told=_tuples(data["told"]),
        cards=_tuples(data["cards"]),
        hints=tuple(data["hints"]),
        slot_values=_tuples(data["slot_values"]),
        templates=_tuples(data["templates"]),
        origin=Origin(
            data["origin"]["recipe"], data["origin"]["seed"], data["origin"]["attempt"],
            tuple((n, c) for n, c in data["origin"]["draws"]),
        ),
        milestones=tuple(Milestone(name, value, of) for name, value, of in data.get("milestones", ())),
    )


def _tuples(rows: Any) -> tuple[tuple[str, str], ...]:
    return tuple((str(a), str(b)) for a, b in rows)
