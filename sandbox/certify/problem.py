"""The part of a world that can matter for a goal, and the moves in it.

Only what could have a part in reaching the goal is grounded (`relevance`). Then come three sound prunings of the
transition system, each of which keeps every optimal plan:

* *reachability*: moves whose needs cannot all come true even if nothing were ever undone are left out;
* *relevance*: a literal is wanted if the goal, or a need of something relevant, asks for it; the condition of
  a conditional change is wanted if the change helps, and its negation if it harms. A wanted literal that is
  true at the start and that nothing kept can undo asks for nothing. Moves that achieve no wanted literal are
  left out, and bits that nothing kept reads are projected away;
* *detours*: a move that serves one function only asks for the value of it that the move starts from, if at all,
  where that can be entered otherwise than from where the move leads (nothing is dropped only to be taken again);
  a move is kept once the value that it starts from can be entered.

Limits on carrying count as conditions like any other, unless what is relevant can never reach them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sandbox.certify.pruned import Act, Part, Problem, assemble, bits, law_parts, part_of, union, unlimited
from sandbox.certify.relevance import Relevance
from sandbox.world.bits import Card, Clause, Condition, both, reads
from sandbox.world.dynamics import Dynamics, Intent, Move, Room
from sandbox.world.ground import GroundLaw


class Everything:
    """All moves and laws of a world, analysed once; `problem(goal)` prunes them for a goal."""

    def __init__(
        self, dynamics: Dynamics, focused: frozenset[str], asked: frozenset[str], start: int | None = None
    ) -> None:
        """`focused` are the actions whose first argument has to be selected before, `asked` those asked back."""
        self.dynamics, self.start = dynamics, dynamics.start if start is None else start
        self.focused, self.asked = focused, asked
        self._group_at = dynamics.ground.group_at
        self._relevance = Relevance(dynamics)
        self._grounded = False
        self._splits: dict[tuple[int, Intent], list[Act]] = {}

    # --- what is grounded -----------------------------------------------------------------------
    def cover(self, goal: Sequence[Condition], start: int | None = None, *, limits: bool = False) -> None:
        """Ground what could have a part in reaching a goal, from the start of the world or from another state.

        With `limits`, also what only a limit on carrying can make worth while.
        """
        start = self.start if start is None else start
        if self._relevance.add(goal, start, limits=limits) or not self._grounded:
            self._ground()

    def _cover_all(self) -> None:
        if self._relevance.add_all():
            self._ground()

    @property
    def acts(self) -> list[Act]:
        """All moves that can be made if nothing is ever undone."""
        self._cover_all()
        return self.covered

    @property
    def laws(self) -> list[tuple[int, GroundLaw]]:
        """All laws with the rooms they hold in."""
        self._cover_all()
        return self.covered_laws

    @property
    def law_parts(self) -> list[tuple[Part, ...]]:
        """The changes of all laws, in the same order."""
        return [law_parts(law) for _, law in self.laws]

    @property
    def can1(self) -> int:
        """The bits that can ever be set if nothing is ever undone."""
        self._cover_all()
        return self._can1

    def _ground(self) -> None:
        """The acts and laws of everything relevant, with their indexes."""
        self._grounded, relevance = True, self._relevance
        wanted = list(relevance.rooms())
        self.covered: list[Act] = []
        self.covered_laws: list[tuple[int, GroundLaw]] = []
        for bit, room in self.dynamics.rooms.items():
            for intent, rooms in wanted:
                if room.name in rooms:
                    self.covered += self._acts_of(bit, room, intent)
            self.covered_laws += [(bit, law) for law in (*room.steps, *room.events) if law.index in relevance.laws]
        self._ticks = [self.dynamics.ground.ticks(law.index) for _, law in self.covered_laws]
        kinds: dict[tuple[Part, ...], list[int]] = {}
        for number, (_, law) in enumerate(self.covered_laws):
            kinds.setdefault(law_parts(law), []).append(number)
        self._law_kinds = [(parts, union(parts), tuple(numbers)) for parts, numbers in kinds.items()]
        self._reach()
        self._index()

    def _acts_of(self, bit: int, room: Room, intent: Intent) -> list[Act]:
        """The acts of an intent in a room, made once."""
        acts = self._splits.get((bit, intent))
        if acts is None:
            select = self.dynamics.selected[intent[1][0]] if intent[0] in self.focused else 0
            acts = self._splits[bit, intent] = self._split(bit, room.move(intent), select)
        return acts

    def _index(self) -> None:
        """The acts by the functions that they touch and the bits that they set."""
        facts = self.dynamics.fact_mask
        self._touching: dict[int, list[int]] = {}
        self._setters: dict[int, list[Act]] = {}
        self._sources_of: dict[int, int] = {}
        for number, act in enumerate(self.covered):
            left = (act.sets | act.clears) & facts
            while left:
                mask = self._group_at[(left & -left).bit_length()]
                left &= ~mask
                self._touching.setdefault(mask.bit_length(), []).append(number)
            for bit in bits(act.sets & facts):
                self._setters.setdefault(bit, []).append(act)

    def _split(self, room: int, move: Move, select: int) -> list[Act]:
        """One act for each conjunction of the move's needs."""
        needs: Condition = (Clause(move.mask, move.want),)
        for condition in move.rest:
            needs = both(needs, condition)
        parts = tuple(part_of(change) for change in move.changes)
        sets, clears = union(parts) if parts else (move.put, move.clear & ~move.put)
        conditional = tuple(p for p in parts if p.when1 | p.when0 or p.cards)
        touched = self.whole(sets | clears)
        settled = not conditional and touched == self.whole(touched & -touched)
        return [
            Act(room, move.intent, mask, want, cards, move.clear, move.put, move.changes, sets, clears, conditional,
                mask & touched, select, settled, 2 if move.intent[0] in self.asked else 1)
            for mask, want, cards in needs
        ]

    def whole(self, some: int) -> int:
        """The bits of every function that some of the bits belong to."""
        found = 0
        left = some & self.dynamics.fact_mask
        while left:
            low = left & -left
            mask = self._group_at[low.bit_length()]
            found |= mask
            left &= ~mask
        return found | (some & ~self.dynamics.fact_mask)

    def _reach(self) -> None:
        """The bits that can ever be set (`can1`) or clear (`can0`), nothing being undone, and the moves so possible.

        A move waits for one bit that it needs and that cannot be had yet; then it is looked at again.
        """
        loose = self._relevance.loose
        can1 = self.start | self._relevance.ever | loose
        can0, law_sets = ~(self.start & self._relevance.always) | loose, 0
        for _, (sets, clears), _ in self._law_kinds:
            can1, can0, law_sets = can1 | sets, can0 | clears, law_sets | sets
        waiting1: dict[int, list[int]] = {}
        waiting0: dict[int, list[int]] = {}
        acts, found = self.covered, list[int]()
        todo = list(range(len(acts)))
        while todo:
            number = todo.pop()
            act = acts[number]
            missing = (act.want | act.room) & ~can1
            if missing:
                waiting1.setdefault(missing & -missing, []).append(number)
                continue
            missing = act.mask & ~act.want & ~can0
            if missing:
                waiting0.setdefault(missing & -missing, []).append(number)
                continue
            found.append(number)
            new1, new0 = act.sets & ~can1, act.clears & ~can0
            can1, can0 = can1 | new1, can0 | new0
            for bit in bits(new1):
                todo += waiting1.pop(bit, ())
            for bit in bits(new0):
                todo += waiting0.pop(bit, ())
        self._can1, self._can0 = can1, can0
        self.covered = [acts[number] for number in sorted(found)]
        self._set_by_law = law_sets

    # --- what touches a function ----------------------------------------------------------------
    def groups_of(self, some: int) -> Iterator[int]:
        """The functions that some bits belong to, each as all its bits."""
        left = some & self.dynamics.fact_mask
        while left:
            group = self._group_at[(left & -left).bit_length()]
            left &= ~group
            yield group

    def size_of(self, group: int) -> int:
        """How many moves touch a function, those in each room counted."""
        hopeful = self.dynamics.hopeful
        return sum(len(hopeful[what]) for what in self._relevance.touching(group) if not isinstance(what, int))

    def touching(self, groups: int) -> Iterator[tuple[int, list[Act], tuple[GroundLaw, ...]]]:
        """Room by room all moves and laws that touch some functions, whatever is left out elsewhere."""
        found = {what for group in self.groups_of(groups) for what in self._relevance.touching(group)}
        hopeful = self.dynamics.hopeful
        intents = [(what, hopeful[what]) for what in hopeful if what in found]
        for bit, room in self.dynamics.rooms.items():
            acts = [act for what, rooms in intents if room.name in rooms for act in self._acts_of(bit, room, what)]
            yield bit, acts, tuple(law for law in (*room.steps, *room.events) if law.index in found)

    # --- pruning ------------------------------------------------------------------------------
    def problem(self, goal: Sequence[Condition], *, start: int | None = None) -> Problem:
        """The pruned transition system for a goal, from the start of the world or from another reachable state.

        Limits on carrying are kept if what is relevant can reach them.
        """
        start = self.start if start is None else start
        self.cover(goal, start)
        kept, laws = self._prune(goal, start, limits=False)
        limited = self._can_bind(kept, laws, start)
        if limited:
            self.cover(goal, start, limits=True)
            kept, laws = self._prune(goal, start, limits=True)
        else:
            kept = [unlimited(act) for act in kept]
        whole = self._whole_of(goal, start, kept, laws)
        return assemble(self.dynamics, kept, laws, tuple(goal))._replace(whole=whole)

    def _whole_of(
        self, goal: Sequence[Condition], start: int, kept: Sequence[Act], laws: Sequence[tuple[int, GroundLaw]]
    ) -> bool:
        """Whether the moves that are left out cannot make a plan shorter.

        A plan that makes some of them is one without them, or with waiting in their stead, if nothing that is kept
        asks for what only they bring about: of what they touch, no law or conditional change reads anything, and
        moves need nothing but that it is as it is from the start on.
        """
        loose = self._relevance.loose
        if self._relevance.cut:
            return False
        if not loose:
            return True
        if any(reads(condition) & loose for condition in goal) or (laws and not self._relevance.idle):
            return False
        needed = changed = 0
        for part in (*(p for _, law in laws for p in law_parts(law)), *(p for act in kept for p in act.parts)):
            if (part.when1 | part.when0) & loose or any(m & loose for card in part.cards for _, m in card.weighed):
                return False
            changed |= part.sets | part.clears
        for act in kept:
            needed |= act.mask & loose
            changed |= act.sets | act.clears
            if (start ^ act.want) & act.mask & loose or any(_counts(card, loose, start) for card in act.cards):
                return False
        return not needed & changed

    @staticmethod
    def _can_bind(kept: Sequence[Act], laws: Sequence[tuple[int, GroundLaw]], start: int) -> bool:
        """Whether a count can matter: a limit that what is relevant can reach, or any other count at all."""
        gained = start
        parts = [part for _, law in laws for part in law_parts(law)]
        for act in kept:
            gained |= act.sets
        for part in parts:
            gained |= part.sets
        if any(part.cards for part in (*parts, *(part for act in kept for part in act.parts))):
            return True
        for act in kept:
            for card in act.cards:
                others = gained & ~act.sets
                if not card.at_most or sum(w * (m & others).bit_count() for w, m in card.weighed) > card.bound:
                    return True
        return False

    def _prune(
        self, goal: Sequence[Condition], start: int, *, limits: bool
    ) -> tuple[list[Act], list[tuple[int, GroundLaw]]]:
        """The moves and laws that matter: asked for again and again until nothing more is."""
        wanted = _Wanted(start, self._relevance.loose, self._can1, self._can0, limits=limits)
        for condition in goal:
            for clause in condition:
                wanted.ask(clause.want, clause.mask & ~clause.want)
        kept: list[int] = []
        moody: list[int] = []
        pending = _Pending([], {}, [])
        taken: set[int] = set()
        laws: set[int] = set()
        seen1 = seen0 = old1 = old0 = 0
        before: object = None
        while before != (before := (wanted.state(), len(kept), len(taken), len(laws))):
            live1, live0 = wanted.live()
            fresh = live1 & ~seen1 | live0 & ~seen0
            if fresh:
                pending.useful.extend(self._touch(fresh, live1, live0, taken))
                seen1, seen0 = live1, live0
            changed = old1 ^ wanted.want1 | old0 ^ wanted.want0
            old1, old0 = wanted.want1, wanted.want0
            admitted = self._admit(pending, wanted, start, changed)
            for number in (*admitted, *self._touched_by(changed, moody)):
                self._ask(wanted, number, start)
            kept += admitted
            moody += [number for number in admitted if not self.covered[number].settled]
            self._heed(laws, wanted)
        chosen = sorted(n for kind in laws for n in self._law_kinds[kind][2])
        acts = [self.covered[number] for number in sorted(kept)]
        if any(self._ticks[number] for number in chosen):
            acts += self._waiting()
        return acts, [self.covered_laws[number] for number in chosen]

    def _touch(self, fresh: int, live1: int, live0: int, taken: set[int]) -> list[int]:
        """The moves, not taken yet, that serve what is wanted; only functions with something fresh are looked at."""
        found: list[int] = []
        while fresh:
            mask = self._group_at[(fresh & -fresh).bit_length()]
            fresh &= ~mask
            for number in self._touching.get(mask.bit_length(), ()):
                if number not in taken:
                    act = self.covered[number]
                    if act.sets & live1 or act.clears & live0:
                        taken.add(number)
                        found.append(number)
        return found

    def _waiting(self) -> list[Act]:
        """The moves by which time can pass: doing nothing where that is always possible, else every move."""
        idle = set(self._relevance.idle)
        return [act for act in self.covered if act.intent in idle] or self.covered

    def _touched_by(self, changed: int, moody: Sequence[int]) -> list[int]:
        """The moves that touch something of which more is wanted than before: what they ask may have changed."""
        return [n for n in moody if (self.covered[n].sets | self.covered[n].clears) & changed]

    def _admit(self, pending: _Pending, wanted: _Wanted, start: int, changed: int) -> list[int]:
        """Take out the useful moves that can start from a value that is entered; the others wait for it."""
        admitted: list[int] = []
        todo, waiting = pending.useful, pending.waiting
        for bit in [bit for bit in waiting if bit & wanted.entered]:
            todo += waiting.pop(bit)
        for number in self._touched_by(changed, pending.moody):
            wanted.ask(*self._asked_of_own(number, wanted, start))
        while todo:
            number = todo.pop()
            act = self.covered[number]
            wanted.ask(*self._asked_of_own(number, wanted, start))
            missing = act.own & act.want & ~wanted.entered
            if missing:
                waiting.setdefault(missing & -missing, []).append(number)
                if not act.settled:
                    pending.moody.append(number)
                continue
            admitted.append(number)
            fresh = act.sets & ~wanted.entered
            wanted.undo(act.sets, act.clears)
            for bit in bits(fresh):
                todo += waiting.pop(bit, ())
        return admitted

    def _heed(self, laws: set[int], wanted: _Wanted) -> None:
        """Keep the laws that touch what is wanted, and ask for, or against, their conditions."""
        for kind, (parts, (sets, clears), _) in enumerate(self._law_kinds):
            if kind not in laws and (sets | clears) & (wanted.want1 | wanted.want0):
                laws.add(kind)
                wanted.undo(sets, clears)
            if kind in laws:
                for part in parts:
                    wanted.condition(part)

    def _ask(self, wanted: _Wanted, number: int, start: int) -> None:
        """What a relevant move asks for."""
        act = self.covered[number]
        wanted.ask(act.room, 0)
        wanted.ask(act.want & ~act.own, act.mask & ~act.want & ~act.own)
        wanted.ask(*self._asked_of_own(number, wanted, start))
        if act.cards:
            wanted.limit(act.cards, want=True)
        for part in act.parts:
            wanted.condition(part)

    def _asked_of_own(self, number: int, wanted: _Wanted, start: int) -> tuple[int, int]:
        """What a move asks of the functions that it changes itself.

        Where everything that the move is good for is one function, it asks no more of that function than to have a
        value that can be entered otherwise than from where the move leads; of all others, what it needs.
        """
        act = self.covered[number]
        if not act.own:
            return 0, 0
        if act.settled:
            return self._sources(number) & ~start, 0
        serves = act.sets & wanted.want1 | act.clears & wanted.want0
        ones = zeros = 0
        left = act.own
        while left:
            group = self.whole(left & -left)
            mine = act.own & group
            if serves & ~group:
                ones, zeros = ones | act.want & mine, zeros | act.mask & ~act.want & mine
            else:
                ones |= self._sources(number) & group & ~start
            left &= ~group
        return ones, zeros

    def _sources(self, number: int) -> int:
        """The values from which a move starts, as far as they can be entered otherwise than from where it leads."""
        found = self._sources_of.get(number)
        if found is None:
            act, found = self.covered[number], 0
            for source in bits(act.own & act.want & self.dynamics.fact_mask):
                group = self._group_at[source.bit_length()]
                target = act.sets & group
                if source & self._set_by_law or any(
                    (other.own & other.want & group) != target for other in self._setters.get(source, ())
                ):
                    found |= source
            self._sources_of[number] = found
        return found


