"""The worlds that are kept: whatever changes one changes scores, and has to be said in the changelog."""

from __future__ import annotations

import json

import pytest

from tests.golden.refresh import WORLDS, golden, references

KEPT = json.loads(WORLDS.read_text(encoding="utf-8"))


def test_every_recipe_and_sort_of_edit_is_kept() -> None:
    """The file has one entry for each reference, no more and no fewer."""
    assert list(KEPT) == references()


@pytest.mark.parametrize("ref", KEPT)
def test_a_kept_world_is_built_again(ref: str) -> None:
    """Same digests, goal, tier and plan (`python -m tests.golden.refresh` writes them anew)."""
    assert golden(ref) == KEPT[ref]
