"""A program that plays: whatever it does, the runner is not held up, flooded or left with a child."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from sandbox.agent.program import LINE_LIMIT, Program
from sandbox.errors import AgentError, UsageError

TURN = {"goal": "g", "observation": "o", "reward": 0.0, "done": False}
READS = "import json, os, sys, time\nfor line in sys.stdin:\n    seen = json.loads(line)\n"

Start = Callable[..., Program]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a Python program from its text; all are finished at the end of the test."""
    programs: list[Program] = []

    def run(source: str, timeout: float = 20.0) -> Program:
        path = tmp_path / f"player{len(programs)}.py"
        path.write_text(source, "utf-8")
        program = Program([sys.executable, str(path)], timeout)
        program.start()
        programs.append(program)
        return program

    yield run
    for program in programs:
        program.finish(TURN)


def failure(program: Program, turns: int = 1) -> str:
    """What is said of a program that fails within so many turns."""
    with pytest.raises(AgentError) as caught:
        _ask(program, turns)
    assert caught.value.hint
    return caught.value.message


def _ask(program: Program, turns: int) -> None:
    for _ in range(turns):
        program.ask(TURN)


def wait_until_gone(pid: int) -> None:
    """Wait until no process has this number, or fail."""
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}/stat").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text():
        assert time.monotonic() < deadline, f"process {pid} lives on"
        time.sleep(0.02)


def test_a_line_goes_in_and_a_command_comes_back(start: Start) -> None:
    """Every turn is one line of JSON; the answer's raw line and its command are handed back."""
    program = start(READS + "    print(json.dumps({'command': seen['observation'] + '!', 'why': 'x'}))")
    assert program.ask(TURN | {"observation": "é \u2028"}) == (
        '{"command": "\\u00e9 \\u2028!", "why": "x"}',
        "é \u2028!",
    )
    assert program.ask(TURN)[1] == "o!"


def test_a_program_need_not_flush(start: Start) -> None:
    """A Python program that prints without flushing is not a program that hangs."""
    assert start(READS + '    print(\'{"command": "look"}\')').ask(TURN)[1] == "look"


def test_blank_lines_are_no_answers(start: Start) -> None:
    """Empty lines before and after an answer are skipped."""
    program = start(READS + '    print(\'\\n\\r\\n{"command": "look"}\\n\')')
    assert [program.ask(TURN)[1] for _ in range(3)] == ["look"] * 3


def test_any_text_is_a_command(start: Start) -> None:
    """Empty commands, a megabyte, several lines, NUL and halves of surrogates arrive as they are."""
    program = start(READS + "    print(json.dumps({'command': eval(seen['observation'])}))")
    for text in ("''", "'x' * 1_000_000", r"'a\nb\r\x00\x1b[31m'", r"'\ud800'"):
        assert program.ask(TURN | {"observation": text})[1] == eval(text)


def test_a_large_observation_meets_a_slow_reader(start: Start) -> None:
    """A line larger than a pipe holds is written while the program is busy; nobody waits for the other for ever."""
    program = start(
        'import sys, time\ntime.sleep(0.3)\nn = len(sys.stdin.readline())\nprint(\'{"command": "%d"}\' % n)'
    )
    assert int(program.ask(TURN | {"observation": "x" * 1_000_000})[1]) > 1_000_000


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    print('go north')", "expected a line of JSON with a command, found b'go north'"),
        ("    print('[1]')", "expected a line of JSON with a command"),
        ("    print('{\"command\": 7}')", "expected a line of JSON with a command"),
        ("    print('{}')", "expected a line of JSON with a command"),
        ("    print('[' * 100_000)", "expected a line of JSON with a command"),
        ("    sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "found b'\\xff\\xfe'"),
        ('    print(\'{"command": "a"}\\n{"command": "b"}\')', "wrote more than one line for a turn"),
        ("    sys.exit(3)", "ended with exit code 3 before it answered"),
        ("    raise ValueError('no idea')", "it said: Traceback"),
        ("    os.kill(os.getpid(), 9)", "was killed by signal 9 before it answered"),
        ("    sys.stdout.close(); os.close(1); time.sleep(30)", "closed its output before it answered"),
        ("    print('{\"command\": \"cut off', end=''); sys.exit(0)", "ended with exit code 0"),
    ],
)
def test_nonsense_and_death_are_told(start: Start, body: str, said: str) -> None:
    """An answer that is no command, and an end before the answer, are errors that say what came."""
    assert said in failure(start(READS + body))


