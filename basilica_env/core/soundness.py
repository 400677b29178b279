"""Whether a record from outside is a game that the rules can go on with.

The kernels check no bounds, so a record whose parts contradict each other could lead them out of their
arrays, or to a decision without a legal action. What is checked here holds after every action of a
dealt game, and everything that the kernels rely on follows from it. It is also what the reader of position
texts refuses, so that the text of a sound record can be read back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import EMPTY, EVERY_SQUARE, ONE, ROW_1, bit, count, lowest, neighbours
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    ACTIONS_A_TURN,
    BUILDERS,
    CHOOSE_CONFUSE,
    COINS_EACH,
    CROWN,
    DECISIONS,
    EVERY_TILE,
    GLASS,
    LAST_SPACE,
    MAIN,
    NONE,
    OFFER,
    ORDER_CONFUSE,
    ORDER_DISASTER,
    ORDER_GLASS,
    ORDER_MOVE,
    ORDER_PROMOTE,
    ORDER_RECRUIT,
    ORDER_SCAFFOLD,
    OVER,
    PAID_CONFUSE,
    PAID_PROMOTE,
    PATTERN_PLANES,
    PLANES,
    PLAYERS,
    RANK,
    RANKS,
    SCAFFOLD,
    SCAFFOLD_ONE,
    SCORING_EVERY,
    SPACES,
    SQUARES,
    TILES,
    VAULT,
)
from basilica_env.core.rules import (
    builders_left,
    deck_tile,
    executable_orders,
    free_vaults,
    open_squares,
    paid_order_possible,
    ranked_squares,
    tile_at,
    tokens_left,
    vault_squares,
)
from basilica_env.core.scoring import points_now, wild_squares
from basilica_env.core.tiles import MOST_POINTS

# The order that a decision belongs to; NONE where that is no order, or any with a paid order.
_ORDER_OF = (
    NONE,
    NONE,
    ORDER_PROMOTE,
    ORDER_MOVE,
    ORDER_RECRUIT,
    ORDER_CONFUSE,
    ORDER_CONFUSE,
    ORDER_GLASS,
    ORDER_DISASTER,
    ORDER_SCAFFOLD,
    ORDER_SCAFFOLD,
    NONE,
    ORDER_PROMOTE,
    ORDER_RECRUIT,
    ORDER_CONFUSE,
    NONE,
)


@kernel
def is_sound(game: Any, tiles: Any) -> bool:
    """Return whether a record, whatever its bytes, is a game of the tile set."""
    return (
        _numbers_fit(game)
        and _pieces_fit(game)
        and _vaults_fit(game, tiles)
        and _holds_every_tile(game)
        and _king_fits(game, tiles)
        and _scores_fit(game)
        and _past_fits(game, tiles)
        and _decision_fits(game, tiles)
    )


@kernel
def _numbers_fit(game: Any) -> bool:
    """Return whether every number is in its range."""
    if not (0 <= game.discards <= game.top <= TILES and 0 <= game.king <= LAST_SPACE):
        return False
    if not (0 <= game.turn < PLAYERS and 0 <= game.actions <= ACTIONS_A_TURN and 0 <= game.reshuffled <= 1):
        return False
    if not (0 <= game.decision < DECISIONS and NONE <= game.space < SPACES):
        return False
    if not (NONE <= game.square < SQUARES and NONE <= game.rank < RANKS):
        return False
    coins = PLAYERS * COINS_EACH
    if not (0 <= game.coins[0] <= coins and game.coins[1] == coins - game.coins[0]):
        return False
    if game.scores[0] < 0 or game.scores[1] < 0:
        return False
    for place in range(TILES):
        if game.deck[place] >= TILES:
            return False
    for space in range(SPACES):
        if not (NONE <= game.orders[space] < TILES and NONE <= game.vaults[space] < TILES):
            return False
    return True


@kernel
def _pieces_fit(game: Any) -> bool:
    """Return whether scaffolding, glass, builders and tokens lie where they may, and not too many."""
    planes = game.planes
    for plane in range(PLANES):
        if planes[plane] & ~EVERY_SQUARE:
            return False
    vaults = vault_squares(game)
    builders = planes[BUILDERS] | planes[BUILDERS + 1]
    if planes[SCAFFOLD] & vaults or planes[GLASS] & ~vaults or builders & ~vaults:
        return False
    if planes[BUILDERS] & planes[BUILDERS + 1]:
        return False
    tokens = count(planes[RANK]) + count(planes[RANK + 1]) + count(planes[RANK + 2])
    if ranked_squares(game) & ~builders or tokens != count(ranked_squares(game)):
        return False
    for player in range(PLAYERS):
        if builders_left(game, player) < 0 or tokens_left(game, player) < 0:
            return False
    return True


@kernel
def _vaults_fit(game: Any, tiles: Any) -> bool:
    """Return whether each square shows one tile as it is, or none, and no wild tiles touch (R4.2)."""
    vaults = vault_squares(game)
    for square in range(SQUARES):
        pattern = EMPTY
        for plane in range(PATTERN_PLANES):
            pattern |= (game.planes[plane] >> np.uint64(square) & ONE) << np.uint64(plane)
        if vaults & bit(square):
            tile = tile_at(game, square)
            if tile >= TILES or pattern != tiles[tile].pattern:
                return False
        elif pattern:
            return False
    wilds = wild_squares(game)
    return wilds & neighbours(wilds) == EMPTY


@kernel
def _holds_every_tile(game: Any) -> bool:
    """Return whether each tile is in one place, and the sets of tiles are those of their places."""
    discarded = EMPTY
    for place in range(game.discards):
        discarded |= bit(deck_tile(game, place))
    hidden = EMPTY
    for place in range(game.top, TILES):
        hidden |= bit(deck_tile(game, place))
    number = game.discards + TILES - game.top
    shown = EMPTY
    for space in range(SPACES):
        if game.orders[space] != NONE:
            hidden |= bit(game.orders[space])
            number += 1
        if game.vaults[space] != NONE:
            shown |= bit(game.vaults[space])
            number += 1
    rest = vault_squares(game)
    number += count(rest)
    while rest:
        shown |= bit(tile_at(game, lowest(rest)))
        rest &= rest - ONE
    if hidden != game.hidden or discarded != game.discarded:
        return False
    return number == TILES and hidden | discarded | shown == EVERY_TILE


@kernel
def _decision_fits(game: Any, tiles: Any) -> bool:
    """Return whether the decision can come up, with an action to choose now and in what follows from it."""
    if game.decision == OVER:
        if game.actions != 0 or game.space != NONE or game.square != NONE or game.rank != NONE:
            return False
        return _end_fits(game, tiles)
    if game.actions == 0 or game.king == LAST_SPACE:
        return False
    for space in range(SPACES):
        if game.orders[space] == NONE or game.vaults[space] == NONE:
            return False
    if game.decision == MAIN:
        return game.space == NONE and game.rank == NONE and (game.square == NONE or _just_placed(game, tiles))
    if game.square != NONE:
        return False
    if game.decision == VAULT:
        return game.space == NONE and game.rank == NONE and _redraw_fits(game, tiles)
    return game.space != NONE and _order_fits(game, tiles[game.orders[game.space]])


@kernel
def _supported(game: Any, board: Any) -> bool:
    """Return whether one of some tiles is in row 1 or adjacent to a tile (R4.1)."""
    return board & (ROW_1 | neighbours(vault_squares(game) | game.planes[SCAFFOLD])) != EMPTY


@kernel
def _bare_vaults(game: Any) -> Any:
    """Return the vaults with nothing on them."""
    return free_vaults(game) & ~game.planes[GLASS]


@kernel
def _just_placed(game: Any, tiles: Any) -> bool:
    """Return whether the square can be that of the vault just placed (R5.1)."""
    square = bit(game.square)
    if game.actions == ACTIONS_A_TURN or _bare_vaults(game) & square == EMPTY:
        return False
    scored = tiles[tile_at(game, game.square)].crown and game.king % SCORING_EVERY == 0  # R8.1
    return not scored and _supported(game, square)


@kernel
def _scorings(game: Any) -> int:
    """Return how many scorings there have been: at 10, 20 and 30, and at an end by exhaustion."""
    number: int = game.king // SCORING_EVERY
    return number + 1 if game.decision == OVER and game.king < LAST_SPACE else number


@kernel
def _scores_fit(game: Any) -> bool:
    """Return whether the scorings so far can have given the scores (R8)."""
    most = MOST_POINTS * _scorings(game)
    if game.decision != OVER:
        return min(game.scores[0], game.scores[1]) >= 0 and max(game.scores[0], game.scores[1]) <= most
    points_0, points_1 = points_now(game)
    first, second = game.scores[0] - points_0, game.scores[1] - points_1
    return min(first, second) >= 0 and max(first, second) <= most - MOST_POINTS


@kernel
def _king_fits(game: Any, tiles: Any) -> bool:
    """Return whether the king can have moved once for each crown placed (R4.3)."""
    standing = count(game.planes[CROWN])
    discarded = disasters = every = 0
    for tile in range(TILES):
        every += tiles[tile].crown
        if game.discarded & bit(tile):
            discarded += tiles[tile].crown
            disasters += tiles[tile].order == ORDER_DISASTER
    if game.reshuffled:
        most = standing + discarded + every
    elif game.king < SCORING_EVERY:
        most = standing + min(discarded, disasters)
    else:
        most = standing + discarded
    if not standing <= game.king <= most:
        return False
    if game.king < LAST_SPACE:
        return True
    rest = _bare_vaults(game) & game.planes[CROWN]
    while rest:
        if _supported(game, bit(lowest(rest))):
            return True
        rest &= rest - ONE
    return False


@kernel
def _past_fits(game: Any, tiles: Any) -> bool:
    """Return whether turn, coins and reshuffle can have come about with the tiles that have been used."""
    taken = 0 if game.decision == OVER else ACTIONS_A_TURN - game.actions
    gone = count(vault_squares(game)) + game.discards
    if not game.reshuffled and taken > 2 * gone:
        return False
    first = game.coins[0]
    if PAID_PROMOTE <= game.decision <= PAID_CONFUSE:  # the order of this payment is still on its space
        first += 1 if game.turn else -1
    icons = left = 0
    rest = EVERY_TILE
    for space in range(SPACES):
        if game.orders[space] != NONE:
            rest &= ~bit(game.orders[space])
        if game.vaults[space] != NONE:
            rest &= ~bit(game.vaults[space])
    for tile in range(TILES):
        if game.discarded & bit(tile):
            icons += tiles[tile].coin
        if rest & bit(tile) and tiles[tile].order == ORDER_SCAFFOLD and not tiles[tile].wild:
            left += tiles[tile].crown
    if first != COINS_EACH and not game.reshuffled and icons == 0:
        return False
    if not game.reshuffled or game.king >= SCORING_EVERY or game.planes[SCAFFOLD] | vault_squares(game):
        return True
    return left <= game.king  # no scaffolding has ever lain, so these have been placed (R4.3)


@kernel
def _end_fits(game: Any, tiles: Any) -> bool:
    """Return whether a finished game has the empty spaces and the stack of its end (R7.2, R8.6)."""
    orders = vaults = 0
    for space in range(SPACES):
        orders += game.orders[space] == NONE
        vaults += game.vaults[space] == NONE
    if game.king == LAST_SPACE:
        return orders == 0 and vaults == 1
    if game.top < TILES or (game.discards > 0 and not game.reshuffled):
        return False
    if vaults == 0:
        return orders == 1
    for space in range(SPACES - vaults, SPACES):  # R4.5: a redraw fills them in the order 1, 2, 3
        if game.vaults[space] != NONE:
            return False
    return orders == 0 and _redraw_fits(game, tiles)


@kernel
def _fits_nowhere(game: Any, tile: Any) -> bool:
    """Return whether no square takes a tile (R4.1, R4.2)."""
    room = open_squares(vault_squares(game) | game.planes[SCAFFOLD])
    return (room & ~neighbours(wild_squares(game)) if tile.wild else room) == EMPTY


@kernel
def _redraw_fits(game: Any, tiles: Any) -> bool:
    """Return whether the three vaults discarded last can have fitted nowhere (R4.5)."""
    unplaceable = 0
    if game.discards > 0 or not game.reshuffled:
        for place in range(max(0, game.discards - SPACES), game.discards):
            unplaceable += _fits_nowhere(game, tiles[deck_tile(game, place)])
    else:  # they are in the stack that the redraw reshuffled, or drawn again
        for place in range(game.top, TILES):
            unplaceable += _fits_nowhere(game, tiles[deck_tile(game, place)])
        for space in range(SPACES):
            if game.vaults[space] != NONE:
                unplaceable += _fits_nowhere(game, tiles[game.vaults[space]])
    return unplaceable >= SPACES


@kernel
def _order_fits(game: Any, tile: Any) -> bool:
    """Return whether the order being executed is the one of the decision and can be carried out."""
    decision = game.decision
    order = tile.order
    paid = decision >= OFFER  # the offer included
    if paid:
        payer = 1 - game.turn if decision == OFFER else game.turn
        if tile.coin == 0 or game.coins[payer] == 0:
            return False
    if decision != OFFER and order != _ORDER_OF[decision]:
        return False
    if (game.rank != NONE) != (paid and order == ORDER_PROMOTE):
        return False
    mine = game.planes[BUILDERS + game.turn]
    if decision == CHOOSE_CONFUSE or (paid and order == ORDER_CONFUSE):
        moves = neighbours(game.planes[BUILDERS + 1 - game.turn]) & free_vaults(game)
        return moves != EMPTY and builders_left(game, game.turn) > 0  # one has been removed (R6.7)
    if decision == SCAFFOLD_ONE:
        occupied = vault_squares(game) | game.planes[SCAFFOLD]
        return open_squares(occupied) != EMPTY and _supported(game, game.planes[SCAFFOLD])
    if paid:
        done = mine & game.planes[RANK + game.rank] if order == ORDER_PROMOTE else mine
        return done != EMPTY and paid_order_possible(game, order)
    return executable_orders(game) >> np.uint64(order) & ONE != EMPTY
