"""The command line."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from basilica_env import __version__
from basilica_env.agents import agent_names
from basilica_env.cli import VERBS, game, main
from basilica_env.cli.play import menu
from basilica_env.cli.terminal import Terminal, new_seed
from basilica_env.core.tiles import TileSet
from basilica_env.game import GameState
from basilica_env.records import GameRecord, append_record, read_records
from tests.positions import position
from tests.pseudo_terminal import STEERING, PseudoTerminal

COMMAND = (sys.executable, "-m", "basilica_env.cli")
START = "import basilica_command, sys; sys.exit(basilica_command.main())"
ROOT = Path(__file__).parents[1]
Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let every test work in a folder of its own, whatever the terminal that the tests run in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in STEERING:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def usage_error(*arguments: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2


def demo(file: str = "demo.basilica", *more: str, seed: int = 7) -> GameRecord:
    """Let two players play a game and give its record."""
    assert main(["demo", "--seed", str(seed), "--moves-only", "--out", file, *more]) == 0
    (record,) = read_records(file)
    return record


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


# --- The command as a whole --------------------------------------------------------------------------


def test_version(capsys: Out) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"basilica-env {__version__}\n"


def test_help_lists_the_verbs(capsys: Out) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    listed = re.findall(r"^    ([a-z]+) ", capsys.readouterr().out, re.MULTILINE)
    assert listed == [verb.__name__.rpartition(".")[2] for verb in VERBS]


@pytest.mark.parametrize("words", [("demo",), ("play",), ("replay",), ("tiles", "check"), ("tiles", "show")])
def test_help_of_a_verb_shows_examples(words: tuple[str, ...], capsys: Out) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert f"  basilica {' '.join(words)}" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("conquer",),
        ("demo", "surplus"),
        ("demo", "--seed", "-1"),
        ("demo", "--seed", "x"),
        ("demo", "--seed", str(1 << 64)),
        ("demo", "--delay", "nan"),
        ("demo", "--delay", "soon"),
        ("demo", "--agents", "greedy"),
        ("play", "--seat", "2"),
        ("replay",),
        ("replay", "x", "--game", "0"),
        ("tiles",),
    ],
)
def test_wrong_arguments(arguments: tuple[str, ...], capsys: Out) -> None:
    usage_error(*arguments)
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["demo --agents greedy", "play --agent"])
def test_unknown_agent(verb: str, capsys: Out) -> None:
    assert main([*verb.split(), "nobody"]) == 2
    message = capsys.readouterr().err
    assert "'nobody'" in message
    assert f"expected one of {', '.join(agent_names())}, or module:Class" in message


def test_help_does_not_load_the_core() -> None:
    check = "import sys, basilica_env.cli; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_bench_gets_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []

    class Benchmarks:
        @staticmethod
        def main(argv: list[str]) -> int:
            given.append(argv)
            return 1

    monkeypatch.setitem(sys.modules, "basilica_env.benchmarks", Benchmarks)
    assert main(["bench", "--rows", "batch", "--help"]) == 1
    assert given == [["--rows", "batch", "--help"]]


def test_bench_not_installed(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.setattr("basilica_env.cli.bench.BENCHMARKS", "basilica_env.no_benchmarks")
    assert main(["bench"]) == 1
    assert capsys.readouterr().err.startswith("basilica bench: no module 'basilica_env.no_benchmarks'")


def test_seed_is_drawn_afresh() -> None:
    assert len({new_seed() for _ in range(4)}) > 1


# --- What a terminal can show ------------------------------------------------------------------------


class Screen(io.TextIOWrapper):
    """An output that says of itself whether it is a terminal."""

    def __init__(self, encoding: str, tty: bool) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty


@pytest.mark.parametrize(
    ("encoding", "tty", "environment", "options", "color", "unicode"),
    [
        ("utf-8", True, {"TERM": "xterm"}, "", True, True),
        ("utf-8", False, {"TERM": "xterm"}, "", False, False),
        ("ascii", True, {"TERM": "xterm"}, "", True, False),
        ("latin-1", True, {"TERM": "xterm"}, "", True, False),
        ("utf-8", True, {"TERM": "dumb"}, "", False, False),
        ("utf-8", True, {}, "", False, False),
        ("utf-8", True, {"TERM": "xterm", "NO_COLOR": "1"}, "", False, True),
        ("utf-8", True, {"TERM": "xterm", "NO_COLOR": ""}, "", True, True),
        ("utf-8", True, {"TERM": "xterm"}, "--no-color", False, True),
        ("utf-8", True, {"TERM": "xterm"}, "--ascii", True, False),
        ("utf-8", False, {"FORCE_COLOR": "1"}, "", True, False),
        ("utf-8", False, {"FORCE_COLOR": "1"}, "--no-color", False, False),
        ("utf-8", True, {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm"}, "", False, True),
    ],
)
def test_terminal(
    encoding: str,
    tty: bool,
    environment: dict[str, str],
    options: str,
    color: bool,
    unicode: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    screen = Screen(encoding, tty)
    monkeypatch.setattr("sys.stdout", screen)
    assert main(["tiles", "show", *options.split()]) == 0
    assert ("\x1b" in screen.buffer.getvalue().decode(encoding)) is color  # type: ignore[attr-defined]
    given = type("Options", (), {"no_color": "no-color" in options, "ascii": "ascii" in options})
    terminal = Terminal.of(given)  # type: ignore[arg-type]
    assert (terminal.style.color, terminal.style.unicode, terminal.live) == (color, unicode, tty)


# --- demo --------------------------------------------------------------------------------------------


def test_demo_shows_and_records_a_whole_game(capsys: Out, folder: Path) -> None:
    assert main(["demo", "--seed", "7"]) == 0
    shown = capsys.readouterr().out
    (record,) = read_records("demo.basilica")
    headings = re.findall(r"^-- (\d+)  greedy \([01]\)  (\S+): ", shown, re.MULTILINE)
    assert headings == [(str(n), recorded.move) for n, recorded in enumerate(record.moves, 1)]
    assert shown.count("a      b      c      d      e") == len(record.moves) + 1
    gains = [tuple(map(int, pair)) for pair in re.findall(r"  Points (\d+):(\d+), for", shown)]
    assert record.scores == tuple(map(sum, zip(*gains, strict=True)))
    assert record.termination in ("scoring", "exhaustion")
    assert re.search(rf"The game is over: .* {max(record.scores)}:{min(record.scores)}\n", shown)
    assert shown.endswith("Seed 7. The record is in demo.basilica\n")
    assert shown.isascii()
    assert [path.name for path in folder.iterdir()] == ["demo.basilica"]


def test_demo_players_and_seed() -> None:
    first = demo("a", "--agents", "greedy", "random")
    assert first.players == ("greedy", "random")
    assert first.seed == 7
    assert demo("b", "--agents", "greedy", "random") == first
    assert demo("c", "--agents", "greedy", "random", seed=8).moves != first.moves


def test_demo_plays_another_tile_set() -> None:
    tiles = TileSet.standard().to_csv().replace("R0,R,promote,1,1", "R0,R,promote,0,1")
    Path("tiles.csv").write_text(tiles)
    assert main(["demo", "--seed", "7", "--moves-only", "--tiles", "tiles.csv", "--out", "game"]) == 0
    (record,) = read_records("game", [TileSet.load("tiles.csv")])
    assert record.tiles.name == "tiles"
    assert main(["replay", "game", "--moves-only"]) == 1
    assert main(["replay", "game", "--moves-only", "--tiles", "tiles.csv"]) == 0


def test_demo_of_a_damaged_tile_set(capsys: Out) -> None:
    Path("tiles.csv").write_text("code\n")
    assert main(["demo", "--tiles", "tiles.csv"]) == 1
    assert capsys.readouterr().err.startswith("basilica demo: tiles.csv, line 1, column 'colours': ")


def test_demo_into_nowhere(capsys: Out, folder: Path) -> None:
    assert main(["demo", "--out", "no/game"]) == 1
    assert capsys.readouterr().err == "basilica demo: cannot write no/game: there is no folder no\n"
    assert main(["demo", "--out", str(folder)]) == 1
    assert "it is a folder" in capsys.readouterr().err


def test_demo_into_a_read_only_folder(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    assert main(["demo"]) == 1
    shown = capsys.readouterr()
    assert shown.err == "basilica demo: cannot write demo.basilica: the folder . is read-only\n"
    assert shown.out == ""


def test_demo_that_cannot_write_at_the_end_leaves_the_old_record(
    capsys: Out, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    Path("demo.basilica").write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert main(["demo", "--moves-only"]) == 1
    assert "cannot write demo.basilica: No space left on device" in capsys.readouterr().err
    assert Path("demo.basilica").read_text() == "old"
    assert len(list(folder.iterdir())) == 1


def test_demo_plays_an_agent_of_the_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("first_choice.py").write_text(
        "class First:\n"
        "    name = 'first'\n"
        "    def act(self, state):\n"
        "        return int(state.legal_actions()[0])\n"
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    record = demo("demo.basilica", "--agents", "first_choice:First", "random")
    assert record.players == ("first", "random")
    assert record.moves[0].move == record.initial().legal_moves()[0]


def test_illegal_agent_is_named(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    class Cheat:
        name = "cheat"

        def act(self, state: GameState) -> int:
            return int(np.setdiff1d(np.arange(667), state.legal_actions())[0])

    monkeypatch.setattr("basilica_env.agents.make_agent", lambda *_: Cheat())
    assert main(["demo"]) == 1
    assert "agent cheat chose action" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("int('two\\nlines')", r"failed: ValueError: .*'two\\nlines'"),
        ("{}['key']", "failed: KeyError: 'key'"),
        ("exit(0)", "failed: SystemExit: 0"),
        ("'x'", "chose action 'x', which is not legal"),
        ("None", "chose action 'None', which is not legal"),
        ("0.5", "chose action '0.5', which is not legal"),
        ("-1", "chose action '-1', which is not legal"),
        ("'\\x1b' * 99", "chose action '"),
    ],
)
@pytest.mark.parametrize(
    "verb", ["demo --agents {} greedy", "play --agent {} --seat 1", "analyse --agent {} POS"]
)
def test_an_agent_that_fails_is_named(
    verb: str, answer: str, reason: str, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("failing_agent.py").write_text(
        f"class Own:\n    name = 'own'\n    def act(self, state):\n        return {answer}\n"
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "failing_agent", raising=False)
    place = GameState.new(seed=7).to_text()
    words = [place if word == "POS" else word for word in verb.format("failing_agent:Own").split()]
    assert main(words) == 1
    error = capsys.readouterr().err
    assert re.fullmatch(rf"basilica {words[0]}: agent own {reason}.*\n", error)
    assert "\x1b" not in error


def test_an_agent_that_plays_on_the_state_itself_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("restless.py").write_text(
        "class Own:\n"
        "    name = 'own'\n"
        "    def act(self, state):\n"
        "        action = int(state.legal_actions()[0])\n"
        "        state.apply(action)\n"
        "        return action\n"
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    record = demo("demo.basilica", "--agents", "restless:Own", "greedy")
    assert record.termination in ("scoring", "exhaustion")


# --- replay ------------------------------------------------------------------------------------------


def test_replay_shows_what_the_demo_showed(capsys: Out) -> None:
    demo()
    played = capsys.readouterr().out.splitlines()
    assert main(["replay", "demo.basilica", "--moves-only"]) == 0
    replayed = capsys.readouterr().out.splitlines()
    assert replayed[0].startswith("Game 1: greedy against greedy, ")
    assert replayed[1:-1] == played[:-1]


def test_replay_with_boards(capsys: Out) -> None:
    record = demo()
    assert main(["replay", "demo.basilica"]) == 0
    assert capsys.readouterr().out.count("a      b      c      d      e") == len(record.moves) + 1


def test_replay_one_game_of_many(capsys: Out) -> None:
    record = demo()
    append_record("demo.basilica", demo("other", "--agents", "random", "random"))
    capsys.readouterr()
    assert main(["replay", "demo.basilica", "--moves-only", "--game", "2"]) == 0
    shown = capsys.readouterr().out
    assert "Game 2: random against random" in shown
    assert "greedy" not in shown
    assert main(["replay", "demo.basilica", "--moves-only"]) == 0
    assert "Game 2: " in capsys.readouterr().out
    assert main(["replay", "demo.basilica", "--moves-only", "--game", "3"]) == 1
    assert capsys.readouterr().err == "basilica replay: demo.basilica: no game 3, expected 1 to 2\n"
    assert record.players == ("greedy", "greedy")


def test_replay_of_a_game_behind_one_that_was_cut_off(capsys: Out) -> None:
    text = demo("cut.basilica").to_text()
    Path("cut.basilica").write_text(text[: len(text) // 2])
    append_record("cut.basilica", demo("other", "--agents", "random", "random"))
    capsys.readouterr()
    for number, status in (("1", 1), ("2", 0), ("3", 1)):
        assert main(["replay", "cut.basilica", "--moves-only", "--game", number]) == status
        shown = capsys.readouterr()
        assert ("Game 2: random against random" in shown.out) is (number == "2")
        if number == "1":
            assert re.match(r"basilica replay: cut.basilica, line \d+, game 1", shown.err)
        if number == "3":
            assert shown.err == "basilica replay: cut.basilica: no game 3, expected 1 to 2\n"
    assert main(["replay", "cut.basilica", "--game", "2", "--html", "game.html"]) == 0
    assert main(["replay", "cut.basilica", "--html", "game.html"]) == 1
    assert main(["replay", "cut.basilica"]) == 1
    assert ", game 1" in capsys.readouterr().err


def test_replay_of_a_damaged_record(capsys: Out) -> None:
    text = demo().to_text()
    Path("damaged").write_text(text + "\n" + text.replace("1.0 V", "1.0 V9", 1))
    capsys.readouterr()
    assert main(["replay", "damaged", "--moves-only"]) == 1
    shown = capsys.readouterr()
    assert "Game 1: " in shown.out
    assert re.fullmatch(r"basilica replay: damaged, line \d+, game 2, move 1: .*\n", shown.err)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("empty", "no game in it"),
        ("missing", "No such file"),
        (".", "directory"),
        ("a\0b", "a NUL character"),
    ],
)
def test_replay_of_no_record(name: str, reason: str, capsys: Out) -> None:
    Path("empty").touch()
    assert main(["replay", name]) == 1
    assert reason in capsys.readouterr().err


def test_replay_step_by_step(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    demo()
    capsys.readouterr()
    typed(monkeypatch, "", "", "q")
    assert main(["replay", "demo.basilica", "--moves-only", "--step"]) == 0
    shown = capsys.readouterr().out
    assert "  2  greedy" in shown
    assert "  3  greedy" not in shown


def test_replay_shows_comments_harmlessly(capsys: Out) -> None:
    text = demo().to_text()
    first = re.search(r"1\.0 \S+", text)
    assert first
    text = text.replace(first[0], f"{first[0]} {{well \u200b}}", 1).replace(
        'Player0 "', r'Player0 "\u{1b}[2J'
    )
    Path("noted").write_text(text)
    capsys.readouterr()
    assert main(["replay", "noted", "--moves-only"]) == 0
    shown = capsys.readouterr().out
    assert r"     well \u200b" in shown
    assert r"\x1b[2Jgreedy (0)" in shown
    assert "\x1b" not in shown


# --- tiles -------------------------------------------------------------------------------------------


def test_tiles_show(capsys: Out) -> None:
    assert main(["tiles", "show"]) == 0
    shown = capsys.readouterr().out
    assert "R0      R        promote   yes    yes\n" in shown
    assert "BG2     BG       move\n" in shown
    assert "promote       9       6      9\n" in shown
    assert "RY            3       2      1\n" in shown
    assert shown.count("all          58      36     25\n") == 2
    assert "assumed, not taken from the printed game: order, crown, coin" in shown


def test_tiles_check(capsys: Out) -> None:
    text = TileSet.standard().to_csv()
    Path("mine.csv").write_text(text.partition("\n")[2])
    assert main(["tiles", "check", "mine.csv"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("mine.csv: a sound tile set of 58 tiles, no column is assumed\n")
    assert TileSet.standard().digest in shown
    Path("mine.csv").write_text(text.replace("R1,R,move", "R1,R,march"))
    assert main(["tiles", "check", "mine.csv"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("basilica tiles: mine.csv, line 4, column 'order': unknown order 'march'")


@pytest.mark.parametrize(
    ("name", "shown", "reason"),
    [
        ("none.csv", "none.csv", "No such file or directory"),
        (".", ".", "Is a directory"),
        ("a\0b", r"a\x00b", "not the name of a file: a NUL character in it"),
        ("\x1b[2J", r"\x1b[2J", "No such file or directory"),
        ("n" * 300, "n" * 300, "File name too long"),
    ],
)
@pytest.mark.parametrize("verb", ["tiles check", "tiles show", "demo --tiles", "play --tiles"])
def test_a_tile_set_that_cannot_be_read(verb: str, name: str, shown: str, reason: str, capsys: Out) -> None:
    assert main([*verb.split(), name]) == 1
    assert capsys.readouterr().err == f"basilica {verb.split()[0]}: {shown}: {reason}\n"


# --- play --------------------------------------------------------------------------------------------


def play(monkeypatch: pytest.MonkeyPatch, *lines: str, options: str = "--seed 3") -> None:
    typed(monkeypatch, *lines)
    assert main(["play", *options.split()]) == 0


def test_play_a_whole_game(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the end the prompt asks for a file; the numbers left over are the name of one."""
    play(monkeypatch, *["1"] * 300, options="--seed 3 --seat 1 --agent random")
    shown = capsys.readouterr().out
    assert "The game is over: " in shown
    (record,) = read_records("1")
    assert record.players == ("random", "human")
    assert record.termination in ("scoring", "exhaustion")
    assert record.seed == 3


