"""A family among the others: declarations that differ, verbs that two actions share, causes that nobody else knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from sandbox.errors import TemplateError, nearest
from sandbox.generate.content import Content
from sandbox.generate.draw import CORE
from sandbox.generate.recipe import load_recipe
from sandbox.generate.templates import Template
from sandbox.measure.authors.remark import Remark, from_error, line_with
from sandbox.measure.authors.source import Source, as_usual
from sandbox.measure.authors.trial import listing
from sandbox.world.spec import Action, Law
from sandbox.world.syntax import Located

_CAUSE: Final = re.compile(r"\belse ([a-z]\w*)")


def check_meetings(source: Source) -> Iterator[Remark]:
    """Everything in which a family does not go with another one, or with the core."""
    verbs: dict[str, tuple[str, bool]] = {}
    causes: set[str] = set()
    together = _together(source)
    for name in (CORE, *source.content.names("rules")):
        if name == source.template.name:
            continue
        try:
            template = source.content.template("rules", name)
            for action in _actions(template):
                for verb in _typed(action):
                    verbs.setdefault(verb, (f"{action.name!r} of {template.file}", name in together))
        except TemplateError:
            continue  # its own author is told
        causes |= set(_CAUSE.findall(source.content.path("rules", name).read_text(encoding="utf-8")))
        if name != CORE and source.meets(name):
            yield from _contradictions(source, name, problem=name in together)
    yield from _same_verbs(source, verbs)
    yield from _odd_causes(source, causes | _said_causes(source.content))


def _together(source: Source) -> set[str]:
    """The families that it will meet: those of the recipes that list it; all, where none does."""
    listed = {family for recipe in listing(source.content, source.template.name)
              for family in load_recipe(source.content, recipe).families}
    return {CORE, *(listed or source.content.names("rules"))}


def _contradictions(source: Source, other: str, *, problem: bool) -> Iterator[Remark]:
    """Declarations that differ, under the usual values or under any other one."""
    seen: set[frozenset[object]] = set()
    for said, values in source.variants:
        declared = frozenset(map(_declared, source.statements(values)))
        if declared in seen:
            continue
        seen.add(declared)
        try:
            source.merged(values, (other,))
        except TemplateError as error:
            found = from_error(error, "clash", source.template.file)
            when = f" (when {said})" if said else ""
            instead = found.instead
            if "make both equal" in instead:
                instead = "copy the other file's declaration letter by letter to share it, or choose another name"
            what = f"does not go with family {other!r}: {found.what}{when}"
            if found.file != source.template.file:
                what = f"does not go with family {other!r}: {found.file}:{found.line}: {found.what}{when}"
                yield Remark(source.template.file, _own_line(source, found.what), "clash", what, instead, problem)
            else:
                yield Remark(found.file, found.line, "clash", what, instead, problem)
            return


def _declared(part: Located) -> object:
    """What another file could contradict of a statement: what it declares, of actions and laws the name."""
    node = part.node
    return (type(node), node.name) if isinstance(node, Action | Law) else node


def _own_line(source: Source, what: str) -> int:
    """The line of this file that another file's error speaks of: the place it names, else the name it quotes."""
    found = re.search(rf"{re.escape(source.template.file)}:(\d+)", what)
    if found:
        return int(found[1])
    quoted = re.search(r"'(\w+)'", what)
    return line_with(source.text, quoted[1]) if quoted else 1


def _actions(template: Template) -> list[Action]:
    return [part.node for part in as_usual(template, template.name) if isinstance(part.node, Action)]


def _typed(action: Action) -> list[str]:
    """How an action is typed: the verb of its first spelling, which is its own in every grammar, and all patterns."""
    return [action.spellings[0].split()[0], *action.spellings]


def _same_verbs(source: Source, known: dict[str, tuple[str, bool]]) -> Iterator[Remark]:
    """Verbs and spellings that another action has."""
    own: dict[str, tuple[str, bool]] = {}
    for name, action in source.actions.items():
        for said in _typed(action):
            if found := known.get(said) or own.get(said):
                other, problem = found
                yield Remark(
                    source.template.file, source.line(Action, name), "verb",
                    f"action {name!r} is said {said!r}, as is {other}", f"give it a verb of its own; {said!r} is taken",
                    problem,
                )
                break
        own |= dict.fromkeys(_typed(action), (repr(name), True))


def _said_causes(content: Content) -> set[str]:
    """The causes for which some voice has a phrase."""
    found: set[str] = set()
    for name in content.names("feedback"):
        text = content.path("feedback", name).read_text(encoding="utf-8")
        found |= set(re.findall(r"^thing\.([a-z]\w*)", text, flags=re.MULTILINE))
    return found


def _odd_causes(source: Source, known: set[str]) -> Iterator[Remark]:
    """Causes that are almost one that exists: most likely the same, misspelt."""
    seen: set[str] = set()
    for number, line in enumerate(source.text.split("\n"), 1):
        for cause in _CAUSE.findall(line.split("#")[0]):
            if "needs" not in line or cause in known or cause in seen:
                continue
            seen.add(cause)
            meant = nearest(cause, known)
            if meant is not None and _close(cause, meant):
                yield Remark(
                    source.template.file, number, "cause", f"cause {cause!r} is no cause that a voice has words for",
                    f"did you mean {meant!r}? (a new cause is allowed, and said as 'stands in the way')", problem=False,
                )


def _close(a: str, b: str) -> bool:
    """Whether two names differ by a slip of the finger: as many letters, give or take one, and mostly the same."""
    return abs(len(a) - len(b)) <= 1 and SequenceMatcher(None, a, b).ratio() > 0.85
