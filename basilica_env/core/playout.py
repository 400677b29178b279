"""Whole lines of play: random actions, playouts, perft and what is hidden (R1.5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import ONE, bit, count, select
from basilica_env.core.compile import kernel
from basilica_env.core.layout import BUILDER, EXECUTE, MAIN, MASK_WORDS, NONE, OVER, REDRAW, SPACES, TILES
from basilica_env.core.random import advance, below, mix, shuffle
from basilica_env.core.rules import apply, deck_tile, is_legal
from basilica_env.core.share import borrowed

UNIFORM = 0
"""Playout policy: every legal action is equally likely."""
KIND_FIRST = 1
"""Playout policy: first the kind (vault, builder, order), then the action, each equally likely."""

_BUILDER_BIT = np.uint64(BUILDER - 128)
_ORDER_BITS = np.uint64(sum(1 << (EXECUTE - 128 + space) for space in range(SPACES)))
_VAULT_BITS = np.uint64((1 << (BUILDER - 128)) - 1)


@kernel
def count_legal(game: Any) -> int:
    """Return the number of legal actions."""
    number = 0
    for word in range(MASK_WORDS):
        number += count(game.legal[word])
    return number


@kernel
def legal_action(game: Any, index: int) -> int:
    """Return the legal action at an index (from 0) in ascending order."""
    word = 0
    inside = count(game.legal[0])
    while index >= inside:
        index -= inside
        word += 1
        inside = count(game.legal[word])
    return 64 * word + select(game.legal[word], index)


@kernel
def random_action(game: Any, state: Any) -> int:
    """Return the legal action that belongs to a generator state, each equally likely."""
    return legal_action(game, below(state, count_legal(game)))


@kernel
def random_action_by_kind(game: Any, state: Any) -> int:
    """Return a legal action: first its kind (vault, builder, order), then the action within it."""
    if game.decision != MAIN or is_legal(game, REDRAW):
        return random_action(game, state)
    orders = game.legal[2] & _ORDER_BITS
    builders = game.legal[2] & (ONE << _BUILDER_BIT)
    kinds = 1 + (1 if orders else 0) + (1 if builders else 0)
    kind = below(state, kinds)
    within = mix(state ^ ONE)
    if kind == 0:
        vaults = count(game.legal[0]) + count(game.legal[1]) + count(game.legal[2] & _VAULT_BITS)
        return legal_action(game, below(within, vaults))
    if kind == 1 and builders:
        return BUILDER
    return 128 + select(orders, below(within, count(orders)))


@kernel
def resample_hidden(game: Any, tiles: Any, state: Any) -> Any:
    """Redraw what nobody can know, uniformly over what fits the open order sides (R1.5).

    The tiles in the stack and on the order spaces change places. The three order tiles and the top
    of the stack keep their order sides. The game's own generator is redrawn as well, so that a
    reshuffle to come is unknown, too.

    Returns
    -------
    The generator state afterwards.
    """
    free = game.hidden
    for position in range(SPACES + 1):
        if position < SPACES:
            shown = game.orders[position]
        elif game.top < TILES:
            shown = deck_tile(game, game.top)
        else:
            shown = NONE
        if shown == NONE:
            continue
        fitting = free & tiles[shown].alike
        state = advance(state)
        tile = select(fitting, below(state, count(fitting)))
        free &= ~bit(tile)
        if position < SPACES:
            game.orders[position] = tile
        else:
            game.deck[game.top] = tile
    place = game.top + 1
    while free:
        game.deck[place] = select(free, 0)
        free &= free - ONE
        place += 1
    if game.top < TILES:
        state = shuffle(game.deck, game.top + 1, TILES, state)
    state = advance(state)
    game.random = mix(state)
    return state


@kernel
def play_out(game: Any, tiles: Any, policy: int, state: Any) -> Any:
    """Play random legal actions to the end of the game; return the generator state afterwards."""
    while game.decision != OVER:
        state = advance(state)
        action = random_action(game, state) if policy == UNIFORM else random_action_by_kind(game, state)
        apply(game, tiles, action)
    return state


@kernel
def playouts(
    games: Any, tiles: Any, seed: Any, policy: int, resample: bool, scores: Any, start: int, stop: int
) -> None:
    """Play playouts number ``start`` to ``stop - 1`` and write their final scores.

    Playout ``k`` starts from game ``k // scores.shape[1]`` and has a generator of its own, so the
    result does not depend on how the work is split.

    Parameters
    ----------
    games : GAME array, shape (n,)
    seed : uint64
    policy : UNIFORM or KIND_FIRST
    resample : whether hidden tiles are redrawn first
    scores : int64 array, shape (n, playouts a game, 2)
    """
    games, tiles, scores = borrowed(games, tiles, scores)
    scratch = games[:1].copy()
    game = scratch[0]
    each = scores.shape[1]
    for k in range(start, stop):
        scratch[0] = games[k // each]
        state = mix(seed ^ mix(np.uint64(k)))
        if resample:
            state = resample_hidden(game, tiles, state)
        play_out(game, tiles, policy, state)
        scores[k // each, k % each, 0] = game.scores[0]
        scores[k // each, k % each, 1] = game.scores[1]


@kernel
def perft(games: Any, tiles: Any, depth: int) -> int:
    """Return the number of lines of play of a depth from ``games[0]``, on the true stack.

    A line that ends earlier does not count.
    """
    if depth == 0:
        return 1
    line = np.empty(depth, games.dtype)
    line[0] = games[0]
    following = np.zeros(depth, np.int64)  # index of the next legal action to try, at each depth
    nodes = 0
    level = 0
    while level >= 0:
        legal = count_legal(line[level])
        if level == depth - 1:
            nodes += legal
            level -= 1
        elif following[level] == legal:
            level -= 1
        else:
            line[level + 1] = line[level]
            apply(line[level + 1], tiles, legal_action(line[level], following[level]))
            following[level] += 1
            level += 1
            following[level] = 0
    return nodes
