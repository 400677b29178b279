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
Whole numbers (int8), shape (667,) for each part of a kind of :data:`GAINS`; 0 for illegal actions. They are
quarters of a point, or what the value network calls as much, in 400ths of the way from a sure loss to a
sure win:

===========  ===========================================================================================
part         by how much the position looks better
===========  ===========================================================================================
``lead``     after the action and the choices that belong to it, the opponent's best answer included, by
             the lead if the cathedral were scored now (what ``greedy`` plays by)
``outlook``  the same by the outlook of :mod:`basilica_env.core.evaluate` (what ``planner`` plays by)
``turn``     at the best of the :data:`ENDS` ends of the own turn that a beam search finds by the outlook
             (:mod:`basilica_env.core.planner`) and that begins with the action, by the value network of the
             search (:mod:`basilica_env.core.value`). An action that none of them begins with counts as the
             worst one does. 0 out of turn
===========  ===========================================================================================

The search redraws what is hidden by a number that is made of what is open.

Everything is seen by the player who decides and made of what is open (R1.5).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from basilica_env.agents.value_network import load_weights
from basilica_env.core import rules
from basilica_env.core.bitboard import bit, count, fill, lowest
from basilica_env.core.compile import kernel
from basilica_env.core.evaluate import LEAD_NOW, OUTLOOK, evaluate
from basilica_env.core.features import FEATURES, write_features
from basilica_env.core.layout import ACTIONS, COLOUR, COLOUR_LETTERS, COLOURS, GAME, NONE, OVER, SQUARES
from basilica_env.core.lookahead import DEPTH, settle
from basilica_env.core.observation import (
    OBSERVATION_PLANES,
    OBSERVATION_SIZE,
    PLANES_SIZE,
    SCALARS_SIZE,
    units,
    write_observation,
)
from basilica_env.core.planner import PLAN, ends_of_turn
from basilica_env.core.playout import count_legal, legal_action, resample_hidden
from basilica_env.core.random import mix
from basilica_env.core.scoring import majority, majority_points, strength, wild_squares
from basilica_env.core.share import borrowed
from basilica_env.core.value import SCRATCH, value
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
GAINS: dict[str, tuple[str, ...]] = {
    "none": (),
    "lead": ("lead",),
    "outlook": ("outlook",),
    "turn": ("outlook", "turn"),
}
"""The parts of each kind of gains."""
ENDS = 16
"""Ends of a turn that the value network judges."""
VALUE_POINTS = 50.0
"""Points that the way from a sure draw to a sure win counts as."""
BEAM = 8
"""Positions that the search for the gains of a turn keeps after each action, if nothing else is said."""


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
        gains[action] = _whole(settle(line, ends, tiles, me, kind) - now)


@kernel
def _whole(gain: float) -> Any:
    return min(max(np.rint(PARTS_OF_A_POINT * gain), -_MOST), _MOST)


@kernel
def _write_turn_gains(
    game: Any, tiles: Any, weights: Any, beam: int, seen: Any, plans: Any, ends: Any, scratch: Any, gains: Any
) -> None:
    """Write the gains until the end of the turn of one game.

    Parameters
    ----------
    weights : of the value network
    beam : positions kept after each action
    seen : what is open, uint8 array, shape (OBSERVATION_SIZE,) or longer
    plans, ends : PLAN and GAME arrays, overwritten
    scratch : float32 array, shape (SCRATCH,), overwritten
    """
    root = np.empty(1, GAME)
    root[0] = game
    resample_hidden(root[0], tiles, number_of(seen))
    kept = ends_of_turn(root, tiles, beam, plans, ends)
    now = _worth(root[0], game.turn, tiles, weights, scratch)
    least = 0.0
    for k in range(kept):
        plans[k].value = _whole(VALUE_POINTS * (_worth(ends[k], game.turn, tiles, weights, scratch) - now))
        least = min(least, plans[k].value) if k else plans[k].value
    for index in range(count_legal(game)):
        gains[legal_action(game, index)] = least
    for k in range(kept):
        gains[plans[k].action] = max(gains[plans[k].action], plans[k].value)


@kernel
def _worth(game: Any, me: int, tiles: Any, weights: Any, scratch: Any) -> float:
    """Return what I may expect, from -1 to 1: the mean of the result and the squashed lead."""
    win, margin = value(game, tiles, weights, scratch)
    return (win + margin) / 2 if me == 0 else -(win + margin) / 2


@kernel
def number_of(seen: Any) -> Any:
    """Return a number made of an observation."""
    number = np.uint64(0)
    for entry in range(OBSERVATION_SIZE):
        number = mix(number ^ np.uint64(seen[entry]))
    return number


@kernel
def look(
    games: Any,
    tiles: Any,
    kind: int,
    weights: Any,
    beam: int,
    scalar_units: Any,
    squares: Any,
    scalars: Any,
    gains: Any,
) -> None:
    """Write what the deciders of games see.

    Parameters
    ----------
    games : GAME array, shape (n,)
    kind : of the evaluation that gains are told by
    weights : of the value network
    beam : positions kept after each action of a turn
    scalar_units : float32 array, shape (SCALARS_SIZE,)
    squares : int8 array, shape (n, 60, CHANNELS)
    scalars : float32 array, shape (n, SCALARS)
    gains : int8 array, shape (n, parts, ACTIONS): none, those of an action, or those and those of the turn
    """
    games, tiles, weights, scalar_units = borrowed(games, tiles, weights, scalar_units)
    squares, scalars, gains = borrowed(squares, scalars, gains)
    parts = gains.shape[1]
    plans: Any = np.empty(ENDS, PLAN)
    ends = np.empty(ENDS, GAME)
    scratch = np.empty(SCRATCH, np.float32)
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
        gains[k] = 0
        if parts and game.decision != OVER:
            _write_gains(game, tiles, me, kind, work, gains[k, 0])
            if parts > 1 and game.turn == me:
                _write_turn_gains(game, tiles, weights, beam, seen, plans, ends, scratch, gains[k, 1])


class Sight(NamedTuple):
    """What the deciders of n games see."""

    squares: NDArray[np.int8]
    """Shape (n, 60, CHANNELS)."""
    scalars: NDArray[np.float32]
    """Shape (n, SCALARS)."""
    gains: NDArray[np.int8]
    """Shape (n, parts, 667); see :data:`GAINS`."""


def sight(
    games: NDArray[np.void],
    tiles: NDArray[np.void],
    gains: str,
    crew: Crew | None = None,
    beam: int = BEAM,
) -> Sight:
    """Return what the deciders of game records see.

    Parameters
    ----------
    games : GAME array, shape (n,)
    tiles : the array of their tile set
    gains : a kind of :data:`GAINS`; they take most of the time
    crew : threads to share the work; None is the calling one alone
    beam : positions kept after each action, for the gains of a turn
    """
    n = len(games)
    seen = Sight(
        np.empty((n, SQUARES, CHANNELS), np.int8),
        np.empty((n, SCALARS), np.float32),
        np.empty((n, len(GAINS[gains]), ACTIONS), np.int8),
    )

    kind = LEAD_NOW if gains == "lead" else OUTLOOK
    weights = load_weights(None)

    def work(start: int, stop: int) -> None:
        rows = slice(start, stop)
        out = (array[rows] for array in seen)
        look(games[rows], tiles, kind, weights, beam, _SCALAR_UNITS, *out)

    if crew is None:
        work(0, n)
    else:
        crew.run(work, n, _GAMES_A_CLAIM)
    return seen
