"""What can be done in a state: the canonical commands that the engine accepts there, in a fixed order.

A room's commands are listed once, each with the condition under which it is accepted; the list of a state
is then remembered by the bits that those conditions read.
"""

from __future__ import annotations

from sandbox.world.bits import Condition, Memo, Memos, all_hold, reads
from sandbox.world.dynamics import Dynamics, Room
from sandbox.world.speech import SELECT, Speech
from sandbox.world.view import View

Row = tuple[int, int, tuple[Condition, ...], str]
"""A command with what it needs: `state & mask == want`, and the conditions of `rest`."""


class Choices:
    """The admissible commands of one world."""

    def __init__(self, dynamics: Dynamics, speech: Speech, view: View) -> None:
        self._dynamics, self._speech, self._view = dynamics, speech, view
        self._here_mask = dynamics.here_mask
        self.memos = Memos()
        self._rooms: dict[int, Memo[tuple[str, ...]]] = {}

    def at(self, state: int) -> tuple[str, ...]:
        """The commands that are accepted in a state."""
        here = state & self._here_mask
        found = self._rooms.get(here)
        if found is None:
            found = self._rooms[here] = self._in(self._dynamics.rooms[here])
        return found.at(state)

    def _in(self, room: Room) -> Memo[tuple[str, ...]]:
        rows = self._rows(room)
        bits = 0
        for mask, _, rest, _ in rows:
            bits |= mask
            for condition in rest:
                bits |= reads(condition)

        def listed(state: int) -> tuple[str, ...]:
            return tuple([
                command
                for mask, want, rest, command in rows
                if state & mask == want and (not rest or all_hold(rest, state))
            ])

        return self.memos.new(bits, listed)

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
            rows.append((mask, want, move.rest, speech.command(*intent)))
        if speech.grammar.select:
            for id_ in dynamics.selected:
                reach = self._view.reach(id_, room.name)
                if reach:
                    rows.append((0, 0, (reach,), speech.command(SELECT, (id_,))))
        return rows
