"""Game records: exact text, both ways, many in a file, every fault, and whatever comes."""

from __future__ import annotations

import io
import math
import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from basilica_env import GameState
from basilica_env.core.tiles import TileSet
from basilica_env.game import IllegalMoveError
from basilica_env.records import (
    LONGEST_LINE,
    GameRecord,
    RecordedMove,
    Recorder,
    RecordError,
    append_record,
    read_records,
    scan_records,
    write_records,
)
from tests.positions import STANDARD, position, split

OTHER = replace(STANDARD, name="other", crowns=STANDARD.crowns[::-1])

START = position("R2 Y2+1 B2 . .", orders="R4 R1 R9", vaults="R3 Y1 B0", stack="G1 G2 G3 G4")
"""Stained Glass, Move and Recruit to execute; player 0 begins."""

TEXT = f"""\
[Format "basilica 1"]
[Tiles "standard"]
[TilesDigest "{STANDARD.digest}"]
[Player0 "greedy"]
[Player1 "mcts:sims=800"]
[Seed "7"]
[Date "2025-01-31"]
[Result "1-0"]
[Score "0:0"]
[Termination "time"]
[Position "{START}"]
[Event "A \\"test\\""]

1.0 V1b2 @0.532 B O3 a1 @1.000 {{she \\{{hopes\\}}}} pass @12.003
2.1 O2 {{a scaffold next}}
1-0 0:0
"""


def recorded() -> GameRecord:
    """Record the game in TEXT."""
    recorder = Recorder(
        GameState.from_text(START), ("greedy", "mcts:sims=800"), 7, "2025-01-31", {"Event": 'A "test"'}
    )
    recorder.play("V1b2", clock=0.5322)
    recorder.play("B")
    recorder.play("O3")
    recorder.play("a1", clock=1, comment="she {hopes}")
    recorder.play("pass", clock=12.003)
    recorder.play("O2", comment="a scaffold next")
    return recorder.record("time", "1-0")


def reading(text: str | bytes, tiles: tuple[TileSet, ...] = ()) -> list[GameRecord]:
    file = io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text)
    return list(read_records(file, tiles))


def random_move(state: GameState, rng: random.Random) -> str:
    """Choose the kind of move first: games with orders, offers and mostly a reshuffle."""
    kinds: dict[str, list[str]] = {}
    for move in state.legal_moves():
        kinds.setdefault(move[0] if move[0] in "VBO" else "", []).append(move)
    return rng.choice(kinds[rng.choice(sorted(kinds))])


def random_record(seed: int, tiles: TileSet = STANDARD, length: int = 10**6) -> GameRecord:
    rng = random.Random(seed)
    recorder = Recorder(GameState.new(seed=seed, tiles=tiles), seed=seed)
    while not recorder.state.is_over and len(recorder.moves) < length:
        clock = rng.expovariate(1) if rng.random() < 0.3 else None
        recorder.play(random_move(recorder.state, rng), clock, rng.choice(["", "", "", "well, {well}"]))
    return recorder.record()


# --- What is right -------------------------------------------------------------------------------


def test_the_text_of_a_record() -> None:
    record = recorded()
    assert record.to_text() == TEXT
    assert reading(TEXT) == [record]
    assert record.moves[0] == RecordedMove("V1b2", 0.532)
    assert record.moves[3] == RecordedMove("a1", 1.0, "she {hopes}")
    assert record.scores == (0, 0)
    assert record.headers == {"Event": 'A "test"'}
    assert hash(record) == hash(reading(TEXT)[0])


def test_a_record_without_moves() -> None:
    record = Recorder(GameState.new(seed=1)).record()
    assert (record.result, record.termination, record.seed, record.date) == ("*", "unfinished", None, "?")
    assert record.to_text().endswith(' main 0"]\n\n* 0:0\n')
    assert reading(record.to_text()) == [record]


@pytest.mark.parametrize("tiles", [STANDARD, OTHER], ids=["standard", "other"])
def test_whole_games(tiles: TileSet) -> None:
    piles = 0
    for seed in range(8):
        record = random_record(seed, tiles)
        text = record.to_text()
        (again,) = reading(text, (OTHER,))
        assert again == record
        assert again.to_text() == text
        assert again.tiles == tiles
        piles += sum(bool(move.reshuffled) for move in record.moves)
    assert piles >= 4


