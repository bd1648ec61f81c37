"""Text in, text out: the engine that players meet.

`step(state, command)` is pure: a state (an integer) and any text give the next state and everything that
is shown. A text is read once, into a function of the state; phrases were prepared when the world was built.
The caches in here never change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from sandbox.world import lesson, manual, spec
from sandbox.world.bits import Memos, all_hold, holds, reads
from sandbox.world.choices import Choices
from sandbox.world.dynamics import Dynamics, Intent, Move, Room
from sandbox.world.english import English, sentence
from sandbox.world.feedback import Reply
from sandbox.world.keyed import digest
from sandbox.world.protocol import Protocol
from sandbox.world.reward import Reward
from sandbox.world.speech import ASK, CONFIRM, SELECT, Phrase, Speech
from sandbox.world.view import View
from sandbox.world.wording import Item
from sandbox.world.world import World

_FULL = 50_000
_LONG = 200
"""Texts of this length or more are read anew each time: no command of a world is as long."""


class Step(NamedTuple):
    """What one command did. `cause` is None when it was accepted; `text` is everything shown."""

    state: int
    text: str
    reward: float
    done: bool
    cause: str | None
    intent: str | None


Play: TypeAlias = Callable[[int], Step]
"""A text that was read: what it does in a state."""

Deed: TypeAlias = Callable[[int, Room, Move, str], Step]
"""What an intent, given as it is logged, does in a state and room where its needs hold."""


class Engine:
    """One world, ready to be played at an access level (at L0, `help` tells the goal only).

    `dynamics` may be those of another world with the same rules and layout: they need not be made anew then.
    """

    def __init__(self, world: World, access: int = 1, dynamics: Dynamics | None = None) -> None:
        self.world, self.access = world, access
        self.dynamics = Dynamics(world.rules, world.layout) if dynamics is None else dynamics
        self.english = English(world.rules, lambda kind: lesson.noun(world.names, kind))
        self.speech = speech_of(world)
        self.view = View(world, self.dynamics)
        self.reply = Reply(world, self.dynamics.ground, self.view, self.english)
        self.protocol = Protocol(self.dynamics, self.speech)
        self.choices = Choices(self.dynamics, self.speech, self.protocol)
        self._goal = self.dynamics.goal(world.goal)
        self._goal_bits = 0
        for condition in self._goal:
            self._goal_bits |= reads(condition)
        self._reward = Reward(world.feedback.reward, len(self._goal))
        lost = self.dynamics.ground.groups.get((spec.LOST, ()))
        self._lost = lost.mask if lost else 0
        self._chosen = {bit: id_ for id_, bit in self.dynamics.selected.items()}
        self._plays: dict[str, Play] = {}
        self._refusals: dict[tuple[str, int], str] = {}
        self._memos = Memos()
        self._met = self._memos.new(self._goal_bits, lambda state: sum(holds(c, state) for c in self._goal))
        held, say = self.view.held, self.view.phrases.say
        you = self.view.you
        self._stock = self._memos.new(
            held.mask | you.mask, lambda state: say("stock", held=(held.at(state) + you.at(state)).strip(" ,|\n"))
        )
        self._closer = {
            id_: self._memos.new(item.mask, partial(self._look_closer, item)) for id_, item in self.view.items.items()
        }
        tells: dict[str, Deed] = {
            "look": self._look, "inventory": self._take_stock, "examine": self._examine,
            "read": self._read_card, "help": self._help,
        }  # fmt: skip
        self._deeds = {
            a.name: tells.get(a.name, self._restart) if a.inform
            else self._ask if a.name in self.protocol.asks else self._act
            for a in world.rules.actions
        }
        self._kind_ok = {
            a.name: tuple(frozenset(self.dynamics.ground.members(k)) for _, k in a.params)
            for a in world.rules.actions
        }

    # --- playing -------------------------------------------------------------------------------
    @cached_property
    def _first(self) -> Step:
        return Step(self.dynamics.start, manual.opening(self), 0.0, False, None, None)

    def start(self) -> Step:
        """Step 0: the first observation."""
        return self._first

    def step(self, state: int, command: str) -> Step:
        """The outcome of any text in a state. Never raises for a text."""
        play = self._plays.get(command)
        return self._read(command)(state) if play is None else play(state)

    # --- reading -------------------------------------------------------------------------------
    def _read(self, command: str) -> Play:
        phrase = self.speech.parse(command)
        if isinstance(phrase, str):
            word = self.speech.unknown(command) if phrase == "unknown_word" else ""
            play: Play = partial(_refused, phrase, self.reply.unread(phrase, word))
        else:
            play = self._typed(phrase)
        if len(command) < _LONG:
            if len(self._plays) > _FULL:
                self._plays.clear()
            self._plays[command] = play
        return play

    def _typed(self, phrase: Phrase) -> Play:
        action, args = phrase
        if action == SELECT:
            return self._selection(str(args[0]))
        if action == CONFIRM:
            return self._confirm
        if args and args[0] is None:
            nothing: Play = partial(_refused, "nothing_selected", self.reply.unread("nothing_selected", ""))
            return partial(self._focus, action, args[1:], {0: nothing})  # type: ignore[arg-type]  # one gap at most
        if args and args[-1] is None:
            missing: Play = partial(_refused, "nothing_at_hand", self.reply.unread("nothing_at_hand", ""))
            return partial(self._implied, action, args[0], {None: missing})  # type: ignore[arg-type]  # one gap at most
        return self._intended(action, args)  # type: ignore[arg-type]  # no gap is left in args

    def _intended(self, action: str, args: tuple[str, ...]) -> Play:
        for arg, kinds in zip(args, self._kind_ok[action], strict=True):
            if arg not in kinds:
                return partial(_refused, "wrong_kind", self.reply.wrong("wrong_kind", arg))
        if len(args) == 2 and args[0] == args[1]:
            return partial(_refused, "wrong_thing", self.reply.wrong("wrong_thing", args[1]))
        intent = action, args
        return partial(self._do, intent, intent_text(intent), self._deeds[action])

    def _selection(self, id_: str) -> Play:
        if id_ not in self.dynamics.selected:
            return partial(_refused, "wrong_kind", self.reply.wrong("wrong_kind", id_))
        return partial(self._select, id_, intent_text((SELECT, (id_,))), self.reply.selected(id_))

    def parse(self, command: str, state: int) -> tuple[str | None, str | None]:
        """(intent, None) of a text that is a command in this state, or (None, cause)."""
        step = self.step(state, command)
        return (step.intent, None) if step.intent else (None, step.cause)

    # --- doing ---------------------------------------------------------------------------------
    def _do(self, intent: Intent, said: str, deed: Deed, state: int) -> Step:
        """The deed where the needs of an intent hold, a refusal elsewhere."""
        dynamics = self.dynamics
        room = dynamics.rooms[state & dynamics.here_mask]
        move = room.move(intent)
        if state & move.mask != move.want or (move.rest and not all_hold(move.rest, state)):
            return self._refuse(state, room, move, said)
        return deed(state, room, move, said)

    def _focus(self, action: str, rest: tuple[str, ...], known: dict[int, Play], state: int) -> Step:
        """An action on what is selected; `known` has what it means by the bit of that."""
        chosen = state & self.dynamics.selected_mask
        play = known.get(chosen)
        if play is None:
            play = known[chosen] = self._intended(action, (self._chosen[chosen], *rest))
        return play(state)

    def _implied(self, action: str, first: str, known: dict[str | None, Play], state: int) -> Step:
        """An action whose second argument was left out; `known` has what it means by what is taken for it."""
        second = self.protocol.implied(action, first, state)
        play = known.get(second)
        if play is None:
            play = known[second] = self._intended(action, (first, str(second)))
        step = play(state)
        if second is None or step.cause is not None:
            return step
        return step._replace(text=self.reply.taken(second, step.text))

    def _ask(self, state: int, _: Room, move: Move, __: str) -> Step:
        """An act that could be carried out is asked back; nothing else happens."""
        dynamics, command = self.dynamics, self.speech.command
        text = self.reply.phrases.say("ask", command=command(*move.intent), confirm=command(CONFIRM, ()))
        new = state & dynamics.unasked | dynamics.asking(move.intent)
        return Step(new, text, 0.0, False, None, intent_text((ASK, move.intent[1])))

    def _confirm(self, state: int) -> Step:
        """What was asked back is carried out. Nothing can have changed since: it is as possible as it was."""
        intent = self.dynamics.asked(state)
        if intent is None:
            return _refused("nothing_asked", self.reply.unread("nothing_asked", ""), state)
        room = self.dynamics.room(state)
        return self._act(state, room, room.move(intent), intent_text(intent))

    def _select(self, id_: str, said: str, text: str, state: int) -> Step:
        dynamics = self.dynamics
        if not self.view.in_reach(id_, state, dynamics.room(state).name):
            return Step(state, self.reply.wrong("out_of_reach", id_), 0.0, False, "out_of_reach", said)
        return Step(state & ~dynamics.selected_mask | dynamics.selected[id_], text, 0.0, False, None, said)

    def _act(self, state: int, room: Room, move: Move, said: str) -> Step:
        dynamics, say = self.dynamics, self.reply.phrases.say
        new = dynamics.after(state & dynamics.unasked, move)
        after = dynamics.rooms[new & dynamics.here_mask]
        shown = self.reply.changes(state, new, room.name, after.name, move.intent[1])
        now = self._met.at(new)
        done, lost = now == len(self._goal), bool(new & ~state & self._lost)
        reward = self._reward.step(self._met.at(state), now, lost=lost) if done or lost or self._reward.counts else 0.0
        if reward and not done and self._reward.counts:
            key, values = self._reward.told(now)
            shown.append(say(key, **values))
        if done:
            shown.append(say("solved"))
        elif lost:
            shown.append(say("lost", again=self.speech.command("restart", ())))
        if after is room and not self.view.brightens(state, new, room.name):
            text = self.reply.accepted(shown or [self.reply.unseen])
        else:
            scene = self.view.room(new, room.name) if after is room else self.view.entered(
                state, room.name, new, after.name
            )
            text = f"{self.reply.accepted(shown)}\n{scene}" if shown else scene
        return Step(new, text, reward, done, None, said)

    def _refuse(self, state: int, room: Room, move: Move, said: str) -> Step:
        failed = move.failing(state)
        assert failed is not None
        number = self.dynamics.ground.need(move.intent, room.name, failed)
        text = self._refusals.get((said, number))
        if text is None:
            if len(self._refusals) > _FULL:
                self._refusals.clear()
            text = self._refusals[said, number] = self.reply.refused(*move.intent, number)
        return Step(state, text, 0.0, False, move.needs[failed][0], said)

    # --- telling -------------------------------------------------------------------------------
    def _look(self, state: int, room: Room, _: Move, said: str) -> Step:
        return Step(state, self.view.room(state, room.name), 0.0, False, None, said)

    def _take_stock(self, state: int, _: Room, __: Move, said: str) -> Step:
        text = self._stock.at(state)
        chosen = state & self.dynamics.selected_mask
        if chosen:
            text += "\n" + self.reply.phrases.say("turned", name=self.world.names[self._chosen[chosen]])
        intent = self.dynamics.asked(state)
        if intent is not None:
            text += "\n" + self.reply.phrases.say("asked", command=self.speech.command(*intent))
        return Step(state, text, 0.0, False, None, said)

    def _examine(self, state: int, _: Room, move: Move, said: str) -> Step:
        id_ = move.intent[1][0]
        return Step(state | self.dynamics.seen[id_], self._closer[id_].at(state), 0.0, False, None, said)

    def _look_closer(self, item: Item, state: int) -> str:
        words = [*item.drawn, *(word for word in item.words(state) if word not in item.drawn)]
        number = self._numbers.get(item.id)
        if number is not None:
            words.append(self.reply.phrases.say("number", number=number))
        return self.reply.phrases.say(
            "examined", name=item.name, Name=item.name.capitalize(), kind=lesson.class_of(self, item.id),
            words=", ".join(words),
        )

    def _read_card(self, state: int, _: Room, move: Move, said: str) -> Step:
        id_ = move.intent[1][0]
        line, say = self.card_text(id_), self.reply.phrases.say
        text = say("read", text=line) if line else say("read_none", name=self.world.names[id_])
        return Step(state, text, 0.0, False, None, said)

    def _help(self, state: int, _: Room, __: Move, said: str) -> Step:
        return Step(state, self.help_text if self.access else self.goal_text, 0.0, False, None, said)

    def _restart(self, state: int, _: Room, __: Move, said: str) -> Step:
        start = self.dynamics.start
        reward = self._reward.again(self._met.at(state), self._met.at(start))
        text = self.reply.phrases.say("restart") + "\n" + self.view.room(start, self.dynamics.room(start).name)
        return Step(start, text, reward, False, None, said)

    def card_text(self, id_: str) -> str:
        """What is written on an object, or ''."""
        return self._cards.get(id_, "")

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The number of every object whose kind some rule numbers."""
        return manual.numbers(self.world.rules, self.world.layout)

    @cached_property
    def _cards(self) -> dict[str, str]:
        return {
            id_: "\n".join(manual.told_line(self, name) for name in told.split(";"))
            for id_, told in self.world.cards if told
        }

    # --- what can be done ------------------------------------------------------------------------
    def admissible(self, state: int) -> tuple[str, ...]:
        """Exactly the canonical commands that `step` accepts in this state, in a fixed order."""
        return self.choices.at(state)

    def commands(self, intent: Intent, state: int) -> tuple[str, ...]:
        """The canonical commands that carry out an intent from a state: what the protocol wants first, then the act."""
        return self.protocol.commands(intent, state)

    # --- what is known -----------------------------------------------------------------------
    def solved(self, state: int) -> bool:
        """Whether the goal holds."""
        return all_hold(self._goal, state)

    def lost(self, state: int) -> bool:
        """Whether all is lost: only starting again helps."""
        return bool(state & self._lost)

    def progress(self, state: int) -> float:
        """The share of the goal's conditions that hold, from 0 to 1."""
        return self._met.at(state) / len(self._goal) if self._goal else 1.0

    def state_digest(self, state: int) -> str:
        """A digest that two states share only if they are equal."""
        return digest(f"{state:x}".encode(), 8)

    @cached_property
    def goal_text(self) -> str:
        """The goal in the room's language, one sentence."""
        joined = self.view.phrases.say("goal_and").join([self._asked(fact) for fact in self.world.goal])
        return self.view.phrases.say("goal", items=joined, Items=joined[:1].upper() + joined[1:])

    def _asked(self, fact: spec.Fact) -> str:
        """A goal fact as it is asked for: what is so at the start is to be so again."""
        again = " again" if holds(self.dynamics.ground.fact(fact), self.dynamics.start) else ""
        return self.view.aim(fact) or self.english.fact(fact, self.world.names) + again

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Every word that the parser knows, sorted."""
        return self.speech.vocabulary

    @cached_property
    def help_text(self) -> str:
        """The help page: premise, goal, how to speak, what is told of the rules."""
        return manual.help_page(self)

    def rules_text(self) -> str:
        """The whole rule set in plain English."""
        return manual.rules_page(self)

    def map_text(self, state: int) -> str:
        """Rooms and ways, and where the player is."""
        return manual.map_page(self, state)

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
        you = {name: ground.value(name, args, state) for name, args in ground.groups if not args and name != spec.HERE}
        return {"you": you, "room": self.world.names[self.dynamics.room(state).name], "objects": objects, "ways": ways}

    def clear(self) -> None:
        """Forget every cached text and list, and all that was read, for measuring from a cold start."""
        self._plays.clear()
        self._refusals.clear()
        for memos in (self._memos, self.dynamics.memos, self.view.memos, self.choices.memos):
            memos.clear()


def _refused(cause: str, text: str, state: int) -> Step:
    """A text that is refused in every state."""
    return Step(state, text, 0.0, False, cause, None)


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
