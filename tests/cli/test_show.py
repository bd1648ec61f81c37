"""How a play is shown: cut to about a screen and a half, and never interpreted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sandbox.cli.show import Manner, Transcript, result
from sandbox.log.rows import EpisodeEnd, EpisodeStart, StepRow

START = EpisodeStart(
    "7", "d" * 32, "{}", {}, {}, "random", {}, 2, 1, 500, 11, "exact", "1", "0", "Open the door.", None
)  # fmt: skip
END = EpisodeEnd("solved", solved=True, score=0.5, steps=22, progress=1.0)
OPENING = StepRow(0, None, None, None, None, None, "Kitchen.\nOpen the door.", 0.0, False, "0")


def step(n: int, text: str = "Nothing.", command: str | None = None, cause: str | None = None) -> StepRow:
    """A step of a made-up play."""
    said = command or f"command {n}"
    return StepRow(n, said, said, said, None, cause, text, 0.0, False, str(n))


def shown(capsys: pytest.CaptureFixture[str], manner: Manner, *rows: StepRow, past: int = 0) -> list[str]:
    """The lines of a play."""
    transcript = Transcript(manner, lambda *_: ["It is over.", "  sandbox worlds show 7"])
    transcript.started("e1", replace(START, continued_from="e0" if past else None), past)
    for row in (OPENING, *rows):
        transcript.stepped(row)
    transcript.ended(END)
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def test_a_short_play_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command and every reply, in order, as in a transcript."""
    lines = shown(capsys, Manner(), step(1, "You have the key."), step(2, "Open.\nSolved."))
    assert lines == [
        "Kitchen.", "Open the door.", "",
        "> command 1", "You have the key.", "> command 2", "Open.", "Solved.", "",
        "It is over.", "  sandbox worlds show 7",
    ]  # fmt: skip


