"""Position and move text: exact texts, every decision, what is refused and why, and whatever comes."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from basilica_env import GameState
from basilica_env.core import layout
from basilica_env.core.layout import ACTIONS, GAME, MOVE, NONE, OVER, SQUARES, STEPS
from basilica_env.core.random import seed_state
from basilica_env.core.tiles import TileSet
from basilica_env.notation import (
    PositionError,
    action_number,
    decision_text,
    move_text,
    read_position,
    square_name,
    square_number,
    write_position,
)
from tests.positions import FIELDS, NO_FIT, STANDARD, codes, join, position, split

# --- Moves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (0, "V1a1"),
        (60 + 12, "V2c3"),
        (179, "V3e12"),
        (180, "B"),
        (181, "O1"),
        (183, "O3"),
        (184, "redraw"),
        (185, "pay"),
        (186, "pass"),
        (187, "a1=A"),
        (187 + 3 * 12 + 1, "c3=M"),
        (366, "e12=S"),
        (367, "a1-a2"),
        (367 + 4 * 12, "c3-c4"),
        (367 + 4 * 12 + 1, "c3-d3"),
        (367 + 4 * 12 + 2, "c3-c2"),
        (367 + 4 * 12 + 3, "c3-b3"),
        (607, "a1"),
        (666, "e12"),
    ],
)
def test_move_text(action: int, text: str) -> None:
    assert move_text(action) == text
    assert action_number(text) == action
    assert move_text(np.int64(action)) == text


def test_every_action_has_a_text_but_the_steps_that_leave_the_cathedral() -> None:
    texts = []
    for action in range(ACTIONS):
        step, row, column = (action - MOVE) % STEPS, (action - MOVE) // 20, (action - MOVE) // 4 % 5
        edges = {0: row == 11, 1: column == 4, 2: row == 0, 3: column == 0}
        leaves = MOVE <= action < layout.SQUARE and edges[step]
        if leaves:
            with pytest.raises(ValueError, match=f"action {action}: a step .* leaves the cathedral"):
                move_text(action)
        else:
            texts.append(move_text(action))
            assert action_number(texts[-1]) == action
    assert len(texts) == len(set(texts)) == ACTIONS - 2 * 5 - 2 * 12


@pytest.mark.parametrize("action", [-1, 667, 10**30])
def test_no_action(action: int) -> None:
    with pytest.raises(ValueError, match=rf"action {action}: expected 0 to 666"):
        move_text(action)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "v1a1",
        "V4a1",
        "V0a1",
        "V1a13",
        "V1f1",
        "V1a01",
        "O0",
        "b",
        "B ",
        "c3=a",
        "c3=",
        "c3-c5",
        "e1-a2",
        "a1-a0",
    ],
)
def test_no_move(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"unknown move {text!r}: expected a move such as V2c3")):
        action_number(text)


def test_a_long_move_is_cut_in_the_message() -> None:
    with pytest.raises(ValueError, match=r"^.{,150}$"):
        action_number("V" * 10_000)


def test_squares() -> None:
    assert [square_name(square) for square in (0, 4, 5, 12, 59)] == ["a1", "e1", "a2", "c3", "e12"]
    assert [square_number(square_name(square)) for square in range(SQUARES)] == list(range(SQUARES))
    for square in (-1, 60):
        with pytest.raises(ValueError, match=f"square {square}: expected 0 to 59"):
            square_name(square)
    for name in ("", "f1", "a0", "a13", "a01", "A1", "a١"):
        with pytest.raises(ValueError, match=f"unknown square {name!r}"):
            square_number(name)


# --- Positions that are right --------------------------------------------------------------------

BOARD = """
    .     G2     .     .    .
    R2+0A Y2     B2+1  .    G5+1
