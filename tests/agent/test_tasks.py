"""What a curriculum may ask for: facts that can be looked up, are not true yet, and did not fail just now."""

from __future__ import annotations

import pytest

from sandbox.agent.asking import Rejected
from sandbox.agent.tasks import Task, Tried, at_random, of_goal, read_task, schema, told

FACTS = frozenset({("at", "hall"), ("held", "cup"), ("in", "egg", "yard"), ("word", "cup", "wet")})
NAMES = ["hall", "yard", "cup", "egg"]


def read(*facts: tuple[str, str, str], words: str = "", tried: Tried | None = None, version: object = 1) -> Task:
    """A proposal, read."""
    task = [{"fact": fact, "thing": thing, "value": value} for fact, thing, value in facts]
    return read_task({"why": "so", "task": task, "words": words}, FACTS, NAMES, tried or Tried(), version)


def test_facts_are_read_as_they_are_asked_for() -> None:
    """Each kind, and what it is in words."""
    task = read(("at", "yard", ""), ("not_held", "cup", ""), ("in", "cup", "yard"), ("not_word", "cup", "wet"))
    assert task.facts == (("at", "yard"), ("not", "held", "cup"), ("in", "cup", "yard"), ("not", "word", "cup", "wet"))
    assert task.told == "you are at yard; you do not hold cup; cup is in yard; cup is not wet"
    assert not task.done(FACTS)
    assert task.done(frozenset({("at", "yard"), ("in", "cup", "yard")}))
    assert read(words="read the note").told == "read the note"
    assert not Task(words="x").done(FACTS)


@pytest.mark.parametrize(("facts", "said"), [
    ([], "at least one fact"), ([("at", "hall", "")], "true already"), ([("at", "hell", "")], "did you mean 'hall'"),
    ([("in", "cup", "moon")], "'moon'"), ([("fly", "cup", "")], "one of at"), ([("word", "cup", "")], "need a value"),
    ([("at", "yard", "")] * 5, "at most"), ([("held", "", "")], "''"),
])  # fmt: skip
def test_what_cannot_be_checked_is_turned_down_with_the_reason(facts: list[tuple[str, str, str]], said: str) -> None:
    """Unknown names, kinds and quantities; what is true; nothing at all."""
    with pytest.raises(Rejected, match=said):
        read(*facts)


@pytest.mark.parametrize("task", [None, "held cup", [1], [{"fact": ["at"]}], {"fact": "at"}])
def test_nonsense_is_no_task(task: object) -> None:
    """Whatever JSON can hold."""
    with pytest.raises(Rejected):
        read_task({"task": task, "why": 1, "words": None}, FACTS, NAMES, Tried(), 1)


def test_a_failure_is_repeated_only_when_something_was_learned() -> None:
    """Its cause is told; a task in words that was done is not done again."""
    tried = Tried()
    tried.fail(read(("at", "yard", "")), "no way is known", 1)
    with pytest.raises(Rejected, match="no way is known"):
        read(("at", "yard", ""), tried=tried, version=1)
    assert read(("at", "yard", ""), tried=tried, version=2).facts
    assert tried.shown() == ([], ["you are at yard: no way is known"])
    tried.achieve(read(words="sing"))
    with pytest.raises(Rejected, match="done already"):
        read(words="sing", tried=tried)


def test_the_goal_is_a_task_as_far_as_it_can_be_looked_up() -> None:
    """What is to be gone has no fact."""
    goal = of_goal([("held", "cup"), ("not", "cup", "wet"), ("gone", "egg")])
    assert goal.facts == (("held", "cup"), ("not", "word", "cup", "wet"))


def test_a_drawn_task_is_not_true_yet() -> None:
    """And the same draw gives the same task."""
    tasks = [at_random(FACTS, NAMES, ["hall", "yard"], lambda n, k=k: k % n) for k in range(12)]  # type: ignore[misc]
    assert all(not task.done(FACTS) for task in tasks)
    assert at_random(frozenset(), [], [], lambda _: 0).facts


def test_a_schema_names_what_there_is() -> None:
    """Things without the place where the player is; words only where no fact can say it."""
    strict, free = (schema(NAMES, ["wet"], "hall", free=free) for free in (False, True))
    assert (strict["required"], free["required"]) == (["why", "task"], ["why", "task", "words"])
    assert '"hall"' not in str(strict).replace("'", '"').split('"value"')[0]


def test_facts_in_words() -> None:
    """As a player would say them."""
    assert [told(fact) for fact in [("held", "cup"), ("not", "in", "egg", "yard"), ("not", "at", "hall")]] == [
        "you hold cup", "egg is not in yard", "you are not at hall",
    ]  # fmt: skip
