"""The greedy player: the best points if the cathedral were scored now, one decision deep.

An order with its choices, the offer and the paid order is one decision to look through: the player
takes the most, the opponent's answers leave her the least. Nothing hidden is looked at, because tiles
are drawn only after the last choice and do not count in the points.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.compile import kernel
from basilica_env.core.layout import MAIN, NONE, OVER, VAULT
from basilica_env.core.playout import count_legal, legal_action
from basilica_env.core.random import advance, below
from basilica_env.core.rules import apply, decider
from basilica_env.core.scoring import points_now

DEPTH = 8
"""Records for the longest decision: the order, its two choices, the offer, the paid order, and after."""


@kernel
def _lead(game: Any, player: int) -> int:
    """Return by how much a player would lead if the cathedral were scored now."""
    lead = game.scores[0] - game.scores[1]
    if game.decision != OVER:
        points_0, points_1 = points_now(game)
        lead += points_0 - points_1
    return lead if player == 0 else -lead


@kernel
def _is_settled(game: Any) -> bool:
    return game.decision == MAIN or game.decision == VAULT or game.decision == OVER


@kernel
def _settled_lead(line: Any, tiles: Any, player: int) -> int:
    """Return the player's lead after the rest of the decision that ``line[0]`` is in.

    A depth-first search: at each level the player takes the most and the opponent the least.
    """
    following = np.zeros(DEPTH, np.int64)
    best = np.zeros(DEPTH, np.int64)
    level = 0
    while True:
        game = line[level]
        settled = _is_settled(game)
        if settled or following[level] == count_legal(game):
            value = _lead(game, player) if settled else best[level]
            if level == 0:
                return value
            level -= 1
            better = value > best[level] if decider(line[level]) == player else value < best[level]
            if following[level] == 1 or better:
                best[level] = value
        else:
            line[level + 1] = game
            apply(line[level + 1], tiles, legal_action(game, following[level]))
            following[level] += 1
            level += 1
            following[level] = 0


@kernel
def greedy_action(game: Any, tiles: Any, line: Any, state: Any) -> int:
    """Return the greedy action; among equally good ones the generator state picks.

    Parameters
    ----------
    line : GAME array, shape (DEPTH,), overwritten
    """
    player = decider(game)
    chosen = NONE
    best = 0
    equal = 0
    for index in range(count_legal(game)):
        action = legal_action(game, index)
        line[0] = game
        apply(line[0], tiles, action)
        value = _settled_lead(line, tiles, player)
        if chosen == NONE or value > best:
            chosen, best, equal = action, value, 1
        elif value == best:
            equal += 1
            state = advance(state)
            if below(state, equal) == 0:
                chosen = action
    return chosen


@kernel
def greedy_actions(states: Any, tiles: Any, indices: Any, actions: Any, start: int, stop: int) -> None:
    """Write the greedy action for each game of a batch; 0 for a finished one."""
    line = np.empty(DEPTH, states[:1]["game"].dtype)
    for k in range(start, stop):
        state = states[indices[k]]
        actions[k] = 0
        if state.game.decision != OVER:
            state.sampler = advance(state.sampler)
            actions[k] = greedy_action(state.game, tiles, line, state.sampler)
