"""The published endgames, how they are made, and what an agent loses on them."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from basilica_env import GameState
from basilica_env.agents import make_agent
from basilica_env.agents.solver import solve
from basilica_env.core import reveal
from basilica_env.core.layout import DECISION_NAMES
from basilica_env.training import endgames
from basilica_env.training.endgames import Endgame, collect, read_endgames, regret, write_endgames
from tests.exact import values_by_brute_force

PUBLISHED = read_endgames()
Out = pytest.CaptureFixture[str]


# --- The set -----------------------------------------------------------------------------------------


def test_there_are_enough_endgames_of_many_kinds() -> None:
    assert len(PUBLISHED) >= 200
    assert len({entry.position for entry in PUBLISHED}) == len(PUBLISHED)
    assert [entry.name for entry in PUBLISHED] == [f"{number:03}" for number in range(1, len(PUBLISHED) + 1)]
    assert sum(entry.chance for entry in PUBLISHED) >= endgames.CHANCE_SHARE * len(PUBLISHED)
    kinds = Counter(entry.decision for entry in PUBLISHED)
    assert set(kinds) == {name.partition(":")[0] for name in DECISION_NAMES} - {"over"}
    assert {entry.source.rpartition(" ")[0] for entry in PUBLISHED} == set(endgames.SOURCES)


def test_every_legal_move_has_a_value_and_not_all_are_best() -> None:
    for entry in PUBLISHED:
        state = GameState.from_text(entry.position)
        assert list(entry.values) == state.legal_moves()
        assert 0 < len(entry.best) < len(entry.values)
        assert entry.chance is not reveal.is_certain(state.to_array(), state.tiles.array)


def test_the_file_tells_value_and_best_moves_in_plain_words() -> None:
    file = resources.files("basilica_env") / "data" / "endgames.csv"
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    for row, entry in zip(rows, PUBLISHED, strict=True):
        assert (row["value"], row["best"], row["decision"]) == (
            str(entry.value),
            " ".join(entry.best),
            entry.decision,
        )


def test_the_solver_finds_every_value() -> None:
    for entry in PUBLISHED:
        solution = solve(GameState.from_text(entry.position))
        assert {move.move: move.value for move in solution.moves} == entry.values


def sample() -> list[Endgame]:
    """Give some small endgames, most without chance."""
    small = [entry for entry in PUBLISHED if entry.positions <= 20_000]
    return [entry for entry in small if not entry.chance][::4] + [entry for entry in small if entry.chance][
        :2
    ]


@pytest.mark.parametrize("entry", sample(), ids=lambda entry: entry.name)
def test_the_brute_force_finds_the_same(entry: Endgame) -> None:
    """On some; ``python -m tests.exact`` tries all of them."""
    assert values_by_brute_force(entry.position) == entry.values


# --- What an agent loses -----------------------------------------------------------------------------


class Chooser:
    """Takes a best move, or a worst one."""

    def __init__(self, worst: bool) -> None:
        self.name = "worst" if worst else "best"
        self.worst = worst
        self.values = {entry.position: entry.values for entry in PUBLISHED}

    def act(self, state: GameState) -> int:
        values = self.values[state.to_text()]
        choose = min if self.worst else max
        return state.action_of(choose(values, key=lambda move: values[move]))


def test_who_plays_best_loses_nothing() -> None:
    found = regret(Chooser(worst=False), PUBLISHED)

    assert (len(found.lost), found.best, found.mean) == (len(PUBLISHED), 1, 0)
    assert found.seconds > 0


def test_who_plays_worst_loses_most() -> None:
    found = regret(Chooser(worst=True), PUBLISHED)

    assert found.best == 0
    assert found.lost == tuple(entry.value - min(entry.values.values()) for entry in PUBLISHED)
    assert found.mean == pytest.approx(np.mean([float(points) for points in found.lost]))


def test_greedy_lies_between_random_and_best() -> None:
    thoughtless, greedy = (regret(make_agent(spec, 1), PUBLISHED) for spec in ("random", "greedy"))

    assert thoughtless.best < greedy.best < 1
    assert thoughtless.mean > greedy.mean > 0


def test_nothing_is_lost_on_nothing() -> None:
    with pytest.raises(ValueError, match="no endgames"):
        regret(Chooser(worst=False), [])


# --- The file ----------------------------------------------------------------------------------------


def test_endgames_are_written_and_read(tmp_path: Path) -> None:
    file = tmp_path / "some.csv"
    some = [PUBLISHED[0], replace(PUBLISHED[1], values={"c3": Fraction(-7, 3), "c4=A": Fraction(2)})]
    write_endgames(file, some)

    assert read_endgames(file) == some
    assert [path.name for path in tmp_path.iterdir()] == ["some.csv"]


@pytest.mark.parametrize("text", ["", "name,position\n", "\n"])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(
        ValueError, match=r"other\.csv is no set of endgames: expected the columns name, source"
    ):
        read_endgames(file)


# --- How the set is made -----------------------------------------------------------------------------


def test_the_same_seed_collects_the_same() -> None:
    told: list[int] = []
    first = collect(4, seed=5, largest=50_000, progress=told.append)

    assert told == sorted(told)
    assert told[-1] == 4
    assert collect(4, seed=5, largest=50_000) == first
    assert collect(1, seed=6, largest=50_000) != first[:1]
    assert len({entry.source for entry in first}) == 4
    assert max(entry.positions for entry in first) <= 50_000
    assert sum(entry.chance for entry in first) >= 1


def test_the_command_makes_a_set_and_measures_on_it(tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "endgames.csv"
    command = ["make", "--out", str(file), "--positions", "2", "--largest", "50000", "--seed", "5"]
    assert endgames.main(command) == 0
    capsys.readouterr()

    assert endgames.main(["regret", "greedy", "random", "--file", str(file)]) == 0
    head, rule, *rows = capsys.readouterr().out.splitlines()
    assert head.split(" | ")[:3] == ["| agent", "best moves", "points lost"]
    assert rule.startswith("| --- | ---:")
    assert [row.split(" | ")[0] for row in rows] == ["| `greedy`", "| `random`"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [(["nobody"], "unknown agent 'nobody'"), (["greedy", "--file", "none.csv"], "none.csv")],
)
def test_the_command_says_what_is_wrong(arguments: list[str], reason: str, capsys: Out) -> None:
    assert endgames.main(["regret", *arguments]) == 2
    assert reason in capsys.readouterr().err
