"""``basilica match``: which of two agents is stronger, and how sure that is."""

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

from basilica_env.cli.game import agent_of
from basilica_env.cli.terminal import (
    Misuse,
    Terminal,
    add_drawing_options,
    add_tiles_option,
    add_verb,
    failing,
    new_seed,
    seed,
)
from basilica_env.render.style import printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from basilica_env.arena import Estimate, MatchResult, Progress, Spent, Sprt, Tally

WIDTH_OF_A_FILE = 200
"""Columns of an output that is no terminal; no line is that long, so none is broken."""

SPRT_NAMES = ("elo0", "elo1", "alpha", "beta")


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "match",
        "find out which of two agents is stronger",
        "Two agents play pairs of games: the same shuffled stack, the seats swapped. What is shown is seen "
        "from the side of the first; intervals hold 95 % and rest on pairs. A match stops after --games or "
        "--minutes, or when the sequential test --sprt is decided, whatever comes first; after 100 games by "
        "default.",
        (
            ("basilica match greedy random", "100 games"),
            ("basilica match greedy random --games 400 --seed 7 --out greedy-random", "the games are kept"),
            ("basilica match mine:Better mine:Good --sprt elo0=0 elo1=20", "is it better? stop when sure"),
        ),
    )
    parser.add_argument("agents", nargs=2, metavar="AGENT", help="the agents, by their specs")
    parser.add_argument("--games", type=_games, metavar="N", help="an even number of games")
    parser.add_argument("--minutes", type=_positive, metavar="M", help="begin no pair after so long")
    parser.add_argument(
        "--sprt",
        nargs="*",
        metavar="NAME=VALUE",
        help="stop when a test of elo0 (default: 0) against elo1 (20) is decided, with errors alpha (0.05) "
        "and beta (0.05)",
    )
    parser.add_argument(
        "--workers",
        type=_workers,
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
        "--limit-ms", type=_positive, metavar="MS", help="who takes longer for a decision loses the game"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="keep records and summary there (default: nothing is kept)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the match in the folder of --out")
    parser.add_argument("--json", action="store_true", help="write the result as JSON")
    add_tiles_option(parser)
    add_drawing_options(parser)
    parser.set_defaults(run=run)


def _games(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) >= 2 and int(text) % 2 == 0):
        raise argparse.ArgumentTypeError(f"{text!r}: expected an even number from 2, games come in pairs")
    return int(text)


def _workers(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 1024):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 1 to 1024")
    return int(text)


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number above 0")
    return number


def _sprt(settings: list[str] | None) -> Sprt | None:
    """Read the settings of the sequential test."""
    from basilica_env.arena import Sprt

    if settings is None:
        return None
    values: dict[str, float] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if name not in SPRT_NAMES or name in values or not math.isfinite(value):
            names = ", ".join(SPRT_NAMES)
            raise Misuse(f"--sprt: {setting!r}: expected each of {names} at most once, such as elo1=20")
        values[name] = value
    try:
        return Sprt(**values)
    except ValueError as error:
        raise Misuse(f"--sprt: {error}") from error


def run(options: argparse.Namespace) -> int:
    """Play a match and show its result.

    Raises
    ------
    Misuse
        An agent does not exist, or the options do not fit together.
    Failure
        The tile set has a fault, or the folder cannot be written or holds another match.
    """
    from basilica_env.arena import play_match
    from basilica_env.core.tiles import tile_set

    sprt = _sprt(options.sprt)
    if options.resume and options.out is None:
        raise Misuse("--resume: expected the folder of the match, --out FOLDER")
    for spec in options.agents:
        agent_of(spec, 0)
    with failing():
        tiles = tile_set(options.tiles)
    chosen_seed = new_seed() if options.seed is None and not options.resume else options.seed
    view = _View(options)
    try:
        # What agents print is not part of the result.
        with failing(), contextlib.redirect_stdout(sys.stderr), view.live() as progress:
            result = play_match(
                options.agents[0],
                options.agents[1],
                options.games,
                minutes=options.minutes,
                sprt=sprt,
                workers=options.workers,
                seed=chosen_seed,
                out=options.out,
                resume=options.resume,
                tiles=tiles,
                limit_ms=options.limit_ms,
                progress=progress,
            )
    except KeyboardInterrupt:
        view.interrupted()
        raise
    if options.json:
        print(json.dumps(result.to_json(), indent=2, allow_nan=False))
    else:
        view.console(sys.stdout).print(view.report(result))
    return 0


# --- What is shown --------------------------------------------------------------------------------


