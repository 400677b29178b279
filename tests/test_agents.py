"""Agents: how a spec names one, and that the built-in ones play as they say and fairly."""

from __future__ import annotations

import math
import pickle
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from basilica_env import BatchEnv, GameState
from basilica_env.agents import (
    Agent,
    AgentSpecError,
    BatchAgent,
    GreedyAgent,
    RandomAgent,
    agent_names,
    make_agent,
)
from basilica_env.core.tiles import TileSet
from tests.chance import Generator
from tests.policies import drawn_tiles
from tests.positions import NO_FIT, STANDARD, position

BUILT_IN = {
    "random": "random",
    "greedy": "greedy",
    "planner:width=5": "planner:width=5",
    "mcts:sims=5": "mcts:sims=5",
    "ppo": "ppo",
    "easy": "greedy",
    "medium": "planner:width=200",
    "hard": "mcts:sims=400",
}
"""Specs, and the names of the agents that they make."""
QUICK = tuple(BUILT_IN)[:5]
BATCHED = ("random", "greedy", "planner", "ppo")


def states_of_games(seeds: int, tiles: TileSet = STANDARD) -> Iterator[GameState]:
    """Give every state of random games, the kind of action drawn first; they are played on."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        state = GameState.new(seed=seed, tiles=tiles)
        while not state.is_over:
            yield state
            moves = state.legal_moves()
            kinds = sorted({move[0] for move in moves})
            kind = kinds[rng.integers(len(kinds))]
            state.play(str(rng.choice([move for move in moves if move[0] == kind])))


# --- Specs ---------------------------------------------------------------------------------------


def test_the_built_in_agents() -> None:
    assert agent_names() == sorted({spec.split(":")[0] for spec in BUILT_IN})
    for spec, name in BUILT_IN.items():
        agent = make_agent(spec, seed=1)
        assert agent.name == name
        assert isinstance(agent, Agent)
        assert isinstance(agent, BatchAgent) == (name.split(":")[0] in BATCHED)
    assert isinstance(make_agent("random"), RandomAgent)
    assert isinstance(make_agent("greedy"), GreedyAgent)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a module of somebody's own agents where imports find it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    name = 'mine'\n"
        "    def __init__(self, depth=1, rate=0.5, path='', seed=None):\n"
        "        if depth == 13: raise ValueError('depth 13 is bad luck')\n"
        "        self.depth, self.rate, self.path, self.seed = depth, rate, path, seed\n"
        "    def act(self, state):\n"
        "        return int(state.legal_actions()[0])\n"
        "class Seedless:\n"
        "    name = 'seedless'\n"
        "    def act(self, state): return 0\n"
        "class Needy:\n"
        "    name = 'needy'\n"
        "    def __init__(self, path): self.path = path\n"
        "    def act(self, state): return 0\n"
        "class Nameless:\n"
        "    def act(self, state): return 0\n"
        "class Idle:\n"
        "    name = 'idle'\n"
        "def make(depth=2): return Mine(depth)\n"
        "number = 5\n"
        "def broken(): raise KeyError('x y')\n"
        "def leaving(): raise SystemExit(3)\n"
        "class Numbered:\n"
        "    name = 3\n"
        "    def act(self, state): return 0\n"
        "class Inert:\n"
        "    name, act = 'inert', None\n"
    )
    (tmp_path / "raises.py").write_text("raise RuntimeError('two\\nlines')\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "garbled.py").write_text("def (\n")


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("spec", "attributes"),
    [
        ("mine:Mine", {"depth": 1, "rate": 0.5, "path": ""}),
        ("mine:Mine:depth=3", {"depth": 3}),
        ("mine:Mine:depth=3,rate=1e-2,path=best", {"depth": 3, "rate": 0.01, "path": "best"}),
        ("mine:Mine:path=C:\\runs\\best.zip", {"path": "C:\\runs\\best.zip"}),
        ("mine:Mine:path=http://a.example/b?c=d,depth=2", {"path": "http://a.example/b?c=d", "depth": 2}),
        ("mine:Mine:path=", {"path": ""}),
        ("mine:make", {"depth": 2}),
        ("mine:make:depth=7", {"depth": 7}),
    ],
)
def test_an_agent_of_ones_own(spec: str, attributes: dict[str, Any]) -> None:
    agent = make_agent(spec, seed=11)
    assert agent.name == "mine"
    for name, value in attributes.items():
        assert getattr(agent, name) == value
        assert type(getattr(agent, name)) is type(value)
    assert agent.act(GameState.new(seed=1)) == 0


@pytest.mark.usefixtures("mine")
def test_the_seed_goes_to_an_agent_that_takes_one() -> None:
    assert make_agent("mine:Mine", seed=11).seed == 11  # type: ignore[attr-defined]
    assert make_agent("mine:Mine").seed is None  # type: ignore[attr-defined]
    assert make_agent("mine:Seedless", seed=11).name == "seedless"


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "unknown agent '': expected one of easy, greedy, .*, random, or module:Class"),
        ("nobody", "unknown agent 'nobody': expected one of easy, greedy, .*, random, or module:Class"),
        ("Greedy", "unknown agent 'Greedy': expected one of easy, greedy, "),
        ("depth=3", "unknown agent 'depth=3'"),
        (":", "agent ':' cannot be loaded"),
        (":Mine", "agent ':Mine' cannot be loaded"),
        ("mine:", "agent 'mine:' cannot be loaded"),
        (".mine:Mine", "agent '.mine:Mine' cannot be loaded"),
        ("no.such.module:Mine", "cannot be loaded: No module named 'no'"),
        ("mine:Other", "cannot be loaded: module 'mine' has no attribute 'Other'"),
        ("mine:number", "agent 'mine:number' cannot be made: 5 is not a callable object"),
        ("mine:Nameless", r"is a Nameless without 'name' and 'act\(state\)'"),
        ("mine:Idle", r"is a Idle without 'name' and 'act\(state\)'"),
        ("mine:Needy", "agent 'mine:Needy' cannot be made: .*path"),
        ("mine:Mine:depth=13", "cannot be made: depth 13 is bad luck"),
        ("mine:broken", "agent 'mine:broken' cannot be made: KeyError: 'x y'"),
        ("mine:leaving", "agent 'mine:leaving' cannot be made: SystemExit: 3"),
        ("mine:Numbered", r"is a Numbered without 'name' and 'act\(state\)'"),
        ("mine:Inert", r"is a Inert without 'name' and 'act\(state\)'"),
        ("os:path", "agent 'os:path' cannot be made: .* is not a callable object"),
        ("os:sep", "agent 'os:sep' cannot be made: '.*' is not a callable object"),
        (":::", "agent ':::' cannot be loaded"),
        ("raises:Any", "agent 'raises:Any' cannot be loaded: RuntimeError: two lines"),
        ("leaves:Any", "agent 'leaves:Any' cannot be loaded: SystemExit: 0"),
        ("garbled:Any", "agent 'garbled:Any' cannot be loaded: SyntaxError: "),
        ("mine:Mine:sims=3", "unknown parameter 'sims' in agent .*: 'mine:Mine' has depth, rate, path"),
        ("greedy:sims=3", "unknown parameter 'sims' in agent 'greedy:sims=3': 'greedy' has none"),
        ("greedy:seed=3", "unknown parameter 'seed' in agent 'greedy:seed=3': 'greedy' has none"),
        ("greedy:3", "unreadable parameter '3' in agent 'greedy:3': expected key=value"),
        ("greedy:", "unreadable parameter '' in agent 'greedy:': expected key=value"),
        ("random:Random", "unreadable parameter 'Random' in agent 'random:Random': expected key=value"),
        ("mine:Mine:depth=3,", "unreadable parameter ''"),
        ("mine:Mine:depth=3,rate", "unreadable parameter 'rate'"),
        ("mine:Mine:depth=3,=4", "unreadable parameter '=4'"),
        ("mine:Mine:depth=3,depth=4", "unreadable parameter 'depth=4'"),
    ],
)
def test_a_wrong_spec_says_what_there_is(spec: str, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        make_agent(spec, seed=1)


@pytest.mark.parametrize("spec", [None, 5, b"random", ["random"], ...])
def test_what_is_no_spec(spec: Any) -> None:
    with pytest.raises(TypeError, match="expected a spec as text"):
        make_agent(spec)


@pytest.mark.parametrize("seed", [-1, "x", 1.5])
@pytest.mark.parametrize("spec", QUICK)
def test_a_wrong_seed(spec: str, seed: Any) -> None:
    with pytest.raises(AgentSpecError, match=f"agent '{spec}' cannot be made"):
        make_agent(spec, seed)


@pytest.mark.usefixtures("mine")
def test_packages_add_agents_by_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    group = "basilica_env.agents"
    announced = EntryPoints(
        [
            EntryPoint("mine", "mine:Mine", group),
            EntryPoint("broken", "mine:Other", group),
            EntryPoint("lost", "no.such.module:Agent", group),
            EntryPoint("random", "mine:Mine", group),
            EntryPoint("other", "mine:Seedless", "somebody.elses"),
        ]
    )
    monkeypatch.setattr("basilica_env.agents.registry._announced", lambda: announced.select(group=group))
    assert {"broken", "greedy", "lost", "mine", "random"} <= set(agent_names())
    agent = make_agent("mine:depth=4", seed=3)
    assert (agent.name, agent.depth, agent.seed) == ("mine", 4, 3)  # type: ignore[attr-defined]
    assert isinstance(make_agent("random"), RandomAgent)  # nobody takes a name that is taken
    for name in ("broken", "lost"):
        with pytest.raises(AgentSpecError, match=f"agent '{name}' cannot be loaded"):
            make_agent(name)
    with pytest.raises(AgentSpecError, match=r"expected one of broken, easy, .*lost, .*mine, .*random, or"):
        make_agent("other")
    with pytest.raises(AgentSpecError, match=r"unknown parameter 'sims' .* has depth, rate, path"):
        make_agent("mine:sims=4")


# --- Play ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", QUICK)
def test_an_agent_plays_legally_and_leaves_the_state_as_it_is(spec: str) -> None:
    agent = make_agent(spec, seed=1)
    for state in states_of_games(4):
        before = pickle.dumps(state)
        action = agent.act(state)
        assert type(action) is int
        assert state.is_legal(action)
        assert pickle.dumps(state) == before


@pytest.mark.parametrize("spec", QUICK)
def test_the_same_seed_plays_the_same_game(spec: str) -> None:
    games = []
    for seed in (5, 5, 6):
        agent, state, played = make_agent(spec, seed=seed), GameState.new(seed=1), []
        while not state.is_over:
            played.append(agent.act(state))
            state.apply(played[-1])
        games.append(played)
    assert games[0] == games[1]
    assert (games[0] == games[2]) == (spec == "ppo")  # which draws nothing


@pytest.mark.parametrize("spec", QUICK)
def test_a_finished_game_has_no_action(spec: str) -> None:
    state = GameState.new(seed=1)
    while not state.is_over:
        state.apply(state.sample_action())
    with pytest.raises(ValueError, match="the game is over"):
        make_agent(spec).act(state)


@pytest.mark.parametrize("spec", BATCHED)
def test_many_games_by_one_call(spec: str) -> None:
    agent = make_agent(spec, seed=1)
    assert isinstance(agent, BatchAgent)
    env = BatchEnv(50, seed=1)
    for _ in range(40):
        actions = agent.act_batch(env)
        assert actions.dtype == np.int64
        assert all(env.game(i).is_legal(action) for i, action in enumerate(actions))
        assert agent.act_batch(env, [3, 4]).shape == (2,)
        env.step(actions)


@pytest.mark.parametrize("spec", QUICK)
def test_an_agent_does_not_look_at_what_is_hidden(spec: str) -> None:
    """The true stack and the crowns under order tiles change, the decisions do not."""
    changed = 0
    for tiles in (STANDARD, drawn_tiles(Generator(2)), drawn_tiles(Generator(3))):
        rng = np.random.default_rng(0)
        for number, state in enumerate(states_of_games(2, tiles)):
            other = state.copy()
            other.resample_hidden(rng)
            changed += other.view().orders != state.view().orders
            assert make_agent(spec, seed=number).act(state) == make_agent(spec, seed=number).act(other)
    assert changed > 100


def test_random_plays_every_legal_action_alike() -> None:
    state = GameState.new(seed=1)
    agent = RandomAgent(seed=3)
    legal = state.legal_actions().tolist()
    drawn = Counter(agent.act(state) for _ in range(300 * len(legal)))
    assert set(drawn) == set(legal)
    assert sum((n - 300) ** 2 / 300 for n in drawn.values()) < len(legal) + 6 * math.sqrt(2 * len(legal))


# --- Greedy --------------------------------------------------------------------------------------


def lead(state: GameState, player: int) -> int:
    """Give by how much a player would lead if the cathedral were scored now."""
    points = [list(state.scores)]
    if not state.is_over:
        points += [list(area.points) for area in state.areas()]
    first, second = np.sum(points, axis=0).tolist()
    return int(first - second) if player == 0 else int(second - first)


def worth(state: GameState, player: int) -> int:
    """Give a player's lead after the rest of the decision: she takes the most, the opponent the least."""
    if state.is_over or state.decision.startswith(("main", "vault")):
        return lead(state, player)
    following = []
    for action in state.legal_actions():
        after = state.copy()
        after.apply(int(action))
        following.append(worth(after, player))
    return max(following) if state.player == player else min(following)


