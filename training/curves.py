"""Draw the learning curves of runs: the score against each anchor by steps, with 95 % intervals.

python -m basilica_env.training.curves run other --out curves.svg
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from basilica_env.files import replacing
from basilica_env.training.folder import EVALUATIONS, RunError, RunFolder

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_curves(paths: Sequence[Path]) -> Figure:
    """Return a figure with a panel for each anchor and a line for each run.

    Raises
    ------
    RunError
        If a folder holds no run or no evaluation.
    ImportError
        If matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError('curves need matplotlib: pip install "basilica-env[train]"') from error
    runs = {path.name: _evaluations(path) for path in paths}
    anchors = list(dict.fromkeys(row["anchor"] for rows in runs.values() for row in rows))
    figure = Figure(figsize=(3.6 * len(anchors), 3.2), layout="constrained")
    panels = figure.subplots(1, len(anchors), squeeze=False, sharey=True)[0]
    for panel, anchor in zip(panels, anchors, strict=True):
        for name, rows in runs.items():
            own = [row for row in rows if row["anchor"] == anchor]
            steps = [int(row["steps"]) / 1e6 for row in own]
            score, low, high = ([100 * float(row[key]) for row in own] for key in ("score", "low", "high"))
            panel.plot(steps, score, marker="o", markersize=3, label=name)
            panel.fill_between(steps, low, high, alpha=0.2)
        panel.set(title=f"against {anchor}", xlabel="million steps", ylim=(0, 101))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("score, %")
    panels[0].legend()
    return figure


def _evaluations(path: Path) -> list[dict[str, str]]:
    run = RunFolder(path)
    run.facts()
    rows = run.rows(EVALUATIONS)
    if not rows:
        raise RunError(f"{path} has no evaluation yet")
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="curves", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folders of runs")
    parser.add_argument("--out", type=Path, required=True, help="the file to write (.svg, .png, .pdf)")
    options = parser.parse_args(arguments)
    try:
        figure = draw_curves(options.runs)
        with replacing(options.out) as draft:
            figure.savefig(draft, format=options.out.suffix[1:] or "svg", metadata={"Date": None})
    except (OSError, ValueError, ImportError) as error:
        print(f"curves: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
