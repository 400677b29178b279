"""Data sets: the tables say what happened in the games, and files are whole, versioned and resumed."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow
import pytest
from pyarrow import parquet

from basilica_env import GameState
from basilica_env.arena import BuildProgress, Dataset, DatasetError, build_dataset, play_match
from basilica_env.arena import part as parts
from basilica_env.arena.schema import FORMAT, TABLES, arrow_schema
from basilica_env.cli import main
from basilica_env.core.layout import ORDER_NAMES
from basilica_env.game import Area
from basilica_env.records import GameRecord, Recorder, RecordError, read_records, scan_records, write_records
from tests.golden import GOLDEN
from tests.positions import STANDARD, position

DOCS = Path(__file__).parent.parent / "docs"
NAMES = [golden.name for golden in GOLDEN]

Rows = list[dict[str, Any]]


def golden_record(number: int) -> GameRecord:
    """Record a golden game, which between them meet every clause; the clock tells the number of the move."""
    golden = GOLDEN[number]
    recorder = Recorder(
        GameState.new(golden.seed),
        ("first", "second"),
        golden.seed,
        headers={"Pair": str(number), "Event": "x"},
    )
    moves = re.findall("^move (.*)$", golden.path.read_text(encoding="utf-8"), re.MULTILINE)
    for count, move in enumerate(moves, 1):
        recorder.play(move, count / 1000)
    return recorder.record()


@pytest.fixture(scope="module")
def records() -> list[GameRecord]:
    return [golden_record(number) for number in range(len(GOLDEN))]


@pytest.fixture(scope="module")
def data(records: list[GameRecord], tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("data")
    write_records(folder / "golden.basilica", records)
    return build_dataset([folder / "golden.basilica"], folder / "tables")


def rows(data: Dataset, table: str, game: int) -> Rows:
    return data.table(table).filter(pl.col("game") == game).collect().to_dicts()


# --- What the tables say --------------------------------------------------------------------------


def test_a_game_is_what_its_record_says(records: list[GameRecord], data: Dataset) -> None:
    games = data.table("games").collect().to_dicts()

    assert data.games == len(games) == len(records)
    for number, (row, record) in enumerate(zip(games, records, strict=True)):
        assert (row["game"], row["source"], row["record"]) == (number, "golden.basilica", number + 1)
        assert (row["agent_0"], row["agent_1"]) == record.players
        assert (row["seed"], row["date"]) == (str(record.seed), None)
        assert (row["result"], row["termination"]) == (record.result, record.termination)
        assert (row["score_0"], row["score_1"]) == record.scores
        assert row["winner"] == {"1-0": 0, "0-1": 1}.get(record.result)
        assert row["tiles_digest"] == STANDARD.digest
        assert row["pair"] == number
        assert row["dealt"]
        assert row["finished"]
        last = list(record.replay())[-1]
        assert (row["king"], row["reshuffled"]) == (last.king, last.was_reshuffled)


def test_the_other_headers_are_kept(data: Dataset) -> None:
    headers = parquet.read_table(data.path / "games" / "00000.parquet")["headers"].to_pylist()

    assert headers == [[("Pair", str(number)), ("Event", "x")] for number in range(len(GOLDEN))]


def test_an_unfinished_game_and_one_from_a_position(tmp_path: Path) -> None:
    begun = Recorder(GameState.new(1), headers={"Pair": "many"})
    begun.play(begun.state.legal_moves()[0])
    later = Recorder(GameState.from_text(position("R2 . . . .", orders="R0 R1 Y0", vaults="G9 Y1 B0")))
    write_records(tmp_path / "games.basilica", [begun.record(), later.record("time", "0-1")])

    games = build_dataset([tmp_path], tmp_path / "tables").table("games").collect().to_dicts()

    assert [row["dealt"] for row in games] == [True, False]
    assert [row["finished"] for row in games] == [False, False]
    assert [row["winner"] for row in games] == [None, None]
    assert [row["pair"] for row in games] == [None, None]
    assert [row["decisions"] for row in games] == [1, 0]
    assert [row["turns"] for row in games] == [1, 0]


@pytest.mark.parametrize("number", range(len(GOLDEN)), ids=NAMES)
def test_decisions_are_those_of_the_record(records: list[GameRecord], data: Dataset, number: int) -> None:
    found = rows(data, "decisions", number)

    assert [row["move"] for row in found] == [move.move for move in records[number].moves]
    state = records[number].initial()
    for count, (row, after) in enumerate(zip(found, records[number].replay(), strict=True), 1):
        assert row["decision"] == count
        assert row["seconds"] == pytest.approx(count / 1000)
        assert row["agent"] == ("first", "second")[row["player"]]
        assert row["player"] == state.player
        assert row["legal"] == len(state.legal_moves())
        assert row["action"] == state.action_of(row["move"])
        assert row["king"] == state.king
        assert kind_of(state.decision) == row["kind"]
        check_subject(row, state)
        check_orders(row, state, after)
        state = after


def kind_of(decision: str) -> str:
    """Return a decision without space, square and rank."""
    name, *rest = decision.partition("@")[0].split(":")
    return f"scaffold:{rest[1]}" if name == "scaffold" else name


def check_subject(row: dict[str, Any], state: GameState) -> None:
    """Check which space, square, rank and tile a decision is about."""
    move, view = row["move"], state.view()
    vault = re.fullmatch("V(.)(.*)", move)
    step = re.fullmatch("(..+)-(.+)", move)
    promotion = re.fullmatch("(..+)=(.)", move)
    order = re.fullmatch("O(.)", move)
    if vault:
        assert (row["space"], row["square"]) == (int(vault[1]), vault[2])
        assert row["tile"] == view.vaults[row["space"] - 1]
    elif step:
        assert (row["square"], row["target"]) == step.groups()
    elif promotion:
        assert (row["square"], row["rank"]) == promotion.groups()
    elif order:
        assert row["space"] == int(order[1])
    elif move == "B":
        assert row["square"] == state.decision.partition("@")[2]
    elif move not in ("pay", "pass", "redraw"):
        assert row["square"] == move
    assert (row["target"] is not None) == bool(step)
    assert (row["rank"] is not None) == bool(promotion)


def check_orders(row: dict[str, Any], state: GameState, after: GameState) -> None:
    """Check the order that is executed or chosen for, the one that is denied, and those that are possible."""
    view = state.view()
    by_code = dict(zip(STANDARD.codes, STANDARD.orders, strict=True))
    lying = [by_code[code] for code in view.orders if code is not None]
    about = re.search(r":(\d)", state.decision) or re.fullmatch(r"O(\d)", row["move"])
    if about:
        assert row["tile"] == view.orders[int(about[1]) - 1]
        assert row["order_name"] == lying[int(about[1]) - 1]
    else:
        assert row["order_name"] is None
    flipped = row["move"].startswith("V") and not (after.is_over and after.king == 30)
    assert row["denied"] == (lying[row["space"] - 1] if flipped else None)
    possible = {lying[int(move[1]) - 1] for move in state.legal_moves() if move.startswith("O")}
    assert {name for k, name in enumerate(ORDER_NAMES) if row["executable"] >> k & 1} == possible


@pytest.mark.parametrize("number", range(len(GOLDEN)), ids=NAMES)
def test_turns_add_up_decisions(records: list[GameRecord], data: Dataset, number: int) -> None:
    turns, decisions = rows(data, "turns", number), rows(data, "decisions", number)
    states = [records[number].initial(), *records[number].replay()]

    assert [row["turn"] for row in turns] == list(range(1, len(turns) + 1))
    for row in turns:
        mine = [other for other in decisions if other["turn"] == row["turn"]]
        before = states[mine[0]["decision"] - 1]
        assert (row["player"], row["king"]) == (before.turn, before.king)
        assert (row["score_0"], row["score_1"]) == before.scores
        assert (row["now_0"], row["now_1"]) == points(before.areas())
        assert row["decisions"] == len(mine)
        for name, start in (("vaults", "V"), ("builders", "B"), ("orders", "O"), ("redraws", "r")):
            assert row[name] == sum(other["move"].startswith(start) for other in mine)
        spent = [other["seconds"] for other in mine if other["player"] == row["player"]]
        assert row["seconds"] == pytest.approx(sum(spent))
        assert row["scoring"] == next((other["scoring"] for other in mine if other["scoring"]), None)


def points(areas: list[Area]) -> tuple[int, int]:
    first, second = (sum(area.points[player] for area in areas) for player in (0, 1))
    return first, second


@pytest.mark.parametrize("number", range(len(GOLDEN)), ids=NAMES)
def test_areas_are_those_that_the_scorings_counted(
    records: list[GameRecord], data: Dataset, number: int
) -> None:
    found = rows(data, "areas", number)
    state, scoring = records[number].initial(), 0
    for count, (move, after) in enumerate(
        zip(records[number].moves, records[number].replay(), strict=True), 1
    ):
        areas = state.scoring_of(move.move)
        if areas is not None:
            scoring += 1
            mine = [row for row in found if row["scoring"] == scoring and row["colour"]]
            assert {row["decision"] for row in mine} == {count}
            assert {row["player"] for row in mine} == {state.turn}
            assert {(row["score_0"], row["score_1"]) for row in mine} == {state.scores}
            assert [in_words(row) for row in mine] == [as_row(area) for area in areas]
            for row in mine:
                check_split(row)
        if after.is_over and state.king != after.king and after.king in (10, 20):
            scoring += 1  # the exhausted stack's own scoring finds no builders (R7.2)
            mine = [row for row in found if row["scoring"] == scoring]
            assert {row["cause"] for row in mine} <= {"exhaustion"}
            assert sum(row["points_0"] + row["points_1"] + row["builders_0"] for row in mine) == 0
        state = after
    assert sum(row["points_0"] for row in found) == state.scores[0]
    assert sum(row["points_1"] for row in found) == state.scores[1]
    assert max(row["scoring"] for row in found) == scoring == rows(data, "games", number)[0]["scorings"]


def in_words(row: dict[str, Any]) -> dict[str, Any]:
    names = ("colour", "squares", "size", "strength_0", "strength_1", "architect", "glass", "majority")
    return {name: row[name] for name in (*names, "points_0", "points_1", "strongmen_0", "builders_1")}


def as_row(area: Area) -> dict[str, Any]:
    squares = sum(1 << 5 * (int(name[1:]) - 1) + "abcde".index(name[0]) for name in area.squares)
    return {
        "colour": area.colour,
        "squares": squares,
        "size": area.size,
        "strength_0": area.strength[0],
        "strength_1": area.strength[1],
        "architect": area.architect,
        "glass": area.glass,
        "majority": area.majority,
        "points_0": area.points[0],
        "points_1": area.points[1],
        "strongmen_0": area.strongmen[0],
        "builders_1": area.builders[1],
    }


def check_split(row: dict[str, Any]) -> None:
    split = [row[f"{name}_points"] for name in ("tile", "architect", "glass", "minority")]
    if row["majority"] is None:
        assert split == [0, 0, 0, 0]
    else:
        assert sum(split[:3]) == row[f"points_{row['majority']}"]
        assert split[3] == row[f"points_{1 - row['majority']}"]


def scored(tmp_path: Path, board: str) -> Rows:
    """Return the areas of a third scoring, by G9 on e1, which scores nothing, of a board."""
    start = position(board, orders="R0 R1 Y0", vaults="G9 Y1 B0", king=29, reshuffled=1)
    recorder = Recorder(GameState.from_text(start))
    recorder.play("V1e1")
    write_records(tmp_path / "games.basilica", [recorder.record()])
    return rows(build_dataset([tmp_path], tmp_path / "tables"), "areas", 0)


def test_points_are_split_by_what_they_are_for(tmp_path: Path) -> None:
    # R8.4: three tiles, doubled by an Architect, two more for glass; the other player's two builders.
    found = scored(tmp_path, "R2*+0A R6+1 R9+1 . .\nR3+0M R4+0 . . .")
    (area,) = (row for row in found if row["colour"] == "R")

    assert (area["tile_points"], area["architect_points"], area["glass_points"]) == (5, 5, 2)
    assert (area["minority_points"], area["points_0"], area["points_1"]) == (2, 12, 2)
    assert (area["majority"], area["by_strongmen"], area["cause"]) == (0, False, "king")


def test_a_tie_that_strongmen_break(tmp_path: Path) -> None:
    # R8.3: equal strength, one Strongman more.
    (area,) = (row for row in scored(tmp_path, "R2+0 R6+1S . . .") if row["colour"] == "R")

    assert (area["majority"], area["by_strongmen"]) == (1, True)
    assert (area["tile_points"], area["minority_points"]) == (2, 1)


def test_wasted_builders_add_up(tmp_path: Path) -> None:
    # Red a1 b1 is tied (R8.3), and both builders are wasted; Y0's gains its yellow tile alone.
    # The wild tile of a2 touches nothing of its colours: it is no area (R8.2), and its builder is outside.
    found = scored(tmp_path, "BG0+0 . . . .\nR2+0 R6+1 Y2+1 . .")
    red, yellow, outside = (
        next(row for row in found if row["colour"] == colour) for colour in ("R", "Y", None)
    )

    assert (red["wasted_0"], red["wasted_1"], red["points_0"]) == (1, 1, 0)
    assert (yellow["wasted_0"], yellow["wasted_1"], yellow["points_1"]) == (0, 0, 1)
    assert (outside["wasted_0"], outside["builders_0"], outside["size"]) == (1, 1, 1)
    assert (outside["squares"], outside["points_0"], outside["majority"]) == (1 << 5, 0, None)
    assert sum(row["wasted_0"] + row["wasted_1"] for row in found) == 3


def test_a_builder_wasted_in_two_areas_is_one(tmp_path: Path) -> None:
    # RY0 is tied in red (with a1) and in yellow (with c1).
    found = scored(tmp_path, "R6+1 RY0+0 Y2+1 . .")

    assert sum(row["wasted_0"] for row in found) == 1
    assert sum(row["wasted_1"] for row in found) == 2


# --- Files ----------------------------------------------------------------------------------------


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a part be one or two games."""
    monkeypatch.setattr(parts, "PART_BYTES", 3000)


