"""Ratings and tournaments."""

from __future__ import annotations

import csv
import json
import math
import os
import random
import re
import signal
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from basilica_env.agents import AgentSpecError
from basilica_env.arena import (
    MatchError,
    MatchResult,
    Outcome,
    Progress,
    Tally,
    TournamentResult,
    play_match,
    play_tournament,
)
from basilica_env.arena.chart import Panel, draw_chart
from basilica_env.arena.ratings import Pairing, rate, rate_quickly
from basilica_env.arena.statistics import Estimate, elo_difference, expected_score, pair_elo, superiority
from basilica_env.arena.tournament import pairing_seed
from basilica_env.cli import main
from basilica_env.core.tiles import TileSet
from basilica_env.records import GameRecord, read_records
from tests.killed import kill_often
from tests.pseudo_terminal import PseudoTerminal

ROOT = Path(__file__).parent.parent
AGENTS = "tests.arena_agents"
FIELD = ("random", "greedy", f"{AGENTS}:Uniform")

Out = pytest.CaptureFixture[str]


# --- Ratings --------------------------------------------------------------------------------------


def simulated(strengths: Sequence[float], pairs: int, rng: np.random.Generator) -> list[Pairing]:
    """Simulate a round robin of players of known strengths; one game in ten is drawn."""
    return [
        Pairing(one, other, pentanomial(expected_score(strengths[one] - strengths[other]), pairs, rng))
        for one, other in combinations(range(len(strengths)), 2)
    ]


def pentanomial(score: float, pairs: int, rng: np.random.Generator) -> list[int]:
    draw = 0.2 * min(score, 1 - score)
    games = rng.choice(3, (pairs, 2), p=(1 - score - draw / 2, draw, score - draw / 2))
    return np.bincount(games.sum(1), minlength=5).tolist()


def test_ratings_of_players_with_known_strengths_are_recovered() -> None:
    strengths = [0, 50, 120, 300, 500]

    ratings = rate(simulated(strengths, 2000, np.random.default_rng(1)), 5, {0: 0})

    for estimate, strength in zip(ratings.estimates, strengths, strict=True):
        assert estimate.value == pytest.approx(strength, abs=15)
        assert estimate.low <= strength <= estimate.high
    assert all(ratings.superiority[one][other] > 0.99 for one in range(5) for other in range(one))


def test_intervals_of_ratings_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    strengths = [0, 100, 400]

    inside = sum(
        estimate.low <= strength <= estimate.high
        for _ in range(60)
        for estimate, strength in zip(
            rate(simulated(strengths, 25, rng), 3, {0: 0}).estimates[1:], strengths[1:], strict=True
        )
    )

    assert 0.89 < inside / 120 < 0.995


def test_ratings_of_two_are_those_of_their_match() -> None:
    pairs = (30, 70, 400, 120, 80)

    ratings = rate([Pairing(0, 1, pairs)], 2, {1: 0})

    assert ratings.estimates[0] == pytest.approx(pair_elo(pairs), abs=0.5)
    assert ratings.superiority[0][1] == pytest.approx(superiority(pairs), abs=1e-4)
    assert ratings.superiority[0][1] + ratings.superiority[1][0] == pytest.approx(1)


def test_without_anchors_the_mean_rating_is_0() -> None:
    pairings = simulated([0, 200, 400], 300, np.random.default_rng(3))

    free, anchored = rate_quickly(pairings, 3), rate_quickly(pairings, 3, {2: 1500})

    assert sum(free) == pytest.approx(0, abs=1e-6)
    assert anchored[2] == pytest.approx(1500)
    assert np.diff(anchored) == pytest.approx(np.diff(free), abs=0.1)


