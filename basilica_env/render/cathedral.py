"""The left half of the drawing: the board, the cathedral that grows from it, and the marks on its squares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from basilica_env.core.layout import COLUMN_LETTERS, COLUMNS, ROWS
from basilica_env.render import shapes
from basilica_env.render.shapes import TILE, Point, at, box, group, path, text
from basilica_env.render.words import COLOUR_NAMES

if TYPE_CHECKING:
    from basilica_env.game import Area, Square
    from basilica_env.render.scene import Scene
    from basilica_env.render.theme import Theme

CELL = 60
INSET = (CELL - TILE) / 2
LEFT, TOP = 44, 20
"""The upper left corner of row 12."""
BASE = TOP + ROWS * CELL
"""Where the board begins, below row 1."""
SKY_WIDTH = COLUMNS * CELL

SQUARES = tuple(f"{column}{row}" for row in range(1, ROWS + 1) for column in COLUMN_LETTERS)


def cathedral_parts(scene: Scene) -> list[str]:
    """Draw the board, the tiles, the outlines of areas, the pieces, the marks, in this order."""
    theme = scene.theme
    return [
        *_board(theme),
        *(
            at(*_inside(name), *_tile(theme, square), data_tile=square.code or "scaffolding")
            for name, square in scene.view.cathedral.items()
        ),
        *_outlines(scene),
        *(
            at(*_inside(name), *_pieces(theme, square))
            for name, square in scene.view.cathedral.items()
            if square.code is not None
        ),
        *(at(*_corner(name), shapes.corners(theme, CELL)) for name in scene.last if name in SQUARES),
        *_area_figures(scene),
        group(*(_target(scene, name) for name in SQUARES)),
        *(_step(theme, start, end) for start, end in scene.legal.steps),
    ]


def _corner(square: str) -> Point:
    """Return the upper left corner of a square."""
    return LEFT + CELL * COLUMN_LETTERS.index(square[0]), BASE - CELL * int(square[1:])


def _inside(square: str) -> Point:
    """Return the upper left corner of the tile on a square."""
    x, y = _corner(square)
    return x + INSET, y + INSET


# --- The board ---------------------------------------------------------------------------------------


def _board(theme: Theme) -> list[str]:
    """Draw the board with its five slots and the sky that the cathedral grows into."""
    right = LEFT + SKY_WIDTH
    grid = "".join(f"M{LEFT + CELL * k} {TOP}V{BASE}" for k in range(COLUMNS + 1))
    grid += "".join(f"M{LEFT} {TOP + CELL * k}H{right}" for k in range(ROWS))
    rows = [
        text(str(row), LEFT - 9, BASE - CELL * (row - 0.5) + 4, 12, theme.quiet, anchor="end")
        for row in range(1, ROWS + 1)
    ]
    steps = f"M18 {BASE + 10}H{LEFT - 6}V{BASE}H{right + 6}V{BASE + 10}H{right + 18}V{BASE + 62}H18Z"
    stone = {"stroke": theme.stone_edge, "stroke_width": 1.5, "stroke_linejoin": "round"}
    slots = [
        at(
            LEFT + CELL * k,
            BASE,
            path("M6 0H54V22Q54 31 30 39Q6 31 6 22Z", fill=theme.sky, **stone),
            text(column, CELL / 2, 22, 15, theme.ink, bold=True, anchor="middle"),
        )
        for k, column in enumerate(COLUMN_LETTERS)
    ]
    return [
        box(LEFT, TOP, SKY_WIDTH, ROWS * CELL, fill=theme.sky),
        path(grid, stroke=theme.grid, stroke_dasharray="2 4"),
        group(*rows),
        group(path(steps, fill=theme.stone, **stone), *slots, data_part="board"),
    ]


# --- Tiles and pieces --------------------------------------------------------------------------------


def _tile(theme: Theme, square: Square) -> list[str]:
    if square.code is None:
        return [shapes.scaffolding(theme)]
    return [shapes.bay(theme, square.colours)]


def _pieces(theme: Theme, square: Square) -> list[str]:
    """Draw what must stay readable above the outlines: code, crown, glass, builder."""
    assert square.code is not None, "scaffolding carries nothing (R6.3)"
    parts = [shapes.bay_signs(theme, square.code, square.crown)]
    if square.glass:
        parts.append(at(10, TILE - 11, shapes.glass_sign(theme), data_glass=1))
    if square.builder is not None:
        figure = shapes.builder(theme, square.builder, square.rank)
        left = (TILE - shapes.BUILDER_WIDTH) / 2
        parts.append(at(left, 23, figure, data_builder=square.builder, data_rank=square.rank))
    return parts


# --- Areas -------------------------------------------------------------------------------------------


def _outlines(scene: Scene) -> list[str]:
    """Outline every area; those without builders, which nobody scores, by thin broken lines."""
    theme = scene.theme
    parts = []
    for area in scene.areas or ():
        outline, line = _outline(area), theme.tile_line(area.colour)
        drawn = (
            shapes.outlined(outline, line, theme.paper, 2.4)
            if any(area.builders)
            else path(outline, fill="none", stroke=line, stroke_width=1.5, stroke_dasharray="3 4")
        )
        parts.append(group(drawn, data_area=area.colour, data_squares=" ".join(area.squares)))
    return parts


def _outline(area: Area) -> str:
    """Return the border of an area, a little inside of it and for each colour at another distance.

    So the borders of the two areas of a wild tile do not cover each other.
    """
    inset = 2.4 + 2.4 * tuple(COLOUR_NAMES).index(area.colour)
    squares = {(COLUMN_LETTERS.index(name[0]), int(name[1:])) for name in area.squares}
    sides = []
    for column, row in squares:
        x, y = LEFT + CELL * (column + 0.5), BASE - CELL * (row - 0.5)
        for out, up in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            if (column + out, row + up) not in squares:
                ends = _ends(squares, (column, row), (out, up), inset)
                sides.append(shapes.polyline((x + dx, y - dy) for dx, dy in ends))
    return "".join(sorted(sides))


def _ends(
    squares: set[tuple[int, int]], square: tuple[int, int], side: tuple[int, int], inset: float
) -> list[Point]:
    """Return both ends of one side of a square as offsets from its middle, to the right and up.

    An end stops short of a corner that turns away, and runs on into one that turns back.
    """
    (column, row), (out, up) = square, side
    near = CELL / 2 - inset
    ends = []
    for along in ((-up, out), (up, -out)):
        beside = (column + along[0], row + along[1])
        if beside not in squares:
            reach = near
        elif (beside[0] + out, beside[1] + up) in squares:
            reach = CELL / 2 + inset
        else:
            reach = CELL / 2
        ends.append((out * near + along[0] * reach, up * near + along[1] * reach))
    return ends


def _area_figures(scene: Scene) -> list[str]:
    """Write strength and points of both players into each area with builders, on a free square if any."""
    cathedral = scene.view.cathedral
    taken: set[str] = set()
    parts = []
    for area in scene.areas or ():
        if not any(area.builders):
            continue
        free = [name for name in area.squares if name not in taken]
        empty = [name for name in free if cathedral[name].builder is None]
        place = (empty or free or list(area.squares))[-1]
        taken.add(place)
        x, y = _corner(place)
        below = 31 if cathedral[place].builder is None else 2
        parts.append(at(x, y + below, _figures(scene.theme, area), data_figures=place))
    return parts


def _figures(theme: Theme, area: Area) -> str:
    strength, points = (f"{first}:{second}" for first, second in (area.strength, area.points))
    figures = shapes.figures(theme, strength, points, theme.tile_line(area.colour))
    return group(figures, data_strength=strength, data_points=points)


# --- Legal moves -------------------------------------------------------------------------------------


def _target(scene: Scene, name: str) -> str:
    """Lay a square over what is drawn there, for pages to react to, with its legal moves."""
    moves = scene.legal.squares.get(name)
    marks = [_marks(scene.theme, moves)] if moves else []
    cover = box(0, 0, CELL, CELL, fill="none", pointer_events="all")
    return at(*_corner(name), *marks, cover, data_square=name, data_legal=" ".join(moves) if moves else None)


def _marks(theme: Theme, moves: Sequence[str]) -> str:
    """Mark a square, with the vault spaces that a tile can come from or the ranks that can be given."""
    labels = list(_labels(moves))
    y = CELL / 2 if moves[0].startswith("V") else 9
    first = CELL / 2 - 17 * (len(labels) - 1) / 2
    chips = (shapes.chip(theme, word, first + 17 * k, y) for k, word in enumerate(labels))
    return group(shapes.ring(theme, CELL), *chips)


def _labels(moves: Sequence[str]) -> Iterable[str]:
    for move in moves:
        if move.startswith("V"):
            yield move[1]
        elif "=" in move:
            yield move[-1]
        elif move == "B":
            yield "B"


def _step(theme: Theme, start: str, end: str) -> str:
    """Draw an arrow over the border of two squares."""
    (x, y), (u, v) = _corner(start), _corner(end)
    half = CELL / 2
    points = ((x + half + (u - x) * part, y + half + (v - y) * part) for part in (0.3, 0.72))
    return shapes.arrow(theme, *points)
