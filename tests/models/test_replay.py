"""A recording as a model: the same answers to the same prompts in the same order, and nothing else."""

from __future__ import annotations

import pytest

from sandbox.models.api import Answer, Message, Request, Trouble, Usage
from sandbox.models.replay import Exchange, ReplayModel

ANSWER = Answer("look", "stop", Usage(12, 3), 0.5, "stub-1")
HELLO = (Message("system", "play"), Message("user", "hello there"))


def test_a_recording_answers_as_it_did() -> None:
    """With the tokens of then, and at no cost: nobody is paid twice."""
    model = ReplayModel("abc", [Exchange(HELLO, ANSWER)], "sandbox play")
    assert model.complete(Request(HELLO), 1) == Answer("look", "stop", Usage(12, 3), 0.0, "replay/abc")


@pytest.mark.parametrize(("asked", "said"), [
    ((HELLO[0], Message("user", "hello here")), "message 2 has 'hello here', not 'hello there'"),
    ((HELLO[0],), "it has 1 messages, not 2"),
    ((*HELLO, Message("user", "more")), "it has 3 messages, not 2"),
])  # fmt: skip
def test_another_prompt_has_no_answer(asked: tuple[Message, ...], said: str) -> None:
    """The error names the first difference and how to play it as it was; trying again is no use."""
    model = ReplayModel("abc", [Exchange(HELLO, ANSWER)], "sandbox play --world 3")
    with pytest.raises(Trouble) as caught:
        model.complete(Request(asked), 1)
    assert (caught.value.kind, caught.value.retryable) == ("unrecorded", False)
    assert said in caught.value.message
    assert "sandbox play --world 3" in caught.value.message


def test_a_recording_ends() -> None:
    """After the last answer."""
    with pytest.raises(Trouble, match="ends after 0 answers"):
        ReplayModel("abc", [], "sandbox play").complete(Request(HELLO), 1)