def best_actions(state: GameState) -> set[int]:
    """Give the actions that are worth the most, by trying all."""
    values = {}
    for action in state.legal_actions():
        after = state.copy()
        after.apply(int(action))
        values[int(action)] = worth(after, state.player)
    return {action for action, value in values.items() if value == max(values.values())}


def test_greedy_takes_what_is_best_by_trying_all() -> None:
    tried: Counter[str] = Counter()
    agent = GreedyAgent(seed=1)
    chosen_among: list[int] = []
    for state in states_of_games(25):
        kind = state.decision.split(":")[0].split("@")[0]
        if tried[kind] < 6 and state.view().cathedral:
            tried[kind] += 1
            best = best_actions(state)
            assert agent.act(state) in best
            chosen_among.append(len(best))
    redrawn = GameState.from_text(position(NO_FIT, orders="R1 Y1 B1", vaults="RY1 RY2 YB1"))
    assert agent.act(redrawn) in best_actions(redrawn)
    redrawn.play("redraw")
    assert agent.act(redrawn) in best_actions(redrawn)
    assert len({*tried, "vault"}) == 14  # every decision
    assert min(chosen_among) == 1  # and some had one answer


def test_greedy_picks_among_equals_alike() -> None:
    state = GameState.new(seed=1)
    best = best_actions(state)
    assert len(best) > 5
    drawn = Counter(GreedyAgent(seed=seed).act(state) for seed in range(100 * len(best)))
    assert set(drawn) == best
    assert sum((n - 100) ** 2 / 100 for n in drawn.values()) < len(best) + 6 * math.sqrt(2 * len(best))


