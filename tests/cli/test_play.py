"""`sandbox play`: what it prints where, what it records, and its exit codes."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.certify import build
from sandbox.cli.main import main
from sandbox.log.reader import Log
from sandbox.world.engine import Engine

Command = Callable[..., "subprocess.CompletedProcess[str]"]
PLAY = [sys.executable, "-m", "sandbox", "play"]
ECHO = 'import sys\nfor line in sys.stdin: print(\'{"command": "look"}\', flush=True)'
HANG = 'import sys, time\nsys.stdin.readline()\nprint(\'{"command": "look"}\', flush=True)\ntime.sleep(60)'

START = {"event", "episode", "world", "digest", "agent", "access"}
STEP = {"event", "n", "command", "cause", "observation", "reward", "done"}
END = {"event", "outcome", "solved", "score", "steps", "progress"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def program(tmp_path: Path, source: str) -> str:
    """An `--agent` that runs a Python program."""
    path = tmp_path / "player.py"
    path.write_text(source, "utf-8")
    return f"exec:{sys.executable} {path}"


def events(text: str) -> list[dict[str, Any]]:
    """JSON lines, all of them."""
    return [json.loads(line) for line in text.splitlines()]


def newest(path: Path = Path("sandbox.db")) -> Any:
    """The newest recorded episode."""
    with Log.open(path) as log:
        return log.episodes()[0]


# --- what people see ---


def test_the_explorer_plays_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    """Without --agent the explorer plays: what it starts with, what it was about and concluded, and how it ended."""
    assert main(["play", "--world", "tiny/9", "--agent-seed", "1"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "explorer plays world tiny/9 (agent seed 1)."
    assert lines[1] == "To play it yourself: sandbox play --world tiny/9 --agent human"
    assert lines[2] == "explorer starts from nothing."
    assert "    1  finding out how to speak" in lines
    assert any("moves me there" in line for line in lines)
    assert re.search(r"^Solved in \d+ commands; \d+ are enough\. Score 0\.\d\d\.$", out, re.MULTILINE)
    assert any(line.startswith(f"Episode {newest().id}, saved in sandbox.db.") for line in lines)
    assert [line.split()[:2] for line in lines[-3:]] == [["sandbox", "play"], ["sandbox", "episodes"], ["sandbox", "worlds"]]
    assert err == "Plays are recorded in sandbox.db, a new file.\n"
    assert newest().agent == "explorer"


def test_the_oracle_plays_the_proof(capsys: pytest.CaptureFixture[str]) -> None:
    """The oracle solves by the plan of the certificate, shown command by command."""
    assert main(["play", "--world", "tiny/quokka", "--agent", "oracle"]) == 0
    lines = capsys.readouterr().out.splitlines()
    proof = build("tiny/quokka").certificate
    assert [line for line in lines if line.startswith("> ")] == [f"> {command}" for command in proof.plan]
    assert f"Solved in {proof.steps} commands; {proof.steps} are enough. Score 1.00." in lines


def test_the_first_screen_is_the_worlds(capsys: pytest.CaptureFixture[str]) -> None:
    """Premise, goal and first room stand before the first command, exactly as recorded."""
    main(["play", "--agent", "oracle", "--world", "tiny/quokka"])
    out = capsys.readouterr().out
    with Log.open(Path("sandbox.db")) as log:
        opening = next(log.steps(newest().id)).observation
    assert opening in out
    assert out.index(opening) < out.index("\n> ")


@pytest.mark.parametrize("world", ["seed", "7", "small/7"])
def test_a_play_fits_on_a_screen_and_a_half(capsys: pytest.CaptureFixture[str], world: str) -> None:
    """A play takes about sixty lines, whoever plays and however many commands it takes."""
    mine = [["--max-steps", "150"], ["--agent", "random", "--agent-seed", "1"], ["--agent", "oracle"]]
    for more in mine:
        assert main(["play", "--world", world, *more]) == 0
        assert sum(max(1, -(-len(line) // 100)) for line in capsys.readouterr().out.splitlines()) <= 64


def test_the_commands_to_copy_work(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What is offered at the end runs as it stands, from here, for any database and reference."""
    other = tmp_path / "other plays.db"
    for extra in ([], ["--db", str(other)]):
        for world in ("tiny/-1", "tiny/it's 7"):
            assert main(["play", "--world", world, "--max-steps", "9", *extra]) == 0
            offered = [line.strip() for line in capsys.readouterr().out.splitlines()[-3:]]
            assert main([*shlex.split(offered[1])[1:]]) == 0
            assert shlex.split(offered[0])[-3:] == [world, "--agent", "human"]
            capsys.readouterr()


