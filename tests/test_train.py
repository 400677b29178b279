"""Training: the algorithm, runs that are broken off, damaged and done again, and the command."""

from __future__ import annotations

import csv
import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorboard")

import torch

from basilica_env import GameState
from basilica_env.agents import GreedyAgent, PpoAgent, RandomAgent, make_agent, sight
from basilica_env.agents.ppo import read_network
from basilica_env.cli import main
from basilica_env.core.features import FEATURE_NAMES
from basilica_env.core.layout import ACTIONS
from basilica_env.core.observation import SCALARS_SIZE
from basilica_env.training import curves
from basilica_env.training import folder as folders
from basilica_env.training.evaluation import Evaluation, evaluate
from basilica_env.training.folder import EVALUATION_COLUMNS, LOG_COLUMNS, RunError, RunFolder
from basilica_env.training.ppo import (
    PAST,
    Learner,
    Pool,
    Trainer,
    advantages,
    distribution,
    drawn,
    weights_of,
)
from basilica_env.training.settings import GAINS, PRESETS, Settings
from basilica_env.training.train import Silence, train
from basilica_env.training.views import KINDS

SMALL: dict[str, Any] = {
    "games": 24,
    "horizon": 12,
    "minibatch": 96,
    "chunk": 48,
    "width": 8,
    "trunk": 16,
    "steps": 6 * 24 * 12,
    "past_share": 0.25,
    "heuristics": "greedy=0.1 planner:width=2=0.1",
    "pool": 2,
    "pool_every": 2,
    "pool_keep": 1,
    "checkpoint_every": 1,
    "evaluate_every": 3,
    "anchors": "random=4",
}
"""Settings of runs that take a second."""


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # the tests share their machine


def learner(**settings: Any) -> Learner:
    chosen = Settings(**{**SMALL, **settings})
    return Learner(chosen, chosen.games, [], 1)


# --- What decisions were worth ------------------------------------------------------------------------


def one_game(seats: list[int], rewards: list[float], values: list[float], **last: float) -> Any:
    """Return advantages and returns of one game that ends with its last decision."""
    column = np.array(seats)[:, np.newaxis]
    ended = np.zeros((len(seats), 1), np.bool_)
    ended[-1] = True
    found = advantages(
        np.array(rewards, np.float32)[:, np.newaxis],
        np.array(values, np.float32)[:, np.newaxis],
        column,
        ended,
        np.zeros(1, np.float32),
        np.zeros(1, np.int64),
        last.get("discount", 1.0),
        last.get("smoothing", 1.0),
    )
    return [part[:, 0].tolist() for part in found]


def test_who_wins_has_a_positive_return_whatever_her_seat() -> None:
    """Turns of several decisions, and answers out of turn: 0 0 1 0 1 1; player 0 wins."""
    seats = [0, 0, 1, 0, 1, 1]
    _, returns = one_game(seats, [0, 0, 0, 0, 0, 1], [0.5, -0.25, 0, 0.25, 0.5, 0])
    assert returns == pytest.approx([1, 1, -1, 1, -1, -1])
    _, returns = one_game(seats, [0, 0, 0, 0, 0, -1], [0] * 6)
    assert returns == pytest.approx([-1, -1, 1, -1, 1, 1])


def test_advantages_by_hand() -> None:
    """Seats 0 1 1 0, a reward on the way, lambda 1/2; for player 0 the values are 0.2 -0.4 0.1 0.3."""
    found, returns = one_game([0, 1, 1, 0], [0, 0.5, 0, 1], [0.2, 0.4, -0.1, 0.3], smoothing=0.5)
    surprises = [0 - 0.4 - 0.2, 0.5 + 0.1 + 0.4, 0 + 0.3 - 0.1, 1 - 0.3]
    last = surprises[3]
    third = surprises[2] + last / 2
    second = surprises[1] + third / 2
    first = surprises[0] + second / 2
    assert found == pytest.approx([first, -second, -third, last])
    assert returns == pytest.approx([first + 0.2, -second + 0.4, -third - 0.1, last + 0.3])


