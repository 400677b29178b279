"""How a position looks for a player, in points: two evaluations without a search.

:data:`LEAD_NOW` is the lead if the cathedral were scored now. :data:`OUTLOOK` looks further::

    score lead
    + the expected lead of the next scoring: for each area, the points of its majority times how surely
      it is held, tanh(grip * lead in strength), and the points of builders without a majority
    + (1 - near) * (builder * lead in builders in hand + token * lead in tokens in hand)
    + coin * lead in coins
    + tempo * the expected lead, if it is good for the player to move and a scoring or the end is one step off

``near`` rises from 0 to 1 as the king comes near the next scoring, or the tiles near their end; the grip
rises with it. A lead on Strongmen counts as half a point of strength.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import fill, first
from basilica_env.core.compile import kernel
from basilica_env.core.layout import BUILDERS, COLOUR, COLOURS, NONE, OVER, SCORING_EVERY, TILES
from basilica_env.core.rules import builders_left, tokens_left
from basilica_env.core.scoring import (
    majority,
    majority_points,
    minority_points,
    points_now,
    strength,
    wild_squares,
)

LEAD_NOW, OUTLOOK = range(2)

_GRIP_FAR = 0.5
_GRIP_NEAR = 0.8
_BUILDER = 0.75
_TOKEN = 1.4
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
def _expected_lead(game: Any, grip: float) -> float:
    """Return player 0's expected lead in the points of the next scoring."""
    wilds = wild_squares(game)
    builders = game.planes[BUILDERS] | game.planes[BUILDERS + 1]
    expected = 0.0
    for colour in range(COLOURS):
        board = game.planes[COLOUR + colour]
        seeds = builders & board
        while seeds:
            area = fill(first(seeds), board)
            seeds &= ~area
            holder = majority(game, area) if area & ~wilds else NONE
            if holder == NONE:
                continue
            lead = max(0.5, strength(game, holder, area) - strength(game, 1 - holder, area))
            points = np.tanh(grip * lead) * majority_points(game, area)
            points -= minority_points(game, 1 - holder, area)
            expected += points if holder == 0 else -points
    return expected


@kernel
def _outlook(game: Any) -> float:
    """Return player 0's outlook beside her lead in the score."""
    edge = min(SCORING_EVERY - 1 - game.king % SCORING_EVERY, _tiles_left(game) / _TILES_A_KING_STEP)
    near = 1 - edge / (SCORING_EVERY - 1)
    expected = _expected_lead(game, _GRIP_FAR + (_GRIP_NEAR - _GRIP_FAR) * near)
    builders = builders_left(game, 0) - builders_left(game, 1)
    tokens = tokens_left(game, 0) - tokens_left(game, 1)
    outlook = expected + (1 - near) * (_BUILDER * builders + _TOKEN * tokens)
    outlook += _COIN * (game.coins[0] - game.coins[1])
    if edge < 1:
        outlook += _TEMPO * (max(expected, 0.0) if game.turn == 0 else min(expected, 0.0))
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
        if kind == LEAD_NOW:
            points_0, points_1 = points_now(game)
            lead += points_0 - points_1
        else:
            lead += _outlook(game)
    elif kind == OUTLOOK:
        lead += _VICTORY * np.sign(lead)
    return lead if player == 0 else -lead