def _counts(card: Card, loose: int, start: int) -> bool:
    """Whether a limit could be met sooner if some bits changed."""
    return any(mask & loose and (start & mask & loose or not card.at_most) for _, mask in card.weighed)


class _Pending(NamedTuple):
    """Useful moves that are not kept yet: to be looked at, those that wait for a value to be entered, and of these
    the ones whose wishes depend on what else is wanted.
    """

    useful: list[int]
    waiting: dict[int, list[int]]
    moody: list[int]


class _Wanted:
    """The literals that are asked for, those that something kept can undo, and the values it can enter."""

    def __init__(self, start: int, loose: int, can1: int, can0: int, *, limits: bool) -> None:
        self.want1 = self.want0 = 0
        self.entered = start | loose
        self._lost1, self._lost0 = ~start, start
        self._can1, self._can0, self._limits = can1, can0, limits

    def state(self) -> tuple[int, int, int, int]:
        """Everything that is known, to tell when nothing changes any more."""
        return self.want1, self.want0, self._lost1, self._lost0

    def ask(self, ones: int, zeros: int) -> None:
        """Literals that something asks for, as far as they can ever come true."""
        self.want1 |= ones & self._can1
        self.want0 |= zeros & self._can0

    def undo(self, sets: int, clears: int) -> None:
        """What something kept may set and clear: literals it falsifies have to be restored."""
        self._lost1 |= clears
        self._lost0 |= sets
        self.entered |= sets

    def live(self) -> tuple[int, int]:
        """The wanted literals that are false at the start or can be undone."""
        return self.want1 & self._lost1, self.want0 & self._lost0

    def condition(self, part: Part) -> None:
        """The condition of a change: wanted if the change helps, its negation if it harms."""
        if part.cards and not self._limits:
            return
        if part.sets & self.want1 or part.clears & self.want0:
            self.ask(part.when1, part.when0)
            self.limit(part.cards, want=True)
        if part.clears & self.want1 or part.sets & self.want0:
            self.ask(part.when0, part.when1)
            self.limit(part.cards, want=False)

    def limit(self, cards: Iterable[Card], *, want: bool) -> None:
        """Limits ask for room: fewer of what they count, or more."""
        if not self._limits:
            return
        for card in cards:
            for _, mask in card.weighed:
                if card.at_most == want:
                    self.ask(0, mask)
                else:
                    self.ask(mask, 0)
