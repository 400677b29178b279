"""What an action can show of the hidden tiles when few are left: the chance near the end of the game.

An action that draws a tile shows the crown of the order tile that it flips or discards, and the order
side of the next tile of the stack. All arrangements that fit what is open are equally likely (R1.5), so
counting tiles gives the probabilities. Tiles with the same order side and crown are the same to players.
:mod:`basilica_env.chance` tells the same for any action of any game, with fractions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import EMPTY, bit, count, lowest
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    ACTIONS,
    BUILDER,
    NONE,
    OVER,
    SCORING_EVERY,
    SPACES,
    SQUARES,
    TILES,
)
from basilica_env.core.rules import apply, deck_tile

LARGEST_STACK = 8
"""Tiles in the stack, after the reshuffle, up to which chance is counted out."""
MOST_OUTCOMES = 2 * LARGEST_STACK
"""Distinct results that an action can have with so small a stack: a crown or none, and the next top."""

OUTCOME = np.dtype(
    [
        ("chance", np.float64),
        ("order", np.int64),  # a tile of the kind that is flipped or discarded, or NONE if that is no news
        ("top", np.int64),  # a tile with the order side that the stack shows next, or NONE likewise
    ],
    align=True,
)
"""One public result of an action."""


@kernel
def is_near_end(game: Any) -> bool:
    """Return whether no reshuffle is to come (R7.1) and the stack is small."""
    return game.reshuffled == 1 and TILES - game.top <= LARGEST_STACK


@kernel
def is_certain(games: Any, tiles: Any) -> bool:
    """Return whether nothing that happens in ``games[0]`` from now on can be news to the players."""
    return chance_is_over(games[0], tiles)


@kernel
def chance_is_over(game: Any, tiles: Any) -> bool:
    """Return the same of a game.

    Only what is open decides: the tiles below the top are one set of kinds, whatever their order.
    """
    if not is_near_end(game):
        return False
    for place in range(game.top + 2, TILES):
        if tiles[deck_tile(game, place)].alike != tiles[deck_tile(game, place - 1)].alike:
            return False
    if _are_crowns_idle(game):
        return True
    rest = game.hidden
    while rest:
        alike = rest & tiles[lowest(rest)].alike
        crowned = alike & tiles[lowest(rest)].crowned
        if crowned != EMPTY and crowned != alike:
            return False
        rest &= ~alike
    return True


@kernel
def _are_crowns_idle(game: Any) -> bool:
    """Return whether no crown that is still hidden can matter.

    It does only if its tile is flipped by one vault and placed by another. Each step of the king takes a
    vault, and each vault a tile, so few tiles lead to no scoring.
    """
    stack = TILES - game.top
    return stack == 0 or game.king % SCORING_EVERY + stack + 1 < SCORING_EVERY


@kernel
def _used_space(game: Any, action: int) -> int:
    """Return the order space whose tile an action flips or discards, if it draws one."""
    return action // SQUARES if action < BUILDER else game.space


@kernel
def list_outcomes(game: Any, tiles: Any, action: int, after: Any, outcomes: Any) -> int:
    """Write what an action can show, and return the number of results.

    Parameters
    ----------
    game : near the end, before the action, which must not be a redraw
    after : the game after it
    outcomes : OUTCOME array, shape (MOST_OUTCOMES,)
    """
    outcomes[0].chance = 1.0
    outcomes[0].order = NONE
    outcomes[0].top = NONE
    if after.decision == OVER or after.top == game.top:
        return 1
    number = _list_tops(game, tiles, outcomes)
    tile = tiles[game.orders[_used_space(game, action)]]
    alike = game.hidden & tile.alike
    crowned = game.hidden & tile.crowned
    if crowned == EMPTY or crowned == alike or _are_crowns_idle(game):
        return number
    share = count(crowned) / count(alike)
    for k in range(number):
        outcomes[number + k] = outcomes[k]
        outcomes[k].order = lowest(crowned)
        outcomes[k].chance *= share
        outcomes[number + k].order = lowest(alike & ~crowned)
        outcomes[number + k].chance *= 1 - share
    return 2 * number


@kernel
def _list_tops(game: Any, tiles: Any, outcomes: Any) -> int:
    """Write the order sides that can follow below the top of the stack, and return their number."""
    below = TILES - game.top - 1
    number = 0
    seen = EMPTY
    for place in range(game.top + 1, TILES):
        tile = deck_tile(game, place)
        if seen & bit(tile):
            continue
        alike = tiles[tile].alike
        seen |= alike
        same = 0
        for other in range(place, TILES):
            if alike & bit(deck_tile(game, other)):
                same += 1
        outcomes[number].chance = same / below
        outcomes[number].order = NONE
        outcomes[number].top = tile
        number += 1
    return max(number, 1)


@kernel
def play_outcome(game: Any, tiles: Any, action: int, outcome: Any) -> None:
    """Play an action with the result that :func:`list_outcomes` gave for it."""
    if outcome.top != NONE:
        _exchange(game, deck_tile(game, game.top + 1), outcome.top)
    if outcome.order != NONE:
        _exchange(game, game.orders[_used_space(game, action)], outcome.order)
    apply(game, tiles, action)


@kernel
def _exchange(game: Any, one: int, other: int) -> None:
    """Let two hidden tiles change places."""
    for space in range(SPACES):
        if game.orders[space] == one:
            game.orders[space] = other
        elif game.orders[space] == other:
            game.orders[space] = one
    for place in range(game.top, TILES):
        tile = deck_tile(game, place)
        if tile == one:
            game.deck[place] = other
        elif tile == other:
            game.deck[place] = one


@kernel
def sight(game: Any, tiles: Any) -> int:
    """Return a number, no action's, for what the spaces, the stack and the last discard show.

    After one and the same action, games with the same number look the same to the players.
    """
    code = 0
    for space in range(SPACES):
        code = code << 13 | _side(tiles, game.orders[space]) << 7 | _kind(tiles, game.vaults[space])
    top = deck_tile(game, game.top) if game.top < TILES else NONE
    last = deck_tile(game, game.discards - 1) if game.discards > 0 else NONE
    return ACTIONS + (code << 13 | _side(tiles, top) << 7 | _kind(tiles, last))


@kernel
def _side(tiles: Any, tile: int) -> int:
    """Return a number below 64 for the order side of a tile."""
    return lowest(tiles[tile].alike) if tile != NONE else 63


@kernel
def _kind(tiles: Any, tile: int) -> int:
    """Return a number below 128 for the order side and the crown of a tile."""
    return 2 * _side(tiles, tile) + (tiles[tile].crown if tile != NONE else 0)
