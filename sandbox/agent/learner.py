"""How an agent learns from what it says and hears: it says a command, reads the answer, and learns from it.

Everything that talks to the world is a generator: it yields a command and is sent the `Turn` that follows. So a
procedure reads as one, and the runner keeps the loop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from sandbox.agent.api import Turn
from sandbox.agent.belief import GONE, HELD, Belief, Snapshot
from sandbox.agent.context import Around, Feature
from sandbox.agent.effects import HERE
from sandbox.agent.goals import wanted
from sandbox.agent.grounding import Deed, Fact
from sandbox.agent.hints import Lesson, lessons
from sandbox.agent.interface import (
    KIND,
    PIECE,
    Pattern,
    Replies,
    description,
    kinds_told,
)
from sandbox.agent.journal import Journal
from sandbox.agent.operators import INFORMS, Args, Operator, Trial
from sandbox.agent.planner import Planner
from sandbox.agent.reading import Replying
from sandbox.agent.rules import Rules
from sandbox.agent.text import Reader

Play: TypeAlias = Generator[str, Turn, None]
UNNUMBERED: Final = re.compile(r"@\d")
BALKED: Final = 4
"""Different things in a row that worked before and do not now, after which all is held to be lost."""
CALM: Final = 5
"""Looks that showed no change, after which an operator that never changed anything is not looked after."""
UNHEARD: Final = 20
"""Such looks after which even an answer that was never heard before is not looked after."""
FAMILIAR: Final = 3
"""Things with which something was done, always with the same effect, after which it is believed without a look."""
REFUSED: Final = 2
"""Times that a reply came with no change after which it counts as a refusal."""
HOLDING: Final = frozenset({"hold", "holding", "held", "have", "carry", "carrying", "carried"})


@dataclass(slots=True)
class Roles:
    """Patterns without gaps that were recognised by what they answered."""

    look: str | None = None
    inventory: str | None = None
    help: str | None = None
    restart: str | None = None
    wait: str | None = None


@dataclass(slots=True)
class Learner:
    """All that the agent believes, and how it learns. `journal` tells in plain words what it does and concluded."""

    reader: Reader
    belief: Belief
    rules: Rules
    replies: Replies
    replying: Replying
    planner: Planner
    english: bool = True
    roles: Roles = field(default_factory=Roles)
    goal: list[Fact] = field(default_factory=list)
    goal_text: str = ""
    help_text: str = ""
    hints: list[frozenset[str]] = field(default_factory=list)
    lessons: list[Lesson] = field(default_factory=list)
    """What texts taught of commands and laws."""
    was_read: dict[str, bool] = field(default_factory=dict)
    """Things on which something may be written, and whether it was."""
    unseen: dict[str, int] = field(default_factory=dict)
    """Things at which a close look told nothing, and the stamp then."""
    selector: Operator | None = None
    selected: str | None = None
    stamp: int = 0
    text: str = ""
    reward: float = 0.0
    over: bool = False
    """Whether the world has ended, which it does when the goal is reached."""
    stale: bool = False
    """Whether something was done since the last view."""
    samples: list[str] = field(default_factory=list)
    journal: Journal = field(default_factory=Journal)
    n: int = 0
    tried_at: int = 0
    """The step at which an operator was tried last."""
    used: tuple[str, ...] = ()
    """The skills that are running, the outermost first."""
    offered: tuple[str, ...] = ()
    """The skills that were thought of for the next command."""
    trace: list[tuple[Operator, Trial]] = field(default_factory=list)
    """Every try since it began, or began again."""
    by_skill: Callable[[Sequence[Deed]], Generator[str, Turn, int]] | None = None
    """Does the beginning of a plan by a skill: how many deeds of it, -1 where that failed."""
    focus: bool = False
    stuck: int = -1
    """The stamp at which no way to move was found."""
    carried_roles: dict[str, str] = field(default_factory=dict)
    """Patterns by what they were for in an earlier world."""
    unreached: dict[Fact, int] = field(default_factory=dict)
    """Facts to which no plan was found, and the version of the rules then."""
    missed: Counter[Fact] = field(default_factory=Counter)
    """How often a plan to a fact did not go as expected."""
    confirm: str | None = None
    """What to say when a command is asked back."""
    restarted: int = 0
    began: int = 0
    """How many commands were said when it began, or began again."""
    done: Counter[tuple[str, Args, str]] = field(default_factory=Counter)
    """How often something was done for want of better, by what was around."""
    lost: bool = False
    """Whether nothing seems to work any more."""
    balked: list[tuple[str, Args]] = field(default_factory=list)
    """Refusals in a row of what worked before."""
    last: tuple[Operator, Args] | None = None
    """What changed something last."""
    fresh_then: tuple[tuple[int, int], bool] | None = None
    """Whether something new could be tried after a restart, and what was known when that was found."""
    anew: bool = False
    """Whether something new could be tried after a restart only."""
    made: Counter[tuple[str, Args, tuple[str, ...]]] = field(default_factory=Counter)
    """How often an experiment was made, whatever came of it."""
    hard: dict[Args, int] = field(default_factory=dict)
    """How often things could not be brought together."""
    unready: dict[tuple[str, Args, tuple[str, ...]], int] = field(default_factory=dict)

    # --- speaking -------------------------------------------------------------------------------
    def say(self, command: str) -> Generator[str, Turn, str]:
        """Say a command; the text of the answer."""
        turn = yield command
        self.n = self.belief.now = turn.n
        self.text, self.reward, self.over = turn.text, turn.reward, turn.done
        return turn.text

    def note(self, text: str) -> None:
        """Write something worth telling into the journal."""
        self.journal.event("note", text)

    def surprise(self, text: str) -> None:
        """Write into the journal what came otherwise than expected."""
        self.journal.event("surprise", text)

    def look(self) -> Play:
        """Look around, where that is known how."""
        if self.roles.look is not None:
            text = yield from self.say(self.roles.look)
            _, view = self.belief.split(text)
            if view:
                self.belief.see(view)
                self.stale = False

    def attempt(self, op: Operator, args: Args) -> Generator[str, Turn, Trial]:
        """Carry out an operator and learn from what comes of it."""
        if op.implicit and args and self.selected != args[0]:
            yield from self._select(op, args[0])
        command = op.pattern.fill(args[1:] if op.implicit else args)
        belief = self.belief
        before = belief.snapshot()
        spots = tuple(belief.where(arg) for arg in args)
        context = Around(belief, self.rules.kind_said).situation(args, spots)
        text = yield from self.say(command)
        self.tried_at = self.n
        if self.confirm is not None:
            text = yield from self._confirmed(text)
        op.reveals += self._kinds(text)
        if len(args) == 1 and (told := description(text, args[0])) is not None:
            return self.described(op, args[0], *told)
        lines, view = belief.split(text)
        said = belief.hear_own(KIND.sub("", "\n".join(lines).strip()))
        shape = self.reader.masked(said, args)
        signature = UNNUMBERED.sub("@", shape)
        unread = signature in self.replies.unread
        understood = self.replying.apply(said, belief) if said and not unread else True
        known = ""
        if view:
            belief.see(view, whole=False)
            self.stale, known = False, "shown"
        elif self.over:
            self._fulfilled()
        elif self._trusted(op, args, signature):
            known = "foreseen"
        elif not unread and self._to_look(op, before, signature, understood=understood):
            yield from self._look_after(op, before, said)
            known = "looked"
        after = belief.snapshot()
        if op.reveals and not op.good:
            before = self._unveiled(args, before, after)
        trial = self._learn(op, args, spots, before, after, signature, shape, said, context)
        self.trace.append((op, trial))
        self.stale = self.stale or (trial.outcome != "refused" and known in ("", "foreseen"))
        self._hopeless(op, trial, text)
        if not known and self.stale and not unread and self._unexpected(op, trial):
            yield from self.look()
        return trial

    def _look_after(self, op: Operator, before: Snapshot, said: str) -> Play:
        """Look around after a reply, and learn what it meant."""
        yield from self.look()
        after = self.belief.snapshot()
        self.replying.learn(said, before, after, self.belief.known_words)
        op.calm = -99 if _differs(before, after) else op.calm + 1

    def _select(self, op: Operator, name: str) -> Play:
        """Say of what the next deed is to be done, where a world wants that said before."""
        if self.selector is not None:
            text = yield from self.say((op.selects or self.selector.pattern).fill((name,)))
            self.selected = name if self.replies.meaning(self.reader.masked(text)) != "reach" else None

    def _unexpected(self, op: Operator, trial: Trial) -> bool:
        """Whether something was refused that worked before with its things in such places."""
        if trial.outcome != "refused" or not op.good or trial.why in ("kind", "full"):
            return False
        needs = self.rules.needs(op)
        return all(spot in ways for spot, ways in zip(trial.spots, needs.spots, strict=True))

    def described(self, op: Operator, name: str, kind: str, words: tuple[str, ...]) -> Trial:
        """Take over what a close look at a thing told."""
        op.reveals += name not in self.belief.traits
        self.belief.describe(name, words)
        self.rules.kind_said[name] = kind
        now, spots, self.tried_at = self.belief.snapshot(), (self.belief.where(name),), self.n
        return self.rules.record(
            op, (name,), now, now, outcome="silent", why="silent", named=None, spots=spots, stamp=self.stamp
        )

    def learn_from(self, text: str, about: Args = ()) -> bool:
        """Search a text for lessons and for names that it puts together; whether it held any."""
        found = lessons(text, [op.pattern for op in self.rules.operators.values()]) if self.english else []
        self.lessons += [lesson for lesson in found if lesson not in self.lessons]
        for lesson in found:
            self.note("read: " + lesson.text)
            self.rules.advise(lesson)
        return self._hint(text, about) or bool(found)

    def _trusted(self, op: Operator, args: Args, signature: str) -> bool:
        """Whether it did what it always does, as the reply says: then it is believed without a look."""
        enough = 1 if self.used else FAMILIAR
        if len(op.effects_seen) != 1 or len(op.good) < enough or self.rules.extras(op, args):
            return False
        if self.replies.meaning(signature) not in ("accepted", "silent"):
            return False
        sure = [change for change, yes, no in self.rules.effects(op) if yes and not no]
        if not sure or len(sure) < len(self.rules.effects(op)):
            return False
        for change in sure:
            name = args[change.of] if isinstance(change.of, int) else change.of
            value = args[change.value] if isinstance(change.value, int) else change.value
            if change.what in ("word", "unword"):
                self.belief.say(name, value, holds=change.what == "word")
            elif change.what == "place":
                self.belief.move_thing(name, self.belief.at if value == HERE else value)
        return True

    def _fulfilled(self) -> None:
        """The goal is reached: what it asks for is true now, by the last command."""
        for fact in self.goal:
            if fact[0] in ("word", "not"):
                self.belief.say(fact[1], fact[2], holds=fact[0] == "word")
            elif fact[0] in ("held", "in", "gone"):
                self.belief.move_thing(fact[1], {"held": HELD, "gone": GONE}.get(fact[0], fact[-1]))

    def _unveiled(self, args: Args, before: Snapshot, after: Snapshot) -> Snapshot:
        """What was true before, with the words that a closer look brought to light."""
        words = dict(before.words)
        for arg in args:
            if arg in after.words and not words.get(arg):
                words[arg] = after.words[arg]
                place, _ = self.belief.first.get(arg, ("", frozenset()))
                self.belief.first[arg] = place, after.words[arg]
        return Snapshot(before.at, before.place, words)

    def _to_look(self, op: Operator, before: Snapshot, signature: str, *, understood: bool) -> bool:
        """Whether to look after a reply: it is not understood, or says nothing of what it may have changed."""
        if self.replies.meaning(signature) == "accepted" and not _differs(before, self.belief.snapshot()):
            return True
        if self._refused(signature):
            return False
        calm = CALM if signature in self.replies.seen else UNHEARD
        return (op.calm < calm or bool(op.good)) and (not understood or self._doubtful(signature))

    def _refused(self, signature: str) -> bool:
        """Whether a reply is a refusal, as English or its own past tells: these change nothing."""
        seen = self.replies.seen.get(signature)
        if signature in self.replies.silent or signature in self.replies.void:
            return False
        if seen is not None and (seen.changed or seen.unchanged < REFUSED):
            return False
        return seen is not None or self.replies.said(signature) != ""

    def _hopeless(self, op: Operator, trial: Trial, text: str) -> None:
        """Notice when nothing works any more that did: then only beginning again helps."""
        if trial.outcome == "changed":
            self.balked = []
            if op.key not in self.rules.movers:
                self.last = op, trial.args
        again = self.roles.restart
        told = again is not None and _says(text, again)
        if trial.outcome == "refused" and trial.args in op.good and trial.why not in ("kind", "held", "full", "done"):
            self.balked.append((op.key, trial.args))
        if (told or trial.why == "lost" or len(set(self.balked)) >= BALKED) and not self.lost:
            self.lost = True
            if self.last is not None:
                self.last[0].fatal[self.last[1]] = self.last[0].fatal.get(self.last[1], 0) + 1
                self.surprise(f"nothing works any more after {self.last[0].pattern.fill(self.last[1])}")

    def _confirmed(self, text: str) -> Generator[str, Turn, str]:
        """Say what confirms, where a command is asked back: such a question tells what to say."""
        if self.confirm is None or not _says(text, self.confirm):
            return text
        return (yield from self.say(self.confirm))

    def _kinds(self, text: str) -> int:
        """Kinds that a text names in capitals after names; how many were new."""
        found = 0
        for name, kind in kinds_told(text):
            if name in self.belief.first or name in self.reader.names:
                found += name not in self.rules.kind_said
                self.rules.kind_said[name] = kind
        return found

    def local(self) -> str:
        """What is within reach and what is said of it, in one text."""
        belief = self.belief
        return f"{belief.at}|" + "|".join(
            f"{name}@{belief.place.get(name)}:{','.join(sorted(belief.words.get(name, ())))}"
            for name in sorted(belief.here())
        )  # fmt: skip

    def _doubtful(self, signature: str) -> bool:
        """Whether a reply that says nothing of what changed may still have changed something: looked at twice."""
        seen = self.replies.seen.get(signature)
        if signature in self.replies.silent:
            return True
        return seen is None or (seen.changed > 0 and seen.unchanged > 0 and "@" not in signature)

    def _learn(  # noqa: C901, PLR0912, PLR0913, PLR0917 - all that is known of one try
        self, op: Operator, args: Args, spots: tuple[str, ...], before: Snapshot, after: Snapshot,
        signature: str, shape: str, said: str, context: frozenset[Feature],
    ) -> Trial:  # fmt: skip
        changed = _differs(before, after)
        meaning = self.replies.meaning(signature)
        self.rules.precise = bool(self.replies.kind)
        named = next((i for i in range(len(args)) if f"@{i}" in shape), None)
        if named is not None and len(args) == 2 and f"@{1 - named}" in shape:
            named = None
        where = spots[named] if named is not None else (spots[0] if len(spots) == 1 else None)
        if said:
            counted = where if named is not None and self.rules.movers - {op.key} else None
            self.replies.count(signature, changed=changed, where=counted)
        if changed:
            outcome, why = "changed", "accepted"
        else:
            meaning = self.replies.meaning(signature)
            op.shapes.add(signature)
            quiet = meaning == "silent" or (not op.good and len(op.shapes) >= INFORMS)
            outcome, why = ("silent", "silent") if quiet else ("refused", meaning)
        vague = why not in ("kind", "reach")
        if outcome == "refused" and vague and op in self.rules.takers() and spots[0] == "here":
            load = frozenset(self.belief.held())
            if load and (args[0] in self.rules.carried or self.rules.can_carry(args[0], self.belief)):
                why = "full"
                self._full(op, args, load)
        if outcome == "refused" and why != "full":
            why, named = self._told(op, args, spots, said, why, named)
        trial = self.rules.record(
            op, args, before, after, outcome=outcome, why=why, named=named, spots=spots, stamp=self.stamp,
            context=context,
        )
        if changed:
            self._changed(op, args, before, after)
        elif outcome == "silent":
            op.hidden += self.replies.meaning(signature) == "silent"
        if outcome == "refused" and why not in ("kind", "reach", "held"):
            for name in self.reader.mentioned(said):
                if name not in args and self.belief.words.get(name, frozenset()):
                    op.blockers.setdefault(args, {})[name] = self.belief.words[name]
        if not changed:
            op.tells += self._hint(said, args)
        return trial

    def _told(
        self, op: Operator, args: Args, spots: tuple[str, ...], said: str, why: str, named: int | None
    ) -> tuple[str, int | None]:
        """What a refusal says is needed, where it can be read like a goal."""
        if why == "held" and named is not None and not self.rules.can_carry(args[named], self.belief):
            why = "state"
        if why == "held" and named is not None and spots[named] != "held":
            op.must_hold.add(named)
        if not self.english:
            return why, named
        for fact in wanted(said, self.reader):
            if len(fact) < 2 or fact[1] not in args:
                continue
            gap = args.index(fact[1])
            if fact[0] == "held" and spots[gap] != "held" and HOLDING & set(PIECE.findall(said.casefold())):
                op.must_hold.add(gap)
                return "held", gap
            if fact[0] in ("word", "not") and fact[2] in self.belief.known_words:
                op.told.add((gap, fact[2], fact[0] == "word"))
        return why, named

    def _full(self, op: Operator, args: Args, load: frozenset[str]) -> None:
        loads = self.rules.loads.setdefault((op.key, args), [])
        if load not in loads:
            loads.append(load)
        sizes = [len(one) for key, many in self.rules.loads.items() if key[0] == op.key for one in many]
        most = max((len(t.load) for t in op.trials if t.outcome == "changed"), default=0)
        if len(load) > most and sizes.count(len(load)) >= 2:
            self.rules.capacity = min(self.rules.capacity, len(load))

    def _changed(self, op: Operator, args: Args, before: Snapshot, after: Snapshot) -> None:
        belief = self.belief
        if before.at != after.at:
            if op.key not in self.rules.movers and args == (after.at,):
                self.rules.movers.add(op.key)
            if op.key in self.rules.movers:
                return
        self.stamp += 1
        for name, where in after.place.items():
            if where == HELD and name not in self.rules.carried and before.place.get(name) != HELD:
                self.rules.carried.add(name)
            if name not in before.words and name not in args and where in (HELD, after.at):
                belief.made.add(name)
        for arg in args:
            gone = before.words.get(arg, frozenset()) - after.words.get(arg, frozenset())
            shown = any(name not in before.place and where == arg for name, where in after.place.items())
            if gone and shown:
                belief.hiding |= gone

    def _hint(self, said: str, args: Args) -> bool:
        """Keep names that a text puts together; whether there were any."""
        before = len(self.hints)
        for clause in self.reader.clauses(said):
            names = frozenset(text for text, name in clause if name and text not in self.belief.rooms)
            if len(names) >= 2 and names - set(args) and names not in self.hints:
                self.hints.append(names)
                self.journal.event("note", "a text names together: " + ", ".join(sorted(names)), minor=True)
        return len(self.hints) > before

    def add(self, pattern: Pattern, *, implicit: bool = False, first: str = "?") -> Operator:
        """A new operator for a pattern; an implicit one takes its `first` thing from what is selected."""
        kinds = (first, *pattern.kinds) if implicit else pattern.kinds
        op = Operator(pattern.text, pattern, kinds, implicit)
        self.rules.operators[op.key] = op
        return op


def _says(text: str, command: str) -> bool:
    """Whether a text names a command, not as part of a word."""
    return re.search(rf"(?<!\w){re.escape(command)}(?!\w)", text) is not None


def _differs(before: Snapshot, after: Snapshot) -> bool:
    return before.at != after.at or before.place != after.place or before.words != after.words
