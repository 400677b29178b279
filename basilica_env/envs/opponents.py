"""Who plays the other seat: an agent by its spec, an agent, or a function of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from basilica_env.agents import Agent, BatchAgent, make_agent
from basilica_env.core.observation import split
from basilica_env.envs.batch import BatchEnv
from basilica_env.game import GameState

ArrayPolicy = Callable[[Any, NDArray[np.bool_]], ArrayLike]
"""Observations of n games and their masks, bool of shape (n, 667), in; one action a game out. The
observations are a vector a row or a dict of ``planes`` and ``scalars``, as the environment's own."""

Opponent = str | Agent | ArrayPolicy


class Rival:
    """An opponent that can be asked for its action in one game or in several of a batch.

    Parameters
    ----------
    opponent : agent spec, agent or function of arrays
    seed : of the agent that a spec names; agents and functions see to their own
    form, dtype : of the observations for a function of arrays

    Raises
    ------
    AgentSpecError
        If the spec names no agent.
    TypeError
        If the opponent is none of the three.
    """

    def __init__(self, opponent: Opponent, seed: int, form: str, dtype: np.dtype[Any]) -> None:
        self._form = form
        self._dtype = dtype
        self._policy: ArrayPolicy | None = None
        player = make_agent(opponent, seed) if isinstance(opponent, str) else opponent
        if isinstance(player, Agent):
            self._agent: Agent = player
            self._in_batches = isinstance(player, BatchAgent)
        elif callable(player):
            self._policy = player
        else:
            raise TypeError(
                f"opponent {opponent!r}: expected an agent spec, an agent or a function of arrays"
            )

    def act(self, game: GameState) -> int:
        """Return the action in one game."""
        if self._policy is None:
            return int(self._agent.act(game))
        return int(self._ask(game.observe(dtype=self._dtype)[np.newaxis], game.legal_mask()[np.newaxis])[0])

    def act_batch(
        self, batch: BatchEnv, games: NDArray[np.int64], rows: NDArray[Any], masks: NDArray[np.uint8]
    ) -> NDArray[np.int64]:
        """Return the actions in some games of a batch.

        Parameters
        ----------
        games : their numbers, shape (n,)
        rows, masks : flat observations and masks of their deciders, a row a game
        """
        if self._policy is not None:
            return self._ask(rows, masks)
        if self._in_batches:
            return self._agent.act_batch(batch, games)  # type: ignore[attr-defined, no-any-return]
        return np.array([self._agent.act(batch.game(int(game))) for game in games], np.int64)

    def _ask(self, rows: NDArray[Any], masks: NDArray[np.uint8]) -> NDArray[np.int64]:
        assert self._policy is not None
        actions = np.asarray(self._policy(in_form(rows, self._form), masks.view(np.bool_)))
        if actions.shape != masks.shape[:1] or actions.dtype.kind not in "iu":
            raise ValueError(
                f"the opponent returned actions of shape {actions.shape} and dtype {actions.dtype}: expected "
                f"integers of shape {masks.shape[:1]}"
            )
        return actions.astype(np.int64, copy=False)


def in_form(rows: NDArray[Any], form: str) -> Any:
    """Return flat observations as they are (``flat``) or as views of planes and scalars (``dict``)."""
    if form == "flat":
        return rows
    planes, scalars = split(rows)
    return {"planes": planes, "scalars": scalars}
