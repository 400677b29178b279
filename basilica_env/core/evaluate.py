"""How a position looks for a player, in points: two evaluations without a search.

:data:`LEAD_NOW` is the lead if the cathedral were scored now. :data:`OUTLOOK` looks further::

    score lead
    + weight * lead of the points now
    + (1 - weight) * (1.6 * lead in builders in hand + 0.8 * lead in tokens in hand) + 0.6 * lead in coins
    + tempo: at the edge of a scoring or of the end, half of what the player to move gains by it

``weight`` rises from 0.45 to 0.95 as the king comes near the next scoring, or the tiles near their end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.compile import kernel
from basilica_env.core.layout import OVER, SCORING_EVERY, TILES
from basilica_env.core.rules import builders_left, tokens_left
from basilica_env.core.scoring import points_now

LEAD_NOW, OUTLOOK = range(2)

_WEIGHT_FAR = 0.45
_WEIGHT_NEAR = 0.95
_BUILDER = 1.6
_TOKEN = 0.8
_COIN = 0.6
_TEMPO = 0.5
_VICTORY = 100.0
"""What a won game is worth beside its lead."""
_TILES_A_KING_STEP = 2.0
"""Tiles drawn while the king moves once, about."""


@kernel
def _tiles_left(game: Any) -> int:
    """Return the tiles that can still be drawn (R7)."""
    return TILES - game.top + (0 if game.reshuffled else game.discards)


@kernel
def _outlook(game: Any, now: float) -> float:
    """Return player 0's outlook, given her lead in the points now."""
    edge = min(SCORING_EVERY - 1 - game.king % SCORING_EVERY, _tiles_left(game) / _TILES_A_KING_STEP)
    weight = _WEIGHT_NEAR - (_WEIGHT_NEAR - _WEIGHT_FAR) * edge / (SCORING_EVERY - 1)
    builders = builders_left(game, 0) - builders_left(game, 1)
    tokens = tokens_left(game, 0) - tokens_left(game, 1)
    outlook = weight * now + (1 - weight) * (_BUILDER * builders + _TOKEN * tokens)
    outlook += _COIN * (game.coins[0] - game.coins[1])
    if edge < 1:
        gain = max(now, 0.0) if game.turn == 0 else min(now, 0.0)
        outlook += _TEMPO * gain
    return outlook


@kernel
def evaluate(game: Any, player: int, kind: int) -> float:
    """Return how a position looks for a player.

    Parameters
    ----------
    kind : LEAD_NOW or OUTLOOK
    """
    lead = float(game.scores[0] - game.scores[1])
    if game.decision != OVER:
        points_0, points_1 = points_now(game)
        now = float(points_0 - points_1)
        lead += now if kind == LEAD_NOW else _outlook(game, now)
    elif kind == OUTLOOK:
        lead += _VICTORY * np.sign(lead)
    return lead if player == 0 else -lead
