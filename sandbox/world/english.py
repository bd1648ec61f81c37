"""The rules in plain English, rendered from the typed tree by one function.

Help, hints, cards, `:rules` and `worlds rules` all come from here, so they are true by construction:
change a node of the tree and its sentence changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from sandbox.world import spec
from sandbox.world.spec import (
    Action,
    Add,
    Aim,
    And,
    Assign,
    Atom,
    Call,
    Compare,
    Const,
    Derive,
    Effect,
    Exists,
    Fact,
    Formula,
    Law,
    Not,
    Or,
    Ordinal,
    Relation,
    Rules,
    Term,
    Total,
    Var,
)

Labels: TypeAlias = Mapping[str, str]
"""Variable or object id → how it is called in a sentence, article included."""

_WHO = "@"
"""Begins the mark that stands for what a condition is about until its noun is put in."""
_SIGHT = {
    "sight": ("it is too dark to see", "there is light to see"),
    "reach": ("it is too dark to act", "there is light to act"),
}
"""How the core's predicates about light are said, when they fail and when they hold."""
_VOWEL = ("hour", "honest", "honour", "heir", "unin", "unim")
_NO_VOWEL = ("uni", "use", "usu", "ute", "uti", "uto", "ura", "ubi", "eu", "ewe", "one", "once")
"""Beginnings that sound unlike the letter they begin with."""
_SPELLED = tuple("AEFHILMNORSX")
"""Letters whose names begin with a vowel."""
_IT = re.compile(r"\b(it(self)?|them(selves)?)\b")
"""Where a condition speaks of something as "it" already, a second one is called by its noun."""
_ITS = re.compile(r"\bthe (\w+) of (?:it|them)\b")
_MANY = {"is": "are", "has": "have", "leads": "lead", "does": "do"}
"""The verbs that a condition on something begins with, and what they become where it is about several."""
_COMPARED = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least", "!=": "not"}


def article(name: str) -> str:
    """The name with its indefinite article; a name with a number in it needs none."""
    if any(c.isdigit() for c in name):
        return name
    if name.isupper():  # a code is spelled out: "an H", "a U"
        return f"{'an' if name.startswith(_SPELLED) else 'a'} {name}"
    vowel = name.startswith(_VOWEL) or (name[:1] in "aeiou" and not name.startswith(_NO_VOWEL))
    return f"{'an' if vowel else 'a'} {name}"


def plural(name: str, count: int = 2) -> str:
    """The plural of a regular noun phrase, unless there is one of it."""
    if count == 1:
        return name
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")


def _verb(name: str) -> str:
    """The verb that the name of a count goes with."""
    return "are" if name.endswith("s") and not name.endswith(("ss", "us", "is")) else "is"


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def _choices(node: Formula, want: bool) -> list[tuple[Formula, bool]]:
    """What a condition, or its negation where `want` is False, is a choice of, each to be wanted or not."""
    if isinstance(node, Not):
        return _choices(node.part, not want)
    if isinstance(node, And | Or) and isinstance(node, Or) == want and len(node.parts) > 1:
        return [(part, want) for part in node.parts]
    return []


def _mentioned(text: str, first: Labels, later: Labels) -> str:
    """The text with the `first` label of each variable where it comes first, and the `later` one from then on."""
    for var, label in first.items():
        head, *rest = re.split(rf"\b{re.escape(label)}\b", text)
        text = head + label + later[var].join(rest) if rest else text
    return text


def _unrepeated(said: Sequence[str], labels: Labels) -> list[str]:
    """Conditions without the subject of the one before, where a verb follows: "the bell is hot and is not wet"."""
    kept, names = list(said[:1]), [f"{name} " for name in labels.values() if name.startswith("the ")]
    for before, text in pairwise(said):
        who = next((name for name in names if text.startswith(name)), "")
        rest = text.removeprefix(who)
        kept.append(rest if who and before.startswith(who) and rest.partition(" ")[0] in _MANY else text)
    return kept


def _unequal(part: Formula, var: str, same: Sequence[str]) -> bool:
    """Whether a condition compares an object with one of the same kind so that the two cannot be one."""
    match part:
        case Compare("<" | ">", Call(left, (Var(one),)), Call(right, (Var(two),))) if left == right:
            return (one == var and two in same) or (two == var and one in same)
    return False


def _other(node: Exists, same: Sequence[str]) -> tuple[Formula, bool]:
    """The condition on an object without "it is not the one already spoken of", and whether it is another one."""
    parts = node.where.parts if isinstance(node.where, And) else (node.where,)
    unlike = [Compare("!=", *pair) for var in same for pair in ((Var(node.var), Var(var)), (Var(var), Var(node.var)))]
    kept = tuple(part for part in parts if part not in unlike)
    if not kept or len(kept) == len(parts):
        return node.where, any(_unequal(part, node.var, same) for part in parts)
    return (kept[0] if len(kept) == 1 else And(kept)), True


