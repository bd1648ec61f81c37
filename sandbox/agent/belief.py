"""What the agent holds true of the world now: where it is, where things are, what is said of them, the ways.

A `Belief` is fed with views. Which section of a view lists the ways, what is held and what lies here is a
learned `role`; a first guess from English words can be switched off. What was first seen of everything is
kept as the start, to which `restart` leads back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from sandbox.agent.text import Item, Reader, Section

HELD: Final = "*held"
GONE: Final = "*gone"
ROLES: Final = {
    "held": ("hold", "held", "hand", "hands", "carry", "carried", "carrying", "have", "bear", "^"),
    "ways": ("way", "ways", "exit", "exits", "path", "paths", "lead", "leads", "doors", ">"),
    "far": ("next", "far", "elsewhere"),
}
OWN: Final = ("you", "*")
"""What begins a list of what is said of the agent itself."""
MYSELF: Final = re.compile(r"(?:you(?::| are| feel)?|\*:?) (.+?)\.?")
SENTENCE: Final = re.compile(r"(?<=\.)\s+|\n")
DARK: Final = ("dark", "?")
"""Words of a section that says that nothing can be seen."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Where the agent was, and place and words of everything it knew of."""

    at: str
    place: Mapping[str, str]
    words: Mapping[str, frozenset[str]]


