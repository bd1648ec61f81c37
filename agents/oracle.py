"""`oracle`: plays the proof. Its steps are the optimum that scores are measured against."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.agent.api import AgentError, Briefing, Turn


class Agent:
    """Plays the plan of the certificate, a shortest one where that is proven."""

    access = 4

    def __init__(self, options: Mapping[str, str]) -> None:
        """It has no options."""

    def begin(self, briefing: Briefing) -> None:
        """Take the solver along."""
        if briefing.oracle is None:
            raise AgentError("the oracle plays at access level 4 only")
        self._next = briefing.oracle

    def act(self, turn: Turn) -> str:
        """The next command of the plan from here."""
        del turn  # the plan knows where it is
        command = self._next()
        if command is None:
            raise AgentError("no way to the goal is known from here")
        return command

    def end(self, turn: Turn) -> None:
        """Nothing was opened."""
