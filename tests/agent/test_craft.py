"""Skills that the explorer makes of what worked, and what it does with them in the next episode."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sandbox.agent.library import Evidence, Memory, Note, Record, Skill, Status
from sandbox.agent.lift import name_of
from sandbox.agent.skillcode import faults
from sandbox.log.kept import Kept
from sandbox.run.folder import Found, check
from sandbox.run.library import kept_of, record_of
from tests.agent.test_explorer import Toy


def played(library: Memory, spec: str = "explorer", names: dict[str, str] | None = None) -> tuple[list[str], Toy]:
    """An episode of the toy world with a library."""
    toy = Toy(names)
    return toy.play(spec, library=library), toy


def skills_of(library: Memory) -> dict[str, Skill]:
    """The newest skills by name."""
    return {known.skill.name: known.skill for known in library.skills()}


def test_what_worked_is_lifted() -> None:
    """Taking, putting down and heating become skills of parameters, each sound as it is written and named by what it does."""
    library = Memory("mine")
    _, toy = played(library)
    found = skills_of(library)
    assert {"get_by_take", "make_hot_by_heat"} <= set(found)
    heat = found["make_hot_by_heat"]
    assert (heat.params, heat.post) == ((("x", "thing"), ("y", "stove")), (("word", "x", "hot"),))
    assert heat.code == (
        'def make_hot_by_heat(x, y):\n    """Make x hot, by heat."""\n    if not see.held(x):\n        go_to(see.room_of(x))\n'
        "        do.take(x)\n    if not see.here(y):\n        go_to(see.room_of(y))\n    do.heat(x, y)\n    ensure('word', x, 'hot')\n"
    )
    assert heat.uses == ("take: 0 held", "heat: 0 hot", "word hot")
    assert toy.done
    for skill in found.values():
        assert faults(skill) == []
        assert not any(name in skill.code for name in ("cup", "yard", "hall"))


def test_the_next_episode_acts_on_what_is_remembered() -> None:
    """Most of its commands come from inside skills; without them it needs more, and how to speak is still known."""
    library = Memory("mine")
    first, _ = played(library)
    records = library.drain()
    on, off = Memory("on", records), Memory("off", records)
    with_skills, toy = played(on)
    without, _ = played(off, "explorer:skills=off")
    assert toy.done
    assert 5 * len(with_skills) < 4 * len(without) < 4 * len(first)
    calls = [record for record in on.drain() if isinstance(record, Evidence)]
    assert 3 * sum(call.steps for call in calls if not call.caller) > len(with_skills)
    assert not [record for record in off.drain() if isinstance(record, Skill | Evidence | Status)]


def test_skills_are_admitted_by_what_they_did() -> None:
    """A candidate, then active after proofs from different states; the reason is on record."""
    library = Memory("mine")
    for _ in range(3):
        played(library)
    records = library.drain()
    active = [record for record in records if isinstance(record, Status) and record.status == "active"]
    assert active
    for status in active:
        proofs = {record.before for record in records if isinstance(record, Evidence) and record.skill == status.skill and record.proves}
        assert len(proofs) >= 2
        assert "different states" in status.why


def test_the_same_skill_is_lifted_once() -> None:
    """Later episodes add calls, not versions."""
    library = Memory("mine")
    played(library)
    before = len(library.skills())
    library.drain()
    for _ in range(2):
        played(library)
    assert len(library.skills()) <= before + 1
    names = [known.skill.name for known in library.skills()]
    assert len(names) == len(set(names))


BAD = {
    "loops": "    for _ in range(10 ** 9):\n        see.held(x)\n    do.heat(x, y)\n",
    "forever": "    while True:\n        pass\n    do.heat(x, y)\n",
    "bombs": "    a = [0] * 10 ** 9\n    do.heat(x, y)\n",
    "raises": "    raise ValueError(x)\n    do.heat(x, y)\n",
    "unknown": "    do.fly(x)\n    do.heat(x, y)\n",
    "nonsense": "    return {'take': x}\n    do.heat(x, y)\n",
    "types": "    do.heat([x], y)\n    do.heat(x, y)\n",
    "syntax": "    do.heat(x\n",
    "look": "    for _ in range(50):\n        do.look()\n    do.heat(x, y)\n",
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_skill_costs_the_episode_little(kind: str) -> None:
    """Whatever a skill of the library does, the world is solved, the failure is on record, and the skill falls."""
    library = Memory("mine")
    played(library)
    good = next(known for known in library.skills() if known.skill.name == "make_hot_by_heat")
    bad = replace(good.skill, code=f"def make_hot_by_heat(x, y):\n{BAD[kind]}", parent=good.digest, origin="llm")
    library.append(bad)
    library.drain()
    commands, toy = played(library)
    assert toy.done
    assert len(commands) < 300
    calls = [record for record in library.drain() if isinstance(record, Evidence) and record.why != "the play it was lifted from"]
    failed = [call for call in calls if call.outcome in ("fault", "limit", "no_effect", "refused")]
    assert failed or kind == "syntax"  # what cannot be read is not even tried
    assert all(call.why for call in failed)


def test_a_library_of_nonsense_is_survived() -> None:
    """Notes and skills of any content: the episode goes on, and what is false is found out."""
    records: list[Record] = [Note(kind, "take {0}", value) for kind in ("operator", "needs", "never", "fits", "unfit", "seen", "asked", "informs", "read", "kind", "carried") for value in ([[0]], {"a": 1}, None)]
    records += [Skill("get_by_take", (), "", "", (), ()), Skill("", (("x", "y"),), "x", "", (("a",),), (("b", "c", "d", "e"),))]
    _, toy = played(Memory("mine", records))
    assert toy.done


def test_export_and_import_play_the_same() -> None:
    """What comes back from the form in which it is kept plays command by command as before."""
    library = Memory("mine")
    played(library)
    records = library.drain()
    back = [record_of(Kept(kept.sort, kept.fields)) for kept in map(kept_of, records)]
    assert played(Memory("one", records))[0] == played(Memory("two", back))[0]
    assert not check([Found(__file__, record, edited=False) for record in records if isinstance(record, Skill)], [])  # type: ignore[arg-type]  # the place is not read


@pytest.mark.parametrize(("post", "by", "name"), [
    ((("held", "x"),), "take", "get_by_take"),
    ((("in", "x", "y"), ("held", "z")), "swap", "get_by_swap"),
    ((("word", "x", "known by heart"),), "study", "make_known_by_heart_by_study"),
    ((("not", "word", "x", "no. 3"),), "turn_two", "make_not_no_by_turn"),
    ((("gone", "x"),), "7", "use_up"),
    ((("word", "x", "\u00fc!"),), "\u00fc", "make"),
])  # fmt: skip
def test_names_come_from_what_is_done(post: tuple[tuple[str, ...], ...], by: str, name: str) -> None:
    """Never from a quantity or a thing."""
    assert name_of(post, by) == name
