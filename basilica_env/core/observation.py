"""What a player sees: everything R1.5 calls open, and nothing else.

An observation is one flat row: 24 planes of 12 x 5 squares, then the scalars. "Mine" is what belongs
to the player who looks, "theirs" what belongs to the opponent; squares do not change places. In
``uint8`` every entry is a whole number; in ``float32`` it is divided by its unit, so that most
entries lie between 0 and 1. :data:`PLANE_ENTRIES` and :data:`SCALAR_ENTRIES` say what each entry is.

What cannot be seen of an order tile is its crown; its probability given all that is open stands in
its place. Every hidden tile with the same order side is equally likely there (R1.5), so it is the
share of crowned ones among them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from basilica_env.core.bitboard import (
    EMPTY,
    EVERY_SQUARE,
    ONE,
    bit,
    count,
    neighbours,
    store_bits,
    store_bits_as_floats,
    store_float,
)
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    BUILDERS,
    COIN,
    COLOUR,
    COLOUR_LETTERS,
    COLOURS,
    COLUMNS,
    CROWN,
    DECISION_NAMES,
    DECISIONS,
    GLASS,
    NONE,
    ORDER,
    ORDER_NAMES,
    ORDERS,
    OVER,
    RANK,
    RANKS,
    ROWS,
    SCAFFOLD,
    SPACES,
    SQUARES,
    TILES,
)
from basilica_env.core.rules import builders_left, decider, open_squares, tokens_left, vault_squares
from basilica_env.core.scoring import wild_squares


class Entry(NamedTuple):
    """One plane or one scalar of an observation."""

    name: str
    high: int
    """Largest whole number in ``uint8``; the smallest is 0."""
    unit: int
    """What the number is divided by in ``float32``."""
    meaning: str


def _flag(name: str, meaning: str) -> Entry:
    return Entry(name, 1, 1, meaning)


PLANE_ENTRIES: tuple[Entry, ...] = (
    *(_flag(f"colour_{letter}", f"a vault has colour {letter}") for letter in COLOUR_LETTERS),
    _flag("crown", "the vault has a crown"),
    _flag("coin", "the order on the vault's back has the coin icon"),
    *(_flag(f"order_{name}", f"the order on the vault's back is {name}") for name in ORDER_NAMES),
    _flag("wild", "a wild tile lies here"),
    _flag("scaffold", "a scaffolding tile lies here"),
    _flag("glass", "the vault carries stained glass"),
    _flag("mine", "one of my builders stands here"),
    _flag("theirs", "one of their builders stands here"),
    _flag("architect", "the builder is an Architect"),
    _flag("master", "the builder is a Master Mason"),
    _flag("strongman", "the builder is a Strongman"),
    _flag("placed", "the vault just placed, on which a builder may follow (R5.1)"),
    _flag("open", "a tile of one colour, or scaffolding, may be placed here (R4.1)"),
    _flag("open_wild", "a wild tile may be placed here (R4.2)"),
)
"""The planes, in order."""

_SIDES = ("colour_R", "colour_Y", "colour_B", "colour_G", *(f"order_{name}" for name in ORDER_NAMES), "coin")


def _tile_flags(place: str, parts: tuple[str, ...]) -> tuple[Entry, ...]:
    return tuple(_flag(f"{place}_{part}", f"{place.replace('_', ' ')}: {part}") for part in parts)


SCALAR_ENTRIES: tuple[Entry, ...] = (
    *(_flag(f"decision_{name}", f"the decision is {name}") for name in DECISION_NAMES),
    *(_flag(f"executing_{i}", f"the order on space {i} is being executed") for i in (1, 2, 3)),
    *(_flag(f"given_{r}", f"the rank just given is {r}, and the paid Promote is open (R6.9)") for r in "AMS"),
    _flag("my_turn", "it is my turn"),
    _flag("my_decision", "I decide now; nobody does once the game is over"),
    _flag("reshuffled", "the discard pile has become the stack (R7.1)"),
    *(e for i in (1, 2, 3) for e in _tile_flags(f"vault_{i}", (*_SIDES, "crown"))),
    *(e for i in (1, 2, 3) for e in _tile_flags(f"order_space_{i}", _SIDES)),
    *_tile_flags("stack_top", _SIDES),
    *(_flag(f"discarded_{n}", f"tile number {n} of the set is in the discard pile") for n in range(TILES)),
    *(
        _flag(f"hidden_{n}", f"tile number {n} of the set is in the stack or on an order space")
        for n in range(TILES)
    ),
    *(
        Entry(f"crown_chance_{place}", 255, 255, f"probability that the tile has a crown: {place}")
        for place in ("order_space_1", "order_space_2", "order_space_3", "stack_top")
    ),
    Entry("my_score", 255, 50, "my points; 255 stands for 255 or more"),
    Entry("their_score", 255, 50, "their points; 255 stands for 255 or more"),
    Entry("king", 30, 30, "the king's space"),
    Entry("my_coins", 2, 2, "my coins"),
    Entry("their_coins", 2, 2, "their coins"),
    Entry("my_builders", 5, 5, "builders in my supply"),
    Entry("their_builders", 5, 5, "builders in their supply"),
    Entry("my_tokens", 4, 4, "promotion tokens in my supply"),
    Entry("their_tokens", 4, 4, "promotion tokens in their supply"),
    Entry("actions", 3, 3, "actions left in the turn, the current one included"),
    Entry("stack", 52, 52, "tiles in the stack"),
    Entry("discards", 58, 58, "tiles in the discard pile"),
)
"""The scalars, in order."""

OBSERVATION_PLANES = len(PLANE_ENTRIES)
PLANES_SIZE = OBSERVATION_PLANES * SQUARES
PLANES_SHAPE = (OBSERVATION_PLANES, ROWS, COLUMNS)
SCALARS_SIZE = len(SCALAR_ENTRIES)
OBSERVATION_SIZE = PLANES_SIZE + SCALARS_SIZE


def split(flat: Any) -> tuple[Any, Any]:
    """Return the planes, shape (..., 24, 12, 5), and the scalars of flat observations, as views."""
    return flat[..., :PLANES_SIZE].reshape(*flat.shape[:-1], *PLANES_SHAPE), flat[..., PLANES_SIZE:]


def highest(dtype: Any) -> Any:
    """Return the largest value of each entry of a flat observation, shape (OBSERVATION_SIZE,)."""
    high = np.array([entry.high for entry in _flat_entries()], np.float32)
    return (high / units(dtype)).astype(dtype)


def units(dtype: Any) -> Any:
    """Return what each entry is divided by in a dtype, shape (OBSERVATION_SIZE,)."""
    if np.dtype(dtype) == np.uint8:
        return np.ones(OBSERVATION_SIZE, np.float32)
    return np.array([entry.unit for entry in _flat_entries()], np.float32)


def _flat_entries() -> tuple[Entry, ...]:
    return tuple(entry for entry in PLANE_ENTRIES for _ in range(SQUARES)) + SCALAR_ENTRIES


_NUMBERS = 16
_NUMBER_UNITS = np.array([entry.unit for entry in SCALAR_ENTRIES[-_NUMBERS:]], np.float64)
_SIDE_FLAGS = len(_SIDES)
_TILE_FLAGS = _SIDE_FLAGS + 1
_TURN_FLAGS = DECISIONS + SPACES + RANKS + 3


@kernel
def _side_flags(tile: Any) -> Any:
    """Return the flags of a tile's order side: four colours, seven orders, the coin icon."""
    order = ONE << np.uint64(COLOURS + tile.order)
    return np.uint64(tile.colours) | order | np.uint64(tile.coin) << np.uint64(COLOURS + ORDERS)


