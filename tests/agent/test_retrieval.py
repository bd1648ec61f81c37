"""Which skills are offered for a task, and in which order."""

from __future__ import annotations

import pytest

from sandbox.agent.library import Fact, Known, Skill
from sandbox.agent.retrieval import by_description, lower_bound, retrieve, unified
from sandbox.agent.tasks import Task


def known(name: str, post: tuple[Fact, ...] = (), status: str = "active", summary: str = "", calls: int = 0, proofs: int = 0) -> Known:
    """A skill of two parameters."""
    return Known(name, Skill(name, (("x", "thing"), ("y", "room")), "", summary, (), post), status, calls, proofs)


FETCH = known("fetch", (("held", "x"), ("at", "y")), calls=4, proofs=4)
PUT = known("put", (("in", "x", "y"),), summary="put a thing into a room")
TASK = Task((("in", "cup", "hall"),), why="a thing into the hall")


def test_what_makes_it_true_comes_before_what_reads_like_it() -> None:
    """With what its parameters stand for."""
    (first, second) = retrieve([FETCH, PUT], TASK)
    assert (first.known, first.matches, first.args) == (PUT, True, ("cup", "hall"))
    assert (second.known, second.matches, second.args) == (FETCH, False, None)
    assert first.score > second.score > 0


def test_what_is_broken_is_not_offered_and_suspects_only_alone() -> None:
    """Retired, broken: never."""
    broken = [known("a", PUT.skill.post, status) for status in ("broken", "retired")]
    suspect = known("b", PUT.skill.post, "suspect")
    assert [offer.known for offer in retrieve([*broken, suspect], TASK)] == [suspect]
    assert [offer.known for offer in retrieve([*broken, suspect, FETCH], TASK)] == [FETCH]
    assert retrieve([], TASK) == []


@pytest.mark.parametrize(("post", "wanted", "found"), [
    ([("held", "x")], [("held", "cup")], {"x": "cup"}),
    ([("held", "x"), ("at", "y")], [("held", "cup")], {"x": "cup"}),
    ([("held", "x")], [("held", "cup"), ("at", "hall")], None),
    ([("word", "x", "wet")], [("word", "cup", "wet")], {"x": "cup"}),
    ([("word", "x", "wet")], [("word", "cup", "dry")], None),
    ([("not", "held", "x")], [("held", "cup")], None),
    ([("not", "held", "x")], [("not", "held", "cup")], {"x": "cup"}),
    ([("held", "x"), ("word", "x", "wet")], [("held", "cup"), ("word", "egg", "wet")], None),
    ([("in", "x", "x")], [("in", "cup", "hall")], None),
    ([("held", "x")], [], None),
])  # fmt: skip
def test_a_promise_says_a_task_or_not(post: list[Fact], wanted: list[Fact], found: dict[str, str] | None) -> None:
    """All facts of the task, each parameter standing for one thing."""
    assert unified(post, wanted) == found


def test_descriptions_alone_rank_the_published_library() -> None:
    """By words, the likest first."""
    one, two = known("a", summary="cut the wood"), known("b", summary="light the lamp")
    assert by_description([one, two], "how to light a lamp?") == [two, one]
    assert by_description([one, two], "???") == [one, two]


def test_few_tries_prove_little() -> None:
    """A lower bound on the rate of success."""
    assert lower_bound(0, 0) == 0.0
    assert lower_bound(1, 1) < lower_bound(4, 4) < lower_bound(40, 40) < 1
    assert lower_bound(2, 4) < lower_bound(3, 4)
