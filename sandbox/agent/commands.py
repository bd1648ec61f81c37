"""Skills that hold commands, for an agent without an interface model: the same bench, another idea of a deed.

`do.say("take key")` says a command as it stands; what it changed is seen by looking. A changed grammar breaks every
such skill, which is what this ablation is there to show.
"""

from __future__ import annotations

from collections.abc import Generator

from sandbox.agent.api import Turn
from sandbox.agent.interpreter import Scope
from sandbox.agent.library import Intent, Skill
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Operator
from sandbox.agent.skills import Bench, facts_of

SAY = "say"


class CommandBench(Bench):
    """Runs skills whose only deed is to say a command."""

    def _scope(self, mind: Mind, intents: dict[str, Operator], inner: tuple[Skill, ...]) -> Scope:
        del mind, intents  # they are not used: that is the point
        return Scope((SAY,), "", inner)

    def _wrong(self, mind: Mind, intents: dict[str, Operator], intent: Intent) -> str:
        del mind, intents
        return "" if len(intent.args) == 1 else "do.say takes one command"

    def _perform(self, mind: Mind, intents: dict[str, Operator], intent: Intent) -> Generator[str, Turn, bool]:
        del intents
        before = facts_of(mind)
        text = yield from mind.say(intent.args[0])
        _, view = mind.belief.split(text)
        if view:
            mind.belief.see(view, whole=False)
        else:
            yield from mind.look()
        return facts_of(mind) != before