def test_replaying_gives_the_states_of_the_game() -> None:
    rng = random.Random(3)
    recorder = Recorder(GameState.new(seed=3))
    played = []
    while not recorder.state.is_over:
        recorder.play(random_move(recorder.state, rng))
        played.append(recorder.state.copy())
    record = reading(recorder.record().to_text())[0]
    assert record.initial() == GameState.new(seed=3)
    replayed = list(record.replay())
    assert replayed == played
    assert any(state.was_reshuffled for state in played)
    assert replayed[-1].scores == record.scores


def test_the_recorder_takes_numbers_and_refuses_illegal_moves() -> None:
    recorder = Recorder(GameState.from_text(START))
    recorder.play(recorder.state.action_of("V1b2"))
    before = recorder.state.to_text()
    for move in ("V1b2", "pay", "nonsense", 510):
        with pytest.raises(IllegalMoveError):
            recorder.play(move)
    for clock in (-1.0, math.nan, math.inf, 1e9):
        with pytest.raises(ValueError, match=r"clock .* of move 'B': expected seconds"):
            recorder.play("B", clock=clock)
    assert recorder.state.to_text() == before
    assert recorder.moves == [RecordedMove("V1b2")]


REDRAWN = position(
    ".    YB0  .    YG1  .\nRY0  R2   RB1  Y2   RG2",
    orders="R0 R1 R3",
    vaults="YB1 YB2 BG0",
    stack="BG2",
    rest="discard",
)


def test_the_pile_of_a_reshuffle_within_a_redraw() -> None:
    recorder = Recorder(GameState.from_text(REDRAWN))
    recorder.play("redraw")
    (move,) = recorder.moves
    fields = split(recorder.state.to_text())
    assert fields["vaults"].split(",") == ["BG2", *move.reshuffled[:2]]
    assert fields["stack"].split(",") == [*move.reshuffled[2:]]
    (record,) = reading(recorder.record().to_text())
    assert list(record.replay()) == [recorder.state]


def test_the_pile_of_a_reshuffle_after_an_order_may_bring_its_tile_back() -> None:
    start = position(
        "R2+0 Y2 . . .", orders="R1 R4 R9", vaults="R3 Y1 B0", discard="Y9", rest="discard", reshuffled=0
    )
    came_back = 0
    for seed in range(120):
        recorder = Recorder(GameState.from_text(start, seed=seed))
        recorder.play("O1")
        recorder.play("a1-b1")
        pile = recorder.moves[-1].reshuffled
        fields = split(recorder.state.to_text())
        assert fields["orders"].split(",")[0] == pile[0]
        assert fields["stack"].split(",") == [*pile[1:]]
        came_back += pile[0] == "R1"
        assert reading(recorder.record().to_text())[0].moves[-1].reshuffled == pile
    assert came_back


def test_the_turns_of_a_game_cut_into() -> None:
    # Turns count from the position: it is player 1's, with one action left.
    recorder = Recorder(
        GameState.from_text(position("R2 Y2 . . .", orders="R0 R1 R3", vaults="R4 Y1 B0", turn="1:1"))
    )
    recorder.play("V2b2")
    recorder.play("V2c1")
    lines = recorder.record().to_text().splitlines()
    assert lines[-3:] == ["1.1 V2b2", "2.0 V2c1", "* 0:0"]


def test_forms_of_the_text() -> None:
    (record,) = reading(TEXT)
    turns = TEXT.replace(" O3", "\nO3").replace("2.1 ", "\n\n2.1\n\n").replace(" @1.000", "  @1.000")
    for text in (
        TEXT.replace("\n", "\r\n"),
        TEXT.removesuffix("\n"),
        "\n\n" + TEXT + "\n\n\n",
        "\ufeff" + TEXT,
        TEXT.replace("\n\n", "\n"),
        TEXT.replace("\n", "  \n\t"),
        turns,
        TEXT.replace("A ", r"\u{41} "),
    ):
        assert reading(text) == reading(text.encode()) == [record]
        assert reading(text)[0].to_text() == TEXT


