"""Ways to play that between them meet every clause of the rules, and tile sets drawn by chance.

A policy sees a game of the reference engine, its legal moves and a source of chance, and picks a move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from basilica_env.core.layout import ORDER_NAMES, PAID_ORDERS, TILES
from basilica_env.core.tiles import TileSet
from basilica_env.reference import NEIGHBOURS, ReferenceGame
from tests.chance import Generator
from tests.positions import STANDARD

Moves = list[str]
Policy = Callable[[ReferenceGame, Moves, Generator], str]


def any_of(moves: Moves, chance: Generator) -> str:
    return moves[chance.below(len(moves))]


def uniform(_: ReferenceGame, moves: Moves, chance: Generator) -> str:
    """Play any legal move."""
    return any_of(moves, chance)


def by_kind(_: ReferenceGame, moves: Moves, chance: Generator) -> str:
    """Draw the kind of action first, so that builders and orders come as often as vaults."""
    kinds = [kind for kind in (vaults(moves), builders(moves), orders(moves), choices(moves)) if kind]
    return any_of(kinds[chance.below(len(kinds))], chance)


def hurrying(game: ReferenceGame, moves: Moves, chance: Generator) -> str:
    """Lead the king to the end (R8.6): place crowns, and a builder on every other vault."""
    if builders(moves) and chance.below(2):
        return "B"
    placing = vaults(moves) or moves
    return any_of([move for move in placing if has_crown(game, move)] or placing, chance)


def ordering(_: ReferenceGame, moves: Moves, chance: Generator) -> str:
    """Execute an order whenever there is one (R6)."""
    return any_of(orders(moves) or builders(moves) or moves, chance)


def burning(game: ReferenceGame, moves: Moves, chance: Generator) -> str:
    """Bring the king before a scoring, wait with orders until the stack is empty, then score (R7, R8.5)."""
    waiting = game.king % 10 == 9 and bool(game.stack)
    if waiting and orders(moves):
        return any_of(orders(moves), chance)
    return any_of([move for move in moves if has_crown(game, move) is not waiting] or moves, chance)


def towering(game: ReferenceGame, moves: Moves, chance: Generator) -> str:
    """Build up to row 12 (R4.6): scaffolding first, and everything on the highest square there is."""
    scaffolding = [move for move in orders(moves) if order_of(game, move) == "scaffold"]
    placing = [move for move in moves if not has_crown(game, move)] or moves
    highest = max(map(row_of, placing))
    return any_of(scaffolding or [move for move in placing if row_of(move) == highest], chance)


def rivalling(game: ReferenceGame, moves: Moves, chance: Generator) -> str:
    """Contest few and large areas (R8.3): builders and promotions first, Strongmen every other time."""
    if builders(moves):
        return "B"
    promoting = [move for move in orders(moves) if order_of(game, move) in ("promote", "recruit")]
    if promoting and chance.below(2):
        return any_of(promoting, chance)
    strongmen = [move for move in moves if move.endswith("=S")]
    if strongmen and chance.below(2):
        return any_of(strongmen, chance)
    return by_kind(game, moves, chance)


def blocking(game: ReferenceGame, moves: Moves, chance: Generator) -> str:
    """Leave wild tiles on the vault spaces and no square to them, until a redraw is due (R4.5)."""
    if not vaults(moves) or not chance.below(8):
        return any_of(moves, chance)
    single = [move for move in vaults(moves) if not is_wild(game, move)] or vaults(moves)
    tried = [any_of(single, chance) for _ in range(6)]
    return min(tried, key=lambda move: wild_room_after(game, move))


POLICIES: dict[str, Policy] = {
    policy.__name__: policy
    for policy in (uniform, by_kind, hurrying, ordering, burning, towering, rivalling, blocking)
}


def vaults(moves: Moves) -> Moves:
    """Pick the moves of the action Place Vault."""
    return [move for move in moves if move[0] == "V" or move == "redraw"]


def builders(moves: Moves) -> Moves:
    """Pick the moves of the action Place Builder."""
    return [move for move in moves if move == "B"]


def orders(moves: Moves) -> Moves:
    """Pick the moves of the action Execute Order."""
    return [move for move in moves if move[0] == "O"]


def choices(moves: Moves) -> Moves:
    """Pick the moves that belong to an order under way."""
    return [move for move in moves if move[0] in "abcdep"]


def has_crown(game: ReferenceGame, move: str) -> bool:
    return move[0] == "V" and game.tiles[game.vaults[int(move[1])] or ""].crown


def is_wild(game: ReferenceGame, move: str) -> bool:
    return move[0] == "V" and game.tiles[game.vaults[int(move[1])] or ""].is_wild


def order_of(game: ReferenceGame, move: str) -> str:
    return game.tiles[game.orders[int(move[1])] or ""].order


def row_of(move: str) -> int:
    """Give the row that a vault or another piece goes to; 0 for moves without one."""
    place = move[2:] if move[0] == "V" else move
    return int(place[1:]) if place[0] in "abcde" and place[1:].isdigit() else 0


def wild_room_after(game: ReferenceGame, move: str) -> int:
    """Count the squares that a wild tile could go to after a vault is placed (R4.2)."""
    if move[0] != "V":
        return 0
    square = move[2:]
    tiled = {*game.cathedral, square}
    wild = {square for square, code in game.cathedral.items() if code != "#" and game.tiles[code].is_wild}
    if is_wild(game, move):
        wild.add(square)
    beside = {near for square in tiled for near in NEIGHBOURS[square]}
    open_squares = (beside | {f"{column}1" for column in "abcde"}) - tiled
    return len(open_squares - {near for square in wild for near in NEIGHBOURS[square]})


def drawn_tiles(chance: Generator) -> TileSet:
    """Draw a tile set: the order of the rows, orders, crowns and coin icons (R1.4).

    Crowns and kinds of order are few or many, so that tiles with the same order side differ in crown.
    """
    crowned_in_8, kinds = 1 + chance.below(7), 1 + chance.below(len(ORDER_NAMES))
    possible = chance.shuffled(ORDER_NAMES)[:kinds]
    rows = chance.shuffled(range(TILES))
    drawn = [possible[chance.below(kinds)] for _ in rows]
    paid = [ORDER_NAMES[order] for order in PAID_ORDERS]
    return replace(
        STANDARD,
        name="drawn",
        codes=tuple(STANDARD.codes[row] for row in rows),
        colours=tuple(STANDARD.colours[row] for row in rows),
        orders=tuple(drawn),
        crowns=tuple(int(chance.below(8) < crowned_in_8) for _ in rows),
        coins=tuple(int(order in paid and chance.below(2)) for order in drawn),
        assumed=(),
    )