def test_what_was_learned_carries_over(capsys: pytest.CaptureFixture[str]) -> None:
    """The explorer starts from nothing, then from what it noted; a second play of the same world is shorter."""
    commands = []
    for said in ("starts from nothing", r"knows \d+ skills and \d+ notes from 1 episode"):
        assert main(["play", "--world", "tiny/9", "--agent", "explorer", "--agent-seed", "1"]) == 0
        first, second, *_ = capsys.readouterr().out.splitlines()
        assert first.startswith("explorer plays world tiny/9")
        assert re.fullmatch(rf"explorer {said}\.", second)
        commands.append(newest().commands)
    assert commands[1] < commands[0]
    assert main(["play", "--world", "tiny/9", "--agent", "explorer", "--agent-seed", "1", "--library", "none"]) == 0
    assert (newest().library, newest().commands) == (None, commands[0])
    assert "starts from" not in capsys.readouterr().out
    assert main(["play", "--world", "tiny/9", "--agent", "explorer", "--quiet"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_quiet_says_how_it_ended(capsys: pytest.CaptureFixture[str]) -> None:
    """--quiet is one line; the play is recorded all the same."""
    assert main(["play", "--agent", "oracle", "--world", "tiny/quokka", "--quiet"]) == 0
    assert re.fullmatch(r"Solved in \d+ commands; \d+ are enough\. Score 1\.00\.\n", capsys.readouterr().out)
    assert newest().outcome == "solved"


def test_verbose_shows_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    """--verbose shows as many commands as were played."""
    assert main(["play", "--world", "tiny/quokka", "--agent", "random", "--verbose", "--agent-seed", "5"]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("> ")]
    assert len(shown) == newest().commands > 20


def test_delay_waits_before_each_command() -> None:
    """--delay S waits S seconds before each command."""
    began = time.monotonic()
    assert main(["play", "--agent", "oracle", "--world", "tiny/quokka", "--delay", "0.02"]) == 0
    assert time.monotonic() - began >= 0.02 * newest().commands


def test_an_unnamed_world_is_drawn_told_and_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    """Without --world a fresh seed is drawn each time; it is printed, and it is the recorded reference."""
    refs = set()
    for _ in range(2):
        assert main(["play", "--agent", "oracle"]) == 0
        seed = re.search(r"seed (\d+) was drawn", capsys.readouterr().out)
        assert seed
        assert newest().ref == seed[1]
        refs.add(seed[1])
    assert len(refs) == 2


@pytest.mark.parametrize("seed", ["0", "-1", "07", "Größe", "שלום", "a b", "9223372036854775808"])
def test_any_text_is_a_seed(capsys: pytest.CaptureFixture[str], seed: str) -> None:
    """Zero, negative and large numbers, and words of any script, are seeds of worlds of their own."""
    assert main(["play", "--agent", "oracle", "--world", f"tiny/{seed}", "--quiet"]) == 0
    capsys.readouterr()
    assert newest().ref == f"tiny/{seed}"


# --- JSON ---


@pytest.mark.parametrize("agent", ["oracle", "random"])
def test_json_lines_have_their_fields(capsys: pytest.CaptureFixture[str], agent: str) -> None:
    """start, then step 0 without a command, then a line a step, then end; the fields are those that were promised."""
    assert main(["play", "--world", "tiny/quokka", "--agent", agent, "--json"]) == 0
    start, *steps, end = events(capsys.readouterr().out)
    assert start.keys() >= START
    assert (start["event"], start["world"], start["agent"]) == ("start", "tiny/quokka", agent)
    assert start["digest"] == build("tiny/quokka").world.digest
    assert start["access"] == {"oracle": 4, "random": 2}[agent]
    assert all(step.keys() >= STEP and step["event"] == "step" for step in steps)
    assert [step["n"] for step in steps] == list(range(len(steps)))
    assert (steps[0]["command"], steps[0]["cause"]) == (None, None)
    assert all(isinstance(step["command"], str) for step in steps[1:])
    assert end.keys() >= END
    assert (end["event"], end["steps"]) == ("end", len(steps) - 1)
    episode = newest()
    assert (start["episode"], end["outcome"]) == (episode.id, episode.outcome)


def test_json_agrees_with_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    """What was announced is what `episodes show --json` tells of it afterwards."""
    assert main(["play", "--world", "tiny/quokka", "--agent", "random", "--max-steps", "20", "--json"]) == 0
    announced = events(capsys.readouterr().out)
    assert main(["episodes", "show", announced[0]["episode"], "--json"]) == 0
    told = events(capsys.readouterr().out)
    for line, later in zip(announced, told, strict=True):
        common = line.keys() & later.keys()
        assert common >= {"start": {"episode"}, "step": STEP, "end": END}[line["event"]]
        assert {key: line[key] for key in common} == {key: later[key] for key in common}


def test_a_person_reading_a_pipe_gets_json_too(command: Command) -> None:
    """With --json standard output holds JSON lines only; prompts and texts go to standard error."""
    first = build("tiny/quokka").certificate.plan[0]
    argv = ("play", "--world", "tiny/quokka", "--agent", "human", "--json")
    done = command(*argv, stdin=f"{first}\n:goal\nxyzzy 12\n")
    assert done.returncode == 0
    _, *steps, end = events(done.stdout)
    assert [step["command"] for step in steps] == [None, first, "xyzzy 12"]
    assert [bool(step["cause"]) for step in steps] == [False, False, True]
    assert (end["outcome"], end["solved"], end["steps"]) == ("cancelled", False, 2)
    assert done.stderr.count("> ") == 4
    assert Engine(build("tiny/quokka").world).goal_text in done.stderr


# --- a person ---


def test_a_person_plays_through_a_pipe(command: Command) -> None:
    """Lines in, replies out; solving with the commands of the plan scores 1."""
    plan = build("tiny/quokka").certificate.plan
    done = command("play", "--world", "tiny/quokka", "--agent", "human", stdin="\n".join(plan))
    assert done.returncode == 0
    assert "Score 1.00." in done.stdout
    assert "> " not in done.stdout
    assert all(f"> {line}" in done.stderr for line in plan)


def test_leaving_is_no_failure(command: Command, tmp_path: Path) -> None:
    """`:quit` and the end of the input end the episode as cancelled, exit 0, and offer to continue it."""
    for stdin in ("look\n:quit\nlook\n", "look\n", "look"):
        done = command("play", "--world", "tiny/quokka", "--agent", "human", stdin=stdin)
        assert done.returncode == 0
        episode = newest(tmp_path / "sandbox.db")
        assert (episode.outcome, episode.commands) == ("cancelled", 1)
        assert f"sandbox play --continue {episode.id}" in done.stdout


def test_hostile_lines_are_commands(command: Command, tmp_path: Path) -> None:
    """Empty lines, NUL, escapes, other scripts and unusual line ends are commands, shown harmlessly, kept as typed."""
    typed = ["", "\x00", "\x1b[2Jred", "a\u2028b\x85c", "שלום", "🗝️", "x" * 1_000_000]
    done = command("play", "--world", "tiny/quokka", "--agent", "human", stdin="\n".join([*typed, ":quit", ""]))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    with Log.open(tmp_path / "sandbox.db") as log:
        assert [row.executed for row in log.steps(log.episodes()[0].id)] == [None, *typed]


def test_on_a_terminal_a_person_is_prompted(tmp_path: Path) -> None:
    """On a terminal the prompt is shown, Ctrl-D leaves, and the exit code is 0."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*PLAY, "--world", "tiny/quokka", "--agent", "human"],
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown = _until(ours, b"> ")
    os.write(ours, b"look\n")
    shown += _until(ours, b"> ")
    os.write(ours, b"\x04")
    shown += _rest(ours)
    assert child.wait(20) == 0
    assert b"Left after 1 command." in shown


def _until(terminal: int, mark: bytes) -> bytes:
    shown, deadline = b"", time.monotonic() + 20
    while not shown.endswith(mark):
        assert time.monotonic() < deadline, shown
        shown += os.read(terminal, 1)
    return shown


def _rest(terminal: int) -> bytes:
    shown = b""
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            data = b""
        if not data:
            os.close(terminal)
            return shown
        shown += data


# --- programs ---


def test_a_program_plays_at_its_level(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The program sees goal, observation, reward and end; help and vocabulary once at L1, admissible always at L2."""
    record = (
        "import json, sys\n"
        f"seen = open({str(tmp_path / 'seen')!r}, 'w')\n"
        "for line in sys.stdin:\n"
        "    print(line, end='', file=seen, flush=True)\n"
        '    print(\'{"command": "look"}\', flush=True)\n'
    )
    usual = {"goal", "observation", "reward", "done"}
    first_more: list[set[str]] = [set(), {"help", "vocabulary"}, {"help", "vocabulary", "admissible"}]
    for level, more in enumerate(first_more):
        argv = ["play", "--world", "tiny/quokka", "--agent", program(tmp_path, record), "--max-steps", "3"]
        assert main([*argv, "--access", str(level), "--json"]) == 0
        start, *steps, end = events(capsys.readouterr().out)
        assert (start["access"], end["outcome"], end["steps"]) == (level, "step_limit", 3)
        seen = events((tmp_path / "seen").read_text("utf-8"))
        assert [line.keys() for line in seen] == [usual | more] + [usual | (more - {"help", "vocabulary"})] * 3
        assert [line["observation"] for line in seen] == [step["observation"] for step in steps]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("input(); print('hello', flush=True); input()", "expected a line of JSON with a command"),
        ("import sys; sys.exit(7)", "exit code 7"),
        ("while True: print('x' * 100000, end='')", "flooded its output"),
    ],
)
def test_a_failing_program_is_exit_3(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, source: str, said: str
) -> None:
    """Nonsense, death and floods end the episode as agent_error: recorded, without a score, exit 3 and a reason."""
    assert main(["play", "--world", "tiny/quokka", "--agent", program(tmp_path, source), "--json"]) == 3
    out, err = capsys.readouterr()
    end = events(out)[-1]
    assert (end["event"], end["outcome"], end["score"], end["solved"]) == ("end", "agent_error", None, False)
    assert said in err
    assert said in newest().end.error


