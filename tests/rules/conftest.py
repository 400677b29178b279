"""Every test of the rules runs on both engines."""

from __future__ import annotations

import pytest

from tests.engines import ENGINES, Engine


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> type[Engine]:
    """The adapter of one engine; the test runs once with each."""
    return ENGINES[request.param]
