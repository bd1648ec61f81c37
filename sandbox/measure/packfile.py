"""The file of a pack: a gzip file of JSON lines that can be read from both ends.

Every line is a gzip member of its own, so that `zcat FILE` prints the whole pack, and it can be written line by line
and cut off anywhere. The extra field of a member's header says how long the member is (as in BGZF, the blocked gzip of
genomics: SAM specification, section 4.1): a reader steps from line to line without unpacking. The lines are

    {"event":"pack", …}     what was asked for, and by which generator and templates
    {"event":"row", …}      a world's certificate, load and slots, followed by a line with the exported world itself,
    {"event":"failed", …}   or a seed for which no world could be built, and why
    {"event":"index", …}    where each row begins; only a complete pack has one

and, last of all, an empty member of fixed length whose extra field says where the index begins. Equal lines give equal
bytes (with the same zlib).
"""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from sandbox.errors import PackError, UnknownName
from sandbox.world.keyed import digest

FORMAT: Final = 1
_HEAD: Final = struct.Struct("<4sIBBHHHI")  # magic and flags, time, level, system, length of the extra field, and that
_MAGIC: Final = b"\x1f\x8b\x08\x04"
_UNKNOWN_SYSTEM: Final = 255
_SIZE: Final = int.from_bytes(b"SX", "little")
_END: Final = struct.Struct("<4sIBBHHHQ2sII")
_INDEX: Final = int.from_bytes(b"SI", "little")
_EMPTY: Final = b"\x03\x00"
_TAIL: Final = struct.Struct("<II")
_LEVEL: Final = 6
_LONGEST: Final = 1 << 28
"""A line that claims to be longer is damage, whatever it holds."""


@dataclass(frozen=True, slots=True)
class Row:
    """A packed world without the world itself: its record, and where in the file it begins."""

    record: Mapping[str, Any]
    at: int

    @property
    def ref(self) -> str:
        """The reference of the world."""
        return str(self.record["ref"])

    @property
    def failed(self) -> bool:
        """Whether no world could be built for the reference."""
        return str(self.record["event"]) == "failed"


def member(data: Mapping[str, Any] | str) -> bytes:
    """One line as a gzip member that says how long it is. A text is a line that is JSON already."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    line = text.encode("utf-8", "surrogatepass") + b"\n"
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(line) + packer.flush()
    size = _HEAD.size + len(body) + _TAIL.size
    head = _HEAD.pack(_MAGIC, 0, 0, _UNKNOWN_SYSTEM, 8, _SIZE, 4, size)
    return head + body + _TAIL.pack(zlib.crc32(line), len(line) & 0xFFFFFFFF)


def _end(index_at: int) -> bytes:
    return _END.pack(_MAGIC, 0, 0, _UNKNOWN_SYSTEM, 12, _INDEX, 8, index_at, _EMPTY, 0, 0)


class _Torn(Exception):
    """The file ends, or is not what it should be, at an offset."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at, self.why = at, why


def _read(file: BinaryIO, at: int) -> tuple[bytes, int]:
    """The line of the member at an offset, and the offset of the next one. Raises _Torn."""
    size = _size(file, at)
    packed = file.read(size - _HEAD.size)
    if len(packed) < size - _HEAD.size:
        raise _Torn(at, "it ends in the middle of a line")
    body, (checksum, length) = packed[: -_TAIL.size], _TAIL.unpack(packed[-_TAIL.size :])
    try:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        line = unpacker.decompress(body, _LONGEST)
    except zlib.error:
        raise _Torn(at, "a line is damaged") from None
    if len(line) & 0xFFFFFFFF != length or zlib.crc32(line) != checksum or unpacker.unconsumed_tail:
        raise _Torn(at, "a line is damaged")
    return line, at + size


