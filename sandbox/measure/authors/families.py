"""The families that there are: what each is about, its slots, and the names and verbs that it has taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sandbox.errors import TemplateError
from sandbox.generate.content import Content
from sandbox.generate.draw import CORE
from sandbox.generate.templates import Slot
from sandbox.measure.authors.source import Source
from sandbox.world.spec import Action, Kind

_ABOUT: Final = re.compile(r"\s*\{#\s*(.*?)\s*#\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Family:
    """A family as its file has it, under whatever values of its slots."""

    name: str
    file: str
    about: str = ""
    slots: tuple[Slot, ...] = ()
    verbs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    broken: str = ""

    def to_dict(self) -> dict[str, object]:
        """The family as JSON data; one that cannot be read says so."""
        if self.broken:
            return {"family": self.name, "file": self.file, "error": self.broken}
        slots = [{"name": s.name, "kind": s.kind, "values": list(s.values), "stage": s.stage} for s in self.slots]
        return {
            "family": self.name,
            "file": self.file,
            "about": self.about,
            "slots": slots,
            "verbs": list(self.verbs),
            "kinds": list(self.kinds),
        }


def families(content: Content) -> list[Family]:
    """Every family of a folder and of what came along, the core first."""
    names = content.names("rules")
    return [_family(content, name) for name in sorted(names, key=lambda name: (name != CORE, name))]


def _family(content: Content, name: str) -> Family:
    path = content.path("rules", name)
    try:
        source = Source(content, content.template("rules", name), content.text("rules", name))
        nodes = [part.node for part in source.located]
    except TemplateError as error:
        return Family(name, str(path), broken=error.message)
    about = _ABOUT.match(source.text)
    verbs = {said.split()[0]: None for node in nodes if isinstance(node, Action) for said in node.spellings}
    kinds = {node.name: None for node in nodes if isinstance(node, Kind)}
    said = " ".join(about[1].split()) if about else ""
    return Family(name, str(path), said, source.template.slots, tuple(verbs), tuple(kinds))
