"""The shell around every command: finding it, the options it shares, and the exit code of whatever happens."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from sandbox import __version__
from sandbox.cli.context import Noun, Settings, command_options
from sandbox.cli.main import COMMANDS, Entry, app, main
from sandbox.errors import AgentError, CapReached, CheckFailed, SandboxError, UnknownName, UsageError

HEAVY = ("jinja2", "lark", "litellm", "numpy", "openai", "pydantic", "rich", "sqlite3", "sqlite_utils", "starlette")
Command = Callable[..., "subprocess.CompletedProcess[str]"]
Install = Callable[[click.Command], None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a command into the table of commands, under its own name."""

    def put(command: click.Command) -> None:
        monkeypatch.setitem(sys.modules, "a_new_command", SimpleNamespace(command=command))
        monkeypatch.setitem(COMMANDS, str(command.name), Entry("a_new_command:command", "A new command."))

    return put


@pytest.fixture
def raising(install: Install) -> Callable[[BaseException], int]:
    """Run a command that raises what it is given; the exit code."""

    def run(error: BaseException, *options: str) -> int:
        @click.command("probe")
        @command_options
        def probe(_: Settings) -> None:
            raise error

        install(probe)
        return main(["probe", *options])

    return run


# --- what is said without a command ---


def test_bare_command_introduces_itself(command: Command) -> None:
    """`sandbox` alone prints about twenty lines with four commands to copy, all of which exist."""
    shown = command()
    assert (shown.returncode, shown.stderr) == (0, "")
    assert len(shown.stdout.splitlines()) <= 22
    copied = re.findall(r"^  sandbox (\w+) .*?  ", shown.stdout.partition("Four commands to copy:")[2], re.MULTILINE)
    assert len(copied) >= 4
    assert set(copied) <= set(COMMANDS)


def test_help_lists_every_command_and_is_quick(command: Command) -> None:
    """`sandbox --help` names all commands and costs at most 0.2 s."""
    shown, costs = command("--help"), []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert re.findall(r"^  (\w+)  ", shown.stdout.partition("Commands:")[2], re.MULTILINE) == list(COMMANDS)
    assert min(costs) <= 0.2


def test_version(command: Command) -> None:
    """`sandbox --version` names the package's version and the generator's."""
    assert command("--version").stdout.startswith(f"sandbox {__version__} (generator ")


@pytest.mark.parametrize("args", [[], ["--help"], ["--version"], ["nonsense"]], ids=str)
def test_start_is_light(args: list[str]) -> None:
    """Importing the command line, and asking it for help, loads none of the heavy packages."""
    code = f"import sys, sandbox.cli, sandbox.cli.main as m; m.main({args!r}); sys.exit(' '.join(sorted(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr.split()
    assert "click" in loaded
    assert not set(loaded) & set(HEAVY)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_is_heavy_before_it_runs(name: str) -> None:
    """Importing a command's module loads no scientific stack, no server and no model provider."""
    code = f"import sys, {COMMANDS[name].target.partition(':')[0]}; sys.exit(' '.join(sorted(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr.split()
    assert "sandbox.cli" in loaded
    assert not set(loaded) & {"litellm", "numpy", "openai", "sqlite_utils", "starlette"}


# --- commands and the options that all of them share ---


def walk(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command and all commands below it, each with its path."""
    yield name, command
    if isinstance(command, click.Group):
        for below, child in command.commands.items():
            yield from walk(f"{name} {below}", child)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_loads_and_takes_the_common_options(name: str) -> None:
    """`--db`, `--content` and `--debug` are accepted by every command and by every command below one."""
    loaded = app.get_command(click.Context(app), name)
    assert loaded is not None
    for path, command in walk(name, loaded):
        options = {option for parameter in command.params for option in parameter.opts}
        assert options >= {"--db", "--content", "--debug"}, path
        assert command.help, path


@pytest.fixture
def seen(install: Install) -> list[Settings]:
    """The settings that `sandbox probe` and `sandbox noun [list|show]` were run with."""
    kept: list[Settings] = []

    @click.command("probe")
    @click.option("--world")
    @click.argument("refs", nargs=-1)
    @command_options
    def probe(settings: Settings, world: str | None, refs: tuple[str, ...]) -> None:
        kept.append(settings)
        click.echo(json.dumps([world, *refs]))

    install(probe)
    return kept


@pytest.mark.parametrize(
    ("args", "environment", "expected"),
    [
        ([], None, "sandbox.db"),
        ([], "", "sandbox.db"),
        ([], "env.db", "env.db"),
        (["--db", "outer.db", "probe"], "env.db", "outer.db"),
        (["probe", "--db", "inner.db"], "env.db", "inner.db"),
        (["--db", "outer.db", "probe", "--db", "inner.db"], None, "inner.db"),
    ],
)
def test_the_nearest_database_wins(
    seen: list[Settings], monkeypatch: pytest.MonkeyPatch, args: list[str], environment: str | None, expected: str
) -> None:
    """The command's --db comes before the group's, that before SANDBOX_DB, and ./sandbox.db is last."""
    if environment is not None:
        monkeypatch.setenv("SANDBOX_DB", environment)
    assert main(args or ["probe"]) == 0
    assert seen[0].db == Path(expected)


def test_content_is_the_current_folder_only_where_it_says_so(
    seen: list[Settings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with a sandbox.toml is the user's content; --content names another."""
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["probe"]) == 0
    (tmp_path / "sandbox.toml").touch()
    assert main(["probe"]) == 0
    assert main(["probe", "--content", str(other)]) == 0
    assert [settings.content for settings in seen] == [None, Path(), other]


