"""Recorded games as a tidy data set: four tables in Parquet files.

A data set is a folder::

    dataset.json                what it was made of
    games/00000.parquet, ...    a row a game
    turns/00000.parquet, ...    a row a turn
    decisions/00000.parquet, ...
    areas/00000.parquet, ...    a row an area of a scoring
    digests/00000.json, ...     what the four files of a part must be

The columns stand in :mod:`basilica_env.arena.schema`. The files of one number are a part: they come from one
slice of a file of records. Only one part at a time is in memory, so the number of games does not matter.

Examples
--------
>>> import tempfile
>>> from basilica_env.arena import build_dataset, play_match
>>> with tempfile.TemporaryDirectory() as folder:
...     _ = play_match("greedy", "random", games=4, seed=1, out=f"{folder}/match")
...     data = build_dataset([f"{folder}/match"], f"{folder}/data")
...     data.table("games").collect().height
4
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from basilica_env.arena.part import (
    DIGESTS,
    DatasetError,
    Part,
    Written,
    check_files,
    check_format,
    cut,
    digest_file,
    part_file,
    read_metadata,
    read_one,
    write_part,
    written,
)
from basilica_env.arena.schema import FORMAT, TABLES
from basilica_env.core.tiles import TileSet
from basilica_env.files import named, write_text
from basilica_env.records import GameRecord

if TYPE_CHECKING:
    import polars

SUMMARY = "dataset.json"
SUFFIX = ".basilica"
"""Of the files of records that are looked for in a folder."""

MISSING_EXTRA = "data sets need the extra 'arena': pip install \"basilica-env[arena]\""


def require_extra() -> None:
    """Check that the libraries for data sets are there.

    Raises
    ------
    ImportError
        If they are not; it says how to get them.
    """
    if any(find_spec(name) is None for name in ("polars", "pyarrow")):
        raise ImportError(MISSING_EXTRA)


# --- Reading --------------------------------------------------------------------------------------


class Dataset:
    """A data set that is there.

    Parameters
    ----------
    path : str or path
        Its folder.
    verify : bool
        Whether to read all files and check their digests, some seconds a gigabyte. Without it a damaged
        file can give wrong values.

    Raises
    ------
    DatasetError
        If it is unfinished, damaged or of another version.
    OSError
        If it cannot be read.
    ImportError
        If the extra is missing.
    """

    def __init__(self, path: str | os.PathLike[str], *, verify: bool = True) -> None:
        require_extra()
        self.path = named(path)
        summary = _read_summary(self.path)
        if summary is None:
            raise DatasetError(f"{self.path}: no data set, for there is no {SUMMARY} in it")
        if not summary["complete"]:
            raise DatasetError(f"{self.path}: an unfinished data set; the same command that began it goes on")
        self.root = Path(os.path.normpath(self.path / summary["root"]))
        self.parts = tuple(Part(**part) for part in summary["parts"])
        if not self.parts:
            raise DatasetError(f"{self.path}: a data set without games; make it again")
        self.games = 0
        """How many games there are."""
        self.damaged: tuple[str, ...] = ()
        """What is wrong with the records that were left out."""
        for table, number, part in self._files():
            path = part_file(self.path, table, number)
            file = read_metadata(path)
            if file.identity != part.metadata(table):
                raise DatasetError(f"{path}: not the file that belongs there; make the data set again")
            if table == "games":
                self.games += file.rows
                self.damaged += file.damaged
        if verify:
            self.verify()

    def _files(self) -> Iterator[tuple[str, int, Part]]:
        for number, part in enumerate(self.parts):
            for table in TABLES:
                yield table, number, part

    def table(self, name: str) -> polars.LazyFrame:
        """Return a table to query, read only as far as the query needs it.

        Parameters
        ----------
        name : ``"games"``, ``"turns"``, ``"decisions"`` or ``"areas"``
        """
        import polars

        if name not in TABLES:
            raise ValueError(f"table {name!r}: expected one of {', '.join(TABLES)}")
        return polars.scan_parquet([part_file(self.path, name, number) for number in range(len(self.parts))])

    def record(self, game: int, tiles: Iterable[TileSet] = ()) -> GameRecord:
        """Return the record of a game, from the file that the data set was made of.

        Raises
        ------
        DatasetError
            If there is no such game, or the file has changed.
        OSError
            If the file is no longer there.
        """
        for part in self.parts:
            if part.game <= game < part.game + part.games:
                record = read_one(self.root / part.source, part, game - part.game, tiles)
                if record is not None:
                    return record
        raise DatasetError(f"{self.path}: no game {game}")

    def verify(self) -> None:
        """Check that all files are as they were written, by their digests.

        Raises
        ------
        DatasetError
            If a file is damaged.
        OSError
            If a file cannot be read.
        """
        for number in range(len(self.parts)):
            check_files(self.path, number)


def _read_summary(folder: Path) -> dict[str, Any] | None:
    """Read what a data set says of itself; None if there is none."""
    path = folder / SUMMARY
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise DatasetError(f"{path}: damaged, not JSON: {error}") from None
    check_format(path, summary)
    try:
        for part in summary["parts"]:
            Part(**part)
        _ = summary["complete"], summary["root"]
    except (KeyError, TypeError) as error:
        raise DatasetError(f"{path}: damaged: {error}") from None
    return dict(summary)


# --- Making ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BuildProgress:
    """How far a data set is.

    Attributes
    ----------
    games : int
        Games that are in it.
    total : int
        Games that there are.
    read : int
        Games read since it was begun, or gone on with.
    seconds : float
        Since then.
    """

    games: int
    total: int
    read: int
    seconds: float

    @property
    def rate(self) -> float:
        """Games a second."""
        return self.read / self.seconds if self.seconds else 0.0


def build_dataset(
    sources: Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    tiles: Iterable[TileSet] = (),
    workers: int = 1,
    skip_damaged: bool = False,
    replace: bool = False,
    progress: Callable[[BuildProgress], None] | None = None,
) -> Dataset:
    """Make a data set of recorded games, or bring one up to date.

    Parts that are there and made of the same records are kept: an interrupted call goes on where it was,
    and a second call reads only what is new.

    Parameters
    ----------
    sources : files of records, and folders; of a folder all files ``*.basilica``, also those deeper in it
    out : folder of the data set; its parent must exist
    tiles : tile sets that the records may use, besides the standard one
    workers : processes. 1 reads in this one; more need ``if __name__ == "__main__":`` in a script
    skip_damaged : leave damaged records out; :attr:`Dataset.damaged` has what is wrong with them
    replace : make a data set in `out` anew even if it is damaged, or of files that are no longer sources
    progress : called after each part

    Raises
    ------
    DatasetError
        If there is no game, or `out` is a folder with something else, or the data set of other sources
        with games in it.
    RecordError
        If a record is damaged.
    OSError
        If a source cannot be read, or `out` cannot be written.
    ImportError
        If the extra is missing.
    KeyboardInterrupt
        If it is interrupted; whole parts are kept.
    """
    require_extra()
    if workers < 1:
        raise ValueError(f"workers {workers}: expected a number from 1")
    folder, files = named(out), record_files(sources)
    root = Path(os.path.commonpath([file.parent for file in files]))
    parts = _cut_all(files, root)
    if not parts:
        raise DatasetError(f"{', '.join(map(str, files))}: no game in it")
    _prepare(folder, {part.source for part in parts}, replace)
    summary = {
        "format": FORMAT,
        "root": os.path.relpath(root, folder.resolve()),
        "parts": [asdict(part) for part in parts],
    }
    _write_summary(folder, summary | {"complete": False})
    task = _Task(folder, root, tuple(tiles), skip_damaged)
    _write_parts(task, parts, workers, progress or (lambda _: None))
    _remove_others(folder, len(parts))
    _write_summary(folder, summary | {"complete": True})
    return Dataset(folder, verify=False)  # each part has been written or checked just now


def record_files(sources: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the files of records that sources name, each once, in the order of their absolute paths.

    Raises
    ------
    OSError
        If a source is not there.
    DatasetError
        If there is no file of records.
    """
    paths = [named(source) for source in sources]
    files: set[Path] = set()
    for source in paths:
        if source.is_dir():
            files.update(path.resolve() for path in source.rglob(f"*{SUFFIX}") if path.is_file())
        else:
            files.add(source.resolve(strict=True))
    if not files:
        raise DatasetError(
            f"{', '.join(map(str, paths)) or 'no source'}: no file of records (*{SUFFIX}) there"
        )
    return sorted(files)


