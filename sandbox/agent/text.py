"""Reading what a world shows: from any text to sections of named items, without knowing the form.

Three structures cover what worlds show: JSON, lines of cells, and clauses (sentences or `label: items`). In a
clause, names are runs of words that the parser of the world knows; what stands before the first name is the
*frame* ("on the floor:"), brackets after a name hold its *words*, and the *glue* between two names tells
whether the second is a sibling or hangs on the first ("crate with an egg in it", "hall by the oak door").
Which frame means what is not decided here: that is learned (`belief`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

TOKEN: Final = re.compile(r"\w+|\s+|[^\w\s]")
ODD: Final = re.compile(r"\w+(?:[^\w\s]+\w+|['’])+")
"""A word with marks inside, or with an apostrophe at its end."""
ROLE_OF_WAYS: Final = re.compile(r"ways?|exits?")
NAME_LENGTH: Final = 3
"""Words that a name has at most, as far as is guessed."""
SEPARATORS: Final = frozenset(",;|/&·")
OPENING: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}
ARTICLES: Final = frozenset({"a", "an", "the", "some"})
SMALL: Final = frozenset(
    (  # noqa: SIM905 - a list of words reads as words
        "a an the in on at to with by of from up down it is are you your and or not no for into onto over under off "
        "out as that this there here then"
    ).split()
)
"""English words that are never a whole name: a prior, which can be switched off."""


@dataclass(frozen=True, slots=True)
class Item:
    """A name with the words said of it, and what hangs on it by which `link`."""

    name: str
    words: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()
    link: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A frame, the names inside the frame, the items listed under it, and what is said after the last item."""

    frame: str
    about: tuple[str, ...]
    items: tuple[Item, ...]
    tail: str = ""
    said: tuple[str, ...] = ()
    """What is listed there that is no name."""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    name: bool
    group: tuple[_Token, ...] | None = None
    opening: str = ""


