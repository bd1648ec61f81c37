"""From what a user types to a player, and what a file among the agents must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from sandbox.agent.load import load, roll
from sandbox.errors import UsageError
from sandbox.generate.content import Content

SOUND = """\
from dataclasses import dataclass


@dataclass
class Memory:
    last: "str" = ""


class Agent:
    '''Says wait, whatever happens.

    More about it.
    '''

    access = 1
    options = {"mood": ("calm", "cross"), "word": ()}

    def __init__(self, options):
        self.word = options.get("word", "wait")

    def begin(self, briefing):
        self.memory = Memory()

    def act(self, turn):
        return self.word

    def end(self, turn):
        pass
"""

Write = Callable[[str], Mapping[str, Path]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Put an agent called `mine` into a content folder; all agents that are found then."""

    def put(source: str) -> Mapping[str, Path]:
        (tmp_path / "agents").mkdir(exist_ok=True)
        (tmp_path / "agents" / "mine.py").write_text(source, "utf-8")
        return Content(tmp_path).agents()

    return put


def complaint(files: Mapping[str, Path], spec: str = "mine") -> str:
    """What is said about a player that cannot be had."""
    with pytest.raises(UsageError) as caught:
        load(spec, files)
    assert caught.value.hint
    return f"{caught.value.message} | {caught.value.hint}"


def test_a_new_file_is_a_new_agent(write: Write) -> None:
    """A file dropped into agents/ is found, read and declared, beside those that are built in."""
    files = write(SOUND)
    found = load("mine", files)
    assert (found.name, found.spec, found.kind.access, found.kind.learns) == ("mine", "mine", 1, False)
    assert found.kind.about == "Says wait, whatever happens."
    assert {"mine", "human", "random", "oracle", "exec"} <= set(files)


def test_the_users_agent_comes_before_a_built_in_one(tmp_path: Path) -> None:
    """A file of the same name in the user's content is the one that plays."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "random.py").write_text(SOUND, "utf-8")
    assert load("random", Content(tmp_path).agents()).kind.access == 1


def test_a_changed_file_is_the_one_that_plays(write: Write) -> None:
    """A file is read anew each time: no stale bytecode plays for it."""
    load("mine", write(SOUND))
    assert load("mine", write(SOUND.replace("access = 1", "access = 3"))).kind.access == 3


def test_options_reach_the_agent(write: Write) -> None:
    """What stands after the colon is handed over, and told again by the player's `spec`."""
    found = load("mine:word=go north,mood=calm", write(SOUND))
    assert found.options == {"word": "go north", "mood": "calm"}
    assert found.spec == "mine:mood=calm,word=go north"
    assert found.agent.word == "go north"  # type: ignore[attr-defined]


def test_a_command_is_taken_as_it_stands() -> None:
    """`exec:CMD` is a command line, commas, colons and equals signs included."""
    found = load("exec:python3 -c 'a=1,2' x:y", Content().agents())
    assert found.options == {"command": "python3 -c 'a=1,2' x:y"}
    assert found.spec == "exec:python3 -c 'a=1,2' x:y"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mien", "did you mean 'mine'?"),
        ("rnadom", "did you mean 'random'?"),
        ("", "unknown agent ''"),
        ("../mine", "unknown agent"),
        ("mine:moood=calm", "did you mean 'mood'?"),
        ("mine:mood=clam", "did you mean 'calm'?"),
        ("mine:mood", "expected option=value after the colon, found 'mood'"),
        ("mine:", "expected option=value"),
        ("mine:mood=calm,", "expected option=value"),
        ("mine:mood=calm,mood=cross", "option 'mood' is given twice"),
        ("random:x=1", "unknown option"),
        ("exec", "type --agent 'exec:COMMAND'"),
        ("exec:  ", "type --agent 'exec:COMMAND'"),
        ("exec:'unclosed", "cannot read the command"),
        ("exec:/no/such/program", "no such program"),
    ],
)
def test_what_does_not_exist_is_named(write: Write, spec: str, said: str) -> None:
    """An unknown agent, option or value, and a malformed list of options, are told with what was meant."""
    assert said in complaint(write(SOUND), spec)


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (("class Agent:", "class Agent"), 9, "expected ':'"),
        (("class Agent:", "class Player:"), 1, "expected exactly one class named Agent, found 0"),
        (("class Memory:", "class Agent:"), 9, "expected exactly one class named Agent, found 2"),
        (("    access = 1\n", ""), 9, "needs access = 0 to 4, found None"),
        (("access = 1", "access = 5"), 9, "needs access = 0 to 4, found 5"),
        (("access = 1", "access = True"), 9, "needs access = 0 to 4, found True"),
        (("access = 1", "access = 1 / 0"), 15, "ZeroDivisionError"),
        (("access = 1", "import nothing_of_that_name"), 15, "ModuleNotFoundError"),
        (("def end(", "def stop("), 9, "needs a method end(self, turn)"),
        (("def act(self, turn)", "def act(self)"), 24, "expected act(self, turn)"),
        (("self.word = options.get", "self.word = option.get"), 19, "name 'option' is not defined"),
        (("def __init__(self, options)", "def __init__(self)"), 1, "Agent(options) failed"),
        (('options = {"mood"', 'options = ["mood"]; x = {"mood"'), 9, "must map each name"),
        (("access = 1", "access = exit(3)"), 15, "SystemExit: 3"),
        (("wait, whatever", "w\0ait"), 1, "null bytes"),
    ],
)
def test_a_broken_file_is_named_with_its_line(write: Write, change: tuple[str, str], line: int, said: str) -> None:
    """A file that is no agent, or breaks while it is read, is a usage error with file and line."""
    assert change[0] in SOUND
    files = write(SOUND.replace(*change))
    message = complaint(files)
    assert message.startswith(f"{files['mine']}:{line}: "), message
    assert said in message


def test_a_file_that_is_no_text_is_named(tmp_path: Path, write: Write) -> None:
    """A file of other bytes, or a folder under an agent's name, is told like any broken file."""
    files = write(SOUND)
    files["mine"].write_bytes(b"\xff\xfe\x00")
    assert str(files["mine"]) in complaint(files)
    (tmp_path / "agents" / "folder.py").mkdir()
    assert "cannot be read" in complaint(Content(tmp_path).agents(), "folder")


def test_a_broken_file_hides_no_other(write: Write) -> None:
    """The list of agents names a broken file and what is wrong with it, among all others."""
    entries = {entry.name: entry for entry in roll(write(SOUND.replace("access = 1", "access = 9")))}
    assert "found 9" in (entries["mine"].broken or "")
    assert {name: entry.kind.access for name, entry in entries.items() if entry.kind} == {
        "exec": 0,
        "explorer": 1,
        "human": 1,
        "oracle": 4,
        "random": 2,
        "react": 1,
        "reflexion": 1,
        "voyager": 1,
        "voyager-classic": 1,
        "zeroshot": 1,
    }


def test_the_example_in_the_interface_is_an_agent(write: Write) -> None:
    """The sketch at the top of the interface's docstring is a complete agent, once its dots are filled in."""
    from sandbox.agent import api

    sketch = (api.__doc__ or "").split("exactly one class `Agent`:\n\n")[1].split("\n\nIt may also")[0]
    head = "from __future__ import annotations\n"
    found = load("mine", write(head + dedent(sketch)))
    assert found.kind.access == 1