"""
"""Player 0: an Architect on a1. Player 1: builders on c1 and e1. Free vaults: b1 and b2. No crown."""
SCAFFOLDED = BOARD.replace(".     G2 ", "#     G2 ")
PLACES: dict[str, Any] = {"orders": "R0 R1 R3", "vaults": "R4 Y1 B0"}


def read(text: str, tiles: TileSet = STANDARD) -> np.void:
    """Read a position, check that it is written as it was read, and give the record."""
    games = read_position(text, tiles)
    assert (games.dtype, games.shape) == (GAME, (1,))
    assert write_position(games, tiles) == write_position(games[0], tiles) == text
    record: np.void = games[0]
    return record


def test_the_example_of_the_notation() -> None:
    rest = [code for code in STANDARD.codes if code not in ["R1", "G4", "YB0", "B7", "RG2", "Y9", "Y3", "G0"]]
    text = f"- R1,G4,YB0 B7,RG2,Y9 Y3,{','.join(rest)},G0 - 0 0:0 1:1 0:3 main 0"
    game = read(text)
    assert [STANDARD.codes[tile] for tile in game["orders"]] == ["R1", "G4", "YB0"]
    assert [STANDARD.codes[tile] for tile in game["vaults"]] == ["B7", "RG2", "Y9"]
    assert [STANDARD.codes[tile] for tile in game["deck"][[6, 57]]] == ["Y3", "G0"]
    assert (game["top"], game["discards"], game["king"], game["turn"], game["actions"]) == (6, 0, 0, 0, 3)
    assert (game["decision"], game["space"], game["square"], game["rank"]) == (layout.MAIN, NONE, NONE, NONE)
    in_stack_or_orders = {*STANDARD.codes} - {"B7", "RG2", "Y9"}
    assert int(game["hidden"]) == sum(1 << STANDARD.numbers[code] for code in in_stack_or_orders)
    assert GameState.from_text(text).legal_moves()[:2] == ["V1a1", "V1b1"]


def test_a_square_in_full() -> None:
    text = position(
        """
        .   .  .       #  .
        .   .  .       .  .
        R2  .  RB2*+1M .  Y2*
        """,
        **PLACES,
    )
    assert split(text)["cathedral"] == "R2,.,RB2*+1M,.,Y2*/.,.,.,.,./.,.,.,#,."
    planes = [int(plane) for plane in read(text)["planes"]]
    assert planes[layout.GLASS] == 1 << 2 | 1 << 4
    assert planes[layout.BUILDERS] == 0
    assert planes[layout.BUILDERS + 1] == planes[layout.RANK + layout.MASTER] == 1 << 2
    assert planes[layout.RANK] == planes[layout.RANK + layout.STRONGMAN] == 0
    assert planes[layout.SCAFFOLD] == 1 << 13
    assert planes[layout.COLOUR] == 1 << 0 | 1 << 2  # red
    assert planes[layout.COLOUR + 2] == 1 << 2  # blue
    assert planes[layout.CROWN] == 1 << 2


def test_piles() -> None:
    game = read(position(BOARD, **PLACES, stack="G1 B5", discard="Y9 G0", rest="discard", king=0))
    assert [STANDARD.codes[tile] for tile in game["deck"][game["top"] : 58]] == ["G1", "B5"]
    assert [STANDARD.codes[tile] for tile in game["deck"][:2]] == ["Y9", "G0"]
    assert (game["top"], game["discards"]) == (56, 58 - 2 - 6 - 5)
    assert int(game["discarded"]).bit_count() == game["discards"]
    assert int(game["discarded"]) >> STANDARD.numbers["Y9"] & 1


def test_the_seed_seeds_the_generator() -> None:
    text = position(BOARD, **PLACES)
    for seed in (0, 1, 2**70):
        assert read_position(text, STANDARD, seed)["random"][0] == seed_state(seed)
    with pytest.raises(ValueError, match="non-negative"):
        read_position(text, STANDARD, -1)


DECISIONS = {
    "main": (BOARD, "R0", "1:1", "0:3", layout.MAIN, NONE, NONE),
    "main@b2": (BOARD, "R0", "1:1", "0:2", layout.MAIN, NONE, NONE),
    "promote:1": (BOARD, "R0", "1:1", "0:1", layout.CHOOSE_PROMOTE, 0, NONE),
    "move:1": (BOARD, "R1", "1:1", "0:3", layout.CHOOSE_MOVE, 0, NONE),
    "recruit:1": (BOARD, "G0", "1:1", "0:3", layout.CHOOSE_RECRUIT, 0, NONE),
    "remove:1": (BOARD, "R3", "1:1", "0:3", layout.CHOOSE_REMOVE, 0, NONE),
    "confuse:1": (BOARD, "R3", "1:1", "0:3", layout.CHOOSE_CONFUSE, 0, NONE),
    "glass:1": (BOARD, "R4", "1:1", "0:3", layout.CHOOSE_GLASS, 0, NONE),
    "disaster:1": (BOARD, "R6", "1:1", "0:3", layout.CHOOSE_DISASTER, 0, NONE),
    "scaffold:1:2": (BOARD, "R5", "1:1", "0:3", layout.SCAFFOLD_TWO, 0, NONE),
    "scaffold:1:1": (SCAFFOLDED, "R5", "1:1", "0:3", layout.SCAFFOLD_ONE, 0, NONE),
    "offer:1:A": (BOARD, "R0", "1:1", "0:3", layout.OFFER, 0, layout.ARCHITECT),
    "offer:1": (BOARD, "G0", "1:1", "0:3", layout.OFFER, 0, NONE),
    "paid-promote:1:A": (BOARD, "R0", "2:0", "0:3", layout.PAID_PROMOTE, 0, layout.ARCHITECT),
    "paid-recruit:1": (BOARD, "G0", "2:0", "0:1", layout.PAID_RECRUIT, 0, NONE),
    "paid-confuse:1": (BOARD, "R3", "2:0", "0:3", layout.PAID_CONFUSE, 0, NONE),
}


def deciding(decision: str, space: int = 0) -> str:
    board, order, coins, turn = DECISIONS[decision][:4]
    orders = ["BG0", "Y3", "RB0"]
    orders[space] = order
    decision = re.sub(":1", f":{space + 1}", decision, count=1)
    vaults = "Y8 Y1 B0"
    return position(board, orders=" ".join(orders), vaults=vaults, coins=coins, turn=turn, decision=decision)


@pytest.mark.parametrize("space", range(3))
@pytest.mark.parametrize("decision", DECISIONS)
def test_every_decision(decision: str, space: int) -> None:
    text = deciding(decision, space)
    game = read(text)
    kind, place, rank = DECISIONS[decision][4:]
    assert game["decision"] == kind
    assert game["space"] == (NONE if place == NONE else space)
    assert game["rank"] == rank
    assert game["square"] == (square_number("b2") if "@" in decision else NONE)
    assert decision_text(game) == split(text)["decision"]
    assert game["legal"].any()


def test_the_decision_after_a_redraw() -> None:
    # The wild tiles of the discard pile fit nowhere (R4.5); a yellow one does.
    game = read(
        position(NO_FIT, orders="R0 R1 R3", vaults="Y8 BG2 RB2", discard="R9 YB1 YB2 BG0", decision="vault")
    )
    assert (game["decision"], game["square"]) == (layout.VAULT, NONE)
    # The reshuffle came while the redraw filled the spaces: then the three lie in the stack, or here again.
    read(position(NO_FIT, orders="R0 R1 R3", vaults="Y8 BG2 RB2", decision="vault", reshuffled=1))


LAST = """
    .    .    .    .    .
    R2+0 Y2   R4   .    .