def test_several_anchors() -> None:
    # Player 1 scores one half against 0 (rated 0) and against 2 (rated 200).
    level = (0, 0, 100, 0, 0)

    ratings = rate([Pairing(0, 1, level), Pairing(1, 2, level)], 3, {0: 0, 2: 200})

    assert ratings.estimates[0] == (0, 0, 0)
    assert ratings.estimates[2] == (200, 200, 200)
    assert ratings.estimates[1].value == pytest.approx(100, abs=0.1)
    assert ratings.superiority[2][0] == 1


def test_draws_alone_make_equals() -> None:
    ratings = rate([Pairing(0, 1, (0, 0, 50, 0, 0))], 2)

    assert [estimate.value for estimate in ratings.estimates] == pytest.approx([0, 0], abs=1e-6)
    assert ratings.superiority[0][1] == pytest.approx(0.5)


def test_a_perfect_score_has_the_rating_that_one_drawn_game_more_would_give() -> None:
    rating, low, high = rate([Pairing(0, 1, (0, 0, 0, 0, 50))], 2, {1: 0}).estimates[0]

    assert rating == pytest.approx(elo_difference(100.5 / 101), abs=5)
    assert low == pytest.approx(pair_elo((0, 0, 0, 0, 50)).low, abs=40)
    assert rating < high < math.inf


def test_players_without_a_connection_have_no_ratings() -> None:
    apart = [Pairing(0, 1, (1, 0, 3, 0, 1)), Pairing(2, 3, (1, 0, 3, 0, 1))]

    with pytest.raises(ValueError, match="connect"):
        rate(apart, 4)
    with pytest.raises(ValueError, match="connect"):
        rate(apart, 4, {0: 0})
    assert rate_quickly(apart, 4, {0: 0, 2: 50})[3] == pytest.approx(50, abs=0.1)


def test_ratings_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)

    with pytest.raises(ImportError, match=r"basilica-env\[arena\]"):
        play_tournament(FIELD, 2, seed=1)


# --- Tournaments ----------------------------------------------------------------------------------


def essence(record: GameRecord) -> tuple[Any, ...]:
    """Give what does not depend on the clock."""
    headers = {name: value for name, value in record.headers.items() if "Time" not in name}
    return record.position, tuple(move.move for move in record.moves), record.result, tuple(headers.items())


def games_of(folder: Path) -> dict[tuple[str, str, int], tuple[Any, ...]]:
    """Read the games of a folder by players and pair."""
    records = list(read_records(folder / "games.basilica"))
    games = {(*record.players, Outcome.of(record).task.pair): essence(record) for record in records}
    assert len(games) == len(records)
    return games


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tournament that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    play_tournament(FIELD, 6, seed=4, out=folder)
    return folder


