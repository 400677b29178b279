"""A position drawn as SVG: the one picture behind notebooks, images, windows and pages.

The drawing shows what is open to both players (R1.5) and nothing else, also in its source: an order tile has
neither crown nor code. Its parts carry ``data-`` attributes that a page can react to: ``data-square`` on each
of the 60 squares, ``data-space`` on the spaces (``order-1`` to ``vault-3``), and with ``legal=True``
``data-legal``, the legal moves about a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from basilica_env.render import shapes
from basilica_env.render.cathedral import cathedral_parts
from basilica_env.render.panel import WIDTH as PANEL_WIDTH
from basilica_env.render.panel import X as PANEL_X
from basilica_env.render.panel import panel_parts, status
from basilica_env.render.scene import Scene
from basilica_env.render.style import Players
from basilica_env.render.theme import DARK, LIGHT, Theme

if TYPE_CHECKING:
    from basilica_env.game import GameState

WIDTH, HEIGHT = 960, 820
"""Size of the drawing in its own units."""


def draw_svg(
    state: GameState,
    *,
    dark: bool = False,
    last_move: str | None = None,
    legal: bool = False,
    areas: bool = False,
    names: Sequence[str] | None = None,
    caption: str = "",
    size: int = WIDTH,
) -> str:
    """Draw what is open to both players (R1.5).

    Parameters
    ----------
    state : GameState
        The position.
    dark : bool
        Light signs on dark paper.
    last_move : str, optional
        The squares and spaces named in this text are marked, such as those of ``c3-c4``, ``V2c3`` or ``O1``.
    legal : bool
        Mark what the legal moves are about.
    areas : bool
        Outline every area (R8.2); where builders stand, with the strength and the points of both players if
        it were scored now (R8.3, R8.4).
    names : sequence of two str, optional
        What to call the players.
    caption : str
        A line at the foot of the drawing.
    size : int
        Width in pixels; the height is in proportion.

    Returns
    -------
    str
        An ``svg`` element, one part a line.

    Raises
    ------
    ValueError
        There are not two names, or the size is not positive.
    """
    parts = drawing_parts(
        state,
        DARK if dark else LIGHT,
        last_move=last_move,
        legal=legal,
        areas=areas,
        names=names,
        caption=caption,
    )
    return svg_element(parts, describe(state, names), size)


def drawing_parts(
    state: GameState,
    theme: Theme,
    *,
    last_move: str | None = None,
    legal: bool = False,
    areas: bool = False,
    names: Sequence[str] | None = None,
    caption: str = "",
) -> list[str]:
    """Draw a position in any theme, each part one line; see :func:`draw_svg`."""
    scene = Scene.of(state, theme, last_move, legal, areas, names)
    paper = shapes.box(0, 0, WIDTH, HEIGHT, fill=theme.paper)
    foot = shapes.text(caption, PANEL_X, HEIGHT - 18, 14, theme.ink, width=PANEL_WIDTH)
    return [paper, *cathedral_parts(scene), *panel_parts(scene), *([foot] if caption else [])]


def svg_element(
    parts: Iterable[str], description: str, size: int = WIDTH, strip: tuple[int, int] = (0, WIDTH)
) -> str:
    """Make an ``svg`` element of the parts of a drawing, or of a strip of it from left to right.

    Raises
    ------
    ValueError
        The size is not positive.
    """
    if size < 1:
        raise ValueError(f"size {size!r}: expected a width in pixels, from 1")
    left, right = strip
    return shapes.element(
        "svg",
        "\n" + "\n".join(parts) + "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"{left} 0 {right - left} {HEIGHT}",
        width=size,
        height=max(1, round(size * HEIGHT / (right - left))),
        font_family=shapes.FONTS,
        role="img",
        aria_label=description,
    )


def describe(state: GameState, names: Sequence[str] | None = None) -> str:
    """Say in a line what a drawing shows, for those who do not see it."""
    who, what = status(state, Players.called(names))
    first, second = state.scores
    return f"Basilica, {first}:{second}, the king on {state.king}. {who}: {what}"
