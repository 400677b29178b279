"""Entry points from Python for one game: arrays of one record go in and are changed in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core import playout, rules
from basilica_env.core.bitboard import ONE, lowest
from basilica_env.core.compile import kernel
from basilica_env.core.evaluate import LEAD_NOW
from basilica_env.core.greedy import best_settled
from basilica_env.core.layout import BUILDER, MASK_WORDS, NONE, OVER, SCORING_EVERY, SQUARES
from basilica_env.core.lookahead import DEPTH
from basilica_env.core.observation import write_observation
from basilica_env.core.planner import plan
from basilica_env.core.random import advance
from basilica_env.core.scoring import list_areas
from basilica_env.core.soundness import is_sound


@kernel
def admit(games: Any, tiles: Any) -> bool:
    """List the legal actions of a record from outside anew, if it is sound; return whether it is."""
    if not is_sound(games[0], tiles):
        return False
    rules.list_legal(games[0], tiles)
    return True


@kernel
def deal(games: Any, tiles: Any) -> None:
    """Set up a new game with the generator of the record (R2)."""
    rules.deal(games[0], tiles)


@kernel
def decider(games: Any) -> int:
    """Return the player who decides now."""
    return rules.decider(games[0])


@kernel
def is_legal(games: Any, action: int) -> bool:
    """Return whether an action, any integer, is legal now."""
    return rules.is_legal(games[0], action)


@kernel
def supplies(games: Any, out: Any) -> None:
    """Write the builders (row 0) and the tokens (row 1) in each player's supply, shape (2, 2)."""
    for player in range(2):
        out[0, player] = rules.builders_left(games[0], player)
        out[1, player] = rules.tokens_left(games[0], player)


@kernel
def play(games: Any, tiles: Any, action: int) -> bool:
    """Play an action if it is legal; return whether it was."""
    if not rules.is_legal(games[0], action):
        return False
    rules.apply(games[0], tiles, action)
    return True


@kernel
def legal_actions(games: Any, out: Any) -> int:
    """Write the legal actions in ascending order to ``out``, shape (ACTIONS,); return their number."""
    number = 0
    for word in range(MASK_WORDS):
        rest = games[0].legal[word]
        while rest:
            out[number] = 64 * word + lowest(rest)
            number += 1
            rest &= rest - ONE
    return number


@kernel
def sample(games: Any, sampler: Any) -> int:
    """Return a random legal action and advance the generator ``sampler[0]``; NONE if the game is over."""
    if games[0].decision == OVER:
        return NONE
    sampler[0] = advance(sampler[0])
    return playout.random_action(games[0], sampler[0])


@kernel
def greedy(games: Any, tiles: Any, sampler: Any) -> int:
    """Return the greedy action and advance the generator ``sampler[0]``; NONE if the game is over."""
    if games[0].decision == OVER:
        return NONE
    sampler[0] = advance(sampler[0])
    work = np.empty(2 * DEPTH, games.dtype)
    return best_settled(games[0], tiles, LEAD_NOW, work, sampler[0])


@kernel
def planned(games: Any, tiles: Any, width: int, sampler: Any) -> int:
    """Return the planned action and advance the generator ``sampler[0]``; NONE if the game is over."""
    if games[0].decision == OVER:
        return NONE
    sampler[0] = advance(sampler[0])
    return plan(games, tiles, width, sampler[0])


@kernel
def resample_hidden(games: Any, tiles: Any, sampler: Any) -> None:
    """Redraw what nobody can know (R1.5) and advance the generator ``sampler[0]``."""
    sampler[0] = playout.resample_hidden(games[0], tiles, sampler[0])


@kernel
def observe(games: Any, tiles: Any, player: int, whole: bool, out: Any) -> None:
    """Write what a player sees to ``out``, the bytes of one flat observation."""
    write_observation(games[0], tiles, player, whole, out, 0)


@kernel
def counted_areas(games: Any, tiles: Any, action: int, areas: Any) -> int:
    """Write the areas that the scoring caused by a legal action counts; return their number, or -1.

    -1 says that the action causes no scoring. An action that causes two (R7.2 after R8.5) counts the
    first; the second finds no builders.
    """
    scratch = games[:1].copy()
    game = scratch[0]
    if action < BUILDER:
        tile = game.vaults[action // SQUARES]
        if tiles[tile].crown and (game.king + 1) % SCORING_EVERY == 0:
            rules.put_tile(game, tiles, tile, action % SQUARES)
            return list_areas(scratch, areas)
    rules.apply(game, tiles, action)
    return list_areas(scratch, areas) if game.decision == OVER else NONE
