"""R1: what the game is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from basilica_env.core.tiles import TileSet, TileSetError
from tests.engines import Engine
from tests.positions import STANDARD, codes, expect_moves, places, position, ranks, split


def test_r1_1_fifty_eight_tiles(engine: type[Engine]) -> None:
    text = engine.new(seed=5).to_text()
    tiles = codes(text)
    assert len(tiles) == len(set(tiles)) == 58
    letters = Counter(tile.rstrip("0123456789") for tile in tiles)
    assert [letters[colour] for colour in "RYBG"] == [10, 10, 10, 10]
    assert sum(count for name, count in letters.items() if len(name) == 2) == 18


def test_r1_1_a_tile_is_an_order_on_one_side_and_a_vault_on_the_other(engine: type[Engine]) -> None:
    # R4, crown and Stained Glass: as a vault its crown counts (king 0 to 1), as an order its glass.
    board = ". . R2+0 . ."
    game = engine.from_text(position(board, orders="R0 R1 R3", vaults="R4 Y2 B2"))
    game.play("V1a1")
    assert split(game.to_text())["king"] == "1"
    game = engine.from_text(position(board, orders="R4 R1 R3", vaults="R0 Y2 B2"))
    game.play("O1")
    expect_moves(game, "c1")
    assert split(game.to_text())["king"] == "0"


@pytest.mark.parametrize(("e1", "may_place"), [("B8", True), ("B8+0", False)])
def test_r1_2_five_builders_each(engine: type[Engine], e1: str, may_place: bool) -> None:
    # Four builders in the cathedral leave one to place, five leave none.
    board = f"""
        Y6   .    .    .    .
        R2+0 Y2+0 B2+0 G2+0 {e1}
    """
    game = engine.from_text(
        position(board, orders="R5 Y9 B6", vaults="R4 Y1 B0", turn="0:2", decision="main@a2")
    )
    assert ("B" in game.legal_moves()) is may_place


@pytest.mark.parametrize(("rank_of_d1", "may_promote"), [("", True), ("S", False)])
def test_r1_2_four_tokens_each(engine: type[Engine], rank_of_d1: str, may_promote: bool) -> None:
    # Three tokens in use leave one, four leave none: then Promote cannot be chosen.
    board = f"R2+0A Y2+0A B2+0M G2+0{rank_of_d1} B8+0"
    game = engine.from_text(position(board, orders="R0 R1 R3", vaults="R4 Y1 B0"))
    assert ("O1" in game.legal_moves()) is may_promote


def test_r1_2_a_token_can_show_any_rank(engine: type[Engine]) -> None:
    # Three Master Masons already: the fourth token can still be one, or either of the other ranks.
    board = "R2+0M Y2+0M B2+0M G2+0 ."
    game = engine.from_text(
        position(board, orders="R0 R1 R3", vaults="R4 Y1 B0", coins="2:0", decision="promote:1")
    )
    expect_moves(game, ranks("a1 b1 c1 d1"))


def test_r1_2_one_coin_each(engine: type[Engine]) -> None:
    assert split(engine.new(seed=0).to_text())["coins"] == "1:1"


def test_r1_3_glass_never_runs_out(engine: type[Engine]) -> None:
    # Twenty-nine tiles with glass, and one more on which the glass can go.
    singles = [code for code in STANDARD.codes if len(code) == 2 and code not in "R0 R1 R3 R4 Y1 B0 R2"]
    glass = [f"{code}*" for code in singles[:29]]
    rows = [glass[first : first + 5] for first in range(0, 25, 5)] + [[*glass[25:29], "R2+0"]]
    board = "\n".join(" ".join(row) for row in rows)
    game = engine.from_text(position(board, orders="R4 R1 R3", vaults="R0 Y1 B0", king=29, reshuffled=1))
    game.play("O1")
    expect_moves(game, "e1")
    game.play("e1")
    assert split(game.to_text())["cathedral"].count("*") == 30


def test_r1_3_scaffolding_never_runs_out(engine: type[Engine]) -> None:
    # Fifty squares of scaffolding, and two more.
    board = "\n".join(["# # # # #"] * 10)
    game = engine.from_text(position(board, orders="R5 R1 R3", vaults="R0 Y1 B0"))
    for move in ("O1", "a11", "a12"):
        game.play(move)
    assert split(game.to_text())["cathedral"].count("#") == 52


def test_r1_4_the_standard_tile_set() -> None:
    tiles = STANDARD
    wild = Counter(colours for colours in tiles.colours if len(colours) == 2)
    assert wild == {"".join(pair): 3 for pair in combinations("RYBG", 2)}
    crowned = Counter(colours for colours, crown in zip(tiles.colours, tiles.crowns, strict=True) if crown)
    assert sum(crowned.values()) == 36
    assert crowned == {colours: 6 if len(colours) == 1 else 2 for colours in set(tiles.colours)}
    # 58 = 7 * 8 + 2: two orders nine times, five orders eight times.
    assert sorted(Counter(tiles.orders).values()) == [8, 8, 8, 8, 8, 9, 9]
    for order, coin in zip(tiles.orders, tiles.coins, strict=True):
        assert coin == (order in ("promote", "recruit", "confuse"))


@pytest.mark.parametrize("order", ["move", "glass", "scaffold", "disaster"])
def test_r1_4_a_coin_on_an_order_without_paid_version_is_a_fault(order: str) -> None:
    number = STANDARD.orders.index(order)
    coins = (*STANDARD.coins[:number], 1, *STANDARD.coins[number + 1 :])
    with pytest.raises(TileSetError, match=r"R1\.4") as error:
        TileSet.parse(replace(STANDARD, coins=coins).to_csv().encode(), "faulty")
    assert error.value.column == "coin"


def test_r1_5_what_is_open_stays_when_the_hidden_is_redrawn() -> None:
    # In the standard set the order side gives a tile away or leaves two with the same crown, so redrawing
    # keeps everything but the tiles under the top of the stack, and those are the same tiles.
    from basilica_env import GameState

    state = GameState.new(seed=11)
    for move in ("V1c1", "B", "V2b1"):
        state.play(move)
    before = split(state.to_text())
    stack = codes(before["stack"])
    orders_of_stack = set()
    for seed in range(20):
        drawn = state.copy()
        drawn.resample_hidden(np.random.default_rng(seed))
        after = split(drawn.to_text())
        redrawn = codes(after["stack"])
        assert sorted(redrawn + codes(after["orders"])) == sorted(stack + codes(before["orders"]))
        for old, new in zip(
            [*codes(before["orders"]), stack[0]], [*codes(after["orders"]), redrawn[0]], strict=True
        ):
            assert order_side(STANDARD, old) == order_side(STANDARD, new)
        orders_of_stack.add(tuple(redrawn))
        assert {k: v for k, v in after.items() if k not in ("orders", "stack")} == {
            k: v for k, v in before.items() if k not in ("orders", "stack")
        }
    assert len(orders_of_stack) == 20


def test_r1_5_the_crown_on_the_back_of_an_order_is_hidden() -> None:
    # R0 and R7 get the same order side, but only R0 has the crown. R0 lies on order space 1, R7 deep in the
    # stack: to the players it may as well be the other way round, and both are equally likely.
    from basilica_env import GameState

    seven = STANDARD.numbers["R7"]
    tiles = replace(STANDARD, crowns=(*STANDARD.crowns[:seven], 0, *STANDARD.crowns[seven + 1 :]))
    text = position("R2 . . . .", orders="R0 R1 R3", vaults="R4 Y1 B0", stack="Y3 G4 R7", tiles=tiles)
    state = GameState.from_text(text, tiles=tiles)
    on_space_1: Counter[str] = Counter()
    for seed in range(200):
        drawn = state.copy()
        drawn.resample_hidden(np.random.default_rng(seed))
        on_space_1[codes(split(drawn.to_text())["orders"])[0]] += 1
    assert set(on_space_1) == {"R0", "R7"}
    # 200 fair draws: 100 each, standard deviation 7; the bounds are four of them away.
    assert 72 <= on_space_1["R0"] <= 128


def test_r1_5_a_vault_is_fully_known() -> None:
    # The same two tiles, but R0 lies in a vault space, in the cathedral or in the discard pile, where its
    # crown shows: then nothing can stand in for it.
    from basilica_env import GameState

    seven = STANDARD.numbers["R7"]
    tiles = replace(STANDARD, crowns=(*STANDARD.crowns[:seven], 0, *STANDARD.crowns[seven + 1 :]))
    spaces: dict[str, Any] = {"orders": "R1 R3 R5", "stack": "Y3 G4 R7", "tiles": tiles}
    for text in (
        position("R2 . . . .", vaults="R0 Y1 B0", **spaces),
        position("R0 . . . .", vaults="R4 Y1 B0", **spaces),
        position("R2 . . . .", vaults="R4 Y1 B0", discard="R0", **spaces),
    ):
        state = GameState.from_text(text, tiles=tiles)
        for seed in range(20):
            drawn = state.copy()
            drawn.resample_hidden(np.random.default_rng(seed))
            fields = split(drawn.to_text())
            assert "R0" in codes(fields["vaults"] + "," + fields["cathedral"] + "," + fields["discard"])


def order_side(tiles: TileSet, code: str) -> tuple[str, str, int]:
    """Give what the order side of a tile shows: colours, order, coin icon."""
    number = tiles.numbers[code]
    return tiles.colours[number], tiles.orders[number], tiles.coins[number]


def test_r1_the_squares(engine: type[Engine]) -> None:
    # Columns a to e, row 1 touching the board: the only squares of an empty cathedral a vault can go to.
    game = engine.from_text(position(orders="R0 R1 R3", vaults="R4 Y1 B0"))
    expect_moves(game, places("123", "a1 b1 c1 d1 e1"))
