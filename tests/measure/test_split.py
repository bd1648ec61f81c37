"""Splits by rule: what is held out is nowhere in training, and that is proven on the worlds themselves."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from sandbox.errors import SplitError, UnknownName
from sandbox.generate.content import content
from sandbox.measure.pack import Asked, pack
from sandbox.measure.packfile import Pack
from sandbox.measure.split import Split, elements_of, parse_rule, split
from sandbox.world.world import World


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fourteen tiny worlds."""
    path = tmp_path_factory.mktemp("packs") / "some.pack"
    list(pack(Asked(tuple(f"tiny/{n}" for n in range(14)), quick=True), path, content(), None, 1))
    return path


def parted(path: Path, *rules: str) -> Split:
    """The split of a pack."""
    with Pack.open(path) as found:
        return split(found, [parse_rule(rule) for rule in rules])


def elements(path: Path) -> dict[str, frozenset[str]]:
    """Each world's families and values, from its own rules."""
    with Pack.open(path) as found:
        return {row.ref: elements_of(World.from_json(found.world(row))) for row in found.rows()}


def test_the_elements_of_a_world_are_its_families_and_values(packed: Path) -> None:
    """They are what the rows of the pack say, read from the worlds."""
    with Pack.open(packed) as found:
        for row in found.rows():
            slots = {f"{name}={value}" for name, value in row.record["slots"].items()}
            assert elements_of(World.from_json(found.world(row))) == {*row.record["families"], *slots}


def test_every_rule_splits_cleanly(packed: Path) -> None:
    """Whatever is held out: both sides together are the pack, and nothing of it is in training."""
    has = elements(packed)
    tried = 0
    for element in sorted({e for each in has.values() for e in each})[::5]:
        with_it = [ref for ref, each in has.items() if element in each]
        if len(with_it) == len(has):
            with pytest.raises(SplitError, match="0 worlds would be left for training"):
                parted(packed, f"value={element}")
            continue
        found = parted(packed, f"{'value' if '=' in element else 'family'}={element}")
        assert [entry.ref for entry in found.test] == with_it
        assert [entry.ref for entry in found.train] == [ref for ref in has if ref not in with_it]
        assert found.clean
        tried += 1
    assert tried > 5


def test_a_pair_is_held_out_while_each_half_is_seen(packed: Path) -> None:
    """Training has both halves, in no world together; where it would lack one, the split is refused."""
    has = elements(packed)
    families = sorted({e for each in has.values() for e in each if "=" not in e})
    clean = 0
    for a, b in combinations(families, 2):
        both = [ref for ref, each in has.items() if a in each and b in each]
        alone = [sum(e in each for ref, each in has.items() if ref not in both) for e in (a, b)]
        if clean == 3:
            break
        if not both or not all(alone):
            with pytest.raises(SplitError):
                parted(packed, f"pair={a}+{b}")
            continue
        found = parted(packed, f"pair={a}+{b}")
        assert found.clean
        assert [entry.ref for entry in found.test] == both
        assert found.seen == ((a, alone[0]), (b, alone[1]))
        clean += 1
    assert clean


@pytest.mark.parametrize(
    "text",
    ["", "lock", "family", "family=", "families=lock", "family=a+b", "family=rules/lock/match=shape", "value=lock",
     "value=rules/lock/match", "value=a=b", "pair=lock", "pair=lock+", "pair=lock+lock", "pair=a+b+c", "pair=lock+rules/x"],
)  # fmt: skip
def test_a_rule_that_cannot_be_read_is_refused(text: str) -> None:
    """The message names the forms that a rule has."""
    with pytest.raises(SplitError) as caught:
        parse_rule(text)
    assert caught.value.hint
    assert "family=NAME" in caught.value.hint


def test_what_no_world_has_is_an_error_with_the_nearest(packed: Path) -> None:
    """A misspelt family or value is no empty split."""
    family = max((e for each in elements(packed).values() for e in each if "=" not in e), key=len)
    with pytest.raises(UnknownName) as caught:
        parted(packed, f"family={family[:-1]}")
    assert caught.value.hint == f"did you mean {family!r}?"
