"""A language model that knows the answers: it is asked like any other, and replies from the proof of the world.

It is a test double of a model, not of an agent: it sees the prompts and answers them in the form that they ask for. Its
task is the next thing on the way that can be seen (a room, something held, in the end the goal); its skill does what the
proof says until then. Every `bad`-th skill that it writes is wrong in one of several ways.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from sandbox.agent.library import Fact
from sandbox.agent.skills import facts_of, intents_of
from sandbox.agent.tasks import of_goal, things_of, true
from sandbox.certify import Solver
from sandbox.models.api import Answer, Request, estimated
from sandbox.run.course import Course
from sandbox.world.open import engine_of
from sandbox.world.world import World

NO_DEED = ("focus", "select")
LONGEST = 8
"""Deeds of one skill."""
BAD: tuple[Callable[[str, str], str], ...] = (
    lambda name, args: f"def {name}({args}):\n    while True:\n        pass\n",
    lambda name, args: f"def {name}({args}):\n    pass\n",
    lambda name, args: f"def {name}({args}):\n    give_up({args.split(',')[0]})\n",
    lambda name, args: f"def {name}({args}):\n    do.fly_away({args})\n",
    lambda name, args: f"import os\ndef {name}({args}):\n    os.system('true')\n",
    lambda name, args: f"def {name}({args}):\n    do.look()\n    for one in [{args}]:\n        see.held(one)\n",
    lambda name, args: f"def {name}({args}):\n    do.look()\n    list(range(10**9))\n    see.held({args.split(',')[0]})\n",
    lambda name, args: f"def {name}({args}:\n",
)


@dataclass
class Knowing:
    """The model. It follows the play as a watcher does, and looks at the agent's own names for deeds."""

    world: World
    agent: Any = None
    bad: int = 0
    name: str = "mock/knowing"
    written: int = 0
    wrong: list[str] = field(default_factory=list)
    """The code of the skills that were wrong."""
    asked: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._course = Course(engine_of(self.world, access=1))
        self._solver = Solver(self.world)
        self._plans: dict[int, list[str]] = {}
        self._chunk: tuple[list[Fact], list[tuple[str, list[str]]]] = ([], [])

    def stepped(self, command: str | None) -> None:
        """A command was played."""
        if command is not None:
            self._course.take(command)

    def complete(self, request: Request, timeout: float) -> Answer:
        """A task or a skill, as the prompt asks."""
        del timeout
        self.asked.append(request)
        system = request.messages[0].content
        if system.startswith("You choose the next task"):
            text = self._task()
        elif "skills" in system[:40]:
            text = self._skill(request.messages[-1].content if len(request.messages) == 2 else "")
        else:
            text = json.dumps({"reason": "so it seems", "success": True})
        return Answer(text, "stop", estimated(request, text), 0.0, self.name)

    def close(self) -> None:
        """Nothing was opened."""

    def _task(self) -> str:
        facts, _ = self._chunk = self._next()
        task = [_proposed(fact) for fact in facts]
        words = "" if task else f"what the proof says from step {self.agent.mind.n}"
        return json.dumps({"why": "it is on the way", "task": task, "words": words})

    def _skill(self, prompt: str) -> str:
        del prompt
        facts, deeds = self._next()
        if facts != self._chunk[0]:
            deeds = self._chunk[1]
        things = list(dict.fromkeys([name for fact in self._chunk[0] for name in things_of(fact)] + [n for _, ns in deeds for n in ns]))
        params = {thing: f"x{chr(97 + number // 26)}{chr(97 + number % 26)}" for number, thing in enumerate(things)}
        self.written += 1
        name, args = f"skill_{_letters(self.written)}", ", ".join(params.values())
        if self.bad and self.written % self.bad == 0:
            code = BAD[self.written // self.bad % len(BAD)](name, args)
            self.wrong.append(code.rstrip())
        else:
            lines = [f"    do.{deed}({', '.join(params[n] for n in ns)})" for deed, ns in deeds] or ["    do.look()"]
            spare = f"    {args}\n" if params else ""
            code = f'def {name}({args}):\n    """On the way."""\n{spare}' + "\n".join(lines) + "\n"
        return json.dumps({"plan": "as the proof says", "code": code, "args": things})

    # --- the proof --------------------------------------------------------------------------------
    def _plan(self) -> list[str]:
        state = self._course.now.state
        if state not in self._plans:
            plan = list(self._solver.plan(state) or ())
            ahead = self._ahead()
            for number, command in enumerate(plan):
                self._plans.setdefault(ahead.now.state, plan[number:])
                ahead.take(command)
        return self._plans.get(state, [])

    def _ahead(self) -> Course:
        """The way on from the present."""
        ahead = Course(self._course.engine)
        ahead._steps[-1] = self._course.now
        return ahead

    def _next(self) -> tuple[list[Fact], list[tuple[str, list[str]]]]:
        """What is next on the way, and the deeds to it."""
        plan, ahead, mind = self._plan(), self._ahead(), self.agent.mind
        chunk: list[tuple[str, list[str]]] = []
        for command in plan[:LONGEST]:
            verb, args = _parsed(ahead.take(command).intent)
            if verb in NO_DEED or command == mind.confirm:
                continue
            names = self._names(args)
            seen = self._known().issuperset(names)
            deed = self._deed(command, names)
            fact: Fact = ("at", names[0]) if verb == "go" else ("held", names[0]) if verb == "take" else ()
            if fact and seen and not _is_true(mind, fact):
                return ([], chunk) if chunk else ([fact], [deed] if deed else [])
            if chunk and not seen:
                return [], chunk
            chunk += [deed] if deed else []
        return (self._goal() if len(plan) <= LONGEST else []), chunk

    def _goal(self) -> list[Fact]:
        now = facts_of(self.agent.mind)
        return [fact for fact in of_goal(self.agent.mind.goal).facts if not true(fact, now)]

    def _deed(self, command: str, names: list[str]) -> tuple[str, list[str]] | None:
        best: tuple[int, str, list[str]] | None = None
        for intent, op in intents_of(self.agent.mind).items():
            for order in ([names, names[::-1]] if len(names) > 1 else [names]):
                if op.arity != len(order):
                    continue
                said = op.pattern.fill(order[1:] if op.implicit else order)
                same = _same(said, command) + 10_000 * (said == command)
                if best is None or same > best[0]:
                    best = same, intent, order
        if not names:
            return ("wait", []) if command == self.agent.mind.roles.wait else None
        return best[1:] if best else None

    def _names(self, ids: Iterable[str]) -> list[str]:
        known = {name.casefold(): name for name in self._known()}
        return [known.get(self.world.names.get(one, one).casefold(), self.world.names.get(one, one)) for one in ids]

    def _known(self) -> set[str]:
        belief = self.agent.mind.belief
        return {*belief.rooms, *belief.first}


def _parsed(intent: str | None) -> tuple[str, list[str]]:
    match = re.fullmatch(r"([\w:]+)(?:\((.*)\))?", intent or "")
    return (match[1], [one for one in (match[2] or "").split(",") if one]) if match else ("", [])


def _proposed(fact: Fact) -> dict[str, str]:
    negated = fact[0] == "not"
    bare = fact[1:] if negated else fact
    return {"fact": ("not_" if negated else "") + bare[0], "thing": bare[1], "value": bare[2] if len(bare) > 2 else ""}


def _is_true(mind: Any, fact: Fact) -> bool:
    return bool(mind.belief.at == fact[1] if fact[0] == "at" else mind.belief.where(fact[1]) == "held")


def _same(said: str, command: str) -> int:
    """How many words of a command, which may leave a thing out, a full one has, less those of its own."""
    one, other = re.findall(r"\w+", said), re.findall(r"\w+", command)
    return 100 * len(set(one) & set(other)) - len(one)


def _letters(number: int) -> str:
    return chr(97 + number // 26 % 26) + chr(97 + number % 26)
