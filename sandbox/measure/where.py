"""Choosing worlds of a pack by what their rows say: `steps > 12 and live >= 3 and lock in families`.

    expression   alternative { or alternative }          alternative   part { and part }
    part         not part | ( expression ) | test
    test         COLUMN | COLUMN OP VALUE | WORD in COLUMN | WORD not in COLUMN
    OP           = == != < <= > >=                        VALUE         a number, a word, "a text" or another column

Columns are COLUMNS, the load's parts by their short names, and every slot of the rule set by its full name
(`rules/lock/match = shape`). A world that lacks the slot, or of which a value is not known, does not meet a test of it,
and meets `!=`. Nothing is ever evaluated as a program.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeAlias

from sandbox.errors import UnknownName, UsageError, nearest
from sandbox.world.world import AXES

Record: TypeAlias = Mapping[str, Any]
Test: TypeAlias = Callable[[Record], bool]
Value: TypeAlias = "str | float | bool | list[str] | None"

LONGEST: Final = 2_000
DEEPEST: Final = 50


@dataclass(frozen=True, slots=True)
class Column:
    """What a row can be chosen by: its place in the record, its type (number, word, words, truth), and what it says."""

    path: tuple[str, ...]
    type: str
    says: str

    def of(self, record: Record) -> Value:
        """The value in a row; None where it is not known."""
        found: Any = record
        for key in self.path:
            found = found.get(key) if isinstance(found, Mapping) else None
        return len(found) if self.type == "number" and isinstance(found, list) else found


def _proof(name: str) -> tuple[str, ...]:
    return "certificate", name


def _load(*names: str) -> tuple[str, ...]:
    return "certificate", "load", *names


COLUMNS: Final[Mapping[str, Column]] = {
    "ref": Column(("ref",), "word", "the reference"),
    "seed": Column(("seed",), "word", "the seed"),
    "recipe": Column(("recipe",), "word", "the recipe"),
    "families": Column(("families",), "words", "the rule families that were drawn"),
    "used": Column(_proof("families"), "words", "the families that the plan uses"),
    "rooms": Column(("rooms",), "number", "rooms of the map"),
    "objects": Column(("objects",), "number", "objects of the map"),
    "steps": Column(_proof("steps"), "number", "commands of the certified plan"),
    "bound": Column(_proof("lower_bound"), "number", "commands that no plan goes below"),
    "tier": Column(_proof("tier"), "word", "exact or witness"),
    "states": Column(_proof("states"), "number", "states explored for the proof"),
    "branching": Column(_proof("branching"), "number", "moves tried in each of them, on average"),
    "dead_ends": Column(_proof("dead_ends"), "number", "share of dead ends near the plan"),
    "cruelty": Column(_proof("cruelty"), "word", "merciful, polite, tough, nasty or cruel"),
    "uses": Column(_proof("families"), "number", "how many families the plan uses"),
    "live": Column(("live",), "number", "live slots of the rules"),
    "live_structure": Column(("live_structure",), "number", "those of them that are of kind structure"),
    "live_slots": Column(("live",), "words", "the names of the live slots"),
    "kinds": Column(("kinds",), "words", "structural kinds: irreversible, ordered, ticking, distant, shared, hidden"),
    "surprises": Column(_proof("surprises"), "number", "live slots with an unusual value"),
    "prior_solvable": Column(_proof("prior_solvable"), "truth", "whether common sense is enough"),
    "shown_before_used": Column(_proof("shown_before_used"), "truth", "whether every word is shown in time"),
    "deeds": Column(_load("plan", "deeds"), "number", "load: commands that are no walking"),
    "actions": Column(_load("plan", "actions"), "number", "load: distinct actions of the plan"),
    "knowledge": Column(_load("knowledge"), "number", "load: surprises that nothing tells"),
    "search": Column(_load("search"), "number", "load: steps until everything needed can have been shown"),
    "memory": Column(_load("memory"), "number", "load: commands between a name on the screen and its use"),
    "trap": Column(_load("trap"), "number", "load: share of states near the plan where the goal is lost"),
    "interface": Column(_load("interface"), "number", "load: share of the plan's forms that help does not give"),
    "noise": Column(_load("noise"), "number", "load: share of objects that are not needed"),
}

_OPS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>-?\d+(?:\.\d+)?(?![\w/.]))|(?P<text>"[^"]*"|'[^']*')|(?P<op><=|>=|==|!=|[=<>()])"""
    r"""|(?P<word>[\w.+-]+(?:/[\w.+-]+)*))"""
)
_WORDS: Final = ("and", "or", "not", "in")
_EXAMPLE: Final = 'write it like this: "steps > 12 and live >= 3 and lock in families"'


def compiled(text: str, slots: Collection[str] = ()) -> Test:
    """The test that an expression says. `slots` are slot names that are known; the rest are checked for their form.

    Raises UsageError with the place of what cannot be read, and UnknownName with the nearest column.
    """
    if len(text) > LONGEST:
        raise UsageError(f"an expression of {len(text)} characters is too long", f"at most {LONGEST} are read")
    return _Parser(text, frozenset(slots)).whole()


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """(sort, text, place) of each token; the last one is of sort `end`."""
    at = 0
    while at < len(text.rstrip()):
        found = _TOKEN.match(text, at)
        if found is None:
            place = at + len(text[at:]) - len(text[at:].lstrip())
            raise UsageError(f"cannot read {text!r}: {text[place]!r} at character {place + 1}", _EXAMPLE)
        sort = str(found.lastgroup)
        yield sort, found[sort], found.start(sort)
        at = found.end()
    yield "end", "", len(text)