def _cut_all(files: Sequence[Path], root: Path) -> list[Part]:
    """Cut files into parts, their games numbered through."""
    parts: list[Part] = []
    for file in files:
        game = parts[-1].game + parts[-1].games if parts else 0
        parts += cut(file, file.relative_to(root).as_posix(), game)
    return parts


def _prepare(folder: Path, sources: set[str], replace: bool) -> None:
    """Make the folder, or check that what is in it may be replaced."""
    folder.mkdir(exist_ok=True)
    if (folder / SUMMARY).exists():
        if not replace:
            _check_sources(folder, sources)
    elif any(folder.iterdir()):
        raise DatasetError(f"{folder} is not empty and holds no data set: choose another folder, or empty it")
    for name in (*TABLES, DIGESTS):
        (folder / name).mkdir(exist_ok=True)


def _check_sources(folder: Path, sources: set[str]) -> None:
    """Check that a data set has no games of other sources, which would be lost."""
    summary = _read_summary(folder)
    if summary is not None and _has_games(folder):
        strange = {part["source"] for part in summary["parts"]} - sources
        if strange:
            raise DatasetError(
                f"{folder} holds a data set with {min(strange)}, which is not among the sources: "
                "choose another folder"
            )


def _has_games(folder: Path) -> bool:
    """Tell whether a data set, finished or not, has games; a damaged file counts as one that has."""
    try:
        return any(read_metadata(path).rows for path in (folder / "games").glob("*.parquet"))
    except DatasetError:
        return True


