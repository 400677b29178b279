"""Random playouts, what is hidden in them, perft, and the statistics of random play."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from basilica_env import BatchEnv, GameState, perft, random_playouts
from basilica_env.core.layout import TILES
from basilica_env.core.tiles import TileSet
from tests.positions import STANDARD, codes, join, split


def started(seed: int, decisions: int) -> GameState:
    state = GameState.new(seed=seed)
    for _ in range(decisions):
        if not state.is_over:
            state.apply(state.sample_action())
    return state


def stirred(state: GameState, seed: int) -> GameState:
    """Give the same open position with another order of the hidden stack, and another generator."""
    fields = split(state.to_text())
    top, *others = codes(fields["stack"])
    fields["stack"] = ",".join([top, *np.random.default_rng(seed).permutation(others)])
    return GameState.from_text(join(fields), seed=seed)


# --- Playouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["uniform", "kind-first"])
@pytest.mark.parametrize("resample", [True, False])
def test_playouts_depend_on_the_seed_and_not_on_the_threads(policy: Any, resample: bool) -> None:
    states = [started(seed, 10) for seed in range(3)]
    scores = random_playouts(states, 400, seed=5, policy=policy, resample=resample)
    assert scores.shape == (3, 400, 2)
    assert scores.dtype == np.int64
    for threads in (2, 3):
        again = random_playouts(states, 400, 5, threads, policy, resample)
        assert np.array_equal(again, scores)
    assert not np.array_equal(random_playouts(states, 400, seed=6, policy=policy, resample=resample), scores)
    assert len(np.unique(scores[0], axis=0)) > 50  # playouts differ
    assert not np.array_equal(scores[0], scores[1])


def test_playouts_do_not_change_the_state() -> None:
    state = started(1, 20)
    before = state.to_array().tobytes()
    random_playouts([state, state], 50, seed=1)
    perft(state, 2)
    assert state.to_array().tobytes() == before


def test_one_state_is_a_list_of_one() -> None:
    state = started(1, 5)
    assert np.array_equal(random_playouts(state, 20, seed=3), random_playouts([state], 20, seed=3))
    assert random_playouts(state, 0).shape == (1, 0, 2)


def test_without_a_seed_playouts_differ() -> None:
    state = started(1, 5)
    assert not np.array_equal(random_playouts(state, 50), random_playouts(state, 50))


def test_playouts_of_a_finished_game_are_its_scores() -> None:
    state = started(1, 10_000)
    assert state.is_over
    assert np.array_equal(random_playouts(state, 5, seed=1)[0], [state.scores] * 5)


@pytest.mark.parametrize("policy", ["uniform", "kind-first"])
def test_playouts_do_not_look_at_what_is_hidden(policy: Any) -> None:
    """The true order of the stack and the generator of the game do not matter once they are redrawn."""
    for seed in range(4):
        state = started(seed, 25)
        scores = random_playouts(state, 300, seed=1, policy=policy)
        other = stirred(state, seed=99)
        assert other.to_text() != state.to_text()
        assert np.array_equal(random_playouts(other, 300, seed=1, policy=policy), scores)
        true = random_playouts(state, 300, seed=1, policy=policy, resample=False)
        assert not np.array_equal(random_playouts(other, 300, 1, 1, policy, False), true)


def test_playouts_have_the_scores_of_games_played_one_by_one() -> None:
    """Means and spread of both players' points agree within their errors."""
    state = started(3, 15)
    rng = np.random.default_rng(0)
    played = []
    for _ in range(1500):
        game = state.copy()
        game.resample_hidden(rng)
        while not game.is_over:
            game.apply(game.sample_action(rng))
        played.append(game.scores)
    one_by_one, at_once = np.array(played), random_playouts(state, 20_000, seed=1)[0]
    error = one_by_one.std(axis=0) * math.sqrt(1 / 1500 + 1 / 20_000)
    assert (np.abs(one_by_one.mean(axis=0) - at_once.mean(axis=0)) < 4.5 * error).all()
    assert one_by_one.std(axis=0) == pytest.approx(at_once.std(axis=0), rel=0.15)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": -1}, "n is -1: expected 0 or more"),
        ({"n": 1.5}, "integer"),
        ({"n": None}, "integer"),
        ({"threads": 0}, "threads is 0: expected 1 to 1024"),
        ({"policy": "best"}, "policy is 'best': expected one of 'uniform', 'kind-first'"),
        ({"seed": -1}, "seed is -1: expected a non-negative integer"),
        ({"states": []}, "no state given"),
    ],
    ids=str,
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        random_playouts(**{"states": GameState.new(seed=1), "n": 3, **arguments})


