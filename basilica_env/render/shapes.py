"""The pieces of the drawing as SVG: tiles, builders, crowns, glass, scaffolding, order symbols.

Each function returns one element. A piece is drawn at the origin; :func:`at` puts it in its place. There
are no ids, style sheets or references, so any number of drawings can stand in one page.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from html import escape
from math import cos, hypot, pi, sin

from basilica_env.render.style import printable
from basilica_env.render.theme import Theme

FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"

TILE = 56
"""Side of a tile."""
BUILDER_WIDTH, BUILDER_HEIGHT = 24, 31
CROWN_WIDTH, CROWN_HEIGHT = 18, 13
CODE_WIDTH = 34
"""Of the plate of a tile's code, at most."""
SYMBOL = 40
"""Side of the box of an order symbol."""

Shape = Callable[[Theme], str]
Point = tuple[float, float]


# --- Elements ----------------------------------------------------------------------------------------


def element(tag: str, *content: str, **attributes: object) -> str:
    """Write an element; ``_`` in the name of an attribute stands for ``-``, and None leaves it out."""
    written = "".join(
        f' {name.replace("_", "-")}="{escape(_value(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}>{''.join(content)}</{tag}>" if content else f"<{tag}{written}/>"


def _value(value: object) -> str:
    return number(value) if isinstance(value, int | float) else printable(str(value))


def number(value: float) -> str:
    """Write a number with two decimals at most."""
    return f"{round(value, 2):g}"


def group(*content: str, **attributes: object) -> str:
    """Write a group of elements."""
    return element("g", *content, **attributes)


def at(x: float, y: float, *content: str, scale: float = 1, **attributes: object) -> str:
    """Put elements at a place."""
    transform = f"translate({number(x)} {number(y)})" + (f" scale({number(scale)})" if scale != 1 else "")
    return group(*content, transform=transform, **attributes)


def box(x: float, y: float, width: float, height: float, radius: float = 0, **attributes: object) -> str:
    """Draw a rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, rx=radius if radius else None, **attributes)


def path(d: str, **attributes: object) -> str:
    """Draw a path."""
    return element("path", d=d, **attributes)


def circle(x: float, y: float, radius: float, **attributes: object) -> str:
    """Draw a circle."""
    return element("circle", cx=x, cy=y, r=radius, **attributes)


def polyline(points: Iterable[Point]) -> str:
    """Write the path through points."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


# --- Text --------------------------------------------------------------------------------------------

_NARROW, _BROAD = frozenset("iljtfrI.,:;'|!()[]/ "), frozenset("mwMW@%")
_LAST_LATIN = "\u024f"
_BOLDER = 1.11
"""How much wider bold text is."""
_SMALLEST = 2 / 3
"""How far a text that is too long is shrunk before it is cut."""


def text_width(words: str, size: float, bold: bool = False) -> float:
    """Estimate the width of a text in a broad typeface, rather too much than too little."""
    return size * sum(map(_advance, words)) * (_BOLDER if bold else 1)


def _advance(sign: str) -> float:
    if sign in _NARROW:
        return 0.4
    if sign in _BROAD or unicodedata.east_asian_width(sign) in "WF":
        return 1.02
    if sign > _LAST_LATIN:
        return 1.02 if sign.isupper() else 0.75
    return 0.74 if sign.isupper() else 0.637


def text(
    words: str,
    x: float,
    y: float,
    size: float,
    fill: str,
    *,
    bold: bool = False,
    anchor: str | None = None,
    width: float | None = None,
    **attributes: object,
) -> str:
    """Write a line of text, no wider than `width`: what is too long is shrunk, and then cut.

    Control characters, which XML does not allow, are written as escapes.
    """
    words = printable(words)
    if width is not None:
        words, size = _fitted(words, size, bold, width)
    return element(
        "text",
        escape(words),
        x=x,
        y=y,
        font_size=size,
        font_weight="bold" if bold else None,
        text_anchor=anchor,
        fill=fill,
        **attributes,
    )


def _fitted(words: str, size: float, bold: bool, width: float) -> tuple[str, float]:
    """Return the words, cut if need be, and the size at which they fit."""
    needed = text_width(words, size, bold)
    if needed <= width:
        return words, size
    smaller = size * max(_SMALLEST, width / needed)
    if text_width(words, smaller, bold) <= width + 0.01:
        return words, smaller
    while words and text_width(words + "…", smaller, bold) > width:
        words = words[:-1]
    return words + "…", smaller


def figure(count: int | str, x: float, y: float, size: float, fill: str, data_count: str) -> str:
    """Write a bold number that ends at a place, and what it counts."""
    return text(str(count), x, y, size, fill, bold=True, anchor="end", data_count=data_count)


# --- Tiles -------------------------------------------------------------------------------------------


def bay(theme: Theme, colours: str) -> str:
    """Draw a vault: a bay of wall in its colour or two, with an arch to stand in."""
    arch = "M15 55V34Q15 25 28 18Q41 25 41 34V55Z"
    return group(
        wall(theme, colours, TILE, TILE),
        path(arch, fill=theme.niche, stroke=theme.stone_edge, stroke_width=1),
    )


def bay_signs(theme: Theme, code: str, crown: bool) -> str:
    """Write a vault's code, and draw its crown if it has one."""
    width = min(text_width(code, 11, bold=True) + 7, CODE_WIDTH)
    parts = [
        box(2, 2, width, 14, 3, fill=theme.plate),
        text(code, 5.5, 13, 11, theme.plate_ink, bold=True, width=width - 6),
    ]
    if crown:
        parts.append(at(TILE - CROWN_WIDTH - 1.5, 2, crown_sign(theme)))
    return group(*parts)


def wall(theme: Theme, colours: str, width: float, height: float) -> str:
    """Draw a wall in one colour, or in two side by side, each with its pattern."""
    part = width / len(colours)
    stones = [
        group(
            box(0, 0, part, height, fill=theme.tile(letter)),
            path(
                PATTERNS[letter](part, height),
                stroke=theme.tile_line(letter),
                stroke_width=2.6 if letter == "Y" else 1.3,
                stroke_linecap="round" if letter == "Y" else None,
                stroke_opacity=0.75,
                fill="none",
            ),
            transform=f"translate({number(part * k)} 0)" if k else None,
        )
        for k, letter in enumerate(colours)
    ]
    frame = box(0.5, 0.5, width - 1, height - 1, fill="none", stroke=theme.stone_edge, stroke_width=1)
    return group(*stones, frame)


def _slanted(width: float, height: float) -> str:
    """Draw lines that rise to the right."""
    step = 7.0
    lines = []
    reach = step / 2
    while reach < width + height:
        left, right = max(0.0, reach - height), min(width, reach)
        lines.append(f"M{number(left)} {number(reach - left)}L{number(right)} {number(reach - right)}")
        reach += step
    return "".join(lines)


def _dotted(width: float, height: float) -> str:
    """Draw dots; each is a line without length and with round ends."""
    step = 7.0
    dots = []
    for row in range(int(height / step)):
        for column in range(int(width / step)):
            x = (column + (0.25 if row % 2 else 0.75)) * step
            dots.append(f"M{number(x)} {number((row + 0.5) * step)}h0.01")
    return "".join(dots)


def _level(width: float, height: float) -> str:
    return "".join(f"M0 {number(3.5 + 5.6 * k)}H{number(width)}" for k in range(int((height - 3) / 5.6) + 1))


def _latticed(width: float, height: float) -> str:
    """Draw upright lines with short rungs, like a ladder of bricks."""
    step = 7.0
    posts = "".join(f"M{number(step / 2 + step * k)} 0V{number(height)}" for k in range(int(width / step)))
    rungs = []
    for column in range(int(width / step) - 1):
        for row in range(int(height / 14)):
            y = 4 + row * 14 + (7 if column % 2 else 0)
            rungs.append(f"M{number(step / 2 + step * column)} {number(y)}h{number(step)}")
    return posts + "".join(rungs)


PATTERNS: dict[str, Callable[[float, float], str]] = {
    "R": _slanted,
    "Y": _dotted,
    "B": _level,
    "G": _latticed,
}
"""The pattern of each colour, as a path that fills a rectangle."""


def crown_sign(theme: Theme) -> str:
    """Draw a crown."""
    return path(
        "M1 12H17L17.5 3L12.8 6.6L9 1L5.2 6.6L0.5 3Z",
        fill=theme.gold,
        stroke=theme.gold_line,
        stroke_width=1.1,
        stroke_linejoin="round",
    )


def scaffolding(theme: Theme) -> str:
    """Draw a scaffolding tile."""
    poles = "M7 3V54M49 3V54M3 12H53M3 44H53"
    braces = "M7 12L49 44M49 12L7 44"
    wood = {"fill": "none", "stroke_linecap": "round"}
    return group(
        box(0.5, 0.5, TILE - 1, TILE - 1, fill=theme.panel, stroke=theme.wood_line, stroke_dasharray="3 3"),
        path(poles, stroke=theme.wood_line, stroke_width=6.5, **wood),
        path(braces, stroke=theme.wood_line, stroke_width=4.5, **wood),
        path(braces, stroke=theme.wood, stroke_width=2.7, **wood),
        path(poles, stroke=theme.wood, stroke_width=4.5, **wood),
    )


def glass_sign(theme: Theme, radius: float = 9) -> str:
    """Draw a round window of stained glass; the origin is its centre."""
    petals = []
    for k in range(6):
        angle = k * pi / 3
        x, y = 0.55 * radius * cos(angle), 0.55 * radius * sin(angle)
        petals.append(circle(x, y, radius * 0.27, fill=theme.glass))
    return group(
        circle(0, 0, radius, fill=theme.plate, stroke=theme.glass_line, stroke_width=1.6),
        *petals,
        circle(0, 0, radius * 0.24, fill=theme.gold, stroke=theme.glass_line, stroke_width=0.6),
    )


# --- Pieces of the players ---------------------------------------------------------------------------

_PAWN = "M2 30.5L5.8 16.5H18.2L22 30.5Z"


def builder(theme: Theme, player: int, rank: str | None = None) -> str:
    """Draw a builder with the player's number and, if promoted, the badge of the rank."""
    figure = pawn(theme.player(player), theme.player_line(player), str(player))
    if rank is None:
        return figure
    return group(figure, at(BUILDER_WIDTH + 5, BUILDER_HEIGHT - 8, badge(theme, rank)))


def pawn(fill: str, line: str, label: str = "") -> str:
    """Draw a figure."""
    parts = [
        path(_PAWN, fill=fill, stroke=line, stroke_width=1.6, stroke_linejoin="round"),
        circle(12, 9.5, 8, fill=fill, stroke=line, stroke_width=1.6),
    ]
    if label:
        parts.append(text(label, 12, 28.2, 10.5, line, bold=True, anchor="middle"))
    return group(*parts)


_BADGES = {
    "A": "M-7.5 8.5V-2.5L0 -9.5L7.5 -2.5V8.5Z",
    "M": "M-7.5 -7.5H7.5V8.5H-7.5Z",
    "S": "M0 -9.5L8.5 -3V4.5L0 10L-8.5 4.5V-3Z",
}
"""A form for each rank: a gable, a block, a nut."""


def badge(theme: Theme, rank: str) -> str:
    """Draw the badge of a rank: its letter in a form of its own; the origin is its centre."""
    line = {"stroke": theme.gold_line, "stroke_width": 1.4, "stroke_linejoin": "round"}
    return group(
        path(_BADGES[rank], fill=theme.gold, **line),
        text(rank, 0, 5.2, 11.5, theme.gold_ink, bold=True, anchor="middle"),
    )


def token(theme: Theme) -> str:
    """Draw a promotion token, which shows no rank in the supply; the origin is its centre."""
    return circle(0, 0, 7, fill=theme.gold, stroke=theme.gold_line, stroke_width=1.3)


def coin(theme: Theme, radius: float = 9) -> str:
    """Draw a coin; the origin is its centre."""
    return group(
        circle(0, 0, radius, fill=theme.gold, stroke=theme.gold_line, stroke_width=1.3),
        circle(0, 0, radius * 0.72, fill="none", stroke=theme.gold_line, stroke_width=0.8),
        text("$", 0, radius * 0.42, radius * 1.15, theme.gold_ink, bold=True, anchor="middle"),
    )


def king(theme: Theme) -> str:
    """Draw the king; the origin is the middle of his foot."""
    return group(
        path(
            "M-7 0L-4.5 -13H4.5L7 0Z",
            fill=theme.gold,
            stroke=theme.gold_line,
            stroke_width=1.3,
            stroke_linejoin="round",
        ),
        at(-CROWN_WIDTH / 2, -26, crown_sign(theme)),
    )


# --- Order symbols -----------------------------------------------------------------------------------


def order_symbol(theme: Theme, order: str) -> str:
    """Draw the symbol of an order."""
    return group(*_SYMBOLS[order](theme))


def _figure(theme: Theme, x: float, y: float, *, other: bool = False) -> str:
    fill, line = (theme.panel, theme.ink) if other else (theme.ink, theme.ink)
    return at(x, y, pawn(fill, line))


def _strokes(theme: Theme, d: str, width: float = 2.6) -> str:
    return path(
        d,
        fill="none",
        stroke=theme.ink,
        stroke_width=width,
        stroke_linecap="round",
        stroke_linejoin="round",
    )


def _promote(theme: Theme) -> list[str]:
    return [_figure(theme, 2, 6), _strokes(theme, "M26 13L32 7L38 13M26 22L32 16L38 22M26 31L32 25L38 31")]


def _move(theme: Theme) -> list[str]:
    return [_figure(theme, 0, 6), _strokes(theme, "M24 20H38M32 13.5L38.5 20L32 26.5")]


def _recruit(theme: Theme) -> list[str]:
    return [_figure(theme, 1, 6), _strokes(theme, "M32 13V27M25 20H39", 3.4)]


def _confuse(theme: Theme) -> list[str]:
    return [
        at(1, 11, _figure(theme, 0, 0), scale=0.72),
        at(22, 11, _figure(theme, 0, 0, other=True), scale=0.72),
        _strokes(theme, "M8 7Q20 -1 31 6M31.5 0.8V6.4H25.8", 2),
        _strokes(theme, "M31 36.5Q20 43 9 37.5M8.7 42.4V37.2H14", 2),
    ]


def _glass(theme: Theme) -> list[str]:
    return [at(20, 20, glass_sign(theme, 17))]


def _scaffold(theme: Theme) -> list[str]:
    return [
        _strokes(theme, "M7 3V37M33 3V37M3 11H37M3 31H37"),
        _strokes(theme, "M7 11L33 31M33 11L7 31", 1.7),
    ]


def _disaster(theme: Theme) -> list[str]:
    left, right = "M3 5H20L15 14L22 20L16 27L19 36H3Z", "M25 4H37V37H24L21 28L27 20L20.5 14Z"
    return [
        path(left, fill=theme.stone, stroke=theme.ink, stroke_width=1.8, stroke_linejoin="round"),
        path(right, fill=theme.stone, stroke=theme.ink, stroke_width=1.8, stroke_linejoin="round"),
    ]


_SYMBOLS: dict[str, Callable[[Theme], list[str]]] = {
    "promote": _promote,
    "move": _move,
    "recruit": _recruit,
    "confuse": _confuse,
    "glass": _glass,
    "scaffold": _scaffold,
    "disaster": _disaster,
}


# --- Marks -------------------------------------------------------------------------------------------


def corners(theme: Theme, side: float) -> str:
    """Mark a square of the last move at its four corners."""
    near, far, end = number(side * 0.24), number(side * 0.76), number(side)
    d = f"M0 {near}V0H{near}M{far} 0H{end}V{near}M{end} {far}V{end}H{far}M{near} {end}H0V{far}"
    return outlined(d, theme.last, theme.paper, 3)


def outlined(d: str, stroke: str, casing: str, width: float) -> str:
    """Draw a line that stands out from whatever lies below it."""
    shape = {"fill": "none", "stroke_linecap": "round", "stroke_linejoin": "round"}
    return group(
        path(d, stroke=casing, stroke_width=width + 2.6, **shape),
        path(d, stroke=stroke, stroke_width=width, **shape),
    )


def ring(theme: Theme, side: float) -> str:
    """Mark a square that a legal move is about."""
    dashes = {"stroke": theme.legal, "stroke_width": 2.6, "stroke_dasharray": "7 4"}
    return box(2, 2, side - 4, side - 4, 6, fill=theme.legal, fill_opacity=0.12, **dashes)


def chip(theme: Theme, words: str, x: float, y: float, size: float = 10) -> str:
    """Write a word or number of a legal move on a chip; the place is its centre."""
    width = max(size * 1.5, text_width(words, size) + size * 0.7)
    return group(
        box(x - width / 2, y - size * 0.75, width, size * 1.5, size * 0.6, fill=theme.legal),
        text(words, x, y + size * 0.36, size, theme.legal_ink, bold=True, anchor="middle"),
    )


def figures(theme: Theme, strength: str, points: str, line: str) -> str:
    """Write the strength and the points of both players in an area, as wide as a square with its gaps."""
    frame = {"stroke": line, "stroke_width": 1.6}
    return group(
        box(1, 0, 29, 17, 3, fill=theme.plate, **frame),
        box(30, 0, 29, 17, 3, fill=theme.plate_ink, **frame),
        text(strength, 15.5, 12.5, 11, theme.plate_ink, anchor="middle", width=28),
        text(points, 44.5, 12.5, 11, theme.plate, bold=True, anchor="middle", width=28),
    )


def arrow(theme: Theme, start: Point, end: Point) -> str:
    """Draw an arrow between two points."""
    (x, y), (u, v) = start, end
    length = hypot(u - x, v - y)
    along, across = ((u - x) * 7 / length, (v - y) * 7 / length), ((y - v) * 5 / length, (u - x) * 5 / length)
    barbs = [(u - along[0] + side * across[0], v - along[1] + side * across[1]) for side in (1, -1)]
    d = polyline([start, end]) + polyline([barbs[0], end, barbs[1]])
    return outlined(d, theme.legal, theme.paper, 3)
