"""The tile-set study (R1.4): variations of a tile set, and what they change."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import signal
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from basilica_env.arena import (
    MatchError,
    Progress,
    StudyResult,
    TournamentResult,
    play_study,
    play_tournament,
)
from basilica_env.arena.effects import QUANTITIES, Effect, mean_difference
from basilica_env.arena.scoreboard import MatchResult
from basilica_env.arena.statistics import Estimate
from basilica_env.arena.study import AGENTS, VariationResult
from basilica_env.arena.variations import ASPECTS, PAID, Variation, variations
from basilica_env.arena.verdict import study_chart, verdict
from basilica_env.cli import main
from basilica_env.cli import study as command
from basilica_env.core.layout import ORDER_NAMES
from basilica_env.core.tiles import TileSet
from basilica_env.records import read_records
from tests.pseudo_terminal import PseudoTerminal

ROOT = Path(__file__).parent.parent
STANDARD = TileSet.standard()
FIELD = ("random", "greedy")

Out = pytest.CaptureFixture[str]


# --- Variations -----------------------------------------------------------------------------------


def varied(aspect: str, seed: int = 1) -> dict[str, TileSet]:
    base, *others = variations(STANDARD, seed, [aspect])
    assert base.tiles == STANDARD
    assert all(other.aspect == aspect and other.tiles.name == other.name for other in others)
    return {other.name: other.tiles for other in others}


def icons(tiles: TileSet) -> dict[str, int]:
    return dict(Counter(order for order, coin in zip(tiles.orders, tiles.coins, strict=True) if coin))


@pytest.mark.parametrize("seed", range(3))
def test_every_variation_is_a_sound_tile_set_of_its_own(seed: int) -> None:
    found = variations(STANDARD, seed)

    for variation in found:
        tiles = variation.tiles
        assert TileSet.parse(tiles.to_csv().encode(), tiles.name) == tiles
        assert (tiles.codes, tiles.colours) == (STANDARD.codes, STANDARD.colours)
    assert len({variation.tiles.digest for variation in found}) == len(found) == 20
    assert {variation.aspect for variation in found} == {"", *ASPECTS}


def test_spreading_keeps_the_numbers() -> None:
    for tiles in varied("spread").values():
        assert Counter(tiles.orders) == Counter(STANDARD.orders)
        assert icons(tiles) == icons(STANDARD)
        assert sum(tiles.crowns) == sum(STANDARD.crowns)
        assert tiles.orders != STANDARD.orders
        assert tiles.crowns != STANDARD.crowns


def test_fewer_and_more_crowns() -> None:
    found = varied("crowns")

    assert {name: sum(tiles.crowns) for name, tiles in found.items()} == {
        f"crowns-{number}": number for number in (24, 30, 42, 48)
    }
    nested = [found["crowns-24"], found["crowns-30"], STANDARD, found["crowns-42"], found["crowns-48"]]
    crowned = [{tile for tile, crown in enumerate(tiles.crowns) if crown} for tiles in nested]
    assert all(fewer < more for fewer, more in pairwise(crowned))
    assert all((tiles.orders, tiles.coins) == (STANDARD.orders, STANDARD.coins) for tiles in found.values())


def test_more_of_an_order() -> None:
    before = Counter(STANDARD.orders)
    for order, tiles in zip(ORDER_NAMES, varied("orders").values(), strict=True):
        expected = {name: before[name] + (6 if name == order else -1) for name in ORDER_NAMES}
        assert Counter(tiles.orders) == expected
        assert icons(tiles) == {name: expected[name] for name in PAID}
        assert tiles.crowns == STANDARD.crowns
        assert tiles.name == f"more-{order}"


def test_fewer_coin_icons() -> None:
    found = varied("coins")

    all_icons = icons(STANDARD)
    assert {name: icons(tiles) for name, tiles in found.items()} == {
        "coins-none": {},
        **{f"coins-{order}": {order: all_icons[order]} for order in PAID},
        "coins-half": {order: number // 2 for order, number in all_icons.items()},
    }
    assert all((tiles.orders, tiles.crowns) == (STANDARD.orders, STANDARD.crowns) for tiles in found.values())


def test_variations_depend_on_the_seed_alone() -> None:
    assert variations(STANDARD, 5) == variations(STANDARD, 5)
    assert varied("spread", 5) != varied("spread", 6)
    some = {variation.name: variation for variation in variations(STANDARD, 5)}
    assert all(some[variation.name] == variation for variation in variations(STANDARD, 5, ["coins"]))


def test_an_unknown_aspect() -> None:
    with pytest.raises(ValueError, match="'colours': expected some of spread, crowns, orders, coins"):
        variations(STANDARD, 1, ["colours"])


# --- Differences ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("is_share", "scale"), [(False, 10.0), (True, 0.5)])
def test_the_interval_of_a_difference_holds_the_truth_as_often_as_it_says(
    is_share: bool, scale: float
) -> None:
    rng = np.random.default_rng(1)
    values = scale * rng.choice([-1, 0, 1], (1000, 40), p=[0.1, 0.6, 0.3])

    inside = 0
    for sample in values:
        estimate = mean_difference(sample, 0.95, is_share)
        assert estimate.value == pytest.approx(sample.mean())
        inside += estimate.low <= 0.2 * scale <= estimate.high

    assert 0.93 < inside / 1000 < 0.99


def test_a_share_that_never_differs_still_has_an_interval() -> None:
    low, high = mean_difference(np.zeros(20), 0.95, is_share=True)[1:]

    assert -0.2 < low < 0 < high < 0.2
    assert mean_difference(np.ones(20), 0.95, is_share=True).high == 1
    assert mean_difference(np.zeros(1), 0.95, is_share=True) == (0, -1, 1)
    assert mean_difference(np.zeros(0), 0.95, is_share=False) == (0, -math.inf, math.inf)


# --- What it says ---------------------------------------------------------------------------------


def found(name: str, aspect: str, pairs: Sequence[int], effects: Sequence[Effect]) -> VariationResult:
    one, two, three, four, five = pairs
    match = MatchResult(("a", "b"), 1, pairs=(one, two, three, four, five))
    tournament = TournamentResult(("a", "b"), 1, (match,))
    names = (quantity.name for quantity in QUANTITIES)
    return VariationResult(
        Variation(name, aspect, "", STANDARD), tournament, dict(zip(names, effects, strict=True))
    )


def effect(value: float, difference: tuple[float, float, float] | None = None) -> Effect:
    return Effect(
        Estimate(value, value - 0.1, value + 0.1), None if difference is None else Estimate(*difference)
    )


def test_the_verdict_names_what_surely_changes() -> None:
    nothing = (0.01, -0.06, 0.08)
    result = StudyResult(
        1,
        (
            found("standard", "", (0, 5, 20, 30, 20), [effect(0.5), effect(30), effect(0.6)]),
            found(
                "few",
                "crowns",
                (20, 30, 20, 5, 0),
                [effect(0.5, nothing), effect(35, (5, 3, 7)), effect(0.9, (0.3, 0.1, 0.5))],
            ),
            found(
                "none",
                "coins",
                (5, 16, 30, 15, 5),
                [effect(0.5, nothing), effect(28, (-2, -3, -1)), effect(0.6, nothing)],
            ),
        ),
    )

    ranking, first, turns, exhaustion, matters = verdict(result)

    assert ranking == (
        "Ranking: a, b with standard. It surely changes with few. "
        "It looks different with none, but that may be chance."
    )
    assert first.endswith("No variation surely changes it, none by more than 8.0 percentage points.")
    assert turns.endswith("It surely changes with 2 of 2 variations: few (+5.0), none (-2.0).")
    assert "60.0 % (50.0 to 70.0) with standard" in exhaustion
    assert exhaustion.endswith("It surely changes with 1 of 2 variations: few (+30.0).")
    assert matters == (
        "What matters: crowns for the ranking and the length and how games end; coins for the length."
    )


def test_the_verdict_on_a_study_without_findings() -> None:
    nothing = [effect(0.5, (0, -0.1, 0.1)), effect(30, (0, -1, 1)), effect(0.5, (0, -0.1, 0.1))]
    result = StudyResult(
        1,
        (
            found("standard", "", (0, 5, 20, 30, 20), [effect(0.5), effect(30), effect(0.5)]),
            found("half", "coins", (0, 5, 20, 30, 20), nothing),
        ),
    )

    sentences = verdict(result)

    assert "It is the same with the variation." in sentences[0]
    assert sentences[-1] == "What matters: coins for nothing that these games could show."


# --- Studies --------------------------------------------------------------------------------------


def records_of(folder: Path) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Give the moves of all games of a study, by tile set, players and pair."""
    games = {}
    for file in sorted(folder.glob("*/games.basilica")):
        tiles = TileSet.load(folder / "tiles" / f"{file.parent.name}.csv")
        for record in read_records(file, [tiles]):
            moves = tuple(move.move for move in record.moves)
            games[(file.parent.name, *record.players, record.headers["Pair"])] = (record.position, *moves)
    return games


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    play_study(FIELD, 8, out=folder, aspects=["crowns"], seed=3)
    return folder


