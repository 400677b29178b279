"""The charts of a report, by Plotly.

A chart says what it shows; how it looks in light and dark, on a phone and on a desktop, the script of the
page decides (``data/report.html``). A series has a form or a pattern besides its colour, so that no colour
tells anything alone. It names its number in its ``meta``; the script gives it the colour and makes the
legend. Texts from records stand in names, ``ticktext`` and ``customdata`` alone, as they are; the script
keeps them from being read as markup.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from basilica_env.core.layout import COLUMN_LETTERS, ROWS
from basilica_env.render.style import printable

if TYPE_CHECKING:
    import polars as pl
    from plotly.graph_objects import Figure

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
PATTERNS = ("", "/", "x", ".", "\\", "-", "|", "+")

ROW, LANE, FRAME = 26, 11, 48
"""Pixels: a row of one series, each further series in it, and what is around the rows."""


def dots(
    frame: pl.DataFrame,
    label: str,
    series: str | None = None,
    *,
    percent: bool = False,
    reference: float | None = None,
    order: Sequence[str] = (),
) -> Figure:
    """Draw values with their intervals, a row a label.

    Parameters
    ----------
    frame : columns `label`, `series`, ``value``, ``low`` and ``high``
    label, series : the columns that name the rows and what stands in each of them
    percent : values are shares
    reference : a value that a line is drawn at
    order : of the series; by default as they come
    """
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    names = _series(frame, series, order)
    labels = list(dict.fromkeys(frame[label].to_list()))
    for number, name in enumerate(names):
        mine = frame if series is None else frame.filter(frame[series] == name)
        values = mine["value"]
        offset = (number - (len(names) - 1) / 2) * 0.72 / max(len(names), 2)
        figure.add_trace(
            Scatter(
                x=values.to_list(),
                y=[labels.index(row) + offset for row in mine[label]],
                mode="markers",
                name=name,
                meta={"series": number},
                marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9},
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": (mine["high"] - values).to_list(),
                    "arrayminus": (values - mine["low"]).to_list(),
                    "thickness": 1.6,
                    "width": 4,
                },
                customdata=[[row, low, high] for row, low, high in mine.select(label, "low", "high").rows()],
                hovertemplate=_hover(percent),
            )
        )
    figure.update_xaxes(tickformat=".0%" if percent else None)
    _name_rows(figure, labels)
    if reference is not None:
        figure.add_vline(x=reference, line={"dash": "dash", "width": 1.2})
    return _sized(figure, FRAME + len(labels) * (ROW + LANE * (len(names) - 1)))


def _name_rows(figure: Figure, labels: Sequence[str]) -> None:
    figure.update_yaxes(
        tickvals=list(range(len(labels))), ticktext=labels, range=[len(labels) - 0.5, -0.5], zeroline=False
    )


def _hover(percent: bool) -> str:
    form = ".1%" if percent else ".3~g"
    ends = " and ".join(f"%{{customdata[{place}]:{form}}}" for place in (1, 2))
    return f"%{{customdata[0]}}: %{{x:{form}}}<br>between {ends}"


def lines(
    frame: pl.DataFrame, x: str, y: str, series: str, label: str, *, order: Sequence[str] = ()
) -> Figure:
    """Draw a distribution of each series.

    Parameters
    ----------
    frame : columns `x`, `y`, `series` and `label`, sorted by `x`; `y` are shares
    x, y, series, label : names of columns; a label says what a point is about
    order : of the series
    """
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    names = _series(frame, series, order)
    for number, name in enumerate(names):
        mine = frame.filter(frame[series] == name)
        figure.add_trace(
            Scatter(
                x=mine[x].to_list(),
                y=mine[y].to_list(),
                mode="lines+markers",
                name=name,
                meta={"series": number},
                marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 6},
                line={"dash": DASHES[number % len(DASHES)], "width": 2},
                customdata=[[text] for text in mine[label]],
                hovertemplate="%{customdata[0]}: %{y:.1%}",
            )
        )
    figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    return _sized(figure, 320)


def bars(
    frame: pl.DataFrame, label: str, kind: str, *, percent: bool = False, order: Sequence[str] = ()
) -> Figure:
    """Draw what adds up to a whole, a bar a label.

    Parameters
    ----------
    frame : columns `label`, `kind` and ``value``
    label, kind : the columns that name the bars and their parts
    percent : values are shares
    order : of the kinds
    """
    from plotly.graph_objects import Bar, Figure

    figure = Figure()
    labels = list(dict.fromkeys(frame[label].to_list()))
    names = _series(frame, kind, order)
    for number, name in enumerate(names):
        mine = frame.filter(frame[kind] == name)
        figure.add_trace(
            Bar(
                y=[labels.index(row) for row in mine[label]],
                x=mine["value"].to_list(),
                customdata=[[row] for row in mine[label]],
                orientation="h",
                name=name,
                meta={"series": number},
                marker={"pattern": {"shape": PATTERNS[number % len(PATTERNS)], "size": 6, "solidity": 0.25}},
                hovertemplate=f"%{{customdata[0]}}: %{{x:{'.1%' if percent else '.3~g'}}}",
            )
        )
    figure.update_layout(barmode="stack", bargap=0.35)
    figure.update_xaxes(tickformat=".0%" if percent else None)
    _name_rows(figure, labels)
    return _sized(figure, FRAME + 34 * len(labels))


def board(values: Mapping[str, float]) -> Figure:
    """Draw a value for each square of the cathedral, row 1 below.

    Parameters
    ----------
    values : by the name of the square; others are 0
    """
    from plotly.graph_objects import Figure, Heatmap

    rows = range(1, ROWS + 1)
    figure = Figure(
        Heatmap(
            z=[[values.get(f"{column}{row}", 0.0) for column in COLUMN_LETTERS] for row in rows],
            x=list(COLUMN_LETTERS),
            y=[str(row) for row in rows],
            colorscale="Cividis",
            zmin=0,
            texttemplate="%{z:.2f}",
            hovertemplate="%{x}%{y}: %{z:.3f}<extra></extra>",
            colorbar={"thickness": 12},
            xgap=1,
            ygap=1,
        )
    )
    figure.update_xaxes(type="category")
    figure.update_yaxes(type="category")
    return _sized(figure, FRAME + 26 * ROWS)


def _series(frame: pl.DataFrame, column: str | None, order: Sequence[str]) -> list[str]:
    if column is None:
        return [""]
    present = list(dict.fromkeys(frame[column].to_list()))
    return [name for name in order if name in present] + [name for name in present if name not in order]


def _sized(figure: Figure, height: int) -> Figure:
    """Give a chart its height and little room around it; its labels take what they need."""
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    margin = {"l": 8, "r": 26, "t": 8, "b": 8, "pad": 4}
    return figure.update_layout(template="none", height=height, margin=margin)


def as_json(figure: Figure) -> dict[str, Any]:
    """Return a chart as the page takes it: infinite numbers become null, control characters escapes."""
    chart: dict[str, Any] = _shown(json.loads(figure.to_json()))
    return {"data": chart["data"], "layout": chart["layout"]}


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_shown(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _shown(entry) for name, entry in value.items()}
    return value
