"""The AEC face: PettingZoo's own tests, life cycle, rewards, illegal actions, copies."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.wrappers import BaseWrapper

import basilica_env  # noqa: F401  (registers the environments)
from basilica_env import GameState, IllegalMoveError, basilica_v0
from basilica_env.core.layout import ACTIONS
from basilica_env.core.observation import split

AGENTS = ["player_0", "player_1"]
REWARDS = ("win", "margin", "score")


def legal(observation: dict[str, Any], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def play_out_game(game: GameState) -> None:
    while not game.is_over:
        game.apply(game.sample_action())


def random_moves(env: Any, moves: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(moves):
        env.step(legal(env.observe(env.agent_selection), rng))


def play_out(env: Any, seed: int) -> dict[str, list[float]]:
    """Play a game to its end; return what ``last`` paid each agent, in order."""
    rng = np.random.default_rng(seed)
    paid: dict[str, list[float]] = {agent: [] for agent in AGENTS}
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        paid[agent].append(reward)
        env.step(None if termination or truncation else legal(observation, rng))
    return paid


@pytest.fixture
def env() -> Any:
    env = basilica_v0.env()
    env.reset(seed=3)
    return env


@pytest.fixture
def near_end() -> Any:
    """An environment a few decisions before the end, with the two rewards to come."""
    env = basilica_v0.env()
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    states = []
    while env.agents and not any(env.terminations.values()):
        states.append(env.get_state())
        env.step(legal(env.observe(env.agent_selection), rng))
    env.set_state(states[-1])
    return env


# PettingZoo's own tests


@pytest.mark.parametrize("observation", ["flat", "dict"])
@pytest.mark.parametrize("make", [basilica_v0.env, basilica_v0.raw_env])
def test_passes_the_api_test(make: Any, observation: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its list of environments with a mask is closed
        api_test(make(observation=observation), num_cycles=300)


def test_passes_the_seed_test() -> None:
    seed_test(basilica_v0.env, num_cycles=200)


def test_passes_the_render_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(basilica_v0.env, {"svg": lambda drawn: drawn.startswith("<svg")})


def test_is_in_the_registry() -> None:
    env = pettingzoo.make("aec", "basilica-v0", reward="margin")
    env.reset(seed=1)
    assert isinstance(env.unwrapped, basilica_v0.raw_env)
    assert env.unwrapped.reward == "margin"


def test_metadata() -> None:
    metadata = basilica_v0.env().metadata
    assert metadata["name"] == "basilica_v0"
    assert metadata["is_parallelizable"] is False
    assert {"ansi", "human"} <= set(metadata["render_modes"])
    assert metadata["render_fps"] > 0
    assert str(basilica_v0.env()) == "basilica_v0"


# Games


def test_same_seed_same_game_as_game_state() -> None:
    env = basilica_v0.env()
    env.reset(seed=11)
    assert env.game == GameState.new(seed=11)


def test_resets_without_a_seed_go_on_from_the_last_one() -> None:
    first, second = basilica_v0.env(), basilica_v0.env()
    starts = []
    for env in (first, second):
        env.reset(seed=5)
        env.reset()
        starts.append(env.game.to_text())
        env.reset()
        starts.append(env.game.to_text())
    assert starts[:2] == starts[2:]
    assert starts[0] != starts[1]


def test_ten_thousand_seeds_never_raise() -> None:
    for seed in range(10_000):
        game = GameState.new(seed=seed)
        play_out_game(game)
        assert game.is_over


def test_many_seeds_through_the_environment_never_raise() -> None:
    env = basilica_v0.env()
    for seed in range(150):
        env.reset(seed=seed)
        play_out(env, seed)
        assert env.game.is_over


def test_interleaved_games_do_not_disturb_each_other() -> None:
    def line(env: Any, rng: np.random.Generator) -> None:
        env.step(legal(env.observe(env.agent_selection), rng))

    alone, first, second = basilica_v0.env(), basilica_v0.env(), basilica_v0.env()
    alone.reset(seed=1)
    random_moves(alone, 40, seed=1)
    first.reset(seed=1)
    second.reset(seed=2)
    one, two = np.random.default_rng(1), np.random.default_rng(2)
    for _ in range(40):
        line(first, one)
        line(second, two)
    assert first.game == alone.game


def final_text(seed: int) -> str:
    env = basilica_v0.env()
    env.reset(seed=seed)
    play_out(env, seed)
    return str(env.game.to_text())


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_a_pool_plays_the_same_games(kind: str) -> None:
    seeds = range(6)
    pool = (
        ThreadPoolExecutor(3)
        if kind == "threads"
        else ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
    )
    with pool:
        ends = list(pool.map(final_text, seeds))
    assert ends == [final_text(seed) for seed in seeds]
    assert len(set(ends)) == len(seeds)


def test_the_agent_is_whoever_decides() -> None:
    env = basilica_v0.env()
    rng = np.random.default_rng(0)
    answered = 0
    for seed in range(30):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            assert env.agent_selection == AGENTS[env.game.player]
            answered += env.game.player != env.game.turn
            env.step(legal(env.observe(env.agent_selection), rng))
    assert answered > 0  # decisions out of turn came up


def test_starts_from_a_position() -> None:
    source = GameState.new(seed=4)
    for _ in range(30):
        source.apply(int(source.legal_actions()[-1]))
    env = basilica_v0.env()
    env.reset(seed=9, options={"position": source.to_text()})
    assert env.game.to_text() == source.to_text()
    assert env.agent_selection == AGENTS[source.player]
    env.reset(seed=9)
    assert env.game == GameState.new(seed=9)


def test_refuses_a_position_that_is_over() -> None:
    game = GameState.new(seed=4)
    play_out_game(game)
    with pytest.raises(ValueError, match="over"):
        basilica_v0.env().reset(options={"position": game.to_text()})


def test_position_faults_name_the_field() -> None:
    text = GameState.new(seed=4).to_text().replace(" 1:1 ", " 2:1 ")
    with pytest.raises(ValueError, match="coins"):
        basilica_v0.env().reset(options={"position": text})


def test_takes_another_tile_set(tmp_path: Any) -> None:
    from importlib import resources

    path = tmp_path / "mine.csv"
    text = (resources.files("basilica_env") / "data" / "standard.csv").read_text("utf-8")
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("R0,"))
    lines[first], lines[first + 1] = lines[first + 1], lines[first]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    by_option, by_argument = basilica_v0.env(), basilica_v0.env(tiles=path)
    by_option.reset(seed=1, options={"tiles": path})
    by_argument.reset(seed=1)
    assert by_option.game == by_argument.game == GameState.new(seed=1, tiles=path)
    assert by_option.game != GameState.new(seed=1)
    by_option.reset(seed=2)
    assert by_option.game == GameState.new(seed=2, tiles=path)


def test_names_an_unknown_option() -> None:
    with pytest.warns(UserWarning, match="'postion'.*'position'"):
        basilica_v0.env().reset(options={"postion": "..."})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("render_mode", "svgg"),
        ("reward", "wins"),
        ("illegal", "ignore"),
        ("observation", "planes"),
        ("dtype", "float64"),
        ("waiting_mask", "none"),
        ("tiles", "no such file.csv"),
    ],
)
def test_refuses_an_unknown_choice(name: str, value: str) -> None:
    with pytest.raises((ValueError, OSError), match=value):
        basilica_v0.env(**{name: value})


# Observations and masks


@pytest.mark.parametrize("waiting", ["zeros", "ones"])
def test_observe_is_right_for_either_agent_at_any_time(waiting: str) -> None:
    env = basilica_v0.env(waiting_mask=waiting, observation="dict")
    env.reset(seed=6)
    rng = np.random.default_rng(6)
    while env.agents:
        for agent in env.agents:
            player = AGENTS.index(agent)
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            planes, scalars = split(env.game.observe(player, np.float32))
            np.testing.assert_array_equal(seen["observation"]["planes"], planes)
            np.testing.assert_array_equal(seen["observation"]["scalars"], scalars)
            if not env.game.is_over and agent == env.agent_selection:
                assert np.flatnonzero(seen["action_mask"]).tolist() == env.game.legal_actions().tolist()
                assert seen["action_mask"].any()
            else:
                assert (seen["action_mask"] == (waiting == "ones")).all()
        over = env.game.is_over
        env.step(None if over else legal(env.observe(env.agent_selection), rng))


def test_flat_and_dict_observations_say_the_same() -> None:
    flat = basilica_v0.env(dtype="uint8")
    parts = basilica_v0.env(observation="dict", dtype="uint8")
    for env in (flat, parts):
        env.reset(seed=2)
        random_moves(env, 50, seed=2)
    for agent in AGENTS:
        vector, both = flat.observe(agent)["observation"], parts.observe(agent)["observation"]
        assert both["planes"].dtype == np.uint8
        np.testing.assert_array_equal(vector, np.concatenate([both["planes"].ravel(), both["scalars"]]))


def test_observations_are_not_views(env: Any) -> None:
    before = env.observe("player_0")
    kept = copy.deepcopy(before)
    random_moves(env, 20, seed=1)
    for key, value in kept.items():
        np.testing.assert_array_equal(before[key], value)


# Rewards and the end


@pytest.mark.parametrize("kind", REWARDS)
def test_rewards_are_zero_sum_and_true_to_the_scores(kind: str) -> None:
    env = basilica_v0.env(reward=kind)
    outcomes = set()
    for seed in range(40):
        env.reset(seed=seed)
        paid = play_out(env, seed)
        totals = [sum(paid[agent]) for agent in AGENTS]
        lead = env.game.scores[0] - env.game.scores[1]
        assert totals[0] == pytest.approx(-totals[1])
        expected = env.game.returns()[0] if kind == "win" else lead / 50
        assert totals[0] == pytest.approx(expected, abs=1e-9)
        outcomes.add(int(np.sign(lead)))
    assert {1, -1} <= outcomes


def test_both_end_together_and_are_paid_once(near_end: Any) -> None:
    env = near_end
    env.step(legal(env.observe(env.agent_selection), np.random.default_rng(0)))
    if not env.game.is_over:
        play_on = np.random.default_rng(0)
        while not env.game.is_over:
            env.step(legal(env.observe(env.agent_selection), play_on))
    assert env.terminations == dict.fromkeys(AGENTS, True)
    assert env.truncations == dict.fromkeys(AGENTS, False)
    assert env.agent_selection == "player_0"
    returns = env.game.returns()
    assert env.final_rewards == dict(zip(AGENTS, returns, strict=True))
    steps = 0
    for player, agent in enumerate(env.agent_iter()):
        observation, reward, termination, truncation, info = env.last()
        assert agent == AGENTS[player]
        assert (termination, truncation) == (True, False)
        assert reward == returns[player]
        assert info["scores"] == env.game.scores
        assert env.observation_space(agent).contains(observation)
        env.step(None)
        steps += 1
    assert steps == 2
    assert env.agents == []
    assert env.rewards == env.terminations == env.truncations == env.infos == {}


def test_a_dead_agent_takes_no_action(near_end: Any) -> None:
    play = np.random.default_rng(0)
    while not near_end.game.is_over:
        near_end.step(legal(near_end.observe(near_end.agent_selection), play))
    with pytest.raises(ValueError, match="None"):
        near_end.step(0)


@pytest.mark.parametrize("kind", REWARDS)
def test_decisions_yields_decisions_alone_and_leaves_the_final_rewards(kind: str) -> None:
    env = basilica_v0.env(reward=kind)
    env.reset(seed=8)
    rng = np.random.default_rng(8)
    totals = dict.fromkeys(AGENTS, 0.0)
    number = 0
    for agent, observation, reward, _ in basilica_v0.decisions(env):
        assert observation["action_mask"].any()
        assert env.final_rewards == {}
        totals[agent] += reward
        env.step(legal(observation, rng))
        number += 1
    assert number > 20
    assert env.agents == []
    for agent in AGENTS:
        totals[agent] += env.final_rewards[agent]
    expected = basilica_v0.env(reward=kind)
    expected.reset(seed=8)
    paid = play_out(expected, seed=8)
    assert totals == pytest.approx({agent: sum(paid[agent]) for agent in AGENTS})


# Illegal actions


def an_illegal_action(env: Any) -> int:
    mask = env.observe(env.agent_selection)["action_mask"]
    return int(np.flatnonzero(mask == 0)[-1])


def test_an_illegal_action_raises_with_the_move_and_changes_nothing(env: Any) -> None:
    random_moves(env, 10, seed=1)
    before, agent, action = env.get_state(), env.agent_selection, an_illegal_action(env)
    with pytest.raises(IllegalMoveError, match=env.game.move_of(action)):
        env.step(action)
    assert env.get_state() == before
    assert env.agent_selection == agent
    random_moves(env, 10, seed=2)


@pytest.mark.parametrize("action", [-1, ACTIONS, 2.0, "V1a1", None])
@pytest.mark.parametrize("illegal", ["raise", "lose", "penalty"])
def test_what_is_no_action_raises_always(illegal: str, action: Any) -> None:
    env = basilica_v0.env(illegal=illegal)
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises((ValueError, TypeError), match=str(action)):
        env.step(action)
    assert env.get_state() == before


@pytest.mark.parametrize("kind", REWARDS)
def test_an_illegal_action_loses_on_request(kind: str) -> None:
    env = basilica_v0.env(illegal="lose", reward=kind)
    offenders = set()
    for moves in (0, 15, 30, 31, 32, 33, 34, 35):
        env.reset(seed=moves)
        rng = np.random.default_rng(moves)
        paid = dict.fromkeys(AGENTS, 0.0)
        for _ in range(moves):
            observation, reward, *_ = env.last()
            paid[env.agent_selection] += reward
            env.step(legal(observation, rng))
        offender = env.agent_selection
        offenders.add(offender)
        other = AGENTS[1 - AGENTS.index(offender)]
        paid[offender] += env.last()[1]
        action = an_illegal_action(env)
        env.step(action)
        assert env.terminations == dict.fromkeys(AGENTS, True)
        assert env.agent_selection == "player_0"
        for agent in env.agent_iter():
            _, reward, termination, _, info = env.last()
            assert termination
            assert info["illegal"] == offender
            paid[agent] += reward
            env.step(None)
        assert paid[offender] <= -1
        assert paid[offender] == pytest.approx(-paid[other])
        assert env.agents == []
    assert offenders == set(AGENTS)


@pytest.mark.parametrize("illegal", ["lose", "penalty"])
def test_a_step_that_leaves_the_cathedral_is_an_illegal_action_too(illegal: str) -> None:
    """It has no text as a move, on no board."""
    env = basilica_v0.env(illegal=illegal)
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(510)
    assert env.infos[agent]["illegal"] == agent
    assert env.infos[agent]["move"] == "a step left from a8"


@pytest.mark.parametrize("kind", REWARDS)
def test_an_illegal_action_costs_a_penalty_on_request(kind: str) -> None:
    env = basilica_v0.env(illegal="penalty", reward=kind)
    env.reset(seed=1)
    random_moves(env, 12, seed=1)
    agent, text, action = env.agent_selection, env.game.to_text(), an_illegal_action(env)
    other = AGENTS[1 - AGENTS.index(agent)]
    for _ in range(2):
        env.step(action)
        assert env.agent_selection == agent
        assert env.game.to_text() == text
        assert env.rewards == {agent: -0.1, other: 0.1}
        assert env.last()[1] == -0.1  # since her last decision, not since the last legal one
        assert env.infos[agent] == {"illegal": agent, "move": env.game.move_of(action)}
    random_moves(env, 1, seed=1)
    assert env.infos == {agent: {}, other: {}}
    paid = play_out(env, seed=1)
    assert sum(sum(rewards) for rewards in paid.values()) == pytest.approx(0.2)  # her share is paid already


def test_plays_on_after_an_illegal_action_and_a_reset() -> None:
    env = basilica_v0.env(illegal="lose")
    env.reset(seed=1)
    env.step(an_illegal_action(env))
    env.reset(seed=2)
    assert env.agents == AGENTS
    assert env.agent_selection == "player_0"
    assert env.final_rewards == {}
    paid = play_out(env, seed=2)
    assert sum(sum(rewards) for rewards in paid.values()) == 0
    assert env.game.is_over


# Copies


def keep(env: Any) -> Any:
    other = basilica_v0.env()
    other.set_state(env.get_state())
    return other


COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "clone": lambda env: env.clone(),
    "state": keep,
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("moves", [0, 25, None])
def test_copies_keep_the_live_game(how: str, moves: int | None) -> None:
    env = basilica_v0.env(render_mode="ansi")
    env.reset(seed=12)
    if moves is None:
        rng = np.random.default_rng(12)
        while not env.game.is_over:
            env.step(legal(env.observe(env.agent_selection), rng))
        env.step(None)  # one agent has gone
    else:
        random_moves(env, moves, seed=12)
    other = COPIES[how](env)
    assert other.get_state() == env.get_state()
    text = env.game.to_text()
    paid = play_out(other, seed=5)
    assert env.game.to_text() == text  # the copy is a game of its own
    assert play_out(env, seed=5) == paid
    assert other.game == env.game
    assert isinstance(env.render(), str)


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_taken_inside_the_loop_can_be_played(how: str) -> None:
    env = basilica_v0.env()
    env.reset(seed=1)
    for _ in env.agent_iter(max_iter=3):
        other = COPIES[how](env)
        play_out(other, seed=1)
        assert other.game.is_over
        env.step(legal(env.last()[0], np.random.default_rng(1)))


def test_copies_work_through_another_wrapper() -> None:
    env = BaseWrapper(basilica_v0.env())
    env.reset(seed=1)
    random_moves(env, 20, seed=1)
    for how in ("deepcopy", "pickle"):
        other = COPIES[how](env)
        assert other.get_state() == env.get_state()
        assert other.unwrapped is not env.unwrapped


def test_a_state_can_be_set_again_and_again(env: Any) -> None:
    random_moves(env, 10, seed=1)
    state = env.get_state()
    ends = []
    for _ in range(2):
        env.set_state(state)
        play_out(env, seed=1)
        ends.append(env.game.to_text())
    assert ends[0] == ends[1]


def test_a_reseeded_clone_shares_what_is_open_and_nothing_hidden(env: Any) -> None:
    random_moves(env, 10, seed=1)
    other = env.clone(reseed=4)
    for agent in AGENTS:
        np.testing.assert_array_equal(other.observe(agent)["observation"], env.observe(agent)["observation"])
    assert other.game != env.game
    assert env.clone(reseed=4).game == other.game


def test_a_copy_samples_the_same_actions(env: Any) -> None:
    env.action_space("player_0").seed(3)
    other = copy.deepcopy(env)
    mask = env.observe("player_0")["action_mask"]
    drawn = [[int(e.action_space("player_0").sample(mask)) for _ in range(5)] for e in (env, other)]
    assert drawn[0] == drawn[1]


def test_calls_before_reset_are_named() -> None:
    env = basilica_v0.env()
    with pytest.raises(AssertionError, match="reset"):
        env.step(0)
    with pytest.raises(AssertionError, match="reset"):
        env.observe("player_0")
    with pytest.raises(AssertionError, match="reset"):
        env.last()
    with pytest.raises(AssertionError, match="reset"):
        env.agent_iter()


# Drawing


def test_ansi_shows_the_board() -> None:
    drawn = basilica_v0.env(render_mode="ansi")
    drawn.reset(seed=3)
    first = drawn.render()
    drawn.step(int(drawn.game.legal_actions()[0]))
    assert drawn.render() != first


def test_rendering_without_a_mode_says_so(env: Any) -> None:
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


WRONG_CALLS: dict[str, Any] = {
    "unknown agent 'player_2'": lambda env: env.observe("player_2"),
    "unknown agent 'x'": lambda env: env.action_space("x"),
    "unknown agent None": lambda env: env.observation_space(None),
    "state b'x'": lambda env: env.set_state(b"x"),
    "options 5": lambda env: env.reset(options=5),
    "position 5": lambda env: env.reset(options={"position": 5}),
}


@pytest.mark.parametrize("thing", WRONG_CALLS)
def test_a_wrong_argument_is_named_and_the_game_goes_on(thing: str) -> None:
    env = basilica_v0.raw_env()
    env.reset(seed=1)
    before = env.game.to_text()
    with pytest.raises((TypeError, ValueError), match=f"^{thing}.*: expected "):
        WRONG_CALLS[thing](env)
    assert env.game.to_text() == before
