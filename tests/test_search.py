"""The tree search: chance, signs, budgets, memory, and that it sees nothing hidden."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

from basilica_env import GameState
from basilica_env.agents import MctsAgent, make_agent
from basilica_env.agents.solver import solve
from basilica_env.core import search
from basilica_env.core.layout import ACTIONS, NONE
from basilica_env.core.value import LEAD_UNIT
from basilica_env.training.endgames import read_endgames


def state_after(seed: int, decisions: int) -> GameState:
    """A game after some greedy decisions."""
    state = GameState.new(seed=seed)
    for _ in range(decisions):
        state.apply(state.greedy_action())
    return state


def visits(agent: MctsAgent, state: GameState) -> dict[str, int]:
    return {move.move: move.visits for move in agent.analyse(state).moves}


POSITIONS = [state_after(seed, decisions) for seed, decisions in ((1, 0), (2, 7), (3, 30), (4, 55), (5, 71))]


@pytest.mark.parametrize("leaf", ["value", "rollout"])
@pytest.mark.parametrize("state", POSITIONS)
def test_the_true_order_of_the_stack_plays_no_part(state: GameState, leaf: str) -> None:
    rng = np.random.default_rng(0)
    expected = visits(MctsAgent(sims=200, leaf=leaf, seed=5), state)
    for _ in range(3):
        other = state.copy()
        other.resample_hidden(rng)
        assert other.to_text() != state.to_text()
        assert visits(MctsAgent(sims=200, leaf=leaf, seed=5), other) == expected


@pytest.mark.parametrize("leaf", ["value", "rollout"])
def test_the_same_seed_decides_the_same_way(leaf: str) -> None:
    def game(seed: int) -> list[int]:
        agent = MctsAgent(sims=60, leaf=leaf, seed=seed)
        state = GameState.new(seed=3)
        actions = []
        for _ in range(12):
            actions.append(agent.act(state))
            state.apply(actions[-1])
        return actions

    assert game(1) == game(1)
    assert any(game(1) != game(seed) for seed in (2, 3, 4))


@pytest.mark.parametrize("state", POSITIONS)
def test_the_moves_of_an_analysis_are_the_legal_ones(state: GameState) -> None:
    analysis = MctsAgent(sims=300, seed=1).analyse(state)

    assert sorted(move.action for move in analysis.moves) == state.legal_actions().tolist()
    assert sum(move.visits for move in analysis.moves) == analysis.simulations == 300
    assert all(one.visits >= two.visits for one, two in pairwise(analysis.moves))
    assert all(-1 <= move.value <= 1 for move in analysis.moves)
    assert analysis.line[0] == analysis.moves[0].move


def test_every_node_of_a_tree_has_a_child_only_for_actions_that_were_legal_there() -> None:
    # Follow each simulation's line again: with one tile left below the top nothing is hidden, so every
    # simulation meets the same games and the whole tree can be replayed.
    state = next(state for state in late_positions() if len(state.view().stack) <= 1)
    nodes = np.zeros(50_000, search.NODE)
    grow(nodes, state, 2000)
    checked = 0
    todo = [(0, state)]
    while todo:
        node, here = todo.pop()
        child = nodes["first"][node]
        listed = []
        while child != NONE:
            action = int(nodes["action"][child])
            listed.append(action)
            assert here.is_legal(action)
            checked += 1
            if nodes["first"][child] != NONE:
                after = here.copy()
                after.apply(action)
                todo.append((child, after))
            child = nodes["next"][child]
        assert listed == here.legal_actions().tolist()
    assert checked > 100


def late_positions() -> list[GameState]:
    """Positions shortly before the end by exhaustion, the stack reshuffled."""
    found = []
    for seed in range(40):
        state = GameState.new(seed=seed)
        while not state.is_over:
            if state.was_reshuffled and len(state.view().stack) <= 1 and state.decision == "main":
                found.append(state.copy())
                break
            state.apply(state.greedy_action())
    return found


def settings_of(leaf: str) -> np.ndarray:
    return MctsAgent(sims=1, leaf=leaf)._settings


def grow(nodes: np.ndarray, state: GameState, simulations: int) -> int:
    """Search a position afresh by the value network; return how many nodes were needed."""
    size, _ = search.simulate(
        nodes,
        search.plant(nodes),
        state.to_array(),
        state.tiles.array,
        settings_of("value"),
        MctsAgent(sims=1)._weights,
        np.uint64(1),
        simulations,
    )
    return int(size)


def test_a_won_position_is_seen_as_won_by_the_winner_and_lost_by_the_loser() -> None:
    state = late_positions()[0]
    ahead = state.to_text().split(" ")
    for scores, leader in (("99:0", 0), ("0:99", 1)):
        ahead[6] = scores
        analysis = MctsAgent(sims=100, seed=1).analyse(GameState.from_text(" ".join(ahead)))
        best = analysis.moves[0]
        sign = 1 if state.player == leader else -1
        assert sign * best.value > 0.8
        assert sign * best.margin > 20


def test_the_visits_of_a_tree_add_up_and_its_memory_is_fixed() -> None:
    agent = MctsAgent(sims=50, seed=1)
    state = POSITIONS[2]
    agent.analyse(state)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(1000):
        agent.analyse(state)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()

    assert grown < 200_000


def test_a_full_pool_ends_growth_but_not_the_search() -> None:
    state = POSITIONS[1]
    nodes = np.zeros(100, search.NODE)
    size = grow(nodes, state, 3000)

    assert 50 < size <= 100
    assert nodes["visits"][0] == 3000
    assert nodes["first"].max() < size
    assert nodes["next"].max() < size


def test_in_a_full_pool_every_node_has_a_child_for_each_legal_action_or_none() -> None:
    """The best one might be among those that are missing."""
    state = next(state for state in late_positions() if len(state.view().stack) == 1)
    nodes = np.zeros(len(state.legal_actions()) + 60, search.NODE)
    grow(nodes, state, 3000)
    with_children = 0
    todo = [(0, state)]
    while todo:
        node, here = todo.pop()
        children = actions_below(nodes, node)
        assert children in ([], here.legal_actions().tolist())
        with_children += bool(children)
        for child in children:
            after = here.copy()
            after.apply(child)
            if not after.is_over:
                todo.append((int(search.child_of(nodes, node, child)), after))
    assert with_children > 1


def actions_below(nodes: np.ndarray, node: int) -> list[int]:
    actions = []
    child = nodes["first"][node]
    while child != NONE:
        actions.append(int(nodes["action"][child]))
        child = nodes["next"][child]
    return actions


def test_what_was_found_out_below_the_move_played_is_kept() -> None:
    fresh = MctsAgent(sims=200, seed=1, reuse=0)
    keeping = MctsAgent(sims=200, seed=1)
    state = POSITIONS[0].copy()
    action = keeping.act(state)
    assert fresh.act(state) == action
    kept = next(move for move in keeping.analysis.moves if move.action == action).visits
    state.apply(action)
    state.resample_hidden(np.random.default_rng(1))  # what is drawn may differ from what was thought
    assert state.player == 0

    assert sum(visits(keeping, state).values()) > 200
    assert sum(visits(fresh, state).values()) == 200
    assert sum(visits(keeping, state).values()) == 200  # nothing was played in between
    assert kept > 1


def test_a_transplanted_tree_is_the_tree_below_the_node() -> None:
    state = POSITIONS[2]
    nodes = np.zeros(20_000, search.NODE)
    grow(nodes, state, 1000)
    child = search.most_visited(nodes, 0)
    new = np.zeros(20_000, search.NODE)
    search.transplant(nodes, child, new)

    assert tree_of(new, 0) == tree_of(nodes, child)


def tree_of(nodes: np.ndarray, node: int) -> tuple:
    children = []
    child = int(nodes["first"][node])
    while child != NONE:
        children.append(tree_of(nodes, child))
        child = int(nodes["next"][child])
    return (
        int(nodes["action"][node]),
        int(nodes["visits"][node]),
        float(nodes["total"][node]),
        tuple(children),
    )


# --- Near the end ------------------------------------------------------------------------------------

PUBLISHED = {entry.name: entry for entry in read_endgames()}


@pytest.mark.parametrize(
    "name",
    [
        "121",  # what answers best depends on the tile that is drawn
        "201",  # and here what wins
        "210",  # the network takes the best answer for a bad one
    ],
)
def test_the_search_converges_to_the_exact_value(name: str) -> None:
    state = GameState.from_text(PUBLISHED[name].position)
    settings = settings_of("value")
    settings["margin_share"] = 0
    weights = MctsAgent(sims=1)._weights
    nodes = np.zeros(400_000, search.NODE)
    size, stream = search.plant(nodes), np.uint64(1)
    done = []
    for simulations in (300_000, 30_000):
        size, stream = search.simulate(
            nodes, size, state.to_array(), state.tiles.array, settings, weights, stream, simulations
        )
        stream = np.uint64(stream)
        done.append((nodes["total"][0], nodes["visits"][0]))
    (total, visits), (later_total, later_visits) = done

    found = (later_total - total) / (later_visits - visits) * (1 if state.player == 0 else -1)
    assert found == pytest.approx(float(solve(state, "win").value), abs=0.05)


def test_a_move_that_only_exact_play_tried_has_its_figures() -> None:
    exactly = []
    for endgame in PUBLISHED.values():
        state = GameState.from_text(endgame.position)
        if endgame.positions < 100 and not endgame.chance:
            found = MctsAgent(sims=2, seed=1).analyse(state)
            if sum(move.visits for move in found.moves) > found.simulations:
                lead = float(solve(state, "margin").value)
                exactly.append((found.moves[0], (np.sign(lead) + np.tanh(lead / LEAD_UNIT)) / 2, lead))
    assert exactly
    for move, value, lead in exactly:
        assert move.visits == 1
        assert move.value == pytest.approx(value)
        assert move.result == pytest.approx(np.sign(lead))
        assert move.margin == pytest.approx(lead)


def test_results_of_a_draw_are_told_apart_by_what_players_see() -> None:
    state = GameState.from_text(PUBLISHED["201"].position)
    nodes = np.zeros(50_000, search.NODE)
    size = grow(nodes, state, 2000)
    shown = np.flatnonzero(nodes["action"][:size] >= ACTIONS)
    assert len(shown) > 0
    for first in nodes["first"][:size]:
        if first != NONE and nodes["action"][first] >= ACTIONS:
            results = chain_of(nodes, int(first), "action")
            assert len(results) == len(set(results)) <= 2 * len(state.view().stack)
            parent = int(np.flatnonzero(nodes["first"][:size] == first)[0])
            assert sum(chain_of(nodes, int(first), "visits")) == nodes["visits"][parent]


def chain_of(nodes: np.ndarray, first: int, field: str) -> list[int]:
    """A field of a node and of those after it below the same parent."""
    found = []
    while first != NONE:
        found.append(int(nodes[field][first]))
        first = int(nodes["next"][first])
    return found


def test_no_move_is_hidden_by_its_estimate() -> None:
    nodes = np.zeros(50_000, search.NODE)
    state = POSITIONS[2]
    grow(nodes, state, 2)
    priors = nodes["prior"][1 : len(state.legal_actions()) + 1]
    assert priors.sum() == pytest.approx(1)
    assert priors.min() >= 0.09 / len(priors)


def test_the_agent_plays_out_what_is_near_the_end() -> None:
    played_out = 0
    for entry in list(PUBLISHED.values())[::4]:
        state = GameState.from_text(entry.position)
        agent = MctsAgent(sims=1000, aim="margin", seed=1)
        move = state.move_of(agent.act(state))
        assert agent.analysis.moves[0].move == move
        if agent.analysis.exact and not entry.chance:
            played_out += 1
            assert move in entry.best
            assert agent.analysis.simulations <= 250
    assert played_out > 25


def test_an_analysis_goes_on_after_the_best_move_is_known_within_its_budget() -> None:
    entry = next(entry for entry in PUBLISHED.values() if not entry.chance and entry.decision == "main")
    state = GameState.from_text(entry.position)
    analysis = MctsAgent(sims=2000, aim="margin", seed=1).analyse(state)

    assert analysis.exact
    assert analysis.moves[0].move in entry.best
    assert 500 < analysis.simulations <= 2000
    assert sum(move.visits for move in analysis.moves) == analysis.simulations


def test_exact_play_keeps_to_its_share_of_the_budget() -> None:
    entry = max(
        (entry for entry in PUBLISHED.values() if not entry.chance), key=lambda entry: entry.positions
    )
    agent = MctsAgent(sims=600, seed=1)
    agent._most_positions = 5_000
    analysis = agent.analyse(GameState.from_text(entry.position))

    assert not analysis.exact
    assert analysis.simulations == 600 - 5_000 // 64


def test_several_trees_are_added_up() -> None:
    state = POSITIONS[1]
    analysis = MctsAgent(sims=100, threads=3, seed=1).analyse(state)

    assert analysis.simulations == 300
    assert sum(move.visits for move in analysis.moves) == 300


def test_a_time_limit_is_kept_about() -> None:
    agent = MctsAgent(ms=50, seed=1)
    agent.analyse(POSITIONS[0])
    analysis = agent.analyse(POSITIONS[0])

    assert 0.05 <= analysis.seconds < 2
    assert analysis.simulations >= 256


def test_a_short_time_limit_is_looked_at_soon() -> None:
    """A millisecond is some hundred simulations, so the clock is looked at before so many are done."""
    looks: list[int] = []
    MctsAgent(ms=1, seed=1).analyse(POSITIONS[0], lambda done, _: looks.append(done))

    assert looks[0] < 50


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("mcts", "mcts:sims=800"),
        ("mcts:exploration=0.6,ms=20.5", "mcts:ms=20.5"),
        ("mcts:leaf=rollout,sims=10,threads=2,aim=win", "mcts:sims=10,threads=2,leaf=rollout,aim=win"),
    ],
)
def test_the_name_tells_what_is_unusual(spec: str, name: str) -> None:
    assert make_agent(spec).name == name
    assert make_agent(name).name == name


def test_progress_is_told_and_an_interrupt_keeps_what_is_known() -> None:
    told = []
    MctsAgent(sims=1000, seed=1).analyse(POSITIONS[0], lambda done, _: told.append(done))

    assert told == [256, 512, 768, 1000]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("mcts:sims=0", "sims is 0"),
        ("mcts:sims=10,ms=10", "both sims and ms"),
        ("mcts:leaf=oak", "rollout, value"),
        ("mcts:aim=win,depth=3", "unknown parameter 'depth'"),
        ("mcts:threads=0", "threads is 0"),
        ("planner:width=0", "width is 0"),
        ("planner:width=x", "width 'x' has type str: expected an integer"),
        ("planner:width=20000", "width is 20000: expected 1 to 10000"),
        ("mcts:sims=abc", "sims 'abc' has type str: expected an integer"),
        ("mcts:sims=", "sims '' has type str"),
        ("mcts:sims=1.5", "sims 1.5 has type float"),
        ("mcts:sims=99999999999999999999", "sims is 99999999999999999999"),
        ("mcts:threads=1.5", "threads 1.5 has type float"),
        ("mcts:threads=1000000", "threads is 1000000: expected 1 to 1024"),
        ("mcts:exploration=nan", "exploration is nan: expected 0 or more"),
        ("mcts:exploration=-1", "exploration is -1"),
        ("mcts:temperature=inf", "temperature is inf: expected more than 0"),
        ("mcts:ms=inf", "ms is inf: expected more than 0"),
        ("mcts:ms=x", "ms 'x' has type str: expected a number"),
        ("mcts:reuse=2", "reuse is 2: expected 0 to 1"),
        ("mcts:reuse=yes", "reuse 'yes' has type str"),
        ("hard:sims=3", "'hard' takes no parameters"),
    ],
)
def test_wrong_parameters_are_refused(spec: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make_agent(spec)


def test_a_first_decision_compiles_and_loads_outside_its_budget() -> None:
    code = """
