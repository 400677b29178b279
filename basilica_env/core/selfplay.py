"""Games of the tree search against itself, as data to fit the value network on."""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core import rules
from basilica_env.core.compile import kernel
from basilica_env.core.features import write_features
from basilica_env.core.layout import OVER
from basilica_env.core.playout import random_action
from basilica_env.core.random import advance, below, mix
from basilica_env.core.search import NODE, most_visited, plant, simulate
from basilica_env.core.value import MARGIN, WIN, result

LONGEST = 512
"""Decisions of a game that are kept; a game has fewer (R7)."""


@kernel
def _sampled_by_visits(tree: Any, state: Any) -> int:
    """Return an action with a probability in proportion to its visits."""
    rest = below(state, tree[0].visits - 1)
    child = tree[0].first
    while rest >= tree[child].visits:
        rest -= tree[child].visits
        child = tree[child].next
    return tree[child].action


@kernel
def self_play(
    games: Any,
    tiles: Any,
    settings: Any,
    weights: Any,
    simulations: int,
    loose: int,
    stray: int,
    seed: Any,
    features: Any,
    targets: Any,
    lengths: Any,
    start: int,
    stop: int,
) -> None:
    """Play games number ``start`` to ``stop - 1`` and keep each decision's features and result.

    Game ``k`` depends on ``seed`` and ``k`` alone.

    Parameters
    ----------
    games : GAME array, shape (1,) or more; only its dtype matters
    loose : percentage of decisions that are sampled by visits instead of the most visited
    stray : percentage of decisions that are random and start a line nobody would play
    features : float32 array, shape (n, LONGEST, FEATURES), seen by the player whose turn it is
    targets : float32 array, shape (n, LONGEST, HEADS), for that player
    lengths : int64 array, shape (n,)
    """
    root = np.empty(1, games.dtype)
    tree = np.empty(64 * (simulations + 1), NODE)
    owners = np.empty(LONGEST, np.int64)
    game = root[0]
    for k in range(start, stop):
        state = mix(seed ^ mix(np.uint64(k)))
        game.random = state
        rules.deal(game, tiles)
        number = 0
        while game.decision != OVER:
            if number < LONGEST:
                write_features(game, tiles, game.turn, features[k, number])
                owners[number] = game.turn
                number += 1
            state = advance(state)
            dice = below(state, 100)
            if dice < stray:
                state = advance(state)
                action = random_action(game, state)
            else:
                size = plant(tree)
                _, state = simulate(tree, size, root, tiles, settings, weights, state, simulations)
                state = advance(state)
                if dice < stray + loose:
                    action = _sampled_by_visits(tree, state)
                else:
                    action = tree[most_visited(tree, 0)].action
            rules.apply(game, tiles, action)
        lengths[k] = number
        win, margin = result(game)
        for place in range(number):
            sign = 1.0 if owners[place] == 0 else -1.0
            targets[k, place, WIN] = sign * win
            targets[k, place, MARGIN] = sign * margin
