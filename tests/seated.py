"""What the tests of the faces for one seat share: a referee that replays them move by move."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from basilica_env import GameState
from basilica_env.core.observation import split


def last_legal(_: Any, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """An opponent without chance: the last legal action of each game."""
    assert masks.dtype == np.bool_
    assert masks.any(axis=1).all()
    return np.array([np.flatnonzero(mask)[-1] for mask in masks])


class LastLegal:
    """The same opponent as an agent that plays one game at a time."""

    name = "last-legal"

    def act(self, state: GameState) -> int:
        return int(state.legal_actions()[-1])


def random_legal(masks: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action a row; 0 for a row without one."""
    return np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks], np.int64)


class Referee:
    """Replays one seat of a game against the opponent ``last_legal``."""

    def __init__(self, game: GameState, seat: int, reward: str) -> None:
        self.game = game.copy()
        self.seat = seat
        self._reward = reward
        self._answer()

    def step(self, action: int) -> float:
        """Play an action of the learner; return her reward."""
        before = self._lead()
        self.game.apply(action)
        self._answer()
        if self._reward == "score":
            return (self._lead() - before) / 50
        if not self.game.is_over:
            return 0.0
        return self._lead() / 50 if self._reward == "margin" else float(np.sign(self._lead()))

    def check(self, observation: dict[str, Any]) -> None:
        """Compare what the learner sees with the replay."""
        first = next(iter(observation.values()))
        row = self.game.observe(self.seat, first.dtype)
        if "observation" in observation:
            np.testing.assert_array_equal(observation["observation"], row)
        else:
            planes, scalars = split(row)
            np.testing.assert_array_equal(observation["planes"], planes)
            np.testing.assert_array_equal(observation["scalars"], scalars)
        mask = np.zeros(667) if self.game.is_over else self.game.legal_mask()
        np.testing.assert_array_equal(observation["action_mask"], mask)

    def _lead(self) -> int:
        return self.game.scores[self.seat] - self.game.scores[1 - self.seat]

    def _answer(self) -> None:
        while not self.game.is_over and self.game.player != self.seat:
            self.game.apply(int(self.game.legal_actions()[-1]))
