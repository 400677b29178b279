"""Basilica in PettingZoo's interface for turns (AEC): ``env()``, ``raw_env()`` and ``decisions()``.

The page "Environment" of the documentation describes spaces, actions, rewards and the life cycle.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from copy import copy, deepcopy
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import DTypeLike, NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from basilica_env import notation
from basilica_env.core.layout import ACTIONS, PLAYERS
from basilica_env.core.observation import split
from basilica_env.core.tiles import shown, tile_set
from basilica_env.envs.rewards import ILLEGAL, PENALTY, REWARDS, forfeit_reward, lead, step_reward
from basilica_env.envs.spaces import MASK_DTYPE, check_choice, check_dtype, mask_space, observation_spaces
from basilica_env.envs.starts import start_game
from basilica_env.game import GameState, IllegalMoveError, Tiles
from basilica_env.render.modes import RENDER_MODES, Renderer

__all__ = ["EnvState", "LiveGameWrapper", "decisions", "env", "raw_env"]

AGENTS = tuple(f"player_{player}" for player in range(PLAYERS))


def env(**kwargs: Any) -> LiveGameWrapper:
    """Return the environment in a wrapper that names calls in the wrong order.

    Parameters
    ----------
    **kwargs
        The parameters of :class:`raw_env`.
    """
    return LiveGameWrapper(raw_env(**kwargs))


def decisions(env: Any) -> Iterator[tuple[str, dict[str, Any], float, dict[str, Any]]]:
    """Iterate over the decisions of a game; the caller steps after each.

    The dead steps at the end are taken here. What they would have paid is in ``env.final_rewards``.

    Parameters
    ----------
    env : an environment of this module, after ``reset``

    Yields
    ------
    tuple
        The agent, its observation, what it has been paid since its last decision, its info.
    """
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            yield agent, observation, reward, info


class EnvState(NamedTuple):
    """A game in progress and its accounts: what :meth:`raw_env.get_state` returns."""

    game: GameState
    agents: list[str]
    agent_selection: str
    rewards: dict[str, float]
    cumulative_rewards: dict[str, float]
    final_rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    last_move: str | None


class raw_env(AECEnv[str, dict[str, Any], int | None]):  # type: ignore[misc]  # noqa: N801
    """Basilica without a wrapper.

    Parameters
    ----------
    render_mode : {"ansi", "svg", "rgb_array", "human"}, optional
        What :meth:`render` returns: text for the terminal, an ``svg`` element, or pixels. ``human``: a window
        shows every position. Pictures and windows need the extra ``render``.
    reward : {"win", "margin", "score"}
        ``win``: +1, 0 or -1 at the end. ``margin``: the difference of the scores at the end, in units of 50
        points. ``score``: points when they are scored minus the opponent's, in the same unit.
    tiles : str, path or TileSet
        ``"standard"``, a tile set or the path of one (R1.4).
    illegal : {"raise", "lose", "penalty"}
        An illegal action raises ``IllegalMoveError`` and changes nothing; or it loses the game; or the player
        pays 0.1 to the opponent and decides again.
    observation : {"flat", "dict"}
        One vector, or a dict of ``planes`` and ``scalars``.
    dtype : {"float32", "uint8"}
        Entries divided by their units, or whole numbers.
    waiting_mask : {"zeros", "ones"}
        The action mask of a player who has nothing to decide.

    Attributes
    ----------
    game : GameState
        The game in progress.
    final_rewards : dict of str to float
        Empty until the game is over; then what each player has been paid since her last decision.

    Raises
    ------
    ValueError
        If an argument is none of its choices or the tile set has a fault.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (declared by PettingZoo)
        "name": "basilica_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    game: GameState
    final_rewards: dict[str, float]
    infos: dict[str, dict[str, Any]]

    def __init__(
        self,
        render_mode: str | None = None,
        reward: str = "win",
        tiles: Tiles = "standard",
        illegal: str = "raise",
        observation: str = "flat",
        dtype: DTypeLike = np.float32,
        waiting_mask: str = "zeros",
    ) -> None:
        super().__init__()
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        check_choice("reward", reward, REWARDS)
        check_choice("illegal", illegal, ILLEGAL)
        check_choice("waiting_mask", waiting_mask, ("zeros", "ones"))
        self.render_mode = render_mode
        self.metadata = dict(self.metadata)  # its own, so that `render_fps` can be set for one window
        self._renderer = None if render_mode is None else Renderer(render_mode)
        self.reward = reward
        self.tiles = tile_set(tiles)
        self.illegal = illegal
        self.possible_agents = list(AGENTS)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in AGENTS}
        self.observation_spaces = {
            agent: _observation_space(observation_spaces(observation, dtype)) for agent in AGENTS
        }
        self._flat = observation == "flat"
        self._dtype = check_dtype(dtype)
        self._waiting = np.full(ACTIONS, waiting_mask == "ones", MASK_DTYPE)
        self._seeds = np.random.default_rng()
        self._last_move: str | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the agent's observations, each time the same object."""
        check_choice("agent", agent, AGENTS)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the agent's actions, each time the same object."""
        check_choice("agent", agent, AGENTS)
        return self.action_spaces[agent]

    # --- A game -----------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Parameters
        ----------
        seed : int, optional
            Deals the game ``GameState.new(seed)`` and fixes all later resets without a seed.
        options : dict, optional
            ``position``: a position text to start from. ``tiles``: a tile set or its path, kept for later
            games.

        Raises
        ------
        ValueError
            If an option has a fault or the position is over; the game in progress goes on.
        """
        seeds = self._seeds if seed is None else np.random.default_rng(seed)
        game_seed = int(seeds.integers(2**63)) if seed is None else seed
        self.game = start_game(game_seed, self.tiles, options)
        self.tiles = self.game.tiles
        self._seeds = seeds
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.final_rewards = {}
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.game.player]
        self._last_move = None
        self._show()

    def step(self, action: int | None) -> None:
        """Play the action of the player who decides; a dead agent takes None.

        Raises
        ------
        IllegalMoveError
            If the action is illegal and ``illegal`` is ``"raise"``, or if it is no number from 0 to 666.
        ValueError
            If a dead agent is given an action, or no agent is left.
        """
        agent = self.agent_selection
        if self.terminations.get(agent, True):
            self._take_dead_step(action)
            return
        game, before = self.game, lead(self.game)
        number = _number(action, agent)
        marked = "" if self._renderer is None else self._renderer.marks(game, number)
        try:
            game.apply(number)
        except IllegalMoveError:
            if self.illegal == "raise" or not 0 <= number < ACTIONS:
                raise
            self._punish(agent, number)
        else:
            if self.infos[agent]:
                self.infos = {name: {} for name in AGENTS}  # of an illegal action before this one
            self._last_move = marked
            self._cumulative_rewards[agent] = 0.0
            self._pay(step_reward(self.reward, before, game))
            if game.is_over:
                self._end({})
            else:
                self.agent_selection = AGENTS[game.player]
        self._show()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees now, as new arrays.

        Returns
        -------
        dict
            ``observation``: a vector, or a dict of ``planes`` and ``scalars``, seen from the agent's side.
            ``action_mask``: int8 array, shape (667,), for an agent who waits as ``waiting_mask`` says.
        """
        check_choice("agent", agent, AGENTS)
        seen: Any = self.game.observe(AGENTS.index(agent), self._dtype)
        if not self._flat:
            planes, scalars = split(seen)
            seen = {"planes": planes, "scalars": scalars}
        return {"observation": seen, "action_mask": self._mask(agent)}

    def _mask(self, agent: str) -> NDArray[np.int8]:
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            return self.game.legal_mask().view(MASK_DTYPE)
        return self._waiting.copy()

    def _pay(self, amount: float) -> None:
        """Pay player 0 an amount and player 1 its opposite."""
        for agent, reward in zip(AGENTS, (amount, -amount), strict=True):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward

    def _punish(self, agent: str, action: int) -> None:
        """Let an illegal action lose the game or cost a penalty."""
        sign = 1 if agent == AGENTS[0] else -1
        info = {"illegal": agent, "move": notation.action_words(action)}
        self._cumulative_rewards[agent] = 0.0
        if self.illegal == "lose":
            self._pay(sign * forfeit_reward(self.reward, sign * lead(self.game)))
            self._end(info)
        else:
            self._pay(-sign * PENALTY)
            self.infos = {name: dict(info) for name in AGENTS}

    def _end(self, info: dict[str, Any]) -> None:
        """End the game for both; the dead steps begin with player 0."""
        self.terminations = dict.fromkeys(AGENTS, True)
        self.final_rewards = dict(self._cumulative_rewards)
        self.infos = {agent: {"scores": self.game.scores, **info} for agent in AGENTS}
        self.agent_selection = AGENTS[0]

    def _take_dead_step(self, action: int | None) -> None:
        """Take leave of a dead agent; what it had to be paid has been paid."""
        agent = self.agent_selection
        if not self.agents:
            raise ValueError("the game is over for both agents: call reset")
        if action is not None:
            raise ValueError(f"the game is over for {agent}: expected the action None, got {action!r}")
        self.agents.remove(agent)
        for account in (
            self.rewards,
            self._cumulative_rewards,
            self.terminations,
            self.truncations,
            self.infos,
        ):
            del account[agent]
        self._clear_rewards()
        if self.agents:
            self.agent_selection = self.agents[0]

    # --- Copies -----------------------------------------------------------------------------------

    def get_state(self) -> EnvState:
        """Return the game in progress and its accounts, as a copy that can be pickled."""
        return deepcopy(
            EnvState(
                self.game,
                self.agents,
                self.agent_selection,
                self.rewards,
                self._cumulative_rewards,
                self.final_rewards,
                self.terminations,
                self.truncations,
                self.infos,
                self._last_move,
            )
        )

    def set_state(self, state: EnvState) -> None:
        """Go on from a state that :meth:`get_state` returned, here or in another environment.

        Raises
        ------
        TypeError
            If it is none; the game in progress goes on.
        """
        if not isinstance(state, EnvState):
            raise TypeError(
                f"state {shown(state)} has type {type(state).__name__}: expected what get_state() gave"
            )
        state = deepcopy(state)
        self.game = state.game
        self.agents = state.agents
        self.agent_selection = state.agent_selection
        self.rewards = state.rewards
        self._cumulative_rewards = state.cumulative_rewards
        self.final_rewards = state.final_rewards
        self.terminations = state.terminations
        self.truncations = state.truncations
        self.infos = state.infos
        self._last_move = state.last_move

    def clone(self, reseed: int | None = None) -> raw_env:
        """Return an environment with the same game in progress.

        Parameters
        ----------
        reseed : int, optional
            Redraw in the clone what the player who decides cannot know (R1.5), from this seed.
        """
        other = deepcopy(self)
        if reseed is not None:
            other.game.resample_hidden(np.random.default_rng(reseed))
        return other

    # --- Drawing ----------------------------------------------------------------------------------

    def render(self) -> str | NDArray[np.uint8] | None:
        """Draw the position with the last move marked.

        Returns
        -------
        str, ndarray or None
            Text (``ansi``), an ``svg`` element, pixels (``rgb_array``), uint8 of shape (656, 768, 3), or None
            (``human``). The window shows a position for 1 / ``metadata["render_fps"]`` seconds at least.

        Raises
        ------
        ImportError
            If the extra ``render`` is needed and not installed.
        """
        if self._renderer is None:
            modes = ", ".join(map(repr, RENDER_MODES))
            warnings.warn(f"render needs a render_mode: expected one of {modes} in env()", stacklevel=2)
            return None
        return self._renderer.render(self.game, self._last_move, self.metadata["render_fps"])

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Close the window, if one is open. The environment can still be used."""
        if self._renderer is not None:
            self._renderer.close()


class LiveGameWrapper(OrderEnforcingWrapper[str, dict[str, Any], int | None]):  # type: ignore[misc]
    """PettingZoo's check of the order of calls; copies of it keep the live game and can be played on."""

    env: raw_env

    def last(self, observe: bool = True) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Return what the agent to decide has to know, by one call through the wrapper and not seven."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self.env.last(observe)  # type: ignore[no-any-return]

    def set_state(self, state: EnvState) -> None:
        """Go on from a state, as :meth:`raw_env.set_state`; no reset is needed."""
        self.env.set_state(state)
        self._has_reset = self._has_updated = True

    def clone(self, reseed: int | None = None) -> LiveGameWrapper:
        """Return a wrapped environment with the same game in progress, as :meth:`raw_env.clone`."""
        other = copy(self)
        other.env = self.env.clone(reseed)
        return other

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._has_updated = True  # a copy taken inside a loop over agents begins a loop of its own

    def __str__(self) -> str:
        return str(self.env)


def _observation_space(boxes: dict[str, spaces.Box]) -> spaces.Dict:
    seen = boxes["observation"] if "observation" in boxes else spaces.Dict(boxes)  # type: ignore[arg-type]
    return spaces.Dict({"observation": seen, "action_mask": mask_space()})


def _number(action: Any, agent: str) -> int:
    try:
        return operator.index(action)
    except TypeError:
        raise IllegalMoveError(
            f"action {action!r} of {agent}: expected a whole number from 0 to {ACTIONS - 1}"
        ) from None
