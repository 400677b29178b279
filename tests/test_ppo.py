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
from basilica_env.agents.ppo import BEAM_IN_PLAY, PREFIX, kind_of_gains, policy_logits, read_network, unpacked
from basilica_env.agents.sight import (
    CHANNEL_NAMES,
    CHANNEL_UNITS,
    ENDS,
    GAINS,
    SCALARS,
    Sight,
    number_of,
    sight,
)
from basilica_env.agents.value_network import load_weights
from basilica_env.core import rules
from basilica_env.core.evaluate import OUTLOOK
from basilica_env.core.layout import ACTIONS, COLOUR_LETTERS, GAME, OVER
from basilica_env.core.lookahead import DEPTH, is_settled, settle
from basilica_env.core.observation import OBSERVATION_PLANES, PLANES_SIZE, split
from basilica_env.core.playout import resample_hidden
from basilica_env.core.value import SCRATCH
from basilica_env.core.value import value as value_of
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
        gains = seen(state).gains[0, 0]
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
        gains = seen(state).gains[0, 0]
        assert gains[state.greedy_action()] == gains[state.legal_actions()].max()


def test_gains_of_a_turn_are_those_of_its_best_ends() -> None:
    """The last action of a turn: every end of it, and what the value network makes of the best of them."""
    weights, scratch = load_weights(None), np.empty(SCRATCH, np.float32)

    def worth(game: Any) -> float:
        win, margin = value_of(game, tiles, weights, scratch)
        return (1 - 2 * me) * (win + margin) / 2

    checked = left_out = 0
    for state in games(20, every=5):
        me, tiles = state.player, state.tiles.array
        gains = seen(state, "turn").gains[0, 1]
        legal = state.legal_actions()
        assert not gains[~state.legal_mask().astype(bool)].any()
        if state.turn != me:
            assert not gains.any()
            continue
        root = redrawn(state)
        ends = sorted(steps(root, tiles, me), key=lambda step: -step[1])
        if any(end["turn"] == me and end["decision"] != OVER for _, _, end in ends):
            continue
        if len(ends) > ENDS and ends[ENDS - 1][1] == ends[ENDS][1]:
            continue  # which of two equal ones is kept is left open
        found: dict[int, list[float]] = {}
        for action, _, end in ends[:ENDS]:
            gain = np.rint(np.clip(200 * (worth(end) - worth(root[0])), -127, 127))
            found.setdefault(action, []).append(gain)
        least = min(map(min, found.values()))
        expected = [max(found.get(action, [least])) for action in legal]
        assert gains[legal].tolist() == expected
        checked += 1
        left_out += len(found) < len(legal)
    assert checked > 50
    assert left_out > 10


def legal_of(game: Any) -> Any:
    """Return the legal actions of a game record of shape (1,)."""
    return np.flatnonzero(unpacked(game["legal"])[0])


def content(game: Any) -> tuple[bytes, ...]:
    """Return what a position is, without the order of what is hidden or discarded."""
    return tuple(np.asarray(game[name]).tobytes() for name in GAME.names if name not in ("deck", "random"))


def steps(root: Any, tiles: Any, me: int) -> list[tuple[int, float, Any]]:
    """Return the positions after each action with its choices: the action, the outlook, the position."""
    found, known = [], set()
    line, below = np.empty(DEPTH, root.dtype), np.empty(DEPTH, root.dtype)
    for first in legal_of(root):
        open_ = [(root, first)]
        while open_:
            before, action = open_.pop()
            after = before.copy()
            rules.apply(after[0], tiles, action)
            if is_settled(after[0]) or rules.decider(after[0]) != me:
                line[0] = after[0]
                outlook = settle(line, below, tiles, me, OUTLOOK)
                if content(below[0]) not in known:
                    known.add(content(below[0]))
                    found.append((int(first), outlook, below[0].copy()))
            else:
                open_ += [(after, choice) for choice in legal_of(after)]
    return found


def redrawn(state: GameState) -> Any:
    """Return the position that the gains of a turn are reckoned from."""
    root = state.to_array()
    seed = np.uint64(number_of(state.observe(dtype=np.uint8)))
    resample_hidden(root[0], state.tiles.array, seed)
    return root


def test_gains_of_a_turn_look_further_than_those_of_an_action() -> None:
    """Of the moves that begin a turn, the best end of the turn tells more than the best next position."""
    from basilica_env.training.evaluation import evaluate as play

    class Largest:
        """Takes the largest gain of a part, then the largest of the other one."""

        def __init__(self, part: int) -> None:
            self.name, self.part = "largest", part

        def act(self, state: GameState) -> int:
            raise NotImplementedError("evaluations play in batches")

        def act_batch(self, env: BatchEnv, indices: Any = None) -> Any:
            states = env.get_state(indices)["game"]
            gains = sight(states, env.tiles.array, "turn").gains.astype(int)
            ranks = 1000 * gains[:, self.part] + gains[:, 1 - self.part]
            return np.where(unpacked(states["legal"]), ranks, -(10**6)).argmax(1)

    by_action = play(Largest(0), "planner:width=2", 200, seed=1)
    by_turn = play(Largest(1), "planner:width=2", 200, seed=1)
    assert by_turn.score.low > by_action.score.high


