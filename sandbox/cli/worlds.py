"""`sandbox worlds`: recipes, everything about a world, its edits, and whether worlds hold what they promise."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sandbox.cli.context import Noun, Settings, command_options
from sandbox.cli.output import emit, progress, say, table
from sandbox.cli.worlds_pack import PAGE, list_pack, pack, packed_world, split, survey_pack
from sandbox.errors import CheckFailed, UsageError

if TYPE_CHECKING:
    from sandbox.generate.content import Content
    from sandbox.generate.recipe import Recipe

_REF = click.argument("ref", metavar="REF")
_RANGE = click.option("--range", "seeds", metavar="A-B", help="The seeds A to B, both included.")
_JOBS = click.option("--jobs", type=click.IntRange(1, 256), default=1, metavar="N", help="Processes [default: 1].")
_MOST: Final = 10**6


@click.group(cls=Noun)
def worlds() -> None:
    """List, show, check, edit, compare and export worlds.

    REF is [RECIPE/]SEED[~EDIT]…, for example 7, tiny/moss, 7~rules, or an exported FILE.json.
    """


worlds.add_command(pack)
worlds.add_command(split)


@worlds.command("list")
@click.option("--pack", "pack_", type=click.Path(path_type=Path), metavar="FILE", help="List the worlds of a pack.")
@click.option("--where", metavar="EXPR", help="Only those of which this is true, e.g. 'steps>12 and live>=3'.")
@click.option("--limit", type=click.IntRange(min=0), help=f"How many, 0 for all [default: {PAGE}; all with --json].")
@command_options
def list_(settings: Settings, pack_: Path | None, where: str | None, limit: int | None) -> None:
    """List the recipes, with worlds of each to try; or the worlds of a pack.

    EXPR compares columns (steps, live, trap, …) and slots (rules/lock/match = shape) with values, joined by and,
    or, not; WORD in families asks for one of several.
    """
    from sandbox.cli.worlds_show import to_copy

    if pack_ is not None:
        return list_pack(settings, pack_, where, limit)
    if where is not None or limit is not None:
        raise UsageError("--where and --limit choose from the worlds of a pack", "add --pack FILE")

    library = _library(settings)
    rows = []
    for name in library.recipes():
        recipe, broken = _recipe(library, name)
        if settings.json:
            emit(_recipe_record(name, recipe, broken))
        elif recipe is None:
            rows.append((name, "", "", "", "", f"broken: {broken}"))
        else:
            size = str(recipe.rooms), f"{recipe.things}+"
            rows.append((name, *size, _band(recipe.draw), _band(recipe.steps), recipe.about))
    if settings.json:
        return None
    table(("recipe", "rooms", "things", "families", "optimum", "about"), rows)
    say()
    say("A recipe and any text make a world:")
    for words in (("play", "--world", "7"), ("worlds", "show", "tiny/moss"), ("worlds", "edits", "small/7")):
        say("  " + to_copy(settings, *words))
    return None


@worlds.command("families")
@command_options
def families_(settings: Settings) -> int:
    """List the families of rules: what each is about, its slots, and the verbs and kinds that it has taken.

    Everything is listed that some value of some slot brings. A verb belongs to one action alone, a kind to all
    families that declare it alike. Exit 4 if a family cannot be read.
    """
    from sandbox.measure.authors.families import families

    found = families(_library(settings))
    for family in found:
        if settings.json:
            emit(family.to_dict())
            continue
        say(family.name, bold=True)
        if family.broken:
            say(f"  broken: {family.broken}", fg="red")
            continue
        slots = "  ".join(f"{slot.name}={'|'.join(slot.values)}" for slot in family.slots)
        listed = ("verbs", ", ".join(family.verbs)), ("kinds", ", ".join(family.kinds)), ("slots", slots)
        say(f"  {family.about}")
        for what, text in listed:
            if text:
                say(f"  {what}  {text}")
    return CheckFailed.exit_code if any(family.broken for family in found) else 0


@worlds.command("show")
@_REF
@click.option("--plan", is_flag=True, help="Show the commands of the plan that proves it.")
@command_options
def show(settings: Settings, ref: str, *, plan: bool) -> None:
    """Show everything about a world, its proof included."""
    from sandbox.certify import build
    from sandbox.cli.worlds_show import describe, record
    from sandbox.measure.profile import profile

    library = _library(settings)
    found = profile(build(ref, library), library)
    if settings.json:
        emit(record(found))
    else:
        describe(settings, found, plan=plan)


@worlds.command("rules")
@_REF
@command_options
def rules(settings: Settings, ref: str) -> None:
    """Print the rules of a world in plain English: everything a player may find out."""
    from sandbox.certify import build
    from sandbox.world.engine import Engine

    built = build(ref, _library(settings))
    text = Engine(built.world).rules_text()
    if settings.json:
        emit({"ref": built.ref, "digest": built.world.digest, "rules": text})
    else:
        say(text)


@worlds.command("check")
@click.argument("refs", metavar="REF|FILE…", nargs=-1)
@_RANGE
@click.option("--recipe", metavar="R", help="The recipe of --range [default: default].")
@_JOBS
@command_options
def check(settings: Settings, refs: tuple[str, ...], seeds: str | None, recipe: str | None, jobs: int) -> int:
    """Build worlds and check them independently; exit 4 if any failed.

    The certificate is replayed with the slow interpreter, and both interpreters walk side by side.

    FILE is content of yours (NAME.rules.j2, a recipe, a theme, a template of a grammar, an observation or a voice):
    says what is wrong with it, on which line, and what to write instead. Slots are measured in worlds of 24 seeds,
    or of those of --range, in about 20 s at most; with --range, as long as it takes.
    """
    import time
    from functools import partial

    from sandbox.cli.worlds_check import check_files, content_files
    from sandbox.measure.check import check_world
    from sandbox.measure.jobs import each

    files = content_files(refs)
    if files:
        return check_files(settings, files, refs, None if seeds is None else seed_range(seeds), recipe)
    wanted = references(_library(settings), refs, seeds, recipe)
    began, failed = time.perf_counter(), 0
    run = partial(check_world, folder=settings.content)
    for checked in progress(each(run, wanted, jobs), len(wanted), "checking"):
        failed += not checked.ok
        if settings.json:
            emit(checked.to_dict())
        elif not checked.ok or seeds is None:
            say(f"{checked.ref}: {'ok' if checked.ok else checked.why}", fg=None if checked.ok else "red")
    seconds = round(time.perf_counter() - began, 3)
    if settings.json:
        emit({
            "event": "summary", "worlds": len(wanted), "ok": len(wanted) - failed, "failed": failed,
            "seconds": seconds,
        })  # fmt: skip
    else:
        each_ms = 1000 * seconds / len(wanted)
        say(f"{len(wanted) - failed} of {len(wanted)} worlds hold ({seconds:.1f} s, {each_ms:.0f} ms a world)")
    return CheckFailed.exit_code if failed else 0


@worlds.command("edits")
@_REF
@click.option("--axis", metavar="AXIS", help="Only edits of grammar, rules, observation or feedback.")
@command_options
def edits(settings: Settings, ref: str, axis: str | None) -> None:
    """List every edit of one slot, ready to copy, with what it does to the old optimal plans.

    barrier: no old plan works · shortcut: a shorter one exists now · trap: an old plan ends where the goal is lost ·
    neutral: an old plan still works · dead: nothing differs · unsolvable: refused, no plan is left.
    """
    from sandbox.certify import build
    from sandbox.cli.worlds_show import list_edits
    from sandbox.measure.live import measure, slot_edits

    library = _library(settings)
    built = build(ref, library)
    wanted = slot_edits(built, library, axis)
    found = (measure(built, library, edit) for edit in wanted)
    list_edits(settings, built, progress(found, len(wanted), "measuring edits"))


@worlds.command("diff")
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@command_options
def diff(settings: Settings, old: str, new: str) -> None:
    """Say what differs from world A to world B, and what kind of change that is."""
    from sandbox.certify import build
    from sandbox.cli.worlds_show import show_difference
    from sandbox.measure.compare import compare

    library = _library(settings)
    first, second = build(old, library), build(new, library)
    show_difference(settings, first, second, compare(first, second))


@worlds.command("export")
@_REF
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write FILE.json instead.")
@click.option("--pack", "pack_", type=click.Path(path_type=Path), metavar="FILE", help="Take it from a pack, as it is.")
@command_options(json=False)
def export(settings: Settings, ref: str, output: Path | None, pack_: Path | None) -> None:
    """Print a world as JSON that `sandbox play --world FILE.json` plays back identically."""
    from sandbox.certify import build
    from sandbox.cli.worlds_show import to_copy

    if output is not None:
        check_export(output)
    text = build(ref, _library(settings)).world.to_json() if pack_ is None else packed_world(pack_, ref)
    data = (text + "\n").encode()
    if output is None:
        click.echo(data, nl=False)
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise UsageError(f"cannot write {str(output)!r}: {error.strerror}", "name another: -o FILE.json") from error
    say(f"wrote {output}; play it: {to_copy(settings, 'play', '--world', str(output))}")


def check_export(path: Path) -> None:
    """Refuse a file that could not be read back as a world, or not be written. Raises UsageError."""
    if path.suffix != ".json":
        raise UsageError(f"{str(path)!r} would not be read as a world", f"name it FILE.json: -o {path}.json")
    if not path.parent.is_dir():
        raise UsageError(f"the folder {str(path.parent)!r} does not exist", f"mkdir -p {shlex.quote(str(path.parent))}")


@worlds.command("survey")
@click.option("--recipe", metavar="R", help="The recipe [default: default].")
@click.option("--range", "seeds", metavar="A-B", help="The seeds A to B [default: 0-19].")
@click.option("--pack", "pack_", type=click.Path(path_type=Path), metavar="FILE", help="Only what a pack tells.")
@_JOBS
@command_options
def survey(settings: Settings, recipe: str | None, seeds: str | None, pack_: Path | None, jobs: int) -> int:
    """Measure what a recipe's worlds are like: edits, plans, load, luck, proofs, times; exit 4 if one cannot be built.

    With --json, one line a world, then the figures. A pack tells how broad its worlds are: live slots, plans, kinds of
    structure, pairs of slots.
    """
    from functools import partial

    from sandbox.cli.worlds_survey import report
    from sandbox.generate.recipe import load_recipe
    from sandbox.measure.jobs import each
    from sandbox.measure.pairs import allowed
    from sandbox.measure.survey import Failed, Surveyed, summarise, survey_world

    library = _library(settings)
    if pack_ is not None:
        if recipe is not None or seeds is not None:
            raise UsageError("a pack says itself which worlds it holds", "leave --recipe and --range out")
        return survey_pack(settings, library, pack_)
    seeds = seeds or "0-19"
    wanted = references(library, (), seeds, recipe)
    run = partial(survey_world, folder=settings.content)
    found: list[Surveyed] = []
    failed: list[Failed] = []
    for one in progress(each(run, wanted, jobs), len(wanted), "surveying"):
        if isinstance(one, Failed):
            failed.append(one)
        else:
            found.append(one)
        if settings.json:
            emit({"event": "world", **one.to_dict()})
    figures = summarise(found, failed, allowed(library, load_recipe(library, recipe or "default")))
    if settings.json:
        emit({"event": "summary", "recipe": recipe or "default", "range": seeds, **figures})
    else:
        report(figures, failed)
    return CheckFailed.exit_code if failed else 0


# --- what was asked for ---------------------------------------------------------------------------
def references(library: Content, refs: tuple[str, ...], seeds: str | None, recipe: str | None) -> list[str]:
    """The references that were typed, then those of the range. Raises UsageError before anything is built."""
    from sandbox.generate.recipe import load_recipe
    from sandbox.generate.reference import parse_reference

    if recipe is not None and seeds is None:
        raise UsageError("--recipe goes with --range", f"write {recipe}/SEED, or add --range A-B")
    if not refs and seeds is None:
        raise UsageError("no world was named", "name one, e.g. 7, or a range: --range 0-99")
    for ref in refs:
        parsed = parse_reference(ref)
        if parsed.path is None:
            load_recipe(library, parsed.recipe)
    found = list(refs)
    if seeds is not None:
        name = recipe or "default"
        load_recipe(library, name)
        found += [str(seed) if name == "default" else f"{name}/{seed}" for seed in seed_range(seeds)]
    return found


def seed_range(text: str) -> range:
    """The seeds of `A-B`, both included. Raises UsageError for what is no range, falls, or is longer than MOST."""
    found = re.fullmatch(r"(-?\d{1,18})-(-?\d{1,18})", text, re.ASCII)
    if not found:
        raise UsageError(f"{text!r} is no range of seeds", "write A-B, both included: --range 0-99")
    first, last = int(found[1]), int(found[2])
    if last < first:
        raise UsageError(f"the range {text!r} falls", f"the smaller seed comes first: --range {last}-{first}")
    if last - first >= _MOST:
        raise UsageError(f"the range {text!r} holds more than {_MOST:,} seeds", "ask for fewer: --range 0-999")
    return range(first, last + 1)


def _library(settings: Settings) -> Content:
    from sandbox.generate.content import content

    return content(settings.content)


def _recipe(library: Content, name: str) -> tuple[Recipe | None, str | None]:
    from sandbox.generate.recipe import load_recipe

    try:
        return load_recipe(library, name), None
    except UsageError as error:
        return None, error.message


def _recipe_record(name: str, recipe: Recipe | None, broken: str | None) -> dict[str, object]:
    if recipe is None:
        return {"recipe": name, "error": broken}
    examples = [f"{name}/{seed}" if name != "default" else str(seed) for seed in ("7", "moss")]
    return {
        "recipe": name,
        "about": recipe.about,
        "rooms": recipe.rooms,
        "things": recipe.things,
        "families": list(recipe.families),
        "draw": list(recipe.draw),
        "steps": list(recipe.steps),
        "actions": recipe.actions,
        "uses": recipe.uses,
        "dead_ends": recipe.dead_ends,
        "examples": examples,
    }


def _band(band: tuple[int, int]) -> str:
    return f"{band[0]}-{band[1]}"