def copied(whole: Path, folder: Path) -> Path:
    for path in whole.rglob("*"):
        if path.is_file():
            target = folder / path.relative_to(whole)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
    return folder


def test_all_tile_sets_have_the_same_shuffles(whole: Path) -> None:
    games = records_of(whole)

    assert len(games) == 5 * 8
    stacks = {key[1:]: game[0].replace(" main ", " ") for key, game in games.items() if key[0] == "standard"}
    for key, game in games.items():
        assert game[0].replace(" main ", " ") == stacks[key[1:]]  # crowns are not in a position


def test_a_study_plays_tournaments(whole: Path, tmp_path: Path) -> None:
    play_tournament(FIELD, 8, seed=3, out=tmp_path)

    alone = {
        tuple(move.move for move in record.moves) for record in read_records(tmp_path / "games.basilica")
    }
    assert alone == {game[1:] for key, game in records_of(whole).items() if key[0] == "standard"}
    assert (whole / "crowns-24" / "ratings.csv").is_file()


def test_fewer_crowns_make_games_longer(tmp_path: Path) -> None:
    result = play_study(FIELD, 40, out=tmp_path, aspects=["crowns"], seed=3)

    turns = {variation.name: variation.effects["turns"] for variation in result.results}
    assert turns["standard"].difference is None
    low, high = turns["crowns-24"].difference, turns["crowns-48"].difference
    assert low is not None
    assert high is not None
    assert turns["crowns-24"].is_sure
    assert low.low > 0 > high.value
    assert low.value == pytest.approx(turns["crowns-24"].value.value - turns["standard"].value.value)
    assert any("Turns in a game" in line and "crowns-24 (+" in line for line in verdict(result))
    assert result.games == 200


