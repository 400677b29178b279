"""The section of a report on what a study of tile sets has found (R1.4)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from basilica_env.arena.effects import QUANTITIES, Quantity
from basilica_env.arena.report_charts import dots
from basilica_env.arena.report_sections import Chart, Section, Table, in_elo, in_percent, in_points
from basilica_env.arena.statistics import Estimate
from basilica_env.arena.verdict import COLUMNS, RATING, TABLE

if TYPE_CHECKING:
    import polars as pl

WORDS = (
    "Which orders, crowns and coin icons the tiles have is partly assumed. The same agents played the same "
    "pairings with other tile sets too; the first row is the tile set as it is. Where a difference is called "
    "sure, all differences of the study together hold with 95 %."
)

Rows = Sequence[dict[str, Any]]


def find_study(folder: Path) -> Path | None:
    """Return the folder of a study that lies in a folder, or is it."""
    return next((path for path in (folder, *_folders(folder)) if (path / TABLE).is_file()), None)


def _folders(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if path.is_dir())


def base_of(study: Path) -> Path:
    """Return the folder with the games that a study has played with the tile set as it is."""
    return study / str(_read(study)[0]["tiles"])


def study_section(study: Path) -> Section:
    """Return what a study has found.

    Raises
    ------
    ValueError
        If its table is damaged.
    OSError
        If it cannot be read.
    """
    rows = _read(study)
    titled = [(quantity, _about(rows, quantity.name)) for quantity in QUANTITIES]
    charts = [
        Chart(
            quantity.title,
            "share, by tile set" if quantity.is_share else "by tile set",
            dots(frame, "tiles", percent=quantity.is_share, reference=frame["value"][0]),
        )
        for quantity, frame in titled
    ]
    ratings = _ratings(rows)
    charts.append(Chart("Ratings", "Elo, by tile set", dots(ratings, "tiles", "agent")))
    return Section(
        "Does it hinge on the tiles?",
        " ".join([WORDS, *(_conclusion(quantity, rows) for quantity in QUANTITIES)]),
        charts,
        [_table(quantity, rows) for quantity in QUANTITIES] + [_rating_table(ratings)],
    )


def _read(study: Path) -> Rows:
    path = study / TABLE
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}: damaged: expected the columns {', '.join(COLUMNS)}")
        try:
            rows = [
                {**row, **{name: float(row[name]) for name in Estimate._fields}, "sure": row["sure"] == "1"}
                for row in reader
            ]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {reader.line_num}: damaged: {error}") from None
    if not rows:
        raise ValueError(f"{path}: damaged: no row in it")
    return rows


def _frame(rows: Rows, *columns: str) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame([{name: row[name] for name in (*columns, *Estimate._fields)} for row in rows])


def _about(rows: Rows, subject: str) -> pl.DataFrame:
    return _frame([row for row in rows if row["subject"] == subject], "tiles")


def _ratings(rows: Rows) -> pl.DataFrame:
    rated = [
        {**row, "agent": row["subject"].removeprefix(RATING)}
        for row in rows
        if row["subject"].startswith(RATING)
    ]
    return _frame(rated, "tiles", "agent")


def _conclusion(quantity: Quantity, rows: Rows) -> str:
    sure = [row["tiles"] for row in rows if row["subject"] == quantity.name and row["sure"]]
    subject = quantity.short[0].upper() + quantity.short[1:]
    return f"{subject} surely differs with {', '.join(sure) if sure else 'none of them'}."


def _table(quantity: Quantity, rows: Rows) -> Table:
    written = in_percent if quantity.is_share else in_points
    return Table(
        quantity.title,
        ["tile set", "value (95 % interval)", "surely different", "what is different"],
        [
            [row["tiles"], written(row), "yes" if row["sure"] else "", row["change"]]
            for row in rows
            if row["subject"] == quantity.name
        ],
    )


def _rating_table(ratings: pl.DataFrame) -> Table:
    rows = [[row["tiles"], row["agent"], in_elo(row)] for row in ratings.iter_rows(named=True)]
    return Table("Ratings", ["tile set", "agent", "Elo"], rows)
