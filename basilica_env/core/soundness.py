"""Whether a record from outside is a game that the rules can go on with.

The kernels check no bounds, so a record whose parts contradict each other could lead them out of their
arrays, or to a decision without a legal action. What is checked here holds after every action of a
dealt game, and everything that the kernels rely on follows from it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import EMPTY, EVERY_SQUARE, ONE, bit, count, lowest, neighbours
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    ACTIONS_A_TURN,
    BUILDERS,
    CHOOSE_CONFUSE,
    COINS_EACH,
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
    PATTERN_PLANES,
    PLANES,
    PLAYERS,
    RANK,
    RANKS,
    SCAFFOLD,
    SCAFFOLD_ONE,
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
from basilica_env.core.scoring import wild_squares

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
        return game.actions == 0 and game.space == NONE and game.square == NONE and game.rank == NONE
    if game.actions == 0 or game.king == LAST_SPACE:
        return False
    for space in range(SPACES):
        if game.orders[space] == NONE or game.vaults[space] == NONE:
            return False
    if game.decision == MAIN:
        return game.space == NONE and game.rank == NONE and (game.square == NONE or _just_placed(game))
    if game.square != NONE:
        return False
    if game.decision == VAULT:
        return game.space == NONE and game.rank == NONE
    return game.space != NONE and _order_fits(game, tiles[game.orders[game.space]])


@kernel
def _just_placed(game: Any) -> bool:
    """Return whether a builder could follow on the square (R5.1)."""
    return game.actions < ACTIONS_A_TURN and free_vaults(game) & bit(game.square) != EMPTY


@kernel
def _order_fits(game: Any, tile: Any) -> bool:
    """Return whether the order being executed is the one of the decision and can be carried out."""
    decision = game.decision
    order = tile.order
    paid = decision >= OFFER  # the offer included
    if decision == OFFER:
        if tile.coin == 0 or game.coins[1 - game.turn] == 0:
            return False
    elif order != _ORDER_OF[decision]:
        return False
    if (game.rank != NONE) != (paid and order == ORDER_PROMOTE):
        return False
    if decision == CHOOSE_CONFUSE or (paid and order == ORDER_CONFUSE):
        return neighbours(game.planes[BUILDERS + 1 - game.turn]) & free_vaults(game) != EMPTY
    if decision == SCAFFOLD_ONE:
        return open_squares(vault_squares(game) | game.planes[SCAFFOLD]) != EMPTY
    if paid:
        return paid_order_possible(game, order)
    return executable_orders(game) >> np.uint64(order) & ONE != EMPTY
