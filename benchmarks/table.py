"""The table in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from basilica_env.benchmarks.report import HEADINGS, Change, Report, by_group, cells, conditions, figure
from basilica_env.benchmarks.rows import OWN
from basilica_env.benchmarks.run import MEASURED

_RIGHT = ("games", "threads", "median", "ready (s)")


def print_report(console: Console, report: Report) -> None:
    """Print a table of every row, group by group, with the conditions above."""
    console.print(conditions(report), highlight=False)
    for title, results in by_group(report.rows):
        table = Table(title=title, title_justify="left", title_style="bold")
        for heading in HEADINGS:
            table.add_column(heading, justify="right" if heading in _RIGHT else "left", overflow="fold")
        for result in results:
            style = None if result.system == OWN else "dim"
            table.add_row(*cells(result), style=style if result.status == MEASURED else "yellow")
        console.print(table)


def print_changes(console: Console, changes: list[Change], threshold: float) -> None:
    """Print each row of two runs with its ratio; those worse than the threshold stand out."""
    table = Table(title=f"Against the earlier run (worse: below {threshold:g})", title_justify="left")
    for heading in ("row", "earlier", "now", "ratio", ""):
        table.add_column(heading, justify="left" if heading == "row" else "right", overflow="fold")
    for change in changes:
        worse = change.is_worse(threshold)
        table.add_row(
            change.name,
            f"{figure(change.old)} {change.unit}",
            "failed" if change.new is None else f"{figure(change.new)} {change.unit}",
            "" if change.ratio is None else f"{change.ratio:.2f}",
            "worse" if worse else "",
            style="red" if worse else None,
        )
    console.print(table)
