"""The value network: one hidden layer over the features, two estimates of how a game ends.

::

    hidden = relu(b1 + W1 x)        estimate = tanh(b2 + W2 hidden)

The first estimate is the expected result (1 won, 0 tied, -1 lost), the second the squashed final lead,
``tanh(lead / 25)``. The weights are one flat float32 array: W1 by feature (FEATURES rows of HIDDEN),
b1, W2 (two rows of HIDDEN), b2. ``training/fit_value.py`` fits them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.compile import kernel
from basilica_env.core.features import FEATURES, write_features
from basilica_env.core.layout import OVER

HIDDEN = 32
WIN, MARGIN = range(2)
"""The two estimates."""
HEADS = 2
LEAD_UNIT = 25.0
"""Points of a lead that are squashed to tanh(1)."""

WEIGHTS = FEATURES * HIDDEN + HIDDEN + HEADS * HIDDEN + HEADS
SCRATCH = FEATURES + HIDDEN
"""Length of the float32 array that :func:`value` works in."""

_BIAS = FEATURES * HIDDEN
_OUT = _BIAS + HIDDEN
_OUT_BIAS = _OUT + HEADS * HIDDEN


@kernel
def result(game: Any) -> tuple[float, float]:
    """Return how a finished game ended for player 0: the result and the squashed lead."""
    lead = game.scores[0] - game.scores[1]
    return float(np.sign(lead)), np.tanh(lead / LEAD_UNIT)


@kernel
def _head(weights: Any, head: int, scratch: Any) -> float:
    total = float(weights[_OUT_BIAS + head])
    for k in range(HIDDEN):
        total += max(scratch[FEATURES + k], np.float32(0)) * weights[_OUT + head * HIDDEN + k]
    return np.tanh(total)


@kernel
def value(game: Any, tiles: Any, weights: Any, scratch: Any) -> tuple[float, float]:
    """Return the result and the squashed lead that player 0 may expect.

    They are exact when the game is over, else the network's estimates. The network sees the position as
    the player whose turn it is.

    Parameters
    ----------
    weights : float32 array, shape (WEIGHTS,)
    scratch : float32 array, shape (SCRATCH,), overwritten
    """
    if game.decision == OVER:
        return result(game)
    write_features(game, tiles, game.turn, scratch)
    for k in range(HIDDEN):
        scratch[FEATURES + k] = weights[_BIAS + k]
    for feature in range(FEATURES):
        x = scratch[feature]
        if x != 0:
            for k in range(HIDDEN):
                scratch[FEATURES + k] += x * weights[feature * HIDDEN + k]
    win = _head(weights, WIN, scratch)
    margin = _head(weights, MARGIN, scratch)
    return (win, margin) if game.turn == 0 else (-win, -margin)
