"""Splits by rule: worlds that hold something which no world of the other side has.

    family=lock                                   worlds whose rules have the family are held out
    value=rules/lock/match=shape                  … that have a slot at this value
    pair=lock+rules/hands/limit=weight            … that have both (families or values), each alone seen in training

Everything is decided, and then proven, on the exported worlds themselves, not on what a pack says of them: the
families are those of their rules, the slots theirs, and the digests are computed anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import SplitError, UnknownName
from sandbox.measure.packfile import Pack
from sandbox.measure.suite import Entry, suite_text
from sandbox.world.world import World

_HELP = "write family=NAME, value=SLOT=VALUE, or pair=A+B of families or SLOT=VALUE"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What is held out: one element, or the meeting of two. An element is a family or `slot=value`."""

    text: str
    elements: tuple[str, ...]

    def holds(self, elements: Collection[str]) -> bool:
        """Whether a world with these elements is on the held-out side."""
        return all(element in elements for element in self.elements)


def parse_rule(text: str) -> HeldOut:
    """The rule of a split. Raises SplitError with the forms that a rule can have."""
    sort, _, rest = text.partition("=")
    parts = tuple(part.strip() for part in rest.split("+"))
    wanted = {"family": 1, "value": 1, "pair": 2}.get(sort.strip())
    if wanted is None or len(parts) != wanted or not all(parts) or len(set(parts)) < len(parts):
        raise SplitError(f"{text!r} is no rule of a split", _HELP)
    for part in parts:
        named, valued = "/" not in part and "=" not in part, "/" in part and part.count("=") == 1
        if not (valued if sort == "value" else named if sort == "family" else valued or named):
            raise SplitError(f"{text!r}: {part!r} is no {'family' if sort == 'family' else 'SLOT=VALUE'}", _HELP)
    return HeldOut(f"{sort.strip()}={'+'.join(parts)}", parts)


def elements_of(world: World) -> frozenset[str]:
    """The families and slot values of a world, read from its rules and its slots."""
    families = (file.rpartition("/")[2].partition(".")[0] for file, _ in world.sources)
    return frozenset(families) - {"core"} | {f"{slot}={value}" for slot, value in world.slot_values}


@dataclass(frozen=True, slots=True)
class Split:
    """The two sides, and what proves that they do not overlap.

    `same_worlds` counts digests on both sides, `leaked` training worlds that meet a rule, `misplaced` held-out worlds
    that meet none; all of them have to be 0. `seen` counts, for each element of a pair, the training worlds with it.
    """

    rules: tuple[HeldOut, ...]
    train: tuple[Entry, ...]
    test: tuple[Entry, ...]
    same_worlds: int
    leaked: int
    misplaced: int
    seen: tuple[tuple[str, int], ...]

    @property
    def clean(self) -> bool:
        """Whether nothing is on both sides."""
        return not (self.same_worlds or self.leaked or self.misplaced)


def split(pack: Pack, rules: Iterable[HeldOut], passing: Callable[[Iterable[str]], Iterable[str]] = iter) -> Split:
    """Split the worlds of a pack. `passing` is handed the references and may show how far it is.

    Raises UnknownName for an element that no world of the pack has, and SplitError when a side would be empty, or when
    half of a pair would never be seen in training.
    """
    wanted = tuple(rules)
    worlds = list(_worlds(pack, passing))
    known = {element for _, elements in worlds for element in elements}
    for element in (e for rule in wanted for e in rule.elements):
        if element not in known:
            raise UnknownName(f"family or value in {pack.path.name}", element, known)
    train = [(e, has) for e, has in worlds if not any(rule.holds(has) for rule in wanted)]
    test = [(e, has) for e, has in worlds if any(rule.holds(has) for rule in wanted)]
    said = ", ".join(rule.text for rule in wanted)
    if not train or not test:
        raise SplitError(f"{said}: {len(train)} worlds would be left for training, {len(test)} held out",
                         "hold out something that some worlds have and others have not")  # fmt: skip
    counted = Counter(element for _, has in train for element in has)
    seen = tuple((e, counted[e]) for rule in wanted if len(rule.elements) > 1 for e in rule.elements)
    for element, count in seen:
        if not count:
            raise SplitError(f"{said}: no world for training has {element}", "then it is that which you hold out")
    digests = {entry.digest for entry, _ in train}
    return Split(
        wanted, tuple(e for e, _ in train), tuple(e for e, _ in test),
        same_worlds=sum(entry.digest in digests for entry, _ in test),
        leaked=sum(rule.holds(has) for _, has in train for rule in wanted),
        misplaced=sum(not any(rule.holds(has) for rule in wanted) for _, has in test), seen=seen,
    )  # fmt: skip


def _worlds(pack: Pack, passing: Callable[[Iterable[str]], Iterable[str]]) -> Iterator[tuple[Entry, frozenset[str]]]:
    """Every world of a pack with its own digest and elements."""
    for ref in passing(pack.refs):
        row = pack.row(ref)
        if not row.failed:
            world = World.from_json(pack.world(row))
            yield Entry(ref=ref, digest=world.digest), elements_of(world)


def write_sides(found: Split, folder: Path) -> list[str]:
    """Write both sides as suites, train.toml and test.toml, and return the names of the files."""
    said = ", ".join(rule.text for rule in found.rules)
    files = []
    for name, about, entries in (
        ("train", f"For training: no world has {said}.", found.train), ("test", f"Held out: {said}.", found.test),
    ):  # fmt: skip
        path = folder / f"{name}.toml"
        path.write_text(suite_text(about, entries), "utf-8")
        files.append(str(path))
    return files