def test_play_by_text_number_and_any_case(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, "V1a1", "b", "2", "save game", "quit", "")
    (record,) = read_records("game")
    assert [recorded.move for recorded in record.moves[:3]] == ["V1a1", "B", "V1c1"]
    assert record.termination == "unfinished"
    assert "Wrote game\n" in capsys.readouterr().out


def test_play_refuses_what_is_no_move(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, "V1a9", "0", "99", "B", "\x00\x1b[2J", "", "save", "quit")
    shown = capsys.readouterr().out
    for line in ("'V1a9'", "'0'", "'99'", "'B'", r"'\x00\x1b[2J'"):
        assert f"{line} is no move here: expected a move of the list, or its number from 1 to 15" in shown
    assert "save needs the name of a file" in shown
    assert "\x1b" not in shown


def test_play_undo(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, "undo", "1", "1", "undo", "2", "3", "undo", "undo", "undo", "5", "save game")
    assert "nothing to take back" in capsys.readouterr().out
    (record,) = read_records("game")
    assert [recorded.move for recorded in record.moves] == ["V1e1"]


def test_play_undo_across_the_turn_of_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, "1", "1", "1", "undo", "undo", "undo", "save game")
    (record,) = read_records("game")
    assert record.moves == ()


@pytest.mark.parametrize(
    ("board", "orders", "lines", "clause", "listed"),
    [
        ("", "R1 R5 G3", (), "R3.1", "V1a1"),
        ("R2+0 Y2+1 . . .", "R0 R5 G3", ("O1",), "R6.4", "a1=M Master Mason"),
        ("R2+0 Y2 . . .", "R1 R5 G3", ("O1",), "R6.5", "a1-b1"),
        ("R3 Y2 . . .", "R2 R5 G3", ("O1",), "R6.6", "Choices"),
        ("R2+0 Y2+1 B5 . .", "R3 R5 G3", ("O1",), "R6.7", "a1"),
        ("R2+0 Y2+1 B5 . .", "R3 R5 G3", ("O1", "a1"), "R6.7", "b1-c1"),
        ("R2+0 Y2 . . .", "R4 R5 G3", ("O1",), "R6.8", "Choices"),
        ("R2+0 Y2 . . .", "R6 R5 G3", ("O1",), "R6.8", "b1"),
        ("R2+0 Y2 . . .", "R1 R5 G3", ("O2", "c1"), "R6.8", "d1"),
    ],
)
def test_play_explains_each_decision(
    board: str,
    orders: str,
    lines: tuple[str, ...],
    clause: str,
    listed: str,
    capsys: Out,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = position(board, orders=orders, vaults="Y1 B0 B7", coins="2:0")
    typed(monkeypatch, *lines, "?", "hint", "moves")
    assert main(["play", "--position", text]) == 0
    shown = capsys.readouterr().out
    assert f"({clause}" in shown or f", {clause}" in shown
    assert listed in shown
    assert "The greedy player " in shown


def test_play_offer(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    text = position(
        "R2+0M Y2+1 B5+1 . .",
        orders="R0 R8 Y9",
        vaults="Y1 B0 B7",
        decision="offer:1:M",
    )
    typed(monkeypatch, "?", "pay", "?", "b1=S", "quit", "")
    assert main(["play", "--position", text, "--seat", "1"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "human (1) decides: Promote: give your coin for the paid order, or pass" in shown
    assert "paid Promote: choose a builder of yours and its rank, not Master Mason" in shown
    assert shown.count("R6.9") == 2


def test_play_areas(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, "1", "B", "areas")
    assert re.search(r"  Y  yellow +1 +1:0 +0 +1:0\n", capsys.readouterr().out)


def test_play_from_an_impossible_position(capsys: Out) -> None:
    assert main(["play", "--position", "- -"]) == 2
    assert capsys.readouterr().err.startswith("basilica play: --position: 2 fields")


def test_play_saves_over_no_other_file(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("notes").write_text("mine")
    play(monkeypatch, "1", "save notes", "save game", "save game", "save no/game", "quit", "notes")
    shown = capsys.readouterr().out
    assert shown.count("notes exists already") == 2
    assert shown.count("Wrote game") == 2
    assert "Not written: cannot write no/game" in shown
    assert Path("notes").read_text() == "mine"


@pytest.mark.parametrize("name", ["n" * 300, "a\0b", ".", "no/game", "a/" * 3000, "\udc80/x", "\ud800"])
def test_play_goes_on_after_a_name_that_cannot_be_written(
    name: str, capsys: Out, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    play(monkeypatch, "1", f"save {name}", "areas", "quit", name)
    shown = capsys.readouterr().out
    assert shown.count("Not written: cannot write ") == 2
    assert list(folder.iterdir()) == []


def test_play_shows_the_name_of_a_file_harmlessly(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, "1", "save \x1b[2J", "quit", "\x1b[2J")
    shown = capsys.readouterr().out
    assert shown.count(r"Wrote \x1b[2J") == 2
    assert "\x1b" not in shown


def test_play_offers_the_record_at_the_end_of_the_input(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["1", None, "game"])
    monkeypatch.setattr("basilica_env.cli.play.ask", lambda _: next(answers))
    assert main(["play", "--seed", "3"]) == 0
    assert capsys.readouterr().out.endswith("Wrote game\n")


def test_play_areas_of_an_empty_board(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    text = position("", orders="R1 R5 G3", vaults="Y1 B0 B7")
    typed(monkeypatch, "areas")
    assert main(["play", "--position", text]) == 0
    assert "There are no areas yet.\n" in capsys.readouterr().out


def test_play_record_of_a_set_up_position_has_no_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = position("", orders="R1 R5 G3", vaults="Y1 B0 B7")
    typed(monkeypatch, "1", "save game")
    assert main(["play", "--position", text, "--seed", "5"]) == 0
    (record,) = read_records("game")
    assert record.seed is None
    assert record.position == text


def test_play_random_seat_takes_both() -> None:
    assert {game.derived(seed, 2) % 2 for seed in range(10)} == {0, 1}


def test_menu_lists_each_legal_move_by_its_number() -> None:
    state = GameState.new(seed=3)
    while not state.is_over:
        listed = dict(
            re.findall(r"(?:^|\s)(\d+) (\S+)", re.sub(r"^Vault \d: ", "Vault: ", menu(state), flags=re.M))
        )
        assert listed == {str(n): move for n, move in enumerate(state.legal_moves(), 1)}
        state.apply(state.sample_action())


# --- In a terminal -----------------------------------------------------------------------------------


def test_terminal_plays_a_whole_game_in_colour() -> None:
    with PseudoTerminal([*COMMAND, "play", "--seed", "4", "--agent", "random"]) as terminal:
        while terminal.wait_for("> ", "Enter for no: ") == "> ":
            terminal.type("1")
        terminal.type("game")
        assert terminal.end() == 0
    assert "The game is over: " in terminal.shown
    assert "\x1b[38;5;16;48;5;166m" in terminal.shown
    assert "╘══════╧" in terminal.shown
    (record,) = read_records("game")
    assert record.players == ("human", "random")


def test_terminal_without_abilities_shows_plain_text() -> None:
    with PseudoTerminal([*COMMAND, "play", "--seed", "4"], TERM="dumb") as terminal:
        terminal.wait_for("> ")
        terminal.type("quit")
        assert terminal.end() == 0
    assert terminal.shown.isascii()
    assert "\x1b" not in terminal.shown


@pytest.mark.parametrize("command", ["play", "demo --delay 30"])
def test_interrupt_leaves_no_traceback(command: str) -> None:
    with PseudoTerminal([*COMMAND, *command.split(), "--seed", "4"]) as terminal:
        terminal.wait_for("decides: ")
        terminal.interrupt()
        assert terminal.end() == 130
    assert "Traceback" not in terminal.shown
    assert not Path("demo.basilica").exists()


@pytest.mark.parametrize("module", ["gymnasium", "numpy", "rich", "argparse", "numba"])
def test_interrupt_while_the_command_starts(module: str, folder: Path) -> None:
    """Ctrl-C comes while a module is loaded: by the package, by the command, by a verb."""
    (folder / f"{module}.py").write_text("raise KeyboardInterrupt\n")
    ended = subprocess.run(
        [sys.executable, "-c", START, "bench" if module == "rich" else "demo"],
        env=os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 130
    assert ended.stderr.strip() == ""


def test_closed_pipe_is_quiet() -> None:
    running = subprocess.Popen(
        [*COMMAND, "demo", "--seed", "4"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout
    assert running.stderr
    running.stdout.readline()
    running.stdout.close()
    assert running.stderr.read() == ""
    running.stderr.close()
    assert running.wait() == 141


# --- The page about it -------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["demo", "play", "replay"])
def test_page_names_every_option(verb: str, capsys: Out) -> None:
    page = (Path(__file__).parents[1] / "docs" / "cli.md").read_text(encoding="utf-8")
    chapter = page.partition(f"\n## {verb}\n")[2].partition("\n## ")[0]
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    options = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out)) - {"--help"}
    assert options == set(
        re.findall(r"--[a-z][a-z-]*", re.sub("^```.*?^```", "", chapter, flags=re.M | re.S))
    )