@pytest.fixture
def source(records: list[GameRecord], tmp_path: Path) -> Path:
    folder = tmp_path / "league"
    folder.mkdir()
    write_records(folder / "games.basilica", records)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.usefixtures("small_parts")
def test_parts_have_whole_games_numbered_through(
    source: Path, records: list[GameRecord], tmp_path: Path
) -> None:
    data = build_dataset([source], tmp_path / "tables")
    games = data.table("games").collect()

    assert len(data.parts) > 2
    assert games["game"].to_list() == games.with_row_index()["index"].to_list()
    assert games["record"].to_list() == list(range(1, len(records) + 1))
    assert [data.record(number) for number in range(len(records))] == records
    with pytest.raises(DatasetError, match="no game 7"):
        data.record(7)


@pytest.mark.usefixtures("small_parts")
def test_what_is_written_is_the_same_however_it_came_about(source: Path, tmp_path: Path) -> None:
    whole, interrupted = tmp_path / "whole", tmp_path / "interrupted"
    build_dataset([source], whole)

    def stop(progress: BuildProgress) -> None:
        if progress.read:
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            build_dataset([source], interrupted, progress=stop)
        with pytest.raises(DatasetError, match="unfinished"):
            Dataset(interrupted)
    build_dataset([source], interrupted)

    assert contents(interrupted) == contents(whole)


