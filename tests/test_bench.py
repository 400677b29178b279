"""The benchmarks: rows that break stay alone, reports read back, comparisons fail where they should."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import io
import itertools
import json
import random
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from basilica_env import GameState, TileSet
from basilica_env.benchmarks import charts, command, report, rows, statistics, timing
from basilica_env.benchmarks.loops import random_legal, random_legal_each
from basilica_env.benchmarks.report import Report, compare, figure, fill, markdown, read_report, write_report
from basilica_env.benchmarks.rows import OUTPUTS, Row, select
from basilica_env.benchmarks.run import ABSENT, FAILED, LATE, MEASURED, Result, run
from basilica_env.benchmarks.timing import Effort, cost, faster, pieces, rate

SHORT = Effort(repeats=2, seconds=0.001)


def result(name: str = "batch/mask/64x1", values: list[float] | None = None, **changes: Any) -> Result:
    measured = [100.0, 120.0, 110.0] if values is None else values
    plain = Result(
        name, "+ mask", "steps/s", rows.OWN, MEASURED, measured, 0.5, "", {"games": 64, "threads": 1}
    )
    return dataclasses.replace(plain, **changes)


def made_report(*results: Result, **changes: Any) -> Report:
    machine = {"processor": "Some Processor", "cores": 2, "system": "Linux x86_64"}
    plain = Report(
        "basilica bench", "2026-01-02T03:04:05+00:00", machine, {"numpy": "2.0"}, 3, 0.3, False, list(results)
    )
    return dataclasses.replace(plain, **changes)


# --- Timing --------------------------------------------------------------------------------------


def test_rate_counts_units_and_cost_is_its_inverse() -> None:
    calls = []

    def work() -> int:
        calls.append(sum(range(1000)))
        return 7

    sample = rate(work, SHORT)
    assert len(sample.values) == SHORT.repeats
    assert sample.ready is not None
    per_unit = cost(work, SHORT)
    assert all(value > 0 for value in sample.values + per_unit.values)
    # A unit takes at least the seven-hundredth part of the second that 100 calls could never fill.
    assert max(sample.values) < 7 * 1e8


def test_a_comparison_takes_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that grows slower all the time, of which both have their share."""
    clock = [0.0]
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: clock[0], time=lambda: clock[0]))
    turns = []

    def work(name: str, units: int) -> Callable[[], int]:
        def once() -> int:
            turns.append(name)
            clock[0] += 0.001 * (1 + clock[0])
            return units

        return once

    sample = faster(work("slow", 10), work("fast", 15), Effort(repeats=4, seconds=0.5))
    assert len(sample.values) == 4
    assert sample.values == pytest.approx([1.5] * 4, rel=0.05)
    assert sum(a != b for a, b in itertools.pairwise(turns)) >= 4 * 2


def test_pieces_takes_steps_from_an_endless_iterator() -> None:
    numbers = iter(range(100))
    work = pieces(numbers, 8)
    assert [work(), work()] == [8, 8]
    assert next(numbers) == 16


def test_random_choices_are_legal_and_reach_every_legal_action() -> None:
    masks = np.zeros((3, 7), np.uint8)
    masks[0, 4] = masks[1, [0, 6]] = masks[2, [1, 2, 3]] = 1
    generator = np.random.default_rng(0)
    chosen = np.array([random_legal_each(masks, generator) for _ in range(3000)])
    assert [sorted(set(column)) for column in chosen.T] == [[4], [0, 6], [1, 2, 3]]
    assert np.mean(chosen[:, 1] == 6) == pytest.approx(1 / 2, abs=0.05)
    assert np.mean(chosen[:, 2] == 2) == pytest.approx(1 / 3, abs=0.05)
    one_by_one = random.Random(0)
    assert {random_legal(masks[2], one_by_one) for _ in range(100)} == {1, 2, 3}


# --- Rows ----------------------------------------------------------------------------------------


def every_row() -> list[Row]:
    return rows.rows(busy=True, growth=True)