def test_what_comes_after_the_rollout_is_the_value_there() -> None:
    """It is that of whoever decides there: player 1 thinks she is 0.6 ahead, so player 0 is behind."""
    found, _ = advantages(
        np.zeros((1, 2), np.float32),
        np.zeros((1, 2), np.float32),
        np.array([[0, 1]]),
        np.zeros((1, 2), np.bool_),
        np.array([0.6, 0.6], np.float32),
        np.array([1, 1]),
        1.0,
        0.95,
    )
    assert found[0] == pytest.approx([-0.6, 0.6])


def test_the_next_game_does_not_count() -> None:
    ended = np.array([[True], [False]])
    rewards = np.array([[1.0], [5.0]], np.float32)
    zeros = np.zeros((2, 1), np.float32)
    found, _ = advantages(
        rewards, zeros, np.zeros((2, 1), int), ended, np.ones(1, np.float32), np.zeros(1, int), 1, 1
    )
    assert found[0, 0] == 1


def test_rewards_of_a_game_add_up_to_what_it_paid() -> None:
    """A share of the result, once at the end, and the points as they come: together, the final lead."""
    one = learner(games=8, horizon=160)
    one.collect(win_share=0.25)
    firsts = [int(column.argmax()) for column in one.rollout.ended.T]
    games = sorted((t, game) for game, t in enumerate(firsts) if one.rollout.ended[t, game])
    assert len(games) > 3
    for (t, game), margin in zip(games[:3], one.ends.margins, strict=False):
        paid = one.rollout.rewards[: t + 1, game].sum()
        assert abs(paid) == pytest.approx(0.25 * (margin > 0) + 0.75 * margin / 50, abs=1e-5)


def test_values_have_the_sign_of_the_seat() -> None:
    """After some updates, who is ahead thinks better of her position, whichever seat she has."""
    one = learner(games=48, horizon=40, minibatch=240)
    for _ in range(6):
        one.collect(0.0)
        one.update(3e-3, 0.01)
    rollout = one.rollout
    ahead = rollout.scalars[:, :, SCALARS_SIZE + FEATURE_NAMES.index("lead_after")].numpy()
    for seat in (0, 1):
        own = rollout.seats == seat
        assert np.corrcoef(ahead[own], rollout.values.numpy()[own])[0, 1] > 0.3


# --- The policy ---------------------------------------------------------------------------------------


def test_an_illegal_action_is_never_drawn() -> None:
    rng = np.random.default_rng(0)
    mask = torch.from_numpy(rng.random((500, ACTIONS)) < 0.01)
    mask[:, 0] = False
    mask[torch.arange(500), torch.from_numpy(rng.integers(1, ACTIONS, 500))] = True
    logits = torch.from_numpy(rng.normal(0, 20, (500, ACTIONS)).astype(np.float32))
    p, log_p = distribution(logits, mask)
    assert p[~mask].max() == 0
    assert p.sum(1) == pytest.approx(1, abs=1e-4)
    assert torch.allclose(log_p.exp(), p, atol=1e-6)
    for edge in (0.0, np.nextafter(np.float32(1), np.float32(0))):
        actions = drawn(p, np.full(500, edge, np.float32))
        assert mask[torch.arange(500), actions].all()


def test_actions_are_drawn_by_their_probabilities() -> None:
    p, _ = distribution(torch.tensor([[0.0, 1.0, 2.0]]), torch.tensor([[True, False, True]]))
    chances = [1 / (1 + np.exp(2.0)), 0, 1 / (1 + np.exp(-2.0))]
    uniform = np.linspace(0, 0.9999, 1000, dtype=np.float32)
    found = np.bincount(drawn(p.repeat(1000, 1), uniform), minlength=3) / 1000
    assert found == pytest.approx(chances, abs=2e-3)


@pytest.mark.parametrize("network", ["squares", "mlp"])
@pytest.mark.parametrize("symmetry", list(KINDS))
@pytest.mark.parametrize("gains", GAINS)
def test_the_ratio_is_one_before_the_first_step(network: str, symmetry: str, gains: str) -> None:
    """Masks, actions and what was seen are kept as they were when the action was drawn."""
    one = learner(network=network, symmetry=symmetry, gains=gains)
    one.collect(0.0)
    report = one.update(1e-3, 0.01)
    assert report["first_ratio_deviation"] < 1e-5


