"""R6: Execute Order, in general and the main orders (R6.1 to R6.8)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines import Engine
from tests.positions import expect_moves, places, position, ranks, split

FULL = ["# # # # #"] * 11
"""Eleven rows of scaffolding, to make squares scarce (R4.6)."""


@pytest.mark.parametrize(
    ("order", "board", "possible"),
    [
        # Promote: a builder of one's own and a token in supply (R6.4).
        ("R0", "R2+1 . . . .", False),
        ("R0", "R2+0 . . . .", True),
        ("R0", "R2+0A Y2+0A B2+0M G2+0S B8+0", False),
        ("R0", "R2+0A Y2+0A B2+0M . .", True),
        # Move Builder: an adjacent vault without a builder (R6.5); not scaffolding (R6.3), no empty square.
        ("R8", "R2+0 . Y2 . .", False),
        ("R8", "R2+0 # Y2 . .", False),
        ("R8", "R2+0 Y2+1 B2 . .", False),
        ("R8", "R2+0 Y2+0 B2 . .", True),
        # Recruit: a builder in supply and a vault without a builder (R6.6).
        ("R9", "# . . . .", False),
        ("R9", "R2+0 Y2+1 . . .", False),
        ("R9", "R2 . . . .", True),
        # Confuse: a builder of one's own, and one of the opponent's that can move when it is gone (R6.7).
        ("R3", "Y2 R2+1 B2 . .", False),
        ("R3", "R2+0 Y2 . . .", False),
        ("R3", "R2+0 . Y2+1 . .", False),
        ("R3", "R2+0 . Y2+1 # .", False),
        ("R3", "R2+0 Y2+1 . . .", True),
        ("R3", "R2+0 . Y2+1 B2 .", True),
        # Stained Glass: a tile with a builder of one's own and no glass (R6.8).
        ("R4", "R2+1 Y2 . . .", False),
        ("R4", "R2*+0 Y2+1 . . .", False),
        ("R4", "R2*+0 Y2+0 . . .", True),
        # Scaffolding: two squares (R6.8, R4.1, R4.6).
        ("R5", "", True),
        # Disaster: a vault without a builder (R6.8).
        ("R6", "", False),
        ("R6", "# R2+0 Y2+1 . .", False),
        ("R6", "R2+0 Y2 . . .", True),
    ],
)
@pytest.mark.parametrize("space", [1, 2, 3])
def test_r6_1_the_main_part_must_be_possible_in_full(
    engine: type[Engine], order: str, board: str, possible: bool, space: int
) -> None:
    # Coins 2:0, so no paid order blurs the picture; the other two orders are Scaffolding, always possible
    # here.
    orders = ["Y9", "B6"]
    orders.insert(space - 1, order)
    game = engine.from_text(position(board, orders=" ".join(orders), vaults="Y1 B0 B7", coins="2:0"))
    offered = [move for move in game.legal_moves() if move.startswith("O")]
    assert (f"O{space}" in offered) is possible
    assert len(offered) == 2 + possible


@pytest.mark.parametrize(
    ("order", "board"),
    [
        # The opponent has a coin, but no builder to promote, none to recruit beside.
        ("R0", "R2+0 . . . ."),
        ("R9", "R2+0 Y2 . . ."),
    ],
)
def test_r6_1_the_paid_part_need_not_be_possible(engine: type[Engine], order: str, board: str) -> None:
    game = engine.from_text(position(board, orders=f"{order} R1 R3", vaults="Y1 B0 B7"))
    assert "O1" in game.legal_moves()


@pytest.mark.parametrize(
    ("order", "decision", "choices"),
    [
        ("R0", "promote:1", ranks("a1")),
        ("R8", "move:1", ["a1-a2"]),
        ("R9", "recruit:1", ["a2", "d1"]),
        ("R3", "remove:1", ["a1"]),
        ("R4", "glass:1", ["a1"]),
        ("R5", "scaffold:1:2", ["c1", "e1", "b2", "d2", "a3"]),
        ("R6", "disaster:1", ["a2", "d1"]),
    ],
)
def test_r6_1_nothing_can_be_declined(
    engine: type[Engine], order: str, decision: str, choices: list[str]
) -> None:
    # Once the order is chosen its choices are all there is.
    board = """
        Y5   .    .    .    .
        R2+0 Y2+1 .    B2   .
    """
    game = engine.from_text(position(board, orders=f"{order} Y9 B6", vaults="Y1 B0 B7"))
    game.play("O1")
    assert game.to_text() == position(board, orders=f"{order} Y9 B6", vaults="Y1 B0 B7", decision=decision)
    expect_moves(game, choices)


def test_r6_1_carried_out_once(engine: type[Engine]) -> None:
    game = engine.from_text(
        position("R2+0 Y2+0 . . .", orders="R0 R1 R3", vaults="Y1 B0 B7", coins="2:0", stack="R7")
    )
    game.play("O1")
    game.play("a1=A")
    fields = split(game.to_text())
    assert (fields["decision"], fields["turn"]) == ("main", "0:2")


def test_r6_2_discard_then_refill_then_the_action_is_over(engine: type[Engine]) -> None:
    # The tile of order space 2 goes onto the discard pile after those that lie there; G1 replaces it.
    board = "R2+0 Y2 . . ."
    game = engine.from_text(
        position(board, orders="R0 R4 R3", vaults="Y1 B0 B7", stack="G1 G2", discard="B9 Y9", turn="0:2")
    )
    game.play("O2")
    # Until the order is done its tile stays on the space.
    assert game.to_text() == position(
        board,
        orders="R0 R4 R3",
        vaults="Y1 B0 B7",
        stack="G1 G2",
        discard="B9 Y9",
        turn="0:2",
        decision="glass:2",
    )
    game.play("a1")
    assert game.to_text() == position(
        "R2*+0 Y2 . . .",
        orders="R0 G1 R3",
        vaults="Y1 B0 B7",
        stack="G2",
        discard="B9 Y9 R4",
        turn="0:1",
    )


def test_r6_2_the_paid_order_comes_before_the_discard(engine: type[Engine]) -> None:
    spaces: dict[str, Any] = {"vaults": "Y1 B0 B7", "stack": "G1 G2", "discard": "B9"}
    game = engine.from_text(position("R2+0 Y2+1 . . .", orders="R1 R3 R0", turn="0:1", **spaces))
    game.play("O3")
    game.play("a1=M")
    assert game.to_text() == position(
        "R2+0M Y2+1 . . .", orders="R1 R3 R0", turn="0:1", decision="offer:3:M", **spaces
    )
    game.play("pay")
    assert split(game.to_text())["orders"] == "R1,R3,R0"
    game.play("b1=A")
    assert game.to_text() == position(
        "R2+0M Y2+1A . . .",
        orders="R1 R3 G1",
        vaults="Y1 B0 B7",
        stack="G2",
        discard="B9 R0",
        coins="2:0",
        turn="1:3",
    )


def test_r6_2_the_refill_may_be_chosen_next(engine: type[Engine]) -> None:
    # Y9 follows B6 on space 1 and can be carried out in the same turn.
    game = engine.from_text(position(orders="B6 R1 R3", vaults="Y1 B0 B7", stack="Y9"))
    for move in ("O1", "a1", "b1"):
        game.play(move)
    expect_moves(game, places("123", "c1 d1 e1 a2 b2"), "O1")


@pytest.mark.parametrize(
    ("order", "decision", "choice"),
    [
        ("R8", "move:1", "c2-d2"),
        ("R9", "recruit:1", "d2"),
        ("R3", "confuse:1", "d1-d2"),
        ("R9", "paid-recruit:1", "d2"),
        ("R3", "paid-confuse:1", "d1-d2"),
    ],
)
def test_r6_3_builders_never_on_scaffolding(
    engine: type[Engine], order: str, decision: str, choice: str
) -> None:
    # c2 (player 0) and d1 (player 1) have scaffolding and one free vault, d2, beside them.
    board = """
        .    .    #    .    .
        .    #    B2+0 Y5   #
        .    .    #    Y2+1 #
    """
    coins = "2:0" if decision.startswith("paid") else "1:1"
    game = engine.from_text(
        position(board, orders=f"{order} Y9 B6", vaults="Y1 B0 B7", decision=decision, coins=coins)
    )
    expect_moves(game, choice)


def promotion(engine: type[Engine], board: str) -> Engine:
    """Choose Promote on order space 1; the opponent has no coin, so no offer follows."""
    game = engine.from_text(position(board, orders="R0 R7 R3", vaults="Y1 B0 B7", stack="G1", coins="2:0"))
    game.play("O1")
    return game


@pytest.mark.parametrize("rank", ["A", "M", "S"])
def test_r6_4_promote_one_of_your_builders_to_any_rank(engine: type[Engine], rank: str) -> None:
    # b1 is the opponent's, d1 carries nobody.
    game = promotion(engine, "R2+0 Y2+1 B5+0 G5 .")
    expect_moves(game, ranks("a1 c1"))
    game.play(f"c1={rank}")
    assert game.to_text() == position(
        f"R2+0 Y2+1 B5+0{rank} G5 .",
        orders="G1 R7 R3",
        vaults="Y1 B0 B7",
        discard="R0",
        coins="2:0",
        turn="0:2",
    )


@pytest.mark.parametrize("rank", ["A", "M", "S"])
def test_r6_4_a_promoted_builder_again_even_to_the_same_rank(engine: type[Engine], rank: str) -> None:
    game = promotion(engine, "R2+0A . . . .")
    expect_moves(game, ranks("a1"))
    game.play(f"a1={rank}")
    assert split(game.to_text())["cathedral"] == f"R2+0{rank},.,.,.,."


def test_r6_4_re_promotion_with_one_token_in_supply(engine: type[Engine]) -> None:
    # Three tokens in use, one in supply: it goes onto a1 and the old one comes back, so the second Promote
    # can still be chosen.
    board = "R2+0A Y2+0M B5+0S G5+0 ."
    game = promotion(engine, board)
    expect_moves(game, ranks("a1 b1 c1 d1"))
    game.play("a1=S")
    assert split(game.to_text())["cathedral"] == "R2+0S,Y2+0M,B5+0S,G5+0,."
    assert "O2" in game.legal_moves()
    # The last token on d1 leaves none: the second Promote can no longer be chosen, not even to promote again.
    game = promotion(engine, board)
    game.play("d1=S")
    assert split(game.to_text())["cathedral"] == "R2+0A,Y2+0M,B5+0S,G5+0S,."
    assert "O2" not in game.legal_moves()


def test_r6_4_the_opponents_tokens_are_not_yours(engine: type[Engine]) -> None:
    # Player 1 has no token left; player 0 has all four.
    game = promotion(engine, "R2+1A Y2+1M B5+1S G5+1S B8+0")
    expect_moves(game, ranks("e1"))


MOVES = """
    B2   .    .    #    .
    R2*+0M Y2 B5+1 G5+0 G2
