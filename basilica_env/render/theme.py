"""The colours of the drawing, by what they are for.

A colour never tells anything alone: tiles have a pattern and letters, players a number, marks a form.
"""

from __future__ import annotations

from typing import NamedTuple

from basilica_env.core.layout import COLOUR_LETTERS


class Theme(NamedTuple):
    """A colour for every purpose, as SVG writes it."""

    paper: str
    panel: str
    """Behind the spaces and the players."""
    edge: str
    ink: str
    quiet: str
    """Ink for what matters less."""
    sky: str
    """Behind the cathedral."""
    grid: str
    stone: str
    stone_edge: str
    niche: str
    """Inside the arch of a tile."""
    plate: str
    """Behind a tile's code."""
    plate_ink: str
    red: str
    red_line: str
    yellow: str
    yellow_line: str
    blue: str
    blue_line: str
    green: str
    green_line: str
    gold: str
    gold_line: str
    gold_ink: str
    wood: str
    wood_line: str
    first: str
    """The pieces of player 0."""
    first_line: str
    second: str
    """The pieces of player 1."""
    second_line: str
    glass: str
    glass_line: str
    last: str
    """The last move."""
    legal: str
    legal_ink: str

    def tile(self, letter: str) -> str:
        """Return the colour of tiles."""
        return self[_FIRST_TILE + 2 * COLOUR_LETTERS.index(letter)]

    def tile_line(self, letter: str) -> str:
        """Return the colour of a tile's pattern and of its areas."""
        return self[_FIRST_TILE + 2 * COLOUR_LETTERS.index(letter) + 1]

    def player(self, player: int) -> str:
        """Return the colour of a player's pieces."""
        return (self.first, self.second)[player]

    def player_line(self, player: int) -> str:
        """Return the colour of the outline of a player's pieces and of what stands on them."""
        return (self.first_line, self.second_line)[player]


_FIRST_TILE = Theme._fields.index("red")

LIGHT = Theme(
    paper="#fbf8f1",
    panel="#ffffff",
    edge="#d6cebf",
    ink="#2b2620",
    quiet="#6f675c",
    sky="#f3eee2",
    grid="#dcd3c2",
    stone="#b9ac98",
    stone_edge="#8a7d69",
    niche="#fdf6e6",
    plate="#fffdf7",
    plate_ink="#1d1914",
    red="#dd6a2c",
    red_line="#9c3c08",
    yellow="#f2d648",
    yellow_line="#a07e00",
    blue="#4381c4",
    blue_line="#17457c",
    green="#2fae8a",
    green_line="#0a6249",
    gold="#f0b429",
    gold_line="#7a5200",
    gold_ink="#2e1f00",
    wood="#c99a5b",
    wood_line="#6d4718",
    first="#26221e",
    first_line="#ffffff",
    second="#ffffff",
    second_line="#26221e",
    glass="#d64d8a",
    glass_line="#5b1236",
    last="#101010",
    legal="#7b2fb5",
    legal_ink="#ffffff",
)

DARK = Theme(
    paper="#15171c",
    panel="#20232a",
    edge="#3b404b",
    ink="#f1ece1",
    quiet="#a9a69d",
    sky="#1b1e25",
    grid="#323742",
    stone="#5d5a55",
    stone_edge="#8b867d",
    niche="#39342c",
    plate="#14130f",
    plate_ink="#f6f1e6",
    red="#c85a20",
    red_line="#ffb28a",
    yellow="#cfb02a",
    yellow_line="#fff0a3",
    blue="#3a6fae",
    blue_line="#a9cdf7",
    green="#23886c",
    green_line="#9fe8cf",
    gold="#f0b429",
    gold_line="#3d2a00",
    gold_ink="#241900",
    wood="#8d6937",
    wood_line="#e3c08d",
    first="#0b0b0d",
    first_line="#f4f4f4",
    second="#f4f4f4",
    second_line="#0b0b0d",
    glass="#e0609a",
    glass_line="#ffd3e6",
    last="#ffffff",
    legal="#c58bf2",
    legal_ink="#15171c",
)

SYMBOLIC = Theme(*(f"@{name}@" for name in Theme._fields))
"""Each colour is its own name between two ``@``, for who paints later."""
