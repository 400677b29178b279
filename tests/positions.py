"""Position texts from small drawings, and the other shorthand of the tests of the rules.

A drawing shows the cathedral as one looks at it: one line a row, the highest row first, row 1 last,
five squares a line in the notation of the cathedral field::

    .    .    B2*  .    .
    R2+0 YB0  .    #    .

Every tile that a test does not name goes, in the order of the tile set, onto the stack or onto the
discard pile, so each of the 58 codes appears exactly once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from basilica_env.core.tiles import TileSet

STANDARD = TileSet.standard()
FIELDS = (
    "cathedral",
    "orders",
    "vaults",
    "stack",
    "discard",
    "king",
    "scores",
    "coins",
    "turn",
    "decision",
    "reshuffled",
)
COLUMNS = "abcde"
ROWS = 12

NO_FIT = """
    .    YB0  .    YG1  .
    RY0  R2   RB1  Y2   RG2
"""
"""A cathedral that no wild tile fits: row 1 is full, and each square that touches a tile touches a wild one.

A single-colour tile fits a2, c2, e2, b3 and d3.
"""


class HasMoves(Protocol):
    """A game that tells its legal moves."""

    def legal_moves(self) -> list[str]:
        """Give the legal moves."""


def position(
    drawing: str = "",
    *,
    orders: str,
    vaults: str,
    stack: str = "",
    discard: str = "",
    rest: str = "stack",
    king: int | None = None,
    scores: str = "0:0",
    coins: str = "1:1",
    turn: str = "0:3",
    decision: str = "main",
    reshuffled: int = 0,
    tiles: TileSet = STANDARD,
    earlier: bool = True,
) -> str:
    """Give the text of a position.

    ``stack`` and ``discard`` name the first tiles of their piles; the tiles named nowhere follow on the pile
    that ``rest`` says. The king stands, if not told otherwise, on the number of crowns in the drawing, as if
    these tiles were all that was placed. Further on he makes sense only if other crowns can have been placed:
    before the reshuffle, or those that lie in the discard pile.

    Coins that have changed hands and actions that have been taken need orders that were executed. So, with
    ``earlier``, the last three tiles with a coin icon that the test does not name lie below the discard pile.
    """
    rows = drawn_rows(drawing)
    in_cathedral = [code for row in rows for square in row if (code := tile_of(square))]
    named = [*in_cathedral, *orders.split(), *vaults.split(), *stack.split(), *discard.split()]
    others = [code for code in tiles.codes if code not in named]
    piles = {"stack": stack.split(), "discard": discard.split()}
    if earlier and not reshuffled and rest == "stack":
        with_icon = [code for code in others if tiles.coins[tiles.numbers[code]]]
        piles["discard"] = [*with_icon[-3:], *piles["discard"]]
        others = [code for code in others if code not in piles["discard"]]
    piles[rest] += others
    if king is None:
        king = sum(tiles.crowns[tiles.numbers[code]] for code in in_cathedral)
    text = {
        "cathedral": "/".join(",".join(row) for row in rows) or "-",
        "orders": ",".join(orders.split()),
        "vaults": ",".join(vaults.split()),
        "stack": ",".join(piles["stack"]) or "-",
        "discard": ",".join(piles["discard"]) or "-",
        "king": str(king),
        "scores": scores,
        "coins": coins,
        "turn": turn,
        "decision": decision,
        "reshuffled": str(reshuffled),
    }
    listed = [*in_cathedral, *orders.split(), *vaults.split(), *piles["stack"], *piles["discard"]]
    all_codes = sorted(code for code in listed if code != "_")
    assert all_codes == sorted(tiles.codes), "a drawing names each tile once at most"
    return " ".join(text[field] for field in FIELDS)


def drawn_rows(drawing: str) -> list[list[str]]:
    """Give the rows of a drawing from row 1 up, without the empty ones above the highest tile."""
    rows = [line.split() for line in reversed(drawing.strip().splitlines()) if line.strip()]
    assert all(len(row) == len(COLUMNS) for row in rows), "five squares a row"
    while rows and rows[-1] == ["."] * len(COLUMNS):
        rows.pop()
    return rows


def tile_of(square: str) -> str | None:
    """Give the code of the tile on a drawn square."""
    match = re.match(r"[RYBG]+\d+", square)
    return match[0] if match else None


def split(text: str) -> dict[str, str]:
    """Give the fields of a position text by name."""
    values = text.split(" ")
    assert len(values) == len(FIELDS), f"eleven fields in {text!r}"
    return dict(zip(FIELDS, values, strict=True))


def join(fields: dict[str, str]) -> str:
    """Put the fields of a position text together again."""
    return " ".join(fields[field] for field in FIELDS)


def codes(field: str) -> list[str]:
    """Give the tile codes in a field, the cathedral included, in the order they stand there."""
    return re.findall(r"[RYBG]+\d+", field)


def places(spaces: str, squares: str) -> list[str]:
    """Give the moves that place each of the vaults ``spaces``, such as ``"13"``, on each of the squares."""
    return [f"V{space}{square}" for space in spaces for square in squares.split()]


def ranks(squares: str, letters: str = "AMS") -> list[str]:
    """Give the moves that promote the builder on each of the squares to each of the ranks."""
    return [f"{square}={letter}" for square in squares.split() for letter in letters]


def expect_moves(game: HasMoves, *expected: str | Iterable[str]) -> None:
    """Check that the legal moves are the expected ones, each once, in any order."""
    wanted: list[str] = []
    for part in expected:
        wanted += part.split() if isinstance(part, str) else part
    assert sorted(game.legal_moves()) == sorted(wanted)
