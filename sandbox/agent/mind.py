"""The parts of a learning agent put together: it says a command, reads the answer, and learns from it.

Everything that talks to the world is a generator: it yields a command and is sent the `Turn` that follows. So a
procedure reads as one, and the runner keeps the loop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import product
from typing import Final, TypeAlias

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.belief import GONE, HELD, Belief, Snapshot
from sandbox.agent.goals import wanted
from sandbox.agent.interface import (
    KIND,
    PIECE,
    Pattern,
    Replies,
    confirmation,
    kinds_told,
    matches,
    pattern_from_sample,
    patterns_of,
)
from sandbox.agent.planner import WAIT, Deed, Fact, Planner, route
from sandbox.agent.reading import Replying
from sandbox.agent.rules import HERE, INFORMS, Args, Operator, Rules, Trial
from sandbox.agent.text import Reader

Play: TypeAlias = Generator[str, Turn, None]
UNNUMBERED: Final = re.compile(r"@\d")
CALM: Final = 5
"""Looks that showed no change, after which an operator that never changed anything is not looked after."""
HOLDING: Final = frozenset({"hold", "holding", "held", "have", "carry", "carrying", "carried"})
NONSENSE: Final = ("xyzzy", "qwrtz", "zzyzx")


class Solved(Exception):
    """The world says that it is done."""


@dataclass(slots=True)
class Roles:
    """Patterns without gaps that were recognised by what they answered."""

    look: str | None = None
    inventory: str | None = None
    help: str | None = None
    restart: str | None = None
    wait: str | None = None


@dataclass(slots=True)
class Mind:
    """All that the agent believes, and how it learns. `journal` tells in plain words what it concluded."""

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
    selector: Operator | None = None
    selected: str | None = None
    stamp: int = 0
    text: str = ""
    reward: float = 0.0
    samples: list[str] = field(default_factory=list)
    journal: list[tuple[int, str]] = field(default_factory=list)
    n: int = 0
    commands: dict[str, int] = field(default_factory=dict)
    owners: dict[str, set[str]] = field(default_factory=dict)
    focus: bool = False
    stuck: int = -1
    """The stamp at which no way to move was found."""
    carried_roles: dict[str, str] = field(default_factory=dict)
    """Patterns by what they were for in an earlier world."""
    unreached: dict[Fact, int] = field(default_factory=dict)
    """Facts to which no plan was found, and the version of the rules then."""
    missed: Counter[Fact] = field(default_factory=Counter)
    """How often a plan to a fact did not go as expected."""
    vain: dict[str, tuple[int, int]] = field(default_factory=dict)
    """How often going to a room failed, and the stamp of the last time."""
    confirm: str | None = None
    """What to say when a command is asked back."""
    no_question: str = ""
    asked: set[str] = field(default_factory=set)
    unasked: set[str] = field(default_factory=set)
    restarted: int = 0
    began: int = 0
    """How many commands were said when it began, or began again."""
    done: Counter[tuple[str, Args]] = field(default_factory=Counter)
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
        self.text, self.reward = turn.text, turn.reward
        return turn.text

    def note(self, text: str) -> None:
        """Write a conclusion into the journal."""
        self.journal.append((self.n, text))

    def look(self) -> Play:
        """Look around, where that is known how."""
        if self.roles.look is not None:
            text = yield from self.say(self.roles.look)
            _, view = self.belief.split(text)
            if view:
                self.belief.see(view)

    def attempt(self, op: Operator, args: Args) -> Generator[str, Turn, Trial]:
        """Carry out an operator and learn from what comes of it."""
        if op.implicit and args and self.selector is not None and self.selected != args[0]:
            text = yield from self.say((op.selects or self.selector.pattern).fill(args[:1]))
            self.selected = args[0] if self.replies.meaning(self.reader.masked(text)) != "reach" else None
        command = op.pattern.fill(args[1:] if op.implicit else args)
        belief = self.belief
        before = belief.snapshot()
        spots = tuple(belief.where(arg) for arg in args)
        text = yield from self.say(command)
        if self.confirm is not None:
            text = yield from self._confirmed(text, args)
        op.reveals += self._kinds(text)
        lines, view = belief.split(text)
        said = KIND.sub("", "\n".join(lines).strip())
        shape = self.reader.masked(said, args)
        signature = UNNUMBERED.sub("@", shape)
        understood = self.replying.apply(said, belief) if said else True
        if view:
            belief.see(view, whole=False)
        elif op.calm < CALM and (not understood or self._doubtful(signature)):
            yield from self.look()
            after = belief.snapshot()
            self.replying.learn(said, before, after, belief.known_words)
            op.calm = -99 if _differs(before, after) else op.calm + 1
            view = "looked"
        after = belief.snapshot()
        if op.reveals and not op.good:
            before = self._unveiled(args, before, after)
        trial = self._learn(op, args, spots, before, after, signature, shape, said)
        if trial.outcome == "refused" and not view and op.good and trial.why not in ("kind", "full"):
            needs = self.rules.needs(op)
            if all(spot in ways for spot, ways in zip(spots, needs.spots, strict=True)):
                yield from self.look()
        return trial

    def _unveiled(self, args: Args, before: Snapshot, after: Snapshot) -> Snapshot:
        """What was true before, with the words that a closer look brought to light."""
        words = dict(before.words)
        for arg in args:
            if arg in after.words and not words.get(arg):
                words[arg] = after.words[arg]
                place, _ = self.belief.first.get(arg, ("", frozenset()))
                self.belief.first[arg] = place, after.words[arg]
        return Snapshot(before.at, before.place, words)

    def _confirmed(self, text: str, args: Args) -> Generator[str, Turn, str]:
        """Say what confirms, where a command is asked back; a reply not met before is taken for a question once."""
        signature = UNNUMBERED.sub("@", self.reader.masked(text, args))
        if signature in self.unasked or self.belief.split(text)[1]:
            return text
        answer = yield from self.say(self.confirm or "")
        if signature in self.asked:
            return answer
        if self.reader.masked(answer) == self.no_question:
            self.unasked.add(signature)
            return text
        self.asked.add(signature)
        return answer

    def _kinds(self, text: str) -> int:
        """Kinds that a text names in capitals after names; how many were new."""
        found = 0
        for name, kind in kinds_told(text):
            if name in self.belief.first or name in self.reader.names:
                found += name not in self.rules.kind_said
                self.rules.kind_said[name] = kind
                self.rules.is_kind.setdefault(kind, set()).add(name)
        return found

    def patience(self, room: str) -> bool:
        """Whether to try again to get to a room: ever more rarely, the more often it failed."""
        tries, last = self.vain.get(room, (0, 0))
        return self.stamp - last >= 3 * tries

    def _doubtful(self, signature: str) -> bool:
        """Whether a reply that says nothing of what changed may still have changed something: looked at twice."""
        seen = self.replies.seen.get(signature)
        if signature in self.replies.silent:
            return True
        return seen is None or (seen.changed > 0 and seen.unchanged > 0 and "@" not in signature)

    def _learn(  # noqa: C901, PLR0912, PLR0913, PLR0917 - all that is known of one try
        self, op: Operator, args: Args, spots: tuple[str, ...], before: Snapshot, after: Snapshot,
        signature: str, shape: str, said: str,
    ) -> Trial:  # fmt: skip
        changed = _differs(before, after)
        meaning = self.replies.meaning(signature)
        named = next((i for i in range(len(args)) if f"@{i}" in shape), None)
        if named is not None and len(args) == 2 and f"@{1 - named}" in shape:
            named = None
        where = spots[named] if named is not None else (spots[0] if len(spots) == 1 else None)
        if said:
            counted = where if named is not None and self.rules.movers - {op.key} else None
            self.replies.count(signature, changed=changed, where=counted)
            self.owners.setdefault(signature, set()).add(op.key)
        if changed:
            outcome, why = "changed", "accepted"
        else:
            meaning = self.replies.meaning(signature)
            op.shapes.add(signature)
            quiet = meaning == "silent" or (not op.good and len(op.shapes) >= INFORMS)
            outcome, why = ("silent", "silent") if quiet else ("refused", meaning)
        if outcome == "refused" and why not in ("kind", "reach") and op in self.rules.takers() and spots[0] == "here":
            load = frozenset(self.belief.held())
            if load and (args[0] in self.rules.carried or self.rules.can_carry(args[0], self.belief)):
                why = "full"
                self._full(op, args, load)
        if outcome == "refused" and why != "full":
            why, named = self._told(op, args, spots, said, why, named)
        trial = self.rules.record(
            op, args, before, after, outcome=outcome, why=why, named=named, spots=spots, stamp=self.stamp
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
                self.note(f"{op.pattern.text!r} moves me")
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
                self.note("read of " + ", ".join(sorted(names)))
        return len(self.hints) > before

    # --- getting ready --------------------------------------------------------------------------
    def orient(self, briefing: Briefing, turn: Turn) -> Play:
        """Find out how to speak: the patterns without gaps, the protocol, and how to move."""
        self._open(briefing, turn)
        yield from self._sweep(turn.text)
        yield from self.find_move()

    def _open(self, briefing: Briefing, turn: Turn) -> None:
        blocks = turn.text.split("\n\n")
        self.belief.see(blocks[-1])
        self.goal_text, self.help_text = briefing.goal, briefing.help or ""
        self.goal = wanted(briefing.goal, self.reader)
        for name, kind in kinds_told(self.help_text):
            self.reader.learn(name)
            self.rules.kind_said[name] = kind
            self.rules.is_kind.setdefault(kind, set()).add(name)
        told = [line.partition(":")[2] for line in blocks[0].split("\n") if "   " in line]
        self.samples = [part.strip() for line in told for part in line.split("   ") if part.strip()]
        known = {op.pattern for op in self.rules.operators.values()}
        for sample in self.samples:
            if not known and not any(char.isupper() for char in sample):
                self.add(pattern_from_sample(sample, self.reader))

    def add(self, pattern: Pattern, *, implicit: bool = False, first: str = "?") -> Operator:
        """A new operator for a pattern; an implicit one takes its `first` thing from what is selected."""
        kinds = (first, *pattern.kinds) if implicit else pattern.kinds
        op = Operator(pattern.text, pattern, kinds, implicit)
        self.rules.operators[op.key] = op
        return op

    def _sweep(self, opening: str) -> Play:  # noqa: C901, PLR0912 - one decision, read from top to bottom
        """Say every pattern without a gap once, and recognise those that tell something."""
        view = opening.rsplit("\n\n", maxsplit=1)[-1].strip()
        if (yield from self._as_before(view)):
            return
        word = next(word for word in NONSENSE if word not in self.reader.known)
        unread = yield from self.say(word)
        self.replies.unread.add(self.reader.masked(unread.replace(word, "?")))
        if self.confirm is not None:
            text = yield from self.say(self.confirm)
            self.no_question = self.reader.masked(text)
        answers: dict[str, str] = {}
        for op in [op for op in self.rules.operators.values() if not op.kinds]:
            text = yield from self.say(op.pattern.text)
            if text.strip() == view:
                self.roles.look = op.key
            elif self.help_text and text.strip() == self.help_text.strip():
                self.roles.help = op.key
            elif text.rstrip().endswith(view):
                self.roles.restart = op.key
            elif text.strip() and len(text.strip()) > 3 and _part_of(text.strip(), view):
                self.roles.inventory = op.key
                for section in self.reader.sections(text):
                    self.belief.roles[section.frame] = "held"
            else:
                answers[op.key] = text
                self._notice(text)
        shared = [text for text in answers.values() if list(answers.values()).count(text) >= 3]
        self.focus = bool(shared)
        for key, text in answers.items():
            op = self.rules.operators[key]
            if text in shared:
                op.implicit, op.kinds = True, ("?", *op.kinds)
            else:
                signature = self.reader.masked(text)
                self.replies.silent.add(signature)
                self.roles.wait = self.roles.wait or key
        if shared:
            self.replies.count(self.reader.masked(shared[0]), changed=False, where=None)
        for role in (self.roles.look, self.roles.inventory, self.roles.help, self.roles.restart):
            if role is not None:
                self.rules.operators.pop(role, None)

    def _as_before(self, view: str) -> Generator[str, Turn, bool]:
        """Whether the word for looking around is that of an earlier world. Then the others are taken over, too."""
        look = self.carried_roles.get("look")
        if look is None:
            return False
        text = yield from self.say(look)
        if text.strip() != view:
            self.carried_roles = {}
            return False
        self.note("speaks as before")
        for role, pattern in sorted(self.carried_roles.items()):
            if role != "move":
                setattr(self.roles, role, pattern)
                if role != "wait":
                    self.rules.operators.pop(pattern, None)
        return True

    def _notice(self, text: str) -> None:
        """Take over a view that came with an answer: the sweep may have changed something."""
        _, view = self.belief.split(text)
        if view:
            self.belief.see(view)

    def find_move(self) -> Play:
        """Try commands about the ways until the place changes; in a world of selections, find how to select."""
        belief = self.belief
        self.stuck = self.stamp
        ways = belief.ways.get(belief.at, {})
        free = [to for to, door in ways.items() if door is None] + [to for to, door in ways.items() if door is not None]
        names = free or list(belief.first)
        singles = [op for op in self.rules.operators.values() if len(op.pattern.kinds) == 1 and not op.implicit]
        sampled = [op for op in singles if op.key == self.carried_roles.get("move")]
        sampled += [op for op in singles if any(matches(op.pattern, sample) for sample in self.samples)]
        for name in names[:3]:
            for op in sampled + [op for op in singles if op not in sampled]:
                if (name,) in op.never or self.rules.movers:
                    continue
                yield from self.attempt(op, (name,))
                if self.rules.movers:
                    break
            if self.rules.movers:
                break
        for key in self.rules.movers:
            for room in belief.rooms:
                self.rules.is_kind.setdefault(self.rules.operators[key].kinds[0], set()).add(room)
        if self.focus and self.selector is None:
            yield from self._find_selector()
        if not self.replies.kind and self.rules.movers:
            yield from self._probe_kinds()

    def _probe_kinds(self) -> Play:
        """Say a deed of a place: what is answered is answered to whatever a deed can never be done to."""
        room = self.belief.at
        if self.selector is not None:
            yield from self._probe(self.selector.pattern.fill((room,)))
            return
        singles = [
            op for op in self.rules.operators.values()
            if op.arity == 1 and not op.implicit and op.key not in self.rules.movers
        ]  # fmt: skip
        for op in singles[:2]:
            yield from self._probe(op.pattern.fill((room,)))

    def _probe(self, command: str) -> Play:
        text = yield from self.say(command)
        signature = self.reader.masked(text)
        if signature not in self.replies.unread:
            self.replies.kind.add(signature)
            self.replies.count(signature, changed=False, where="place")
            self.replying.learn(text, self.belief.snapshot(), self.belief.snapshot(), self.belief.known_words)

    def _find_selector(self) -> Play:
        """The command that says of what the next deeds are done: after it, they answer otherwise.

        A pattern that answers without a selection as the bare deeds do takes its first thing from there, too.
        """
        bare = [op for op in self.rules.operators.values() if op.implicit and not op.pattern.kinds][:2]
        singles = [
            op for op in self.rules.operators.values()
            if len(op.pattern.kinds) == 1 and not op.implicit and op.key not in self.rules.movers
        ]  # fmt: skip
        if not bare:
            return
        refusal = yield from self.say(bare[0].pattern.text)
        for _ in range(4):
            for op, thing in product(list(singles), self._one_of_each_frame()):
                if op.implicit:
                    continue
                text = yield from self.say(op.pattern.fill((thing,)))
                if text == refusal and not op.shapes:
                    self._make_implicit(op)
                    continue
                op.shapes.add(text)
                if (yield from self._selects(op, thing, bare, refusal)):
                    yield from self.look()
                    return
            fresh = {to for ways in self.belief.ways.values() for to in ways} - self.belief.visited
            if not (yield from self.go(fresh)):
                return

    def _make_implicit(self, op: Operator) -> None:
        op.implicit, op.kinds, op.version = True, ("?", *op.kinds), op.version + 1
        op.trials.clear()
        op.tried.clear()
        op.never.clear()

    def _selects(self, op: Operator, thing: str, bare: list[Operator], refusal: str) -> Generator[str, Turn, bool]:
        """Whether the bare deeds answer otherwise after an operator. Then it is how to select."""
        for deed in bare:
            text = yield from self.say(deed.pattern.text)
            if text != refusal:
                self.selector, self.selected = op, thing
                self.rules.operators.pop(op.key, None)
                self.note(f"{op.pattern.text!r} says of what the next deeds are done")
                for other in self.rules.operators.values():
                    unsure = len(other.pattern.kinds) == 1 and not other.implicit and not other.shapes
                    if unsure and other.key not in self.rules.movers:
                        self._make_implicit(other)
                return True
        return False

    def _one_of_each_frame(self) -> list[str]:
        """A thing from each list of what is here, the later lists first."""
        found: dict[str, str] = {}
        for name in self.belief.here():
            found.setdefault(self.belief.frame.get(name, ""), name)
        return list(found.values())[::-1]

    # --- moving about ---------------------------------------------------------------------------
    def go(self, targets: set[str]) -> Generator[str, Turn, bool]:
        """Walk to the nearest of some rooms; whether it was reached."""
        belief = self.belief
        mover = next((self.rules.operators[key] for key in sorted(self.rules.movers)), None)
        for _ in range(30):
            if belief.at in targets:
                return True
            path = route(self.open_ways(), belief.at, targets)
            if path is None or mover is None:
                return False
            yield from self.walk(mover, path[0])
        return False

    def walk(self, mover: Operator, to: str) -> Generator[str, Turn, bool]:
        """One step; what stops it is remembered of the door or the way."""
        belief = self.belief
        was, door = belief.at, belief.ways.get(belief.at, {}).get(to)
        words = belief.words.get(door, frozenset()) if door else frozenset()
        trial = yield from self.attempt(mover, (to,))
        if trial.outcome == "changed" and belief.at != was:
            if door:
                self.rules.door_pass.add(words)
            return True
        tries, _ = self.vain.get(to, (0, 0))
        self.vain[to] = tries + 1, self.stamp
        if door:
            self.rules.door_fail.add(words)
        else:
            self.rules.shut[was, to] = self.stamp
        return False

    def open_ways(self) -> dict[str, list[str]]:
        """The ways that are not known to be barred now."""
        belief, rules = self.belief, self.rules
        blocking = rules.blocking()
        found: dict[str, list[str]] = {}
        for room, ways in belief.ways.items():
            found[room] = [
                to for to, door in ways.items()
                if (door is None and rules.shut.get((room, to)) != self.stamp)
                or (door is not None and not self._bars(door, blocking))
            ]  # fmt: skip
        return found

    def _bars(self, door: str, blocking: set[str]) -> bool:
        words = self.belief.words.get(door, frozenset())
        return words in self.rules.door_fail or bool(words & blocking)

    def fetch(self, name: str, keep: frozenset[str] = frozenset()) -> Generator[str, Turn, bool]:  # noqa: C901 - one decision, read from top to bottom
        """Get hold of a thing; whether it is held now. What is in `keep` is not put down for it."""
        belief = self.belief
        for _ in range(6):
            if belief.where(name) == "held" and belief.place.get(name) == HELD:
                return True
            room = belief.room_of(name)
            if room is None:
                return False
            if belief.at != room and not belief.hidden(name) and (yield from self.go({room})):
                continue
            if belief.hidden(name) or belief.at != room:
                return (yield from self.reach([("held", name)]))
            taken = False
            for op in self.rules.takers():
                if (name,) in op.never:
                    continue
                trial = yield from self.attempt(op, (name,))
                if trial.outcome == "changed":
                    taken = True
                    break
                if trial.why == "full":
                    if not (yield from self.put_down(keep={name, *keep})):
                        return False
                    break
            else:
                return belief.where(name) == "held"
            if taken and belief.where(name) == "held":
                return True
        return False

    def reach(self, facts: list[Fact]) -> Generator[str, Turn, bool]:
        """Make facts true by a plan over what was learned; whether it went through."""
        if any(self.unreached.get(fact) == self.rules.version for fact in facts):
            return False
        self.planner.ground(self.belief, self.stamp)
        goal = self.planner.want(facts)
        plan = self.planner.plan(self.planner.state(self.belief), goal, limit=200)
        if not plan:
            if plan is None:
                self.unreached.update(dict.fromkeys(facts, self.rules.version))
            return plan is not None
        done = yield from self.carry_out(plan)
        if not done:
            for fact in facts:
                self.missed[fact] += 1
                if self.missed[fact] % 3 == 0:
                    self.unreached[fact] = self.rules.version
        return done

    def carry_out(self, plan: list[Deed]) -> Generator[str, Turn, bool]:
        """Do what a plan says for as long as it goes as expected; whether it did to the end."""
        for deed in plan:
            if deed.op == WAIT:
                yield from self.wait(deed.args[0])
                return False
            op = self.rules.operators[deed.op]
            if deed.op in self.rules.movers:
                if not (yield from self.walk(op, deed.args[0])):
                    return False
                continue
            trial = yield from self.attempt(op, deed.args)
            if trial.outcome != "changed":
                if trial.why == "full":
                    yield from self.put_down(keep=set(deed.args))
                return False
        return True

    def wait(self, name: str) -> Play:
        """Let time pass until something changes by itself."""
        before = self.belief.words.get(name)
        for _ in range(4):
            if self.roles.wait is None:
                return
            yield from self.say(self.roles.wait)
            yield from self.look()
            if self.belief.words.get(name) != before:
                self.stamp += 1
                return

    def put_down(self, keep: set[str]) -> Generator[str, Turn, bool]:
        """Put down one held thing that is not to be kept, the least wanted first."""
        wanted_names = {name for fact in self.goal for name in fact[1:]}
        held = sorted(
            (name for name in self.belief.held() if name not in keep), key=lambda name: (name in wanted_names,)
        )
        for name in held:
            for op in self.rules.droppers():
                trial = yield from self.attempt(op, (name,))
                if trial.outcome == "changed":
                    return True
        return False

    def restart(self) -> Generator[str, Turn, bool]:
        """Back to the start, if it is known how."""
        if self.roles.restart is None:
            return False
        text = yield from self.say(self.roles.restart)
        self.belief.restart()
        self.stamp += 1
        self.restarted = self.stamp
        self.anew, self.began = False, self.n
        self.selected = None
        _, view = self.belief.split(text)
        if view:
            self.belief.see(view)
        self.note("began again")
        return True


def new_mind(briefing: Briefing, *, english: bool = True) -> Mind:
    """A mind that knows nothing but what the briefing says."""
    vocabulary = briefing.vocabulary or ()
    patterns = patterns_of(briefing.help or "", vocabulary)
    fixed = {word for pair in patterns for pattern in pair if pattern for word in PIECE.findall(pattern.text)}
    reader = Reader(vocabulary, fixed, english=english)
    belief = Belief(reader, english)
    rules = Rules()
    mind = Mind(reader, belief, rules, Replies(), Replying(reader), Planner(rules), english)
    for before, pattern in patterns:
        op = mind.add(pattern, implicit=before is not None, first=before.kinds[0] if before and before.kinds else "?")
        if before is not None:
            mind.selector = mind.selector or Operator(before.text, before, before.kinds)
            op.selects = before
    selections = {op.selects.text for op in rules.operators.values() if op.selects is not None}
    for text in selections:
        rules.operators.pop(text, None)
    yes = confirmation(briefing.help or "", [pattern for _, pattern in patterns])
    if yes is not None:
        mind.confirm = yes.text
        rules.operators.pop(yes.text, None)
    return mind


def _differs(before: Snapshot, after: Snapshot) -> bool:
    return before.at != after.at or before.place != after.place or before.words != after.words


def _part_of(text: str, view: str) -> bool:
    """Whether a text is part of a view, brackets and ends left aside."""
    core = text.strip("{}[]. \n")
    return bool(core) and core in view and len(core) < len(view)


__all__ = ["GONE", "HERE", "Mind", "Play", "Roles", "Solved", "new_mind"]
