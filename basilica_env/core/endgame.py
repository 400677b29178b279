"""Exact play to the end of the game once nothing is left to be shown.

After the reshuffle (R7.1) every tile that is drawn brings the end nearer, and everybody can count: when
the open order sides and the tiles that are missing elsewhere leave one arrangement, the rest of the game
is without chance, and minimax gives its value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import EMPTY, lowest
from basilica_env.core.compile import kernel
from basilica_env.core.layout import OVER, SCORING_EVERY, TILES
from basilica_env.core.playout import count_legal, legal_action
from basilica_env.core.rules import apply, decider, deck_tile

AIM_MARGIN, AIM_WIN = range(2)
"""What players want: the lead in points at the end, or the result."""

_LARGEST_STACK = 8
_DEEPEST = 64
"""More decisions than a game can have with so small a stack: five an action, and a builder after it."""
_NO_LEAD = 1 << 20
"""More than any lead."""


@kernel
def is_certain(games: Any, tiles: Any) -> bool:
    """Return whether nothing that happens in ``games[0]`` from now on can be news to the players.

    Tiles with the same order side and crown are the same to them. Only what is open decides (R1.5): the
    tiles below the top are one set of kinds, whatever their order.
    """
    game = games[0]
    stack = TILES - game.top
    if game.reshuffled == 0 or stack > _LARGEST_STACK:
        return False
    for place in range(game.top + 2, TILES):
        if tiles[deck_tile(game, place)].alike != tiles[deck_tile(game, place - 1)].alike:
            return False
    # A hidden crown counts only if its tile is flipped by one vault and placed by another. Each king's step
    # takes a vault, and each vault a tile: too few for a scoring, and crowns are idle.
    if stack == 0 or game.king % SCORING_EVERY + stack + 1 < SCORING_EVERY:
        return True
    rest = game.hidden
    while rest:
        alike = rest & tiles[lowest(rest)].alike
        crowned = alike & tiles[lowest(rest)].crowned
        if crowned != EMPTY and crowned != alike:
            return False
        rest &= ~alike
    return True


@kernel
def _outcome(game: Any, aim: int) -> int:
    """Return what a finished game is worth to player 0."""
    lead = game.scores[0] - game.scores[1]
    return lead if aim == AIM_MARGIN else np.sign(lead)


@kernel
def certain_value(games: Any, tiles: Any, aim: int, most: int) -> tuple[int, int]:
    """Return what ``games[0]``, which must be certain, is worth to player 0, and the positions visited.

    Minimax with alpha-beta pruning. More than ``most`` positions visited says that it was given up.

    Parameters
    ----------
    games : GAME array, shape (1,)
    aim : AIM_MARGIN or AIM_WIN
    """
    line = np.empty(_DEEPEST, games.dtype)
    following = np.zeros(_DEEPEST, np.int64)  # index of the next legal action to try, at each depth
    choices = np.zeros(_DEEPEST, np.int64)
    low = np.empty(_DEEPEST, np.int64)  # what player 0 can get elsewhere, at each depth
    high = np.empty(_DEEPEST, np.int64)  # what player 1 can hold her to elsewhere
    line[0] = games[0]
    choices[0] = count_legal(line[0])
    high[0] = _NO_LEAD if aim == AIM_MARGIN else 1
    low[0] = -high[0]
    visited = 1
    level = 0
    while True:
        game = line[level]
        if game.decision == OVER:
            value = _outcome(game, aim)
        elif following[level] < choices[level] and low[level] < high[level]:
            action = legal_action(game, following[level])
            following[level] += 1
            level += 1
            line[level] = game
            apply(line[level], tiles, action)
            following[level] = 0
            choices[level] = count_legal(line[level])
            low[level] = low[level - 1]
            high[level] = high[level - 1]
            visited += 1
            if visited > most:
                return 0, visited
            continue
        else:
            value = low[level] if decider(game) == 0 else high[level]
        if level == 0:
            return value, visited
        level -= 1
        if decider(line[level]) == 0:
            low[level] = max(low[level], value)
        else:
            high[level] = min(high[level], value)