def test_greedy_in_a_batch_takes_what_is_best_by_trying_all() -> None:
    env = BatchEnv(6, seed=1)
    for number in range(90):
        if number % 10 == 0:
            for index, action in enumerate(env.greedy_actions()):
                assert action in best_actions(env.game(index))
        env.step(env.sample_actions())


@pytest.mark.parametrize("threads", [1, 2])
def test_the_planner_plays_in_a_batch_as_it_does_alone(threads: int) -> None:
    """With the stream that a game has of its own; finished games get no plan."""
    env = BatchEnv(12, seed=1, threads=threads, autoreset="disabled", observation=None)
    for number in range(200):
        if number % 20 == 0:
            alone = [0 if env.game(k).is_over else env.game(k).planned_action(6) for k in range(12)]
            assert make_agent("planner:width=6", 1).act_batch(env).tolist() == alone
        alive = np.flatnonzero(env.view().mask.any(1))
        env.step(env.sample_actions(alive), alive)
    assert env.planned_actions(6, [0, 3]).shape == (2,)
    assert len(alive) < 12


def test_greedy_beats_random() -> None:
    """From both seats; it wins nine games in ten."""
    for seat in (0, 1):
        env = BatchEnv(400, seed=3, observation=None, mask=None, autoreset="disabled")
        alive = np.arange(400)
        results = np.zeros((400, 2))
        while len(alive):
            mine = env.player[alive] == seat
            actions = np.where(mine, env.greedy_actions(alive), env.sample_actions(alive))
            step = env.step(actions, alive)
            results[alive] = step.reward
            alive = alive[~step.terminated]
        assert (results[:, seat] > 0).mean() > 0.85
