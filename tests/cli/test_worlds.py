"""`sandbox worlds`: what people and programs read about worlds, and the exit codes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.certify import build
from sandbox.cli.main import main
from sandbox.cli.worlds_show import quoted
from sandbox.generate.content import content
from sandbox.measure.live import slot_edits
from sandbox.world.engine import Engine
from sandbox.world.world import PARTS, World

Run = Callable[..., tuple[int, str, str]]
Command = Callable[..., "subprocess.CompletedProcess[str]"]
RULES = ("grammar", "rules", "observation", "feedback")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `sandbox worlds ARGS…`: exit code, standard output, standard error."""

    def called(*args: str) -> tuple[int, str, str]:
        code = main(["worlds", *args])
        out, err = capsys.readouterr()
        return code, out, err

    return called


def lines(text: str) -> list[dict[str, Any]]:
    """The JSON lines in `text`, all of them."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A content folder with one recipe that cannot be met and one that cannot be read."""
    folder = tmp_path / "own" / "worlds" / "recipes"
    folder.mkdir(parents=True)
    recipe = (Path(content().folders[-1]) / "worlds" / "recipes" / "tiny.toml").read_text("utf-8")
    (folder / "endless.toml").write_text(recipe.replace("steps = [4, 8]", "steps = [90, 91]"), "utf-8")
    (folder / "torn.toml").write_text("rooms = [", "utf-8")
    return tmp_path / "own"


# --- list ---


def test_the_bare_noun_lists_recipes(run: Run) -> None:
    """Every recipe has a line with what it is about, and there are worlds to copy."""
    assert run() == run("list")
    code, out, err = run()
    assert (code, err) == (0, "")
    for name in content().recipes():
        assert any(line.startswith(f"{name} ") for line in out.splitlines())
    assert "sandbox play --world 7" in out


def test_recipes_as_json(run: Run) -> None:
    """One line a recipe, with its bands and references that build."""
    found = {line["recipe"]: line for line in lines(run("list", "--json")[1])}
    assert found.keys() == set(content().recipes())
    assert found["tiny"]["rooms"] == 3
    assert found["tiny"]["steps"] == [4, 8]
    assert build(found["tiny"]["examples"][0]).ref == "tiny/7"


def test_a_broken_recipe_hides_no_other(run: Run, own: Path) -> None:
    """A recipe that cannot be read is listed with its error, beside all others."""
    code, out, _ = run("list", "--content", str(own))
    assert code == 0
    assert "broken: recipes/torn.toml" in out
    assert "tiny " in out
    torn = next(line for line in lines(run("list", "--json", "--content", str(own))[1]) if line["recipe"] == "torn")
    assert "torn.toml" in torn["error"]


# --- families ---


def test_families_are_listed_with_their_verbs(run: Run) -> None:
    """One line a family, the core first: slots with all values, and every verb, also of actions that a value brings."""
    code, out, err = run("families", "--json")
    found = {line["family"]: line for line in lines(out)}
    assert (code, err) == (0, "")
    assert next(iter(found)) == "core"
    assert found.keys() == set(content().names("rules"))
    assert "pick" in found["core"]["verbs"]
    assert found["lock"]["about"] == "Doors that need the right key."
    assert {slot["name"]: slot["values"] for slot in found["lock"]["slots"]}["relock"] == ["never", "behind_you"]
    assert found["lock"]["kinds"] == ["locked_door", "key"]
    assert {"address", "study"} <= set(found["permission"]["verbs"])


def test_families_read_well(run: Run) -> None:
    """A person sees the sentence, the verbs, the kinds and the slots of each."""
    out = run("families")[1]
    assert "\nlock\n  Doors that need the right key.\n  verbs  unlock\n  kinds  locked_door, key\n  slots  match=" in out


