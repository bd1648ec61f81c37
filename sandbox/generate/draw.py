"""Templates + recipe + seed + attempt → a world that still lacks its goal.

Every draw has a name: families, slot values, layout, names and hints each come from their own key, so
that a new family or value moves only the worlds that pick it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sandbox.errors import ConstraintError, RecipeError, TemplateError, UnknownName
from sandbox.generate.content import Content
from sandbox.generate.layout import draw_layout
from sandbox.generate.names import Draw, load_theme, name_all
from sandbox.generate.recipe import FAMILY, Recipe
from sandbox.generate.speak import fixed_words, spell
from sandbox.generate.templates import Slot, Template
from sandbox.world.keyed import Key
from sandbox.world.phrases import read_phrases
from sandbox.world.spec import Grammar, Layout, Rules, Theme
from sandbox.world.world import Feedback, Observation, Origin, Sources, World, merged

CORE = "core"
DISTRACTOR = "distractor."
"""How the phrases of an observation begin that say nothing; the rest of the key is a number."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a seed picked: families in recipe order, every slot, and the value of each."""

    recipe_name: str
    recipe: Recipe
    seed: str
    attempt: int
    families: tuple[str, ...]
    slots: tuple[Slot, ...]
    values: Mapping[str, str]

    @property
    def key(self) -> Key:
        """The key from which everything of this attempt is drawn."""
        return Key("world", self.seed, self.attempt)

    def unusual(self) -> list[Slot]:
        """The slots whose value is not the usual one."""
        return [slot for slot in self.slots if self.values[slot.full] != slot.values[0]]


def choose(content: Content, name: str, recipe: Recipe, seed: str, attempt: int) -> Choice:
    """Draw the families and slot values of one attempt."""
    _check_keys(recipe, content)
    key = Key("world", seed, attempt)
    low, high = recipe.draw
    allowed = [f for f in recipe.families if f not in recipe.exclude.get(FAMILY, ())]
    count = min(low + key.child("families").below(high - low + 1), len(allowed))
    picked = set(key.child("rules", "family").ranked(allowed)[:count])
    families = tuple(f for f in recipe.families if f in picked)
    axis = axis_slots(recipe)
    values = audible(recipe, {slot.full: _value(slot, recipe, key) for slot in axis})
    slots = slots_of(content, recipe, families, values)
    values |= {slot.full: _value(slot, recipe, key) for slot in slots if slot.full not in values}
    return Choice(name, recipe, seed, attempt, families, slots, values)


def audible(recipe: Recipe, values: Mapping[str, str]) -> dict[str, str]:
    """The values, with success or failure told where both would pass without a word and the recipe is not mute."""
    found = dict(values)
    if not is_mute(recipe, values):
        return found
    for slot, spoken in (("feedback/success", recipe.successes), ("feedback/detail", recipe.details)):
        left = [v for v in spoken if v != values[slot] and v not in recipe.exclude.get(slot, ())]
        if left and slot not in recipe.pin:
            found[slot] = left[0]
            return found
    raise RecipeError("feedback that tells neither success nor failure needs a mute recipe", "write: mute = true")


def is_mute(recipe: Recipe, values: Mapping[str, str]) -> bool:
    """Whether a player would be told neither of success nor of failure, though the recipe does not ask for that."""
    return not recipe.mute and values["feedback/detail"] == "nothing" and values["feedback/success"] == "silent"


def axis_slots(recipe: Recipe) -> tuple[Slot, ...]:
    """The choices that an axis itself offers; the recipe lists their values, the usual one first."""
    rows = (
        ("grammar", "words", recipe.words, "form"), ("grammar", "form", recipe.forms, "form"),
        ("grammar", "protocol", recipe.protocols, "protocol"),
        ("observation", "form", recipe.observations, "form"), ("observation", "scope", recipe.scopes, "information"),
        ("observation", "hidden", recipe.hidden, "information"),
        ("observation", "changes", recipe.changes, "information"),
        ("observation", "distractors", recipe.distractors, "form"),
        ("feedback", "detail", recipe.details, "information"), ("feedback", "voice", recipe.voices, "form"),
        ("feedback", "success", recipe.successes, "information"), ("feedback", "reward", recipe.rewards, "information"),
    )
    return tuple(Slot(axis, "", name, values, kind) for axis, name, values, kind in rows)