"""
THIRD: dict[str, Any] = {
    "orders": "R0 R1 R3",
    "vaults": "Y8 _ B0",
    "rest": "discard",
    "decision": "over",
    "turn": "1:0",
}


def test_the_end_by_the_third_scoring() -> None:
    # R4 has a crown; the red tile with a builder scores 1 for player 0.
    game = read(position(LAST, **THIRD, king=30, scores="12:11"))
    assert (game["decision"], game["actions"], game["turn"]) == (OVER, 0, 1)
    assert game["vaults"].tolist()[1] == NONE
    assert not game["legal"].any()


def test_the_end_by_exhaustion() -> None:
    end: dict[str, Any] = {
        "orders": "R0 _ R3",
        "vaults": "Y8 Y1 B0",
        "rest": "discard",
        "decision": "over",
        "turn": "0:0",
    }
    read(position(LAST, **end, reshuffled=1, king=3, scores="1:0"))
    read(position(LAST, **end, reshuffled=1, king=13, scores="5:304"))
    # A redraw that found fewer than three tiles: the three it discarded fit nowhere.
    unfit = ["YB1", "YB2", "BG0"]
    for vaults in ("Y8 Y1 _", "Y8 _ _", "_ _ _"):
        elsewhere = {"R0", "R1", "R3", *vaults.split(), *codes(NO_FIT), *unfit}
        discard = [code for code in STANDARD.codes if code not in elsewhere]
        read(
            position(
                NO_FIT,
                orders="R0 R1 R3",
                vaults=vaults,
                discard=" ".join([*discard, *unfit]),
                king=3,
                decision="over",
                turn="0:0",
                reshuffled=1,
            )
        )


NO_CROWNS = replace(STANDARD, name="crownless", crowns=(0,) * 58)


def test_the_end_by_exhaustion_with_nothing_discarded() -> None:
    # R7.2: the discard pile is empty too, so nothing was reshuffled. Every second square takes a wild tile.
    wild = [code for code in STANDARD.codes if len(code) == 3]
    single = [code for code in STANDARD.codes if len(code) == 2][:34]
    squares = [wild.pop() if wild and square % 2 == 0 else single.pop() for square in range(52)]
    assert not wild
    rows = [squares[first : first + 5] for first in range(0, 52, 5)]
    rows[-1] += ["."] * 3
    board = "\n".join(" ".join(row) for row in reversed(rows))
    rest = [code for code in STANDARD.codes if code not in squares]
    places: dict[str, Any] = {
        "orders": " ".join(rest[:3]),
        "vaults": " ".join(rest[3:]),
        "turn": "0:1",
        "tiles": NO_CROWNS,
    }
    state = GameState.from_text(position(board, **places), tiles=NO_CROWNS)
    state.play("V2c11")
    text = state.to_text()
    read(text, NO_CROWNS)
    fields = split(text)
    assert (fields["decision"], fields["reshuffled"], fields["stack"], fields["discard"]) == (
        "over",
        "0",
        "-",
        "-",
    )
    assert fields["orders"] == f"{rest[0]},_,{rest[2]}"


def test_what_a_disaster_leaves() -> None:
    # R6.8: what touches nothing stays, whole rows may be empty, and row 1 too.
    read(position(". # R2 . .\n. . . . .\n. . . . .", **PLACES))
    read(position("B2 . . . .\n. . . . .", **PLACES))


def test_a_king_that_disasters_and_scorings_explain() -> None:
    read(position(BOARD, **PLACES, discard="R5 R6", king=1))  # R5 has a crown, R6 is a Disaster
    read(position(BOARD, **PLACES, rest="discard", king=19, scores="7:0"))
    read(position(BOARD, **PLACES, king=9, reshuffled=1))


def test_what_the_first_tiles_make_possible() -> None:
    read(started(turn="0:3"))
    read(started(turn="1:3"))  # with the players swapped
    read(started(coins="2:0", discard="R7"))
    read(started(coins="2:0", reshuffled=1, king=3))
    read(started("R2+0 . . . .", turn="0:1"))
    read(started("R2+0 . R4 . .", turn="1:2"))
    read(started("# # . . .", discard="R5", turn="0:2"))
    read(started(reshuffled=1, king=3))


# --- Positions that are wrong --------------------------------------------------------------------

BASE = split(position(BOARD, **PLACES))
SIX = "R2+0 Y2+0 B2+0 G2+0 G5+0"
FIVE_TOKENS = "R2+0A Y2+0M B2+0S G2+0A G5+0M"


def changed(**fields: str) -> str:
    return join({**BASE, **fields})


def drawn(board: str, **more: Any) -> str:
    return position(board, **{**PLACES, **more})


def ended(board: str = LAST, **more: Any) -> str:
    return position(board, **{**THIRD, "king": 30, "scores": "12:11", **more})


def exhausted(**more: Any) -> str:
    end: dict[str, Any] = {
        "orders": "R0 _ R3",
        "vaults": "Y8 Y1 B0",
        "reshuffled": 1,
        "king": 3,
        "scores": "1:0",
    }
    return ended(**{**end, **more})


def in_order(decision: str, board: str = BOARD, order: str = "R0", **more: Any) -> str:
    return position(
        board,
        **{"orders": f"{order} R1 G6", "vaults": "Y8 Y1 B0", "decision": decision, **more},
    )


def started(board: str = "", **more: Any) -> str:
    return position(board, earlier=False, **{"orders": "R0 R9 R3", "vaults": "Y8 Y1 B0", **more})


CATHEDRAL, ORDERS, VAULTS, STACK, DISCARD, KING, SCORES, COINS, TURN, DECISION, RESHUFFLED = range(1, 12)

WRONG: dict[str, tuple[str, int, str]] = {
    "nothing": ("", 0, "1 fields in the position: expected 11 fields"),
    "ten fields": (changed().removesuffix(" 0"), 0, "10 fields"),
    "twelve fields": (changed() + " 0", 0, "12 fields"),
    "two spaces": (changed().replace(" ", "  ", 1), 0, "12 fields"),
    "space before": (" " + changed(), 0, "12 fields"),
    "tabs": (changed().replace(" ", "\t"), 0, "1 fields"),
    "line end": (changed() + "\n", RESHUFFLED, r"'0\n' in field 11 (reshuffled)"),
    # 1 cathedral
    "no squares": (changed(cathedral="."), CATHEDRAL, "1 squares in row 1 in field 1"),
    "four squares": (changed(cathedral="R2,.,.,."), CATHEDRAL, "4 squares in row 1"),
    "six squares": (changed(cathedral="R2,.,.,.,.,."), CATHEDRAL, "6 squares in row 1"),
    "row end": (changed(cathedral="R2,.,.,.,./"), CATHEDRAL, "1 squares in row 2"),
    "13 rows": (changed(cathedral="/".join(["#,.,.,.,."] * 13)), CATHEDRAL, "13 rows in field 1 (cathedral)"),
    "empty row": (changed(cathedral=BASE["cathedral"] + "/.,.,.,.,."), CATHEDRAL, "empty row 3"),
    "empty cathedral": (changed(cathedral=".,.,.,.,."), CATHEDRAL, "'-' for no tile"),
    "unknown tile": (
        changed(cathedral="R11,.,.,.,."),
        CATHEDRAL,
        "unknown tile 'R11' in field 1 (cathedral): expected a code",
    ),
    "small letter": (changed(cathedral="r2,.,.,.,."), CATHEDRAL, "'r2' on a1"),
    "other digits": (changed(cathedral="R٢,.,.,.,."), CATHEDRAL, "'R٢' on a1"),
    "third player": (changed(cathedral="R2+2,.,.,.,."), CATHEDRAL, "'R2+2' on a1"),
    "two builders": (changed(cathedral="R2+0+1,.,.,.,."), CATHEDRAL, "'R2+0+1' on a1"),
    "two glass": (changed(cathedral="R2**,.,.,.,."), CATHEDRAL, "'R2**' on a1"),
    "glass last": (changed(cathedral="R2+0*,.,.,.,."), CATHEDRAL, "'R2+0*' on a1"),
    "rank without builder": (changed(cathedral="R2A,.,.,.,."), CATHEDRAL, "if the builder is promoted"),
    "unknown rank": (changed(cathedral="R2+0X,.,.,.,."), CATHEDRAL, "'R2+0X' on a1"),
    "two ranks": (changed(cathedral="R2+0AM,.,.,.,."), CATHEDRAL, "'R2+0AM' on a1"),
    "builder on scaffolding": (changed(cathedral="#+0,.,.,.,."), CATHEDRAL, "never carries anything"),
    "glass on scaffolding": (changed(cathedral="#*,.,.,.,."), CATHEDRAL, "never carries anything"),
    "glass on nothing": (changed(cathedral=".*,.,.,.,."), CATHEDRAL, "'.*' on a1"),
    "tile twice": (changed(cathedral="R2,R2,.,.,."), CATHEDRAL, "tile 'R2' again"),
    "six builders": (drawn(". . R6+0 . .\n" + SIX), CATHEDRAL, "6 builders of player 0"),
    "five tokens": (drawn(FIVE_TOKENS), CATHEDRAL, "5 promoted builders of player 0"),
    "wilds side by side": (drawn("R2 RY0 RB1 . ."), CATHEDRAL, "adjacent wild tiles RY0 on b1 and RB1 on c1"),
    "wilds one above the other": (drawn("RY0 . . . .\nRB1 . . . ."), CATHEDRAL, "RB1 on a1 and RY0 on a2"),
    # 2 orders, 3 vaults
    "two orders": (changed(orders="R0,R1"), ORDERS, "2 spaces in field 2 (orders): expected 3"),
    "four vaults": (changed(vaults="R4,Y1,B0,B1"), VAULTS, "4 spaces in field 3"),
    "unknown order tile": (changed(orders="R0,R1,R11"), ORDERS, "unknown tile 'R11' in field 2 (orders)"),
    "order in the cathedral": (changed(orders="R2,R1,R3"), ORDERS, "once in field 1 (cathedral)"),
    "empty order": (changed(orders="R0,_,R3"), ORDERS, "only the end of the game leaves one empty"),
    "empty vault": (changed(vaults="_,Y1,B0"), VAULTS, "only the end of the game leaves one empty"),
    # 4 stack, 5 discard
    "missing tile": (changed(stack=BASE["stack"].removesuffix(",BG2")), STACK, "missing 'BG2'"),
    "missing tiles": (changed(stack="-"), STACK, ", ..."),
    "tile twice in the stack": (changed(stack=BASE["stack"] + ",BG2"), STACK, "already once there"),
    "tile in stack and discard": (changed(discard="BG2"), DISCARD, "already once in field 4 (stack)"),
    "no code": (changed(discard=","), DISCARD, "unknown tile ''"),
    "space in a pile": (changed(discard="_"), DISCARD, "unknown tile '_'"),
    # 6 king
    **{
        f"king {king!r}": (changed(king=king), KING, f"{king!r} in field 6 (king): expected a number")
        for king in ("-1", "31", "01", "+1", "1.0", "٣", "", "x", "9" * 30)
    },
    "king behind the crowns": (
        drawn("R0 R4 . . .", orders="R1 R2 R3", vaults="Y8 Y1 B0", king=1),
        KING,
        "1 with 2 crowns in the cathedral",
    ),
    "king ahead of the crowns": (changed(king="1"), KING, "1 in field 6 (king): expected at most 0"),
    "king ahead, crown discarded as an order": (drawn(BOARD, discard="R5", king=1), KING, "that a Disaster"),
    "king ahead, Disaster without crown": (
        drawn(BOARD, discard="R9 R6", king=1, earlier=False),
        KING,
        "expected at most 0",
    ),
    "king ahead after a scoring": (
        drawn(BOARD, discard="R5 Y3", king=12, earlier=False),
        KING,
        "expected at most 2",
    ),
    "last crown carries a builder": (ended(LAST.replace("R4", "R4+1")), KING, "30 without the vault"),
    "last crown touches nothing": (
        ended(". . R4 . .\n. . . . .\nR2+0 Y2 . . ."),
        KING,
        "30 without the vault",
    ),
    # 7 scores
    **{
        f"scores {scores!r}": (changed(scores=scores), SCORES, f"{scores!r} in field 7 (scores)")
        for scores in ("0", "0:0:0", "-1:0", "00:0", "0:+1", "1e3:0", "999999:0", "٣:0", ":")
    },
    "scores before a scoring": (changed(scores="1:0"), SCORES, "expected '0:0' before the first scoring"),
    "scores too high": (drawn(BOARD, rest="discard", king=10, scores="305:0"), SCORES, "at most 304 points"),
    "scores of the only scoring": (exhausted(scores="2:0"), SCORES, "1:0, what the only scoring gave"),
    "scores under the last scoring": (ended(scores="0:5"), SCORES, "what the last scoring gave, 1:0"),
    "scores too high before the last": (ended(scores="5:609"), SCORES, "what the last scoring gave, 1:0"),
    # 8 coins
    **{
        f"coins {coins!r}": (changed(coins=coins), COINS, f"{coins!r} in field 8 (coins): expected the coins")
        for coins in ("1", "1:2", "3:-1", "2:1", "0:0", "01:1", "1:1:0")
    },
    # 9 turn
    **{
        f"turn {turn!r}": (changed(turn=turn), TURN, f"{turn!r} in field 9 (turn): expected a player")
        for turn in ("2:3", "0:4", "0", "0:-1", "00:3", "0:3:0", "٠:3")
    },
    "no actions left": (changed(turn="0:0"), TURN, "expected 1 to 3 actions left until the game is over"),
    "actions left after the end": (ended(turn="1:1"), TURN, "expected 0 actions left after the end"),
    "three actions after a vault": (changed(decision="main@b2"), TURN, "'0:3' after a vault was placed"),
    # 10 decision
    **{
        f"decision {decision!r}": (changed(decision=decision), DECISION, f"unknown decision {decision!r}")
        for decision in (
            *(
                "",
                "Main",
                "main@",
                "main@f1",
                "main@a13",
                "main:1",
                "vault:1",
                "promote",
                "promote:0",
                "promote:4",
            ),
            *(
                "promote:01",
                "scaffold:1",
                "scaffold:1:3",
                "offer",
                "offer:1:X",
                "paid-promote:1",
                "paid-recruit:1:A",
            ),
            *("paid-confuse", "over:1", "confuse:1:A"),
        )
    },
    "placed on nothing": (changed(decision="main@c3", turn="0:2"), DECISION, "expected a vault on c3"),
    "placed scaffolding": (
        drawn(SCAFFOLDED, decision="main@a2", turn="0:2"),
        DECISION,
        "expected a vault on a2",
    ),
    "placed under a builder": (
        changed(decision="main@a1", turn="0:2"),
        DECISION,
        "a builder or glass on R2 on a1",
    ),
    "placed under glass": (
        drawn("R2* . . . .", decision="main@a1", turn="0:2"),
        DECISION,
        "a builder or glass",
    ),
    "placed in the air": (
        drawn("R2 . . . .\n. . . . .", decision="main@a2", turn="0:2"),
        DECISION,
        "R2 on a2, in row 1 or adjacent to a tile",
    ),
    "placed a scoring crown": (
        drawn("R8 . . . .", rest="discard", king=10, decision="main@a1", turn="0:2"),
        DECISION,
        "the crown of R8 on a1 led the king to a scoring",
    ),
    "wrong order": (in_order("promote:2"), DECISION, "promote on order space 2, found R1 with move"),
    "offer of Move": (in_order("offer:2"), DECISION, "promote or recruit or confuse"),
    "offer without rank": (in_order("offer:1"), DECISION, "the rank just given"),
    "offer with rank": (in_order("offer:1:A", order="R3"), DECISION, "and none after another order"),
    "paid for another order": (in_order("paid-recruit:1", coins="2:0"), DECISION, "recruit on order space 1"),
    "nobody to promote": (in_order("promote:1", "R2 . . . ."), DECISION, "not promote (R6.1)"),
    "no token": (in_order("promote:1", FIVE_TOKENS.replace("G5+0M", "G5+0")), DECISION, "not promote (R6.1)"),
    "nobody to move": (in_order("move:2", "R2+0 . Y2 . ."), DECISION, "not move (R6.1)"),
    "no builder to recruit": (
        in_order("recruit:1", ". . R6 . .\n" + SIX, "G0"),
        DECISION,
        "not recruit (R6.1)",
    ),
    "no vault to recruit on": (in_order("recruit:1", "R2+0 . . . .", "G0"), DECISION, "not recruit (R6.1)"),
    "nobody to remove": (in_order("remove:1", "R2+1 Y2 . . .", "R3"), DECISION, "not confuse (R6.1)"),
    "nobody to confuse": (in_order("remove:1", "R2+0 Y2 . . .", "R3"), DECISION, "not confuse (R6.1)"),
    "nobody removed": (
        in_order("confuse:1", "B6 R6+1 . . .\n" + SIX, "R3"),
        DECISION,
        "at most 4 builders of player 0",
    ),
    "nobody left to confuse": (
        in_order("confuse:1", "R2+0 Y2 . . .", "R3"),
        DECISION,
        "the first half must leave one",
    ),
    "glass everywhere": (in_order("glass:1", "R2*+0 Y2 . . .", "R4"), DECISION, "not glass (R6.1)"),
    "nothing to destroy": (in_order("disaster:1", "R2+0 Y2+1 . # .", "R6"), DECISION, "not disaster (R6.1)"),
    "no room for two": (
        in_order("scaffold:1:2", "\n".join(["# # # # #"] * 11 + ["# # # # ."]), "R5"),
        DECISION,
        "not scaffold (R6.1)",
    ),
    "no room for one": (
        in_order("scaffold:1:1", "\n".join(["# # # # #"] * 12), "R5"),
        DECISION,
        "must leave one",
    ),
    "no first scaffolding": (in_order("scaffold:1:1", BOARD, "R5"), DECISION, "the first scaffolding"),
    "first scaffolding in the air": (
        in_order("scaffold:1:1", ". . # . .\n. . . . .\nR2 . . . .", "R5"),
        DECISION,
        "the first scaffolding",
    ),
    "offer without coin": (
        in_order("offer:1:A", coins="2:0", rest="discard"),
        DECISION,
        "a coin of player 1 to pay with",
    ),
    "paid without coin": (
        in_order("paid-promote:1:A", coins="0:2", rest="discard"),
        DECISION,
        "a coin of player 0 that was paid",
    ),
    "nobody promoted": (in_order("offer:1:M"), DECISION, "player 0, who has promoted one"),
    "nobody recruited": (
        in_order("offer:1", "R2+1 Y2 . . .", "G0"),
        DECISION,
        "player 0, who has recruited one",
    ),
    "nobody removed before the offer": (
        in_order("offer:1", "B6 R6+1 . . .\n" + SIX, "R3"),
        DECISION,
        "who has removed one",
    ),
    "offer to nobody": (
        in_order("offer:1:A", "R2+0A . . . ."),
        DECISION,
        "a paid order that player 1 can carry out",
    ),
    "offer without token": (
        in_order("offer:1:A", "R6+1A R9+1A Y5+1M Y6+1S .\nR2+0A . . . ."),
        DECISION,
        "a paid order that player 1 can carry out",
    ),
    "paid recruit beside nobody": (
        in_order("paid-recruit:1", "R2+0 Y2 . . G2+1", "G0", coins="2:0"),
        DECISION,
        "player 1 can carry out",
    ),
    "paid recruit without builder": (
        in_order("offer:1", "R6+1 R9+1 Y5+1 Y6+1 B5+1\nR2+0 Y2 . . .", "G0"),
        DECISION,
        "player 1 can carry out",
    ),
    "paid confuse without a way": (
        in_order("paid-confuse:1", "R2+1 . . . .", "R3", coins="2:0"),
        DECISION,
        "player 1 can carry out",
    ),
    "vault without redraw": (changed(decision="vault"), DECISION, "3 tiles that fit nowhere"),
    "vault after tiles that fit": (
        drawn(NO_FIT, vaults="Y8 BG2 RB2", orders="R0 R1 R3", discard="Y1 Y5 BG0", decision="vault"),
        DECISION,
        "3 tiles that fit nowhere",
    ),
    "vault after a reshuffle of tiles that fit": (
        changed(decision="vault", reshuffled="1"),
        DECISION,
        "3 tiles that fit",
    ),
    "king on 30 and no end": (
        ended(vaults="Y8 Y1 B0", decision="main", turn="1:3"),
        DECISION,
        "'main' with the king on 30",
    ),
    "over with a stack": (changed(decision="over", turn="0:0"), DECISION, "the king on 30 or an empty stack"),
    "over without reshuffle": (exhausted(reshuffled=0), DECISION, "that was never reshuffled"),
    "third scoring, order space empty": (ended(orders="R0 _ R3"), ORDERS, "only a vault space is empty"),
    "third scoring, no vault space empty": (ended(vaults="Y8 Y1 B0"), VAULTS, "expected one empty space"),
    "third scoring, two vault spaces empty": (ended(vaults="Y8 _ _"), VAULTS, "expected one empty space"),
    "exhausted, no space empty": (exhausted(orders="R0 R1 R3"), ORDERS, "expected an empty space"),
    "exhausted, two order spaces empty": (exhausted(orders="_ _ R3"), ORDERS, "at most one empty space"),
    "exhausted, both kinds empty": (exhausted(vaults="Y8 Y1 _"), VAULTS, "if an order space could not"),
    "exhausted, first vault space empty": (
        exhausted(orders="R0 R1 R3", vaults="_ Y1 B0"),
        VAULTS,
        "the last spaces empty",
    ),
    "exhausted by a redraw of tiles that fit": (
        exhausted(orders="R0 R1 R3", vaults="Y8 Y1 _"),
        DECISION,
        "3 tiles that fit nowhere",
    ),
    # What a start leaves out
    "coins of nobody's order": (started(coins="2:0"), COINS, "a coin of each player until an order"),
    "coins of an order without icon": (
        started(coins="0:2", discard="R1"),
        COINS,
        "a coin of each player until an order",
    ),
    "two coins for one order": (
        in_order("paid-promote:1:A", coins="1:1", earlier=False),
        COINS,
        "a coin of each player until an order",
    ),
    "an action without a tile": (started(turn="0:2"), TURN, "at most 0 actions taken"),
    "two actions before a tile": (started(turn="1:1"), TURN, "at most 0 actions taken"),
    "a reshuffle before the first draw": (started(reshuffled=1), RESHUFFLED, "expected '0': 3 tiles with a"),
    # 11 reshuffled
    **{
        f"reshuffled {flag!r}": (changed(reshuffled=flag), RESHUFFLED, f"{flag!r} in field 11 (reshuffled)")
        for flag in ("2", "", "00", "true", "١")
    },
}


@pytest.mark.parametrize("case", WRONG)
def test_a_position_that_cannot_be_is_refused(case: str) -> None:
    refuse(*WRONG[case])


def refuse(text: str, field: int, reason: str, tiles: TileSet = STANDARD) -> None:
    with pytest.raises(PositionError) as caught:
        read_position(text, tiles)
    error = caught.value
    assert reason in str(error)
    assert error.field == field
    assert error.name == ("position" if field == 0 else FIELDS[field - 1])
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    with pytest.raises(ValueError, match=re.escape(str(error))):
        GameState.from_text(text, tiles=tiles)


def test_what_other_tiles_make_wrong() -> None:
    refuse(changed(king="1", reshuffled="1"), KING, "for each tile before the reshuffle", NO_CROWNS)
    no_coins = replace(STANDARD, coins=(0,) * 58)
    refuse(in_order("offer:1:A", tiles=no_coins), DECISION, "a coin icon on R0", no_coins)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (
            changed(orders="R11,R1,R3"),
            "unknown tile 'R11' in field 2 (orders): expected a code of tile set 'standard', such as 'R0'",
        ),
        (
            changed(orders="R2,R1,R3"),
            "tile 'R2' again in field 2 (orders): expected each tile once; it is already once in "
            "field 1 (cathedral)",
        ),
        (
            drawn("R0 R4 . . .", orders="R1 R2 R3", vaults="Y8 Y1 B0", king=1),
            "1 with 2 crowns in the cathedral in field 6 (king): expected at least 2: the king moves one "
            "space for each (R4.3)",
        ),
        (
            in_order("move:2", "R2+0 . Y2 . ."),
            "'move:2' in field 10 (decision): expected an order that player 0 can carry out in full, "
            "not move (R6.1)",
        ),
    ],
)
def test_whole_messages(text: str, whole: str) -> None:
    with pytest.raises(PositionError, match=f"^{re.escape(whole)}$"):
        read_position(text, STANDARD)


def test_every_field_has_a_wrong_position() -> None:
    assert {field for _, field, _ in WRONG.values()} == set(range(12))


def test_a_long_field_is_cut_in_the_message() -> None:
    for field in FIELDS:
        with pytest.raises(PositionError, match=r"^.{,400}$"):
            read_position(changed(**{field: "x" * 100_000}), STANDARD)


# --- Whole games ---------------------------------------------------------------------------------


def uniform(state: GameState, rng: random.Random) -> str:
    return rng.choice(state.legal_moves())


def by_kind(state: GameState, rng: random.Random) -> str:
    """Choose the kind of move first: games with more builders, orders and turns."""
    kinds: dict[str, list[str]] = {}
    for move in state.legal_moves():
        kinds.setdefault(move[0] if move[0] in "VBO" else "", []).append(move)
    return rng.choice(kinds[rng.choice(sorted(kinds))])


FEW_CROWNS = replace(STANDARD, name="few-crowns", crowns=tuple(int(tile % 8 == 0) for tile in range(58)))


@pytest.mark.parametrize(
    ("choose", "tiles", "games"),
    [
        (uniform, STANDARD, 6),
        (by_kind, STANDARD, 4),
        (by_kind, FEW_CROWNS, 2),
        (by_kind, NO_CROWNS, 2),
    ],
)
def test_every_position_of_a_game_is_read_as_it_was_written(
    choose: Callable[[GameState, random.Random], str], tiles: TileSet, games: int
) -> None:
    for seed in range(games):
        rng = random.Random(seed)
        state = GameState.new(seed=seed, tiles=tiles)
        while True:
            played, text = state.to_array()[0], state.to_text()
            record = read(text, tiles)
            for name in set(GAME.names or ()) - {"deck", "random"}:
                assert np.array_equal(record[name], played[name]), name
            assert GameState.from_text(text, tiles=tiles) == state
            if state.is_over:
                break
            state.play(choose(state, rng))


@pytest.mark.parametrize(
    ("stack", "rest", "reshuffled", "decision", "vaults"),
    [
        ("BG2 RB2 BG1 Y8", "stack", 0, "vault", "BG2,RB2,BG1"),
        ("BG2", "discard", 0, "vault", None),
        ("BG2 RB2", "discard", 1, "over", "BG2,RB2,_"),
        ("", "discard", 1, "over", "_,_,_"),
    ],
    ids=["from the stack", "with the reshuffle", "two left", "none left"],
)
def test_redraws(stack: str, rest: str, reshuffled: int, decision: str, vaults: str | None) -> None:
    text = position(
        NO_FIT, orders="R0 R1 R3", vaults="YB1 YB2 BG0", stack=stack, rest=rest, reshuffled=reshuffled
    )
    state = GameState.from_text(text)
    state.play("redraw")
    fields = split(state.to_text())
    assert fields["decision"] == decision
    assert vaults is None or fields["vaults"] == vaults
    while True:
        text = state.to_text()
        read(text)
        assert GameState.from_text(text) == state
        if state.is_over:
            break
        moves = state.legal_moves()
        state.play("redraw" if "redraw" in moves else moves[0])


# --- Whatever comes ------------------------------------------------------------------------------


def random_positions() -> list[str]:
    """Give positions of random games, of every decision kind."""
    rng = random.Random(5)
    texts = []
    for seed in range(6):
        state = GameState.new(seed=seed)
        while not state.is_over:
            texts.append(state.to_text())
            state.play(by_kind(state, rng))
        texts.append(state.to_text())
    return texts


SOURCES = [*random_positions(), *map(deciding, DECISIONS), *(text for text, _, _ in WRONG.values())]
PARTS = st.sampled_from(
    [part for text in SOURCES for field in text.split(" ") for part in re.split("[,/:]", field) if part]
)


def read_or_refuse(text: str) -> None:
    """Check that a text is refused with its field, or read; then what may follow from it is read as well."""
    error = None
    try:
        state = GameState.from_text(text)
    except PositionError as caught:
        error = caught
    if error is not None:
        assert 0 <= error.field <= 11
        assert error.problem
        assert error.expected
        return
    assert state.to_text() == text
    rng = random.Random(text)
    for _ in range(8):
        if state.is_over:
            break
        state.play(by_kind(state, rng))
        assert GameState.from_text(state.to_text()) == state


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=100) | st.lists(st.text(max_size=8), min_size=11, max_size=11).map(" ".join))
def test_any_text(text: str) -> None:
    read_or_refuse(text)


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(SOURCES), st.data())
def test_any_edit_of_a_position(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 3))
        text = (
            text[:place]
            + data.draw(PARTS | st.text("RYBG0123456789,/.:#*+AMS_@- ", max_size=3))
            + text[place + length :]
        )
    read_or_refuse(text)


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(SOURCES), st.sampled_from(SOURCES), st.data())
def test_any_mix_of_two_positions(text: str, other: str, data: st.DataObject) -> None:
    """Fields of one position in another, and tiles that change places: most are complete, few can be."""
    fields, others = text.split(" "), other.split(" ")
    if len(fields) == len(others) == 11:
        for number in data.draw(st.sets(st.integers(5, 10))):
            fields[number] = others[number]
        text = " ".join(fields)
    for _ in range(data.draw(st.integers(0, 2))):
        first, second = data.draw(st.sampled_from(STANDARD.codes)), data.draw(st.sampled_from(STANDARD.codes))
        exchange = {first: second, second: first}
        text = "".join(exchange.get(part, part) for part in re.split(r"([RYBG]+\d+)", text))
    read_or_refuse(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=8) | st.text("VBOabcde0123456789=-AMSredawpys", max_size=7))
def test_any_move(text: str) -> None:
    try:
        action = action_number(text)
    except ValueError:
        return
    assert move_text(action) == text
