"""Stable-Baselines3's vector interface on the batch engine, for MaskablePPO of sb3-contrib."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import DTypeLike, NDArray

try:
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        'basilica_env.envs.sb3 needs Stable-Baselines3: pip install "basilica-env[train]"'
    ) from error

from basilica_env.core.layout import ACTIONS, PLAYERS
from basilica_env.envs.batch import RewardKind
from basilica_env.envs.opponents import Opponent
from basilica_env.envs.seats import SeatedGames
from basilica_env.envs.spaces import check_choice, observation_spaces
from basilica_env.game import Tiles
from basilica_env.render.modes import pixels

Indices = None | int | Iterable[int]


class BasilicaVecEnv(VecEnv):
    """Many games of one seat for Stable-Baselines3.

    The observation is a vector (``MlpPolicy``) or a dict of planes and scalars (``MultiInputPolicy``).
    Masks come from ``env_method("action_masks")``, where MaskablePPO asks for them. Finished games begin
    anew in the same step. Their last observation is in ``infos[i]["terminal_observation"]``, their
    statistics are in ``infos[i]["episode"]`` as from SB3's ``Monitor`` (``r`` return, ``l`` decisions of
    the learner, ``t`` seconds), their scores in ``infos[i]["scores"]``, player 0 first, and the learner's
    seat in ``infos[i]["seat"]``.

    Parameters
    ----------
    num_envs : number of games
    opponent : agent spec, agent, or function of arrays (see :data:`basilica_env.envs.opponents.ArrayPolicy`)
    seat : the learner's: 0, 1, ``"random"`` or ``"alternate"`` (game i begins with seat i % 2)
    reward : ``"win"``, ``"margin"`` or ``"score"``, for the learner's seat
    observation, dtype : ``"flat"`` or ``"dict"``; ``float32`` or ``uint8``
    tiles : a tile set, the path of one, or ``"standard"``
    threads : threads of the engine
    seed : as if ``seed(seed)`` were called; ``reset`` then begins these games
    render_mode : ``"ansi"``, ``"rgb_array"`` or None

    Raises
    ------
    ValueError
        If an argument is none of its choices.
    """

    def __init__(
        self,
        num_envs: int,
        opponent: Opponent = "random",
        seat: str | int = "random",
        reward: RewardKind = "win",
        observation: str = "flat",
        dtype: DTypeLike = np.float32,
        tiles: Tiles = "standard",
        threads: int = 1,
        seed: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_choice("render_mode", render_mode, (None, "ansi", "rgb_array"))
        boxes = observation_spaces(observation, dtype)
        self._games = SeatedGames(num_envs, opponent, seat, reward, observation, dtype, tiles, threads)
        self._actions = np.zeros(num_envs, np.int64)
        self._started = time.monotonic()
        self._shared: dict[str, Any] = {"render_mode": render_mode, "spec": None}
        self._methods: dict[str, Callable[[int], Any]] = {
            "action_masks": lambda game: self.action_masks()[game],
            "game": self._games.batch.game,
            "render": self._games.batch.render,
            "to_text": self._games.batch.to_text,
        }
        space = boxes["observation"] if "observation" in boxes else spaces.Dict(boxes)  # type: ignore[arg-type]
        super().__init__(num_envs, space, spaces.Discrete(ACTIONS))
        if seed is not None:
            self.seed(seed)

    # --- Play -------------------------------------------------------------------------------------

    @property
    def opponent(self) -> Opponent:
        """Who plays the other seat; may be changed at any time, as for self-play."""
        return self._games.opponent

    @opponent.setter
    def opponent(self, opponent: Opponent) -> None:
        self._games.opponent = opponent

    def reset(self) -> Any:
        """Begin all games anew; return the observations. ``seed`` before it fixes everything."""
        self._games.begin(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{"seat": int(seat)} for seat in self._games.seats]
        return self._games.observation()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions for :meth:`step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the learner's actions and the opponents' until she decides again.

        Raises
        ------
        IllegalActionError
            If an action is illegal; no game has changed.
        """
        games = self._games
        games.step(self._actions)
        rewards, dones = games.rewards.astype(np.float32), games.over.copy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        if ended.size:
            self._tell(ended, infos)
            games.restart(ended)
        return games.observation(), rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, shape (num_envs, 667)."""
        return self._games.mask().view(np.bool_)

    def close(self) -> None:
        """End the threads of the engine."""
        self._games.close()

    def _tell(self, ended: NDArray[np.int64], infos: list[dict[str, Any]]) -> None:
        """Write the infos of games that have ended."""
        last = self._games.observation(ended)
        seconds = round(time.monotonic() - self._started, 6)
        for k, game in enumerate(ended):
            row = {key: part[k] for key, part in last.items()} if isinstance(last, dict) else last[k]
            infos[game] = {
                "terminal_observation": row,
                "TimeLimit.truncated": False,
                "episode": {
                    "r": float(self._games.returns[game]),
                    "l": int(self._games.lengths[game]),
                    "t": seconds,
                },
                "seat": int(self._games.seats[game]),
                "scores": tuple(int(points) for points in self._games.scores[game]),
            }

    # --- What SB3 asks of environments one by one -------------------------------------------------

    def has_attr(self, attr_name: str) -> bool:
        """Return whether :meth:`get_attr` or :meth:`env_method` knows a name."""
        return attr_name in self._methods or attr_name in self._names()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute, the same for all games, or the learner's ``seat`` in each."""
        chosen = list(self._get_indices(indices))
        if attr_name == "seat":
            return [int(self._games.seats[game]) for game in chosen]
        if attr_name not in self._names():
            raise AttributeError(f"unknown attribute {attr_name!r}: expected one of {sorted(self._names())}")
        value = self.opponent if attr_name == "opponent" else self._shared[attr_name]
        return [value for _ in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set ``opponent`` for all games.

        Raises
        ------
        AttributeError
            If the name is another one.
        ValueError
            If only some of the games are named: they share their opponent.
        """
        if attr_name != "opponent":
            raise AttributeError(f"attribute {attr_name!r} cannot be set: expected 'opponent'")
        if len(set(self._get_indices(indices))) != self.num_envs:
            raise ValueError("the opponent belongs to all games: expected indices None")
        self.opponent = value

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return ``action_masks``, ``game``, ``render`` or ``to_text`` for each game."""
        if method_name not in self._methods or method_args or method_kwargs:
            given = f"{method_name!r} with arguments" if method_args or method_kwargs else repr(method_name)
            raise AttributeError(
                f"unknown method {given}: expected one of {sorted(self._methods)}, without any"
            )
        return [self._methods[method_name](int(game)) for game in self._get_indices(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """Return True for ``Monitor``, whose statistics the infos have, and False for any other wrapper."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """Return a picture of each game, uint8 of shape (656, 768, 3), with ``render_mode="rgb_array"``."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        return [pixels(self._games.batch.game(index)) for index in range(self.num_envs)]

    def _names(self) -> set[str]:
        return {"opponent", "seat", *self._shared}


class SeatResult(NamedTuple):
    """How games from one seat ended."""

    wins: int
    ties: int
    losses: int

    @property
    def score(self) -> float:
        """The share of wins, a tie counted as half of one."""
        return (self.wins + self.ties / 2) / sum(self)


def evaluate(
    model: Any,
    opponent: Opponent = "random",
    games: int = 400,
    seed: int = 0,
    deterministic: bool = True,
    **settings: Any,
) -> tuple[SeatResult, SeatResult]:
    """Play a model, by the mask, from both seats; return what came out from seat 0 and from seat 1.

    All games of a seat run side by side and each counts once, so short games do not count more.

    Parameters
    ----------
    model : with ``predict(observation, action_masks=..., deterministic=...)``, as MaskablePPO
    opponent : agent spec, agent or function of arrays
    games : number of games, half of them from each seat
    seed : of the games
    deterministic : whether the model plays its best action instead of drawing one
    **settings
        ``observation``, ``dtype``, ``tiles`` and ``threads`` that the model was trained with.
    """
    first, second = (
        _evaluate_seat(model, opponent, seat, games // 2, seed + seat, deterministic, settings)
        for seat in range(PLAYERS)
    )
    return first, second


def _evaluate_seat(
    model: Any,
    opponent: Opponent,
    seat: int,
    games: int,
    seed: int,
    deterministic: bool,
    settings: dict[str, Any],
) -> SeatResult:
    envs = BasilicaVecEnv(games, opponent, seat, seed=seed, **settings)
    observation = envs.reset()
    results = np.full(games, np.nan)
    while np.isnan(results).any():
        actions, _ = model.predict(observation, action_masks=envs.action_masks(), deterministic=deterministic)
        observation, rewards, dones, _ = envs.step(actions)
        counted = dones & np.isnan(results)
        results[counted] = rewards[counted]
    envs.close()
    return SeatResult(*(int((results == result).sum()) for result in (1, 0, -1)))


class EvaluateCallback(BaseCallback):
    """Evaluates the model every so many steps and logs its share of points from each seat.

    Parameters
    ----------
    every : environment steps between two evaluations
    **settings
        What :func:`evaluate` takes.

    Attributes
    ----------
    results : list of tuple
        The steps and the two :class:`SeatResult` of each evaluation.
    """

    def __init__(self, every: int, **settings: Any) -> None:
        super().__init__()
        self.results: list[tuple[int, SeatResult, SeatResult]] = []
        self._every = every
        self._next = every
        self._settings = settings

    def _on_step(self) -> bool:
        if self.num_timesteps >= self._next:
            self._next = self.num_timesteps + self._every
            results = evaluate(self.model, **self._settings)
            self.results.append((self.num_timesteps, *results))
            for seat, result in enumerate(results):
                self.logger.record(f"eval/score_seat_{seat}", result.score)
        return True