def test_a_program_that_ends_at_once_is_told(start: Start) -> None:
    """A program that never reads, and is gone before the first line is written, is a death like any other."""
    program = start("import sys\nsys.exit('cannot start')")
    time.sleep(0.2)
    assert "ended with exit code 1" in failure(program)


def test_an_answer_before_its_turn_is_refused(start: Start) -> None:
    """A program that runs ahead of the game is out of step: what it wrote unasked is no answer."""
    program = start(READS + '    print(\'{"command": "look"}\'); time.sleep(0.1); print(\'{"command": "again"}\')')
    assert program.ask(TURN)[1] == "look"
    time.sleep(0.3)
    assert "more than one line" in failure(program)


def test_silence_ends_in_time(start: Start) -> None:
    """A program that hangs is given up after the time allowed, and not before."""
    program = start("import time\ntime.sleep(60)", timeout=0.5)
    began = time.monotonic()
    assert "gave no answer within 0.5 s" in failure(program)
    assert 0.4 < time.monotonic() - began < 5


@pytest.mark.parametrize(
    "flood",
    [
        "sys.stdout.write('x' * 65536)",
        "sys.stdout.write('\\n' * 65536)",
        "sys.stderr.write('x' * 65536)",
        'sys.stdout.write(\'{"command": "look"}\\n\' * 4096)',
    ],
)
def test_floods_are_bounded(start: Start, flood: str) -> None:
    """A program that writes without end, on either stream, is an error soon, and little of it is kept."""
    program = start(f"import sys\nwhile True:\n    {flood}", timeout=1.5)
    assert failure(program, turns=3)
    assert len(program._received) <= LINE_LIMIT + (1 << 17)
    assert len(program._notes) <= 4000


def test_what_a_program_says_beside_does_not_hold_it_up(start: Start) -> None:
    """Standard error is read all the time, more of it than a pipe holds included."""
    program = start(READS + "    sys.stderr.write('n' * 1_000_000); print('{\"command\": \"look\"}')")
    assert [program.ask(TURN)[1] for _ in range(3)] == ["look"] * 3


def test_the_last_line_is_shown(start: Start, tmp_path: Path) -> None:
    """At the end the program sees the last turn, then the end of its input, and may finish what it does."""
    seen = tmp_path / "seen"
    program = start(READS + f"    open({str(seen)!r}, 'a').write(line)\n    print('{{\"command\": \"a\"}}')")
    program.ask(TURN)
    program.finish(TURN | {"done": True})
    assert [line.count('"done": true') for line in seen.read_text().splitlines()] == [0, 1]


def test_no_process_is_left(start: Start) -> None:
    """A program that ignores every signal it can, and one that it started, are gone after the end."""
    source = """\
        import os, signal, subprocess, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        sys.stdin.readline()
        print('{"command": "%d %d"}' % (os.getpid(), child.pid))
        time.sleep(60)
    """
    program = start(dedent(source))
    pids = [int(pid) for pid in program.ask(TURN)[1].split()]
    program.finish(TURN)
    for pid in pids:
        wait_until_gone(pid)


def test_finishing_twice_or_unstarted_is_nothing(start: Start) -> None:
    """The end may be called in any state."""
    program = start(READS)
    program.finish(TURN)
    program.finish(TURN)
    Program([sys.executable]).finish(TURN)


def test_our_settings_are_not_handed_down(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is not told where the log with the evaluator's facts lies."""
    monkeypatch.setenv("SANDBOX_DB", "/somewhere/sandbox.db")
    program = start(
        READS + "    print(json.dumps({'command': ' '.join(k for k in os.environ if k.startswith('SANDBOX'))}))"
    )
    assert program.ask(TURN)[1] == ""


def test_what_cannot_be_run_is_a_usage_error(tmp_path: Path) -> None:
    """A program that does not exist, or may not be executed, is told before anything is played."""
    (tmp_path / "plain").write_text("hello")
    for words in ([], ["/no/such/program"], [str(tmp_path / "plain")], [""]):
        with pytest.raises(UsageError, match="no such program"):
            Program(words)


def test_what_is_no_program_fails_as_an_agent(tmp_path: Path) -> None:
    """An executable file that the system cannot start fails when the episode begins."""
    path = tmp_path / "garbage"
    path.write_bytes(b"\x00\x01\x02")
    path.chmod(0o755)
    with pytest.raises(AgentError, match="did not start"):
        Program([str(path)]).start()


def test_descriptors_are_given_back(start: Start) -> None:
    """Twenty programs leave no pipe open."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        program = start(READS)
        program.finish(TURN)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
