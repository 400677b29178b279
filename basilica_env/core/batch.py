"""Many games at once: one call steps a range of them and writes what the players get to see.

Every kernel shares out the games ``indices`` on a board (:mod:`basilica_env.core.share`) and writes row
``k`` of the outputs for game ``indices[k]``. Games have nothing in common, so the result is the same
whoever works on which. An output that is not wanted is an array without rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core import rules
from basilica_env.core.bitboard import store_bits
from basilica_env.core.compile import kernel, part
from basilica_env.core.layout import (
    ACTIONS,
    GAME,
    MASK_WORDS,
    NONE,
    OVER,
)
from basilica_env.core.observation import OBSERVATION_SIZE, write_observation
from basilica_env.core.playout import random_action
from basilica_env.core.random import advance
from basilica_env.core.share import lower, share_out
from basilica_env.core.soundness import is_sound

BATCH_STATE = np.dtype([("game", GAME), ("sampler", np.uint64), ("length", np.int64)], align=True)
"""One game of a batch: its record, its stream for sampling, the decisions played so far."""

REWARD_WIN, REWARD_MARGIN, REWARD_SCORE = range(3)
MARGIN_UNIT = 50.0
"""Points that make a reward of 1 for the kinds ``margin`` and ``score``."""

RESET_SAME_STEP, RESET_NEXT_STEP, RESET_DISABLED = range(3)

CHUNK = 64
"""The most games that a thread claims at a time."""

_LAST_SHIFT = np.uint64((ACTIONS - 64) % 64)
_WORD_BITS = np.uint64(64)


@kernel
def write_mask(game: Any, out: Any, at: int) -> None:
    """Write the legal actions as bytes, 0 or 1, to ``out[at : at + ACTIONS]``."""
    for word in range(MASK_WORDS - 1):
        store_bits(out, at + 64 * word, game.legal[word])
    # The last 64 actions in one store that ends where the mask ends.
    low = game.legal[MASK_WORDS - 2] >> _LAST_SHIFT
    high = game.legal[MASK_WORDS - 1] << (_WORD_BITS - _LAST_SHIFT)
    store_bits(out, at + ACTIONS - 64, low | high)


@part
def _check_rows(
    states: Any, indices: Any, actions: Any, reset: int, first_wrong: Any, start: int, stop: int, step: int
) -> None:
    for k in range(start, stop, step):
        game = states[indices[k]].game
        is_over = game.decision == OVER
        # A finished game takes any action where its next step resets it, and none elsewhere.
        is_legal = reset == RESET_NEXT_STEP if is_over else rules.is_legal(game, actions[k])
        if not is_legal:
            lower(first_wrong, k)


@kernel
def _write_reward(game: Any, kind: int, gained: int, rewards: Any, k: int) -> None:
    """Write player 0's reward and its opposite; ``gained`` is by how much her lead grew."""
    reward = 0.0
    if kind == REWARD_SCORE:
        reward = gained / MARGIN_UNIT
    elif game.decision == OVER:
        lead = game.scores[0] - game.scores[1]
        reward = lead / MARGIN_UNIT if kind == REWARD_MARGIN else float(np.sign(lead))
    rewards[k, 0] = reward
    rewards[k, 1] = -reward


@kernel
def _write_views(
    game: Any, tiles: Any, k: int, whole: bool, mask: Any, bits: Any, observation: Any, players: Any
) -> None:
    """Write what belongs to the decision that a game is at."""
    player = rules.decider(game)
    players[k] = player
    if len(mask):
        write_mask(game, mask, k * ACTIONS)
    if len(bits):
        for word in range(MASK_WORDS):
            bits[k, word] = game.legal[word]
    if len(observation):
        write_observation(game, tiles, player, whole, observation, k * OBSERVATION_SIZE)


@part
def _view_rows(
    states: Any,
    tiles: Any,
    indices: Any,
    whole: bool,
    mask: Any,
    bits: Any,
    observation: Any,
    players: Any,
    start: int,
    stop: int,
    step: int,
) -> None:
    for k in range(start, stop, step):
        _write_views(states[indices[k]].game, tiles, k, whole, mask, bits, observation, players)


@kernel
def view(
    states: Any,
    tiles: Any,
    indices: Any,
    whole: bool,
    mask: Any,
    bits: Any,
    observation: Any,
    players: Any,
    board: Any,
) -> None:
    """Write mask, observation and decider of games that stay as they are."""
    share_out(
        board,
        len(indices),
        CHUNK,
        _view_rows,
        states,
        tiles,
        indices,
        whole,
        mask,
        bits,
        observation,
        players,
    )


@part
def _observe_rows(
    states: Any,
    tiles: Any,
    indices: Any,
    players: Any,
    whole: bool,
    out: Any,
    start: int,
    stop: int,
    step: int,
) -> None:
    for k in range(start, stop, step):
        write_observation(states[indices[k]].game, tiles, players[k], whole, out, k * OBSERVATION_SIZE)