def test_states_of_two_tile_sets_do_not_mix() -> None:
    own = replace(STANDARD, crowns=STANDARD.crowns[::-1])
    with pytest.raises(ValueError, match="different tile sets"):
        random_playouts([GameState.new(seed=1), GameState.new(seed=1, tiles=own)], 3)


# --- What is hidden ------------------------------------------------------------------------------


def arrangements(state: GameState) -> Iterator[tuple[str, ...]]:
    """Give every way the hidden tiles can lie that fits the open order sides (R1.5), by its definition."""
    view = state.view()
    places = [code for code in view.orders if code] + list(view.stack)
    shown = len(places) - len(view.stack) + min(1, len(view.stack))
    for arranged in itertools.permutations(sorted(places)):
        if all(
            side(state.tiles, a) == side(state.tiles, b)
            for a, b in zip(arranged, places[:shown], strict=False)
        ):
            yield arranged


def side(tiles: TileSet, code: str) -> tuple[str, str, int]:
    number = tiles.numbers[code]
    return tiles.colours[number], tiles.orders[number], tiles.coins[number]


def test_hidden_tiles_are_redrawn_uniformly_over_what_fits() -> None:
    """On a short stack, with the tiles of a set of one order, so that many share their order side."""
    tiles = replace(STANDARD, name="own", orders=("disaster",) * TILES, coins=(0,) * TILES)
    state = GameState.new(seed=2, tiles=tiles)
    rng = np.random.default_rng(0)
    possible: set[tuple[str, ...]] = set()
    while not 20 < len(possible) < 100:
        orders = [move for move in state.legal_moves() if move[0] == "O"] or state.legal_moves()
        state.play(str(rng.choice(orders)))
        if state.is_over:
            state = GameState.new(seed=int(rng.integers(10**6)), tiles=tiles)
        if len(state.view().stack) == 4:
            possible = set(arrangements(state))
    drawn: Counter[tuple[str, ...]] = Counter()
    number = 300 * len(possible)
    for _ in range(number):
        other = state.copy()
        other.resample_hidden(rng)
        view = other.view()
        drawn[(*(code for code in view.orders if code), *view.stack)] += 1
    assert set(drawn) == possible
    spread = sum((n - 300) ** 2 / 300 for n in drawn.values())
    assert abs(spread - len(possible)) < 5 * math.sqrt(2 * len(possible))


def test_redrawing_draws_the_generator_of_the_reshuffle_anew() -> None:
    """Else a search would know the order after the reshuffle."""
    state = GameState.new(seed=1)
    generators = set()
    for seed in range(20):
        other = state.copy()
        other.resample_hidden(np.random.default_rng(seed))
        generators.add(int(other.to_array()["random"][0]))
    assert len(generators) == 20
    assert int(state.to_array()["random"][0]) not in generators


def test_redrawing_depends_on_the_source_of_chance_alone() -> None:
    state = started(5, 20)
    first, second = state.copy(), stirred(state, seed=3)
    first.resample_hidden(np.random.default_rng(7))
    second.resample_hidden(np.random.default_rng(7))
    assert first == second
    assert first.to_array()["random"] == second.to_array()["random"]


def test_redrawing_a_finished_game_changes_nothing_open() -> None:
    for seed in range(30):
        state = started(seed, 10_000)
        other = state.copy()
        other.resample_hidden(np.random.default_rng(seed))
        assert other.is_over
        assert other.scores == state.scores
        assert other.legal_moves() == []
        GameState.from_text(other.to_text())


# --- Perft ---------------------------------------------------------------------------------------


def counted(state: GameState, depth: int) -> int:
    """Count lines of play one by one."""
    if depth == 0:
        return 1
    nodes = 0
    for action in state.legal_actions():
        after = state.copy()
        after.apply(int(action))
        nodes += counted(after, depth - 1)
    return nodes


