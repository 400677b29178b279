"""The greedy player."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from basilica_env.envs.batch import BatchEnv
from basilica_env.game import GameState


class GreedyAgent:
    """Takes what is best for (my points - theirs) if the cathedral were scored now.

    It looks through the whole decision that it is in: an order with its choices, the opponent's best
    answer to an offer included. Among equally good actions it picks one at random.

    Parameters
    ----------
    seed : non-negative int, or None for a fresh one. In a batch every game has its own stream instead.
    """

    name = "greedy"

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, state: GameState) -> int:
        """Return the greedy action."""
        return state.greedy_action(self._rng)

    def act_batch(self, env: BatchEnv, indices: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return the greedy action for each game."""
        return env.greedy_actions(indices)