def test_processes_write_the_same(source: Path, tmp_path: Path) -> None:
    shutil.copy(source / "games.basilica", source / "more.basilica")
    build_dataset([source], tmp_path / "one")
    build_dataset([source], tmp_path / "two", workers=2)

    assert contents(tmp_path / "two") == contents(tmp_path / "one")


@pytest.mark.usefixtures("small_parts")
def test_a_second_run_reads_only_what_is_new(source: Path, records: list[GameRecord], tmp_path: Path) -> None:
    build_dataset([source], tmp_path / "tables")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "tables").rglob("*.parquet")}
    reports: list[BuildProgress] = []

    build_dataset([source], tmp_path / "tables", progress=reports.append)

    assert [report.read for report in reports] == [0]
    write_records(source / "games.basilica", [*records, records[0]])
    data = build_dataset([source], tmp_path / "tables", progress=reports.append)
    assert data.games == len(records) + 1
    assert reports[-1].games == reports[-1].total == data.games
    assert 0 < reports[-1].read < data.games
    first = tmp_path / "tables" / "games" / "00000.parquet"
    assert first.stat().st_mtime_ns == before[first]


@pytest.mark.usefixtures("small_parts")
def test_a_shorter_source_leaves_no_old_part(source: Path, records: list[GameRecord], tmp_path: Path) -> None:
    build_dataset([source], tmp_path / "tables")
    write_records(source / "games.basilica", records[:1])
    build_dataset([source], tmp_path / "tables")
    fresh = build_dataset([source], tmp_path / "fresh")

    assert fresh.games == 1
    assert contents(tmp_path / "tables") == contents(tmp_path / "fresh")


