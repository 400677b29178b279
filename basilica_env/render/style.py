"""Signs, colours and widths of text drawings.

The four colours are told apart by their letters; the paint only helps. It is the vermilion, yellow, blue
and bluish green that people with any kind of colour vision can tell apart, in the fixed part of the
256-colour palette.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import TextIO

WIDTH = 80
"""Columns of a drawing."""
LONGEST_NAME = 40

_PAINT = {
    "R": "38;5;16;48;5;166",
    "Y": "38;5;16;48;5;227",
    "B": "38;5;231;48;5;25",
    "G": "38;5;16;48;5;36",
    "scaffold": "38;5;16;48;5;250",
    "player 0": "1;38;5;231;48;5;16",
    "player 1": "1;38;5;16;48;5;231",
    "bold": "1",
}
_SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Signs:
    """The signs of a drawing; each but the corners is one column wide."""

    crown: str
    glass: str
    builders: tuple[str, str]
    scaffold: str
    mark: str
    coin: str
    passed: str
    ahead: str
    line: str
    post: str
    edge: str
    top: str
    middle: str
    bottom: str
    cut: str


UNICODE = Signs(
    crown="♔",
    glass="◆",
    builders=("●", "○"),
    scaffold="░",
    mark="▸",
    coin="$",
    passed="━",
    ahead="·",
    line="─",
    post="│",
    edge="═",
    top="┌┬┐",
    middle="├┼┤",
    bottom="╘╧╛",
    cut="…",
)
ASCII = Signs(
    crown="^",
    glass="*",
    builders=("+", "+"),
    scaffold="#",
    mark=">",
    coin="$",
    passed="=",
    ahead=".",
    line="-",
    post="|",
    edge="=",
    top="+++",
    middle="+++",
    bottom="+++",
    cut="~",
)


@dataclass(frozen=True)
class Style:
    """How a drawing is written.

    Attributes
    ----------
    color : bool
        Paint with ANSI sequences.
    unicode : bool
        Use signs beyond ASCII.
    """

    color: bool = False
    unicode: bool = False

    @classmethod
    def of(cls, stream: TextIO) -> Style:
        """Find out what an output can show, and what ``NO_COLOR`` and ``FORCE_COLOR`` ask for."""
        able = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        color = (able or bool(os.environ.get("FORCE_COLOR"))) and not os.environ.get("NO_COLOR")
        return cls(color, able and _can_encode(stream.encoding))

    @property
    def signs(self) -> Signs:
        """The signs to draw with."""
        return UNICODE if self.unicode else ASCII

    def paint(self, text: str, paint: str) -> str:
        """Colour a text; without colour it stays as it is."""
        return f"\x1b[{_PAINT[paint]}m{text}\x1b[0m" if self.color and text else text

    def tile(self, text: str, colours: str) -> str:
        """Colour a text as a tile: a wild tile has its first colour on the left, its second on the right."""
        half = (len(text) + 1) // 2
        parts = (text,) if len(colours) == 1 else (text[:half], text[half:])
        return "".join(self.paint(part, colour) for part, colour in zip(parts, colours, strict=True))

    def player(self, text: str, player: int) -> str:
        """Colour a text as belonging to a player."""
        return self.paint(text, f"player {player}")

    def fit(self, text: str, width: int) -> str:
        """Make a plain text exactly `width` columns wide; what is cut off leaves a sign."""
        return text.ljust(width) if len(text) <= width else text[: width - 1] + self.signs.cut

    def rule(self, title: str = "") -> str:
        """Draw a line across the drawing, with a title in it."""
        head = f"{self.signs.line * 2} {title} " if title else ""
        return self.paint(head + self.signs.line * (WIDTH - len(head)), "bold")


def _can_encode(encoding: str) -> bool:
    signs = "".join(sign for part in astuple(UNICODE) for sign in part)
    try:
        signs.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def plain(text: str) -> str:
    """Take the colour out of a drawing."""
    return _SEQUENCE.sub("", text)


def pad(text: str, width: int) -> str:
    """Fill a text, coloured or not, with blanks to `width` columns."""
    return text + " " * (width - len(plain(text)))


def printable(text: str) -> str:
    """Show control characters as escapes, so that a text from a file cannot steer the terminal."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


@dataclass(frozen=True)
class Players:
    """What the two players are called.

    Attributes
    ----------
    labels : tuple of str
        Their names alone, for where a number stands beside them.
    names : tuple of str
        Their names told apart by their numbers.
    """

    labels: tuple[str, str] = ("player", "player")
    names: tuple[str, str] = ("player 0", "player 1")

    @classmethod
    def called(cls, names: Sequence[str] | None) -> Players:
        """Call the players by two names, or by their numbers alone.

        Raises
        ------
        ValueError
            There are not two names.
        """
        if names is None:
            return cls()
        if len(names) != 2:
            raise ValueError(f"names {names!r}: expected two")
        first, second = (printable(name[:LONGEST_NAME]) for name in names)
        return cls((first, second), (f"{first} (0)", f"{second} (1)"))
