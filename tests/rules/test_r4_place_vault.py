"""R4: Place Vault."""

from __future__ import annotations

import pytest

from tests.chance import Generator
from tests.engines import Engine
from tests.positions import NO_FIT, STANDARD, codes, expect_moves, places, position, split

NO_ORDER = "R0 R1 R3"
"""Promote, Move Builder, Confuse: none can be carried out while no builder is in the cathedral."""


def test_r4_1_row_1_or_beside_a_tile(engine: type[Engine]) -> None:
    # Row 1: a1, b1, d1. Above it: b2 and d2 beside Y2, e2 beside the scaffolding, c3 on Y2. Not a2, which
    # touches nothing, and not b3 or d3, which touch Y2 with a corner only.
    board = """
        .    .    Y2   .    .
        .    .    R2   .    #
    """
    game = engine.from_text(position(board, orders=NO_ORDER, vaults="R6 Y5 B5"))
    expect_moves(game, places("123", "a1 b1 d1 b2 d2 e2 c3"))


def test_r4_1_a_tile_that_touches_nothing_supports_on_all_sides(engine: type[Engine]) -> None:
    # As after a Disaster: row 1 is open, and so are the four squares round c3, c2 below it among them.
    board = """
        .    .    R2   .    .
        .    .    .    .    .
        .    .    .    .    .
    """
    game = engine.from_text(position(board, orders=NO_ORDER, vaults="R6 Y5 B5"))
    expect_moves(game, places("123", "a1 b1 c1 d1 e1 c2 b3 d3 c4"))


def test_r4_1_the_edges_are_no_neighbours(engine: type[Engine]) -> None:
    # a2 and e3 stand at the edge: their neighbours are a1, b2, a3 and e2, d3, e4; nothing wraps round.
    board = """
        .    .    .    .    Y2
        R2   .    .    .    .
        .    .    .    .    .
    """
    game = engine.from_text(position(board, orders=NO_ORDER, vaults="R6 Y5 B5"))
    expect_moves(game, places("123", "a1 b1 c1 d1 e1 b2 e2 a3 d3 e4"))


@pytest.mark.parametrize("wild", ["RG2", "YB1", "RY0"])
def test_r4_2_wild_not_next_to_wild(engine: type[Engine], wild: str) -> None:
    # Beside YB0 lie b1, c2 and d1; whether the two share a colour does not matter. Single-colour tiles go
    # there.
    game = engine.from_text(position(". . YB0 . .", orders=NO_ORDER, vaults=f"{wild} R6 Y5"))
    expect_moves(game, places("1", "a1 e1"), places("23", "a1 b1 d1 e1 c2"))


def test_r4_2_wild_at_a_corner_of_a_wild(engine: type[Engine]) -> None:
    # d2 stands on R2 and touches YB0 with a corner only.
    game = engine.from_text(position(". . YB0 R2 .", orders=NO_ORDER, vaults="RG2 R6 Y5"))
    expect_moves(game, places("1", "a1 e1 d2"), places("23", "a1 b1 e1 c2 d2"))


def test_r4_2_scaffolding_between_wild_tiles(engine: type[Engine]) -> None:
    # b2 and c1 touch the scaffolding, not YB0.
    game = engine.from_text(position("YB0 # . . .", orders=NO_ORDER, vaults="RG2 R6 Y5"))
    expect_moves(game, places("1", "c1 d1 e1 b2"), places("23", "c1 d1 e1 a2 b2"))


@pytest.mark.parametrize(
    ("vault", "king"), [("R1", 1), ("G9", 1), ("YB1", 1), ("Y2", 0), ("G2", 0), ("BG2", 0)]
)
def test_r4_3_a_crown_moves_the_king_one_space(engine: type[Engine], vault: str, king: int) -> None:
    game = engine.from_text(position(orders="R0 R3 R4", vaults=f"R2 {vault} B5"))
    game.play("V2c1")
    assert split(game.to_text())["king"] == str(king)


@pytest.mark.parametrize(("king", "over"), [(9, False), (19, False), (29, True)])
def test_r4_3_a_scoring_follows_at_once(engine: type[Engine], king: int, over: bool) -> None:
    # R2 alone with a builder of player 1 scores one point; G9 brings the king onto the scoring space.
    game = engine.from_text(
        position("R2+1 . . . .", orders=NO_ORDER, vaults="G9 Y5 B5", king=king, reshuffled=1, scores="0:0")
    )
    game.play("V1e1")
    fields = split(game.to_text())
    assert (fields["king"], fields["scores"]) == (str(king + 1), "0:1")
    assert game.scores == (0, 1)
    assert game.is_over is over


