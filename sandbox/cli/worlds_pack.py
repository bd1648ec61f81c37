"""`sandbox worlds pack`, what is listed of a pack, and how it is split."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sandbox.cli.context import Settings, command_options
from sandbox.cli.output import emit, progress, say, table, warn
from sandbox.errors import CheckFailed, UsageError

if TYPE_CHECKING:
    from sandbox.generate.content import Content
    from sandbox.measure.packfile import Pack, Row
    from sandbox.measure.split import Split

PAGE: Final = 30
_COLUMNS: Final = ("world", "optimum", "tier", "live", "surprises", "search", "trap", "families")


@click.command("pack")
@click.argument("refs", metavar="REF…", nargs=-1)
@click.option("--range", "seeds", metavar="A-B", help="The seeds A to B, both included.")
@click.option("--recipe", metavar="R", help="The recipe of --range [default: default].")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The file to write.")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes [default: one a core].")
@click.option("--quick", is_flag=True, help="Leave out live slots, surprises and traps: they take as long as building.")
@command_options
def pack(  # noqa: PLR0913, PLR0917 - one argument for each option
    settings: Settings, refs: tuple[str, ...], seeds: str | None, recipe: str | None, out: Path, jobs: int | None,
    quick: bool,
) -> int:
    """Build worlds, measure them, and write them with their proof and load into one file; exit 4 if one failed.

    The same command goes on where a run was cut off. `zcat FILE` prints a pack as JSON lines.
    """
    from sandbox.cli.worlds import references
    from sandbox.generate.content import content
    from sandbox.measure.pack import Asked, left
    from sandbox.measure.pack import pack as write

    if not out.parent.is_dir() or out.is_dir():
        raise UsageError(f"no pack can be written to {str(out)!r}", "name a file in a folder that exists: --out FILE")
    library = content(settings.content)
    wanted = tuple(references(library, refs, seeds, recipe))
    asked = Asked(wanted, refs, (recipe or "default") if seeds else None, seeds, quick)
    whole = left(out, asked.header(library))
    before = len(whole.rows) if whole else 0
    if whole and whole.complete:
        warn(f"{out} is complete: nothing is left to build")
    elif before:
        warn(f"{before} of {len(wanted)} worlds are in {out} already: going on")
    if whole and "damaged" in whole.why:
        warn(f"{out}: {whole.why} behind world {before}; what follows is built again")
    last = None
    found = write(asked, out, library, whole, jobs or os.cpu_count() or 1)
    for step in progress(found, len(wanted) - before + 1, "packing"):
        if step.last and step.last.why:
            warn(f"{step.last.ref}: {step.last.why}")
        last = step
    assert last is not None, "the last step follows the last world"
    size = out.stat().st_size
    if settings.json:
        emit({"event": "summary", "pack": str(out), "worlds": len(wanted), "built": len(wanted) - before,
              "failed": last.failed, "digest": last.digest, "bytes": size})  # fmt: skip
    else:
        say(f"{len(wanted)} worlds in {out} ({size / 1e6:.1f} MB), {last.failed} could not be built")
        say(f"  sandbox worlds list --pack {out} --where 'steps>12 and live>=3'")
    return CheckFailed.exit_code if last.failed else 0


def list_pack(settings: Settings, path: Path, where: str | None, limit: int | None) -> None:
    """Print the worlds of a pack that meet an expression, in the order of the pack."""
    from sandbox.measure.packfile import Pack
    from sandbox.measure.where import compiled

    most = limit if limit is not None else (0 if settings.json else PAGE)
    with Pack.open(path) as pack_:
        test = compiled(where, _slots(pack_)) if where is not None else lambda _: True
        found: list[Mapping[str, Any]] = []
        count = failed = 0
        for row in pack_.rows():
            failed += row.failed
            if row.failed or not test(row.record):
                continue
            count += 1
            if most and count > most:
                continue
            if settings.json:
                emit(_without_event(row))
            else:
                found.append(row.record)
    if not settings.json:
        table(_COLUMNS, [_line(record) for record in found])
        say()
    _say_count(len(pack_) - failed, count, min(count, most or count), failed)


def _slots(pack_: Pack) -> set[str]:
    """The names of all slots that some world of a pack has."""
    return {name for row in pack_.rows() if not row.failed for name in row.record["slots"]}


def _without_event(row: Row) -> dict[str, object]:
    return {name: value for name, value in row.record.items() if name != "event"}


def _line(record: Mapping[str, Any]) -> tuple[object, ...]:
    proof, load = record["certificate"], record["certificate"]["load"]
    live, trap = record["live"], load["trap"]
    return (
        record["ref"], proof["steps"], proof["tier"], None if live is None else len(live), proof["surprises"],
        load["search"], None if trap is None else f"{trap:.2f}", ", ".join(record["families"]),
    )  # fmt: skip


def _say_count(worlds: int, count: int, shown: int, failed: int) -> None:
    said = f"{count} of {worlds} worlds"
    if failed:
        said += f"; {failed} seeds have none"
    if shown < count:
        said += f"; {count - shown} not shown: --limit 0 shows all"
    say(said)


def packed_world(path: Path, ref: str) -> str:
    """The exported world of a reference in a pack."""
    from sandbox.generate.reference import parse_reference
    from sandbox.measure.packfile import Pack

    with Pack.open(path) as pack_:
        return pack_.world(pack_.row(str(parse_reference(ref))))


@click.command("split")
@click.option("--pack", "pack_", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The pack.")
@click.option("--hold-out", "rules", multiple=True, required=True, metavar="RULE",
              help="family=F, value=SLOT=V, or pair=A+B; may be given again.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Write train.toml and test.toml, two suites, there.")  # fmt: skip
@command_options
def split(settings: Settings, pack_: Path, rules: tuple[str, ...], out: Path | None) -> int:
    """Split the worlds of a pack by rule, and prove that nothing is on both sides; exit 4 if something is.

    Held out are the worlds that have a family (family=lock), a value (value=rules/lock/match=shape), or two of these
    together (pair=lock+rules/hands/limit=weight) while each alone stays in training.
    """
    from sandbox.measure.packfile import Pack
    from sandbox.measure.split import parse_rule, write_sides
    from sandbox.measure.split import split as parted

    wanted = [parse_rule(rule) for rule in rules]
    if out is not None and not out.is_dir():
        raise UsageError(f"the folder {str(out)!r} does not exist", f"mkdir -p {out}")
    with Pack.open(pack_) as opened:
        found = parted(opened, wanted, lambda refs: progress(refs, len(opened), "splitting"))
    files = write_sides(found, out) if out is not None else []
    if settings.json:
        emit({
            "pack": str(pack_), "hold_out": [rule.text for rule in found.rules], "train": len(found.train),
            "test": len(found.test), "overlap": found.same_worlds, "leaked": found.leaked, "misplaced": found.misplaced,
            "seen": dict(found.seen), "clean": found.clean, "files": files,
        })  # fmt: skip
    else:
        _say_split(found, files)
    return 0 if found.clean else CheckFailed.exit_code


def _say_split(found: Split, files: list[str]) -> None:
    said = " or ".join(rule.text for rule in found.rules)
    say(f"train: {len(found.train)} worlds, {found.leaked} of them with {said}")
    say(f"test:  {len(found.test)} worlds, {found.misplaced} of them without")
    for element, count in found.seen:
        say(f"alone in training: {element} in {count} worlds")
    say(f"overlap: {found.same_worlds} worlds (digests, families and slots read from the worlds themselves)")
    for file in files:
        say(f"  sandbox suites show {file}")


def survey_pack(settings: Settings, library: Content, path: Path) -> int:
    """Print how broad the worlds of a pack are; exit 4 if some seed of it has none."""
    from sandbox.cli.worlds_survey import pack_rows
    from sandbox.generate.recipe import load_recipe
    from sandbox.measure.breadth import Breadth, broad
    from sandbox.measure.packfile import Pack
    from sandbox.measure.pairs import allowed

    with Pack.open(path) as pack_:
        if pack_.header.get("quick"):
            raise UsageError(f"{str(path)!r} was packed with --quick: its live slots are not known", "pack it without")
        recipe = str(pack_.header.get("recipe") or "default")
        worlds = [Breadth.of_row(row.record) for row in pack_.rows() if not row.failed]
        failed = len(pack_) - len(worlds)
    figures = broad(worlds, allowed(library, load_recipe(library, recipe)))
    if settings.json:
        emit({"event": "summary", "pack": str(path), "failed": failed, **figures})
    else:
        say(f"{len(worlds)} worlds of {path}, {failed} could not be built")
        if worlds:
            say()
            table(("measure", "found", "aim"), list(pack_rows(figures)))
    return CheckFailed.exit_code if failed else 0