def _speaks_of(node: object, var: str) -> bool:
    """Whether a variable stands anywhere in a condition."""
    if isinstance(node, tuple):
        return any(_speaks_of(part, var) for part in node)
    if isinstance(node, Var):
        return node.name == var
    if isinstance(node, Ordinal):
        return node.var == var
    return any(_speaks_of(getattr(node, name), var) for name in getattr(type(node), "__slots__", ()))


class English:
    """Says the parts of one rule set. `kind_names` maps a kind to its noun in the theme."""

    def __init__(self, rules: Rules, kind_names: Callable[[str], str]) -> None:
        self._rules, self._kind = rules, kind_names
        self._functions = {f.name: f for f in rules.functions}
        self._relations = {r.name: r for r in rules.relations}
        self._derived = {d.name: d for d in rules.derives}

    # --- whole rules -------------------------------------------------------------------------
    def action(self, action: Action, command: str) -> str:
        """What an action needs and does, `command` being how it is typed."""
        labels = self.labels(action.params)
        needs = [self.formula(n.formula, labels) for n in action.needs if n.cause != spec.LOST]
        text = f"{command}: "
        if needs:
            text += f"only if {'; '.join(needs)}. "
        done = "; ".join(self.effect(e, labels, action.params) for e in action.makes)
        if any(effect.change.name == spec.HERE for effect in action.makes):
            done = done.replace("where you are", "where you were")  # all changes come at once, from where one stood
        return text + (sentence(f"then {done}") if done else "Nothing changes.")

    def law(self, law: Law) -> str:
        """An event or an each-step rule."""
        labels, later = self.labels(law.over, "a"), self.labels(law.over)
        when = "" if law.when == spec.TRUE else self.formula(law.when, labels)
        when = _mentioned(when, labels, later)
        done = "; ".join(self.effect(e, later if when else labels, law.over) for e in law.makes)
        if not law.each_step:
            return sentence(f"whenever {when or 'anything is done'}, {done}")
        return sentence("with every step" + (f", while {when}" if when else "") + f", {done}")

    def derive(self, derive: Derive) -> str:
        """What a predicate means."""
        labels = self.labels(derive.params)
        atom = Atom(derive.name, tuple(Var(var) for var, _ in derive.params))
        return sentence(f"{self.formula(atom, labels)} when {self.formula(derive.formula, labels)}")

    def aim(self, aim: Aim) -> str:
        """A pattern of goals."""
        how = "can also ask that in the end, as at the start," if aim.kept else "can be that"
        labels = self.labels(aim.over, "a")
        return sentence(f"a goal {how} {_mentioned(self.formula(aim.formula, labels), labels, self.labels(aim.over))}")

    def relation(self, relation: Relation, names: Sequence[str]) -> str:
        """A fact of a relation that has a phrase."""
        text = relation.phrase
        for name in names:
            text = text.replace("_", name, 1)
        return sentence(text)

    def labels(self, params: Sequence[tuple[str, str]], first: str = "the") -> dict[str, str]:
        """A label for each variable; two of one kind are told apart."""
        kinds = [kind for _, kind in params]
        labels: dict[str, str] = {}
        for i, (var, kind) in enumerate(params):
            noun = self._kind(kind)
            if kinds.count(kind) > 1:
                labels[var] = f"the {'first' if kinds.index(kind) == i else 'second'} {noun}"
            else:
                labels[var] = article(noun) if first == "a" else f"the {noun}"
        return labels

    # --- formulas ----------------------------------------------------------------------------
    def formula(self, node: Formula, labels: Labels, want: bool = True) -> str:
        """A condition as a clause; `want` False says its negation."""
        if isinstance(node, Not):
            return self.formula(node.part, labels, not want)
        if isinstance(node, And | Or):
            return self._joined(node, labels, want)
        if isinstance(node, Exists):
            return self._exists(node, labels, want)
        if isinstance(node, Total):
            return self._total(node, labels, want)
        if isinstance(node, Compare):
            return self._compare(node, labels, want)
        return self._atom(node, labels, want)

    def _joined(self, node: And | Or, labels: Labels, want: bool) -> str:
        """Parts that must all hold, or one of them; a choice among parts that must all hold begins with "either"."""
        said = [self.formula(part, labels, want) for part in node.parts]
        if isinstance(node, And) == want:
            said = [f"either {t}" if _choices(p, want) else t for p, t in zip(node.parts, said, strict=True)]
            return " and ".join(_unrepeated(said, labels)) or "always"
        return (", or " if any(" and " in text for text in said) else " or ").join(said) or "never"

    def _exists(self, node: Exists, labels: Labels, want: bool) -> str:
        noun = self._kind(node.kind)
        match node.where:
            case Compare("=", Var(left), Var(right)) if node.var in (left, right) and left != right:
                one = self.term(Var(right if left == node.var else left), labels)
                return f"{one} {'is' if want else 'is not'} {article(noun)}"
        where, other = _other(node, [var for var, label in labels.items() if label in (f"the {noun}", article(noun))])
        if isinstance(where, Not) and not want:
            return self._about(where.part, node.var, labels, noun, f"every other {noun}" if other else f"every {noun}")
        if want and article(noun) in labels.values():
            return self._about(where, node.var, labels, noun, f"another {noun}" if other else f"some {noun}")
        if other:
            return self._about(where, node.var, labels, noun, f"another {noun}" if want else f"no other {noun}")
        return self._about(where, node.var, labels, noun, article(noun) if want else f"no {noun}")

    def _total(self, node: Total, labels: Labels, want: bool) -> str:
        noun, bound = self._kind(node.kind), node.bound
        low = {"<=": "at most", ">=": "at least"}[node.op]
        if not want:
            low = {"<=": "more than", ">=": "fewer than"}[node.op]
        if node.weight is not None:
            name = node.weight.name if isinstance(node.weight, Call) else "weight"
            who = f"{plural(noun)} of {name} {low} {bound} in all"
        elif (low, bound) == ("at most", 0):
            return self._about(node.where, node.var, labels, noun, f"no {noun}")
        else:
            who = f"{low} {bound} {plural(noun, bound)}"
        return self._about(node.where, node.var, labels, noun, who, many=node.weight is not None or bound != 1)

    def _about(self, where: Formula, var: str, labels: Labels, noun: str, who: str, *, many: bool = False) -> str:
        """A condition on one object, or on several, said of `who`: "you hold no key that is red"."""
        mark = f"{_WHO}{sum(label.startswith(_WHO) for label in labels.values())}"
        parts = where.parts if isinstance(where, And) else (where,)
        said = [self._elided(part, mark, {**labels, var: mark}, many, among=len(parts) > 1) for part in parts]
        if not said[0].endswith(mark):
            said.sort(key=lambda part: not part.startswith(mark + " "))
        first, *rest = said
        subject = first.startswith(mark + " ")
        it, itself, its = ("them", "themselves", "their") if many else ("it", "itself", "its")
        again = itself if subject else it if " or " not in first else f"the {plural(noun) if many else noun}"
        text = first.replace(mark, who, 1).replace(mark, again)
        for part in rest:
            if part.startswith(mark + " "):
                text += (" and" if subject else " that") + part[len(mark):].replace(mark, itself)
                subject = True
            else:
                again = f"the {plural(noun) if many else noun}" if _IT.search(part) else it
                text += f" and {part.replace(mark, again)}"
        return _ITS.sub(rf"{its} \1", text)

    def _elided(self, part: Formula, mark: str, labels: Labels, many: bool, *, among: bool) -> str:
        """A condition on what the mark stands for; of a choice, each alternative that begins with the mark drops it.

        A choice `among` other conditions begins with "either".
        """

        def agreed(text: str) -> str:
            verb = text.removeprefix(mark + " ").partition(" ")[0] if text.startswith(mark + " ") else ""
            return text.replace(f"{mark} {verb}", f"{mark} {_MANY[verb]}", 1) if many and verb in _MANY else text

        said = [agreed(self.formula(choice, labels, want)) for choice, want in _choices(part, True)]
        if not said or not said[0].startswith(mark + " "):
            return ("either " if said and among else "") + agreed(self.formula(part, labels))
        it = "them" if many else "it"
        said = [t.removeprefix(mark + " ") if t.startswith(mark + " ") else t.replace(mark, it) for t in said]
        return f"{mark} either {', or '.join(said)}"

    def _compare(self, node: Compare, labels: Labels, want: bool) -> str:
        left, right = node.left, node.right
        if isinstance(left, Ordinal) and not left.shift and node.op in ("=", "!="):
            return self._numbered(left, right, labels, (node.op == "=") == want)
        is_not = "is" if (node.op != "!=") == want else "is not"
        if isinstance(left, Call) and left.name == spec.PLACE:
            return self._where(left.args[0], right, labels, is_not == "is")
        if isinstance(left, Call) and isinstance(right, Call) and left.name == right.name:
            a, b = self.term(left.args[0], labels), self.term(right.args[0], labels)
            if node.op in ("=", "!="):
                return f"{a} {is_not} of the same {left.name} as {b}"
            is_, that = (_verb(left.name), "those" if _verb(left.name) == "are" else "that")
            return f"the {left.name} of {a} {is_} {'' if want else 'not '}{_COMPARED[node.op]} {that} of {b}"
        if isinstance(left, Call) and left.name != spec.HERE and isinstance(right, Const):
            return self._valued(left, node.op, right, labels, want)
        a, b = self.term(left, labels), self.term(right, labels)
        if node.op in ("=", "!="):
            return f"{a} {is_not} {b}"
        return f"{a} is {'' if want else 'not '}{_COMPARED[node.op]} {b}"

    def _numbered(self, left: Ordinal, right: Term, labels: Labels, want: bool) -> str:
        """That something is the first, the second … of its kind, or the one before or after another."""
        number = f"number {self.term(right, labels)}"
        if isinstance(right, Ordinal):
            alike = f"the same number as {labels.get(right.var, right.var)}"
            number = self.term(right, labels) if right.shift else alike
        return f"{labels.get(left.var, left.var)} {'has' if want else 'does not have'} {number}"

    def _valued(self, left: Call, op: str, right: Const, labels: Labels, want: bool) -> str:
        function, (who, is_) = self._functions[left.name], self._subject(left.args, labels)
        word = function.words[function.values.index(right.value)] if right.value in function.values else ""
        if op in ("=", "!="):
            says = word or f"at {left.name} {right.value}"
            return f"{who} {is_ if (op == '=') == want else is_ + ' not'} {says}"
        return f"{self.term(left, labels)} {_verb(left.name)} {'' if want else 'not '}{_COMPARED[op]} {right.value}"

    def _where(self, what: Term, place: Term, labels: Labels, want: bool) -> str:
        who = self.term(what, labels)
        if place == Const(spec.CARRIED):
            return f"you {'hold' if want else 'do not hold'} {who}"
        if place == Const(spec.GONE):
            return f"{who} is {'nowhere' if want else 'somewhere'}"
        verb = "is" if want else "is not"
        if place == Call(spec.HERE, ()):
            return f"{who} {verb} where you are"
        if isinstance(place, Call) and place.name == spec.PLACE:
            return f"{who} {verb} where {self.term(place.args[0], labels)} is"
        return f"{who} {verb} in {self.term(place, labels)}"

    def _atom(self, atom: Atom, labels: Labels, want: bool) -> str:
        args = [self.term(arg, labels) for arg in atom.args]
        relation = self._relations.get(atom.name)
        if relation is not None and relation.phrase:
            text = self.relation(relation, args)[:-1]
            return text[:1].lower() + text[1:] if want else f"it is not so that {text[:1].lower()}{text[1:]}"
        if atom.name == "near":
            return f"{args[0]} is {'within' if want else 'out of'} reach"
        if atom.name == "unbarred":
            return f"the way to {args[0]} is {'open' if want else 'barred'}"
        if atom.name == "exit":
            return f"{'a' if want else 'no'} way leads to {args[-1]}"
        if atom.name == "side":
            return f"{args[0]} {'leads' if want else 'does not lead'} to {args[1]}"
        if atom.name == "beyond":
            return f"{args[1]} is the {'far' if want else 'near'} side of {args[0]}"
        if atom.name in _SIGHT:
            return _SIGHT[atom.name][want]
        verb = "is" if want else "is not"
        if atom.name in self._derived:
            what = atom.name.replace("_", " ")
            return " ".join(filter(None, [args[0] if args else "it", verb, what, " and ".join(args[1:])]))
        function = self._functions.get(atom.name)
        yes = function.words[1] if function and function.words[1] else atom.name.replace("_", " ")
        who, is_ = self._subject(atom.args, labels)
        return f"{who} {is_ if want else is_ + ' not'} {yes}" + "".join(f" with {arg}" for arg in args[1:])

    def _subject(self, args: Sequence[Term], labels: Labels) -> tuple[str, str]:
        """Of whom a function tells, and the verb: what has no arguments tells of the player."""
        return (self.term(args[0], labels), "is") if args else ("you", "are")

    def term(self, term: Term, labels: Labels) -> str:
        """A term as a noun phrase."""
        if isinstance(term, Var):
            return labels.get(term.name, term.name)
        if isinstance(term, Const):
            return str(term.value)
        if isinstance(term, Ordinal):
            who = labels.get(term.var, term.var)
            if abs(term.shift) == 1:
                return f"the number {'before' if term.shift < 0 else 'after'} that of {who}"
            return f"the number of {who}" + (f" {term.shift:+d}" if term.shift else "")
        if term.name == spec.HERE:
            return "the place where you are"
        name = term.name.replace("_", " ")
        return f"the {name} of {self.term(term.args[0], labels)}" if term.args else f"your {name}"

    # --- effects -----------------------------------------------------------------------------
    def effect(self, effect: Effect, labels: Labels, scope: Sequence[tuple[str, str]]) -> str:
        """A change as a clause, with its bindings and condition; `scope` are the variables around it."""
        where, same = self._same(effect, dict(scope))
        around = {self._kind(kind) for _, kind in scope}
        nouns = {var: self._kind(kind) for var, kind in effect.over if self._kind(kind) in around}
        after = {**labels, **self.labels(effect.over), **{var: f"that {noun}" for var, noun in nouns.items()}}
        after |= {var: labels.get(of, of) for var, of in same.items()}
        said = {**after, **self.labels(effect.over, "a"), **{var: f"any {noun}" for var, noun in nouns.items()}}
        said |= {var: f"every {self._kind(kind)}" for var, kind in effect.over if not _speaks_of(where, var)}
        said |= {var: after[var] for var in same}
        text = self._change(effect.change, said)
        return text if where == spec.TRUE else f"{text}, if {self.formula(where, after)}"

    def _same(self, effect: Effect, scope: Mapping[str, str]) -> tuple[Formula, dict[str, str]]:
        """The condition of an effect without "y is x", and which variable is which: it is said of x at once.

        Where y is of a narrower kind than x, it says something and stays.
        """
        bound = dict(effect.over)
        parts = effect.where.parts if isinstance(effect.where, And) else (effect.where,)
        same = {}
        kept = []
        for part in parts:
            match part:
                case Compare("=", Var(left), Var(right)) if left in bound and self._within(scope, right, bound[left]):
                    same[left] = right
                case _:
                    kept.append(part)
        return (kept[0] if len(kept) == 1 else And(tuple(kept))), same

    def _within(self, scope: Mapping[str, str], var: str, kind: str) -> bool:
        return var in scope and self._rules.kind_of(scope[var], kind)

    def _change(self, change: Assign | Add, labels: Labels) -> str:
        if isinstance(change, Add):
            way = ("grow" if change.delta > 0 else "shrink") + ("" if _verb(change.name) == "are" else "s")
            return f"{self.term(Call(change.name, change.args), labels)} {way} by {abs(change.delta)}"
        if change.name == spec.HERE:
            return f"you are in {self.term(change.value, labels)}"
        who, is_ = self._subject(change.args, labels)
        if change.name == spec.PLACE:
            return self._moved(who, change.value, labels)
        function = self._functions[change.name]
        value = change.value.value if isinstance(change.value, Const) else None
        if function.values == (False, True):
            yes = function.words[1] or change.name.replace("_", " ")
            return f"{who} {is_} {yes if value else function.words[0] or 'not ' + yes}"
        index = function.values.index(value) if value in function.values else -1
        word = function.words[index] if index >= 0 else ""
        what = self.term(Call(change.name, change.args), labels)
        become = "become" if _verb(change.name) == "are" else "becomes"
        return f"{who} {is_} {word}" if word else f"{what} {become} {value}"

    def _moved(self, who: str, to: Term, labels: Labels) -> str:
        if to == Const(spec.CARRIED):
            return f"you hold {who}"
        if to == Const(spec.GONE):
            return f"{who} is gone"
        if to == Call(spec.HERE, ()):
            return f"{who} lies where you are"
        return f"{who} is in {self.term(to, labels)}"

    # --- ground facts ------------------------------------------------------------------------
    def fact(self, fact: Fact, names: Mapping[str, str]) -> str:
        """A goal fact as a clause, in the words that the observation uses."""
        who, is_ = (f"the {names[fact.args[0]]}", "is") if fact.args else ("you", "are")
        if fact.name == spec.PLACE:
            if fact.value == spec.CARRIED:
                return f"you hold {who}"
            if fact.value == spec.GONE:
                return f"{who} is gone"
            return f"{who} is in the {names[str(fact.value)]}"
        function = self._functions[fact.name]
        if function.values == (False, True):
            yes = function.words[1] or fact.name.replace("_", " ")
            return f"{who} {is_} {yes if fact.value == fact.want else function.words[0] or 'not ' + yes}"
        word = function.words[function.values.index(fact.value)] or fact.value
        return f"{who} {is_} {word}" if fact.want else f"{who} {is_} not {word}"
