"""What the verbs that play matches share: their options, and what they show while games are played."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from basilica_env.cli.terminal import Misuse, Terminal, add_drawing_options, failing, new_seed, seed

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from basilica_env.arena import Estimate, Progress, Tally

WIDTH_OF_A_FILE = 200
"""Columns of an output that is no terminal; no line is that long, so none is broken."""


# --- Options --------------------------------------------------------------------------------------


def add_playing_options(
    parser: argparse.ArgumentParser, what: str, games_help: str, keeps: bool = False
) -> None:
    """Add the options of all who play matches.

    Parameters
    ----------
    parser : ArgumentParser
    what : str
        What is played, such as ``"match"``.
    games_help : str
        What ``--games`` says.
    keeps : bool
        It needs a folder.
    """
    parser.add_argument("--games", type=games, metavar="N", help=games_help)
    parser.add_argument("--minutes", type=positive, metavar="M", help="begin no pair after so long")
    parser.add_argument(
        "--workers",
        type=workers,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes that play at once (default: %(default)s, the cores of this machine)",
    )
    parser.add_argument(
        "--seed",
        type=seed,
        metavar="N",
        help="the same seed gives the same games (default: a new one, which is shown)",
    )
    parser.add_argument(
        "--limit-ms", type=positive, metavar="MS", help="who takes longer for a decision loses the game"
    )
    kept = "" if keeps else " (default: nothing is kept)"
    parser.add_argument(
        "--out", type=Path, required=keeps, metavar="FOLDER", help=f"keep games and results there{kept}"
    )
    parser.add_argument("--resume", action="store_true", help=f"go on with the {what} in the folder of --out")
    parser.add_argument("--json", action="store_true", help="write the result as JSON")
    add_drawing_options(parser)


def games(text: str) -> int:
    """Read a number of games, which is even."""
    if not (text.isascii() and text.isdigit() and int(text) >= 2 and int(text) % 2 == 0):
        raise argparse.ArgumentTypeError(f"{text!r}: expected an even number from 2, games come in pairs")
    return int(text)


def workers(text: str) -> int:
    """Read a number of processes."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 1024):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 1 to 1024")
    return int(text)


def positive(text: str) -> float:
    """Read a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number above 0")
    return number


def check_resumable(options: argparse.Namespace) -> None:
    """Check that there is a folder to go on in.

    Raises
    ------
    Misuse
        If there is not.
    """
    if options.resume and options.out is None:
        raise Misuse("--resume: expected the folder of what is to go on, --out FOLDER")


def chosen_seed(options: argparse.Namespace) -> int | None:
    """Return the seed that was given or a new one; None for the one that a folder names."""
    return new_seed() if options.seed is None and not options.resume else options.seed


def playing_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments for what :func:`add_playing_options` has added, but for the number of games."""
    return {
        "minutes": options.minutes,
        "workers": options.workers,
        "seed": chosen_seed(options),
        "out": options.out,
        "resume": options.resume,
        "limit_ms": options.limit_ms,
    }


# --- What is shown --------------------------------------------------------------------------------


class View:
    """Shows what is played: live to a person who watches, and its result."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.terminal = Terminal.of(options)
        self.latest: Progress[Any] | None = None
        self.since = time.monotonic()

    def report(self, result: Any) -> RenderableType:
        """Return a result as it is shown at the end."""
        raise NotImplementedError

    def running(self, result: Any) -> RenderableType:
        """Return a result as it is shown while games are played."""
        return self.report(result)

    def show(self, result: Any) -> None:
        """Write a result to the standard output, as JSON if that is wanted."""
        if self.options.json:
            print(json.dumps(result.to_json(), indent=2, allow_nan=False))
        else:
            self.console(sys.stdout).print(self.report(result))

    def console(self, file: Any) -> Console:
        """Return a console that writes what the terminal can show."""
        from rich.console import Console

        style = self.terminal.style
        live = file.isatty()
        return Console(
            file=file,
            force_terminal=live,
            color_system="auto" if style.color and live else None,
            no_color=not style.color,
            width=None if live else WIDTH_OF_A_FILE,
            highlight=False,
            legacy_windows=False,
        )

    def table(self, title: str, *columns: str) -> Table:
        """Begin a table: a column of names, and columns of numbers."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD if self.terminal.style.unicode else box.ASCII2)
        table.add_column(Text(title))
        for name in columns:
            table.add_column(name, justify="right")
        return table

    @contextlib.contextmanager
    def playing(self) -> Iterator[Any]:
        """Give what is to be told of each game, and turn faults of files into failures.

        What agents print is no result and goes to the standard error output.
        """
        try:
            with failing(), contextlib.redirect_stdout(sys.stderr), self._live():
                yield self._hear
        except KeyboardInterrupt:
            self._say_interrupted()
            raise

    @contextlib.contextmanager
    def _live(self) -> Iterator[None]:
        """Show the table as games end, on the standard error output if that is a terminal."""
        if not sys.stderr.isatty():
            yield
            return
        from rich.live import Live

        with Live(
            console=self.console(sys.stderr),
            get_renderable=self._running,
            refresh_per_second=2,
            redirect_stdout=False,
            redirect_stderr=False,
            transient=True,
        ):
            yield

    def _hear(self, progress: Progress[Any]) -> None:
        self.latest = progress

    def _running(self) -> RenderableType:
        from rich.console import Group

        seconds = time.monotonic() - self.since
        progress = self.latest
        if progress is None:
            return f"No game has ended in {duration(seconds)}; the first start may have to compile."
        left = "" if progress.left is None else f", at most {duration(progress.left)} left"
        rate = f"{duration(seconds)}, {progress.rate:.3g} games/s{left}"
        return Group(self.running(progress.result), rate)

    def _say_interrupted(self) -> None:
        """Show what has been played, and say how to go on."""
        if self.latest is not None:
            self.console(sys.stderr).print(self.running(self.latest.result))
        if self.options.out is None:
            print("interrupted; nothing is kept without --out", file=sys.stderr)
        else:
            print(
                f"interrupted; the games are in {self.options.out}, the same command with --resume goes on",
                file=sys.stderr,
            )


def tally_cells(tally: Tally) -> list[str]:
    """Write games, wins, draws, losses and score in %."""
    numbers = (tally.games, tally.wins, tally.draws, tally.losses)
    return [*map(str, numbers), f"{100 * tally.score:.1f}" if tally.games else ""]


def interval(estimate: Estimate, factor: float, form: str) -> str:
    """Write a value and the ends of its interval."""
    value, low, high = (factor * number for number in estimate)
    return f"{value:{form}}, between {low:{form}} and {high:{form}}"


def duration(seconds: float) -> str:
    """Write a time as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