# --- interruptions ---


@pytest.mark.parametrize("json_lines", [True, False])
def test_ctrl_c_is_130_with_a_complete_log(tmp_path: Path, json_lines: bool) -> None:
    """Ctrl-C while a program thinks: the episode is cancelled, everything that was shown is recorded, exit 130."""
    argv = [*PLAY, "--world", "tiny/quokka", "--agent", program(tmp_path, HANG), *["--json"] * json_lines]
    child = subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout
    mark = '"n":1,' if json_lines else "> look"
    out = ""
    while mark not in out:
        out += child.stdout.readline()
    child.send_signal(signal.SIGINT)
    rest, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "Traceback" not in err
    episode = newest(tmp_path / "sandbox.db")
    assert (episode.outcome, episode.commands) == ("cancelled", 1)
    if json_lines:
        assert events(out + rest)[-1]["outcome"] == "cancelled"


def test_kill_loses_nothing_announced(tmp_path: Path) -> None:
    """After kill -9 every announced step is in the log, and the episode can be continued to its end."""
    argv = [*PLAY, "--world", "tiny/quokka", "--agent", program(tmp_path, ECHO), "--access", "1", "--json"]
    child = subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert child.stdout
    announced = [json.loads(child.stdout.readline()) for _ in range(12)]
    child.kill()
    child.wait()
    child.stdout.close()
    episode = newest(tmp_path / "sandbox.db")
    assert episode.end is None
    assert episode.commands >= announced[-1]["n"]
    assert main(["play", "--continue", episode.id, "--agent", "oracle", "--quiet"]) == 0
    assert newest().outcome == "solved"
    assert newest().continued_from == episode.id


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    """When the reader goes away the play stops, is recorded as cancelled, and nothing is complained about."""
    argv = [*PLAY, "--world", "tiny/quokka", "--agent", program(tmp_path, ECHO), "--json"]
    child = subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout
    assert child.stderr
    child.stdout.readline()
    child.stdout.close()
    assert child.wait(20) == 0
    assert "rror" not in child.stderr.read()
    child.stderr.close()
    assert newest(tmp_path / "sandbox.db").outcome == "cancelled"


