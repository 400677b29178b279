"""One part of a data set: a slice of a file of records, and the Parquet files made of it.

A part is made as a whole or not at all. Each of its files says in its metadata, under the key ``basilica``,
what it was made of, so a part that is there need not be made again. Beside them lies a file with their
digests, the last that is written: a file that is damaged later is known by its digest.
"""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from basilica_env.arena.schema import COURSE, FORMAT, RECORD, TABLES, Column, arrow_schema
from basilica_env.arena.survey import Rows, Survey
from basilica_env.core.layout import NONE, PLAYERS
from basilica_env.core.tiles import TileSet
from basilica_env.files import replacing, write_text
from basilica_env.records import UNKNOWN, GameRecord, RecordError, scan_records

if TYPE_CHECKING:
    import pyarrow

PART_BYTES = 4 << 20
"""Text in a part, some fifteen hundred games."""

LONGEST_NUMBER = 19
"""Digits that fit 64 bits."""

DIGESTS = "digests"
"""The folder of the files with the digests of the parts."""

METADATA_KEY, DAMAGED_KEY = b"basilica", b"basilica damaged"

_END = re.compile(rb"\n[ \t]*(?:1-0|0-1|1/2-1/2|\*) +[0-9]+:[0-9]+[ \t\r]*(?=\n|\Z)")
"""The last line of a record and the line end before it; no other line of a record looks like it."""


class DatasetError(ValueError):
    """A data set, or a file of one, that is damaged, unfinished or of another version."""


@dataclass(frozen=True)
class Part:
    """What a part is made of.

    Attributes
    ----------
    source : str
        The name of the file of records in the data set.
    start, end : int
        Its slice, in bytes; records are not cut.
    records, lines : int
        How many of them come before it in the file.
    game : int
        The number of its first game in the data set.
    games : int
        How many games it has, if none is damaged.
    digest : str
        Of the slice.
    """

    source: str
    start: int
    end: int
    records: int
    lines: int
    game: int
    games: int
    digest: str

    def metadata(self, table: str) -> dict[str, Any]:
        """Return what the file of a table says of itself."""
        return {"format": FORMAT, "table": table, **asdict(self)}


@dataclass(frozen=True)
class Written:
    """What has become of a part.

    Attributes
    ----------
    games : int
        Games in it.
    damaged : tuple of str
        What is wrong with the records left out.
    """

    games: int
    damaged: tuple[str, ...] = ()


def part_file(folder: Path, table: str, number: int) -> Path:
    """Return the Parquet file of a table of a part."""
    return folder / table / f"{number:05}.parquet"


def digest_file(folder: Path, number: int) -> Path:
    """Return the file with the digests of a part."""
    return folder / DIGESTS / f"{number:05}.json"


# --- Slices ---------------------------------------------------------------------------------------


def cut(path: Path, source: str, game: int) -> Iterator[Part]:
    """Cut a file of records into parts; a file that grows at its end keeps all of them but the last.

    Parameters
    ----------
    path : the file
    source : its name in the data set
    game : the number of its first game in the data set

    Raises
    ------
    OSError
        If it cannot be read.
    """
    start = records = lines = 0
    with path.open("rb") as file:
        for block, games in _blocks(file):
            digest = _digest(block)
            yield Part(source, start, start + len(block), records, lines, game + records, games, digest)
            start += len(block)
            records += games
            lines += block.count(b"\n")


def _blocks(file: io.BufferedReader) -> Iterator[tuple[bytes, int]]:
    """Yield a file in blocks that end behind a record, except perhaps the last, and their records."""
    rest = b""
    while more := file.read(PART_BYTES):
        rest += more
        ends = [end.end() for end in _END.finditer(rest, 0, len(rest) - 1)]
        if ends and ends[-1] >= PART_BYTES // 2:
            yield rest[: ends[-1] + 1], len(ends)
            rest = rest[ends[-1] + 1 :]
    if rest.strip():
        yield rest, len(_END.findall(rest))


def _digest(block: bytes) -> str:
    return hashlib.blake2b(block, digest_size=16).hexdigest()