@pytest.mark.parametrize("count", [18, 24, 30, 200, 5000])
@pytest.mark.parametrize("reply", ["Nothing.", "One.\nTwo.\nThree.", "wide " * 60])
def test_a_long_play_takes_sixty_lines(capsys: pytest.CaptureFixture[str], count: int, reply: str) -> None:
    """Of a long play the beginning and the end are shown, and what lies between is counted exactly."""
    rows = [step(n, reply, cause="out_of_reach" if n % 3 == 0 else None) for n in range(1, count + 1)]
    lines = shown(capsys, Manner(), *rows)
    assert sum(max(1, -(-len(line) // 100)) for line in lines) <= 60
    assert "> command 1" in lines
    assert f"> command {count}" in lines
    seen = [int(line.split()[-1]) for line in lines if line.startswith("> command")]
    cut = [line for line in lines if line.startswith("…")]
    missing = sorted(set(range(1, count + 1)) - set(seen))
    if not missing:
        assert cut == []
        return
    refused = sum(n % 3 == 0 for n in missing)
    accepted = len(missing) - refused
    assert missing == list(range(missing[0], missing[-1] + 1))
    assert cut == [f"… commands {missing[0]} to {missing[-1]} are not shown: {accepted} accepted, {refused} refused"]


def test_a_long_reply_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a reply that fills a page the beginning is shown, so that it does not push the play out of sight."""
    lines = shown(capsys, Manner(), step(1, "word " * 1000), step(2, "\n".join("abcdefghij")), step(3))
    assert "word word" in lines[4]
    assert lines[4].endswith("…")
    assert len(lines[4]) < 600
    assert lines[5:13] == ["> command 2", *"abcdef", "…"]
    assert "> command 3" in lines


@pytest.mark.parametrize("manner", [Manner(verbose=True), Manner(delay=1e-9), Manner(person=True)])
def test_whoever_looks_closely_sees_everything(capsys: pytest.CaptureFixture[str], manner: Manner) -> None:
    """With --verbose, with --delay, and for a person who plays, nothing is cut."""
    lines = shown(capsys, manner, *[step(n, f"reply {n}") for n in range(1, 301)])
    assert [line for line in lines if line.startswith("reply")] == [f"reply {n}" for n in range(1, 301)]


def test_a_person_typed_the_commands_already(capsys: pytest.CaptureFixture[str]) -> None:
    """What a person types stands on their screen: it is not printed a second time."""
    lines = shown(capsys, Manner(person=True), step(1, "You have the key."))
    assert "You have the key." in lines
    assert "> command 1" not in lines


def test_quiet_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """With --quiet only the end is told."""
    assert shown(capsys, Manner(quiet=True), step(1)) == ["It is over."]


def test_a_past_is_not_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a continued episode the last reply is shown, and where it came from."""
    lines = shown(capsys, Manner(), *[step(n, f"reply {n}") for n in range(1, 6)], past=4)
    assert lines[:5] == ["Going on after 4 commands of episode e0.", "> command 4", "reply 4", "> command 5", "reply 5"]


def test_nothing_is_interpreted(capsys: pytest.CaptureFixture[str]) -> None:
    """Markup stays markup, control characters are made visible, and a command is one line of bounded length."""
    text = "[bold]x[/bold] `y` <b>z</b> \x1b[31mred\x07 \u202eback"
    lines = shown(capsys, Manner(), step(1, text, command="a\nb\r\x00"), step(2, "ok", command="x" * 5000))
    assert r"[bold]x[/bold] `y` <b>z</b> \x1b[31mred\x07 \u202eback" in lines
    assert r"> a\nb\r\x00" in lines
    assert f"> {'x' * 200}… (5000 characters)" in lines


@pytest.mark.parametrize(
    ("end", "start", "said"),
    [
        (END, START, "Solved in 22 commands; 11 are enough. Score 0.50."),
        (END, replace(START, tier="witness"), "Solved in 22 commands; 11 are known to be enough. Score 0.50."),
        (replace(END, steps=1), replace(START, optimum=1), "Solved in 1 command; 1 is enough. Score 0.50."),
        (replace(END, score=None, assisted=True), START,
         "Solved in 22 commands; 11 are enough. No score: the play was assisted."),
        (EpisodeEnd("step_limit", solved=False, score=0.0, steps=150, progress=1 / 3), START,
         "Not solved: the limit was reached after 150 commands. Score 0.00, goal reached to 33%."),
        (EpisodeEnd("cancelled", solved=False, score=0.0, steps=3, progress=0.0), START,
         "Left after 3 commands. Score 0.00, goal reached to 0%."),
        (EpisodeEnd("agent_error", solved=False, score=None, steps=0, progress=0.0), START,
         "The agent failed after 0 commands. No score, goal reached to 0%."),
    ],
)  # fmt: skip
def test_the_result_is_a_sentence(end: EpisodeEnd, start: EpisodeStart, said: str) -> None:
    """How it ended, in how many commands, how many are enough, and the score."""
    assert result(start, end) == said


def telling(n: int, *entries: dict[str, object], text: str = "Nothing.", done: bool = False) -> StepRow:
    """A step of an agent that tells what it thinks."""
    return replace(step(n, text), beliefs=entries, done=done)


def belief(says: str) -> dict[str, object]:
    """Something concluded."""
    return {"belief": "operator", "key": says, "says": says}


def test_what_an_agent_tells_makes_a_story(capsys: pytest.CaptureFixture[str]) -> None:
    """Pursuits without a conclusion share a line; a conclusion stands under it, at the command that showed it."""
    lines = shown(
        capsys, Manner(),
        telling(1, {"phase": "looking around"}),
        telling(2, belief("doors open"), {"evidence": "operator", "key": "x", "step": 1}),
        telling(3, {"phase": "trying keys"}),
        telling(4, {"phase": "trying doors"}, {"belief": "thing", "key": "k", "says": "a key", "minor": True}),
        telling(5, {"event": "surprise", "says": "it broke"}, {**belief("doors open"), "says": "doors open at times"}),
        telling(6, {"phase": "trying keys"}, text="Solved.\nWell done.", done=True),
    )  # fmt: skip
    assert lines == [
        "Kitchen.", "Open the door.", "",
        "    1  looking around",
        "    1    doors open",
        "    3  trying keys, trying doors",
        "    4    it broke",
        "", *(f"> command {n}   Nothing." for n in range(1, 6)), "> command 6   Solved.", "",
        "It is over.", "  sandbox worlds show 7",
    ]  # fmt: skip


@pytest.mark.parametrize("count", [10, 60, 3000])
@pytest.mark.parametrize("every", [1, 3, 50])
def test_a_long_story_takes_sixty_lines(capsys: pytest.CaptureFixture[str], count: int, every: int) -> None:
    """Of a long story the beginning and the end are told; the conclusions left out are counted exactly."""
    rows = [
        telling(n, {"phase": f"pursuit {n % 5}"}, *([belief(f"conclusion {n}")] if n % every == 0 else []), text="x " * 90)
        for n in range(1, count + 1)
    ]  # fmt: skip
    lines = shown(capsys, Manner(), *rows)
    assert sum(max(1, -(-len(line) // 100)) for line in lines) <= 60
    told = [line for line in lines if "    conclusion" in line]
    left = sum(int(line.split()[1]) for line in lines if "more conclusions" in line)
    assert len(told) + left == count // every
    assert sum(line.startswith("> ") for line in lines) >= min(6, count)
    assert f"> command {count}   x" in lines[-4]


def test_who_looks_closely_sees_what_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """With --verbose every step is shown, with what the agent told before it."""
    lines = shown(capsys, Manner(verbose=True), telling(1, {"phase": "looking"}, belief("doors open")))
    assert lines[3:6] == ["· looking", "· doors open", "> command 1"]


def test_the_skills_that_were_used_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A skill is told when it begins, and at the end how many commands came from which, the most used first."""
    used = [("fetch",), ("fetch",), None, ("open", "fetch"), ("open",), ("open",)]
    rows = [replace(telling(n, {"phase": "going"}), skills_used=names) for n, names in enumerate(used, 1)]
    lines = shown(capsys, Manner(), *rows)
    assert [line.split() for line in lines if "uses skill" in line] == [
        ["1", "uses", "skill", "fetch"], ["4", "uses", "skill", "open"]
    ]  # fmt: skip
    assert "5 of 6 commands came from skills: open, fetch" in lines
