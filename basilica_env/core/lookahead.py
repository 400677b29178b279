"""Looking through a decision: an order with its choices, the offer and the paid order.

The player takes what is best for her, the opponent's answers what is worst. Nothing hidden is looked
at: tiles are drawn only after the last choice and count in no evaluation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.compile import kernel
from basilica_env.core.evaluate import evaluate
from basilica_env.core.layout import MAIN, OVER, VAULT
from basilica_env.core.playout import count_legal, legal_action
from basilica_env.core.rules import apply, decider

DEPTH = 8
"""Records for the longest decision: the order, its two choices, the offer, the paid order, and after."""


@kernel
def is_settled(game: Any) -> bool:
    """Return whether no choice within an action is open."""
    return game.decision == MAIN or game.decision == VAULT or game.decision == OVER


@kernel
def settle(line: Any, ends: Any, tiles: Any, player: int, kind: int) -> float:
    """Return what ``line[0]`` is worth to a player after the rest of its decision.

    ``ends[0]`` becomes the position then. A depth-first search: at each level the player takes the most
    and the opponent the least.

    Parameters
    ----------
    line, ends : GAME arrays, shape (DEPTH,), overwritten but for ``line[0]``
    kind : of evaluation
    """
    following = np.zeros(DEPTH, np.int64)
    values = np.zeros(DEPTH, np.float64)
    level = 0
    while True:
        if is_settled(line[level]):
            values[level] = evaluate(line[level], player, kind)
            ends[level] = line[level]
        elif following[level] < count_legal(line[level]):
            line[level + 1] = line[level]
            apply(line[level + 1], tiles, legal_action(line[level], following[level]))
            following[level] += 1
            level += 1
            following[level] = 0
            continue
        if level == 0:
            return values[0]
        value = values[level]
        level -= 1
        better = value > values[level] if decider(line[level]) == player else value < values[level]
        if following[level] == 1 or better:
            values[level] = value
            ends[level] = ends[level + 1]
