"""R8: scoring."""

from __future__ import annotations

import pytest

from tests.engines import Engine
from tests.positions import expect_moves, places, position, split

NO_ORDER = "R0 R1 Y0"
"""Promote, Move Builder, Confuse: none can be carried out while no builder is in the cathedral."""


def scored(engine: type[Engine], board: str) -> tuple[int, int]:
    """Score the board from 0:0.

    The king goes from 29 to 30 with G9 on e1, the third scoring. G9 touches no green tile and carries nobody,
    so it scores nothing.
    """
    game = engine.from_text(position(board, orders=NO_ORDER, vaults="G9 Y1 B0", king=29, reshuffled=1))
    game.play("V1e1")
    assert game.is_over
    return game.scores


@pytest.mark.parametrize(
    ("king", "turn", "next_turn"),
    [(9, "0:3", "1:3"), (9, "0:2", "1:3"), (9, "0:1", "1:3"), (9, "1:3", "0:3"), (19, "1:2", "0:3")],
)
def test_r8_1_the_turn_ends_at_once(engine: type[Engine], king: int, turn: str, next_turn: str) -> None:
    game = engine.from_text(
        position(
            "R2 . . . .", orders=NO_ORDER, vaults="G9 Y5 B5", stack="G1", king=king, reshuffled=1, turn=turn
        )
    )
    game.play("V1e1")
    # Both vaults lie in row 1 and are discarded, nobody scores, no builder may follow.
    assert game.to_text() == position(
        orders="G1 R1 Y0",
        vaults="R0 Y5 B5",
        discard="R2 G9",
        king=king + 1,
        reshuffled=1,
        turn=next_turn,
    )
    expect_moves(game, places("123", "a1 b1 c1 d1 e1"))


@pytest.mark.parametrize(
    ("board", "scores"),
    [
        # A single-colour tile alone is an area.
        ("R2+0 . . . .", (1, 0)),
        ("R2+1 . . . .", (0, 1)),
        # A wild tile alone is none.
        ("RY0+0 . . . .", (0, 0)),
        # Another colour does not make it one: of RY0's colours neither is beside it.
        ("RY0+0 B2 . . .", (0, 0)),
        # Two neighbours of a colour; a third beyond a gap is another area.
        ("R2+0 R6 . R9 .", (2, 0)),
        # Round a corner, but not across one: a1, a2, b2 belong together, c1 does not.
        (
            """
            R6   R9   .    .    .
            R2+0 .    R3   .    .
            """,
            (3, 0),
        ),
        (
            """
            .    R6   .    .    .
            R2+0 Y2   .    .    .
            """,
            (1, 0),
        ),
        # A wild tile belongs to an area of each of its colours: red a1, b1 and yellow b1, c1, two each.
        ("R6 RY0+0 Y2 . .", (4, 0)),
        # The builder of a1 stands in the red area alone.
        ("R6+0 RY0 Y2 . .", (2, 0)),
        # The wild tile counts for player 0 in red and for player 1 in yellow; the colours are never joined.
        ("R6+0 RY0 Y2+1 . .", (2, 2)),
        # It joins red with red: three. Its yellow is alone, no area.
        ("R6+0 RY0 R2 . .", (3, 0)),
        # It joins nothing of a colour it lacks.
        ("R6+0 YB0 R2 . .", (1, 0)),
        # Two wild tiles in one area: red a1, b1, c1. Blue and yellow are alone.
        ("RB1 R2+0 RY0 . .", (3, 0)),
        # The builder on the wild tile scores where it has a neighbour of the colour, red, and not yellow.
        ("R2 RY0+0 B2 . .", (2, 0)),
        # Scaffolding joins nothing.
        ("R6+0 # R2 . .", (1, 0)),
        # Nor does the edge: e2 and a3 are no neighbours.
        (
            """
            R6   .    .    .    .
            Y2   .    .    .    R2+0
            Y5   .    .    .    .
            """,
            (1, 0),
        ),
        # A wild tile in a ring of areas: red a1, b1, b2 (3), yellow b2, b3, c2 (3), its own builder in both;
        # player 1 alone on the blue c1 (1).
        (
            """
            .    Y2   .    .    .
            .    RY0+0 Y5  .    .
            R2   R6   B2+1 .    .
            """,
            (6, 1),
        ),
    ],
)
def test_r8_2_areas(engine: type[Engine], board: str, scores: tuple[int, int]) -> None:
    assert scored(engine, board) == scores