def test_sources_in_folders_are_told_apart(source: Path) -> None:
    deeper = source / "deeper"
    deeper.mkdir()
    shutil.copy(source / "games.basilica", deeper / "games.basilica")

    data = build_dataset([source, deeper / "games.basilica"], source / "tables")

    found = data.table("games").group_by("source").len().sort("source").collect().rows()
    assert found == [("deeper/games.basilica", 7), ("games.basilica", 7)]
    assert data.table("games").collect()["game"].to_list() == list(range(14))


def test_a_folder_with_something_else_is_left_alone(source: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(DatasetError, match="not empty and holds no data set"):
        build_dataset([source], tmp_path / "mine")
    build_dataset([source], tmp_path / "tables")
    (source / "games.basilica").rename(source / "other.basilica")
    with pytest.raises(DatasetError, match=r"with games\.basilica, which is not among the sources"):
        build_dataset([source], tmp_path / "tables")


def test_sources_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no file of records"):
        build_dataset([tmp_path], tmp_path / "tables")
    with pytest.raises(FileNotFoundError):
        build_dataset([tmp_path / "none.basilica"], tmp_path / "tables")
    with pytest.raises(ValueError, match="workers 0"):
        build_dataset([tmp_path], tmp_path / "tables", workers=0)


def test_other_tile_sets_are_told_by_their_digest(tmp_path: Path) -> None:
    other = replace(STANDARD, name="other", crowns=STANDARD.crowns[::-1])
    recorders = [Recorder(GameState.new(3, tiles)) for tiles in (STANDARD, other)]
    write_records(tmp_path / "games.basilica", [recorder.record() for recorder in recorders])
    with pytest.raises(RecordError, match="unknown tile set"):
        build_dataset([tmp_path], tmp_path / "tables")

    data = build_dataset([tmp_path], tmp_path / "tables", tiles=[other])

    assert data.table("games").collect()["tiles"].to_list() == ["standard", "other"]
    assert data.record(1, [other]).tiles == other


# --- Damage ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_parts")
def test_a_damaged_record_is_named_by_its_line_in_the_whole_file(source: Path, tmp_path: Path) -> None:
    path = source / "games.basilica"
    text = path.read_text(encoding="utf-8")
    place = text.rindex("\n30.")
    path.write_text(text[:place] + "\n29." + text[place + 4 :], encoding="utf-8", newline="\n")
    (fault,) = damaged_records(path)

    with pytest.raises(RecordError) as caught:
        build_dataset([source], tmp_path / "tables")
    assert (caught.value.line, caught.value.game, caught.value.reason) == (
        fault.line,
        fault.game,
        fault.reason,
    )
    assert str(path) in str(caught.value)

    data = build_dataset([source], tmp_path / "tables", skip_damaged=True)
    assert (data.games, data.damaged) == (6, (str(caught.value),))
    assert build_dataset([source], tmp_path / "tables", skip_damaged=True).damaged == data.damaged
    with pytest.raises(RecordError):
        build_dataset([source], tmp_path / "tables")


def damaged_records(path: Path) -> list[RecordError]:
    return [found for found in scan_records(path) if isinstance(found, RecordError)]


@pytest.mark.parametrize("blank", [b"", b"\n \n"])
def test_files_without_a_game_leave_nothing(tmp_path: Path, blank: bytes) -> None:
    (tmp_path / "games.basilica").write_bytes(blank)

    with pytest.raises(DatasetError, match=r"games\.basilica: no game in it$"):
        build_dataset([tmp_path], tmp_path / "tables")

    assert not (tmp_path / "tables").exists()


@pytest.mark.parametrize("skip_damaged", [False, True])
def test_a_data_set_without_games_makes_room_for_others(
    source: Path, tmp_path: Path, skip_damaged: bool
) -> None:
    bad = tmp_path / "bad.basilica"
    bad.write_text("1-0 3:4\n")
    if skip_damaged:
        assert build_dataset([bad], tmp_path / "tables", skip_damaged=True).games == 0
    else:
        with pytest.raises(RecordError):
            build_dataset([bad], tmp_path / "tables")

    assert build_dataset([source], tmp_path / "tables").games > 0


@pytest.mark.parametrize("summary", [None, "{", '{"format": "basilica dataset 0"}'])
def test_a_data_set_is_replaced_only_on_demand(source: Path, tmp_path: Path, summary: str | None) -> None:
    build_dataset([source], tmp_path / "tables")
    if summary is not None:
        (tmp_path / "tables" / "dataset.json").write_text(summary)
    (source / "games.basilica").rename(source / "renamed.basilica")

    with pytest.raises(DatasetError):
        build_dataset([source], tmp_path / "tables")
    data = build_dataset([source], tmp_path / "tables", replace=True)

    assert set(data.table("games").collect()["source"]) == {"renamed.basilica"}
    Dataset(tmp_path / "tables")


@pytest.mark.parametrize("rubbish", [b"\0" * 100, b"[Format ", b"1-0 3:4\n" * 50, b"\xff\xfe\n\n"])
def test_files_that_hold_no_records(tmp_path: Path, rubbish: bytes) -> None:
    (tmp_path / "games.basilica").write_bytes(rubbish)
    with pytest.raises(RecordError, match=r"games\.basilica, line 1, game 1"):
        build_dataset([tmp_path], tmp_path / "tables")


Damage = Callable[[Path], object]


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[60] ^= 4
    path.write_bytes(content)


def say_another_version(path: Path) -> None:
    table = parquet.read_table(path)
    metadata = {b"basilica": json.dumps({"format": "basilica dataset 2"}), b"basilica damaged": "[]"}
    parquet.write_table(table.replace_schema_metadata(metadata), path)


def be_somebody_elses(path: Path) -> None:
    parquet.write_table(pyarrow.table({"a": [1]}), path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut_off, r"turns/00000\.parquet: damaged, no whole Parquet file"),
        (say_another_version, "format 'basilica dataset 2': expected 'basilica dataset 1'"),
        (be_somebody_elses, "a Parquet file, but of no data set of games"),
    ],
)
def test_a_damaged_table_is_named_and_made_again(
    source: Path, tmp_path: Path, damage: Damage, message: str
) -> None:
    whole = contents(build_dataset([source], tmp_path / "tables").path)
    damage(tmp_path / "tables" / "turns" / "00000.parquet")

    with pytest.raises(DatasetError, match=message):
        Dataset(tmp_path / "tables")

    build_dataset([source], tmp_path / "tables")
    assert contents(tmp_path / "tables") == whole


