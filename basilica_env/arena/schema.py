"""The tables of a data set of games: their columns, and what each of them means.

One table has a row a game, one a turn, one a decision, one an area of a scoring; ``game`` joins them. Players
are the seats 0 and 1; what there is for both stands in two columns, ``score_0`` and ``score_1``.

The version changes when a column changes its name, its type or its meaning; a reader refuses a version that
it does not know. A column more is no new version.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from basilica_env.core.layout import (
    ACTIONS,
    COLOUR_LETTERS,
    DECISION_NAMES,
    ORDER_NAMES,
    PLAYERS,
    RANK_LETTERS,
    SQUARES,
)
from basilica_env.notation import move_text, square_name

if TYPE_CHECKING:
    import pyarrow

VERSION = 1
FORMAT = f"basilica dataset {VERSION}"


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
    type : str
        By Arrow's name: ``int16``, ``float``, ``string``, ...
    meaning : str
    nullable : bool
        Whether a row may have no value. In a compiled row that is -1, or NaN.
    labels : tuple of str
        The texts that the numbers of a compiled row stand for; empty if the numbers are the values.
    """

    name: str
    type: str
    meaning: str
    nullable: bool = False
    labels: tuple[str, ...] = ()


def _moves() -> Iterator[str]:
    for action in range(ACTIONS):
        try:
            yield move_text(action)
        except ValueError:  # a step that leaves the cathedral
            yield ""


_SQUARE_NAMES = tuple(square_name(square) for square in range(SQUARES))


def _both(name: str, kind: str, meaning: str, *, nullable: bool = False) -> tuple[Column, ...]:
    """Return the columns of both players; the meaning says "player {}"."""
    return tuple(
        Column(f"{name}_{player}", kind, meaning.format(player), nullable) for player in range(PLAYERS)
    )


_GAME = Column("game", "int64", "the number of the game in the data set, from 0")

# What the record of a game says.
RECORD = (
    _GAME,
    Column("source", "string", "the file of the record"),
    Column("record", "int32", "the number of the record in that file, from 1"),
    *_both("agent", "string", "who played seat {}"),
    Column("seed", "string", "the seed of the deal", nullable=True),
    Column("date", "date32", "the day of the game", nullable=True),
    Column("tiles", "string", "the name of the tile set"),
    Column("tiles_digest", "string", "the digest of the tile set, which tells it apart"),
    Column("result", "string", "`1-0`, `0-1`, `1/2-1/2` or `*`"),
    Column("termination", "string", "`scoring`, `exhaustion`, `unfinished`, or another reason for a result"),
    Column(
        "pair", "int64", "the number of the pair in a match: its two games have the same stack", nullable=True
    ),
    Column("headers", "map", "the other headers of the record, by name"),
)

# What a replay of the game tells besides.
COURSE = (
    Column("dealt", "bool", "whether the record begins with a fresh deal (R2)"),
    Column("finished", "bool", "whether the game ended by the rules (R8.6, R7.2)"),
    Column("winner", "int8", "the player with more points at the end by the rules", nullable=True),
    *_both("score", "int16", "the points of player {} at the end"),
    Column("turns", "int16", "how many turns were begun"),
    Column("decisions", "int16", "how many decisions were taken"),
    Column("scorings", "int8", "how many scorings there were, the one of an exhausted stack included"),
    Column("king", "int8", "the king's space at the end"),
    Column("reshuffled", "bool", "whether the discard pile became the stack (R7.1)"),
)

TURN = (
    _GAME,
    Column("turn", "int16", "the number of the turn, from 1"),
    Column("player", "int8", "whose turn it is"),
    Column("agent", "string", "who plays that seat"),
    Column("king", "int8", "the king's space when the turn begins"),
    *_both("score", "int16", "the points of player {} then"),
    *_both("now", "int16", "what player {} would gain by a scoring then"),
    Column("vaults", "int8", "vaults placed in the turn"),
    Column("builders", "int8", "builders placed on a vault just placed"),
    Column("orders", "int8", "orders executed"),
    Column("redraws", "int8", "redraws (R4.5)"),
    Column("decisions", "int16", "decisions of both players in the turn"),
    Column("seconds", "float", "how long the decisions of its player took", nullable=True),
    Column("scoring", "int8", "the number of the scoring that the turn caused, from 1", nullable=True),
)

