"""Speaking where nothing is told: verbs and orders found out by how words are answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.load import load
from sandbox.agent.text import Reader

VIEWS = {
    "list": "at: hall\nfixed: old chest [shut]\nloose: tin cup; egg [wet]\nways: yard via oak door [open]\nheld: -",
    "json": '{"at": "hall", "also": "dust",\n "fixed": {"old chest": ["shut"]}, "loose": {"tin cup": [], "egg": ["wet"]},\n'
    ' "ways": {"yard": {"oak door": ["open"]}}, "held": {}}',
    "table": "at    | hall\nfixed | old chest     | shut\nloose | tin cup\n      | egg           | wet\n"
    "ways  | yard          | oak door: open\nheld  | -",
    "signs": "hall | old chest:shut | tin cup, egg:wet | > yard / oak door:open | ^ -",
    "prose": "Hall. Here: an old chest (shut). On the floor: a tin cup, an egg (wet). "
    "Ways: yard by the oak door (open). Your hands are empty.",
}


@pytest.mark.parametrize("form", VIEWS)
def test_names_are_found_by_the_form_alone(form: str) -> None:
    """Without a vocabulary, what stands where names stand is a name."""
    reader = Reader(())
    reader.discover(VIEWS[form])
    assert reader.names == {"hall", "old chest", "tin cup", "egg", "yard", "oak door"}


def test_a_vocabulary_is_not_second_guessed() -> None:
    """Where words are told, nothing is taken for a name by its place."""
    reader = Reader(["hall"])
    reader.discover(VIEWS["list"])
    assert not reader.names


class Shed:
    """Two rooms and a lamp that has to be set on a shelf; it says which words it does not know."""

    goal = "goal: the lamp is in the shelf"
    words = frozenset({"go", "to", "take", "drop", "put", "on", "look", "inventory", "restart", "shed", "yard", "lamp", "shelf"})

    def __init__(self) -> None:
        self.at, self.lamp = "yard", "yard"

    def view(self) -> str:
        """The place as a list."""
        here = [f"loose: {'lamp' if self.lamp == self.at else '-'}", f"held: {'lamp' if self.lamp == 'held' else '-'}"]
        inside = " { lamp }" if self.lamp == "shelf" else ""
        fixed = f"fixed: shelf{inside}" if self.at == "shed" else "fixed: post"
        return "\n".join([f"at: {self.at}", fixed, here[0], f"ways: {'yard' if self.at == 'shed' else 'shed'}", here[1]])

    def say(self, command: str) -> str:  # noqa: C901 - one case after the other
        """The answer to a command."""
        words = command.split()
        unknown = next((word for word in words if word not in self.words and word != "post"), None)
        if unknown is not None:
            return f"Nobody here knows what {unknown} is."
        match words:
            case ["look"]:
                return self.view()
            case ["inventory"]:
                return self.view().rpartition("\n")[2]
            case ["restart"]:
                self.__init__()  # type: ignore[misc]  # as it was
                return "Again.\n" + self.view()
            case ["go", "to", ("yard" | "shed") as to] if to != self.at:
                self.at = to
                return self.view()
            case ["take", "lamp"] if self.lamp == self.at:
                self.lamp = "held"
                return "You have the lamp."
            case ["drop", "lamp"] if self.lamp == "held":
                self.lamp = self.at
                return "You put the lamp down."
            case ["put", "lamp", "on", "shelf"] if self.lamp == "held" and self.at == "shed":
                self.lamp = "shelf"
                return "There it stands."
            case ["take" | "drop" | "go", *_, thing] if len(words) == (3 if words[0] == "go" else 2):
                return f"Not with the {thing}."
            case ["put", thing, "on", other]:
                return f"The {thing} cannot be put on the {other}."
        return "That is no way to speak."


def test_a_world_of_which_nothing_is_told_is_solved() -> None:
    """At level 0: no help page, no vocabulary; verbs, orders, names and what they do are found out."""
    shed = Shed()
    agent = load("explorer", {"explorer": Path("agents/explorer.py")}).agent
    agent.begin(Briefing(shed.goal, 0, None, None, 7, 300, None))
    text, n = f"SHED\n{shed.goal}\n\n{shed.view()}", 0
    while shed.lamp != "shelf" and n < 300:
        reply = agent.act(Turn(n, text, 0.0, done=False, admissible=None, facts=None))
        text, n = shed.say(reply if isinstance(reply, str) else reply.command), n + 1
    assert shed.lamp == "shelf"
    agent.end(Turn(n, text, 0.0, done=True, admissible=None, facts=None))