def _size(file: BinaryIO, at: int) -> int:
    """The length of the member at an offset; the file stands behind its head. Raises _Torn."""
    file.seek(at)
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise _Torn(at, "it ends before it is complete" if not head else "it ends in the middle of a line")
    magic, _, _, _, _, name, _, size = _HEAD.unpack(head)
    if magic != _MAGIC or name != _SIZE or not _HEAD.size + _TAIL.size < size < _LONGEST:
        raise _Torn(at, "a line is damaged")
    return int(size)


def _json(line: bytes, at: int) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        raise _Torn(at, "a line is no JSON") from None
    if not isinstance(found, dict):
        raise _Torn(at, "a line is no JSON object")
    return found


def rows_of(members: bytes) -> list[dict[str, Any]]:
    """The lines of some members that are no worlds, as they were before they were packed."""
    lines = gzip.decompress(members).splitlines()
    return [record for line in lines if "event" in (record := json.loads(line))]


# --- reading --------------------------------------------------------------------------------------
class Pack:
    """A complete pack, open for reading. Use it as a context manager.

    Every method raises PackError, which says how many worlds are whole, when the file is damaged where it reads.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self._file = path, file
        try:
            self.header = _header(file)
            self._rows: list[tuple[str, int]] = self._load_index()
            self._at = dict(self._rows)
        except _Torn as torn:
            raise self._damaged(torn) from None

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a complete pack. Raises PackError for another file, and for a pack that was cut off or damaged."""
        try:
            file = path.open("rb")
        except OSError as error:
            raise PackError(f"cannot read the pack {str(path)!r}: {error.strerror}", "check the path") from None
        try:
            return cls(path, file)
        except BaseException:
            file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        """How many references were packed, those that failed included."""
        return len(self._rows)

    @property
    def refs(self) -> tuple[str, ...]:
        """Every reference, in the order of the file."""
        return tuple(ref for ref, _ in self._rows)

    def rows(self) -> Iterator[Row]:
        """Every row, in the order of the file."""
        for _, at in self._rows:
            yield self._row(at)

    def row(self, ref: str) -> Row:
        """The row of a reference. Raises UnknownName with the nearest."""
        at = self._at.get(ref)
        if at is None:
            near = [known for known, _ in self._rows[:2000]]
            raise UnknownName(f"world of the pack {self.path.name}", ref, near)
        return self._row(at)

    def world(self, row: Row) -> str:
        """The exported world of a row: canonical JSON. Raises PackError for a row without one."""
        if row.failed:
            raise PackError(f"{row.ref} is in the pack without a world: {row.record['why']}", "choose another one")
        try:
            return _read(self._file, row.at + _size(self._file, row.at))[0].decode("utf-8", "surrogatepass").rstrip()
        except _Torn as torn:
            raise self._damaged(torn) from None

    def _row(self, at: int) -> Row:
        try:
            return Row(_json(_read(self._file, at)[0], at), at)
        except _Torn as torn:
            raise self._damaged(torn) from None

    def _load_index(self) -> list[tuple[str, int]]:
        length = self._file.seek(0, 2)
        self._file.seek(max(0, length - _END.size))
        end = self._file.read(_END.size)
        known = _END.unpack(end) if len(end) == _END.size else None
        if known is None or known[0] != _MAGIC or known[5] != _INDEX:
            raise _Torn(length, "it ends before it is complete")
        at = known[7]
        if not 0 <= at < length:
            raise _Torn(length, "its index is damaged")
        index = _json(_read(self._file, at)[0], at)
        if index.get("event") != "index":
            raise _Torn(at, "its index is damaged")
        return [(str(ref), int(at)) for ref, at in index["rows"]]

    def _damaged(self, torn: _Torn) -> PackError:
        whole = whole_worlds(self.path)
        return damaged(self.path, whole, torn.why)


def damaged(path: Path, whole: Whole, why: str) -> PackError:
    """What is left of a pack, and how to go on."""
    if whole.header is None:
        return PackError(f"{str(path)!r} is no pack", "make one: sandbox worlds pack --range 0-99 --out FILE")
    asked = whole.header.get("worlds")
    return PackError(
        f"the pack {str(path)!r} is not complete: {why}; {len(whole.rows)} of {asked} worlds are whole",
        f"go on where it was: {command(whole.header, path)}",
    )


