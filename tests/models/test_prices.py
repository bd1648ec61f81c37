"""Prices come from litellm's list, read as a file; without it, or for what it does not list, they are unknown."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from sandbox.models import prices
from sandbox.models.names import Source, open_model
from sandbox.models.prices import Price, price_of

KEY = "sk-0123456789abcdef"
LISTED = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm, whose list it is, is not installed")


@LISTED
def test_a_listed_model_has_a_price() -> None:
    """What is read costs less than what is written, and less still from a cache."""
    found = price_of("gpt-4o-mini")
    assert found is not None
    assert found.cached is not None
    assert 0 < found.cached < found.read < found.written < 10


def test_what_is_not_listed_has_none() -> None:
    """An unknown price is None, which is not 0."""
    assert price_of("no-such-model") is None


def test_without_litellm_no_price_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is not needed to play."""
    monkeypatch.setattr(prices, "find_spec", lambda _: None)
    prices._listed.cache_clear()
    try:
        assert price_of("gpt-4o-mini") is None
    finally:
        prices._listed.cache_clear()


def test_cached_tokens_cost_what_they_cost() -> None:
    """A thousand tokens read, four hundred of them from a cache, and ten written."""
    assert Price(2.0, 8.0, 1.0).of(1000, 10, 400) == pytest.approx((600 * 2 + 400 * 1 + 10 * 8) / 1e6)
    assert Price(2.0, 8.0).of(1000, 10, 400) == pytest.approx((1000 * 2 + 10 * 8) / 1e6)


@LISTED
def test_models_of_openai_are_priced_and_those_of_other_servers_are_not() -> None:
    """A server of one's own may ask anything for a model of the same name."""
    own = open_model(Source("openai/gpt-4o-mini", "http://127.0.0.1:9/v1", KEY))
    assert own._price is None  # type: ignore[attr-defined]  # what it would be charged by
    official = open_model(Source("openai/gpt-4o-mini", key=KEY))
    assert official._price == price_of("gpt-4o-mini")  # type: ignore[attr-defined]  # what it would be charged by


def test_reading_prices_imports_no_litellm() -> None:
    """Four seconds that only its own models should cost."""
    code = "import sys; from sandbox.models.prices import price_of; price_of('gpt-4o-mini'); sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
