"""How an act is said as a conversation: what is turned to first, left out, or asked back.

* direct: one command, everything named;
* focus: what is acted on is selected before, then left out;
* implicit: of two things, the second may be left out. The first object of a fitting kind that is held is taken, or
  else the first within reach, in the fixed order of the world; others have to be named;
* confirm: acts that do more than move and carry are asked back, and carried out by the grammar's word for yes.

Selecting and asking back change no fact and take no world time.
"""

from __future__ import annotations

from sandbox.world.bits import Condition, holds, reads
from sandbox.world.dynamics import Dynamics, Intent, Room
from sandbox.world.spec import CARRIED, PLACE
from sandbox.world.speech import CONFIRM, SELECT, Speech


class Protocol:
    """The protocol of one world's grammar."""

    def __init__(self, dynamics: Dynamics, speech: Speech) -> None:
        self._dynamics, self._speech = dynamics, speech
        self.asks = dynamics.rules.lasting if speech.grammar.confirm else frozenset()
        self._kinds = {name: dynamics.actions[name].params[1][1] for name, _ in speech.grammar.short}
        self._hands: dict[tuple[str, str], list[tuple[str, Condition, Condition]]] = {}

    # --- what may be left out ------------------------------------------------------------------
    def _pool(self, action: str, room: Room) -> list[tuple[str, Condition, Condition]]:
        """The objects that may be meant when the second argument is left out: when each is held, and within reach."""
        key = self._kinds[action], room.name
        found = self._hands.get(key)
        if found is None:
            dynamics = self._dynamics
            ids = dynamics.ground.members(key[0])
            found = self._hands[key] = [(id_, self._held(id_), dynamics.near(id_, room.name)) for id_ in ids]
        return found

    def _held(self, id_: str) -> Condition:
        group = self._dynamics.ground.groups.get((PLACE, (id_,)))
        return () if group is None else group.test(CARRIED)

    def implied(self, action: str, first: str, state: int) -> str | None:
        """What is taken for the second argument when it is left out, or None when nothing is at hand."""
        near = None
        for id_, held, reach in self._pool(action, self._dynamics.room(state)):
            if id_ == first:
                continue
            if holds(held, state):
                return id_
            if near is None and holds(reach, state):
                near = id_
        return near

    def implied_bits(self, action: str, room: Room) -> int:
        """The bits that decide what is implied in a room."""
        bits = 0
        for _, held, reach in self._pool(action, room):
            bits |= reads(held) | reads(reach)
        return bits

    # --- saying --------------------------------------------------------------------------------
    def commands(self, intent: Intent, state: int) -> tuple[str, ...]:
        """The canonical commands that carry out an intent from a state: what the protocol wants first, then the act."""
        action, args = intent
        speech = self._speech
        command = speech.command(action, args)
        if speech.needs_selection(action) and not state & self._dynamics.selected[args[0]]:
            return speech.command(SELECT, (args[0],)), command
        if action in self.asks:
            confirm = speech.command(CONFIRM, ())
            return (confirm,) if self._dynamics.asked(state) == intent else (command, confirm)
        if action in self._kinds and self.implied(action, args[0], state) == args[1]:
            return (str(speech.short(action, args)),)
        return (command,)

    def prepared(self, intent: Intent, state: int) -> int:
        """The state just before the last of an intent's commands: no fact differs."""
        action, args = intent
        dynamics = self._dynamics
        if self._speech.needs_selection(action):
            return state & ~dynamics.selected_mask | dynamics.selected[args[0]]
        return state & dynamics.unasked


__all__ = ["Protocol"]
