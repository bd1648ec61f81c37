"""A server that misbehaves, and a clock that nobody has to wait for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.models.stub import Stub, serving


@pytest.fixture
def stub() -> Iterator[Stub]:
    """A server of the OpenAI protocol on 127.0.0.1."""
    with serving() as running:
        yield running
