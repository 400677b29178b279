"""``BatchEnv``: many games at once are the same games, whatever the batch, the threads and the order."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import hypothesis
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import strategies as st
from numba import njit

from basilica_env import BatchEnv, BatchStep, GameState, perft, random_playouts
from basilica_env.core import playout, share
from basilica_env.core.batch import BATCH_STATE
from basilica_env.core.layout import ACTIONS, GAME, MASK_WORDS, MOVE
from basilica_env.core.observation import OBSERVATION_SIZE, PLANES_SHAPE, SCALARS_SIZE, split
from basilica_env.core.share import borrowed, new_board, share_out
from basilica_env.envs import batch as batch_module
from basilica_env.envs.batch import IllegalActionError
from basilica_env.envs.threads import Crew, _Job, _Pace
from tests.chance import Generator
from tests.positions import STANDARD

AUTORESETS = ("same-step", "next-step", "disabled")
REWARDS = ("win", "margin", "score")
OUTPUTS: tuple[dict[str, Any], ...] = (
    {"observation": "flat", "mask": "bytes", "dtype": np.uint8},
    {"observation": "dict", "mask": "bits", "dtype": np.float32},
    {"observation": None, "mask": None},
)


def everything(env: BatchEnv) -> bytes:
    """Give all bytes of all games, their generators included."""
    return env.get_state().tobytes()


def arrays(step: BatchStep) -> Iterator[np.ndarray]:
    """Give every array of a step."""
    for part in step:
        if isinstance(part, dict):
            yield from part.values()
        elif part is not None:
            yield part


def play(env: BatchEnv, steps: int) -> None:
    for _ in range(steps):
        env.step(env.sample_actions())


# --- The same games as one by one ----------------------------------------------------------------


class Twin:
    """One game of a batch, played on its own as a GameState."""

    def __init__(self, game: GameState) -> None:
        self.game = game
        self.length = 0

    def choose(self, rng: np.random.Generator) -> int:
        """Choose a legal action, its kind first; anything for a finished game."""
        if self.game.is_over:
            return int(rng.integers(-ACTIONS, 2 * ACTIONS))
        moves = self.game.legal_moves()
        kinds = sorted({move[0] for move in moves})
        kind = kinds[rng.integers(len(kinds))]
        return self.game.action_of(str(rng.choice([move for move in moves if move[0] == kind])))

    def deal_again(self) -> None:
        """Deal as the set-up says (R2.1), with the generator of the game before."""
        chance = Generator(0)
        chance.state = int(self.game.to_array()["random"][0])
        deck = chance.shuffled(STANDARD.codes)
        piles = (",".join(pile) for pile in (deck[:3], deck[3:6], deck[6:]))
        dealt = GameState.from_text("- {} {} {} - 0 0:0 1:1 0:3 main 0".format(*piles))
        record = dealt.to_array()
        record["random"] = chance.state
        self.game = GameState(record, STANDARD, np.zeros(1, np.uint64))
        self.length = 0


class Expected:
    """What a step must give, from games played one by one."""

    def __init__(self, env: BatchEnv, reward: str, autoreset: str, outputs: dict[str, Any]) -> None:
        self.twins = [Twin(env.game(i)) for i in range(env.num_envs)]
        self.reward, self.autoreset, self.outputs = reward, autoreset, outputs

    def row(self, index: int, action: int) -> dict[str, Any]:
        """Play an action in one game; give its row of everything."""
        twin = self.twins[index]
        before = np.subtract(*twin.game.scores)
        started = twin.game.is_over
        if started:
            twin.deal_again()
        else:
            twin.game.apply(action)
            twin.length += 1
        scores = twin.game.scores
        lead = np.subtract(*scores)
        over = twin.game.is_over
        paid = {
            "win": float(np.sign(lead)) if over else 0.0,
            "margin": lead / 50 if over else 0.0,
            "score": 0.0 if started else (lead - before) / 50,
        }[self.reward]
        row = {
            "reward": [paid, -paid],
            "terminated": over,
            "scores": scores,
            "length": twin.length,
            "final": [twin.game.observe(player, self.dtype) for player in range(2)] if over else None,
        }
        if over and self.autoreset == "same-step":
            twin.deal_again()
        return {**row, **self.view(index)}

    def view(self, index: int) -> dict[str, Any]:
        game = self.twins[index].game
        return {
            "observation": game.observe(dtype=self.dtype),
            "mask": game.legal_mask(),
            "player": game.player,
        }

    @property
    def dtype(self) -> Any:
        return self.outputs.get("dtype", np.uint8)

    def check(self, step: BatchStep, rows: list[dict[str, Any]]) -> None:
        for name in ("reward", "terminated", "scores", "length", "player"):
            expected = np.array([row[name] for row in rows])
            assert np.array_equal(getattr(step, name), expected.astype(getattr(step, name).dtype)), name
        self.check_views(step, rows)
        finished = [k for k, row in enumerate(rows) if row["terminated"]]
        assert step.finished.tolist() == finished
        if self.outputs["observation"] and self.autoreset == "same-step":
            final = flat(step.final_observation)
            assert final.shape == (len(finished), 2, OBSERVATION_SIZE)
            for seen, k in zip(final, finished, strict=True):
                assert np.array_equal(seen, rows[k]["final"])
        else:
            assert step.final_observation is None

    def check_views(self, step: BatchStep, rows: list[dict[str, Any]]) -> None:
        if self.outputs["observation"]:
            seen = flat(step.observation)
            assert seen.dtype == self.dtype
            assert np.array_equal(seen, [row["observation"] for row in rows])
        else:
            assert step.observation is None
        masks = np.array([row["mask"] for row in rows])
        if self.outputs["mask"] == "bytes":
            assert np.array_equal(step.mask, masks)
        elif self.outputs["mask"] == "bits":
            assert np.array_equal(unpacked(step.mask), masks)
        else:
            assert step.mask is None


def flat(observation: Any) -> np.ndarray:
    """Give a flat observation from either kind."""
    if not isinstance(observation, dict):
        return np.asarray(observation)
    planes, scalars = observation["planes"], observation["scalars"]
    assert planes.shape[-3:] == PLANES_SHAPE
    assert scalars.shape[-1] == SCALARS_SIZE
    rows = planes.reshape(*planes.shape[:-3], OBSERVATION_SIZE - SCALARS_SIZE)
    return np.concatenate([rows, scalars], axis=-1)


def unpacked(bits: Any) -> np.ndarray:
    """Give masks of bytes from bits by their definition: bit a % 64 of word a // 64."""
    assert bits.dtype == np.uint64
    assert bits.shape[1] == MASK_WORDS
    return np.array([[int(row[a // 64]) >> a % 64 & 1 for a in range(ACTIONS)] for row in bits], np.uint8)


@pytest.mark.parametrize("outputs", OUTPUTS, ids=lambda outputs: str(outputs["observation"]))
@pytest.mark.parametrize(("autoreset", "reward"), list(zip(AUTORESETS, REWARDS, strict=True)))
def test_a_batch_is_its_games_decision_by_decision(
    autoreset: Any, reward: Any, outputs: dict[str, Any]
) -> None:
    env = BatchEnv(5, seed=3, autoreset=autoreset, reward=reward, **outputs)
    expected = Expected(env, reward, autoreset, outputs)
    rng = np.random.default_rng(0)
    ended = 0
    first = env.view()
    expected.check_views(first, [expected.view(i) for i in range(5)])
    for number in range(700):
        indices = None if number % 3 else np.flatnonzero(rng.integers(0, 2, 5))
        chosen = np.arange(5) if indices is None else rng.permutation(indices)
        if autoreset == "disabled":
            chosen = np.array([i for i in chosen if not expected.twins[i].game.is_over], np.int64)
        if not len(chosen):
            continue
        actions = [expected.twins[i].choose(rng) for i in chosen]
        rows = [expected.row(i, action) for i, action in zip(chosen, actions, strict=True)]
        whole_batch = indices is None and len(chosen) == 5
        step = env.step(np.array(actions, np.int64), None if whole_batch else chosen)
        expected.check(step, rows)
        ended += len(step.finished)
    assert ended >= (5 if autoreset == "disabled" else 12)
    for index, twin in enumerate(expected.twins):
        assert env.game(index).to_array()["random"] == twin.game.to_array()["random"]
        assert env.to_text(index) == twin.game.to_text()


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("autoreset", AUTORESETS)
def test_rewards_are_zero_sum_and_add_up(autoreset: Any, reward: Any) -> None:
    env = BatchEnv(400, seed=1, autoreset=autoreset, reward=reward, observation=None, mask=None)
    paid = np.zeros((400, 2))
    ended = 0
    for _ in range(120):
        alive = np.flatnonzero(env.get_state()["game"]["actions"] > 0) if autoreset == "disabled" else None
        step = env.step(env.sample_actions(alive), alive)
        rows = np.arange(400) if alive is None else alive
        assert step.reward.dtype == np.float32
        assert (step.reward[:, 0] == -step.reward[:, 1]).all()
        paid[rows] += step.reward
        for k in step.finished:
            lead = int(np.subtract(*step.scores[k]))
            expected = np.sign(lead) if reward == "win" else lead / 50
            assert paid[rows[k]] == pytest.approx([expected, -expected], abs=1e-5)
            paid[rows[k]] = 0
        ended += len(step.finished)
    assert ended >= 390


def test_rewards_come_when_they_say() -> None:
    """``win`` and ``margin`` at the end alone, ``score`` at each scoring."""
    for reward in REWARDS:
        env = BatchEnv(300, seed=2, reward=reward, observation=None, mask=None)
        before_the_end = 0
        for _ in range(90):
            step = env.step(env.sample_actions())
            before_the_end += np.count_nonzero(step.reward[~step.terminated])
        assert (before_the_end > 0) == (reward == "score")


def test_game_0_of_a_seed_is_the_game_state_of_the_seed() -> None:
    for seed in (0, 7, 2**70):
        env = BatchEnv(3, seed=seed)
        state = GameState.new(seed=seed)
        assert env.game(0) == state
        assert env.game(0).to_array() == state.to_array()
        assert env.sample_actions()[0] == state.sample_action()


# --- Independence --------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 3])
def test_the_number_of_threads_does_not_matter(threads: int) -> None:
    envs = [BatchEnv(700, seed=5, threads=n, dtype=np.float32) for n in (1, threads)]
    for number in range(70):
        steps = [env.step(env.greedy_actions() if number % 9 == 0 else env.sample_actions()) for env in envs]
        for one, other in zip(*map(arrays, steps), strict=True):
            assert np.array_equal(one, other)
        assert np.array_equal(envs[0].observe(1), envs[1].observe(1))
    assert everything(envs[0]) == everything(envs[1])
    for env in envs:
        env.close()


def test_the_number_of_games_does_not_matter() -> None:
    envs = [BatchEnv(size, seed=5) for size in (1, 10, 257)]
    for _ in range(150):
        for env in envs:
            env.step(env.sample_actions())
    one, ten, many = (env.get_state() for env in envs)
    assert one.tobytes() == many[:1].tobytes()
    assert ten.tobytes() == many[:10].tobytes()


def test_the_order_of_play_does_not_matter() -> None:
    together, apart = (BatchEnv(20, seed=5) for _ in range(2))
    rng = np.random.default_rng(0)
    for _ in range(120):
        together.step(together.sample_actions())
        order = rng.permutation(20)
        for part in np.split(order, [3, 4, 11]):
            apart.step(apart.sample_actions(part), part)
    assert everything(together) == everything(apart)


def test_environments_do_not_disturb_each_other() -> None:
    alone = BatchEnv(50, seed=1)
    play(alone, 100)
    first, second = BatchEnv(50, seed=1), BatchEnv(70, seed=2)
    for _ in range(100):
        first.step(first.sample_actions())
        second.step(second.sample_actions())
    assert everything(first) == everything(alone)


def test_what_is_not_asked_for_does_not_matter() -> None:
    states = set()
    for outputs in OUTPUTS:
        for copied in (True, False):
            env = BatchEnv(30, seed=1, copy=copied, **outputs)
            play(env, 100)
            states.add(everything(env))
    assert len(states) == 1


# --- Some games ----------------------------------------------------------------------------------


def test_rows_follow_the_indices_and_other_games_stay() -> None:
    env = BatchEnv(12, seed=1)
    play(env, 20)
    before = env.get_state()
    indices = np.array([7, 2, 11])
    step = env.step(env.sample_actions(indices), indices)
    others = np.setdiff1d(np.arange(12), indices)
    assert env.get_state(others).tobytes() == before[others].tobytes()
    for k, index in enumerate(indices):
        game = env.game(index)
        assert np.array_equal(step.observation[k], game.observe())
        assert np.array_equal(step.mask[k], game.legal_mask())
        assert step.player[k] == game.player
        assert tuple(step.scores[k]) == game.scores


@pytest.mark.parametrize(
    "indices",
    [
        [-1],
        [12],
        [0, 0],
        [2**63],
        [0.0],
        ["0"],
        [True],
        [[0, 1]],
        [None],
        1.5,
        "x",
        [[0], [1, 2]],
        np.zeros((2, 2), int),
    ],
    ids=repr,
)
def test_wrong_indices(indices: Any) -> None:
    env = BatchEnv(12, seed=1)
    before = everything(env)
    calls: list[Callable[[], object]] = [
        lambda: env.step([0], indices),
        lambda: env.reset(indices=indices),
        lambda: env.reset(seed=3, indices=indices),
        lambda: env.view(indices),
        lambda: env.observe(indices=indices),
        lambda: env.sample_actions(indices),
        lambda: env.greedy_actions(indices),
        lambda: env.planned_actions(2, indices),
        lambda: env.get_state(indices),
        lambda: env.set_state(env.get_state([0]), indices),
    ]
    for call in calls:
        with pytest.raises((ValueError, OverflowError)):
            call()
    assert everything(env) == before


@pytest.mark.parametrize("index", [-1, 12, 2**64, 0.0, "0", None, True, [0, 1]], ids=repr)
def test_a_wrong_index_of_one_game(index: Any) -> None:
    env = BatchEnv(12, seed=1)
    before = everything(env)
    for call in (env.game, env.to_text, env.render, lambda i: env.set_game(i, GameState.new(seed=9))):
        with pytest.raises((ValueError, OverflowError)):
            call(index)
    assert everything(env) == before


def test_no_games_at_all() -> None:
    env = BatchEnv(3, seed=1, observation="dict")
    before = everything(env)
    for step in (env.step([], []), env.view([]), env.reset(indices=[])):
        assert all(len(array) == 0 for array in arrays(step))
        assert step.observation["planes"].shape == (0, *PLANES_SHAPE)
        assert step.mask.shape == (0, ACTIONS)
    assert env.sample_actions([]).shape == (0,)
    assert env.get_state([]).shape == (0,)
    assert everything(env) == before


# --- Illegal actions -----------------------------------------------------------------------------


@pytest.mark.parametrize("autoreset", AUTORESETS)
def test_one_illegal_action_names_the_game_and_changes_nothing(autoreset: Any) -> None:
    env = BatchEnv(200, seed=1, autoreset=autoreset)
    play(env, 15)
    before = everything(env)
    actions = env.sample_actions()
    before_step = everything(env)
    game = env.game(137)
    illegal = next(action for action in range(ACTIONS) if not game.is_legal(action))
    with pytest.raises(IllegalActionError) as info:
        env.step(np.where(np.arange(200) == 137, illegal, actions))
    assert everything(env) == before_step
    assert before != before_step  # sampling had moved the streams, and nothing else does
    message = str(info.value)
    assert message.startswith(
        f"illegal action {illegal} in game 137: illegal move {game.move_of(illegal)!r}; "
    )
    assert f"player {game.player} decides {game.decision!r} and may play {game.legal_moves()[0]}" in message
    assert message.endswith("no game was changed")
    assert isinstance(info.value, ValueError)
    env.step(actions)


@pytest.mark.parametrize("action", [-1, ACTIONS, 2**31, 2**63 - 1, -(2**63), MOVE + 2, MOVE + 3])
def test_a_number_that_is_no_action_here(action: int) -> None:
    env = BatchEnv(4, seed=1)
    before = everything(env)
    with pytest.raises(IllegalActionError, match=f"illegal action {action} in game 2: "):
        env.step([0, 0, action, 0])
    with pytest.raises(IllegalActionError, match=f"illegal action {action} in game 3: "):
        env.step([0, action], [1, 3])
    assert everything(env) == before


def test_huge_unsigned_actions_do_not_wrap_round() -> None:
    env = BatchEnv(2, seed=1)
    for action in (2**64 - 1, 2**63, 2**64 - ACTIONS):
        with pytest.raises(IllegalActionError, match=f"illegal action {action} in game 1: "):
            env.step(np.array([0, action], np.uint64))


@pytest.mark.parametrize(
    "actions",
    [
        [0.0] * 4,
        [True] * 4,
        ["0"] * 4,
        [None] * 4,
        [1j] * 4,
        [0] * 3,
        [0] * 5,
        [[0]] * 4,
        0,
        None,
        [],
        np.zeros(4, object),
        np.zeros(4, "M8[s]"),
        np.zeros((2, 2), int),
        [2**64] * 4,
    ],
    ids=repr,
)
def test_actions_of_a_wrong_type_or_shape(actions: Any) -> None:
    env = BatchEnv(4, seed=1)
    before = everything(env)
    with pytest.raises(
        ValueError, match=r"actions have shape .* and dtype .*: expected integers of shape \(4,\)"
    ):
        env.step(actions)
    assert everything(env) == before


@pytest.mark.parametrize("kind", ["uint8", "int16", "int32", ">i8", "uint64", "list", "strided", "read-only"])
def test_actions_of_any_integer_type(kind: str) -> None:
    env, other = (BatchEnv(6, seed=1) for _ in range(2))
    actions = [int(np.flatnonzero(mask)[0]) for mask in env.view().mask]
    given: Any = actions
    if kind == "strided":
        given = np.repeat(actions, 2)[::2]
    elif kind == "read-only":
        given = np.array(actions)
        given.flags.writeable = False
    elif kind != "list":
        given = np.array(actions, kind)
    env.step(given)
    other.step(np.array(actions))
    assert everything(env) == everything(other)


def test_a_finished_game_without_autoreset_takes_no_action() -> None:
    env = BatchEnv(3, seed=1, autoreset="disabled")
    finished = GameState.new(seed=4)
    while not finished.is_over:
        finished.apply(finished.sample_action())
    env.set_game(1, finished)
    before = everything(env)
    with pytest.raises(IllegalActionError, match=r"game 1: .*the game is over"):
        env.step(env.sample_actions())
    assert env.sample_actions([1]).tolist() == env.greedy_actions([1]).tolist() == [0]
    assert everything(env)[: BATCH_STATE.itemsize] != before[: BATCH_STATE.itemsize]  # its stream moved
    step = env.view()
    assert not step.mask[1].any()
    assert tuple(step.scores[1]) == finished.scores
    env.reset(indices=[1])
    env.step(env.sample_actions())


@pytest.mark.parametrize("action", [-5, 10**6, 0])
def test_the_step_that_resets_takes_any_action(action: int) -> None:
    env = BatchEnv(2, seed=1, autoreset="next-step")
    while not (step := env.step(env.sample_actions())).terminated[0]:
        pass
    assert not step.mask[0].any()
    others = env.sample_actions()
    step = env.step([action, others[1]])
    assert step.reward[0].tolist() == [0, 0]
    assert not step.terminated[0]
    assert step.scores[0].tolist() == [0, 0]
    assert step.length[0] == 0
    assert env.game(0).king == 0


# --- Arrays of the caller's own, or not ----------------------------------------------------------


@pytest.mark.parametrize("outputs", OUTPUTS, ids=lambda outputs: str(outputs["observation"]))
def test_copies_are_the_callers_own(outputs: dict[str, Any]) -> None:
    env = BatchEnv(64, seed=1, **outputs)
    kept: list[tuple[BatchStep, list[bytes]]] = []
    for _ in range(60):
        for step in (env.step(env.sample_actions()), env.view([1, 2]), env.reset(indices=[3])):
            contents = [array.tobytes() for array in arrays(step)]
            kept.append((step, contents))
        env.observe(), env.player, env.set_state(env.get_state()), env.greedy_actions([1])
    for step, contents in kept:
        assert [array.tobytes() for array in arrays(step)] == contents
    every = [array for step, _ in kept[-9:] for array in arrays(step)]
    for k, one in enumerate(every):
        assert not any(np.shares_memory(one, other) for other in every[k + 1 :] if one.base is not other.base)


def test_writing_into_what_was_given_changes_no_game() -> None:
    for copied in (True, False):
        env, other = (BatchEnv(64, seed=1, copy=copied) for _ in range(2))
        for _ in range(40):
            actions = env.sample_actions()
            step = env.step(actions)
            other.step(other.sample_actions())
            state = env.get_state()
            state["game"]["king"] = 9
            for array in (*arrays(step), actions, env.player, env.observe()):
                array[...] = 1
        assert everything(env) == everything(other)


def test_zero_copy_gives_the_same_arrays_again() -> None:
    env = BatchEnv(64, seed=1, copy=False)
    first = env.step(env.sample_actions())
    second = env.step(env.sample_actions())
    for name in ("observation", "mask", "reward", "player", "terminated", "scores", "length"):
        assert np.shares_memory(getattr(first, name), getattr(second, name)), name
    fresh = BatchEnv(64, seed=1)
    fresh.step(fresh.sample_actions())
    expected = fresh.step(fresh.sample_actions())
    for one, other in zip(arrays(second), arrays(expected), strict=True):
        assert np.array_equal(one, other)


def test_zero_copy_arrays_are_overwritten_by_the_next_step_only() -> None:
    """Asking who decides, what a player sees or what to play leaves them as they are."""
    env = BatchEnv(200, seed=1, copy=False, reward="score", threads=2)
    for _ in range(60):
        step = env.step(env.sample_actions())
        contents = [array.tobytes() for array in arrays(step)]
        assert np.array_equal(env.player, step.player)
        assert np.array_equal(env.observe(), step.observation)
        env.observe(1, [5]), env.observe(None, [7]), env.game(3), env.render(2), env.to_text(1)
        env.sample_actions([4]), env.greedy_actions([4]), env.get_state(), env.set_game(0, env.game(0))
        assert [array.tobytes() for array in arrays(step)] == contents
    env.close()


# --- Seeing --------------------------------------------------------------------------------------


def test_what_each_player_sees() -> None:
    env = BatchEnv(9, seed=1, dtype=np.float32)
    play(env, 33)
    games = [env.game(i) for i in range(9)]
    for player in (0, 1, np.int8(1)):
        expected = [game.observe(int(player), np.float32) for game in games]
        assert np.array_equal(env.observe(player), expected)
    lookers = [0, 1, 1, 0, 0, 1, 0, 1, 1]
    expected = [game.observe(player, np.float32) for game, player in zip(games, lookers, strict=True)]
    assert np.array_equal(env.observe(lookers), expected)
    assert np.array_equal(env.observe(), [game.observe(dtype=np.float32) for game in games])
    assert np.array_equal(env.observe([1, 0], [6, 2]), [games[6].observe(1, "f4"), games[2].observe(0, "f4")])
    assert np.array_equal(env.player, [game.player for game in games])


def test_dict_observations_are_views_of_the_flat_ones() -> None:
    flat_env, env = BatchEnv(5, seed=1), BatchEnv(5, seed=1, observation="dict")
    planes, scalars = split(flat_env.view().observation)
    seen = env.view().observation
    assert np.array_equal(seen["planes"], planes)
    assert np.array_equal(seen["scalars"], scalars)
    assert np.array_equal(env.observe(1)["planes"], split(flat_env.observe(1))[0])
    assert BatchEnv(5, seed=1, observation=None).observe() is None


@pytest.mark.parametrize("player", [2, -1, 0.0, True, "0", [0, 1, 2], [[0], [1]], "x", [None] * 3], ids=repr)
def test_unknown_players(player: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown player|player has shape"):
        BatchEnv(3, seed=1).observe(player)


def test_the_view_is_what_a_step_gave() -> None:
    env = BatchEnv(50, seed=1)
    for _ in range(70):
        step = env.step(env.sample_actions())
    view = env.view()
    assert np.array_equal(view.observation, step.observation)
    assert np.array_equal(view.mask, step.mask)
    assert np.array_equal(view.player, step.player)
    assert not view.reward.any()
    assert not view.terminated.any()
    assert len(view.finished) == 0


def test_drawing_a_game() -> None:
    env = BatchEnv(2, seed=1)
    play(env, 20)
    assert "a" in env.render(1)
    assert env.render(1) != env.render(0)
    assert env.to_text(1) == env.game(1).to_text()


# --- States --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", [lambda s: s, np.ndarray.tobytes, lambda s: bytearray(s.tobytes()), memoryview]
)
def test_a_state_put_back_has_the_same_future(form: Callable[[Any], Any]) -> None:
    env = BatchEnv(40, seed=1)
    play(env, 50)
    state = form(env.get_state())
    play(env, 50)
    expected = everything(env)
    other = BatchEnv(40, seed=2, threads=2, autoreset="same-step")
    step = other.set_state(state)
    assert [row.tobytes() for row in step.mask] == [other.game(i).legal_mask().tobytes() for i in range(40)]
    play(other, 50)
    assert everything(other) == expected
    other.close()


def test_some_states_put_elsewhere() -> None:
    env = BatchEnv(10, seed=1)
    play(env, 40)
    before = env.get_state()
    step = env.set_state(env.get_state([3, 4]), [9, 0])
    after = env.get_state()
    assert after[[9, 0]].tobytes() == before[[3, 4]].tobytes()
    assert after[1:9].tobytes() == before[1:9].tobytes()
    assert step.length.tolist() == before["length"][[3, 4]].tolist()
    env.set_state(env.get_state([5]).tobytes(), [5])
    assert everything(env) == after.tobytes()


def test_every_state_of_play_can_be_put_back() -> None:
    env = BatchEnv(500, seed=1, autoreset="next-step", observation=None, mask=None)
    for number in range(200):
        env.step(env.greedy_actions() if number % 4 == 0 else env.sample_actions())
        before = everything(env)
        env.set_state(env.get_state())
        assert everything(env) == before


@pytest.mark.parametrize(
    "states",
    [
        b"",
        b"x",
        bytes(BATCH_STATE.itemsize),
        bytes(2 * BATCH_STATE.itemsize),
        b"\xff" * 2 * BATCH_STATE.itemsize,
        bytes(3 * BATCH_STATE.itemsize),
        np.zeros(2, GAME),
        np.zeros(2, np.int64),
        np.zeros((2, 1), BATCH_STATE),
        np.zeros(2, BATCH_STATE),
        None,
        5,
        "x",
        [1, 2],
        [[1], [2, 3]],
    ],
    ids=lambda states: repr(states)[:30],
)
def test_what_is_no_state_is_refused(states: Any) -> None:
    env = BatchEnv(2, seed=1)
    before = everything(env)
    with pytest.raises((ValueError, TypeError)):
        env.set_state(states)
    assert everything(env) == before


DAMAGE: dict[str, Callable[[Any, GameState], None]] = {
    "a tile twice": lambda g, _: g["orders"].__setitem__(0, g["orders"][1]),
    "a tile too many": lambda g, _: g["vaults"].__setitem__(0, 58),
    "a tile missing": lambda g, _: g["vaults"].__setitem__(0, -1),
    "a tile in the deck that is none": lambda g, _: g["deck"].__setitem__(int(g["top"]), 200),
    "a stack too short": lambda g, _: g.__setitem__("top", 58),
    "a stack that begins nowhere": lambda g, _: g.__setitem__("top", -3),
    "a discard pile over the stack": lambda g, _: g.__setitem__("discards", 59),
    "hidden tiles that are not": lambda g, _: g.__setitem__("hidden", 0),
    "discarded tiles that are not": lambda g, _: g.__setitem__("discarded", 2**58 - 1),
    "a colour on an empty square": lambda g, _: g["planes"].__setitem__(0, g["planes"][0] | (1 << 59)),
    "a plane over the edge": lambda g, _: g["planes"].__setitem__(16, 1 << 63),
    "a builder on nothing": lambda g, _: g["planes"].__setitem__(17, 1 << 59),
    "glass on nothing": lambda g, _: g["planes"].__setitem__(16, 1 << 59),
    "a rank on nothing": lambda g, _: g["planes"].__setitem__(19, 1 << 59),
    "a rank without a builder": lambda g, s: g["planes"].__setitem__(20, some_vault(s)),
    "two builders on one vault": lambda g, s: g["planes"].__setitem__(slice(17, 19), some_vault(s)),
    "scaffolding on a vault": lambda g, s: g["planes"].__setitem__(15, some_vault(s)),
    "six builders": lambda g, s: g["planes"].__setitem__(17, all_vaults(s)),
    "a king beyond the end": lambda g, _: g.__setitem__("king", 31),
    "a king at the end": lambda g, _: g.__setitem__("king", 30),
    "a negative score": lambda g, _: g["scores"].__setitem__(0, -1),
    "three coins": lambda g, _: g.__setitem__("coins", (2, 1)),
    "a negative coin": lambda g, _: g.__setitem__("coins", (3, -1)),
    "a third player": lambda g, _: g.__setitem__("turn", 2),
    "no action left": lambda g, _: g.__setitem__("actions", 0),
    "four actions": lambda g, _: g.__setitem__("actions", 4),
    "an unknown decision": lambda g, _: g.__setitem__("decision", 16),
    "an end too early": lambda g, _: g.__setitem__("decision", 15),
    "an order on no space": lambda g, _: g.__setitem__("decision", 2),
    "a space for no order": lambda g, _: g.__setitem__("space", 1),
    "an unknown space": lambda g, _: g.__setitem__("space", 3),
    "a square for no builder": lambda g, _: g.__setitem__("square", 59),
    "an unknown square": lambda g, _: g.__setitem__("square", 60),
    "a rank for no order": lambda g, _: g.__setitem__("rank", 0),
    "points before the first scoring": lambda g, _: g["scores"].__setitem__(0, 1),
    "a king ahead of the crowns": lambda g, _: g.__setitem__("king", g["king"] + 9),
    "a king behind the crowns": lambda g, s: g.__setitem__("king", crowns(s) - 1),
    "an end with tiles left": lambda g, _: (g.__setitem__("decision", 15), g.__setitem__("actions", 0)),
    "a redraw of what fits": lambda g, _: g.__setitem__("decision", 1),
    "glass on the vault just placed": lambda g, s: (
        g["planes"].__setitem__(16, some_vault(s)),
        g.__setitem__("square", some_vault(s).bit_length() - 1),
        g.__setitem__("actions", 2),
    ),
    "coins of nobody's order": lambda g, _: (g.__setitem__("discards", 0), g.__setitem__("coins", (2, 0))),
    "two reshuffles": lambda g, _: g.__setitem__("reshuffled", 2),
}


def crowns(state: GameState) -> int:
    """Give the number of crowns in the cathedral."""
    return int(state.to_array()["planes"][0, 4]).bit_count()


def all_vaults(state: GameState) -> int:
    planes = state.to_array()["planes"][0]
    return int(planes[0] | planes[1] | planes[2] | planes[3])


def some_vault(state: GameState) -> int:
    """Give a board with one vault without a builder."""
    planes = state.to_array()["planes"][0]
    vaults = all_vaults(state) & ~int(planes[17] | planes[18])
    return vaults & -vaults


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_state_is_refused(damage: str) -> None:
    env = BatchEnv(3, seed=1)
    while all_vaults(env.game(1)).bit_count() < 6 or env.game(1).decision != "main":
        env.step(env.sample_actions())
    before = everything(env)
    states = env.get_state()
    DAMAGE[damage](states[1]["game"], env.game(1))
    assert states.tobytes() != before
    for given in (states, states.tobytes()):
        with pytest.raises(ValueError, match="state 1 is no game of tile set 'standard': it is damaged"):
            env.set_state(given)
    assert everything(env) == before


@pytest.mark.parametrize("damage", [*DAMAGE, "a stack that begins far away"])
def test_a_damaged_game_is_refused_wherever_it_comes_from(damage: str) -> None:
    """The compiled rules would be led out of their arrays."""
    state = GameState.new(seed=1)
    while all_vaults(state).bit_count() < 6 or state.decision != "main":
        state.apply(state.sample_action())
    record = state.to_array()
    DAMAGE.get(damage, lambda g, _: g.__setitem__("top", 2**40))(record[0], state)
    refused = "the record is no game of tile set 'standard': it is damaged"
    sampler = np.zeros(1, np.uint64)
    for given in (record, record.tobytes(), bytearray(record.tobytes())):
        with pytest.raises(ValueError, match=refused):
            GameState(given, STANDARD, sampler)
    pickled = pickle.dumps(state)
    damaged = pickled.replace(state.to_array().tobytes(), record.tobytes())
    assert damaged != pickled
    with pytest.raises(ValueError, match=refused):
        pickle.loads(damaged)
    env = BatchEnv(2, seed=1)
    env.set_game(1, state)
    pickled = pickle.dumps(env)
    damaged = pickled.replace(state.to_array().tobytes(), record.tobytes())
    assert damaged != pickled
    with pytest.raises(ValueError, match="state 1 is no game of tile set 'standard': it is damaged"):
        pickle.loads(damaged)
    assert everything(pickle.loads(pickled)) == everything(env)


@pytest.mark.parametrize(
    ("record", "tiles", "sampler"),
    [
        (b"", STANDARD, np.zeros(1, np.uint64)),
        (5, STANDARD, np.zeros(1, np.uint64)),
        (None, STANDARD, np.zeros(1, np.uint64)),
        (np.zeros(2, GAME), STANDARD, np.zeros(1, np.uint64)),
        (np.zeros(GAME.itemsize, np.uint8), STANDARD, np.zeros(1, np.uint64)),
        (GameState.new(seed=1).to_array(), "standard", np.zeros(1, np.uint64)),
        (GameState.new(seed=1).to_array(), STANDARD, np.zeros(0, np.uint64)),
        (GameState.new(seed=1).to_array(), STANDARD, np.zeros(1, np.int32)),
        (GameState.new(seed=1).to_array(), STANDARD, 7),
    ],
)
def test_what_is_no_record_is_refused(record: Any, tiles: Any, sampler: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="expected"):
        GameState(record, tiles, sampler)


def test_an_order_that_cannot_be_carried_out_is_damage() -> None:
    """Such a record would come to a decision without a legal action."""
    env = BatchEnv(300, seed=1, autoreset="next-step", observation=None, mask=None)
    refused = accepted = 0
    for number in range(60):
        env.step(env.sample_actions())
        states = env.get_state()
        for decision in range(2, 15):
            changed = states.copy()[number % 5 :: 5]
            changed["game"]["decision"] = decision
            changed["game"]["space"] = number % 3
            changed["game"]["square"] = -1
            for state in changed:
                try:
                    env.set_state(state.tobytes(), [0])
                except ValueError:
                    refused += 1
                else:
                    accepted += 1
                    assert env.game(0).legal_moves()
    assert refused > 1000
    assert accepted > 100


def test_legal_actions_from_outside_are_not_believed() -> None:
    env = BatchEnv(2, seed=1)
    play(env, 9)
    before = everything(env)
    states = env.get_state()
    states["game"]["legal"] = np.uint64(2**64 - 1)
    env.set_state(states)
    assert everything(env) == before


def test_a_state_of_another_tile_set_is_refused() -> None:
    env = BatchEnv(2, seed=1)
    play(env, 9)
    other = BatchEnv(
        2, seed=1, tiles=replace(STANDARD, name="own", crowns=tuple(1 - c for c in STANDARD.crowns))
    )
    before = everything(other)
    with pytest.raises(ValueError, match="no game of tile set 'own'"):
        other.set_state(env.get_state())
    with pytest.raises(ValueError, match="the game has tile set 'standard': expected 'own'"):
        other.set_game(0, env.game(0))
    assert everything(other) == before
    other.set_game(1, GameState.new(seed=8, tiles=other.tiles))


NO_ARGUMENTS: dict[str, Callable[[], Any]] = {
    "num_envs True": lambda: BatchEnv(True),
    "num_envs 'x'": lambda: BatchEnv("x"),  # type: ignore[arg-type]
    "threads is 1000000": lambda: BatchEnv(2, threads=10**6),
    "n 'x'": lambda: random_playouts(GameState.new(seed=1), "x", 1),  # type: ignore[arg-type]
    "state None": lambda: random_playouts([None], 1, 1),  # type: ignore[list-item]
    "state 5": lambda: random_playouts(5, 1, 1),  # type: ignore[arg-type]
    "state 'x'": lambda: perft("x", 1),  # type: ignore[arg-type]
    "state b'x'": lambda: BatchEnv(1).set_game(0, b"x"),  # type: ignore[arg-type]
    "player has shape": lambda: BatchEnv(2).observe([0, 1, 0]),
    "autoreset is 'Same'": lambda: BatchEnv(2, autoreset="Same"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("thing", NO_ARGUMENTS)
def test_a_wrong_argument_is_named(thing: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{thing}.*: expected "):
        NO_ARGUMENTS[thing]()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasiums_names_of_autoreset_are_known(mode: AutoresetMode) -> None:
    kind = mode.value.replace("Step", "-step").lower()
    expected = BatchEnv(4, seed=1, autoreset=kind)
    for name in (mode, mode.value):
        env = BatchEnv(4, seed=1, autoreset=name)  # type: ignore[arg-type]
        assert env._autoreset == expected._autoreset


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupt_ends_the_work_between_two_pieces(threads: int) -> None:
    begun = []

    def work(start: int, stop: int) -> None:
        begun.append((start, stop))
        raise KeyboardInterrupt

    crew = Crew(threads)
    with pytest.raises(KeyboardInterrupt):
        crew.run(work, 10_000, chunk=10)
    assert len(begun) <= threads
    crew.close()


def test_playouts_are_handed_out_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    state = GameState.new(seed=1)
    whole = random_playouts(state, 25, 1)
    monkeypatch.setattr(batch_module, "_PLAYOUTS_A_CALL", 10)
    pieces: list[tuple[int, int]] = []
    play = playout.playouts

    def noted(*arguments: Any) -> None:
        pieces.append(arguments[-2:])
        play(*arguments)

    monkeypatch.setattr(playout, "playouts", noted)
    assert np.array_equal(random_playouts(state, 25, 1), whole)
    assert pieces == [(0, 10), (10, 20), (20, 25)]


FUZZ = """
import faulthandler, time
import numpy as np
from basilica_env import BatchEnv, GameState, random_playouts
from basilica_env.core.batch import BATCH_STATE
from basilica_env.core.layout import GAME, OVER

faulthandler.enable()
rng = np.random.default_rng(0)
source = BatchEnv(64, seed=1)
target = BatchEnv(1, seed=2, autoreset="disabled", dtype=np.float32)
fields = [(offset, dtype.itemsize) for dtype, offset in (GAME.fields[name][:2] for name in GAME.names)]

def damaged(state, other):
    data = bytearray(state.tobytes())
    offset, size = fields[rng.integers(len(fields))]
    kind = rng.integers(5)
    if kind == 0:
        return rng.bytes(len(data))
    if kind == 1:
        for _ in range(rng.integers(1, 9)):
            data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    elif kind == 2:
        data[offset + rng.integers(size)] ^= 1 << rng.integers(8)
    elif kind == 3:
        word = offset + 8 * int(rng.integers(size // 8))
        data[word : word + 8] = int(rng.integers(-2, 17)).to_bytes(8, "little", signed=True)
    else:
        data[offset : offset + size] = other.tobytes()[offset : offset + size]
    return bytes(data)

accepted = refused = 0
end = time.process_time() + 5
while time.process_time() < end:
    source.step(source.greedy_actions() if rng.random() < 0.3 else source.sample_actions())
    states = source.get_state()
    for state, other in zip(states, states[::-1]):
        before = target.get_state().tobytes()
        try:
            target.set_state(damaged(state, other))
        except ValueError:
            refused += 1
            assert target.get_state().tobytes() == before
            continue
        accepted += 1
        game = target.game(0)
        assert GameState.from_text(game.to_text()) == game
        game.view(), game.observe(), game.areas()
        random_playouts(game, 2, seed=1), random_playouts(game, 2, seed=1, resample=False)
        for number in range(5000):
            if game.is_over:
                break
            action = target.greedy_actions() if number % 2 else target.sample_actions()
            target.step(action)
            game = target.game(0)
        assert game.is_over
print(accepted, refused)
"""


def test_damaged_bytes_never_crash() -> None:
    """In a process of its own, so that a crash is a failed test. What is accepted can be played out."""
    process = subprocess.run([sys.executable, "-c", FUZZ], capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stderr
    accepted, refused = map(int, process.stdout.split())
    assert accepted > 50
    assert refused > 200


def test_a_single_game_put_in_and_taken_out() -> None:
    env = BatchEnv(3, seed=1)
    state = GameState.new(seed=9)
    for _ in range(30):
        state.apply(state.sample_action())
    env.set_game(2, state)
    assert env.game(2) == state
    taken = env.game(2)
    taken.apply(taken.sample_action())
    assert env.game(2) == state
    state.apply(state.sample_action())
    assert env.game(2) != state
    assert env.view([2]).length.tolist() == [0]


# --- Dealing anew --------------------------------------------------------------------------------


def test_a_reset_with_a_seed_is_a_new_environment() -> None:
    env = BatchEnv(30, seed=1)
    play(env, 77)
    step = env.reset(seed=6)
    fresh = BatchEnv(30, seed=6)
    assert everything(env) == everything(fresh)
    assert np.array_equal(step.mask, fresh.view().mask)
    assert not step.length.any()


def test_a_reset_of_some_games_with_a_seed() -> None:
    env = BatchEnv(30, seed=1)
    play(env, 77)
    before = env.get_state()
    env.reset(seed=6, indices=[5, 2])
    fresh = BatchEnv(30, seed=6).get_state()
    after = env.get_state()
    assert after[[2, 5]].tobytes() == fresh[[2, 5]].tobytes()
    others = np.setdiff1d(np.arange(30), [2, 5])
    assert after[others].tobytes() == before[others].tobytes()


def test_a_reset_without_a_seed_goes_on() -> None:
    env, other = (BatchEnv(30, seed=1) for _ in range(2))
    starts = {env.to_text(0)}
    for _ in range(5):
        env.reset()
        other.reset()
        starts.add(env.to_text(0))
    assert len(starts) == 6
    assert everything(env) == everything(other)


def test_without_a_seed_every_environment_is_another() -> None:
    texts = {env.to_text(i) for env in [BatchEnv(20) for _ in range(3)] for i in range(20)}
    assert len(texts) == 60


@pytest.mark.parametrize("seed", [-1, 1.5, "x", [-1]])
def test_a_wrong_seed_changes_nothing(seed: Any) -> None:
    env = BatchEnv(3, seed=1)
    before = everything(env)
    for call in (env.reset, lambda seed: BatchEnv(3, seed)):
        with pytest.raises((ValueError, TypeError), match=r"seed is .*: expected a non-negative integer"):
            call(seed)
    assert everything(env) == before


# --- Arguments, copies, threads ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0: expected 1 or more"),
        ({"num_envs": -1}, "num_envs is -1: expected 1 or more"),
        ({"num_envs": 1.5}, "integer"),
        ({"num_envs": None}, "integer"),
        ({"num_envs": "3"}, "integer"),
        ({"threads": 0}, "threads is 0: expected 1 to 1024"),
        ({"threads": 1.5}, "integer"),
        ({"observation": "image"}, "observation is 'image': expected one of 'flat', 'dict', None"),
        ({"mask": "bools"}, "mask is 'bools': expected one of 'bytes', 'bits', None"),
        ({"reward": None}, "reward is None: expected one of 'win', 'margin', 'score'"),
        ({"autoreset": True}, "autoreset is True: expected one of 'same-step', 'next-step', 'disabled'"),
        ({"dtype": np.float64}, "dtype is dtype.'float64'.: expected one of"),
        ({"dtype": "nonsense"}, "nonsense"),
        ({"tiles": 5}, "expected 'standard', a path"),
    ],
    ids=str,
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    before = threading.enumerate()
    with pytest.raises((ValueError, TypeError), match=message):
        BatchEnv(**{"num_envs": 2, "threads": 3, **arguments})
    assert_that_threads_end(before)


def threads_since(before: list[threading.Thread]) -> set[threading.Thread]:
    return set(threading.enumerate()) - set(before)


def assert_that_threads_end(before: list[threading.Thread]) -> None:
    """Wait for the threads begun since, which end soon after nobody needs them."""
    gc.collect()
    for thread in threads_since(before):
        thread.join(timeout=30)
    assert not threads_since(before)


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike(copied: Callable[[BatchEnv], BatchEnv]) -> None:
    env = BatchEnv(300, seed=1, threads=2)
    play(env, 30)
    other = copied(env)
    assert other.tiles == env.tiles
    if copied is not copy.copy:
        play(env, 30)
        assert everything(other) != everything(env)
        play(other, 30)
    assert everything(other) == everything(env)
    other.close()
    env.close()


def test_the_threads_end_with_the_environment() -> None:
    before = threading.enumerate()
    with BatchEnv(300, seed=1, threads=3) as env:
        assert len(threads_since(before)) == 2
        play(env, 3)
    assert not threads_since(before)
    env.close()  # once more does no harm
    play(env, 3)  # on one thread
    assert env.game(299).king >= 0


def test_the_threads_end_with_an_environment_that_is_forgotten() -> None:
    before = threading.enumerate()
    env = BatchEnv(300, seed=1, threads=3)
    play(env, 3)
    assert len(threads_since(before)) == 2
    del env
    assert_that_threads_end(before)


def test_an_environment_closes_when_an_error_leaves_its_block() -> None:
    before = threading.enumerate()
    with pytest.raises(KeyError), BatchEnv(2, seed=1, threads=2):
        raise KeyError
    assert not threads_since(before)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 1000, 5001])
def test_a_crew_does_each_piece_of_work_once(threads: int, size: int) -> None:
    crew = Crew(threads)
    done = np.zeros(size, int)

    def work(start: int, stop: int) -> None:
        done[start:stop] += 1

    for _ in range(3):
        crew.run(work, size, chunk=100)
    assert (done == 3).all()
    crew.close()


@njit(nogil=True)  # type: ignore[untyped-decorator]
def count_chunk(times: Any, number: int, start: int, stop: int, step: int) -> None:
    for k in range(start, stop, step):
        times[k] += number


@njit(nogil=True)  # type: ignore[untyped-decorator]
def count_rows(times: Any, number: int, board: Any) -> int:
    share_out(board, len(times), 64, count_chunk, times, number)
    return len(times)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 1000, 5001])
def test_a_crew_gives_each_row_to_a_kernel_once(threads: int, size: int) -> None:
    crew = Crew(threads)
    times = np.zeros(size, np.int64)
    for number in range(200):
        assert crew.run_kernel(count_rows, size, times, number) == size
    assert (times == sum(range(200))).all()
    crew.close()
    assert crew.run_kernel(count_rows, size, times, 1) == size
    assert (times == sum(range(200)) + 1).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_a_crew_that_several_threads_call_at_once_works_for_one_after_the_other(threads: int) -> None:
    crew = Crew(threads)
    times = [np.zeros(1000 + k, np.int64) for k in range(4)]

    def call(counted: Any) -> None:
        def work(start: int, stop: int) -> None:
            counted[start:stop] += 1

        for _ in range(300):
            crew.run_kernel(count_rows, len(counted), counted, 1)
            crew.run(work, len(counted), chunk=100)

    callers = [threading.Thread(target=call, args=(counted,)) for counted in times]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert all((counted == 600).all() for counted in times)
    crew.close()


FORK = """
import os, threading, time
from basilica_env import BatchEnv
from basilica_env.envs.threads import Crew

env = BatchEnv(3000, seed=1, threads=3)
over = threading.Event()

def play():  # so that the process is forked in the middle of a step
    while not over.is_set():
        env.step(env.sample_actions())

def result_of(env):
    env.reset(seed=2)
    for _ in range(20):
        env.step(env.sample_actions())
    return env.get_state().tobytes()

expected = result_of(BatchEnv(3000))
player = threading.Thread(target=play)
player.start()
for number in range(10):
    child = os.fork()
    if child == 0:
        os._exit(result_of(env) != expected)
    assert os.waitpid(child, 0)[1] == 0

def fork_in_work(start, stop):
    if start > 6 and threading.current_thread() is threading.main_thread() and not children:
        children.append(os.fork())
    time.sleep(0.01)

children = []
crew = Crew(3)
crew.run(fork_in_work, 30, chunk=1)
if children == [0]:
    os._exit(0)
assert os.waitpid(children[0], 0)[1] == 0
over.set()
player.join()
assert result_of(env) == expected
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_process_that_was_forked_in_the_middle_of_a_step_steps_alone() -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORK]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (process.stdout, process.stderr) == ("done\n", "")


def test_a_crew_can_be_forgotten_by_a_thread_that_holds_its_lock() -> None:
    """As when the garbage collector runs while the thread waits for the others."""
    before = threading.enumerate()
    crew = Crew(3)
    lock = crew._post._lock
    with lock:
        del crew
    for thread in threads_since(before):
        thread.join(timeout=10)
    assert not threads_since(before)


def test_a_signal_handler_may_use_the_crew_that_it_interrupts() -> None:
    crew = Crew(2)
    times = np.zeros(1000, np.int64)
    with crew._sharing:  # where the handler of a signal that came during a kernel runs
        crew.run_kernel(count_rows, 1000, times, 1)
    assert (times == 1).all()
    crew.close()


def test_who_has_nothing_left_to_do_in_a_job_does_not_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    take_part = _Job.take_part
    monkeypatch.setattr(_Job, "take_part", lambda job: (asked.append(job), take_part(job)))
    crew = Crew(4)
    crew.run(lambda *rows: time.sleep(0.3 if rows == (0, 1) else 0), 3, chunk=1)
    crew.close()
    assert len(asked) <= 4


def test_an_error_of_a_piece_of_work_does_not_keep_the_work() -> None:
    class Work:
        def __call__(self, start: int, stop: int) -> None:
            raise KeyError(start, stop)

    crew = Crew(2)
    work = Work()
    kept = weakref.ref(work)
    gc.disable()
    try:
        with pytest.raises(KeyError):
            crew.run(work, 10, chunk=1)
        del work
        crew.close()
        assert kept() is None
    finally:
        gc.enable()


@njit(nogil=True)  # type: ignore[untyped-decorator]
def fail_chunk(times: Any, at: int, start: int, stop: int, step: int) -> None:
    for k in range(start, stop, step):
        if k == at:
            raise ValueError("here")
        times[k] += 1


@njit(nogil=True)  # type: ignore[untyped-decorator]
def fail_at(times: Any, at: int, board: Any) -> None:
    share_out(board, len(times), 64, fail_chunk, times, at)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_kernel_that_fails_in_some_rows_says_so_and_the_crew_goes_on(threads: int) -> None:
    crew = Crew(threads)
    times = np.zeros(5000, np.int64)
    for at in range(0, 5000, 50):
        times[:] = 0
        with pytest.raises(MemoryError, match="no memory is left to work with"):
            crew.run_kernel(fail_at, 5000, times, at)
        assert times.max() <= 1
        assert times[at] == 0
    times[:] = 0
    crew.run_kernel(count_rows, 5000, times, 1)
    assert (times == 1).all()
    crew.close()


@njit(nogil=True)  # type: ignore[untyped-decorator]
def note_row(order: Any, number: Any, start: int, stop: int, step: int) -> None:
    for k in range(start, stop, step):
        order[number[0]] = k
        number[0] += 1


@njit(nogil=True)  # type: ignore[untyped-decorator]
def note_rows(order: Any, number: Any, board: Any) -> None:
    share_out(board, len(order), 30, note_row, order, number)


def test_a_thread_works_on_its_own_part_first_and_then_for_those_who_do_not_come() -> None:
    """It works on its part downwards, on the next upwards, and so on, and helps from the end that is left."""
    order, number = np.zeros(300, int), np.zeros(1, int)
    note_rows(order, number, new_board(3))  # in chunks of 300 // 48 = 6
    second = [k for stop in range(200, 100, -6) for k in range(max(stop - 6, 100), stop)]
    third = [k for start in range(200, 300, 6) for k in reversed(range(start, min(start + 6, 300)))]
    assert order.tolist() == [*reversed(range(100)), *second, *third]
    order[:], number[:] = 0, 0
    note_rows(order, number, new_board(1))
    assert order.tolist() == list(range(300))


@njit  # type: ignore[untyped-decorator]
def copy_through_borrowed(to: Any, source: Any) -> Any:
    to, source = borrowed(to, source)
    for k in range(len(source)):
        to[k] = source[k]
    return source[::2]


def test_a_borrowed_array_is_the_array_itself_without_its_references() -> None:
    """So a view of it that outlives the kernel has no owner, and none is counted while it works."""
    source = np.arange(6)
    to = np.zeros(6)
    before = sys.getrefcount(source), sys.getrefcount(to)
    view = copy_through_borrowed(to, source)
    assert (to == source).all()
    assert view.base is None or view.base is not source
    assert (sys.getrefcount(source), sys.getrefcount(to)) == before


@hypothesis.given(st.data())
@hypothesis.settings(deadline=None)
def test_threads_that_take_turns_in_any_way_claim_each_row_once(data: st.DataObject) -> None:
    """As one act claims a chunk, every way in which threads can run is a way of taking turns."""
    parts, rows, chunk = (data.draw(st.integers(1, most)) for most in (4, 400, 70))
    board = new_board(parts)
    board[share._ROWS], board[share._CHUNK] = rows, chunk
    times = np.zeros(rows, int)
    order = {part: [(part + k) % parts for k in range(parts)] for part in range(parts)}
    while order:
        thread = data.draw(st.sampled_from(sorted(order)))
        part = order[thread][0]
        rows_claimed = range(*share._claim_of(board, part, 1 if part == thread else share._FROM_THE_END))
        times[list(rows_claimed)] += 1
        if not rows_claimed:
            order[thread].pop(0)
            order = {thread: left for thread, left in order.items() if left}
    assert (times == 1).all()


def test_the_first_of_several_illegal_actions_is_named_by_any_number_of_threads() -> None:
    rows = [700, 1400, 2999]
    for threads in (1, 2, 3):
        env = BatchEnv(3000, seed=1, threads=threads)
        for _ in range(60):
            actions = env.sample_actions()
            wrong = actions.copy()
            wrong[rows] = env.view(rows).mask.argmin(axis=1)
            before = env.get_state()
            with pytest.raises(IllegalActionError, match="in game 700:"):
                env.step(wrong)
            assert env.get_state().tobytes() == before.tobytes()
            env.step(actions)
        env.close()


class _Clock:
    """Calls of a kernel that take the times given, alone and shared."""

    def __init__(self, alone: float, shared: float) -> None:
        self.pace = _Pace()
        self.seconds = {False: alone, True: shared}
        self.chosen: list[bool] = []

    def run(self, calls: int) -> float:
        """Run; return how often the work was shared."""
        self.chosen.clear()
        for _ in range(calls):
            way = self.pace.shares()
            self.chosen.append(way)
            self.pace.note("work", 1000, self.seconds[way])
        return sum(self.chosen) / calls


def test_work_is_shared_where_that_is_faster_and_only_there() -> None:
    clock = _Clock(alone=1e-3, shared=5e-4)
    clock.run(5000)
    assert clock.run(5000) > 0.9
    clock.seconds[True] = 2e-3  # another process has come
    clock.run(5000)
    assert clock.run(5000) < 0.1
    clock.seconds[True] = 5e-4  # it is gone
    clock.run(5000)
    assert clock.run(5000) > 0.9


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_in_one_piece_of_work_is_told_and_the_crew_goes_on(threads: int) -> None:
    crew = Crew(threads)

    def fail(start: int, stop: int) -> None:
        if start <= 700 < stop:
            raise KeyError("here")

    for _ in range(3):
        with pytest.raises(KeyError, match="here"):
            crew.run(fail, 2000, chunk=100)
    done = []
    crew.run(lambda start, stop: done.append(stop - start), 2000, chunk=100)
    assert sum(done) == 2000
    crew.close()


MEMORY = """
import resource
from basilica_env import BatchEnv

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def steps(env, number):
    for _ in range(number // env.num_envs):
        env.step(env.sample_actions())

rules, views = BatchEnv(4096, seed=0, observation=None, mask=None), BatchEnv(512, seed=0, threads=2)
steps(rules, 10**6), steps(views, 10**5)
before = most()
steps(rules, 10**7), steps(views, 10**6)
for _ in range(50):
    BatchEnv(512, seed=0, threads=2).view()
print(most() / before)
"""


def test_memory_stays_flat() -> None:
    process = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stderr
    assert float(process.stdout) < 1.1
