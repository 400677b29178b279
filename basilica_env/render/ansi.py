"""A position drawn as text, 80 columns wide."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from basilica_env.core.layout import COLUMN_LETTERS, COLUMNS, PLAYERS, ROWS, SPACES
from basilica_env.render.style import WIDTH, Players, Style, pad
from basilica_env.render.words import COLOUR_NAMES, RANK_NAMES, decision_line, turn_line

if TYPE_CHECKING:
    from basilica_env.core.tiles import TileSet
    from basilica_env.game import GameState, PositionView, Square

CELL = 6
CARD = 10
LEFT = 42
"""Columns of the cathedral and the gap beside it."""

KING_SPACES = 30
SCORING_EVERY = 10

CARD_TITLES = {
    "promote": "Promote",
    "move": "Move",
    "recruit": "Recruit",
    "confuse": "Confuse",
    "glass": "Glass",
    "scaffold": "Scaffold",
    "disaster": "Disaster",
}


def draw(
    state: GameState,
    *,
    color: bool = False,
    unicode: bool = False,
    names: Sequence[str] | None = None,
    last_move: str | None = None,
) -> str:
    """Draw what is open to both players (R1.5).

    Parameters
    ----------
    state : GameState
        The position.
    color : bool
        Paint tiles and builders with ANSI sequences (256 colours).
    unicode : bool
        Use signs beyond ASCII.
    names : sequence of two str, optional
        What to call the players.
    last_move : str, optional
        The squares named in this text are marked, such as those of the move ``c3-c4``.

    Returns
    -------
    str
        Lines of at most 80 columns, without a line break at the end. Row 1 of the cathedral, which touches
        the board, is at the bottom; the drawing ends one row above the highest tile.

    Raises
    ------
    ValueError
        There are not two names.
    """
    style, players, view = Style(color, unicode), Players.called(names), state.view()
    cathedral = _cathedral(view, style, re.findall("[a-e][0-9]+", last_move or ""))
    panel = _panel(view, state.tiles, style, players)
    height = max(len(cathedral), len(panel))
    sides = zip(_sunk(cathedral, height), _sunk(panel, height), strict=True)
    lines = [pad(left, LEFT) + right for left, right in sides]
    lines += ["", fill(decision_line(state, players.names), WIDTH)]
    return "\n".join(line.rstrip() for line in lines)


def legend(*, color: bool = False, unicode: bool = False) -> str:
    """Explain the signs of :func:`draw`."""
    style = Style(color, unicode)
    signs = style.signs
    colours = ", ".join(
        f"{style.tile(f' {letter} ', letter)} {name}" for letter, name in COLOUR_NAMES.items()
    )
    builders = " and ".join(
        style.player(f"{signs.builders[player]}{player}", player) for player in range(PLAYERS)
    )
    return "\n".join(
        (
            f"Tiles: {colours}; two on a wild tile; {signs.crown} crown",
            f"{builders} builders, promoted to {', '.join(f'{name[0]} {name}' for name in RANK_NAMES)}",
            f"{signs.glass} stained glass, {signs.scaffold * 3} scaffolding, {signs.coin} coin icon, "
            f"{signs.mark} last move",
        )
    )


def _sunk(lines: list[str], height: int) -> list[str]:
    return [""] * (height - len(lines)) + lines


def _cathedral(view: PositionView, style: Style, marked: Collection[str]) -> list[str]:
    highest = max((int(square[1:]) for square in view.cathedral), default=0)
    rows = min(highest + 1, ROWS)
    signs = style.signs
    lines = [_border(signs.top, signs.line)]
    for row in range(rows, 0, -1):
        cells = [
            _cell(view.cathedral.get(f"{column}{row}"), f"{column}{row}" in marked, style)
            for column in COLUMN_LETTERS
        ]
        for label, half in zip((f"{row:>2} ", " " * 3), zip(*cells, strict=True), strict=True):
            lines.append(label + signs.post + signs.post.join(half) + signs.post)
        last = row == 1
        lines.append(_border(signs.bottom if last else signs.middle, signs.edge if last else signs.line))
    lines.append(" " * 4 + " ".join(column.center(CELL) for column in COLUMN_LETTERS))
    return lines


def _border(corners: str, line: str) -> str:
    return " " * 3 + corners[0] + corners[1].join([line * CELL] * COLUMNS) + corners[2]


def _cell(square: Square | None, marked: bool, style: Style) -> tuple[str, str]:
    """Draw a square on two lines: its tile above, what stands on it below."""
    signs = style.signs
    mark = signs.mark if marked else " "
    if square is None:
        return mark.ljust(CELL), " " * CELL
    if square.code is None:
        above, below = signs.scaffold * CELL, signs.scaffold * CELL
        if marked:
            above = mark + above[1:]
        return style.paint(above, "scaffold"), style.paint(below, "scaffold")
    crown = signs.crown if square.crown else " "
    glass = signs.glass if square.glass else " "
    above = style.tile(f"{mark}{style.fit(square.code, 4)}{crown}", square.colours)
    if square.builder is None:
        return above, style.tile(f"    {glass} ", square.colours)
    builder = f"{signs.builders[square.builder]}{square.builder}{square.rank or ' '}"
    left, right = square.colours[0], square.colours[-1]
    below = style.paint(" ", left) + style.player(builder, square.builder) + style.paint(f"{glass} ", right)
    return above, below


def _panel(view: PositionView, tiles: TileSet, style: Style, players: Players) -> list[str]:
    return [
        *_spaces(view, tiles, style),
        "",
        *_stack(view, tiles, style),
        "",
        *_king(view, style),
        "",
        *_players(view, style, players),
        *(["", style.fit(turn_line(view, players.names), WIDTH - LEFT)] if view.actions else []),
    ]


def _spaces(view: PositionView, tiles: TileSet, style: Style) -> list[str]:
    """Order spaces with the order side of their tiles, above the vault spaces (R2.1)."""
    orders = [_order_side(code, tiles, style) for code in view.orders]
    vaults = [_vault_side(code, tiles, style) for code in view.vaults]
    return [
        _cards("Space", [str(space + 1) for space in range(SPACES)]),
        _cards("Order", [order for order, _ in orders]),
        _cards(" back", [back for _, back in orders]),
        _cards("Vault", vaults),
    ]


def _cards(label: str, cards: Sequence[str]) -> str:
    return " ".join((label.ljust(5), *(pad(card, CARD) for card in cards)))


def _order_side(code: str | None, tiles: TileSet, style: Style) -> tuple[str, str]:
    """Show the order with its coin icon, and the colours of the vault on its back; not its crown (R1.5)."""
    if code is None:
        return "none", ""
    number = tiles.numbers[code]
    coin = f" {style.signs.coin}" if tiles.coins[number] else ""
    return CARD_TITLES[tiles.orders[number]] + coin, style.tile(tiles.colours[number], tiles.colours[number])


def _vault_side(code: str | None, tiles: TileSet, style: Style) -> str:
    if code is None:
        return "none"
    number = tiles.numbers[code]
    crown = style.signs.crown if tiles.crowns[number] else " "
    return style.tile(f"{style.fit(code, 4)}{crown} ", tiles.colours[number])


def _stack(view: PositionView, tiles: TileSet, style: Style) -> list[str]:
    top = ""
    if view.stack:
        order, back = _order_side(view.stack[0], tiles, style)
        top = f", on top {order}, back {back}"
    return [f"Stack   {len(view.stack):>2}{top}", f"Discard {len(view.discard):>2}", f"Left    {_left(view)}"]


def _left(view: PositionView) -> str:
    """Count what can still be drawn: after the one reshuffle an empty stack ends the game (R7)."""
    stack, discard = len(view.stack), len(view.discard)
    if view.decision == "over":
        return " 0 to draw, the game is over"
    if view.reshuffled:
        return f"{stack:>2} to draw, then the end"
    return f"{stack + discard:>2} to draw, and new discards"


def _king(view: PositionView, style: Style) -> list[str]:
    signs = style.signs
    track = signs.passed * view.king + signs.ahead * (KING_SPACES - view.king)
    track = signs.post.join(
        track[start : start + SCORING_EVERY] for start in range(0, KING_SPACES, SCORING_EVERY)
    )
    next_scoring = view.king - view.king % SCORING_EVERY + SCORING_EVERY
    ahead = "" if view.decision == "over" else f", next scoring on {next_scoring}"
    return [f"King    {view.king:>2}{ahead}", f"{track}{signs.post}"]


def _players(view: PositionView, style: Style, players: Players) -> list[str]:
    signs = style.signs
    heads = [
        style.player(f"{signs.builders[player]}{player}", player)
        + f" {style.fit(players.labels[player], 11).rstrip()}"
        for player in range(PLAYERS)
    ]
    rows = {
        "Score": view.scores,
        "Builders": view.builders,
        "Tokens": view.tokens,
        "Coins": view.coins,
    }
    lines = [" " * 9 + " ".join(pad(head, 14) for head in heads)]
    lines += [f"{label:<9}{first:>2}{'':13}{second:>2}" for label, (first, second) in rows.items()]
    return lines
