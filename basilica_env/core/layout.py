"""Where everything is: squares, the game record, the numbering of actions.

Squares
-------
The cathedral has 12 rows (R4.6) of 5 columns ``a``-``e``; row 1 touches the board. Square ``s`` is
bit ``s`` of a 64-bit *board*::

    s = 5 * (row - 1) + column          a1 = 0, b1 = 1, ..., e1 = 4, a2 = 5, ..., e12 = 59

The game record
---------------
One game is one fixed-size record (:data:`GAME`), so a batch is one contiguous array and copying a
game is copying memory. What lies in the cathedral is kept as a stack of boards, ``planes``:

======================  =====  ==================================================================
plane                   index  a bit is set where ...
======================  =====  ==================================================================
``COLOUR + c``          0-3    a vault has colour c (R, Y, B, G); a wild tile is in two planes
``CROWN``               4      the vault has a crown
``COIN``                5      the order on the vault's back has the coin icon
``ORDER + k``           6-8    bit k of the number of the order on the vault's back
``TILE_ID + k``         9-14   bit k of the number of the tile
``SCAFFOLD``            15     a scaffolding tile lies
``GLASS``               16     a vault carries stained glass
``BUILDERS + p``        17-18  a builder of player p stands
``RANK + r``            19-21  a builder of either player is promoted to rank r (A, M, S)
======================  =====  ==================================================================

The first 15 planes are the *pattern* of a tile (:data:`TILE`): placing a tile writes its 15 bits
into one square of 15 boards, and the slide of R8.5 is one shift of every board.

The deck is one row of 58 tile numbers with two ends: ``deck[top:]`` is the stack, top first, and
``deck[:discards]`` the discard pile in the order discarded. Tiles leave the stack before they
reach the discard pile, so the ends never meet.

The numbering of actions
------------------------
===========  ==========================  =====  =====================================
action       formula                     count  move text
===========  ==========================  =====  =====================================
0 - 179      60 * space + square         180    ``V2c3``: place a vault
180          BUILDER                     1      ``B``: place a builder
181 - 183    EXECUTE + space             3      ``O1``: execute an order
184          REDRAW                      1      ``redraw``
185          PAY                         1      ``pay``
186          PASS                        1      ``pass``
187 - 366    PROMOTE + 3 * square + rank 180    ``c3=A``: promote to A, M or S
367 - 606    MOVE + 4 * square + step    240    ``c3-c4``: move up, right, down or left
607 - 666    SQUARE + square             60     ``c3``: any other choice of a square
===========  ==========================  =====  =====================================

"Up" leads away from the board (``c3-c4``), "right" towards column ``e``. Spaces count from 0 here
and from 1 in the text.
"""

from __future__ import annotations

import numpy as np

PLAYERS = 2
COLUMNS = 5
ROWS = 12
SQUARES = COLUMNS * ROWS
TILES = 58
SPACES = 3
ACTIONS_A_TURN = 3
BUILDERS_EACH = 5
TOKENS_EACH = 4
COINS_EACH = 1
SCORING_EVERY = 10
"""The king's spaces between two scorings (R4.3)."""
LAST_SPACE = 30
"""The king's space that ends the game (R8.6)."""
EVERY_TILE = np.uint64((1 << TILES) - 1)

COLOUR_LETTERS = "RYBG"
RANK_LETTERS = "AMS"
COLUMN_LETTERS = "abcde"

ARCHITECT, MASTER, STRONGMAN = range(3)
RANKS = 3

ORDER_NAMES = ("promote", "move", "recruit", "confuse", "glass", "scaffold", "disaster")
(
    ORDER_PROMOTE,
    ORDER_MOVE,
    ORDER_RECRUIT,
    ORDER_CONFUSE,
    ORDER_GLASS,
    ORDER_SCAFFOLD,
    ORDER_DISASTER,
) = range(7)
ORDERS = 7
PAID_ORDERS = (ORDER_PROMOTE, ORDER_RECRUIT, ORDER_CONFUSE)

# Kinds of decision, in the order of the table in the notation.
DECISION_NAMES = (
    "main",
    "vault",
    "promote",
    "move",
    "recruit",
    "remove",
    "confuse",
    "glass",
    "disaster",
    "scaffold:2",
    "scaffold:1",
    "offer",
    "paid-promote",
    "paid-recruit",
    "paid-confuse",
    "over",
)
(
    MAIN,
    VAULT,
    CHOOSE_PROMOTE,
    CHOOSE_MOVE,
    CHOOSE_RECRUIT,
    CHOOSE_REMOVE,
    CHOOSE_CONFUSE,
    CHOOSE_GLASS,
    CHOOSE_DISASTER,
    SCAFFOLD_TWO,
    SCAFFOLD_ONE,
    OFFER,
    PAID_PROMOTE,
    PAID_RECRUIT,
    PAID_CONFUSE,
    OVER,
) = range(16)
DECISIONS = 16

NONE = -1
"""No tile on a space, no square, no space, no rank."""

COLOUR = 0
COLOURS = 4
CROWN = 4
COIN = 5
ORDER = 6
ORDER_BITS = 3
TILE_ID = 9
TILE_ID_BITS = 6
PATTERN_PLANES = 15
SCAFFOLD = 15
GLASS = 16
BUILDERS = 17
RANK = 19
PLANES = 22

PLACE = 0
BUILDER = 180
EXECUTE = 181
REDRAW = 184
PAY = 185
PASS = 186
PROMOTE = 187
MOVE = 367
SQUARE = 607
ACTIONS = 667
STEPS = 4
STEP_SHIFT = (COLUMNS, 1, -COLUMNS, -1)
"""Change of the square number for a step up, right, down, left."""

MASK_WORDS = 11
"""64-bit words that hold one bit an action: bit ``a % 64`` of word ``a // 64``."""

GAME = np.dtype(
    [
        ("planes", np.uint64, (PLANES,)),
        ("legal", np.uint64, (MASK_WORDS,)),  # the legal actions of the decision, one bit each
        ("hidden", np.uint64),  # set of tiles in the stack or on an order space
        ("discarded", np.uint64),  # set of tiles in the discard pile
        ("random", np.uint64),  # state of the game's own generator
        ("deck", np.uint8, (64,)),
        ("top", np.int64),
        ("discards", np.int64),
        ("orders", np.int64, (SPACES,)),
        ("vaults", np.int64, (SPACES,)),
        ("king", np.int64),
        ("scores", np.int64, (PLAYERS,)),
        ("coins", np.int64, (PLAYERS,)),
        ("turn", np.int64),
        ("actions", np.int64),  # actions left in the turn, the current one included
        ("decision", np.int64),
        ("space", np.int64),  # the order space being executed
        ("square", np.int64),  # the vault just placed, while a builder may follow (R5.1)
        ("rank", np.int64),  # the rank just given, while the paid Promote is open (R6.9)
        ("reshuffled", np.int64),
    ],
    align=True,
)
"""One game: 64 words of 64 bits. See the head of this module."""

TILE = np.dtype(
    [
        ("pattern", np.uint64),  # the tile's bit in each of the first 15 planes
        ("colours", np.int64),  # bit c is set for colour c
        ("order", np.int64),
        ("crown", np.int64),
        ("coin", np.int64),
        ("wild", np.int64),
        ("alike", np.uint64),  # set of tiles with the same order side (R1.5)
        ("crowned", np.uint64),  # those of them with a crown
    ],
    align=True,
)
"""One tile of a tile set; a tile set is an array of 58."""