@kernel
def _crown_chance(game: Any, tile: Any) -> float:
    """Return the probability that a tile of which the order side is open has a crown (R1.5)."""
    return count(game.hidden & tile.crowned) / count(game.hidden & tile.alike)


@kernel
def _turn_flags(game: Any, player: int) -> Any:
    flags = ONE << np.uint64(game.decision)
    if game.space != NONE:
        flags |= ONE << np.uint64(DECISIONS + game.space)
    if game.rank != NONE:
        flags |= ONE << np.uint64(DECISIONS + SPACES + game.rank)
    last = DECISIONS + SPACES + RANKS
    flags |= np.uint64(game.turn == player) << np.uint64(last)
    decides = decider(game) == player and game.decision != OVER
    flags |= np.uint64(decides) << np.uint64(last + 1)
    return flags | np.uint64(game.reshuffled) << np.uint64(last + 2)


@kernel
def _flags(out: Any, whole: bool, at: int, bits: Any) -> None:
    """Write 64 entries, 0 or 1."""
    if whole:
        store_bits(out, at, bits)
    else:
        store_bits_as_floats(out, 4 * at, bits)


@kernel
def _write_planes(game: Any, player: int, whole: bool, out: Any, at: int) -> int:
    """Write the planes; return where the scalars begin. Each store runs 4 entries over its plane."""
    planes = game.planes
    for k in range(4):
        _flags(out, whole, at + k * SQUARES, planes[COLOUR + k])
    _flags(out, whole, at + 4 * SQUARES, planes[CROWN])
    _flags(out, whole, at + 5 * SQUARES, planes[COIN])
    vaults = vault_squares(game)
    for order in range(ORDERS):
        board = vaults
        for k in range(3):
            plane = planes[ORDER + k]
            board &= plane if order >> k & 1 else ~plane
        _flags(out, whole, at + (6 + order) * SQUARES, board)
    wilds = wild_squares(game)
    room = open_squares(vaults | planes[SCAFFOLD])
    _flags(out, whole, at + 13 * SQUARES, wilds)
    _flags(out, whole, at + 14 * SQUARES, planes[SCAFFOLD])
    _flags(out, whole, at + 15 * SQUARES, planes[GLASS])
    _flags(out, whole, at + 16 * SQUARES, planes[BUILDERS + player])
    _flags(out, whole, at + 17 * SQUARES, planes[BUILDERS + 1 - player])
    for rank in range(RANKS):
        _flags(out, whole, at + (18 + rank) * SQUARES, planes[RANK + rank])
    _flags(out, whole, at + 21 * SQUARES, bit(game.square) if game.square != NONE else EMPTY)
    _flags(out, whole, at + 22 * SQUARES, room)
    _flags(out, whole, at + 23 * SQUARES, room & ~neighbours(wilds) & EVERY_SQUARE)
    return at + PLANES_SIZE