class Reader:
    """Reads texts of one world. `words` are the words that its parser knows, `fixed` those known to be no names."""

    def __init__(self, words: Iterable[str], fixed: Iterable[str] = (), *, english: bool = True) -> None:
        self.english = english
        self._known = {word.casefold() for word in words}
        self._open = not self._known
        self._token = _token_of(self._known)
        self.kinds: set[str] = set()
        self.signs: dict[str, str] = {}
        self.states: set[str] = set()
        self._fixed = {word.casefold() for word in fixed} | (SMALL if english else frozenset())
        self._names: dict[str, list[tuple[str, ...]]] = {}
        self.names: set[str] = set()
        self._read: dict[str, tuple[Section, ...]] = {}

    @property
    def known(self) -> set[str]:
        """The words that the parser of the world knows."""
        return self._known

    def learn(self, name: str) -> None:
        """Take a run of words for a name from now on."""
        if name and name not in self.names:
            parts = tuple(self._token.findall(name)[::2])
            known = self._names.setdefault(parts[0], [])
            known.append(parts)
            known.sort(key=len, reverse=True)
            self.names.add(name)
            if len(parts) > 1 or not self._nameable(name):
                self._read.clear()

    def discover(self, view: str) -> None:
        """Where no vocabulary is known, take for names what stands where names stand in a view."""
        if self._open:
            for name in _names_in(view):
                self.learn(name)

    def sections(self, text: str) -> tuple[Section, ...]:
        """What a text lists, in order."""
        found = self._read.get(text)
        if found is None:
            found = self._read[text] = tuple(self._sections(text))
        return found

    def mentioned(self, text: str) -> list[str]:
        """The names in a text, in order, each as often as it stands there."""
        return [token.text for token in self._flat(text) if token.name]

    def masked(self, text: str, args: tuple[str, ...] = ()) -> str:
        """A text with its names replaced: `@0` for the first of `args`, `@` for any other."""
        out = []
        for token in self._flat(text):
            if token.name:
                out.append(f"@{args.index(token.text)}" if token.text in args else "@")
            else:
                out.append(token.text)
        return "".join(out)

    def clauses(self, text: str) -> list[list[tuple[str, bool]]]:
        """A reply cut into statements; each is a list of (text, whether it is a name)."""
        found: list[list[tuple[str, bool]]] = [[]]
        tokens = self._flat(text)
        for i, token in enumerate(tokens):
            ends = token.text in ".;!" and (i + 1 == len(tokens) or tokens[i + 1].text.isspace())
            if ends or "\n" in token.text:
                if found[-1]:
                    found.append([])
            elif not token.text.isspace():
                found[-1].append((token.text if token.name else token.text.casefold(), token.name))
        return [clause for clause in found if clause]

    # --- structure ------------------------------------------------------------------------------
    def _sections(self, text: str) -> Iterator[Section]:
        whole = text.strip()
        if whole[:1] in ("{", "[") and (data := _json(whole)) is not None:
            yield from self._from_json(data)
            return
        label = ""
        for line in text.split("\n"):
            stripped = line.strip()
            if not stripped:
                continue
            if stripped[0] in "{[" and (data := _json(stripped)) is not None:
                yield from self._from_json(data)
            elif "|" in stripped:
                first = line.split("|", 1)[0].strip()
                if first[:1] == "@" or self._named(first):
                    yield from self._from_signs(stripped)
                else:
                    label = first or label
                    yield self._from_row(label, line)
            else:
                yield from self._from_clauses(stripped)

    def _is_name(self, text: str) -> bool:
        folded = text.casefold().strip()
        words = folded.split()
        if len(words) == 1 and self._no_name(folded):
            return False
        return bool(words) and (
            folded in self.names or (self._nameable(words[0]) and all(word in self._known for word in words))
        )

    def _named(self, cell: str) -> str:
        """The one name in a cell that holds no other words; '' when there is none."""
        tokens = self._flat(cell)
        names = [token.text for token in tokens if token.name]
        plain = not any(char.isalnum() for token in tokens if not token.name for char in token.text)
        return names[0] if len(names) == 1 and plain else ""

    def _from_row(self, label: str, line: str) -> Section:
        """A row of a table: label, name, and what is said of it."""
        cells = [cell.strip() for cell in line.split("|")][1:]
        glues, items = self._pieces(self._grouped(self._flat(cells[0])))
        if not items:
            said = tuple(part.strip().casefold() for part in cells[0].split(",") if part.strip(" -"))
            return Section(f"{label} |", (), (), said=said)
        found = list(_nested(glues, items))
        if len(cells) > 1 and cells[1]:
            last = found[-1]
            told, _, held = cells[1].partition("{")
            inside = tuple(self._listed(held.rstrip("} "), "{"))
            marked = any(char in told for char in ":;(")
            if marked or self._is_name(told):
                below = tuple(self._listed(cells[1], "|"))
                found[-1] = Item(last.name, last.words, last.items + below, last.link)
            else:
                words = tuple(word.strip().casefold() for word in told.split(",") if word.strip())
                found[-1] = Item(last.name, words, last.items + inside, last.link)
        return Section(f"{label} |", (), tuple(found))

    def _listed(self, text: str, link: str) -> Iterator[Item]:
        """Things in a list, each a name with words after a colon or in brackets."""
        for part in _top_level(text, ";" if ":" in text and link == "|" else ",;"):
            yield from self._with_mark(part.strip(), link)

    def _with_mark(self, part: str, link: str) -> Iterator[Item]:
        """`name:word.word {content}`, or a name with brackets."""
        inside: tuple[Item, ...] = ()
        if part.endswith("}") and "{" in part:
            part, _, content = part[:-1].partition("{")
            inside = tuple(self._listed(content, "{"))
        name, colon, said = part.strip().partition(":")
        if not colon and name.endswith(")"):
            name, _, said = name[:-1].partition("(")
        name = name.strip().casefold()
        if name and name != "-" and self._is_name(name):
            parts = [word.strip().casefold() for word in re.split(r"[.,]\s*", said) if word.strip()]
            words = [self.signs.get(word, word) for word in parts]
            yield Item(name, tuple(words), inside, link)

    def _from_signs(self, line: str) -> Iterator[Section]:
        """Cells in a line: the place first, then lists, some of which begin with a sign."""
        cells = [cell.strip() for cell in line.split("|")]
        if cells[0].startswith("@"):
            for cell in cells[1:]:
                yield Section("@ @:", (cells[0][1:].strip().casefold(),), tuple(self._listed(cell, "")))
            return
        yield Section("|", (), (Item(self._named(cells[0])),))
        for number, cell in enumerate(cells[1:], 1):
            sign = cell[:1] if cell[:1] and not cell[0].isalnum() and cell[0] != "-" else ""
            items = []
            for part in _top_level(cell, ","):
                main, _, door = part.strip().lstrip(f"{sign} ").partition(" / ")
                for item in self._with_mark(main.strip(), ""):
                    below = tuple(self._with_mark(door.strip(), "/")) if door else ()
                    items.append(Item(item.name, item.words, item.items + below, item.link))
            said = tuple(word.strip() for word in cell.lstrip(f"{sign} ").casefold().split(",") if word.strip(" -"))
            yield Section(f"| {sign}" if sign else f"| {number}", (), tuple(items), said=() if items else said)

    def _from_json(self, data: object) -> Iterator[Section]:
        if isinstance(data, dict):
            for key, value in data.items():
                named = not isinstance(value, str) or key == next(iter(data))
                items = tuple(self._json_items(value)) if named else ()
                texts = [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, str)]
                said = tuple(text.casefold() for text in texts if not (named and self._could_be(text)))
                yield Section(str(key), (), items, said=said)
        elif isinstance(data, list):
            yield Section("", (), tuple(self._json_items(data)))

    def _json_items(self, value: object, link: str = "") -> Iterator[Item]:
        if isinstance(value, str):
            if value and self._could_be(value):
                yield Item(value.casefold(), link=link)
        elif isinstance(value, list):
            for part in value:
                yield from self._json_items(part, link)
        elif isinstance(value, dict):
            if any(isinstance(part, str) for part in value.values()):
                yield from self._json_item(value, link)
            else:
                for key, part in value.items():
                    yield self._json_named(str(key), part, link)

    def _could_be(self, text: str) -> bool:
        return self._open or self._is_name(text)

    def _json_named(self, name: str, value: object, link: str) -> Item:
        """A name with a list of words (and, in an object, what it holds), or with an object of things."""
        words: list[str] = []
        items: list[Item] = []
        for part in value if isinstance(value, list) else []:
            if isinstance(part, str):
                words.append(part.casefold())
            else:
                items += self._json_items(part, "holds")
        if isinstance(value, dict):
            items += self._json_items(value, "things")
        return Item(name.casefold(), tuple(words), tuple(items), link)

    def _json_item(self, value: dict[str, object], link: str) -> Iterator[Item]:
        """A record: its first text is the name."""
        names = [(key, part) for key, part in value.items() if isinstance(part, str)]
        first, name = names[0]
        words: list[str] = [part.casefold() for key, part in names[1:]]
        items: list[Item] = []
        for key, part in value.items():
            if key == first or isinstance(part, str):
                continue
            if isinstance(part, list) and all(isinstance(one, str) for one in part):
                words += [str(one).casefold() for one in part]
            else:
                items += self._json_items(part, key)
        yield Item(name.casefold(), tuple(words), tuple(items), link)

    def _from_clauses(self, line: str) -> Iterator[Section]:
        clause: list[_Token] = []
        tokens = self._grouped(self._flat(line))
        for i, token in enumerate(tokens):
            if token.text == "." and not token.name and (i + 1 == len(tokens) or tokens[i + 1].text.isspace()):
                if clause:
                    yield self._clause(clause)
                clause = []
            else:
                clause.append(token)
        if any(not token.text.isspace() for token in clause):
            yield self._clause(clause)

    def _clause(self, tokens: list[_Token]) -> Section:
        glues, items = self._pieces(tokens)
        frame, about = glues[0], []
        while items and len(glues) > 1 and glues[1].startswith(":"):
            about.append(items[0].name)
            frame += " @:"
            glues, items = glues[1:], items[1:]
        if not items and not about and ":" in frame:
            frame, _, rest = frame.partition(":")
            said = tuple(part.strip() for part in rest.split(",") if part.strip(" -"))
            return Section(f"{frame}:", (), (), said=said)
        return Section(frame, tuple(about), tuple(_nested(glues, items)), glues[-1] if items else "")

    def _pieces(self, tokens: Iterable[_Token]) -> tuple[list[str], list[Item]]:
        """The names of a clause as items, and the glue before, between and after them."""
        glues: list[list[str]] = [[]]
        items: list[Item] = []
        for token in tokens:
            if token.name:
                items.append(Item(token.text))
                glues.append([])
            elif token.group is not None:
                if items and not "".join(glues[-1]).strip():
                    items[-1] = self._described(items[-1], token)
                else:
                    glues[-1].append(token.text)
            else:
                glues[-1].append(token.text)
        return [self._glue("".join(glue)) for glue in glues], items

    def _described(self, item: Item, group: _Token) -> Item:
        assert group.group is not None
        if group.opening == "{":
            glues, items = self._pieces(group.group)
            return Item(item.name, item.words, item.items + tuple(_nested(glues, items)), item.link)
        said = "".join(token.text for token in group.group)
        if said.isupper() and said.casefold() in self.kinds:
            return item
        words = said.casefold()
        parts = [word.strip() for word in re.split("[,;]", words)]
        return Item(item.name, item.words + tuple(word for word in parts if word), item.items, item.link)

    def _glue(self, text: str) -> str:
        words = text.casefold().split()
        while self.english and words and words[-1] in ARTICLES:
            words.pop()
        return " ".join(words)

    def _grouped(self, tokens: list[_Token]) -> list[_Token]:
        """Tokens with bracketed runs as one token each."""
        out: list[_Token] = []
        i = 0
        while i < len(tokens):
            token = tokens[i]
            close = OPENING.get(token.text) if not token.name else None
            end = _matching(tokens, i, token.text, close) if close else None
            if end is None:
                out.append(token)
                i += 1
                continue
            inner = tuple(self._grouped(tokens[i + 1 : end]))
            text = "".join(t.text for t in tokens[i : end + 1])
            out.append(_Token(text, name=False, group=inner, opening=token.text))
            i = end + 1
        return out

    # --- names ----------------------------------------------------------------------------------
    def _flat(self, text: str) -> list[_Token]:
        pieces = self._token.findall(text)
        out: list[_Token] = []
        prose = self.english and text.rstrip().endswith((".", "!"))
        i = 0
        while i < len(pieces):
            end = self._name_at(pieces, i, prose=prose)
            if end > i:
                out.append(_Token(" ".join(p.casefold() for p in pieces[i:end:2]), name=True))
                i = end
            else:
                out.append(_Token(pieces[i], name=False))
                i += 1
        return out

    def _name_at(self, pieces: list[str], i: int, *, prose: bool) -> int:
        """The end of the name that begins at a piece, or `i`. Words of a name are one blank apart.

        In a sentence, a run of words that was not met as a name before is one only after an article or a mark.
        """
        word = pieces[i].casefold()
        for parts in self._names.get(word, ()):
            span = 2 * len(parts) - 1
            found = [piece.casefold() for piece in pieces[i : i + span : 2]]
            if found == list(parts) and all(gap == " " for gap in pieces[i + 1 : i + span : 2]):
                return i + span
        if not self._nameable(word) or (prose and _within_words(pieces, i)):
            return i
        end = i + 1
        while end + 1 < len(pieces) and pieces[end] == " " and self._goes_on(pieces[end + 1].casefold()):
            end += 2
        return i if end == i + 1 and self._no_name(word) else end

    def _no_name(self, word: str) -> bool:
        """Whether a word is none by itself: it is said of things, or begins a longer name (no name begins another)."""
        return word not in self.names and (
            word in self.states or any(len(parts) > 1 for parts in self._names.get(word, ()))
        )

    def _goes_on(self, word: str) -> bool:
        """Whether a word can be a later one of a name: a verb can ("coal slide"), a word such as "in" cannot."""
        return word in self._known and not (self.english and word in SMALL)

    def _nameable(self, word: str) -> bool:
        return word in self._known and word not in self._fixed


