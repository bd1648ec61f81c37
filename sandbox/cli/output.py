"""How the command line speaks: JSON lines for programs, plain text for people, progress on a terminal.

Three rules. With `--json`, standard output holds JSON lines and nothing else; what people read goes to standard
error. Text that comes from a world, a model or a player is shown as it is: control characters are made visible,
markup is not interpreted. A reader who closes the pipe ends the command quietly (`BrokenPipeError` goes up to `main`).
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TextIO, TypeVar

import click

from sandbox.cli.context import current_settings

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")
_BAR: Final = "sandbox.progress"
_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed: they drive the terminal
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # they turn the direction of the text around them
    "\u2028\u2029\ufeff\ud800-\udfff]"  # invisible line ends and marks; halves that UTF-8 cannot hold
)


def visible(text: str) -> str:
    r"""`text` with every character that would act on a terminal written as its escape: ESC becomes `\x1b`."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def emit(record: Mapping[str, object]) -> None:
    """Print one JSON line on standard output and flush it: what is announced has been seen.

    Plain ASCII, so that one record is one line in every locale and a half of a surrogate pair survives.
    """
    _write(json.dumps(record, ensure_ascii=True, allow_nan=False, separators=(",", ":")), sys.stdout)


def say(text: str = "", *, err: bool = False, bold: bool = False, fg: str | None = None) -> None:
    """Print text for people: on standard output, or on standard error with `err` or `--json`.

    `bold` and `fg` (click's names of colours) show on a terminal only.
    """
    stream = sys.stderr if err or current_settings().json else sys.stdout
    shown = visible(text)
    styled = (bold or fg) and _colours(stream)
    _write(click.style(shown, bold=bold or None, fg=fg) if styled else shown, stream)


def warn(text: str) -> None:
    """Print text for people on standard error, whatever the options."""
    say(text, err=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headings, aligned; None is an empty cell. Wide characters count as wide."""
    from rich.cells import cell_len

    cells = [["" if cell is None else visible(str(cell)) for cell in row] for row in rows]
    lines = [list(columns), *cells]
    widths = [max(cell_len(line[i]) for line in lines) for i in range(len(columns))]
    for number, line in enumerate(lines):
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True))
        say("  ".join(padded).rstrip(), bold=number == 0)


def progress(items: Iterable[T], total: int | None = None, label: str = "working") -> Iterator[T]:
    """The same items, with a bar on standard error while that is a terminal."""
    if not _is_terminal(sys.stderr):
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    # Redirecting would send JSON lines to standard error: `_write` steps around the bar itself.
    bar = Progress(
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    context = click.get_current_context(silent=True)
    with bar:
        if context is not None:
            context.meta[_BAR] = bar
        try:
            yield from bar.track(items, total=total, description=label)
        finally:
            if context is not None:
                context.meta.pop(_BAR, None)


def _write(text: str, stream: TextIO | None) -> None:
    if stream is None:  # the caller closed the descriptor: there is nobody to read
        return
    bar = _live_bar()
    if bar is not None and _is_terminal(stream):
        from rich.text import Text

        bar.console.print(Text.from_ansi(text), soft_wrap=True)
        return
    stream.write(text + "\n")
    stream.flush()


def _live_bar() -> Progress | None:
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_BAR)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _colours(stream: TextIO | None) -> bool:
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
