"""What an agent tells of itself: only what is new, and with its evidence."""

from __future__ import annotations

from pathlib import Path

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.journal import Entry, Journal
from sandbox.agent.load import load
from tests.agent.test_explorer import Toy


def test_a_belief_is_told_when_it_changes() -> None:
    """Holding the same again says nothing; another belief does; a phase is told when it begins."""
    journal = Journal()
    for says in ("open", "open", "shut", "open"):
        journal.phase("looking")
        journal.believe("thing", "door", says, minor=True)
    assert journal.drain() == (
        {"phase": "looking"},
        *({"belief": "thing", "key": "door", "says": says, "minor": True} for says in ("open", "shut", "open")),
    )
    assert journal.drain() == ()
    assert journal.held("thing", "door") == {"belief": "thing", "key": "door", "says": "open"}
    assert journal.held("thing", "window") is None


def told(toy: Toy) -> list[tuple[int, Entry]]:
    """What the explorer tells while it plays a toy world, with the number of commands before."""
    agent = load("explorer", {"explorer": Path("agents/explorer.py")}).agent
    agent.begin(Briefing(toy.goal, 1, toy.help, toy.words, 7, 300, None, None))
    text, n, found = f"TOY\n{toy.goal}\n\n{toy.view()}", 0, list[tuple[int, Entry]]()
    while not toy.done and n < 300:
        reply = agent.act(Turn(n, text, 0.0, done=False, admissible=None, facts=None))
        assert not isinstance(reply, str)
        found += [(n, entry) for entry in reply.beliefs]
        text, n = toy.say(reply.command), n + 1
    return found


def test_the_explorer_tells_what_it_learns() -> None:
    """The goal as it was read, how to move, what taking does, and the last plan; tries are evidence with their step."""
    toy = Toy()
    found = told(toy)
    says = [str(entry["says"]) for _, entry in found if "says" in entry]
    assert says[0] == "wanted: cup hot"
    assert "go ROOM → moves me there" in says
    assert "take THING → THING in hand" in says
    phases = [entry["phase"] for _, entry in found if "phase" in entry]
    assert phases[:2] == ["finding out how to speak", "finding out how to move"]
    tries = [entry for _, entry in found if entry.get("evidence") == "operator" and entry["key"] == "take {0}"]
    assert tries
    for n, entry in found:
        if "evidence" in entry:
            assert isinstance(entry["step"], int)
            assert 0 < entry["step"] <= n
    learned = next(n for n, entry in found if entry.get("belief") == "operator" and entry["key"] == "take {0}")
    assert any(entry["step"] <= learned and entry["came"] == "changed" for entry in tries)  # type: ignore[operator]


def test_the_account_is_short() -> None:
    """What is told of a step is less than what a step shows, on average."""
    found = told(Toy())
    assert sum(len(str(entry)) for _, entry in found) < 400 * (found[-1][0] + 1)
