"""R7: the stack, the one reshuffle and exhaustion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.chance import Generator
from tests.engines import Engine
from tests.positions import NO_FIT, STANDARD, codes, expect_moves, places, position, split

SEED_OF_RETURN = 109
"""With this seed the order tile, last on the discard pile of its test, comes to the top."""

SEED_OF_VAULT = 12
"""With this seed the stack of its test runs out on the refill of a vault."""

SPACES: dict[str, Any] = {"orders": "R0 R5 R3", "vaults": "R6 Y5 B5", "rest": "discard"}
"""Promote, Scaffolding, Confuse over three vaults without crown; what is named nowhere is discarded."""


def rest_of(text: str) -> str:
    """Give the discard pile of a position as the words of a drawing."""
    return split(text)["discard"].replace(",", " ")


def test_r7_1_the_last_tile_drawn_changes_nothing_more(engine: type[Engine]) -> None:
    # A tile is drawn only when a space must be filled: G1 fills it, and nothing needs the empty stack yet.
    game = engine.from_text(position(stack="G1", **SPACES))
    game.play("V1a1")
    assert game.to_text() == position(
        "R6 . . . .",
        orders="G1 R5 R3",
        vaults="R0 Y5 B5",
        rest="discard",
        turn="0:2",
        decision="main@a1",
    )
    # Nor does a builder need it.
    game.play("B")
    fields = split(game.to_text())
    assert (fields["stack"], fields["reshuffled"], fields["decision"]) == ("-", "0", "main")


@pytest.mark.parametrize("seed", [0, 1, 42])
def test_r7_1_reshuffle_in_the_refill_of_a_vault(engine: type[Engine], seed: int) -> None:
    text = position(**SPACES)
    game = engine.from_text(text, seed=seed)
    game.play("V2c1")
    deck = Generator(seed).shuffled(codes(split(text)["discard"]))
    assert game.to_text() == position(
        ". . Y5 . .",
        orders=f"R0 {deck[0]} R3",
        vaults="R6 R5 B5",
        stack=" ".join(deck[1:]),
        turn="0:2",
        decision="main@c1",
        reshuffled=1,
    )


@pytest.mark.parametrize("seed", [0, 1, SEED_OF_RETURN])
def test_r7_1_the_order_just_executed_is_in_the_shuffle(engine: type[Engine], seed: int) -> None:
    # The tile goes onto the discard pile before the space is refilled (R6.2). With the last of the seeds it
    # even comes back onto its own space.
    text = position(**SPACES)
    game = engine.from_text(text, seed=seed)
    for move in ("O2", "a1", "b1"):
        game.play(move)
    deck = Generator(seed).shuffled([*codes(split(text)["discard"]), "R5"])
    assert (deck[0] == "R5") == (seed == SEED_OF_RETURN)
    assert game.to_text() == position(
        "# # . . .",
        orders=f"R0 {deck[0]} R3",
        vaults="R6 Y5 B5",
        stack=" ".join(deck[1:]),
        turn="0:2",
        reshuffled=1,
    )


def test_r7_1_reshuffle_in_the_middle_of_a_redraw(engine: type[Engine]) -> None:
    # Space 1 gets the last tile of the stack; then the discard pile, the three vaults just discarded at its
    # end, is shuffled, and spaces 2 and 3 get its first two.
    text = position(NO_FIT, orders="R0 R5 R3", vaults="BG2 RY1 RB0", stack="R6", rest="discard")
    game = engine.from_text(text, seed=9)
    game.play("redraw")
    deck = Generator(9).shuffled([*codes(split(text)["discard"]), "BG2", "RY1", "RB0"])
    assert game.to_text() == position(
        NO_FIT,
        orders="R0 R5 R3",
        vaults=f"R6 {deck[0]} {deck[1]}",
        stack=" ".join(deck[2:]),
        decision="vault",
        reshuffled=1,
    )


def test_r7_1_reshuffle_in_the_refill_after_a_scoring(engine: type[Engine]) -> None:
    # King from 19 to 20, second scoring. Rows 1 and 2 go onto the discard pile (a1 R2, e1 G9, a2 Y2); B9
    # slides from a3 to a1. Then the pile is shuffled.
    board = """
        B9   .    .    .    .
        Y2   .    .    .    .
        R2+0 .    .    .    .
    """
    text = position(
        board, orders="R0 R5 R3", vaults="G9 Y5 B5", rest="discard", king=19, scores="1:4", turn="1:2"
    )
    game = engine.from_text(text, seed=6)
    game.play("V1e1")
    deck = Generator(6).shuffled([*codes(split(text)["discard"]), "R2", "G9", "Y2"])
    assert game.to_text() == position(
        "B9 . . . .",
        orders=f"{deck[0]} R5 R3",
        vaults="R0 Y5 B5",
        stack=" ".join(deck[1:]),
        king=20,
        scores="2:4",
        turn="0:3",
        reshuffled=1,
    )


def test_r7_1_the_generator_of_a_new_game_goes_on(engine: type[Engine]) -> None:
    # The set-up has used the generator once; the reshuffle takes up where it left off. Orders whenever there
    # is one, so that the discard pile grows; with this seed the stack runs out on a vault.
    generator = Generator(SEED_OF_VAULT)
    generator.shuffled(STANDARD.codes)
    game = engine.new(SEED_OF_VAULT)
    before, move = split(game.to_text()), ""
    while (now := split(game.to_text()))["reshuffled"] == "0":
        before = now
        moves = sorted(game.legal_moves())
        move = next((move for move in moves if move.startswith("O")), moves[0])
        game.play(move)
    assert move.startswith("V")
    assert before["king"] == now["king"]
    deck = generator.shuffled(codes(before["discard"]))
    space = int(move[1]) - 1
    assert [codes(now["orders"])[space], *codes(now["stack"])] == deck
    assert now["discard"] == "-"


def test_r7_1_only_one_reshuffle(engine: type[Engine]) -> None:
    # Stack empty, reshuffled before: the discard pile, full as it is, is not shuffled again.
    game = engine.from_text(position(reshuffled=1, king=3, **SPACES))
    game.play("V1a1")
    assert game.is_over


def test_r7_2_exhaustion_in_the_refill_of_a_vault(engine: type[Engine]) -> None:
    # R0 comes down onto vault space 1, order space 1 stays empty. Last scoring: R2 and R6, two tiles, one
    # builder of player 1: 2 points.
    text = position("R2+1 . . . .", reshuffled=1, scores="7:3", king=12, turn="0:3", **SPACES)
    game = engine.from_text(text)
    game.play("V1b1")
    assert game.to_text() == position(
        "R2+1 R6 . . .",
        orders="_ R5 R3",
        vaults="R0 Y5 B5",
        discard=rest_of(text),
        king=12,
        scores="7:5",
        turn="0:0",
        decision="over",
        reshuffled=1,
    )
    assert game.is_over
    assert game.legal_moves() == []
    assert game.scores == (7, 5)


def test_r7_2_exhaustion_in_the_refill_of_an_order(engine: type[Engine]) -> None:
    # R5 is discarded, space 2 stays empty. R2 alone: 1 point for player 0. It was player 1's turn.
    text = position("R2+0 . . . .", reshuffled=1, turn="1:1", **SPACES)
    game = engine.from_text(text)
    for move in ("O2", "b1", "c1"):
        game.play(move)
    assert game.to_text() == position(
        "R2+0 # # . .",
        orders="R0 _ R3",
        vaults="R6 Y5 B5",
        discard=f"{rest_of(text)} R5",
        scores="1:0",
        turn="1:0",
        decision="over",
        reshuffled=1,
    )


def test_r7_2_exhaustion_after_a_paid_order(engine: type[Engine]) -> None:
    # The paid order comes before the refill (R6.2), so it counts in the last scoring: b1 as Architect doubles
    # nothing but her own single tile, a1 as Master Mason scores its tile: R2 1, Y2 1 * 2.
    text = position("R2+0 Y2+1 . . .", reshuffled=1, **SPACES)
    game = engine.from_text(text)
    for move in ("O1", "a1=M", "pay", "b1=A"):
        game.play(move)
    assert game.to_text() == position(
        "R2+0M Y2+1A . . .",
        orders="_ R5 R3",
        vaults="R6 Y5 B5",
        discard=f"{rest_of(text)} R0",
        scores="1:2",
        coins="2:0",
        turn="0:0",
        decision="over",
        reshuffled=1,
    )


@pytest.mark.parametrize(("stack", "vaults"), [("", "_ _ _"), ("R6", "R6 _ _"), ("R6 Y6", "R6 Y6 _")])
def test_r7_2_exhaustion_in_a_redraw(engine: type[Engine], stack: str, vaults: str) -> None:
    # b1 and d1 carry a builder each. RY0, R2 and RB1 are a red area of three; Y2 and YG1 above it are a
    # yellow area of two (YB0 touches neither). 3:2.
    board = NO_FIT.replace("R2 ", "R2+0 ", 1).replace("Y2 ", "Y2+1 ", 1)
    text = position(
        board,
        orders="R0 R5 R3",
        vaults="BG2 RY1 RB0",
        stack=stack,
        rest="discard",
        turn="1:2",
        reshuffled=1,
    )
    game = engine.from_text(text)
    game.play("redraw")
    assert game.to_text() == position(
        board,
        orders="R0 R5 R3",
        vaults=vaults,
        discard=f"{rest_of(text)} BG2 RY1 RB0",
        scores="3:2",
        turn="1:0",
        decision="over",
        reshuffled=1,
    )


@pytest.mark.parametrize("king", [9, 19])
def test_r7_2_exhaustion_after_the_first_or_second_scoring(engine: type[Engine], king: int) -> None:
    # The scoring: R2 and R6 with a builder of player 0, 2 points. Then R8.5; then the refill fails and the
    # last scoring finds no builders: 0:0.
    board = """
        B9*  .    .    .    .
        Y2   .    .    .    .
        R2+0 R6   #    .    .
    """
    text = position(
        board,
        orders="R0 R5 R3",
        vaults="G9 Y5 B5",
        rest="discard",
        king=king,
        scores="0:0",
        turn="0:2",
        reshuffled=1,
    )
    game = engine.from_text(text)
    game.play("V1e1")
    assert game.to_text() == position(
        "B9* . . . .",
        orders="_ R5 R3",
        vaults="R0 Y5 B5",
        discard=f"{rest_of(text)} R2 R6 G9 Y2",
        king=king + 1,
        scores="2:0",
        turn="0:0",
        decision="over",
        reshuffled=1,
    )


def test_r7_2_no_second_scoring_after_the_third(engine: type[Engine]) -> None:
    # King on 30: no refill (R8.6), so nothing is needed from the empty stack; R2 scores its point once.
    text = position(
        "R2+0 . . . .",
        orders="R0 R5 R3",
        vaults="G9 Y5 B5",
        rest="discard",
        king=29,
        reshuffled=1,
    )
    game = engine.from_text(text)
    game.play("V1e1")
    assert game.to_text() == position(
        "R2+0 . . . G9",
        orders="R0 R5 R3",
        vaults="_ Y5 B5",
        discard=rest_of(text),
        king=30,
        scores="1:0",
        turn="0:0",
        decision="over",
        reshuffled=1,
    )


def test_r7_2_an_empty_stack_alone_does_not_end_the_game(engine: type[Engine]) -> None:
    # One tile left after the reshuffle: it fills the space, the turn passes, and only the next refill fails.
    text = position(stack="G1", king=3, reshuffled=1, turn="0:1", **SPACES)
    game = engine.from_text(text)
    game.play("V1a1")
    assert game.to_text() == position(
        "R6 . . . .",
        orders="G1 R5 R3",
        vaults="R0 Y5 B5",
        discard=rest_of(text),
        turn="1:3",
        king=3,
        reshuffled=1,
    )
    expect_moves(game, places("123", "b1 c1 d1 e1 a2"), "O2")
    game.play("V2b1")
    assert game.is_over
    assert split(game.to_text())["orders"] == "G1,_,R3"


def test_r7_2_a_builder_needs_no_tile(engine: type[Engine]) -> None:
    text = position("R2 . . . .", reshuffled=1, turn="0:2", decision="main@a1", **SPACES)
    game = engine.from_text(text)
    game.play("B")
    assert not game.is_over
    assert split(game.to_text())["turn"] == "0:1"


def test_r7_2_an_empty_discard_pile_cannot_be_shuffled(engine: type[Engine]) -> None:
    # Fifty-two tiles in the cathedral, six on the spaces, so stack and discard pile are empty. The twelve
    # wild tiles stand on a, c and e of rows 1, 3, 5 and 7, where none touches another. It takes a tile set
    # without crowns to come that far. Nobody has a builder there: 0:0.
    tiles = replace(STANDARD, name="without crowns", crowns=(0,) * len(STANDARD.crowns))
    on_spaces = ["RY1", "RB0", "RG0", "BG2", "YB1", "YG0"]
    left = [code for code in STANDARD.codes if code not in on_spaces]
    wild = [code for code in left if len(code) == 3]
    single = [code for code in left if len(code) == 2]
    rows = [["." for _ in range(5)] for _ in range(11)]
    for row in range(11):
        for column in range(5 if row < 10 else 2):
            at_wild = row in (0, 2, 4, 6) and column in (0, 2, 4)
            rows[row][column] = (wild if at_wild else single).pop(0)
    board = "\n".join(" ".join(row) for row in reversed(rows))
    text = position(board, orders="RY1 RB0 RG0", vaults="BG2 YB1 YG0", tiles=tiles)
    assert (split(text)["stack"], split(text)["discard"]) == ("-", "-")
    game = engine.from_text(text, tiles=tiles)
    game.play("V1c11")
    fields = split(game.to_text())
    assert game.is_over
    assert (fields["orders"], fields["vaults"]) == ("_,RB0,RG0", "RY1,YB1,YG0")
    assert (fields["stack"], fields["discard"], fields["scores"]) == ("-", "-", "0:0")
    # No discard pile has become the stack.
    assert fields["reshuffled"] == "0"
