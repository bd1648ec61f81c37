"""The documentation, run: `python -m scripts.docs` refreshes every page, `tests/test_docs.py` checks that it need not.

What README.md and docs/*.md show is produced by running it. A page may hold

* ```` ```console ````: commands behind `$ `, run one after the other in one empty folder a page, offline. Below a
  command stands what it printed; a command without output is run and its output is not compared, and `…` alone asks
  for the output to be filled in. `# exit 2` behind a command names the exit code that it must have. `make` is run dry.
* a block with `file=PATH` behind its language: written to that path of the folder before the next command runs.
* `<!-- begin NAME -->` … `<!-- end NAME -->`: what the function NAME of `GENERATED` takes from the code.

Ids of episodes, drawn seeds, times and durations differ from run to run: they are compared by their shape, and a
command that mentions an id of the page is given the real one.

One world of plain English is shown throughout. New content draws other worlds for the same seeds: `--choose` then looks
for another seed whose world reads well, writes it into every page, and refreshes them.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from sandbox import errors as errors_of_ours
from sandbox.certify import Built, build
from sandbox.certify.worlds import edit_effect, transcript
from sandbox.cli.main import app
from sandbox.errors import ConstraintError
from sandbox.generate.content import content
from sandbox.generate.draw import choose
from sandbox.generate.recipe import load_recipe
from sandbox.log.schema import migrate
from sandbox.world.world import World

ROOT: Final = Path(__file__).resolve().parent.parent
PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
FILL: Final = "…"

_FENCE: Final = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_REGION: Final = re.compile(r"(<!-- begin (\w+) -->\n)(.*?)(<!-- end \2 -->)", re.DOTALL)
_EXIT: Final = re.compile(r"  # exit (\d+)$")
_ID: Final = re.compile(r"\b1[0-9a-hjkmnp-tv-z]{11}\b")
_SHAPES: Final = (
    (_ID, "ID"),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d\.\d+Z)?"), "TIME"),
    (re.compile(r"(?<=\(agent seed )\d+"), "N"),
    (re.compile(r"\b\d+(\.\d+)? m?s\b"), "DURATION"),
    (re.compile(r"(?<=\"seconds\":)[\d.]+"), "DURATION"),
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the file it is to be written to (or None), its text, and where that stands."""

    language: str
    file: str | None
    text: str
    start: int
    end: int


class Failed(Exception):
    """A command of a page did not end as the page says."""


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    return [Block(m[1], m[2], m[3], *m.span(3)) for m in _FENCE.finditer(page)]


def refreshed(page: str) -> str:
    """The page as it should read: generated parts from the code, outputs from the commands. Raises Failed."""
    generated = _REGION.sub(lambda m: f"{m[1]}{GENERATED[m[2]]()}\n{m[4]}", page)
    with tempfile.TemporaryDirectory(prefix="sandbox-docs-") as name:
        return _Reader(Path(name)).read(generated)


class _Reader:
    """Runs what one page shows, in one folder; `_real` gives the ids of the page their real counterparts."""

    def __init__(self, place: Path) -> None:
        self._folder = place / "here"
        self._folder.mkdir()
        shim = place / "bin" / "sandbox"
        shim.parent.mkdir()
        shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m sandbox "$@"\n')
        shim.chmod(0o755)
        (place / "home").mkdir()
        self._environment = {
            "PATH": f"{shim.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT), "HOME": str(place / "home"), "COLUMNS": "100", "TERM": "dumb",
            "LC_ALL": "C.UTF-8", "https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9",
        }  # fmt: skip
        self._real: dict[str, str] = {}

    def read(self, page: str) -> str:
        done, at = "", 0
        for block in blocks(page):
            done += page[at : block.start]
            at = block.end
            if block.file is not None:
                path = self._folder / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            done += self._console(block.text) if block.language == "console" else block.text
        return done + page[at:]

    def _console(self, text: str) -> str:
        shown = ""
        for command, output in commands(text):
            shown += f"$ {command}\n"
            printed = self._run(command)
            if output:
                shown += self._kept(output, printed)
        return shown

    def _run(self, command: str) -> str:
        typed = _ID.sub(lambda found: self._real.get(found[0], found[0]), command)
        expected = int(found[1]) if (found := _EXIT.search(command)) else 0
        dry = typed.startswith("make ")
        ended = subprocess.run(  # noqa: S603 - running what our own pages show is the purpose
            ["bash", "-o", "pipefail", "-c", f"make --dry-run {typed[5:]}" if dry else typed],  # noqa: S607
            cwd=ROOT if dry else self._folder, env=self._environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=200, check=False,
        )  # fmt: skip
        if ended.returncode != expected:
            raise Failed(f"$ {command}\nexit {ended.returncode}, not {expected}:\n{ended.stdout}")
        return ended.stdout.replace(f"{self._folder}/", "").replace(str(self._folder), ".")

    def _kept(self, output: str, printed: str) -> str:
        """The output as the page has it where that still says the same, else what was printed, with the page's ids."""
        if not printed.endswith("\n"):
            printed += "\n"
        shown_ids, real_ids = _ID.findall(output), _ID.findall(printed)
        for shown, real in zip(shown_ids, real_ids, strict=False):
            if shown not in self._real and real not in self._real.values():
                self._real[shown] = real
        if shape(output) == shape(printed) and [self._real.get(shown) for shown in shown_ids] == real_ids:
            return output
        shown_for = {real: shown for shown, real in self._real.items()}
        return _ID.sub(lambda found: shown_for.get(found[0], found[0]), printed)


