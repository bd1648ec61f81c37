"""Packing worlds: the same bytes whatever the processes and interruptions, and worlds that are the real ones."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from sandbox.certify.certificate import Certificate
from sandbox.errors import PackError
from sandbox.generate.content import Content, content
from sandbox.measure.audit import audit
from sandbox.measure.pack import Asked, left, pack
from sandbox.measure.packfile import Pack
from sandbox.measure.profile import profile
from sandbox.world.world import World
from tests.measure.conftest import Build

ASKED = Asked(tuple(f"tiny/{n}" for n in range(5)), (), "tiny", "0-4")


def written(path: Path, library: Content, asked: Asked = ASKED, jobs: int = 1) -> Path:
    """The pack, gone on with if it was begun."""
    list(pack(asked, path, library, left(path, asked.header(library)), jobs))
    return path


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five tiny worlds."""
    return written(tmp_path_factory.mktemp("packs") / "tiny.pack", content())


def test_a_row_says_what_is_said_of_the_world(packed: Path, world: Build, library: Content) -> None:
    """Certificate and load are those of `worlds show`, and the world is the exported one."""
    with Pack.open(packed) as found:
        for row in found.rows():
            built = world(row.ref)
            assert row.record["certificate"] == {
                **profile(built, library).certificate(),
                "plan": list(built.certificate.plan), "intents": list(built.certificate.intents),
                "families": list(built.certificate.families), "trace": list(built.certificate.trace),
            }  # fmt: skip
            assert row.record["digest"] == built.world.digest
            assert found.world(row) == built.world.to_json()


def test_a_packed_world_holds_without_its_generator(packed: Path) -> None:
    """World and certificate, both read from the pack, pass the independent audit."""
    with Pack.open(packed) as found:
        row = found.row("tiny/2")
        known = row.record["certificate"]
        fields: dict[str, Any] = {n: known[n] for n in Certificate.__dataclass_fields__}
        fields = {n: tuple(v) if isinstance(v, list) else v for n, v in fields.items()}
        proof = Certificate(**fields)
        assert audit(World.from_json(found.world(row)), proof) is None


def test_processes_and_interruptions_change_no_byte(packed: Path, tmp_path: Path, library: Content) -> None:
    """Cut off in the middle of a world and gone on with in two processes, it is the same file."""
    other = tmp_path / "tiny.pack"
    data = packed.read_bytes()
    other.write_bytes(data[: len(data) * 2 // 3])
    assert written(other, library, jobs=2).read_bytes() == data


def test_a_seed_without_a_world_is_a_row_too(impossible: Path, tmp_path: Path) -> None:
    """It says why; the others are there."""
    library = content(impossible)
    asked = Asked(("tiny/0", "impossible/1"))
    steps = list(pack(asked, tmp_path / "some.pack", library, None, 1))
    assert [(step.done, step.failed) for step in steps] == [(1, 0), (2, 1), (2, 1)]
    with Pack.open(tmp_path / "some.pack") as found:
        assert [row.failed for row in found.rows()] == [False, True]
        assert "impossible" in found.row("impossible/1").record["why"]


def test_a_quick_pack_has_the_same_worlds_and_less_said_of_them(packed: Path, tmp_path: Path, library: Content) -> None:
    """What takes as long as building is not known; everything else is as it would be."""
    asked = Asked(("tiny/0", "tiny/3"), quick=True)
    quick = written(tmp_path / "quick.pack", library, asked)
    with Pack.open(quick) as found, Pack.open(packed) as whole:
        for row in found.rows():
            full = whole.row(row.ref)
            assert found.world(row) == whole.world(full)
            proof, fuller = row.record["certificate"], full.record["certificate"]
            assert (row.record["live"], proof["surprises"], proof["load"]["trap"]) == (None, None, None)
            same = [key for key in fuller if key not in ("load", "surprises", "surprising", "prior_solvable")]
            assert [proof[key] for key in same] == [fuller[key] for key in same]
    with pytest.raises(PackError, match="measured otherwise"):
        left(quick, Asked(("tiny/0", "tiny/3")).header(library))


def test_another_pack_is_never_written_over(packed: Path, tmp_path: Path, library: Content) -> None:
    """Other worlds, other templates, or no pack at all: an error that says what the file is."""
    other = Asked(("tiny/9",), ("tiny/9",))
    with pytest.raises(PackError, match=r"other worlds: it was made by sandbox worlds pack --recipe tiny --range 0-4"):
        left(packed, other.header(library))
    with pytest.raises(PackError, match="have changed since"):
        left(packed, {**ASKED.header(library), "templates": "0"})
    with pytest.raises(PackError, match="of generator"):
        left(packed, {**ASKED.header(library), "generator": "0"})
    (tmp_path / "note.txt").write_text("dear diary")
    with pytest.raises(PackError, match="exists and is no pack"):
        left(tmp_path / "note.txt", ASKED.header(library))


def test_only_the_templates_that_a_recipe_names_decide(tmp_path: Path, library: Content) -> None:
    """A file that no recipe lists changes no pack; one that it lists does."""
    rules = tmp_path / "worlds" / "rules"
    rules.mkdir(parents=True)
    (rules / "unheard.rules.j2").write_text("# nothing\n")
    assert ASKED.header(Content(tmp_path)) == ASKED.header(library)
    shutil.copy(library.path("rules", "hands"), rules)
    with (rules / "hands.rules.j2").open("a") as file:
        file.write("# more\n")
    assert ASKED.header(Content(tmp_path)) != ASKED.header(library)
