"""The explorer: it learns a world from its texts, the same way each time, and from any text at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.agent.api import Briefing, Reply, Turn
from sandbox.agent.belief import HELD
from sandbox.agent.library import Memory, Note
from sandbox.agent.load import load
from sandbox.certify import build
from sandbox.world.engine import Engine

FILES = {"explorer": Path("agents/explorer.py")}


def said(answer: str | Reply) -> str:
    """The command of an answer."""
    return answer if isinstance(answer, str) else answer.command


class Toy:
    """Two rooms, a cup, a stove that makes what is put on it hot: a world of a few lines, with no engine."""

    goal = "goal: the cup is hot"
    help = "How to speak:\n  go ROOM\n  take THING\n  drop THING\n  heat THING STOVE\n  look\n  stock\n  again"
    words = ("go", "take", "drop", "heat", "look", "stock", "again", "hall", "yard", "cup", "stove")

    def __init__(self, names: dict[str, str] | None = None) -> None:
        self.names = names or {}
        self.start()

    def start(self) -> None:
        """Everything as it was."""
        self.at, self.cup, self.hot, self.done = "hall", "hall", False, False

    def view(self) -> str:
        """The room as a list."""
        fixed = "stove" if self.at == "yard" else "-"
        cup = "cup [hot]" if self.hot else "cup"
        loose, held = (cup if self.cup == self.at else "-"), (cup if self.cup == "held" else "-")
        other = "yard" if self.at == "hall" else "hall"
        return f"at: {self.at}\nfixed: {fixed}\nloose: {loose}\nways: {other}\nheld: {held}"

    def say(self, command: str) -> str:
        """The answer to a command."""
        match command.split():
            case ["look"]:
                return self.view()
            case ["stock"]:
                return self.view().rpartition("\n")[2]
            case ["again"]:
                self.start()
                return "Begun again.\n" + self.view()
            case ["go", ("hall" | "yard") as to] if to != self.at:
                self.at = to
                return self.view()
            case ["take", "cup"] if self.cup == self.at:
                self.cup = "held"
                return "You have the cup."
            case ["drop", "cup"] if self.cup == "held":
                self.cup = self.at
                return f"The cup is in the {self.at}."
            case ["heat", "cup", "stove"] if self.cup == "held" and self.at == "yard":
                self.hot = self.done = True
                return "The cup is hot."
            case [("take" | "drop" | "heat"), thing, *_] if thing != "cup":
                return f"That cannot be done with the {thing}."
            case [("go" | "take" | "drop" | "heat"), thing, *_]:
                return f"The {thing} stands in the way of that."
        return "The words are not known in this order."

    def play(self, spec: str, limit: int = 300, library: Memory | None = None) -> list[str]:
        """The commands of an episode."""
        agent = load(spec, FILES).agent
        agent.begin(Briefing(self.goal, 1, self.help, self.words, 7, limit, None, library))
        text, commands = f"TOY\n{self.goal}\n\n{self.view()}", list[str]()
        while not self.done and len(commands) < limit:
            commands.append(said(agent.act(Turn(len(commands), text, 0.0, done=False, admissible=None, facts=None))))
            text = self.say(commands[-1])
        agent.end(Turn(len(commands), text, 0.0, done=self.done, admissible=None, facts=None))
        self.mind = agent.mind  # type: ignore[attr-defined]  # the agent shows what it believes
        return commands


def test_it_learns_a_world_it_was_never_told_of() -> None:
    """Words, ways, taking and heating are found out by trying."""
    toy = Toy()
    commands = toy.play("explorer")
    assert toy.done
    assert len(commands) < 60
    assert toy.mind.rules.movers == {"go {0}"}
    assert toy.mind.rules.carried == {"cup"}


def test_the_same_seed_gives_the_same_episode() -> None:
    """Nothing but the seed and the library decides what it does."""
    assert Toy().play("explorer") == Toy().play("explorer")


@pytest.mark.parametrize("spec", ["explorer:curriculum=random", "explorer:english=off"])
def test_parts_can_be_left_out(spec: str) -> None:
    """An ablation plays otherwise, and still plays."""
    toy = Toy()
    commands = toy.play(spec)
    assert commands
    if "random" in spec:
        assert commands != Toy().play("explorer")


def test_what_was_learned_carries_over() -> None:
    """The second episode with a library needs fewer commands; with carry=off it is as the first."""
    library = Memory("mine")
    first = Toy().play("explorer", library=library)
    second = Toy().play("explorer", library=library)
    assert 4 * len(second) < 3 * len(first)
    assert Toy().play("explorer:carry=off", library=library) == first


@pytest.mark.parametrize(
    "note",
    [
        Note("role", "again", "look"),
        Note("role", "drop {0}", "move"),
        Note("reply", "you\thave\t@\t.", ["*gone", [], [], []]),
        Note("operator", "drop {0}", [{"spots": ["held"], "words": [[]], "changes": [["word", 0, "hot"]]}]),
        Note("operator", "take {0}", "nonsense"),
        Note("reply", "x", [1, 2]),
    ],
    ids=str,
)
def test_false_beliefs_are_corrected(note: Note) -> None:
    """A library that says what is not so costs a few commands, and no more."""
    library = Memory("false", [note])
    toy = Toy()
    toy.play("explorer", library=library)
    assert toy.done


def test_it_sees_what_is_held() -> None:
    """A view that lists a thing as held is believed."""
    toy = Toy()
    toy.play("explorer")
    assert toy.mind.belief.place["cup"] == HELD


ANSWERS = {
    "nothing": "",
    "controls": "\x00\ud800",
    "json": '{"at": "hall", "held": [[[]]]}',
    "signs": "hall | | > | ^" + "|" * 90,
    "prose": "Hall. Hall. " + "(" * 90,
    "list": "at: hall\nways: hall via hall [hall]\nheld: hall { hall { hall } }",
}


@pytest.mark.parametrize("kind", [*ANSWERS, "echo"])
def test_any_answer_is_survived(kind: str) -> None:
    """Whatever the world says, there is a next command, at level 0 as well."""
    for access in (0, 1):
        agent = load("explorer", FILES).agent
        told = (Toy.help, Toy.words) if access else (None, None)
        agent.begin(Briefing(Toy.goal, access, told[0], told[1], 7, 200, None))
        text = "TOY\n\n" + Toy().view()
        for n in range(120):
            command = said(agent.act(Turn(n, text, 0.0, done=False, admissible=None, facts=None)))
            text = ANSWERS.get(kind, command * 3)


def test_it_solves_a_generated_world() -> None:
    """A small world of the generator, at level 1, within a hundred times the optimum."""
    built = build("tiny/9")
    engine = Engine(built.world, access=1)
    agent = load("explorer", FILES).agent
    limit = 100 * built.certificate.steps
    agent.begin(Briefing(engine.goal_text, 1, engine.help_text, engine.vocabulary, 7, limit, None))
    step, n = engine.start(), 0
    while not step.done and n < limit:
        step = engine.step(step.state, said(agent.act(Turn(n, step.text, step.reward, step.done, None, None))))
        n += 1
    assert step.done
