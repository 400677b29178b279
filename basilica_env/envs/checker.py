"""A check of the Gymnasium environment that plays by the mask."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs, env_checker

from basilica_env.core.layout import ACTIONS
from basilica_env.envs.single import BasilicaEnv
from basilica_env.game import IllegalMoveError


def check_env(env: gymnasium.Env[Any, Any], games: int = 4, seed: int = 0) -> None:
    """Check an environment as Gymnasium's ``check_env`` does, but on legal actions; then play games.

    Gymnasium's own check draws actions without looking at the mask. Here each number that it draws
    chooses one of the legal actions instead. The games check what it cannot: that the masks in
    observation, info and ``action_masks`` are those of the game, that the learner's seat is the one
    that decides, that rewards and scores agree, and that an illegal action is treated as ``illegal`` says.

    Parameters
    ----------
    env : a :class:`BasilicaEnv`, or wrappers around one that keep its spaces
    games : number of games to play after Gymnasium's check
    seed : of these games

    Raises
    ------
    AssertionError
        If a check fails.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        env_checker.check_env(LegalActions(env), skip_render_check=env.spec is None)
    rng = np.random.default_rng(seed)
    for game in range(games):
        _check_game(env, rng, seed + game)
    _check_illegal_action(env, seed)


class LegalActions(gymnasium.ActionWrapper[Any, Any, Any], RecordConstructorArgs):
    """Reads any action as the choice of a legal one; for checks that know no mask.

    Parameters
    ----------
    env : an environment with ``action_masks()``
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def action(self, action: Any) -> int:
        """Return the action if it is legal, else the legal action that it chooses by its remainder."""
        legal = np.flatnonzero(self._masks())
        if not legal.size:
            return int(action)
        return int(action) if action in legal else int(legal[int(action) % legal.size])

    def _masks(self) -> Any:
        return self.get_wrapper_attr("action_masks")()


def _check_game(env: gymnasium.Env[Any, Any], rng: np.random.Generator, seed: int) -> None:
    core = _core(env)
    observation, info = env.reset(seed=seed)
    total, terminated = 0.0, False
    while not terminated:
        _check_masks(core, observation, info)
        assert core.game.player == core.seat == info["seat"], "the learner's seat does not decide"
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space, "an observation is outside its space"
        assert not truncated, "a game was truncated"
        total += float(reward)
    assert core.game.is_over, "a game was terminated before its end"
    assert not observation["action_mask"].any(), "an action is legal after the end"
    assert tuple(info["scores"]) == core.game.scores, "the final scores are not those of the game"
    mine, theirs = (core.game.scores[player] for player in (core.seat, 1 - core.seat))
    assert np.sign(round(total, 6)) == np.sign(mine - theirs), "the rewards do not agree with the result"


def _check_masks(core: BasilicaEnv, observation: dict[str, Any], info: dict[str, Any]) -> None:
    mask = observation["action_mask"]
    legal = core.game.legal_actions().tolist()
    assert legal, "the player who decides has no legal action"
    assert mask.shape == (ACTIONS,), f"the mask has shape {mask.shape}"
    assert np.flatnonzero(mask).tolist() == legal, "the mask is not that of the game"
    assert (info["action_mask"] == mask).all(), "the mask in the info is another one"
    assert (core.action_masks() == mask).all(), "action_masks is another one"


def _check_illegal_action(env: gymnasium.Env[Any, Any], seed: int) -> None:
    core = _core(env)
    observation, _ = env.reset(seed=seed)
    text = core.game.to_text()
    action = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    if core.illegal == "raise":
        message = _refusal(env, action)
        assert core.game.move_of(action) in message, "the error does not name the illegal move"
    else:
        _, reward, terminated, _, info = env.step(action)
        assert terminated == (core.illegal == "lose"), "an illegal action ended the game or did not"
        assert float(reward) < 0, "an illegal action was not punished"
        assert info["illegal"], "the info does not name the illegal action"
    assert core.game.to_text() == text, "an illegal action changed the game"
    env.reset(seed=seed)


def _refusal(env: gymnasium.Env[Any, Any], action: int) -> str:
    try:
        env.step(action)
    except IllegalMoveError as error:
        return str(error)
    raise AssertionError("an illegal action passed")


def _core(env: gymnasium.Env[Any, Any]) -> BasilicaEnv:
    core = env.unwrapped
    assert isinstance(core, BasilicaEnv), f"{core} is no BasilicaEnv"
    return core