def test_row_names_are_unique_and_begin_with_a_group() -> None:
    names = [row.name for row in every_row()]
    assert len(set(names)) == len(names)
    assert {row.group for row in every_row()} == set(rows.GROUPS)


@pytest.mark.parametrize("measure", sorted({row.measure for row in every_row()}))
def test_rows_name_functions_that_take_their_arguments(measure: str) -> None:
    module, _, function = measure.partition(":")
    signature = inspect.signature(getattr(importlib.import_module(module), function))
    for row in every_row():
        if row.measure == measure:
            signature.bind(SHORT, **row.arguments)
            json.dumps(dict(row.arguments))


def test_the_batch_is_measured_at_every_size_with_one_and_two_threads() -> None:
    names = {row.name for row in rows.rows()}
    for outputs in OUTPUTS:
        for games in (1, 64, 1024, 4096):
            assert {f"batch/{outputs}/{games}x1", f"batch/{outputs}/{games}x2"} <= names


def test_select_takes_beginnings_and_patterns() -> None:
    chosen = [row.name for row in select(every_row(), ["batch/mask/64x", "*/raw"])]
    assert chosen == ["batch/mask/64x1", "batch/mask/64x2", "aec/raw"]


def test_select_names_the_pattern_that_fits_nothing() -> None:
    with pytest.raises(ValueError, match=r"no row fits 'bach'.*batch/mask/64x1"):
        select(every_row(), ["batch", "bach"])


# --- Running rows --------------------------------------------------------------------------------


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a module that the rows' processes can import."""
    source = """
        import os, sys, time
        from basilica_env.benchmarks.timing import Sample, rate

        def fine(effort, units):
            print("a system that prints")
            return rate(lambda: units, effort)

        def crash(effort):
            os.abort()

        def leave(effort):
            os._exit(0)

        def fail(effort):
            raise RuntimeError("the game is broken")

        def hang(effort):
            time.sleep(60)

        def wrong(effort):
            return 3
    """
    (tmp_path / "fake_measures.py").write_text(textwrap.dedent(source))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "fake_measures"


def fake_row(module: str, function: str, **changes: Any) -> Row:
    return dataclasses.replace(Row(f"batch/{function}", "fake", "steps/s", f"{module}:{function}"), **changes)


def test_a_row_is_measured_in_its_own_process(fake: str) -> None:
    found = run(fake_row(fake, "fine", arguments={"units": 3}), SHORT)
    assert found.status == MEASURED
    assert len(found.values) == SHORT.repeats
    assert found.ready is not None
    assert found.ready > 0


@pytest.mark.parametrize(
    ("function", "note"),
    [
        ("crash", "ended by SIGABRT"),
        ("leave", "ended without an answer"),
        ("fail", "exit status 1: RuntimeError: the game is broken"),
        ("wrong", "expected a Sample"),
        ("unknown", "has no attribute 'unknown'"),
    ],
)
def test_a_row_that_breaks_says_why_and_breaks_nothing_else(fake: str, function: str, note: str) -> None:
    found = run(fake_row(fake, function), SHORT)
    assert (found.status, found.values) == (FAILED, [])
    assert note in found.note


def test_a_row_that_hangs_is_given_up(fake: str) -> None:
    found = run(fake_row(fake, "hang", limit=0.5), SHORT)
    assert (found.status, found.note) == (LATE, "given up after 0.5 s")


def test_a_row_of_a_system_that_is_not_installed_is_absent() -> None:
    found = run(fake_row("nowhere", "f", needs=("json", "no_such_module")), SHORT)
    assert (found.status, found.note) == (ABSENT, "not installed: no_such_module")


def test_an_interrupt_keeps_the_rows_done() -> None:
    def runner(row: Row, effort: Effort) -> Result:
        if row.name == "batch/mask/4096x1":
            raise KeyboardInterrupt
        return result(row.name, repeats_of(effort))

    def repeats_of(effort: Effort) -> list[float]:
        return [1.0] * effort.repeats

    chosen = select(every_row(), ["batch/mask"])
    found = command.measure(chosen, SHORT, "basilica bench", runner, Console(file=io.StringIO()))
    assert found.interrupted
    assert [row.name for row in found.rows] == [f"batch/mask/{games}x1" for games in (1, 64, 1024)]


