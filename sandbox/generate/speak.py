"""The grammar of a world: words × form × protocol, spelled out for every action of its rules."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sandbox.errors import TemplateError
from sandbox.generate.names import invented_word
from sandbox.world.keyed import Key
from sandbox.world.spec import Action, Grammar, Rules

SELECT = "select _"


def spell(rules: Rules, forms: Mapping[str, str], form: str, protocol: str, words: str, key: Key) -> Grammar:
    """The spelled-out grammar. `forms` are the phrases of the form's template."""
    said = _said(rules, words, key)
    if forms.get("codes") == "yes":
        said |= _codes(_verbs(rules), said)
    spellings = []
    for action in rules.actions:
        texts = action.spellings if forms.get("alternatives") == "yes" and words == "english" else action.spellings[:1]
        implied = protocol == "focus" and _takes_object(action, rules)
        patterns = [_pattern(text, forms, said, implied=implied) for text in texts]
        spellings.append((action.name, tuple(dict.fromkeys(patterns))))
    select = _pattern(SELECT, forms, said, implied=False) if protocol == "focus" else ""
    return Grammar(form, protocol, words, tuple(spellings), select)


def fixed_words(rules: Rules, forms: Mapping[str, str], key: Key) -> set[str]:
    """Every word that some grammar of these rules could use, in any form: no name may be one of them."""
    words = {t for name, text in forms.items() if name.startswith("verb") for t in text.split() if "<" not in t}
    for list_ in ("english", "invented"):
        said = _said(rules, list_, key)
        words |= {*said.values(), *_codes(_verbs(rules), said).values()}
    return words


def _said(rules: Rules, words: str, key: Key) -> dict[str, str]:
    """English word of the rules → the word of the grammar."""
    english = sorted({w for a in rules.actions for text in a.spellings for w in text.split() if w != "_"} | {"select"})
    return _invent(english, key) if words == "invented" else {word: word for word in english}


def _verbs(rules: Rules) -> list[str]:
    return [a.spellings[0].split()[0] for a in rules.actions] + ["select"]


def _takes_object(action: Action, rules: Rules) -> bool:
    return bool(action.params) and not action.inform and not rules.kind_of(action.params[0][1], "room")


def _pattern(text: str, forms: Mapping[str, str], said: Mapping[str, str], *, implied: bool) -> str:
    """One English spelling in the world's form; with `implied`, the first argument is left out."""
    verb, *rest = text.split()
    parts: list[list[str]] = [[]]
    for word in rest:
        if word == "_":
            parts.append([])
        else:
            parts[-1].append(said[word])
    arity = len(parts) - 1
    key = f"verb{arity}"
    if key not in forms:
        raise TemplateError(f"grammar form has no phrase {key!r}", f'add a line: {key} = "…"')
    if parts[-1]:
        parts[0] = parts[0] + parts[-1] if arity else parts[0]
    gaps = {"<verb>": said[verb], "<lead>": " ".join(parts[0]), "<mid>": " ".join(parts[1]) if arity == 2 else ""}
    if forms.get("particles") == "no":
        gaps |= {"<lead>": "", "<mid>": ""}
    kept = [t for t in forms[key].split() if not (implied and ("<0>" in t or "<lead>" in t))]
    return " ".join(filter(None, (_filled(token, gaps) for token in kept)))


def _filled(token: str, gaps: Mapping[str, str]) -> str:
    """A token of a form with its words put in; the hyphen of a missing word goes with it."""
    for gap, word in gaps.items():
        token = token.replace(gap, word)
    return re.sub(r"-+$|^-+", "", token).replace("<0>", "{0}").replace("<1>", "{1}")


def _invent(words: list[str], key: Key) -> dict[str, str]:
    said: dict[str, str] = {}
    used: set[str] = set(words)
    for word in words:
        number = 0
        while (made := invented_word(key.child(word, number), 1 + len(word) // 4)) in used or len(made) < 2:
            number += 1
        used.add(made)
        said[word] = made
    return said


def _codes(verbs: list[str], said: Mapping[str, str]) -> dict[str, str]:
    """A code for each verb: the shortest beginning of its word that is still free, else with a number."""
    codes: dict[str, str] = {}
    for verb in dict.fromkeys(verbs):
        word = said[verb]
        options = [word[:n] for n in (1, 2, 3)] + [f"{word[0]}{n}" for n in range(2, 100)]
        codes[verb] = next(code for code in options if code not in codes.values())
    return codes