class _Parser:
    """Recursive descent, one method a rule of the grammar above."""

    def __init__(self, text: str, slots: frozenset[str]) -> None:
        self._text, self._slots = text, slots
        self._left = list(_tokens(text))
        self._depth = 0

    def whole(self) -> Test:
        test = self._either()
        if self._left[0][0] != "end":
            self._fail("and, or, or nothing more")
        return test

    def _either(self) -> Test:
        self._depth += 1
        if self._depth > DEEPEST:
            raise UsageError(f"an expression nested more than {DEEPEST} deep", "write it flatter")
        tests = [self._all()]
        while self._take("or"):
            tests.append(self._all())
        self._depth -= 1
        return tests[0] if len(tests) == 1 else lambda record: any(test(record) for test in tests)

    def _all(self) -> Test:
        tests = [self._part()]
        while self._take("and"):
            tests.append(self._part())
        return tests[0] if len(tests) == 1 else lambda record: all(test(record) for test in tests)

    def _part(self) -> Test:
        negations = 0
        while self._take("not"):
            negations += 1
        if self._take("("):
            test = self._either()
            if not self._take(")"):
                self._fail(")")
        else:
            test = self._test()
        return (lambda record: not test(record)) if negations % 2 else test

    def _test(self) -> Test:
        sort, text, _ = self._left[0]
        if sort not in ("word", "text", "number") or text in _WORDS:
            self._fail("a column")
        self._left.pop(0)
        negated = self._left[0][1] == "not" and self._left[1][1] == "in"
        if negated:
            self._left.pop(0)
        if self._take("in"):
            return self._membership(_plain(sort, text), negated=negated)
        if sort != "word":
            self._unknown(text)
        return self._comparison(text)

    def _membership(self, wanted: str, *, negated: bool) -> Test:
        name = self._word("a column of words")
        column = self._column(name)
        if column.type != "words":
            raise UsageError(f"{name} holds one {column.type}, not several words", f"compare it: {name} = {wanted}")

        def test(record: Record) -> bool:
            words = column.of(record)
            return (isinstance(words, list) and wanted in words) != negated

        return test

    def _comparison(self, name: str) -> Test:
        column = self._column(name)
        sort, op, _ = self._left[0]
        if sort != "op" or op not in _OPS:
            if column.type != "truth":
                self._fail("=, !=, <, <=, > or >=")
            return lambda record: column.of(record) is True
        self._left.pop(0)
        compare = _OPS[op]
        if column.type == "words":
            sort, wanted, _ = self._left[0]
            asked = wanted if sort == "word" else "WORD"
            raise UsageError(f"{name} holds several words and cannot be compared", f"write: {asked} in {name}")
        value = self._value(name, column, op)
        other = value if isinstance(value, Column) else None

        def test(record: Record) -> bool:
            mine = column.of(record)
            theirs = other.of(record) if other else value
            if mine is None or theirs is None:
                return op == "!="
            return bool(compare(mine, theirs))

        return test

    def _value(self, name: str, column: Column, op: str) -> float | str | bool | Column:
        """What a column is compared with, of the column's own type."""
        sort, text, _ = self._left.pop(0)
        if sort not in ("word", "text", "number") or text in _WORDS:
            self._fail("a number, a word or a column", text)
        other = COLUMNS.get(text) if sort == "word" else None
        if other is not None and other.type == column.type:
            return other
        if column.type == "number":
            if sort != "number":
                raise UsageError(f"{name} is a number and cannot be compared with {text}", f"write: {name} {op} 3")
            return float(text)
        if op not in ("=", "==", "!="):
            raise UsageError(f"{name} is no number: {op} says nothing of it", f"write: {name} = {text}")
        if column.type == "truth":
            if text not in ("true", "false"):
                raise UsageError(f"{name} is true or false, not {text}", f"write {name}, or: not {name}")
            return text == "true"
        return _plain(sort, text)

    # --- names and tokens -----------------------------------------------------------------------
    def _column(self, name: str) -> Column:
        if name in COLUMNS:
            return COLUMNS[name]
        known = name in self._slots if self._slots else name.partition("/")[0] in AXES
        if "/" not in name or not known:
            self._unknown(name)
        return Column(("slots", name), "word", "a slot")

    def _unknown(self, name: str) -> NoReturn:
        known = [*COLUMNS, *sorted(self._slots)]
        meant = nearest(name, known)
        hint = f"did you mean {meant}?" if meant else f"columns: {', '.join(COLUMNS)}; and slots, e.g. rules/lock/match"
        raise UnknownName("column", name, known, hint)

    def _word(self, wanted: str) -> str:
        sort, text, _ = self._left[0]
        if sort != "word" or text in _WORDS:
            self._fail(wanted)
        self._left.pop(0)
        return text

    def _take(self, text: str) -> bool:
        if self._left[0][1] == text and self._left[0][0] in ("word", "op"):
            self._left.pop(0)
            return True
        return False

    def _fail(self, wanted: str, found: str | None = None) -> NoReturn:
        text = self._left[0][1] if found is None else found
        said = repr(text) if text else "the end"
        raise UsageError(f"cannot read {self._text!r}: expected {wanted}, found {said}", _EXAMPLE)


def _plain(sort: str, text: str) -> str:
    return text[1:-1] if sort == "text" else text
