"""Tile sets: reading, checking, writing, and the arrays the core uses (R1.1, R1.4)."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from basilica_env.core.layout import COIN, COLOUR, CROWN, ORDER, ORDER_NAMES, TILE, TILE_ID
from basilica_env.core.tiles import LARGEST_FILE, TileSet, TileSetError, tile_set

STANDARD = TileSet.standard()
HEADER = "code,colours,order,crown,coin\n"
CSV = STANDARD.to_csv().removeprefix("# assumed: order, crown, coin\n")


def parse(text: str | bytes) -> TileSet:
    return TileSet.parse(text.encode() if isinstance(text, str) else text, "mine", "mine.csv")


def with_row(number: int, row: str) -> str:
    """Give the rows of the standard set with another row in line ``number``, the header being line 1."""
    lines = CSV.splitlines()
    lines[number - 1] = row
    return "\n".join(lines) + "\n"


# --- What is right -------------------------------------------------------------------------------


def test_standard_says_what_is_assumed() -> None:
    assert STANDARD.name == "standard"
    assert STANDARD.assumed == ("order", "crown", "coin")
    assert STANDARD.codes[:2] == ("R0", "R1")
    assert STANDARD.codes[-1] == "BG2"
    assert STANDARD.orders[0] == "promote"
    assert (STANDARD.crowns[0], STANDARD.coins[0]) == (1, 1)
    assert STANDARD.numbers["YB1"] == STANDARD.codes.index("YB1")


def test_numbers_follow_the_rows() -> None:
    lines = CSV.splitlines(keepends=True)
    turned = parse(lines[0] + "".join(reversed(lines[1:])))
    assert turned.codes == STANDARD.codes[::-1]
    assert turned.numbers["BG2"] == 0
    assert turned.digest != STANDARD.digest


def test_array() -> None:
    array = STANDARD.array
    assert array.dtype == TILE
    assert array.shape == (58,)
    assert not array.flags.writeable
    number = STANDARD.numbers["YB2"]  # Recruit with crown and coin icon
    tile = array[number]
    colours = 0b0110
    order = ORDER_NAMES.index("recruit")
    assert tile["colours"] == colours
    assert (tile["order"], tile["crown"], tile["coin"], tile["wild"]) == (order, 1, 1, 1)
    pattern = colours << COLOUR | 1 << CROWN | 1 << COIN | order << ORDER | number << TILE_ID
    assert tile["pattern"] == pattern
    assert array["wild"].sum() == 18


def test_alike_tiles_show_the_same_order_side() -> None:
    # R1.5: R0 and R7 are red Promote tiles with a coin icon; here only R0 has a crown.
    tiles = parse(with_row(9, "R7,R,promote,0,1"))
    for code in ("R0", "R7"):
        tile = tiles.array[tiles.numbers[code]]
        assert tile["alike"] == 1 << 0 | 1 << 7
        assert tile["crowned"] == 1 << 0
    for number, tile in enumerate(tiles.array):
        assert int(tile["alike"]) >> number & 1
        assert int(tile["crowned"]) & ~int(tile["alike"]) == 0


def test_writing_and_reading_again() -> None:
    assert TileSet.parse(STANDARD.to_csv().encode(), "standard") == STANDARD
    assert pickle.loads(pickle.dumps(STANDARD)) == STANDARD
    tiles = parse(CSV)
    assert tiles.assumed == ()
    assert tiles.to_csv() == CSV
    assert tiles.digest == STANDARD.digest


def test_digest_depends_on_every_tile() -> None:
    assert len(STANDARD.digest) == 64
    assert parse(with_row(3, "R1,R,move,0,0")).digest != STANDARD.digest


def test_tile_set_takes_a_name_a_path_or_a_set(tmp_path: Path) -> None:
    assert tile_set("standard") is STANDARD
    assert tile_set(STANDARD) is STANDARD
    path = tmp_path / "owner.csv"
    path.write_text(CSV, encoding="utf-8")
    assert tile_set(path) == tile_set(str(path)) == TileSet.load(path)
    assert TileSet.load(path).name == "owner"


@pytest.mark.parametrize(
    "data",
    [
        CSV.encode("utf-8-sig"),
        CSV.replace("\n", "\r\n").encode(),
        CSV.replace("\n", "\r").encode(),
        CSV.rstrip("\n").encode(),
        (CSV + "\n\r\n  \n").encode(),
        ("# Größe: normal\n#\n" + CSV).encode(),
        CSV.replace("R0,R,promote,1,1", '"R0","R","promote","1","1"').encode(),
    ],
    ids=["mark", "crlf", "cr", "no-last-line-end", "blank-lines", "comments", "quotes"],
)
def test_forms_of_the_file(data: bytes) -> None:
    assert parse(data).digest == STANDARD.digest


def test_columns_in_any_order() -> None:
    rows = (line.split(",") for line in CSV.splitlines())
    turned = "".join(",".join(reversed(row)) + "\n" for row in rows)
    assert parse(turned).digest == STANDARD.digest


@pytest.mark.parametrize("comment", ["# assumed: coin,order", "#Assumed :order , coin, order"])
def test_assumed_columns_come_in_the_order_of_the_columns(comment: str) -> None:
    assert parse(comment + "\n" + CSV).assumed == ("order", "coin")


def test_wild_pairs_are_free() -> None:
    # R1.1 wants 18 wild tiles; the spread over the colour pairs is data.
    assert parse(CSV.replace("RY2,RY", "RB3,RB")).colours.count("RB") == 4


# --- What is wrong -------------------------------------------------------------------------------

FAULTS: dict[str, tuple[str | bytes, int, str | None, str]] = {
    "empty": ("", 1, None, "empty file"),
    "blank": (" \n\n", 1, None, "empty file"),
    "only comments": ("# one\n# two\n", 3, None, "no header row"),
    "not utf-8": (b"code,colours\nR\xe4", 2, None, "not UTF-8: byte 0xe4"),
    "utf-16": (CSV.encode("utf-16"), 1, None, "NUL byte"),
    "nul": (with_row(5, "R3,R,con\0fuse,0,1"), 5, None, "NUL byte"),
    "too large": (b"#" * (LARGEST_FILE + 1), 1, None, "more than"),
    "unclosed quote": (with_row(59, '"BG2,BG,move,0,0'), 59, None, "not CSV"),
    "assumed": ("# assumed: order, crowns\n" + CSV, 1, None, "unknown assumed column 'crowns'"),
    "missing column": (CSV.replace(",coin", "", 1), 1, "coin", "missing column"),
    "semicolons": (CSV.replace(",", ";"), 1, "code", "missing column"),
    "no header": (CSV.removeprefix(HEADER), 1, "code", "missing column"),
    "extra column": (CSV.replace("coin", "coin,note", 1), 1, "note", "unknown column"),
    "duplicate column": (CSV.replace("coin", "coin,code", 1), 1, "code", "duplicate column"),
    "missing cell": (with_row(4, "R2,R,recruit,0"), 4, "coin", "missing cell"),
    "empty cell": (with_row(4, "R2,R,,0,1"), 4, "order", "missing cell"),
    "surplus cell": (with_row(4, "R2,R,recruit,0,1,1"), 4, None, "6 cells: expected 5"),
    "blank line": (with_row(4, ""), 4, None, "blank line"),
    "unknown order": (with_row(4, "R2,R,Recruit,0,1"), 4, "order", "unknown order 'Recruit'"),
    "long order": (with_row(4, f"R2,R,{'x' * 500},0,1"), 4, "order", "xxx'..."),
    "unknown colour": (with_row(4, "R2,X,recruit,0,1"), 4, "colours", "unknown colour 'X'"),
    "small letters": (with_row(4, "r2,r,recruit,0,1"), 4, "colours", "unknown colour 'r'"),
    "three colours": (with_row(59, "YBG1,YBG,move,0,0"), 59, "colours", "3 colours in 'YBG'"),
    "colour twice": (with_row(4, "RR2,RR,recruit,0,1"), 4, "colours", "twice: expected 'R'"),
    "colours out of order": (with_row(59, "GB2,GB,move,0,0"), 59, "colours", "expected 'BG'"),
    "code out of order": (with_row(59, "GB2,BG,move,0,0"), 59, "code", "code 'GB2' of a tile of colours BG"),
    "code of another colour": (with_row(4, "Y20,R,recruit,0,1"), 4, "code", "expected R and a number"),
    "code without number": (with_row(4, "R,R,recruit,0,1"), 4, "code", "malformed code 'R'"),
    "code with a leading zero": (with_row(4, "R02,R,recruit,0,1"), 4, "code", "malformed code 'R02'"),
    "code with other digits": (with_row(4, "R٢,R,recruit,0,1"), 4, "code", "malformed code"),
    "code with space": (with_row(4, "R2 ,R,recruit,0,1"), 4, "code", "malformed code 'R2 '"),
    "duplicate code": (with_row(4, "R1,R,recruit,0,1"), 4, "code", "duplicate code 'R1', first in line 3"),
    "crown": (with_row(4, "R2,R,recruit,2,1"), 4, "crown", "'2': expected 0 or 1"),
    "coin": (with_row(4, "R2,R,recruit,0,yes"), 4, "coin", "'yes': expected 0 or 1"),
    "coin without paid order": (with_row(3, "R1,R,move,1,1"), 3, "coin", "a coin icon on move"),
    "no tiles": (HEADER, 2, "code", "0 tiles: expected 58"),
    "too few": (CSV.removesuffix("BG2,BG,move,0,0\n"), 58, "code", "57 tiles: expected 58"),
    "too many": (CSV + "BG3,BG,move,0,0\n", 60, "code", "59 tiles: expected 58"),
    "eleven red": (with_row(59, "R10,R,move,0,0"), 59, "colours", "more than 10 tiles of kind 'R'"),
    "nineteen wild": (with_row(11, "RY7,RY,recruit,0,1"), 59, "colours", "more than 18 tiles of kind 'wild'"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_file_line_and_column(fault: str) -> None:
    data, line, column, reason = FAULTS[fault]
    with pytest.raises(TileSetError) as caught:
        parse(data)
    error = caught.value
    assert (error.file, error.line, error.column) == ("mine.csv", line, column)
    assert reason in error.reason
    place = f"mine.csv, line {line}" + (f", column {column!r}" if column else "")
    assert str(error) == f"{place}: {error.reason}"
    assert "\n" not in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_lines_count_from_the_start_of_the_file() -> None:
    with pytest.raises(TileSetError) as caught:
        parse("# one\n# two\n" + with_row(4, "R2,R,recruit,0,5"))
    assert caught.value.line == 6


def test_a_quoted_line_end_does_not_shift_the_lines() -> None:
    with pytest.raises(TileSetError) as caught:
        parse(with_row(4, 'R2,R,"recruit\nx",0,1'))
    assert (caught.value.line, caught.value.column) == (4, "order")


def test_a_path_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"absent\.csv"):
        tile_set(tmp_path / "absent.csv")
    with pytest.raises(OSError, match=tmp_path.name):
        tile_set(tmp_path)
    for name in ("a\0b", "\ud800"):
        with pytest.raises(OSError, match=r"not the name of a file: .*: ") as caught:
            tile_set(name)
        assert caught.value.filename == name


def test_a_fault_in_a_file_names_its_path(tmp_path: Path) -> None:
    path = tmp_path / "owner.csv"
    path.write_text(CSV.replace("R0,R,promote", "R0,R,promotion"), encoding="utf-8")
    with pytest.raises(TileSetError) as caught:
        TileSet.load(path)
    assert str(caught.value).startswith(f"{path}, line 2, column 'order': unknown order 'promotion'")


# --- Whatever comes ------------------------------------------------------------------------------


def read_or_refuse(data: bytes) -> None:
    tiles, error = None, None
    try:
        tiles = parse(data)
    except TileSetError as caught:
        error = caught
    if tiles is not None:
        assert len(set(tiles.codes)) == len(tiles.array) == 58
        assert parse(tiles.to_csv()) == tiles
    if error is not None:
        assert 1 <= error.line <= data.count(b"\n") + data.count(b"\r") + 2  # the header that is missing
        assert error.reason


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    read_or_refuse(data)
    read_or_refuse(HEADER.encode() + data)


CELLS = st.sampled_from(
    ["", "0", "1", "R", "RY", "YR", "R1", "move", "promote", '"', "#", "\r", ",", "\u2028"]
)
EDITS: list[Callable[[str, int, str], str]] = [
    lambda text, place, cell: text[:place] + cell + text[place:],
    lambda text, place, cell: text[:place] + cell + text[place + len(cell) :],
    lambda text, place, cell: text[:place] + text[place + 1 :] + cell,
]


@given(st.sampled_from(EDITS), st.integers(0, len(CSV)), CELLS | st.text(max_size=3))
def test_any_edit_of_a_tile_set(edit: Callable[[str, int, str], str], place: int, cell: str) -> None:
    read_or_refuse(edit(CSV, place, cell).encode("utf-8", "surrogatepass"))
