"""The Stable-Baselines3 face: masks, infos, wrappers, and MaskablePPO learning at full width."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", minversion="2.8")

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.evaluation import evaluate_policy as plain_evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize, is_vecenv_wrapped

from basilica_env import GameState
from basilica_env.core.layout import ACTIONS
from basilica_env.envs.batch import IllegalActionError
from basilica_env.envs.sb3 import BasilicaVecEnv, EvaluateCallback, SeatResult, evaluate
from tests.seated import Referee, last_legal, random_legal


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # the tests share their machine


def play(envs: Any, steps: int, seed: int = 0) -> list[dict[str, Any]]:
    """Play random legal actions; return the infos of the games that ended."""
    rng = np.random.default_rng(seed)
    ended = []
    for _ in range(steps):
        _, _, dones, infos = envs.step(random_legal(get_action_masks(envs), rng))
        ended += [info for done, info in zip(dones, infos, strict=True) if done]
    return ended


# Games


@pytest.mark.parametrize("reward", ["win", "margin", "score"])
@pytest.mark.parametrize("form", ["flat", "dict"])
def test_is_the_games_that_a_referee_replays(form: str, reward: Any) -> None:
    number = 5
    envs = BasilicaVecEnv(number, last_legal, "random", reward, form, seed=3)
    rng = np.random.default_rng(3)

    def check(game: int, seen: Any, mask: Any) -> None:
        parts = seen if isinstance(seen, dict) else {"observation": seen}
        referees[game].check({**parts, "action_mask": mask})

    def row(seen: Any, game: int) -> Any:
        return {key: part[game] for key, part in seen.items()} if isinstance(seen, dict) else seen[game]

    def referee(game: int) -> Referee:
        state = envs.env_method("game", indices=game)[0]
        return Referee(state, envs.get_attr("seat", game)[0], reward)

    observations = envs.reset()
    referees = [referee(game) for game in range(number)]
    lengths, totals, ended = np.zeros(number, int), np.zeros(number), 0
    for _ in range(100):
        masks = get_action_masks(envs)
        for game in range(number):
            check(game, row(observations, game), masks[game])
        actions = random_legal(masks, rng)
        observations, rewards, dones, infos = envs.step(actions)
        assert rewards.dtype == np.float32
        for game in range(number):
            expected = referees[game].step(int(actions[game]))
            assert rewards[game] == pytest.approx(expected, abs=1e-6)
            lengths[game] += 1
            totals[game] += expected
            assert dones[game] == referees[game].game.is_over
            if not dones[game]:
                assert infos[game] == {}
                continue
            info = infos[game]
            check(game, info["terminal_observation"], np.zeros(ACTIONS))
            assert info["TimeLimit.truncated"] is False
            assert info["scores"] == referees[game].game.scores
            assert info["seat"] == referees[game].seat
            assert info["episode"]["r"] == pytest.approx(totals[game], abs=1e-6)
            assert info["episode"]["l"] == lengths[game]
            assert info["episode"]["t"] >= 0
            lengths[game], totals[game] = 0, 0
            referees[game] = referee(game)
            ended += 1
    assert ended >= 10


def test_observations_are_in_their_space() -> None:
    for form in ("flat", "dict"):
        for dtype in ("uint8", "float32"):
            envs = BasilicaVecEnv(3, observation=form, dtype=dtype, seed=1)
            seen = envs.reset()
            if form == "dict":
                assert isinstance(envs.observation_space, spaces.Dict)
                one: Any = {key: part[0] for key, part in seen.items()}
            else:
                assert isinstance(envs.observation_space, spaces.Box)
                one = seen[0]
            assert envs.observation_space.contains(one)


def test_a_seed_fixes_everything() -> None:
    lines = []
    for _ in range(2):
        envs = BasilicaVecEnv(8, "random", seed=5)
        line = [envs.reset()]
        rng = np.random.default_rng(5)
        for _ in range(50):
            seen, *_ = envs.step(random_legal(envs.action_masks(), rng))
            line.append(seen)
        lines.append(np.array(line))
        envs.seed(5)
        np.testing.assert_array_equal(envs.reset(), line[0])
        assert (envs.reset() != line[0]).any()
    np.testing.assert_array_equal(lines[0], lines[1])


def test_what_was_returned_does_not_change() -> None:
    envs = BasilicaVecEnv(8, "random", seed=5)
    given = [(envs.reset(), envs.action_masks())]
    kept = [tuple(part.copy() for part in given[0])]
    rng = np.random.default_rng(5)
    for _ in range(60):
        seen, *_ = envs.step(random_legal(envs.action_masks(), rng))
        given.append((seen, envs.action_masks()))
        kept.append((seen.copy(), envs.action_masks().copy()))
    for one, other in zip(given, kept, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


# What SB3 asks


def test_masks_come_from_the_engine() -> None:
    envs = BasilicaVecEnv(4, seed=1)
    envs.reset()
    assert is_masking_supported(envs)
    masks = get_action_masks(envs)
    assert masks.shape == (4, ACTIONS)
    assert masks.dtype == np.bool_
    for game, state in enumerate(envs.env_method("game")):
        assert isinstance(state, GameState)
        assert np.flatnonzero(masks[game]).tolist() == state.legal_actions().tolist()
    assert len(envs.env_method("action_masks", indices=[1, 3])) == 2
    np.testing.assert_array_equal(envs.env_method("action_masks", indices=2)[0], masks[2])


def test_attributes() -> None:
    envs = BasilicaVecEnv(3, "greedy", seat="alternate")
    envs.reset()
    assert envs.get_attr("seat") == [0, 1, 0]
    assert envs.get_attr("opponent", [0, 2]) == ["greedy", "greedy"]
    assert envs.get_attr("render_mode") == [None] * 3
    assert envs.has_attr("action_masks")
    assert not envs.has_attr("nothing")
    envs.set_attr("opponent", "random")
    assert envs.opponent == "random"
    with pytest.raises(AttributeError, match="nothing"):
        envs.get_attr("nothing")
    with pytest.raises(AttributeError, match="nothing"):
        envs.env_method("nothing")
    with pytest.raises(AttributeError, match="seat"):
        envs.set_attr("seat", 1)
    with pytest.raises(ValueError, match="all games"):
        envs.set_attr("opponent", "random", indices=[0])
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(VecNormalize) == [False] * 3  # type: ignore[arg-type]
    assert all(isinstance(text, str) for text in envs.env_method("render"))


def test_an_illegal_action_names_game_and_move() -> None:
    envs = BasilicaVecEnv(3, seat=0, seed=1)
    envs.reset()
    actions = get_action_masks(envs).argmax(axis=1)
    actions[1] = 180
    with pytest.raises(IllegalActionError, match="180 in game 1: illegal move 'B'"):
        envs.step(actions)


def test_vec_monitor_counts_the_same_episodes(tmp_path: Any) -> None:
    inner = BasilicaVecEnv(4, reward="score", seed=1)
    with pytest.warns(UserWarning, match="overwritten"):
        envs = VecMonitor(inner, str(tmp_path / "log"), info_keywords=("seat",))
    envs.reset()
    own: list[dict[str, Any]] = []
    step_wait = inner.step_wait

    def watched() -> Any:
        result = step_wait()
        own.extend(info["episode"] for info in result[3] if info)
        return result

    inner.step_wait = watched  # type: ignore[method-assign]
    monitored = [info["episode"] for info in play(envs, 80)]
    assert len(monitored) == len(own) > 3
    for one, other in zip(monitored, own, strict=True):
        assert one["r"] == pytest.approx(other["r"], abs=1e-5)
        assert one["l"] == other["l"]
    assert is_vecenv_wrapped(envs, VecMonitor)
    envs.close()


@pytest.mark.parametrize("form", ["flat", "dict"])
def test_vec_normalize_is_usable(form: str) -> None:
    keys = ["planes", "scalars"] if form == "dict" else None
    envs = VecNormalize(BasilicaVecEnv(4, observation=form, seed=1), norm_obs_keys=keys)
    envs.reset()
    ended = play(envs, 60)
    last = ended[0]["terminal_observation"]
    parts = list(last.values()) if form == "dict" else [last]
    assert all(part.dtype == np.float32 and np.isfinite(part).all() for part in parts)


def test_renders_text() -> None:
    envs = BasilicaVecEnv(2, render_mode="ansi")
    assert envs.render_mode == "ansi"
    with pytest.raises(ValueError, match="human"):
        BasilicaVecEnv(2, render_mode="human")


def test_the_plain_policy_on_a_dict_and_bytes_learns_without_a_fault() -> None:
    envs = BasilicaVecEnv(4, observation="dict", dtype="uint8", seed=1)
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=64, n_epochs=2, seed=1)
    model.learn(256)
    assert model.num_timesteps == 256


def test_plays_against_itself() -> None:
    envs = BasilicaVecEnv(4, seed=1)
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=64, n_epochs=1, seed=1)
    envs.opponent = lambda seen, masks: model.predict(seen, action_masks=masks)[0]
    model.learn(256)
    assert all(info["episode"]["l"] > 0 for info in play(envs, 60))


# Learning


def wilson_low(wins: float, games: int, z: float = 1.96) -> float:
    """Lower end of the 95 % interval of a share."""
    share = wins / games
    spread = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return (share + z * z / (2 * games) - spread) / (1 + z * z / games)


def first_ratios(model: MaskablePPO) -> Any:
    """Return the probability ratios of the rollout just collected, before any update."""
    ratios = []
    with torch.no_grad():
        for data in model.rollout_buffer.get(512):
            _, log_prob, _ = model.policy.evaluate_actions(
                data.observations, data.actions.long().flatten(), action_masks=data.action_masks
            )
            ratios.append((log_prob - data.old_log_prob).exp())
    return torch.cat(ratios)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_maskable_ppo_beats_random_from_both_seats(seed: int) -> None:
    ratios = []

    class Watched(MaskablePPO):
        def train(self) -> None:
            if not ratios:
                self.policy.set_training_mode(True)
                ratios.append(first_ratios(self))
            super().train()

    envs = BasilicaVecEnv(32, "random", seat="random", reward="score", seed=seed)
    model = Watched(
        "MlpPolicy",
        envs,
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=1.0,
        ent_coef=0.01,
        seed=seed,
        policy_kwargs={"net_arch": [128, 128]},
    )
    model.learn(8_192)
    torch.testing.assert_close(ratios[0], torch.ones_like(ratios[0]), rtol=0, atol=1e-4)
    for seat, result in enumerate(evaluate(model, "random", games=400, seed=seed)):
        points = result.wins + result.ties / 2
        assert wilson_low(points, 200) > 0.6, f"seat {seat}: {result}"


def test_evaluation_counts_each_game_once_from_both_seats() -> None:
    class Uniform:
        def predict(self, observation: Any, action_masks: Any, deterministic: bool) -> Any:
            assert deterministic
            assert set(observation) == {"planes", "scalars"}
            return random_legal(action_masks, rng), None

    rng = np.random.default_rng(0)
    against_greedy = evaluate(Uniform(), "greedy", games=60, observation="dict", dtype="uint8")
    assert [sum(result) for result in against_greedy] == [30, 30]
    assert all(result.score < 0.5 for result in against_greedy)
    assert SeatResult(2, 1, 1).score == 0.625


def test_evaluates_during_training() -> None:
    envs = BasilicaVecEnv(4, seed=1)
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=64, n_epochs=1, seed=1)
    own = EvaluateCallback(every=64, games=8)
    judge = BasilicaVecEnv(4, seed=2)
    contrib = MaskableEvalCallback(judge, eval_freq=32, n_eval_episodes=4, verbose=0)
    model.learn(192, callback=[own, contrib])
    assert [steps for steps, *_ in own.results] == [64, 128, 192]
    assert all(sum(result) == 4 for _, *results in own.results for result in results)
    assert np.isfinite(contrib.last_mean_reward)


def test_the_plain_evaluation_of_sb3_is_stopped_by_its_first_illegal_action() -> None:
    envs = BasilicaVecEnv(4, seed=1)
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, seed=1)
    with pytest.raises(IllegalActionError, match="illegal action"):
        plain_evaluate_policy(model, envs, n_eval_episodes=20)
    returns, _ = evaluate_policy(model, envs, n_eval_episodes=20, return_episode_rewards=True)
    assert isinstance(returns, list)
    assert len(returns) == 20