"""
"""a1 can go up to B2 and right to Y2; d1 only right to G2: c1 is taken and d2 is scaffolding."""


def test_r6_5_move_to_an_adjacent_vault_without_a_builder(engine: type[Engine]) -> None:
    game = engine.from_text(position(MOVES, orders="R8 R0 R3", vaults="Y1 B0 B7", stack="G1"))
    game.play("O1")
    expect_moves(game, "a1-a2 a1-b1 d1-e1")
    # The token goes with the builder, the glass stays with the tile.
    game.play("a1-a2")
    after = """
        B2+0M .   .    #    .
        R2*  Y2   B5+1 G5+0 G2
    """
    assert game.to_text() == position(after, orders="G1 R0 R3", vaults="Y1 B0 B7", discard="R8", turn="0:2")


def test_r6_5_in_all_four_directions(engine: type[Engine]) -> None:
    board = """
        .    .    Y6   .    .
        .    B2   R2+1 G2   .
        .    .    Y2   .    .
    """
    game = engine.from_text(position(board, orders="R8 R0 R3", vaults="Y1 B0 B7", turn="1:3"))
    game.play("O1")
    expect_moves(game, "c2-c3 c2-d2 c2-c1 c2-b2")


def test_r6_6_recruit_onto_any_vault_without_a_builder(engine: type[Engine]) -> None:
    # Also onto e1, far from any builder of player 0, and onto c3 with its glass; not onto the scaffolding b1.
    board = """
        .    .    Y6*  .    .
        .    .    .    .    .
        R2+0 #    B5+1 .    YB0
    """
    game = engine.from_text(position(board, orders="R0 R9 R3", vaults="Y1 B0 B7", stack="G1", coins="2:0"))
    game.play("O2")
    expect_moves(game, "c3 e1")
    game.play("c3")
    after = board.replace("Y6*", "Y6*+0")
    assert game.to_text() == position(
        after, orders="R0 G1 R3", vaults="Y1 B0 B7", discard="R9", coins="2:0", turn="0:2"
    )


def test_r6_6_needs_a_builder_in_supply(engine: type[Engine]) -> None:
    board = """
        Y6   .    .    .    .
        R2+0 Y2+0 B5+0 G5+0 B8+0
    """
    orders: dict[str, Any] = {"orders": "R9 Y9 B6", "vaults": "Y1 B0 B7"}
    assert "O1" not in engine.from_text(position(board, **orders)).legal_moves()
    assert "O1" in engine.from_text(position(board, turn="1:3", **orders)).legal_moves()


def confusion(engine: type[Engine], board: str, turn: str = "0:3") -> Engine:
    """Choose Confuse on order space 1; the opponent has no coin, so no offer follows."""
    coins = "2:0" if turn.startswith("0") else "0:2"
    game = engine.from_text(
        position(board, orders="R3 R0 R9", vaults="Y1 B0 B7", stack="G5", coins=coins, turn=turn)
    )
    game.play("O1")
    return game


def test_r6_7_remove_one_of_yours_then_move_one_of_theirs(engine: type[Engine]) -> None:
    # The removed builder takes its token off the cathedral; the moved one keeps hers, the glass stays.
    game = confusion(engine, "R2+0A Y2*+1S B5 G2+1 .")
    expect_moves(game, "a1")
    game.play("a1")
    board = "R2 Y2*+1S B5 G2+1 ."
    assert game.to_text() == position(
        board,
        orders="R3 R0 R9",
        vaults="Y1 B0 B7",
        stack="G5",
        coins="2:0",
        decision="confuse:1",
    )
    assert game.player == 0
    # b1 to the left (the vacated a1) or right, d1 to the left.
    expect_moves(game, "b1-a1 b1-c1 d1-c1")
    game.play("b1-c1")
    assert game.to_text() == position(
        "R2 Y2* B5+1S G2+1 .",
        orders="G5 R0 R9",
        vaults="Y1 B0 B7",
        discard="R3",
        coins="2:0",
        turn="0:2",
    )


def test_r6_7_the_vacated_square_counts_as_free(engine: type[Engine]) -> None:
    # b1 (between a1 and scaffolding) can move only if a1 is vacated, d1 (scaffolding above and to the left)
    # only if e1 is. Without d3 neither can, so d3 may not be removed.
    board = """
        .    .    .    B9+0 .
        .    .    .    #    .
        R2+0 Y2+1 #    B2+1 B5+0
    """
    game = confusion(engine, board)
    expect_moves(game, "a1 e1")
    game.play("e1")
    expect_moves(game, "d1-e1")
    game = confusion(engine, board)
    game.play("a1")
    expect_moves(game, "b1-a1")


def test_r6_7_any_of_yours_if_one_of_theirs_can_move_anyway(engine: type[Engine]) -> None:
    # d1 can go to e1 whoever is removed. With a2 gone b1 still cannot move, a1 being taken.
    board = """
        G2+0 .    .    .    .
        R2+0 Y2+1 .    B2+1 B5
    """
    game = confusion(engine, board)
    expect_moves(game, "a1 a2")
    game.play("a2")
    expect_moves(game, "d1-e1")


def test_r6_7_the_same_for_player_1(engine: type[Engine]) -> None:
    game = confusion(engine, "R2+1 Y2+0M . B2+0 B5", turn="1:1")
    expect_moves(game, "a1")
    game.play("a1")
    expect_moves(game, "b1-a1 d1-e1")
    game.play("b1-a1")
    assert game.to_text() == position(
        "R2+0M Y2 . B2+0 B5",
        orders="G5 R0 R9",
        vaults="Y1 B0 B7",
        discard="R3",
        coins="0:2",
        turn="0:3",
    )


def test_r6_7_builder_and_token_go_back_to_the_supply(engine: type[Engine]) -> None:
    # Player 0 has all builders and all tokens in the cathedral: neither Promote nor Recruit is possible.
    # After Confuse she has one of each again.
    board = """
        .    Y5+0A B2+0M B9+0S G2+0
        R2+0A Y2+1 B5   .    .
    """
    spaces: dict[str, Any] = {"orders": "R3 R0 R9", "vaults": "Y1 B0 B7", "stack": "Y9", "coins": "2:0"}
    game = engine.from_text(position(board, **spaces))
    expect_moves(game, places("123", "d1 e1 a2 b3 c3 d3 e3"), "O1")
    for move in ("O1", "a1", "b1-c1"):
        game.play(move)
    expect_moves(game, places("123", "d1 e1 a2 b3 c3 d3 e3"), "O1 O2 O3")


def test_r6_8_glass_onto_a_tile_with_your_builder_and_no_glass(engine: type[Engine]) -> None:
    # a1: yes; b1 has glass; c1 is the opponent's; d1 carries nobody; e1, wild and with a promoted builder:
    # yes.
    board = "R2+0 Y2*+0 B5+1 G5 BG2+0M"
    game = engine.from_text(position(board, orders="R4 R1 R3", vaults="Y1 B0 B7", stack="G1"))
    game.play("O1")
    expect_moves(game, "a1 e1")
    game.play("e1")
    assert game.to_text() == position(
        "R2+0 Y2*+0 B5+1 G5 BG2*+0M",
        orders="G1 R1 R3",
        vaults="Y1 B0 B7",
        discard="R4",
        turn="0:2",
    )


def test_r6_8_glass_goes_with_its_tile_in_a_disaster(engine: type[Engine]) -> None:
    game = engine.from_text(position("R2* Y2 . . .", orders="R6 R1 R3", vaults="Y1 B0 B7", stack="G1"))
    game.play("O1")
    game.play("a1")
    assert game.to_text() == position(
        ". Y2 . . .", orders="G1 R1 R3", vaults="Y1 B0 B7", discard="R2 R6", turn="0:2"
    )
    # The next tile on a1 has none.
    game.play("V1a1")
    assert split(game.to_text())["cathedral"] == "Y1,Y2,.,.,."


def test_r6_8_two_scaffolding_tiles_one_after_the_other(engine: type[Engine]) -> None:
    spaces: dict[str, Any] = {"vaults": "Y1 B0 B7", "stack": "G1"}
    game = engine.from_text(position(orders="R5 R1 R3", **spaces))
    game.play("O1")
    assert game.to_text() == position(orders="R5 R1 R3", decision="scaffold:1:2", **spaces)
    expect_moves(game, "a1 b1 c1 d1 e1")
    game.play("c1")
    assert game.to_text() == position(". . # . .", orders="R5 R1 R3", decision="scaffold:1:1", **spaces)
    # The second may lean on the first: c2.
    expect_moves(game, "a1 b1 d1 e1 c2")
    game.play("c2")
    board = """
        .    .    #    .    .
        .    .    #    .    .
    """
    assert game.to_text() == position(board, orders="G1 R1 R3", vaults="Y1 B0 B7", discard="R5", turn="0:2")


def test_r6_8_scaffolding_does_not_mind_wild_tiles(engine: type[Engine]) -> None:
    game = engine.from_text(position(". . YB0 . .", orders="R5 R1 R3", vaults="Y1 B0 B7"))
    game.play("O1")
    expect_moves(game, "a1 b1 d1 e1 c2")


def test_r6_8_scaffolding_stops_at_row_12(engine: type[Engine]) -> None:
    # Rows 1 to 11 are full: only the five squares of row 12.
    game = engine.from_text(position("\n".join(FULL), orders="R5 R1 R3", vaults="Y1 B0 B7"))
    game.play("O1")
    expect_moves(game, "a12 b12 c12 d12 e12")
    game.play("c12")
    expect_moves(game, "a12 b12 d12 e12")


def test_r6_8_both_scaffolding_tiles_must_fit(engine: type[Engine]) -> None:
    # With two squares left either may be first and the other follows. With one left the first tile would
    # leave no square for the second, so it is not legal, and the order cannot be chosen. (A first square
    # among several never leaves none: another candidate, or an empty neighbour, is always there.)
    def game(row_12: str) -> Engine:
        board = "\n".join([row_12, *FULL])
        return engine.from_text(position(board, orders="R5 R1 R3", vaults="Y1 B0 B7"))

    two_left = game("# . # # .")
    two_left.play("O1")
    expect_moves(two_left, "b12 e12")
    two_left.play("e12")
    expect_moves(two_left, "b12")
    two_left.play("b12")
    # Nothing fits any more: neither a vault nor Scaffolding, so what remains is the redraw (R4.5).
    expect_moves(two_left, "redraw")
    expect_moves(game("# . # # #"), places("123", "b12"))


def test_r6_8_disaster_takes_a_vault_without_a_builder(engine: type[Engine]) -> None:
    # a1 and d1 carry builders, b1 is scaffolding; c1, c2, c3 and the wild d2 can go. c2 goes: c3 now touches
    # nothing (d2 only with a corner) and stays. The vault is discarded before the order tile.
    board = """
        .    .    G2*  .    .
        .    .    B5   YB0  .
        R2+0 #    Y2   B2+1 .
    """
    game = engine.from_text(position(board, orders="R1 R6 R3", vaults="Y1 B0 B7", stack="G1", discard="B9"))
    game.play("O2")
    expect_moves(game, "c1 c2 c3 d2")
    game.play("c2")
    after = """
        .    .    G2*  .    .
        .    .    .    YB0  .
        R2+0 #    Y2   B2+1 .
    """
    assert game.to_text() == position(
        after, orders="R1 G1 R3", vaults="Y1 B0 B7", discard="B9 B5 R6", turn="0:2"
    )
    # The gap can be filled again: c2 touches c1, d2 and c3.
    assert "V1c2" in game.legal_moves()


def test_r6_8_disaster_may_leave_a_tile_touching_nothing(engine: type[Engine]) -> None:
    board = """
        .    .    G2   .    .
        .    .    B5   .    .
        .    .    Y2+1 .    .
    """
    game = engine.from_text(position(board, orders="R6 R1 R3", vaults="Y1 B0 B7", stack="R8"))
    game.play("O1")
    expect_moves(game, "c2 c3")
    game.play("c2")
    assert split(game.to_text())["cathedral"] == ".,.,Y2+1,.,./.,.,.,.,./.,.,G2,.,."
    # G2 still supports tiles on all its sides.
    expect_moves(game, places("123", "a1 b1 d1 e1 c2 b3 d3 c4"))


def test_r6_8_disaster_can_empty_the_cathedral(engine: type[Engine]) -> None:
    # R1 has a crown; taking it off does not move the king back.
    game = engine.from_text(position("R1 . . . .", orders="R6 R8 R3", vaults="Y1 B0 B7", stack="G1", king=1))
    game.play("O1")
    game.play("a1")
    assert game.to_text() == position(
        orders="G1 R8 R3", vaults="Y1 B0 B7", discard="R1 R6", king=1, turn="0:2"
    )
