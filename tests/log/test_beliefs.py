"""What was believed at a step: the newest of each belief up to there, with all of its evidence."""

from __future__ import annotations

from sandbox.log.beliefs import Entry, believed

TOLD: list[tuple[int, Entry]] = [
    (1, {"phase": "looking"}),
    (1, {"belief": "thing", "key": "door", "says": "door: open", "minor": True}),
    (3, {"evidence": "operator", "key": "push", "step": 2, "came": "changed"}),
    (3, {"belief": "operator", "key": "push", "says": "push → shut", "sure": True}),
    (4, {"belief": "thing", "key": "door", "says": "door: shut", "minor": True}),
    (4, {"event": "surprise", "says": "it creaked"}),
    (5, {"phase": "leaving"}),
    (6, {"belief": "operator", "key": "push", "gone": True}),
    (7, {"evidence": "operator", "key": "pull", "step": 6}),
]


def test_the_newest_belief_counts_with_the_evidence_so_far() -> None:
    """What was told with a command was concluded from the answer before it."""
    assert [(held.key, held.says) for held in believed(TOLD, 0).held] == [("door", "door: open")]
    at = believed(TOLD, 2)
    assert [(held.key, held.says, held.since) for held in at.held] == [("door", "door: open", 0), ("push", "push → shut", 2)]
    assert at.held[1].evidence == [{"step": 2, "came": "changed"}]
    assert at.held[1].more == {"sure": True}
    assert at.phase == "looking"
    assert at.events == []


def test_a_belief_is_taken_back_and_its_evidence_stays() -> None:
    """A belief that is gone says nothing more; evidence without a belief is kept, too."""
    at = believed(TOLD, 9)
    assert [(held.topic, held.key, held.says) for held in at.held] == [
        ("thing", "door", "door: shut"), ("operator", "push", None), ("operator", "pull", None),
    ]  # fmt: skip
    assert [len(held.evidence) for held in at.held] == [0, 1, 1]
    assert (at.phase, at.events) == ("leaving", [(3, "surprise", "it creaked")])
