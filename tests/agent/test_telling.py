"""What a model is shown: bounded, whatever the agent has come to know."""

from __future__ import annotations

from sandbox.agent.api import Briefing
from sandbox.agent.library import Known, Skill
from sandbox.agent.mind import Mind, new_mind
from sandbox.agent.retrieval import Offer
from sandbox.agent.skills import intents_of
from sandbox.agent.telling import CODE, DEEDS, FAR, Ears, clipped, deed_of, deeds, heard, offered, situation
from tests.agent.test_explorer import Toy


def mind(rooms: int = 0) -> Mind:
    """A mind in the toy world, which has seen so many rooms more."""
    found = new_mind(Briefing(Toy.goal, 1, Toy.help, Toy.words, 7, 100, None))
    found.belief.see(Toy().view())
    for number in range(rooms):
        room = f"room {number}"
        found.belief.rooms[room] = None
        found.belief.visited.add(room)
        found.belief.ways[room] = {"hall": None}
        found.belief.place[f"thing {number}"] = room
        found.belief.first[f"thing {number}"] = room, frozenset()
    return found


def test_the_present_is_told_and_what_is_elsewhere_is_counted_where_there_is_too_much() -> None:
    """A world of 400 rooms takes no more room in a prompt than its budget."""
    told = situation(mind(), Ears())
    assert "at: hall" in told
    assert "here: cup" in told
    assert "rooms not seen yet: yard" in told
    many = situation(mind(400), Ears())
    assert len(many) < FAR + 1000
    assert "more lines are left out)" in many


def test_deeds_are_told_by_the_names_that_code_uses() -> None:
    """With what they take; a command is told as the deed that it was."""
    toy = mind()
    intents = intents_of(toy)
    assert "do.heat(THING, STOVE)" in deeds(toy, intents)
    assert len(deeds(toy, intents)) < DEEDS
    assert deed_of("heat cup stove", toy, intents).startswith("do.heat(")
    assert deed_of("look", toy, intents) == "look"


def test_the_last_answers_are_kept_and_what_told_something() -> None:
    """No more than a few, each cut to a length."""
    toy, ears = mind(), Ears()
    toy.belief.first["stove"] = "yard", frozenset()
    toy.reader.learn("stove")
    toy.reader.learn("cup")
    for number in range(30):
        ears.hear(toy, f"take {number}", f"{number} " + "x" * 5000)
    ears.hear(toy, "heat cup stove", "The cup goes on the stove.")
    assert len(heard(ears, toy, intents_of(toy))) < 3000
    assert "The cup goes on the stove." in ears.texts


def test_two_codes_eight_signatures_and_a_number() -> None:
    """A long library is not shown whole, nor a long skill."""
    code = "def f(x):\n" + "    do.look()\n" * 1000
    offers = [Offer(Known(str(n), Skill(f"f{n}", (("x", "thing"),), code, "", (), (("held", "x"),))), 0.0, False, {}) for n in range(15)]
    told = offered(offers)
    assert len(told) == 2 + 8 + 1
    assert told[-1] == "(5 more skills)"
    assert all(len(one) < CODE + 200 for one in told)


def test_what_is_left_out_is_counted() -> None:
    """Lines are not cut in two."""
    assert clipped(["ab", "cd", "ef"], 6) == ["ab", "cd", "(1 more lines are left out)"]
    assert clipped(["ab"], 100) == ["ab"]
