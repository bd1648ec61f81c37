"""Packing worlds: each is built, measured and turned into the lines of a pack, in as many processes as are wanted.

A row holds what `worlds show --json` says of a world (its certificate with plan and load), what each row must have
to be chosen by (`sandbox.measure.where`), and nothing that depends on time or machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sandbox import GENERATOR_VERSION
from sandbox.certify.worlds import build
from sandbox.errors import CheckFailed, ConstraintError, PackError, TemplateError
from sandbox.generate.content import Content, content
from sandbox.generate.edits import choice_of
from sandbox.generate.recipe import load_recipe
from sandbox.generate.reference import parse_reference
from sandbox.measure.breadth import breadth
from sandbox.measure.jobs import each
from sandbox.measure.live import live_slots
from sandbox.measure.packfile import FORMAT, PackWriter, Whole, command, member, whole_worlds
from sandbox.measure.profile import profile
from sandbox.world.engine import Engine
from sandbox.world.keyed import digest


@dataclass(frozen=True, slots=True)
class Asked:
    """What a pack is to hold: the references typed, then those of a range of a recipe.

    `quick` leaves out what takes as long as building: live slots, surprises, and the share of traps.
    """

    refs: tuple[str, ...]
    typed: tuple[str, ...] = ()
    recipe: str | None = None
    seeds: str | None = None
    quick: bool = False

    def header(self, library: Content) -> dict[str, object]:
        """The first line of the pack: what was asked for, and all that decides what comes out."""
        return {
            "event": "pack", "format": FORMAT, "generator": GENERATOR_VERSION, "worlds": len(self.refs),
            "recipe": self.recipe, "range": self.seeds, "refs": list(self.typed), "quick": self.quick,
            "asked": digest("\n".join(self.refs).encode()), "templates": templates_digest(library, self.refs),
        }  # fmt: skip


def templates_digest(library: Content, refs: Iterable[str]) -> str:
    """The identity of the recipes of some references and of every file that these name."""
    recipes = sorted({parsed.recipe for ref in refs if (parsed := parse_reference(ref)).path is None})
    files: set[tuple[str, str]] = set()
    for name in recipes:
        recipe = load_recipe(library, name)
        files.add(("recipes", name))
        for sort, names in (
            ("rules", ("core", *recipe.families)), ("grammars", recipe.forms), ("observations", recipe.observations),
            ("feedback", recipe.voices), ("themes", recipe.themes),
        ):  # fmt: skip
            files |= {(sort, each_) for each_ in names}
    texts = (f"{sort}/{name}\0{library.text(sort, name)}" for sort, name in sorted(files))
    return digest("\0".join(texts).encode())


@dataclass(frozen=True, slots=True)
class Packed:
    """The lines of one reference: its world's digest, or why it has none, and the members to write."""

    ref: str
    digest: str | None
    why: str | None
    members: bytes


def pack_world(ref: str, folder: Path | None = None, *, quick: bool = False) -> Packed:
    """Build and measure one world with the content of a folder, and pack it."""
    library = content(folder)
    try:
        built = build(ref, library)
    except (ConstraintError, CheckFailed, TemplateError) as error:
        return Packed(ref, None, error.message, member({"event": "failed", "ref": ref, "why": error.message}))
    world, live = built.world, {} if quick else live_slots(built, library)
    found = profile(built, library, live, thorough=not quick)
    structure = frozenset(slot.full for slot in choice_of(library, world).slots if slot.kind == "structure")
    broad = breadth(world, built.certificate.families, built.solved.dynamics, found.played, live, structure)
    record = {
        "event": "row", "ref": ref, "digest": world.digest, "recipe": world.origin.recipe, "seed": world.origin.seed,
        "attempt": world.origin.attempt, "families": list(world.rules.families[1:]),
        "rooms": len(world.layout.rooms), "objects": len(world.layout.objects), "axes": world.parts,
        "slots": dict(world.slots), "goal": Engine(world).goal_text, "certificate": found.certificate(),
        "live": broad.live, "dead": broad.dead, "live_structure": broad.live_structure, "kinds": broad.kinds,
        "skeleton": broad.skeleton, "errands": [broad.errands, broad.commands],
    }  # fmt: skip
    if quick:
        record |= dict.fromkeys(("live", "dead", "live_structure"))
    return Packed(ref, world.digest, None, member(record) + member(world.to_json()))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far packing is: references packed, those of them that failed, and the digest once all is packed."""

    done: int
    failed: int
    last: Packed | None = None
    digest: str | None = None


def left(path: Path, header: dict[str, object]) -> Whole | None:
    """What an earlier run left of the same pack, or None where there is no file.

    Raises PackError when the file is another pack, or none: it is never written over.
    """
    if not path.exists() or not path.stat().st_size:
        return None
    whole = whole_worlds(path)
    if whole.header is None:
        raise PackError(f"{str(path)!r} exists and is no pack", "name another file: --out FILE")
    if whole.header == header:
        return whole
    for key, said in (
        ("asked", "other worlds: it was made by " + command(whole.header, path)),
        ("generator", f"worlds of generator {whole.header.get('generator')}, this one is {header['generator']}"),
        ("quick", "the same worlds, measured otherwise: it was made by " + command(whole.header, path)),
        ("templates", "worlds of templates or recipes that have changed since"),
    ):
        if whole.header.get(key) != header[key]:
            raise PackError(f"{str(path)!r} is a pack of {said}", "name another file, or delete that one")
    raise PackError(f"{str(path)!r} is another pack", "name another file: --out FILE")


def pack(asked: Asked, path: Path, library: Content, whole: Whole | None, jobs: int) -> Iterator[Progress]:
    """Write the pack, going on behind what is `whole`; a step of progress for each reference, then a last one.

    The order of the rows is that of the references, however many processes share the work. A pack that is complete is
    left as it is.
    """
    done = len(whole.rows) if whole else 0
    failed = whole.failed if whole else 0
    if whole and whole.complete:
        yield Progress(done, failed, digest=whole.digest)
        return
    run = partial(pack_world, folder=library.extra, quick=asked.quick)
    with PackWriter(path, asked.header(library), whole) as writer:
        for packed in each(run, asked.refs[done:], jobs):
            writer.add(packed.ref, packed.digest or str(packed.why), packed.members)
            done, failed = done + 1, failed + (packed.digest is None)
            yield Progress(done, failed, packed)
        yield Progress(done, failed, digest=writer.finish())
