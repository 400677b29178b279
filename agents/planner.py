"""The turn planner."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from basilica_env.envs.batch import BatchEnv
from basilica_env.envs.threads import whole_number
from basilica_env.game import MOST_KEPT, GameState


class PlannerAgent:
    """Searches the rest of its turn by a beam and plays towards the best end of it.

    It judges positions without a search of the opponent's turn; see :mod:`basilica_env.core.planner` and
    :mod:`basilica_env.core.evaluate`.

    Parameters
    ----------
    width : positions kept after each action of the turn
    seed : non-negative int, or None for a fresh one: what is hidden is redrawn before each decision. In a
        batch every game has its own stream instead
    """

    def __init__(self, width: int = 200, seed: int | None = None) -> None:
        self._width = whole_number("width", width, least=1, most=MOST_KEPT)
        self.name = f"planner:width={width}"
        self._rng = np.random.default_rng(seed)

    def act(self, state: GameState) -> int:
        """Return the planned action."""
        return state.planned_action(self._width, self._rng)

    def act_batch(self, env: BatchEnv, indices: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return the planned action for each game."""
        return env.planned_actions(self._width, indices)
