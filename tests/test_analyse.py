"""``basilica analyse``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from basilica_env.cli import main
from basilica_env.game import GameState
from tests.positions import position
from tests.pseudo_terminal import STEERING, PseudoTerminal

Out = pytest.CaptureFixture[str]
COMMAND = (sys.executable, "-m", "basilica_env.cli", "analyse")

OPENING = GameState.new(seed=7).to_text()

LAST_ACTION = position(
    """
    .    .    .    .    .
    R3+0 R4   .    B2+1 .
    """,
    orders="B4 R2 G3",
    vaults="R6 B6 Y2",
    rest="discard",
    king=15,
    scores="20:22",
    turn="0:1",
    reshuffled=1,
)
"""Player 0 decides how the game ends: the stack is empty, so one vault or order is all that follows.

She holds red with two tiles and player 1 blue with one, so she is one point behind. R6 beside red makes it
a tie, B6 beside blue costs another point, and nothing else changes anything.
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every test work in a folder of its own, whatever the terminal that the tests run in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in STEERING:
        monkeypatch.delenv(name, raising=False)


def analyse(capsys: Out, *arguments: str) -> str:
    assert main(["analyse", *arguments]) == 0
    return capsys.readouterr().out


def analyse_json(capsys: Out, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(analyse(capsys, *arguments, "--json"))
    return found


def usage_error(*arguments: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", *arguments])
    assert stopped.value.code == 2


# --- By an agent -------------------------------------------------------------------------------------


def test_the_search_shows_the_best_moves_and_what_each_area_would_score(capsys: Out) -> None:
    shown = analyse(capsys, LAST_ACTION, "--agent", "mcts:sims=300")

    assert "player 0 decides: choose an action" in shown
    assert "mcts:sims=300: 300 simulations in " in shown
    assert "Best: V1" in shown
    assert "places vault R6 on" in shown
    rows = shown[shown.index("Move") : shown.index("Line")].splitlines()
    assert rows[0].split() == ["Move", "Value", "Win", "chance", "Margin", "Visits"]
    assert len(rows) == 1 + 5 + 1
    assert rows[-1] == "  and 12 more; --all shows them"
    visits = [int(row.split()[-1]) for row in rows[1:-1]]
    assert visits == sorted(visits, reverse=True)
    scored = shown[shown.index("If scored now") :]
    assert "a1 b1" in scored
    assert "Points 2:1, for player 0 and player 1" in scored
    assert max(map(len, shown.splitlines())) <= 80


def test_it_says_whether_the_best_move_is_exact(capsys: Out) -> None:
    exact = ("--agent", "mcts:sims=300")
    assert ", best move exact\n" in analyse(capsys, LAST_ACTION, *exact)
    assert analyse_json(capsys, LAST_ACTION, *exact)["exact"] is True
    assert "exact" not in analyse(capsys, OPENING, *exact)
    assert analyse_json(capsys, OPENING, *exact)["exact"] is False


def test_all_shows_every_move(capsys: Out) -> None:
    shown = analyse(capsys, LAST_ACTION, "--agent", "mcts:sims=300", "--all")

    rows = shown[shown.index("Move") : shown.index("Line")].splitlines()[1:]
    assert sorted(row.split()[0] for row in rows) == sorted(GameState.from_text(LAST_ACTION).legal_moves())


def test_json_says_all(capsys: Out) -> None:
    curious = "mcts:sims=2000,exploration=50,temperature=9"
    found = analyse_json(capsys, LAST_ACTION, "--agent", curious)

    assert found["position"] == LAST_ACTION
    assert (found["player"], found["decision"], found["method"]) == (0, "main", "search")
    assert (found["agent"], found["simulations"], found["complete"]) == (curious, 2000, True)
    moves = {entry["move"]: entry for entry in found["moves"]}
    assert sorted(moves) == sorted(GameState.from_text(LAST_ACTION).legal_moves())
    assert sum(entry["visits"] for entry in found["moves"]) == 2000
    tie, loss = moves["V1c1"], moves["V2c1"]
    assert (tie["value"], tie["win_chance"], tie["margin"]) == (0, 0.5, 0)
    assert loss["win_chance"] == pytest.approx(0)
    assert loss["margin"] == pytest.approx(-2)
    assert found["line"][0] == found["moves"][0]["move"]
    assert found["points_now"] == [2, 1]
    assert [area["points"] for area in found["areas"]] == [[2, 0], [0, 1]]


def test_an_aim_without_an_exact_solution_is_refused(capsys: Out) -> None:
    assert main(["analyse", LAST_ACTION, "--aim", "win"]) == 2
    assert "--aim belongs to --exact" in capsys.readouterr().err


def test_a_search_that_aims_at_the_margin_tells_no_win_chance(capsys: Out) -> None:
    found = analyse_json(capsys, LAST_ACTION, "--agent", "mcts:sims=200,aim=margin")

    assert {entry["win_chance"] for entry in found["moves"]} == {None}
    assert found["moves"][0]["margin"] == 0


def test_a_move_that_was_never_tried_has_no_figures(capsys: Out) -> None:
    found = analyse_json(capsys, OPENING, "--agent", "mcts:sims=10")
    untried = [entry for entry in found["moves"] if not entry["visits"]]

    assert untried
    assert {entry["value"] for entry in untried} == {None}
    assert " 0" in analyse(capsys, OPENING, "--agent", "mcts:sims=10", "--all")


def test_the_same_seed_gives_the_same_analysis(capsys: Out) -> None:
    def moves(*more: str) -> list[Any]:
        found: list[Any] = analyse_json(capsys, OPENING, "--agent", "mcts:sims=300", *more)["moves"]
        return found

    assert moves() == moves() != moves("--seed", "1")


def test_the_order_of_the_stack_does_not_matter(capsys: Out) -> None:
    fields = OPENING.split(" ")
    top, *rest = fields[3].split(",")
    other = " ".join([*fields[:3], ",".join([top, *reversed(rest)]), *fields[4:]])

    first, second = (analyse_json(capsys, text, "--agent", "mcts:sims=300") for text in (OPENING, other))
    assert first["moves"] == second["moves"]


def test_seconds_limit_a_search(capsys: Out) -> None:
    found = analyse_json(capsys, OPENING, "--agent", "mcts:sims=10000000", "--seconds", "0.1")

    assert 256 <= found["simulations"] < 10000000
    assert found["complete"]


def test_seconds_are_the_budget_of_the_default_agent(capsys: Out) -> None:
    found = analyse_json(capsys, OPENING, "--seconds", "0.05")

    assert found["agent"] == "mcts:ms=50"
    assert found["seconds"] >= 0.05


@pytest.mark.parametrize("agent", ["greedy", "planner:width=20"])
def test_an_agent_that_only_acts_chooses(agent: str, capsys: Out) -> None:
    shown = analyse(capsys, LAST_ACTION, "--agent", agent)
    assert f"{agent}: a choice in " in shown
    assert "Best: V1" in shown
    assert "If scored now" in shown

    found = analyse_json(capsys, LAST_ACTION, "--agent", agent)
    assert found["method"] == "choice"
    assert [entry["move"][:2] for entry in found["moves"]] == ["V1"]


def test_an_agent_cannot_look_into_the_stack(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "peeping.py").write_text(
        "class Tom:\n"
        "    name = 'tom'\n"
        "    def act(self, state):\n"
        "        print('stack', *state.view().stack)\n"
        "        return int(state.legal_actions()[0])\n"
    )
    shown = analyse(capsys, OPENING, "--agent", "peeping:Tom")
    (stack,) = (line.split()[1:] for line in shown.splitlines() if line.startswith("stack "))

    assert len(stack) == 52
    assert stack != OPENING.split(" ")[3].split(",")


# --- Exactly -----------------------------------------------------------------------------------------


def test_exact_values(capsys: Out) -> None:
    shown = analyse(capsys, LAST_ACTION, "--exact", "--all")
    rows = [line.split() for line in shown[shown.index("Move") : shown.index("If scored")].splitlines()]

    assert shown.partition("Move")[0].count("exact, the first 3 are equally good: ") == 1
    assert rows[0] == ["Move", "Points", "Exactly"]
    assert rows[1:4] == [[f"V1{square}", "+0.000", "0"] for square in ("c1", "a2", "b2")]
    assert [row[2] for row in rows[4:-4]] == ["-1"] * 11
    assert [row[1] for row in rows[-4:-1]] == ["-2.000"] * 3


def test_exact_values_as_json(capsys: Out) -> None:
    found = analyse_json(capsys, LAST_ACTION, "--exact", "--aim", "win")

    assert (found["method"], found["aim"], found["complete"]) == ("exact", "win", True)
    assert found["positions"] > 17
    assert found["best_moves"] == ["V1c1", "V1a2", "V1b2"]
    assert found["moves"][0] == {"move": "V1c1", "value": 0, "exact_value": "0"}
    assert found["moves"][-1]["value"] == -1


def test_exact_stops_when_time_is_up(capsys: Out) -> None:
    found = analyse_json(capsys, LAST_ACTION, "--exact", "--seconds", "0.000000001")

    assert len(found["moves"]) == 1
    assert not found["complete"]
    shown = analyse(capsys, LAST_ACTION, "--exact", "--seconds", "0.000000001")
    assert "exact, 1 of 17 moves solved: " in shown


def test_too_far_from_the_end(capsys: Out) -> None:
    assert main(["analyse", OPENING, "--exact"]) == 1
    assert capsys.readouterr().err.startswith("basilica analyse: --exact: 52 tiles can still be drawn")


# --- Wrong use ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (OPENING, "--seconds", "0"),
        (OPENING, "--seconds", "soon"),
        (OPENING, "--agent", "mcts", "--exact"),
    ],
)
def test_wrong_arguments(arguments: tuple[str, ...], capsys: Out) -> None:
    usage_error(*arguments)
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "POSITION: "),
        (OPENING.replace(" 0:3 main ", " 0:4 main "), "field 9 (turn)"),
        (LAST_ACTION.replace(" 0:1 main ", " 0:0 over "), "POSITION: "),
    ],
)
def test_a_position_that_is_none(text: str, reason: str, capsys: Out) -> None:
    assert main(["analyse", text]) == 2
    assert reason in capsys.readouterr().err


