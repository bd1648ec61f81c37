"""A conversation: within its budget, and a command out of every reply that holds one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sandbox.agent.api import Unreadable
from sandbox.agent.dialogue import UNREADABLE, Dialogue
from sandbox.models.api import Answer, Message, Usage

HEAD = (("system", "rules"), ("user", "start"))


class Chatter:
    """A chat that gives (text, finish) in turn, the last again and again, and keeps what it was asked."""

    def __init__(self, *said: tuple[str, str]) -> None:
        self.said, self.asked = list(said), list[list[Message]]()

    def ask(self, role: str, messages: Sequence[Message], *, schema: object = None) -> Answer:
        """The next answer."""
        del role, schema
        self.asked.append(list(messages))
        text, finish = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        return Answer(text, finish, Usage(1, 1))


def test_failures_are_told_each_in_its_own_words_and_then_forgotten() -> None:
    """Empty, cut off, unreadable; the next prompt shows what happened in the world and nothing else."""
    chat = Chatter(("", "stop"), ("x", "length"), ("a\nb", "stop"), ("look", "stop"), ("wait", "stop"))
    dialogue = Dialogue(chat, HEAD, "Say it so.")
    reply = dialogue.command()
    assert (reply.command, reply.raw) == ("look", "look")
    told = [message.content for message in chat.asked[3] if message.role == "user"][1:]
    assert [text.split()[3] for text in told] == ["empty.", "cut", "no"]
    assert told[2].endswith("Say it so.")
    dialogue.saw(reply.raw, "a hall")
    dialogue.command()
    assert [(m.role, m.content) for m in chat.asked[-1]] == [*HEAD, ("assistant", "look"), ("user", "a hall")]


def test_too_many_unreadable_replies_end_it() -> None:
    """In a row; one that can be read begins the count anew. Prompts do not grow meanwhile."""
    chat = Chatter(("a\nb", "stop"))
    with pytest.raises(Unreadable):
        Dialogue(chat, HEAD, "").command()
    assert len(chat.asked) == UNREADABLE
    assert max(len(messages) for messages in chat.asked) <= len(HEAD) + 6


@pytest.mark.parametrize(("window", "budget"), [(None, 400), (3, 10_000), (0, 10_000)])
def test_prompts_stay_within_the_budget(window: int | None, budget: int) -> None:
    """However long an episode is, the last steps are shown, and it is said how many are not."""
    chat = Chatter(("go", "stop"))
    dialogue = Dialogue(chat, HEAD, "", window=window, budget=budget)
    for n in range(100):
        reply = dialogue.command()
        dialogue.saw(reply.raw, f"room {n} " + "x" * 80)
    dialogue.command()
    last = chat.asked[-1]
    assert sum(len(message.content) // 4 + 5 for message in last) <= budget + 40
    shown = (len(last) - len(HEAD)) // 2
    assert shown == (window if window is not None else shown)
    if shown:
        assert "room 99" in last[-1].content
        assert f"({100 - shown} earlier steps are left out.)" in last[3].content


def test_a_past_shorter_than_the_window_is_shown_whole() -> None:
    """A window is the most that is shown, never a reason to leave out."""
    chat = Chatter(("go", "stop"))
    dialogue = Dialogue(chat, HEAD, "", window=3)
    for n in range(2):
        dialogue.saw("go", f"room {n}")
    dialogue.command()
    assert [message.content for message in chat.asked[-1][len(HEAD) :]] == ["go", "room 0", "go", "room 1"]
