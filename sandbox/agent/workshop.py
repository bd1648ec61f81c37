"""Where a language model's skills are proposed for, written, run, mended, judged and kept.

The agent's file reads as the algorithm; this is what its steps are made of: which prompt is asked with what, and what
is made of the reply.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sandbox.agent import telling
from sandbox.agent.api import Turn
from sandbox.agent.asking import Asker, Rejected
from sandbox.agent.commands import SAY, CommandBench
from sandbox.agent.craft import INTERPRETER, regime_of
from sandbox.agent.interface import PIECE
from sandbox.agent.learner import Play
from sandbox.agent.library import Evidence, Known, Library, Skill, Status, content_digest
from sandbox.agent.mind import Mind
from sandbox.agent.operators import Operator
from sandbox.agent.retrieval import Offer
from sandbox.agent.skills import Bench, Ran, facts_of, intents_of, state_digest
from sandbox.agent.tasks import Task, Tried, of_goal, read_task, schema, things_of, told
from sandbox.agent.writing import read_skill
from sandbox.agent.writing import schema as skill_schema

PLAIN: Final = ("at", "held", "in", "word")
"""Facts that are told in words."""
ANSWER: Final = 700
"""Tokens of a skill."""
VERDICT: Final[dict[str, object]] = {
    "type": "object", "properties": {"reason": {"type": "string"}, "success": {"type": "boolean"}},
    "required": ["reason", "success"], "additionalProperties": False,
}  # fmt: skip


class Workshop:
    """The model, the library and the mind of one episode. `commands` lets skills hold commands in place of deeds."""

    def __init__(
        self, mind: Mind, asker: Asker, library: Library, *, commands: bool, retires: bool,
        source: Callable[[], Mapping[str, str]],
    ) -> None:  # fmt: skip
        self._mind, self._asker, self._library, self._source = mind, asker, library, source
        self._commands = commands
        self._bench = (CommandBench if commands else Bench)(library, regime_of(mind), INTERPRETER, retires=retires)
        self._running: Skill | None = None
        self.ears = telling.Ears()

    # --- what is known ----------------------------------------------------------------------------
    def intents(self) -> dict[str, Operator]:
        """The deeds by name."""
        return intents_of(self._mind)

    def names(self) -> list[str]:
        """Every room and thing that was seen, or that the goal speaks of."""
        belief = self._mind.belief
        spoken = [name for fact in of_goal(self._mind.goal).facts for name in things_of(fact)]
        return list(dict.fromkeys([*belief.rooms, *belief.first, *spoken]))

    def _spelled(self, name: str) -> bool:
        """Whether a name that was not made out so far is made of words that the world knows."""
        pieces = [piece.casefold() for piece in PIECE.findall(name)]
        return bool(pieces) and all(piece in self._mind.reader.known for piece in pieces)

    def version(self) -> tuple[int, int, int]:
        """Another one as soon as something was learned, changed or found."""
        return self._mind.rules.version, self._mind.stamp, len(self.names())

    def skills(self) -> Sequence[Known]:
        """The skills of the library whose deeds can be done here."""
        deeds = set(self._deeds())
        return [known for known in self._library.skills(self._bench.regime) if deeds.issuperset(known.skill.uses)]

    def _deeds(self) -> tuple[str, ...]:
        """What code may name after `do.`."""
        return (SAY,) if self._commands else (*self.intents(), "look", "wait")

    def said(self, command: str) -> str:
        """A command as skill code says it."""
        return f"do.{SAY}({command!r})" if self._commands else telling.deed_of(command, self._mind, self.intents())

    # --- asking -----------------------------------------------------------------------------------
    def propose(self, sentence: str, goal: Task, tried: Tried, *, free: bool) -> Task | None:
        """The next task by the model's curriculum; None when it proposed none that will do."""
        mind = self._mind
        facts, names = facts_of(mind), self.names()
        achieved, failed = tried.shown()
        wanted = [f"{told(fact)}{' (done)' if Task((fact,)).done(facts) else ''}" for fact in goal.facts]
        words = mind.belief.known_words | {fact[-1] for fact in goal.facts if "word" in fact[:2]}
        values = {
            "goal": sentence, "wanted": wanted, "situation": telling.situation(mind, self.ears),
            "deeds": telling.deeds(mind, self.intents()), "texts": list(self.ears.texts), "achieved": achieved,
            "failed": failed, "free": free,
        }  # fmt: skip
        return self._asker.ask(
            "curriculum", "voyager_task", values, schema(names, words, mind.belief.at, free=free),
            lambda data: read_task(data, facts, names, tried, self.version()),
        )  # fmt: skip

    def write(
        self, task: Task, offers: Sequence[Offer], failed: Skill | None, ran: Ran | None
    ) -> tuple[Skill, tuple[str, ...]] | None:
        """A skill for a task and what to call it with, or the mended version of one that failed."""
        mind, intents = self._mind, self.intents()
        values: dict[str, object] = {
            "task": task.told, "named": ", ".join(task.names), "goal": mind.goal_text, "help": mind.help_text,
            "situation": telling.situation(mind, self.ears), "deeds": telling.deeds(mind, intents),
            "texts": list(self.ears.texts), "heard": telling.heard(self.ears, mind, intents),
            "skills": telling.offered(offers),
            "deed": self._example(intents), "code": failed.code if failed else "",
            "args": ", ".join(ran.args) if ran else "",
            "outcome": ran.outcome if ran else "", "why": ran.why if ran else "",
            "changed": _changed(ran) if ran else "",
        }  # fmt: skip
        known = {offer.known.skill.name: offer.known.skill for offer in offers}
        known_names = set(self.names())

        def check(data: Mapping[str, Any]) -> tuple[Skill, tuple[str, ...]]:
            skill, args = read_skill(data, task, self._source(), self._deeds(), known)
            odd = next((arg for arg in args if arg not in known_names and not self._spelled(arg)), None)
            if odd is not None:
                raise Rejected(f"nothing is known that is called {odd!r}")
            if failed is not None and skill.code == failed.code:
                raise Rejected("that is the skill that failed, unchanged")
            old = content_digest(failed) if failed is not None else None
            kept = any(one.digest == old for one in self._library.skills(self._bench.regime))
            return replace(skill, parent=old if kept else None), args

        form = skill_schema(known_names | mind.reader.names)
        prompt = "voyager_commands" if self._commands else "voyager_repair" if failed and ran else "voyager_skill"
        return self._asker.ask("writer", prompt, self._asker.needed(prompt, values), form, check, ANSWER)

    def _example(self, intents: Mapping[str, Operator]) -> str:
        """A deed to one thing, other than going there, for the example of a prompt."""
        movers = self._mind.rules.movers
        return next((name for name, op in intents.items() if op.arity == 1 and op.key not in movers), "look")

    def judged(self, task: Task, ran: Ran) -> bool:
        """What a critic says of a task that no fact can say. It promotes nothing."""
        mind = self._mind
        values = {
            "task": task.told, "before": _facts(ran.before - ran.after), "after": _facts(ran.after - ran.before),
            "heard": telling.heard(self.ears, mind, self.intents()),
        }  # fmt: skip
        found = self._asker.ask("critic", "voyager_critic", values, VERDICT, lambda data: data["success"] is True)
        return bool(found)

    # --- running and keeping ------------------------------------------------------------------------
    def run(self, skill: Skill, args: Sequence[str]) -> Generator[str, Turn, Ran]:
        """Run a skill in the world."""
        self._running = skill
        for name in set(args) - set(self.names()):
            self._mind.reader.learn(name)
        ran = yield from self._bench.run(self._mind, skill, args)
        self._running = None
        return ran

    def admit(self, skill: Skill, ran: Ran) -> None:
        """Keep a skill that was seen to work, with what was seen."""
        if not skill.post or any(known.digest == ran.digest for known in self._library.skills(self._bench.regime)):
            return
        digest = self._library.append(skill)
        self._library.append(_evidence(digest, self._bench.regime, ran))
        if skill.parent is not None:
            self._library.append(Status(digest, self._bench.regime, "repaired", "mended, and seen to work"))

    def close(self, play: Play, turn: Turn) -> None:
        """End the play; a skill that was running is judged by the last turn."""
        mind, skill = self._mind, self._running
        _, view = mind.belief.split(turn.text)
        if view:
            mind.belief.see(view)
        if turn.done:
            for fact in of_goal(mind.goal).facts:
                _believe(mind, fact)
        play.close()
        if skill is not None and self._bench.ran and self._bench.ran[-1].proves:
            self.admit(skill, self._bench.ran[-1])


def _evidence(digest: str, regime: str, ran: Ran) -> Evidence:
    gained, lost = tuple(sorted(ran.after - ran.before)), tuple(sorted(ran.before - ran.after))
    return Evidence(
        digest, regime, ran.args, ran.outcome, ran.steps, state_digest(ran.before), ran.proves, ran.why, gained, lost
    )


def _believe(mind: Mind, fact: tuple[str, ...]) -> None:
    """The world said that its goal is reached: so this is true."""
    negated = fact[0] == "not"
    what, *names = fact[1:] if negated else fact
    if what == "word":
        mind.belief.say(names[0], names[1], holds=not negated)
    elif what in ("in", "held") and not negated:
        mind.belief.move_thing(names[0], names[1] if what == "in" else "*held")


def _facts(facts: frozenset[tuple[str, ...]]) -> str:
    return "\n".join(sorted(told(fact) for fact in facts if fact[0] in PLAIN)[:20]) or "(no difference)"


def _changed(ran: Ran) -> str:
    gained = [told(fact) for fact in sorted(ran.after - ran.before) if fact[0] in PLAIN]
    return "; ".join(gained[:12]) or "nothing"

