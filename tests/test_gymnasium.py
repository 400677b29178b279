"""The Gymnasium face for one game: checkers, seats, opponents, rewards, illegal actions."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import env_checker

import basilica_env  # noqa: F401  (registers the environments)
from basilica_env import GameState, IllegalMoveError
from basilica_env.envs.checker import check_env
from basilica_env.envs.single import BasilicaEnv
from tests.seated import LastLegal, Referee, last_legal, random_legal

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "dict": {"observation": "dict", "dtype": "uint8", "reward": "score", "opponent": "greedy"},
    "lose": {"illegal": "lose", "seat": "alternate", "reward": "margin"},
    "penalty": {"illegal": "penalty", "seat": 0},
    "function": {"opponent": last_legal, "seat": 1, "observation": "dict"},
}


def make(**settings: Any) -> Any:
    return gymnasium.make("Basilica-v0", **settings)


def legal(observation: dict[str, Any], rng: np.random.Generator) -> int:
    return int(random_legal(observation["action_mask"][np.newaxis], rng)[0])


def play_out(env: Any, observation: dict[str, Any], seed: int) -> tuple[float, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    total, terminated, info = 0.0, False, dict[str, Any]()
    while not terminated:
        observation, reward, terminated, _, info = env.step(legal(observation, rng))
        total += reward
    return total, info


# Checkers


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_passes_both_checkers_on_legal_actions(settings: dict[str, Any]) -> None:
    env = make(**settings)
    check_env(env)
    check_env(env.unwrapped)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("illegal", ["lose", "penalty"])
def test_passes_gymnasiums_checker_as_it_is_where_illegal_actions_do_not_raise(illegal: str) -> None:
    env_checker.check_env(make(illegal=illegal).unwrapped)


class Faulty(BasilicaEnv):
    """Gives masks with a fault, to see that the checker finds it."""

    def action_masks(self) -> Any:
        masks = super().action_masks()
        if masks.any():
            masks[np.flatnonzero(masks)[0]] = False
        return masks


def test_the_checker_finds_a_wrong_mask() -> None:
    with pytest.raises(AssertionError, match="mask"):
        check_env(Faulty())


# Games


@pytest.mark.parametrize("reward", ["win", "margin", "score"])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("opponent", [last_legal, LastLegal()], ids=["function", "agent"])
def test_is_the_game_that_a_referee_replays(opponent: Any, seat: int, reward: str) -> None:
    env = make(opponent=opponent, seat=seat, reward=reward, observation="dict")
    rng = np.random.default_rng(0)
    for seed in range(4):
        observation, info = env.reset(seed=seed)
        referee = Referee(GameState.new(seed=seed), seat, reward)
        terminated = False
        while not terminated:
            referee.check(observation)
            assert info["seat"] == seat
            np.testing.assert_array_equal(info["action_mask"], observation["action_mask"])
            assert tuple(info["scores"]) == referee.game.scores
            action = legal(observation, rng)
            observation, paid, terminated, truncated, info = env.step(action)
            assert paid == pytest.approx(referee.step(action), abs=1e-9)
            assert terminated == referee.game.is_over
            assert truncated is False
        referee.check(observation)
        assert tuple(info["scores"]) == referee.game.scores


def test_the_opponent_answers_out_of_turn() -> None:
    turns = set()

    class Watcher(LastLegal):
        def act(self, state: GameState) -> int:
            turns.add(state.turn == state.player)
            return state.sample_action(rng)

    rng = np.random.default_rng(0)

    env = make(opponent=Watcher())
    for seed in range(20):
        observation, _ = env.reset(seed=seed)
        play_out(env, observation, seed)
    assert turns == {True, False}


def test_seats() -> None:
    def seats(seat: Any) -> list[int]:
        env = make(seat=seat)
        first = env.reset(seed=5)[1]["seat"]
        return [first] + [env.reset()[1]["seat"] for _ in range(19)]

    assert seats(0) == seats("0") == [0] * 20
    assert seats(1) == seats("1") == [1] * 20
    assert seats("alternate") == [0, 1] * 10
    drawn = seats("random")
    assert set(drawn) == {0, 1}
    assert drawn == seats("random")


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_a_seed_fixes_everything(opponent: str) -> None:
    lines = []
    for _ in range(2):
        env = make(opponent=opponent)
        ends = []
        for seed in (7, None, None):
            observation, _ = env.reset(seed=seed)
            play_out(env, observation, seed=1)
            ends.append(env.unwrapped.game.to_text())
        lines.append(ends)
    assert lines[0] == lines[1]
    assert len(set(lines[0])) == 3


def test_greedy_is_the_stronger_opponent() -> None:
    totals = {}
    for opponent in ("random", "greedy"):
        env = make(opponent=opponent, seat="alternate", reward="score")
        totals[opponent] = 0.0
        for seed in range(30):
            observation, _ = env.reset(seed=seed)
            totals[opponent] += play_out(env, observation, seed)[0]
    assert totals["greedy"] < totals["random"] - 3


def test_starts_from_a_position() -> None:
    source = GameState.new(seed=4)
    for _ in range(30):
        source.apply(int(source.legal_actions()[-1]))
    env = make(opponent=last_legal)
    for seat in (0, 1):
        env.unwrapped._seats = seat
        observation, _ = env.reset(seed=9, options={"position": source.to_text()})
        Referee(GameState.from_text(source.to_text(), seed=9), seat, "win").check(observation)


def test_refuses_a_position_that_ends_before_the_learner_decides() -> None:
    game = GameState.new(seed=0)
    before = game.copy()
    while not game.is_over:
        before = game.copy()
        game.apply(int(game.legal_actions()[-1]))
    seat = 1 - before.player
    env = make(opponent=last_legal, seat=seat)
    with pytest.raises(ValueError, match=f"before player {seat} decides"):
        env.reset(options={"position": before.to_text()})
    with pytest.raises(ValueError, match="over"):
        env.reset(options={"position": game.to_text()})


def test_copies_keep_the_live_game() -> None:
    env = BasilicaEnv(opponent="greedy", seat=0)
    observation, _ = env.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(10):
        observation, *_ = env.step(legal(observation, rng))
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.game == env.game
        assert other.action_masks().tolist() == env.action_masks().tolist()
        play_out(other, observation, seed=1)
        assert other.game != env.game


def test_works_in_gymnasiums_wrappers() -> None:
    env = gymnasium.wrappers.RecordEpisodeStatistics(make(reward="score"))
    observation, _ = env.reset(seed=1)
    total, info = play_out(env, observation, seed=1)
    assert info["episode"]["r"] == pytest.approx(total)


# Faults


def test_an_illegal_action_raises_and_changes_nothing() -> None:
    env = make()
    observation, _ = env.reset(seed=1)
    text = env.unwrapped.game.to_text()
    action = int(np.flatnonzero(observation["action_mask"] == 0)[5])
    with pytest.raises(IllegalMoveError, match=env.unwrapped.game.move_of(action)):
        env.step(action)
    assert env.unwrapped.game.to_text() == text
    play_out(env, observation, seed=1)


@pytest.mark.parametrize("reward", ["win", "margin", "score"])
def test_an_illegal_action_loses_on_request(reward: str) -> None:
    env = make(illegal="lose", reward=reward, seat="alternate")
    for seed in range(4):
        observation, info = env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        total = 0.0
        for _ in range(10):
            observation, paid, *_ = env.step(legal(observation, rng))
            total += paid
        action = int(np.flatnonzero(observation["action_mask"] == 0)[5])
        observation, paid, terminated, truncated, info = env.step(action)
        assert (terminated, truncated) == (True, False)
        assert total + paid <= -1
        assert info["illegal"]
        assert info["move"] == env.unwrapped.game.move_of(action)
        assert not observation["action_mask"].any()
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)


@pytest.mark.parametrize("illegal", ["lose", "penalty"])
def test_a_step_that_leaves_the_cathedral_is_an_illegal_action_too(illegal: str) -> None:
    """It has no text as a move, on no board."""
    env = make(illegal=illegal)
    env.reset(seed=1)
    *_, info = env.step(510)
    assert info["illegal"]
    assert info["move"] == "a step left from a8"


def test_an_illegal_action_costs_a_penalty_on_request() -> None:
    env = make(illegal="penalty", reward="score", seat=1)
    observation, _ = env.reset(seed=1)
    text = env.unwrapped.game.to_text()
    action = int(np.flatnonzero(observation["action_mask"] == 0)[5])
    again, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-0.1, False, False)
    assert info["move"] == env.unwrapped.game.move_of(action)
    assert env.unwrapped.game.to_text() == text
    np.testing.assert_array_equal(again["action_mask"], observation["action_mask"])
    assert "illegal" not in env.step(legal(again, np.random.default_rng(0)))[-1]


@pytest.mark.parametrize("action", [-1, 667, 1.0, None])
@pytest.mark.parametrize("illegal", ["raise", "lose", "penalty"])
def test_what_is_no_action_raises_always(illegal: str, action: Any) -> None:
    env = BasilicaEnv(illegal=illegal)
    env.reset(seed=1)
    with pytest.raises(IllegalMoveError, match=str(action)):
        env.step(action)


def test_an_opponent_who_plays_illegally_is_named() -> None:
    env = make(opponent=lambda _, masks: masks.argmin(axis=1), seat=1)
    with pytest.raises(IllegalMoveError, match="opponent <function"):
        env.reset(seed=1)


def test_an_opponent_who_returns_no_actions_is_told_so() -> None:
    env = make(opponent=lambda _, masks: masks.astype(float), seat=1)
    with pytest.raises(ValueError, match=r"expected integers of shape \(1,\)"):
        env.reset(seed=1)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("opponent", "nobody", ValueError),
        ("opponent", 7, TypeError),
        ("seat", "both", ValueError),
        ("seat", 2, ValueError),
        ("reward", "wins", ValueError),
        ("observation", "planes", ValueError),
        ("dtype", "float64", ValueError),
        ("illegal", "ignore", ValueError),
        ("render_mode", "svgg", ValueError),
    ],
)
def test_refuses_an_unknown_choice(name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=str(value)):
        BasilicaEnv(**{name: value})


def test_renders_text() -> None:
    env = make(render_mode="ansi")
    env.reset(seed=1)
    first = env.render()
    assert isinstance(first, str)
    env.step(int(env.unwrapped.game.legal_actions()[0]))
    assert env.render() != first
