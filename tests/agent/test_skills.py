"""Skills at work in a toy world: what they change is measured, whatever goes wrong ends the call and not the play."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.interpreter import MontyInterpreter
from sandbox.agent.library import Evidence, Memory, Skill, Status
from sandbox.agent.mind import Mind, new_mind
from sandbox.agent.orient import orient
from sandbox.agent.skills import Bench, Ran, facts_of, intents_of
from tests.agent.test_explorer import Toy

ONE = MontyInterpreter(seconds=0.5, deeds=8)
GRAB = Skill(
    "grab", (("x", "thing"),), "def grab(x):\n    go_to(see.room_of(x))\n    do.take(x)\n", "Have x.", (), (("held", "x"),)
)


class Stage:
    """A toy world, a mind that can speak to it, and a bench."""

    def __init__(self, *skills: Skill, toy: Toy | None = None) -> None:
        self.toy, self.said = toy or Toy(), list[str]()
        self.library = Memory("mine", skills)
        self.bench = Bench(self.library, "r", ONE)
        briefing = Briefing(Toy.goal, 1, Toy.help, Toy.words, 7, 100, None)
        self.mind = new_mind(briefing)
        self.text = f"TOY\n\n{self.toy.view()}"
        self.drive(orient(self.mind, briefing, self.turn()))

    def turn(self) -> Turn:
        """What is seen now."""
        return Turn(len(self.said), self.text, 0.0, done=self.toy.done, admissible=None, facts=None)

    def drive(self, play: Generator[str, Turn, object], limit: int = 99) -> None:
        """Play to the end of a procedure, or to a limit, at which it is closed as an episode that ends does."""
        try:
            command = next(play)
            for _ in range(limit):
                self.said.append(command)
                self.text = self.toy.say(command)
                command = play.send(self.turn())
        except StopIteration:
            return
        play.close()

    def run(self, skill: Skill, *args: str, limit: int = 99) -> Ran:
        """Run a skill of the library."""
        self.drive(self.bench.run(self.mind, skill, args), limit)
        return [ran for ran in self.bench.ran if ran.name == skill.name and not ran.caller][-1]

    def home(self) -> None:
        """Put the cup back and go to the hall."""
        self.toy.start()
        self.drive(self._look())

    def _look(self) -> Generator[str, Turn, None]:
        yield from self.mind.look()

    def statuses(self) -> list[str]:
        """The statuses that were given, in order."""
        return [record.status for record in self.library.drain() if isinstance(record, Status)]


def made(code: str, name: str = "f", post: tuple[tuple[str, ...], ...] = (("held", "x"),)) -> Skill:
    """A skill of one thing."""
    return Skill(name, (("x", "thing"),), code, "", (), post)


def test_a_skill_speaks_the_language_of_the_world() -> None:
    """Intents become commands, moves included, and what was changed is measured."""
    stage = Stage(GRAB)
    assert set(intents_of(stage.mind)) == {"go", "take", "drop", "heat"}
    stage.drive(stage.mind.go({"yard"}))
    told = len(stage.said)
    ran = stage.run(GRAB, "cup")
    assert stage.said[told:] == ["go hall", "take cup", "look"]
    assert (ran.outcome, ran.steps, ran.proves) == ("done", 3, True)
    assert ("held", "cup") in ran.after - ran.before
    assert ("in", "cup", "hall") in ran.before - ran.after


def test_two_proofs_from_different_states_make_it_active() -> None:
    """The same state twice counts once; the reason is kept with the status."""
    stage = Stage(GRAB)
    for place, statuses in (("hall", []), ("hall", []), ("yard", ["active"])):
        stage.home()
        stage.drive(stage.mind.go({place}))
        stage.library.drain()
        assert stage.run(GRAB, "cup").proves
        assert stage.statuses() == statuses
    assert [known.status for known in stage.library.skills("r")] == ["active"]
    assert [known.status for known in stage.library.skills("another")] == ["candidate"]


def test_what_was_true_before_proves_nothing() -> None:
    """A skill that does nothing may end well, and is none the better for it."""
    stage = Stage(GRAB)
    stage.run(GRAB, "cup")
    ran = stage.run(GRAB, "cup")
    assert (ran.outcome, ran.proves) == ("done", False)


def test_failures_make_it_suspect_then_broken() -> None:
    """Each step with its reason; a proof brings it back."""
    bad = made("def f(x):\n    do.look()\n")
    stage = Stage(bad)
    digest = stage.library.skills("r")[0].digest
    stage.library.append(Status(digest, "r", "active", "for the test"))
    stage.library.drain()
    for status in ("suspect", "broken"):
        assert stage.run(bad, "cup").outcome == "no_effect"
        assert stage.statuses() == [status]
    stage.run(bad, "cup")
    assert stage.statuses() == ["retired"]


@pytest.mark.parametrize(("code", "outcome", "said"), [
    ("def f(x):\n    for _ in range(99):\n        do.look()", "limit", "too many deeds"),
    ("def f(x):\n    while True: pass", "limit", "time"),
    ("def f(x):\n    a = [0] * 10 ** 9", "limit", "memory"),
    ("def f(x):\n\n    raise ValueError('no')", "fault", "ValueError: no (line 3)"),
    ("def f(x):\n    do.fly(x)", "fault", "'fly' (line 2)"),
    ("def f(x):\n    do.take('moon')", "fault", "'moon' (line 2)"),
    ("def f(x):\n    do.take('cup; drop cup')", "fault", "nothing is known that is called 'cup; drop cup'"),
    ("def f(x):\n    do.take(x, x)", "fault", "do.take takes 1 thing, not 2 (line 2)"),
    ("def f(x):\n    do.take(7)", "fault", "texts"),
    ("def f(x):\n    return {'ok': True, 'command': 'take cup'}", "no_effect", "held x"),
    ("def f(x:\n", "fault", "Syntax"),
    ("def f(x):\n    _act('take', ['cup'], [[1, 2], 3, None], [[1], 2, ['f', [], 0, 99, 1]])\n    give_up('enough')", "gave_up", "enough"),
    ("def f(x):\n    give_up('x' * 10000)", "gave_up", "xxx"),
    ("def f(x):\n    f(x)", "fault", "f calls f"),
])  # fmt: skip
def test_the_play_goes_on_whatever_a_skill_does(code: str, outcome: str, said: str) -> None:
    """A named failure with its line, and the next skill works."""
    bad = made(code)
    stage = Stage(bad, GRAB)
    ran = stage.run(bad, "cup")
    assert (ran.outcome, said.casefold() in ran.why.casefold()) == (outcome, True), ran.why
    assert len(ran.why) <= 300
    assert stage.mind.used == ()
    if ("held", "cup") not in facts_of(stage.mind):
        assert stage.run(GRAB, "cup").done


def test_calls_of_other_skills_count_as_theirs() -> None:
    """A skill that calls another is proved by what it did itself, and so is the other; who called is on record."""
    serve = Skill(
        "serve", (("x", "thing"), ("to", "place")), "def serve(x, to):\n    grab(x)\n    go_to(to)\n    do.drop(x)\n", "",
        (), (("in", "x", "to"),),
    )  # fmt: skip
    stage = Stage(GRAB, serve)
    ran = stage.run(serve, "cup", "yard")
    assert (ran.outcome, ran.proves) == ("done", True)
    calls = [record for record in stage.library.drain() if isinstance(record, Evidence)]
    assert [(call.caller, call.outcome, call.proves, call.steps) for call in calls] == [("", "done", True, ran.steps), ("serve", "done", True, 3)]


def test_skills_that_call_each_other_are_a_fault() -> None:
    """Recursion over two skills is found before anything is said."""
    ping, pong = made("def ping(x):\n    pong(x)\n", "ping"), made("def pong(x):\n    ping(x)\n", "pong")
    stage = Stage(ping, pong)
    told = len(stage.said)
    ran = stage.run(ping, "cup")
    assert (ran.outcome, len(stage.said)) == ("fault", told)
    assert "ping calls pong calls ping" in ran.why


def test_an_episode_that_ends_inside_a_skill_closes_it() -> None:
    """What was true by then decides: done where all was reached, stopped where not; both are on record."""
    slow = made("def f(x):\n    go_to(see.room_of(x))\n    do.take(x)\n    for _ in range(9):\n        do.look()\n")
    for limit, outcome in ((1, "stopped"), (4, "done")):
        stage = Stage(slow)
        stage.drive(stage.mind.go({"yard"}))
        ran = stage.run(slow, "cup", limit=limit)
        assert ran.outcome == outcome
        assert [record.outcome for record in stage.library.drain() if isinstance(record, Evidence)] == [outcome]


def test_the_text_that_ran_is_the_text_of_the_version() -> None:
    """Nothing is rewritten on the way to the interpreter."""
    heard: list[str] = []

    class Heard(MontyInterpreter):
        def call(self, skill, args, facts, scope=None):  # type: ignore[no-untyped-def]  # handed on as it came
            heard.append(skill.code)
            return super().call(skill, args, facts, scope)

    stage = Stage(GRAB)
    stage.bench.interpreter = Heard(0.5)
    ran = stage.run(GRAB, "cup")
    assert heard == [known.skill.code for known in stage.library.skills() if known.digest == ran.digest]


def test_facts_speak_of_what_is_believed() -> None:
    """Places, things, words and open ways, each as a tuple of texts."""
    mind: Mind = Stage().mind
    facts = facts_of(mind)
    assert {("at", mind.belief.at), ("in", "cup", "hall"), ("way", "hall", "yard"), ("way", "yard", "hall")} <= facts
    assert all(isinstance(part, str) for fact in facts for part in fact)
