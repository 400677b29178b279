"""Areas, majorities and points (R8.2-R8.4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import EMPTY, Board, bit, count, fill, first, lowest
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    ARCHITECT,
    BUILDERS,
    COLOUR,
    COLOURS,
    GLASS,
    MASTER,
    NONE,
    RANK,
    STRONGMAN,
)

AREA = np.dtype(
    [
        ("board", np.uint64),  # the squares of the area
        ("colour", np.int64),
        ("builders", np.int64, (2,)),
        ("strength", np.int64, (2,)),
        ("strongmen", np.int64, (2,)),
        ("architect", np.int64),  # 1 if an Architect of either player stands in it
        ("glass", np.int64),
        ("majority", np.int64),  # the player who holds it, or -1
        ("points", np.int64, (2,)),
    ],
    align=True,
)
"""One area and what it would score now."""

MOST_AREAS = 64
"""More areas than the 58 tiles with at most 76 colours can form beside each other."""


@kernel
def wild_squares(game: Any) -> Board:
    """Return the squares with a wild tile: those in an even number of colour planes."""
    planes = game.planes
    vaults = planes[COLOUR] | planes[COLOUR + 1] | planes[COLOUR + 2] | planes[COLOUR + 3]
    return vaults & ~(planes[COLOUR] ^ planes[COLOUR + 1] ^ planes[COLOUR + 2] ^ planes[COLOUR + 3])


@kernel
def strength(game: Any, player: int, area: Board) -> int:
    """Return a player's strength in an area (R8.3)."""
    builders = game.planes[BUILDERS + player] & area
    return count(builders) + count(builders & game.planes[RANK + MASTER])


@kernel
def majority(game: Any, area: Board) -> int:
    """Return the player who holds the majority in an area, or NONE (R8.3)."""
    lead = strength(game, 0, area) - strength(game, 1, area)
    if lead == 0:
        strongmen = game.planes[RANK + STRONGMAN] & area
        lead = count(strongmen & game.planes[BUILDERS]) - count(strongmen & game.planes[BUILDERS + 1])
    if lead == 0:
        return NONE
    return 0 if lead > 0 else 1


@kernel
def majority_points(game: Any, area: Board) -> int:
    """Return what the majority in an area scores (R8.4)."""
    points = count(area)
    if area & game.planes[RANK + ARCHITECT]:
        points *= 2
    return points + 2 * count(area & game.planes[GLASS])


@kernel
def minority_points(game: Any, player: int, area: Board) -> int:
    """Return what a player without the majority scores in an area that the other one holds (R8.4)."""
    return count(area & game.planes[BUILDERS + player])


@kernel
def points_now(game: Any) -> tuple[int, int]:
    """Return the points of both players if the cathedral were scored now (R8.2-R8.4)."""
    wilds = wild_squares(game)
    builders = game.planes[BUILDERS] | game.planes[BUILDERS + 1]
    points_0 = 0
    points_1 = 0
    for colour in range(COLOURS):
        board = game.planes[COLOUR + colour]
        seeds = builders & board
        while seeds:
            area = fill(first(seeds), board)
            seeds &= ~area
            # R8.2: a wild tile alone is no area, and two are never adjacent (R4.2).
            holder = majority(game, area) if area & ~wilds else NONE
            if holder == 0:
                points_0 += majority_points(game, area)
                points_1 += minority_points(game, 1, area)
            elif holder == 1:
                points_1 += majority_points(game, area)
                points_0 += minority_points(game, 0, area)
    return points_0, points_1


@kernel
def list_areas(games: Any, areas: Any) -> int:
    """Write every area of ``games[0]`` to ``areas``, by colour and first square; return their number.

    Parameters
    ----------
    games : GAME array, shape (1,)
    areas : AREA array, shape (MOST_AREAS,)
    """
    game = games[0]
    wilds = wild_squares(game)
    number = 0
    for colour in range(COLOURS):
        rest = game.planes[COLOUR + colour]
        while rest:
            area = fill(bit(lowest(rest)), rest)
            rest &= ~area
            if area & ~wilds == EMPTY:
                continue
            entry = areas[number]
            number += 1
            entry.board = area
            entry.colour = colour
            entry.architect = 1 if area & game.planes[RANK + ARCHITECT] else 0
            entry.glass = count(area & game.planes[GLASS])
            entry.majority = majority(game, area)
            for player in range(2):
                builders = area & game.planes[BUILDERS + player]
                entry.builders[player] = count(builders)
                entry.strength[player] = strength(game, player, area)
                entry.strongmen[player] = count(builders & game.planes[RANK + STRONGMAN])
                if entry.majority == player:
                    entry.points[player] = majority_points(game, area)
                elif entry.majority == NONE:
                    entry.points[player] = 0
                else:
                    entry.points[player] = minority_points(game, player, area)
    return number
