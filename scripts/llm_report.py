"""How small real models fare next to players without one, and whether what is recorded of them is sound.

    python -m scripts.llm_report [--model 0.5b]… [--episodes 10] [--max-time 600] [--recipe tiny]

The same worlds for every player: `random`, `explorer`, and `react` and `voyager` with each model. Success is reported
as it is. Checked of every episode: it has an end, it replays, no call failed for another reason than time, what was
executed is what the model said, or a deed that voyager knows, and every token was counted by the server. All prompts
and answers are counted again by the server's tokenizer; an answer that ended by itself has one token more, its end.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from sandbox.agent.extract import extract
from sandbox.cli.main import main as sandbox
from sandbox.log.reader import Log
from sandbox.log.rows import CallRow, Episode, StepRow
from sandbox.models.local import LocalModel
from sandbox.run.replay import replay
from scripts.small_model import MODELS, Unavailable, fetch

PLAYERS = ("random", "explorer")
TALKERS = ("react", "voyager")
Counter = Callable[[str | Sequence[tuple[str, str]]], int]
PROBES = frozenset({"unknown_word"})
"""Causes of the nonsense that voyager says on purpose, to see how the world answers it."""


@dataclass
class Row:
    """What one player made of all worlds."""

    player: str
    outcomes: list[str] = field(default_factory=list)
    steps: int = 0
    calls: int = 0
    tokens: int = 0
    timeouts: int = 0
    recounted: int = 0
    """Calls that were counted again."""
    otherwise: int = 0
    """Those of them whose answer is cut into tokens otherwise when it is read than when it was written."""
    faults: list[str] = field(default_factory=list)


def run(arguments: Sequence[str] | None = None) -> int:
    """Play, check and print; 4 when what is recorded is not sound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--model", action="append", choices=sorted(MODELS))
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--max-time", type=float, default=600.0)
    parser.add_argument("--max-steps", type=int, default=60)
    parser.add_argument("--recipe", default="tiny")
    parser.add_argument("--keep", type=Path, help="folder for the databases, which are thrown away otherwise")
    asked = parser.parse_args(arguments)
    worlds = [f"{asked.recipe}/{seed}~grammar/words=english" for seed in range(asked.episodes)]
    common = ["--max-steps", str(asked.max_steps), "--agent-seed", "1", "--quiet"]
    try:
        models = [(name, f"local/{fetch(name)}") for name in asked.model or sorted(MODELS)]
    except Unavailable as error:
        sys.stderr.write(f"no model: {error}\n")
        return 3
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        rows += [series(folder / f"{name}.db", name, worlds, ["--agent", name, *common]) for name in PLAYERS]
        for name, model in models:
            with closing(LocalModel(model.removeprefix("local/"))) as server:
                count = counter(server)
                for player in TALKERS:
                    limits = ["--agent", player, "--model", model, "--max-time", str(asked.max_time), *common]
                    rows.append(series(folder / f"{player}-{name}.db", f"{player} {name}", worlds, limits, count))
    return 4 if any(row.faults for row in rows) else 0


def counter(server: LocalModel) -> Counter:
    """Counts the tokens of a prompt, or of a text, by the server's own tokenizer."""

    def ask(what: str, **body: object) -> Any:
        data = json.dumps(body).encode()
        request = Request(server.address() + what, data, {"Content-Type": "application/json"})  # noqa: S310 - our own server
        with urlopen(request, timeout=60) as reply:  # noqa: S310 - our own server
            return json.load(reply)

    def count(said: str | Sequence[tuple[str, str]]) -> int:
        text = said
        if not isinstance(said, str):
            messages = [{"role": role, "content": content} for role, content in said]
            text = ask("/apply-template", messages=messages)["prompt"]
        return len(ask("/tokenize", content=text, add_special=not isinstance(said, str))["tokens"])

    return count


def series(db: Path, player: str, worlds: Sequence[str], options: Sequence[str], count: Counter | None = None) -> Row:
    """Play all worlds, and read back what was recorded; the row is printed as soon as it is known."""
    row = Row(player)
    library = ["--library", "none"] if player.startswith(("explorer", "voyager")) else []
    for world in worlds:
        code = sandbox(["--db", str(db), "play", "--world", world, *options, *library])
        if code:
            row.faults.append(f"{world}: exit code {code}")
    with Log.open(db) as log:
        for episode in reversed(log.episodes()):
            row.outcomes.append(episode.outcome)
            row.steps += episode.commands
            row.faults += [f"{episode.ref}: {fault}" for fault in faults(log, episode, row)]
            if count is not None:
                row.faults += [f"{episode.ref}: {fault}" for fault in recount(log.calls(episode.id), row, count)]
    solved = row.outcomes.count("solved")
    told = {
        "player": player, "solved": solved, "episodes": len(row.outcomes), "outcomes": sorted(row.outcomes),
        "steps": row.steps, "calls": row.calls, "tokens": row.tokens, "timeouts": row.timeouts,
        "recounted": row.recounted, "answers_cut_otherwise": row.otherwise, "faults": row.faults,
    }  # fmt: skip
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    return row


def faults(log: Log, episode: Episode, row: Row) -> Iterator[str]:
    """What is not sound in the record of an episode."""
    if episode.end is None:
        yield "no end"
    replay(log, episode)
    steps, calls = list(log.steps(episode.id)), list(log.calls(episode.id))
    row.calls += len(calls)
    row.timeouts += sum(call.trouble == "timeout" for call in calls)
    answered = [call for call in calls if call.trouble != "timeout"]
    row.tokens += sum((call.tokens_in or 0) + (call.tokens_out or 0) for call in answered)
    if odd := {call.trouble for call in answered} - {None}:
        yield f"calls failed: {odd}"
    if any(call.estimated for call in answered):
        yield "tokens that the server did not count"
    if invented := [step.command for step in steps[1:] if not from_its_words(step, episode.agent)]:
        yield f"commands that nobody said: {invented[:3]}"
    counted = sum(call.tokens_in or 0 for call in calls if any(step.n == call.n for step in steps))
    if episode.model and counted != sum(step.tokens_in or 0 for step in steps):
        yield "the tokens of steps and calls differ"


def recount(calls: Iterable[CallRow], row: Row, count: Counter) -> Iterator[str]:
    """Prompts, and answers, that the tokenizer counts otherwise than the log says."""
    for call in calls:
        if call.tokens_in is None or call.answer is None:
            continue
        row.recounted += 1
        if (prompt := count(call.messages)) != call.tokens_in:
            yield f"call at step {call.n}: {call.tokens_in} tokens are logged of a prompt of {prompt}"
        answer = count(call.answer) + (call.finish == "stop")
        row.otherwise += answer != call.tokens_out


def from_its_words(step: StepRow, agent: str) -> bool:
    """Whether a command is what the model's reply says, or a deed of the interface that voyager has learned."""
    if step.command != step.executed:
        return False
    if agent == "react":
        return extract(step.raw or "", "stop").command == step.command
    return agent != "voyager" or step.cause not in PROBES or step.n <= 2


if __name__ == "__main__":
    sys.exit(run())