def read_part(
    path: Path, part: Part, tiles: Iterable[TileSet] = ()
) -> Iterator[tuple[int, GameRecord] | RecordError]:
    """Read the records of a part.

    Parameters
    ----------
    path : the file of records
    part : its slice
    tiles : tile sets that the records may use, besides the standard one

    Yields
    ------
    tuple of int and GameRecord, or RecordError
        The number of the record in the file, from 1, and the record; or what is wrong with it.

    Raises
    ------
    DatasetError
        If the file has changed since it was cut.
    OSError
        If it cannot be read.
    """
    block = _slice(path, part)
    text = io.BytesIO(block)
    text.name = str(path)
    for number, found in enumerate(scan_records(text, tiles), part.records + 1):
        if isinstance(found, RecordError):
            yield RecordError(
                found.file, found.line + part.lines, found.game + part.records, found.move, found.reason
            )
        else:
            yield number, found


def read_one(path: Path, part: Part, number: int, tiles: Iterable[TileSet] = ()) -> GameRecord | None:
    """Read one record of a part; None if there are not so many.

    Parameters
    ----------
    path, part, tiles : as for :func:`read_part`
    number : of the record among those of the part that are not damaged, from 0
    """
    records = (found[1] for found in read_part(path, part, tiles) if isinstance(found, tuple))
    return next(islice(records, number, None), None)


def _slice(path: Path, part: Part) -> bytes:
    with path.open("rb") as file:
        file.seek(part.start)
        block = file.read(part.end - part.start)
    if _digest(block) != part.digest:
        raise DatasetError(f"{path}: changed in the meantime; make the data set again")
    return block


# --- Writing --------------------------------------------------------------------------------------


def write_part(
    folder: Path, number: int, path: Path, part: Part, tiles: Iterable[TileSet], skip_damaged: bool
) -> Written:
    """Make the files of a part.

    Parameters
    ----------
    folder : the data set
    number : of the part
    path, part, tiles : as for :func:`read_part`
    skip_damaged : leave damaged records out

    Raises
    ------
    RecordError
        If a record is damaged and none is to be left out.
    OSError
        If a file cannot be read or written.
    """
    gathered = _Gathered(part)
    damaged = []
    for found in read_part(path, part, tiles):
        if isinstance(found, RecordError):
            if not skip_damaged:
                raise found
            damaged.append(str(found))
        else:
            gathered.add(*found)
    digests = {}
    for table in TABLES:
        metadata = {METADATA_KEY: json.dumps(part.metadata(table)), DAMAGED_KEY: json.dumps(damaged)}
        digests[table] = _write(part_file(folder, table, number), gathered.table(table), metadata)
    write_text(digest_file(folder, number), json.dumps(digests) + "\n")
    return Written(len(gathered.records), tuple(damaged))


def _write(path: Path, table: pyarrow.Table, metadata: dict[bytes, str]) -> str:
    """Write a table and return the digest of its file."""
    from pyarrow import parquet

    options = {
        "compression": "zstd",
        "store_schema": False,  # plain Parquet types, the same to every reader
        "write_page_checksum": True,
    }
    with replacing(path) as draft:
        with parquet.ParquetWriter(draft, table.schema, **options) as writer:
            writer.write_table(table)
            writer.add_key_value_metadata(metadata)
        return _file_digest(draft)


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, hashlib.blake2b).hexdigest()


# --- What is there --------------------------------------------------------------------------------


def written(folder: Path, number: int, part: Part) -> Written | None:
    """Return what has become of a part; None unless all of its files are whole and made of just this."""
    try:
        for table in reversed(TABLES):
            file = read_metadata(part_file(folder, table, number))
            if file.identity != part.metadata(table):
                return None
        check_files(folder, number)
    except (DatasetError, OSError):
        return None
    return Written(file.rows, file.damaged)


def check_files(folder: Path, number: int) -> None:
    """Check that the files of a part are as they were written.

    Raises
    ------
    DatasetError
        If one is not.
    OSError
        If one cannot be read.
    """
    path = digest_file(folder, number)
    try:
        digests = json.loads(path.read_bytes())
        expected = [digests[table] for table in TABLES]
    except FileNotFoundError:
        raise DatasetError(f"{path}: missing; make the data set again") from None
    except (KeyError, TypeError, ValueError):
        raise DatasetError(f"{path}: damaged; make the data set again") from None
    for table, digest in zip(TABLES, expected, strict=True):
        file = part_file(folder, table, number)
        if _file_digest(file) != digest:
            raise DatasetError(f"{file}: damaged, its digest is another; make the data set again")


