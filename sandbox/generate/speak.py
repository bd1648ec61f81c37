"""The grammar of a world: words × form × protocol, spelled out for every action of its rules.

A form is a template of phrases: `verb0`, `verb1` and `verb2` say an action on no, one and two objects, `<verb>`,
`<0>` and `<1>` standing for its parts, `<lead>` and `<mid>` for the small words before its objects; `<lead|what>` is
the word `what` where there is none. Every other word in a phrase is a fixed word of the grammar, and as invented as
the verbs where words are. `verb1.NAME` is another spelling of the same. A protocol that leaves something out says
`focus1` and `focus2` without the first object, `short2` without the second, and `yes` for what it wants confirmed; a
form that does not have them makes do with its other phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sandbox.errors import TemplateError
from sandbox.generate.names import invented_word
from sandbox.world.keyed import Key
from sandbox.world.spec import Action, Grammar, Rules

SELECT, YES = "select _", "yes"
PROTOCOLS = ("direct", "focus", "implicit", "confirm")
WORDS = ("english", "invented")
MARKS = frozenset('(){}[]"=,:;|<>')
"""Characters that may stand alone in a form: none of them is ever part of a name."""

_GAP = re.compile(r"<(\w+)(?:\|([a-z]+))?>")
_WORD = re.compile(r"[a-z]+")
_PHRASE = re.compile(r"(verb[012]|focus[12]|short2|room1|yes)(\.[a-z]+)?$")
Forms = Mapping[str, str]


def spell(rules: Rules, forms: Forms, form: str, protocol: str, words: str, key: Key) -> Grammar:
    """The spelled-out grammar. `forms` are the phrases of the form's template."""
    marks = forms.get("marks", "")
    if set(marks) - MARKS:
        raise TemplateError(f"grammar form {form!r}: marks may only be among {''.join(sorted(MARKS))}")
    said = _said(rules, words, key, _own_words(forms))
    if forms.get("codes") == "yes":
        said |= _codes(_verbs(rules), said)
    say = _Sayer(forms, said, rules)
    alternatives = forms.get("alternatives") == "yes" and words == "english"
    spellings = tuple(
        (a.name, say.spellings(a, a.spellings if alternatives else a.spellings[:1], focus=protocol == "focus"))
        for a in rules.actions
    )
    return Grammar(
        form, protocol, words, spellings, marks=marks,
        select=say.said("verb1", SELECT) if protocol == "focus" else "",
        confirm=say.said("yes" if "yes" in forms else "verb0", YES) if protocol == "confirm" else "",
        short=tuple(say.shortened(spellings)) if protocol == "implicit" else (),
    )


def fixed_words(rules: Rules, forms: Iterable[Forms], key: Key) -> set[str]:
    """Every word that some grammar of these rules could use, in any of the forms: no name may be one of them."""
    own = {word for phrases in forms for word in _own_words(phrases)}
    words: set[str] = set()
    for list_ in WORDS:
        said = _said(rules, list_, key, own)
        words |= {*said.values(), *_codes(_verbs(rules), said).values()}
    return words


class _Sayer:
    """Fills the phrases of one form with the words of one grammar."""

    def __init__(self, forms: Forms, said: Mapping[str, str], rules: Rules) -> None:
        self._forms, self._said, self._rules = forms, said, rules
        self._particles = forms.get("particles") != "no"

    def spellings(self, action: Action, texts: Iterable[str], *, focus: bool) -> tuple[str, ...]:
        """The patterns of an action, canonical first; with `focus`, without the object that is selected before."""
        arity = len(action.params)
        key, second = f"verb{arity}", False
        if arity and self._rules.kind_of(action.params[0][1], "room"):
            key = "room1" if arity == 1 and "room1" in self._forms else key
        elif focus and arity and not action.inform:
            second = f"focus{arity}" not in self._forms
            key = f"verb{arity - 1}" if second else f"focus{arity}"
        others = [k for k in self._forms if k.startswith(key + ".")]
        found = [self.said(k, text, left_out=second) for text in texts for k in (key, *others)]
        return tuple(dict.fromkeys(found))

    def shortened(self, spellings: Iterable[tuple[str, tuple[str, ...]]]) -> Iterable[tuple[str, str]]:
        """The actions on two objects with the pattern that leaves out the second, where nothing else is said so."""
        taken = {pattern for _, patterns in spellings for pattern in patterns}
        key = "short2" if "short2" in self._forms else "verb1"
        for action in self._rules.actions:
            if len(action.params) == 2 and not action.inform:
                pattern = self.said(key, action.spellings[0])
                if pattern not in taken:
                    yield action.name, pattern

    def said(self, key: str, text: str, *, left_out: bool = False) -> str:
        """One English spelling in a phrase of the form; with `left_out`, the phrase is about the second object."""
        if key not in self._forms:
            raise TemplateError(f"grammar form has no phrase {key!r}", f'add a line: {key} = "…"')
        verb, lead, mid = _parts(text)
        if left_out:
            lead = mid
        gaps = {"verb": self._said[verb], "0": "{1}" if left_out else "{0}", "1": "{1}"}
        small = {"lead": lead, "mid": mid} if self._particles else {"lead": [], "mid": []}
        joined = {gap: [self._said[word] for word in words] for gap, words in small.items()}
        phrase = self._forms[key]
        for name, words in joined.items():
            phrase = phrase if words else phrase.replace(f"-<{name}>", "")
        out, end = [], 0
        for gap in _GAP.finditer(phrase):
            out.append(self._translated(phrase[end:gap.start()]))
            end = gap.end()
            if gap[2]:
                out.append("-".join(joined[gap[1]]) or self._said[gap[2]])
            else:
                out.append(gaps[gap[1]] if gap[1] in gaps else " ".join(joined[gap[1]]))
        return " ".join("".join([*out, self._translated(phrase[end:])]).split())

    def _translated(self, text: str) -> str:
        return _WORD.sub(lambda word: self._said[word[0]], text)


def _parts(text: str) -> tuple[str, list[str], list[str]]:
    """The verb of an English spelling, the words before its first object (and after the last), those between both."""
    verb, *rest = text.split()
    parts: list[list[str]] = [[]]
    for word in rest:
        if word == "_":
            parts.append([])
        else:
            parts[-1].append(word)
    arity = len(parts) - 1
    lead = parts[0] + (parts[-1] if arity else [])
    return verb, lead, parts[1] if arity == 2 else []


def _own_words(forms: Forms) -> set[str]:
    """The fixed words in the phrases of a form."""
    found: set[str] = set()
    for key, phrase in forms.items():
        if _PHRASE.match(key):
            found |= {*_WORD.findall(_GAP.sub(" ", phrase)), *(gap[2] for gap in _GAP.finditer(phrase) if gap[2])}
    return found


def _said(rules: Rules, words: str, key: Key, own: set[str]) -> dict[str, str]:
    """English word of the rules or of the form → the word of the grammar."""
    english = {w for a in rules.actions for text in a.spellings for w in text.split() if w != "_"}
    english |= {"select", YES, *own}
    return _invent(sorted(english), key) if words == "invented" else {word: word for word in english}


def _verbs(rules: Rules) -> list[str]:
    return [a.spellings[0].split()[0] for a in rules.actions] + ["select", YES]


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
