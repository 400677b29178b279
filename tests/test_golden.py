"""The golden playthroughs (tests/golden) come out the same from both engines."""

from __future__ import annotations

from difflib import unified_diff

import pytest

from tests.engines import ENGINES
from tests.golden import FOLDER, GOLDEN, Golden, events, playthrough


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
@pytest.mark.parametrize("engine", ENGINES)
def test_golden_playthrough(engine: str, golden: Golden) -> None:
    written = golden.path.read_text(encoding="utf-8").splitlines()
    played = playthrough(golden, ENGINES[engine]).splitlines()
    difference = list(unified_diff(written, played, "written", "played", lineterm="", n=4))
    assert not difference, "\n".join(difference[:20])


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_golden_playthrough_shows_what_it_is_there_for(golden: Golden) -> None:
    assert set(golden.shows) <= events(golden.path.read_text(encoding="utf-8"))


def test_every_file_is_a_golden_playthrough() -> None:
    assert sorted(FOLDER.glob("*.txt")) == sorted(golden.path for golden in GOLDEN)
