"""R3: the turn."""

from __future__ import annotations

import pytest

from tests.engines import Engine
from tests.positions import expect_moves, places, position, split


def test_r3_1_three_actions_in_a_mix(engine: type[Engine]) -> None:
    game = engine.from_text(position(orders="R5 Y9 B6", vaults="R2 Y5 B2", stack="G1 G2 G5"))
    game.play("V1c1")
    # R5 turns onto vault space 1, G1 comes onto order space 1 (R4.4).
    assert game.to_text() == position(
        ". . R2 . .",
        orders="G1 Y9 B6",
        vaults="R5 Y5 B2",
        stack="G2 G5",
        turn="0:2",
        decision="main@c1",
    )
    game.play("B")
    assert game.to_text() == position(
        ". . R2+0 . .", orders="G1 Y9 B6", vaults="R5 Y5 B2", stack="G2 G5", turn="0:1"
    )
    for move in ("O2", "a1", "b1"):
        assert game.player == 0
        game.play(move)
    assert game.to_text() == position(
        "# # R2+0 . .", orders="G1 G2 B6", vaults="R5 Y5 B2", stack="G5", discard="Y9", turn="1:3"
    )


def test_r3_1_three_of_a_kind(engine: type[Engine]) -> None:
    # Three vaults, none of them with a crown.
    game = engine.from_text(position(orders="R2 R3 R6", vaults="Y2 Y5 Y6", stack="B2 B5 B8 B9"))
    for move, turn in (("V1a1", "0:2"), ("V2a2", "0:1"), ("V3a3", "1:3")):
        game.play(move)
        assert split(game.to_text())["turn"] == turn
    # Three orders: each time two squares of scaffolding.
    game = engine.from_text(position(orders="R5 Y9 B6", vaults="Y2 Y5 Y6", stack="B2 B5 B8 B9", turn="1:3"))
    for order, squares, turn in (("O1", "a1 b1", "1:2"), ("O2", "c1 d1", "1:1"), ("O3", "e1 e2", "0:3")):
        for move in (order, *squares.split()):
            game.play(move)
        assert split(game.to_text())["turn"] == turn


def test_r3_1_no_passing(engine: type[Engine]) -> None:
    # Of the orders only Scaffolding can be carried out while the cathedral is empty.
    game = engine.from_text(position(orders="R0 R5 R6", vaults="Y2 Y5 Y6"))
    expect_moves(game, places("123", "a1 b1 c1 d1 e1"), "O2")
    before = game.to_text()
    with pytest.raises(ValueError, match="pass"):
        game.play("pass")
    assert game.to_text() == before


def test_r3_2_the_other_player_follows_after_the_refill(engine: type[Engine]) -> None:
    game = engine.from_text(
        position("R2 . . . .", orders="R0 R1 R3", vaults="Y2 Y5 Y6", stack="B2 B5", turn="1:1")
    )
    assert game.player == 1
    game.play("V2b1")
    assert game.to_text() == position(
        "R2 Y5 . . .", orders="R0 B2 R3", vaults="Y2 R1 Y6", stack="B5", turn="0:3"
    )
    assert game.player == 0


def test_r3_2_a_builder_as_third_action_ends_the_turn(engine: type[Engine]) -> None:
    game = engine.from_text(
        position("R2 . . . .", orders="R0 R1 R3", vaults="Y2 Y5 Y6", turn="0:1", decision="main@a1")
    )
    game.play("B")
    assert game.to_text() == position("R2+0 . . . .", orders="R0 R1 R3", vaults="Y2 Y5 Y6", turn="1:3")
