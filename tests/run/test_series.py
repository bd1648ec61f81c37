"""Plays in a row: which worlds they are."""

from __future__ import annotations

from itertools import islice

import pytest

from sandbox.errors import UsageError
from sandbox.run.series import references, variation


def test_the_named_world_comes_first() -> None:
    """Then each number draws anew what is to vary; with nothing to vary it is the same world."""
    assert list(islice(references("tiny/7", ("layout", "task")), 3)) == [
        "tiny/7", "tiny/7~layout~task", "tiny/7~layout.2~task",
    ]  # fmt: skip
    assert list(islice(references("7~rules", ("theme",)), 2)) == ["7~rules", "7~rules~theme"]
    assert list(islice(references("7", ("task",)), 3)) == ["7", "7~task", "7~task.2"]
    assert list(islice(references("7", ()), 2)) == ["7", "7"]


@pytest.mark.parametrize(("text", "parts"), [
    (None, ()), ("task", ("task",)), (" task , layout,task", ("layout", "task")), ("task,theme", ("theme", "task")),
])  # fmt: skip
def test_what_varies_is_drawn_in_one_order(text: str | None, parts: tuple[str, ...]) -> None:
    """However it was typed."""
    assert variation(text) == parts


@pytest.mark.parametrize("text", ["", ",", "layout,", "rules", "layuot", "7"])
def test_rules_do_not_vary(text: str) -> None:
    """Nothing, and whatever is no part that leaves the rules alone, is refused."""
    with pytest.raises(UsageError):
        variation(text)
