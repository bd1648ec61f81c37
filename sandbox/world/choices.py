"""What can be done in a state: the canonical commands that the engine accepts there, in a fixed order.

A room's commands are listed once, each with the condition under which it is accepted; the list of a state
is then remembered by the bits that those conditions read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sandbox.world.bits import Condition, Memo, Memos, all_hold, reads
from sandbox.world.dynamics import Dynamics, Intent, Room
from sandbox.world.protocol import Protocol
from sandbox.world.speech import CONFIRM, SELECT, Speech


class Row(NamedTuple):
    """A command with what it needs: `state & mask == want`, and the conditions of `rest`.

    `short` is what is said instead where the grammar would take the second argument of `intent` for granted.
    """

    mask: int
    want: int
    rest: tuple[Condition, ...]
    command: str
    short: str | None = None
    intent: Intent = ("", ())


class Choices:
    """The admissible commands of one world."""

    def __init__(self, dynamics: Dynamics, speech: Speech, protocol: Protocol) -> None:
        self._dynamics, self._speech, self._protocol = dynamics, speech, protocol
        self._here_mask = dynamics.here_mask
        self._confirm = (speech.command(CONFIRM, ()),) if speech.grammar.confirm else ()
        self.memos = Memos()
        self._rooms: dict[int, Memo[tuple[str, ...]]] = {}

    def at(self, state: int) -> tuple[str, ...]:
        """The commands that are accepted in a state."""
        here = state & self._here_mask
        found = self._rooms.get(here)
        if found is None:
            found = self._rooms[here] = self._in(self._dynamics.rooms[here])
        listed = found.at(state)
        return listed + self._confirm if self._confirm and state > self._dynamics.unasked else listed

    def _in(self, room: Room) -> Memo[tuple[str, ...]]:
        rows = self._rows(room)
        bits = 0
        for row in rows:
            bits |= row.mask
            for condition in row.rest:
                bits |= reads(condition)
        shortened = any(row.short for row in rows)
        if shortened:
            for action in {row.intent[0] for row in rows if row.short}:
                bits |= self._protocol.implied_bits(action, room)

        def listed(state: int) -> tuple[str, ...]:
            return tuple([
                command
                for mask, want, rest, command, _, _ in rows
                if state & mask == want and (not rest or all_hold(rest, state))
            ])

        return self.memos.new(bits, (lambda state: self._shortest(rows, state)) if shortened else listed)

    def _shortest(self, rows: Sequence[Row], state: int) -> tuple[str, ...]:
        """The same for a grammar that leaves out what is at hand."""
        found = []
        for mask, want, rest, command, short, (action, args) in rows:
            if state & mask == want and all_hold(rest, state):
                implied = short is not None and self._protocol.implied(action, args[0], state) == args[1]
                found.append(short if implied and short else command)
        return tuple(found)

    def _rows(self, room: Room) -> list[Row]:
        dynamics, speech = self._dynamics, self._speech
        rows: list[Row] = []
        for intent in (*dynamics.intents(inform=False), *dynamics.intents(inform=True)):
            move = room.move(intent)
            if not move.possible:
                continue
            mask, want = move.mask, move.want
            if speech.needs_selection(intent[0]):
                bit = dynamics.selected[intent[1][0]]
                mask, want = mask | bit, want | bit
            rows.append(Row(mask, want, move.rest, speech.command(*intent), speech.short(*intent), intent))
        if speech.grammar.select:
            for id_ in dynamics.selected:
                reach = dynamics.near(id_, room.name)
                if reach:
                    rows.append(Row(0, 0, (reach,), speech.command(SELECT, (id_,))))
        return rows
