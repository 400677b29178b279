"""What an agent is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from basilica_env.envs.batch import BatchEnv
from basilica_env.game import GameState


class AgentSpecError(ValueError):
    """A spec that names no agent, or a parameter that the agent does not have."""


@runtime_checkable
class Agent(Protocol):
    """Plays one game at a time. It decides from what is open (R1.5) and leaves the state as it is."""

    name: str

    def act(self, state: GameState) -> int:
        """Return a legal action for the player who decides."""
        ...


@runtime_checkable
class BatchAgent(Agent, Protocol):
    """Plays many games by one call as well."""

    def act_batch(self, env: BatchEnv, indices: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return a legal action for each game of a batch, or for those of ``indices``."""
        ...
