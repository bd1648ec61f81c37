"""Learning from replies: when a look around is worth its command."""

from __future__ import annotations

from sandbox.agent.api import Briefing, Turn
from sandbox.agent.mind import Mind, new_mind

HELP = "How to speak:\n  go ROOM\n  rub THING\n  look\n  b\nA deed is done once it is confirmed. Say this to confirm it: b"
WORDS = ("go", "rub", "look", "b", "hall", "cup", "bowl")
VIEW = "at: hall\nfixed: cup; bowl\nloose: -\nways: -\nheld: -"


def said(made: Mind, replies: list[str]) -> list[str]:
    """What a mind says when it rubs the cup, with the answers that it gets."""
    play = made.attempt(made.rules.operators["rub {0}"], ("cup",))
    commands = [next(play)]
    for n, reply in enumerate(replies):
        try:
            commands.append(play.send(Turn(n, reply, 0.0, False, None, None)))
        except StopIteration:
            break
    return commands


def mind() -> Mind:
    """A mind that knows how to look around."""
    made = new_mind(Briefing("goal: the cup is bright", 1, HELP, WORDS, 7, 100, None))
    made.belief.see(VIEW)
    made.roles.look = "look"
    made.replies.english = True
    return made


def test_a_refusal_is_not_looked_after() -> None:
    """What English tells to be a refusal changed nothing."""
    assert said(mind(), ["You do not hold the cup.", VIEW]) == ["rub cup"]


def test_an_answer_that_was_never_heard_is_looked_after() -> None:
    """Something may have changed."""
    assert said(mind(), ["The cup hums.", VIEW]) == ["rub cup", "look"]


def test_a_letter_in_a_word_is_no_question() -> None:
    """What confirms is said when a reply names it, not when a word contains it."""
    assert said(mind(), ["You do not hold the cup, but the bowl.", VIEW]) == ["rub cup"]
    assert said(mind(), ["Sure? Say b to do it.", "You do not hold the cup."]) == ["rub cup", "b"]
