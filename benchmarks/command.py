"""The command ``basilica bench``."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from basilica_env.benchmarks.machine import machine, versions
from basilica_env.benchmarks.report import (
    Report,
    ReportError,
    compare,
    fill,
    markdown,
    read_report,
    write_report,
)
from basilica_env.benchmarks.rows import OWN, Row, rows, select
from basilica_env.benchmarks.run import FAILED, LATE, Result, run
from basilica_env.benchmarks.timing import FULL, QUICK, Effort
from basilica_env.cli.terminal import reason
from basilica_env.files import replaceable

if TYPE_CHECKING:
    from rich.console import Console

OK, WORSE, FAULT, USAGE, INTERRUPTED = 0, 1, 1, 2, 130
"""Exit statuses: done; a row failed or fell below the threshold; the fault of a file; wrong use; Ctrl-C."""

BLOCK = "results"
"""The block of a page that ``--fill`` fills."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="basilica bench",
        description="Measure Basilica, side by side with the other environments that are installed.",
        epilog="'basilica bench statistics' counts what random games look like.",
    )
    parser.add_argument(
        "--rows", nargs="+", default=[], metavar="NAME", help="only rows that begin so or match so"
    )
    parser.add_argument("--list", action="store_true", help="list the rows and stop")
    parser.add_argument(
        "--quick", action="store_true", help="fewer and shorter repeats: a look, no figures to quote"
    )
    parser.add_argument("--busy", action="store_true", help="also with one core taken by another process")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report to this file")
    parser.add_argument("--load", type=Path, metavar="FILE", help="show a report instead of measuring")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="compare with an earlier report")
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.7,
        metavar="RATIO",
        help="worse than this fails (default: %(default)s)",
    )
    parser.add_argument(
        "--charts", type=Path, metavar="FOLDER", help="measure the growth, too, and draw it as SVG"
    )
    parser.add_argument(
        "--fill", type=Path, metavar="PAGE", help=f"put the tables into the page's block '{BLOCK}'"
    )
    return parser


def main(argv: list[str]) -> int:
    """Run ``basilica bench`` with the arguments after the verb; return the exit status.

    0: done; 1: a row of Basilica failed, or one fell below ``--threshold``, or a file cannot be read or
    written; 2: wrong use;
    130: interrupted, with the rows done so far shown and written.
    """
    if argv[:1] == ["statistics"]:
        from basilica_env.benchmarks.statistics import main as statistics

        return statistics(argv[1:])
    options = _parser().parse_args(argv)
    try:
        return _bench(options, ["basilica", "bench", *argv])
    except OSError as error:
        print(f"basilica bench: {reason(error)}", file=sys.stderr)
        return FAULT
    except ValueError as error:
        print(f"basilica bench: {error}", file=sys.stderr)
        return FAULT if isinstance(error, ReportError) else USAGE


def _bench(options: argparse.Namespace, command: list[str]) -> int:
    from rich.console import Console

    from basilica_env.benchmarks.table import print_changes, print_report

    if options.threshold <= 0:
        raise ValueError(f"--threshold {options.threshold}: expected a positive ratio, such as 0.7")
    console = Console()
    if not console.is_terminal:
        console.width = 120  # a file has no width of its own
    chosen = select(rows(busy=options.busy, growth=options.charts is not None), options.rows)
    if options.list:
        for row in chosen:
            console.print(
                f"{row.name}: {row.system}, {row.what} ({row.unit})", highlight=False, soft_wrap=True
            )
        return OK
    for path in filter(None, (options.json, options.fill)):
        replaceable(path)  # before the measuring, not after it
    earlier = read_report(options.compare) if options.compare else None
    if options.load:
        report = read_report(options.load)
    else:
        report = measure(chosen, QUICK if options.quick else FULL, shlex.join(command))
    if options.json:
        write_report(options.json, report)
    print_report(console, report)
    charts = []
    if options.charts:
        from basilica_env.benchmarks.charts import draw

        charts = draw(report, options.charts)
        for path in charts:
            console.print(f"wrote {path}", highlight=False, soft_wrap=True)
    if options.fill:
        fill(options.fill, BLOCK, markdown(report, [_beside(options.fill, path) for path in charts]))
    failed = any(row.system == OWN and row.status in (FAILED, LATE) for row in report.rows)
    status = WORSE if failed else OK
    if earlier:
        changes = compare(earlier, report)
        if earlier.machine.get("processor") != report.machine.get("processor"):
            console.print("The earlier run was on another processor: its times say little about this one.")
        print_changes(console, changes, options.threshold)
        if not changes:
            raise ValueError(f"{options.compare} has no measured row in common with this run")
        if any(change.is_worse(options.threshold) for change in changes):
            status = WORSE
    return INTERRUPTED if report.interrupted and not options.load else status


def _beside(page: Path, path: Path) -> str:
    """Return the address of a file as a page links to it."""
    return Path(os.path.relpath(path, page.parent)).as_posix()


def measure(
    chosen: list[Row],
    effort: Effort,
    command: str,
    runner: Callable[[Row, Effort], Result] = run,
    console: Console | None = None,
) -> Report:
    """Measure rows one after the other, with a progress bar on standard error.

    Ctrl-C ends the run early; the report then holds the rows done so far.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    described = machine()
    results: list[Result] = []
    interrupted = False
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console or Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(chosen))
        try:
            for row in chosen:
                progress.update(task, description=f"{row.system}: {row.name}")
                results.append(runner(row, effort))
                progress.advance(task)
        except KeyboardInterrupt:
            interrupted = True
    return Report(
        command=command,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=described,
        versions=versions(),
        repeats=effort.repeats,
        seconds=effort.seconds,
        interrupted=interrupted,
        rows=results,
    )