# --- Reports -------------------------------------------------------------------------------------


def test_a_report_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    before = made_report(result(), result("aec/raw", [], status=LATE, note="given up", ready=None))
    write_report(path, before)
    assert read_report(path) == before
    facts = json.loads(path.read_text())
    assert facts["format"] == report.FORMAT
    assert [facts["rows"][0][key] for key in ("median", "low", "high")] == [110.0, 100.0, 120.0]
    assert facts["rows"][1]["median"] is None
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda facts: facts.pop("rows"), "lacks the key 'rows'"),
        (lambda facts: facts.update(format="other 3"), "has format 'other 3': expected 'basilica-bench 1'"),
        (lambda facts: facts.update(versions=3), "has 3 under 'versions'"),
        (lambda facts: facts["rows"].append(7), "row 2 is 7: expected an object"),
        (lambda facts: facts["rows"][0].pop("unit"), "row 1 lacks the key 'unit'"),
        (
            lambda facts: facts["rows"][0].update(status="lost"),
            "row 1 has status 'lost': expected one of",
        ),
        (lambda facts: facts["rows"][0].update(values=[]), r"row 1 has values \[\]"),
        (lambda facts: facts["rows"][0].update(values=[0]), r"row 1 has values \[0\]: expected positive"),
    ],
)
def test_a_broken_report_is_refused_by_name(tmp_path: Path, change: Any, message: str) -> None:
    path = tmp_path / "report.json"
    write_report(path, made_report(result()))
    facts = json.loads(path.read_text())
    change(facts)
    path.write_text(json.dumps(facts))
    with pytest.raises(ValueError, match=message):
        read_report(path)


def test_a_file_that_is_not_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("basilica")
    with pytest.raises(ValueError, match=r"report\.json is not JSON"):
        read_report(path)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (6_214_000, "6.21 M"),
        (62_140_000, "62.1 M"),
        (412_345, "412 k"),
        (41_234, "41.2 k"),
        (4_123, "4,123"),
        (512, "512"),
        (23.456, "23.5"),
        (2.3456, "2.35"),
        (0.09312, "0.0931"),
        (3.1e9, "3.10 G"),
    ],
)
def test_a_figure_has_three_digits(value: float, text: str) -> None:
    assert figure(value) == text


def test_markdown_tells_figures_conditions_and_what_is_missing() -> None:
    absent = result(
        "aec/pettingzoo-chess-raw", [], status=ABSENT, system="PettingZoo", note="not installed: chess"
    )
    text = markdown(made_report(result(), absent, interrupted=True))
    assert "| Basilica: + mask | 64 | 1 | 110 | 100 – 120 | steps/s | 0.5 |" in text
    assert "| PettingZoo: + mask | 64 | 1 | absent | not installed: chess | 0.5 |" in text
    assert "Some Processor, 2 cores" in text
    assert "frequency governor not told" in text
    assert "numpy 2.0" in text
    assert "rows are missing" in text
    assert text.index("### Many games in one call") < text.index("### PettingZoo AEC loop")


def test_fill_replaces_a_block_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generated: results -->\nold\n<!-- end -->\nafter\n")
    fill(page, "results", "new")
    fill(page, "results", "newer")
    assert page.read_text() == "before\n<!-- generated: results -->\n\nnewer\n\n<!-- end -->\nafter\n"
    with pytest.raises(ValueError, match=r"page\.md does not have one block from <!-- generated: other -->"):
        fill(page, "other", "text")


# --- Comparing -----------------------------------------------------------------------------------


def test_a_ratio_above_one_is_better_for_speeds_and_times() -> None:
    old = made_report(result(values=[100.0]), result("start/cold", [10.0], unit="s"))
    new = made_report(result(values=[50.0]), result("start/cold", [5.0], unit="s"))
    assert [change.ratio for change in compare(old, new)] == [0.5, 2.0]
    assert [change.is_worse(0.7) for change in compare(old, new)] == [True, False]
    assert not compare(old, new)[0].is_worse(0.5)


