"""The agent ``ppo``: a trained network, evaluated in NumPy."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from basilica_env.agents.sight import (
    BEAM,
    CHANNEL_UNITS,
    CHANNELS,
    GAINS,
    PARTS_OF_A_POINT,
    SCALARS,
    Sight,
    sight,
)
from basilica_env.core.layout import (
    ACTIONS,
    BUILDER,
    COLUMNS,
    PROMOTE,
    ROWS,
    SQUARES,
    STEPS,
)
from basilica_env.envs.batch import BatchEnv
from basilica_env.envs.threads import whole_number
from basilica_env.files import named
from basilica_env.game import MOST_KEPT, GameState

Weights = dict[str, NDArray[Any]]
"""Weights by name, float32."""

SQUARE_OUTPUTS = 9
"""Of each square: place the tile of one of three spaces, promote to one of three ranks, move from here,
move to here, choose it."""
WHOLE_ACTIONS = PROMOTE - BUILDER
"""Actions that name no square: builder, orders, redraw, pay, pass."""


def _grid() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.divmod(np.arange(SQUARES), COLUMNS)


def _destinations() -> NDArray[np.int64]:
    """Return where a step up, right, down and left leads, shape (60, 4); the edge if off the board."""
    row, column = _grid()
    rows = np.stack([row + 1, row, row - 1, row], 1).clip(0, ROWS - 1)
    columns = np.stack([column, column + 1, column, column - 1], 1).clip(0, COLUMNS - 1)
    destinations: NDArray[np.int64] = COLUMNS * rows + columns
    return destinations


def _neighbours() -> NDArray[np.float32]:
    """Return 1 for each pair of adjacent squares, shape (60, 60)."""
    row, column = _grid()
    distance = abs(row[:, None] - row) + abs(column[:, None] - column)
    adjacent: NDArray[np.float32] = (distance == 1).astype(np.float32)
    return adjacent


def _tied_squares() -> NDArray[np.int64]:
    """Return a number for each square that its mirror image shares."""
    row, column = _grid()
    tied: NDArray[np.int64] = 3 * row + abs(column - COLUMNS // 2)
    return tied


def _gain_kinds() -> NDArray[np.int64]:
    """Return the kind of each action, by which its gain is weighed."""
    sizes = (3 * SQUARES, *(1 for _ in range(WHOLE_ACTIONS)), 3 * SQUARES, STEPS * SQUARES, SQUARES)
    return np.repeat(np.arange(len(sizes)), sizes)


DESTINATIONS = _destinations()
NEIGHBOURS = _neighbours()
TIED_SQUARES = _tied_squares()


GAIN_KINDS = _gain_kinds()
GAINS_UNIT = np.float32(10 * PARTS_OF_A_POINT)


def kind_of_gains(weights: Weights) -> str:
    """Return the kind of gains that a network looks at, ``"none"`` if none."""
    parts = {name.partition(GAIN_LAYER)[0] for name in weights if GAIN_LAYER in name}
    return next((kind for kind, its in GAINS.items() if set(its) == parts), "none")


GAIN_LAYER = "_gains."
"""In the names of the weights of a layer that weighs gains, after the part of the gains."""


def policy_logits(weights: Weights, seen: Sight) -> NDArray[Any]:
    """Return the logits of all actions, shape (n, 667).

    Parameters
    ----------
    weights : by the names of :mod:`basilica_env.training.network`
    seen : what :func:`basilica_env.agents.sight.sight` returns for n games
    """
    squares, scalars, gains = seen
    x = squares * (1 / CHANNEL_UNITS)
    if "first.weight" in weights:
        entries = np.concatenate((x.reshape(len(x), -1), scalars), 1)
        trunk = _relu(_layer(weights, "second", _relu(_layer(weights, "first", entries))))
        return _layer(weights, "policy", trunk) + _weighed(weights, trunk, gains)
    whole = _relu(_layer(weights, "whole", scalars))
    h = _layer(weights, "own", x) + _layer(weights, "near", NEIGHBOURS @ x)
    h = _relu(h + weights["place"][TIED_SQUARES] + _layer(weights, "whole_to_square", whole)[:, None])
    block = 0
    while f"blocks.{block}.weight" in weights:
        h = h + _relu(_layer(weights, f"blocks.{block}", np.concatenate((h, NEIGHBOURS @ h), 2)))
        block += 1
    trunk = _relu(_layer(weights, "trunk", np.concatenate((h.mean(1), whole), 1)))
    h = _relu(_layer(weights, "last", h) + _layer(weights, "trunk_to_square", trunk)[:, None])
    logits = _in_order(_layer(weights, "square_policy", h), _layer(weights, "whole_policy", trunk))
    return logits + _weighed(weights, trunk, gains)


def _weighed(weights: Weights, trunk: NDArray[np.float32], gains: NDArray[np.int8]) -> NDArray[Any] | float:
    """Return what the gains add to the logits."""
    weighed: NDArray[Any] | float = 0.0
    for number, part in enumerate(GAINS[kind_of_gains(weights)]):
        weighed += _layer(weights, f"{part}_gains", trunk)[:, GAIN_KINDS] * (gains[:, number] / GAINS_UNIT)
    return weighed


def _in_order(squares: NDArray[Any], whole: NDArray[Any]) -> NDArray[Any]:
    """Put the outputs of squares, shape (n, 60, SQUARE_OUTPUTS), in the order of the actions."""
    n = len(squares)
    place = squares[:, :, 0:3].swapaxes(1, 2).reshape(n, 3 * SQUARES)
    promote = squares[:, :, 3:6].reshape(n, 3 * SQUARES)
    move = (squares[:, :, 6:7] + squares[:, DESTINATIONS, 7]).reshape(n, STEPS * SQUARES)
    return np.concatenate((place, whole, promote, move, squares[:, :, 8]), 1)


def _layer(weights: Weights, name: str, x: NDArray[Any]) -> NDArray[Any]:
    y: NDArray[Any] = x @ weights[f"{name}.weight"].T
    if f"{name}.bias" in weights:
        y += weights[f"{name}.bias"]
    return y


def _relu(x: NDArray[Any]) -> NDArray[Any]:
    positive: NDArray[Any] = np.maximum(x, 0)
    return positive


# --- Files of weights -----------------------------------------------------------------------------

PREFIX = "network/"
"""Of the names of the weights in a file."""


def read_network(path: str | os.PathLike[str] | None = None) -> tuple[Weights, dict[str, Any]]:
    """Read the weights of a network and the facts about them; None reads those that ship.

    Raises
    ------
    ValueError
        If the file holds no whole network of this version.
    OSError
        If it cannot be read.
    """
    source = named(path) if path is not None else resources.files("basilica_env") / "data" / "ppo.npz"
    try:
        with source.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            facts = json.loads(str(arrays["facts"]))
            weights = {
                name.removeprefix(PREFIX): arrays[name].astype(np.float32)
                for name in arrays.files
                if name.startswith(PREFIX)
            }
        policy_logits(weights, _NOTHING)
    except (KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{source} holds no network of the agent 'ppo': {_fault(source, error)}") from error
    return weights, facts


def _fault(source: Any, error: Exception) -> str:
    """Return what is wrong with a file that holds no network."""
    with source.open("rb") as file:
        if not zipfile.is_zipfile(file):
            return "it is no .npz file"
        with zipfile.ZipFile(file) as entries:
            if any(name.startswith("agent/") for name in entries.namelist()):
                return "it is a checkpoint of a run, expected the run's best.npz or last.npz"
            if "facts.npy" not in entries.namelist():
                return "it has no entry 'facts', expected the best.npz or last.npz of a run"
    return str(error)


_NOTHING = Sight(
    np.zeros((1, SQUARES, CHANNELS), np.int8),
    np.zeros((1, SCALARS), np.float32),
    np.zeros((1, max(map(len, GAINS.values())), ACTIONS), np.int8),
)


BEAM_IN_PLAY = 32
"""More than in training, where time is dearer."""
_DIGITS = 3
"""Decimals of a logit that count. Actions that are alike differ by less, as chance and the processor will."""


class PpoAgent:
    """Plays by a trained network, one forward pass a decision.

    Parameters
    ----------
    path : file of weights, such as ``best.npz`` of a run of ``basilica train``; None is the one that ships
    sample : 1 draws actions from the policy instead of playing the most likely one
    beam : positions kept after each action in the search for the gains of a turn, if the network looks at
        those; None is :data:`BEAM_IN_PLAY`
    seed : of the draws; non-negative int, or None for a fresh one
    """

    def __init__(
        self, path: str | None = None, sample: int = 0, beam: int | None = None, seed: int | None = None
    ) -> None:
        if sample not in (0, 1):
            raise ValueError(f"sample is {sample!r}: expected 0 or 1")
        self.name = "ppo" if path is None else f"ppo:path={path}"
        self._weights, self.facts = read_network(path)
        if beam is not None:
            if "turn" not in GAINS[kind_of_gains(self._weights)]:
                raise ValueError(f"beam is {beam}: expected none, for this network searches no turn")
            self.name += f"{':' if path is None else ','}beam={beam}"
        self._beam = whole_number("beam", BEAM_IN_PLAY if beam is None else beam, least=1, most=MOST_KEPT)
        self._sample = bool(sample)
        self._rng = np.random.default_rng(seed)

    @classmethod
    def of(cls, weights: Weights, beam: int = BEAM) -> PpoAgent:
        """Return an agent that plays its most likely action by weights in memory."""
        agent = cls.__new__(cls)
        agent.name, agent._weights, agent._beam, agent.facts = "ppo", weights, beam, {}
        agent._sample, agent._rng = False, np.random.default_rng(0)
        return agent

    def act(self, state: GameState) -> int:
        """Return the action of the network."""
        if state.is_over:
            raise ValueError("the game is over: expected a position with a decision to make")
        logits = self._logits(state.to_array(), state.tiles.array)
        return int(self._choose(logits, state.legal_mask()[np.newaxis])[0])

    def act_batch(self, env: BatchEnv, indices: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return the action of the network for each game; 0 for a finished one."""
        games = env.get_state(indices)["game"]
        if not len(games):
            return np.empty(0, np.int64)
        return self._choose(self._logits(games, env.tiles.array), unpacked(games["legal"]))

    def _logits(self, games: NDArray[np.void], tiles: NDArray[np.void]) -> NDArray[Any]:
        seen = sight(games, tiles, kind_of_gains(self._weights), beam=self._beam)
        return policy_logits(self._weights, seen)

    def _choose(self, logits: NDArray[Any], mask: NDArray[np.uint8]) -> NDArray[np.int64]:
        if self._sample:  # the largest sum with Gumbel noise is a draw from the softmax
            logits = logits - np.log(self._rng.standard_exponential(logits.shape, np.float32))
        else:
            logits = logits.round(_DIGITS)
        chosen: NDArray[np.int64] = np.where(mask, logits, -np.inf).argmax(1)
        return chosen


def unpacked(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return masks, 0 or 1 of shape (n, 667), of legal actions packed in words."""
    octets = np.ascontiguousarray(words).astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=ACTIONS, bitorder="little")