def test_the_files(whole: Path) -> None:
    result = play_study(FIELD, 8, out=whole, aspects=["crowns"], resume=True)

    summary = json.loads((whole / "study.json").read_text(encoding="utf-8"))
    assert summary["agents"] == list(FIELD)
    assert summary["seed"] == 3
    assert summary["result"] == json.loads(json.dumps(result.to_json()))
    rows = list(csv.DictReader((whole / "study.csv").open(encoding="utf-8")))
    assert len(rows) == 5 * (2 + 3)
    turns = {row["tiles"]: row for row in rows if row["subject"] == "turns"}
    assert turns["standard"]["difference"] == ""
    assert float(turns["crowns-24"]["difference"]) == pytest.approx(
        float(turns["crowns-24"]["value"]) - float(turns["standard"]["value"])
    )
    root = ET.parse(whole / "study.svg").getroot()
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"standard", "crowns-48", "Turns in a game", "random"} <= texts
    assert ET.fromstring(study_chart(result, dark=True)).attrib["role"] == "img"


def test_an_interrupted_study_goes_on(whole: Path, tmp_path: Path) -> None:
    def interrupt(progress: Progress[int]) -> None:
        if progress.played == 13:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_study(FIELD, 8, out=tmp_path, aspects=["crowns"], seed=3, progress=interrupt)
    assert len(records_of(tmp_path)) == 13
    assert {key[0] for key in records_of(tmp_path)} == {
        "standard",
        "crowns-24",
        "crowns-30",
        "crowns-42",
        "crowns-48",
    }

    play_study(FIELD, 8, out=tmp_path, aspects=["crowns"], resume=True)

    assert records_of(tmp_path) == records_of(whole)


