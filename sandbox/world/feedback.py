"""What the world answers: changes that the player can see, refusals in as much detail as is allowed.

A reply names what changed, in the words of the room; where success is *silent*, what the command named is done without
a word, and only what else turns up, goes or befalls the player is said. A refusal's *cause* is a code that no player
sees; detail and voice decide what is said of it: nothing, so that it reads like an act of which nothing can be seen,
that something failed, which thing stood in the way, or which requirement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sandbox.world import spec
from sandbox.world.causes import CAUSES, check_voice
from sandbox.world.english import English, article
from sandbox.world.ground import Ground
from sandbox.world.phrases import Phrases
from sandbox.world.spec import And, Atom, Call, Compare, Exists, Formula, Need, Not, Or, Term, Total, Var
from sandbox.world.values import Group
from sandbox.world.view import View
from sandbox.world.world import World

_YOU = ""
"""In the place of an object: the player."""


class _Said(NamedTuple):
    """What to say of an object when a bit is set (`on`) or cleared (`off`).

    With a `place` it is a whole sentence; else a word for its state, and words of one object share a sentence.
    """

    id: str
    on: str
    off: str
    place: str | None


class _Requirement(NamedTuple):
    """A need of an action, and which argument it speaks of: the first that it mentions, else the last."""

    formula: Formula
    cause: str
    named: int


class Reply:
    """Writes replies in one world's voice."""

    def __init__(self, world: World, ground: Ground, view: View, english: English) -> None:
        self._view, self._english, self.names = view, english, world.names
        self.detail, self.silent = world.feedback.detail, world.feedback.success == "silent"
        check_voice(world.feedback.phrases, world.feedback.voice)
        self.phrases = Phrases(world.feedback.phrases, f"feedback {world.feedback.voice!r}")
        self._and, self._also = self.phrases.say("and"), self.phrases.say("also")
        self._accepted = self.phrases.around("accepted", "items")
        self._said: dict[int, _Said] = {}
        self._held: dict[str, int] = {}
        self._words = {f.name: f.words for f in world.rules.functions}
        for group in ground.groups.values():
            self._prepare(group)
        open_ = ((h, ground.groups.get(("open", (h,)))) for h in ground.members("holder"))
        self._told = sum(self._said)
        self._lids = {group.mask for _, group in open_ if group is not None}
        self._params = {a.name: [name for name, _ in a.params] for a in world.rules.actions}
        self._needs = {a.name: [_requirement(n, self._params[a.name]) for n in a.needs] for a in world.rules.actions}

    def _prepare(self, group: Group) -> None:
        """The sentences for each bit of a group."""
        if group.name == spec.HERE or len(group.args) > 1:
            return
        id_ = group.args[0] if group.args else _YOU
        name = self.names.get(id_, "")
        if group.name == spec.PLACE:
            for value, bit in zip(group.values, group.bits, strict=True):
                self._said[bit] = _Said(id_, self._moved(name, str(value)), "", str(value))
                if value == spec.CARRIED:
                    self._held[id_] = bit
            return
        words = self._words[group.name]
        if len(group.bits) == 1:
            off = words[0] or (self.phrases.say("no_longer", word=words[1]) if words[1] else "")
            self._said[group.mask] = _Said(id_, words[1], off, None)
            return
        for bit, word in zip(group.bits, words, strict=True):
            self._said[bit] = _Said(id_, word, "", None)

    def _moved(self, name: str, value: str) -> str:
        if value in (spec.CARRIED, spec.GONE):
            key = "have" if value == spec.CARRIED else "gone"
            return self.phrases.say(key, name=name, Name=name.capitalize())
        return self.phrases.say("lies", name=name, Name=name.capitalize(), place=self.names[value])

    # --- changes ------------------------------------------------------------------------------
    def changes(self, old: int, new: int, before: str, after: str, named: Sequence[str] = ()) -> list[str]:
        """A sentence for each object that the player can see to change, in bit order.

        `named` are the things that the command named: silent success says nothing of them, nor of states.
        """
        changed = (old ^ new) & self._told
        if not changed:
            return []
        said: list[str] = []
        states: dict[str, list[str]] = {}
        opened: list[str] = []
        while changed:
            bit = changed & -changed
            changed ^= bit
            entry = self._said[bit]
            text = entry.on if new & bit else entry.off
            if not text or not self._visible(entry, old, new, before, after):
                continue
            if entry.place is None and new & bit and bit in self._lids:
                opened.append(entry.id)
            if self.silent and (entry.id in named or (entry.place is None and entry.id != _YOU)):
                continue
            if entry.place is not None:
                said.append(text)
            else:
                states.setdefault(entry.id, []).append(text)
        for id_, words in states.items():
            said.append(self._is(id_, words))
        for id_ in opened:
            said += self._contents(id_, new)
        return said

    def _is(self, id_: str, words: Sequence[str]) -> str:
        word = self._and.join(words)
        if id_ == _YOU:
            return self.phrases.say("you", word=word)
        name = self.names[id_]
        return self.phrases.say("is", name=name, Name=name.capitalize(), word=word)

    def accepted(self, said: Sequence[str]) -> str:
        """The reply to an accepted command, from its sentences."""
        return self._also.join(said).join(self._accepted)

    @property
    def unseen(self) -> str:
        """The reply to an accepted act of which nothing is to be said."""
        return self.phrases.say("silence" if self.silent else "nothing")

    def selected(self, id_: str) -> str:
        """The reply to turning to a thing."""
        name = self.names[id_]
        return self.unseen if self.silent else self.phrases.say("selected", name=name, Name=name.capitalize())

    def taken(self, id_: str, text: str) -> str:
        """The reply to a command that left out a thing, with what was taken for it."""
        name = self.names[id_]
        return text if self.silent else self.phrases.say("taken", name=name, Name=name.capitalize(), text=text)

    def _contents(self, id_: str, state: int) -> Iterator[str]:
        """What lies in a holder that was opened."""
        inside = self._view.inside(state, id_)
        if inside:
            names, name = [item.name for item in inside], self.names[id_]
            yield self.phrases.say(
                "contents", name=name, Name=name.capitalize(), items=self._view.content_comma.join(names),
                a_items=self._and.join([article(name) for name in names]),
            )

    def _visible(self, entry: _Said, old: int, new: int, before: str, after: str) -> bool:
        if entry.place is not None and before != after:
            if old & self._held.get(entry.id, 0):
                return True  # it left the hands on the way
            if entry.place == after:
                return False  # the view of the room just entered shows it
        if entry.id == _YOU or self._view.sees(entry.id, new, after):
            return True
        return entry.place is not None and before == after and self._view.sees(entry.id, old, before)

    # --- refusals -----------------------------------------------------------------------------
    def unread(self, cause: str, word: str) -> str:
        """The reply to a text that is no command."""
        return self._refusal(cause, name=word, need="")

    def refused(self, action: str, args: Sequence[str], number: int) -> str:
        """The reply to a command whose requirement of that number fails."""
        formula, cause, named = self._needs[action][number]
        name, said = self.names.get(args[named], "") if args else "", ""
        if self.detail == "requirement":
            labels = {var: f"the {self.names[id_]}" for var, id_ in zip(self._params[action], args, strict=True)}
            said = self._english.formula(formula, labels)
        return self._refusal(cause, name=name, need=said)

    def wrong(self, cause: str, id_: str) -> str:
        """The reply to a command with a thing of the wrong kind, out of reach, or named twice."""
        return self._refusal(cause, name=self.names[id_], need="")

    def _refusal(self, cause: str, *, name: str, need: str) -> str:
        say = self.phrases.say
        if self.detail == "nothing":
            return self.accepted([self.unseen])
        if self.detail == "something":
            return say("something")
        if need:
            return say("requirement", need=need)
        return say(f"thing.{cause if cause in CAUSES else 'other'}", name=name, Name=name.capitalize())


def _requirement(need: Need, params: Sequence[str]) -> _Requirement:
    named = next((name for name in _mentioned(need.formula) if name in params), None)
    return _Requirement(need.formula, need.cause, -1 if named is None else params.index(named))


def _mentioned(formula: Formula) -> Iterator[str]:
    """The variables of a formula in reading order."""
    if isinstance(formula, And | Or):
        for part in formula.parts:
            yield from _mentioned(part)
    elif isinstance(formula, Not):
        yield from _mentioned(formula.part)
    elif isinstance(formula, Exists | Total):
        yield from _mentioned(formula.where)
    elif isinstance(formula, Compare):
        yield from _terms((formula.left, formula.right))
    else:
        assert isinstance(formula, Atom)
        yield from _terms(formula.args)


def _terms(terms: Sequence[Term]) -> Iterator[str]:
    for term in terms:
        if isinstance(term, Var):
            yield term.name
        elif isinstance(term, Call):
            yield from _terms(term.args)
