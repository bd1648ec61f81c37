"""A rules template as its author wrote it: rendered under every value of every slot, and where each part stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from sandbox.errors import TemplateError, UsageError
from sandbox.generate.content import Content
from sandbox.generate.draw import CORE
from sandbox.generate.templates import Slot, Template
from sandbox.world.merge import merge
from sandbox.world.spec import Action, Aim, Kind, Law, Place, Rules
from sandbox.world.syntax import Also, AlsoWhen, Located, parse


def usual_values(template: Template) -> dict[str, str]:
    """Every slot of a template at its usual value, by short name."""
    return {slot.name: slot.values[0] for slot in template.slots}


def as_usual(template: Template, *families: str) -> tuple[Located, ...]:
    """The statements of a family, every slot at its usual value, beside some families. Raises TemplateError."""
    return parse(template.render(usual_values(template), families), template.file)


@dataclass(frozen=True)
class Source:
    """A loaded family with its text."""

    content: Content
    template: Template
    text: str

    @cached_property
    def usual(self) -> dict[str, str]:
        """Every slot at its usual value."""
        return usual_values(self.template)

    @cached_property
    def variants(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """The usual values, then every edit of one slot of them, each with what it is called."""
        found = [("", self.usual)]
        for slot in self.template.slots:
            found += [(f"{slot.name}={value}", {**self.usual, slot.name: value}) for value in slot.values[1:]]
        return tuple(found)

    def statements(self, values: Mapping[str, str]) -> tuple[Located, ...]:
        """The statements under slot values. Raises TemplateError."""
        return parse(self.template.render(values, (self.template.name,)), self.template.file)

    @cached_property
    def located(self) -> tuple[Located, ...]:
        """The statements of all variants, each once for each line."""
        found: dict[tuple[int, object], Located] = {}
        for _, values in self.variants:
            for part in self.statements(values):
                found.setdefault((part.line, part.node), part)
        return tuple(found.values())

    def merged(self, values: Mapping[str, str], others: Iterable[str] = ()) -> Rules:
        """The rule set of the core, this family and others at their usual values. Raises TemplateError."""
        if self.template.name == CORE:
            return merge([(self.template.file, self.statements(values))])
        names = (self.template.name, *others)
        core, *met = (self.content.template("rules", name) for name in (CORE, *others))
        own = parse(self.template.render(values, names), self.template.file)
        return merge([
            (core.file, as_usual(core, *names)), (self.template.file, own),
            *((template.file, as_usual(template, *names)) for template in met),
        ])  # fmt: skip

    @cached_property
    def rules(self) -> Rules:
        """The rule set of the core and this family, everything as usual."""
        return self.merged(self.usual)

    @cached_property
    def core_kinds(self) -> frozenset[str]:
        """The kinds that every world has."""
        core = as_usual(self.content.template("rules", CORE))
        return frozenset(part.node.name for part in core if isinstance(part.node, Kind))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that some variant declares, whatever its sort."""
        return frozenset(name for _, values in self.variants for name in _declared(self.statements(values)))

    def meets(self, other: str) -> bool:
        """Whether another family declares a name that this one declares too; else they cannot contradict each other."""
        return not self.names.isdisjoint(_declared(as_usual(self.content.template("rules", other), other)))

    def goes_with(self, other: str) -> bool:
        """Whether another family can be in one world with this one, both as usual."""
        try:
            if self.meets(other):
                self.merged(self.usual, (other,))
        except UsageError:
            return False
        return True

    # --- where things stand
    def line(self, sort: type, name: str) -> int:
        """The line on which something is declared."""
        return next(
            (p.line for p in self.located if isinstance(p.node, sort) and getattr(p.node, "name", "") == name), 1
        )

    def need_line(self, action: str, number: int) -> int:
        """The line of a need of an action; that of the action where the need is another file's."""
        for part in self.located:
            if isinstance(part.node, Action) and part.node.name == action:
                return part.needs[number] if number < len(part.needs) else part.line
        return 1

    def slot_line(self, slot: Slot) -> int:
        """The line of a slot."""
        for number, line in enumerate(self.text.split("\n"), 1):
            if "choose(" in line and f'"{slot.name}"' in line:
                return number
        return 1

    def said(self, line: int) -> str:
        """A line of the template as it is written."""
        return self.text.split("\n")[line - 1].strip()

    @cached_property
    def actions(self) -> dict[str, Action]:
        """The family's own actions."""
        return {p.node.name: p.node for p in self.located if isinstance(p.node, Action)}

    @cached_property
    def laws(self) -> dict[str, Law]:
        """The family's own events and each-step rules."""
        return {p.node.name: p.node for p in self.located if isinstance(p.node, Law)}

    @cached_property
    def aims(self) -> tuple[tuple[int, Aim], ...]:
        """The family's own goals with their lines."""
        return tuple((p.line, p.node) for p in self.located if isinstance(p.node, Aim))

    @cached_property
    def places(self) -> tuple[tuple[int, Place], ...]:
        """The family's own placements with their lines."""
        return tuple((p.line, p.node) for p in self.located if isinstance(p.node, Place))


def _declared(statements: Iterable[Located]) -> frozenset[str]:
    """The names that statements declare, additions to what other files declare left out."""
    nodes = [part.node for part in statements if not isinstance(part.node, Also | AlsoWhen | Place | tuple)]
    return frozenset(getattr(node, "name", "") for node in nodes) - {""}


def load_source(content: Content, name: str) -> Source:
    """The family of a name. Raises TemplateError for the first thing that keeps it from being read."""
    template = content.template("rules", name)
    text = content.path("rules", name).read_text(encoding="utf-8")
    source = Source(content, template, text)
    for said, values in source.variants:
        try:
            source.statements(values)
            source.merged(values)
        except TemplateError as error:
            note = f" (when {said})" if said else ""
            raise TemplateError(f"{error.message}{note}", error.hint) from None
    return source
