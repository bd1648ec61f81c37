"""Text ↔ intents: the command grammar of one world, compiled.

Names and fixed words form a prefix-free set of word sequences, so a text splits into them in one way;
the sequence of fixed words and gaps then names the action. Parsing is a walk through a trie and one
look-up. Any text has exactly one outcome: a `Phrase`, or the cause why it is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sandbox.errors import TemplateError
from sandbox.world.spec import Grammar

LONGEST = 400
"""Longer texts cannot be commands; they are refused without being split."""

SELECT = "select"
Trie: TypeAlias = dict[str, "Trie | _Leaf"]


class Phrase(NamedTuple):
    """A parsed command. `args[0]` is None when the grammar leaves it to what is selected."""

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
        self._canonical: dict[str, list[str]] = {}
        self._arity = dict(actions)
        fixed: set[str] = set()
        affixes: set[str] = {""}
        for action, patterns in self.patterns():
            for number, pattern in enumerate(patterns):
                tokens = pattern.split()
                if number == 0:
                    self._canonical[action] = tokens
                self._shape(action, tokens, fixed, affixes)
        self._words = fixed | {a for a in affixes if a}
        for word in sorted(fixed):
            self._insert(word.split(), _Leaf(word, None))
        for id_, name in names.items():
            for affix in sorted(affixes):
                self._insert((name + affix).split(), _Leaf("@" + affix, id_))
        self.known = frozenset(w for n in names.values() for w in n.split()) | fixed
        self._pieces = self.known | {n.split()[-1] + a for n in names.values() for a in affixes}

    def patterns(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        """Every action with its patterns, canonical first; `select` last where the protocol has it."""
        yield from self.grammar.spellings
        if self.grammar.select:
            yield SELECT, (self.grammar.select,)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Every word that the parser knows, sorted, with no parts of speech."""
        return tuple(sorted(self.known | self._words))

    def _shape(self, action: str, tokens: Sequence[str], fixed: set[str], affixes: set[str]) -> None:
        shape, order = [], []
        for token in tokens:
            if token[0] == "{":
                number, _, affix = token[1:].partition("}")
                order.append(int(number))
                affixes.add(affix)
                shape.append("@" + affix)
            else:
                fixed.add(token)
                shape.append(token)
        in_order = order == list(range(self._arity.get(action, len(order))))
        known = action, None if in_order else tuple(order)
        taken = self._shapes.setdefault(tuple(shape), known)
        if taken != known:
            raise TemplateError(
                f"actions {taken[0]!r} and {action!r} would both be typed as {' '.join(tokens)!r}",
                "give one of them another verb",
            )

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
    def parse(self, text: str) -> Phrase | str:
        """The phrase that a text says, or the cause why it says none."""
        if len(text) > LONGEST and len(text.strip()) > LONGEST:
            return "bad_syntax"
        words = text.casefold().split()
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
        words = text[:LONGEST].casefold().split()
        return next((word for word in words if word not in self._pieces), "")

    # --- writing -----------------------------------------------------------------------------
    def command(self, action: str, args: Sequence[str]) -> str:
        """The canonical command of an intent (without a selection that the protocol may ask for)."""
        return self.fill(self._canonical[action], args)

    def fill(self, tokens: Sequence[str], args: Sequence[str]) -> str:
        """A pattern with names in its gaps."""
        out = []
        for token in tokens:
            number, _, affix = token[1:].partition("}")
            out.append(self._names[args[int(number)]] + affix if token[0] == "{" else token)
        return " ".join(out)

    def needs_selection(self, action: str) -> bool:
        """Whether the action's first argument is what was selected before."""
        tokens = self._canonical[action]
        return self._arity.get(action, 0) > 0 and not any(t.startswith("{0}") for t in tokens)