@pytest.mark.parametrize(
    ("board", "scores"),
    [
        # Nobody there: nobody scores.
        ("R2 R6 . . .", (0, 0)),
        # 1 to 1 and no Strongman: nobody scores the area, no minority points either.
        ("R2+0 R6+1 . . .", (0, 0)),
        # 2 to 1 builders: 3 tiles to 1 builder.
        ("R2+0 R6+0 R9+1 . .", (3, 1)),
        # A Master Mason is 2 against 1.
        ("R2+0M R6+1 . . .", (2, 1)),
        # A Master Mason against two builders: 2 to 2, nobody.
        ("R2+0M R6+1 R9+1 . .", (0, 0)),
        # An Architect is 1, like any builder: 1 to 1, nobody, although there is an Architect.
        ("R2+0A R6+1 . . .", (0, 0)),
        # So is a Strongman, but he decides 1 to 1: 2 tiles to 1 builder.
        ("R2+0S R6+1 . . .", (2, 1)),
        # 2 to 2, and the Strongman holds it for player 1: 3 tiles; the Master Mason is one builder.
        ("R2+0M R6+1 R9+1S . .", (1, 3)),
        # One Strongman each: they cancel, nobody.
        ("R2+0S R6+1S . . .", (0, 0)),
        # Two Strongmen against one, strength 2 to 2: one is left over. 4 tiles to 2 builders.
        (
            """
            R9+0S R3+1 .   .    .
            R2+0S R6+1S .  .    .
            """,
            (4, 2),
        ),
        # Strongmen count on equal strength only: 1 to 2, then 2 to 3 with two Strongmen against none.
        ("R2+0S R6+1M . . .", (1, 2)),
        (
            """
            R9+0S .    .    .   .
            R2+0S R6+1M R3+1 .  .
            """,
            (2, 4),
        ),
        # A builder on a wild tile counts in both areas: red 1 to 0, 2 points; yellow 1 to 1, nobody.
        ("R6 RY0+0 Y2+1 . .", (2, 0)),
        # So does a Master Mason: red 2 to 0, 2 points; yellow 2 to 1, 2 points to 1.
        ("R6 RY0+0M Y2+1 . .", (4, 1)),
        # And a Strongman: red 1 to 0, 2 points; yellow 1 to 1 and he decides, 2 points to 1.
        ("R6 RY0+0S Y2+1 . .", (4, 1)),
        # A Strongman in another area does not help: red 1 to 1, nobody; the yellow c1 is one tile.
        ("R2+0 R6+1 Y2+0S . .", (1, 0)),
    ],
)
def test_r8_3_majorities(engine: type[Engine], board: str, scores: tuple[int, int]) -> None:
    assert scored(engine, board) == scores


@pytest.mark.parametrize(
    ("board", "scores"),
    [
        # One point a tile.
        ("R2+0 R6 R9 . .", (3, 0)),
        # Doubled by her own Architect: 2 * 2.
        ("R2+0A R6 . . .", (4, 0)),
        # Doubled by the opponent's: 3 tiles * 2 to 1 builder, which is not doubled.
        ("R2+0 R6+1A R9+0 . .", (6, 1)),
        # Once, however many Architects: 2 * 2; 3 * 2.
        ("R2+0A R6+0A . . .", (4, 0)),
        ("R2+0A R6+1A R9+0A . .", (6, 1)),
        # An Architect of a neighbouring area doubles nothing here: 1 and 1 * 2.
        ("R2+0 Y2+0A . . .", (3, 0)),
        # 2 for each glass: 2 + 2, 2 + 2 + 2.
        ("R2*+0 R6 . . .", (4, 0)),
        ("R2*+0 R6* . . .", (6, 0)),
        # After doubling: 2 * 2 + 2 + 2, not (2 + 4) * 2.
        ("R2*+0A R6* . . .", (8, 0)),
        # Glass under the other player's builder counts for the majority: 2 + 2 to 1.
        ("R2+0M R6*+1 . . .", (4, 1)),
        # No majority, no glass; nobody, no glass.
        ("R2*+0 R6+1 . . .", (0, 0)),
        ("R2* R6* . . .", (0, 0)),
        # A wild tile with glass counts it in both areas: 2 + 2 and 2 + 2.
        ("R6 RY0*+0 Y2 . .", (8, 0)),
        # Alone it is no area, so its glass counts nowhere.
        ("RY0*+0 B2 . . .", (0, 0)),
        # An Architect on a wild tile doubles both areas: 2 * 2 and 2 * 2.
        ("R6 RY0+0A Y2 . .", (8, 0)),
        # Minority: 1 for each builder, a Master Mason is one. Strength 4 to 3, 4 tiles to 2 builders.
        (
            """
            R9+1M .    .    .    .
            R2+0M R6+0M R3+1 .   .
            """,
            (4, 2),
        ),
        # Also when the majority was lost only on Strongmen: 2 to 2 builders, 4 tiles to 2.
        (
            """
            R9+1S .    .    .    .
            R2+0 R6+0 R3+1 .     .
            """,
            (2, 4),
        ),
        # All at once. Red a1, b1, c1, b2 (wild): player 0 has 2 (Master Mason) + 1, player 1 has 1
        # (Architect): 4 * 2 + 2 (glass on b2) = 10 to 1. Blue b2, b3: player 0 on the wild b2 1, player 1 on
        # b3 1 and a Strongman: 2 + 2 (the same glass) = 4 to 1. Together 10 + 1 to 1 + 4.
        (
            """
            .    B2+1S .   .    .
            .    RB1*+0 .  .    .
            R2+0M R6  R9+1A .   .
            """,
            (11, 5),
        ),
    ],
)
def test_r8_4_points(engine: type[Engine], board: str, scores: tuple[int, int]) -> None:
    assert scored(engine, board) == scores