@kernel
def _write_flags(game: Any, tiles: Any, player: int, whole: bool, out: Any, at: int) -> int:
    """Write the scalars that are 0 or 1; return where the others begin."""
    _flags(out, whole, at, _turn_flags(game, player))
    at += _TURN_FLAGS
    flags = EMPTY
    for space in range(SPACES):
        if game.vaults[space] != NONE:
            tile = tiles[game.vaults[space]]
            side = _side_flags(tile) | np.uint64(tile.crown) << np.uint64(_SIDE_FLAGS)
            flags |= side << np.uint64(_TILE_FLAGS * space)
    _flags(out, whole, at, flags)
    at += _TILE_FLAGS * SPACES
    flags = EMPTY
    for space in range(SPACES):
        if game.orders[space] != NONE:
            flags |= _side_flags(tiles[game.orders[space]]) << np.uint64(_SIDE_FLAGS * space)
    if game.top < TILES:
        flags |= _side_flags(tiles[game.deck[game.top]]) << np.uint64(_SIDE_FLAGS * SPACES)
    _flags(out, whole, at, flags)
    at += _SIDE_FLAGS * (SPACES + 1)
    _flags(out, whole, at, game.discarded)
    _flags(out, whole, at + TILES, game.hidden)
    return at + 2 * TILES


@kernel
def _put(out: Any, at: int, number: int, value: float, whole: bool) -> None:
    """Write one of the last scalars: rounded where entries are whole numbers, else in its unit."""
    if whole:
        out[at + number] = np.uint8(np.rint(value))
    else:
        store_float(out, 4 * (at + number), np.float32(value / _NUMBER_UNITS[number]))


@kernel
def _write_numbers(game: Any, tiles: Any, player: int, whole: bool, out: Any, at: int) -> None:
    """Write the scalars that are more than flags."""
    other = 1 - player
    for space in range(SPACES):
        chance = _crown_chance(game, tiles[game.orders[space]]) if game.orders[space] != NONE else 0.0
        _put(out, at, space, 255 * chance, whole)
    chance = _crown_chance(game, tiles[game.deck[game.top]]) if game.top < TILES else 0.0
    _put(out, at, 3, 255 * chance, whole)
    _put(out, at, 4, float(min(game.scores[player], 255)), whole)
    _put(out, at, 5, float(min(game.scores[other], 255)), whole)
    _put(out, at, 6, float(game.king), whole)
    _put(out, at, 7, float(game.coins[player]), whole)
    _put(out, at, 8, float(game.coins[other]), whole)
    _put(out, at, 9, float(builders_left(game, player)), whole)
    _put(out, at, 10, float(builders_left(game, other)), whole)
    _put(out, at, 11, float(tokens_left(game, player)), whole)
    _put(out, at, 12, float(tokens_left(game, other)), whole)
    _put(out, at, 13, float(game.actions), whole)
    _put(out, at, 14, float(TILES - game.top), whole)
    _put(out, at, 15, float(game.discards), whole)


@kernel
def write_observation(game: Any, tiles: Any, player: int, whole: bool, out: Any, at: int) -> None:
    """Write what a player sees to ``out[at : at + OBSERVATION_SIZE]``.

    Parameters
    ----------
    whole : whether entries are whole numbers (``uint8``) or divided by their units (``float32``)
    out : the bytes of the flat output, uint8; ``at`` counts entries
    """
    # The vector stores run up to 64 entries ahead; each later part writes over what they spilt.
    at = _write_planes(game, player, whole, out, at)
    at = _write_flags(game, tiles, player, whole, out, at)
    _write_numbers(game, tiles, player, whole, out, at)
