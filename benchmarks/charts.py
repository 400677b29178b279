"""The charts: time a step against games, threads, and how far into the game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from basilica_env.benchmarks.report import Report
from basilica_env.benchmarks.rows import OUTPUTS
from basilica_env.benchmarks.run import MEASURED, Result
from basilica_env.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHARTS = {
    "games": ("Time a step against the number of games (1 thread)", "games in one call"),
    "threads": ("Time a step against threads (4,096 games)", "threads"),
    "decision": ("Time a step against how far into the game (1,024 games, 1 thread)", "decisions played"),
}
"""Charts by the second part of the rows' names: title, and what runs from left to right."""


def _points(report: Report, kind: str, outputs: str) -> list[tuple[float, Result]]:
    """Return the measured rows of one line of a chart, from left to right."""
    prefix = f"growth/{kind}/{outputs}/"
    rows = [row for row in report.rows if row.name.startswith(prefix) and row.status == MEASURED]
    return sorted(((float(row.arguments[kind]), row) for row in rows), key=lambda point: point[0])


def _draw_line(axes: Axes, points: list[tuple[float, Result]], label: str) -> None:
    """Draw the median in nanoseconds a step, with the spread of the repeats as bars."""
    places = [place for place, _ in points]
    medians = [1e9 / row.median for _, row in points]
    below = [median - 1e9 / max(row.values) for median, (_, row) in zip(medians, points, strict=True)]
    above = [1e9 / min(row.values) - median for median, (_, row) in zip(medians, points, strict=True)]
    axes.errorbar(places, medians, yerr=[below, above], marker="o", markersize=4, capsize=3, label=label)


def draw(report: Report, folder: Path) -> list[Path]:
    """Draw the growth rows of a report as SVG files.

    Parameters
    ----------
    report : Report
        A run with growth rows.
    folder : Path
        Where ``growth-games.svg``, ``growth-threads.svg`` and ``growth-decision.svg`` go; made if need be.

    Returns
    -------
    list of Path
        The files written: one for each chart that the report has rows for.

    Raises
    ------
    ValueError
        If matplotlib is not installed or the report has no measured growth rows.
    """
    try:
        import matplotlib
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ModuleNotFoundError:
        raise ValueError("charts need matplotlib: pip install 'basilica-env[bench]'") from None

    folder.mkdir(exist_ok=True)
    written = []
    for kind, (title, across) in CHARTS.items():
        lines = {label: _points(report, kind, outputs) for outputs, label in OUTPUTS.items()}
        if not any(lines.values()):
            continue
        figure = Figure(figsize=(7.0, 4.2), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        for label, points in lines.items():
            if points:
                _draw_line(axes, points, label)
        axes.set(title=title, xlabel=across, ylabel="nanoseconds a step")
        if kind == "games":
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        if kind == "threads":
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(visible=True, alpha=0.3)
        axes.legend()
        path = folder / f"growth-{kind}.svg"
        # The salt and the missing date make the same figures the same file.
        with replacing(path) as draft, matplotlib.rc_context({"svg.hashsalt": "basilica"}):
            figure.savefig(draft, format="svg", metadata={"Date": None})
        written.append(path)
    if not written:
        raise ValueError(
            "no growth row was measured: run 'basilica bench --charts FOLDER', or load a report of such a run"
        )
    return written