def _write_summary(folder: Path, summary: dict[str, Any]) -> None:
    write_text(folder / SUMMARY, json.dumps(summary, indent=1) + "\n")


def _remove_others(folder: Path, number: int) -> None:
    """Remove the parts that an earlier, longer data set has left."""
    kept = {f"{part:05}" for part in range(number)}
    for table in TABLES:
        for path in (folder / table).glob("[0-9]*.parquet"):
            if path.stem not in kept:
                path.unlink()
                digest_file(folder, int(path.stem)).unlink(missing_ok=True)


@dataclass(frozen=True)
class _Task:
    """What is the same for all parts."""

    folder: Path
    root: Path
    tiles: tuple[TileSet, ...]
    skip_damaged: bool

    def is_done(self, number: int, part: Part) -> bool:
        there = written(self.folder, number, part)
        return there is not None and (self.skip_damaged or not there.damaged)

    def write(self, number: int, part: Part) -> Written:
        return write_part(self.folder, number, self.root / part.source, part, self.tiles, self.skip_damaged)


def _write_parts(
    task: _Task, parts: Sequence[Part], workers: int, progress: Callable[[BuildProgress], None]
) -> None:
    """Write the parts that are missing."""
    missing = [number for number, part in enumerate(parts) if not task.is_done(number, part)]
    total = sum(part.games for part in parts)
    left = sum(parts[number].games for number in missing)
    there, read, begun = total - left, 0, time.monotonic()
    progress(BuildProgress(there, total, 0, 0.0))
    for number in _written(task, parts, missing, min(workers, len(missing))):
        read += parts[number].games
        progress(BuildProgress(there + read, total, read, time.monotonic() - begun))


def _written(task: _Task, parts: Sequence[Part], missing: Sequence[int], workers: int) -> Iterator[int]:
    """Write parts, in this process or in several, and yield the number of each as it is done."""
    if workers <= 1:
        for number in missing:
            task.write(number, parts[number])
            yield number
        return
    executor = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _ignore_interrupts)
    try:
        futures = {executor.submit(task.write, number, parts[number]): number for number in missing}
        for future in as_completed(futures):
            future.result()
            yield futures[future]
    except BrokenProcessPool:
        raise DatasetError(f"{task.folder}: a process that read records was ended from outside") from None
    finally:
        executor.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that waits: a part takes seconds, and is done or not."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