def slots_of(
    content: Content, recipe: Recipe, families: Iterable[str], values: Mapping[str, str]
) -> tuple[Slot, ...]:
    """All slots of a world in slot order: rules first, then the other axes."""
    found: list[Slot] = []
    for family in (CORE, *families):
        found += content.template("rules", family).slots
    found += axis_slots(recipe)
    for sort, chosen in (
        ("grammars", values["grammar/form"]), ("observations", values["observation/form"]),
        ("feedback", values["feedback/voice"]),
    ):
        found += content.template(sort, chosen).slots
    return tuple(found)


def _value(slot: Slot, recipe: Recipe, key: Key) -> str:
    pinned = recipe.pin.get(slot.full)
    if pinned is not None:
        return pinned
    left = [v for v in slot.values if v not in recipe.exclude.get(slot.full, ())]
    if not left:
        raise RecipeError(f"every value of {slot.full} is excluded", f"values: {', '.join(slot.values)}")
    return key.child(slot.axis, slot.template, slot.name).best(left)


def _check_keys(recipe: Recipe, content: Content) -> None:
    """Pinned and excluded slots and values must exist in some template that the recipe names."""
    known = {s.full: s.values for s in axis_slots(recipe)} | {FAMILY: recipe.families}
    for sort, names in (("rules", (CORE, *recipe.families)), ("grammars", recipe.forms),
                        ("observations", recipe.observations), ("feedback", recipe.voices)):
        for name in names:
            known |= {s.full: s.values for s in content.template(sort, name).slots}
    for slot, values in (*((s, (v,)) for s, v in recipe.pin.items()), *recipe.exclude.items()):
        if slot not in known:
            raise UnknownName("slot", slot, known)
        for value in values:
            if value not in known[slot]:
                raise UnknownName(f"value of {slot}", value, known[slot])


# --- rendering -----------------------------------------------------------------------------------
def render_rules(content: Content, families: Iterable[str], values: Mapping[str, str]) -> tuple[Sources, Rules]:
    """The rendered sources (core first) and their rule set."""
    names = tuple(families)
    sources = []
    for family in (CORE, *names):
        template = content.template("rules", family)
        short = {slot.name: values[slot.full] for slot in template.slots}
        sources.append((template.file, rendered(template, tuple(short.items()), names)))
    clean = tuple((file, unmark(text)) for file, text in sources)
    try:
        return clean, merged(clean)
    except TemplateError:
        return clean, merged(tuple(sources))  # raises again, now with the lines of the templates


@lru_cache(maxsize=2048)
def rendered(template: Template, values: tuple[tuple[str, str], ...], families: tuple[str, ...]) -> str:
    """The text of a family under its slot values, a pure function: edits of one slot leave most texts as they are."""
    return template.render(dict(values), families)


@lru_cache(maxsize=2048)
def unmark(text: str) -> str:
    """Rendered text without line marks and empty lines: what a world carries."""
    lines = (line.rsplit("#@", 1)[0].rstrip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line) + "\n"