class Metadata(NamedTuple):
    """What a file of a data set says of itself."""

    identity: dict[str, Any]
    damaged: tuple[str, ...]
    rows: int


def read_metadata(path: Path) -> Metadata:
    """Read what a file of a data set says of itself.

    Raises
    ------
    DatasetError
        If it is damaged, or no file of a data set of this version.
    OSError
        If it cannot be read.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        footer = parquet.read_metadata(path)
        identity = json.loads(footer.metadata[METADATA_KEY])
        damaged = tuple(json.loads(footer.metadata[DAMAGED_KEY]))
    except OSError as error:
        if error.errno is not None:  # from the system; the reader of Parquet files gives none
            raise
        raise DatasetError(f"{path}: damaged, no whole Parquet file: {error}") from None
    except pyarrow.ArrowException as error:
        raise DatasetError(f"{path}: damaged, no whole Parquet file: {error}") from None
    except (KeyError, TypeError, ValueError):
        raise DatasetError(f"{path}: a Parquet file, but of no data set of games") from None
    check_format(path, identity)
    return Metadata(identity, damaged, footer.num_rows)


def check_format(path: Path, metadata: Any) -> None:
    """Check that a file says that it is of this version.

    Raises
    ------
    DatasetError
        If it is not.
    """
    found = metadata.get("format") if isinstance(metadata, dict) else metadata
    if found != FORMAT:
        raise DatasetError(
            f"{path}: format {found!r}: expected {FORMAT!r}; make the data set again from the records, or "
            "read it with the version of basilica-env that made it"
        )


# --- Tables ---------------------------------------------------------------------------------------


class _Gathered:
    """The games of a part on their way into tables."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.survey = Survey()
        self.records: list[dict[str, Any]] = []

    def add(self, number: int, record: GameRecord) -> None:
        game = self.part.game + len(self.records)
        self.survey.add(record, game)
        self.records.append(
            {
                "game": game,
                "source": self.part.source,
                "record": number,
                **{f"agent_{player}": record.players[player] for player in range(PLAYERS)},
                "seed": None if record.seed is None else str(record.seed),
                "date": None if record.date == UNKNOWN else datetime.date.fromisoformat(record.date),
                "tiles": record.tiles.name,
                "tiles_digest": record.tiles.digest,
                "result": record.result,
                "termination": record.termination,
                "pair": _pair(record.headers),
                "headers": list(record.headers.items()),
            }
        )

    def table(self, name: str) -> pyarrow.Table:
        import pyarrow

        schema = arrow_schema(name)
        if name == "games":
            recorded = {
                column.name: pyarrow.array(
                    (row[column.name] for row in self.records), schema.field(column.name).type
                )
                for column in RECORD
            }
            columns = recorded | self._columns(COURSE, self.survey.courses)
        else:
            columns = self._columns(TABLES[name], getattr(self.survey, name))
        return pyarrow.table(columns, schema=schema)

    def _columns(self, columns: tuple[Column, ...], rows: Rows) -> dict[str, pyarrow.Array]:
        return {column.name: self._column(column, rows.rows[column.name]) for column in columns}

    def _column(self, column: Column, values: npt.NDArray[Any]) -> pyarrow.Array:
        import pyarrow

        absent = None
        if column.nullable:
            absent = np.isnan(values) if column.type == "float" else values == NONE
        labels = {"agent": self.survey.agents.texts, "tile": self.survey.tiles.texts}.get(
            column.name, column.labels
        )
        numbers = pyarrow.array(np.ascontiguousarray(values), mask=absent)
        if not labels:
            return numbers
        return pyarrow.DictionaryArray.from_arrays(numbers, pyarrow.array(labels)).cast(pyarrow.string())


def _pair(headers: Mapping[str, str]) -> int | None:
    """Return the number of the pair, if the record is one of a match."""
    text = headers.get("Pair", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER else None