def test_the_ratio_tells_a_mask_that_was_kept_wrong() -> None:
    one = learner()
    one.collect(0.0)
    one.rollout.masks[:] = 255
    assert one.update(1e-3, 0.01)["first_ratio_deviation"] > 0.1


@pytest.mark.parametrize("symmetry", list(KINDS))
def test_games_are_the_same_through_any_symmetry(symmetry: str) -> None:
    """The actions played are legal, or the engine would refuse them, and differ between the kinds."""
    one = learner(symmetry=symmetry, horizon=60)
    one.collect(0.0)
    legal = np.unpackbits(one.rollout.masks, axis=2, count=ACTIONS, bitorder="little")
    taken = np.take_along_axis(legal, one.rollout.actions.numpy()[:, :, np.newaxis], 2)
    assert taken.all()


# --- Rivals -------------------------------------------------------------------------------------------


def test_learns_from_both_seats_in_self_play_and_from_one_against_a_rival() -> None:
    chosen = Settings(**SMALL)
    one = Learner(chosen, chosen.games, [(PAST, 6), ("greedy", 4)], 1)
    one.collect(0.0)
    learns, seats = one.rollout.learns, one.rollout.seats
    assert learns[:, 10:].all()
    assert {0, 1} == set(seats[:, 10:].reshape(-1).tolist())
    ended_before = np.cumsum(one.rollout.ended, 0) - one.rollout.ended
    for game in range(10):
        own = (game + ended_before[:, game]) % 2
        assert (learns[:, game] == (seats[:, game] == own)).all()


def test_the_pool_forgets_the_old_by_chance() -> None:
    pool, rng, network = Pool(8), np.random.default_rng(0), learner().network
    for number in range(80):
        pool.add(f"update {number}", network, rng)
        assert list(pool.members)[-1] == f"update {number}"
    ages = [79 - int(name.split()[1]) for name in pool.members]
    assert len(ages) == 8
    assert 12 < max(ages) < 60
    assert {pool.draw(rng) for _ in range(200)} == set(pool.members)


def test_an_exploiter_joins_the_pool() -> None:
    trainer = Trainer(Settings(**{**SMALL, "exploiter_share": 0.5, "pool": 9, "pool_every": 1000}))
    assert trainer.exploiter is not None
    trainer.update()
    trainer.exploiter_scores = [1.0] * 200
    before = trainer.agent.network.own.weight.clone()
    trainer.update()
    assert list(trainer.pool.members) == ["update 0", "exploiter 1"]
    assert not torch.equal(before, trainer.exploiter.network.own.weight)
    assert trainer.exploiter_updates == 0


def test_learns_to_beat_random_in_some_updates() -> None:
    one = learner(games=64, horizon=32, minibatch=128, gains="none", width=16, trunk=32)
    for _ in range(6):
        one.collect(0.0)
        one.update(2e-3, 0.01)
    found = evaluate(PpoAgent.of(weights_of(one.network)), "random", 100, 5)
    assert found.score.low > 0.7


# --- Evaluation ---------------------------------------------------------------------------------------


def test_evaluation_tells_seats_pairs_and_interval() -> None:
    found = evaluate(GreedyAgent(0), "random", 40, seed=3)
    assert found.games == 40
    assert [sum(tally) for tally in found.seats] == [20, 20]
    assert 0.8 < found.score.low < found.score.value <= found.score.high
    assert found.lead > 10
    assert found == evaluate(GreedyAgent(0), "random", 40, seed=3, threads=2)


def test_evaluation_plays_both_seats_of_each_stack() -> None:
    """Two players that play alike from the same stack get the same from both seats together."""

    class First(RandomAgent):
        def act_batch(self, env: Any, indices: Any = None) -> Any:
            return np.array([env.game(int(game)).legal_actions()[0] for game in indices])

        def act(self, state: Any) -> int:
            return int(state.legal_actions()[0])

    found = evaluate(First(), f"{__name__}:FirstLegal", 12, seed=0)
    assert found.pairs == (0, 0, 6, 0, 0)
    assert found.lead == 0