HOSTILE = [
    'quote " backslash \\ \\" \\n',
    "line\nline\r\nline\rtab\t",
    '[Result "0-1"]\n\n1-0 0:0\n[Format',
    "{braces} }{ \\} <R3,YB1> @0.100 1.0 1-0 0:0",
    "\0\x07\x1b[31m\x7f\x85\xa0\u2028\u2029\u202e\ufeff",
    "Größe 日本 🏛 \ud800 \udfff",
    " ",
    "\\",
    "\\u{41}",
    "x" * 5000,
]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values(value: str) -> None:
    recorder = Recorder(GameState.from_text(START), (value, "b"), headers={"Event": value, "Z9": ""})
    recorder.play("V1b2", comment=value)
    recorder.play("B", comment="after")
    record = recorder.record(termination=value)
    text = record.to_text()
    assert text.isprintable() or set(filter(lambda mark: not mark.isprintable(), text)) <= {"\n", "\xa0"}
    assert len(text.splitlines()) == len(recorded().to_text().splitlines())
    assert reading(text.encode()) == [record]
    assert reading(text)[0].to_text() == text


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_values(name: str, comment: str) -> None:
    recorder = Recorder(GameState.from_text(START), (name, comment))
    recorder.play("V1b2", comment=comment)
    record = recorder.record()
    assert reading(record.to_text().encode()) == [record]


# --- Files ---------------------------------------------------------------------------------------


def test_files_of_many_records(tmp_path: Path) -> None:
    path = tmp_path / "games.basilica"
    records = [random_record(seed, length=40) for seed in range(30)]
    write_records(path, iter(records))
    data = path.read_bytes()
    assert data == "\n".join(record.to_text() for record in records).encode()
    assert list(read_records(path)) == list(read_records(str(path))) == records
    write_records(path, read_records(path))
    assert path.read_bytes() == data
    for record in records[:3]:
        append_record(path, record)
    assert list(read_records(path)) == records + records[:3]
    assert list(tmp_path.iterdir()) == [path]


def test_appending_begins_a_file(tmp_path: Path) -> None:
    for records in (1, 2, 3):
        append_record(tmp_path / "games", recorded())
        assert (tmp_path / "games").read_text("utf-8") == "\n".join([TEXT] * records)


def test_reading_is_a_stream() -> None:
    class Endless(io.RawIOBase):
        """The same record again and again."""

        def __init__(self) -> None:
            self.place = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any, /) -> int:
            data = (TEXT + "\n").encode()
            for index in range(len(buffer)):
                buffer[index] = data[(self.place + index) % len(data)]
            self.place += len(buffer)
            return len(buffer)

    games = read_records(io.BufferedReader(Endless()))
    assert [next(games).seed for _ in range(50)] == [7] * 50


def test_a_failed_write_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "games"
    append_record(path, recorded())
    bad = replace(recorded(), scores=(1, 0))
    with pytest.raises(ValueError, match="score 1:0: expected 0:0"):
        write_records(path, [recorded(), recorded(), bad])
    with pytest.raises(ValueError, match="score 1:0: expected 0:0"):
        append_record(path, bad)
    assert path.read_text("utf-8") == TEXT
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        append_record(tmp_path / "absent" / "games", recorded())
    with pytest.raises(FileNotFoundError):
        list(read_records(tmp_path / "absent"))


def test_a_record_that_was_cut_off_does_not_spoil_the_next(tmp_path: Path) -> None:
    path = tmp_path / "games"
    for cut in (
        "1-0 0:0\n",
        "0:0\n",
        " {a scaffold next}\n1-0 0:0\n",
        "pass @12.003\n2.1 O2 {a scaffold next}\n1-0 0:0\n",
    ):
        path.write_text(TEXT.removesuffix(cut), "utf-8")
        append_record(path, recorded())
        assert path.read_text("utf-8").endswith("\n\n" + TEXT)
        with pytest.raises(RecordError, match=r"cut off|malformed|unknown move '1-0'"):
            list(read_records(path))


def test_whole_records_are_reached_behind_damaged_ones(tmp_path: Path) -> None:
    """Wherever a crash cut a record off, the record that is appended can be read."""
    path = tmp_path / "games"
    for cut in range(1, len(TEXT) - 1):
        path.write_text(TEXT[:cut], "utf-8")
        append_record(path, recorded())
        damaged, whole = scan_records(path)
        assert isinstance(damaged, RecordError)
        assert damaged.game == 1
        assert whole == recorded()


@pytest.mark.parametrize(
    "damage",
    [
        b"\xff\n",
        b"x" * (3 * LONGEST_LINE) + b"\n",
        b"[Format \n",
        b"[Format 1]\n[Format 2]\n",
        TEXT.replace("V1b2", "V9b2").encode(),
        TEXT.replace("pass", "\xff", 1).encode("latin-1"),
        TEXT.replace("[Seed", "[Format").encode(),
    ],
)
def test_scanning_goes_on_behind_any_damage(damage: bytes) -> None:
    good = TEXT.encode()
    found = list(scan_records(io.BytesIO(b"\n".join((good, damage, good)))))
    assert found[0] == found[-1] == recorded()
    assert all(isinstance(record, RecordError) for record in found[1:-1])
    assert [record.game for record in found[1:-1] if isinstance(record, RecordError)] == [
        *range(2, len(found))
    ]