def _token_of(words: Iterable[str]) -> re.Pattern[str]:
    """What splits a text into words, blanks and marks; words of the vocabulary with a mark inside stay whole."""
    odd = sorted((word for word in words if ODD.fullmatch(word)), key=lambda word: (-len(word), word))
    if not odd:
        return TOKEN
    whole = "|".join(re.escape(word) for word in odd)
    return re.compile(rf"(?<!\w)(?:{whole})(?!\w)|{TOKEN.pattern}", re.IGNORECASE)


def _within_words(pieces: list[str], i: int) -> bool:
    """Whether a piece follows a word that is no article."""
    before = i - 1
    while before >= 0 and pieces[before].isspace() and "\n" not in pieces[before]:
        before -= 1
    return before >= 0 and pieces[before][0].isalnum() and pieces[before].casefold() not in ARTICLES


def _nested(glues: list[str], items: list[Item]) -> Iterator[Item]:
    """Items with what hangs on them. A glue that begins with a separator parts siblings; any other links.

    What hangs on an item ends before a separator, unless words close it further on (" in it,"); "and" goes on.
    """
    i = 0
    while i < len(items):
        item = items[i]
        glue = glues[i + 1] if i + 1 < len(glues) else ""
        if i + 1 < len(items) and glue and glue[0] not in SEPARATORS and glue != "and" and not _closes(glue):
            end = i + 1
            for j in range(i + 1, len(items)):
                after = glues[j + 1] if j + 1 < len(glues) else ""
                if after and (_closes(after) or (j + 1 == len(items) and after[0] not in SEPARATORS)):
                    end = j
                    break
                if after == "and":
                    end = min(j + 1, len(items) - 1)
                elif after and after[0] not in SEPARATORS:
                    break
            below = tuple(Item(one.name, one.words, one.items, glue) for one in items[i + 1 : end + 1])
            yield Item(item.name, item.words, item.items + below, item.link)
            i = end + 1
        else:
            yield item
            i += 1


