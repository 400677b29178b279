"""Variations of a tile set: what might be on the tiles that nobody but an owner of the game knows (R1.4).

Of the tile set ``standard`` the colours are known, but which tile has which order, crown and coin icon is
assumed, and so is how many there are of each. A variation changes one of these aspects and leaves the
others as they are:

``spread``
    As many of everything as before, but dealt anew: the orders, with their coin icons, over all tiles, and
    the crowns over all tiles.
``crowns``
    12 or 6 crowns fewer or more. A set with fewer has some of the same crowns, one with more all of them.
``orders``
    Of one order 6 tiles more, one taken from each of the other six.
``coins``
    No coin icons; those of one of the paid orders alone; half of those of each.

What is left to chance is drawn from a seed, on a stream of its own for each variation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from basilica_env.core.layout import ORDER_NAMES, PAID_ORDERS, TILES
from basilica_env.core.tiles import TileSet

ASPECTS = ("spread", "crowns", "orders", "coins")
SPREADS = 3
CROWNS = (-12, -6, 6, 12)
"""By how much the number of crowns differs."""
PAID = tuple(ORDER_NAMES[order] for order in PAID_ORDERS)
"""The orders that can bear a coin icon."""


@dataclass(frozen=True)
class Variation:
    """A tile set that differs from another in one aspect.

    Attributes
    ----------
    name : str
        Also that of the tile set.
    aspect : str
        One of :data:`ASPECTS`; empty for the tile set that is varied.
    change : str
        What is different, in words.
    tiles : TileSet
    """

    name: str
    aspect: str
    change: str
    tiles: TileSet


def variations(base: TileSet, seed: int, aspects: Sequence[str] = ASPECTS) -> tuple[Variation, ...]:
    """Return a tile set and its variations; the same seed gives the same ones.

    Parameters
    ----------
    base : TileSet
    seed : int
    aspects : sequence of str
        Which of :data:`ASPECTS` to vary.

    Raises
    ------
    ValueError
        If there is no such aspect.
    """
    for aspect in aspects:
        if aspect not in ASPECTS:
            raise ValueError(f"aspect {aspect!r}: expected some of {', '.join(ASPECTS)}")
    vary = {"spread": _spread, "crowns": _crowns, "orders": _orders, "coins": _coins}
    varied = (variation for aspect in ASPECTS if aspect in aspects for variation in vary[aspect](base, seed))
    return Variation(base.name, "", "as it is", base), *varied


def _chance(seed: int, name: str) -> np.random.Generator:
    """Return the stream of chance of a variation."""
    return np.random.default_rng([seed, *hashlib.sha256(name.encode()).digest()[:8]])


def _spread(base: TileSet, seed: int) -> Iterator[Variation]:
    for number in range(1, SPREADS + 1):
        name = f"spread-{number}"
        chance = _chance(seed, name)
        orders, crowns = chance.permutation(TILES), chance.permutation(TILES)
        tiles = replace(
            base,
            name=name,
            orders=tuple(base.orders[tile] for tile in orders),
            coins=tuple(base.coins[tile] for tile in orders),
            crowns=tuple(base.crowns[tile] for tile in crowns),
        )
        yield Variation(name, "spread", "orders and crowns dealt anew over the tiles", tiles)


def _crowns(base: TileSet, seed: int) -> Iterator[Variation]:
    # One order of all tiles for all numbers: who loses a crown first, or gets one last.
    ranks = np.argsort(_chance(seed, "crowns").permutation(TILES) - TILES * np.array(base.crowns))
    for difference in CROWNS:
        number = sum(base.crowns) + difference
        if 0 <= number <= TILES:
            crowned = set(ranks[:number].tolist())
            tiles = replace(
                base, name=f"crowns-{number}", crowns=tuple(int(tile in crowned) for tile in range(TILES))
            )
            yield Variation(tiles.name, "crowns", f"{number} crowns, not {sum(base.crowns)}", tiles)


def _orders(base: TileSet, seed: int) -> Iterator[Variation]:
    for order in ORDER_NAMES:
        name = f"more-{order}"
        chance = _chance(seed, name)
        orders, coins = list(base.orders), list(base.coins)
        has_icon = int(any(coin for own, coin in zip(base.orders, base.coins, strict=True) if own == order))
        for other in ORDER_NAMES:
            candidates = [tile for tile in range(TILES) if base.orders[tile] == other]
            if other != order and candidates:
                tile = int(chance.choice(candidates))
                orders[tile], coins[tile] = order, has_icon
        tiles = replace(base, name=name, orders=tuple(orders), coins=tuple(coins))
        change = f"{orders.count(order)} tiles with {order}, not {base.orders.count(order)}"
        yield Variation(name, "orders", change, tiles)


def _coins(base: TileSet, seed: int) -> Iterator[Variation]:
    def with_coins(name: str, change: str, kept: set[int]) -> Variation:
        coins = tuple(int(tile in kept) for tile in range(TILES))
        return Variation(name, "coins", change, replace(base, name=name, coins=coins))

    def icons(order: str) -> list[int]:
        return [tile for tile in range(TILES) if base.coins[tile] and base.orders[tile] == order]

    yield with_coins("coins-none", "no coin icons", set())
    for order in PAID:
        yield with_coins(f"coins-{order}", f"coin icons on {order} alone", set(icons(order)))
    chance = _chance(seed, "coins-half")
    half = [chance.choice(icons(order), len(icons(order)) // 2, replace=False) for order in PAID]
    yield with_coins("coins-half", "half of the coin icons of each order", set(np.concatenate(half).tolist()))