@pytest.mark.parametrize(("vault", "king"), [("Y5", 9), ("G9", 8), ("Y5", 10), ("G9", 10)])
def test_r4_3_no_scoring_elsewhere(engine: type[Engine], vault: str, king: int) -> None:
    # Without a crown the king stays on 9 or 10; with one it comes to 9 or 11: no scoring.
    game = engine.from_text(
        position("R2+1 . . . .", orders=NO_ORDER, vaults=f"{vault} Y6 B5", king=king, reshuffled=1)
    )
    game.play("V1e1")
    fields = split(game.to_text())
    assert (fields["scores"], fields["turn"], fields["decision"]) == ("0:0", "0:2", "main@e1")


@pytest.mark.parametrize(
    ("space", "orders", "vaults"),
    [(1, "B2 Y3 Y4", "Y0 Y5 B5"), (2, "Y0 B2 Y4", "R6 Y3 B5"), (3, "Y0 Y3 B2", "R6 Y5 Y4")],
)
def test_r4_4_the_order_above_is_flipped_and_its_space_refilled(
    engine: type[Engine], space: int, orders: str, vaults: str
) -> None:
    game = engine.from_text(position(orders="Y0 Y3 Y4", vaults="R6 Y5 B5", stack="B2 G1 G2"))
    game.play(f"V{space}c1")
    placed = ["R6", "Y5", "B5"][space - 1]
    assert game.to_text() == position(
        f". . {placed} . .", orders=orders, vaults=vaults, stack="G1 G2", turn="0:2", decision="main@c1"
    )


def test_r4_4_the_refill_comes_after_the_king_and_the_scoring(engine: type[Engine]) -> None:
    # The stack is empty, so order space 1 is refilled from the discard pile, reshuffled (R7.1). The scoring
    # comes first: R2, Y1 and G9, which it discards from a1, c1 and e1 (R8.5), are in the shuffle.
    text = position("R2+1 . Y1 . .", orders=NO_ORDER, vaults="G9 Y5 B5", rest="discard", king=9)
    game = engine.from_text(text, seed=4)
    game.play("V1e1")
    deck = Generator(4).shuffled([*codes(split(text)["discard"]), "R2", "Y1", "G9"])
    assert game.to_text() == position(
        orders=f"{deck[0]} R1 R3",
        vaults="R0 Y5 B5",
        stack=" ".join(deck[1:]),
        king=10,
        scores="0:1",
        turn="1:3",
        reshuffled=1,
    )


WILD = "BG2 RY1 RB0"


def test_r4_5_redraw_if_no_vault_fits(engine: type[Engine]) -> None:
    game = engine.from_text(
        position(NO_FIT, orders="R5 R1 R3", vaults=WILD, stack="R6 Y6 B5 G1", discard="Y3", turn="1:1")
    )
    expect_moves(game, "redraw O1")
    game.play("redraw")
    # The vaults go in space order onto the discard pile, three new ones come, no action is spent.
    assert game.to_text() == position(
        NO_FIT,
        orders="R5 R1 R3",
        vaults="R6 Y6 B5",
        stack="G1",
        discard="Y3 BG2 RY1 RB0",
        turn="1:1",
        decision="vault",
    )
    # She must place one of them: the Scaffolding on space 1 is no longer to be had.
    expect_moves(game, places("123", "a2 c2 e2 b3 d3"))
    game.play("V2d3")
    assert game.to_text() == position(
        ".    .    .    Y6   .\n" + NO_FIT.strip(),
        orders="R5 G1 R3",
        vaults="R6 R1 B5",
        discard="Y3 BG2 RY1 RB0",
        turn="0:3",
    )


def test_r4_5_redraw_again_if_again_none_fits(engine: type[Engine]) -> None:
    game = engine.from_text(
        position(NO_FIT, orders="R5 R1 R3", vaults=WILD, stack="RB2 RG0 YB1 R6 Y6 RY2 G1")
    )
    game.play("redraw")
    expect_moves(game, "redraw")
    game.play("redraw")
    # RY2 on space 3 fits nowhere, the other two on all five squares.
    assert game.to_text() == position(
        NO_FIT,
        orders="R5 R1 R3",
        vaults="R6 Y6 RY2",
        stack="G1",
        discard=f"{WILD} RB2 RG0 YB1",
        decision="vault",
    )
    expect_moves(game, places("12", "a2 c2 e2 b3 d3"))