def test_a_game_that_is_over(capsys: Out) -> None:
    state = GameState.from_text(LAST_ACTION)
    state.play("V1c1")

    assert main(["analyse", state.to_text()]) == 2
    assert capsys.readouterr().err.endswith("the game is over, there is nothing to decide\n")


def test_unknown_agent(capsys: Out) -> None:
    assert main(["analyse", OPENING, "--agent", "nobody"]) == 2
    assert "'nobody'" in capsys.readouterr().err


def test_help_shows_examples(capsys: Out) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", "--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert '  basilica analyse "POSITION" --exact' in shown
    assert max(map(len, shown.splitlines())) <= 80


# --- At a terminal -----------------------------------------------------------------------------------


def test_ctrl_c_shows_what_is_known() -> None:
    endless = (*COMMAND, OPENING, "--agent", "mcts:sims=1000000000")
    with PseudoTerminal(endless) as terminal:
        assert terminal.wait_for("simulations, ")
        terminal.interrupt()
        assert terminal.end() == 130
    result = terminal.shown[terminal.shown.rindex("mcts:sims=1000000000: ") :]
    assert "Best: " in result
    assert "Visits" in result
    assert "If scored now" in result


def test_a_bar_shows_how_far_it_is_and_leaves_no_trace() -> None:
    with PseudoTerminal((*COMMAND, LAST_ACTION, "--exact", "--ascii", "--no-color")) as terminal:
        assert terminal.wait_for("thinking")
        assert terminal.end() == 0
    assert terminal.shown.rindex("thinking") < terminal.shown.index(" positions in ")
