"""What the network of the agent ``ppo`` looks at: squares, scalars and gains.

Squares
-------
Whole numbers (int8), shape (60, :data:`CHANNELS`): first the planes of the observation, then what the area
that covers the square would score now (R8.2-R8.4), for each colour:

====================  =====  ====================================================================
channel               unit   meaning; 0 where the square is in no area of the colour
====================  =====  ====================================================================
``points_C``          10     points of the majority: above 0 if I hold it, below if they do
``size_C``            10     tiles of the area
``strength_C``        2      my strength less theirs
====================  =====  ====================================================================

Scalars
-------
float32, shape (:data:`SCALARS`,): those of the observation in their units, then the features of the value
network of the search (:mod:`basilica_env.core.features`).

Gains
-----
Quarters of a point (int8), shape (667,): for each legal action, by how much the position looks better after
it and the choices that belong to it, the opponent's best answer included; 0 for the others. What looks
better is told by one of the evaluations of :mod:`basilica_env.core.evaluate`: ``lead``, the lead if the
cathedral were scored now (what ``greedy`` plays by), or ``outlook`` (what ``planner`` plays by).

Everything is seen by the player who decides and made of what is open (R1.5).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from basilica_env.core import rules
from basilica_env.core.bitboard import bit, count, fill, lowest
from basilica_env.core.compile import kernel
from basilica_env.core.evaluate import LEAD_NOW, OUTLOOK, evaluate
from basilica_env.core.features import FEATURES, write_features
from basilica_env.core.layout import ACTIONS, COLOUR, COLOUR_LETTERS, COLOURS, NONE, OVER, SQUARES
from basilica_env.core.lookahead import DEPTH, settle
from basilica_env.core.observation import (
    OBSERVATION_PLANES,
    OBSERVATION_SIZE,
    PLANES_SIZE,
    SCALARS_SIZE,
    units,
    write_observation,
)
from basilica_env.core.playout import count_legal, legal_action
from basilica_env.core.scoring import majority, majority_points, strength, wild_squares
from basilica_env.envs.threads import Crew

AREA_PARTS = ("points", "size", "strength")
CHANNELS = OBSERVATION_PLANES + len(AREA_PARTS) * COLOURS
CHANNEL_NAMES = tuple(f"{part}_{letter}" for letter in COLOUR_LETTERS for part in AREA_PARTS)
"""The channels after the planes of the observation, in order."""
CHANNEL_UNITS = np.array([1] * OBSERVATION_PLANES + [10, 10, 2] * COLOURS, np.float32)
SCALARS = SCALARS_SIZE + FEATURES
_SCALAR_UNITS = units(np.float32)[PLANES_SIZE:]
_MOST = 127  # of an int8
PARTS_OF_A_POINT = 4
"""What a gain is counted in."""
_GAMES_A_CLAIM = 32
_KINDS = {"none": LEAD_NOW, "lead": LEAD_NOW, "outlook": OUTLOOK}


@kernel
def _write_areas(game: Any, me: int, squares: Any) -> None:
    wilds = wild_squares(game)
    for colour in range(COLOURS):
        at = OBSERVATION_PLANES + 3 * colour
        rest = game.planes[COLOUR + colour]
        while rest:
            area = fill(bit(lowest(rest)), rest)
            rest &= ~area
            if not area & ~wilds:  # a wild tile alone is no area (R8.2)
                continue
            holder = majority(game, area)
            points = min(majority_points(game, area), _MOST)
            if holder == NONE:
                points = 0
            elif holder != me:
                points = -points
            size = count(area)
            lead = strength(game, me, area) - strength(game, 1 - me, area)
            left = area
            while left:
                square = lowest(left)
                left &= ~bit(square)
                squares[square, at] = points
                squares[square, at + 1] = size
                squares[square, at + 2] = lead


@kernel
def _write_gains(game: Any, tiles: Any, me: int, kind: int, work: Any, gains: Any) -> None:
    """Write the gains of one game; ``work`` is a GAME array, shape (2 * DEPTH,), overwritten."""
    now = evaluate(game, me, kind)
    line = work[:DEPTH]
    ends = work[DEPTH:]
    for index in range(count_legal(game)):
        action = legal_action(game, index)
        line[0] = game
        rules.apply(line[0], tiles, action)
        gain = np.rint(PARTS_OF_A_POINT * (settle(line, ends, tiles, me, kind) - now))
        gains[action] = min(max(gain, -_MOST), _MOST)


@kernel
def look(
    games: Any, tiles: Any, kind: int, scalar_units: Any, squares: Any, scalars: Any, gains: Any
) -> None:
    """Write what the deciders of games see.

    Parameters
    ----------
    games : GAME array, shape (n,)
    kind : of the evaluation that gains are told by
    scalar_units : float32 array, shape (SCALARS_SIZE,)
    squares : int8 array, shape (n, 60, CHANNELS)
    scalars : float32 array, shape (n, SCALARS)
    gains : int8 array, shape (n, ACTIONS), or (0, ACTIONS) if they are not wanted
    """
    work = np.empty(2 * DEPTH, games.dtype)
    seen = np.empty(OBSERVATION_SIZE + 64, np.uint8)  # its writer stores 64 entries at once
    for k in range(len(games)):
        game = games[k]
        me = rules.decider(game)
        write_observation(game, tiles, me, True, seen, 0)
        squares[k, :, :] = 0
        for plane in range(OBSERVATION_PLANES):
            for square in range(SQUARES):
                if seen[plane * SQUARES + square]:
                    squares[k, square, plane] = 1
        _write_areas(game, me, squares[k])
        for scalar in range(SCALARS_SIZE):
            scalars[k, scalar] = seen[PLANES_SIZE + scalar] / scalar_units[scalar]
        write_features(game, tiles, me, scalars[k, SCALARS_SIZE:])
        if len(gains):
            gains[k, :] = 0
            if game.decision != OVER:
                _write_gains(game, tiles, me, kind, work, gains[k])


class Sight(NamedTuple):
    """What the deciders of n games see."""

    squares: NDArray[np.int8]
    """Shape (n, 60, CHANNELS)."""
    scalars: NDArray[np.float32]
    """Shape (n, SCALARS)."""
    gains: NDArray[np.int8]
    """Shape (n, 667), or (0, 667) if they are not wanted."""


def sight(games: NDArray[np.void], tiles: NDArray[np.void], gains: str, crew: Crew | None = None) -> Sight:
    """Return what the deciders of game records see.

    Parameters
    ----------
    games : GAME array, shape (n,)
    tiles : the array of their tile set
    gains : ``"lead"`` or ``"outlook"``, or ``"none"`` if they are not wanted; they take most of the time
    crew : threads to share the work; None is the calling one alone
    """
    n = len(games)
    seen = Sight(
        np.empty((n, SQUARES, CHANNELS), np.int8),
        np.empty((n, SCALARS), np.float32),
        np.empty((0 if gains == "none" else n, ACTIONS), np.int8),
    )

    def work(start: int, stop: int) -> None:
        rows = slice(start, stop)
        look(games[rows], tiles, _KINDS[gains], _SCALAR_UNITS, *(array[rows] for array in seen))

    if crew is None:
        work(0, n)
    else:
        crew.run(work, n, _GAMES_A_CLAIM)
    return seen