@kernel
def observe(states: Any, tiles: Any, indices: Any, players: Any, whole: bool, out: Any, board: Any) -> None:
    """Write what player ``players[k]`` sees of game ``indices[k]``."""
    share_out(board, len(indices), CHUNK, _observe_rows, states, tiles, indices, players, whole, out)


@part
def _deal_rows(states: Any, tiles: Any, indices: Any, start: int, stop: int, step: int) -> None:
    for k in range(start, stop, step):
        rules.deal(states[indices[k]].game, tiles)
        states[indices[k]].length = 0


@kernel
def deal(states: Any, tiles: Any, indices: Any, board: Any) -> None:
    """Deal new games with the generators of the records."""
    share_out(board, len(indices), CHUNK, _deal_rows, states, tiles, indices)


@part
def _sample_rows(states: Any, indices: Any, actions: Any, start: int, stop: int, step: int) -> None:
    for k in range(start, stop, step):
        state = states[indices[k]]
        if state.game.decision == OVER:
            actions[k] = 0
        else:
            state.sampler = advance(state.sampler)
            actions[k] = random_action(state.game, state.sampler)


@kernel
def sample(states: Any, indices: Any, actions: Any, board: Any) -> None:
    """Write a random legal action for each game, each equally likely; 0 for a finished one."""
    share_out(board, len(indices), CHUNK, _sample_rows, states, indices, actions)


@part
def _step_rows(
    states: Any,
    tiles: Any,
    indices: Any,
    actions: Any,
    reward: int,
    reset: int,
    whole: bool,
    mask: Any,
    bits: Any,
    observation: Any,
    players: Any,
    rewards: Any,
    terminated: Any,
    scores: Any,
    lengths: Any,
    final_observation: Any,
    start: int,
    stop: int,
    step: int,
) -> None:
    for k in range(start, stop, step):
        state = states[indices[k]]
        game = state.game
        if game.decision == OVER:  # the check lets this pass only where the next step resets
            rules.deal(game, tiles)
            state.length = 0
            gained = 0
        else:
            lead = game.scores[0] - game.scores[1]
            rules.apply(game, tiles, actions[k])
            state.length += 1
            gained = game.scores[0] - game.scores[1] - lead
        over = game.decision == OVER
        _write_reward(game, reward, gained, rewards, k)
        terminated[k] = over
        scores[k, 0] = game.scores[0]
        scores[k, 1] = game.scores[1]
        lengths[k] = state.length
        if over and reset == RESET_SAME_STEP:
            if len(final_observation):
                for player in range(2):
                    at = (2 * k + player) * OBSERVATION_SIZE
                    write_observation(game, tiles, player, whole, final_observation, at)
            rules.deal(game, tiles)
            state.length = 0
        _write_views(game, tiles, k, whole, mask, bits, observation, players)


@kernel
def step(
    states: Any,
    tiles: Any,
    indices: Any,
    actions: Any,
    reward: int,
    reset: int,
    whole: bool,
    mask: Any,
    bits: Any,
    observation: Any,
    players: Any,
    rewards: Any,
    terminated: Any,
    scores: Any,
    lengths: Any,
    final_observation: Any,
    board: Any,
) -> int:
    """Play the actions, if all are legal, and write everything that follows from them.

    Parameters
    ----------
    states : BATCH_STATE array, shape (all games,)
    indices, actions : int64 arrays, shape (n,)
    reward, reset : one of the REWARD_ and RESET_ kinds
    whole : whether observations are ``uint8`` rather than ``float32``
    mask : bytes, n * ACTIONS of uint8
    bits : uint64 array, shape (n, MASK_WORDS)
    observation : bytes of n flat observations
    players : int64 array, shape (n,)
    rewards : float32 array, shape (n, 2)
    terminated : bool array, shape (n,)
    scores : int64 array, shape (n, 2), before a reset
    lengths : int64 array, shape (n,), decisions played, before a reset
    final_observation : bytes of n * 2 flat observations; for a game that is reset at once, what
        player 0 and player 1 saw at its end

    Returns
    -------
    The first row whose action is not legal, and then no game is changed; n if there is none.
    """
    first_wrong = np.full(1, len(indices))
    share_out(board, len(indices), CHUNK, _check_rows, states, indices, actions, reset, first_wrong)
    if first_wrong[0] == len(indices):
        share_out(
            board,
            len(indices),
            CHUNK,
            _step_rows,
            states,
            tiles,
            indices,
            actions,
            reward,
            reset,
            whole,
            mask,
            bits,
            observation,
            players,
            rewards,
            terminated,
            scores,
            lengths,
            final_observation,
        )
    return int(first_wrong[0])


@kernel
def first_unsound(states: Any, tiles: Any) -> int:
    """List the legal actions of records from outside anew; return the first unsound record, or NONE."""
    for i in range(len(states)):
        game = states[i].game
        if not is_sound(game, tiles):
            return i
        rules.list_legal(game, tiles)
    return NONE
