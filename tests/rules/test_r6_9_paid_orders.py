"""R6.9: the paid orders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engines import Engine
from tests.positions import STANDARD, expect_moves, places, position, ranks, split

VAULTS = "Y1 B0 B7"


def start(engine: type[Engine], board: str, order: str, *, coins: str = "1:1", turn: str = "0:3") -> Engine:
    """Choose the order on order space 1; R8 and Y9 lie beside it and G2 comes next."""
    game = engine.from_text(
        position(board, orders=f"{order} R8 Y9", vaults=VAULTS, stack="G2", coins=coins, turn=turn)
    )
    game.play("O1")
    return game


def asked(board: str, order: str, decision: str, *, coins: str = "1:1", turn: str = "0:3") -> str:
    """Give the text while the order on order space 1 is going on."""
    return position(
        board, orders=f"{order} R8 Y9", vaults=VAULTS, stack="G2", coins=coins, turn=turn, decision=decision
    )


def done(board: str, order: str, *, coins: str = "1:1", turn: str = "0:2") -> str:
    """Give the text when the order is done: its tile discarded, G2 in its place, the action spent."""
    return position(board, orders="G2 R8 Y9", vaults=VAULTS, discard=order, coins=coins, turn=turn)


@pytest.mark.parametrize(("given", "allowed"), [("A", "MS"), ("M", "AS"), ("S", "AM")])
def test_r6_9_promote_asked_and_paid(engine: type[Engine], given: str, allowed: str) -> None:
    game = start(engine, "R2+0 Y2+1 B5+1 . .", "R0")
    game.play(f"a1={given}")
    board = f"R2+0{given} Y2+1 B5+1 . ."
    assert game.to_text() == asked(board, "R0", f"offer:1:{given}")
    assert game.player == 1
    expect_moves(game, "pay pass")
    game.play("pay")
    assert game.to_text() == asked(board, "R0", f"paid-promote:1:{given}", coins="2:0")
    assert game.player == 1
    expect_moves(game, ranks("b1 c1", allowed))
    game.play(f"c1={allowed[0]}")
    assert game.to_text() == done(f"R2+0{given} Y2+1 B5+1{allowed[0]} . .", "R0", coins="2:0")
    assert game.player == 0


def test_r6_9_promote_asked_and_passed(engine: type[Engine]) -> None:
    game = start(engine, "R2+0 Y2+1 . . .", "R0")
    game.play("a1=M")
    game.play("pass")
    assert game.to_text() == done("R2+0M Y2+1 . . .", "R0")
    assert game.player == 0


def test_r6_9_the_same_for_player_1(engine: type[Engine]) -> None:
    game = start(engine, "R2+0 Y2+1 . . .", "R0", turn="1:1")
    game.play("b1=S")
    assert game.to_text() == asked("R2+0 Y2+1S . . .", "R0", "offer:1:S", turn="1:1")
    assert game.player == 0
    game.play("pay")
    assert game.to_text() == asked("R2+0 Y2+1S . . .", "R0", "paid-promote:1:S", coins="0:2", turn="1:1")
    expect_moves(game, "a1=A a1=M")
    game.play("a1=M")
    assert game.to_text() == done("R2+0M Y2+1S . . .", "R0", coins="0:2", turn="0:3")


def test_r6_9_the_forbidden_rank_is_the_one_just_given(engine: type[Engine]) -> None:
    # a1 was Architect and becomes Master Mason: M is forbidden, A is not. b1, Master Mason already, may be
    # promoted again with the one token left, to another rank than M.
    game = start(engine, "R2+0A Y2+1M B5+1A G5+1S .", "R0")
    game.play("a1=M")
    game.play("pay")
    expect_moves(game, ranks("b1 c1 d1", "AS"))
    game.play("b1=A")
    assert split(game.to_text())["cathedral"] == "R2+0M,Y2+1A,B5+1A,G5+1S,."


@pytest.mark.parametrize(
    ("board", "coins", "is_asked"),
    [
        ("R2+0 Y2+1 . . .", "1:1", True),
        ("R2+0 Y2+1 . . .", "0:2", True),
        # No coin.
        ("R2+0 Y2+1 . . .", "2:0", False),
        # No builder in the cathedral.
        ("R2+0 Y2 . . .", "1:1", False),
        # No token in supply, be it for a first promotion or for another.
        ("R2+0 Y2+1A B5+1A G5+1M B8+1S", "1:1", False),
    ],
)
def test_r6_9_promote_only_asked_if_she_can(
    engine: type[Engine], board: str, coins: str, is_asked: bool
) -> None:
    game = start(engine, board, "R0", coins=coins)
    game.play("a1=A")
    after = board.replace("R2+0", "R2+0A")
    if is_asked:
        assert game.to_text() == asked(after, "R0", "offer:1:A", coins=coins)
    else:
        assert game.to_text() == done(after, "R0", coins=coins)


def test_r6_9_recruit_asked_and_paid(engine: type[Engine]) -> None:
    # The builder comes onto a free vault beside one of hers: a1, c1 or b2; not e2, which lies beside player
    # 0's.
    board = """
        .    B2   #    .    G1
        R2   Y2+1 B5   .    G5
    """
    game = start(engine, board, "R9")
    expect_moves(game, "a1 c1 e1 b2 e2")
    game.play("e1")
    board = board.replace("G5", "G5+0")
    assert game.to_text() == asked(board, "R9", "offer:1")
    expect_moves(game, "pay pass")
    game.play("pay")
    assert game.to_text() == asked(board, "R9", "paid-recruit:1", coins="2:0")
    assert game.player == 1
    expect_moves(game, "a1 c1 b2")
    game.play("b2")
    assert game.to_text() == done(board.replace("B2  ", "B2+1"), "R9", coins="2:0")


def test_r6_9_recruit_asked_and_passed(engine: type[Engine]) -> None:
    game = start(engine, "R2 Y2+1 . . G5", "R9", turn="0:1")
    game.play("e1")
    game.play("pass")
    assert game.to_text() == done("R2 Y2+1 . . G5+0", "R9", turn="1:3")


@pytest.mark.parametrize(
    ("board", "choice", "coins", "is_asked"),
    [
        ("R2 Y2+1 . . G5", "e1", "1:1", True),
        # The active player has taken the only vault beside her builder.
        ("R2 Y2+1 . . G5", "a1", "1:1", False),
        # No coin.
        ("R2 Y2+1 . . G5", "e1", "2:0", False),
        # No builder in the cathedral, so nothing is beside one.
        ("R2 Y2 . . G5", "e1", "1:1", False),
        # Scaffolding and an empty square are all that is beside her builder.
        ("# Y2+1 . . G5", "e1", "1:1", False),
    ],
)
def test_r6_9_recruit_only_asked_if_she_can(
    engine: type[Engine], board: str, choice: str, coins: str, is_asked: bool
) -> None:
    game = start(engine, board, "R9", coins=coins)
    game.play(choice)
    assert split(game.to_text())["decision"] == ("offer:1" if is_asked else "main")


def test_r6_9_recruit_not_asked_without_a_builder_in_supply(engine: type[Engine]) -> None:
    # All five of player 1 stand in the cathedral; e2 would be free beside e1.
    board = """
        Y6   .    .    .    B9
        R2+1 Y2+1 B5+1 G5+1 B8+1
    """
    game = start(engine, board, "R9")
    game.play("a2")
    assert split(game.to_text())["decision"] == "main"


def test_r6_9_confuse_asked_between_removal_and_move(engine: type[Engine]) -> None:
    game = start(engine, "R2+0 Y2+1 B5 G5+1 .", "R3")
    game.play("a1")
    board = "R2 Y2+1 B5 G5+1 ."
    assert game.to_text() == asked(board, "R3", "offer:1")
    assert game.player == 1
    expect_moves(game, "pay pass")
    game.play("pay")
    # She picks, and some builder must move: no pass any more.
    assert game.to_text() == asked(board, "R3", "paid-confuse:1", coins="2:0")
    assert game.player == 1
    expect_moves(game, "b1-a1 b1-c1 d1-c1")
    game.play("d1-c1")
    assert game.to_text() == done("R2 Y2+1 B5+1 G5 .", "R3", coins="2:0")


def test_r6_9_confuse_passed_leaves_the_move_to_the_active_player(engine: type[Engine]) -> None:
    game = start(engine, "R2+0 Y2+1A B5 G5+1 .", "R3")
    game.play("a1")
    game.play("pass")
    assert game.to_text() == asked("R2 Y2+1A B5 G5+1 .", "R3", "confuse:1")
    assert game.player == 0
    expect_moves(game, "b1-a1 b1-c1 d1-c1")
    game.play("b1-a1")
    assert game.to_text() == done("R2+1A Y2 B5 G5+1 .", "R3")


def test_r6_9_confuse_not_asked_without_a_coin(engine: type[Engine]) -> None:
    game = start(engine, "R2+0 Y2+1 B5 G5+1 .", "R3", coins="2:0")
    game.play("a1")
    assert game.to_text() == asked("R2 Y2+1 B5 G5+1 .", "R3", "confuse:1", coins="2:0")


def test_r6_9_the_coin_can_be_spent_later(engine: type[Engine]) -> None:
    # Player 1 pays; then, on her own turn, it is player 0, with two coins now, who is asked, and who gets to
    # pay.
    board = "R2+0 Y2+1 . . ."
    game = engine.from_text(position(board, orders="R0 R7 Y9", vaults=VAULTS, stack="G2 G5", turn="0:1"))
    for move in ("O1", "a1=M", "pay", "b1=A"):
        game.play(move)
    assert game.to_text() == position(
        "R2+0M Y2+1A . . .",
        orders="G2 R7 Y9",
        vaults=VAULTS,
        stack="G5",
        discard="R0",
        coins="2:0",
        turn="1:3",
    )
    for move in ("O2", "b1=S"):
        game.play(move)
    assert game.player == 0
    expect_moves(game, "pay pass")
    game.play("pay")
    expect_moves(game, "a1=A a1=M")
    game.play("a1=A")
    assert game.to_text() == position(
        "R2+0A Y2+1S . . .",
        orders="G2 G5 Y9",
        vaults=VAULTS,
        discard="R0 R7",
        coins="1:1",
        turn="1:2",
    )


def test_r6_9_paying_costs_her_no_action(engine: type[Engine]) -> None:
    # Player 0 has her last action; player 1 pays and still has all three afterwards.
    game = start(engine, "R2+0 Y2+1 B5 . .", "R3", turn="0:1")
    for move in ("a1", "pay", "b1-c1"):
        game.play(move)
    assert game.to_text() == done("R2 Y2 B5+1 . .", "R3", coins="2:0", turn="1:3")


@pytest.mark.parametrize(
    ("order", "choices"),
    [("R1", ["b1-b2"]), ("R4", ["b1"]), ("B6", ["a1", "d1"]), ("R6", ["b2"])],
)
def test_r6_9_the_other_orders_have_no_paid_version(
    engine: type[Engine], order: str, choices: list[str]
) -> None:
    board = """
        .    B2   .    .    .
        .    Y2+0 R2+1 .    .
    """
    game = start(engine, board, order)
    for choice in choices:
        game.play(choice)
    fields = split(game.to_text())
    assert (fields["decision"], fields["turn"]) == ("main", "0:2")


@pytest.mark.parametrize(("order", "choice"), [("R0", "b1=A"), ("R9", "b2"), ("R3", "b1")])
def test_r6_9_not_asked_without_the_coin_icon(engine: type[Engine], order: str, choice: str) -> None:
    # A tile set whose R0, R3 and R9 lack the icon. Confuse goes on with the move, the others are done.
    board = """
        .    B2   .    .    .
        .    Y2+0 R2+1 B9   .
    """
    without = [STANDARD.numbers[code] for code in ("R0", "R3", "R9")]
    coins = tuple(0 if number in without else coin for number, coin in enumerate(STANDARD.coins))
    tiles = replace(STANDARD, coins=coins)
    text = position(board, orders=f"{order} R8 Y9", vaults=VAULTS, stack="G2", tiles=tiles)
    game = engine.from_text(text, tiles=tiles)
    game.play("O1")
    game.play(choice)
    assert split(game.to_text())["decision"] == ("confuse:1" if order == "R3" else "main")


def test_r6_9_an_offer_on_each_space(engine: type[Engine]) -> None:
    # The number in the decision is the space of the order.
    for space, orders in ((1, "R3 R8 Y9"), (2, "R8 R3 Y9"), (3, "R8 Y9 R3")):
        game = engine.from_text(position("R2+0 Y2+1 . . .", orders=orders, vaults=VAULTS))
        game.play(f"O{space}")
        game.play("a1")
        assert split(game.to_text())["decision"] == f"offer:{space}"
        game.play("pay")
        assert split(game.to_text())["decision"] == f"paid-confuse:{space}"


def test_r6_9_after_the_offer_the_turn_goes_on(engine: type[Engine]) -> None:
    # G2, Stained Glass, has come onto space 1; R8, Move, has nowhere to go; no builder may follow an order
    # (R5.1).
    game = start(engine, "R2+0 Y2+1 . . .", "R0")
    game.play("a1=M")
    game.play("pass")
    expect_moves(game, places("123", "c1 d1 e1 a2 b2"), "O1 O3")