class FirstLegal:
    """Plays the first legal action."""

    name = "first"

    def act(self, state: Any) -> int:
        return int(state.legal_actions()[0])


# --- Runs ---------------------------------------------------------------------------------------------


class Breaks(Silence):
    """Ends the process, or asks it to stop, after an update."""

    def __init__(self, update: int, number: int) -> None:
        self.update, self.number, self.told = update, number, []  # type: ignore[var-annotated]

    def tell(self, text: str) -> None:
        self.told.append(text)

    def updated(self, trainer: Trainer, _: dict[str, Any]) -> None:
        if trainer.updates == self.update:
            signal.raise_signal(self.number)


def start(path: Path, **settings: Any) -> RunFolder:
    run = RunFolder(path)
    train(run, Settings(**{**SMALL, **settings}))
    return run


def same(first: RunFolder, second: RunFolder) -> bool:
    """Return whether two runs have come to the same, bit for bit, and told the same on the way."""
    arrays, others = (folders.read_arrays(run.checkpoints()[0])[0] for run in (first, second))
    return (
        arrays.keys() == others.keys()
        and all(arrays[name].tobytes() == others[name].tobytes() for name in arrays)
        and timeless(first) == timeless(second)
        and first.path.joinpath("last.npz").stat().st_size > 0
    )


