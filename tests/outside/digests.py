"""Print what a process of its own makes of worlds, as JSON: `python -m tests.outside.digests [options] REF…`.

With `--first REF…` other worlds are built before, with `--threads N` all are built at once. An exported world
(`--play FILE`) is played along a keyed walk; that needs no more than `sandbox.world`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def built(ref: str) -> dict[str, str]:
    """The digests of a built world, of its proof and of everything that the plan shows."""
    from sandbox.certify import build
    from sandbox.world.engine import Engine

    one = build(ref)
    engine = Engine(one.world)
    step = engine.start()
    shown = [step.text, engine.help_text, *engine.vocabulary, *engine.admissible(step.state)]
    for command in one.certificate.plan:
        step = engine.step(step.state, command)
        shown += [step.text, engine.state_digest(step.state)]
    proof = json.dumps(one.certificate.to_dict(), sort_keys=True)
    return {"world": one.world.digest, "json": _hash(one.world.to_json()), "proof": _hash(proof), "shown": _hash(*shown)}


def played(path: Path) -> str:
    """A digest of a walk of 200 commands through an exported world: every reply, cause and state."""
    from sandbox.world.engine import Engine
    from sandbox.world.keyed import Key
    from sandbox.world.world import World

    world = World.from_json(path.read_text(encoding="utf-8"))
    engine, stream = Engine(world), Key("digests").stream()
    step = engine.start()
    shown = [world.digest, step.text]
    for _ in range(200):
        words = engine.vocabulary
        command = stream.choice(engine.admissible(step.state)) if stream.below(4) else " ".join(
            stream.choice(words) for _ in range(stream.between(1, 4))
        )
        step = engine.step(step.state, command)
        shown += [command, step.text, str(step.cause), engine.state_digest(step.state)]
    return _hash(*shown)


def _hash(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def main() -> None:
    """Read the arguments, build, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("refs", nargs="*")
    parser.add_argument("--first", nargs="*", default=[])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--play", type=Path)
    given = parser.parse_args()
    before = random.getstate()
    for ref in given.first:
        built(ref)
    with ThreadPoolExecutor(given.threads) as pool:
        found: dict[str, object] = dict(zip(given.refs, pool.map(built, given.refs), strict=True))
    if given.play:
        found["played"] = played(given.play)
    found["untouched"] = random.getstate() == before
    json.dump(found, sys.stdout, sort_keys=True)


if __name__ == "__main__":
    main()
