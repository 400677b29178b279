"""The 48 symmetries of the game, for data augmentation: the mirror times the 24 orders of the colours.

A :class:`Symmetry` turns observations, masks, actions and policies into those of the game seen in the mirror
and in other colours. Transforming and then playing gives the same as playing and then transforming; rewards
stay as they are.

**Exchanging colours leads to another tile set.** Which orders and crowns a colour has differs from colour to
colour, so a game in other colours is not one of the same tile set: it is one of the tile set in which each
tile has the exchanged colours and keeps its number, its order, its crown and its coin icon
(:meth:`Symmetry.tiles`). So the entries of an observation that name tiles by number, ``discarded_n`` and
``hidden_n``, stay in place, and in an observation in other colours they speak of that other tile set. A
learner that should see but one tile set takes the two symmetries of :data:`EXACT`, which leave the colours as
they are; one that takes all 48 should do without these entries or bear that they stand for a similar tile.

The mirror has one exception, which no single observation shows: a scoring discards row by row from column a
(R8.5), so in the mirrored game the discard pile is in another order, and a reshuffle (R7.1) of that pile with
the same random numbers gives another stack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from basilica_env.core.layout import (
    ACTIONS,
    BUILDER,
    COLOUR,
    COLOUR_LETTERS,
    COLUMNS,
    MOVE,
    NONE,
    PLACE,
    PROMOTE,
    RANKS,
    ROWS,
    SPACES,
    SQUARE,
    SQUARES,
    STEPS,
)
from basilica_env.core.observation import (
    PLANE_ENTRIES,
    PLANES_SHAPE,
    PLANES_SIZE,
    SCALAR_ENTRIES,
)
from basilica_env.core.rules import refresh_legal
from basilica_env.core.tiles import TileSet
from basilica_env.game import GameState

_COLOUR_NAME = re.compile(r"(?<=colour_)[RYBG]")
_CODE = re.compile(r"[RYBG]+")
_MIRRORED_STEPS = (0, 3, 2, 1)
"""Up, right, down, left in the mirror."""


@dataclass(frozen=True)
class Symmetry:
    """One of the 48 symmetries.

    Its methods take arrays of any leading shape and return new ones. ``symmetry @ other`` does ``other``
    first.

    Parameters
    ----------
    mirror : bool
        Whether column a changes places with e, and b with d.
    colours : str
        What the colours R, Y, B and G turn into, such as ``"YRBG"``: red and yellow change places.

    Raises
    ------
    ValueError
        If the colours are not R, Y, B and G in some order.
    """

    mirror: bool = False
    colours: str = COLOUR_LETTERS

    def __post_init__(self) -> None:
        if sorted(self.colours) != sorted(COLOUR_LETTERS):
            raise ValueError(f"colours {self.colours!r}: expected the letters R, Y, B, G in some order")

    def __matmul__(self, other: Symmetry) -> Symmetry:
        """Return the symmetry that does ``other`` first, then this one."""
        return Symmetry(self.mirror != other.mirror, self._recoloured(other.colours))

    def inverse(self) -> Symmetry:
        """Return the symmetry that undoes this one."""
        letters = (COLOUR_LETTERS[self.colours.index(letter)] for letter in COLOUR_LETTERS)
        return Symmetry(self.mirror, "".join(letters))

    # --- What a learner handles -------------------------------------------------------------------

    def observation(self, observation: Any) -> Any:
        """Transform observations.

        Parameters
        ----------
        observation : array or mapping
            Flat, shape (..., OBSERVATION_SIZE), or a mapping with any of ``planes`` (..., 24, 12, 5),
            ``scalars``, ``observation`` (flat) and ``action_mask``; any dtype.

        Raises
        ------
        ValueError
            If a shape or a key is none of these.
        """
        if not isinstance(observation, Mapping):
            return _taken("observation", observation, _observation_source(self))
        unknown = [key for key in observation if key not in _PARTS]
        if unknown:
            raise ValueError(f"unknown part {unknown[0]!r} of an observation: expected {', '.join(_PARTS)}")
        return {key: _PARTS[key](self, part) for key, part in observation.items()}

    def mask(self, mask: ArrayLike) -> NDArray[Any]:
        """Transform masks of legal actions, shape (..., 667), one entry an action (not bit-packed)."""
        return _taken("mask", mask, _actions(self.mirror))

    def policy(self, policy: ArrayLike) -> NDArray[Any]:
        """Transform probabilities, logits or visit counts of actions, shape (..., 667)."""
        return _taken("policy", policy, _actions(self.mirror))

    def action(self, action: ArrayLike) -> NDArray[np.int64]:
        """Transform the numbers of actions, any shape.

        Raises
        ------
        ValueError
            If a number is no action.
        """
        numbers = np.asarray(action)
        if numbers.dtype.kind not in "iu" or np.any((numbers < 0) | (numbers >= ACTIONS)):
            raise ValueError(f"action {action!r}: expected whole numbers from 0 to {ACTIONS - 1}")
        turned: NDArray[np.int64] = _actions(self.mirror)[numbers]
        return turned

    # --- Games ------------------------------------------------------------------------------------

    def tiles(self, tiles: TileSet) -> TileSet:
        """Return the tile set in which each tile has the exchanged colours and keeps its number."""
        return tiles if self.colours == COLOUR_LETTERS else _recoloured_tiles(self, tiles)

    def game(self, state: GameState) -> GameState:
        """Return the game in the mirror and in the exchanged colours; its generator goes on as it would."""
        games = state.to_array()
        game = games[0]
        planes = game["planes"].copy()
        for colour, letter in enumerate(self.colours):
            game["planes"][COLOUR + COLOUR_LETTERS.index(letter)] = planes[COLOUR + colour]
        if self.mirror:
            game["planes"] = _mirrored_boards(game["planes"])
            if game["square"] != NONE:
                game["square"] = _squares(self.mirror)[game["square"]]
        tiles = self.tiles(state.tiles)
        refresh_legal(games, tiles.array)
        return GameState(games, tiles, ~games["random"])

    # --- Colours ----------------------------------------------------------------------------------

    def _recoloured(self, letters: str) -> str:
        return "".join(self.colours[COLOUR_LETTERS.index(letter)] for letter in letters)

    def _sorted(self, letters: str) -> str:
        """Return what the colours of a tile turn into, in the order of the letters of a code."""
        return "".join(sorted(self._recoloured(letters), key=COLOUR_LETTERS.index))


def symmetries() -> list[Symmetry]:
    """Return the 48 symmetries, the identity first; the first two are :data:`EXACT`."""
    return [
        Symmetry(mirror, "".join(colours))
        for colours, mirror in product(permutations(COLOUR_LETTERS), (False, True))
    ]


IDENTITY = Symmetry()
"""The symmetry that changes nothing."""

EXACT = (IDENTITY, Symmetry(mirror=True))
"""The symmetries that keep the tile set: every entry of an observation stays true."""


@lru_cache(maxsize=256)
def _recoloured_tiles(symmetry: Symmetry, tiles: TileSet) -> TileSet:
    return replace(
        tiles,
        name=f"{tiles.name} in {symmetry.colours}",
        codes=tuple(_CODE.sub(lambda match: symmetry._sorted(match[0]), code) for code in tiles.codes),
        colours=tuple(map(symmetry._sorted, tiles.colours)),
    )


# --- Where each entry comes from, computed once ---------------------------------------------------


@cache
def _squares(mirror: bool) -> NDArray[np.int64]:
    """Return the square that each square turns into."""
    squares = np.arange(SQUARES).reshape(ROWS, COLUMNS)
    return (squares[:, ::-1] if mirror else squares).reshape(-1)


@cache
def _actions(mirror: bool) -> NDArray[np.int64]:
    """Return the action that each action turns into, which is also the one it comes from."""
    actions = np.arange(ACTIONS)
    if not mirror:
        return actions
    turned = actions.copy()
    turned[PLACE:BUILDER] = actions[PLACE:BUILDER].reshape(SPACES, ROWS, COLUMNS)[..., ::-1].reshape(-1)
    turned[PROMOTE:MOVE] = actions[PROMOTE:MOVE].reshape(ROWS, COLUMNS, RANKS)[:, ::-1].reshape(-1)
    steps = actions[MOVE:SQUARE].reshape(ROWS, COLUMNS, STEPS)
    turned[MOVE:SQUARE] = steps[:, ::-1, _MIRRORED_STEPS].reshape(-1)
    turned[SQUARE:] = actions[SQUARE:].reshape(ROWS, COLUMNS)[:, ::-1].reshape(-1)
    return turned


@cache
def _observation_source(symmetry: Symmetry) -> NDArray[np.int64]:
    """Return the index that each entry of a flat observation comes from."""
    planes = _named_source(symmetry, [entry.name for entry in PLANE_ENTRIES])
    scalars = _named_source(symmetry, [entry.name for entry in SCALAR_ENTRIES])
    on_squares = SQUARES * planes[:, np.newaxis] + _squares(symmetry.mirror)
    return np.concatenate([on_squares.reshape(-1), PLANES_SIZE + scalars])


def _named_source(symmetry: Symmetry, names: list[str]) -> NDArray[np.int64]:
    """Return the index that each of some entries comes from, by the colours in their names."""
    original = symmetry.inverse()
    sources = [_COLOUR_NAME.sub(lambda match: original._recoloured(match[0]), name) for name in names]
    return np.array([names.index(source) for source in sources])


def _mirrored_boards(boards: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return boards, shape (n,), with their columns in reverse."""
    shifts = np.arange(SQUARES, dtype=np.uint64)
    bits = boards[:, np.newaxis] >> shifts & np.uint64(1)
    mirrored: NDArray[np.uint64] = np.sum(bits[:, _squares(True)] << shifts, axis=1, dtype=np.uint64)
    return mirrored


def _taken(name: str, values: ArrayLike, source: NDArray[np.int64]) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape[-1:] != source.shape:
        raise ValueError(f"{name} has shape {array.shape}: expected (..., {len(source)})")
    return array[..., source]


def _planes(symmetry: Symmetry, planes: ArrayLike) -> NDArray[Any]:
    array = np.asarray(planes)
    if array.shape[-3:] != PLANES_SHAPE:
        raise ValueError(
            f"planes have shape {array.shape}: expected (..., {', '.join(map(str, PLANES_SHAPE))})"
        )
    flat = array.reshape(*array.shape[:-3], PLANES_SIZE)
    return _taken("planes", flat, _observation_source(symmetry)[:PLANES_SIZE]).reshape(array.shape)


def _scalars(symmetry: Symmetry, scalars: ArrayLike) -> NDArray[Any]:
    return _taken("scalars", scalars, _observation_source(symmetry)[PLANES_SIZE:] - PLANES_SIZE)


_PARTS = {
    "planes": _planes,
    "scalars": _scalars,
    "observation": Symmetry.observation,
    "action_mask": Symmetry.mask,
}