def timeless(run: RunFolder) -> list[dict[str, str]]:
    rows = run.rows("log.csv") + run.rows("evaluations.csv")
    return [{key: value for key, value in row.items() if "second" not in key} for row in rows]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run that was never broken off."""
    torch.set_num_threads(1)
    return start(tmp_path_factory.mktemp("runs") / "whole", exploiter_share=0.25)


def test_a_run_keeps_what_was_promised(whole: RunFolder) -> None:
    facts = whole.facts()
    assert facts["settings"]["games"] == SMALL["games"]
    assert {"basilica-env", "engine", "numpy", "numba", "torch", "python"} <= set(facts["versions"])
    assert facts["git"] is None or len(facts["git"]) >= 40
    rows = whole.rows("log.csv")
    assert tuple(rows[0]) == LOG_COLUMNS
    assert [int(row["update"]) for row in rows] == list(range(1, len(rows) + 1))
    assert int(rows[-1]["steps"]) >= SMALL["steps"]
    evaluations = whole.rows("evaluations.csv")
    assert tuple(evaluations[0]) == EVALUATION_COLUMNS
    assert {row["anchor"] for row in evaluations} == {"random"}
    assert [int(row["update"]) for row in evaluations] == [0, 3, 5]
    assert all(float(row["low"]) <= float(row["score"]) <= float(row["high"]) for row in evaluations)
    assert len(whole.checkpoints()) == 2
    assert list(whole.path.joinpath("tensorboard").iterdir())
    for name in ("best", "last"):
        agent = make_agent(f"ppo:path={whole.path / name}.npz")
        assert isinstance(agent, PpoAgent)
        assert agent.facts["settings"]["games"] == SMALL["games"]


def test_the_same_settings_give_the_same_run(whole: RunFolder, tmp_path: Path) -> None:
    assert same(whole, start(tmp_path / "again", exploiter_share=0.25))
    assert not same(whole, start(tmp_path / "other", exploiter_share=0.25, seed=1))


def test_a_run_after_ctrl_c_goes_on_bit_for_bit(whole: RunFolder, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    watch = Breaks(3, signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(run, whole.settings(), watch=watch)
    assert "stopping after this update" in watch.told[0]
    assert run.checkpoints()[0].stem == "00000003"
    train(run, resume=True)
    assert same(whole, run)


def test_a_second_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    class Impatient(Breaks):
        def updated(self, *_: Any) -> None:
            signal.raise_signal(self.number)
            signal.raise_signal(self.number)

    run = RunFolder(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        train(run, Settings(**SMALL), watch=Impatient(1, signal.SIGINT))
    assert run.checkpoints()[0].stem == "00000000"


def test_a_run_that_was_killed_goes_on_bit_for_bit(whole: RunFolder, tmp_path: Path) -> None:
    """After kill -9 no more is lost than since the last checkpoint; here, every second update has one."""
    settings = {**whole.facts()["settings"], "checkpoint_every": 2}
    code = (
        "import json, sys, signal; from tests.test_train import *;"
        "train(RunFolder(sys.argv[1]), Settings(**json.loads(sys.argv[2])), watch=Breaks(5, signal.SIGKILL))"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "run"), json.dumps(settings)],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    run = RunFolder(tmp_path / "run")
    assert run.checkpoints()[0].stem == "00000004"
    watch = Breaks(-1, 0)
    train(run, resume=True, watch=watch)
    assert "going on from update 4" in watch.told[0]
    assert same(whole, run)


def test_a_damaged_checkpoint_gives_way_to_the_one_before(whole: RunFolder, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        train(run, whole.settings(), watch=Breaks(4, signal.SIGINT))
    newest = run.checkpoints()[0]
    content = bytearray(newest.read_bytes())
    content[len(content) // 3] ^= 16
    newest.write_bytes(bytes(content))
    watch = Breaks(-1, 0)
    train(run, resume=True, watch=watch)
    assert f"{newest} is damaged" in watch.told[0]
    assert "trying the one before" in watch.told[0]
    assert "going on from update 3" in watch.told[1]
    assert same(whole, run)


@pytest.mark.parametrize("content", [b"", b"half of a file"])
def test_without_a_whole_checkpoint_it_says_so(tmp_path: Path, content: bytes) -> None:
    run = start(tmp_path / "run", steps=300)
    for path in run.checkpoints():
        path.write_bytes(content)
    with pytest.raises(RunError, match="no whole checkpoint"):
        train(run, resume=True)


@pytest.mark.parametrize(
    ("name", "edited"), [("width", 16), ("games", 48), ("network", "mlp"), ("beam", 1), ("pool", 3)]
)
def test_a_checkpoint_of_other_settings_does_not_fit(tmp_path: Path, name: str, edited: Any) -> None:
    run = start(tmp_path / "run", steps=300)
    facts = run.facts()
    before = facts["settings"][name]
    facts["settings"][name] = edited
    (run.path / "run.json").write_text(json.dumps(facts))
    with pytest.raises(RunError, match=f"{name} is {edited}, and its checkpoints were made with {before}"):
        train(run, resume=True)


def test_a_beam_that_no_search_takes_is_refused_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="beam is 10001: expected 1 to 10000"):
        start(tmp_path / "run", gains="turn", beam=10_001)
    assert not (tmp_path / "run").exists()


def test_two_processes_do_not_work_on_one_run(tmp_path: Path) -> None:
    run = start(tmp_path / "run", steps=300)
    with run.held(), pytest.raises(RunError, match="another process is working on the run in"):
        train(run, resume=True)
    train(run, resume=True)  # nobody holds it any more


def test_a_full_disk_leaves_the_checkpoints_before(
    whole: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunFolder(tmp_path / "run")
    calls = iter(range(100))

    def sync(_: int) -> None:
        if next(calls) == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folders.os, "fsync", sync)
    with pytest.raises(OSError, match="No space left"):
        train(run, whole.settings())
    monkeypatch.undo()
    assert not [path for path in run.path.rglob("*") if path.suffix == ".draft"]
    train(run, resume=True)
    assert same(whole, run)


def test_a_run_begins_with_the_network_of_another(whole: RunFolder, tmp_path: Path) -> None:
    start = str(whole.path / "last.npz")
    trainer = Trainer(Settings(**{**SMALL, "start": start}))
    trainer.begin()
    agent = PpoAgent(start)
    state = GameState.new(1)
    assert PpoAgent.of(weights_of(trainer.agent.network)).act(state) == agent.act(state)
    for damage in ({"start": start, "width": 16}, {"start": str(tmp_path / "run.json")}):
        (tmp_path / "run.json").write_text("{}")
        with pytest.raises(ValueError, match=r"start is .* its width is|holds no network"):
            train(RunFolder(tmp_path / "other"), Settings(**{**SMALL, **damage}))
    assert not (tmp_path / "other").exists()


def test_settings_know_the_gains_and_the_beam_of_what_is_seen() -> None:
    """The settings repeat them, for they must not import the core."""
    assert tuple(sight.GAINS) == GAINS
    assert Settings().beam == sight.BEAM


def test_a_run_that_goes_on_may_be_longer(tmp_path: Path) -> None:
    run = start(tmp_path / "run", steps=300)
    facts = run.facts()
    facts["settings"]["steps"] = 600
    (run.path / "run.json").write_text(json.dumps(facts))
    assert train(run, resume=True).steps >= 600


def test_a_network_that_was_told_less_can_be_told_more(tmp_path: Path) -> None:
    """Not the other way round: what it makes of its gains would be lost."""
    told = {gains: start(tmp_path / gains, steps=100, gains=gains) for gains in GAINS}
    for less, more in (("none", "lead"), ("none", "turn"), ("outlook", "turn")):
        path = str(told[less].path / "last.npz")
        trainer = Trainer(Settings(**{**SMALL, "start": path, "gains": more}))
        trainer.begin()
        found, before = weights_of(trainer.agent.network), read_network(path)[0]
        assert all((found[name] == array).all() for name, array in before.items())
        assert len(found) > len(before)
    for more, less in (("turn", "outlook"), ("lead", "outlook"), ("lead", "turn"), ("outlook", "none")):
        other = Settings(**{**SMALL, "start": str(told[more].path / "last.npz"), "gains": less})
        with pytest.raises(ValueError, match=f"told the gains '{more}' of its actions and this run '{less}'"):
            Trainer(other).begin()


def test_a_run_can_be_reproduced_when_the_network_it_began_with_has_changed(
    whole: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("first.npz").write_bytes((whole.path / "last.npz").read_bytes())
    run = start(Path("run"), steps=300, start="first.npz")
    Path("first.npz").unlink()
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert main(["train", "--reproduce", "../run", "--out", "again"]) == 0
    assert same(RunFolder(tmp_path / run.path), RunFolder("again"))


def test_a_folder_holds_one_run(whole: RunFolder) -> None:
    with pytest.raises(RunError, match="holds a run already"):
        train(whole, Settings(**SMALL))


# --- Settings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", 0),
        ("games", 1),
        ("past_share", 1.5),
        ("past_share", -0.1),
        ("network", "huge"),
        ("symmetry", "some"),
        ("minibatch", 10**9),
        ("anchors", "greedy"),
        ("anchors", "greedy=3"),
        ("heuristics", "greedy"),
        ("heuristics", "greedy=1"),
        ("rate", float("nan")),
        ("gains", "some"),
        ("rate", 100.0),
        ("clip", 0.0),
        ("gradient", 0.0),
        ("steps", "many"),
        ("games", True),
        ("rate", "fast"),
        ("network", 3),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Settings(**{name: value})


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_sound(preset: str) -> None:
    settings = Settings(**PRESETS[preset])
    for spec in (*settings.opponents(), *settings.heuristic_shares()):
        make_agent(spec, 0)


# --- The command --------------------------------------------------------------------------------------


def options(path: Path, **settings: Any) -> list[str]:
    words = ["train", "--out", str(path)]
    for name, value in {**SMALL, **settings}.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def test_the_command_trains_and_tells_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(options(tmp_path / "run")) == 0
    assert "% against random" in capsys.readouterr().err
    assert RunFolder(tmp_path / "run").facts()["preset"] == "laptop"


def test_the_command_does_a_run_once_more(whole: RunFolder, tmp_path: Path) -> None:
    assert main(["train", "--reproduce", str(whole.path), "--out", str(tmp_path / "again")]) == 0
    assert same(whole, RunFolder(tmp_path / "again"))


def test_the_command_goes_on(whole: RunFolder, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        train(run, whole.settings(), watch=Breaks(2, signal.SIGINT))
    assert main(["train", "--out", str(run.path), "--resume"]) == 0
    assert same(whole, run)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--resume"], "holds no run"),
        (["--reproduce", "nowhere"], "holds no run"),
        (["--resume", "--steps", "3"], "expected no others"),
        (["--reproduce", "x", "--preset", "smoke"], "expected no others"),
        (["--resume", "--trainer", "sb3"], "only runs of the trainer ppo"),
        (["--past-share", "2"], "past_share is 2.0"),
        (
            ["--past-share", "0.9", "--heuristics", "greedy=0.4"],
            "past_share (0.9) and the shares in heuristics",
        ),
        (["--heuristics", "bogus=0.1"], "unknown agent 'bogus'"),
        (["--anchors", "bogus=10"], "unknown agent 'bogus'"),
        (["--heuristics", "ppo:path=nofile.npz=0.1"], "nofile.npz: No such file"),
        (["--start", __file__], "it is no .npz file"),
        (["--trainer", "sb3", "--network", "mlp"], "--trainer sb3 has no use for 'network'"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "--out", str(tmp_path / "run"), *words]) in (1, 2)
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("out", ["", "file", "files"])
def test_the_command_wants_a_folder_of_its_own(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("mine")
    Path("files").mkdir()
    Path("files", "mine").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    try:
        status = main(options(Path(out)) if out else ["train", "--out", ""])
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    assert status in (1, 2)
    assert "a folder" in (told := capsys.readouterr().err) or "a new folder" in told
    assert sorted(tmp_path.rglob("*")) == before


def test_the_command_does_not_go_on_with_what_cannot(
    whole: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "--out", str(whole.path), "--resume"]) == 0
    assert "the run has ended, after " in capsys.readouterr().err
    foreign = RunFolder(tmp_path / "sb3")
    foreign.create(whole.settings(), "", folders.SB3)
    assert main(["train", "--out", str(foreign.path), "--resume"]) == 1
    assert "was trained by sb3" in capsys.readouterr().err


def test_a_checkpoint_is_no_network_to_begin_with(whole: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"it is a checkpoint of a run, expected the run's best\.npz"):
        start(tmp_path / "run", start=str(whole.checkpoints()[0]))
    with pytest.raises(ValueError, match=r"which does not fit: its trunk is \d+, that of this run \d+"):
        start(tmp_path / "run", start=str(whole.path / "last.npz"), trunk=SMALL["trunk"] + 1)


def test_a_run_that_diverges_is_ended_and_keeps_nothing_of_it(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")

    class Spoils(Silence):
        def updated(self, trainer: Trainer, _: dict[str, Any]) -> None:
            with torch.no_grad():
                next(trainer.agent.network.parameters()).fill_(3e38)

    with pytest.raises(
        folders.RunError, match=r"learning has diverged by update \d, no finite .*: expected a smaller"
    ):
        train(run, Settings(**SMALL), watch=Spoils())
    assert [row["update"] for row in run.rows("log.csv")] == ["1"]
    for path in run.checkpoints():
        assert all(
            np.isfinite(array).all()
            for array in folders.read_arrays(path)[0].values()
            if array.dtype.kind == "f"
        )


def test_the_command_tells_of_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = iter(range(100))

    def sync(_: int) -> None:
        if next(calls) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folders.os, "fsync", sync)
    assert main(options(tmp_path / "run")) == 1
    told = capsys.readouterr().err
    assert ".npz: No space left on device" in told
    assert "can go on from" in told


def test_the_logs_are_tables(whole: RunFolder) -> None:
    for name in ("log.csv", "evaluations.csv"):
        with (whole.path / name).open(newline="") as file:
            rows = list(csv.reader(file))
        assert {len(row) for row in rows} == {len(rows[0])}


def test_an_evaluation_without_games_is_none() -> None:
    assert Evaluation("x", ((0, 0, 0), (0, 0, 0)), (0, 0, 0, 0, 0), 0.0).games == 0


# --- Curves -------------------------------------------------------------------------------------------


def test_curves_are_drawn(whole: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "curves.svg"
    assert curves.main([str(whole.path), "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8").count("<svg") == 1
    figure = curves.draw_curves([whole.path])
    (line,) = figure.axes[0].lines
    assert list(line.get_xdata()) == [int(row["steps"]) / 1e6 for row in whole.rows("evaluations.csv")]
    assert curves.main([str(tmp_path), "--out", str(out)]) == 1
    assert "holds no run" in capsys.readouterr().err