# --- going on ---


def test_going_on_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """--continue says after how many commands of which episode it goes on; with --json the past comes as steps."""
    assert main(["play", "--world", "tiny/quokka", "--agent", "random", "--max-steps", "4"]) == 0
    first = newest()
    assert main(["play", "--continue", first.id, "--agent", "oracle"]) == 0
    assert f"Going on after 4 commands of episode {first.id}." in capsys.readouterr().out
    assert main(["play", "--continue", first.id, "--agent", "oracle", "--json"]) == 0
    start, *steps, end = events(capsys.readouterr().out)
    assert (start["continued_from"], start["past"], start["world"]) == (first.id, 4, "tiny/quokka")
    assert [step["n"] for step in steps] == list(range(end["steps"] + 1))
    assert end["outcome"] == "solved"


def test_a_person_who_goes_on_is_told_what_it_is_about(command: Command) -> None:
    """Going on by hand shows the last step, the goal and the command for looking; none of that is a step."""
    assert main(["play", "--world", "tiny/quokka", "--agent", "random", "--max-steps", "4"]) == 0
    first = newest()
    said = command("play", "--continue", first.id, "--agent", "human", stdin="").stdout
    assert first.goal in said
    assert "To see where you are, say: " in said
    assert newest().commands == 4


# --- bad input ---


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--world", "tiny/7", "--agent", "rndom"], "did you mean 'random'?"),
        (["--world", "tiny/7", "--agent", "random:x=1"], "unknown option"),
        (["--world", "tiny/7", "--agent", "exec:/no/such/thing"], "no such program"),
        (["--world", "tiny/7", "--agent", "exec:"], "exec:COMMAND"),
        (["--world", "tiny/7", "--agent", "random", "--access", "1"], "needs access level 2"),
        (["--world", "tiny/7", "--access", "7"], "no access level"),
        (["--world", "tiny/7", "--max-steps", "0"], "0 is not in the range"),
        (["--world", "tiny/7", "--max-steps", "many"], "not a valid integer"),
        (["--world", "tiny/7", "--agent-seed", "x"], "not a valid integer"),
        (["--world", "tiny/7", "--delay", "-1"], "not in the range"),
        (["--world", "tiny/7", "--delay", "nan"], "nan"),
        (["--world", ""], ""),
        (["--world", "tinny/7"], "did you mean"),
        (["--world", "tiny/7~"], ""),
        (["--world", "tiny/7", "--quiet", "--verbose"], "exclude each other"),
        (["--world", "tiny/7", "--verbose", "--delay", "1"], "exclude each other"),
        (["--world", "tiny/7", "--continue", "x"], "leave --world out"),
        (["--continue", "nothing"], "no episode database"),
        (["--wrld", "tiny/7"], "did you mean --world?"),
        (["tiny/7"], "unexpected extra argument"),
        (["--world", "tiny/7", "--db", "no/such/folder/x.db"], "does not exist"),
        (["--world", "tiny/7", "--content", "no/such/folder"], "does not exist"),
        (["--world", "tiny/7", "--model", "mock/echo"], "uses no model"),
        (["--world", "tiny/7", "--agent", "react"], "none was named"),
        (["--world", "tiny/7", "--agent", "react", "--model", "odd"], "names no model"),
        (["--world", "tiny/7", "--agent", "react", "--model", "mistral/x"], "MISTRAL_API_KEY"),
        (["--world", "tiny/7", "--key", "k"], "belong to a model"),
        (["--world", "tiny/7", "--max-tokens", "9"], "limits on a model"),
        (["--world", "tiny/7", "--agent", "random", "--library", "mine"], "does not learn"),
    ],
)
def test_bad_input_is_exit_2(capsys: pytest.CaptureFixture[str], argv: list[str], said: str) -> None:
    """What cannot be understood or does not exist is exit 2, says what and what to type, and leaves no file."""
    assert main(["play", *argv]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert err.startswith("error: ")
    assert "Traceback" not in out + err
    assert not Path("sandbox.db").exists()


@pytest.mark.parametrize(
    "option", ["--then"]
)
def test_options_of_later_parts_do_not_exist(capsys: pytest.CaptureFixture[str], option: str) -> None:
    """An option of a part that is not built is refused, never accepted and ignored."""
    assert main(["play", "--world", "tiny/7", option, "1"]) == 2
    assert "no such option" in capsys.readouterr().err


def test_a_broken_agent_file_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A new agent file with a mistake is told with file and line; once mended it plays."""
    (tmp_path / "mine" / "agents").mkdir(parents=True)
    file = tmp_path / "mine" / "agents" / "waits.py"
    file.write_text("class Agent:\n    access = 1\n    def __init__(self, options) pass\n")
    argv = ["play", "--world", "tiny/7", "--content", "mine", "--agent", "waits", "--max-steps", "2", "--quiet"]
    assert main(argv) == 2
    assert "waits.py:3: expected ':'" in capsys.readouterr().err
    file.write_text(
        "class Agent:\n    access = 1\n    def __init__(self, options): pass\n    def begin(self, briefing): pass\n"
        "    def act(self, turn): return 'look'\n    def end(self, turn): pass\n"
    )
    assert main(argv) == 0
    assert newest().agent == "waits"


def test_the_agents_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """`sandbox agents` names every player with its level and its first line, as text and as JSON."""
    assert main(["agents"]) == 0
    text = capsys.readouterr().out
    assert main(["agents", "--json"]) == 0
    found = {line["name"]: line for line in events(capsys.readouterr().out)}
    assert {name: line["access"] for name, line in found.items()} == {
        "exec": 0, "explorer": 1, "human": 1, "oracle": 4, "random": 2, "react": 1, "reflexion": 1, "voyager": 1,
        "voyager-classic": 1, "zeroshot": 1,
    }  # fmt: skip
    assert all(line["about"] in text for line in found.values())


@pytest.mark.parametrize("words", [("--agent", "nobody"), ("--world", ""), ("--world", "tiny/"), ("--world", "7~")])
def test_what_cannot_be_played_is_not_announced(capsys: pytest.CaptureFixture[str], words: tuple[str, str]) -> None:
    """A player or a world that cannot be is refused before any line says that it plays, or which seed was drawn."""
    assert main(["play", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
