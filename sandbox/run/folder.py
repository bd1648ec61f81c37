"""Skills as folders: one a skill, with what it is (SKILL.md), its code (skill.py) and the calls that proved it.

What comes back from a folder was in other hands. It is read and checked, never run: a skill whose files are as they
were written is the same version; one that was edited is a new version, a candidate like any other, whose parent is
the one that was edited. `notes.json` holds what a library knows beside its skills.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from sandbox.agent.library import Note, Skill, content_digest
from sandbox.agent.skillcode import NAME, Fault, faults
from sandbox.errors import UsageError, why
from sandbox.run.book import Book, Version

ABOUT, CODE, TESTS, NOTES = "SKILL.md", "skill.py", "tests.json", "notes.json"
LARGEST: Final = 1 << 20
"""How many bytes a file may have."""
LICENCE: Final = "as the library it comes from"
SEE: Final = "export a skill to see what it looks like"
_HEAD: Final = (
    "name", "description", "parameters", "pre", "post", "uses", "origin", "source", "parent", "digest", "status",
    "calls", "proofs", "licence",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A skill in a folder. `edited` says that it is not what was written there; `parent` what it was then."""

    folder: Path
    skill: Skill
    edited: bool


def export(book: Book, folder: Path) -> list[Path]:
    """Write the newest versions of a library, one folder each; raises UsageError where something stands there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{str(folder)!r} is not empty", "name a new folder")
    written: list[Path] = []
    for version in book.newest():
        name = version.skill.name
        if not NAME.match(name):
            raise UsageError(f"the skill {name!r} has no name that a folder can have", "it stays in the library")
        place = folder / name
        if place in written:
            place = folder / f"{name}-{version.digest[:6]}"
        _write(place / CODE, version.skill.code)
        _write(place / TESTS, json.dumps(list(version.skill.tests), indent=2) + "\n")
        _write(place / ABOUT, _about(book, version))
        written.append(place)
    notes = [{"kind": note.kind, "key": note.key, "value": note.value} for note in book.notes]
    _write(folder / NOTES, json.dumps(notes, indent=1) + "\n")
    return written


def read(folder: Path) -> tuple[list[Found], list[Note]]:
    """The skills and notes in a folder, or the one skill that it is. Raises UsageError for what is no such folder."""
    if not folder.is_dir():
        raise UsageError(f"{str(folder)!r} is no folder", "name a folder that sandbox skills export wrote")
    places = [folder] if (folder / ABOUT).is_file() else sorted(one.parent for one in folder.glob(f"*/{ABOUT}"))
    if not places:
        raise UsageError(f"no {ABOUT} in {str(folder)!r}", "a skill is a folder with SKILL.md, skill.py and tests.json")
    notes = list(_notes(folder / NOTES)) if (folder / NOTES).is_file() else []
    return [_skill(place) for place in places], notes


def check(found: Collection[Found], known: Collection[str]) -> list[tuple[Path, Fault]]:
    """What is wrong with skills, each with its file. `known` names the skills of the library."""
    names = {*known, *(one.skill.name for one in found)}
    return [
        (one.folder / (CODE if fault.line else ABOUT), fault)
        for one in found for fault in faults(one.skill, None, names - {one.skill.name})
    ]  # fmt: skip


def _about(book: Book, version: Version) -> str:
    skill = version.skill
    known = book.known(version, version.regimes[-1]) if version.regimes else None
    values: tuple[object, ...] = (
        skill.name, skill.summary, skill.params, skill.pre, skill.post, skill.uses, skill.origin, dict(skill.source),
        skill.parent, version.digest, known.status if known else "candidate", len(version.calls),
        sum(call.proves for call, _ in version.calls), LICENCE,
    )  # fmt: skip
    head = [f"{name}: {json.dumps(value)}" for name, value in zip(_HEAD, values, strict=True)]
    params = ", ".join(name for name, _ in skill.params)
    return "\n".join(["---", *head, "---", "", f"# {skill.name}({params})", "", skill.summary, ""])


def _skill(place: Path) -> Found:
    head = _head(place / ABOUT)
    tests = _json(place / TESTS) if (place / TESTS).exists() else []
    try:
        skill = Skill(
            name=_text(head["name"]),
            params=tuple((_text(name), _text(kind)) for name, kind in head["parameters"]),
            code=_read(place / CODE),
            summary=_text(head["description"]),
            pre=_facts(head["pre"]),
            post=_facts(head["post"]),
            uses=tuple(map(_text, head.get("uses", ()))),
            origin=_text(head.get("origin", "import")),
            source={_text(key): _text(value) for key, value in dict(head.get("source") or {}).items()},
            parent=None if head.get("parent") is None else _text(head["parent"]),
            tests=tuple(dict(test) for test in tests),
        )
    except KeyError as error:
        raise UsageError(f"{place / ABOUT}: no line {error.args[0]}: …", SEE) from None
    except (TypeError, ValueError, AttributeError):
        raise UsageError(f"{place / ABOUT}: a value of the wrong kind", SEE) from None
    written = head.get("digest")
    edited = content_digest(skill) != written
    if edited:
        skill = replace(skill, origin="import", parent=written if isinstance(written, str) else None)
    return Found(place, skill, edited)


def _head(path: Path) -> Mapping[str, Any]:
    lines = _read(path).split("\n")
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        raise UsageError(f"{path}: no head between two lines of ---", SEE)
    found: dict[str, Any] = {}
    for number, line in enumerate(lines[1 : lines.index("---", 1)], 2):
        name, colon, value = line.partition(": ")
        if name not in _HEAD or not colon:
            raise UsageError(f"{path}, line {number}: {line[:40]!r} is none of {', '.join(_HEAD)}")
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            raise UsageError(f"{path}, line {number}: no JSON", "a text stands in double quotes") from None
    return found


def _notes(path: Path) -> Iterator[Note]:
    rows = _json(path)
    for row in rows:
        match row:
            case {"kind": str(kind), "key": str(key), "value": value, **rest} if not rest:
                yield Note(kind, key, value)
            case _:
                raise UsageError(f"{path}: a note has a kind, a key and a value", "leave the file out")


def _json(path: Path) -> list[Any]:
    try:
        found = json.loads(_read(path))
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is no JSON", SEE) from None
    if not isinstance(found, list):
        raise UsageError(f"{path} holds no list", SEE)
    return found


def _facts(given: Any) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(_text, fact)) for fact in given)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path} has more than {LARGEST} bytes", "a skill is a small text")
        return path.read_bytes().decode("utf-8", "surrogatepass")
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {why(error)}", SEE) from None


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {why(error)}", "name another folder") from None
