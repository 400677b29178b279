"""Tile sets: which of the 58 tiles has which colours, order, crown and coin icon (R1.1, R1.4).

A tile set is a CSV file, one row a tile, with a header row of five columns in any order::

    # assumed: order, crown, coin
    code,colours,order,crown,coin
    R0,R,promote,1,1
    RY2,RY,promote,1,1

``code``
    the colour letters of the tile and a number: ``R3``, ``YB1``
``colours``
    one or two of the letters R, Y, B, G, in this order
``order``
    one of :data:`basilica_env.core.layout.ORDER_NAMES`
``crown``, ``coin``
    ``1`` or ``0``; a coin icon is possible on Promote, Recruit and Confuse alone

Lines that start with ``#`` before the header are comments. The comment ``# assumed: ...`` names the
columns that are guesses and not taken from the printed game; without it none is. Tiles are numbered
in the order of their rows.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache, cached_property, lru_cache
from importlib import resources
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from basilica_env.files import named

from .layout import COIN, COLOUR, COLOUR_LETTERS, CROWN, ORDER, ORDER_NAMES, PAID_ORDERS, TILE, TILE_ID, TILES

COLUMN_NAMES = ("code", "colours", "order", "crown", "coin")
TILES_A_COLOUR = 10
WILD_TILES = 18
MOST_POINTS = 4 * (4 * TILES_A_COLOUR + 2 * WILD_TILES)
"""No scoring gives a player more: each colour of each tile, doubled, with glass (R8.4)."""
LARGEST_FILE = 1 << 20
"""Bytes; a tile set takes some 1,000. Keeps a wrong path, such as a device, from filling the memory."""

_CODE = re.compile(r"([RYBG]+)(?:0|[1-9][0-9]*)", re.ASCII)
_ASSUMED = re.compile(r"#\s*assumed\s*:(.*)", re.IGNORECASE | re.DOTALL)


class TileSetError(ValueError):
    """A fault of a tile set.

    Attributes
    ----------
    file : str
        The file, or the name of the tile set.
    line : int
        The line with the fault, from 1.
    column : str or None
        The column with the fault; None if the fault is not in one column.
    reason : str
        What is wrong and what would be right.
    """

    def __init__(self, file: str, line: int, column: str | None, reason: str) -> None:
        super().__init__(file, line, column, reason)
        self.file, self.line, self.column, self.reason = file, line, column, reason

    def __str__(self) -> str:
        column = "" if self.column is None else f", column {self.column!r}"
        return f"{self.file}, line {self.line}{column}: {self.reason}"


@dataclass(frozen=True)
class TileSet:
    """The 58 tiles of a game, numbered in the order of the rows of their file.

    Read one with :func:`tile_set`, :meth:`standard`, :meth:`load` or :meth:`parse`, which check it; the
    constructor does not.

    Attributes
    ----------
    name : str
        ``"standard"``, or the name of the file without its suffix.
    codes : tuple of str
        The names of the tiles in text, such as ``R3`` or ``YB1``.
    colours : tuple of str
        One or two of the letters R, Y, B, G.
    orders : tuple of str
        Names from :data:`basilica_env.core.layout.ORDER_NAMES`.
    crowns, coins : tuple of int
        1 for a crown on the vault side, for a coin icon on the order side; else 0.
    assumed : tuple of str
        The columns that are guesses (R1.4).
    """

    name: str
    codes: tuple[str, ...]
    colours: tuple[str, ...]
    orders: tuple[str, ...]
    crowns: tuple[int, ...]
    coins: tuple[int, ...]
    assumed: tuple[str, ...] = ()

    @staticmethod
    def standard() -> TileSet:
        """Give the tile set that comes with the package."""
        return _standard()

    @classmethod
    def load(cls, path: str | PathLike[str]) -> TileSet:
        """Read a tile set from a CSV file.

        Raises
        ------
        TileSetError
            The file is not a tile set: the message names the line and the column.
        OSError
            The file cannot be read.
        """
        with named(path).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        return cls.parse(data, Path(path).stem, fspath(path))

    @classmethod
    def parse(cls, data: bytes, name: str, file: str | None = None) -> TileSet:
        """Read a tile set from the bytes of a CSV file.

        Parameters
        ----------
        data : bytes
            UTF-8, with or without a byte order mark, with the line ends of any system.
        name : str
            The name of the tile set.
        file : str, optional
            What error messages call the file; the name if left out.

        Raises
        ------
        TileSetError
            As for :meth:`load`.
        """
        return _Reader(name if file is None else file).read(data, name)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each code."""
        return {code: number for number, code in enumerate(self.codes)}

    @cached_property
    def array(self) -> npt.NDArray[np.void]:
        """The tiles as the core reads them: shape (58,), dtype ``TILE``, read-only."""
        return _array(self)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle and copy without what is worked out: a copy of the array could be written to."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _order_side(self, number: int) -> tuple[str, str, int]:
        return self.colours[number], self.orders[number], self.coins[number]

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of header and rows in the form of :meth:`to_csv`, in hexadecimal.

        Two tile sets with the same digest play the same games; the name and the comments do not count.
        """
        return hashlib.sha256(self._rows().encode()).hexdigest()

    def to_csv(self) -> str:
        """Write the tile set as the text of a CSV file; :meth:`parse` reads it back without loss."""
        comment = f"# assumed: {', '.join(self.assumed)}\n" if self.assumed else ""
        return comment + self._rows()

    def _rows(self) -> str:
        rows = zip(self.codes, self.colours, self.orders, self.crowns, self.coins, strict=True)
        return "".join(",".join(map(str, row)) + "\n" for row in (COLUMN_NAMES, *rows))


def tile_set(spec: str | PathLike[str] | TileSet) -> TileSet:
    """Give the tile set named ``"standard"``, the one in a CSV file, or the one given.

    Raises
    ------
    TileSetError
        The file is not a tile set: the message names the line and the column.
    OSError
        The file cannot be read.
    """
    if isinstance(spec, TileSet):
        return spec
    if not isinstance(spec, (str, PathLike)):
        raise TypeError(
            f"tiles {spec!r} have type {type(spec).__name__}: expected 'standard', a path or a TileSet"
        )
    if not fspath(spec):
        raise ValueError("tiles '' name no file: expected 'standard', a path or a TileSet")
    return TileSet.standard() if spec == "standard" else TileSet.load(spec)


@lru_cache(maxsize=16)
def _array(tiles: TileSet) -> npt.NDArray[np.void]:
    """Work out the array of a tile set, once for all its copies."""
    array = np.zeros(TILES, TILE)
    for number, tile in enumerate(array):
        colours = sum(1 << COLOUR_LETTERS.index(letter) for letter in tiles.colours[number])
        order = ORDER_NAMES.index(tiles.orders[number])
        crown, coin = tiles.crowns[number], tiles.coins[number]
        tile["pattern"] = (
            colours << COLOUR | crown << CROWN | coin << COIN | order << ORDER | number << TILE_ID
        )
        tile["colours"], tile["order"], tile["crown"], tile["coin"] = colours, order, crown, coin
        tile["wild"] = len(tiles.colours[number]) == 2
        alike = [other for other in range(TILES) if tiles._order_side(other) == tiles._order_side(number)]
        tile["alike"] = sum(1 << other for other in alike)
        tile["crowned"] = sum(1 << other for other in alike if tiles.crowns[other])
    array.flags.writeable = False
    return array


@cache
def _standard() -> TileSet:
    file = resources.files("basilica_env") / "data" / "standard.csv"
    return TileSet.parse(file.read_bytes(), "standard", "standard.csv")


class _Reader:
    """Reads one file and remembers where it is, so that every fault names its line."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.line = 1

    def fault(self, column: str | None, reason: str) -> TileSetError:
        return TileSetError(self.file, self.line, column, reason)

    def read(self, data: bytes, name: str) -> TileSet:
        lines = list(io.StringIO(self.decode(data), newline=""))
        comments = 0
        while comments < len(lines) and lines[comments].startswith("#"):
            comments += 1
        assumed = self.assumed(lines[:comments])
        columns: dict[str, list[str]] = {column: [] for column in COLUMN_NAMES}
        starts: list[int] = []
        for row in self.rows(lines[comments:], comments):
            self.check(row)
            if row["code"] in columns["code"]:
                first = starts[columns["code"].index(row["code"])]
                raise self.fault("code", f"duplicate code {row['code']!r}, first in line {first}")
            starts.append(self.line)
            for column, cell in row.items():
                columns[column].append(cell)
        self.check_make_up(columns["colours"], starts)
        return TileSet(
            name,
            codes=tuple(columns["code"]),
            colours=tuple(columns["colours"]),
            orders=tuple(columns["order"]),
            crowns=tuple(map(int, columns["crown"])),
            coins=tuple(map(int, columns["coin"])),
            assumed=assumed,
        )

    def decode(self, data: bytes) -> str:
        if len(data) > LARGEST_FILE:
            raise self.fault(None, f"more than {LARGEST_FILE} bytes: expected a CSV file of {TILES} tiles")
        nul = data.find(b"\0")
        if nul >= 0:
            self.line += data.count(b"\n", 0, nul)
            raise self.fault(None, "a NUL byte: expected a CSV file in UTF-8")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.line += data.count(b"\n", 0, error.start)
            raise self.fault(None, f"not UTF-8: byte {data[error.start]:#04x}") from None
        if not text.strip():
            raise self.fault(None, f"empty file: expected the columns {','.join(COLUMN_NAMES)}")
        return text

    def assumed(self, comments: list[str]) -> tuple[str, ...]:
        named: list[str] = []
        for self.line, comment in enumerate(comments, 1):
            match = _ASSUMED.match(comment)
            if match is None:
                continue
            for column in (part.strip() for part in match[1].split(",")):
                if column not in COLUMN_NAMES:
                    raise self.fault(
                        None,
                        f"unknown assumed column {shown(column)}: expected some of {','.join(COLUMN_NAMES)}",
                    )
                named.append(column)
        return tuple(column for column in COLUMN_NAMES if column in named)

    def rows(self, lines: list[str], skipped: int) -> Iterator[dict[str, str]]:
        reader = csv.reader(lines, strict=True)
        header: list[str] | None = None
        while True:
            self.line = skipped + reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                raise self.fault(None, f"not CSV: {error}") from None
            if not cells:
                blank = self.line
                if any(line.strip() for line in lines[reader.line_num :]):
                    raise self.fault(None, "a blank line: expected a row")
                self.line = blank
                break
            if header is None:
                header = self.header(cells)
            else:
                yield self.row(header, cells)
        if header is None:
            raise self.fault(None, f"no header row: expected the columns {','.join(COLUMN_NAMES)}")

    def header(self, cells: list[str]) -> list[str]:
        for column in COLUMN_NAMES:
            if column not in cells:
                raise self.fault(
                    column,
                    f"missing column: expected {','.join(COLUMN_NAMES)}, found {shown(','.join(cells))}",
                )
        for number, column in enumerate(cells):
            if column not in COLUMN_NAMES:
                raise self.fault(column, f"unknown column: expected {','.join(COLUMN_NAMES)}")
            if column in cells[:number]:
                raise self.fault(column, f"duplicate column: expected {','.join(COLUMN_NAMES)}")
        return cells

    def row(self, header: list[str], cells: list[str]) -> dict[str, str]:
        if len(cells) > len(header):
            surplus = shown(cells[len(header)])
            raise self.fault(
                None, f"{len(cells)} cells: expected {len(header)}, so {surplus} is one too many"
            )
        row = dict(zip(header, cells, strict=False))
        for column in header:
            if not row.get(column):
                raise self.fault(column, "missing cell")
        return row

    def check(self, row: dict[str, str]) -> None:
        colours, order = row["colours"], row["order"]
        for letter in colours:
            if letter not in COLOUR_LETTERS:
                raise self.fault(
                    "colours", f"unknown colour {letter!r} in {shown(colours)}: expected R, Y, B or G"
                )
        if len(colours) > 2:
            raise self.fault(
                "colours", f"{len(colours)} colours in {shown(colours)}: expected one or two (R1.1)"
            )
        right = "".join(letter for letter in COLOUR_LETTERS if letter in colours)
        if colours != right:
            raise self.fault("colours", f"colours {colours!r} out of order or twice: expected {right!r}")
        match = _CODE.fullmatch(row["code"])
        if match is None:
            raise self.fault(
                "code",
                f"malformed code {shown(row['code'])}: expected {colours} and a number, such as {colours}1",
            )
        if match[1] != colours:
            raise self.fault(
                "code",
                f"code {shown(row['code'])} of a tile of colours {colours}: expected {colours} and a number",
            )
        if order not in ORDER_NAMES:
            raise self.fault(
                "order", f"unknown order {shown(order)}: expected one of {', '.join(ORDER_NAMES)}"
            )
        for column in ("crown", "coin"):
            if row[column] not in ("0", "1"):
                raise self.fault(column, f"{shown(row[column])}: expected 0 or 1")
        if row["coin"] == "1" and ORDER_NAMES.index(order) not in PAID_ORDERS:
            paid = ", ".join(ORDER_NAMES[number] for number in PAID_ORDERS)
            raise self.fault("coin", f"a coin icon on {order}: expected it on {paid} alone (R1.4)")

    def check_make_up(self, colours: list[str], lines: list[int]) -> None:
        if len(colours) != TILES:
            if lines:
                self.line = lines[TILES] if len(lines) > TILES else lines[-1]
            raise self.fault("code", f"{len(colours)} tiles: expected {TILES} (R1.1)")
        found: dict[str, int] = {}
        for self.line, letters in zip(lines, colours, strict=True):
            kind, most = ("wild", WILD_TILES) if len(letters) == 2 else (letters, TILES_A_COLOUR)
            found[kind] = found.get(kind, 0) + 1
            if found[kind] > most:
                raise self.fault(
                    "colours",
                    f"more than {most} tiles of kind {kind!r}: expected {TILES_A_COLOUR} of each colour and "
                    f"{WILD_TILES} wild tiles of two colours (R1.1)",
                )


def shown(value: object) -> str:
    """Quote a value for an error message, a text cut to a readable length."""
    if isinstance(value, str) and len(value) > 40:
        return f"{value[:40]!r}..."
    return repr(value)