def test_a_missing_table_is_named(source: Path, tmp_path: Path) -> None:
    build_dataset([source], tmp_path / "tables")
    (tmp_path / "tables" / "areas" / "00000.parquet").unlink()

    with pytest.raises(FileNotFoundError, match=r"00000\.parquet"):
        Dataset(tmp_path / "tables")


def test_a_flipped_bit_is_found_by_its_checksum(source: Path, tmp_path: Path) -> None:
    data = build_dataset([source], tmp_path / "tables")
    data.verify()
    flip_a_bit(tmp_path / "tables" / "decisions" / "00000.parquet")

    with pytest.raises(DatasetError, match=r"decisions/00000\.parquet: damaged"):
        data.verify()


@pytest.mark.parametrize("table", TABLES)
def test_a_flipped_bit_anywhere_is_found_when_a_data_set_is_opened(
    source: Path, tmp_path: Path, table: str
) -> None:
    build_dataset([source], tmp_path / "tables")
    path = tmp_path / "tables" / table / "00000.parquet"
    whole = path.read_bytes()
    for place in range(4, len(whole), len(whole) // 40):
        content = bytearray(whole)
        content[place] ^= 4
        path.write_bytes(content)
        with pytest.raises(DatasetError, match=rf"{table}/00000\.parquet"):
            Dataset(tmp_path / "tables")

    build_dataset([source], tmp_path / "tables")
    assert path.read_bytes() == whole


@pytest.mark.parametrize("digests", [None, b"", b"[]", b"{}", b"\xff"])
def test_digests_that_are_not_there(source: Path, tmp_path: Path, digests: bytes | None) -> None:
    build_dataset([source], tmp_path / "tables")
    path = tmp_path / "tables" / "digests" / "00000.json"
    path.unlink() if digests is None else path.write_bytes(digests)

    with pytest.raises(DatasetError, match=r"digests/00000\.json: .*; make the data set again"):
        Dataset(tmp_path / "tables")
    build_dataset([source], tmp_path / "tables")
    Dataset(tmp_path / "tables")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "damaged, not JSON"),
        ("[]", r"format \[\]: expected"),
        ('{"format": "basilica dataset 2"}', "format 'basilica dataset 2': expected"),
        (f'{{"format": "{FORMAT}", "parts": [{{"end": 1}}]}}', "dataset.json: damaged"),
        (f'{{"format": "{FORMAT}", "parts": []}}', "dataset.json: damaged: 'complete'"),
    ],
)
def test_a_damaged_summary(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "dataset.json").write_text(text)

    with pytest.raises(DatasetError, match=message):
        Dataset(tmp_path)


