"""The areas of a scoring as a table (R8)."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from basilica_env.render.style import WIDTH, Players, Style, pad
from basilica_env.render.words import COLOUR_NAMES

if TYPE_CHECKING:
    from basilica_env.game import Area

_HEAD = "  Area     Tiles  Strength  Strongmen  Architect  Glass  Held by  Points"
_INDENT = " " * 11


def areas_table(
    areas: Sequence[Area],
    *,
    color: bool = False,
    unicode: bool = False,
    names: Sequence[str] | None = None,
) -> str:
    """Show who scores what in each area with builders, and why.

    Parameters
    ----------
    areas : sequence of Area
        From ``GameState.areas`` or ``GameState.scoring_of``.
    color, unicode : bool
        As for :func:`basilica_env.render.ansi.draw`.
    names : sequence of two str, optional
        What to call the players.

    Returns
    -------
    str
        Lines of at most 80 columns, without a line break at the end.

    Raises
    ------
    ValueError
        There are not two names.
    """
    style, called = Style(color, unicode), Players.called(names).names
    contested = [area for area in areas if any(area.builders)]
    lines = []
    if contested:
        lines.append(style.paint(_HEAD, "bold"))
    for area in contested:
        lines += _area(area, style)
    empty = len(areas) - len(contested)
    if empty:
        lines.append(f"  {empty} {'area' if empty == 1 else 'areas'} without a builder: nobody scores")
    first, second = (sum(area.points[player] for area in areas) for player in range(2))
    lines.append(style.paint(f"  Points {first}:{second}, for {called[0]} and {called[1]}", "bold"))
    return "\n".join(lines)


def _area(area: Area, style: Style) -> list[str]:
    colour = style.tile(f" {area.colour} ", area.colour) + f" {COLOUR_NAMES[area.colour]}"
    held = "nobody" if area.majority is None else str(area.majority)
    figures = (
        f"{area.size:>4}   {_pair(area.strength):^8}  {_pair(area.strongmen):^9}  "
        f"{'doubles' if area.architect else '':^9}  {area.glass or '':>4}   {held:^7}  "
        f"{_pair(area.points):^6}"
    )
    squares = wrap(" ".join(area.squares), WIDTH - len(_INDENT))
    return [(" " + pad(colour, 10) + figures).rstrip(), *(_INDENT + line for line in squares)]


def _pair(pair: tuple[int, int]) -> str:
    return f"{pair[0]}:{pair[1]}" if any(pair) else ""