def test_a_wider_beam_sees_other_ends() -> None:
    states = np.concatenate([state.to_array() for state in games(4)])
    tiles = GameState.new(0).tiles.array
    narrow, wide = (sight(states, tiles, "turn", beam=beam).gains for beam in (1, 32))
    assert (narrow[:, 0] == wide[:, 0]).all()
    assert (narrow[:, 1] != wide[:, 1]).any()


@pytest.mark.parametrize("gains", GAINS)
def test_nothing_hidden_is_seen(gains: str) -> None:
    """R1.5."""
    rng = np.random.default_rng(0)
    for state in games(6):
        other = state.copy()
        other.resample_hidden(rng)
        for part, same in zip(seen(state, gains), seen(other, gains), strict=True):
            assert (part == same).all()


@pytest.mark.parametrize("gains", GAINS)
def test_many_games_are_seen_as_each_alone(gains: str) -> None:
    states = list(games(4))
    together = sight(np.concatenate([state.to_array() for state in states]), states[0].tiles.array, gains)
    assert together.gains.shape == (len(states), len(GAINS[gains]), ACTIONS)
    for k, state in enumerate(states):
        for part, alone in zip(together, seen(state, gains), strict=True):
            assert (part[k] == alone[0]).all()


# --- The network ----------------------------------------------------------------------------------


@pytest.fixture(params=[(network, gains) for network in ("squares", "mlp") for gains in GAINS])
def torch_network(request: pytest.FixtureRequest) -> Any:
    """A network in PyTorch with random weights, none of them nearly zero."""
    torch = pytest.importorskip("torch")
    network, gains = request.param
    from basilica_env.training.network import new_network
    from basilica_env.training.settings import Settings

    network = new_network(Settings(network=network, gains=gains, width=8, trunk=16, blocks=2))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0, 0.3, generator=torch.Generator().manual_seed(1))
    return network


def test_numpy_computes_what_pytorch_computes(torch_network: Any) -> None:
    import torch

    weights = {name: tensor.numpy() for name, tensor in torch_network.state_dict().items()}
    kind = kind_of_gains(weights)
    assert kind == torch_network.gains
    for state in games(1):
        found = seen(state, kind)
        with torch.no_grad():
            logits, _ = torch_network(*map(torch.from_numpy, found))
        assert policy_logits(weights, found) == pytest.approx(logits.numpy(), abs=1e-3, rel=1e-3)


def test_the_network_over_squares_treats_left_and_right_alike() -> None:
    """The mirror of a position gets the mirrored policy, by construction."""
    weights, _ = read_network()
    for state in games(2):
        found = seen(state, kind_of_gains(weights))
        source = MIRROR.policy(np.arange(ACTIONS))
        mirrored = seen(MIRROR.game(state), "none")._replace(gains=found.gains[:, :, source])
        assert policy_logits(weights, mirrored) == pytest.approx(
            MIRROR.policy(policy_logits(weights, found)), abs=1e-3
        )


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
    states = [state.copy() for state in games(4)]
    drawn = []
    for seed in (1, 1, 2, 3):
        agent = make_agent("ppo:sample=1", seed)
        drawn.append([agent.act(state) for state in states])
        assert all(state.is_legal(action) for state, action in zip(states, drawn[-1], strict=True))
    assert drawn[0] == drawn[1]
    assert len({tuple(actions) for actions in drawn}) > 1


def test_sampled_actions_have_the_probabilities_of_the_policy() -> None:
    state = GameState.new(9)
    agent = PpoAgent(sample=1, seed=0)
    weights, _ = read_network()
    shown = sight(state.to_array(), state.tiles.array, kind_of_gains(weights), beam=BEAM_IN_PLAY)
    logits = policy_logits(weights, shown)[0]
    legal = np.where(state.legal_mask(), logits, -np.inf)  # the logits of others may be much larger
    chances = np.exp(legal - legal.max())
    chances /= chances.sum()
    assert chances.max() < 0.5
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


@pytest.mark.parametrize("spec", ["ppo:sample=2", "ppo:sample=x", "ppo:beam=0", "ppo:beam=x", "ppo:sims=3"])
def test_refuses_other_parameters(spec: str) -> None:
    with pytest.raises(AgentSpecError):
        make_agent(spec)


def test_unpacks_masks() -> None:
    for state in games(1):
        assert (unpacked(state.to_array()["legal"])[0] == state.legal_mask()).all()


def test_scalars_end_with_the_features_of_the_search() -> None:
    assert seen(GameState.new(1)).scalars.shape == (1, SCALARS)
