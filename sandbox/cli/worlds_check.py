"""`sandbox worlds check FILE`: what is said of a file of content, to people and to programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sandbox.cli.context import Settings
from sandbox.cli.output import emit, say, table
from sandbox.errors import CheckFailed, UsageError

if TYPE_CHECKING:
    from sandbox.measure.authors import Remark, Report
    from sandbox.measure.authors.lively import Lively

SEEDS: Final = range(24)
SECONDS: Final = 15.0
"""CPU time after which no further world is built, unless a range was asked for."""


def content_files(refs: Sequence[str]) -> list[Path]:
    """The arguments that name files of content, if all of them do. Raises UsageError where only some do."""
    from sandbox.measure.authors import is_content

    files = [Path(ref) for ref in refs if is_content(ref)]
    if files and len(files) < len(refs):
        other = next(ref for ref in refs if not is_content(ref))
        raise UsageError(f"{other!r} is a world and {str(files[0])!r} is content", "check them one after the other")
    return files


def check_files(
    settings: Settings, files: Sequence[Path], refs: Sequence[str], seeds: range | None, recipe: str | None
) -> int:
    """Check files of content; exit 4 if something in one of them has to be mended."""
    from sandbox.measure.authors import check_file, home

    if recipe is not None:
        raise UsageError("--recipe names worlds, and files are checked by themselves", "leave it out")
    began, failed = time.perf_counter(), 0
    for path, ref in zip(files, refs, strict=True):
        report = check_file(path, home(path, settings.content), seeds or SEEDS, _spent(within=seeds is None))
        failed += not report.ok
        if settings.json:
            _emit(ref, report)
        else:
            _show(ref, report)
    if settings.json:
        seconds = round(time.perf_counter() - began, 3)
        emit({
            "event": "summary", "files": len(files), "ok": len(files) - failed, "failed": failed, "seconds": seconds,
        })  # fmt: skip
    return CheckFailed.exit_code if failed else 0


def _spent(*, within: bool) -> Callable[[], bool]:
    began = time.process_time()
    return lambda: within and time.process_time() - began > SECONDS


# --- to people ------------------------------------------------------------------------------------
def _show(ref: str, report: Report) -> None:
    problems = sum(remark.problem for remark in report.remarks)
    advice = len(report.remarks) - problems
    found = ", ".join(_counted(n, one) for n, one in ((problems, "problem"), (advice, "piece")) if n)
    said = f"{found} of advice" if advice else found
    say(f"{ref}: {report.sort}, {said or 'nothing to mend'}", fg="red" if problems else None)
    for remark in report.remarks:
        _say(remark)
    if report.lively is not None and report.lively.worlds:
        _figures(report.lively)


def _counted(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"


def _say(remark: Remark) -> None:
    say(f"  {'problem' if remark.problem else 'advice':<8} {remark}", fg="red" if remark.problem else None)
    say(f"  {'':<8} → {remark.instead}")


def _figures(lively: Lively) -> None:
    say()
    say(f"in {_counted(lively.worlds, 'world')} built to try it, {lively.used} with a plan that uses the family:")
    effects = ("barrier", "trap", "shortcut", "neutral", "dead", "unsolvable")
    rows = []
    for figures in lively.slots.values():
        share = f"{figures.live}/{figures.worlds}" if figures.worlds else "-"
        rows.append((figures.slot.name, figures.slot.kind, share, *(str(figures.effects[e] or "") for e in effects)))
    if rows:
        table(("slot", "kind", "live", *effects), rows)


# --- to programs ----------------------------------------------------------------------------------
def _emit(ref: str, report: Report) -> None:
    """One line a remark, one a slot, then the line of the file, as for a world."""
    for remark in report.remarks:
        emit({"event": "remark", **remark.to_dict()})
    found = report.lively
    for figures in found.slots.values() if found is not None else ():
        emit({"event": "slot", **figures.to_dict()})
    measured = {} if found is None else {"worlds": found.worlds, "used": found.used, "actions": dict(found.actions)}
    emit({"ref": ref, "ok": report.ok, "why": report.why, "sort": report.sort, **measured})
