"""Exact values by brute force over the reference engine: every arrangement of what is hidden, every line.

``python -m tests.exact [FIRST]`` checks every published endgame by it, or those from a number on. All of them
take some half an hour.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from math import inf

from basilica_env.reference import ReferenceGame


def values_by_brute_force(text: str) -> dict[str, Fraction]:
    """Give the final lead that the player who decides may expect after each of her moves."""
    worlds = arrangements(ReferenceGame.from_text(text))
    sign = 1 if worlds[0].player == 0 else -1
    return {move: Fraction(sign * _after(worlds, move, -inf, inf)) for move in worlds[0].legal_moves()}


def arrangements(game: ReferenceGame) -> list[ReferenceGame]:
    """Give the games that fit what is open, all equally likely, tiles of one kind not told apart (R1.5)."""
    shown = [*game.orders.values(), *game.stack[:1]]
    hidden = [code for code in [*game.orders.values(), *game.stack] if code]
    found = {}
    for deal in permutations(hidden):
        places = iter(deal)
        orders = {space: next(places) if code else None for space, code in game.orders.items()}
        stack = list(places)
        sides = zip([*orders.values(), *stack[:1]], shown, strict=True)
        if all(_side(game, now) == _side(game, before) for now, before in sides):
            world = game.copy()
            world.orders, world.stack = orders, stack
            kinds = tuple((_side(game, code), game.tiles[code].crown) for code in deal)
            found.setdefault(kinds, world)
    return list(found.values())


def _side(game: ReferenceGame, code: str | None) -> tuple[str, str, bool] | None:
    """Give what the order side of a tile shows."""
    if code is None:
        return None
    tile = game.tiles[code]
    return tile.colours, tile.order, tile.coin


def _after(
    worlds: list[ReferenceGame], move: str, low: float | Fraction, high: float | Fraction
) -> float | Fraction:
    """Average what player 0 may expect over what a move can show."""
    groups: dict[str, list[ReferenceGame]] = {}
    results = [game for world in worlds for game in _played(world, move)]
    for game in results:
        groups.setdefault(_open_text(game) if len(results) > 1 else "", []).append(game)
    if len(groups) == 1:
        return _expected(results, low, high)
    return sum(Fraction(len(group), len(results)) * _expected(group) for group in groups.values())


def _played(world: ReferenceGame, move: str) -> Iterator[ReferenceGame]:
    """Play a move; if it reshuffles, in every order of the pile (R7.1)."""
    after = world.copy()
    after.play(move)
    if after.reshuffled == world.reshuffled:
        yield after
        return
    space = int(move[1]) if move.startswith("V") else world.decision.space
    drawn = after.orders[space]
    assert drawn is not None
    for pile in permutations([drawn, *after.stack]):
        arranged = after.copy()
        arranged.orders[space], *arranged.stack = pile
        yield arranged


def _open_text(game: ReferenceGame) -> str:
    """Give the position with the hidden tiles by their order sides, those below the top by their number."""
    fields = game.to_text().split(" ")
    fields[1] = str([_side(game, code) for code in game.orders.values()])
    fields[3] = str([_side(game, code) for code in game.stack[:1]]) + str(len(game.stack))
    return " ".join(fields)


def _expected(
    worlds: list[ReferenceGame], low: float | Fraction = -inf, high: float | Fraction = inf
) -> float | Fraction:
    """Give the final lead that player 0 may expect in worlds that nobody can tell apart.

    Beyond ``low`` and ``high``, which the players can have elsewhere, it need not be exact.
    """
    game = worlds[0]
    if game.is_over:
        return Fraction(game.scores[0] - game.scores[1])
    for move in game.legal_moves():
        value = _after(worlds, move, low, high)
        if game.player == 0:
            low = max(low, value)
        else:
            high = min(high, value)
        if low >= high:
            break
    return low if game.player == 0 else high


def main(first: str = "") -> int:
    """Check every published endgame from a number on."""
    from basilica_env.training.endgames import read_endgames

    wrong = 0
    started = time.perf_counter()
    for entry in (entry for entry in read_endgames() if entry.name >= first):
        agree = values_by_brute_force(entry.position) == entry.values
        wrong += not agree
        seconds = time.perf_counter() - started
        print(f"{entry.name} {'agrees' if agree else 'DIFFERS'}, {seconds:.0f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
