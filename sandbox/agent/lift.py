"""From what worked to a skill: the deeds behind a change, with names lifted to parameters.

The starting point is one try that changed something, and the tries before it. Going backwards through what the
operator needs (regression), the deeds are kept that made it true; what was true from the start becomes the
pre-condition, what changed is the post-condition. Walking and picking up are not copied but asked for: `go_to` where
the thing is, take it unless it is held; so the same skill serves on another map.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sandbox.agent.belief import GONE, HELD
from sandbox.agent.effects import HERE
from sandbox.agent.library import Fact, Skill
from sandbox.agent.operators import Operator, Trial
from sandbox.agent.rules import Rules
from sandbox.agent.skillcode import QUANTITIES

PARAMETERS: Final = ("x", "y", "z", "u", "v", "w")
_PIECE: Final = re.compile("[a-z]+")
DEPTH: Final = 3
"""How many deeds may prepare one another."""


@dataclass(frozen=True, slots=True)
class Done:
    """One try of an operator that changed something, in its place among others."""

    op: Operator
    trial: Trial


@dataclass(slots=True)
class _Draft:
    """A skill in the making: names with their parameters, lines, what it needs and what it rests on."""

    intents: Mapping[str, str]
    params: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    pre: list[Fact] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)

    def of(self, name: str, kind: str = "") -> str:
        """The parameter that stands for a name."""
        if name not in self.params:
            self.params[name] = PARAMETERS[len(self.params)] if len(self.params) < len(PARAMETERS) else ""
        param = self.params[name]
        if kind and kind.isalpha():
            self.kinds[param] = kind
        return param

    def fact(self, fact: Fact) -> Fact:
        """A fact about names as one about parameters."""
        bare = fact[1:] if fact[0] == "not" else fact
        lifted = (bare[0], self.of(bare[1]), bare[2]) if bare[0] == "word" else (bare[0], *map(self.of, bare[1:]))
        return ("not", *lifted) if fact[0] == "not" else lifted


def changed(trial: Trial) -> tuple[Fact, ...]:
    """What a try made true of its arguments, as facts."""
    found: list[Fact] = []
    for change in sorted(trial.changes, key=str):
        if not isinstance(change.of, int):
            continue
        name = trial.args[change.of]
        if change.what == "word":
            found.append(("word", name, str(change.value)))
        elif change.what == "unword":
            found.append(("not", "word", name, str(change.value)))
        elif change.what == "place":
            value = trial.args[change.value] if isinstance(change.value, int) else str(change.value)
            places = {HELD: ("held", name), GONE: ("gone", name), HERE: ("in", name, trial.at)}
            found.append(places.get(value, ("in", name, value)))
    return tuple(found)


def lift(past: Sequence[Done], rules: Rules, intents: Mapping[str, str]) -> tuple[Skill, tuple[str, ...]] | None:
    """The skill behind the last of some tries, and what its parameters stood for; None where there is none.

    `intents` names the operators, by their keys.
    """
    last = past[-1]
    post = changed(last.trial)
    if not post or last.op.key not in intents:
        return None
    draft = _Draft(intents)
    for name, kind in zip(last.trial.args, last.op.kinds, strict=True):
        draft.of(name, kind)
    _deed(draft, past, rules, DEPTH)
    facts = tuple(draft.fact(fact) for fact in post)
    if "" in draft.params.values():
        return None
    ensured = ["    ensure(" + ", ".join(_part(draft, part) for part in fact) + ")" for fact in facts]
    params = tuple((param, draft.kinds.get(param, "thing")) for param in draft.params.values())
    uses = tuple(dict.fromkeys(draft.uses))
    name, summary = name_of(facts, intents[last.op.key]), _summary(facts, intents[last.op.key])
    head = f"def {name}({', '.join(param for param, _ in params)}):"
    code = "\n".join([head, f'    """{summary}"""', *draft.lines, *ensured, ""])
    args = tuple(draft.params)
    skill = Skill(name, params, code, summary, tuple(draft.pre), facts, uses, "plan", {"agent": "explorer"})
    return skill, args


def _part(draft: _Draft, part: str) -> str:
    return part if part in draft.params.values() else repr(part)


def _deed(draft: _Draft, past: Sequence[Done], rules: Rules, depth: int) -> None:
    """Write the last of some tries, after what it needs."""
    op, trial = past[-1].op, past[-1].trial
    for fact in _needs(op, trial, rules):
        _provide(draft, fact, past[:-1], rules, depth)
    for name, spot in zip(trial.args, trial.spots, strict=True):
        if spot == "held":
            _hold(draft, name, past[:-1], rules)
    for name, spot in zip(trial.args, trial.spots, strict=True):
        if spot == "here":
            draft.lines += [f"    if not see.here({draft.of(name)}):", f"        go_to(see.room_of({draft.of(name)}))"]
    if any(change.value == HERE for change in trial.changes):
        draft.lines.append(f"    go_to({draft.of(trial.at, 'place')})")
    draft.lines.append(f"    do.{draft.intents[op.key]}({', '.join(map(draft.of, trial.args))})")
    draft.uses.append(f"{draft.intents[op.key]}: {signature(op)}")
    draft.uses += [f"word {c.value}" for c in sorted(trial.changes, key=str) if c.what in ("word", "unword")]


def _needs(op: Operator, trial: Trial, rules: Rules) -> Iterator[Fact]:
    """The words that an operator surely needs of its things, as far as they were so in a try."""
    for gap, word, must in sorted(rules.needs(op).necessary):
        if (word in trial.words[gap]) == must:
            yield ("word", trial.args[gap], word) if must else ("not", "word", trial.args[gap], word)


def _provide(draft: _Draft, fact: Fact, past: Sequence[Done], rules: Rules, depth: int) -> None:
    """Make a fact true as it was made true then; what was so from the start is a pre-condition."""
    for number in range(len(past), 0, -1):
        if fact in changed(past[number - 1].trial) and depth and past[number - 1].op.key in draft.intents:
            inner = _Draft(draft.intents, draft.params, draft.kinds)
            _deed(inner, past[:number], rules, depth - 1)
            asked = ", ".join(_part(draft, part) for part in draft.fact(fact))
            draft.lines.append(f"    if not see.holds({asked}):")
            draft.lines += ["    " + line for line in inner.lines]
            draft.uses += inner.uses
            draft.pre += [one for one in inner.pre if one not in draft.pre]
            return
    lifted = draft.fact(fact)
    if lifted not in draft.pre:
        draft.pre.append(lifted)
        draft.lines.append("    require(" + ", ".join(_part(draft, part) for part in lifted) + ")")


def _hold(draft: _Draft, name: str, past: Sequence[Done], rules: Rules) -> None:
    """Have a thing in hand: as it was taken then, or as things are taken."""
    takers = [one.op for one in reversed(past) if ("held", name) in changed(one.trial)] or rules.takers()
    takers = [op for op in takers if op.key in draft.intents and op.arity == 1]
    param = draft.of(name)
    if not takers:
        if ("held", param) not in draft.pre:
            draft.pre.append(("held", param))
            draft.lines.append(f"    require(see.held({param}))")
        return
    taker = takers[0]
    draft.lines += [
        f"    if not see.held({param}):", f"        go_to(see.room_of({param}))",
        f"        do.{draft.intents[taker.key]}({param})",
    ]  # fmt: skip
    draft.uses.append(f"{draft.intents[taker.key]}: {signature(taker)}")


def signature(op: Operator) -> str:
    """What an operator does, in words that hold in any grammar: by them it is found again under another name."""
    said = {
        f"{change.of} {'not ' * (change.what == 'unword')}{_value(change.value)}"
        for seen in op.effects_seen for change in seen if isinstance(change.of, int)
    }  # fmt: skip
    return ", ".join(sorted(said))


def _value(value: int | str) -> str:
    return f"in {value}" if isinstance(value, int) else value.strip("*") if value in (HELD, GONE, HERE) else str(value)


def name_of(post: Collection[Fact], by: str) -> str:
    """What a skill is called: what it brings about, and by which deed."""
    first = min(post, key=lambda fact: ("held", "in", "word", "not", "gone").index(fact[0]))
    what = {"held": "get", "in": "put", "gone": "use up", "word": "make", "not": "make not"}[first[0]]
    about = first[-1] if first[0] in ("word", "not") else ""
    pieces = [piece for text in (what, about) for piece in _PIECE.findall(text.casefold())]
    deed = [piece for piece in _PIECE.findall(by.casefold()) if piece not in QUANTITIES]
    return "_".join([*(piece for piece in pieces if piece not in QUANTITIES), *(["by", *deed] if deed else [])])


def _summary(post: Sequence[Fact], by: str) -> str:
    said = []
    for fact in post:
        match fact:
            case ("held", x):
                said.append(f"hold {x}")
            case ("in", x, y):
                said.append(f"have {x} in {y}")
            case ("gone", x):
                said.append(f"use {x} up")
            case ("word", x, word):
                said.append(f"make {x} {word}")
            case ("not", "word", x, word):
                said.append(f"make {x} no longer {word}")
            case _:
                said.append(" ".join(fact))
    text = f"{', '.join(said)}, by {by}."
    return "".join(char for char in text[:1].upper() + text[1:] if char.isprintable() and char not in '"\\')
