"""Games seen through symmetries, so that a network learns from one game what holds for its images.

Each game of an update is seen through a symmetry of its own (:mod:`basilica_env.envs.symmetry`): the network
gets the image and answers with an action of the image, so what it learns from is what it decided on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from basilica_env.agents.sight import AREA_PARTS, Sight
from basilica_env.core.features import FEATURES
from basilica_env.core.layout import ACTIONS, COLOURS, SQUARES
from basilica_env.core.observation import OBSERVATION_PLANES, OBSERVATION_SIZE, PLANES_SIZE, SCALARS_SIZE
from basilica_env.envs.symmetry import EXACT, IDENTITY, Symmetry, symmetries

KINDS: dict[str, list[Symmetry]] = {"none": [IDENTITY], "mirror": list(EXACT), "all": symmetries()}
"""The symmetries of each kind of augmentation."""


class Views:
    """The symmetry through which each of n games is seen.

    Parameters
    ----------
    kind : ``"none"``, ``"mirror"`` or ``"all"``
    games : n
    """

    def __init__(self, kind: str, games: int) -> None:
        chosen = KINDS[kind]
        sources = [symmetry.observation(np.arange(OBSERVATION_SIZE)) for symmetry in chosen]
        self._channels = np.stack([_channels(source) for source in sources])
        self._squares = np.stack([source[:SQUARES] % SQUARES for source in sources])
        self._scalars = np.stack([_scalars(source) for source in sources])
        self._actions = np.stack([symmetry.policy(np.arange(ACTIONS)) for symmetry in chosen])
        self._number = len(chosen)
        self._of = np.zeros(games, np.int64)
        self.are_plain = self._number == 1
        """Whether every game is seen as it is."""

    def draw(self, rng: np.random.Generator) -> None:
        """Draw a symmetry for each game, each as likely as another."""
        if not self.are_plain:
            self._of = rng.integers(self._number, size=len(self._of))

    def image(self, seen: Sight) -> Sight:
        """Return what is seen of all games through their symmetries."""
        if self.are_plain:
            return seen
        rows = np.arange(len(self._of))[:, np.newaxis]
        squares = seen.squares[
            rows[:, :, np.newaxis],
            self._squares[self._of][:, :, np.newaxis],
            self._channels[self._of][:, np.newaxis],
        ]
        parts = np.arange(seen.gains.shape[1])[:, np.newaxis]
        gains = seen.gains[rows[:, :, np.newaxis], parts, self._actions[self._of][:, np.newaxis]]
        return Sight(squares, seen.scalars[rows, self._scalars[self._of]], gains)

    def mask(self, mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the masks of all games through their symmetries, shape (n, 667)."""
        if self.are_plain:
            return mask
        image: NDArray[np.uint8] = mask[np.arange(len(mask))[:, np.newaxis], self._actions[self._of]]
        return image

    def real(self, actions: NDArray[np.int64], games: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the actions in some games that belong to those of their images."""
        return actions if self.are_plain else self._actions[self._of[games], actions]


def _channels(source: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which channel each channel of the squares comes from."""
    planes = source[:PLANES_SIZE].reshape(OBSERVATION_PLANES, SQUARES)[:, 0] // SQUARES
    parts = len(AREA_PARTS)
    areas = parts * planes[:COLOURS, np.newaxis] + np.arange(parts)  # the first planes are the colours
    return np.concatenate((planes, OBSERVATION_PLANES + areas.reshape(-1)))


def _scalars(source: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which scalar each one comes from; the features name no colour."""
    return np.concatenate((source[PLANES_SIZE:] - PLANES_SIZE, SCALARS_SIZE + np.arange(FEATURES)))
