"""The greedy player: the best points if the cathedral were scored now, one decision deep."""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.compile import kernel, part
from basilica_env.core.evaluate import LEAD_NOW
from basilica_env.core.layout import NONE, OVER
from basilica_env.core.lookahead import DEPTH, settle
from basilica_env.core.playout import count_legal, legal_action
from basilica_env.core.random import advance, below
from basilica_env.core.rules import apply, decider
from basilica_env.core.share import share_out

_GAMES_A_CLAIM = 16
"""The most games that a thread claims at a time: each takes a hundred times as long as a step."""


@kernel
def best_settled(game: Any, tiles: Any, kind: int, work: Any, state: Any) -> int:
    """Return the action that is best after its decision; among equal ones the generator state picks.

    Parameters
    ----------
    kind : of evaluation
    work : GAME array, shape (2 * DEPTH,), overwritten
    """
    line = work[:DEPTH]
    ends = work[DEPTH:]
    player = decider(game)
    chosen = NONE
    best = 0.0
    equal = 0
    for index in range(count_legal(game)):
        action = legal_action(game, index)
        line[0] = game
        apply(line[0], tiles, action)
        value = settle(line, ends, tiles, player, kind)
        if chosen == NONE or value > best:
            chosen, best, equal = action, value, 1
        elif value == best:
            equal += 1
            state = advance(state)
            if below(state, equal) == 0:
                chosen = action
    return chosen


@part
def _greedy_rows(
    states: Any, tiles: Any, indices: Any, actions: Any, start: int, stop: int, step: int
) -> None:
    work = np.empty(2 * DEPTH, states[:1]["game"].dtype)
    for k in range(start, stop, step):
        state = states[indices[k]]
        actions[k] = 0
        if state.game.decision != OVER:
            state.sampler = advance(state.sampler)
            actions[k] = best_settled(state.game, tiles, LEAD_NOW, work, state.sampler)


@kernel
def greedy_actions(states: Any, tiles: Any, indices: Any, actions: Any, board: Any) -> None:
    """Write the greedy action for each game of a batch; 0 for a finished one."""
    share_out(board, len(indices), _GAMES_A_CLAIM, _greedy_rows, states, tiles, indices, actions)