def test_another_study_does_not_go_on(whole: Path, tmp_path: Path) -> None:
    copied(whole, tmp_path)

    with pytest.raises(MatchError, match="holds a study: go on with it"):
        play_study(FIELD, 8, out=tmp_path, aspects=["crowns"], seed=3)
    with pytest.raises(MatchError, match=r"a study with aspects \['crowns'\]"):
        play_study(FIELD, 8, out=tmp_path, resume=True)
    with pytest.raises(MatchError, match="with seed 3: give the same to go on, not 4"):
        play_study(FIELD, 8, out=tmp_path, aspects=["crowns"], seed=4, resume=True)
    (tmp_path / "study.json").write_text("{", encoding="utf-8")
    with pytest.raises(MatchError, match="not JSON"):
        play_study(FIELD, 8, out=tmp_path, aspects=["crowns"], resume=True)


# --- The command ----------------------------------------------------------------------------------


def test_the_command_knows_the_aspects_and_the_agents() -> None:
    assert command.ASPECTS == ASPECTS
    assert command.AGENTS == AGENTS


def test_the_command(tmp_path: Path, capsys: Out) -> None:
    arguments = ["study", "tiles", "--agents", *FIELD, "--games", "4", "--vary", "coins", "--seed", "1"]
    arguments += ["--workers", "1", "--out", str(tmp_path / "study")]

    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "6 tile sets, 24 games, seed 1" in shown
    assert re.search(r"coins-none +\| +[12] [12] ", shown)
    assert "- Ranking: " in shown
    assert "- What matters: coins for " in shown

    assert main([*arguments, "--resume", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 24
    assert main(arguments) == 1
    assert "holds a study" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agents", "random"], "expected two or more"),
        (["--agents", "random", "nobody"], "unknown agent"),
        (["--agents", "random", "random"], "entered twice"),
    ],
)
def test_wrong_use(arguments: list[str], message: str, tmp_path: Path, capsys: Out) -> None:
    assert main(["study", "tiles", "--out", str(tmp_path / "study"), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_tile_set_with_a_fault(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "mine.csv").write_text("code\n", encoding="utf-8")

    assert (
        main(["study", "tiles", "--out", str(tmp_path / "study"), "--tiles", str(tmp_path / "mine.csv")]) == 1
    )
    assert "missing column" in capsys.readouterr().err


def test_ctrl_c(tmp_path: Path) -> None:
    settings = ("--agents", *FIELD, "--games", "10000", "--workers", "2", "--out", str(tmp_path / "study"))
    full = (sys.executable, "-m", "basilica_env.cli", "study", "tiles", *settings)
    with PseudoTerminal(full, COLUMNS="80", PYTHONPATH=str(ROOT)) as terminal:
        assert terminal.wait_for("games/s")
        os.killpg(terminal.process.pid, signal.SIGINT)
        assert terminal.end() == 130
    assert "Traceback" not in terminal.shown
    assert "--resume goes on" in terminal.shown
    assert "games of some" in terminal.shown
    assert records_of(tmp_path / "study")
