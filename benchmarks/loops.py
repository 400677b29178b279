"""Loops that drive an environment as its users do; the same loop for Basilica and for the others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt


def random_legal(mask: Any, generator: random.Random) -> int:
    """Choose an action uniformly among those that a mask of shape (actions,) allows."""
    legal = np.flatnonzero(mask)
    return int(legal[int(generator.random() * len(legal))])


def random_legal_each(masks: npt.NDArray[Any], generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """Choose an action for each game uniformly among those that masks of shape (games, actions) allow."""
    games, actions = masks.shape
    legal = np.flatnonzero(masks)
    starts = np.searchsorted(legal, np.arange(games + 1) * actions)
    chosen = starts[:-1] + (generator.random(games) * np.diff(starts)).astype(np.int64)
    drawn: npt.NDArray[np.int64] = legal[chosen] % actions
    return drawn


def aec_turns(env: Any, seed: int) -> Iterator[None]:
    """Play random games through PettingZoo's turn-based interface for ever; yield after each turn.

    The last steps of finished agents, which the interface asks for, are played but not counted.
    """
    generator = random.Random(seed)
    for game in count(seed):
        env.reset(seed=game)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(random_legal(observation["action_mask"], generator))
                yield
