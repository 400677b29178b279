"""``basilica tiles``: check and show tile sets."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, Any

from basilica_env.cli.terminal import Terminal, add_drawing_options, add_verb, failing

if TYPE_CHECKING:
    from basilica_env.core.tiles import TileSet


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = verbs.add_parser(
        "tiles",
        help="check a tile set, or show it",
        description="A tile set says which of the 58 tiles has which colours, order, crown and coin icon. "
        "It is a CSV file with the columns code, colours, order, crown and coin.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = add_verb(
        actions,
        "check",
        "find the first fault in a file",
        "Find the first fault in a tile set. The exit status is 1 if there is one.",
        [("basilica tiles check my-tiles.csv", "line and column of the first fault")],
    )
    check.add_argument("file", metavar="FILE", help="a tile set")
    check.set_defaults(run=run_check)
    show = add_verb(
        actions,
        "show",
        "list the tiles and count them",
        "List the tiles of a tile set and count orders, crowns and coin icons.",
        [
            ("basilica tiles show", "the tile set 'standard'"),
            ("basilica tiles show my-tiles.csv", "another one"),
        ],
    )
    show.add_argument(
        "file", metavar="FILE", nargs="?", default="standard", help="a tile set (default: standard)"
    )
    add_drawing_options(show)
    show.set_defaults(run=run_show)


def run_check(options: argparse.Namespace) -> int:
    """Say that a tile set is sound.

    Raises
    ------
    Failure
        It has a fault, or cannot be read.
    """
    from basilica_env.core.tiles import TileSet

    with failing():
        tiles = TileSet.load(options.file)
    print(f"{options.file}: a sound tile set of {len(tiles.codes)} tiles, {_assumed(tiles)}")
    print(f"SHA-256 {tiles.digest}")
    return 0


def run_show(options: argparse.Namespace) -> int:
    """Show the tiles and how many there are of each kind.

    Raises
    ------
    Failure
        The tile set has a fault, or cannot be read.
    """
    from basilica_env.core.tiles import tile_set

    terminal = Terminal.of(options)
    with failing():
        tiles = tile_set(options.file)
    style = terminal.style
    print(style.paint("code    colours  order     crown  coin", "bold"))
    rows = zip(tiles.codes, tiles.colours, tiles.orders, tiles.crowns, tiles.coins, strict=True)
    for code, colours, order, crown, coin in rows:
        chip = style.tile(f"{colours:<2}", colours)
        print(f"{code:<6}  {chip:<}       {order:<8}  {_mark(crown):<5}  {_mark(coin)}".rstrip())
    print()
    print("\n".join(counts(tiles)))
    print(f"Tile set {tiles.name}: {_assumed(tiles)}.")
    return 0


def counts(tiles: TileSet) -> list[str]:
    """Count tiles, crowns and coin icons by order and by colours."""
    lines = []
    for title, column in (("order", tiles.orders), ("colours", tiles.colours)):
        number = Counter(column)
        crowns = Counter(value for value, crown in zip(column, tiles.crowns, strict=True) if crown)
        coins = Counter(value for value, coin in zip(column, tiles.coins, strict=True) if coin)
        lines.append(f"{title:<10}tiles  crowns  coins")
        lines += [f"{value:<10}{number[value]:>5}  {crowns[value]:>6}  {coins[value]:>5}" for value in number]
        lines += [f"{'all':<10}{len(column):>5}  {crowns.total():>6}  {coins.total():>5}", ""]
    return lines


def _mark(flag: int) -> str:
    return "yes" if flag else ""


def _assumed(tiles: TileSet) -> str:
    if not tiles.assumed:
        return "no column is assumed"
    return f"assumed, not taken from the printed game: {', '.join(tiles.assumed)}"