@dataclass(slots=True)
class Belief:
    """Beliefs about the present. `place[x]` is a room, a container, HELD, GONE, or missing when unknown."""

    reader: Reader
    english: bool = True
    at: str = ""
    place: dict[str, str] = field(default_factory=dict)
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    ways: dict[str, dict[str, str | None]] = field(default_factory=dict)
    rooms: dict[str, None] = field(default_factory=dict)
    visited: set[str] = field(default_factory=set)
    roles: dict[str, str] = field(default_factory=dict)
    frame: dict[str, str] = field(default_factory=dict)
    doors: set[str] = field(default_factory=set)
    first: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)
    known_words: set[str] = field(default_factory=set)
    seen_at: dict[str, int] = field(default_factory=dict)
    start: str = ""
    place_frame: str | None = None
    now: int = 0
    hiding: set[str] = field(default_factory=set)
    tells: bool = False
    """Whether views tell what things are like that were not looked at closely: seen of one at least."""
    closer: set[str] = field(default_factory=set)
    """Things that were looked at closely since it last began."""
    traits: dict[str, frozenset[str]] = field(default_factory=dict)
    """What the last close look at things told: also what views leave out."""
    shown: dict[str, frozenset[str]] = field(default_factory=dict)
    """What views last said of things that were near."""
    fickle: set[str] = field(default_factory=set)
    """Words that were seen to come or go."""
    own: frozenset[str] = frozenset()
    """What is said of the agent itself."""
    owned: set[str] = field(default_factory=set)
    """All that views ever said of the agent itself."""
    dark: bool = False
    """Whether the last view said that nothing can be seen."""
    afar: dict[str, set[str]] = field(default_factory=dict)
    """Words that were said of a thing while it was in another room: of these, what is not said there is not so."""
    words_afar: set[str] = field(default_factory=set)
    """All of these words. What is not said there is not so, of words that come and go, and of things that changed."""

    def __post_init__(self) -> None:
        """The reader takes no word that is said of things for a name."""
        self.reader.states = self.known_words

    # --- views ----------------------------------------------------------------------------------
    def split(self, text: str) -> tuple[list[str], str]:
        """The lines of a reply before the view, and the view ('' when there is none)."""
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if line.strip() and self.is_view(line, "\n".join(lines[number:])):
                return lines[:number], "\n".join(lines[number:])
        return lines, ""

    def is_view(self, line: str, rest: str) -> bool:
        """Whether a line begins a view: the place alone, in the frame in which views name it, and more after it."""
        sections = self.reader.sections(rest if line.strip()[:1] in ("{", "[") else line)
        if not sections or self.place_frame is None:
            return False
        first = sections[0]
        if first.frame != self.place_frame or len(first.items) != 1 or first.tail:
            return False
        if first.items[0].words or first.items[0].items:
            return False
        name = first.items[0].name
        if name in self.rooms:
            return True
        if line.strip().startswith("{"):
            return name not in self.first
        return name not in self.first and len(self.reader.sections(rest)) >= 3

    def see(self, view: str, *, whole: bool = True) -> None:  # noqa: C901 - one decision, read from top to bottom
        """Take a view for what is true now. Only a whole one tells that what it leaves out is not there."""
        self.reader.discover(view)
        sections = self.reader.sections(view)
        if not sections or not sections[0].items:
            return
        if self.place_frame is None:
            self.place_frame = sections[0].frame
        self.at = self._room(sections[0].items[0].name)
        self.start = self.start or self.at
        self.visited.add(self.at)
        listed: dict[str, str] = {}
        ways: dict[str, str | None] = {}
        self._myself(sections[1:])
        for section in sections[1:]:
            if self.role(section.frame) == "ways":
                for item in section.items:
                    ways[self._room(item.name)] = self._door(item, listed)
        held_shown = False
        for section in sections[1:]:
            role = self.role(section.frame)
            if role == "held":
                held_shown = True
                self._list(section.items, HELD, listed)
            elif section.about:
                self._list(section.items, self._room(section.about[0]), listed, far=True)
            elif role != "ways":
                self._here(section, listed)
        if whole or ways or self.at not in self.ways:
            self.ways[self.at] = ways or self.ways.get(self.at, {})
        if whole and not self.dark:
            self._vanish(listed, held_shown=held_shown or "held" in self.roles.values())

    def _myself(self, sections: Iterable[Section]) -> None:
        """What a view says of the agent itself, and whether it says that nothing can be seen."""
        self.dark, own = False, list[str]()
        for section in sections:
            if section.items or not self.english:
                continue
            words = set(section.frame.replace("|", " ").replace(":", " ").split())
            self.dark = self.dark or bool(words.union(section.said) & set(DARK))
            if words & set(OWN):
                own += section.said or [section.frame.removeprefix("you are ").strip()]
        self.own = frozenset(word for text in own for word in text.split(", "))
        self.owned |= self.own

    def hear_own(self, said: str) -> str:
        """Take over what a reply says of the agent itself, in words that views say of it; the rest of the reply."""
        before, rest = self.own, list[str]()
        for sentence in SENTENCE.split(said) if self.owned else (said,):
            match = MYSELF.fullmatch(sentence.strip().casefold())
            if match is not None and match[1] in self.owned:
                self.own = frozenset({match[1]})
            else:
                rest.append(sentence)
        return said if self.own is before else " ".join(rest)

    def _here(self, section: Section, listed: dict[str, str]) -> None:
        """A list of what is here, or of other rooms with what is in them."""
        if self.role(section.frame) != "far" and any(item.name in self.rooms for item in section.items):
            self.roles[section.frame] = "far"
        for item in section.items:
            if self.role(section.frame) == "far" and item.name != self.at:
                self._list(item.items, self._room(item.name), listed, far=True)
            else:
                self._list((item,), self.at, listed, section.frame)

    def role(self, frame: str) -> str:
        """What a frame lists: ways, held, or here."""
        found = self.roles.get(frame)
        if found is None:
            found = "here"
            if self.english:
                said = {word.strip(":,|") for word in frame.split()} | set(frame[-1:])
                found = next((role for role, words in ROLES.items() if said & set(words)), "here")
                self.roles[frame] = found
        return found

    def _room(self, name: str) -> str:
        self.rooms.setdefault(name)
        self.reader.learn(name)
        if name in self.place:
            del self.place[name]
        return name

    def _door(self, item: Item, listed: dict[str, str]) -> str | None:
        if not item.items:
            return None
        door = item.items[0]
        self.doors.add(door.name)
        self._note(door, "*door", listed, "*door")
        return door.name

    def _list(
        self, items: Iterable[Item], where: str, listed: dict[str, str], frame: str = "", *, far: bool = False
    ) -> None:
        for item in items:
            self._note(item, where, listed, frame, far=far)
            self._list(item.items, item.name, listed, far=far)

    def _note(self, item: Item, where: str, listed: dict[str, str], frame: str, *, far: bool = False) -> None:
        name, words = item.name, frozenset(item.words)
        self.reader.learn(name)
        self.known_words |= words
        self.tells = self.tells or bool(words and name not in self.closer)
        if self.untold(name):
            words = self.words.get(name, words)
        elif far:
            said = self.afar.setdefault(name, set())
            anew = bool(words - self.words.get(name, words))
            gone = (said | (self.words_afar if anew else self.fickle & self.words_afar)) - words
            said |= words
            self.words_afar |= words
            words |= self.words.get(name, words) - gone
        else:
            self.fickle |= self.shown.get(name, words) ^ words
            self.shown[name] = words
            words |= self.traits.get(name, words) - self.fickle
        if name in self.doors:
            where = "*door"
        listed[name] = where
        if frame:
            self.frame.setdefault(name, frame)
        if name not in self.first:
            self.first[name] = where, words
        self.place[name] = where
        self.words[name] = words
        self.seen_at[name] = self.now

    def _vanish(self, listed: dict[str, str], *, held_shown: bool) -> None:
        for name, where in list(self.place.items()):
            if name in listed:
                continue
            if where == self.at or (where == HELD and held_shown):
                del self.place[name]
            elif where in listed and listed[where] in (self.at, HELD) and where in self.place:
                if self.words.get(where, frozenset()) & self.hiding or not self._shows(where):
                    continue
                del self.place[name]

    def _shows(self, holder: str) -> bool:
        """Whether the contents of a holder can be seen now, as far as is known."""
        return any(where == holder and self.seen_at.get(name) == self.now for name, where in self.place.items())

    def describe(self, name: str, words: Iterable[str]) -> None:
        """Take what a close look at a thing told for all that is true of it now."""
        told = frozenset(words)
        self.known_words |= told
        where, first = self.first.get(name, ("", frozenset[str]()))
        if name not in self.traits:
            self.first[name] = where, first | (told - self.fickle) if first or self.tells else told
        self.traits[name] = self.words[name] = told
        self.closer.add(name)

    # --- questions ------------------------------------------------------------------------------
    def untold(self, name: str) -> bool:
        """Whether a bare name in a view says nothing: what a thing is like shows only once it was looked at closely."""
        return not self.tells and name not in self.closer

    def where(self, name: str) -> str:
        """`place` for a room, else held, here, away or unknown."""
        if name in self.rooms:
            return "place"
        spot = self.place.get(name)
        depth = 0
        while spot is not None and spot in self.place and depth < 4:
            spot, depth = self.place[spot], depth + 1
        if spot is None or spot == GONE:
            return "unknown"
        if self.hidden(name):
            return "away"
        if spot == HELD:
            return "held"
        if spot == "*door":
            return "here" if name in self.ways.get(self.at, {}).values() else "away"
        return "here" if spot == self.at else "away"

    def at_hand(self, name: str) -> bool:
        """Whether a thing is held or here."""
        return self.where(name) in ("held", "here")

    def hidden(self, name: str) -> bool:
        """Whether a thing lies in something that is shut, as far as is known."""
        holder = self.place.get(name)
        return holder in self.words and bool(self.words[holder] & self.hiding) and holder in self.first

    def room_of(self, name: str) -> str | None:
        """The room in which a thing is; a door is in the first room that it was seen from."""
        spot = self.place.get(name)
        depth = 0
        while spot is not None and spot in self.place and depth < 4:
            spot, depth = self.place[spot], depth + 1
        if spot == HELD:
            return self.at
        if spot == "*door":
            if name in self.ways.get(self.at, {}).values():
                return self.at
            return next((room for room, ways in self.ways.items() if name in ways.values()), None)
        return spot if spot in self.rooms else None

    def held(self) -> list[str]:
        """What is held, in the order in which it became known."""
        return [name for name, where in self.place.items() if where == HELD]

    def here(self) -> list[str]:
        """Everything within reach: what is held or here, doors included."""
        return [name for name in self.place if self.where(name) in ("held", "here")]

    def things(self) -> Iterator[str]:
        """Every name that is no room."""
        yield from self.first

    def snapshot(self) -> Snapshot:
        """What is held true now, to be compared later."""
        return Snapshot(self.at, dict(self.place), dict(self.words))

    # --- changes that are told --------------------------------------------------------------------
    def move_thing(self, name: str, where: str) -> None:
        """Something is elsewhere now."""
        self.reader.learn(name)
        self.first.setdefault(name, (where, frozenset()))
        if where == GONE:
            self.place.pop(name, None)
        else:
            self.place[name] = where
        self.words.setdefault(name, frozenset())

    def say(self, name: str, word: str, *, holds: bool) -> None:
        """A word is said of something from now on, or no longer."""
        old = self.words.get(name, frozenset())
        self.words[name] = old | {word} if holds else old - {word}
        self.known_words.add(word)
        self.fickle.add(word)

    def at_start(self) -> Belief:
        """What would be held true after a restart."""
        other = replace(self)
        other.restart()
        return other

    def restart(self) -> None:
        """Everything is as it was at the start, as far as that was seen."""
        self.at = self.start
        self.place = {name: where for name, (where, _) in self.first.items() if name not in self.made}
        self.words = {name: words for name, (_, words) in self.first.items()}
        self.closer, self.shown = set(), {}

    made: set[str] = field(default_factory=set)
    """Things that were not there at the start: first seen as the effect of a command."""