def test_there_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"no data set, for there is no dataset\.json in it"):
        Dataset(tmp_path)


def test_a_source_that_has_changed_gives_no_record(source: Path, tmp_path: Path) -> None:
    data = build_dataset([source], tmp_path / "tables")
    (source / "games.basilica").write_text("something else")

    with pytest.raises(DatasetError, match="changed in the meantime"):
        data.record(0)


def test_the_missing_extra_is_named(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "basilica_env.arena.dataset.find_spec", lambda name: None if name == "pyarrow" else find(name)
    )

    with pytest.raises(ImportError, match=r"pip install \"basilica-env\[arena\]\""):
        build_dataset([source], tmp_path / "tables")


# --- The schema -----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_files_have_the_schema_and_say_their_version(data: Dataset, table: str) -> None:
    path = data.path / table / "00000.parquet"
    schema = parquet.read_schema(path)

    assert schema.equals(arrow_schema(table))
    assert json.loads(schema.metadata[b"basilica"])["format"] == FORMAT


@pytest.mark.parametrize("table", TABLES)
def test_the_page_has_every_column(table: str) -> None:
    page = (DOCS / "dataset.md").read_text(encoding="utf-8")
    section = page.partition(f"\n### {table}\n")[2].partition("\n### ")[0]
    documented = re.findall(r"^\| `(\w+)` \| (\w+)(\?)? \| (.+) \|$", section, re.MULTILINE)

    assert documented == [
        (column.name, column.type, "?" if column.nullable else "", column.meaning) for column in TABLES[table]
    ]


