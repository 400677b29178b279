"""``basilica dataset``: recorded games as tables."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from basilica_env.cli.terminal import add_verb, failing
from basilica_env.render.style import printable

if TYPE_CHECKING:
    from basilica_env.arena import BuildProgress
    from basilica_env.core.tiles import TileSet

SHOWN = 10
"""Damaged records that are named; the others are counted."""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "dataset",
        "make tables of recorded games, as Parquet files",
        "Read the records of games and write a folder with four tables in Parquet files: a row a game, a "
        "turn, a decision, an area of a scoring. A second run reads only what is new.",
        (
            ("basilica dataset league --out tables", "all files *.basilica in a folder and below"),
            ("basilica dataset a.basilica b.basilica --out tables", "two files"),
            ("basilica dataset league --out tables --verify", "and check what was written"),
        ),
    )
    parser.add_argument(
        "sources", nargs="+", type=Path, metavar="SOURCE", help="a file or a folder of records"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the tables go")
    parser.add_argument(
        "--verify", action="store_true", help="read the tables again and check them by their digests"
    )
    add_reading_options(parser)
    parser.set_defaults(run=run)


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how records are read."""
    parser.add_argument(
        "--workers",
        type=workers,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes that read at once (default: %(default)s, the cores of this machine)",
    )
    parser.add_argument(
        "--skip-damaged", action="store_true", help="leave damaged records out, and name them"
    )
    parser.add_argument(
        "--tiles",
        action="append",
        default=[],
        metavar="FILE",
        help="a tile set that games were played with; may be given several times",
    )


def workers(text: str) -> int:
    """Read a number of processes."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 1024):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 1 to 1024")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Make the tables and say what is in them.

    Raises
    ------
    Failure
        A file cannot be read or written, a record or a table is damaged, or the extra is missing.
    """
    from basilica_env.arena import build_dataset

    with failing(), Display(options.out) as display:
        data = build_dataset(
            options.sources,
            options.out,
            tiles=tile_sets(options),
            workers=options.workers,
            skip_damaged=options.skip_damaged,
            progress=display.read,
        )
        if options.verify:
            data.verify()
    name_damaged(data.damaged)
    content = f"{_counted(data.games, 'game')} in {_counted(len(data.parts), 'part')}"
    print(f"{printable(str(options.out))}: {content}")
    return 0


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def tile_sets(options: argparse.Namespace) -> list[TileSet]:
    """Read the tile sets that records may use."""
    from basilica_env.core.tiles import tile_set

    return [tile_set(path) for path in options.tiles]


def name_damaged(damaged: tuple[str, ...]) -> None:
    """Name the records that were left out."""
    for fault in damaged[:SHOWN]:
        print(f"left out: {printable(fault)}", file=sys.stderr)
    if len(damaged) > SHOWN:
        print(f"left out: {len(damaged) - SHOWN} more damaged records", file=sys.stderr)


class Display:
    """Shows how long work goes, on the standard error output if that is a terminal; a context.

    Parameters
    ----------
    out : Path
        What the same command goes on with after Ctrl-C.
    """

    def __init__(self, out: Path) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.out = out
        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("Reading games"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]:.0f} games/s"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._reading = self._bar.add_task("", total=None, rate=0.0)
        self._status = console.status("") if console.is_terminal else None

    def __enter__(self) -> Display:
        """Begin with reading."""
        self._bar.start()
        return self

    def read(self, progress: BuildProgress) -> None:
        """Show how many games have been read."""
        self._bar.update(self._reading, completed=progress.games, total=progress.total, rate=progress.rate)

    def work(self, title: str) -> None:
        """Show what is being worked out, once the games have been read."""
        self._bar.stop()
        if self._status is not None:
            self._status.start()
            self._status.update(printable(title))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End, and say how to go on after Ctrl-C."""
        self._bar.stop()
        if self._status is not None:
            self._status.stop()
        if kind is KeyboardInterrupt:
            print(f"interrupted; the same command goes on in {printable(str(self.out))}", file=sys.stderr)
