"""The file of a pack: written line by line, read by anybody's gzip, and honest about what is missing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sandbox.errors import PackError, UnknownName
from sandbox.measure.packfile import FORMAT, Pack, PackWriter, member, whole_worlds

HEADER = {"event": "pack", "format": FORMAT, "worlds": 5, "recipe": "tiny", "range": "0-4", "refs": []}


def row(number: int) -> bytes:
    """A world's two lines."""
    record = {"event": "row", "ref": f"tiny/{number}", "digest": f"d{number}", "text": "é" * number}
    return member(record) + member(json.dumps({"world": number}))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A complete pack of four worlds and a failure."""
    file = tmp_path / "some.pack"
    with PackWriter(file, HEADER) as writer:
        for number in range(4):
            writer.add(f"tiny/{number}", f"d{number}", row(number))
        writer.add("tiny/4", "no goal", member({"event": "failed", "ref": "tiny/4", "why": "no goal"}))
        writer.finish()
    return file


def test_a_pack_is_a_gzip_file_of_json_lines(path: Path) -> None:
    """Any gzip reader prints it: header, row and world in turn, failures, index."""
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    assert [line.get("event", "world") for line in lines] == ["pack", *["row", "world"] * 4, "failed", "index"]


def test_rows_and_worlds_are_found_by_their_reference(path: Path) -> None:
    """A world is read without reading what stands before it."""
    with Pack.open(path) as pack:
        assert len(pack) == 5
        assert [r.ref for r in pack.rows()] == [f"tiny/{n}" for n in range(5)]
        assert pack.world(pack.row("tiny/3")) == '{"world": 3}'
        with pytest.raises(UnknownName, match="tiny/33"):
            pack.row("tiny/33")
        with pytest.raises(PackError, match="no goal"):
            pack.world(pack.row("tiny/4"))


def test_a_pack_cut_off_anywhere_says_what_is_left(path: Path) -> None:
    """Whatever the length, it is refused with the number of whole worlds and the command that goes on."""
    data = path.read_bytes()
    whole = []
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(PackError) as caught:
            Pack.open(path)
        if "is no pack" not in caught.value.message:
            assert caught.value.hint == f"go on where it was: sandbox worlds pack --recipe tiny --range 0-4 --out {path}"
            whole.append(int(caught.value.message.split(" of 5 worlds are whole")[0].rsplit(maxsplit=1)[1]))
    assert set(whole) == set(range(6))
    assert whole == sorted(whole)


def test_any_damaged_byte_of_a_world_is_noticed(path: Path) -> None:
    """A flipped byte in rows or worlds is an error where it is read, and what stands before it counts as whole."""
    data = path.read_bytes()
    with Pack.open(path) as pack:
        begin, end = pack.row("tiny/2").at, pack.row("tiny/3").at
    for at in range(begin, end):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        left = whole_worlds(path)
        harmless = not left.why  # time, level and system of a gzip header mean nothing
        assert harmless or (len(left.rows) == 2 and not left.complete)
        if not harmless:
            with Pack.open(path) as pack, pytest.raises(PackError, match=r"2 of 5 worlds are whole"):
                [pack.world(r) for r in pack.rows() if not r.failed]


def test_going_on_gives_the_same_bytes(path: Path) -> None:
    """A pack that was cut off and finished later equals one that was written at once."""
    data = path.read_bytes()
    for length in range(len(member(HEADER)), len(data), 37):
        path.write_bytes(data[:length])
        whole = whole_worlds(path)
        with PackWriter(path, HEADER, whole) as writer:
            for number in range(len(whole.rows), 4):
                writer.add(f"tiny/{number}", f"d{number}", row(number))
            if len(whole.rows) < 5:
                writer.add("tiny/4", "no goal", member({"event": "failed", "ref": "tiny/4", "why": "no goal"}))
            writer.finish()
        assert path.read_bytes() == data


@pytest.mark.parametrize(
    "data", [b"", b"hello", gzip.compress(b"{}\n", mtime=0), member({"event": "row"}), b"\x1f\x8b\x08\x04"], ids=range(5)
)
def test_another_file_is_no_pack(tmp_path: Path, data: bytes) -> None:
    """What has no header of ours is refused as such."""
    file = tmp_path / "other"
    file.write_bytes(data)
    with pytest.raises(PackError, match="is no pack"):
        Pack.open(file)
    with pytest.raises(PackError, match="cannot read the pack"):
        Pack.open(tmp_path / "missing")


def test_a_pack_of_another_version_is_refused(tmp_path: Path) -> None:
    """A format that this version does not read is named."""
    file = tmp_path / "new.pack"
    with PackWriter(file, {**HEADER, "format": 99}) as writer:
        writer.finish()
    with pytest.raises(PackError, match="pack format 99"):
        Pack.open(file)
