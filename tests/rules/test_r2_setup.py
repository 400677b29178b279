"""R2: the set-up."""

from __future__ import annotations

import pytest

from tests.chance import Generator
from tests.engines import Engine
from tests.positions import STANDARD, split


@pytest.mark.parametrize("seed", [0, 1, 7, 123456789])
def test_r2_1_shuffle_and_draw_three_orders_then_three_vaults(engine: type[Engine], seed: int) -> None:
    deck = Generator(seed).shuffled(STANDARD.codes)
    fields = split(engine.new(seed).to_text())
    assert fields["orders"] == ",".join(deck[:3])
    assert fields["vaults"] == ",".join(deck[3:6])
    assert fields["stack"] == ",".join(deck[6:])
    assert fields["cathedral"] == fields["discard"] == "-"


def test_r2_1_another_seed_is_another_shuffle(engine: type[Engine]) -> None:
    assert len({engine.new(seed).to_text() for seed in range(20)}) == 20


def test_r2_2_scores_king_and_coins(engine: type[Engine]) -> None:
    game = engine.new(seed=3)
    fields = split(game.to_text())
    assert fields["scores"] == "0:0"
    assert fields["king"] == "0"
    assert fields["coins"] == "1:1"
    assert game.scores == (0, 0)


def test_r2_2_player_0_begins_with_three_actions(engine: type[Engine]) -> None:
    game = engine.new(seed=3)
    fields = split(game.to_text())
    assert (fields["turn"], fields["decision"], fields["reshuffled"]) == ("0:3", "main", "0")
    assert game.player == 0
    assert not game.is_over