def test_r8_4_points_add_up(engine: type[Engine]) -> None:
    # 2 more for player 1, from 12:7.
    game = engine.from_text(
        position("R2+1 R6 . . .", orders=NO_ORDER, vaults="G9 Y1 B0", king=29, reshuffled=1, scores="12:7")
    )
    game.play("V1e1")
    assert game.scores == (12, 9)
    assert split(game.to_text())["scores"] == "12:9"


def test_r8_4_the_tile_that_brings_the_scoring_counts(engine: type[Engine]) -> None:
    # R1 (crown) on b1 joins R2 and R6: three tiles.
    game = engine.from_text(
        position("R2+0 . R6 . .", orders="R0 R4 R3", vaults="R1 Y1 B0", king=29, reshuffled=1)
    )
    game.play("V1b1")
    assert game.scores == (3, 0)


def test_r8_5_after_the_first_scoring(engine: type[Engine]) -> None:
    # Areas: yellow c2, c3: player 0, two builders, one an Architect: 2 * 2 = 4. Blue c4: player 1: 1 + 2 for
    # the glass = 3. R2, R6 and B7 carry nobody. Then the scaffolding (b3, a2) goes; rows 1 and 2 are
    # discarded, a1 R2, c1 R6, d1 B7, c2 Y2; c3 and c4 move to c1 and c2, the glass with B2. Coins stay.
    board = """
        .    .    B2*+1M .  .
        .    #    Y5+0 .    .
        #    .    Y2+0A .   .
        R2   .    R6*  .    .
    """
    game = engine.from_text(
        position(
            board,
            orders="G0 Y9 B6",
            vaults="B7 Y1 B0",
            stack="G1 G2",
            discard="B9 G5",
            king=9,
            reshuffled=1,
            coins="2:0",
            turn="0:3",
        )
    )
    game.play("V1d1")
    after = """
        .    .    B2*  .    .
        .    .    Y5   .    .
    """
    assert game.to_text() == position(
        after,
        orders="G1 Y9 B6",
        vaults="G0 Y1 B0",
        stack="G2",
        discard="B9 G5 R2 R6 B7 Y2",
        king=10,
        reshuffled=1,
        scores="4:3",
        coins="2:0",
        turn="1:3",
    )


def test_r8_5_after_the_second_scoring(engine: type[Engine]) -> None:
    # The tile that brings the scoring stands on c3 and moves down with the rest; R9 scores 1 for player 0.
    board = """
        .    .    R2   .    .
        R9+0 .    R6   .    .
    """
    game = engine.from_text(
        position(
            board,
            orders="G0 Y9 B6",
            vaults="B7 Y1 B0",
            stack="G1 G2",
            king=19,
            reshuffled=1,
            scores="5:6",
            turn="1:1",
        )
    )
    game.play("V1c3")
    assert game.to_text() == position(
        ". . B7 . .",
        orders="G1 Y9 B6",
        vaults="G0 Y1 B0",
        stack="G2",
        discard="R9 R6 R2",
        king=20,
        reshuffled=1,
        scores="6:6",
        turn="0:3",
    )


def slid(engine: type[Engine], board: str) -> str:
    """Give the cathedral after the first scoring, brought about by G9 on e1."""
    game = engine.from_text(position(board, orders=NO_ORDER, vaults="G9 Y1 B0", king=9, reshuffled=1))
    game.play("V1e1")
    return split(game.to_text())["cathedral"]


def test_r8_5_as_one_block_until_the_lowest_tile_is_in_row_1(engine: type[Engine]) -> None:
    # a3 and c5 move by two: the empty row between them stays, and c5 does not fall further than the block.
    board = """
        .    .    B5   .    .
        .    .    .    .    .
        R6   .    .    .    .
        R2   .    .    .    .
        R9   .    .    .    .
    """
    assert slid(engine, board) == "R6,.,.,.,./.,.,.,.,./.,.,B5,.,."


