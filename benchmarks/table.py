"""The table in the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

from basilica_env.benchmarks.report import TEXTS, Change, Report, by_group, columns, conditions, figure
from basilica_env.benchmarks.rows import OWN
from basilica_env.benchmarks.run import MEASURED


def _table(title: str, headings: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in TEXTS else "right", overflow="fold")
    return table


def print_report(console: Console, report: Report) -> None:
    """Print a table of every row, group by group, with the conditions above."""
    console.print(conditions(report), highlight=False)
    for title, results in by_group(report.rows):
        headings, lines = columns(results)
        table = _table(title, headings)
        for result, line in zip(results, lines, strict=True):
            style = None if result.system == OWN else "dim"
            table.add_row(*line, style=style if result.status == MEASURED else "yellow")
        console.print()
        console.print(table)
    if report.interrupted:
        console.print("The run was interrupted: rows are missing.", style="yellow")


def print_changes(console: Console, changes: list[Change], threshold: float) -> None:
    """Print each row of two runs with its ratio; those worse than the threshold stand out."""
    title = f"Against the earlier run (worse: below {threshold:g})"
    table = _table(title, ("row", "earlier", "now", "ratio", ""))
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
