"""The networks in PyTorch. :mod:`basilica_env.agents.ppo` computes the same in NumPy.

``squares`` is a small residual network over the 60 squares. A square sees itself and the sum of its four
neighbours, and what the whole position amounts to comes back to each square. Every step treats left and
right alike, so the mirror changes its choices as it changes the position, by construction.

``mlp`` is two hidden layers over all entries.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from basilica_env.agents.ppo import (
    DESTINATIONS,
    GAIN_KINDS,
    GAINS_UNIT,
    SQUARE_OUTPUTS,
    TIED_SQUARES,
    WHOLE_ACTIONS,
)
from basilica_env.agents.sight import CHANNEL_UNITS, CHANNELS, GAINS, SCALARS
from basilica_env.core.layout import ACTIONS, COLUMNS, ROWS, SQUARES
from basilica_env.training.settings import Settings

FIRST_GAIN_WEIGHT = 16.0
"""What a gain of ten points adds to a logit at first."""


class Network(nn.Module):
    """Policy and value of what is seen."""

    _units: Tensor
    _kinds: Tensor

    def __init__(self, trunk: int, gains: str) -> None:
        super().__init__()
        self.gains = gains
        """The kind of gains it looks at, or ``"none"``."""
        for part in GAINS[gains]:
            self.add_module(f"{part}_gains", nn.Linear(trunk, int(GAIN_KINDS.max()) + 1))
        self._constant("kinds", GAIN_KINDS, torch.int64)
        self._constant("units", 1 / CHANNEL_UNITS, torch.float32)

    def _constant(self, name: str, array: Any, dtype: torch.dtype) -> None:
        self.register_buffer(f"_{name}", torch.as_tensor(array, dtype=dtype), persistent=False)

    def forward(self, squares: Tensor, scalars: Tensor, gains: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of all actions and the value for the player who decides.

        Parameters
        ----------
        squares : int8, shape (n, 60, CHANNELS)
        scalars : float32, shape (n, SCALARS)
        gains : int8, shape (n, parts, 667), a row for each part of the kind that it looks at
        """
        raise NotImplementedError

    def __call__(self, squares: Tensor, scalars: Tensor, gains: Tensor) -> tuple[Tensor, Tensor]:
        """Call :meth:`forward`."""
        return super().__call__(squares, scalars, gains)  # type: ignore[no-any-return]

    def _with_gains(self, logits: Tensor, trunk: Tensor, gains: Tensor) -> Tensor:
        """Add the gains to the logits, weighed by the kind of the action and by the position."""
        for number, part in enumerate(GAINS[self.gains]):
            weights: Tensor = self.get_submodule(f"{part}_gains")(trunk)
            logits = logits + weights[:, self._kinds] * (gains[:, number].float() / float(GAINS_UNIT))
        return logits


