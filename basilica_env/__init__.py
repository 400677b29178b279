"""The board game Basilica as a reinforcement-learning environment.

Importing the package is cheap: it registers the environments with Gymnasium and PettingZoo; a public
name is loaded, and the core behind it compiled or read from the cache, when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from basilica_env.envs.registration import register as _register

if TYPE_CHECKING:
    from basilica_env.core.tiles import TileSet, TileSetError
    from basilica_env.envs.batch import BatchEnv, BatchStep, perft, random_playouts
    from basilica_env.envs.symmetry import Symmetry, symmetries
    from basilica_env.game import GameState, IllegalMoveError

__version__ = "0.1.0"

_HOMES = {
    "BatchEnv": "basilica_env.envs.batch",
    "BatchStep": "basilica_env.envs.batch",
    "GameState": "basilica_env.game",
    "IllegalMoveError": "basilica_env.game",
    "TileSet": "basilica_env.core.tiles",
    "TileSetError": "basilica_env.core.tiles",
    "Symmetry": "basilica_env.envs.symmetry",
    "symmetries": "basilica_env.envs.symmetry",
    "perft": "basilica_env.envs.batch",
    "random_playouts": "basilica_env.envs.batch",
}

__all__ = [
    "BatchEnv",
    "BatchStep",
    "GameState",
    "IllegalMoveError",
    "Symmetry",
    "TileSet",
    "TileSetError",
    "__version__",
    "perft",
    "random_playouts",
    "symmetries",
]

_register()


def __getattr__(name: str) -> Any:
    """Load a public name on its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'basilica_env' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