# --- The command ----------------------------------------------------------------------------------


@pytest.fixture
def league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    play_match("greedy", "random", games=4, seed=1, out="league")
    return Path("league")


def test_the_command_makes_tables(league: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dataset", "league", "--out", "tables", "--workers", "1", "--verify"]) == 0

    assert capsys.readouterr().out == "tables: 4 games in 1 part\n"
    records = list(read_records(league / "games.basilica"))
    assert [Dataset("tables").record(number) for number in range(4)] == records


def test_the_command_names_what_is_damaged(league: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut_off(league / "games.basilica")

    assert main(["dataset", "league", "--out", "tables", "--workers", "1"]) == 1
    assert "game 4" in capsys.readouterr().err
    assert main(["dataset", "league", "--out", "tables", "--workers", "1", "--skip-damaged"]) == 0
    out, err = capsys.readouterr()
    assert out == "tables: 3 games in 1 part\n"
    assert re.fullmatch(r"left out: .*games\.basilica, line \d+, game 4.*\n", err)


@pytest.mark.parametrize(
    "words",
    [
        ("nowhere", "--out", "tables"),
        ("league", "--out", "no/tables"),
        ("league", "--out", "t", "--tiles", "no.csv"),
    ],
)
def test_the_command_fails_in_one_line(
    words: tuple[str, ...], league: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert league.is_dir()
    assert main(["dataset", *words, "--workers", "1"]) == 1
    assert re.fullmatch(r"basilica dataset: [^\n]+\n", capsys.readouterr().err)