def commands(console: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that is shown for it."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command += "\n" + more
        yield command, output


def shape(text: str) -> str:
    """A text with everything that differs from run to run replaced by its name."""
    for pattern, name in _SHAPES:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.split("\n"))


# --- what is taken from the code ------------------------------------------------------------------
def command_line() -> str:
    """Every command with its help page."""
    top = click.Context(app, info_name="sandbox", terminal_width=100, **app.context_settings)
    return "\n".join(_helped(top, "sandbox"))


def _helped(context: click.Context, name: str) -> Iterator[str]:
    command = context.command
    yield f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"
    for sub in command.list_commands(context) if isinstance(command, click.Group) else ():
        found = command.get_command(context, sub) if isinstance(command, click.Group) else None
        assert found is not None, f"{name} lists {sub}"
        inner = click.Context(found, context, info_name=sub, terminal_width=100, max_content_width=100)
        yield from _helped(inner, f"{name} {sub}")


def schema() -> str:
    """The tables of an episode database, as a new one has them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db, Path("new.db"))
        rows = db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    tables = [sql.replace("\n   ", "\n  ").replace(chr(34), "") + ";" for (sql,) in rows]
    return "```sql\n" + "\n".join(tables) + "\n```"


def grammar() -> str:
    """The grammar of the rule language, as the parser reads it."""
    text = (ROOT / "sandbox/world/rules.lark").read_text(encoding="utf-8")
    return f"```text\n{text.strip()}\n```"


def interface() -> str:
    """What an agent is handed and what it answers, from the source."""
    path = ROOT / "sandbox/agent/api.py"
    source = path.read_text(encoding="utf-8")
    classes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    parts = [ast.get_source_segment(source, classes[name]) for name in ("Briefing", "Turn", "Reply")]
    return "```python\n" + "\n\n\n".join(str(part) for part in parts) + "\n```"


def errors() -> str:
    """The tree of errors with their exit codes."""
    tree = (errors_of_ours.__doc__ or "").split("\n\n")[1]
    return f"```text\n{tree}\n```"


GENERATED: Final[dict[str, Callable[[], str]]] = {
    "commands": command_line, "errors": errors, "grammar": grammar, "interface": interface, "schema": schema,
}  # fmt: skip


# --- the world that is shown ----------------------------------------------------------------------
PLAIN: Final = {
    "grammar/words": "english", "grammar/form": "imperative", "grammar/protocol": "direct",
    "observation/form": "prose", "observation/scope": "room", "feedback/voice": "plain",
}  # fmt: skip
RECIPE: Final = "plain"
SEEDS: Final = 60


def world_shown() -> str:
    """The reference of the world that the README shows."""
    found = re.search(rf"\b{RECIPE}/\w+", PAGES[0].read_text(encoding="utf-8"))
    assert found is not None, f"the README shows a world of recipe {RECIPE}"
    return found[0]


def reads_well(world: World) -> bool:
    """Whether a world speaks plain English and says more of a refusal than that something failed."""
    return world.theme.prior == "aligned" and _plain(world.slots)


def _plain(slots: Mapping[str, str]) -> bool:
    spoken = all(slots[slot] == value for slot, value in PLAIN.items())
    return spoken and slots["feedback/detail"] != "something"


def short_one() -> str:
    """Of the worlds that read well and show something, the one whose proof makes the shortest transcript."""
    found: list[tuple[int, str]] = []
    recipe = load_recipe(content(), RECIPE)
    for seed in map(str, range(SEEDS)):
        if not _plain(choose(content(), RECIPE, recipe, seed, 0).values):
            continue
        try:
            built = build(f"{RECIPE}/{seed}")
        except ConstraintError:
            continue
        if reads_well(built.world) and _instructive(built):
            found.append((len(transcript(built.world, built.solved.intents)), built.ref))
    return min(found)[1]


def _instructive(built: Built) -> bool:
    """Whether the plan needs a key, and the first edit of a rule makes the way longer."""
    if "lock" not in built.certificate.families:
        return False
    return edit_effect(built, build(f"{built.ref}~rules"), "rules") == "barrier"


def main() -> int:
    """Refresh the pages that are named, or all; say which changed, and which hold a command that fails."""
    names = [name for name in sys.argv[1:] if name != "--choose"]
    wanted = [Path(name).resolve() for name in names] or PAGES
    if len(names) < len(sys.argv) - 1:
        old, new = world_shown(), short_one()
        sys.stdout.write(f"{old} becomes {new}\n")
        for path in PAGES:
            page = path.read_text(encoding="utf-8")
            path.write_text(re.sub(rf"\b{re.escape(old)}\b", new, page), encoding="utf-8")
    failed = 0
    for path in wanted:
        old = path.read_text(encoding="utf-8")
        try:
            new = refreshed(old)
        except Failed as error:
            sys.stdout.write(f"{path.name}: {error}\n")
            failed = 1
            continue
        path.write_text(new, encoding="utf-8")
        sys.stdout.write(f"{path.name}: {'as it was' if new == old else 'refreshed'}\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
