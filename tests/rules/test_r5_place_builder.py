"""R5: Place Builder."""

from __future__ import annotations

from tests.engines import Engine
from tests.positions import NO_FIT, expect_moves, places, position, split

NO_ORDER = "R0 R1 R3"
"""Promote, Move Builder, Confuse: none can be carried out while no builder is in the cathedral."""


def test_r5_1_directly_after_the_vault_and_onto_it(engine: type[Engine]) -> None:
    game = engine.from_text(position("R2 . . . .", orders=NO_ORDER, vaults="R6 Y6 B5", stack="B2"))
    expect_moves(game, places("123", "b1 c1 d1 e1 a2"))
    game.play("V2c1")
    # Vault space 2 now holds R1.
    expect_moves(game, places("123", "b1 d1 e1 a2 c2"), "B")
    game.play("B")
    assert game.to_text() == position("R2 . Y6+0 . .", orders="R0 B2 R3", vaults="R6 R1 B5", turn="0:1")
    # The Promote on space 1 can now be carried out, the Move on space 2 has become B2, another Move: c1 has
    # no vault beside it.
    expect_moves(game, places("123", "b1 d1 e1 a2 c2"), "O1")


def test_r5_1_the_colour_of_the_builder_is_the_players(engine: type[Engine]) -> None:
    game = engine.from_text(
        position(". . R2 . .", orders=NO_ORDER, vaults="R6 Y6 B5", turn="1:2", decision="main@c1")
    )
    game.play("B")
    assert game.to_text() == position(". . R2+1 . .", orders=NO_ORDER, vaults="R6 Y6 B5", turn="1:1")


def test_r5_1_needs_a_builder_in_supply(engine: type[Engine]) -> None:
    # All five of player 0 stand in the cathedral: no builder, but the position still says main@e1.
    board = """
        Y5+0 .    .    .    .
        R2+0 Y2+0 B5+0 G1+0 .
    """
    game = engine.from_text(position(board, orders="R5 Y9 B6", vaults="R6 Y1 B0", stack="G2", turn="0:3"))
    game.play("V1e1")
    after = """
        Y5+0 .    .    .    .
        R2+0 Y2+0 B5+0 G1+0 R6
    """
    assert game.to_text() == position(
        after, orders="G2 Y9 B6", vaults="R5 Y1 B0", turn="0:2", decision="main@e1"
    )
    # G2, Stained Glass, fits any of the five tiles; Scaffolding fits as ever.
    expect_moves(game, places("123", "a3 b2 c2 d2 e2"), "O1 O2 O3")


def test_r5_1_the_opponents_builders_do_not_count(engine: type[Engine]) -> None:
    board = """
        Y5+1 .    .    .    .
        R2+1 Y2+1 B5+1 G1+1 R6
    """
    game = engine.from_text(
        position(board, orders=NO_ORDER, vaults="R4 Y1 B0", turn="0:2", decision="main@e1")
    )
    expect_moves(game, places("123", "a3 b2 c2 d2 e2"), "B")


def test_r5_1_a_redraw_ends_the_chance(engine: type[Engine]) -> None:
    game = engine.from_text(
        position(
            NO_FIT,
            orders=NO_ORDER,
            vaults="BG2 RY1 RB0",
            stack="R6 Y6 B5 G1",
            turn="0:2",
            decision="main@b1",
        )
    )
    expect_moves(game, "B redraw")
    game.play("redraw")
    expect_moves(game, places("123", "a2 c2 e2 b3 d3"))
    # The next chance is that of the vault placed after the redraw. R0 has come down onto vault space 1.
    game.play("V1a2")
    assert split(game.to_text())["decision"] == "main@a2"
    expect_moves(game, "B", places("123", "c2 e2 a3 b3 d3"))


def test_r5_1_an_order_ends_the_chance(engine: type[Engine]) -> None:
    game = engine.from_text(
        position(
            "R2 . . . .", orders="R5 R1 R3", vaults="R6 Y6 B5", stack="R0", turn="0:2", decision="main@a1"
        )
    )
    expect_moves(game, places("123", "b1 c1 d1 e1 a2"), "B O1")
    for move in ("O1", "b1", "c1"):
        game.play(move)
    assert game.to_text() == position(
        "R2 # # . .", orders="R0 R1 R3", vaults="R6 Y6 B5", discard="R5", turn="0:1"
    )
    expect_moves(game, places("123", "d1 e1 a2 b2 c2"))


def test_r5_1_the_end_of_the_turn_ends_the_chance(engine: type[Engine]) -> None:
    game = engine.from_text(position(orders=NO_ORDER, vaults="R6 Y6 B5", stack="R7 R8", turn="0:1"))
    game.play("V1a1")
    fields = split(game.to_text())
    assert (fields["turn"], fields["decision"]) == ("1:3", "main")
    expect_moves(game, places("123", "b1 c1 d1 e1 a2"))


def test_r5_1_only_onto_the_tile_just_placed(engine: type[Engine]) -> None:
    # The second vault takes the chance over from the first.
    game = engine.from_text(position(orders=NO_ORDER, vaults="R6 Y6 B5", stack="R7 R8"))
    for move in ("V2a1", "V3b1", "B"):
        game.play(move)
    assert split(game.to_text())["cathedral"] == "Y6,B5+0,.,.,."


def test_r5_2_one_builder_at_most(engine: type[Engine]) -> None:
    # After B no second B, nor for anyone else a way onto a vault that is taken (Move, Recruit).
    game = engine.from_text(
        position("R2 . . . .", orders=NO_ORDER, vaults="R6 Y6 B5", turn="0:2", decision="main@a1")
    )
    game.play("B")
    assert "B" not in game.legal_moves()
    board = "R2+0 Y2+1 B2 . ."
    game = engine.from_text(position(board, orders="R1 R9 R3", vaults="R6 Y6 B5", decision="recruit:2"))
    expect_moves(game, "c1")
    # R1, Move Builder: b1 is taken and a2 empty, so player 0 cannot move; player 1 can, to c1.
    game = engine.from_text(position(board, orders="R1 R9 R5", vaults="R6 Y6 B5"))
    assert "O1" not in game.legal_moves()
    game = engine.from_text(
        position(board, orders="R1 R9 R5", vaults="R6 Y6 B5", turn="1:3", decision="move:1")
    )
    expect_moves(game, "b1-c1")
