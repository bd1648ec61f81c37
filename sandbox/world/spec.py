"""The typed tree: what a rule set says, as frozen values that run, print, compare and mutate alike.

Everything that can change is a *function* of objects with a finite range: a fact is a function to
{false, true}, a counter one to a range of numbers, `place(x)` one to rooms, holders, `carried` and
`gone`, and `here` (the player's room) one without arguments. Formulas test functions, effects set them.
Nothing in this module knows how rules are parsed, compiled or shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

Value: TypeAlias = str | int | bool

CARRIED = "carried"
GONE = "gone"
PLACE = "place"
HERE = "here"
LOST = "lost"
"""The fact, without parameters, that all is lost; it exists where a rule set has a `lose` statement."""


# --- terms -------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Var:
    """A parameter or bound variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Const:
    """A value: a word of a domain, a number, `carried` or `gone`."""

    value: Value


@dataclass(frozen=True, slots=True)
class Call:
    """The value of a function: `colour(k)`, `growth(p)`, `place(x)`, `here`."""

    name: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Ordinal:
    """The 1-based number of an object among its kind; `shift` is added to it."""

    var: str
    shift: int = 0


Term: TypeAlias = Var | Const | Call | Ordinal


# --- formulas ----------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Atom:
    """A fact, a relation of the layout, or a derived predicate, applied to terms."""

    name: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """`left op right`, op one of = != < <= > >=. Words of a domain compare by their order in it."""

    op: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    """True when `part` is not."""

    part: Formula


@dataclass(frozen=True, slots=True)
class And:
    """True when every part is; an empty one is true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """True when some part is; an empty one is false."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """True when some object of `kind` meets `where`."""

    var: str
    kind: str
    where: Formula


@dataclass(frozen=True, slots=True)
class Total:
    """The number (or summed `weight`) of objects of `kind` that meet `where`, compared with a bound."""

    weight: Term | None
    var: str
    kind: str
    where: Formula
    op: str
    bound: int


Formula: TypeAlias = Atom | Compare | Not | And | Or | Exists | Total
TRUE = And(())


# --- effects -----------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Assign:
    """Set function `name(args)` to `value`."""

    name: str
    args: tuple[Term, ...]
    value: Term


@dataclass(frozen=True, slots=True)
class Add:
    """Move counter `name(args)` by `delta`, stopping at the ends of its range."""

    name: str
    args: tuple[Term, ...]
    delta: int


@dataclass(frozen=True, slots=True)
class Effect:
    """A change, for every binding of `over` that meets `where` in the state before the rule."""

    change: Assign | Add
    over: tuple[tuple[str, str], ...] = ()
    where: Formula = TRUE


@dataclass(frozen=True, slots=True)
class Need:
    """A requirement of an action and the cause of refusal when it fails."""

    formula: Formula
    cause: str
    family: str = field(default="", compare=False)


# --- declarations ------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of object. `parent` is thing, fixture or room, or a kind below them."""

    name: str
    parent: str
    holds: bool = False
    called: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A fact, attribute or counter. `values` is its range in order; `words` says each value.

    `drawn` attributes are given to objects by the layout and do not change.
    """

    name: str
    params: tuple[tuple[str, str], ...]
    values: tuple[Value, ...]
    words: tuple[str, ...]
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A static relation that the layout fills; `phrase` says a fact of it, `_` standing for objects."""

    name: str
    params: tuple[tuple[str, str], ...]
    phrase: str = ""


@dataclass(frozen=True, slots=True)
class Derive:
    """A predicate defined by a formula over its parameters."""

    name: str
    params: tuple[tuple[str, str], ...]
    formula: Formula


@dataclass(frozen=True, slots=True)
class Action:
    """What the player can do. `spellings` are English patterns, `_` standing for arguments in order.

    `inform` marks information actions: they change no fact and take no world time.
    """

    name: str
    params: tuple[tuple[str, str], ...]
    spellings: tuple[str, ...]
    needs: tuple[Need, ...]
    makes: tuple[Effect, ...]
    family: str
    inform: bool = False


@dataclass(frozen=True, slots=True)
class Law:
    """An event (fires when its condition holds after an action) or an each-step rule."""

    name: str
    over: tuple[tuple[str, str], ...]
    when: Formula
    makes: tuple[Effect, ...]
    family: str
    each_step: bool


