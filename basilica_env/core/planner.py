"""The turn planner: a beam search through the rest of the own turn.

A *step* is one action with all its choices, and with the opponent's answers that are worst for the
player. From each of the best positions so far the planner tries every step and keeps the ``width`` best
results, until the turn has ended in all of them. It plays the first action towards the best end. What
is hidden is redrawn once before (R1.5), so the true stack plays no part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.compile import kernel, part
from basilica_env.core.evaluate import OUTLOOK
from basilica_env.core.greedy import best_settled
from basilica_env.core.layout import NONE, OVER, PLANES, PLAYERS, SPACES
from basilica_env.core.lookahead import DEPTH, is_settled, settle
from basilica_env.core.playout import count_legal, legal_action, resample_hidden
from basilica_env.core.random import advance, mix
from basilica_env.core.rules import apply, decider
from basilica_env.core.share import share_out

MOST_STEPS = 8
"""Steps of a turn that are looked through: three actions, and redraws."""

_GAMES_A_CLAIM = 4
"""The most games that a thread claims at a time: a plan takes a thousand times as long as a step."""

PLAN = np.dtype([("value", np.float64), ("action", np.int64), ("key", np.uint64)], align=True)
"""A line of play: what it leads to is worth, its first action, and a number for the position it leads to."""


@kernel
def _key(game: Any) -> Any:
    """Return a number that is the same for equal positions of a turn, and hardly ever for others."""
    key = mix(np.uint64(64 * game.king + 4 * game.actions + game.turn))
    key = mix(key ^ np.uint64(64 * game.decision + game.square + 1))  # where a builder may follow (R5.1)
    for player in range(PLAYERS):
        key = mix(key ^ np.uint64(4 * game.scores[player] + game.coins[player]))
    for plane in range(PLANES):
        key = mix(key ^ game.planes[plane])
    for space in range(SPACES):
        key = mix(key ^ np.uint64(64 * (game.orders[space] + 1) + game.vaults[space] + 1))
    return key


@kernel
def _keep(plans: Any, games: Any, size: int, value: float, action: int, game: Any) -> int:
    """Keep a line if it is among the best that there is room for; return the number of lines kept."""
    place: Any = size
    if size == len(plans):
        place = np.argmin(plans.value)
        if value <= plans[place].value:
            return size
    key = _key(game)
    for k in range(size):
        if plans[k].key == key:
            return size
    plans[place].value = value
    plans[place].action = action
    plans[place].key = key
    games[place] = game
    return max(size, place + 1)


@kernel
def _add_steps(
    game: Any,
    tiles: Any,
    player: int,
    first: int,
    plans: Any,
    games: Any,
    size: int,
    end_plans: Any,
    end_games: Any,
    ended: int,
    work: Any,
) -> tuple[int, int]:
    """Try every step from a position; keep the best results within the turn, and the best that end it.

    Parameters
    ----------
    first : the first action of the line so far, or NONE
    plans, games : the results within the turn, ``size`` of them
    end_plans, end_games : the ends of the turn, ``ended`` of them
    work : GAME array, shape (3 * DEPTH,), overwritten

    Returns
    -------
    The numbers of results and of ends kept.
    """
    line = work[:DEPTH]
    below = work[DEPTH : 2 * DEPTH]
    settled = work[2 * DEPTH :]
    following = np.zeros(DEPTH, np.int64)
    level = 0
    line[0] = game
    while level >= 0:
        if level > 0 and (is_settled(line[level]) or decider(line[level]) != player):
            below[0] = line[level]
            value = settle(below, settled, tiles, player, OUTLOOK)
            action = first if first != NONE else legal_action(line[0], following[0] - 1)
            end = settled[0]
            if end.turn == player and end.decision != OVER:
                size = _keep(plans, games, size, value, action, end)
            else:
                ended = _keep(end_plans, end_games, ended, value, action, end)
            level -= 1
        elif following[level] == count_legal(line[level]):
            level -= 1
        else:
            line[level + 1] = line[level]
            apply(line[level + 1], tiles, legal_action(line[level], following[level]))
            following[level] += 1
            level += 1
            following[level] = 0
    return size, ended


@kernel
def ends_of_turn(root: Any, tiles: Any, width: int, plans: Any, games: Any) -> int:
    """Find the best ends of the turn of the player who decides; return the number of those kept.

    The position is taken as it is, what is hidden included: redraw that before.

    Parameters
    ----------
    root : GAME array, shape (1,), of a player whose turn it is
    width : positions kept after each step
    plans, games : PLAN and GAME arrays, overwritten: the best ends, as many as there is room for, with the
        actions towards them. If the turn ends in no line in time, they are positions within it
    """
    work = np.empty(3 * DEPTH, root.dtype)
    beam = np.empty(width, root.dtype)
    results = np.empty(width, root.dtype)
    next_lines: Any = np.zeros(width, PLAN)
    lines: Any = np.zeros(width, PLAN)
    player = root[0].turn
    beam[0] = root[0]
    lines[0].action = NONE
    kept = 1
    ended = 0
    for _ in range(MOST_STEPS):
        size = 0
        for k in range(kept):
            size, ended = _add_steps(
                beam[k], tiles, player, lines[k].action, next_lines, results, size, plans, games, ended, work
            )
        if size == 0:
            break
        beam, results = results, beam
        lines, next_lines = next_lines, lines
        kept = size
    if ended == 0:
        for k in range(kept):
            ended = _keep(plans, games, ended, lines[k].value, lines[k].action, beam[k])
    return ended


@kernel
def plan(games: Any, tiles: Any, width: int, state: Any) -> int:
    """Return the planned action for ``games[0]``.

    Parameters
    ----------
    width : positions kept after each step
    state : uint64, generator state for redrawing what is hidden
    """
    root = games[:1].copy()
    resample_hidden(root[0], tiles, state)
    if root[0].turn != decider(root[0]):
        return best_settled(root[0], tiles, OUTLOOK, np.empty(2 * DEPTH, games.dtype), state)
    best: Any = np.zeros(1, PLAN)
    ends_of_turn(root, tiles, width, best, np.empty(1, games.dtype))
    return best[0].action


@part
def _planned_rows(
    states: Any, tiles: Any, indices: Any, width: int, actions: Any, start: int, stop: int, step: int
) -> None:
    game = np.empty(1, states[:1]["game"].dtype)
    for k in range(start, stop, step):
        state = states[indices[k]]
        actions[k] = 0
        if state.game.decision != OVER:
            state.sampler = advance(state.sampler)
            game[0] = state.game
            actions[k] = plan(game, tiles, width, state.sampler)


@kernel
def planned_actions(states: Any, tiles: Any, indices: Any, width: int, actions: Any, board: Any) -> None:
    """Write the planned action for each game of a batch; 0 for a finished one."""
    share_out(board, len(indices), _GAMES_A_CLAIM, _planned_rows, states, tiles, indices, width, actions)
