"""A template of a grammar, an observation or a voice: its phrases and gaps, and a world that speaks with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sandbox.certify.worlds import build, transcript
from sandbox.errors import ConstraintError, SandboxError, TemplateError, UsageError, nearest
from sandbox.generate.draw import render_phrases
from sandbox.generate.recipe import load_recipe
from sandbox.generate.templates import Template
from sandbox.measure.authors.remark import Remark, from_error, line_with
from sandbox.measure.authors.trial import Trial
from sandbox.world.view import GAPS, OPTIONAL

_FIELD = {"grammars": "forms", "observations": "observations", "feedback": "voices"}
WORLDS = 3
ENOUGH = 3
"""Other templates of a sort from which on what they all have is what every one needs."""


def check_phrases(trial: Trial, sort: str, name: str, seeds: range) -> list[Remark]:
    """All remarks on a template of phrases."""
    try:
        template = trial.template(sort, name)
        tables = {said: _table(trial, sort, name, values) for said, values in _variants(template)}
    except UsageError as error:
        return [from_error(error, "broken", f"{sort}/{name}")]
    text = trial.path(sort, name).read_text(encoding="utf-8")
    remarks = [*_keys(trial, sort, template, tables, text), *_alike(template, tables, text)]
    if not any(remark.problem for remark in remarks):
        remarks += _spoken(trial, sort, template, text, seeds)
    return remarks


def _variants(template: Template) -> Iterator[tuple[str, dict[str, str]]]:
    """The usual values, then every edit of one slot of them; the values by the slots' full names."""
    usual = {slot.full: slot.values[0] for slot in template.slots}
    yield "", usual
    for slot in template.slots:
        for value in slot.values[1:]:
            yield f"{slot.name}={value}", {**usual, slot.full: value}


def _table(trial: Trial, sort: str, name: str, values: Mapping[str, str]) -> dict[str, str]:
    return dict(render_phrases(trial, sort, name, values))


def _keys(
    trial: Trial, sort: str, template: Template, tables: Mapping[str, Mapping[str, str]], text: str
) -> Iterator[Remark]:
    """Phrases that are missing or that nobody asks for, and gaps that nothing fills."""
    others = []
    for other in trial.names(sort):
        if other != template.name:
            try:
                others.append(_table(trial, sort, other, next(_variants(trial.template(sort, other)))[1]))
            except UsageError:
                continue
    if len(others) < ENOUGH:
        return
    always = set(others[0]).intersection(*others)
    known = {key for table in others for key in table} | (set(OPTIONAL) if sort == "observations" else set())
    file, seen = template.file, set[str]()
    for said, table in tables.items():
        for key in sorted(always - set(table) - seen):
            seen.add(key)
            yield Remark(file, 1, "phrase", f"there is no phrase {key!r}" + (f" (when {said})" if said else ""),
                         f'add a line: {key} = "{next(t[key] for t in others)}"')
        for key in [key for key in table if key not in seen]:
            seen.add(key)
            line = line_with(text, f"{key} ")
            if key in known and sort != "grammars":
                yield from _odd_gap(file, line, key, (table[key], [t[key] for t in others if key in t]))
            elif key not in known and "." not in key:
                meant = nearest(key, known)
                yield Remark(file, line, "phrase", f"nothing asks for a phrase {key!r}",
                             f"did you mean {meant!r}?" if meant else "take it out", problem=False)


def _odd_gap(file: str, line: int, key: str, phrases: tuple[str, list[str]]) -> Iterator[Remark]:
    """A gap that the same phrase has in no other template."""
    own, others = phrases
    gaps = {gap for phrase in others for gap in _gaps(phrase)} if others else _gaps(own)
    for gap in sorted(_gaps(own) - gaps - set(GAPS)):
        meant = nearest(gap, gaps)
        yield Remark(
            file, line, "gap", f"phrase {key!r} has a gap <{gap}> that it has in no other template",
            f"did you mean <{meant}>?" if meant else f"gaps here: {', '.join(sorted(gaps)) or 'none'}", problem=False,
        )


def _gaps(text: str) -> set[str]:
    return set(re.findall(r"<([a-z_A-Z]+)>", text))


def _alike(template: Template, tables: Mapping[str, Mapping[str, str]], text: str) -> Iterator[Remark]:
    """Values that leave the same phrases."""
    for slot in template.slots:
        for value in slot.values[1:]:
            if tables[f"{slot.name}={value}"] == tables[""]:
                yield Remark(
                    template.file, line_with(text, "choose(", f'"{slot.name}"'), "value",
                    f"values {slot.values[0]!r} and {value!r} of slot {slot.name!r} leave the same phrases",
                    f"let a line ask for {value!r}, or take it out",
                )


def _spoken(trial: Trial, sort: str, template: Template, text: str, seeds: range) -> Iterator[Remark]:
    """A few worlds that speak with the template: whether they can be played, and whether its slots change the text."""
    base = load_recipe(trial, "tiny")
    said: dict[str, list[str]] = {}
    for variant, values in _variants(template):
        recipe = base.model_copy(update={_FIELD[sort]: (template.name,), "pin": values})
        trial.make("trial", recipe)
        for seed in seeds[:WORLDS]:
            try:
                built = build(f"trial/{seed}", trial)
                said.setdefault(variant, []).append(transcript(built.world, built.solved.intents))
            except ConstraintError:
                said.setdefault(variant, []).append("")
            except (SandboxError, KeyError, TypeError, ValueError) as error:
                when = f" (when {variant})" if variant else ""
                if isinstance(error, TemplateError):
                    yield from_error(error, "spoken", template.file)
                else:
                    yield Remark(template.file, 1, "spoken", f"no world can speak with it{when}: {error}",
                                 "compare it with another template of its folder, phrase by phrase")
                return
    for slot in template.slots:
        if all(said[f"{slot.name}={value}"] == said[""] for value in slot.values[1:]):
            yield Remark(
                template.file, line_with(text, "choose(", f'"{slot.name}"'), "slot",
                f"slot {slot.name!r} changes no text of a plan's play (in {WORLDS} worlds)",
                "let it change a phrase that is said more often", problem=False,
            )
