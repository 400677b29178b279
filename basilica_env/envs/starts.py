"""How a face begins a game: dealt from a seed, or from a position in the options of ``reset``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from basilica_env.game import GameState, Tiles

OPTIONS = ("position", "tiles")


def start_game(seed: int, tiles: Tiles, options: Mapping[str, Any] | None) -> GameState:
    """Return a game that is not over.

    Parameters
    ----------
    seed : seed of the game
    tiles : tile set where the options name none
    options : ``position``, a position text, and ``tiles``, a tile set or its path; any other key is ignored
        with a warning

    Raises
    ------
    ValueError
        If the position or the tile set has a fault, or the position leaves nothing to decide.
    """
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options {options!r} have type {type(options).__name__}: expected a dict or None")
    given = dict(options or {})
    chosen = given.pop("tiles", tiles)
    text = given.pop("position", None)
    for name in given:
        known = ", ".join(repr(option) for option in OPTIONS)
        warnings.warn(f"unknown option {name!r} of reset is ignored: expected one of {known}", stacklevel=3)
    if text is None:
        return GameState.new(seed=seed, tiles=chosen)
    game = GameState.from_text(text, seed=seed, tiles=chosen)
    if game.is_over:
        raise ValueError("option 'position': the game is over: expected a position with a decision to make")
    return game
