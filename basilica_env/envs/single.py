"""Gymnasium's environment: one seat of one game."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import DTypeLike, NDArray

from basilica_env import notation
from basilica_env.core.layout import ACTIONS, PLAYERS
from basilica_env.core.tiles import tile_set
from basilica_env.envs.opponents import Opponent, Rival, in_form
from basilica_env.envs.rewards import ILLEGAL, PENALTY, REWARDS, forfeit_reward, lead, step_reward
from basilica_env.envs.seats import check_seat
from basilica_env.envs.spaces import MASK_DTYPE, check_choice, check_dtype, mask_space, observation_spaces
from basilica_env.envs.starts import start_game
from basilica_env.game import GameState, IllegalMoveError, Tiles
from basilica_env.render.modes import RENDER_MODES, Renderer


class BasilicaEnv(gymnasium.Env[dict[str, Any], Any]):
    """One seat of Basilica; ``gymnasium.make("Basilica-v0")`` makes it. The other seat is played inside.

    Parameters
    ----------
    opponent : agent spec, agent, or function of arrays (see :data:`basilica_env.envs.opponents.ArrayPolicy`);
        an agent by its spec is seeded by ``reset(seed=...)``, any other sees to its own chance
    seat : the learner's: 0, 1, ``"random"`` (a draw each game) or ``"alternate"`` (0 first)
    reward : ``"win"``, ``"margin"`` or ``"score"``, for the learner's seat
    observation, dtype : ``"flat"`` or ``"dict"``; ``float32`` or ``uint8``
    tiles : a tile set, the path of one, or ``"standard"``
    illegal : ``"raise"``: an illegal action raises and changes nothing; ``"lose"``: it loses the game;
        ``"penalty"``: it costs 0.1 and the learner decides again
    render_mode : ``"ansi"``, ``"svg"``, ``"rgb_array"``, ``"human"`` or None; a window shows every position,
        also those that the opponent leaves

    Attributes
    ----------
    game : GameState
        The game in progress.
    seat : int
        The learner's seat in it.

    Raises
    ------
    ValueError
        If an argument is none of its choices.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # type: ignore[misc]

    game: GameState
    seat: int

    def __init__(
        self,
        opponent: Opponent = "random",
        seat: str | int = "random",
        reward: str = "win",
        observation: str = "flat",
        dtype: DTypeLike = np.float32,
        tiles: Tiles = "standard",
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        check_choice("reward", reward, REWARDS)
        check_choice("illegal", illegal, ILLEGAL)
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self.action_space = spaces.Discrete(ACTIONS)
        self.observation_space = spaces.Dict(
            {**observation_spaces(observation, dtype), "action_mask": mask_space()}
        )
        self.opponent = opponent
        self.reward = reward
        self.illegal = illegal
        self.render_mode = render_mode
        self.metadata = dict(self.metadata)  # type: ignore[misc]  # its own, so that `render_fps` can be set
        self._renderer = None if render_mode is None else Renderer(render_mode)
        self._last_move = ""
        self._seats = check_seat(seat)
        self._form, self._dtype = observation, check_dtype(dtype)
        self._tiles = tile_set(tiles)
        self._begun = 0
        self._rival = self._new_rival()
        self._pending = 0.0
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game and let the opponent play until the learner decides.

        Parameters
        ----------
        seed : deals the game ``GameState.new(seed)``; fixes the seat, an opponent given by its spec, and all
            later resets without a seed
        options : ``position``: a position text to start from; ``tiles``: a tile set or its path, kept for
            later games

        Raises
        ------
        ValueError
            If an option has a fault, or the game ends before the learner decides.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._begun = 0
            self._rival = self._new_rival()
        game_seed = int(self.np_random.integers(2**63)) if seed is None else seed
        self.game = start_game(game_seed, self._tiles, options)
        self._tiles = self.game.tiles
        self.seat = self._choose_seat()
        self._begun += 1
        self._last_move = ""
        self._show()
        self._pending = self._answer()
        self._over = self.game.is_over
        if self._over:
            raise ValueError(f"option 'position': the game ends before player {self.seat} decides")
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Play an action and let the opponent play until the learner decides again or the game is over.

        Returns
        -------
        tuple
            Observation, reward of the learner, whether the game is over, False (no game is truncated), info.

        Raises
        ------
        IllegalMoveError
            If the action is illegal and ``illegal`` is ``"raise"``, or if it is no number from 0 to 666.
        gymnasium.error.ResetNeeded
            If the game is over.
        """
        if self._over:
            raise gymnasium.error.ResetNeeded("no game is in progress: call reset")
        number = _number(action)
        before, info = lead(self.game), {}
        try:
            self._play(number)
        except IllegalMoveError:
            if self.illegal == "raise" or not 0 <= number < ACTIONS:
                raise
            self._over = self.illegal == "lose"
            ahead = before if self.seat == 0 else -before
            reward = forfeit_reward(self.reward, ahead) if self._over else -PENALTY
            info = {"illegal": True, "move": notation.action_words(number)}
        else:
            reward = self._mine(step_reward(self.reward, before, self.game)) + self._answer()
            self._over = self.game.is_over
        reward, self._pending = reward + self._pending, 0.0
        return self._observation(), reward, self._over, False, {**self._info(), **info}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, shape (667,); all False when the game is over."""
        if self._over:
            return np.zeros(ACTIONS, np.bool_)
        return self.game.legal_mask().view(np.bool_)

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
            gymnasium.logger.warn(f"render needs a render_mode: expected one of {modes} in gymnasium.make()")
            return None
        return self._renderer.render(self.game, self._last_move, self.metadata["render_fps"])

    def close(self) -> None:
        """Close the window, if one is open."""
        if self._renderer is not None:
            self._renderer.close()

    # --- Inside -----------------------------------------------------------------------------------

    def _new_rival(self) -> Rival:
        return Rival(self.opponent, int(self.np_random.integers(2**63)), self._form, self._dtype)

    def _choose_seat(self) -> int:
        if self._seats == "random":
            return int(self.np_random.integers(PLAYERS))
        if self._seats == "alternate":
            return self._begun % PLAYERS
        return int(self._seats)

    def _play(self, action: int) -> None:
        marked = "" if self._renderer is None else self._renderer.marks(self.game, action)
        self.game.apply(action)
        self._last_move = marked
        self._show()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _answer(self) -> float:
        """Let the opponent decide until the learner does; return what that paid the learner."""
        paid = 0.0
        while not self.game.is_over and self.game.player != self.seat:
            before, action = lead(self.game), self._rival.act(self.game)
            try:
                self._play(action)
            except IllegalMoveError as error:
                raise IllegalMoveError(f"opponent {self.opponent!r}: {error}") from None
            paid += self._mine(step_reward(self.reward, before, self.game))
        return paid

    def _mine(self, amount: float) -> float:
        """Turn an amount of player 0 into one of the learner."""
        return amount if self.seat == 0 else -amount

    def _observation(self) -> dict[str, Any]:
        seen = in_form(self.game.observe(self.seat, self._dtype), self._form)
        parts = seen if isinstance(seen, dict) else {"observation": seen}
        return {**parts, "action_mask": self.action_masks().view(MASK_DTYPE)}

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self.action_masks().view(MASK_DTYPE),
            "seat": self.seat,
            "scores": np.array(self.game.scores),
        }


def _number(action: Any) -> int:
    try:
        return operator.index(action)
    except TypeError:
        raise IllegalMoveError(
            f"action {action!r}: expected a whole number from 0 to {ACTIONS - 1}"
        ) from None