def copied(whole: Path, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for path in whole.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_a_round_robin(whole: Path) -> None:
    games = games_of(whole)

    assert set(games) == {
        (one, other, pair) for one in FIELD for other in FIELD if one != other for pair in range(3)
    }


def test_a_gauntlet(tmp_path: Path) -> None:
    result = play_tournament(FIELD, 2, seed=4, gauntlet=True, out=tmp_path)

    assert {frozenset(game[:2]) for game in games_of(tmp_path)} == {
        frozenset(("random", other)) for other in FIELD[1:]
    }
    assert result.games == 4
    assert result.tally("random").games == 4


def test_a_pairing_plays_a_match(whole: Path, tmp_path: Path) -> None:
    seed = pairing_seed(4, ("random", "greedy"))
    play_match("greedy", "random", 6, seed=seed, out=tmp_path)

    assert games_of(tmp_path).items() <= games_of(whole).items()


def test_games_depend_neither_on_the_field_nor_on_its_order(whole: Path, tmp_path: Path) -> None:
    play_tournament(("greedy", "random"), 6, seed=4, out=tmp_path)

    assert games_of(tmp_path).items() < games_of(whole).items()


def test_the_result_adds_up(whole: Path) -> None:
    result = play_tournament(FIELD, 6, out=whole, resume=True)

    assert result.games == 18
    assert result.stopped == "games"
    assert result.ranking[0] == FIELD.index("greedy")
    assert result.tally("greedy") == Tally(wins=12)
    assert result.tally("random", "greedy") == Tally(losses=6)
    assert sum(result.tally(agent).score for agent in FIELD) == pytest.approx(1.5)
    rating = [estimate.value for estimate in result.ratings.estimates]
    assert rating == pytest.approx(result.quick_ratings, abs=0.01)


def test_progress_is_told_round_by_round() -> None:
    heard: list[Progress[TournamentResult]] = []

    result = play_tournament(FIELD, 4, seed=4, progress=heard.append)

    assert [progress.played for progress in heard] == list(range(1, 13))
    assert [progress.result.games for progress in heard] == list(range(1, 13))
    halfway = heard[5].result
    assert [match.games for match in halfway.matches] == [2, 2, 2]
    assert len(halfway.quick_ratings) == 3
    assert heard[0].left is not None
    assert heard[0].left > heard[-1].left == 0
    assert heard[-1].result.matches == result.matches


def test_workers_play_the_same_games(whole: Path, tmp_path: Path) -> None:
    play_tournament(FIELD, 6, seed=4, workers=2, out=tmp_path)

    assert games_of(tmp_path) == games_of(whole)


def test_a_tournament_stops_by_time_after_whole_rounds() -> None:
    result = play_tournament((f"{AGENTS}:Slow", *FIELD[:2]), minutes=0.005, seed=1)

    assert result.stopped == "time"
    assert len({match.games for match in result.matches}) == 1


@pytest.mark.parametrize(
    ("agents", "settings", "error", "message"),
    [
        (("greedy",), {}, ValueError, "expected two or more"),
        (("greedy", "random", "greedy"), {}, ValueError, "'greedy' is entered twice"),
        (("greedy", "nobody"), {}, AgentSpecError, "unknown agent 'nobody'"),
        (("greedy", "random"), {"games": 3}, ValueError, "even number"),
        (("greedy", "random"), {"anchors": {"planner": 0}}, ValueError, "'planner' does not take part"),
        (("greedy", "random"), {"anchors": {"random": math.nan}}, ValueError, "expected a number"),
    ],
)
def test_settings_that_make_no_sense(
    agents: tuple[str, ...], settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        play_tournament(agents, **settings)


# --- Folders --------------------------------------------------------------------------------------


def test_the_files(whole: Path) -> None:
    summary = json.loads((whole / "tournament.json").read_text(encoding="utf-8"))
    ratings = list(csv.DictReader((whole / "ratings.csv").open(encoding="utf-8")))
    crosstable = list(csv.DictReader((whole / "crosstable.csv").open(encoding="utf-8")))

    assert summary["agents"] == list(FIELD)
    assert (summary["seed"], summary["result"]["games"]) == (4, 18)
    standings = summary["result"]["standings"]
    assert [row["agent"] for row in ratings] == [standing["agent"] for standing in standings]
    assert ratings[0]["agent"] == "greedy"
    assert [float(row["rating"]) for row in ratings] == [
        standing["rating"]["value"] for standing in standings
    ]
    assert all(float(row["low"]) < float(row["rating"]) < float(row["high"]) for row in ratings)
    assert len(crosstable) == 6
    row = next(row for row in crosstable if (row["agent"], row["opponent"]) == ("random", "greedy"))
    assert (row["games"], row["losses"], row["score"], row["elo"]) == ("6", "6", "0.0", "-inf")
    other = next(row for row in crosstable if (row["agent"], row["opponent"]) == ("greedy", "random"))
    assert float(row["superiority"]) + float(other["superiority"]) == pytest.approx(1)
    assert float(row["score_high"]) == pytest.approx(1 - float(other["score_low"]))
    ET.parse(whole / "ratings.svg")


def test_one_more_agent_enters(tmp_path: Path, whole: Path) -> None:
    play_tournament(FIELD[:2], 6, seed=4, out=tmp_path)

    play_tournament(FIELD, 6, out=tmp_path, resume=True)

    assert games_of(tmp_path) == games_of(whole)


def test_a_challenger_meets_all_others(tmp_path: Path, whole: Path) -> None:
    copied(whole, tmp_path)

    result = play_tournament((f"{AGENTS}:Slow", *FIELD), 2, gauntlet=True, out=tmp_path, resume=True)

    assert result.games == 18 + 6
    assert games_of(whole).items() < games_of(tmp_path).items()
    assert len(result.ratings.estimates) == 4


@pytest.mark.parametrize(
    ("agents", "settings", "message"),
    [
        (FIELD, {"seed": 5}, "with seed 4: give the same to go on, not 5"),
        (FIELD[:2], {}, "holds a tournament with tests.arena_agents:Uniform: expected all its agents"),
        (FIELD, {"limit_ms": 100}, "with limit_ms None: give the same to go on, not 100"),
        (FIELD, {"resume": False, "seed": 4}, "holds a tournament: go on with it"),
    ],
)
def test_another_tournament_does_not_go_on(
    whole: Path, tmp_path: Path, agents: tuple[str, ...], settings: dict[str, Any], message: str
) -> None:
    copied(whole, tmp_path)

    with pytest.raises(MatchError, match=message):
        play_tournament(agents, 6, **{"out": tmp_path, "resume": True, **settings})


def test_a_folder_of_a_match_holds_no_tournament(tmp_path: Path) -> None:
    play_match("random", "greedy", 2, seed=1, out=tmp_path)

    with pytest.raises(MatchError, match="holds a match, no tournament"):
        play_tournament(FIELD, 2, seed=1, out=tmp_path, resume=True)


def test_games_of_strangers(whole: Path, tmp_path: Path) -> None:
    copied(whole, tmp_path)
    games = tmp_path / "games.basilica"
    games.write_text(games.read_text(encoding="utf-8").replace('"random"', '"planner"'), encoding="utf-8")

    with pytest.raises(MatchError, match=r"holds a game of .*planner"):
        play_tournament(FIELD, 6, out=tmp_path, resume=True)


def test_an_interrupted_tournament_goes_on(whole: Path, tmp_path: Path) -> None:
    def interrupt(progress: Progress[TournamentResult]) -> None:
        if progress.played == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_tournament(FIELD, 6, seed=4, out=tmp_path, progress=interrupt)

    summary = json.loads((tmp_path / "tournament.json").read_text(encoding="utf-8"))
    assert (summary["result"]["stopped"], summary["result"]["games"]) == ("interrupted", 4)
    play_tournament(FIELD, 6, out=tmp_path, resume=True)
    assert games_of(tmp_path) == games_of(whole)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_tournament_killed_20_times_ends_with_the_same_games(tmp_path: Path) -> None:
    uninterrupted, folder = tmp_path / "uninterrupted", tmp_path / "killed"
    play_tournament(FIELD, 34, seed=4, out=uninterrupted)

    def play() -> TournamentResult:
        return play_tournament(FIELD, 34, seed=4, out=folder, resume=True)

    assert kill_often(play, folder / "games.basilica", 20, random.Random(1)) == 20
    result = play()

    assert games_of(folder) == games_of(uninterrupted)
    assert result.games == 102


# --- Charts ---------------------------------------------------------------------------------------


def test_a_chart_shows_every_value_and_stays_inside_its_paper() -> None:
    infinite = Estimate(900.0, 700.0, math.inf)
    panel = Panel("Elo", {"all": [Estimate(0.0, -50.0, 50.0), None, infinite]}, reference=0.0)

    root = ET.fromstring(draw_chart("Title", ["first <&>", "second", "third"], [panel]))

    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Title", "first <&>", "second", "third", "Elo"} <= set(texts)
    circles = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == 2
    width = float(root.attrib["width"])
    for element in root.iter("{http://www.w3.org/2000/svg}line"):
        assert 0 <= float(element.attrib["x1"]) <= float(element.attrib["x2"]) <= width


# --- The command ----------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def command(*more: str) -> list[str]:
    return ["tournament", "random", "greedy", "--games", "4", "--seed", "7", "--workers", "1", *more]


@pytest.mark.usefixtures("elsewhere")
def test_the_command_shows_ratings_and_cross_table(capsys: Out) -> None:
    assert main(command("--anchor", "random=0")) == 0

    shown = capsys.readouterr()
    assert "2 agents, 4 games, seed 7" in shown.out
    assert re.search(r"1 greedy \|\s+\+\d+ .* 4 \|\s+4 \|\s+0 \|\s+0 \|\s+100\.0", shown.out)
    assert re.search(r"2 random \|\s+\+0 \|\s+\+0 \|\s+\+0 \|", shown.out)
    assert "Elo: random is 0." in shown.out
    assert re.search(r"1 greedy \|\s+\| 100\.0 \|", shown.out)
    assert shown.out.isascii()
    assert shown.err == ""


@pytest.mark.usefixtures("elsewhere")
def test_the_command_writes_json(capsys: Out) -> None:
    assert main(command("--json", "--gauntlet")) == 0

    result = json.loads(capsys.readouterr().out)
    assert [standing["agent"] for standing in result["standings"]] == ["greedy", "random"]
    assert result["matches"][0]["games"] == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy",), "expected two or more"),
        (("greedy", "greedy"), "entered twice"),
        (("greedy", "nobody"), "unknown agent 'nobody'"),
        (("greedy", "random", "--anchor", "planner=0"), "'planner=0': expected each of greedy, random"),
        (("greedy", "random", "--anchor", "random=x"), "'random=x'"),
        (("greedy", "random", "--anchor", "random=0", "--anchor", "random=1"), "'random=1'"),
        (("greedy", "random", "--resume"), "--out FOLDER"),
    ],
)
@pytest.mark.usefixtures("elsewhere")
def test_wrong_use(arguments: tuple[str, ...], message: str, capsys: Out) -> None:
    assert main(["tournament", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_an_anchor_may_have_parameters(elsewhere: Path, capsys: Out) -> None:
    spec = f"{AGENTS}:Illegal:answer=667"

    assert main(["tournament", spec, "random", "--games=2", "--workers=1", f"--anchor={spec}=-50"]) == 0

    assert f"{spec} is -50" in capsys.readouterr().out
    assert not list(elsewhere.iterdir())


def test_ctrl_c(tmp_path: Path) -> None:
    field = (f"{AGENTS}:Slow", *FIELD[:2])
    settings = ("--games", "10000", "--workers", "2", "--out", str(tmp_path))
    full = (sys.executable, "-m", "basilica_env.cli", "tournament", *field, *settings)
    with PseudoTerminal(full, COLUMNS="80", PYTHONPATH=str(ROOT)) as terminal:
        assert terminal.wait_for("games/s")
        os.killpg(terminal.process.pid, signal.SIGINT)
        assert terminal.end() == 130
    assert "Traceback" not in terminal.shown
    assert "--resume goes on" in terminal.shown
    assert json.loads((tmp_path / "tournament.json").read_text())["result"]["stopped"] == "interrupted"
    assert games_of(tmp_path)


def test_tile_sets_are_kept_apart(tmp_path: Path) -> None:
    standard = TileSet.standard()
    tiles = tmp_path / "mine.csv"
    tiles.write_text(standard.to_csv().replace("B0,B,disaster,1,0", "B0,B,disaster,0,0"), encoding="utf-8")
    folder = tmp_path / "league"

    result = play_tournament(FIELD[:2], 2, seed=1, tiles=tiles, out=folder)

    assert isinstance(result.matches[0], MatchResult)
    with pytest.raises(MatchError, match=r"with tiles .*'mine'"):
        play_tournament(FIELD[:2], 4, out=folder, resume=True)