def _closes(glue: str) -> bool:
    """Whether a glue ends a list and then parts: " in it, a"."""
    return glue[0] not in SEPARATORS and any(char in SEPARATORS for char in glue)


def _matching(tokens: list[_Token], start: int, opening: str, close: str) -> int | None:
    depth = 0
    for i in range(start, len(tokens)):
        if tokens[i].text == opening:
            depth += 1
        elif tokens[i].text == close:
            depth -= 1
            if depth == 0:
                return i
    return None


def _names_in(view: str) -> Iterator[str]:
    """What may be names in a view, by the form alone: keys, cells, items of lists, what follows an article."""
    data = _json(view.strip()) if view.strip()[:1] == "{" else None
    if isinstance(data, dict):
        yield from _keys_in(data)
        return
    above = ""
    for line in view.split("\n"):
        if line.rstrip().endswith("."):
            yield from _names_in_prose(line)
            continue
        label, *cells = re.split(r"\s*[|]\s*", line) if "|" in line else re.split(r": ", line, maxsplit=1)
        label = above = label.strip() or above
        if "|" in line and len(cells) > 2:
            cells = [label, *cells]
        elif len(cells) > 1 and not ROLE_OF_WAYS.match(label):
            cells = [cells[0], *re.findall(r"\{(.*)\}", cells[1])]
        for cell in cells:
            bare = re.sub(r"\([^)]*\)|\[[^\]]*\]|:[^,;{}|/]+", "", cell)
            for chunk in re.split(r"[;,{}/>^@*]| via ", bare):
                if re.fullmatch(r"[\w' ]+", chunk.strip()):
                    yield chunk.strip().casefold()