DECISION = (
    _GAME,
    Column("turn", "int16", "the number of the turn"),
    Column("decision", "int16", "the number of the decision in the game, from 1"),
    Column("player", "int8", "who decides; in an offer and a paid order the opponent of whose turn it is"),
    Column("agent", "string", "who plays that seat"),
    Column("kind", "string", "what is decided, as in a position without the space", labels=DECISION_NAMES),
    Column("legal", "int16", "how many actions are legal"),
    Column("action", "int16", "the number of the action chosen"),
    Column("move", "string", "its text", labels=tuple(_moves())),
    Column("seconds", "float", "how long the decision took", nullable=True),
    Column("king", "int8", "the king's space before"),
    Column("space", "int8", "the vault or order space that it is about, from 1", nullable=True),
    Column("square", "string", "the square that it is about; where a step begins", True, _SQUARE_NAMES),
    Column("target", "string", "where a step leads", True, _SQUARE_NAMES),
    Column("rank", "string", "the rank given: `A`, `M` or `S`", True, tuple(RANK_LETTERS)),
    Column("tile", "string", "the tile placed, or the tile of the order", nullable=True),
    Column("order_name", "string", "the order that is executed, offered or paid for", True, ORDER_NAMES),
    Column(
        "denied",
        "string",
        "the order that a placed vault took off the order space above it",
        True,
        ORDER_NAMES,
    ),
    Column(
        "executable",
        "uint8",
        "the orders on the spaces that could be executed (R6.1): 1 promote, 2 move, 4 recruit, 8 confuse, "
        "16 glass, 32 scaffold, 64 disaster; 0 if no action is to be chosen",
    ),
    Column("scoring", "int8", "the number of the scoring that the action caused, from 1", nullable=True),
)

SCORING_CAUSES = ("king", "exhaustion")

AREA = (
    _GAME,
    Column("scoring", "int8", "the number of the scoring, from 1"),
    Column("turn", "int16", "the turn that caused it"),
    Column("decision", "int16", "the decision that caused it"),
    Column("cause", "string", "`king` (R4.3) or `exhaustion` (R7.2)", labels=SCORING_CAUSES),
    Column("player", "int8", "whose turn it was"),
    *_both("score", "int16", "the points of player {} before"),
    Column(
        "colour",
        "string",
        "`R`, `Y`, `B`, `G`; none for the row of builders outside all areas",
        True,
        tuple(COLOUR_LETTERS),
    ),
    Column("squares", "uint64", "the set of its squares, bit 5 × (row − 1) + column"),
    Column("size", "int8", "how many squares"),
    *_both("builders", "int8", "builders of player {} in it"),
    *_both("strength", "int8", "strength of player {} (R8.3)"),
    *_both("strongmen", "int8", "Strongmen of player {}"),
    Column("architect", "bool", "whether an Architect stands in it"),
    Column("glass", "int8", "stained glass in it"),
    Column("majority", "int8", "who holds it (R8.3)", nullable=True),
    Column("by_strongmen", "bool", "whether Strongmen broke a tie of strength"),
    *_both("points", "int16", "what it scores for player {}"),
    Column("tile_points", "int16", "points of the majority for its tiles, not doubled"),
    Column("architect_points", "int16", "points that an Architect added by doubling"),
    Column("glass_points", "int16", "points for stained glass"),
    Column("minority_points", "int16", "points of the player without the majority"),
    *_both(
        "wasted",
        "int8",
        "builders of player {} that gained nothing in any area; each counts in the first of its areas",
    ),
)

TABLES: dict[str, tuple[Column, ...]] = {
    "games": RECORD + COURSE,
    "turns": TURN,
    "decisions": DECISION,
    "areas": AREA,
}

_NUMPY = {"float": "float32", "string": "int16"}


def row_type(columns: tuple[Column, ...]) -> np.dtype[np.void]:
    """Return the type of a compiled row: texts are numbers in it."""
    return np.dtype([(column.name, _NUMPY.get(column.type, column.type)) for column in columns], align=True)


def arrow_schema(table: str) -> pyarrow.Schema:
    """Return the schema of a table, without metadata."""
    import pyarrow

    kinds: dict[str, Any] = {
        "float": pyarrow.float32(),
        "bool": pyarrow.bool_(),
        "date32": pyarrow.date32(),
        "map": pyarrow.map_(pyarrow.string(), pyarrow.string()),
    }
    return pyarrow.schema(
        pyarrow.field(
            column.name, kinds.get(column.type) or getattr(pyarrow, column.type)(), nullable=column.nullable
        )
        for column in TABLES[table]
    )
