"""The agent ``ppo``: what its network sees, the network in NumPy, and files of weights."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from basilica_env import BatchEnv, GameState
from basilica_env.agents import AgentSpecError, PpoAgent, make_agent
from basilica_env.agents.ppo import PREFIX, policy_logits, read_network, unpacked
from basilica_env.agents.sight import CHANNEL_NAMES, CHANNEL_UNITS, SCALARS, Sight, sight
from basilica_env.core.layout import ACTIONS, COLOUR_LETTERS
from basilica_env.core.observation import OBSERVATION_PLANES, PLANES_SIZE, split
from basilica_env.envs.symmetry import EXACT

MIRROR = EXACT[1]


def games(number: int, every: int = 9) -> Iterator[GameState]:
    """Iterate over positions of greedy games that stray."""
    for seed in range(number):
        rng = np.random.default_rng(seed)
        state = GameState.new(seed)
        while not state.is_over:
            if rng.integers(every) == 0:
                yield state
            state.apply(state.sample_action(rng) if rng.random() < 0.2 else state.greedy_action(rng))


def seen(state: GameState, gains: str = "lead") -> Sight:
    return sight(state.to_array(), state.tiles.array, gains)


def lead(state: GameState, player: int) -> int:
    """Return the lead if the cathedral were scored now, by the list of areas (R8.2-R8.4)."""
    points = list(state.scores)
    if not state.is_over:
        for area in state.areas():
            points = [have + more for have, more in zip(points, area.points, strict=True)]
    return points[player] - points[1 - player]


# --- What it sees ---------------------------------------------------------------------------------


def test_squares_begin_with_the_planes_of_the_observation() -> None:
    for state in games(3):
        planes, scalars = split(state.observe(dtype=np.float32))
        found = seen(state)
        assert (found.squares[0, :, :OBSERVATION_PLANES].T.reshape(planes.shape) == planes).all()
        assert found.scalars[0, : len(scalars)] == pytest.approx(scalars)


def test_squares_tell_what_each_area_would_score() -> None:
    """R8.2-R8.4, against the list of areas of the state."""
    held = 0
    for state in games(8):
        expected = np.zeros((60, len(CHANNEL_NAMES)), int)
        me = state.player
        for area in state.areas():
            sign = 0 if area.majority is None else 1 if area.majority == me else -1
            values = {
                "points": sign * max(area.points),
                "size": len(area.squares),
                "strength": area.strength[me] - area.strength[1 - me],
            }
            held += abs(sign)
            for part, value in values.items():
                channel = CHANNEL_NAMES.index(f"{part}_{area.colour}")
                for square in area.squares:
                    expected["abcde".index(square[0]) + 5 * (int(square[1:]) - 1), channel] = value
        assert (seen(state).squares[0, :, OBSERVATION_PLANES:] == expected).all()
    assert held > 50


def test_gains_are_those_of_the_lead_if_scored_now() -> None:
    checked = 0
    for state in games(8):
        gains = seen(state).gains[0]
        legal = state.legal_mask().astype(bool)
        assert not gains[~legal].any()
        me = state.player
        for action in state.legal_actions():
            after = state.copy()
            after.apply(int(action))
            if after.is_over or after.decision in ("main", "vault") or after.decision.startswith("main@"):
                checked += 1
                assert gains[action] == max(-127, min(127, 4 * (lead(after, me) - lead(state, me))))
    assert checked > 1000


def test_greedy_takes_the_largest_gain() -> None:
    """So the gains of actions with choices to come are right as well."""
    for state in games(8):
        gains = seen(state).gains[0]
        assert gains[state.greedy_action()] == gains[state.legal_actions()].max()


def test_nothing_hidden_is_seen() -> None:
    """R1.5."""
    rng = np.random.default_rng(0)
    for state in games(6):
        other = state.copy()
        other.resample_hidden(rng)
        for part, same in zip(seen(state), seen(other), strict=True):
            assert (part == same).all()


def test_many_games_are_seen_as_each_alone() -> None:
    states = list(games(4))
    together = sight(np.concatenate([state.to_array() for state in states]), states[0].tiles.array, "lead")
    for k, state in enumerate(states):
        for part, alone in zip(together, seen(state), strict=True):
            assert (part[k] == alone[0]).all()


# --- The network ----------------------------------------------------------------------------------


@pytest.fixture(params=["squares", "mlp"])
def torch_network(request: pytest.FixtureRequest) -> Any:
    """A network in PyTorch with random weights, none of them nearly zero."""
    torch = pytest.importorskip("torch")
    from basilica_env.training.network import new_network
    from basilica_env.training.settings import Settings

    network = new_network(Settings(network=request.param, width=8, trunk=16, blocks=2))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0, 0.3, generator=torch.Generator().manual_seed(1))
    return network


def test_numpy_computes_what_pytorch_computes(torch_network: Any) -> None:
    import torch

    weights = {name: tensor.numpy() for name, tensor in torch_network.state_dict().items()}
    for state in games(2):
        found = seen(state)
        with torch.no_grad():
            logits, _ = torch_network(*map(torch.from_numpy, found))
        assert policy_logits(weights, found) == pytest.approx(logits.numpy(), abs=1e-3, rel=1e-3)


def test_the_network_over_squares_treats_left_and_right_alike() -> None:
    """The mirror of a position gets the mirrored policy, by construction."""
    weights, _ = read_network()
    for state in games(2):
        mirrored = policy_logits(weights, seen(MIRROR.game(state)))
        assert mirrored == pytest.approx(MIRROR.policy(policy_logits(weights, seen(state))), abs=1e-3)


def test_units_cover_the_channels() -> None:
    assert len(CHANNEL_UNITS) == OBSERVATION_PLANES + len(CHANNEL_NAMES)
    assert PLANES_SIZE == 60 * OBSERVATION_PLANES
    assert all(name[-1] in COLOUR_LETTERS for name in CHANNEL_NAMES)


# --- The agent ------------------------------------------------------------------------------------


def test_plays_legally_in_one_game_and_in_many_alike() -> None:
    agent = PpoAgent()
    env = BatchEnv(32, seed=4)
    env.reset()
    for _ in range(60):
        actions = agent.act_batch(env)
        for game in (0, 31):
            state = env.game(game)
            assert actions[game] == agent.act(state)
            assert state.is_legal(int(actions[game]))
        env.step(actions)
    assert agent.act_batch(env, [3, 5]).tolist() == agent.act_batch(env)[[3, 5]].tolist()
    assert agent.act_batch(env, []).shape == (0,)


def test_leaves_the_state_as_it_is() -> None:
    state = GameState.new(5)
    before = state.copy()
    PpoAgent().act(state)
    assert state == before


def test_does_not_play_on_when_the_game_is_over() -> None:
    state = GameState.new(1)
    while not state.is_over:
        state.apply(state.sample_action(np.random.default_rng(0)))
    with pytest.raises(ValueError, match="the game is over"):
        PpoAgent().act(state)


def test_sampling_follows_the_policy_and_the_seed() -> None:
    state = GameState.new(2)
    drawn = [make_agent("ppo:sample=1", seed).act(state) for seed in (1, 1, 2, 3, 4, 5, 6, 7)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1
    assert all(state.is_legal(action) for action in drawn)


def test_sampled_actions_have_the_probabilities_of_the_policy() -> None:
    state = GameState.new(2)
    agent = PpoAgent(sample=1, seed=0)
    logits = policy_logits(read_network()[0], seen(state))[0]
    legal = np.where(state.legal_mask(), logits, -np.inf)  # the logits of others may be much larger
    chances = np.exp(legal - legal.max())
    chances /= chances.sum()
    found = np.bincount([agent.act(state) for _ in range(2000)], minlength=ACTIONS) / 2000
    assert np.abs(found - chances).max() < 0.05


def test_ships_small_weights_and_says_how_they_were_made() -> None:
    weights, facts = read_network()
    size = sum(array.nbytes for array in weights.values())
    assert size < 5e6
    assert facts["settings"]["steps"] > 0
    assert facts["steps"] > 0


def test_needs_no_pytorch() -> None:
    code = (
        "import sys; from basilica_env import GameState; from basilica_env.agents import make_agent;"
        "make_agent('ppo').act(GameState.new(1)); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_beats_greedy() -> None:
    """A weak floor for the weights that ship; the card has the measured strength."""
    from basilica_env.training.evaluation import evaluate

    found = evaluate(PpoAgent(), "greedy", 60, seed=0)
    assert found.score.low > 0.5


# --- Files ----------------------------------------------------------------------------------------


def write(path: Path, **changes: Any) -> Path:
    weights, _ = read_network()
    arrays: dict[str, Any] = {PREFIX + name: array for name, array in weights.items()}
    arrays["facts"] = np.array("{}")
    arrays |= changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def test_reads_weights_of_its_own_path(tmp_path: Path) -> None:
    agent = make_agent(f"ppo:path={write(tmp_path / 'mine.npz')}")
    assert agent.name == f"ppo:path={tmp_path / 'mine.npz'}"
    state = GameState.new(1)
    assert agent.act(state) == PpoAgent().act(state)


@pytest.mark.parametrize(
    "changes",
    [
        {"facts": None},
        {"facts": np.array("{")},
        {"network/own.weight": None},
        {"network/own.weight": np.zeros((2, 3), np.float32)},
        {"network/own.weight": np.array([object()])},
    ],
)
def test_refuses_a_file_that_is_no_network(tmp_path: Path, changes: dict[str, Any]) -> None:
    """An array of objects is pickled, and would run code: it is never loaded."""
    path = write(tmp_path / "bad.npz", **changes)
    with pytest.raises(AgentSpecError, match=r"bad\.npz holds no network"):
        make_agent(f"ppo:path={path}")


@pytest.mark.parametrize("content", [b"", b"not a file of arrays"])
def test_refuses_what_is_no_file_of_arrays(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    with pytest.raises(AgentSpecError, match=r"bad\.npz holds no network"):
        make_agent(f"ppo:path={path}")


def test_notices_a_damaged_byte(tmp_path: Path) -> None:
    path = write(tmp_path / "bad.npz")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(AgentSpecError, match=r"bad\.npz holds no network"):
        make_agent(f"ppo:path={path}")


def test_names_a_file_that_is_missing() -> None:
    with pytest.raises(AgentSpecError, match=r"nowhere\.npz"):
        make_agent("ppo:path=nowhere.npz")


@pytest.mark.parametrize("spec", ["ppo:sample=2", "ppo:sample=x", "ppo:sims=3"])
def test_refuses_other_parameters(spec: str) -> None:
    with pytest.raises(AgentSpecError):
        make_agent(spec)


def test_unpacks_masks() -> None:
    for state in games(1):
        assert (unpacked(state.to_array()["legal"])[0] == state.legal_mask()).all()


def test_scalars_end_with_the_features_of_the_search() -> None:
    assert seen(GameState.new(1)).scalars.shape == (1, SCALARS)