def test_r8_5_more_than_two_rows_if_nothing_is_lower(engine: type[Engine]) -> None:
    # Row 3 is empty after a Disaster: the block moves by three.
    board = """
        B5   B9   .    .    .
        .    R6*  .    .    .
        .    .    .    .    .
        R2   .    .    .    .
        R9   .    .    .    .
    """
    assert slid(engine, board) == ".,R6*,.,.,./B5,B9,.,.,."


def test_r8_5_scaffolding_goes_before_the_slide(engine: type[Engine]) -> None:
    # Row 3 holds scaffolding alone: the lowest tile left is a4, which moves by three to row 1.
    board = """
        .    B5   .    .    .
        R6   #    .    .    .
        #    #    .    .    .
        R2   .    .    .    .
        R9   .    .    .    .
    """
    assert slid(engine, board) == "R6,.,.,.,./.,B5,.,.,."


def test_r8_5_the_glass_of_rows_1_and_2_goes_with_its_tiles(engine: type[Engine]) -> None:
    # New tiles on a1 and a2 have none; c1 and c2, where R6 and R9 with glass have come down, keep it.
    board = """
        .    .    R9*  .    .
        .    .    R6*  .    .
        Y5*  .    B5*  .    .
        Y2*  .    B2   .    .
    """
    game = engine.from_text(position(board, orders=NO_ORDER, vaults="G9 Y1 B0", king=9, reshuffled=1))
    for move in ("V1e1", "V2a1", "V3a2"):
        game.play(move)
    assert split(game.to_text())["cathedral"] == "Y1,.,R6*,.,./B0,.,R9*,.,."


def test_r8_5_nothing_left(engine: type[Engine]) -> None:
    board = """
        #    .    .    .    .
        R2   .    .    .    .
        R9   #    .    .    .
    """
    assert slid(engine, board) == "-"


def test_r8_5_no_glass_is_left_where_nothing_is(engine: type[Engine]) -> None:
    game = engine.from_text(position("R2* . . . .", orders=NO_ORDER, vaults="G9 Y1 B0", king=9, reshuffled=1))
    for move in ("V1e1", "V2a1"):
        game.play(move)
    assert split(game.to_text())["cathedral"] == "Y1,.,.,.,."


def test_r8_5_the_twelfth_row_moves_too(engine: type[Engine]) -> None:
    board = "\n".join(["Y2 . . . ."] + ["# . . . ."] * 8 + ["Y5 . . . ."] + ["# . . . ."] * 2)
    assert slid(engine, board) == "Y5,.,.,.,./" + ".,.,.,.,./" * 8 + "Y2,.,.,.,."


def test_r8_5_builders_and_tokens_return(engine: type[Engine]) -> None:
    # Both had all builders and tokens in the cathedral; afterwards each can place and promote again.
    board = """
        R3   Y3+0A B3+0M G3+0S Y7+0A
        B4   G7+1A R7+1M Y4+1S B1+1A
        Y2   R6+0  B9+1  R2    Y6
    """
    game = engine.from_text(
        position(board, orders="R0 Y9 B6", vaults="G9 Y1 B0", stack="B8", king=9, turn="1:3")
    )
    # G9 goes onto a4.
    game.play("V1a4")
    fields = split(game.to_text())
    assert fields["cathedral"] == "R3,Y3,B3,G3,Y7/G9,.,.,.,."
    assert (fields["king"], fields["turn"]) == ("10", "0:3")
    for move in ("V1b2", "B"):
        game.play(move)
    assert split(game.to_text())["cathedral"] == "R3,Y3,B3,G3,Y7/G9,R0+0,.,.,."
    # B8, Promote, has come onto space 1: all four tokens are in supply.
    assert "O1" in game.legal_moves()


def test_r8_6_after_the_third_scoring(engine: type[Engine]) -> None:
    # No R8.5, no refill: everything stays as it lies; 1 for R2. Two actions would have been left.
    board = """
        #    .    .    .    .
        R2*+0A .  .    .    .
    """
    game = engine.from_text(
        position(
            board, orders="G0 Y9 B6", vaults="Y1 B7 B0", stack="G1 G2", king=29, reshuffled=1, scores="4:4"
        )
    )
    game.play("V2e1")
    after = """
        #    .    .    .    .
        R2*+0A .  .    .    B7
    """
    # 1 * 2 + 2 for the glass.
    assert game.to_text() == position(
        after,
        orders="G0 Y9 B6",
        vaults="Y1 _ B0",
        stack="G1 G2",
        king=30,
        reshuffled=1,
        scores="8:4",
        turn="0:0",
        decision="over",
    )
    assert game.is_over
    assert game.legal_moves() == []