@dataclass(frozen=True, slots=True)
class Aim:
    """A pattern of goal facts: every binding of `over` is a candidate.

    What is `kept` is true at the start and has to be true in the end: it joins goals whose plan would break it.
    """

    formula: Formula
    over: tuple[tuple[str, str], ...]
    family: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Objects that the layout must hold: how many, of what kind, bound to what, and where."""

    count: int
    kind: str
    var: str
    per: tuple[str, str] | None
    where: Formula
    links: tuple[tuple[str, str, str], ...]
    at: str
    stage: str
    family: str


@dataclass(frozen=True, slots=True)
class Start:
    """An initial value; `sometimes` lets the layout toss a coin for each binding."""

    change: Assign
    over: tuple[tuple[str, str], ...]
    where: Formula
    sometimes: bool


@dataclass(frozen=True)
class Rules:
    """A merged rule set: the core and the drawn families, in recipe order."""

    kinds: tuple[Kind, ...]
    functions: tuple[Function, ...]
    relations: tuple[Relation, ...]
    derives: tuple[Derive, ...]
    actions: tuple[Action, ...]
    laws: tuple[Law, ...]
    aims: tuple[Aim, ...]
    places: tuple[Place, ...]
    starts: tuple[Start, ...]
    hints: tuple[str, ...]
    families: tuple[str, ...]

    @cached_property
    def ancestry(self) -> dict[str, frozenset[str]]:
        """Kind → the kinds it is: itself, its parents, `object` unless it is a room, `holder` if it holds."""
        parents = {kind.name: kind.parent for kind in self.kinds}
        holding = {kind.name for kind in self.kinds if kind.holds}
        found: dict[str, frozenset[str]] = {}
        for name in parents:
            line, at = [name], name
            while parents.get(at, at) not in line:
                at = parents.get(at, at)
                line.append(at)
            classes = {"object"} if at != "room" else set()
            found[name] = frozenset(line) | classes | ({"holder"} if holding & set(line) else set())
        return found

    @cached_property
    def lasting(self) -> frozenset[str]:
        """The actions that do more than tell, move, carry and wait: what the drawn families let the player do.

        A grammar that wants acts confirmed asks these back.
        """
        return frozenset(a.name for a in self.actions if not a.inform and a.family != self.families[0])

    def kind_of(self, name: str, ancestor: str) -> bool:
        """Whether kind `name` is `ancestor` or lies below it."""
        return ancestor in self.ancestry.get(name, ())


# --- the layout --------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Object:
    """One object: its id (never shown to a player), kind and drawn attributes."""

    id: str
    kind: str
    attributes: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """Rooms, objects, static relations (`exit` and `side` among them) and the initial state.

    `start` holds (function, arguments, value) for every function value that is not its default.
    """

    rooms: tuple[str, ...]
    objects: tuple[Object, ...]
    relations: tuple[tuple[str, tuple[str, ...]], ...]
    start: tuple[tuple[str, tuple[str, ...], Value], ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A ground test `name(args) = value`, the unit of goals. `want` False asks for any other value."""

    name: str
    args: tuple[str, ...]
    value: Value
    want: bool = True


@dataclass(frozen=True, slots=True)
class Milestone:
    """A kind of change, for open play: function `name` takes `value`, of whatever objects, having had another.

    For `place`, the value is carried, gone, or the sort of place: room or holder. A function that everything has, such
    as open, is told apart by what has it (`of`: door, fixture or thing).
    """

    name: str
    value: Value
    of: str = ""

    def __str__(self) -> str:
        name = f"{self.name}({self.of})" if self.of else self.name
        if isinstance(self.value, bool):
            return name if self.value else f"not {name}"
        return f"{name}={self.value}"


# --- how it is spoken --------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Grammar:
    """How intents are typed: word list, form and protocol, with each action's patterns spelled out.

    `spellings` maps an action to its patterns, canonical first: fixed words, and {0} or {1} for arguments
    (affixed as in "{0}-to" where the form says so). The characters of `marks` stand alone, whatever blanks are
    around them. With protocol `focus`, patterns of actions on an object leave out the first argument, which is
    `select`ed before; with `implicit`, `short` has patterns without the second argument, for which the first
    fitting object at hand is taken; with `confirm`, lasting actions are asked back until `confirm` is said.
    """

    form: str
    protocol: str
    words: str
    spellings: tuple[tuple[str, tuple[str, ...]], ...]
    select: str = ""
    short: tuple[tuple[str, str], ...] = ()
    confirm: str = ""
    marks: str = ""


@dataclass(frozen=True, slots=True)
class Theme:
    """Names: (id, name) for rooms and objects, a title and a premise."""

    name: str
    prior: str
    names: tuple[tuple[str, str], ...]
    title: str
    premise: str
