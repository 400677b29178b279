"""Position and move text: the stable way in and out of a game.

A move is a short text (``V2c3``, ``O1``, ``c3=A``). A position is eleven fields with one space between
them, the order of the stack included::

    cathedral orders vaults stack discard king scores coins turn decision reshuffled

What is written is canonical: reading a text and writing it again gives the same text. What is read is
checked. Refused is everything that contradicts itself: pieces that are too many or missing, tiles where
no rule lets them lie, a king or a score that the tiles and the scorings so far cannot have led to, and a
decision that the board does not allow or that cannot have come up. Not retraced is by which moves a position
came about: that glass lies is no reason to look for the order that put it there.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from basilica_env.core.layout import (
    ACTIONS,
    ACTIONS_A_TURN,
    BUILDER,
    BUILDERS,
    BUILDERS_EACH,
    CHOOSE_CONFUSE,
    CHOOSE_DISASTER,
    CHOOSE_GLASS,
    CHOOSE_MOVE,
    CHOOSE_PROMOTE,
    CHOOSE_RECRUIT,
    CHOOSE_REMOVE,
    COINS_EACH,
    COLUMN_LETTERS,
    COLUMNS,
    DECISION_NAMES,
    EXECUTE,
    GAME,
    GLASS,
    LAST_SPACE,
    MAIN,
    MOVE,
    NONE,
    OFFER,
    ORDER_CONFUSE,
    ORDER_DISASTER,
    ORDER_GLASS,
    ORDER_MOVE,
    ORDER_NAMES,
    ORDER_PROMOTE,
    ORDER_RECRUIT,
    ORDER_SCAFFOLD,
    OVER,
    PAID_CONFUSE,
    PAID_ORDERS,
    PAID_PROMOTE,
    PAID_RECRUIT,
    PASS,
    PAY,
    PLANES,
    PLAYERS,
    PROMOTE,
    RANK,
    RANK_LETTERS,
    RANKS,
    REDRAW,
    ROWS,
    SCAFFOLD,
    SCAFFOLD_ONE,
    SCAFFOLD_TWO,
    SCORING_EVERY,
    SPACES,
    SQUARE,
    SQUARES,
    STEP_SHIFT,
    STEPS,
    TILE_ID,
    TILE_ID_BITS,
    TILES,
    TOKENS_EACH,
    VAULT,
)
from basilica_env.core.tiles import MOST_POINTS, TileSet, shown

FIELD_NAMES = (
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

_ROW_1 = (1 << COLUMNS) - 1
_EVERY_SQUARE = (1 << SQUARES) - 1
_COLUMN_A = sum(1 << COLUMNS * row for row in range(ROWS))
_COLUMN_E = _COLUMN_A << COLUMNS - 1

# What follows the code of a tile, in this order.
_MARKS = (
    (GLASS, "*"),
    *((BUILDERS + player, f"+{player}") for player in range(PLAYERS)),
    *((RANK + rank, letter) for rank, letter in enumerate(RANK_LETTERS)),
)

# The order that a decision belongs to; the one of an offer depends on the tile.
_ORDER_OF = {
    CHOOSE_PROMOTE: ORDER_PROMOTE,
    CHOOSE_MOVE: ORDER_MOVE,
    CHOOSE_RECRUIT: ORDER_RECRUIT,
    CHOOSE_REMOVE: ORDER_CONFUSE,
    CHOOSE_CONFUSE: ORDER_CONFUSE,
    CHOOSE_GLASS: ORDER_GLASS,
    CHOOSE_DISASTER: ORDER_DISASTER,
    SCAFFOLD_TWO: ORDER_SCAFFOLD,
    SCAFFOLD_ONE: ORDER_SCAFFOLD,
    PAID_PROMOTE: ORDER_PROMOTE,
    PAID_RECRUIT: ORDER_RECRUIT,
    PAID_CONFUSE: ORDER_CONFUSE,
}
_SECOND_HALVES = (CHOOSE_CONFUSE, SCAFFOLD_ONE)
_PAID_DECISIONS = (PAID_PROMOTE, PAID_RECRUIT, PAID_CONFUSE)

# The fields of the record that the reader has under the same name.
_SAME_NAME = (
    *("orders", "vaults", "king", "scores", "coins", "turn", "actions"),
    *("decision", "space", "square", "rank", "reshuffled"),
)

_TILE_ON_SQUARE = re.compile(r"([RYBG]+[0-9]+)(\*?)(?:\+([01])([AMS]?))?", re.ASCII)
_PAIR = re.compile(r"(0|[1-9][0-9]{0,4}):(0|[1-9][0-9]{0,4})", re.ASCII)
_TURN = re.compile(r"([01]):([0-3])", re.ASCII)
_KING = re.compile(r"0|[1-9][0-9]?", re.ASCII)


# --- Squares and moves ---------------------------------------------------------------------------


def square_name(square: SupportsIndex) -> str:
    """Return the name of a square, such as ``c3`` for 12.

    Raises
    ------
    ValueError
        If there is no such square.
    """
    number = operator.index(square)
    if not 0 <= number < SQUARES:
        raise ValueError(f"square {number}: expected 0 to {SQUARES - 1}")
    row, column = divmod(number, COLUMNS)
    return f"{COLUMN_LETTERS[column]}{row + 1}"


_SQUARE_NUMBERS = {square_name(square): square for square in range(SQUARES)}


def square_number(name: str) -> int:
    """Return the number of a square, such as 12 for ``c3``.

    Raises
    ------
    ValueError
        If there is no such square.
    """
    if name not in _SQUARE_NUMBERS:
        raise ValueError(
            f"unknown square {shown(name)}: expected a column a-e and a row 1-{ROWS}, such as c3"
        )
    return _SQUARE_NUMBERS[name]


def _move_text(action: int) -> str | None:
    """Return the text of an action, or None for a step that leaves the cathedral."""
    if action < BUILDER:
        space, square = divmod(action, SQUARES)
        return f"V{space + 1}{square_name(square)}"
    if action == BUILDER:
        return "B"
    if action < REDRAW:
        return f"O{action - EXECUTE + 1}"
    if action < PROMOTE:
        return {REDRAW: "redraw", PAY: "pay", PASS: "pass"}[action]
    if action < MOVE:
        square, rank = divmod(action - PROMOTE, RANKS)
        return f"{square_name(square)}={RANK_LETTERS[rank]}"
    if action < SQUARE:
        square, step = divmod(action - MOVE, STEPS)
        target = square + STEP_SHIFT[step]
        if target < 0 or not _beside(1 << square) >> target & 1:
            return None
        return f"{square_name(square)}-{square_name(target)}"
    return square_name(action - SQUARE)


def _beside(board: int) -> int:
    """Return the squares adjacent to a square of a board."""
    vertical = board << COLUMNS | board >> COLUMNS
    horizontal = (board & ~_COLUMN_E) << 1 | (board & ~_COLUMN_A) >> 1
    return (vertical | horizontal) & _EVERY_SQUARE


_MOVE_TEXTS = tuple(_move_text(action) for action in range(ACTIONS))
_ACTION_NUMBERS = {text: action for action, text in enumerate(_MOVE_TEXTS) if text is not None}


def action_index(action: SupportsIndex) -> int:
    """Return an action that is an integer of any type, such as NumPy's, as an ``int``.

    Raises
    ------
    TypeError
        If it is no integer. A truth value counts as none: it is more likely an entry of a mask.
    """
    if type(action) is int:
        return action
    try:
        if not isinstance(action, bool):
            return operator.index(action)
    except TypeError:
        pass
    raise TypeError(
        f"action {action!r} has type {type(action).__name__}: expected an integer from 0 to {ACTIONS - 1}"
    )


def move_text(action: SupportsIndex) -> str:
    """Return the text of an action.

    Raises
    ------
    ValueError
        If the number is no action, or if it is a step that leaves the cathedral.
    """
    number = action_index(action)
    if not 0 <= number < ACTIONS:
        raise ValueError(f"action {number}: expected 0 to {ACTIONS - 1}")
    text = _MOVE_TEXTS[number]
    if text is None:
        raise ValueError(f"action {number}: {_step_words(number)} leaves the cathedral")
    return text


def action_words(action: SupportsIndex) -> str:
    """Return the text of an action, or such as ``"a step left from a8"`` for one that leaves the cathedral.

    Raises
    ------
    ValueError
        If the number is no action.
    """
    number = action_index(action)
    text = _MOVE_TEXTS[number] if 0 <= number < ACTIONS else move_text(number)
    return _step_words(number) if text is None else text


def _step_words(action: int) -> str:
    square, step = divmod(action - MOVE, STEPS)
    way = ("up", "right", "down", "left")[step]
    return f"a step {way} from {square_name(square)}"


def action_number(move: str) -> int:
    """Return the number of the action that a move text names.

    Raises
    ------
    ValueError
        If the text is no move.
    """
    if move not in _ACTION_NUMBERS:
        raise ValueError(
            f"unknown move {shown(move)}: expected a move such as V2c3, B, O1, redraw, c3=A, c3-c4, c3 or pay"
        )
    return _ACTION_NUMBERS[move]


# --- Writing -------------------------------------------------------------------------------------


def decision_text(game: np.void | npt.NDArray[np.void]) -> str:
    """Return the decision of a game record, such as ``main@c3`` or ``offer:2:A``."""
    record = _record(game)
    return _decision_text(
        int(record["decision"]), int(record["space"]), int(record["square"]), int(record["rank"])
    )


def _decision_text(decision: int, space: int, square: int, rank: int) -> str:
    name = DECISION_NAMES[decision]
    if square != NONE:
        return f"{name}@{square_name(square)}"
    kind, *scaffolds_left = name.split(":")
    spaces = [] if space == NONE else [str(space + 1)]
    ranks = [] if rank == NONE else [RANK_LETTERS[rank]]
    return ":".join([kind, *spaces, *scaffolds_left, *ranks])


def _decisions() -> Iterator[tuple[int, int, int, int]]:
    """Yield decision, space, square and rank of every decision that has a text."""
    for decision in (MAIN, VAULT, OVER):
        yield decision, NONE, NONE, NONE
    for square in range(SQUARES):
        yield MAIN, NONE, square, NONE
    for decision, space in product([*_ORDER_OF, OFFER], range(SPACES)):
        ranks = range(RANKS) if decision in (OFFER, PAID_PROMOTE) else ()
        for rank in ranks if decision == PAID_PROMOTE else [NONE, *ranks]:
            yield decision, space, NONE, rank


_DECISIONS = {_decision_text(*parts): parts for parts in _decisions()}


def write_position(game: np.void | npt.NDArray[np.void], tiles: TileSet) -> str:
    """Return the text of a position.

    Parameters
    ----------
    game : GAME record, or array of one
    tiles : TileSet
        The tile set of the game.
    """
    record = _record(game)
    deck = record["deck"].tolist()
    return " ".join(
        (
            _cathedral_text(record, tiles),
            _spaces_text(record["orders"].tolist(), tiles),
            _spaces_text(record["vaults"].tolist(), tiles),
            _pile_text(deck[record["top"] : TILES], tiles),
            _pile_text(deck[: record["discards"]], tiles),
            str(record["king"]),
            "{}:{}".format(*record["scores"]),
            "{}:{}".format(*record["coins"]),
            f"{record['turn']}:{record['actions']}",
            decision_text(record),
            str(record["reshuffled"]),
        )
    )


def _record(game: np.void | npt.NDArray[np.void]) -> Any:
    return game.reshape(())[()] if isinstance(game, np.ndarray) else game


def _cathedral_text(record: Any, tiles: TileSet) -> str:
    planes = record["planes"].tolist()
    occupied = reduce(operator.or_, planes)
    squares = [
        _square_text(planes, square, tiles) if occupied >> square & 1 else "." for square in range(SQUARES)
    ]
    rows = range(0, occupied.bit_length(), COLUMNS)
    return "/".join(",".join(squares[first : first + COLUMNS]) for first in rows) or "-"


def _square_text(planes: list[int], square: int, tiles: TileSet) -> str:
    """Return the text of a square that is not empty."""
    if planes[SCAFFOLD] >> square & 1:
        return "#"
    number = sum((planes[TILE_ID + k] >> square & 1) << k for k in range(TILE_ID_BITS))
    return tiles.codes[number] + "".join(mark for plane, mark in _MARKS if planes[plane] >> square & 1)


def _spaces_text(numbers: list[int], tiles: TileSet) -> str:
    return ",".join("_" if number == NONE else tiles.codes[number] for number in numbers)


def _pile_text(numbers: list[int], tiles: TileSet) -> str:
    return ",".join(tiles.codes[number] for number in numbers) or "-"


# --- Reading -------------------------------------------------------------------------------------


class PositionError(ValueError):
    """A text that is no position, or a position that cannot be.

    Attributes
    ----------
    name : str
        The field with the fault, from :data:`FIELD_NAMES`; ``"position"`` if it is the text as a whole.
    field : int
        The number of the field, 1 to 11; 0 for the text as a whole.
    problem : str
        What is wrong: the thing and its value.
    expected : str
        What would be right.
    """

    def __init__(self, name: str, problem: str, expected: str) -> None:
        super().__init__(name, problem, expected)
        self.name, self.problem, self.expected = name, problem, expected

    @property
    def field(self) -> int:
        """The number of the field, 1 to 11; 0 for the text as a whole."""
        return FIELD_NAMES.index(self.name) + 1 if self.name in FIELD_NAMES else 0

    def __str__(self) -> str:
        place = f"field {self.field} ({self.name})" if self.field else "the position"
        return f"{self.problem} in {place}: expected {self.expected}"


def read_position(text: str, tiles: TileSet, seed: int | None = 0) -> npt.NDArray[np.void]:
    """Read a position.

    Parameters
    ----------
    text : str
        The eleven fields.
    tiles : TileSet
        The tile set of the game.
    seed : int or None
        Seeds the generator of the game, which a reshuffle (R7.1) draws on; None draws a fresh seed.

    Returns
    -------
    GAME array, shape (1,)
        The position, its legal actions listed.

    Raises
    ------
    PositionError
        If the text is no position or the position cannot be; names the field, the value and what is right.
    """
    return _PositionReader(text, tiles).read(seed)


class _PositionReader:
    """Reads one text: the fields one by one, then what they say about each other."""

    def __init__(self, text: str, tiles: TileSet) -> None:
        if not isinstance(text, str):
            raise TypeError(f"position {text!r} has type {type(text).__name__}: expected a text of fields")
        fields = text.split(" ")
        if len(fields) != len(FIELD_NAMES):
            raise PositionError(
                "position",
                f"{len(fields)} fields",
                f"{len(FIELD_NAMES)} fields with one space between them: {' '.join(FIELD_NAMES)}",
            )
        self.texts = dict(zip(FIELD_NAMES, fields, strict=True))
        self.tiles = tiles
        self.planes = [0] * PLANES
        self.placed: dict[int, int] = {}
        self.field_of_tile: dict[int, str] = {}

    def read(self, seed: int | None) -> npt.NDArray[np.void]:
        self.read_cathedral()
        self.orders = self.read_spaces("orders")
        self.vaults = self.read_spaces("vaults")
        self.stack = self.read_pile("stack")
        self.discard = self.read_pile("discard")
        self.read_numbers()
        self.read_decision()
        self.check_end()
        self.check_tiles()
        self.check_pieces()
        self.check_wilds()
        self.check_king()
        self.check_scores()
        self.check_turn()
        self.check_coins()
        self.check_reshuffle()
        game = self.fill(seed)
        self.check_decision(game)
        return game

    # The fields

    def fault(self, name: str, expected: str) -> PositionError:
        return PositionError(name, f"{shown(self.texts[name])}", expected)

    def tile(self, code: str, name: str) -> int:
        """Return the number of a tile and note that it has been seen."""
        number = self.tiles.numbers.get(code)
        if number is None:
            raise PositionError(
                name,
                f"unknown tile {shown(code)}",
                f"a code of tile set {self.tiles.name!r}, such as {self.tiles.codes[0]!r}",
            )
        if number in self.field_of_tile:
            first = self.field_of_tile[number]
            where = (
                "once there" if first == name else f"once in field {FIELD_NAMES.index(first) + 1} ({first})"
            )
            raise PositionError(name, f"tile {code!r} again", f"each tile once; it is already {where}")
        self.field_of_tile[number] = name
        return number

    def read_cathedral(self) -> None:
        text = self.texts["cathedral"]
        rows = [] if text == "-" else text.split("/")
        if len(rows) > ROWS:
            raise PositionError("cathedral", f"{len(rows)} rows", f"at most {ROWS} (R4.6)")
        for row, row_text in enumerate(rows):
            squares = row_text.split(",")
            if len(squares) != COLUMNS:
                raise PositionError(
                    "cathedral",
                    f"{len(squares)} squares in row {row + 1}",
                    f"{COLUMNS} squares, joined by ','",
                )
            for column, square_text in enumerate(squares):
                self.read_square(COLUMNS * row + column, square_text)
        if rows and rows[-1] == ",".join("." * COLUMNS):
            raise PositionError(
                "cathedral",
                f"empty row {len(rows)} above the highest tile",
                "it to be left out; '-' for no tile at all",
            )

    def read_square(self, square: int, text: str) -> None:
        if text == ".":
            return
        if text == "#":
            self.planes[SCAFFOLD] |= 1 << square
            return
        match = _TILE_ON_SQUARE.fullmatch(text)
        if match is None:
            problem = f"{shown(text)} on {square_name(square)}"
            if text.startswith("#"):
                raise PositionError(
                    "cathedral", problem, "'#' alone: scaffolding never carries anything (R6.3, R6.8)"
                )
            raise PositionError(
                "cathedral",
                problem,
                "'.', '#' or a tile code, then '*' for glass, then '+0' or '+1' for a builder, "
                "then 'A', 'M' or 'S' if the builder is promoted",
            )
        code, glass, builder, rank = match.groups()
        number = self.tile(code, "cathedral")
        self.placed[square] = number
        pattern = int(self.tiles.array["pattern"][number])
        for plane in range(PLANES):
            self.planes[plane] |= (pattern >> plane & 1) << square
        if glass:
            self.planes[GLASS] |= 1 << square
        if builder:
            self.planes[BUILDERS + int(builder)] |= 1 << square
        if rank:
            self.planes[RANK + RANK_LETTERS.index(rank)] |= 1 << square

    def read_spaces(self, name: str) -> list[int]:
        codes = self.texts[name].split(",")
        if len(codes) != SPACES:
            raise PositionError(name, f"{len(codes)} spaces", f"{SPACES} tile codes, joined by ','")
        return [NONE if code == "_" else self.tile(code, name) for code in codes]

    def read_pile(self, name: str) -> list[int]:
        text = self.texts[name]
        return [] if text == "-" else [self.tile(code, name) for code in text.split(",")]

    def read_numbers(self) -> None:
        king = _KING.fullmatch(self.texts["king"])
        if king is None or int(king[0]) > LAST_SPACE:
            raise self.fault("king", f"a number from 0 to {LAST_SPACE}")
        self.king = int(king[0])
        scores = _PAIR.fullmatch(self.texts["scores"])
        if scores is None:
            raise self.fault("scores", "the points of player 0 and of player 1, such as '12:7'")
        self.scores = [int(scores[1]), int(scores[2])]
        coins = _PAIR.fullmatch(self.texts["coins"])
        if coins is None or int(coins[1]) + int(coins[2]) != PLAYERS * COINS_EACH:
            raise self.fault(
                "coins", "the coins of player 0 and of player 1, together 2 (R1.2), such as '1:1'"
            )
        self.coins = [int(coins[1]), int(coins[2])]
        turn = _TURN.fullmatch(self.texts["turn"])
        if turn is None:
            raise self.fault(
                "turn", f"a player, 0 or 1, and the actions left, 0 to {ACTIONS_A_TURN}, such as '0:3'"
            )
        self.turn, self.actions = int(turn[1]), int(turn[2])
        if self.texts["reshuffled"] not in ("0", "1"):
            raise self.fault("reshuffled", "'1' once the discard pile has become the stack, else '0'")
        self.reshuffled = int(self.texts["reshuffled"])

    def read_decision(self) -> None:
        text = self.texts["decision"]
        if text not in _DECISIONS:
            raise PositionError(
                "decision",
                f"unknown decision {shown(text)}",
                "one such as main, main@c3, vault, promote:1, move:1, recruit:1, remove:1, confuse:1, "
                "glass:1, disaster:1, scaffold:1:2, scaffold:1:1, offer:1, offer:1:A, paid-promote:1:A, "
                "paid-recruit:1, paid-confuse:1, over",
            )
        self.decision, self.space, self.square, self.rank = _DECISIONS[text]

    # What the fields say about each other

    @property
    def is_over(self) -> bool:
        return self.decision == OVER

    def check_tiles(self) -> None:
        missing = [code for code, number in self.tiles.numbers.items() if number not in self.field_of_tile]
        if missing:
            some = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
            raise PositionError(
                "stack",
                f"missing {some}",
                f"each of the {TILES} tiles of tile set {self.tiles.name!r} in one of fields 1 to 5",
            )

    def check_pieces(self) -> None:
        for player in range(PLAYERS):
            builders = self.builders(player)
            if builders > BUILDERS_EACH:
                raise PositionError(
                    "cathedral", f"{builders} builders of player {player}", f"at most {BUILDERS_EACH} (R1.2)"
                )
            tokens = (self.planes[BUILDERS + player] & self.promoted()).bit_count()
            if tokens > TOKENS_EACH:
                raise PositionError(
                    "cathedral",
                    f"{tokens} promoted builders of player {player}",
                    f"at most {TOKENS_EACH} (R1.2)",
                )

    def builders(self, player: int) -> int:
        return self.planes[BUILDERS + player].bit_count()

    def promoted(self) -> int:
        return self.planes[RANK] | self.planes[RANK + 1] | self.planes[RANK + 2]

    def tiles_in(self, numbers: Sequence[int], column: str) -> int:
        """Return how many of some tiles have a crown, a coin icon or are wild."""
        return int(self.tiles.array[column][list(numbers)].sum()) if numbers else 0

    def check_wilds(self) -> None:
        wild = [square for square, number in self.placed.items() if self.tiles.array["wild"][number]]
        for square in wild:
            for other in wild:
                if square < other and _beside(1 << square) >> other & 1:
                    pair = f"{self.name_on(square)} and {self.name_on(other)}"
                    raise PositionError(
                        "cathedral", f"adjacent wild tiles {pair}", "none adjacent to another (R4.2)"
                    )

    def name_on(self, square: int) -> str:
        return f"{self.tiles.codes[self.placed[square]]} on {square_name(square)}"

    def check_end(self) -> None:
        """Check the spaces left empty and the stack against the end of the game (R7.2, R8.6)."""
        empty = {
            name: [space for space, number in enumerate(spaces) if number == NONE]
            for name, spaces in (("orders", self.orders), ("vaults", self.vaults))
        }
        orders, vaults = empty["orders"], empty["vaults"]
        if not self.is_over:
            for name in empty:
                if empty[name]:
                    raise self.fault(
                        name, "a tile on each space: only the end of the game leaves one empty (R7.2, R8.6)"
                    )
            if self.king == LAST_SPACE:
                raise PositionError(
                    "decision",
                    f"{shown(self.texts['decision'])} with the king on {LAST_SPACE}",
                    "'over' (R8.6)",
                )
        elif self.king == LAST_SPACE:
            if orders:
                raise self.fault(
                    "orders",
                    "a tile on each space: after the third scoring only a vault space is empty (R8.6)",
                )
            if len(vaults) != 1:
                raise self.fault("vaults", "one empty space, the one of the vault that ended the game (R8.6)")
        else:
            if self.stack:
                raise PositionError(
                    "decision",
                    f"'over' with the king on {self.king} and a stack of {len(self.stack)}",
                    f"the king on {LAST_SPACE} or an empty stack (R7.2, R8.6)",
                )
            if self.discard and not self.reshuffled:
                raise PositionError(
                    "decision",
                    f"'over' with a discard pile of {len(self.discard)} that was never reshuffled",
                    "the game to go on with the reshuffled pile (R7.1)",
                )
            if len(orders) > 1:
                raise self.fault(
                    "orders", "at most one empty space, the one that could not be refilled (R7.2)"
                )
            if orders and vaults:
                raise self.fault(
                    "vaults", "a tile on each space if an order space could not be refilled (R7.2)"
                )
            if not orders and not vaults:
                raise self.fault("orders", "an empty space, for the tile that could not be drawn (R7.2)")
            if vaults and vaults != list(range(vaults[0], SPACES)):
                raise self.fault(
                    "vaults", "the last spaces empty: a redraw fills them in the order 1, 2, 3 (R4.5)"
                )

    def check_king(self) -> None:
        """Check that the king has moved once for each crown placed (R4.3)."""
        in_cathedral = self.tiles_in(list(self.placed.values()), "crown")
        discarded = self.tiles_in(self.discard, "crown")
        if self.king < in_cathedral:
            raise PositionError(
                "king",
                f"{self.king} with {in_cathedral} crowns in the cathedral",
                f"at least {in_cathedral}: the king moves one space for each (R4.3)",
            )
        if self.reshuffled:  # each tile may have been placed once before the reshuffle
            most = in_cathedral + discarded + self.tiles_in(range(TILES), "crown")
            reason = (
                "for each crown in the cathedral and the discard pile, and for each tile before the reshuffle"
            )
        elif self.king < 10:
            disasters = sum(
                self.tiles.orders[number] == ORDER_NAMES[ORDER_DISASTER] for number in self.discard
            )
            most = in_cathedral + min(discarded, disasters)
            reason = (
                "for each crown in the cathedral, and for each that a Disaster in the discard pile removed"
            )
        else:
            most = in_cathedral + discarded
            reason = "for each crown in the cathedral and the discard pile"
        if self.king > most:
            raise PositionError("king", str(self.king), f"at most {most}: it moves one space {reason} (R4.3)")
        if self.king == LAST_SPACE and not any(map(self.may_be_last_placed, self.placed)):
            raise PositionError(
                "king",
                f"{LAST_SPACE} without the vault that led it there",
                "a vault in the cathedral with a crown and nothing on it",
            )

    def may_be_last_placed(self, square: int) -> bool:
        crown = self.tiles.crowns[self.placed[square]]
        return crown == 1 and self.is_bare(square) and self.is_supported(1 << square)

    def is_bare(self, square: int) -> bool:
        pieces = self.planes[GLASS] | self.planes[BUILDERS] | self.planes[BUILDERS + 1]
        return not pieces >> square & 1

    def is_supported(self, board: int) -> bool:
        """Return whether one of some tiles is in row 1 or adjacent to a tile (R4.1)."""
        tiles = self.planes[SCAFFOLD] | sum(1 << square for square in self.placed)
        return board & (_ROW_1 | _beside(tiles)) != 0

    def scorings(self) -> int:
        """Return how many scorings there have been: at 10, 20 and 30, and at an end by exhaustion."""
        return self.king // 10 + (self.is_over and self.king < LAST_SPACE)

    def check_scores(self) -> None:
        most = MOST_POINTS * self.scorings()
        if max(self.scores) > most:
            if most == 0:
                raise self.fault("scores", "'0:0' before the first scoring (R8.1)")
            raise self.fault("scores", f"at most {most} points after {self.scorings()} scorings")

    def check_turn(self) -> None:
        if self.is_over and self.actions:
            raise self.fault("turn", "0 actions left after the end of the game")
        if not self.is_over and not self.actions:
            raise self.fault("turn", f"1 to {ACTIONS_A_TURN} actions left until the game is over (R3.1)")
        if self.square != NONE and self.actions == ACTIONS_A_TURN:
            raise PositionError(
                "turn",
                f"{shown(self.texts['turn'])} after a vault was placed",
                f"at most {ACTIONS_A_TURN - 1} actions left (R3.1)",
            )

        taken = ACTIONS_A_TURN - self.actions  # in this turn alone: swapped players are a game as well
        gone = len(self.placed) + len(self.discard)
        if not self.is_over and not self.reshuffled and taken > 2 * gone:
            raise self.fault(
                "turn",
                f"at most {2 * gone} actions taken: a vault or an order, and a builder, for each of the "
                f"{gone} tiles in the cathedral or discarded (R3.1, R5.1)",
            )

    def check_coins(self) -> None:
        """Check that a coin that changed hands was paid for an order, which is discarded then (R6.9)."""
        first = self.coins[0]
        if self.decision in _PAID_DECISIONS:  # the order of this payment is still on its space
            first += 1 if self.turn else -1
        if first != COINS_EACH and not self.reshuffled and not self.tiles_in(self.discard, "coin"):
            raise self.fault(
                "coins", "a coin of each player until an order with a coin icon is discarded (R6.9)"
            )

    def check_reshuffle(self) -> None:
        """Check that the first stack can have been drawn empty if nothing lies in the cathedral.

        Before the first scoring no scaffolding has ever lain then. So a tile with a crown and the order
        Scaffolding has left its space as a vault, which moved the king; a redraw takes none of one colour.
        """
        if not self.reshuffled or self.king >= SCORING_EVERY or self.placed or self.planes[SCAFFOLD]:
            return
        tiles = self.tiles.array[[*self.stack, *self.discard]]
        left = (tiles["order"] == ORDER_SCAFFOLD) & (tiles["crown"] == 1) & (tiles["wild"] == 0)
        if np.count_nonzero(left) > self.king:
            raise self.fault(
                "reshuffled",
                f"'0': {np.count_nonzero(left)} tiles with a crown and Scaffolding have neither moved the "
                "king (R4.3) nor left scaffolding (R6.8), so the first stack was never drawn empty (R7.1)",
            )

    # The record, and what the rules say about the decision

    def fill(self, seed: int | None) -> npt.NDArray[np.void]:
        from basilica_env.core.random import seed_state

        games = np.zeros(1, GAME)
        game = games[0]
        top = TILES - len(self.stack)
        game["planes"] = self.planes
        game["hidden"] = _set([*self.stack, *(number for number in self.orders if number != NONE)])
        game["discarded"] = _set(self.discard)
        game["random"] = seed_state(seed)
        game["deck"][top:TILES] = self.stack
        game["deck"][: len(self.discard)] = self.discard
        game["top"], game["discards"] = top, len(self.discard)
        for name in _SAME_NAME:
            game[name] = getattr(self, name)
        game["legal"] = _legal(games, self.tiles)[0]
        return games

    def check_decision(self, game: npt.NDArray[np.void]) -> None:
        if self.is_over:
            self.check_last_scoring(game)
            if self.king < LAST_SPACE and NONE in self.vaults:
                self.check_redraw(game)
        elif self.decision == MAIN:
            if self.square != NONE:
                self.check_placed()
        elif self.decision == VAULT:
            self.check_redraw(game)
        else:
            self.check_order(game)

    def misfit(self, reason: str) -> PositionError:
        return PositionError("decision", shown(self.texts["decision"]), reason)

    def check_last_scoring(self, game: npt.NDArray[np.void]) -> None:
        """Check the score against the scoring that ended the game, whose cathedral is still there."""
        from basilica_env.core.scoring import points_now

        points = [int(number) for number in points_now(game[0])]
        text = "{}:{}".format(*points)
        if self.scorings() == 1 and self.scores != points:
            raise self.fault("scores", f"{text}, what the only scoring gave (R8.4)")
        for player in range(PLAYERS):
            earlier = self.scores[player] - points[player]
            if not 0 <= earlier <= MOST_POINTS * (self.scorings() - 1):
                raise self.fault(
                    "scores", f"what the last scoring gave, {text}, and the points before it (R8.4)"
                )

    def check_placed(self) -> None:
        """Check the vault just placed (R5.1)."""
        name = square_name(self.square)
        if self.square not in self.placed:
            raise self.misfit(f"a vault on {name}")
        if not self.is_bare(self.square):
            raise self.misfit(
                f"nothing on the vault just placed, found a builder or glass on {self.name_on(self.square)}"
            )
        if not self.is_supported(1 << self.square):
            raise self.misfit(
                f"the vault just placed, {self.name_on(self.square)}, in row 1 or adjacent to a tile (R4.1)"
            )
        if self.tiles.crowns[self.placed[self.square]] and self.king % 10 == 0:
            raise self.misfit(
                f"the next turn: the crown of {self.name_on(self.square)} led the king to a scoring (R8.1)"
            )

    def check_redraw(self, game: npt.NDArray[np.void]) -> None:
        """Check that the three vaults discarded last fitted nowhere (R4.5)."""
        gone = self.discard[-SPACES:] if self.discard or not self.reshuffled else [*self.stack, *self.vaults]
        probes = np.repeat(game, len(gone))
        probes["decision"] = VAULT
        probes["square"] = NONE
        probes["vaults"] = np.array(gone, np.int64).reshape(-1, 1)
        unplaceable = sum(_has(words, REDRAW) for words in _legal(probes, self.tiles))
        if unplaceable < SPACES:
            raise self.misfit(
                f"{SPACES} tiles that fit nowhere to have been discarded by the redraw before it (R4.5)"
            )

    def check_order(self, game: npt.NDArray[np.void]) -> None:
        """Check the decision of an order that is being executed (R6)."""
        tile = self.orders[self.space]
        order = ORDER_NAMES.index(self.tiles.orders[tile])
        code = self.tiles.codes[tile]
        right = PAID_ORDERS if self.decision == OFFER else (_ORDER_OF[self.decision],)
        if order not in right:
            names = " or ".join(ORDER_NAMES[number] for number in right)
            raise self.misfit(
                f"{names} on order space {self.space + 1}, found {code} with {ORDER_NAMES[order]}"
            )
        if self.decision == OFFER and (self.rank == NONE) == (order == ORDER_PROMOTE):
            raise self.misfit(
                "the rank just given after Promote, as in offer:1:A, and none after another order"
            )
        if self.decision == OFFER or self.decision in _PAID_DECISIONS:
            self.check_paid(game, tile, order)
        elif self.decision in _SECOND_HALVES:
            self.check_second_half(game)
        elif not self.may_execute(game, self.turn):
            raise self.misfit(
                f"an order that player {self.turn} can carry out in full, not {ORDER_NAMES[order]} (R6.1)"
            )

    def may_execute(self, game: npt.NDArray[np.void], player: int) -> bool:
        """Return whether a player with a turn could execute the order of the decision."""
        return _has(self.legal_if(game, decision=MAIN, turn=player, square=NONE), EXECUTE + self.space)

    def legal_if(self, game: npt.NDArray[np.void], **values: int) -> npt.NDArray[np.uint64]:
        """Return the legal actions of the game with some other values."""
        probe = game.copy()
        for name, value in values.items():
            probe[name] = value
        words: npt.NDArray[np.uint64] = _legal(probe, self.tiles)[0]
        return words

    def check_second_half(self, game: npt.NDArray[np.void]) -> None:
        """Check the move of Confuse after the removal (R6.7) and the second scaffolding (R6.8)."""
        if self.decision == CHOOSE_CONFUSE:
            self.check_main_part(ORDER_CONFUSE)
        elif not self.is_supported(self.planes[SCAFFOLD]):
            raise self.misfit("the first scaffolding in the cathedral, in row 1 or adjacent to a tile (R6.8)")
        if not game["legal"].any():
            raise self.misfit("a choice that can be made: the first half must leave one (R6.7, R6.8)")

    def check_main_part(self, order: int) -> None:
        """Check that the main part of an order with a paid order has been carried out."""
        builders = self.planes[BUILDERS + self.turn]
        if order == ORDER_CONFUSE:
            if self.builders(self.turn) == BUILDERS_EACH:
                raise self.misfit(
                    f"at most {BUILDERS_EACH - 1} builders of player {self.turn}, who has removed one (R6.7)"
                )
        elif order == ORDER_RECRUIT:
            if not builders:
                raise self.misfit(f"a builder of player {self.turn}, who has recruited one (R6.6)")
        elif not builders & self.planes[RANK + self.rank]:
            raise self.misfit(
                f"a builder {RANK_LETTERS[self.rank]} of player {self.turn}, who has promoted one (R6.4)"
            )

    def check_paid(self, game: npt.NDArray[np.void], tile: int, order: int) -> None:
        """Check the offer of a paid order and the paid order itself (R6.9)."""
        opponent = 1 - self.turn
        if not self.tiles.coins[tile]:
            raise self.misfit(f"a coin icon on {self.tiles.codes[tile]} (R6.9)")
        payer, when = (opponent, "to pay with") if self.decision == OFFER else (self.turn, "that was paid")
        if not self.coins[payer]:
            raise self.misfit(f"a coin of player {payer} {when} (R6.9), found coins {self.texts['coins']}")
        self.check_main_part(order)
        if order == ORDER_PROMOTE:
            possible = self.may_execute(game, opponent)
        elif order == ORDER_RECRUIT:
            beside = self.legal_if(game, decision=PAID_RECRUIT)
            possible = self.builders(opponent) < BUILDERS_EACH and bool(beside.any())
        else:
            possible = bool(self.legal_if(game, decision=PAID_CONFUSE).any())
        if not possible:
            raise self.misfit(f"a paid order that player {opponent} can carry out (R6.9)")


def _legal(games: npt.NDArray[np.void], tiles: TileSet) -> Any:
    """Return the legal actions of games, shape (n, MASK_WORDS), and leave the games as they are."""
    from basilica_env.core.rules import refresh_legal

    listed = games.copy()
    refresh_legal(listed, tiles.array)
    return listed["legal"]


def _has(words: npt.NDArray[np.uint64], action: int) -> bool:
    return bool(int(words[action // 64]) >> action % 64 & 1)


def _set(numbers: Sequence[int]) -> int:
    return sum(1 << number for number in numbers)