def test_r4_5_no_redraw_while_one_vault_fits(engine: type[Engine]) -> None:
    game = engine.from_text(position(NO_FIT, orders="R5 R1 R3", vaults="BG2 RY1 R6"))
    expect_moves(game, places("3", "a2 c2 e2 b3 d3"), "O1")


def test_r4_5_the_drawn_vault_is_placed_like_any_other(engine: type[Engine]) -> None:
    # Crown: the king steps (Y1 has one); the discarded crowns of RY1 and RB0 do not move it.
    game = engine.from_text(position(NO_FIT, orders=NO_ORDER, vaults=WILD, stack="Y1 Y6 B5 G1"))
    game.play("redraw")
    assert split(game.to_text())["king"] == "0"
    game.play("V1a2")
    fields = split(game.to_text())
    assert (fields["king"], fields["turn"], fields["decision"]) == ("1", "0:2", "main@a2")
    assert (fields["orders"], fields["vaults"]) == ("G1,R1,R3", "R0,Y6,B5")


def test_r4_5_redraw_until_the_end(engine: type[Engine]) -> None:
    # After the reshuffle the stack holds six more wild tiles and R6: two redraws, and the third can fill
    # space 1 alone; the game ends (R7.2). Last scoring: RY0, R2 and RB1 are a red area of three with a
    # builder of player 0 (RG2 is cut off by Y2): 3:0.
    board = NO_FIT.replace("R2 ", "R2+0 ", 1)
    wilds = "RB2 RG0 YB1 RY2 YB2 RG1"
    game = engine.from_text(
        position(
            board,
            orders="R5 R1 R3",
            vaults=WILD,
            stack=f"{wilds} R6",
            rest="discard",
            reshuffled=1,
            turn="1:2",
        )
    )
    before = split(game.to_text())["discard"].replace(",", " ")
    for _ in range(2):
        game.play("redraw")
        expect_moves(game, "redraw")
    game.play("redraw")
    assert game.to_text() == position(
        board,
        orders="R5 R1 R3",
        vaults="R6 _ _",
        discard=f"{before} {WILD} {wilds}",
        scores="3:0",
        turn="1:0",
        decision="over",
        reshuffled=1,
    )


def test_r4_6_twelve_rows(engine: type[Engine]) -> None:
    # A tower of scaffolding in column c: beside it b and d in each row, and a1 and e1; nothing above row 12.
    board = "\n".join([". . # . ."] * 12)
    squares = "a1 b1 d1 e1 " + " ".join(f"b{row} d{row}" for row in range(2, 13))
    game = engine.from_text(position(board, orders=NO_ORDER, vaults="R6 Y5 B5"))
    expect_moves(game, places("123", squares))


def test_r4_6_row_12_can_be_used(engine: type[Engine]) -> None:
    board = "\n".join([". . # . ."] * 11)
    game = engine.from_text(position(board, orders=NO_ORDER, vaults="R6 Y5 B5", stack="G1"))
    game.play("V1c12")
    assert game.to_text() == position(
        ". . R6 . .\n" + board,
        orders="G1 R1 R3",
        vaults="R0 Y5 B5",
        turn="0:2",
        decision="main@c12",
    )


def test_r4_6_a_full_cathedral_takes_no_vault(engine: type[Engine]) -> None:
    # No square is empty: a redraw is all there is, again and again (R4.5).
    board = "\n".join(["# # # # #"] * 12)
    game = engine.from_text(position(board, orders=NO_ORDER, vaults="R6 Y5 B5"))
    expect_moves(game, "redraw")
    game.play("redraw")
    expect_moves(game, "redraw")


def test_r4_2_holds_for_every_pair_of_the_standard_set(engine: type[Engine]) -> None:
    # Each wild tile in turn in the cathedral, with another wild one to place: only a1 and e1 are clear of it.
    wild = [code for code in STANDARD.codes if len(code) == 3]
    for lying, placed in zip(wild, [*wild[1:], wild[0]], strict=True):
        game = engine.from_text(position(f". . {lying} . .", orders=NO_ORDER, vaults=f"{placed} R6 Y5"))
        assert [move for move in game.legal_moves() if move.startswith("V1")] == ["V1a1", "V1e1"]