def render_phrases(content: Content, sort: str, name: str, values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The phrase table of an observation form, feedback voice or grammar form.

    A form that the world does not have is rendered with its slots as usual.
    """
    template = content.template(sort, name)
    text = template.render({slot.name: values.get(slot.full, slot.values[0]) for slot in template.slots})
    return read_phrases(text, template.file)


def speak(content: Content, rules: Rules, values: Mapping[str, str], key: Key) -> Grammar:
    """The grammar under the slot values."""
    form = values["grammar/form"]
    forms = dict(render_phrases(content, "grammars", form, values))
    return spell(rules, forms, form, values["grammar/protocol"], values["grammar/words"], key.child("words"))


def observe(content: Content, values: Mapping[str, str], rooms: Sequence[str], key: Key) -> Observation:
    """The observation under the slot values; `key` draws what each of the rooms has of distractors."""
    form, some = values["observation/form"], values["observation/distractors"]
    phrases = dict(render_phrases(content, "observations", form, values))
    moods = {name: phrases.pop(name) for name in sorted(phrases) if name.startswith(DISTRACTOR)}
    if some != "none" and moods and "mood" in phrases:
        drawn = key.ranked(list(moods))
        for number, room in enumerate(rooms):
            phrases[f"mood.{room}"] = phrases["mood"].replace("<text>", moods[drawn[number % len(drawn)]])
    return Observation(
        form, values["observation/scope"], tuple(sorted(phrases.items())), values["observation/hidden"],
        values["observation/changes"], some,
    )


def answer(content: Content, values: Mapping[str, str]) -> Feedback:
    """The feedback under the slot values."""
    voice = values["feedback/voice"]
    phrases = render_phrases(content, "feedback", voice, values)
    return Feedback(values["feedback/detail"], voice, values["feedback/success"], values["feedback/reward"], phrases)


def used_templates(content: Content, families: Iterable[str], values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """File → digest of every template a world was rendered from."""
    templates = [content.template("rules", f) for f in (CORE, *families)]
    templates.append(content.template("grammars", values["grammar/form"]))
    templates.append(content.template("observations", values["observation/form"]))
    templates.append(content.template("feedback", values["feedback/voice"]))
    return tuple(sorted((t.file, t.digest) for t in templates))


# --- assembling ----------------------------------------------------------------------------------
def assemble(content: Content, choice: Choice, draws: Mapping[str, int]) -> World:
    """The world of a choice, its goal still empty. `draws` counts redraws of layout, theme and task.

    Raises ConstraintError when the layout or the names cannot be drawn.
    """
    key, values = choice.key, choice.values
    sources, rules = render_rules(content, choice.families, values)
    cards = _cards(choice.recipe, rules)
    layout = draw_layout(
        rules, choice.recipe.rooms, choice.recipe.things, key.child("layout", draws.get("layout", 0)), cards
    )
    theme = draw_theme(content, choice, rules, layout, draws.get("theme", 0))
    hints, carded = _tell(choice, rules, layout, key.child("told"))
    return World(
        sources=sources, grammar=speak(content, rules, values, key),
        observation=observe(content, values, layout.rooms, key.child("distractors")),
        feedback=answer(content, values), theme=theme, layout=layout, goal=(),
        told=tuple(choice.recipe.told.model_dump().items()), cards=carded, hints=hints,
        slot_values=tuple((slot.full, values[slot.full]) for slot in choice.slots),
        templates=used_templates(content, choice.families, values),
        origin=Origin(choice.recipe_name, choice.seed, choice.attempt, tuple(sorted(draws.items()))),
    )


def draw_theme(content: Content, choice: Choice, rules: Rules, layout: Layout, number: int) -> Theme:
    """The names: the theme of the first draw, then another of the same prior class or the same one's rest."""
    key = choice.key.child("theme")
    forms = [dict(render_phrases(content, "grammars", form, choice.values)) for form in choice.recipe.forms]
    taken = fixed_words(rules, forms, choice.key.child("words"))
    first = key.best(choice.recipe.themes)
    prior = load_theme(content, first).prior
    same = [t for t in key.ranked(choice.recipe.themes) if load_theme(content, t).prior == prior]
    same.remove(first)
    order = [first, *same]
    name = order[number % len(order)]
    file = load_theme(content, name)
    return name_all(name, file, rules, layout, Draw(key.child(name), number // len(order)), taken)


ON_A_CARD = 2
"""Hints on a card, at most: a card is read on one screen."""


def _cards(recipe: Recipe, rules: Rules) -> int:
    """How many cards a world has: enough for what is told, but not more than one for every four rooms, and one."""
    if recipe.told.rules == "all":
        return 1 if any(r.phrase for r in rules.relations) else 0
    told = (len(set(rules.hints)) + 1) // 2
    return max(1, min(1 + recipe.rooms // 4, -(-told // ON_A_CARD)))


def _tell(
    choice: Choice, rules: Rules, layout: Layout, key: Key
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """What the help page and the cards tell: names of rules and facts, said by the engine."""
    level = choice.recipe.told.rules
    related = [r.name for r in rules.relations if r.phrase]
    facts = [f"{name}({','.join(args)})" for name, args in layout.relations if name in related]
    hints = list(dict.fromkeys(rules.hints))
    if level == "all":
        return (*hints, *facts), ()
    cards = [o.id for o in layout.objects if o.kind == "card"]
    most = min((len(hints) + 1) // 2, ON_A_CARD * len(cards)) if level == "some" else 0
    lines = [*facts, *sorted(key.ranked(hints)[:most], key=hints.index)]
    if not cards:
        return tuple(lines), ()
    share: dict[str, list[str]] = {card: [] for card in cards}
    for number, line in enumerate(lines):
        share[cards[number % len(cards)]].append(line)
    return (), tuple((card, ";".join(parts)) for card, parts in share.items() if parts)


__all__ = ["Choice", "ConstraintError", "TemplateError", "assemble", "choose", "draw_theme", "slots_of"]