def test_only_rows_measured_before_and_tried_now_are_compared() -> None:
    gone = result("aec/raw", [], status=FAILED, note="exit status 1")
    away = result("gym/sb3", [], status=ABSENT)
    old = made_report(
        result("aec/raw"), result("gym/sb3"), result("gym/env", [], status=FAILED), result("clone/core")
    )
    changes = compare(old, made_report(gone, away, result("gym/env"), result()))
    assert [(change.name, change.is_worse(0.7)) for change in changes] == [("aec/raw", True)]


def test_a_slower_rival_tells_of_the_machine_only() -> None:
    old = made_report(result(system="pgx (CPU)", values=[100.0]))
    new = made_report(result(system="pgx (CPU)", values=[10.0]))
    assert not compare(old, new)[0].is_worse(0.7)


def bench(*arguments: str | Path) -> int:
    return command.main([str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("speed", "threshold", "status"),
    [(69.0, "0.7", 1), (71.0, "0.7", 0), (71.0, "0.9", 1), (300.0, "0.9", 0)],
)
def test_compare_fails_past_the_threshold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], speed: float, threshold: str, status: int
) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    write_report(old, made_report(result(values=[100.0])))
    write_report(new, made_report(result(values=[speed])))
    assert bench("--load", new, "--compare", old, "--threshold", threshold) == status
    assert f"{speed / 100:.2f}" in capsys.readouterr().out


def test_a_failed_row_of_basilica_fails_the_run_and_a_rival_does_not(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_report(path, made_report(result(), result("aec/x", [], status=FAILED, system="PettingZoo")))
    assert bench("--load", path) == 0
    write_report(path, made_report(result(), result("aec/raw", [], status=LATE)))
    assert bench("--load", path) == 1


def test_wrong_use_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.json"
    write_report(path, made_report(result()))
    other = tmp_path / "other.json"
    write_report(other, made_report(result("aec/raw")))
    assert bench("--rows", "bach") == 2
    assert "no row fits 'bach'" in capsys.readouterr().err
    assert bench("--load", path, "--threshold", "0") == 2
    assert "--threshold 0.0: expected a positive ratio" in capsys.readouterr().err
    assert bench("--load", path, "--compare", other) == 2
    assert "no measured row in common" in capsys.readouterr().err
    with pytest.raises(SystemExit) as leaving:
        bench("--row")
    assert leaving.value.code == 2


@pytest.mark.parametrize("command", ["--load {}", "--load {good} --compare {}", "--load {good} --fill {}"])
def test_a_file_that_cannot_be_read_is_a_failure(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = tmp_path / "good.json"
    write_report(good, made_report(result()))
    (tmp_path / "bad").write_text("no report")
    for name in ("missing", "", "bad", "a\0b", "no/file"):
        path = str(tmp_path / name)
        words = [word.format(path, good=good) for word in command.split()]
        assert bench(*words) == 1
        error = capsys.readouterr().err
        assert error.startswith(f"basilica bench: {path}".replace("\0", r"\x00"))
        assert "Errno" not in error
        assert error.count("\n") == 1


def test_a_place_that_cannot_be_written_is_noticed_before_the_measuring(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "measure", None)
    monkeypatch.setattr(statistics, "_count", None)
    place = tmp_path / "no" / "report.json"
    for verb in ([], ["statistics"]):
        for option in ("--json", "--fill"):
            assert bench(*verb, option, place) == 1
            assert f"there is no folder {place.parent}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_list_shows_the_rows_without_measuring(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--list", "--rows", "start") == 0
    names = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert names == ["start/import", "start/cold", "start/warm"]


def test_load_writes_the_file_again_and_fills_a_page(tmp_path: Path) -> None:
    path, copy, page = tmp_path / "report.json", tmp_path / "copy.json", tmp_path / "page.md"
    write_report(path, made_report(result()))
    page.write_text("<!-- generated: results -->\n<!-- end -->\n")
    assert bench("--load", path, "--json", copy, "--fill", page) == 0
    assert copy.read_text() == path.read_text()
    assert "| 110 | 100 – 120 |" in page.read_text()


# --- Charts --------------------------------------------------------------------------------------


def growth(decisions: tuple[int, ...] = (0, 10, 20)) -> list[Result]:
    return [
        result(
            f"growth/decision/{outputs}/{at}",
            [1e6, 2e6],
            what=what,
            arguments={"decision": at, "games": 1024},
        )
        for outputs, what in OUTPUTS.items()
        for at in decisions
    ]


def test_charts_are_drawn_for_the_rows_there_are_and_linked(tmp_path: Path) -> None:
    path, page = tmp_path / "report.json", tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("<!-- generated: results -->\n<!-- end -->\n")
    write_report(path, made_report(*growth()))
    assert bench("--load", path, "--charts", tmp_path / "docs" / "charts", "--fill", page) == 0
    drawn = list((tmp_path / "docs" / "charts").iterdir())
    assert [file.name for file in drawn] == ["growth-decision.svg"]
    assert ElementTree.parse(drawn[0]).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert "(charts/growth-decision.svg)" in page.read_text()


def test_the_same_figures_make_the_same_chart(tmp_path: Path) -> None:
    first, second = (charts.draw(made_report(*growth()), tmp_path / name)[0] for name in ("a", "b"))
    other = charts.draw(made_report(*growth((0, 10))), tmp_path / "c")[0]
    assert first.read_bytes() == second.read_bytes() != other.read_bytes()


def test_charts_say_what_they_lack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="no growth row was measured"):
        charts.draw(made_report(result()), tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ValueError, match=r"charts need matplotlib: pip install 'basilica-env\[bench\]'"):
        charts.draw(made_report(*growth()), tmp_path)