def test_games_count_from_one_in_a_file_that_cannot_be_read() -> None:
    with pytest.raises(RecordError, match=r"^record, line 1, game 1: not UTF-8"):
        list(read_records(io.BytesIO(b"\xff")))
    with pytest.raises(RecordError, match="line 17, game 2: not UTF-8"):
        list(read_records(io.BytesIO(TEXT.encode() + b"\xff")))


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(OSError, match="not the name of a file: a NUL character"):
        list(read_records("a\0b"))


# --- What is wrong -------------------------------------------------------------------------------

FINISHED = random_record(0)
FINISHED_TEXT = FINISHED.to_text()
RESHUFFLE = next(move for move in FINISHED.moves if move.reshuffled)
RESHUFFLE_NUMBER = FINISHED.moves.index(RESHUFFLE) + 1
PILE = f" <{','.join(RESHUFFLE.reshuffled)}>"
OPPOSITE = {"1-0": "0-1", "0-1": "1-0", "1/2-1/2": "0-1"}[FINISHED.result]


def edited(old: str, new: str, text: str = TEXT) -> str:
    assert old in text
    return text.replace(old, new)


WRONG: dict[str, tuple[str | bytes, int, int | None, str]] = {
    "no header": ("V1b2\n", 1, None, "missing header 'Format'"),
    "other format": (
        edited('"basilica 1"', '"basilica 2"'),
        13,
        None,
        "format 'basilica 2': expected 'basilica 1'",
    ),
    "missing header": (edited('[Seed "7"]\n', ""), 12, None, "missing header 'Seed'"),
    "header twice": (edited("[Event", "[Seed"), 12, None, "second header 'Seed'"),
    "header without end": (edited('"greedy"]', '"greedy"'), 4, None, "malformed header"),
    "header without quote": (edited('"greedy"]', "greedy]"), 4, None, "malformed header"),
    "header name": (edited("[Event", "[Ev-ent"), 12, None, "malformed header"),
    "open quote": (edited('"greedy"]', '"gre"edy"]'), 4, None, "malformed header"),
    "unknown escape": (edited("greedy", "gree\\dy"), 4, None, "header 'Player0': unknown escape"),
    "number of no character": (edited("greedy", "\\u{110000}"), 4, None, "header 'Player0': unknown escape"),
    "unknown tiles": (
        edited(STANDARD.digest, OTHER.digest),
        13,
        None,
        "unknown tile set 'standard' with digest",
    ),
    "seed": (edited('"7"', '"-7"'), 13, None, "seed '-7': expected an integer from 0"),
    "date": (edited("2025-01-31", "2025-02-31"), 13, None, "date '2025-02-31'"),
    "date without dashes": (edited("2025-01-31", "20250131"), 13, None, "date '20250131'"),
    "position": (edited("Y2+1", "Y2+1*"), 13, None, "header 'Position': 'Y2+1*' on b1 in field 1"),
    "illegal move": (edited("V1b2", "V1b3"), 14, 1, "illegal move 'V1b3'; player 0 decides 'main'"),
    "unknown move": (edited("V1b2", "Vlb2"), 14, 1, "unknown move 'Vlb2'"),
    "illegal later": (edited(" pass", " pay pay"), 14, 6, "illegal move 'pay'"),
    "no turn": (edited("1.0 ", ""), 14, 1, "move 'V1b2' without turn: expected 1.0 before it"),
    "no second turn": (edited("2.1 ", ""), 15, 6, "move 'O2' without turn: expected 2.1 before it"),
    "wrong turn": (edited("1.0", "2.0"), 14, 1, "turn 2.0: expected 1.0"),
    "wrong player": (edited("2.1", "2.0"), 15, 6, "turn 2.0: expected 2.1"),
    "turn too soon": (edited(" O3", " 2.1 O3"), 14, 3, "turn 2.1: expected a move of turn 1.0"),
    "turn twice": (edited("1.0", "1.0 1.0"), 14, 1, "turn 1.0: expected a move of turn 1.0"),
    "turn without move": (edited("2.1 O2 {a scaffold next}", "2.1"), 16, None, "turn 2.1 without a move"),
    "clock": (edited("@0.532", "@0.53"), 14, 2, "malformed '@0.53 B"),
    "negative clock": (edited("@0.532", "@-0.532"), 14, 2, "malformed '@-0.532"),
    "clock before move": (edited("V1b2 @0.532", "@0.532 V1b2"), 14, 1, "malformed '@0.532 V1b2"),
    "two clocks": (edited("@0.532", "@0.532 @0.532"), 14, 2, "malformed '@0.532"),
    "comment before clock": (edited("@0.532", "{x} @0.532"), 14, 2, "malformed '@0.532"),
    "comment without end": (edited("next}", "next"), 15, 7, "malformed '{a scaffold next'"),
    "comment without beginning": (edited("{a ", "a} "), 15, 7, "malformed 'a} scaffold"),
    "comment in comment": (edited("{a ", "{a {} "), 15, 7, "malformed '{a {} "),
    "escape in comment": (edited("{a ", "{\\a "), 15, 6, "unknown escape"),
    "glued": (edited("V1b2 @0.532", "V1b2@0.532"), 14, 1, "malformed 'V1b2@0.532"),
    "tabs are blanks, nothing else": (edited("B O3", "B\x0bO3"), 14, 2, "malformed 'B\\x0bO3"),
    "pile where none is due": (edited("V1b2 @0.532", "V1b2 @0.532 <R3,YB1>"), 14, 1, "reshuffles nothing"),
    "no pile": (
        edited(PILE, "", FINISHED_TEXT),
        0,
        RESHUFFLE_NUMBER,
        "reshuffles: expected the pile after it",
    ),
    "short pile": (edited(PILE, PILE[:-4] + ">", FINISHED_TEXT), 0, RESHUFFLE_NUMBER, "pile"),
    "pile with an unknown tile": (
        edited(PILE, " <R99>", FINISHED_TEXT),
        0,
        RESHUFFLE_NUMBER,
        "unknown tile 'R99'",
    ),
    "pile with a tile twice": (
        edited(PILE, f" <{','.join([RESHUFFLE.reshuffled[0], *RESHUFFLE.reshuffled[:-1]])}>", FINISHED_TEXT),
        0,
        RESHUFFLE_NUMBER,
        "each once",
    ),
    "empty pile": (edited("V1b2 @0.532", "V1b2 @0.532 <>"), 14, 2, "malformed '<>"),
    "other result": (
        edited("1-0 0:0", "0-1 0:0"),
        16,
        None,
        "result 0-1: expected '1-0', as header 'Result' says",
    ),
    "other score": (edited("1-0 0:0", "1-0 0:1"), 16, None, "score 0:1: expected '0:0'"),
    "wrong score": (edited("0:0\n", "3:0\n", edited('"0:0"', '"3:0"')), 16, None, "score 3:0: expected 0:0"),
    "result of a game that goes on": (
        edited('"time"', '"unfinished"'),
        16,
        None,
        "result '1-0' of an unfinished game: expected '*'",
    ),
    "end of a game that goes on": (edited('"time"', '"scoring"'), 16, None, "of a game that is not over"),
    "no termination": (edited('"time"', '""'), 16, None, "termination '' of a game that is not over"),
    "result against the score": (
        edited(
            f"{FINISHED.result} ",
            f"{OPPOSITE} ",
            edited(f'"{FINISHED.result}"', f'"{OPPOSITE}"', FINISHED_TEXT),
        ),
        0,
        None,
        f"result '{OPPOSITE}': expected '{FINISHED.result}'",
    ),
    "other termination": (
        edited(f'"{FINISHED.termination}"', '"time"', FINISHED_TEXT),
        0,
        None,
        f"termination 'time': expected '{FINISHED.termination}'",
    ),
    "result without score": (edited("1-0 0:0\n", "1-0\n"), 16, 7, "unknown move '1-0'"),
    "cut in the headers": (TEXT[: TEXT.index("[Result")], 8, None, "the file ends within a record"),
    "cut in a header": (TEXT[: TEXT.index(" main 0")], 11, None, "malformed header"),
    "cut after the headers": (TEXT[: TEXT.index("1.0")], 14, None, "the file ends within a record"),
    "cut in the moves": (TEXT[: TEXT.index("2.1")], 15, None, "the file ends within a record"),
    "cut in a comment": (TEXT[: TEXT.index(" next}")], 15, 7, "malformed '{a scaffold'"),
    "cut before a record": (
        TEXT[: TEXT.index("1-0 0:0\n")] + TEXT,
        16,
        None,
        "the record before this line is cut off",
    ),
    "text after the end": (edited("1-0 0:0\n", "1-0 0:0 B\n"), 16, 7, "unknown move '1-0'"),
    "not utf-8": (TEXT.encode().replace(b"greedy", b"gr\xe9edy"), 4, None, "not UTF-8: byte 0xe9"),
    "endless line": (
        TEXT.replace("greedy", "x" * LONGEST_LINE),
        4,
        None,
        f"a line of {LONGEST_LINE} bytes or more",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_fault_names_line_game_and_move(case: str) -> None:
    text, line, move, reason = WRONG[case]
    with pytest.raises(RecordError) as caught:
        reading(text)
    error = caught.value
    assert reason in error.reason
    assert (error.game, error.move) == (1, move)
    if line:
        assert error.line == line
    assert str(error).startswith(f"record, line {error.line}, game 1{f', move {move}' if move else ''}: ")
    assert len(str(error)) < 600
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_lines_and_games_count_through_the_file(tmp_path: Path) -> None:
    path = tmp_path / "games.basilica"
    path.write_text(TEXT + "\n" + edited("V1b2", "V1b3"), "utf-8")
    games = read_records(path)
    assert next(games) == recorded()
    with pytest.raises(RecordError) as caught:
        next(games)
    assert str(caught.value).startswith(f"{path}, line 31, game 2, move 1: illegal move 'V1b3'")


def test_no_move_after_the_end() -> None:
    lines = FINISHED_TEXT.splitlines()
    lines[-2] += " V1a1"
    with pytest.raises(RecordError, match="the game is over"):
        reading("\n".join(lines))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"headers": {"Result": "1-0"}}, "header 'Result': expected a letter"),
        ({"headers": {"a b": ""}}, "header 'a b': expected a letter"),
        ({"headers": {"1": ""}}, "header '1': expected a letter"),
        ({"seed": -1}, "seed -1: expected an integer from 0"),
        ({"seed": True}, "seed True: expected an integer from 0"),
        ({"date": "31.1.2025"}, "date '31.1.2025': expected one such as 2025-01-31"),
    ],
)
def test_a_record_that_could_not_be_read_is_not_made(change: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        replace(recorded(), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"moves": (RecordedMove("V1e5"),)}, "illegal move 'V1e5'"),
        ({"result": "2-0"}, "result '2-0': expected one of 1-0, 0-1, 1/2-1/2"),
        ({"position": "nothing"}, "1 fields"),
        ({"players": ("x" * LONGEST_LINE, "y")}, "expected less than"),
    ],
)
def test_a_record_that_does_not_fit_is_not_written(change: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        replace(recorded(), **change).to_text()  # type: ignore[arg-type]


def test_the_end_that_a_recorder_is_told_must_fit() -> None:
    recorder = Recorder(GameState.from_text(START))
    assert recorder.record("resigned", "0-1").result == "0-1"
    for termination, result in (("scoring", None), ("exhaustion", "1-0"), (None, "1-0"), ("time", "won")):
        with pytest.raises(ValueError, match=r"termination|result"):
            recorder.record(termination, result)


# --- Whatever comes ------------------------------------------------------------------------------

FILES = [TEXT, TEXT + "\n" + TEXT, FINISHED_TEXT, random_record(1, length=15).to_text()]
PARTS = st.sampled_from(sorted({part for text in FILES for part in text.replace("\n", " \n ").split(" ")}))
EDITS: list[Callable[[str, int, str], str]] = [
    lambda text, place, part: text[:place] + part + text[place:],
    lambda text, place, part: text[:place] + part + text[place + len(part) :],
    lambda text, place, _: text[:place],
    lambda text, place, part: text[:place] + " " + part + " " + text[place:],
]


def read_or_refuse(data: str | bytes) -> None:
    records, error = [], None
    try:
        records = reading(data)
    except RecordError as caught:
        error = caught
    if error is not None:
        assert error.line >= 1
        assert error.game >= 0
        assert error.reason
    for record in records:
        assert reading(record.to_text()) == [record]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60) | st.binary(max_size=60) | st.lists(PARTS, max_size=20).map(" ".join))
def test_any_text(data: str | bytes) -> None:
    read_or_refuse(data)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FILES), st.sampled_from(EDITS), st.data())
def test_any_edit_of_a_file(text: str, edit: Callable[[str, int, str], str], data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(text)))
        text = edit(text, place, data.draw(PARTS | st.text(max_size=2)))
    read_or_refuse(text)
