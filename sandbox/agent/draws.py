"""Chance for agents: every agent draws from a stream of its own, the same on every machine."""

from __future__ import annotations

from sandbox.world.keyed import Key, Stream


def draws(agent: str, seed: int, *labels: str | int) -> Stream:
    """The stream that belongs to `agent` under `seed`; `labels` name one of several streams."""
    return Key("agent", agent, seed, *labels).stream()