class _View:
    """Shows a match: live to a person who watches, and its result."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.terminal = Terminal.of(options)
        self.latest: Progress | None = None
        self.since = time.monotonic()

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

    @contextlib.contextmanager
    def live(self) -> Iterator[Any]:
        """Show the table as games end, on the standard error output if that is a terminal."""
        if not sys.stderr.isatty():
            yield self._hear
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
            yield self._hear

    def _hear(self, progress: Progress) -> None:
        self.latest = progress

    def _running(self) -> RenderableType:
        from rich.console import Group

        seconds = time.monotonic() - self.since
        progress = self.latest
        if progress is None:
            return f"No game has ended in {_duration(seconds)}; the first start may have to compile."
        left = "" if progress.left is None else f", at most {_duration(progress.left)} left"
        rate = f"{_duration(seconds)}, {progress.rate:.3g} games/s{left}"
        return Group(self.report(progress.result), rate)

    def interrupted(self) -> None:
        """Show what the match has come to, and say how to go on."""
        if self.latest is not None:
            self.console(sys.stderr).print(self.report(self.latest.result))
        if self.options.out is None:
            print("interrupted; nothing is kept without --out", file=sys.stderr)
        else:
            print(
                f"interrupted; the games are in {self.options.out}, the same command with --resume goes on",
                file=sys.stderr,
            )

    def report(self, result: MatchResult) -> RenderableType:
        """Return the table of a match and what it says."""
        from rich.console import Group
        from rich.text import Text

        first, second = map(printable, result.agents)
        title = Text(f"{first} against {second}, seed {result.seed}", "bold")
        return Group(title, self._table(result), *map(Text, self._lines(result)))

    def _table(self, result: MatchResult) -> RenderableType:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD if self.terminal.style.unicode else box.ASCII2)
        table.add_column(Text(printable(result.agents[0])))
        for name in ("games", "win", "draw", "loss", "score %"):
            table.add_column(name, justify="right")
        for name, tally in (
            ("in seat 0", result.as_first),
            ("in seat 1", result.as_second),
            ("in all", result.total),
        ):
            table.add_row(name, *_cells(tally))
        return table

    def _lines(self, result: MatchResult) -> Iterator[str]:
        first, second = map(printable, result.agents)
        score, elo = result.score, result.elo
        yield f"Score      {_interval(score, 100, '.1f')} %"
        yield f"Elo        {_interval(elo, 1, '+.0f')}"
        yield f"Stronger   {100 * result.los:.2f} % sure (likelihood of superiority)"
        pairs = " ".join(map(str, result.pairs))
        yield f"Pairs      {pairs} with 0, 1/2, 1, 3/2, 2 points"
        yield f"Points     {result.points[0]:.1f} : {result.points[1]:.1f} a game"
        for name, spent in zip((first, second), result.spent, strict=True):
            yield f"Time       {_spent(spent)}, {name}"
        if result.sprt is not None:
            yield f"Test       {_test(result)}"
        for name, faults in zip((first, second), result.faults, strict=True):
            if faults:
                kinds = ", ".join(f"{number} by {kind}" for kind, number in faults.items())
                yield f"Faults     {name} lost {kinds}"


def _cells(tally: Tally) -> list[str]:
    numbers = (tally.games, tally.wins, tally.draws, tally.losses)
    return [*map(str, numbers), f"{100 * tally.score:.1f}" if tally.games else ""]


def _interval(estimate: Estimate, factor: float, form: str) -> str:
    value, low, high = (factor * number for number in estimate)
    return f"{value:{form}}, between {low:{form}} and {high:{form}}"


def _spent(spent: Spent) -> str:
    decisions = max(1, spent.decisions)
    text = f"{1000 * spent.seconds / decisions:.3g} ms a decision, at most {1000 * spent.slowest:.3g}"
    if spent.simulations is not None:
        text += f"; {spent.simulations / decisions:.0f} simulations"
    return text


def _test(result: MatchResult) -> str:
    sprt = result.sprt
    assert sprt is not None
    low, high = sprt.bounds
    ratio = f"ratio {sprt.ratio(result.pairs):.2f} between {low:.2f} and {high:.2f}"
    if not result.stopped.startswith("H"):
        return f"elo0={sprt.elo0:g} or elo1={sprt.elo1:g} is undecided, {ratio}"
    accepted = f"elo1={sprt.elo1:g}" if result.stopped == "H1" else f"elo0={sprt.elo0:g}"
    return f"{accepted} is accepted, {ratio}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