def test_a_broken_family_hides_no_other(run: Run, own: Path) -> None:
    """A family that cannot be read is listed with its error, and the exit code says so."""
    (own / "worlds" / "rules").mkdir()
    (own / "worlds" / "rules" / "torn.rules.j2").write_text("kind", "utf-8")
    code, out, _ = run("families", "--content", str(own))
    assert code == 4
    assert "torn\n  broken: rules/torn.rules.j2:1" in out
    assert "\nlock\n" in out
    assert any("error" in line for line in lines(run("families", "--json", "--content", str(own))[1]))


# --- show ---


def test_show_as_json_holds_the_contract(run: Run) -> None:
    """Everything about a world in one line: the fields that are promised, with the values of the world itself."""
    code, out, err = run("show", "tiny/1", "--json")
    (found,) = lines(out)
    world, proof = build("tiny/1").world, build("tiny/1").certificate
    assert (code, err) == (0, "")
    assert (found["ref"], found["digest"], found["slots"]) == ("tiny/1", world.digest, world.slots)
    assert list(found["axes"]) == list(PARTS)
    assert found["axes"] == world.parts
    assert found["goal"] == Engine(world).goal_text
    certificate = found["certificate"]
    assert (certificate["tier"], certificate["steps"], certificate["plan"]) == (proof.tier, proof.steps, [*proof.plan])
    assert certificate["states"] > 0
    assert certificate["branching"] > 0
    assert certificate["dead_ends"] == proof.dead_ends
    assert certificate["load"].keys() == {"plan", "knowledge", "search", "memory", "trap", "interface", "noise"}
    assert certificate["surprises"] == len(certificate["surprising"]) >= 1
    assert isinstance(certificate["prior_solvable"], bool)
    assert certificate["shown_before_used"] == (certificate["not_shown"] == [])


def test_slots_are_shown_with_their_kind_and_what_is_usual(run: Run) -> None:
    """Each slot says its kind, its usual value, whether its own is unusual and, if so, whether that is live."""
    (found,) = lines(run("show", "tiny/1", "--json")[1])
    details = {slot["name"]: slot for slot in found["slot_details"]}
    assert {name: slot["value"] for name, slot in details.items()} == found["slots"]
    assert all(slot["unusual"] == (slot["value"] != slot["usual"]) for slot in details.values())
    live = [name for name, slot in details.items() if slot["live"]]
    assert live == found["certificate"]["surprising"]


def test_a_plan_is_shown_only_when_it_is_asked_for(run: Run) -> None:
    """Reading about a world does not spoil it: its plan needs --plan, and no command of it is printed before."""
    plan = build("tiny/1").certificate.plan
    _, without, _ = run("show", "tiny/1")
    _, with_plan, _ = run("show", "tiny/1", "--plan")
    numbered = [f"  {number:>3}  {command}" for number, command in enumerate(plan, 1)]
    assert not {*numbered} & {*without.splitlines()}
    assert [line for line in with_plan.splitlines() if line in numbered] == numbered
    assert "sandbox play --world tiny/1 --agent human" in without


def test_an_exported_world_can_be_shown(run: Run) -> None:
    """A world from a file has the digest, certificate and measures of the world that was exported."""
    run("export", "tiny/1", "-o", "one.json")
    (found,), (same,) = lines(run("show", "one.json", "--json")[1]), lines(run("show", "tiny/1", "--json")[1])
    assert found["ref"] == "one.json"
    assert {**found, "ref": ""} == {**same, "ref": ""}
    assert run("show", "one.json")[0] == 0


def test_a_world_from_other_templates_is_shown_without_them(run: Run) -> None:
    """Where the templates of an export have changed, what needs them is unknown, and the rest is shown."""
    data = build("tiny/1").world.to_dict()
    data["templates"] = [[file, "0" * 32] for file, _ in data["templates"]]
    Path("old.json").write_text(json.dumps(data), "utf-8")
    code, out, _ = run("show", "old.json", "--json")
    (found,) = lines(out)
    assert code == 0
    assert found["certificate"]["surprises"] is None
    assert found["certificate"]["prior_solvable"] is None
    assert found["certificate"]["load"]["knowledge"] is None
    assert found["slot_details"] == []
    assert found["certificate"]["load"]["search"] >= 0
    assert "usual values are unknown" in run("show", "old.json")[1]
    code, _, err = run("edits", "old.json")
    assert code == 2
    assert "is not the one this world was made from" in err


