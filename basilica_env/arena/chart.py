"""Charts of values with intervals, as SVG: a row a subject, a panel a quantity."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from basilica_env.arena.statistics import Estimate
from basilica_env.render import shapes
from basilica_env.render.theme import DARK, LIGHT, Theme

SIZE, SMALL = 13, 11
"""Of letters."""
MARGIN = 16
WIDEST_LABEL = 240
LANE = 18
"""Height of one series in a row."""
GAP = 8
"""Between rows."""
PANEL_GAP = 24

Shape = Callable[[float, float, str, str], str]


@dataclass(frozen=True)
class Panel:
    """One quantity for all rows.

    Attributes
    ----------
    title : str
    series : mapping of str to sequence of Estimate or None
        By name, a value for each row; None leaves the row empty. Names are shown if there are several.
    unit : str
        Below the axis.
    reference : float, optional
        A value that a line is drawn at.
    strong : frozenset of int, optional
        Rows whose marks are filled; None fills all.
    width : float
    """

    title: str
    series: Mapping[str, Sequence[Estimate | None]]
    unit: str = ""
    reference: float | None = None
    strong: frozenset[int] | None = None
    width: float = 230


def draw_chart(
    title: str, labels: Sequence[str], panels: Sequence[Panel], note: str = "", dark: bool = False
) -> str:
    """Draw panels side by side.

    Parameters
    ----------
    title : str
    labels : sequence of str
        What the rows are about, from top to bottom.
    panels : sequence of Panel
    note : str
        A line at the foot.
    dark : bool
        Light signs on dark paper.

    Returns
    -------
    str
        An ``svg`` element; it needs nothing else to be shown.
    """
    return _Chart(title, labels, panels, note, DARK if dark else LIGHT).draw()


class _Axis:
    """Values from left to right."""

    def __init__(self, panel: Panel, left: float) -> None:
        ends = [
            end
            for estimates in panel.series.values()
            for estimate in estimates
            if estimate is not None
            for end in estimate
        ]
        ends += [] if panel.reference is None else [panel.reference]
        finite = [end for end in ends if math.isfinite(end)] or [0.0]
        low, high = min(finite), max(finite)
        room = 0.06 * (high - low) or 1.0
        self.low, self.high = low - room, high + room
        self.left, self.right = left, left + panel.width

    def place(self, value: float) -> float:
        """Return where a value is; what is infinite is at an end."""
        inside = max(self.low, min(self.high, value))
        return self.left + (inside - self.low) / (self.high - self.low) * (self.right - self.left)

    def ticks(self) -> list[float]:
        """Return some four round values."""
        rough = (self.high - self.low) / 4
        power = 10.0 ** math.floor(math.log10(rough))
        step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough)
        first = math.ceil(self.low / step)
        return [index * step for index in range(first, math.floor(self.high / step) + 1)]


class _Chart:
    def __init__(
        self, title: str, labels: Sequence[str], panels: Sequence[Panel], note: str, theme: Theme
    ) -> None:
        self.title, self.labels, self.panels, self.note, self.theme = title, labels, panels, note, theme
        self.lanes = max(len(panel.series) for panel in panels)
        self.row = self.lanes * LANE + GAP
        widest = max((shapes.text_width(label, SIZE) for label in labels), default=0)
        self.label_width = min(WIDEST_LABEL, widest)
        self.left = MARGIN + self.label_width + GAP
        self.top = MARGIN + 26 + (20 if self.has_legend else 0)
        self.top += 20 if any(panel.title for panel in panels) else 0
        self.bottom = self.top + self.row * len(labels)
        self.width = self.left + sum(panel.width + PANEL_GAP for panel in panels) - PANEL_GAP + MARGIN
        self.height = self.bottom + 40 + (22 if note else 0)

    @property
    def has_legend(self) -> bool:
        return self.lanes > 1

    def draw(self) -> str:
        parts = [
            shapes.box(0, 0, self.width, self.height, fill=self.theme.paper),
            self.words(self.title, MARGIN, MARGIN + 14, 15, bold=True, width=self.width - 2 * MARGIN),
            *self.rows(),
        ]
        left = self.left
        for panel in self.panels:
            parts += self.panel(panel, left)
            left += panel.width + PANEL_GAP
        if self.has_legend:
            parts += self.legend()
        if self.note:
            parts.append(self.words(self.note, MARGIN, self.height - 10, SMALL, quiet=True))
        return shapes.element(
            "svg",
            "\n" + "\n".join(parts) + "\n",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {shapes.number(self.width)} {shapes.number(self.height)}",
            width=self.width,
            height=self.height,
            font_family=shapes.FONTS,
            role="img",
            aria_label=self.title,
        )

    def words(
        self,
        words: str,
        x: float,
        y: float,
        size: float = SIZE,
        *,
        quiet: bool = False,
        bold: bool = False,
        anchor: str | None = None,
        width: float | None = None,
    ) -> str:
        ink = self.theme.quiet if quiet else self.theme.ink
        return shapes.text(words, x, y, size, ink, bold=bold, anchor=anchor, width=width)

    def rows(self) -> Iterator[str]:
        for number, label in enumerate(self.labels):
            top = self.top + number * self.row
            if number % 2 == 0:
                width = self.width - 2 * MARGIN + 8
                yield shapes.box(MARGIN - 4, top, width, self.row, radius=3, fill=self.theme.panel)
            yield self.words(label, MARGIN, top + self.row / 2 + 5, width=self.label_width + 1)

    def panel(self, panel: Panel, left: float) -> Iterator[str]:
        axis = _Axis(panel, left)
        yield self.words(panel.title, left, self.top - 8, bold=True, width=panel.width)
        for tick in axis.ticks():
            x = axis.place(tick)
            yield self.line(x, self.top, x, self.bottom, self.theme.grid)
            yield self.words(f"{tick:g}", x, self.bottom + 15, SMALL, quiet=True, anchor="middle")
        middle = (axis.left + axis.right) / 2
        yield self.words(panel.unit, middle, self.bottom + 31, SMALL, quiet=True, anchor="middle")
        if panel.reference is not None:
            x = axis.place(panel.reference)
            yield self.line(x, self.top, x, self.bottom, self.theme.quiet, stroke_dasharray="4 3")
        for lane, estimates in enumerate(panel.series.values()):
            for number, estimate in enumerate(estimates):
                if estimate is not None:
                    y = self.top + number * self.row + GAP / 2 + LANE * (lane + 0.5)
                    y += LANE * (self.lanes - len(panel.series)) / 2
                    plain = panel.strong is not None and number not in panel.strong
                    colours = self.colours(lane) if len(panel.series) > 1 else self.plain_colours()
                    yield from self.estimate(axis, estimate, y, lane, colours, plain)

    def estimate(
        self, axis: _Axis, estimate: Estimate, y: float, lane: int, colours: tuple[str, str], plain: bool
    ) -> Iterator[str]:
        """Draw a value and its interval; an end that is off the scale has no stop."""
        colour, line = colours
        low, high = axis.place(estimate.low), axis.place(estimate.high)
        yield self.line(low, y, high, y, line, stroke_width=1.6)
        for end, x in ((estimate.low, low), (estimate.high, high)):
            if axis.low <= end <= axis.high:
                yield self.line(x, y - 4, x, y + 4, line, stroke_width=1.6)
        mark = MARKS[lane % len(MARKS)]
        yield mark(axis.place(estimate.value), y, self.theme.paper if plain else colour, line)

    def plain_colours(self) -> tuple[str, str]:
        """Return the colours of a panel of one series, none of those that the legend explains."""
        if self.has_legend:
            return self.theme.quiet, self.theme.ink
        return self.colours(0)

    def colours(self, lane: int) -> tuple[str, str]:
        """Return the colours of a series and of its lines, which differ for all kinds of colour vision."""
        theme = self.theme
        pairs = (
            (theme.blue, theme.blue_line),
            (theme.red, theme.red_line),
            (theme.green, theme.green_line),
            (theme.yellow, theme.yellow_line),
        )
        return pairs[lane % len(pairs)]

    def legend(self) -> Iterator[str]:
        panel = max(self.panels, key=lambda panel: len(panel.series))
        x, y = MARGIN + 6.0, MARGIN + 36.0
        for lane, name in enumerate(panel.series):
            colour, line = self.colours(lane)
            yield MARKS[lane % len(MARKS)](x, y - 4, colour, line)
            yield self.words(name, x + 12, y)
            x += shapes.text_width(name, SIZE) + 36

    def line(self, x: float, y: float, to_x: float, to_y: float, stroke: str, **more: object) -> str:
        return shapes.element("line", x1=x, y1=y, x2=to_x, y2=to_y, stroke=stroke, **more)


def _circle(x: float, y: float, fill: str, line: str) -> str:
    return shapes.circle(x, y, 5, fill=fill, stroke=line, stroke_width=1.4)


def _square(x: float, y: float, fill: str, line: str) -> str:
    return shapes.box(x - 4.5, y - 4.5, 9, 9, fill=fill, stroke=line, stroke_width=1.4)


def _triangle(x: float, y: float, fill: str, line: str) -> str:
    corners = ((x - 5.5, y + 4.5), (x, y - 5.5), (x + 5.5, y + 4.5))
    return shapes.path(shapes.polyline(corners) + "Z", fill=fill, stroke=line, stroke_width=1.4)


def _diamond(x: float, y: float, fill: str, line: str) -> str:
    corners = ((x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6))
    return shapes.path(shapes.polyline(corners) + "Z", fill=fill, stroke=line, stroke_width=1.4)


MARKS: tuple[Shape, ...] = (_circle, _square, _triangle, _diamond)
"""A form for each series, since a colour alone tells nothing."""
