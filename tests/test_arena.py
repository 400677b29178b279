"""Matches and their statistics."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from basilica_env.agents import AgentSpecError
from basilica_env.arena import (
    Conditions,
    MatchError,
    MatchResult,
    Outcome,
    Progress,
    Sprt,
    Tally,
    Task,
    play_game,
    play_match,
)
from basilica_env.arena.statistics import (
    PAIR_SCORES,
    elo_difference,
    expected_score,
    pair_elo,
    pair_score,
    superiority,
    wilson,
)
from basilica_env.cli import main
from basilica_env.core.tiles import TileSet
from basilica_env.records import GameRecord, RecordError, read_records
from tests.arena_agents import CLOCK
from tests.killed import kill_often
from tests.pseudo_terminal import PseudoTerminal

ROOT = Path(__file__).parent.parent
COMMAND = (sys.executable, "-m", "basilica_env.cli")
AGENTS = "tests.arena_agents"
STANDARD = TileSet.standard()
EQUAL = (0.11, 0.12, 0.54, 0.12, 0.11)
"""How often an agent makes 0, 1/2, ... points in a pair against itself."""

Out = pytest.CaptureFixture[str]


# --- Statistics -----------------------------------------------------------------------------------


def simulated(chances: tuple[float, ...], pairs: int, matches: int, seed: int) -> Iterator[list[int]]:
    """Simulate matches; yield the pentanomial of each."""
    yield from np.random.default_rng(seed).multinomial(pairs, chances, matches).tolist()


def mean_of(chances: tuple[float, ...]) -> float:
    return float(np.dot(chances, PAIR_SCORES))


def with_mean(mean: float) -> list[float]:
    """Give the chances of a pair with a mean score of at least one half: now and then both games are won."""
    edge = 2 * mean - 1
    return [*((1 - edge) * chance for chance in EQUAL[:-1]), (1 - edge) * EQUAL[-1] + edge]


def test_elo_and_score_belong_together() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    for score in (0.01, 0.3, 0.5, 0.99):
        assert expected_score(elo_difference(score)) == pytest.approx(score)
    assert (elo_difference(0), elo_difference(1)) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    # The first is Newcombe's (Statistics in Medicine 17, 1998); the others are much quoted.
    [(81, 263, 0.2553, 0.3662), (20, 25, 0.6087, 0.9114), (20, 20, 0.8389, 1.0), (0, 20, 0.0, 0.1611)],
)
def test_wilson(wins: int, games: int, low: float, high: float) -> None:
    assert wilson(wins / games, games) == pytest.approx((wins / games, low, high), abs=1e-4)


def test_an_interval_of_nothing_is_all_there_is() -> None:
    assert wilson(0.5, 0) == (0.5, 0, 1)
    assert pair_score((0, 0, 0, 0, 0)) == (0.5, 0, 1)
    assert pair_elo((0, 0, 0, 0, 0)) == (0, -math.inf, math.inf)
    assert superiority((0, 0, 0, 0, 0)) == 0.5


def test_the_interval_of_many_pairs_is_that_of_the_standard_error() -> None:
    pairs = (1000, 2000, 4000, 2500, 1500)
    total = sum(pairs)
    mean = np.dot(pairs, PAIR_SCORES) / total
    error = math.sqrt(np.dot(pairs, (np.array(PAIR_SCORES) - mean) ** 2) / total / total)

    score = pair_score(pairs)

    assert score == pytest.approx((mean, mean - 1.96 * error, mean + 1.96 * error), abs=1e-4)
    assert superiority(pairs) == pytest.approx(NormalDist().cdf((mean - 0.5) / error), abs=1e-4)


def test_the_interval_of_nothing_but_wins_has_a_width() -> None:
    # All other outcomes together have a chance of at most 1 - p, where p ** 20 is as unlikely as is allowed.
    score = pair_score((0, 0, 0, 0, 20))

    assert score.value == score.high == 1
    assert score.low == pytest.approx(math.exp(-(1.96**2) / 2 / 20), abs=1e-3)
    assert pair_elo((0, 0, 0, 0, 20)).high == math.inf
    assert 0.99999 < superiority((0, 0, 0, 0, 20)) <= 1


def test_the_sides_can_be_swapped() -> None:
    ours, theirs = (3, 10, 40, 12, 9), (9, 12, 40, 10, 3)
    mine, other = pair_score(ours), pair_score(theirs)

    assert mine == pytest.approx((1 - other.value, 1 - other.high, 1 - other.low))
    assert superiority(ours) == pytest.approx(1 - superiority(theirs))


@pytest.mark.parametrize("pairs", [(1, 2, 3), (1, 2, 3, -1, 0)])
def test_what_is_no_pentanomial(pairs: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected five counts"):
        pair_score(pairs)


def test_an_agent_against_itself_has_one_half_inside_its_interval() -> None:
    inside = sum(
        score.low <= 0.5 <= score.high for score in map(pair_score, simulated(EQUAL, 200, 100, seed=1))
    )

    assert inside >= 93


@pytest.mark.slow
def test_a_random_player_against_itself_has_one_half_inside_its_interval() -> None:
    matches = [play_match("random", "random", 60, seed=seed) for seed in range(100)]

    inside = sum(match.score.low <= 0.5 <= match.score.high for match in matches)

    assert inside >= 93


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    chances = (0.02, 0.05, 0.23, 0.20, 0.50)
    mean = mean_of(chances)

    inside = sum(s.low <= mean <= s.high for s in map(pair_score, simulated(chances, 50, 200, seed=2)))

    assert 0.9 < inside / 200 < 0.99


# What Fishtest's LLR_logistic gives, computed from its formulas with a root finder of SciPy.
@pytest.mark.parametrize(
    ("elo0", "elo1", "pairs", "ratio"),
    [
        (-3, 1, (10789, 19328, 33806, 19402, 10543), 2.1310678117940807),
        (0.2, 0.9, (39, 2226, 31451, 2412, 40), 2.1625425800483593),
        (0, 20, (3, 10, 40, 12, 9), 1.2280412784439358),
        (0, 20, (0, 0, 0, 0, 7), 0.3914693188177269),
        (0, 50, (5, 0, 3, 0, 1), -0.9793892508922806),
    ],
)
def test_the_likelihood_ratio_is_fishtests(
    elo0: float, elo1: float, pairs: tuple[int, ...], ratio: float
) -> None:
    assert Sprt(elo0, elo1).ratio(pairs) == pytest.approx(ratio, rel=1e-9)


def errors(test: Sprt, elo: float, wrong: str, trials: int) -> int:
    """Count the simulated tests that accept the wrong hypothesis."""
    rng = np.random.default_rng(3)
    chances = with_mean(expected_score(elo))
    found = 0
    for _ in range(trials):
        pairs, verdict = [0] * 5, None
        while verdict is None:
            pairs[rng.choice(5, p=chances)] += 1
            verdict = test.verdict(pairs)
        found += verdict == wrong
    return found


@pytest.mark.parametrize(("elo", "wrong"), [(0, "H1"), (100, "H0")])
def test_the_sequential_test_errs_as_often_as_it_says(elo: float, wrong: str) -> None:
    found = errors(Sprt(0, 100), elo, wrong, trials=300)

    assert wilson(found / 300, 300, 0.99).low <= 0.05
    assert found > 0  # or it would take longer than it must


def test_the_bounds_of_the_sequential_test() -> None:
    low, high = Sprt(alpha=0.05, beta=0.1).bounds

    assert low == pytest.approx(math.log(0.1 / 0.95))
    assert high == pytest.approx(math.log(0.9 / 0.05))


@pytest.mark.parametrize(
    "settings",
    [{"elo0": 20, "elo1": 20}, {"elo1": math.nan}, {"alpha": 0}, {"beta": 0.5}, {"elo0": -math.inf}],
)
def test_a_test_that_makes_no_sense(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Sprt(**settings)


# --- One game -------------------------------------------------------------------------------------


def conditions(first: str, second: str, **more: Any) -> Conditions:
    return Conditions((first, second), 5, STANDARD, **more)


def games_of(folder: Path) -> dict[Task, GameRecord]:
    """Read the games of a match."""
    records = {Outcome.of(record).task: record for record in read_records(folder / "games.basilica")}
    assert len(records) == len(list(read_records(folder / "games.basilica")))
    return records


def essence(record: GameRecord) -> tuple[Any, ...]:
    """Give what does not depend on the clock."""
    moves = tuple((move.move, move.reshuffled) for move in record.moves)
    headers = {name: value for name, value in record.headers.items() if "Time" not in name}
    return record.position, record.players, moves, record.result, record.termination, sorted(headers.items())


def essences(folder: Path) -> dict[Task, tuple[Any, ...]]:
    return {task: essence(record) for task, record in games_of(folder).items()}


def test_a_pair_has_one_stack_and_swapped_seats(tmp_path: Path) -> None:
    play_match("greedy", "random", 6, seed=1, out=tmp_path)

    games = games_of(tmp_path)
    assert sorted(games) == [Task(pair, first) for pair in range(3) for first in range(2)]
    for pair in range(3):
        one, other = games[Task(pair, 0)], games[Task(pair, 1)]
        assert one.position == other.position
        assert (one.seed, one.players) == (other.seed, ("greedy", "random"))
        assert other.players == ("random", "greedy")
    assert len({record.position for record in games.values()}) == 3
    seeds = [record.headers[f"AgentSeed{seat}"] for record in games.values() for seat in range(2)]
    assert len(set(seeds)) == 12


def test_a_game_can_be_played_again_by_itself(tmp_path: Path) -> None:
    play_match("greedy", "random", 4, seed=5, out=tmp_path)

    again = play_game(conditions("greedy", "random"), Task(1, 1))

    assert essence(again) == essence(games_of(tmp_path)[Task(1, 1)])


def test_streams_of_chance_do_not_depend_on_the_number_of_words_in_a_seed() -> None:
    small = Conditions(("random", "random"), 1, STANDARD)
    large = Conditions(("random", "random"), 1 + (1 << 32), STANDARD)

    assert small.deal_seed(Task(0, 0)) == small.deal_seed(Task(0, 1))
    assert len({one.deal_seed(Task(pair, 0)) for one in (small, large) for pair in range(100)}) == 200


@pytest.mark.parametrize(
    ("agent", "termination", "reason"),
    [
        ("Raising", "crash", 'RuntimeError: no idea {what} to "do"\nhere'),
        ("Unmakeable", "crash", "could not be made: OSError: the weights are gone"),
        ("Leaving", "crash", "SystemExit: 0"),
        ("Illegal", "illegal move", "illegal move"),
        ("Illegal:answer=667", "illegal move", "answered 667"),
        ("Illegal:answer=-1", "illegal move", "answered -1"),
        ("Illegal:answer=V1c1", "illegal move", "answered 'V1c1'"),
        ("Illegal:answer=1.5", "illegal move", "answered 1.5"),
        ("Late", "time", "expected at most 100"),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_loses_the_game(
    agent: str, termination: str, reason: str, seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("basilica_env.arena.game.time", CLOCK)  # a busy machine makes nobody late
    spec = f"{AGENTS}:{agent}"

    record = play_game(conditions(spec, "random", limit_ms=100), Task(0, seat))

    assert record.players[seat] == spec
    assert record.result == ("0-1", "1-0")[seat]
    assert record.termination == termination
    assert reason in record.headers["Reason"]
    assert record.headers["Reason"].startswith(spec)
    (again,) = read_records(io.StringIO(record.to_text()))
    assert Outcome.of(again).fault == (0, termination)
    assert Outcome.of(again).score == 0


def test_a_match_goes_on_after_faults(tmp_path: Path) -> None:
    result = play_match(f"{AGENTS}:Raising", f"{AGENTS}:Illegal", 10, seed=1, out=tmp_path)

    assert result.games == 10
    assert sum(result.faults[0].values()) == result.losses
    assert sum(result.faults[1].values()) == result.wins
    assert set(result.faults[0]) == {"crash"}
    assert set(result.faults[1]) == {"illegal move"}
    assert result.points == (0, 0)
    assert {record.termination for record in games_of(tmp_path).values()} == {"crash", "illegal move"}


def test_no_agent_sees_the_stack_or_changes_the_game() -> None:
    from tests.arena_agents import Peeking

    Peeking.seen.clear()

    record = play_game(conditions(f"{AGENTS}:Peeking", "random"), Task(0, 0))

    states = [record.initial(), *record.replay()]
    ours = [state for state in states if state.player == 0 and not state.is_over]
    assert len(ours) == len(Peeking.seen)
    stacks = [(state.view().stack, seen) for state, seen in zip(ours, Peeking.seen, strict=True)]
    assert all(len(true) == len(seen) for true, seen in stacks)
    assert all(true != seen for true, seen in stacks if len(set(true)) > 5)


def test_the_record_tells_time_and_simulations() -> None:
    record = play_game(conditions(f"{AGENTS}:Searching", "random"), Task(0, 1))

    decisions = int(record.headers["Decisions1"])
    assert decisions + int(record.headers["Decisions0"]) == len(record.moves)
    assert float(record.headers["Simulations1"]) == pytest.approx(5 * (decisions + 1), abs=0.1)
    assert "Simulations0" not in record.headers
    for seat in range(2):
        assert 0 < float(record.headers[f"MeanTime{seat}"]) <= float(record.headers[f"MaxTime{seat}"])
    a, b = Outcome.of(record).spent
    assert (a.decisions, b.simulations) == (decisions, None)


# --- Matches --------------------------------------------------------------------------------------


def test_the_result_adds_up_the_games(tmp_path: Path) -> None:
    result = play_match("random", "random", 40, seed=3, out=tmp_path)

    games = games_of(tmp_path)
    scores = {task: Outcome.of(record).score for task, record in games.items()}
    for first, tally in enumerate((result.as_first, result.as_second)):
        ours = [score for task, score in scores.items() if task.first == first]
        assert tally == Tally(ours.count(1), ours.count(0.5), ours.count(0))
    entries = [round(2 * (scores[Task(pair, 0)] + scores[Task(pair, 1)])) for pair in range(20)]
    assert result.pairs == tuple(map(entries.count, range(5)))
    assert (result.wins, result.draws, result.losses) == tuple(
        list(scores.values()).count(score) for score in (1, 0.5, 0)
    )
    mean = np.mean([(r.scores[t.first], r.scores[1 - t.first]) for t, r in games.items()], axis=0)
    assert result.points == pytest.approx(tuple(mean))
    assert result.score.value == result.total.score == result.wilson.value
    assert sum(spent.decisions for spent in result.spent) == sum(len(r.moves) for r in games.values())


def test_the_side_of_the_first_agent() -> None:
    ours = play_match("greedy", "random", 6, seed=3)
    theirs = play_match("random", "greedy", 6, seed=3)

    assert ours.wins == theirs.losses == 6
    assert ours.elo.low > 0 > theirs.elo.high
    assert ours.points[0] > ours.points[1]
    assert theirs.points[0] < theirs.points[1]


def test_pairs_take_away_variance() -> None:
    # 4 pairs: the same side wins both games of two (1 point each), one agent both of the others.
    half = Tally(wins=2, losses=2)
    result = MatchResult(("a", "b"), 0, half, half, pairs=(1, 0, 2, 0, 1))
    assert result.variance_ratio == pytest.approx(1)

    luck_of_the_stack = MatchResult(("a", "b"), 0, half, half, pairs=(0, 0, 4, 0, 0))
    assert luck_of_the_stack.variance_ratio == 0
    assert math.isnan(MatchResult(("a", "b"), 0).variance_ratio)


def test_progress_is_told() -> None:
    heard: list[Progress] = []

    result = play_match("random", "random", 6, seed=1, progress=heard.append)

    assert [progress.result.games for progress in heard] == [1, 2, 3, 4, 5, 6]
    assert [sum(progress.result.pairs) for progress in heard] == [0, 1, 1, 2, 2, 3]
    assert [progress.played for progress in heard] == [1, 2, 3, 4, 5, 6]
    assert heard[-1].left == 0
    assert heard[0].left is not None
    assert heard[0].left > 0
    assert heard[-1].rate == pytest.approx(6 / heard[-1].seconds)
    assert heard[-1].result.pairs == result.pairs


def test_a_match_stops_by_time_after_whole_pairs() -> None:
    result = play_match(f"{AGENTS}:Slow", "random", minutes=0.005, seed=1)

    assert result.stopped == "time"
    assert result.games == 2 * sum(result.pairs) > 0


def test_a_match_stops_when_its_test_is_decided(tmp_path: Path) -> None:
    test = Sprt(0, 200)

    result = play_match("greedy", "random", 400, sprt=test, seed=1, out=tmp_path)

    assert result.stopped == "H1"
    assert test.verdict(result.pairs) == "H1"
    assert test.verdict((0, 0, 0, 0, sum(result.pairs) - 1)) is None
    assert result.games < 40

    resumed = play_match("greedy", "random", 400, sprt=test, seed=1, out=tmp_path, resume=True)
    assert resumed == result


def test_games_beyond_the_deciding_pair_do_not_count(tmp_path: Path) -> None:
    decided = play_match("greedy", "random", sprt=Sprt(0, 200), seed=1)
    play_match("greedy", "random", decided.games + 4, seed=1, out=tmp_path)

    resumed = play_match("greedy", "random", sprt=Sprt(0, 200), seed=1, out=tmp_path, resume=True)

    assert (resumed.pairs, resumed.points) == (decided.pairs, decided.points)
    assert len(games_of(tmp_path)) == decided.games + 4


def test_a_seed_is_drawn() -> None:
    one, other = (play_match("random", "random", 2) for _ in range(2))

    assert one.seed != other.seed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"games": 3}, "even number"),
        ({"games": 0}, "even number"),
        ({"minutes": 0}, "minutes"),
        ({"minutes": math.inf}, "minutes"),
        ({"workers": 0}, "workers"),
        ({"limit_ms": -1}, "limit"),
        ({"tiles": "no such set"}, "no such set"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, OSError), match=message):
        play_match("random", "random", **settings)


def test_an_unknown_agent() -> None:
    with pytest.raises(AgentSpecError, match="unknown agent 'nobody'"):
        play_match("random", "nobody")


# --- Folders --------------------------------------------------------------------------------------


def test_the_summary(tmp_path: Path) -> None:
    result = play_match("greedy", "random", 4, seed=9, out=tmp_path, limit_ms=5000)

    summary = json.loads((tmp_path / "match.json").read_text(encoding="utf-8"))
    assert summary["agents"] == ["greedy", "random"]
    assert (summary["seed"], summary["games"], summary["limit_ms"]) == (9, 4, 5000)
    assert summary["tiles"] == {"name": "standard", "digest": STANDARD.digest}
    assert set(summary["versions"]) == {"basilica_env", "core", "numba", "numpy", "python"}
    assert summary["result"] == json.loads(json.dumps(result.to_json()))
    assert summary["result"]["pairs"] == list(result.pairs)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.basilica", "match.json"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a match that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    play_match("greedy", "random", 8, seed=4, out=folder)
    return folder


def copied(whole: Path, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for path in whole.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.mark.parametrize("seed", range(6))
def test_whatever_a_crash_leaves_resuming_gives_the_same_games(
    whole: Path, tmp_path: Path, seed: int
) -> None:
    copied(whole, tmp_path)
    games = tmp_path / "games.basilica"
    content = games.read_bytes()
    games.write_bytes(content[: random.Random(seed).randrange(len(content))])

    result = play_match("greedy", "random", 8, out=tmp_path, resume=True)

    assert essences(tmp_path) == essences(whole)
    assert result.games == 8
    assert result.seed == 4


@pytest.mark.parametrize("cut", [1, 2, 3, 8])
def test_a_torn_result_line_is_no_result(whole: Path, tmp_path: Path, cut: int) -> None:
    copied(whole, tmp_path)
    games = tmp_path / "games.basilica"
    games.write_bytes(games.read_bytes()[:-cut])

    play_match("greedy", "random", 8, out=tmp_path, resume=True)

    assert essences(tmp_path) == essences(whole)


def test_missing_games_in_the_middle_are_played(whole: Path, tmp_path: Path) -> None:
    copied(whole, tmp_path)
    games = tmp_path / "games.basilica"
    records = re.split(r"\n(?=\[Format )", games.read_text(encoding="utf-8"))
    games.write_text("\n".join(records[:2] + records[3:5] + records[6:]), encoding="utf-8")

    play_match("greedy", "random", 8, out=tmp_path, resume=True)

    assert essences(tmp_path) == essences(whole)


def test_a_match_can_be_made_longer(whole: Path, tmp_path: Path) -> None:
    copied(whole, tmp_path)

    result = play_match("greedy", "random", 12, out=tmp_path, resume=True)

    assert result.games == 12
    assert essences(whole).items() < essences(tmp_path).items()


def test_a_match_with_another_tile_set_goes_on(tmp_path: Path) -> None:
    standard = resources.files("basilica_env").joinpath("data", "standard.csv").read_text(encoding="utf-8")
    tiles = tmp_path / "mine.csv"
    tiles.write_text(standard.replace("B0,B,disaster,1,0", "B0,B,disaster,0,0"), encoding="utf-8")
    assert TileSet.load(tiles).digest != STANDARD.digest
    folder = tmp_path / "match"
    play_match("random", "random", 2, seed=1, tiles=tiles, out=folder)

    assert play_match("random", "random", 4, tiles=tiles, out=folder, resume=True).games == 4
    with pytest.raises(MatchError, match=r"with tiles .*'mine'.*: give the same to go on, not .*'standard'"):
        play_match("random", "random", 4, out=folder, resume=True)


def test_resuming_begins_a_match_that_is_not_there(tmp_path: Path) -> None:
    assert play_match("random", "random", 2, out=tmp_path / "new", resume=True).games == 2


def test_an_interrupted_match_goes_on(whole: Path, tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.played == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_match("greedy", "random", 8, seed=4, out=tmp_path, progress=interrupt)

    summary = json.loads((tmp_path / "match.json").read_text(encoding="utf-8"))
    assert (summary["result"]["stopped"], summary["result"]["games"]) == ("interrupted", 3)
    assert sum(summary["result"]["pairs"]) == 1
    play_match("greedy", "random", 8, out=tmp_path, resume=True)
    assert essences(tmp_path) == essences(whole)


def test_a_folder_that_holds_a_match_is_left_alone(whole: Path, tmp_path: Path) -> None:
    copied(whole, tmp_path)

    with pytest.raises(MatchError, match="holds a match"):
        play_match("greedy", "random", 8, seed=4, out=tmp_path)

    assert (tmp_path / "games.basilica").read_bytes() == (whole / "games.basilica").read_bytes()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": 5}, "with seed 4: give the same to go on, not 5"),
        ({"spec_b": "greedy"}, r"with agents \['greedy', 'random'\]"),
        ({"limit_ms": 100}, "with limit_ms None: give the same to go on, not 100"),
    ],
)
def test_another_match_does_not_go_on(
    whole: Path, tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    copied(whole, tmp_path)

    with pytest.raises(MatchError, match=message):
        play_match(**{"spec_a": "greedy", "spec_b": "random", **settings}, games=8, out=tmp_path, resume=True)


@pytest.mark.parametrize(
    ("summary", "message"),
    [("{", "not JSON"), ("[]", "expected a summary"), ('{"format": "basilica match 1"}', "names the seed")],
)
def test_a_damaged_summary(whole: Path, tmp_path: Path, summary: str, message: str) -> None:
    copied(whole, tmp_path)
    (tmp_path / "match.json").write_text(summary, encoding="utf-8")

    with pytest.raises(MatchError, match=message):
        play_match("greedy", "random", 8, out=tmp_path, resume=True)


def test_games_without_a_summary(whole: Path, tmp_path: Path) -> None:
    copied(whole, tmp_path)
    (tmp_path / "match.json").unlink()

    with pytest.raises(MatchError, match="no summary"):
        play_match("greedy", "random", 8, seed=4, out=tmp_path, resume=True)


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_that_holds_a_tournament_is_named(whole: Path, tmp_path: Path, resume: bool) -> None:
    copied(whole, tmp_path)
    (tmp_path / "match.json").rename(tmp_path / "tournament.json")

    with pytest.raises(MatchError, match="holds a tournament, no match: choose another folder"):
        play_match("greedy", "random", 8, seed=4, out=tmp_path, resume=resume)


def test_a_damaged_record(whole: Path, tmp_path: Path) -> None:
    copied(whole, tmp_path)
    games = tmp_path / "games.basilica"
    games.write_bytes(games.read_bytes().replace(b"1.0 V", b"1.0 W", 1))

    with pytest.raises(RecordError, match=r"games\.basilica, line \d+, game 1, move 1"):
        play_match("greedy", "random", 8, out=tmp_path, resume=True)


def test_a_game_that_is_there_twice(whole: Path, tmp_path: Path) -> None:
    copied(whole, tmp_path)
    games = tmp_path / "games.basilica"
    games.write_bytes(games.read_bytes() + b"\n" + games.read_bytes())

    with pytest.raises(ValueError, match="there twice"):
        play_match("greedy", "random", 8, out=tmp_path, resume=True)


def test_one_match_at_a_time_in_a_folder(tmp_path: Path) -> None:
    def begin_another(_: Progress) -> None:
        play_match("random", "random", 2, seed=1, out=tmp_path, resume=True)

    with pytest.raises(MatchError, match="another process"):
        play_match("random", "random", 2, seed=1, out=tmp_path, progress=begin_another)


# --- Workers --------------------------------------------------------------------------------------


def test_workers_outlive_whatever_agents_do(tmp_path: Path) -> None:
    """Some games end by a hang or by the end of the process; the others are those of a single process."""
    spec = f"{AGENTS}:Dying"

    result = play_match(spec, "random", 6, seed=8, workers=2, limit_ms=1000, out=tmp_path)

    games = games_of(tmp_path)
    assert sorted(games) == [Task(pair, first) for pair in range(3) for first in range(2)]
    assert set(result.faults[0]) == {"crash", "time"}
    assert not result.faults[1]
    reasons = {record.termination: record.headers.get("Reason") for record in games.values()}
    assert reasons["crash"] == f"{spec} ended its process with status 7"
    assert reasons["time"] == f"{spec} took far more than its time and was cut short"
    assert all(record.moves for record in games.values())
    ended = {task: record for task, record in games.items() if "Reason" not in record.headers}
    assert ended
    for task, record in ended.items():
        again = play_game(Conditions((spec, "random"), 8, STANDARD), task)
        assert essence(again) == essence(record)


def test_an_agent_that_ends_every_process_loses_every_game() -> None:
    result = play_match("random", f"{AGENTS}:Stillborn", 2, seed=1, workers=2)

    assert result.wins == 2
    assert result.faults[1] == {"crash": 2}


# --- The command ----------------------------------------------------------------------------------


def match_command(folder: Path, *more: str) -> list[str]:
    agents = (f"{AGENTS}:Slow", "random", "--games", "16", "--seed", "4", "--workers", "1")
    return [*COMMAND, "match", *agents, "--out", str(folder), *more]


def kill_at(folder: Path, size: int, *more: str) -> bool:
    """Kill a match when its games fill so many bytes; tell whether it was still playing."""
    command = match_command(folder, "--resume", *more)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)
    games = folder / "games.basilica"
    while process.poll() is None:
        with contextlib.suppress(FileNotFoundError):
            if games.stat().st_size >= size:
                break
        time.sleep(0.005)
    process.kill()
    return process.wait() == -signal.SIGKILL


def test_killed_matches_end_with_the_same_games(tmp_path: Path) -> None:
    chance = random.Random(1)
    uninterrupted, folder = tmp_path / "uninterrupted", tmp_path / "killed"
    play_match(f"{AGENTS}:Slow", "random", 16, seed=4, out=uninterrupted)
    folder.mkdir()
    size = 0
    for _ in range(3):
        size += chance.randrange(2000, 8000)
        assert kill_at(folder, size)

    play_match(f"{AGENTS}:Slow", "random", 16, out=folder, resume=True)

    assert essences(folder) == essences(uninterrupted)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_match_killed_20_times_ends_with_the_same_games(tmp_path: Path) -> None:
    uninterrupted, folder = tmp_path / "uninterrupted", tmp_path / "killed"
    play_match("random", "random", 100, seed=4, out=uninterrupted)

    def play() -> MatchResult:
        return play_match("random", "random", 100, seed=4, out=folder, resume=True)

    assert kill_often(play, folder / "games.basilica", 20, random.Random(1)) == 20
    play()

    assert essences(folder) == essences(uninterrupted)


def test_ctrl_c(tmp_path: Path) -> None:
    command = match_command(tmp_path, "--games", "10000", "--workers", "2")
    with PseudoTerminal(command, COLUMNS="80", PYTHONPATH=str(ROOT)) as terminal:
        assert terminal.wait_for("games/s")
        os.killpg(terminal.process.pid, signal.SIGINT)
        assert terminal.end() == 130
    assert "Traceback" not in terminal.shown
    assert "--resume goes on" in terminal.shown
    assert json.loads((tmp_path / "match.json").read_text())["result"]["stopped"] == "interrupted"
    assert games_of(tmp_path)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.mark.usefixtures("elsewhere")
def test_the_command_shows_the_result(capsys: Out) -> None:
    assert main(["match", "greedy", "random", "--games", "8", "--seed", "7", "--workers", "1"]) == 0

    shown = capsys.readouterr()
    assert "greedy against random, seed 7" in shown.out
    assert re.search(r"in all .* 8 \|\s+8 \|\s+0 \|\s+0 \|\s+100\.0", shown.out)
    assert "Score      100.0, between" in shown.out
    assert "Elo        +inf, between +" in shown.out
    assert shown.out.isascii()
    assert shown.err == ""


@pytest.mark.usefixtures("elsewhere")
def test_the_command_writes_json(capsys: Out) -> None:
    command = ["match", f"{AGENTS}:Chatting", "random", "--games", "4", "--seed", "7", "--workers", "1"]
    assert main([*command, "--json", "--sprt", "elo1=50"]) == 0

    shown = capsys.readouterr()
    result = json.loads(shown.out)
    assert result["games"] == 4
    assert result["sprt"]["elo1"] == 50
    assert shown.err.startswith("thinking")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy", "nobody"), "unknown agent 'nobody'"),
        (("greedy", "random", "--sprt", "elo2=3"), "'elo2=3': expected each of elo0, elo1, alpha, beta"),
        (("greedy", "random", "--sprt", "elo1=x"), "'elo1=x'"),
        (("greedy", "random", "--sprt", "elo1=-5"), "expected elo0 less than elo1"),
        (("greedy", "random", "--resume"), "--out FOLDER"),
    ],
)
@pytest.mark.usefixtures("elsewhere")
def test_wrong_use(arguments: tuple[str, ...], message: str, capsys: Out) -> None:
    assert main(["match", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", ["--games=3", "--games=x", "--minutes=0", "--workers=0", "--limit-ms=nan", "--seed=-1"]
)
def test_wrong_options(option: str, capsys: Out) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["match", "greedy", "random", option])
    assert stopped.value.code == 2
    assert "expected" in capsys.readouterr().err


def test_a_folder_that_cannot_be(elsewhere: Path, capsys: Out) -> None:
    (elsewhere / "file").write_text("")
    command = ["match", "random", "random", "--games", "2", "--workers", "1", "--out"]

    for folder in ("file", "no/such/parent"):
        assert main([*command, folder]) == 1
        assert capsys.readouterr().err.startswith(f"basilica match: {folder}: ")