class _WithNeighbours(torch.autograd.Function):
    """Adds shifted boards. PyTorch's own gradient of that copies a board for each shift."""

    @staticmethod
    def forward(_context: Any, own: Tensor, near: Tensor) -> Tensor:
        return _add_neighbours(own.clone(), near)

    @staticmethod
    def backward(_context: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        return gradient, _add_neighbours(torch.zeros_like(gradient), gradient)


def _add_neighbours(to: Tensor, near: Tensor) -> Tensor:
    """Add what its neighbours in ``near`` have to each square of ``to``, shapes (n, 60, channels)."""
    board = (len(near), ROWS, COLUMNS, near.shape[2])
    there, here = to.view(board), near.reshape(board)
    there[:, 1:] += here[:, :-1]
    there[:, :-1] += here[:, 1:]
    there[:, :, 1:] += here[:, :, :-1]
    there[:, :, :-1] += here[:, :, 1:]
    return to


def with_neighbours(own: Tensor, near: Tensor) -> Tensor:
    """Return ``own`` and the sum of ``near`` over the neighbours of each square, shape (n, 60, channels)."""
    return _WithNeighbours.apply(own, near)  # type: ignore[no-any-return,no-untyped-call]


class SquareNetwork(Network):
    """The network over squares."""

    _tied: Tensor
    _destinations: Tensor

    def __init__(self, width: int, blocks: int, trunk: int, gains: str) -> None:
        super().__init__(trunk, gains)
        self.own = nn.Linear(CHANNELS, width)
        self.near = nn.Linear(CHANNELS, width, bias=False)
        self.place = nn.Parameter(torch.zeros(int(TIED_SQUARES.max()) + 1, width))
        self.whole = nn.Linear(SCALARS, trunk)
        self.whole_to_square = nn.Linear(trunk, width, bias=False)
        self.blocks = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(blocks))
        self.trunk = nn.Linear(width + trunk, trunk)
        self.trunk_to_square = nn.Linear(trunk, width, bias=False)
        self.last = nn.Linear(width, width)
        self.square_policy = nn.Linear(width, SQUARE_OUTPUTS)
        self.whole_policy = nn.Linear(trunk, WHOLE_ACTIONS)
        self.value = nn.Linear(trunk, 1)
        self.value_of_scalars = nn.Linear(SCALARS, 1, bias=False)
        _first_weights(self, (self.square_policy, self.whole_policy, self.value, self.value_of_scalars))
        self._constant("tied", TIED_SQUARES, torch.int64)
        self._constant("destinations", DESTINATIONS, torch.int64)

    def forward(self, squares: Tensor, scalars: Tensor, gains: Tensor) -> tuple[Tensor, Tensor]:
        """See :meth:`Network.forward`."""
        x = squares.float() * self._units
        whole = torch.relu(self.whole(scalars))
        h = with_neighbours(self.own(x), self.near(x))
        h += self.place[self._tied]
        h += self.whole_to_square(whole)[:, None]
        h = torch.relu_(h)
        for block in self.blocks:
            assert isinstance(block, nn.Linear)
            of_own, of_near = block.weight.chunk(2, 1)
            own = torch.nn.functional.linear(h, of_own, block.bias)
            near = torch.nn.functional.linear(h, of_near)
            h = h + torch.relu_(with_neighbours(own, near))
        trunk = torch.relu(self.trunk(torch.cat((h.mean(1), whole), 1)))
        h = torch.relu_(self.last(h) + self.trunk_to_square(trunk)[:, None])
        logits = self._logits(self.square_policy(h), self.whole_policy(trunk))
        value = self.value(trunk) + self.value_of_scalars(scalars)
        return self._with_gains(logits, trunk, gains), value[:, 0]

    def _logits(self, squares: Tensor, whole: Tensor) -> Tensor:
        """Put the outputs of squares, shape (n, 60, SQUARE_OUTPUTS), in the order of the actions."""
        place = squares[:, :, 0:3].transpose(1, 2).flatten(1)
        promote = squares[:, :, 3:6].flatten(1)
        move = (squares[:, :, 6:7] + squares[:, self._destinations, 7]).flatten(1)
        return torch.cat((place, whole, promote, move, squares[:, :, 8]), 1)


class MlpNetwork(Network):
    """Two hidden layers over all entries."""

    def __init__(self, hidden: int, trunk: int, gains: str) -> None:
        super().__init__(trunk, gains)
        self.first = nn.Linear(SQUARES * CHANNELS + SCALARS, hidden)
        self.second = nn.Linear(hidden, trunk)
        self.policy = nn.Linear(trunk, ACTIONS)
        self.value = nn.Linear(trunk, 1)
        _first_weights(self, (self.policy, self.value))

    def forward(self, squares: Tensor, scalars: Tensor, gains: Tensor) -> tuple[Tensor, Tensor]:
        """See :meth:`Network.forward`."""
        x = torch.cat(((squares.float() * self._units).flatten(1), scalars), 1)
        trunk = torch.relu(self.second(torch.relu(self.first(x))))
        return self._with_gains(self.policy(trunk), trunk, gains), self.value(trunk)[:, 0]


def _first_weights(network: Network, last: tuple[nn.Linear, ...]) -> None:
    """Fill the layers (He et al. 2015), those of the outputs a hundred times smaller.

    At first the policy goes by the gains alone.
    """
    for layer in network.modules():
        if isinstance(layer, nn.Linear):
            nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
    with torch.no_grad():
        for layer in last:
            layer.weight.mul_(0.01)
        for part in GAINS[network.gains]:
            gains = network.get_submodule(f"{part}_gains")
            assert isinstance(gains, nn.Linear)
            gains.weight.mul_(0.01)
            gains.bias.fill_(FIRST_GAIN_WEIGHT)


def new_network(settings: Settings) -> Network:
    """Return a network with the first weights of a run."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        if settings.network == "squares":
            return SquareNetwork(settings.width, settings.blocks, settings.trunk, settings.gains)
        return MlpNetwork(8 * settings.width, settings.trunk, settings.gains)
