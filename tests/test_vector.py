"""The Gymnasium face for many games: against a referee, in every autoreset mode."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import basilica_env  # noqa: F401  (registers the environments)
from basilica_env.envs.batch import IllegalActionError
from basilica_env.envs.vector import BasilicaVectorEnv
from tests.seated import LastLegal, Referee, last_legal, random_legal

MODES = [mode.value for mode in AutoresetMode]


def row(observations: dict[str, Any], game: int) -> dict[str, Any]:
    return {key: value[game] for key, value in observations.items()}


def frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: frozen(part) for key, part in value.items()}
    return value.copy() if isinstance(value, np.ndarray) else value


def assert_same(first: Any, second: Any) -> None:
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for key in first:
            assert_same(first[key], second[key])
    elif isinstance(first, np.ndarray) and first.dtype == object:
        for one, other in zip(first, second, strict=True):
            assert_same(one, other)
    else:
        np.testing.assert_array_equal(first, second)


def shape_of(value: Any) -> Any:
    """Return keys, shapes and dtypes of nested infos."""
    if isinstance(value, dict):
        return {key: shape_of(part) for key, part in sorted(value.items())}
    if isinstance(value, np.ndarray):
        inner = [shape_of(part) for part in value if part is not None][:1] if value.dtype == object else []
        return (value.shape, value.dtype, inner)
    return type(value)


def test_make_vec_gives_the_batch_engine() -> None:
    envs = gymnasium.make_vec("Basilica-v0", num_envs=5, opponent="greedy", reward="margin")
    assert isinstance(envs, BasilicaVectorEnv)
    assert envs.num_envs == 5
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    single = gymnasium.make("Basilica-v0")
    assert envs.single_observation_space == single.observation_space
    assert envs.single_action_space == single.action_space
    observations, infos = envs.reset(seed=1)
    assert observations in envs.observation_space
    assert envs.sample_actions() in envs.action_space
    assert set(infos) == {"action_mask", "_action_mask", "seat", "_seat", "scores", "_scores"}
    envs.close()


@pytest.mark.parametrize("mode", MODES)
def test_the_mode_is_in_the_metadata_of_each(mode: str) -> None:
    other = BasilicaVectorEnv(1)
    envs = BasilicaVectorEnv(2, autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] == AutoresetMode(mode)
    assert BasilicaVectorEnv(2, autoreset_mode=AutoresetMode(mode)).autoreset_mode.value == mode
    assert other.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("reward", ["win", "margin", "score"])
@pytest.mark.parametrize("mode", MODES)
def test_is_the_games_that_a_referee_replays(mode: str, reward: Any) -> None:
    number = 6
    form = {"win": "flat", "margin": "dict", "score": "flat"}[reward]
    envs = BasilicaVectorEnv(number, last_legal, "random", reward, form, autoreset_mode=mode)
    observations, infos = envs.reset(seed=2)
    rng = np.random.default_rng(2)
    seats = infos["seat"]
    referees = [Referee(envs.game(i), int(seats[i]), reward) for i in range(number)]
    waiting = np.zeros(number, np.bool_)  # games that the next step begins, with NextStep
    ended = 0
    for _ in range(120):
        for game in range(number):
            referees[game].check(row(observations, game))
        actions = random_legal(observations["action_mask"], rng)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards.dtype == np.float64
        assert not truncations.any()
        assert ("final_obs" in infos) == (mode == "SameStep" and bool(terminations.any()))
        for game in range(number):
            if waiting[game]:
                assert rewards[game] == 0
                assert not terminations[game]
                referees[game] = Referee(envs.game(game), int(infos["seat"][game]), reward)
                continue
            referee = referees[game]
            assert rewards[game] == pytest.approx(referee.step(int(actions[game])), abs=1e-6)
            assert terminations[game] == referee.game.is_over
            if referee.game.is_over and mode == "SameStep":
                referee.check(infos["final_obs"][game])
                assert tuple(infos["final_info"]["scores"][game]) == referee.game.scores
                assert infos["final_info"]["seat"][game] == referee.seat
                assert infos["_final_obs"][game]
                assert infos["_final_info"][game]
                referees[game] = Referee(envs.game(game), int(infos["seat"][game]), reward)
            else:
                assert infos["seat"][game] == referee.seat
                assert tuple(infos["scores"][game]) == referee.game.scores
        ended += int(terminations.sum())
        waiting = terminations if mode == "NextStep" else np.zeros(number, np.bool_)
        if mode == "Disabled" and terminations.any():
            for game in np.flatnonzero(terminations).tolist():
                referees[game].check(row(observations, game))
            observations, infos = envs.reset(options={"reset_mask": terminations})
            assert infos["_seat"].tolist() == terminations.tolist()
            for game in np.flatnonzero(terminations).tolist():
                referees[game] = Referee(envs.game(game), int(infos["seat"][game]), reward)
    assert ended >= 10


def test_infos_are_packed_as_gymnasium_packs_them() -> None:
    shapes = []
    for how in (
        {"autoreset_mode": "SameStep"},
        {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": "SameStep"}},
    ):
        envs = gymnasium.make_vec("Basilica-v0", num_envs=3, opponent=last_legal, **how)
        observations, infos = envs.reset(seed=1)
        rng = np.random.default_rng(1)
        start = shape_of(infos)
        while "final_obs" not in infos:
            observations, rewards, terminations, truncations, infos = envs.step(
                random_legal(observations["action_mask"], rng)
            )
        shapes.append(
            (start, [shape_of(a) for a in (observations, rewards, terminations, truncations, infos)])
        )
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_seed_fixes_everything_for_any_number_of_threads(mode: str) -> None:
    lines = []
    for threads in (1, 2):
        envs = BasilicaVectorEnv(300, "random", threads=threads, autoreset_mode=mode)
        start: Any = envs.reset(seed=4)
        lines.append([start, *(envs.step(envs.sample_actions()) for _ in range(40))])
        envs.close()
    for first, second in zip(*lines, strict=True):
        for one, other in zip(first, second, strict=True):
            assert_same(one, other)


def test_resets_without_a_seed_go_on() -> None:
    envs = BasilicaVectorEnv(4, last_legal, seat="random")
    first, _ = envs.reset(seed=3)
    second, _ = envs.reset()
    third, _ = envs.reset(seed=3)
    assert_same(first, third)
    assert (first["observation"] != second["observation"]).any(axis=1).all()


def test_what_was_returned_does_not_change() -> None:
    for mode in ("NextStep", "SameStep"):
        envs = BasilicaVectorEnv(8, "random", autoreset_mode=mode)
        given: list[tuple[Any, ...]] = [envs.reset(seed=1)]
        kept = [tuple(frozen(part) for part in given[0])]
        for _ in range(60):
            step = envs.step(envs.sample_actions())
            given.append(step)
            kept.append(tuple(frozen(part) for part in step))
        for one, other in zip(given, kept, strict=True):
            for part, copied in zip(one, other, strict=True):
                assert_same(part, copied)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_fixed_seat(seat: int) -> None:
    envs = BasilicaVectorEnv(4, seat=str(seat), autoreset_mode="SameStep")
    _, infos = envs.reset(seed=1)
    for _ in range(60):
        assert infos["seat"].tolist() == [seat] * 4
        *_, infos = envs.step(envs.sample_actions())


def test_alternate_seats_and_both_at_once() -> None:
    envs = BasilicaVectorEnv(4, seat="alternate", autoreset_mode="SameStep")
    _, infos = envs.reset(seed=1)
    assert infos["seat"].tolist() == [0, 1, 0, 1]
    for _ in range(200):
        before = infos["seat"]
        _, _, terminations, _, infos = envs.step(envs.sample_actions())
        np.testing.assert_array_equal(infos["seat"] != before, terminations)


def test_agents_one_by_one_and_functions_of_arrays_play_alike() -> None:
    lines = []
    for opponent in (last_legal, LastLegal()):
        envs = BasilicaVectorEnv(5, opponent, autoreset_mode="SameStep", reward="score")
        start = envs.reset(seed=6)[0]
        lines.append([start, *(envs.step(envs.sample_actions())[0] for _ in range(50))])
    for first, second in zip(*lines, strict=True):
        assert_same(first, second)


def test_the_opponent_sees_its_own_side_in_the_form_of_the_environment() -> None:
    asked = []

    def opponent(observations: Any, masks: Any) -> Any:
        assert set(observations) == {"planes", "scalars"}
        assert observations["scalars"].dtype == np.uint8
        assert len(observations["planes"]) == len(masks)
        names = [entry.name for entry in SCALAR_ENTRIES]
        assert observations["scalars"][:, names.index("my_decision")].all()
        asked.append(len(masks))
        return last_legal(observations, masks)

    from basilica_env.core.observation import SCALAR_ENTRIES

    envs = BasilicaVectorEnv(8, opponent, observation="dict", dtype="uint8")
    envs.reset(seed=1)
    for _ in range(20):
        envs.step(envs.sample_actions())
    assert max(asked) > 1  # several games in one call


def test_the_opponent_can_be_changed() -> None:
    def other(observations: Any, masks: Any) -> Any:
        called.append(len(masks))
        return last_legal(observations, masks)

    called: list[int] = []
    envs = BasilicaVectorEnv(4, "random")
    envs.reset(seed=1)
    envs.opponent = other
    for _ in range(5):
        envs.step(envs.sample_actions())
    assert called
    with pytest.raises(ValueError, match="nobody"):
        envs.opponent = "nobody"
    assert envs.opponent is other


def test_an_illegal_action_names_game_and_move_and_changes_nothing() -> None:
    envs = BasilicaVectorEnv(4, "random", seat=0)
    observations, _ = envs.reset(seed=1)
    actions = envs.sample_actions()
    actions[2] = 180
    texts = [envs.game(i).to_text() for i in range(4)]
    with pytest.raises(IllegalActionError, match=r"180 in game 2: illegal move 'B'"):
        envs.step(actions)
    assert [envs.game(i).to_text() for i in range(4)] == texts
    np.testing.assert_array_equal(envs.action_masks(), observations["action_mask"])


def test_disabled_refuses_to_step_a_finished_game() -> None:
    envs = BasilicaVectorEnv(3, "random", autoreset_mode="Disabled")
    envs.reset(seed=1)
    over = np.zeros(3, np.bool_)
    while not over.any():
        _, _, over, _, _ = envs.step(envs.sample_actions())
    with pytest.raises(IllegalActionError, match=f"game {np.flatnonzero(over)[0]}: .*the game is over"):
        envs.step(envs.sample_actions())


def test_an_opponent_who_plays_illegally_is_named() -> None:
    def illegal(_: Any, masks: Any) -> Any:
        return masks.argmin(axis=1)

    envs = BasilicaVectorEnv(3, illegal, seat=1)
    with pytest.raises(IllegalActionError, match="opponent <function"):
        envs.reset(seed=1)


def test_a_step_before_the_first_reset_is_refused() -> None:
    envs = BasilicaVectorEnv(3)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(envs.sample_actions())


@pytest.mark.parametrize(
    "mask",
    [np.zeros(3, np.bool_), np.ones(2, np.bool_), np.ones(3, np.int64)],
    ids=["none", "shape", "dtype"],
)
def test_a_faulty_reset_mask_is_refused(mask: Any) -> None:
    envs = BasilicaVectorEnv(3)
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("autoreset_mode", "nextstep"),
        ("seat", "both"),
        ("reward", "wins"),
        ("observation", "planes"),
        ("dtype", "float64"),
        ("num_envs", 0),
        ("threads", 0),
        ("render_mode", "human"),
    ],
)
def test_refuses_an_unknown_choice(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=str(value)):
        BasilicaVectorEnv(**{"num_envs": 2, name: value})


@pytest.mark.parametrize("actions", [np.zeros(3, np.int64), np.zeros(2), np.zeros((2, 1), np.int64)])
def test_actions_of_another_shape_or_kind_are_refused(actions: Any) -> None:
    for mode in MODES:
        envs = BasilicaVectorEnv(2, autoreset_mode=mode)
        envs.reset(seed=1)
        with pytest.raises(ValueError, match="actions"):
            envs.step(actions)


def test_works_in_gymnasiums_wrappers() -> None:
    envs = gymnasium.make_vec("Basilica-v0", num_envs=4, autoreset_mode="SameStep", reward="score")
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    observations, infos = wrapped.reset(seed=1)
    rng = np.random.default_rng(1)
    totals = np.zeros(4)
    while "episode" not in infos:
        observations, rewards, terminations, _, infos = wrapped.step(
            random_legal(observations["action_mask"], rng)
        )
        totals += rewards
    for game in np.flatnonzero(terminations):
        assert infos["episode"]["r"][game] == pytest.approx(totals[game])


def test_renders_text() -> None:
    envs = BasilicaVectorEnv(2, render_mode="ansi")
    envs.reset(seed=1)
    drawn = envs.render()
    assert drawn is not None
    assert len(drawn) == 2
    assert drawn[0] != drawn[1]
    assert BasilicaVectorEnv(2).render() is None


@pytest.mark.parametrize("num_envs", [-1, 0, True, "x"])
def test_no_number_of_games(num_envs: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^num_envs .*: expected "):
        BasilicaVectorEnv(num_envs)


def test_a_truth_value_is_no_seat() -> None:
    with pytest.raises(TypeError, match=r"^seat True has type bool: expected one of 0, 1"):
        BasilicaVectorEnv(2, seat=True)


@pytest.mark.parametrize("name", ["position", "tiles", "x"])
def test_an_unknown_option_of_reset_is_refused(name: str) -> None:
    env = BasilicaVectorEnv(2)
    with pytest.raises(ValueError, match=f"^unknown option of reset '{name}': expected one of 'reset_mask'"):
        env.reset(options={name: 5})


@pytest.mark.parametrize(
    ("name", "mode"), [("same-step", "SameStep"), ("next-step", "NextStep"), ("disabled", "Disabled")]
)
def test_the_engines_names_of_autoreset_are_known(name: str, mode: str) -> None:
    assert BasilicaVectorEnv(2, autoreset_mode=name).autoreset_mode.value == mode


def test_stable_baselines3_is_asked_for_by_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "stable_baselines3"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    monkeypatch.delitem(sys.modules, "basilica_env.envs.sb3", raising=False)
    with pytest.raises(ImportError, match=r'pip install "basilica-env\[train\]"'):
        importlib.import_module("basilica_env.envs.sb3")
