"""`voyager`: a language model sets itself tasks, writes skills for them, and keeps those that are seen to work.

After Wang et al., "Voyager: An Open-Ended Embodied Agent with Large Language Models" (arXiv 2305.16291), with three
differences: skills are programs over the deeds of an interface that is learned, not over commands; a task is facts that
were false before and are true after, not a critic's opinion; and a skill that breaks is mended as a new version, or
retired, never overwritten. Each part can be switched off: `voyager:skills=off`, `curriculum=random`, …
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Final

from sandbox.agent import lore
from sandbox.agent.account import Account
from sandbox.agent.api import Briefing, Reply, Turn
from sandbox.agent.asking import Asker
from sandbox.agent.carry import keep, recall
from sandbox.agent.draws import draws
from sandbox.agent.learner import Play
from sandbox.agent.library import Memory, Skill
from sandbox.agent.mind import new_mind
from sandbox.agent.orient import orient
from sandbox.agent.retrieval import Offer, retrieve
from sandbox.agent.skills import Ran, facts_of
from sandbox.agent.tasks import Task, Tried, at_random, of_goal
from sandbox.agent.workshop import Workshop

TRIES: Final = 4
"""Runs for one task: of a skill that is known or newly written, and of what repairs made of it."""
ON: Final = ("on", "off")


class Agent:
    """A language model that sets itself tasks and keeps the skills that were seen to work."""

    access = 1
    learns = True
    model = True
    options = {  # noqa: RUF012 - declared once, never changed
        "skills": ON, "curriculum": ("on", "random", "off"), "critic": ON, "verification": ON, "interface": ON,
        "retirement": ON,
    }  # fmt: skip

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options

    def begin(self, briefing: Briefing) -> None:
        """Take in what is told, and start from what is kept."""
        assert briefing.prompts is not None, "an agent with a model has prompts"
        self._briefing, self._draws = briefing, draws("voyager", briefing.seed)
        self.mind, self._tried = new_mind(briefing), Tried()
        self._kept = briefing.library or Memory()
        recall(self.mind, self._kept)
        self._asker = Asker(briefing.chat, briefing.prompts)
        library = self._kept if self._on("skills") else Memory()
        lore.recall(self.mind, library)
        self._shop = Workshop(
            self.mind, self._asker, library,
            commands=not self._on("interface"), retires=self._on("retirement"), source=self._source,
        )  # fmt: skip
        self._account = Account(self.mind)
        self._play: Play | None = None
        self._said = self._cause = ""
        self._offered: tuple[str, ...] | None = None

    # --- the algorithm ----------------------------------------------------------------------------
    def _episode(self, turn: Turn) -> Play:
        yield from orient(self.mind, self._briefing, turn)
        while True:
            task = self._next_task()
            self.mind.journal.phase(f"task: {task.told}")
            if (yield from self._achieve(task)):
                self._tried.achieve(task)
            else:
                self._tried.fail(task, self._cause, self._shop.version())

    def _next_task(self) -> Task:
        """What the curriculum proposes, as long as it proposes what can be checked and is new."""
        facts, names = facts_of(self.mind), self._shop.names()
        goal = of_goal(self.mind.goal)
        how = self._options.get("curriculum", "on")
        if how == "off":
            return goal if goal.facts and not goal.done(facts) else Task(words=self._briefing.goal)
        task = None
        if how == "on":
            task = self._shop.propose(self._briefing.goal, goal, self._tried, free=self._on("critic"))
        return task or at_random(facts, names, self.mind.belief.rooms, self._draws.below)

    def _achieve(self, task: Task) -> Generator[str, Turn, bool]:
        """Run skills until one makes the task true: a known one, a new one, and what repairs make of it."""
        offers = self._retrieve(task)
        ready = next((offer for offer in offers if offer.matches and offer.args is not None), None)
        skill: Skill | None = ready.known.skill if ready else None
        args = ready.args or () if ready else ()
        ran: Ran | None = None
        for _ in range(TRIES):
            if skill is None or ran is not None:
                written = self._shop.write(task, offers, skill, ran)
                if written is None:
                    self._cause = f"no usable skill was written: {self._asker.why[:200]}"
                    return False
                skill, args = written
            ran = yield from self._shop.run(skill, args)
            if self._verified(task, ran):
                self._shop.admit(skill, ran)
                return True
            self._cause = f"{ran.outcome}: {ran.why}"
        return False

    def _retrieve(self, task: Task) -> list[Offer]:
        """The skills that may help, the best first; all of them are logged with their scores."""
        offers = retrieve(self._shop.skills(), task)
        self._offered = tuple(offer.known.digest for offer in offers) or None
        candidates = [[offer.known.digest, offer.known.skill.name, offer.known.status, offer.score] for offer in offers]
        count = f"{len(offers) or 'no'} skill{'' if len(offers) <= 1 else 's'}"
        said = f"{count} for {task.told}"
        self.mind.journal.event("retrieval", said, minor=not offers, candidates=candidates)
        return offers

    def _verified(self, task: Task, ran: Ran) -> bool:
        """Whether the task was done, by what was false before and is true after; by a critic where no fact says it."""
        if not self._on("verification"):
            done = ran.outcome not in ("fault", "limit", "gave_up")
        elif task.facts:
            done = ran.proves
        else:
            done = self._on("critic") and self._shop.judged(task, ran)
        how = "was seen to work" if ran.proves else "was taken to work"
        how = how if done else f"did not do it ({ran.outcome}: {ran.why})"
        self.mind.journal.event("verdict", f"{ran.name} {how}", task=task.told, outcome=ran.outcome)
        return done

    # --- the episode around it ----------------------------------------------------------------------
    def act(self, turn: Turn) -> Reply:
        """The next command."""
        if self._play is None:
            self._play = self._episode(turn)
            self._said = next(self._play)
        else:
            self._shop.ears.hear(self.mind, self._said, turn.text)
            self._said = self._play.send(turn)
        self._asker.acted()
        raw, used = self._shop.said(self._said), self.mind.used or None
        return Reply(self._said, raw, self._offered, used, self._account.news())

    def end(self, turn: Turn) -> None:
        """Judge the skill that was running by the last turn, and keep what was learned."""
        play, self._play = self._play, None
        if play is not None:
            self._shop.close(play, turn)
        keep(self.mind, self._kept)
        if self._on("skills"):
            lore.keep(self.mind, self._kept)

    def _on(self, part: str) -> bool:
        return self._options.get(part, "on") == "on"

    def _source(self) -> Mapping[str, str]:
        return {"model": self._asker.model, "step": str(self.mind.n)}
