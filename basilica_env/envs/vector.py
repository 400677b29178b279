"""Gymnasium's vector interface on the batch engine."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, DTypeLike, NDArray

from basilica_env.core.layout import ACTIONS
from basilica_env.envs.batch import RewardKind
from basilica_env.envs.opponents import Opponent
from basilica_env.envs.seats import SeatedGames
from basilica_env.envs.spaces import MASK_DTYPE, check_choice, mask_space, observation_spaces
from basilica_env.envs.threads import whole_number
from basilica_env.game import GameState, Tiles
from basilica_env.render.modes import RENDER_MODES, Renderer

Step = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class BasilicaVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games of one seat; ``gymnasium.make_vec("Basilica-v0", num_envs=...)`` makes it.

    All games are stepped by the batch engine, and the opponents of all games decide together. Observations
    and infos are new arrays after every call.

    Parameters
    ----------
    num_envs : number of games
    opponent : agent spec, agent, or function of arrays (see :data:`basilica_env.envs.opponents.ArrayPolicy`)
    seat : the learner's: 0, 1, ``"random"`` or ``"alternate"`` (game i begins with seat i % 2)
    reward : ``"win"``, ``"margin"`` or ``"score"``, for the learner's seat
    observation, dtype : ``"flat"`` or ``"dict"``; ``float32`` or ``uint8``
    tiles : a tile set, the path of one, or ``"standard"``
    threads : threads of the engine
    autoreset_mode : ``"NextStep"``, ``"SameStep"``, ``"Disabled"``, Gymnasium's ``AutoresetMode``, or the
        names that :class:`basilica_env.BatchEnv` has for them
    render_mode : ``"ansi"``, ``"svg"``, ``"rgb_array"`` or None

    Raises
    ------
    ValueError
        If an argument is none of its choices.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [mode for mode in RENDER_MODES if mode != "human"],
        "render_fps": 2,
    }

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Opponent = "random",
        seat: str | int = "random",
        reward: RewardKind = "win",
        observation: str = "flat",
        dtype: DTypeLike = np.float32,
        tiles: Tiles = "standard",
        threads: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.render_mode = render_mode
        self.num_envs = num_envs = whole_number("num_envs", num_envs, least=1)
        boxes = observation_spaces(observation, dtype)
        self.single_observation_space = spaces.Dict({**boxes, "action_mask": mask_space()})
        self.single_action_space = spaces.Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._games = SeatedGames(num_envs, opponent, seat, reward, observation, dtype, tiles, threads)
        self._over = np.zeros(num_envs, np.bool_)

    @property
    def opponent(self) -> Opponent:
        """Who plays the other seat; may be changed at any time."""
        return self._games.opponent

    @opponent.setter
    def opponent(self, opponent: Opponent) -> None:
        self._games.opponent = opponent

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin games anew.

        Parameters
        ----------
        seed : fixes deals, seats and an opponent given by its spec
        options : ``reset_mask``, bool array of shape (num_envs,): the games to begin; without it, all

        Raises
        ------
        ValueError
            If the mask does not fit, or there is another option: many games do not begin from one position.
        """
        for name in options or {}:
            check_choice("option of reset", name, ("reset_mask",))
        super().reset(seed=seed)
        if options is None or options.get("reset_mask") is None:
            self._games.begin(seed)
            self._over = np.zeros(self.num_envs, np.bool_)
            return self._observation(), self._info(None)
        begun = np.asarray(options["reset_mask"])
        if begun.shape != (self.num_envs,) or begun.dtype != np.bool_ or not begun.any():
            raise ValueError(
                f"option 'reset_mask' has shape {begun.shape}, dtype {begun.dtype} and names "
                f"{np.count_nonzero(begun)} games: expected shape {(self.num_envs,)}, dtype bool, 1 or more"
            )
        self._games.restart(np.flatnonzero(begun), seed)
        self._over = self._over & ~begun
        return self._observation(), self._info(begun)

    def step(self, actions: ArrayLike) -> Step:
        """Play the learner's actions and the opponents' until the learner decides again.

        Parameters
        ----------
        actions : integers, shape (num_envs,); with ``NextStep`` those of games that the last step ended
            are ignored

        Raises
        ------
        IllegalActionError
            If an action is illegal; no game has changed. If a game is over and autoreset is ``Disabled``.
        """
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and self._over.any():
            self._step_or_begin(np.asarray(actions))
        else:
            self._games.step(actions)
        rewards, self._over = self._games.rewards, self._games.over
        terminations = self._over.copy()
        final: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and terminations.any():
            final = self._final(terminations)
            self._games.restart(np.flatnonzero(terminations))
        truncations = np.zeros(self.num_envs, np.bool_)
        return self._observation(), rewards, terminations, truncations, {**self._info(None), **final}

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for each game, each equally likely; 0 for a finished game."""
        return self._games.batch.sample_actions()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, shape (num_envs, 667); all False where the game is over."""
        return self._games.mask().view(np.bool_).copy()

    def game(self, index: int) -> GameState:
        """Return a copy of one game."""
        return self._games.batch.game(index)

    def render(self) -> tuple[Any, ...] | None:
        """Return a drawing of each game: text, an ``svg`` element, or pixels; None without a mode."""
        if self.render_mode is None:
            return None
        renderer = Renderer(self.render_mode)
        return tuple(renderer.render(self.game(index)) for index in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ARG002  (Gymnasium's signature)
        """End the threads of the engine."""
        self._games.close()

    # --- Inside -----------------------------------------------------------------------------------

    def _step_or_begin(self, actions: NDArray[Any]) -> None:
        """Step the games in progress and begin those that the last step ended."""
        if actions.shape != (self.num_envs,):
            raise ValueError(f"actions have shape {actions.shape}: expected {(self.num_envs,)}")
        playing = np.flatnonzero(~self._over)
        self._games.step(actions[playing], playing)
        self._games.restart(np.flatnonzero(self._over))

    def _observation(self) -> dict[str, Any]:
        seen = self._games.observation()
        parts = seen if isinstance(seen, dict) else {"observation": seen}
        return {**parts, "action_mask": self._games.mask().view(MASK_DTYPE)}

    def _info(self, present: NDArray[np.bool_] | None) -> dict[str, Any]:
        """Return the infos of games: arrays a key, and under ``_key`` whether a game has it."""
        has = np.ones(self.num_envs, np.bool_) if present is None else present
        parts = {
            "action_mask": self._games.mask().view(MASK_DTYPE),
            "seat": self._games.seats,
            "scores": self._games.scores,
        }
        return {**parts, **{f"_{key}": has.copy() for key in parts}}

    def _final(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the last observations and infos of games, as Gymnasium packs them."""
        games = np.flatnonzero(ended)
        observation = self._observation()
        rows = {key: value[games] for key, value in observation.items()}
        final_obs = np.full(self.num_envs, None, object)
        for k, game in enumerate(games):
            final_obs[game] = {key: value[k] for key, value in rows.items()}
        final_info = {
            key: value.copy() if key.startswith("_") else _only(value, games)
            for key, value in self._info(ended).items()
        }
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }


def _only(values: NDArray[Any], games: NDArray[np.int64]) -> NDArray[Any]:
    """Return the rows of some games, zeros elsewhere."""
    kept = np.zeros_like(values)
    kept[games] = values[games]
    return kept


def _autoreset_mode(mode: str | AutoresetMode) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    engine = {"next-step": "NextStep", "same-step": "SameStep", "disabled": "Disabled"}
    name = engine.get(mode, mode)
    check_choice("autoreset_mode", name, tuple(known.value for known in AutoresetMode))
    return AutoresetMode(name)
