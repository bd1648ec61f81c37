"""Text in, text out: the engine that players meet.

`step(state, command)` is pure: a state (an integer) and any text give the next state and everything that
is shown. Texts are joined from phrases that were prepared when the world was built; the caches in here
never change a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from sandbox.world import spec
from sandbox.world.bits import Condition, holds
from sandbox.world.dynamics import Dynamics, Intent, Move, Room
from sandbox.world.english import English, sentence
from sandbox.world.feedback import Reply
from sandbox.world.keyed import digest
from sandbox.world.speech import SELECT, Phrase, Speech
from sandbox.world.view import View
from sandbox.world.world import World

_FULL = 50_000


class Step(NamedTuple):
    """What one command did. `cause` is None when it was accepted; `text` is everything shown."""

    state: int
    text: str
    reward: float
    done: bool
    cause: str | None
    intent: str | None


class _Read(NamedTuple):
    """A parsed command, ready to run: its intent, or what stands in the first argument's place."""

    action: str
    args: tuple[str | None, ...]
    inform: bool
    focused: bool


class _Wrong(NamedTuple):
    """Why words that are all known make no intent: a thing of the wrong kind, or the same thing twice."""

    cause: str
    id: str


class Engine:
    """One world, ready to be played at an access level (at L0, `help` tells the goal only)."""

    def __init__(self, world: World, access: int = 1) -> None:
        self.world, self.access = world, access
        self.dynamics = Dynamics(world.rules, world.layout)
        self.english = English(world.rules, lambda kind: world.names.get(f"kind:{kind}", kind))
        self.speech = speech_of(world)
        self.view = View(world, self.dynamics.ground)
        self.reply = Reply(world, self.dynamics.ground, self.view, self.english)
        self._goal = self.dynamics.goal(world.goal)
        self._dense = world.feedback.reward == "dense"
        self._cards = dict(world.cards)
        self._read_texts: dict[str, _Read | _Wrong | str] = {}
        self._choices: dict[int, tuple[tuple[int, int, tuple[Condition, ...], str], ...]] = {}
        self._kind_ok = {
            a.name: tuple(frozenset(self.dynamics.ground.members(k)) for _, k in a.params)
            for a in world.rules.actions
        }
        self._needs = {a.name: a.needs for a in world.rules.actions}

    # --- playing -------------------------------------------------------------------------------
    @cached_property
    def _first(self) -> Step:
        return Step(self.dynamics.start, self._opening(), 0.0, False, None, None)

    def start(self) -> Step:
        """Step 0: the first observation."""
        return self._first

    def step(self, state: int, command: str) -> Step:
        """The outcome of any text in a state. Never raises for a text."""
        read = self._read_texts.get(command)
        if read is None:
            read = self._parse(command)
        if not isinstance(read, _Read):
            return self._unread(state, command, read)
        args = read.args
        if read.focused:
            chosen = self._selection(state)
            if chosen is None:
                return self._unread(state, command, "nothing_selected")
            args = (chosen, *args[1:])
            wrong = self._mistyped(read.action, args)
            if wrong:
                return self._unread(state, command, wrong)
        room = self.dynamics.rooms[state & self.dynamics.here_mask]
        if read.action == SELECT:
            return self._select(state, room, str(args[0]))
        move = room.move((read.action, args))  # type: ignore[arg-type]  # no gap is left in args
        if state & move.mask != move.want or (move.rest and not move.ready(state)):
            return self._refuse(state, move)
        if read.inform:
            return self._inform(state, room, move)
        return self._act(state, room, move)

    def _unread(self, state: int, command: str, why: _Wrong | str) -> Step:
        """The answer to a text that is no intent: nothing but words, or things that do not go together."""
        if isinstance(why, _Wrong):
            return Step(state, self.reply.wrong(*why), 0.0, False, why.cause, None)
        word = self.speech.unknown(command) if why == "unknown_word" else ""
        return Step(state, self.reply.unread(why, word), 0.0, False, why, None)

    def _act(self, state: int, room: Room, move: Move) -> Step:
        dynamics = self.dynamics
        new = dynamics.after(state, move)
        after = dynamics.rooms[new & dynamics.here_mask]
        said = self.reply.changes(state, new, room.name, after.name)
        if after is not room:
            said.append(self.view.room(new, after.name))
        elif not said:
            said.append(self.reply.phrases.say("nothing"))
        reward, done = 0.0, self.solved(new)
        if self._dense:
            before, now = self._count(state), self._count(new)
            reward = (now - before) / len(self._goal)
            if reward and not done:
                said.append(self.reply.phrases.say("progress", done=now, all=len(self._goal)))
        elif done:
            reward = 1.0
        if done:
            said.append(self.reply.phrases.say("solved"))
        return Step(new, " ".join(said), reward, done, None, intent_text(move.intent))

    def _refuse(self, state: int, move: Move) -> Step:
        action, args = move.intent
        failed = 0
        for failed, (_, condition) in enumerate(move.needs):
            if not holds(condition, state):
                break
        cause = move.needs[failed][0]
        need = self._failing(move, failed)
        return Step(state, self.reply.refused(need, action, args), 0.0, False, cause, intent_text(move.intent))

    def _failing(self, move: Move, failed: int) -> spec.Need:
        """The need in the tree that a ground need came from: needs that always hold were left out."""
        action, args = move.intent
        kept = -1
        env = {p[0]: a for p, a in zip(self.dynamics.actions[action].params, args, strict=True)}
        room = next(r for r in self.dynamics.rooms.values() if r.move(move.intent) is move)
        for need in self._needs[action]:
            condition = self.dynamics.ground.tester(need.formula)(env, room.name)
            if condition != ((0, 0, ()),):
                kept += 1
            if kept == failed:
                return need
        raise AssertionError("a ground need without a need in the tree")

    def _select(self, state: int, room: Room, id_: str) -> Step:
        intent = f"{SELECT}({id_})"
        if not self.view.sees(id_, state, room.name):
            return Step(state, self.reply.wrong("out_of_reach", id_), 0.0, False, "out_of_reach", intent)
        new = state & ~self.dynamics.selected_mask | self.dynamics.selected[id_]
        name = self.world.names[id_]
        text = self.reply.phrases.say("selected", name=name, Name=name.capitalize())
        return Step(new, text, 0.0, False, None, intent)

    def _selection(self, state: int) -> str | None:
        bits = state & self.dynamics.selected_mask
        if not bits:
            return None
        return next(id_ for id_, bit in self.dynamics.selected.items() if bit == bits)

    def _inform(self, state: int, room: Room, move: Move) -> Step:
        name, args = move.intent
        say = self.reply.phrases.say
        reward = 0.0
        if name == "look":
            text = self.view.room(state, room.name)
        elif name == "inventory":
            text = self.view.held(state).strip() or say("nothing")
        elif name == "examine":
            text = self._examined(state, args[0])
            state |= self.dynamics.seen[args[0]]
        elif name == "read":
            line = self.card_text(args[0])
            text = say("read", text=line) if line else say("read_none", name=self.world.names[args[0]])
        elif name == "help":
            text = self.help_text if self.access else self.goal_text
        else:
            before = self._count(state)
            state = self.dynamics.start
            if self._dense:
                reward = (self._count(state) - before) / len(self._goal)
            text = say("restart") + " " + self.view.room(state, self.dynamics.room(state).name)
        return Step(state, text, reward, False, None, intent_text(move.intent))

    def _examined(self, state: int, id_: str) -> str:
        item = self.view.items[id_]
        functions = {f.name: f for f in self.world.rules.functions}
        drawn = dict(next(o for o in self.world.layout.objects if o.id == id_).attributes)
        said = [functions[n].words[functions[n].values.index(v)] for n, v in drawn.items()]
        said += [w for w in item.words(state) if w not in said]
        return self.reply.phrases.say(
            "examined", name=item.name, Name=item.name.capitalize(), words=", ".join(said)
        )

    def card_text(self, id_: str) -> str:
        """What is written on an object, or ''."""
        from sandbox.world.manual import told_line

        told = self._cards.get(id_, "")
        return " ".join(told_line(self, name) for name in told.split(";")) if told else ""

    # --- reading -------------------------------------------------------------------------------
    def _parse(self, command: str) -> _Read | _Wrong | str:
        phrase = self.speech.parse(command)
        read = phrase if isinstance(phrase, str) else self._typed(phrase)
        if len(command) < 200:
            if len(self._read_texts) > _FULL:
                self._read_texts.clear()
            self._read_texts[command] = read
        return read

    def _typed(self, phrase: Phrase) -> _Read | _Wrong:
        focused = bool(phrase.args) and phrase.args[0] is None
        if phrase.action == SELECT:
            if phrase.args[0] not in self.dynamics.selected:
                return _Wrong("wrong_kind", str(phrase.args[0]))
            return _Read(SELECT, phrase.args, inform=False, focused=False)
        if not focused:
            wrong = self._mistyped(phrase.action, phrase.args)
            if wrong:
                return wrong
        inform = self.dynamics.actions[phrase.action].inform
        return _Read(phrase.action, phrase.args, inform, focused)

    def _mistyped(self, action: str, args: tuple[str | None, ...]) -> _Wrong | None:
        for arg, kinds in zip(args, self._kind_ok[action], strict=True):
            if arg not in kinds:
                return _Wrong("wrong_kind", str(arg))
        return _Wrong("wrong_thing", str(args[1])) if len(args) == 2 and args[0] == args[1] else None

    def parse(self, command: str, state: int) -> tuple[str | None, str | None]:
        """(intent, None) of a text that is a command in this state, or (None, cause)."""
        step = self.step(state, command)
        return (step.intent, None) if step.intent else (None, step.cause)

    # --- what can be done ------------------------------------------------------------------------
    def admissible(self, state: int) -> tuple[str, ...]:
        """Exactly the canonical commands that `step` accepts in this state, in a fixed order."""
        here = state & self.dynamics.here_mask
        choices = self._choices.get(here)
        if choices is None:
            choices = self._choices[here] = self._list_choices(self.dynamics.rooms[here])
        return tuple([
            command
            for mask, want, rest, command in choices
            if state & mask == want and (not rest or all(holds(c, state) for c in rest))
        ])

    def _list_choices(self, room: Room) -> tuple[tuple[int, int, tuple[Condition, ...], str], ...]:
        rows: list[tuple[int, int, tuple[Condition, ...], str]] = []
        for intent in (*self.dynamics.intents(inform=False), *self.dynamics.intents(inform=True)):
            move = room.move(intent)
            if not move.possible:
                continue
            mask, want = move.mask, move.want
            if self.speech.needs_selection(intent[0]):
                bit = self.dynamics.selected[intent[1][0]]
                mask, want = mask | bit, want | bit
            rows.append((mask, want, move.rest, self.speech.command(*intent)))
        if self.world.grammar.select:
            for id_ in self.dynamics.selected:
                reach = self.view.reach(id_, room.name)
                if reach:
                    rows.append((0, 0, (reach,), self.speech.command(SELECT, (id_,))))
        return tuple(rows)

    def commands(self, intent: Intent, state: int) -> tuple[str, ...]:
        """The canonical commands that carry out an intent from a state: the selection first, if one is needed."""
        action, args = intent
        command = self.speech.command(action, args)
        if self.speech.needs_selection(action) and self._selection(state) != args[0]:
            return self.speech.command(SELECT, (args[0],)), command
        return (command,)

    # --- what is known -----------------------------------------------------------------------
    def solved(self, state: int) -> bool:
        """Whether the goal holds."""
        return all(holds(condition, state) for condition in self._goal)

    def _count(self, state: int) -> int:
        return sum(holds(condition, state) for condition in self._goal)

    def progress(self, state: int) -> float:
        """The share of the goal's conditions that hold, from 0 to 1."""
        return self._count(state) / len(self._goal) if self._goal else 1.0

    def state_digest(self, state: int) -> str:
        """A digest that two states share only if they are equal."""
        return digest(f"{state:x}".encode(), 8)

    @cached_property
    def goal_text(self) -> str:
        """The goal in the room's language, one sentence."""
        facts = [self.english.fact(fact, self.world.names) for fact in self.world.goal]
        joined = self.view.phrases.say("goal_and").join(facts)
        return self.view.phrases.say("goal", items=joined, Items=joined[:1].upper() + joined[1:])

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Every word that the parser knows, sorted."""
        return self.speech.vocabulary

    @cached_property
    def help_text(self) -> str:
        """The help page: premise, goal, how to speak, what is told of the rules."""
        from sandbox.world.manual import help_page

        return help_page(self)

    def rules_text(self) -> str:
        """The whole rule set in plain English."""
        from sandbox.world.manual import rules_page

        return rules_page(self)

    def map_text(self, state: int) -> str:
        """Rooms and ways, and where the player is."""
        from sandbox.world.manual import map_page

        return map_page(self, state)

    def _opening(self) -> str:
        from sandbox.world.manual import opening

        return opening(self)

    def facts(self, state: int) -> Mapping[str, Any]:
        """The whole state as plain data, for L3: room, and for each object its kind, place and values."""
        ground = self.dynamics.ground
        objects = {}
        for object_ in self.world.layout.objects:
            values: dict[str, Any] = dict(object_.attributes)
            for name, args in ground.groups:
                if args == (object_.id,):
                    values[name] = ground.value(name, args, state)
            place = ground.value(spec.PLACE, (object_.id,), state)
            values[spec.PLACE] = self.world.names.get(str(place), place)
            objects[self.world.names[object_.id]] = {"kind": object_.kind, **values}
        ways = {
            self.world.names[room]: [self.world.names[to] for to, _ in self.view.ways(room)]
            for room in self.world.layout.rooms
        }
        return {"room": self.world.names[self.dynamics.room(state).name], "objects": objects, "ways": ways}

    def clear(self) -> None:
        """Forget every cached text and parse, for measuring from a cold start."""
        self._read_texts.clear()
        self.view.clear()


def speech_of(world: World) -> Speech:
    """The compiled command grammar of a world."""
    names = {id_: name for id_, name in world.names.items() if ":" not in id_}
    return Speech(world.grammar, names, {a.name: len(a.params) for a in world.rules.actions})


def intent_text(intent: Intent) -> str:
    """An intent as it is logged, e.g. `unlock(d2,k1)`."""
    return f"{intent[0]}({','.join(intent[1])})"


def text_intent(text: str) -> Intent:
    """The inverse of `intent_text`."""
    name, _, rest = text.rstrip(")").partition("(")
    return name, tuple(rest.split(",")) if rest else ()


__all__ = ["Engine", "Step", "intent_text", "sentence", "text_intent"]