# --- Statistics ----------------------------------------------------------------------------------


def counted(games: int, policy: str = "uniform", threads: int = 1) -> Any:
    return np.concatenate(list(statistics.random_games(games, seed=3, policy=policy, threads=threads)))


def test_random_games_look_as_an_independent_engine_counted() -> None:
    """100,000 games of another engine: 59 decisions, 18.8 turns, branching 20.6, wins 44.4 and 41.7 %."""
    found = statistics.facts(counted(20_000))
    assert found["games"] == 20_000
    assert found["decisions"]["mean"] == pytest.approx(59.0, abs=0.3)
    assert found["turns"]["mean"] == pytest.approx(18.8, abs=0.1)
    assert found["branching"] == pytest.approx(20.6, abs=0.1)
    assert found["player_0_wins"]["low"] < 0.444 < found["player_0_wins"]["high"]
    assert found["player_1_wins"]["low"] < 0.417 < found["player_1_wins"]["high"]
    assert found["limit"]["low"] < 1 / 375 < found["limit"]["high"]
    assert found["exhaustion"]["share"] < 0.001


def test_kind_first_games_look_as_an_independent_engine_counted() -> None:
    """Counted there: 155 decisions, 32.7 turns, branching 18.7, 47 % exhausted, scores 16.9 and 16.5."""
    found = statistics.facts(counted(10_000, "kind-first"))
    assert found["decisions"]["mean"] == pytest.approx(155, abs=1)
    assert found["turns"]["mean"] == pytest.approx(32.7, abs=0.2)
    assert found["branching"] == pytest.approx(18.7, abs=0.1)
    assert found["exhaustion"]["share"] == pytest.approx(0.47, abs=0.02)
    assert found["player_0_score"]["mean"] == pytest.approx(16.9, abs=0.3)
    assert found["player_1_score"]["mean"] == pytest.approx(16.5, abs=0.3)
    assert found["limit"]["share"] == pytest.approx(1 / 88, rel=0.3)


def test_the_split_and_the_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = counted(300)
    monkeypatch.setattr(statistics, "_CHUNK", 7)
    assert np.array_equal(counted(300, threads=2), whole)