from basilica_env.agents.mcts import MctsAgent
from basilica_env.core import endgame, search
from basilica_env.game import GameState

MctsAgent(ms=1, seed=1).act(GameState.new(seed=1))  # far from where exact play begins
print(all(kernel.nopython_signatures for kernel in (endgame.best_action, search.simulate, search.children)))
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stderr
    assert process.stdout == "True\n"


def test_the_planner_sees_nothing_hidden_either() -> None:
    rng = np.random.default_rng(0)
    for state in POSITIONS:
        other = state.copy()
        other.resample_hidden(rng)
        assert make_agent("planner:width=30", 3).act(state) == make_agent("planner:width=30", 3).act(other)


@pytest.mark.parametrize("spec", ["planner:width=20", "mcts:sims=30", "mcts:sims=30,leaf=rollout"])
def test_whole_games_are_played_and_won_against_random(spec: str) -> None:
    won = 0
    for number in range(8):
        agent, seat = make_agent(spec, number), number % 2
        state = GameState.new(seed=number)
        while not state.is_over:
            state.apply(agent.act(state) if state.player == seat else state.sample_action())
        won += state.returns()[seat] > 0
    assert won >= 7


def test_levels_are_specs() -> None:
    assert make_agent("easy").name == "greedy"
    assert make_agent("medium").name.startswith("planner")
    assert make_agent("hard").name.startswith("mcts")


def test_an_action_fits_the_numbering() -> None:
    assert np.iinfo(search.NODE["action"]).max >= ACTIONS