@pytest.mark.parametrize("args", [["--debug", "probe", "--json"], ["probe", "--json", "--debug"]])
def test_flags_reach_the_command(seen: list[Settings], args: list[str]) -> None:
    """--debug and --json are seen by the command wherever they are accepted."""
    assert main(args) == 0
    assert (seen[0].debug, seen[0].json) == (True, True)


@pytest.mark.parametrize("seed", ["-1", "--", "-x", "--json", "0", "", "ключ", "种子"])
def test_a_seed_may_begin_with_a_dash(seen: list[Settings], seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Any seed is taken as an option's value, and as an argument behind `--`."""
    assert main(["probe", "--world", seed, "--", seed]) == 0
    assert json.loads(capsys.readouterr().out) == [seed, seed]
    assert not seen[0].json


@pytest.mark.parametrize(
    ("args", "problem", "hint"),
    [
        (["plya"], "no such command: sandbox plya", "did you mean play?"),
        (["qqqq"], "no such command: sandbox qqqq", "sandbox --help"),
        (["--bd", "x"], "no such option: --bd", "did you mean --db?"),
        (["probe", "--wrld", "7"], "no such option: --wrld", "did you mean --world?"),
        (["probe", "-1"], "no such option: -1", "sandbox probe -- -1"),
        (["probe", "--world"], "'--world' requires an argument", "sandbox probe --help"),
        (["probe", "--db", ""], "an empty path", "sandbox probe --help"),
        (["probe", "--db", "/"], "is a directory", "sandbox probe --help"),
        (["probe", "--content", "nowhere"], "does not exist", "sandbox probe --help"),
        (["completion", "zhs"], "unknown shell 'zhs'", "did you mean 'zsh'?"),
        (["completion"], "Missing argument 'SHELL'", "sandbox completion --help"),
        (["completion", "zsh", "--json"], "no such option: --json", "sandbox completion --help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.usefixtures("seen")
def test_a_wrong_command_line(args: list[str], problem: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that does not exist, or a missing value, is exit 2 with what was meant; nothing goes to stdout."""
    assert main(args) == 2
    shown = capsys.readouterr()
    assert (problem in shown.err, hint in shown.err, shown.out) == (True, True, "")


@pytest.fixture
def noun(install: Install) -> None:
    """Install `sandbox noun` with the commands list and show, each of which prints what it was given."""

    @click.group("noun", cls=Noun)
    def group() -> None:
        """Things."""

    @group.command("list")
    @click.option("--limit", type=int)
    @command_options
    def listed(settings: Settings, limit: int | None) -> None:
        click.echo(f"list {settings.db} {settings.json} {limit}")

    @group.command("show")
    @click.argument("name")
    @command_options
    def show(settings: Settings, name: str) -> None:
        click.echo(f"show {settings.db} {settings.json} {name}")

    install(group)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("", "list sandbox.db False None"),
        ("--json", "list sandbox.db True None"),
        ("--limit 3 --db x.db", "list x.db False 3"),
        ("--db x.db", "list x.db False None"),
        ("--db x.db list", "list x.db False None"),
        ("--db=x.db show 7 --json", "show x.db True 7"),
        ("show -- -1", "show sandbox.db False -1"),
    ],
)
@pytest.mark.usefixtures("noun")
def test_a_bare_noun_lists(args: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`sandbox NOUN` is `sandbox NOUN list`, options included; the group's own options may stand before a command."""
    assert main(["noun", *args.split()]) == 0
    assert capsys.readouterr().out.strip() == expected


@pytest.mark.parametrize(("args", "hint"), [("shwo 7", "did you mean show?"), ("7", "noun --help")])
@pytest.mark.usefixtures("noun")
def test_a_noun_knows_its_commands(args: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown command below a noun is exit 2 with the nearest one."""
    assert main(["noun", *args.split()]) == 2
    assert hint in capsys.readouterr().err


# --- how a command ends ---


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SandboxError("it happened here", "type this"), 1),
        (UsageError("it happened here", "type this"), 2),
        (UnknownName("thing", "it happened here", hint="type this"), 2),
        (AgentError("it happened here", "type this"), 3),
        (CheckFailed("it happened here", "type this"), 4),
        (CapReached("it happened here", "type this"), 5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_of_ours_is_its_message_hint_and_code(
    raising: Callable[..., int], error: SandboxError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each error exits with its own code and says what happened and what to type, without a traceback."""
    assert raising(error) == code
    shown = capsys.readouterr().err
    assert "it happened here" in shown
    assert shown.endswith("  type this\n")
    assert "Traceback" not in shown


def test_an_error_of_the_program_is_one_line(
    raising: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody foresaw is exit 1, named in one line, with the way to see more."""
    assert raising(ZeroDivisionError("by zero")) == 1
    shown = capsys.readouterr().err
    assert "error: ZeroDivisionError: by zero\n" in shown
    assert "--debug" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("error", [ZeroDivisionError("by zero"), CheckFailed("by zero")], ids=repr)
def test_debug_shows_where(
    raising: Callable[..., int], error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --debug every error shows its traceback, on standard error."""
    assert raising(error, "--debug") == (4 if isinstance(error, CheckFailed) else 1)
    shown = capsys.readouterr()
    assert "Traceback (most recent call last)" in shown.err
    assert "in probe" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (click.Abort(), 130, "interrupted\n"),
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
        (PermissionError(13, "Permission denied", "page.html"), 2, "error: page.html: Permission denied\n"),
        (click.FileError("page.html", "gone"), 2, "error: Could not open file 'page.html': gone\n"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_comes_from_outside(
    raising: Callable[..., int], error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An interruption is 130, a closed pipe no error, a file that cannot be used the user's to mend."""
    assert raising(error) == code
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (3, 3)])
def test_a_command_may_return_its_exit_code(install: Install, returned: int | None, code: int) -> None:
    """A command that returns a number ends with it; None is 0."""

    @click.command("probe")
    @command_options
    def probe(_: Settings) -> int | None:
        return returned

    install(probe)
    assert main(["probe"]) == code


def test_hostile_text_in_an_error_is_shown_not_obeyed(
    raising: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """A message that quotes what was typed cannot drive the terminal, and half a character does not end it."""
    assert raising(UsageError("no world '\x1b[31m\udc80'")) == 2
    assert capsys.readouterr().err == "error: no world '\\x1b[31m\\udc80'\n"


# --- as a process ---


def test_interruption_of_a_process() -> None:
    """Ctrl-C ends a running command with 130 and no traceback."""
    code = (
        "import sys, time, click, types\n"
        "from sandbox.cli import main\n"
        "@click.command()\n"
        "def probe():\n"
        "    print('running', flush=True)\n"
        "    time.sleep(30)\n"
        "sys.modules['slow'] = types.SimpleNamespace(probe=probe)\n"
        "main.COMMANDS['probe'] = main.Entry('slow:probe', '')\n"
        "sys.exit(main.main(['probe']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        _, shown = process.communicate(timeout=20)
    assert (process.returncode, shown) == (130, "interrupted\n")


@pytest.mark.parametrize("args", [[], ["--help"], ["completion", "zsh"], ["doctor", "--json"]], ids=str)
def test_a_closed_pipe_ends_a_command_quietly(args: list[str], tmp_path: Path) -> None:
    """Output that nobody reads any more is no error, and nothing is said about it."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "sandbox", *args], stdout=writer, stderr=subprocess.PIPE, cwd=tmp_path, check=False
        )
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_said() -> None:
    """Output that finds no space is exit 2 with the reason, and no second complaint when Python leaves."""
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run([sys.executable, "-m", "sandbox"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert ended.returncode == 2
    assert ended.stderr.decode().splitlines()[0] == "error: No space left on device"
    assert len(ended.stderr.splitlines()) == 2


def test_any_locale_will_do(tmp_path: Path) -> None:
    """A stream that can hold ASCII only gets escapes, not an error."""
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    ended = subprocess.run(
        [sys.executable, "-m", "sandbox"], env=environment, cwd=tmp_path, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert rb"[~EDIT]\u2026" in ended.stdout