# --- rules ---


def test_rules_are_the_worlds_own_sentences(run: Run) -> None:
    """The rule set in plain English, as the engine says it."""
    text = Engine(build("tiny/1").world).rules_text()
    assert run("rules", "tiny/1")[1].rstrip("\n") == text
    (found,) = lines(run("rules", "tiny/1", "--json")[1])
    assert found == {"ref": "tiny/1", "digest": build("tiny/1").world.digest, "rules": text}


# --- check ---


def test_check_prints_a_line_a_world_and_a_summary(run: Run) -> None:
    """References as typed, then the range with both ends, then how many hold."""
    code, out, err = run("check", "small/1", "--recipe", "tiny", "--range", "1-3", "--json")
    *worlds, summary = lines(out)
    assert (code, err) == (0, "")
    assert [(w["ref"], w["ok"], w["why"]) for w in worlds] == [
        (ref, True, None) for ref in ("small/1", "tiny/1", "tiny/2", "tiny/3")
    ]
    assert (summary["event"], summary["worlds"], summary["ok"], summary["failed"]) == ("summary", 4, 4, 0)
    assert summary["seconds"] > 0


def test_several_processes_check_the_same(run: Run) -> None:
    """With --jobs the lines are the same, in the same order."""
    args = ("check", "--recipe", "tiny", "--range", "0-3", "--json")
    one, two = lines(run(*args)[1])[:-1], lines(run(*args, "--jobs", "2")[1])[:-1]
    assert one == two


def test_a_failed_check_is_exit_4(run: Run, own: Path) -> None:
    """A seed without a world fails with the reason, the others are still checked, and the exit code says so."""
    code, out, _ = run("check", "endless/1", "tiny/1", "--content", str(own), "--json")
    bad, good, summary = lines(out)
    assert code == 4
    assert (bad["ref"], bad["ok"], good["ok"]) == ("endless/1", False, True)
    assert "endless" in bad["why"]
    assert (summary["ok"], summary["failed"]) == (1, 1)
    code, out, _ = run("check", "endless/1", "tiny/1", "--content", str(own))
    assert code == 4
    assert out.splitlines()[-1].startswith("1 of 2 worlds hold")


def test_a_range_is_told_in_one_line(run: Run) -> None:
    """For people a range that holds is one sentence; worlds that were named get a line each."""
    assert len(run("check", "--recipe", "tiny", "--range", "0-2")[1].splitlines()) == 1
    assert run("check", "tiny/1")[1].splitlines()[0] == "tiny/1: ok"


@pytest.mark.parametrize(
    ("args", "message", "hint"),
    [
        ((), "no world was named", "--range 0-99"),
        (("--recipe", "tiny", "tiny/1"), "--recipe goes with --range", "tiny/SEED"),
        (("--range", "5-3"), "falls", "--range 3-5"),
        (("--range", "five"), "no range of seeds", "A-B"),
        (("--range", "0-9999999999"), "more than", "fewer"),
        (("--range", "0-1", "--recipe", "tinny"), "unknown recipe 'tinny'", "'tiny'"),
        (("tinny/1",), "unknown recipe 'tinny'", "'tiny'"),
        (("tiny/1", "tiny/"), "has no seed", "[RECIPE/]SEED"),
        (("tiny/1~rulez",), "unknown axis 'rulez'", "'rules'"),
        (("--jobs", "0", "tiny/1"), "--jobs", "--help"),
        (("none.json",), "none.json", "path"),
    ],
)
def test_what_cannot_be_checked_is_exit_2(run: Run, args: tuple[str, ...], message: str, hint: str) -> None:
    """A mistake in the command line is named, with what to type instead; nothing is printed as a result."""
    code, out, err = run("check", *args)
    first, second, *_ = err.splitlines()
    assert (code, out) == (2, "")
    assert message in first
    assert hint in second