def command(header: Mapping[str, Any], path: Path) -> str:
    """The command that makes a pack, or goes on with it."""
    words = [f"--recipe {header['recipe']} --range {header['range']}"] if header.get("range") else []
    words += ["--quick"] if header.get("quick") else []
    return " ".join(["sandbox worlds pack", *header.get("refs", ()), *words, "--out", str(path)])


def _header(file: BinaryIO) -> dict[str, Any]:
    line, _ = _read(file, 0)
    header = _json(line, 0)
    if header.get("event") != "pack":
        raise _Torn(0, "it has no header")
    if header.get("format") != FORMAT:
        raise PackError(f"pack format {header.get('format')!r}, this version reads {FORMAT}", "pack it again")
    return header


# --- writing, and going on ------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Whole:
    """What of a file is whole: its header (None if it is no pack), its rows, where they end, and whether it is all.

    `failed` of the rows have no world; `why` says what is wrong behind the last whole one.
    """

    header: Mapping[str, Any] | None
    rows: tuple[tuple[str, int], ...] = ()
    digests: tuple[str, ...] = ()
    failed: int = 0
    end: int = 0
    complete: bool = False
    why: str = ""

    @property
    def digest(self) -> str:
        """The digest of all worlds so far."""
        return _all(self.digests)


def whole_worlds(path: Path) -> Whole:
    """Read a file from its beginning as far as it is whole: every line is unpacked and its checksum compared."""
    with path.open("rb") as file:
        try:
            header = _header(file)
        except _Torn:
            return Whole(None)
        at = _read(file, 0)[1]
        rows: list[tuple[str, int]] = []
        digests: list[str] = []
        failed, complete, why = 0, False, ""
        try:
            while (found := _next(file, at)) is not None:
                record, after = found
                rows.append((str(record["ref"]), at))
                digests.append(str(record.get("digest", record.get("why"))))
                failed, at = failed + (record["event"] == "failed"), after
            complete = _ended(file, at)
        except _Torn as torn:
            why = torn.why
        return Whole(header, tuple(rows), tuple(digests), failed, at, complete, why)


def _next(file: BinaryIO, at: int) -> tuple[dict[str, Any], int] | None:
    """The row at an offset, its world read too, and the offset of the next one; None at the index. Raises _Torn."""
    line, after = _read(file, at)
    record = _json(line, at)
    if record.get("event") == "index":
        return None
    if record.get("event") not in ("row", "failed") or "ref" not in record:
        raise _Torn(at, "a line is out of place")
    return record, _read(file, after)[1] if record["event"] == "row" else after


def _ended(file: BinaryIO, index_at: int) -> bool:
    """Whether the index is followed by the end, and by nothing else."""
    file.seek(_read(file, index_at)[1])
    return file.read() == _end(index_at)


def _all(digests: Iterable[str]) -> str:
    return digest("\n".join(digests).encode())


class PackWriter:
    """Writes a pack line by line; what was written before stays whole whatever happens. A context manager.

    `whole` is what is left of an earlier run: writing goes on behind it, and what came after it is cut away.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], whole: Whole | None = None) -> None:
        self._file = path.open("r+b" if whole else "wb")
        self._rows = list(whole.rows) if whole else []
        self._digests = list(whole.digests) if whole else []
        if whole:
            self._file.truncate(whole.end)
            self._file.seek(whole.end)
        else:
            self._file.write(member(header))
            self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, ref: str, identity: str, members: bytes) -> None:
        """Write the members of one reference: its row and its world, or why there is none."""
        self._rows.append((ref, self._file.tell()))
        self._digests.append(identity)
        self._file.write(members)
        self._file.flush()

    def finish(self) -> str:
        """Write index and end; returns the digest of all worlds of the pack."""
        whole = _all(self._digests)
        at = self._file.tell()
        self._file.write(member({"event": "index", "digest": whole, "rows": self._rows}) + _end(at))
        self._file.flush()
        return whole