def tower(top: str, vaults: str, decision: str = "main", orders: str = "Y2,G1,G2") -> GameState:
    """Return a position with a column of eleven single-colour tiles and ``top``, if any, above them."""
    column = [f"R{number}" for number in range(10)] + ["Y0"]
    used = {*column, top, *vaults.split(","), *orders.split(",")}
    tiles = TileSet.standard()
    stack = ",".join(code for code in tiles.codes if code not in used)
    king = sum(crown for code, crown in zip(tiles.codes, tiles.crowns, strict=True) if code in {*column, top})
    cathedral = "/".join(f"{tile},.,.,.,." for tile in [*column, top] if tile)
    return GameState.from_text(f"{cathedral} {orders} {vaults} {stack} - {king} 0:0 1:1 0:3 {decision} 0")


@pytest.mark.parametrize(
    ("parts", "bites"),
    [
        (("Y1", "B0,B1,B2"), True),
        (("RB0", "RB1,B1,RY1"), True),
        (("RB0", "RB1,YB0,RY1"), False),  # R4.2 forbids it anyway
        (("#", "RB1,YB0,RY1"), True),
        (("", "B0,B1,B2"), False),
        (("RB0", "RB1,YB0,RY1", "scaffold:1:2"), True),
        (("#", "B0,B1,B2", "scaffold:1:1"), True),
        (("Y1", "B0,B1,B2", "disaster:1", "Y3,G1,G2"), False),
    ],
)
def test_the_limit_bites_where_row_13_would_take_a_tile(parts: tuple[str, ...], bites: bool) -> None:
    """R4.6, with R4.1 and R4.2 on the squares it forbids."""
    position = tower(*parts)
    assert bool(statistics.limit_bites(position.to_array()[0], position.tiles.array)) is bites


def test_an_agent_is_counted_as_the_compiled_games_are() -> None:
    """The random agent plays as the uniform policy does."""
    counts = np.concatenate(list(statistics.agent_games(300, "random", seed=3)))
    found = statistics.facts(counts)
    assert found["decisions"]["mean"] == pytest.approx(59.0, abs=2)
    assert found["turns"]["mean"] == pytest.approx(18.8, abs=0.6)
    assert found["branching"] == pytest.approx(20.6, abs=0.6)
    assert set(counts["king"]) == {30}
    again = np.concatenate(list(statistics.agent_games(3, "random", seed=3)))
    assert np.array_equal(again, counts[:3])


def test_histograms_and_shares_add_up() -> None:
    found = statistics.facts(counted(500, "kind-first"))
    for key in ("player_0_score_histogram", "player_1_score_histogram", "decisions_histogram"):
        assert sum(found[key].values()) == 500
    outcomes = (found["player_0_wins"], found["player_1_wins"], found["tie"])
    assert sum(outcome["share"] for outcome in outcomes) == pytest.approx(1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 0}, "games=0: expected 1 or more"),
        ({"games": 1, "threads": 0}, "threads=0: expected 1 or more"),
        ({"games": 1, "policy": "odd"}, "policy='odd': expected one of uniform, kind-first"),
    ],
)
def test_wrong_numbers_of_games_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        next(statistics.random_games(**wrong))


def test_the_statistics_command_writes_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = tmp_path / "facts.json", tmp_path / "page.md"
    page.write_text("<!-- generated: random_play -->\n<!-- end -->\n")
    assert bench("statistics", "--games", "200", "--seed", "5", "--json", path, "--fill", page) == 0
    facts = json.loads(path.read_text())
    assert facts["format"] == statistics.FORMAT
    assert facts["tiles"]["name"] == "standard"
    assert {policy: found["games"] for policy, found in facts["players"].items()} == {
        "uniform": 200,
        "kind-first": 200,
    }
    table = capsys.readouterr().out
    assert "| games | 200 | 200 |" in table
    assert "| games | 200 | 200 |" in page.read_text()
    assert bench("statistics", "--games", "0") == 2
    assert "games=0" in capsys.readouterr().err
    assert bench("statistics", "--games", "1", "--players", "nobody") == 2
    assert "unknown agent 'nobody'" in capsys.readouterr().err