@pytest.mark.parametrize("seed", range(4))
def test_perft_counts_lines_of_play(seed: int) -> None:
    state = started(seed, 12 * seed)
    assert [perft(state, depth) for depth in range(3)] == [counted(state, depth) for depth in range(3)]


def test_perft_near_the_end() -> None:
    """Lines that end earlier do not count."""
    state, before = started(2, 0), started(2, 0)
    while not state.is_over:
        before = state.copy()
        state.apply(state.sample_action())
    assert [perft(before, depth) for depth in range(4)] == [counted(before, depth) for depth in range(4)]
    assert [perft(state, depth) for depth in range(3)] == [1, 0, 0]


@pytest.mark.parametrize("depth", [-1, 1.5, None, "2", [1]])
def test_perft_of_a_wrong_depth(depth: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"expected 0 or more|integer"):
        perft(GameState.new(seed=1), depth)


# --- Random play ---------------------------------------------------------------------------------

GAMES = 100_000


def near(share: float, expected: float, games: int = GAMES, rounding: float = 0.0005) -> bool:
    """Return whether a share of games is what was measured before, within the errors of both."""
    error = math.sqrt(expected * (1 - expected) / games)
    return abs(share - expected) < 5 * error + rounding


def test_uniform_random_games() -> None:
    """59 decisions on average; player 0 wins 44.4 %, player 1 41.7 %; all end by the third scoring."""
    env = BatchEnv(GAMES, seed=1, observation=None, mask=None, autoreset="disabled")
    alive = np.arange(GAMES)
    while len(alive):
        alive = alive[~env.step(env.sample_actions(alive), alive).terminated]
    states = env.get_state()
    leads = states["game"]["scores"][:, 0] - states["game"]["scores"][:, 1]
    assert states["length"].mean() == pytest.approx(59, abs=0.5)
    assert near((leads > 0).mean(), 0.444)
    assert near((leads < 0).mean(), 0.417)
    assert (states["game"]["king"] == 30).mean() > 0.999


def dealt(games: int) -> list[GameState]:
    return [GameState.new(seed=seed) for seed in range(games)]


def test_playouts_from_many_deals_are_random_games() -> None:
    scores = random_playouts(dealt(1000), GAMES // 1000, seed=1, threads=2).reshape(-1, 2)
    leads = scores[:, 0] - scores[:, 1]
    # Games of one deal are alike, so the errors are larger than those of as many independent games.
    assert near((leads > 0).mean(), 0.444, GAMES // 4)
    assert near((leads < 0).mean(), 0.417, GAMES // 4)


def test_random_games_by_kind() -> None:
    """Player 0 wins 49.8 %, player 1 46.5 %, mean score 16.9 : 16.5."""
    scores = random_playouts(dealt(1000), GAMES // 1000, seed=1, policy="kind-first").reshape(-1, 2)
    leads = scores[:, 0] - scores[:, 1]
    assert near((leads > 0).mean(), 0.498, GAMES // 4)
    assert near((leads < 0).mean(), 0.465, GAMES // 4)
    assert scores.mean(axis=0) == pytest.approx([16.9, 16.5], abs=0.25)


def test_random_games_by_kind_one_by_one() -> None:
    """155 decisions and 32.7 turns on average, 47 % ended by exhaustion (R7.2)."""
    rng = np.random.default_rng(0)
    decisions, turns, exhausted = [], [], []
    for seed in range(400):
        state = GameState.new(seed=seed)
        played, ended, mover = 0, 1, state.turn
        while not state.is_over:
            moves = state.legal_moves()
            kinds = sorted({move[0] for move in moves})
            if state.decision.startswith("main") and "redraw" not in moves:
                kind = kinds[rng.integers(len(kinds))]
                moves = [move for move in moves if move[0] == kind]
            state.play(moves[rng.integers(len(moves))])
            played += 1
            ended += state.turn != mover
            mover = state.turn
        decisions.append(played)
        turns.append(ended)
        exhausted.append(state.king < 30)
    assert np.mean(decisions) == pytest.approx(155, abs=5 * np.std(decisions) / 20)
    assert np.mean(turns) == pytest.approx(32.7, abs=5 * np.std(turns) / 20)
    assert near(np.mean(exhausted), 0.47, 400, rounding=0.005)