def _keys_in(data: dict[str, object]) -> Iterator[str]:
    """The first text of an object, and the keys of the objects in it."""
    first = next(iter(data.values()), None)
    if isinstance(first, str):
        yield first.casefold()
    below = [part for value in data.values() for part in (value if isinstance(value, list) else [value])]
    for value in below:
        if isinstance(value, dict):
            for key, part in value.items():
                yield str(key).casefold()
                yield from _keys_in({"": part})


def _names_in_prose(line: str) -> Iterator[str]:
    """The first sentence when it is short, and what follows an article, or stands in a list of ways."""
    bare = re.sub(r"\([^)]*\)", "", line)
    first = bare.partition(".")[0].strip()
    if len(first.split()) <= NAME_LENGTH and ":" not in first:
        yield first.casefold()
    for match in re.finditer(r"\b(?:an?|the) ([\w' ]+)(?![\w' :])", bare):
        words = match[1].casefold().split()
        end = next((i for i, word in enumerate(words) if word in SMALL or word == "nothing"), len(words))
        if 0 < end <= NAME_LENGTH:
            yield " ".join(words[:end])
    for listed in re.findall(r"\bways?: ([^.]*)", bare, re.IGNORECASE):
        for part in listed.split(","):
            yield re.split(r" by | via ", part.strip())[0].casefold()


def _top_level(text: str, separators: str) -> Iterator[str]:
    """The parts of a list, separators in brackets left alone."""
    depth, part = 0, ""
    for char in text:
        depth += (char in "{([") - (char in "})]")
        if char in separators and depth == 0:
            yield part
            part = ""
        else:
            part += char
    if part.strip():
        yield part


def _json(text: str) -> object:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict | list) else None
