"""What models cost, from the price list that litellm brings along: it is read as a file, litellm is not imported.

Where litellm is not installed, or does not list a model, its price is unknown.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

_LIST: Final = "model_prices_and_context_window_backup.json"
_MILLION: Final = 1_000_000


class Price(NamedTuple):
    """US dollars for a million tokens: read, written, and read from a cache (None: as any others that are read)."""

    read: float
    written: float
    cached: float | None = None

    def of(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float:
        """What a call costs; `cached` are those of `tokens_in` that came from a cache."""
        cheap = self.read if self.cached is None else self.cached
        return ((tokens_in - cached) * self.read + cached * cheap + tokens_out * self.written) / _MILLION


def price_of(model: str) -> Price | None:
    """The price of a model of OpenAI's own; None where it is not known."""
    found = _listed().get(model)
    if not isinstance(found, dict):
        return None
    read, written = found.get("input_cost_per_token"), found.get("output_cost_per_token")
    if not isinstance(read, int | float) or not isinstance(written, int | float):
        return None
    cached = found.get("cache_read_input_token_cost")
    return Price(read * _MILLION, written * _MILLION, cached * _MILLION if isinstance(cached, int | float) else None)


@cache
def _listed() -> dict[str, Any]:
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    try:
        found = json.loads((Path(spec.origin).parent / _LIST).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