def test_seeds_below_zero(run: Run) -> None:
    """A seed that begins with a minus is a seed like any other, in a range and behind --."""
    code, out, _ = run("check", "--recipe", "tiny", "--range", "-2--1", "--json")
    assert code == 0
    assert [line["ref"] for line in lines(out)[:-1]] == ["tiny/-2", "tiny/-1"]


def test_a_closed_pipe_and_an_interruption_end_a_check_quietly(tmp_path: Path) -> None:
    """Whoever has read enough ends the check without an error; Ctrl-C is 130; neither waits for workers."""
    args = [sys.executable, "-m", "sandbox", "worlds", "check", "--recipe", "tiny", "--range", "0-99999", "--json"]
    for jobs, interrupt in (("1", False), ("2", False), ("2", True)):
        with subprocess.Popen(
            [*args, "--jobs", jobs], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
        ) as process:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["ok"]
            if interrupt:
                process.send_signal(signal.SIGINT)
            else:
                process.stdout.close()
            began = time.monotonic()
            assert process.wait(30) == (130 if interrupt else 0)
            assert time.monotonic() - began < 15
            assert process.stderr is not None
            assert process.stderr.read().decode() == ("interrupted\n" if interrupt else "")


def test_a_long_check_shows_its_progress_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal a bar on standard error says how far the check is; standard output stays clean JSON."""
    leader, follower = pty.openpty()
    args = [sys.executable, "-m", "sandbox", "worlds", "check", "--recipe", "tiny", "--range", "0-4", "--json"]
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=follower, cwd=tmp_path, check=False)
    os.close(follower)
    assert len(lines(done.stdout.decode())) == 6
    assert b"checking" in os.read(leader, 65536)
    os.close(leader)


# --- edits and differences ---


def test_edits_are_listed_ready_to_copy(run: Run) -> None:
    """One line an edit of every axis, each a reference, with its effect, its optimum and whether it matters."""
    built = build("tiny/1")
    found = lines(run("edits", "tiny/1", "--json")[1])
    assert [line["ref"] for line in found] == [edit.ref for edit in slot_edits(built, content())]
    assert {line["axis"] for line in found} == set(RULES)
    for line in found:
        assert line["from"] == built.world.slots[line["slot"]]
        assert line["ok"] == (line["why"] is None) == (line["steps"] is not None)
        assert not (line["matters"] and not line["ok"])
    assert all(any(line["matters"] for line in found if line["axis"] == axis) for axis in RULES)


def test_an_axis_without_and_with_edits(run: Run) -> None:
    """--axis narrows the list; a name that is no axis is exit 2 with the nearest."""
    code, out, _ = run("edits", "tiny/1", "--axis", "feedback")
    assert code == 0
    rows = [line for line in out.splitlines() if line.startswith("tiny/1~")]
    assert rows
    assert all(line.startswith("tiny/1~feedback/") for line in rows)
    code, _, err = run("edits", "tiny/1", "--axis", "grammer")
    assert code == 2
    assert "did you mean 'grammar'?" in err


def test_diff_names_the_slot_the_regime_and_the_effect(run: Run) -> None:
    """The first mattering edit of the rules is one slot of another environment, with an effect that matters."""
    (found,) = lines(run("diff", "tiny/1", "tiny/1~rules", "--json")[1])
    assert found["regime"] == "environment"
    assert found["axes"] == ["rules"]
    assert found["effect"] in {"barrier", "shortcut", "trap"}
    (slot,) = found["slots"]
    assert slot["axis"] == "rules"
    assert slot["from"] == build("tiny/1").world.slots[slot["name"]] != slot["to"]
    edit = f"tiny/1~{slot['name']}={slot['to']}"
    assert build(edit).world.digest == found["b"]["digest"]


@pytest.mark.parametrize(
    ("new", "regime", "effect"),
    [("tiny/1", "same", None), ("tiny/1~theme", "cosmetic", "neutral"), ("tiny/1~task", "task", None),
     ("tiny/1~layout", "task", None), ("tiny/2", "environment", None)],
)  # fmt: skip
def test_diff_knows_what_is_no_rule_change(run: Run, new: str, regime: str, effect: str | None) -> None:
    """Names are cosmetic, layout and goal are another task; for people the same is said in words."""
    (found,) = lines(run("diff", "tiny/1", new, "--json")[1])
    assert (found["regime"], found["effect"]) == (regime, effect)
    code, out, _ = run("diff", "tiny/1", new)
    assert code == 0
    assert out.splitlines()[0].startswith(f"tiny/1 → {new}: {regime}")


def test_references_are_quoted_only_where_a_shell_needs_it() -> None:
    """The tilde within a reference needs no quotes, a blank or a leading tilde does."""
    assert quoted("tiny/7~rules/lock/match=shape") == "tiny/7~rules/lock/match=shape"
    assert quoted("two words") == "'two words'"
    assert quoted("~7") == "'~7'"
    assert quoted("a;b") == "'a;b'"


# --- export ---


def test_an_export_is_the_world_in_canonical_json(run: Run) -> None:
    """On standard output or in a file the bytes are the same, and they are the world."""
    code, out, _ = run("export", "tiny/1")
    assert code == 0
    assert World.from_json(out).digest == build("tiny/1").world.digest
    code, said, _ = run("export", "tiny/1", "-o", "one.json")
    assert code == 0
    assert "sandbox play --world one.json" in said
    assert Path("one.json").read_text("utf-8") == out
    assert run("export", "one.json")[1] == out


def test_an_exported_world_plays_identically(command: Command, tmp_path: Path) -> None:
    """The same agent sees the same texts in the exported world as in the one that was exported."""
    assert command("worlds", "export", "tiny/1", "-o", "one.json").returncode == 0
    plays = []
    for ref in ("tiny/1", "one.json"):
        done = command("play", "--world", ref, "--agent", "random", "--agent-seed", "5", "--json", cwd=tmp_path)
        assert done.returncode == 0
        plays.append([{**line, "episode": "", "world": ""} for line in lines(done.stdout)])
    assert plays[0] == plays[1]


@pytest.mark.parametrize(
    ("file", "message"),
    [("one.txt", "would not be read as a world"), ("nowhere/one.json", "the folder 'nowhere' does not exist"),
     ("folder.json", "cannot write 'folder.json'")],
)  # fmt: skip
def test_an_export_that_cannot_be_written_is_exit_2(run: Run, file: str, message: str) -> None:
    """A file that could not be read back, or not be written, is refused with the next step."""
    Path("folder.json").mkdir()
    code, out, err = run("export", "tiny/1", "-o", file)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 2


# --- survey ---


def test_a_survey_prints_a_line_a_world_and_the_figures(run: Run) -> None:
    """With --json every world's own measures come first, then the figures of all."""
    code, out, _ = run("survey", "--recipe", "tiny", "--range", "1-2", "--json")
    *worlds, summary = lines(out)
    assert code == 0
    assert [w["ref"] for w in worlds] == ["tiny/1", "tiny/2"]
    assert (summary["event"], summary["recipe"], summary["range"], summary["worlds"]) == ("summary", "tiny", "1-2", 2)
    assert summary["effects"]["barrier"] == sum(w["effects"]["barrier"] for w in worlds)
    assert summary["mattering_axes"]["rules"] == 1.0


def test_a_survey_for_people_names_its_aims(run: Run, own: Path) -> None:
    """Each measure stands beside its aim; seeds that cannot be built are named, and are exit 4."""
    code, out, _ = run("survey", "--recipe", "tiny", "--range", "1-1")
    assert code == 0
    row = next(line for line in out.splitlines() if line.startswith("live slots"))
    assert row.endswith("≥ 60 %")
    code, out, _ = run("survey", "--recipe", "endless", "--range", "1-1", "--content", str(own))
    assert code == 4
    assert "endless/1: " in out


def test_an_unknown_command_is_named_with_the_nearest(run: Run) -> None:
    """A typing mistake in the command costs one glance."""
    code, _, err = run("shw", "7")
    assert code == 2
    assert "did you mean show?" in err
