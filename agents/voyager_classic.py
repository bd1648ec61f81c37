"""`voyager-classic`: Voyager as it was published, for comparison: what it keeps, a critic alone has approved.

After Wang et al., "Voyager: An Open-Ended Embodied Agent with Large Language Models" (arXiv 2305.16291). A curriculum
that asks itself questions names the next task in words. Programs over commands are written, run and judged by a
language model that sees the end only; what it approves goes into a flat library under its name, in place of whatever
had that name. The five programs whose descriptions are most like the task are shown. Two things differ: the likeness
of descriptions is BM25 in place of an embedding, and programs run where they can do no harm.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Final

from sandbox.agent.api import Briefing, Reply, Turn
from sandbox.agent.asking import Asker
from sandbox.agent.commands import SAY
from sandbox.agent.interpreter import MontyInterpreter, Scope
from sandbox.agent.library import Memory, Skill
from sandbox.agent.programs import CRITIC, PROGRAM, QUESTIONS, TASK, described, read_program, read_task
from sandbox.agent.retrieval import by_description

TRIES: Final = 4
SHOWN: Final = 5
PAST: Final = 12
HEARD: Final = 12
LONG: Final = 400


class Agent:
    """Voyager as published: a flat library, a critic's word, programs over commands."""

    access = 1
    learns = True
    model = True

    def __init__(self, options: Mapping[str, str]) -> None:
        """It has no options."""

    def begin(self, briefing: Briefing) -> None:
        """Start from the programs of the library."""
        assert briefing.prompts is not None, "an agent with a model has prompts"
        self._asker = Asker(briefing.chat, briefing.prompts)
        self._library, self._interpreter = briefing.library or Memory(), MontyInterpreter()
        self._about = {"goal": briefing.goal, "help": briefing.help or ""}
        self._answers: dict[str, str] = {}
        self._completed: list[str] = []
        self._failed: list[str] = []
        self._heard: list[tuple[str, str]] = []
        self._play: Generator[str, Turn, None] | None = None
        self._offered: tuple[str, ...] | None = None
        self._used: tuple[str, ...] | None = None

    # --- the algorithm ----------------------------------------------------------------------------
    def _episode(self, turn: Turn) -> Generator[str, Turn, None]:
        self._seen = turn.text
        while True:
            task = self._next_task()
            if task is not None:
                done = yield from self._rollout(task)
                (self._completed if done else self._failed).append(task)

    def _next_task(self) -> str | None:
        """What the curriculum names, after it has asked and answered itself a few questions."""
        past = {"completed": self._completed[-PAST:], "failed": self._failed[-PAST:]}
        asked = self._ask("curriculum", "classic_questions", past, QUESTIONS, lambda data: data["questions"])
        questions = [question for question in (asked or [])[:3] if isinstance(question, str)]
        answers = [f"{question} {self._answer(question)}" for question in questions]
        task: str | None = self._ask("curriculum", "classic_task", {**past, "answers": answers}, TASK, read_task)
        return task

    def _rollout(self, task: str) -> Generator[str, Turn, bool]:
        """Write, run and judge a program, up to four times, each with what came of the last."""
        context = self._answer(f"How to {task}?")
        found = by_description(self._library.skills(), f"{task} {context}")[:SHOWN]
        self._offered = tuple(known.digest for known in found) or None
        code, error, critique = "", "", ""
        for _ in range(TRIES):
            values = {
                "task": task, "context": context, "skills": [f"# {k.skill.summary}\n{k.skill.code}" for k in found],
                "code": code, "error": error, "critique": critique, "heard": self._told(),
            }  # fmt: skip
            skill = self._ask(
                "writer", "classic_program", values, PROGRAM, lambda data: read_program(data, self._source())
            )
            if skill is None:
                return False
            code, error = skill.code, (yield from self._run(skill))
            critique = ""
            if not error:
                verdict = self._ask("critic", "classic_critic", values, CRITIC, dict) or {}
                if verdict.get("success") is True:
                    self._keep(skill)
                    return True
                critique = str(verdict.get("critique", ""))
        return False

    def _run(self, skill: Skill) -> Generator[str, Turn, str]:
        """Run a program; the error that ended it, or ''."""
        others = tuple(known.skill for known in self._library.skills() if known.skill.name != skill.name)
        call = self._interpreter.call(skill, (), frozenset(), Scope((SAY,), "", others))
        self._used = (skill.name,)
        try:
            while call.intent is not None:
                if len(call.intent.args) != 1:
                    call.fault("do.say takes one command")
                    break
                turn = yield call.intent.args[0]
                self._seen = turn.text
                self._heard = [*self._heard[-HEARD:], (call.intent.args[0], turn.text)]
                call.answer(done=True, facts=frozenset({("text", turn.text)}))
        finally:
            call.close()
            self._used = None
        return "" if call.outcome == "done" else f"{call.outcome}: {call.why}"

    def _keep(self, skill: Skill) -> None:
        """Into the library under its name, in place of what had it."""
        asked = self._asker.say("describer", "classic_description", {"code": skill.code})
        old = next((known.digest for known in self._library.skills() if known.skill.name == skill.name), None)
        self._library.append(described(skill, asked, old))

    # --- the episode around it ----------------------------------------------------------------------
    def act(self, turn: Turn) -> Reply:
        """The next command."""
        if self._play is None:
            self._play = self._episode(turn)
            command = next(self._play)
        else:
            command = self._play.send(turn)
        self._asker.acted()
        return Reply(command, f"do.say({command!r})", self._offered, self._used)

    def end(self, turn: Turn) -> None:
        """Let go."""
        del turn
        if self._play is not None:
            self._play.close()

    def _ask(self, role: str, prompt: str, values: dict[str, Any], schema: dict[str, object], check: Any) -> Any:
        shown = {**self._about, "observation": self._seen[:2000], **values}
        return self._asker.ask(role, prompt, self._asker.needed(prompt, shown), schema, check, 700)

    def _answer(self, question: str) -> str:
        """What the model knows of a question; asked once."""
        if question not in self._answers:
            shown = {"question": question, "help": self._about["help"], "heard": self._told()}
            self._answers[question] = self._asker.say("answers", "classic_answer", shown)[:LONG]
        return self._answers[question]

    def _told(self) -> str:
        return "\n".join(f"> {said}\n{seen[:LONG]}" for said, seen in self._heard)

    def _source(self) -> Mapping[str, str]:
        return {"model": self._asker.model}
