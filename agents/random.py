"""The random player."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from basilica_env.envs.batch import BatchEnv
from basilica_env.game import GameState


class RandomAgent:
    """Plays every legal action with the same probability.

    Parameters
    ----------
    seed : non-negative int, or None for a fresh one. In a batch every game has its own stream instead.
    """

    name = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, state: GameState) -> int:
        """Return a random legal action."""
        return state.sample_action(self._rng)

    def act_batch(self, env: BatchEnv, indices: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return a random legal action for each game."""
        return env.sample_actions(indices)
