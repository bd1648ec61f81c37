"""What an agent holds true: from views of where it is, of rooms next door, and from what is said of itself."""

from sandbox.agent.belief import Belief
from sandbox.agent.text import Reader

NAMES = ("hall", "yard", "lamp", "urn", "gate", "tile")


def test_what_a_close_look_told_stays_true_next_door() -> None:
    """That the material of one thing is said from afar makes that of another no less true."""
    belief = Belief(Reader(NAMES, set()))
    belief.see("at: yard\nfixed: urn\nloose: tile\nways: hall\nheld: -")
    belief.describe("urn", ("clay", "tall"))
    belief.see("at: hall\nfixed: lamp [dark]\nloose: -\nways: yard\nheld: -\nnext: yard { urn; tile [clay] }")
    assert belief.words["urn"] == {"clay", "tall"}


def test_what_was_said_next_door_and_is_no_longer_said_is_not_so() -> None:
    """A lamp next door that was dark and is lit is not both."""
    belief = Belief(Reader(NAMES, set()))
    belief.see("at: hall\nfixed: urn [tall]\nloose: -\nways: yard\nheld: -\nnext: yard { lamp [dark] }")
    belief.see("at: hall\nfixed: urn [tall]\nloose: -\nways: yard\nheld: -\nnext: yard { lamp [lit] }")
    assert belief.words["lamp"] == {"lit"}


def test_what_a_reply_says_of_the_agent_is_told_from_what_it_says_of_things() -> None:
    """Words that views say of the agent are its own state; the rest of the reply is left."""
    belief = Belief(Reader(NAMES, set()))
    belief.see("at: hall\nfixed: urn [tall]\nloose: -\nways: yard\nheld: -\nyou: weary")
    assert belief.own == {"weary"}
    belief.see("at: hall\nfixed: urn [tall]\nloose: -\nways: yard\nheld: -\nyou: strong")
    assert belief.hear_own("Held: tile. You: weary.") == "Held: tile."
    assert belief.own == {"weary"}
    assert belief.hear_own("Held: tile.") == "Held: tile."
    assert belief.hear_own("You: ringing.") == "You: ringing."
