"""`exec:CMD`: any program plays, over lines of JSON."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from sandbox.agent.api import Briefing, Reply, Turn, UsageError
from sandbox.agent.program import Program


class Agent:
    """Any program: a line of JSON with what is seen goes in, {"command": …} comes back."""

    access = 0
    options = {"command": ()}  # noqa: RUF012 - declared once, never changed
    rest = "command"

    def __init__(self, options: Mapping[str, str]) -> None:
        try:
            words = shlex.split(options["command"])
        except ValueError as error:
            what = f"cannot read the command {options['command']!r}: {error}"
            raise UsageError(what, "quote it as a shell does: --agent 'exec:python3 player.py'") from error
        self._program = Program(words)

    def begin(self, briefing: Briefing) -> None:
        """Start the program."""
        self._briefing = briefing
        self._program.start()

    def act(self, turn: Turn) -> Reply:
        """What the program answers to this turn."""
        raw, command = self._program.ask(self._message(turn))
        return Reply(command, raw)

    def end(self, turn: Turn) -> None:
        """Show it the last turn, and end it."""
        self._program.finish(self._message(turn))

    def _message(self, turn: Turn) -> dict[str, object]:
        briefing = self._briefing
        message: dict[str, object] = {
            "goal": briefing.goal,
            "observation": turn.text,
            "reward": turn.reward,
            "done": turn.done,
        }
        if turn.n == 0 and briefing.help is not None:
            message |= {"help": briefing.help, "vocabulary": briefing.vocabulary}
        if turn.admissible is not None:
            message["admissible"] = turn.admissible
        if turn.facts is not None:
            message["facts"] = turn.facts
        if briefing.oracle is not None and not turn.done:
            message["oracle"] = briefing.oracle()
        return message
