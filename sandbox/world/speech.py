"""Text ↔ intents: the command grammar of one world, compiled.

Names and fixed words form a prefix-free set of word sequences, so a text splits into them in one way;
the sequence of fixed words and gaps then names the action. Parsing is a walk through a trie and one
look-up. Any text has exactly one outcome: a `Phrase`, or the cause why it is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sandbox.errors import TemplateError
from sandbox.world.spec import Grammar

LONGEST = 400
"""Longer texts cannot be commands; they are refused without being split."""

SELECT, CONFIRM, ASK = "select", "confirm", "ask"
"""Commands of a protocol: turning to a thing, and saying yes to what was asked back; asking back is logged as `ask`."""
PREPARES = frozenset({SELECT, ASK})
"""What is logged of a command that only prepares another one: it changes no fact and takes no world time."""

_GAP = re.compile(r"\{([01])\}")
_GAPS = {"\x00": 0, "\x01": 1}
Trie: TypeAlias = dict[str, "Trie | _Leaf"]


class Phrase(NamedTuple):
    """A parsed command. An argument is None where the grammar leaves it to what is selected, or to what is at hand."""

    action: str
    args: tuple[str | None, ...]


class _Leaf(NamedTuple):
    """The end of a word sequence: a fixed word, or an object with its affix."""

    word: str
    id: str | None


class Speech:
    """Parses and writes the commands of one world.

    `names` maps ids to names, `actions` an action to its arity. Raises TemplateError when two
    patterns or names collide, since a text could then mean two things.
    """

    def __init__(self, grammar: Grammar, names: Mapping[str, str], actions: Mapping[str, int]) -> None:
        self.grammar, self._names = grammar, names
        self._trie: Trie = {}
        # A sequence of fixed words and gaps → its action and which argument each gap is; None where they are in order.
        self._shapes: dict[tuple[str, ...], tuple[str, tuple[int, ...] | None]] = {}
        self._canonical: dict[str, str] = {}
        self._short = dict(grammar.short)
        self._arity = dict(actions)
        fixed: set[str] = set()
        affixes: set[str] = {""}
        for action, patterns in self.patterns():
            self._canonical[action] = patterns[0]
            for pattern in (*patterns, *filter(None, [self._short.get(action)])):
                self._shape(action, pattern, fixed, affixes)
        for word in sorted(fixed):
            self._insert([word], _Leaf(word, None))
        for id_, name in names.items():
            for affix in sorted(affixes):
                self._insert((name + affix).split(), _Leaf("@" + affix, id_))
        named = {word for name in names.values() for word in name.split()}
        marks = set(grammar.marks)
        self.known = frozenset(named | (fixed - marks))
        self._affixes = affixes - {""}
        self._pieces = self.known | marks | {n.split()[-1] + a for n in names.values() for a in affixes}

    def patterns(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        """Every action with its patterns, canonical first; the commands of the protocol last."""
        yield from self.grammar.spellings
        for action, pattern in ((SELECT, self.grammar.select), (CONFIRM, self.grammar.confirm)):
            if pattern:
                yield action, (pattern,)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Every word that the parser knows, sorted, with no parts of speech."""
        return tuple(sorted(self.known | self._affixes))

    def _shape(self, action: str, pattern: str, fixed: set[str], affixes: set[str]) -> None:
        shape, order = [], []
        for token in self._tokens(pattern):
            if token[0] in _GAPS:
                order.append(_GAPS[token[0]])
                affixes.add(token[1:])
                shape.append("@" + token[1:])
            else:
                fixed.add(token)
                shape.append(token)
        in_order = order == list(range(self._arity.get(action, len(order))))
        known = action, None if in_order else tuple(order)
        taken = self._shapes.setdefault(tuple(shape), known)
        if taken != known:
            raise TemplateError(
                f"actions {taken[0]!r} and {action!r} would both be typed as {pattern!r}",
                "give one of them another verb",
            )

    def _tokens(self, pattern: str) -> list[str]:
        """A pattern's words and marks, its gaps as one character each with their affixes."""
        return self._split(_GAP.sub(lambda gap: chr(int(gap[1])), pattern))

    def parts(self, pattern: str) -> tuple[list[str], list[str]]:
        """The fixed words and the affixes of a pattern, marks left out."""
        tokens = [token for token in self._tokens(pattern) if token not in self.grammar.marks]
        return [t for t in tokens if t[0] not in _GAPS], [t[1:] for t in tokens if t[0] in _GAPS and t[1:]]

    def _insert(self, words: Sequence[str], leaf: _Leaf) -> None:
        at = self._trie
        for word in words[:-1]:
            inner = at.setdefault(word, {})
            if isinstance(inner, _Leaf):
                raise TemplateError(f"{' '.join(words)!r} begins with the word or name {inner.word!r}")
            at = inner
        if words[-1] in at:
            raise TemplateError(f"the words {' '.join(words)!r} would mean two things")
        at[words[-1]] = leaf

    # --- reading -----------------------------------------------------------------------------
    def _split(self, text: str) -> list[str]:
        """The words and marks of a text whose case is folded."""
        for mark in self.grammar.marks:
            text = text.replace(mark, f" {mark} ")
        return text.split()

    def parse(self, text: str) -> Phrase | str:
        """The phrase that a text says, or the cause why it says none."""
        if len(text) > LONGEST and len(text.strip()) > LONGEST:
            return "bad_syntax"
        words = self._split(text.casefold())
        if not words:
            return "empty"
        shape: list[str] = []
        ids: list[str] = []
        at = self._trie
        for word in words:
            found = at.get(word)
            if found is None:
                return self._why(words)
            if isinstance(found, dict):
                at = found
                continue
            fixed, id_ = found
            shape.append(fixed)
            if id_ is not None:
                ids.append(id_)
            at = self._trie
        known = self._shapes.get(tuple(shape)) if at is self._trie else None
        if known is None:
            return self._why(words)
        action, order = known
        return Phrase(action, tuple(ids)) if order is None else self._arranged(action, order, ids)

    def _arranged(self, action: str, order: tuple[int, ...], ids: list[str]) -> Phrase:
        args: list[str | None] = [None] * self._arity.get(action, len(order))
        for place, id_ in zip(order, ids, strict=True):
            args[place] = id_
        return Phrase(action, tuple(args))

    def _why(self, words: Sequence[str]) -> str:
        return "bad_syntax" if all(word in self._pieces for word in words) else "unknown_word"

    def unknown(self, text: str) -> str:
        """The first word of a text that the parser does not know, or ''."""
        return next((word for word in self._split(text[:LONGEST].casefold()) if word not in self._pieces), "")

    # --- writing -----------------------------------------------------------------------------
    def command(self, action: str, args: Sequence[str]) -> str:
        """The canonical command of an intent (without a selection that the protocol may ask for)."""
        return self.fill(self._canonical[action], args)

    def short(self, action: str, args: Sequence[str]) -> str | None:
        """The command that leaves out the second argument, where the grammar has one."""
        pattern = self._short.get(action)
        return None if pattern is None else self.fill(pattern, args)

    def fill(self, pattern: str, args: Sequence[str]) -> str:
        """A pattern with names in its gaps."""
        return _GAP.sub(lambda gap: self._names[args[int(gap[1])]], pattern)

    def pattern_of(self, command: str) -> tuple[str, tuple[str, ...]] | None:
        """The pattern by which a command was said, and the things that it names; None for what is no command."""
        phrase = self.parse(command)
        if isinstance(phrase, str):
            return None
        named = [arg or "" for arg in phrase.args]
        patterns = (*dict(self.patterns())[phrase.action], *filter(None, [self._short.get(phrase.action)]))
        words, left_out = self._split(command.casefold()), {f"{{{n}}}" for n, arg in enumerate(named) if not arg}
        for pattern in patterns:
            if not any(gap in pattern for gap in left_out) and self._split(self.fill(pattern, named)) == words:
                return pattern, tuple(filter(None, named))
        return None

    def needs_selection(self, action: str) -> bool:
        """Whether the action's first argument is what was selected before."""
        return self._arity.get(action, 0) > 0 and "{0}" not in self._canonical[action]
